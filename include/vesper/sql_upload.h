/*
 * Statements over the tables of uploaded files. Names of tables are s_<12 hex>_<number>, of
 * documents d_<12 hex>_<number>, names of columns [a-z][a-z0-9_]*, made by code: any other is
 * refused, so that nothing of a file reaches the text of a statement. Values are bound. Pure.
 */
#ifndef VESPER_SQL_UPLOAD_H
#define VESPER_SQL_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/dialect.h"
#include "vesper/err.h"
#include "vesper/table.h"

#define UPLOAD_SCHEMA      "uploads"
#define UPLOAD_TABLES      "s" /* what names of tables begin with */
#define UPLOAD_DOCUMENTS   "d"
#define UPLOAD_ROW         "row_no"
#define UPLOAD_TABLE_BYTES 40
#define UPLOAD_CREATES_MAX 5  /* statements that make one table */
#define UPLOAD_INSERTS     10 /* different texts that insert rows: of 1, 2, 4 … 512 */
#define UPLOAD_INDEXES_MAX 11 /* of one table: of days, and of UPLOAD_COVERS_MAX groups */
#define UPLOAD_COVERS_MAX  3  /* each has a third of the table's bytes */
#define UPLOAD_SUMS_MAX    3  /* columns of one that are summed */
#define UPLOAD_COVERED_ROWS                                                                        \
	1200000 /* of a table that has them: one is written to a file's log as a whole, 64 MiB */
#define UPLOAD_OWN_COLUMNS 2 /* tenant_id and row_no, before those of the file */

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
/* ERR_INPUT: a name that is none. */
MUST_CHECK bool sql_upload_check(const struct upload_table *t, struct err *e);

/* At most UPLOAD_CREATES_MAX texts. */
size_t sql_upload_create(const struct upload_table *t, enum dialect d, struct arena *a,
			 const char *texts[UPLOAD_CREATES_MAX]);
/* So many rows; a value for tenant_id, row_no and each column, row after row. */
const char *sql_upload_insert(const struct upload_table *t, size_t rows, enum dialect d,
			      struct arena *a);
/* How many of the rows that are left the next statement takes: at least 1, and a power of two, so
 * that a few texts do for blocks of any length and stay prepared. */
size_t sql_upload_insert_rows(const struct upload_table *t, size_t left, enum dialect d);
/* `which`: a number of its own among the table's indexes, below UPLOAD_INDEXES_MAX. */
const char *sql_upload_index(const struct upload_table *t, size_t which, size_t column,
			     enum dialect d, struct arena *a);
/* An index by which a group or a value is added up without the table's rows: a column and what is
 * summed of it. Of SQLite alone, which sorts all rows for a group otherwise; NULL: none. */
const char *sql_upload_cover(const struct upload_table *t, size_t which, size_t column,
			     const size_t *sums, size_t sum_count, enum dialect d, struct arena *a);
/* Of SQLite: rows go fifty times as fast without. Nothing happens where there is none. */
const char *sql_upload_drop_index(const char *table, size_t which, struct arena *a);
/* Binds the greatest row_no that goes. */
const char *sql_upload_delete(const char *table, enum dialect d, struct arena *a);
/* Nothing happens where there is no such table. */
const char *sql_upload_drop(const char *table, enum dialect d, struct arena *a);
/* One column with the names of all such tables. */
const char *sql_upload_tables(enum dialect d);
/* How many values two columns have in common. Binds the tenant, twice. */
const char *sql_upload_common(const char *table, const char *column, const char *other,
			      const char *other_column, struct arena *a);
/* Rows in their order: columns row_no and those of the file. Binds the tenant, and the row_no that
 * they stand behind. */
const char *sql_upload_rows(const struct upload_table *t, size_t limit, enum dialect d,
			    struct arena *a);

#endif
