/*
 * What a query gave: columns, capped rows of text cells, and statistics over everything that was
 * fetched. One block: the table owns an arena that holds all of it; it crosses threads whole and is
 * immutable afterwards, but for columns that its tool derives before anyone else sees it.
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
	const char *label; /* for people; the name when the tool file gives none */
	const char *unit;  /* "$/MWh", "%", … or NULL */
	enum column_type type;
	enum column_priority priority;
	const char *const *words;  /* how cells are shown: value, words, …, NULL; "" is an absent
				      one. NULL: as they are */
	const char *const *groups; /* kinds that its values belong to: value, group, …, NULL */
};

struct table {
	struct arena *arena; /* owns everything below and this struct itself */
	const char *name;    /* of the query inside its tool: "main" or the name after --# query */
	size_t column_count;
	struct column *columns;
	size_t row_count;   /* rows kept */
	const char ***rows; /* rows[r][c]: text, or NULL for SQL NULL; decimals keep the database's
			       digits */
	int64_t total_rows; /* rows fetched; > row_count when truncated */
	bool truncated;     /* not every row of the result is here */
	const char *truncation; /* why: "row cap", "byte cap"; NULL when whole */
	bool total_exact; /* total_rows counts the whole result, not just what was fetched before
			     stopping */
	struct column_stats *stats; /* one for each column */
};

/* An empty table with its arena; the caller fills it. */
struct table *table_new(size_t cap_bytes);
void table_free(struct table **t);

/* Columns are found by name everywhere: one whose name stands before it already gets a number, and
 * one without a name its place ("x (2)", "_3"). */
void table_column_number(struct table *t, size_t column);

int table_column(const struct table *t, const char *name); /* -1 when there is none */
const char *table_cell(const struct table *t, size_t row,
		       const char *column); /* NULL for NULL or no such column */

/* Adds a derived column at the end: one cell for each kept row, copied, NULL for nothing. Its
 * statistics are those of the kept rows. */
void table_add_column(struct table *t, const char *name, enum column_type type,
		      const char *const *cells);

/* Makes it a table of these derived rows instead: `cells` row after row, copied, NULL for nothing;
 * its statistics are theirs. */
void table_replace(struct table *t, const char *const *names, const enum column_type *types,
		   size_t columns, const char *const *cells, size_t rows);

/* The first `rows` rows of these columns under other names (NULL: their own), in the arena; cells
 * are borrowed from `t`. What is left out makes it truncated. */
const struct table *table_narrow(const struct table *t, const size_t *columns,
				 const char *const *names, size_t count, size_t rows,
				 struct arena *a);

const char *column_type_name(enum column_type type); /* "text", "int", … */
bool column_type_parse(const char *name, enum column_type *out);
bool column_is_number(enum column_type type);
bool column_is_day(enum column_type type); /* with or without a time */

#endif
