/* Writes the statements for a description of tables, on each dialect. */
#include "ddl_int.h"

#include <stdarg.h>
#include <string.h>

#define CLUSTERED_KEY_BYTES_MAX                                                                    \
	900 /* bytes of a clustered key on SQL Server; longer keys become nonclustered */

/* ---- batches ---- */

/* In a SQLite file, the comment is not part of the statement. */
void ddl_begin(struct ddl_writer *w, const char *about, const char *name, ...)
{
	va_list args;

	buf_str(w->out, "\n");
	if (about)
		buf_printf(w->out, "-- %s\n", about);
	if (!on_server(w))
		return;
	buf_str(w->out, "--# ");
	va_start(args, name);
	buf_vprintf(w->out, name, args);
	va_end(args);
	buf_str(w->out, "\n");
}

void ddl_end(struct ddl_writer *w)
{
	if (w->dialect == DIALECT_POSTGRES)
		buf_str(w->out, "\n");
	else
		buf_str(w->out, is_mssql(w) ? ";\nGO\n" : ";\n");
}

/* ---- names ---- */

/* Writes one part of a constraint's name. */
static void write_name(struct ddl_writer *w, const char *name)
{
	for (; *name; name++)
		if (*name != '"')
			buf_char(w->out, *name == ' ' || *name == '-' ? '_' : *name);
}

void ddl_write_table_name(struct ddl_writer *w, const char *name)
{
	buf_printf(w->out, "%s%s", on_server(w) ? "base." : "", name);
}

static bool has_tenant(const char *const *columns)
{
	return *columns && strcmp(*columns, DDL_TENANT) == 0;
}

/* The columns of a key, without the tenant for a SQLite file. */
static const char *const *dialect_columns(const struct ddl_writer *w, const char *const *columns)
{
	return columns + (!on_server(w) && has_tenant(columns));
}

static void write_columns(struct ddl_writer *w, const char *const *columns)
{
	buf_str(w->out, " (");
	for (columns = dialect_columns(w, columns); *columns; columns++)
		buf_printf(w->out, "%s%s", *columns, columns[1] ? ", " : "");
	buf_str(w->out, ")");
}

/* ---- columns ---- */

static void write_type(struct ddl_writer *w, const struct ddl_column *c)
{
	static const char *const types[][DIALECT_COUNT] = {
		[DDL_TEXT] = {[DIALECT_MSSQL] = "nvarchar(max)",
			      [DIALECT_POSTGRES] = "text",
			      [DIALECT_SQLITE] = "text"},
		[DDL_INT] = {"int", "int", "int"},
		[DDL_BIGINT] = {"bigint", "bigint", "bigint"},
		[DDL_DATE] = {"date", "date", "date"},
		[DDL_DATETIME] = {[DIALECT_MSSQL] = "datetime2(0)",
				  [DIALECT_POSTGRES] = "timestamp(0)",
				  [DIALECT_SQLITE] = "datetime"},
		[DDL_BOOL] = {[DIALECT_MSSQL] = "bit",
			      [DIALECT_POSTGRES] = "boolean",
			      [DIALECT_SQLITE] = "bit"},
		[DDL_FLAG] = {[DIALECT_MSSQL] = "bit",
			      [DIALECT_POSTGRES] = "smallint",
			      [DIALECT_SQLITE] = "bit"},
		[DDL_JSON] = {[DIALECT_MSSQL] = "nvarchar(max)",
			      [DIALECT_POSTGRES] = "jsonb",
			      [DIALECT_SQLITE] = "text"},
	};

	if (c->type == DDL_DECIMAL)
		buf_printf(w->out, "decimal(%d, %d)", c->size, c->scale);
	else if (c->type == DDL_TEXT && c->size > 0)
		buf_printf(w->out, "%s(%d)",
			   w->dialect == DIALECT_POSTGRES ? "varchar" : "nvarchar", c->size);
	else
		buf_str(w->out, types[c->type][w->dialect]);
}

static void write_check(struct ddl_writer *w, const struct ddl_table *t, const struct ddl_column *c)
{
	bool flag = c->type == DDL_FLAG && w->dialect == DIALECT_POSTGRES;

	if (!c->check && !flag)
		return;
	if (is_mssql(w)) {
		buf_printf(w->out, " CONSTRAINT CK_%s_", t->name);
		write_name(w, c->name);
	}
	if (flag)
		buf_printf(w->out, " CHECK (%s IN (0, 1))", c->name);
	else
		buf_printf(w->out, " CHECK (%s)", c->check);
}

