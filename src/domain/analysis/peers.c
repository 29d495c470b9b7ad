/* One thing compared with its peers: the mean of the others, its rank, its percentile. */
#include "analysis_int.h"

#include <math.h>
#include <strings.h>

#define PEERS_MIN      5 /* fewest others for a meaningful mean */
#define PERCENTILE_MIN 20

struct peers {
	const uint32_t *rows; /* in descending order */
	size_t n;
	double total;
};

/* The rank from 1; ties share the first rank. */
static size_t rank_of(const struct analysis *x, const struct peers *p, size_t at)
{
	while (at > 0 && !(x->values[p->rows[at - 1]] > x->values[p->rows[at]]))
		at--;
	return at + 1;
}

static double mean_of_others(const struct analysis *x, const struct peers *p, size_t at)
{
	return p->n > 1 ? (p->total - x->values[p->rows[at]]) / (double)(p->n - 1) : (double)NAN;
}

static void show(struct analysis *x, const struct peers *p)
{
	struct analysis_rows w;
	size_t rank = 1;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, analysis_row_label(x), COLUMN_TEXT, NULL);
	analysis_rows_column(&w, x->label, COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&w, "Rank", COLUMN_INT, NULL);
	analysis_rows_column(&w, "Compared with the mean of the others", COLUMN_DECIMAL, "%");
	for (size_t i = 0; i < p->n; i++) {
		double value = x->values[p->rows[i]], others = mean_of_others(x, p, i);

		if (i > 0 && value < x->values[p->rows[i - 1]])
			rank = i + 1;
		analysis_rows_add(
			&w,
			(const char *const[]){
				analysis_name(x, 0, p->rows[i]), analysis_digits(x->a, value),
				arena_printf(x->a, "%zu", rank),
				others > 0 ? arena_printf(x->a, "%+.1f", 100 * (value / others - 1))
					   : NULL});
	}
	analysis_rows_end(&w);
}

/* The position of the requested thing in the rows; p->n: not found. */
static size_t position_of(const struct analysis *x, const struct peers *p, const char *name)
{
	size_t i = 0;

	while (i < p->n && strcasecmp(analysis_name(x, 0, p->rows[i]), name) != 0)
		i++;
	return i;
}

static void report_one(struct analysis *x, const struct peers *p, size_t at)
{
	double value = x->values[p->rows[at]], others = mean_of_others(x, p, at), share;
	struct err e = {0};

	domain_add_text(x->r, x->a, "name", "Examined", analysis_name(x, 0, p->rows[at]));
	analysis_add(x, "value", "Its value", value, x->unit);
	domain_add_count(x->r, x->a, "rank", "Rank, the highest first", rank_of(x, p, at));
	domain_add_count(x->r, x->a, "peers", "Others", p->n - 1);
	analysis_set_enough(x, p->n > PEERS_MIN);
	if (p->n <= PEERS_MIN) {
		analysis_note(x, "There are only %zu others to compare with; %d are needed.",
			      p->n - 1, PEERS_MIN);
		return;
	}
	analysis_add(x, "peer_mean", "Mean of the others", others, x->unit);
	analysis_add_against(x, "diff_pct", "Compared with the mean of the others", value, others);
	if (p->n < PERCENTILE_MIN)
		analysis_note(x, "A percentile needs %d; there are %zu.", PERCENTILE_MIN, p->n);
	else if (calc_percentile(&x->calc, x->values, x->n, value, &share, &e))
		domain_add_text(x->r, x->a, "percentile", "Percentile",
				arena_printf(x->a, "%.1f", 100 * share));
	else
		analysis_fail(x, &e);
}

static void report_all(struct analysis *x, const struct peers *p)
{
	double mean = p->total / (double)p->n;
	size_t above = 0;

	for (size_t i = 0; i < p->n; i++)
		above += x->values[p->rows[i]] > mean;
	analysis_set_enough(x, p->n > PEERS_MIN);
	if (p->n <= PEERS_MIN) {
		analysis_note(x, "The group has only %zu to compare with; %d are needed.", p->n,
			      PEERS_MIN + 1);
		return;
	}
	analysis_add(x, "mean", "Mean", mean, x->unit);
	domain_add_count(x->r, x->a, "above", "Above it", above);
	domain_add_text(x->r, x->a, "best", "The highest", analysis_name(x, 0, p->rows[0]));
	analysis_add(x, "best_value", "Its value", x->values[p->rows[0]], x->unit);
	domain_add_text(x->r, x->a, "last", "The lowest", analysis_name(x, 0, p->rows[p->n - 1]));
	analysis_add(x, "last_value", "Its value", x->values[p->rows[p->n - 1]], x->unit);
}

void analysis_vs_average(struct result *r, const struct derive_def *of, struct arena *a)
{
	const struct arg *name = args_find(&r->args, "name");
	struct calc_sum sum = {0};
	struct peers p = {0};
	struct analysis x;
	size_t at;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x) ||
	    !(p.rows = analysis_descending(&x, &p.n)))
		return;
	domain_add_text(r, a, "one", "One value per", analysis_row_label(&x));
	domain_add_count(r, a, "n", "Values", p.n);
	domain_add_text(r, a, "method", "Method", "mean of the others, rank from the highest");
	for (size_t i = 0; i < p.n; i++)
		calc_sum_add(&sum, x.values[p.rows[i]]);
	p.total = calc_sum_total(&sum);
	at = name ? position_of(&x, &p, name->values[0].text) : p.n;
	if (at < p.n) {
		report_one(&x, &p, at);
	} else if (name) {
		analysis_set_enough(&x, false);
		analysis_note(&x, "%s has no value for %s.", name->values[0].text, x.label);
	} else if (p.n > 0) {
		report_all(&x, &p);
	} else {
		analysis_set_enough(&x, false);
		analysis_note(&x, "%s has no value.", x.label);
	}
	show(&x, &p);
}
