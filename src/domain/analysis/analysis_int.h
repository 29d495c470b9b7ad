/*
 * Helpers of the analysis derivations. Each derivation gets the rows of a map query as a frame
 * (groups first, then measures) and an empty table that describes the columns. It fills the table
 * to show and adds facts. It states a claim as a fact only if the data supports it.
 *
 * With too little data the fact `enough` is "no", no claim is made, and `note` explains what is
 * missing.
 */
#ifndef ANALYSIS_INT_H
#define ANALYSIS_INT_H

#include "domain_int.h"
#include "vesper/calc_cluster.h"
#include "vesper/calc_groups.h"
#include "vesper/calc_series.h"
#include "vesper/calc_summary.h"
#include "vesper/calc_trend.h"
#include "vesper/domain.h"
#include "vesper/frame.h"
#include "vesper/limits.h"

struct analysis {
	struct result *r;
	struct arena *a;
	struct calc calc;
	const struct frame *frame;
	struct table *table;
	size_t n;                 /* rows of the frame */
	size_t groups;            /* number of group columns */
	const char *thing;        /* name of the first group; or NULL */
	const char *second;       /* name of a second group that is not a time; or NULL */
	const char *grain;        /* of the time, which is the last group; or NULL */
	const double *values;     /* of the first measure */
	const char *label, *unit; /* of the first measure */
	const char *failed;       /* error of a kernel; or NULL */
};

/* Adds the fact `measure`. False: there is nothing to compute; a note gives the reason. */
bool analysis_begin(struct result *r, struct arena *a, struct analysis *out);
/* The values of the measure with this number, from 0; NULL: there is none. */
const double *analysis_measure(struct analysis *x, size_t number, const char **label);
size_t analysis_measures(const struct analysis *x);
/* True if there are more rows than a frame holds, so that neither the total nor the largest value
 * is known. Adds a note. */
bool analysis_is_sampled(struct analysis *x);
/* For analyses that need all rows: in a sample, a series would have holes, and ranks would be those
 * of the sample. False: `enough` is "no", and a note gives the reason. */
bool analysis_require_all(struct analysis *x);
/* All measures. */
struct analysis_columns {
	const double *columns[CALC_FEATURES_MAX];
	const char *labels[CALC_FEATURES_MAX], *units[CALC_FEATURES_MAX];
	size_t count;
};
/* False: a measure cannot be read; a note gives the reason. */
bool analysis_columns_read(struct analysis *x, struct analysis_columns *m);
/* The group's value in a row of the frame; "(none)" if it is missing. */
const char *analysis_name(const struct analysis *x, size_t group, size_t row);
/* What a row represents: "customer", "month", or "row". */
const char *analysis_row_label(const struct analysis *x);
/* Row numbers in ascending order of the values, without NULLs, ties in row order. NULL: an error; a
 * note gives the reason. */
uint32_t *analysis_ascending(struct analysis *x, const double *values, size_t *n);
/* The same for the first measure, in descending order. */
const uint32_t *analysis_descending(struct analysis *x, size_t *n);

/* The rows of each thing, things in order of appearance. Things are identified by one group, or by
 * it and the next one together. */
struct analysis_things {
	size_t count;
	const char *const *names;
	const uint32_t *rows;
	const size_t *starts; /* rows[starts[i]] to rows[starts[i + 1]] */
};
void analysis_things_read(const struct analysis *x, size_t group, bool and_next,
			  struct analysis_things *out);

/* ---- facts ---- */

