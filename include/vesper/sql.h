/*
 * SQL as files. A file is a header of `-- key: value` lines, then one or more statements with named
 * markers; a statement plus arguments becomes text with `?` and the values to bind, in order. Pure;
 * nothing here runs anything.
 *
 * Grammar of a file
 *   -- key: value          header lines, up to the first other line (key `param` and `column` have
 * no colon: their rest is given to the reader of the header)
 *   --# query NAME         starts a further statement (the first one is "main" unless the file
 * starts with such a line)
 *   --? name: text         the text is part of the statement only when argument `name` is given
 *   --# fragment NAME      starts a fragment: its lines, up to the next --# line, stand wherever a
 * line is `:{NAME}` alone. Fragments that several files share stand in a file of their own. None
 * holds another, and each one must be used.
 *   :name                  becomes a bound `?`; not inside literals, quoted names or comments; `::`
 * is no marker IN (:names...)         becomes one `?` for each value of a list argument Other `--`
 * comments are dropped from what is sent.
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
	int line; /* where it starts in the file */
	const struct sql_statement *statement;
	const struct sql_marker *markers; /* each name once */
	size_t marker_count;
	const char *const *conditions; /* names of the --? lines, each once, NULL-ended */
};

struct sql_fragment {
	const char *name;
	const char *path; /* of its file */
	int line;         /* of its --# line */
	const char *text; /* the lines below that */
	bool is_used;
};

struct sql_fragments {
	struct sql_fragment *items;
	size_t count;
};

struct sql_file {
	const char *path;
	const char *hash; /* SHA-256 of all that it says, fragments of others included; hex */
	const struct sql_header_line *header;
	size_t header_count;
	const struct sql_query *queries;
	size_t query_count;             /* may be 0 */
	struct sql_fragments fragments; /* its own */
};

/* Errors start with "path:line: "; of what is wrong in a fragment, with the fragment's. All memory
 * is in the arena, but the text: that has to live as long. */
MUST_CHECK bool sql_file_parse(const char *path, const char *text, struct arena *a,
			       struct sql_file **out, struct err *e);
MUST_CHECK bool sql_file_load(const char *path, struct arena *a, struct sql_file **out,
			      struct err *e);
/* The same with fragments of another file, which are marked as used. */
MUST_CHECK bool sql_file_parse_with(const char *path, const char *text,
				    struct sql_fragments *shared, struct arena *a,
				    struct sql_file **out, struct err *e);
/* A file of fragments alone. */
MUST_CHECK bool sql_fragments_parse(const char *path, const char *text, struct arena *a,
				    struct sql_fragments *out, struct err *e);
const struct sql_fragment *sql_fragment_find(const struct sql_fragments *f,
					     const char *name); /* NULL when there is none */
const struct sql_fragment *sql_fragment_unused(const struct sql_fragments *f); /* the first */
const struct sql_query *sql_file_query(const struct sql_file *f,
				       const char *name); /* NULL when there is none */

/* Whether the statement names this view ("Stage.mc_dayahead"), in any case, quoted or not, outside
 * literals. */
bool sql_query_names(const struct sql_query *q, const char *view);
/* The same, but on `--? condition:` lines. */
bool sql_query_names_without(const struct sql_query *q, const char *name, const char *condition);
/* Whether a quoted name is exactly this one, as output columns are written: AS "AvgPrice". */
bool sql_query_quotes(const struct sql_query *q, const char *column);
/* Whether it is one statement that begins with SELECT or WITH: all that a tool may be. */
bool sql_query_is_select(const struct sql_query *q);

struct sql_bound {
	const char *text;           /* with ? */
	const struct value *values; /* one for each ? in order */
	size_t count;
};

/* Fills a statement. ERR_INPUT: a marker without an argument, a list where one value is wanted or
 * an empty or too long list. The few differences between dialects are applied to the text (see
 * sql_dialect.c). */
MUST_CHECK bool sql_render(const struct sql_query *q, const struct args *args, enum dialect dialect,
			   struct arena *a, struct sql_bound *out, struct err *e);

/* The text alone, for callers that fill the same statement again and again. It is the same whenever
 * the same conditions of the query are given; a query with lists has none (assert). */
struct sql_text {
	const char *text;         /* with ? */
	const char *const *names; /* of the argument for each ? in order */
	size_t count;
};
MUST_CHECK bool sql_text_render(const struct sql_query *q, const struct args *args,
				enum dialect dialect, struct arena *a, struct sql_text *out,
				struct err *e);
/* ERR_INPUT as sql_render. The text is the one given, not a copy. */
MUST_CHECK bool sql_text_bind(const struct sql_text *t, const struct args *args, struct arena *a,
			      struct sql_bound *out, struct err *e);

/* A number column of a result whose whole is asked about. */
struct sql_whole_column {
	const char *name; /* as the statement quotes it: letters, digits and _ */
	bool is_int;
};

/*
 * The statement that asks about the whole of what another one gives, past every cap: one row with
 * the number of rows, then of each column its count, sum, minimum and maximum. The same values are
 * bound. ERR_INPUT: the statement means only a part (see sql_query_has_whole).
 */
MUST_CHECK bool sql_render_whole(const struct sql_query *q, const struct args *args,
				 const struct sql_whole_column *columns, size_t column_count,
				 enum dialect dialect, struct arena *a, struct sql_bound *out,
				 struct err *e);
/* Whether there is more of it to ask about: no row limit of its own but OFFSET 0 ROWS FETCH NEXT
 * :row_limit ROWS ONLY at the end. */
bool sql_query_has_whole(const struct sql_query *q);
bool sql_query_has_marker(const struct sql_query *q, const char *name);

/* As sql_render with literals in place of ?, for people (vesperctl tool sql). Never sent to a
 * database by the daemon. */
MUST_CHECK bool sql_render_literal(const struct sql_query *q, const struct args *args,
				   enum dialect dialect, struct arena *a, const char **out,
				   struct err *e);

/* The statements that no file holds: the different values of a column as this tenant has them, page
 * by page. Names cannot be bound, and which columns have names to be learned is said in
 * config/energy/catalogue.json alone: a file a column would be a second list of them. Only names
 * from there may be given; ERR_INPUT when one is not written as they are. The values are bound.
 * Without a tenant (NULL): of all rows. */
struct sql_values {
	const char *view, *column;
	const char *parent; /* a column that comes with each value, or NULL */
	const char *after;  /* the last value of the page before; NULL: from the first. With a
			       parent it comes again, because it may have further ones */
	size_t cap;         /* rows of a page */
};
MUST_CHECK bool sql_distinct(const struct sql_values *v, const char *tenant, enum dialect dialect,
			     struct arena *a, struct sql_bound *out, struct err *e);
/* One row that changes when the values may have: how many rows there are, and the greatest value of
 * the column. */
MUST_CHECK bool sql_watermark(const char *view, const char *column, const char *tenant,
			      enum dialect dialect, struct arena *a, struct sql_bound *out,
			      struct err *e);

/* Escapes % _ [ and \ for LIKE … ESCAPE '\' and puts % around it. */
const char *sql_like_pattern(const char *text, struct arena *a);

#endif