static bool is_only_column(const struct ddl_writer *w, const char *const *columns, const char *name)
{
	const char *const *own = dialect_columns(w, columns);

	return *own && !own[1] && strcmp(*own, name) == 0;
}

/* On SQLite, a key of one column is declared with the column. */
static void write_column_keys(struct ddl_writer *w, const struct ddl_table *t, const char *name)
{
	if (on_server(w))
		return;
	if (is_only_column(w, t->key, name))
		buf_str(w->out, " PRIMARY KEY");
	for (size_t i = 0; i < t->unique_count; i++)
		if (is_only_column(w, t->unique[i], name))
			buf_str(w->out, " UNIQUE");
	for (size_t i = 0; i < t->reference_count; i++)
		if (is_only_column(w, t->references[i].columns, name)) {
			buf_printf(w->out, " REFERENCES %s", t->references[i].table);
			write_columns(w, t->references[i].to);
		}
}

static void write_column(struct ddl_writer *w, const struct ddl_table *t,
			 const struct ddl_column *c)
{
	static const char *const identities[DIALECT_COUNT] = {
		[DIALECT_MSSQL] = "bigint IDENTITY(1, 1) NOT NULL",
		[DIALECT_POSTGRES] = "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
		[DIALECT_SQLITE] = "integer PRIMARY KEY",
	};

	buf_printf(w->out, "\t%s ", c->name);
	if (c->identity) {
		buf_str(w->out, identities[w->dialect]);
		return;
	}
	write_type(w, c);
	if (is_mssql(w) && strcmp(c->name, DDL_TENANT) == 0)
		buf_str(w->out, " COLLATE Latin1_General_100_BIN2");
	if (!c->null)
		buf_str(w->out, " NOT NULL");
	write_column_keys(w, t, c->name);
	write_check(w, t, c);
}

/* On servers the tenant is the first column, after an identity, which is a key across tenants. */
static void write_all_columns(struct ddl_writer *w, const struct ddl_table *t)
{
	const struct ddl_column *tenant = ddl_column(t, DDL_TENANT);
	size_t n = 0;

	for (size_t i = 0; on_server(w) && i < t->column_count; i++)
		if (t->columns[i].identity) {
			buf_str(w->out, n++ ? ",\n" : "");
			write_column(w, t, &t->columns[i]);
		}
	if (on_server(w)) {
		buf_str(w->out, n++ ? ",\n" : "");
		write_column(w, t, tenant);
	}
	for (size_t i = 0; i < t->column_count; i++) {
		const struct ddl_column *c = &t->columns[i];

		if (on_server(w) && (c == tenant || c->identity))
			continue;
		buf_str(w->out, n++ ? ",\n" : "");
		write_column(w, t, c);
	}
}

/* ---- constraints ---- */

static void begin_constraint(struct ddl_writer *w, const char *kind, const struct ddl_table *t,
			     size_t i)
{
	buf_str(w->out, ",\n\t");
	if (!is_mssql(w))
		return;
	buf_printf(w->out, "CONSTRAINT %s_%s", kind, t->name);
	if (i > 0)
		buf_printf(w->out, "_%zu", i + 1);
	buf_char(w->out, ' ');
}

/* Returns true when the key is already declared with its column. */
static bool is_declared_inline(const struct ddl_writer *w, const char *const *columns)
{
	const char *const *own = dialect_columns(w, columns);

	return !*own || (!on_server(w) && !own[1]);
}

static void write_primary_key(struct ddl_writer *w, const struct ddl_table *t)
{
	bool identity = *t->key && ddl_column(t, *t->key)->identity;

	if (is_declared_inline(w, t->key) || (identity && !is_mssql(w)))
		return;
	begin_constraint(w, "PK", t, 0);
	buf_str(w->out, "PRIMARY KEY");
	if (is_mssql(w) && ddl_key_bytes(t, t->key) > CLUSTERED_KEY_BYTES_MAX)
		buf_str(w->out, " NONCLUSTERED");
	write_columns(w, t->key);
}

static void write_constraints(struct ddl_writer *w, const struct ddl_table *t)
{
	write_primary_key(w, t);
	for (size_t i = 0; i < t->unique_count; i++) {
		if (is_declared_inline(w, t->unique[i]))
			continue;
		begin_constraint(w, "UQ", t, i);
		buf_str(w->out, "UNIQUE");
		write_columns(w, t->unique[i]);
	}
	for (size_t i = 0; t->check[i]; i++) {
		begin_constraint(w, "CK", t, i);
		buf_printf(w->out, "CHECK (%s)", t->check[i]);
	}
	for (size_t i = 0; i < t->reference_count; i++) {
		const struct ddl_reference *r = &t->references[i];

		if (is_declared_inline(w, r->columns))
			continue;
		begin_constraint(w, "FK", t, i);
		buf_str(w->out, "FOREIGN KEY");
		write_columns(w, r->columns);
		buf_str(w->out, " REFERENCES ");
		ddl_write_table_name(w, r->table);
		write_columns(w, r->to);
	}
}

