/*
 * Describes the tables and views of a pack's source (sql/<pack>/tables.json), and writes the
 * statements that create them on each dialect.
 *
 *   { "schema": "clinic",
 *     "tables": [ {"name": "stays", "about": "…",
 *       "columns": [{"name": "tenant_id", "type": "text(100)"}, …],
 *       "key": ["tenant_id", "stay_id"], "unique": [[…]], "check": ["last_day >= first_day"],
 *       "index": [{"name": "stays_day", "columns": ["tenant_id", "first_day"]}],
 *       "references": [{"columns": […], "table": "wards", "to": […]}] } ],
 *     "views": [ {"name": "v_month", "about": "…", "sql": "SELECT … FROM {stays}"} ] }
 *
 * Names are written as in SQL ("\"Project Name\""). Types are text(n), text, int, bigint,
 * decimal(p,s), date, datetime, bool, flag (0 or 1, compared as a number) and json. A column may
 * have null, identity, check and about. tenant_id comes first in each key, unique list, index and
 * reference, except for an identity, which is a key without it.
 *
 * On servers the tables are in the schema base, and rows are isolated by tenant. A table gets a
 * view with its name and columns in `schema` (the table's, or the file's) unless "view" is false. A
 * SQLite file has one tenant: names have no schema, keys omit the tenant, and the table replaces
 * the view; "without_rowid" applies to SQLite only. A view may have "sqlite", "postgres" and
 * "mssql" in addition to "sql" or instead of it; {stays} is the table's name on the dialect.
 */
#ifndef CTL_DDL_H
#define CTL_DDL_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/dialect.h"
#include "vesper/err.h"
#include "vesper/str.h"

enum ddl_type {
	DDL_TEXT,
	DDL_INT,
	DDL_BIGINT,
	DDL_DECIMAL,
	DDL_DATE,
	DDL_DATETIME,
	DDL_BOOL,
	DDL_FLAG,
	DDL_JSON,
};

struct ddl_column {
	const char *name;
	enum ddl_type type;
	int size;  /* of a text: characters, 0: unlimited; of a decimal: digits */
	int scale; /* of a decimal */
	bool null, identity;
	const char *check; /* NULL: none */
	const char *about; /* or NULL */
};

struct ddl_index {
	const char *name;
	const char *const *columns; /* NULL-terminated, as all lists here */
};

struct ddl_reference {
	const char *const *columns;
	const char *table;
	const char *const *to;
};

struct ddl_table {
	const char *name;
	const char *schema; /* of its view; NULL: no view */
	const char *about;
	const struct ddl_column *columns;
	size_t column_count;
	const char *const *key; /* may be empty */
	const char *const *const *unique;
	size_t unique_count;
	const struct ddl_index *index;
	size_t index_count;
	const struct ddl_reference *references;
	size_t reference_count;
	const char *const *check;
	bool without_rowid;
};

struct ddl_view {
	const char *schema;
	const char *name;
	const char *about;
	const char *sql[DIALECT_COUNT];
};

struct ddl {
	const struct ddl_table *tables;
	size_t table_count;
	const struct ddl_view *views;
	size_t view_count;
};

/* Errors begin with "path:line: ". All memory is in the arena; the text is borrowed for the call.
 */
MUST_CHECK bool ddl_read(const char *path, const char *text, struct arena *a, struct ddl **out,
			 struct err *e);
const struct ddl_column *ddl_column(const struct ddl_table *t, const char *name); /* or NULL */
/* Bytes of a key of these columns on SQL Server; 0: a column cannot be part of a key. */
size_t ddl_key_bytes(const struct ddl_table *t, const char *const *columns);

/* Writes the statements for a source ("warehouse", "clinic"), in batches if they are for a server.
 * bootstrap.sql creates the schemas of the warehouse; another source's file creates its own. */
void ddl_write(const struct ddl *d, const char *source, enum dialect dialect, struct buf *out);

#endif
