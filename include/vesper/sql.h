/*
 * SQL files. A file has a header of `-- key: value` lines, then one or more statements with named
 * markers. A statement is rendered with arguments to text with `?` and the values to bind, in
 * order. Pure; nothing here runs SQL.
 *
 * Grammar of a file:
 *   -- key: value       header lines, up to the first other line (the keys `param`, `column` and
 *                       `fact` have no colon: the reader of the header parses the rest of
 *                       their line)
 *   --# query NAME      starts a statement (the first one is "main", unless the file starts
 *                       with such a line)
 *   --? name: text      the text is included only if the argument `name` is given
 *   --# fragment NAME   starts a fragment: its lines, up to the next --# line, replace each line
 *                       that is only `:{NAME}`. Fragments that several files share are in a
 *                       separate file. A fragment contains no other, and each must be used.
 *   :name               becomes a bound `?`; not inside literals, quoted names or comments;
 *                       `::` is not a marker
 *   IN (:names...)      becomes one `?` per value of a list argument
 * Other `--` comments are not sent.
 */
#ifndef VESPER_SQL_H
#define VESPER_SQL_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/bind.h"
#include "vesper/dialect.h"
#include "vesper/err.h"

struct sql_header_line {
	int line;
	const char *key;   /* "tool", "param", "column", … */
	const char *value; /* trimmed rest of the line */
};

struct sql_marker {
	const char *name;
	bool is_list;  /* :names... */
	bool optional; /* only inside --? lines of its own name */
};

struct sql_statement; /* a parsed, dialect-neutral statement */

struct sql_query {
	const char *name;
	int line; /* line in the file */
	const struct sql_statement *statement;
	const struct sql_marker *markers; /* each name once */
	size_t marker_count;
	const char *const *conditions; /* names of the --? lines, each once, NULL-ended */
};

struct sql_fragment {
	const char *name;
	const char *path; /* of its file */
	int line;         /* of its --# line */
	const char *text; /* the lines below it */
	bool is_used;
};

struct sql_fragments {
	struct sql_fragment *items;
	size_t count;
};

struct sql_file {
	const char *path;
	const char *hash; /* SHA-256 of its content, with fragments of other files; hexadecimal */
	const struct sql_header_line *header;
	size_t header_count;
	const struct sql_query *queries;
	size_t query_count;             /* may be 0 */
	struct sql_fragments fragments; /* fragments of this file */
};

/* Errors start with "path:line: ", of the fragment's file if the fault is in a fragment. All memory
 * is in the arena, except the text, which is borrowed and must outlive the file. */
MUST_CHECK bool sql_file_parse(const char *path, const char *text, struct arena *a,
			       struct sql_file **out, struct err *e);
MUST_CHECK bool sql_file_load(const char *path, struct arena *a, struct sql_file **out,
			      struct err *e);
/* The same with fragments of another file, which are marked as used. */
MUST_CHECK bool sql_file_parse_with(const char *path, const char *text,
				    struct sql_fragments *shared, struct arena *a,
				    struct sql_file **out, struct err *e);
/* A file with fragments only. */
MUST_CHECK bool sql_fragments_parse(const char *path, const char *text, struct arena *a,
				    struct sql_fragments *out, struct err *e);
const struct sql_fragment *sql_fragment_find(const struct sql_fragments *f,
					     const char *name); /* NULL: none */
const struct sql_fragment *
sql_fragment_unused(const struct sql_fragments *f); /* the first unused one; or NULL */
const struct sql_query *sql_file_query(const struct sql_file *f, const char *name); /* NULL: none */

/* Returns true if the statement names this view ("Stage.mc_dayahead"), in any case, quoted or not,
 * outside literals. */
bool sql_query_references(const struct sql_query *q, const char *view);
/* The same, ignoring `--? condition:` lines. */
bool sql_query_references_without(const struct sql_query *q, const char *name,
				  const char *condition);