/* ---- tables ---- */

static void write_table(struct ddl_writer *w, const struct ddl_table *t)
{
	ddl_begin(w, t->about, "%s", t->name);
	buf_str(w->out, "CREATE TABLE ");
	ddl_write_table_name(w, t->name);
	buf_str(w->out, " (\n");
	write_all_columns(w, t);
	write_constraints(w, t);
	buf_str(w->out, "\n)");
	if (!on_server(w) && t->without_rowid)
		buf_str(w->out, " WITHOUT ROWID");
	ddl_end(w);
	for (size_t i = 0; i < t->index_count; i++) {
		ddl_begin(w, NULL, "%s", t->index[i].name);
		buf_printf(w->out, "CREATE INDEX %s ON ", t->index[i].name);
		ddl_write_table_name(w, t->name);
		write_columns(w, t->index[i].columns);
		ddl_end(w);
	}
}

static void write_policy(struct ddl_writer *w)
{
	ddl_begin(w, NULL, "tenant rows");
	buf_printf(w->out, "CREATE SECURITY POLICY sec.%s_tenants\n", w->source);
	for (size_t i = 0; i < w->ddl->table_count; i++) {
		const char *name = w->ddl->tables[i].name;

		buf_printf(w->out,
			   "\tADD FILTER PREDICATE sec.fn_tenant(" DDL_TENANT ") ON base.%s,\n"
			   "\tADD BLOCK PREDICATE sec.fn_tenant(" DDL_TENANT
			   ") ON base.%s AFTER INSERT,\n"
			   "\tADD BLOCK PREDICATE sec.fn_tenant(" DDL_TENANT
			   ") ON base.%s AFTER UPDATE%s\n",
			   name, name, name, i + 1 < w->ddl->table_count ? "," : "");
	}
	buf_str(w->out, "WITH (STATE = ON, SCHEMABINDING = ON)");
	ddl_end(w);
}

static void write_policies(struct ddl_writer *w)
{
	ddl_begin(w, NULL, "tenant rows");
	buf_str(w->out, "DO $$\nDECLARE\n\tt text;\nBEGIN\n\tFOREACH t IN ARRAY ARRAY[");
	for (size_t i = 0; i < w->ddl->table_count; i++)
		buf_printf(w->out, "%s'%s'", i ? ", " : "", w->ddl->tables[i].name);
	buf_str(w->out,
		"] LOOP\n"
		"\t\tEXECUTE pg_catalog.format('ALTER TABLE base.%I ENABLE ROW LEVEL SECURITY, "
		"FORCE ROW LEVEL SECURITY', t);\n"
		"\t\tEXECUTE pg_catalog.format('CREATE POLICY own_tenant ON base.%I\n"
		"\t\t\tUSING (" DDL_TENANT
		" = pg_catalog.current_setting(''vesper.tenant_id'', true))\n"
		"\t\t\tWITH CHECK (" DDL_TENANT
		" = pg_catalog.current_setting(''vesper.tenant_id'', true))', t);\n"
		"\tEND LOOP;\nEND\n$$");
	ddl_end(w);
}

void ddl_write(const struct ddl *d, const char *source, enum dialect dialect, struct buf *out)
{
	struct ddl_writer w = {.ddl = d, .source = source, .dialect = dialect, .out = out};

	if (on_server(&w))
		ddl_write_schemas(&w);
	if (dialect == DIALECT_POSTGRES) {
		ddl_begin(&w, NULL, "owner");
		buf_str(out, "SET LOCAL ROLE vesper_owner\n");
	}
	if (dialect == DIALECT_SQLITE)
		buf_str(out, "\n-- The tenant of this file; checked before a connection is used.\n"
			     "CREATE TABLE vesper_tenant (\n"
			     "\t" DDL_TENANT " nvarchar(100) NOT NULL PRIMARY KEY\n"
			     ") WITHOUT ROWID;\n");
	for (size_t i = 0; i < d->table_count; i++)
		write_table(&w, &d->tables[i]);
	if (dialect == DIALECT_MSSQL)
		write_policy(&w);
	else if (dialect == DIALECT_POSTGRES)
		write_policies(&w);
	ddl_write_views(&w);
	if (on_server(&w))
		ddl_write_grants(&w);
}
