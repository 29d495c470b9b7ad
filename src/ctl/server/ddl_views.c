/* The statements for views, schemas and permissions. */
#include "ddl_int.h"

#include <string.h>

#include "vesper/limits.h"

#define WAREHOUSE "warehouse"

#define LINE_WIDTH 120

/* PostgreSQL folds unquoted names to lower case. */
static void write_schema(struct ddl_writer *w, const char *schema)
{
	for (; *schema; schema++)
		buf_char(w->out, w->dialect == DIALECT_POSTGRES && *schema >= 'A' && *schema <= 'Z'
					 ? (char)(*schema + 'a' - 'A')
					 : *schema);
}

static void write_view_name(struct ddl_writer *w, const char *schema, const char *name)
{
	if (on_server(w)) {
		write_schema(w, schema);
		buf_char(w->out, '.');
	}
	buf_str(w->out, name);
}

static void write_wrapped(struct ddl_writer *w, const char *text, bool last)
{
	const char *line = w->out->n ? memrchr(w->out->p, '\n', w->out->n) : NULL;
	size_t column = line ? (size_t)(w->out->p + w->out->n - line) : w->out->n;

	if (column + strlen(text) > LINE_WIDTH)
		buf_str(w->out, "\n\t");
	else if (column > 1)
		buf_char(w->out, ' ');
	buf_printf(w->out, "%s%s", text, last ? "" : ",");
}

/* ---- views ---- */

static void begin_view(struct ddl_writer *w, const char *about, const char *schema,
		       const char *name)
{
	ddl_begin(w, about, "view %s", name);
	buf_str(w->out, is_mssql(w) ? "CREATE OR ALTER VIEW " : "CREATE VIEW ");
	write_view_name(w, schema, name);
	buf_str(w->out, " AS\n");
}

static void write_table_view(struct ddl_writer *w, const struct ddl_table *t)
{
	begin_view(w, NULL, t->schema, t->name);
	buf_str(w->out, "SELECT");
	for (size_t i = 0; i < t->column_count; i++)
		write_wrapped(w, t->columns[i].name, i + 1 == t->column_count);
	buf_str(w->out, "\nFROM ");
	ddl_write_table_name(w, t->name);
	ddl_end(w);
}

static void write_view(struct ddl_writer *w, const struct ddl_view *v)
{
	const char *open, *sql = v->sql[w->dialect];

	begin_view(w, v->about, v->schema, v->name);
	for (; (open = strchr(sql, '{')); sql = open + strcspn(open, "}") + 1) {
		buf_add(w->out, sql, (size_t)(open - sql));
		buf_str(w->out, on_server(w) ? "base." : "");
		buf_add(w->out, open + 1, strcspn(open, "}") - 1);
	}
	buf_str(w->out, sql);
	ddl_end(w);
}

void ddl_write_views(struct ddl_writer *w)
{
	for (size_t i = 0; on_server(w) && i < w->ddl->table_count; i++)
		if (w->ddl->tables[i].schema)
			write_table_view(w, &w->ddl->tables[i]);
	for (size_t i = 0; i < w->ddl->view_count; i++)
		write_view(w, &w->ddl->views[i]);
}

/* ---- schemas and permissions ---- */

/* The i-th view that readers may use: first those of tables, then the others. NULL: no more
 * views. */
static const char *view_at(const struct ddl *d, size_t i, const char **schema)
{
	for (size_t k = 0; k < d->table_count; k++) {
		*schema = d->tables[k].schema;
		if (*schema && i-- == 0)
			return d->tables[k].name;
	}
	if (i >= d->view_count)
		return NULL;
	*schema = d->views[i].schema;
	return d->views[i].name;
}

/* The i-th schema of views other than dbo. */
static const char *schema_at(const struct ddl *d, size_t i)
{
	const char *schema, *before;

	for (size_t k = 0; view_at(d, k, &schema); k++) {
		bool seen = strcmp(schema, "dbo") == 0;

		for (size_t n = 0; n < k && !seen; n++)
			seen = view_at(d, n, &before) && strcmp(before, schema) == 0;
		if (!seen && i-- == 0)
			return schema;
	}
	return NULL;
}

static void write_schemas(struct ddl_writer *w, const char *quote)
{
	const char *schema;

	for (size_t i = 0; (schema = schema_at(w->ddl, i)); i++) {
		buf_printf(w->out, "%s%s", i ? ", " : "", quote);
		write_schema(w, schema);
		buf_str(w->out, quote);
	}
}

void ddl_write_schemas(struct ddl_writer *w)
{
	const char *schema;

	if (strcmp(w->source, WAREHOUSE) == 0 || !schema_at(w->ddl, 0))
		return;
	for (size_t i = 0; is_mssql(w) && (schema = schema_at(w->ddl, i)); i++) {
		ddl_begin(w, NULL, "schema %s", schema);
		buf_printf(w->out,
			   "IF SCHEMA_ID(N'%s') IS NULL\n"
			   "\tEXEC (N'CREATE SCHEMA %s AUTHORIZATION dbo')",
			   schema, schema);
		ddl_end(w);
	}
	if (is_mssql(w))
		return;
	ddl_begin(w, NULL, "schemas");
	buf_str(w->out, "DO $$\nDECLARE\n\ts text;\nBEGIN\n\tFOREACH s IN ARRAY ARRAY[");
	write_schemas(w, "'");
	buf_str(w->out,
		"] LOOP\n"
		"\t\tIF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = s) THEN\n"
		"\t\t\tEXECUTE pg_catalog.format('CREATE SCHEMA %I AUTHORIZATION vesper_owner', "
		"s);\n"
		"\t\tEND IF;\n\tEND LOOP;\nEND\n$$");
	ddl_end(w);
}

void ddl_write_grants(struct ddl_writer *w)
{
	const char *schema, *name;

	for (size_t i = 0; is_mssql(w) && (name = view_at(w->ddl, i, &schema)); i++) {
		ddl_begin(w, NULL, "right on %s.%s", schema, name);
		buf_printf(w->out, "GRANT SELECT ON OBJECT::%s.%s TO vesper_read_role", schema,
			   name);
		ddl_end(w);
	}
	if (is_mssql(w) || !view_at(w->ddl, 0, &schema))
		return;
	if (schema_at(w->ddl, 0)) {
		ddl_begin(w, NULL, "schema right");
		buf_str(w->out, "GRANT USAGE ON SCHEMA ");
		write_schemas(w, "");
		buf_str(w->out, " TO vesper_read");
		ddl_end(w);
	}
	ddl_begin(w, NULL, "view rights");
	buf_str(w->out, "GRANT SELECT ON");
	for (size_t i = 0; (name = view_at(w->ddl, i, &schema)); i++) {
		const char *next;
		struct buf one;

		buf_init(&one, SQL_FILE_BYTES_MAX);
		struct ddl_writer part = *w;
		part.out = &one;
		write_view_name(&part, schema, name);
		write_wrapped(w, buf_text(&one), !view_at(w->ddl, i + 1, &next));
		buf_deinit(&one);
	}
	buf_str(w->out, " TO vesper_read");
	ddl_end(w);
}
