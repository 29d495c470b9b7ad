/*
 * Results as people see them: JSON views for clients, compact text for prompts, numbers in the
 * house style, and the template answers of the way without a model. Pure.
 */
#ifndef VESPER_VIEW_H
#define VESPER_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/clock.h"
#include "vesper/err.h"
#include "vesper/json_out.h"
#include "vesper/ref.h"
#include "vesper/result.h"
#include "vesper/str.h"

struct language;

/*
 * What of a table there is room for. Where not all of it fits, columns that are mostly empty go
 * first, then those of low priority, then of medium, the last ones first; the highest priority that
 * the table has stays. Then rows: the first ones are shown, and with `extremes` those where numbers
 * are lowest and highest.
 */
struct view_room {
	size_t rows; /* at most */
	size_t size; /* of heads and cells together, as `measure` counts; SIZE_MAX: any */
	size_t (*measure)(const char *text); /* what one cell takes */
	bool extremes;
};
enum view_left { VIEW_SHOWN, VIEW_LEFT_SPARSE, VIEW_LEFT_PRIORITY };
struct view_fit {
	enum view_left *left; /* of each column of the table */
	size_t column_count;  /* shown */
	size_t *rows;         /* shown, ascending */
	size_t row_count;
	size_t size;
};
void view_fit_table(const struct table *t, const struct view_room *room, struct arena *a,
		    struct view_fit *out);

/* What a view says of rows or columns that it does not show; the reason may be NULL. */
struct view_cut {
	bool truncated;
	const char *reason;
};
/* Writes the data view of one table of a result (columns, meta, data_dict by column, row counts,
 * truncation, source). What does not fit into VIEW_BYTES_MAX is left out, and said. */
struct view_cut view_data(struct buf *out, const struct result *r, const struct table *t,
			  const char *view_id, struct arena *a);

/* Its members that tell of a table alone, as far as it fits into a view. */
void view_table(struct json_out *j, const struct table *t, struct arena *a);
/* Its rows as an array of objects, as far as they fit into a view. */
struct view_cut view_rows(struct json_out *j, const struct table *t, struct arena *a);

/* What a result without rows says for itself, as a view: where nothing was found a base view, where
 * it failed an error view with details and what to try. NULL for a result with rows. New ref. */
json_t *view_outcome(const struct result *r, const char *view_id);

/* The same in words; nothing for a result with rows. */
void view_outcome_words(struct buf *out, const struct result *r);

/* What code says of one result: its tool's own sentence, or of one without rows how it ended, as
 * Markdown. In the arena; NULL: nothing. */
const char *view_finding(const struct result *r, struct arena *a);

/* One call of a tool for programs: {tool, status, message, result: {sets, facts, summaryStats,
 * stats}, args, availableRange, error?, receipt_id?}. `sets` holds each table by the name that
 * references use, the main one as "rows"; `summaryStats` the facts with numbers as numbers; `stats`
 * the figures of the main table's number columns. */
void view_call(struct buf *out, const struct result *r, const char *receipt_id, struct arena *a);
/* The same call as catalog_output_schema describes it, row by row: {outcome, row_count, truncated,
 * rows, sets?, facts, available_range?, error?, receipt_id?}. */
void view_call_rows(struct buf *out, const struct result *r, const char *receipt_id,
		    struct arena *a);

struct view_followup {
	const char *label;
	const char *question;
	bool primary;
};
/* The follow-up questions of the result's tool, as far as it has the values for them and their
 * conditions are met, primary ones first; how many. */
size_t view_suggested(const struct result *r, struct arena *a, struct view_followup *out,
		      size_t max);

/* Something that could not be done. */
struct view_error {
	const char *code;               /* "AMBIGUOUS_REFERENCE", … */
	const char *text;               /* one or two sentences for the user */
	json_t *details;                /* object, borrowed; NULL: no more is known */
	const char *const *suggestions; /* what to try, NULL-ended; NULL: nothing */
};
/* New ref. */
json_t *view_error(const struct view_error *e, const char *view_id);

