/* Internals of the view folder: formatted cells, worded results and prompt text. */
#ifndef VESPER_VIEW_INT_H
#define VESPER_VIEW_INT_H

#include "vesper/json_out.h"
#include "vesper/language.h"
#include "vesper/view.h"

/* Formats one cell; an empty cell is an em dash. */
void view_cell(struct buf *out, const struct result *r, const struct column *column,
	       const char *text);

/* Formats the total number of rows as far as known: "12345", "at least 501". */
void view_row_count(struct buf *out, const struct language *l, const struct table *t);

/* Call, task, agent and tool of a view. New reference. */
json_t *view_source(const struct result *r);

/* The part of a table that is shown. */
struct view_part {
	const char *type, *id;
	const size_t *columns; /* NULL: all columns */
	size_t column_count, row_count;
	struct view_truncation cut;
};
/* Names of facts that accompany every answer and view of a result, NULL-terminated. */
extern const char *const view_notes[];
/* Writes the first members of every table view. */
void view_columns(struct json_out *j, const struct result *r, const struct table *t,
		  const struct view_part *part);

/* Text built from results, and which parts of it show which values. */
struct wording {
	struct buf *out;
	struct arena *arena; /* for the parts; NULL: not recorded */
	struct result_part *parts;
	size_t count, cap;
	size_t passages; /* number of passages written, over all results */
};
/* Records the text added since `from` as one part. */
void wording_add_part(struct wording *w, size_t from, struct result_part part);
/* Removes what was added after these lengths. */
void wording_truncate(struct wording *w, size_t bytes, size_t parts);
void wording_rows(struct wording *w, const struct result *r, const struct table *t);
void wording_fact(struct wording *w, const struct result *r, const struct fact *f);
void wording_arg(struct wording *w, const struct result *r, const struct arg *arg);

/* Fills a template of view.h. Returns false and adds nothing when a placeholder outside [[ ]] has
 * no value. */
bool view_fill(struct wording *w, const char *text, const struct result *r);

/* How much of a result a prompt contains, and in which form. */
enum prompt_extent { PROMPT_EXTENT_FULL, PROMPT_EXTENT_FACTS, PROMPT_EXTENT_OUTCOME };
struct prompt_options {
	/* FACTS: without statistics; OUTCOME: also without facts and tables. */
	enum prompt_extent extent;
	bool numbers;        /* no text from the data */
	bool task;           /* names the result's task */
	size_t rows;         /* maximum per table */
	const size_t *sizes; /* token limit of each table; NULL: no limit */
};
void prompt_result(struct buf *out, const struct result *r, const struct prompt_options *options);
/* Number of tables that a prompt shows. */
size_t prompt_tables(const struct result *r);
/* Tokens of one cell in a prompt's table. */
size_t prompt_cell_tokens(const char *text);

#endif
