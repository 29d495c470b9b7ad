/*
 * The result of a query: columns, a limited number of rows of text cells, and statistics over all
 * rows fetched. The table owns an arena that contains all of it. It is passed between threads as a
 * whole, and is immutable after its tool has added derived columns.
 */
#ifndef VESPER_TABLE_H
#define VESPER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/stats.h"

enum column_type {
	COLUMN_TEXT,
	COLUMN_INT,
	COLUMN_DECIMAL,
	COLUMN_DATE,
	COLUMN_DATETIME,
	COLUMN_BOOL
};
enum column_priority { PRIORITY_LOW, PRIORITY_MEDIUM, PRIORITY_HIGH };

struct column {
	const char *name;
	const char *label; /* display name; the name if the tool file has none */
	const char *unit;  /* "$/MWh", "%", …; or NULL */
	enum column_type type;
	enum column_priority priority;
	const char *const *words; /* texts shown for cells: value, text, …, NULL; the text of "" is
				     for missing cells. NULL: cells are shown as they are */
	const char *const *groups; /* groups of its values: value, group, …, NULL */
};

struct table {
	struct arena *arena; /* owns this struct and everything below */
	const char *name;    /* of the query in its tool: "main", or the name after --# query */
	size_t column_count;
	struct column *columns;
	size_t row_count;   /* rows kept */
	const char ***rows; /* rows[r][c]: text, or NULL for SQL NULL; decimals have the database's
			       digits */
	int64_t total_rows; /* rows fetched; > row_count if truncated */
	bool truncated;     /* not all rows of the result are kept */
	const char *truncation; /* reason: "row cap", "byte cap"; NULL: not truncated */
	bool is_total_exact;    /* total_rows counts the whole result, not only the rows fetched */
	struct column_stats *stats; /* one per column */
};

/* Creates an empty table with its arena; the caller fills it. */
struct table *table_new(size_t cap_bytes);
void table_free(struct table **t);

/* Columns are found by name. So a duplicate name gets a number, and a column without a name its
 * position ("x (2)", "_3"). */
void table_make_name_unique(struct table *t, size_t column);

int table_column(const struct table *t, const char *name); /* -1: none */
const char *table_cell(const struct table *t, size_t row,
		       const char *column); /* NULL: SQL NULL or no such column */

/* Adds a derived column at the end: one cell per kept row, copied; NULL: empty. Its statistics
 * cover the kept rows. */
void table_add_column(struct table *t, const char *name, enum column_type type,
		      const char *const *cells);

/* Replaces the contents by derived rows: `cells` row after row, copied; NULL: empty. Statistics
 * cover these rows. */
void table_replace(struct table *t, const char *const *names, const enum column_type *types,
		   size_t columns, const char *const *cells, size_t rows);

/* The first `rows` rows of these columns under other names (NULL: unchanged), in the arena; cells
 * are borrowed from `t`. It is truncated if rows are left out. */
const struct table *table_narrow(const struct table *t, const size_t *columns,
				 const char *const *names, size_t count, size_t rows,
				 struct arena *a);

const char *column_type_name(enum column_type type); /* "text", "int", … */
bool column_type_parse(const char *name, enum column_type *out);
bool column_is_number(enum column_type type);
bool column_is_day(enum column_type type); /* with or without a time */

#endif
