/*
 * The tables and views of a pack's source as one description (sql/<pack>/tables.json), and the
 * statements that make them on each dialect.
 *
 *   { "schema": "clinic",
 *     "tables": [ {"name": "stays", "about": "…",
 *       "columns": [{"name": "tenant_id", "type": "text(100)"}, …],
 *       "key": ["tenant_id", "stay_id"], "unique": [[…]], "check": ["last_day >= first_day"],
 *       "index": [{"name": "stays_day", "columns": ["tenant_id", "first_day"]}],
 *       "references": [{"columns": […], "table": "wards", "to": […]}] } ],
 *     "views": [ {"name": "v_month", "about": "…", "sql": "SELECT … FROM {stays}"} ] }
 *
 * Names are written as SQL has to write them ("\"Project Name\""). Types are text(n), text, int,
 * bigint, decimal(p,s), date, datetime, bool, flag (0 or 1, compared as a number) and json. A
 * column may have null, identity, check and about. tenant_id is first in each key, unique list,
 * index and reference, but for an identity, which is a key alone.
 *
 * On servers tables stand in the schema base, whose rows are held apart by tenant; a table gets a
 * view of its name and columns in `schema` (its own, or the file's) unless "view" is false. A
 * SQLite file is one tenant's: its names are plain, keys are without the tenant, and the table
 * itself is the view; "without_rowid" is for it alone. A view may have "sqlite", "postgres" and
 * "mssql" beside or in place of "sql"; {stays} is that table's name on the dialect.
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
	int size;  /* of a text in characters, 0: any; of a decimal its digits */
	int scale; /* of a decimal */
	bool null, identity;
	const char *check; /* NULL: none */
	const char *about; /* or NULL */
};

struct ddl_index {
	const char *name;
	const char *const *columns; /* NULL-ended, as all lists here */
};

struct ddl_reference {
	const char *const *columns;
	const char *table;
	const char *const *to;
};

struct ddl_table {
	const char *name;
	const char *schema; /* of its view; NULL: it has none */
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
/* Bytes of a key of these columns on SQL Server; 0: one of them can't be part of any. */
size_t ddl_key_bytes(const struct ddl_table *t, const char *const *columns);

/* The statements for a source ("warehouse", "clinic"), in batches where they are for a server. The
 * warehouse's schemas are made by bootstrap.sql, another source's by its own file. */
void ddl_write(const struct ddl *d, const char *source, enum dialect dialect, struct buf *out);

#endif