/* Returns true if a quoted name equals this one, as in output columns: AS "AvgPrice". */
bool sql_query_has_quoted_name(const struct sql_query *q, const char *column);
/* Returns true if it is one statement that begins with SELECT or WITH; tools may have no other. */
bool sql_query_is_select(const struct sql_query *q);

struct sql_bound {
	const char *text;           /* with ? */
	const struct value *values; /* one per ?, in order */
	size_t count;
};

/* Renders a statement. ERR_INPUT: a marker without an argument, a list for a single value, or a
 * list that is empty or too long. Dialect differences are applied to the text (see
 * sql_dialect.c). */
MUST_CHECK bool sql_render(const struct sql_query *q, const struct args *args, enum dialect dialect,
			   struct arena *a, struct sql_bound *out, struct err *e);

/* The text alone, for callers that bind the same statement repeatedly. It depends only on which
 * conditions are given. A query with lists has no such text (assert). */
struct sql_text {
	const char *text;         /* with ? */
	const char *const *names; /* argument name for each ?, in order */
	size_t count;
};
MUST_CHECK bool sql_text_render(const struct sql_query *q, const struct args *args,
				enum dialect dialect, struct arena *a, struct sql_text *out,
				struct err *e);
/* ERR_INPUT: as sql_render. The text is borrowed from `t`. */
MUST_CHECK bool sql_text_bind(const struct sql_text *t, const struct args *args, struct arena *a,
			      struct sql_bound *out, struct err *e);

/* A numeric column whose totals are requested. */
struct sql_totals_column {
	const char *name; /* as quoted in the statement: letters, digits and _ */
	bool is_int;
};

/*
 * The statement for the totals of another statement without row limits: one row with the number of
 * rows, then count, sum, minimum and maximum of each column. The same values are bound. ERR_INPUT:
 * the statement selects only a part (see sql_query_has_totals).
 */
MUST_CHECK bool sql_render_totals(const struct sql_query *q, const struct args *args,
				  const struct sql_totals_column *columns, size_t column_count,
				  enum dialect dialect, struct arena *a, struct sql_bound *out,
				  struct err *e);
/* Returns true if totals can be computed: the statement has no row limit other than OFFSET 0 ROWS
 * FETCH NEXT :row_limit ROWS ONLY at the end. */
bool sql_query_has_totals(const struct sql_query *q);
bool sql_query_has_marker(const struct sql_query *q, const char *name);

/* Like sql_render with literals instead of ?, for display (vesperctl tool sql). The daemon never
 * sends it to a database. */
MUST_CHECK bool sql_render_literal(const struct sql_query *q, const struct args *args,
				   enum dialect dialect, struct arena *a, const char **out,
				   struct err *e);

/* The statements that are in no file: the distinct values of a column for this tenant, page by
 * page. Names cannot be bound, and config/<pack>/catalogue.json is the only list of columns with
 * names to load. Only names from there may be passed. ERR_INPUT: a name is not written as allowed
 * there. The values are bound. `tenant` NULL: all rows. */
struct sql_values {
	const char *view, *column;
	const char *parent; /* a column selected with each value; or NULL */
	const char *after; /* last value of the previous page; NULL: first page. With a parent it is
			      selected again, because it may have more parents */
	size_t cap;        /* rows per page */
};
MUST_CHECK bool sql_distinct(const struct sql_values *v, const char *tenant, enum dialect dialect,
			     struct arena *a, struct sql_bound *out, struct err *e);
/* One row that changes when the values may have changed: the number of rows and the greatest value
 * of the column. */
MUST_CHECK bool sql_watermark(const char *view, const char *column, const char *tenant,
			      enum dialect dialect, struct arena *a, struct sql_bound *out,
			      struct err *e);

/* Escapes % _ [ and \ for LIKE … ESCAPE '\' and adds % at both ends. */
const char *sql_like_pattern(const char *text, struct arena *a);

#endif
