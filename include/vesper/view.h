/*
 * Results in display form: JSON views for clients, compact text for prompts, formatted numbers,
 * and template answers without a model. Pure.
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
 * Limits for a part of a table. If not everything fits, columns are dropped first: mostly empty
 * ones, then those of low, then of medium priority, last ones first. Columns of the highest
 * priority in the table stay. Then rows are dropped: the first ones are shown, and with `extremes`
 * also those with the lowest and highest numbers.
 */
struct view_limits {
	size_t rows; /* row limit */
	size_t size; /* total size of headers and cells in units of `measure`; SIZE_MAX: any */
	size_t (*measure)(const char *text); /* size of one cell */
	bool extremes;
};
enum view_drop_reason { VIEW_SHOWN, VIEW_DROPPED_SPARSE, VIEW_DROPPED_PRIORITY };
struct view_fit {
	enum view_drop_reason *dropped; /* per column of the table */
	size_t column_count;            /* shown */
	size_t *rows;                   /* shown, ascending */
	size_t row_count;
	size_t size;
};
void view_fit_table(const struct table *t, const struct view_limits *limits, struct arena *a,
		    struct view_fit *out);

/* How a view reports rows or columns that it does not show; the reason may be NULL. */
struct view_truncation {
	bool truncated;
	const char *reason;
};
/* Writes the data view of one table of a result (columns, meta, data_dict by column, row counts,
 * truncation, source). Parts above VIEW_BYTES_MAX are left out and reported. */
struct view_truncation view_data(struct buf *out, const struct result *r, const struct table *t,
				 const char *view_id, struct arena *a);

/* Writes the members of a data view that describe the table, limited to the size of a view. */
void view_table(struct json_out *j, const struct table *t, struct arena *a);
/* Writes the rows as an array of objects, limited to the size of a view. */
struct view_truncation view_rows(struct json_out *j, const struct table *t, struct arena *a);

/* The view of a result without rows: a base view if nothing was found, or an error view with
 * details and suggestions if it failed. NULL: the result has rows. New reference. */
json_t *view_outcome(const struct result *r, const char *view_id);

/* The same as text; nothing for a result with rows. */
void view_outcome_text(struct buf *out, const struct result *r);

/* The text for one result as Markdown: its tool's answer sentence, or the outcome if it has no
 * rows. In the arena; NULL: none. */
const char *view_result_text(const struct result *r, struct arena *a);

/* A tool call for programs: {tool, status, message, result: {sets, facts, summaryStats, stats},
 * args, availableRange, error?, receipt_id?}. `sets` has each table by its name in references, the
 * main one as "rows". `summaryStats` has the facts, with numbers as JSON numbers; `stats` the
 * statistics of the main table's numeric columns. */
void view_call(struct buf *out, const struct result *r, const char *receipt_id, struct arena *a);
/* The same call in the format of catalog_output_schema, row by row: {outcome, row_count, truncated,
 * rows, sets?, facts, available_range?, error?, receipt_id?}. */
void view_call_rows(struct buf *out, const struct result *r, const char *receipt_id,
		    struct arena *a);

struct view_followup {
	const char *label;
	const char *question;
	bool primary;
};
/* The follow-up questions of the result's tool whose values are known and whose conditions are
 * true, primary ones first. Returns their number. */
size_t view_suggested_followups(const struct result *r, struct arena *a, struct view_followup *out,
				size_t max);

/* An error shown to the user. */
struct view_error {
	const char *code;               /* "AMBIGUOUS_REFERENCE", … */
	const char *text;               /* one or two sentences for the user */
	json_t *details;                /* object, borrowed; NULL: none */
	const char *const *suggestions; /* suggestions, NULL-ended; NULL: none */
};
/* New reference. */
json_t *view_error(const struct view_error *e, const char *view_id);

