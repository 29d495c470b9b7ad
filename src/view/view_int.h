/* Inside of view: cells in the house style. */
#ifndef VESPER_VIEW_INT_H
#define VESPER_VIEW_INT_H

#include "vesper/json_out.h"
#include "vesper/language.h"
#include "vesper/view.h"

/* One cell as people read it; an empty cell is an em dash. */
void view_cell(struct buf *out, const struct result *r, const struct column *column,
	       const char *text);

/* How many rows the whole has, as far as it is known: "12345", "at least 501". */
void view_row_count(struct buf *out, const struct language *l, const struct table *t);

/* Which call, task, agent and tool a view came from. New ref. */
json_t *view_source(const struct result *r);

/* What is shown of a table. */
struct view_part {
	const char *type, *id;
	const size_t *columns; /* NULL: all of them */
	size_t column_count, row_count;
	struct view_cut cut;
};
/* The facts that are told with every answer and view of a result: names, NULL-ended. */
extern const char *const view_notes[];
/* The members that every view of a table opens with. */
void view_columns(struct json_out *j, const struct result *r, const struct table *t,
		  const struct view_part *part);

/* Text made of results, and which stretches of it show which values. */
struct wording {
	struct buf *out;
	struct arena *arena; /* of the parts; NULL: they are not noted */
	struct result_part *parts;
	size_t count, cap;
	size_t passages; /* that were told, over all results */
};
/* Notes what was added to the text since `from`. */
void wording_note(struct wording *w, size_t from, struct result_part part);
/* Both forget what came after these lengths. */
void wording_cut(struct wording *w, size_t bytes, size_t parts);
void wording_rows(struct wording *w, const struct result *r, const struct table *t);
void wording_fact(struct wording *w, const struct result *r, const struct fact *f);
void wording_arg(struct wording *w, const struct result *r, const struct arg *arg);

/* Fills a template of view.h. False (and nothing added) when a placeholder outside [[ ]] has no
 * value. */
bool view_fill(struct wording *w, const char *text, const struct result *r);

/* How much a prompt tells of a result, and how. */
enum prompt_told { PROMPT_TELL_ALL, PROMPT_TELL_FACTS, PROMPT_TELL_OUTCOME };
struct prompt_how {
	enum prompt_told told; /* without statistics; without facts and tables as well */
	bool numbers;          /* no text that the data holds */
	bool task;             /* it is said to which one it belongs */
	size_t rows;           /* of a table, at most */
	const size_t *sizes;   /* tokens that each of its tables may take; NULL: any */
};
void prompt_result(struct buf *out, const struct result *r, const struct prompt_how *how);
/* How many of its tables a prompt shows. */
size_t prompt_tables(const struct result *r);
/* What one cell takes in a prompt's table. */
size_t prompt_cell_tokens(const char *text);

#endif