/* The kinds of chart, as the wire names them: "line", "area", "bar", "grouped_bar", "layered". */
enum view_chart { CHART_LINE, CHART_AREA, CHART_BAR, CHART_GROUPED_BAR, CHART_LAYERED };
const char *view_chart_name(enum view_chart type);

/* What the words of a question ask for; honoured where it fits the data. */
enum view_chart_wish { CHART_AS_FITS, CHART_AS_LINE, CHART_AS_AREA, CHART_AS_BAR, CHART_AS_TABLE };
enum view_chart_wish view_chart_wish(const struct language *l, const char *question);

/*
 * The chart view of a result: the charted columns as in a data view, a Vega-Lite v6 spec with its
 * values inline, and a text alternative. Chosen by the shapes of its tables: along hours, dates,
 * months or years a line or area (with a band where lowest and highest stand beside); over names
 * bars; false where no chart says more than the table: one row, no measure, a truncated result,
 * points that nothing tells apart. The spec holds no expression, no address and no text that is not
 * a value or a label.
 */
bool view_chart(struct buf *out, const struct result *r, const char *view_id,
		enum view_chart_wish wish);

/*
 * The picture of a chart view (as view_chart wrote it, or as it was stored) as SVG with `role`,
 * title and text alternative: paths, rectangles, lines and texts alone. False, and nothing added:
 * no chart view, nothing to draw, a side too small for its texts, or more than SVG_BYTES_MAX.
 * `size` may be NULL; a side of 0 is the usual one. 500 points take some 0.5 ms.
 */
struct svg_size {
	int width_px, height_px; /* SVG_SIDE_MIN_PX to SVG_SIDE_MAX_PX */
};
bool view_svg(struct buf *out, const json_t *view, const struct svg_size *size);

/* Numbers in the house style: "$48.73/MWh", "5.1%", "8,760", "$2.1M"; what `units`
 * (which may be NULL) does not have stands behind the number. Text that is no number is copied. */
void view_number(struct buf *out, const struct units *units, const char *digits, const char *unit);
/* "March 2026" for a first of month, else "26 February 2026". Not a date: copied. */
void view_date(struct buf *out, const struct language *l, const char *iso);

/* Fills the placeholders of a flow's text: {reference} and {filter.NAME}. False (and nothing added)
 * when one outside [[ ]] has no value. `filters` may be NULL. */
bool view_fill_references(struct buf *out, const char *text, const struct ref_scope *s,
			  const json_t *filters);

/* The same with values that `put` adds: false for a name without one. */
typedef bool (*view_put)(void *owner, struct buf *out, const char *name);
bool view_fill_by(struct buf *out, const char *text, view_put put, void *owner);

struct view_answer_input {
	const struct result *const *results;
	size_t result_count;
	struct date today;
	const struct language *language;
	bool detail; /* it was asked for: no limit of words */
};

struct view_answer {
	const char *markdown;
	const struct result_part *parts; /* its values, in order; text without one is the template's
					    own */
	size_t part_count;
	const struct view_followup *followups;
	size_t followup_count;
};

/*
 * The whole answer by template: direct answer first, then a table, what was searched when there is
 * nothing. Every outcome of every result is worded. Tables show fewer rows where the whole would be
 * longer than 600 words.
 *
 * A tool's own sentence (result.answer) may hold {Column} (the first row's cell, in the house
 * style), {param} (an argument, where no column has that name), {fact.name}, {arg.name} and {rows};
 * a part in [[ ]] is left out when a placeholder in it has no value. A first row is the leading
 * one: the tool's SQL orders it so. The same placeholders serve result.suggest, where a question
 * that lacks a value is left out.
 */
void view_answer(const struct view_answer_input *in, struct arena *a, struct view_answer *out);

#endif