/* Chart types; their wire names are "line", "area", "bar", "grouped_bar", "layered". */
enum view_chart { CHART_LINE, CHART_AREA, CHART_BAR, CHART_GROUPED_BAR, CHART_LAYERED };
const char *view_chart_name(enum view_chart type);

/* The chart preference in the words of a question; used if it fits the data. CHART_NO_PREFERENCE:
 * no preference. CHART_ANY_TYPE: a chart of any type. */
enum view_chart_preference {
	CHART_NO_PREFERENCE,
	CHART_ANY_TYPE,
	CHART_AS_LINE,
	CHART_AS_AREA,
	CHART_AS_BAR,
	CHART_AS_TABLE
};
enum view_chart_preference view_chart_preference(const struct language *l, const char *question);

/*
 * Writes the chart view of a result: the charted columns as in a data view, a Vega-Lite v6 spec
 * with inline values, and a text alternative. The shape of its tables decides: a line or area over
 * hours, dates, months or years (with a band if there are columns for lowest and highest), bars
 * over names. False: a chart would add nothing to the table, because there is one row, no measure,
 * a truncated result, or points that no column distinguishes. The spec has no expressions, no URLs,
 * and only values and labels as text.
 */
bool view_chart(struct buf *out, const struct result *r, const char *view_id,
		enum view_chart_preference preference);

/*
 * Draws a chart view (as written by view_chart, or stored) as SVG with `role`, title and text
 * alternative, using only paths, rectangles, lines and texts. False, and nothing added: no chart
 * view, nothing to draw, a side too small for its texts, or more than SVG_BYTES_MAX. `size` may be
 * NULL; a side of 0 means the default. 500 points take about 0.5 ms.
 */
struct svg_size {
	int width_px, height_px; /* SVG_SIDE_MIN_PX to SVG_SIDE_MAX_PX */
};
bool view_svg(struct buf *out, const json_t *view, const struct svg_size *size);

/* Appends a formatted number: "$48.73/MWh", "5.1%", "8,760", "$2.1M". A unit that `units` (may be
 * NULL) does not have is written after the number. Text that is not a number is copied. */
void view_number(struct buf *out, const struct units *units, const char *digits, const char *unit);
/* Appends a date: "March 2026" for the first of a month, else "26 February 2026". Text that is not
 * a date is copied. */
void view_date(struct buf *out, const struct language *l, const char *iso);

/* Fills the placeholders of a flow's text: {reference} and {filter.NAME}. False, and nothing added:
 * one outside [[ ]] has no value. `filters` may be NULL. */
bool view_fill_references(struct buf *out, const char *text, const struct ref_scope *s,
			  const json_t *filters);

/* The same, with values appended by `put`, which returns false for a name without a value. */
typedef bool (*view_placeholder_cb)(void *owner, struct buf *out, const char *name);
bool view_fill_with(struct buf *out, const char *text, view_placeholder_cb put, void *owner);

struct view_answer_input {
	const struct result *const *results;
	size_t result_count;
	struct date today;
	const struct language *language;
	bool detail; /* the user asked for details: no word limit */
};

struct view_answer {
	const char *markdown;
	const struct result_part *parts; /* its values, in order; other text is the template's */
	size_t part_count;
	const struct view_followup *followups;
	size_t followup_count;
};

/*
 * Writes the answer by template: first the direct answer, then a table, or what was searched if
 * nothing was found. It includes every outcome of every result. Tables are shortened to keep the
 * answer within 600 words.
 *
 * A tool's answer sentence (result.answer) may have {Column} (the first row's cell, formatted),
 * {param} (an argument, if no column has that name), {fact.name}, {arg.name} and {rows}. A part in
 * [[ ]] is dropped if one of its placeholders has no value. The first row is the leading one,
 * because the tool's SQL orders it so. The same placeholders are used in result.suggest, where a
 * question with a missing value is dropped.
 */
void view_answer(const struct view_answer_input *in, struct arena *a, struct view_answer *out);

#endif
