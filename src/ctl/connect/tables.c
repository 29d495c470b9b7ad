/* Reads tables, columns, keys and foreign keys with the driver's catalogue functions. */
#include <fnmatch.h>
#include <sqlext.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "connect_int.h"
#include "ctl.h"
#include "vesper/clock.h"
#include "vesper/gate.h"
#include "vesper/limits.h"

#define LISTED_MAX 20000 /* tables of a database, so that the total can be reported */
#define ROWS_MAX   4000  /* per catalogue function and table */

/* Columns of the catalogue functions' rows, counted from 0. */
enum { TABLES_SCHEMA = 1, TABLES_NAME = 2 };
enum { COLUMNS_NAME = 3, COLUMNS_TYPE = 4, COLUMNS_TYPE_NAME = 5, COLUMNS_NULLABLE = 10 };
enum { PRIMARY_COLUMN = 3 };
enum {
	FOREIGN_PK_SCHEMA = 1,
	FOREIGN_PK_TABLE,
	FOREIGN_PK_COLUMN,
	FOREIGN_COLUMN = 7,
	FOREIGN_SEQUENCE = 8
};
enum { INDEX_NAME = 5, INDEX_TYPE = 6, INDEX_COLUMN = 8 };

static const char *const system_schemas[] = {"pg_catalog", "information_schema", "sys", NULL};

void connect_note(struct connect *c, const char *kind, const char *name, const char *text,
		  const char *why, ...)
{
	va_list args;

	c->notes = arena_grow(c->a, c->notes, c->note_count, &c->note_cap, sizeof(*c->notes));
	va_start(args, why);
	c->notes[c->note_count++] = (struct connect_note){.kind = kind,
							  .name = arena_strdup(c->a, name),
							  .why = arena_vprintf(c->a, why, args),
							  .text = arena_strdup(c->a, text)};
	va_end(args);
}

/* ---- SQL ---- */

bool connect_in_time(const struct connect *c, const char *operation, struct err *e)
{
	int64_t elapsed_s = (clock_mono_us() - c->began_us) / 1000000;

	return elapsed_s < c->limit_s ||
	       err_set(e, ERR_TIMEOUT,
		       "%s: not finished after %d s; raise --limit-s, or select fewer tables with "
		       "--schema and --tables",
		       operation, c->limit_s);
}

bool connect_rows(struct connect *c, const char *sql, size_t max, struct arena *a,
		  struct server_cells *out, struct err *e)
{
	bool ok = server_query(c->server, sql, max, a, out, e);

	if (!ok)
		server_rollback(c->server);
	return ok;
}

const char *connect_quoted(const struct connect *c, const char *name)
{
	return arena_printf(c->a, server_dialect(c->server) == DIALECT_MSSQL ? "[%s]" : "\"%s\"",
			    name);
}

const char *connect_table_sql(const struct connect *c, const struct connect_table *t)
{
	return arena_printf(c->a, "%s.%s", connect_quoted(c, t->schema),
			    connect_quoted(c, t->name));
}

const char *connect_limited(const struct connect *c, const char *items, const char *rest,
			    size_t rows)
{
	if (server_dialect(c->server) == DIALECT_MSSQL)
		return arena_printf(c->a, "SELECT TOP (%zu) %s FROM %s", rows, items, rest);
	return arena_printf(c->a, "SELECT %s FROM %s LIMIT %zu", items, rest, rows);
}

/* ---- which tables ---- */

static bool has_plain_letters(const struct connect *c, const char *name)
{
	const char *letters = server_dialect(c->server) == DIALECT_POSTGRES
				      ? "abcdefghijklmnopqrstuvwxyz_"
				      : "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t n = strspn(name, letters);

	return n > 0 &&
	       name[n + strspn(name + n, arena_printf(c->a, "%s0123456789", letters))] == '\0';
}

bool connect_is_plain_name(const struct connect *c, const char *name)
{
	return has_plain_letters(c, name) && !gate_is_reserved(name);
}

static bool matches(const char *const *globs, const char *schema, const char *name, struct arena *a)
{
	if (!globs)
		return true;
	for (; *globs; globs++)
		if (fnmatch(*globs, name, 0) == 0 ||
		    fnmatch(*globs, arena_printf(a, "%s.%s", schema, name), 0) == 0)
			return true;
	return false;
}

static bool is_selected(const struct connect *c, const char *schema, const char *name)
{
	for (const char *const *s = system_schemas; *s; s++)
		if (strcasecmp(*s, schema) == 0)
			return false;
	return (!c->schemas || strlist_has(c->schemas, schema)) &&
	       matches(c->globs, schema, name, c->a);
}

