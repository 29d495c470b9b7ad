/* Creates, fills and drops tables of uploaded files, in three dialects. */
#include "vesper/sql_upload.h"

#include <ctype.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/str.h"

#define HEX_DIGITS     12
#define NAME_BYTES_MAX 60
/* Rows per statement. Larger statements need fewer round trips to a server, but hold locks longer.
 * For a file, short statements use less memory. */
#define SERVER_ROWS_MAX       512
#define FILE_ROWS_MAX         32
#define PARAMETERS_MAX        32000 /* SQLite and PostgreSQL allow 32,766 */
#define SERVER_PARAMETERS_MAX 2000  /* SQL Server allows 2,100 */
#define TEXT_BYTES_MAX        (1024 * 1024)

bool sql_upload_is_table(const char *name)
{
	const char *p = name + 2;

	if ((strncmp(name, UPLOAD_TABLES "_", 2) != 0 &&
	     strncmp(name, UPLOAD_DOCUMENTS "_", 2) != 0) ||
	    strlen(name) >= UPLOAD_TABLE_BYTES)
		return false;
	for (int i = 0; i < HEX_DIGITS; i++, p++)
		if (!isxdigit((unsigned char)*p) || isupper((unsigned char)*p))
			return false;
	return *p == '_' && p[1] != '\0' && strspn(p + 1, "0123456789") == strlen(p + 1);
}

bool sql_upload_check(const struct upload_table *t, struct err *e)
{
	if (!sql_upload_is_table(t->name))
		return err_set(e, ERR_INPUT, "\"%s\" is not a table of an upload", t->name);
	for (size_t i = 0; i < t->count; i++)
		if (!str_is_name(t->columns[i].name, NAME_BYTES_MAX))
			return err_set(e, ERR_INPUT, "\"%s\" is not a column of an upload",
				       t->columns[i].name);
	return true;
}

/* The SQLite file that is written to has only one schema. */
static const char *full_name(const char *table, enum dialect d, struct arena *a)
{
	return d == DIALECT_SQLITE ? table : arena_printf(a, UPLOAD_SCHEMA ".%s", table);
}

static const char *type_of(const struct upload_column *c, enum dialect d, struct arena *a)
{
	bool is_mssql = d == DIALECT_MSSQL;

	switch (c->type) {
	case COLUMN_INT:
		return "bigint";
	case COLUMN_DECIMAL:
		return arena_printf(a, "decimal(%d,%d)", c->digits, c->scale);
	case COLUMN_DATE:
		return "date";
	case COLUMN_DATETIME:
		return is_mssql                ? "datetime2(3)"
		       : d == DIALECT_POSTGRES ? "timestamp(3)"
					       : "datetime";
	case COLUMN_BOOL:
		return d == DIALECT_POSTGRES ? "boolean" : "bit";
	case COLUMN_TEXT:
		break;
	}
	return is_mssql ? "nvarchar(max)" : "text";
}

static const char *create_text(const struct upload_table *t, enum dialect d, struct arena *a)
{
	const char *tenant = d == DIALECT_MSSQL ? "nvarchar(100) COLLATE Latin1_General_100_BIN2"
						: "varchar(100)";
	const char *text = arena_printf(a,
					"CREATE TABLE %s (tenant_id %s NOT NULL, " UPLOAD_ROW
					" bigint NOT NULL PRIMARY KEY",
					full_name(t->name, d, a), tenant);
	struct buf b;

	buf_init(&b, TEXT_BYTES_MAX);
	buf_str(&b, text);
	for (size_t i = 0; i < t->count; i++)
		buf_printf(&b, ", %s %s%s", t->columns[i].name, type_of(&t->columns[i], d, a),
			   d == DIALECT_MSSQL ? " NULL" : "");
	buf_char(&b, ')');
	text = arena_strdup(a, buf_text(&b));
	buf_deinit(&b);
	return text;
}

size_t sql_upload_create(const struct upload_table *t, enum dialect d, struct arena *a,
			 const char *texts[UPLOAD_CREATES_MAX])
{
	const char *name = full_name(t->name, d, a);
	size_t n = 0;

	texts[n++] = create_text(t, d, a);
	if (d == DIALECT_POSTGRES) {
		texts[n++] = arena_printf(a,
					  "ALTER TABLE %s ENABLE ROW LEVEL SECURITY, "
					  "FORCE ROW LEVEL SECURITY",
					  name);
		texts[n++] = arena_printf(
			a,
			"CREATE POLICY own_tenant ON %s USING (tenant_id = "
			"pg_catalog.current_setting('vesper.tenant_id', true)) WITH CHECK "
			"(tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))",
			name);
		texts[n++] = arena_printf(a, "GRANT SELECT ON %s TO vesper_uploads", name);
	} else if (d == DIALECT_MSSQL) {
		texts[n++] = arena_printf(
			a,
			"CREATE SECURITY POLICY sec.%s_tenants ADD FILTER PREDICATE "
			"sec.fn_tenant(tenant_id) ON %s, ADD BLOCK PREDICATE "
			"sec.fn_tenant(tenant_id) ON %s AFTER INSERT WITH (STATE = ON, "
			"SCHEMABINDING = ON)",
			t->name, name, name);
	}
	return n;
}

