/*
 * What the derivations of analyses share. Each gets the rows of a query over the map as a frame,
 * the groups first and then what is measured, and a table without rows that says what the columns
 * are. It makes the table that is shown, and facts; a claim is a fact only where the data carries
 * it.
 *
 * With too little data the fact `enough` is "no", no claim is made, and `note` says what is
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
	size_t groups;            /* columns that tell them apart */
	const char *thing;        /* what the first group is called; or NULL */
	const char *second;       /* and another one, where it is no time; or NULL */
	const char *grain;        /* of the time, which is the last group; or NULL */
	const double *values;     /* of the first measure */
	const char *label, *unit; /* its */
	const char *failed;       /* why a kernel gave nothing; or NULL */
};

/* Adds the fact `measure`. False: there is nothing to compute; a note says why. */
bool analysis_begin(struct result *r, struct arena *a, struct analysis *out);
/* The values of the measure with that number, from 0; NULL: there is none. */
const double *analysis_measure(struct analysis *x, size_t number, const char **label);
size_t analysis_measures(const struct analysis *x);
/* There are more rows than a frame holds, so that no total and no largest of all is known; a note
 * says so. */
bool analysis_is_sampled(struct analysis *x);
/* Of an analysis that a part of the rows tells nothing of: a series would have holes, a rank or the
 * best be those of the sample. False: `enough` is no, and a note says why. */
bool analysis_is_whole(struct analysis *x);
/* All that is measured. */
struct analysis_columns {
	const double *columns[CALC_FEATURES_MAX];
	const char *labels[CALC_FEATURES_MAX], *units[CALC_FEATURES_MAX];
	size_t count;
};
/* False: one can't be read, and a note says why. */
bool analysis_columns_read(struct analysis *x, struct analysis_columns *m);
/* The group's word in a row of the frame; words for none. */
const char *analysis_name(const struct analysis *x, size_t group, size_t row);
/* What one row is: "customer", "month", or a row. */
const char *analysis_one_of(const struct analysis *x);
/* Rows by those values from the least up, without NULLs, equal ones in their order; NULL: it
 * failed, and a note says why. */
uint32_t *analysis_ascending(struct analysis *x, const double *values, size_t *n);
/* The same of the first measure, from the greatest down. */
const uint32_t *analysis_descending(struct analysis *x, size_t *n);

/* The rows of each thing, things in the order of the rows: by the group of that number, or by that
 * and the next one together. */
struct analysis_things {
	size_t count;
	const char *const *names;
	const uint32_t *rows;
	const size_t *starts; /* rows[starts[i]] to rows[starts[i + 1]] */
};
void analysis_things_read(const struct analysis *x, size_t group, bool and_next,
			  struct analysis_things *out);

/* ---- facts ---- */

/* A kernel's error as a note; `enough` is no. */
void analysis_fail(struct analysis *x, const struct err *e);
void analysis_note(struct analysis *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The fact `enough`: with no a note is due. */
void analysis_enough(struct analysis *x, bool enough);
/* What is no number is not added. */
void analysis_add(struct analysis *x, const char *name, const char *label, double value,
		  const char *unit);
void analysis_add_percent(struct analysis *x, const char *name, const char *label, double share);
void analysis_add_p(struct analysis *x, double p);
/* How far a value is from another in percent, without a sign, and "above" or "below" as a second
 * fact. Nothing where the other is not above zero. */
void analysis_add_against(struct analysis *x, const char *name, const char *label, double value,
			  double other);
/* The parameter's whole number; `usual` where it is not given. */
size_t analysis_count_arg(const struct result *r, const char *name, size_t usual);
/* Digits for people: two decimals, of small numbers four figures. NULL: no number. */
const char *analysis_digits(struct arena *a, double value);

/* A list of as many names as a sentence takes; domain_list_add counts the others. */
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
/* Of more than DB_ROWS_MAX the first are kept, and the table is truncated. */
void analysis_rows_add(struct analysis_rows *w, const char *const *cells);
void analysis_rows_end(struct analysis_rows *w);

/* ---- periods ---- */

/* One value a period without a hole: a period without rows is NAN. */
struct analysis_series {
	size_t n;
	int64_t first; /* number of the first period */
	double *values;
	const char *left_out; /* the last period, which is not over yet; or NULL */
};
/* Of the rows at hand (NULL: all, `count` of them). False: there are none with a period. */
bool analysis_series_read(struct analysis *x, const uint32_t *rows, size_t count,
			  struct analysis_series *out);
/* The same, with the facts `grain` and `n` and the notes that are due; false: `enough` is no. */
bool analysis_series_begin(struct analysis *x, const uint32_t *rows, size_t count,
			   struct analysis_series *out);
const char *analysis_period(const struct analysis *x, int64_t period);
/* The same as a cell of a column of the type that follows: a month is its first day. */
const char *analysis_period_cell(const struct analysis *x, int64_t period);
enum column_type analysis_period_type(const struct analysis *x);
/* Periods of a season: 12 of months; 0: none. */
size_t analysis_cycle(const struct analysis *x);
/* The number of the period of a row; false: it has none. */
bool analysis_period_of_row(const struct analysis *x, size_t row, int64_t *out);
/* "March", "Monday", "Q2": the place of a period in its cycle. */
const char *analysis_place(const struct analysis *x, int64_t period);

/* ---- the derivations ---- */

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