static bool add_table(struct connect *c, const char *schema, const char *name)
{
	if (has_plain_letters(c, schema) &&
	    connect_is_plain_name(c, name)) { /* "public" needs quotes */
		c->tables[c->table_count++] =
			(struct connect_table){.schema = schema, .name = name};
		return true;
	}
	connect_note(c, "table", arena_printf(c->a, "%s.%s", schema, name),
		     "create a view with a plain lower-case name",
		     gate_is_reserved(name) ? "its name is an SQL keyword"
					    : "its name must be quoted");
	return false;
}

static bool list_tables(struct connect *c, struct err *e)
{
	struct server_cells rows;
	size_t selected_count = 0;

	if (!server_catalogue(c->server, SERVER_TABLES, NULL, NULL, LISTED_MAX, c->a, &rows, e))
		return err_prefix(e, "tables");
	c->tables = arena_alloc(c->a, CONNECT_TABLES_MAX * sizeof(*c->tables));
	for (size_t i = 0; i < rows.rows; i++) {
		const char *schema = server_cell(&rows, i, TABLES_SCHEMA);
		const char *name = server_cell(&rows, i, TABLES_NAME);

		if (!schema || !name || !is_selected(c, schema, name))
			continue;
		if (++selected_count <= CONNECT_TABLES_MAX)
			add_table(c, schema, name);
	}
	if (selected_count > CONNECT_TABLES_MAX)
		return err_set(e, ERR_LIMIT,
			       "%zu tables, but a pack can have %d; select tables with --schema "
			       "and --tables",
			       selected_count, CONNECT_TABLES_MAX);
	return c->table_count > 0 ||
	       err_set(e, ERR_NOT_FOUND,
		       selected_count
			       ? "none of the %zu tables has a plain name; create views whose "
				 "names have only lower-case letters, digits and _"
			       : "this login can see no table that matches --schema and --tables "
				 "(%zu found)",
		       selected_count);
}

/* ---- columns ---- */

static enum connect_family family_of(int type, const char *name)
{
	if (strcasecmp(name, "bool") == 0 || strcasecmp(name, "boolean") == 0)
		return FAMILY_BOOL;
	if (*name == '_' || strcasestr(name, "json") || strcasestr(name, "xml") ||
	    strcasecmp(name, "bytea") == 0)
		return FAMILY_OTHER;
	switch (type) {
	case SQL_BIT:
		return FAMILY_BOOL;
	case SQL_INTEGER:
	case SQL_SMALLINT:
	case SQL_TINYINT:
	case SQL_BIGINT:
		return FAMILY_INT;
	case SQL_NUMERIC:
	case SQL_DECIMAL:
	case SQL_FLOAT:
	case SQL_REAL:
	case SQL_DOUBLE:
		return FAMILY_DECIMAL;
	case SQL_DATETIME: /* a date in ODBC 2 */
	case SQL_TYPE_DATE:
		return FAMILY_DATE;
	case SQL_TIMESTAMP:
	case SQL_TYPE_TIMESTAMP:
		return FAMILY_DATETIME;
	case SQL_CHAR:
	case SQL_VARCHAR:
	case SQL_LONGVARCHAR:
	case SQL_WCHAR:
	case SQL_WVARCHAR:
	case SQL_WLONGVARCHAR:
	case SQL_GUID:
		return FAMILY_TEXT;
	default:
		return FAMILY_OTHER;
	}
}

const char *connect_family_name(enum connect_family f)
{
	static const char *const names[] = {"text",     "int",  "decimal", "date",
					    "datetime", "bool", "text"};

	return names[f];
}

/* A column may have any quoted name that neither ends the quotes nor contains a marker. */
static bool is_quotable(const char *name)
{
	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		if (*p < ' ' || strchr("\"[]\\{}?;:'.", *p))
			return false;
	return true;
}

static void add_column(struct connect *c, struct connect_table *t, const struct server_cells *rows,
		       size_t i)
{
	const char *name = server_cell(rows, i, COLUMNS_NAME);
	const char *type = server_cell(rows, i, COLUMNS_TYPE);
	const char *type_name = server_cell(rows, i, COLUMNS_TYPE_NAME);
	const char *nullable = server_cell(rows, i, COLUMNS_NULLABLE);
	enum connect_family family =
		family_of((int)strtol(type ? type : "0", NULL, 10), type_name ? type_name : "");

	if (!is_quotable(name))
		connect_note(c, "column", arena_printf(c->a, "%s.%s", t->name, name),
			     "create a view that gives it a plain name",
			     "its name has characters that are not safe in SQL");
	else if (family == FAMILY_OTHER)
		connect_note(c, "column", arena_printf(c->a, "%s.%s", t->name, name), type_name,
			     "its type is not text, number, date or boolean");
	else
		t->columns[t->column_count++] = (struct connect_column){
			.name = name,
			.words = connect_name_words(name, c->a),
			.family = family,
			.nullable = !nullable || strtol(nullable, NULL, 10) != 0};
}