size_t sql_upload_insert_rows(const struct upload_table *t, size_t left, enum dialect d)
{
	size_t parameters = d == DIALECT_MSSQL ? SERVER_PARAMETERS_MAX : PARAMETERS_MAX;
	size_t rows_max = parameters / (t->count + UPLOAD_SYSTEM_COLUMNS), rows = 1;

	if (rows_max > (d == DIALECT_SQLITE ? FILE_ROWS_MAX : SERVER_ROWS_MAX))
		rows_max = d == DIALECT_SQLITE ? FILE_ROWS_MAX : SERVER_ROWS_MAX;
	while (rows * 2 <= rows_max && rows * 2 <= left)
		rows *= 2;
	return rows;
}

/* Times are bound as text, so typed databases need a cast. */
static const char *marker_of(const struct upload_column *c, enum dialect d)
{
	if (d != DIALECT_POSTGRES)
		return "?";
	switch (c->type) {
	case COLUMN_DATETIME:
		return "CAST(? AS timestamp)";
	case COLUMN_BOOL:
		return "CAST(? AS boolean)";
	default:
		return "?";
	}
}

const char *sql_upload_insert(const struct upload_table *t, size_t rows, enum dialect d,
			      struct arena *a)
{
	const char *text;
	struct buf b, row;

	buf_init(&b, TEXT_BYTES_MAX);
	buf_init(&row, TEXT_BYTES_MAX);
	buf_printf(&b, "INSERT INTO %s (tenant_id, " UPLOAD_ROW, full_name(t->name, d, a));
	buf_str(&row, "(?, ?");
	for (size_t i = 0; i < t->count; i++) {
		buf_printf(&b, ", %s", t->columns[i].name);
		buf_printf(&row, ", %s", marker_of(&t->columns[i], d));
	}
	buf_str(&b, ") VALUES ");
	buf_char(&row, ')');
	for (size_t i = 0; i < rows; i++) {
		buf_str(&b, i > 0 ? ", " : "");
		buf_add(&b, row.p, row.n);
	}
	text = arena_strdup(a, buf_text(&b));
	buf_deinit(&b);
	buf_deinit(&row);
	return text;
}

const char *sql_upload_index(const struct upload_table *t, size_t which, size_t column,
			     enum dialect d, struct arena *a)
{
	return arena_printf(a, "CREATE INDEX ix_%s_%zu ON %s (%s)", t->name, which,
			    full_name(t->name, d, a), t->columns[column].name);
}

const char *sql_upload_covering_index(const struct upload_table *t, size_t which, size_t column,
				      const size_t *sums, size_t sum_count, enum dialect d,
				      struct arena *a)
{
	const char *list = arena_printf(a, "%s, tenant_id", t->columns[column].name);

	if (d != DIALECT_SQLITE)
		return NULL;
	for (size_t i = 0; i < sum_count; i++)
		list = arena_printf(a, "%s, %s", list, t->columns[sums[i]].name);
	return arena_printf(a, "CREATE INDEX ix_%s_%zu ON %s (%s)", t->name, which, t->name, list);
}

const char *sql_upload_drop_index(const char *table, size_t which, struct arena *a)
{
	return arena_printf(a, "DROP INDEX IF EXISTS ix_%s_%zu", table, which);
}

const char *sql_upload_delete(const char *table, enum dialect d, struct arena *a)
{
	return arena_printf(a, "DELETE FROM %s WHERE " UPLOAD_ROW " <= ?", full_name(table, d, a));
}

const char *sql_upload_drop(const char *table, enum dialect d, struct arena *a)
{
	if (d == DIALECT_MSSQL)
		return arena_printf(a,
				    "DROP SECURITY POLICY IF EXISTS sec.%s_tenants; "
				    "DROP TABLE IF EXISTS %s",
				    table, full_name(table, d, a));
	return arena_printf(a, "DROP TABLE IF EXISTS %s", full_name(table, d, a));
}

const char *sql_upload_tables(enum dialect d)
{
	if (d == DIALECT_SQLITE)
		return "SELECT name FROM sqlite_schema WHERE type = 'table'";
	return "SELECT table_name AS name FROM information_schema.tables "
	       "WHERE table_schema = '" UPLOAD_SCHEMA "'";
}

const char *sql_upload_count_common(const char *table, const char *column, const char *other,
				    const char *other_column, struct arena *a)
{
	return arena_printf(
		a,
		"SELECT COUNT(*) AS common FROM (SELECT DISTINCT %s AS v FROM " UPLOAD_SCHEMA
		".%s WHERE tenant_id = ?) x JOIN (SELECT DISTINCT %s AS v "
		"FROM " UPLOAD_SCHEMA ".%s WHERE tenant_id = ?) y ON x.v = y.v",
		column, table, other_column, other);
}

const char *sql_upload_rows(const struct upload_table *t, size_t limit, enum dialect d,
			    struct arena *a)
{
	const char *text;
	struct buf b;

	buf_init(&b, TEXT_BYTES_MAX);
	if (d == DIALECT_MSSQL)
		buf_printf(&b, "SELECT TOP %zu " UPLOAD_ROW, limit);
	else
		buf_str(&b, "SELECT " UPLOAD_ROW);
	for (size_t i = 0; i < t->count; i++)
		buf_printf(&b, ", %s", t->columns[i].name);
	buf_printf(&b,
		   " FROM " UPLOAD_SCHEMA ".%s WHERE tenant_id = ? AND " UPLOAD_ROW
		   " > ? ORDER BY " UPLOAD_ROW,
		   t->name);
	if (d != DIALECT_MSSQL)
		buf_printf(&b, " LIMIT %zu", limit);
	text = arena_strdup(a, buf_text(&b));
	buf_deinit(&b);
	return text;
}