/* Adds a kernel's error as a note; `enough` is "no". */
void analysis_fail(struct analysis *x, const struct err *e);
void analysis_note(struct analysis *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds the fact `enough`. If it is "no", the caller must add a note. */
void analysis_set_enough(struct analysis *x, bool enough);
/* Adds nothing for NAN. */
void analysis_add(struct analysis *x, const char *name, const char *label, double value,
		  const char *unit);
void analysis_add_percent(struct analysis *x, const char *name, const char *label, double share);
void analysis_add_p(struct analysis *x, double p);
/* Adds the distance of a value from another in percent, without a sign, and a second fact "above"
 * or "below". Adds nothing if the other value is not positive. */
void analysis_add_against(struct analysis *x, const char *name, const char *label, double value,
			  double other);
/* The integer argument, or `default_value` if it is not given. */
size_t analysis_count_arg(const struct result *r, const char *name, size_t default_value);
/* Digits for display: two decimal places, or four significant digits below 1. NULL: not a
 * number. */
const char *analysis_digits(struct arena *a, double value);

/* Starts a list with the names that fit a sentence; domain_list_add counts the others. */
void analysis_names_begin(struct domain_list *l);

/* ---- rows ---- */

#define ANALYSIS_COLUMNS_MAX 12
struct analysis_rows {
	struct analysis *x;
	const char *names[ANALYSIS_COLUMNS_MAX], *units[ANALYSIS_COLUMNS_MAX];
	enum column_type types[ANALYSIS_COLUMNS_MAX];
	size_t columns, rows, cap, left_out;
	const char **cells;
};
void analysis_rows_begin(struct analysis_rows *w, struct analysis *x);
void analysis_rows_column(struct analysis_rows *w, const char *name, enum column_type type,
			  const char *unit);
/* Rows beyond DB_ROWS_MAX are dropped, and the table is marked truncated. */
void analysis_rows_add(struct analysis_rows *w, const char *const *cells);
void analysis_rows_end(struct analysis_rows *w);

/* ---- periods ---- */

/* One value per period without holes: a period without rows is NAN. */
struct analysis_series {
	size_t n;
	int64_t first; /* number of the first period */
	double *values;
	const char *left_out; /* the current, incomplete period; or NULL */
};
/* Reads the given rows (NULL: all, `count` of them). False: none has a period, or they span more
 * than CALC_SERIES_MAX periods. */
bool analysis_series_read(struct analysis *x, const uint32_t *rows, size_t count,
			  struct analysis_series *out);
/* As analysis_series_read, and adds the facts `grain` and `n` and the necessary notes. False:
 * `enough` is "no". */
bool analysis_series_begin(struct analysis *x, const uint32_t *rows, size_t count,
			   struct analysis_series *out);
const char *analysis_period(const struct analysis *x, int64_t period);
/* The same as a cell for analysis_period_type: a month is its first day. */
const char *analysis_period_cell(const struct analysis *x, int64_t period);
enum column_type analysis_period_type(const struct analysis *x);
/* Periods of a season: 12 for months; 0: none. */
size_t analysis_cycle(const struct analysis *x);
/* The period number of a row; false: it has none. */
bool analysis_period_of_row(const struct analysis *x, size_t row, int64_t *out);
/* The position of a period in its cycle: "March", "Monday", "Q2". */
const char *analysis_cycle_position(const struct analysis *x, int64_t period);

/* ---- derivations ---- */

#define ANALYSIS(name)                                                                             \
	void analysis_##name(struct result *r, const struct derive_def *of, struct arena *a)
ANALYSIS(trend);
ANALYSIS(seasonality);
ANALYSIS(change);
ANALYSIS(outliers);
ANALYSIS(distribution);
ANALYSIS(concentration);
ANALYSIS(value_tiers);
ANALYSIS(growth);
ANALYSIS(decline);
ANALYSIS(project);
ANALYSIS(clusters);
ANALYSIS(vs_average);
ANALYSIS(group_profile);
ANALYSIS(underserved);
ANALYSIS(lose_top_n);
ANALYSIS(risk_scores);
ANALYSIS(elasticity);
ANALYSIS(what_if);
ANALYSIS(sensitivity);
ANALYSIS(scenarios);
ANALYSIS(moving);
ANALYSIS(baseline);
ANALYSIS(vs_history);
ANALYSIS(best_in_class);
ANALYSIS(rank_in_group);
ANALYSIS(cross_segment);
ANALYSIS(gap_candidates);
ANALYSIS(lookalikes);
ANALYSIS(opportunity_scores);
ANALYSIS(like_losses);
ANALYSIS(risk_by);
ANALYSIS(inactivity);
ANALYSIS(similar_to_entity);
ANALYSIS(match_values);
ANALYSIS(classify_values);
#undef ANALYSIS

#endif
