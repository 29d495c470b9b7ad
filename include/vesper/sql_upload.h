/*
 * Statements on the tables of uploaded files. Table names are s_<12 hex>_<number>, for documents
 * d_<12 hex>_<number>; column names are [a-z][a-z0-9_]*. Code makes these names and any other is
 * rejected, so no text of a file gets into a statement. Values are bound. Pure.
 */
#ifndef VESPER_SQL_UPLOAD_H
#define VESPER_SQL_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/dialect.h"
#include "vesper/err.h"
#include "vesper/table.h"

#define UPLOAD_SCHEMA               "uploads"
#define UPLOAD_TABLES               "s" /* first letter of table names */
#define UPLOAD_DOCUMENTS            "d"
#define UPLOAD_ROW                  "row_no"
#define UPLOAD_TABLE_BYTES          40
#define UPLOAD_CREATES_MAX          5  /* statements that create one table */
#define UPLOAD_INSERTS              10 /* INSERT texts, for 1, 2, 4 … 512 rows */
#define UPLOAD_INDEXES_MAX          11 /* of one table: for dates, and for UPLOAD_GROUPS_MAX groups */
#define UPLOAD_GROUPS_MAX           3 /* each has a third of the table's size */
#define UPLOAD_COVERING_INDEXES_MAX (UPLOAD_GROUPS_MAX + 1) /* and for the first date */
#define UPLOAD_SUMS_MAX             3 /* summed columns of one covering index */
#define UPLOAD_COVERED_ROWS                                                                        \
	1200000 /* of a table with covering indexes: SQLite's log holds a whole index, 64 MiB */
#define UPLOAD_SYSTEM_COLUMNS 2 /* tenant_id and row_no, before the file's columns */

struct upload_column {
	const char *name;
	enum column_type type;
	int digits, scale; /* of a decimal */
};

struct upload_table {
	const char *name;
	const struct upload_column *columns;
	size_t count;
};

bool sql_upload_is_table(const char *name);
/* ERR_INPUT: an invalid name. */
MUST_CHECK bool sql_upload_check(const struct upload_table *t, struct err *e);

/* Returns the number of texts. */
size_t sql_upload_create(const struct upload_table *t, enum dialect d, struct arena *a,
			 const char *texts[UPLOAD_CREATES_MAX]);
/* Inserts `rows` rows; binds tenant_id, row_no and each column, row after row. */
const char *sql_upload_insert(const struct upload_table *t, size_t rows, enum dialect d,
			      struct arena *a);
/* The number of rows of the next INSERT, at least 1 and a power of two. So blocks of any length
 * need only a few texts, which stay prepared. */
size_t sql_upload_insert_rows(const struct upload_table *t, size_t left, enum dialect d);
/* `which`: number of the index within the table, below UPLOAD_INDEXES_MAX. */
const char *sql_upload_index(const struct upload_table *t, size_t which, size_t column,
			     enum dialect d, struct arena *a);
/* A covering index: a column and the columns summed for it, so that groups and values are summed
 * without reading the table. Only for SQLite, which would otherwise sort all rows for a group.
 * NULL: none. */
const char *sql_upload_covering_index(const struct upload_table *t, size_t which, size_t column,
				      const size_t *sums, size_t sum_count, enum dialect d,
				      struct arena *a);
/* For SQLite: deleting rows is fifty times as fast without indexes. No effect if the index does not
 * exist. */
const char *sql_upload_drop_index(const char *table, size_t which, struct arena *a);
/* Deletes rows; binds the greatest row_no to delete. */
const char *sql_upload_delete(const char *table, enum dialect d, struct arena *a);
/* No effect if the table does not exist. */
const char *sql_upload_drop(const char *table, enum dialect d, struct arena *a);
/* One column with the names of all uploaded tables. */
const char *sql_upload_tables(enum dialect d);
/* The number of values that two columns have in common. Binds the tenant, twice. */
const char *sql_upload_count_common(const char *table, const char *column, const char *other,
				    const char *other_column, struct arena *a);
/* Rows in order: row_no and the file's columns. Binds the tenant, and the row_no to start after. */
const char *sql_upload_rows(const struct upload_table *t, size_t limit, enum dialect d,
			    struct arena *a);

#endif