static bool read_columns(struct connect *c, struct connect_table *t, struct err *e)
{
	struct server_cells rows;
	size_t count;

	if (!server_catalogue(c->server, SERVER_COLUMNS, t->schema, t->name, ROWS_MAX, c->a, &rows,
			      e))
		return false;
	count = rows.rows < CONNECT_COLUMNS_MAX ? rows.rows : CONNECT_COLUMNS_MAX;
	if (count < rows.rows)
		connect_note(c, "table", t->name, NULL,
			     "only the first %zu of %zu columns are read", count, rows.rows);
	t->columns = arena_alloc(c->a, (count + 1) * sizeof(*t->columns));
	for (size_t i = 0; i < count; i++)
		if (server_cell(&rows, i, COLUMNS_NAME))
			add_column(c, t, &rows, i);
	return true;
}

size_t connect_find_column(const struct connect_table *t, const char *name)
{
	for (size_t i = 0; name && i < t->column_count; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

struct connect_table *connect_find_table(const struct connect *c, const char *schema,
					 const char *name)
{
	for (size_t i = 0; schema && name && i < c->table_count; i++)
		if (strcmp(c->tables[i].schema, schema) == 0 &&
		    strcmp(c->tables[i].name, name) == 0)
			return &c->tables[i];
	return NULL;
}

/* ---- keys ---- */

/* The columns of some rows; count 0 when one of them is unknown. */
static struct connect_key make_key(struct connect *c, const struct connect_table *t,
				   const struct server_cells *rows, size_t from, size_t to,
				   size_t at)
{
	size_t *columns = arena_alloc(c->a, (to - from + 1) * sizeof(*columns));

	for (size_t i = from; i < to; i++) {
		columns[i - from] = connect_find_column(t, server_cell(rows, i, at));
		if (columns[i - from] == SIZE_MAX)
			return (struct connect_key){0};
	}
	return (struct connect_key){columns, to - from};
}

static bool read_primary_key(struct connect *c, struct connect_table *t, struct err *e)
{
	struct server_cells rows = {0};

	if (!server_catalogue(c->server, SERVER_PRIMARY_KEY, t->schema, t->name, ROWS_MAX, c->a,
			      &rows, e))
		return e->code == ERR_NOT_FOUND;
	t->key = make_key(c, t, &rows, 0, rows.rows, PRIMARY_COLUMN);
	return true;
}

static bool is_same_key(const struct connect_key *a, const struct connect_key *b)
{
	return a->count == b->count &&
	       memcmp(a->columns, b->columns, a->count * sizeof(*a->columns)) == 0;
}

/* Returns true for a unique index other than the primary key. A nullable column disqualifies it,
 * because several rows may have NULL. */
static bool is_key(const struct connect_table *t, const struct connect_key *k)
{
	for (size_t i = 0; i < k->count; i++)
		if (t->columns[k->columns[i]].nullable)
			return false;
	return k->count > 0 && !is_same_key(k, &t->key);
}

static bool read_unique(struct connect *c, struct connect_table *t, struct err *e)
{
	struct server_cells rows = {0};
	struct connect_key *other_keys;

	if (!server_catalogue(c->server, SERVER_UNIQUE_INDEXES, t->schema, t->name, ROWS_MAX, c->a,
			      &rows, e))
		return e->code == ERR_NOT_FOUND;
	t->other_keys = other_keys = arena_alloc(c->a, (rows.rows + 1) * sizeof(*other_keys));
	for (size_t i = 0, end; i < rows.rows; i = end) {
		const char *name = server_cell(&rows, i, INDEX_NAME);
		struct connect_key key;

		for (end = i + 1; end < rows.rows && name && server_cell(&rows, end, INDEX_NAME) &&
				  strcmp(name, server_cell(&rows, end, INDEX_NAME)) == 0;)
			end++;
		if (!name) /* statistics of the table */
			continue;
		key = make_key(c, t, &rows, i, end, INDEX_COLUMN);
		if (is_key(t, &key))
			other_keys[t->other_key_count++] = key;
	}
	if (t->key.count == 0 && t->other_key_count > 0)
		t->key = other_keys[--t->other_key_count];
	return true;
}

/* ---- foreign keys ---- */

/* Rows `from` to `to` of one foreign key, in the order of its columns. */
static void add_foreign_key(struct connect *c, struct connect_table *t,
			    const struct server_cells *rows, size_t from, size_t to)
{
	struct connect_table *one =
		connect_find_table(c, server_cell(rows, from, FOREIGN_PK_SCHEMA),
				   server_cell(rows, from, FOREIGN_PK_TABLE));
	size_t(*on)[2] = arena_alloc(c->a, (to - from) * sizeof(*on));

	if (!one)
		return;
	for (size_t i = from; i < to; i++) {
		on[i - from][0] = connect_find_column(t, server_cell(rows, i, FOREIGN_COLUMN));
		on[i - from][1] = connect_find_column(one, server_cell(rows, i, FOREIGN_PK_COLUMN));
		if (on[i - from][0] == SIZE_MAX || on[i - from][1] == SIZE_MAX)
			return;
	}
	c->edges = arena_grow(c->a, c->edges, c->edge_count, &c->edge_cap, sizeof(*c->edges));
	c->edges[c->edge_count++] =
		(struct connect_edge){.from = t, .to = one, .on = on, .count = to - from};
}

static bool read_foreign_keys(struct connect *c, struct connect_table *t, struct err *e)
{
	struct server_cells rows = {0};

	if (!server_catalogue(c->server, SERVER_FOREIGN_KEYS, t->schema, t->name, ROWS_MAX, c->a,
			      &rows, e)) {
		c->no_foreign_keys = e->code == ERR_NOT_FOUND;
		return c->no_foreign_keys;
	}
	for (size_t i = 0, end; i < rows.rows; i = end) {
		for (end = i + 1; end < rows.rows; end++) {
			const char *sequence = server_cell(&rows, end, FOREIGN_SEQUENCE);

			if (!sequence || strtol(sequence, NULL, 10) <= 1)
				break;
		}
		add_foreign_key(c, t, &rows, i, end);
	}
	return true;
}

bool connect_read_edges(struct connect *c, struct err *e)
{
	for (size_t i = 0; i < c->table_count && !c->no_foreign_keys; i++)
		if (!connect_in_time(c, "foreign keys", e) ||
		    !read_foreign_keys(c, &c->tables[i], e))
			return err_prefix(e, "%s", c->tables[i].name);
	if (c->no_foreign_keys)
		connect_note(c, "edges", "all", NULL, "the driver does not report foreign keys");
	return true;
}

/* ---- comments, for human readers only ---- */

static const char *const comments_postgres =
	"SELECT n.nspname, c.relname, a.attname, d.description FROM pg_description d JOIN "
	"pg_class c ON c.oid = d.objoid AND d.classoid = 'pg_class'::regclass JOIN pg_namespace n "
	"ON n.oid = c.relnamespace LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = "
	"d.objsubid AND d.objsubid > 0";
static const char *const comments_mssql =
	"SELECT SCHEMA_NAME(o.schema_id), o.name, c.name, CAST(p.value AS nvarchar(400)) FROM "
	"sys.extended_properties p JOIN sys.objects o ON o.object_id = p.major_id LEFT JOIN "
	"sys.columns c ON c.object_id = o.object_id AND c.column_id = p.minor_id WHERE p.name = "
	"'MS_Description' AND p.class = 1";

static bool read_comments(struct connect *c, struct err *e)
{
	struct server_cells rows;

	if (!connect_rows(c,
			  server_dialect(c->server) == DIALECT_POSTGRES ? comments_postgres
									: comments_mssql,
			  LISTED_MAX, c->a, &rows, e))
		return err_prefix(e, "comments");
	for (size_t i = 0; i < rows.rows; i++) {
		struct connect_table *t =
			connect_find_table(c, server_cell(&rows, i, 0), server_cell(&rows, i, 1));
		const char *column = server_cell(&rows, i, 2), *text = server_cell(&rows, i, 3);
		size_t at = t ? connect_find_column(t, column) : SIZE_MAX;

		if (!t || !text)
			continue;
		if (!column)
			t->comment = text;
		else if (at != SIZE_MAX)
			t->columns[at].comment = text;
	}
	return true;
}

/* ---- all ---- */

/* Removes tables without a usable column. */
static void drop_tables_without_columns(struct connect *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->table_count; i++) {
		if (c->tables[i].column_count > 0)
			c->tables[kept++] = c->tables[i];
		else
			connect_note(c, "table", c->tables[i].name, NULL,
				     "it has no supported column");
	}
	c->table_count = kept;
}

bool connect_read_tables(struct connect *c, struct err *e)
{
	if (!list_tables(c, e))
		return false;
	for (size_t i = 0; i < c->table_count; i++) {
		struct connect_table *t = &c->tables[i];

		if (!connect_in_time(c, "columns", e) || !read_columns(c, t, e) ||
		    !read_primary_key(c, t, e) || !read_unique(c, t, e))
			return err_prefix(e, "%s", t->name);
	}
	drop_tables_without_columns(c);
	if (c->table_count == 0)
		return err_set(e, ERR_NOT_FOUND, "no table has a supported column");
	return read_comments(c, e);
}
