/* Analyses of a set of values: outliers, distribution, concentration, tiers. */
#include "analysis_int.h"

#include <math.h>
#include <string.h>

#define TIERS_MIN        10
#define DISTRIBUTION_MIN 20
#define BIMODAL_MIN      50

static size_t value_count(const struct analysis *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++)
		n += isnan(x->values[i]) ? 0 : 1;
	return n;
}

static void note_too_few(struct analysis *x, size_t n, int min, const char *what)
{
	analysis_note(x, "At least %d values are needed for %s; there are %zu.", min, what, n);
}

static void begin_pair(struct analysis_rows *w, struct analysis *x, const char *name)
{
	analysis_rows_begin(w, x);
	analysis_rows_column(w, name, COLUMN_TEXT, NULL);
	analysis_rows_column(w, x->label, COLUMN_DECIMAL, x->unit);
}

static void add_pair(struct analysis_rows *w, const char *name, double value)
{
	analysis_rows_add(w, (const char *const[]){name, analysis_digits(w->x->a, value)});
}

/* Shows the five-number summary when there is nothing else to show. */
static void show_quantiles(struct analysis *x)
{
	static const char *const names[] = {"smallest", "lower quartile", "median",
					    "upper quartile", "largest"};
	static const double p[] = {0, 0.25, 0.5, 0.75, 1};
	struct analysis_rows w;
	double q[5];
	size_t n;
	struct err e = {0};

	if (!calc_quantiles(&x->calc, x->values, x->n, p, 5, q, &n, &e)) {
		analysis_fail(x, &e);
		return;
	}
	begin_pair(&w, x, "Quantile");
	for (size_t i = 0; i < 5; i++)
		add_pair(&w, names[i], q[i]);
	analysis_rows_end(&w);
}

/* ---- outliers ---- */

static void show_outliers(struct analysis *x, const struct calc_outliers *o)
{
	struct analysis_rows w;
	size_t n, furthest = x->n;
	const uint32_t *rows = analysis_descending(x, &n);
	double middle = o->low + (o->high - o->low) / 2;

	if (!rows)
		return;
	begin_pair(&w, x, analysis_row_label(x));
	for (size_t i = 0; i < n; i++) {
		if (!o->is_outlier[rows[i]])
			continue;
		add_pair(&w, analysis_name(x, 0, rows[i]), x->values[rows[i]]);
		if (furthest == x->n ||
		    fabs(x->values[rows[i]] - middle) > fabs(x->values[furthest] - middle))
			furthest = rows[i];
	}
	analysis_rows_end(&w);
	domain_add_text(x->r, x->a, "furthest", "Furthest out", analysis_name(x, 0, furthest));
	analysis_add(x, "furthest_value", "Its value", x->values[furthest], x->unit);
}

void analysis_outliers(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct calc_outliers o;
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x))
		return;
	if (!calc_outliers(&x.calc, x.values, x.n, CALC_ROBUST, &o, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	analysis_set_enough(&x, o.status != CALC_TOO_FEW);
	domain_add_count(r, a, "n", "Values", value_count(&x));
	domain_add_text(r, a, "one", "One value per", analysis_row_label(&x));
	if (o.status == CALC_TOO_FEW || o.status == CALC_CONSTANT) {
		if (o.status == CALC_TOO_FEW)
			note_too_few(&x, value_count(&x), CALC_OUTLIERS_MIN, "outliers");
		else
			analysis_note(&x, "All values of %s are equal.", x.label);
		show_quantiles(&x);
		return;
	}
	domain_add_count(r, a, "found", "Outliers", o.found);
	domain_add_text(r, a, "method", "Method",
			o.by_log ? "modified z above 3.5, of logarithms" : "modified z above 3.5");
	analysis_add(&x, "limit_low", "Lower limit", o.low, x.unit);
	analysis_add(&x, "limit_high", "Upper limit", o.high, x.unit);
	if (o.found > 0) {
		show_outliers(&x, &o);
		return;
	}
	analysis_note(&x, "No value of %s stands out from the others.", x.label);
	show_quantiles(&x);
}

/* ---- distribution ---- */

static void show_bins(struct analysis *x)
{
	struct calc_bins *bins;
	struct analysis_rows w;
	struct err e = {0};

	if (!calc_bins(&x->calc, x->values, x->n, &bins, &e)) {
		analysis_fail(x, &e);
		return;
	}
	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, "From", COLUMN_TEXT, NULL);
	analysis_rows_column(&w, "Values", COLUMN_INT, NULL);
	for (size_t i = 0; i < bins->count; i++)
		analysis_rows_add(
			&w, (const char *const[]){
				    analysis_digits(x->a, bins->low + bins->width * (double)i),
				    arena_printf(x->a, "%zu", bins->in[i])});
	analysis_rows_end(&w);
}

/* True if the dip test rejects one mode and there are enough values to show two. */
static bool is_bimodal(struct analysis *x)
{
	struct calc_dip dip;
	struct err e = {0};

	return calc_dip(&x->calc, x->values, x->n, &dip, &e) && dip.n >= BIMODAL_MIN &&
	       dip.status == CALC_OK && dip.p < 0.01;
}

static const char *shape_of(struct analysis *x, const struct calc_moments *m)
{
	if (is_bimodal(x))
		return "two or more peaks";
	if (isnan(m->skewness))
		return "constant";
	if (m->skewness > 1)
		return "skewed to the right: few large values";
	if (m->skewness < -1)
		return "skewed to the left: few small values";
	return m->normal_p >= 0.05 ? "not distinguishable from normal" : "not normal";
}

static void report_distribution(struct analysis *x, const struct calc_moments *m)
{
	static const double p[] = {0.25, 0.5, 0.75};
	double q[3];
	size_t n;
	struct err e = {0};

	if (!calc_quantiles(&x->calc, x->values, x->n, p, 3, q, &n, &e)) {
		analysis_fail(x, &e);
		return;
	}
	analysis_add(x, "lower", "Lower quartile", q[0], x->unit);
	analysis_add(x, "median", "Median", q[1], x->unit);
	analysis_add(x, "upper", "Upper quartile", q[2], x->unit);
	analysis_add(x, "mean", "Mean", m->mean, x->unit);
	analysis_add(x, "sd", "Standard deviation", m->sd, x->unit);
	analysis_add(x, "skew", "Adjusted skewness", m->skewness, NULL);
}

void analysis_distribution(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct calc_moments m;
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x))
		return;
	if (!calc_moments(&x.calc, x.values, x.n, &m, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	domain_add_count(r, a, "n", "Values", m.n);
	analysis_set_enough(&x, m.n >= DISTRIBUTION_MIN);
	if (m.n == 0) {
		analysis_note(&x, "%s has no value.", x.label);
		return;
	}
	report_distribution(&x, &m);
	if (m.n >= DISTRIBUTION_MIN)
		domain_add_text(r, a, "shape", "Shape", shape_of(&x, &m));
	else
		analysis_note(&x, "A shape needs %d values; there are %zu.", DISTRIBUTION_MIN, m.n);
	show_bins(&x);
}

/* ---- concentration ---- */

static void show_pareto(struct analysis *x, double total)
{
	struct analysis_rows w;
	struct calc_sum sum = {0};
	size_t n;
	const uint32_t *rows = analysis_descending(x, &n);

	if (!rows)
		return;
	begin_pair(&w, x, analysis_row_label(x));
	analysis_rows_column(&w, "Share so far", COLUMN_DECIMAL, "%");
	for (size_t i = 0; i < n; i++) {
		calc_sum_add(&sum, x->values[rows[i]]);
		analysis_rows_add(&w, (const char *const[]){
					      analysis_name(x, 0, rows[i]),
					      analysis_digits(x->a, x->values[rows[i]]),
					      arena_printf(x->a, "%.1f",
							   100 * calc_sum_total(&sum) / total)});
	}
	analysis_rows_end(&w);
}

void analysis_concentration(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct calc_concentration c;
	struct analysis x;
	struct err e = {0};
	size_t negative = 0;

	(void)of;
	if (!analysis_begin(r, a, &x))
		return;
	for (size_t i = 0; i < x.n; i++)
		negative += x.values[i] < 0;
	domain_add_text(r, a, "one", "One value per", analysis_row_label(&x));
	if (!r->context->is_additive || negative > 0) {
		analysis_set_enough(&x, false);
		if (!r->context->is_additive)
			analysis_note(&x, "%s is not additive, so there are no shares of it.",
				      x.label);
		else
			analysis_note(&x,
				      "%zu of %zu totals of %s are negative, so shares would be "
				      "meaningless.",
				      negative, x.n, x.label);
		show_quantiles(&x);
		return;
	}
	if (!calc_concentration(&x.calc, x.values, x.n, &c, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	domain_add_count(r, a, "n", "Values", c.n);
	analysis_set_enough(&x, c.status == CALC_OK);
	if (c.status != CALC_OK) {
		if (c.status == CALC_ZERO)
			analysis_note(&x, "The total of %s is 0.", x.label);
		else
			note_too_few(&x, c.n, CALC_CONCENTRATION_MIN, "a concentration");
		show_quantiles(&x);
		return;
	}
	if (!analysis_is_sampled(&x))
		analysis_add(&x, "total", "Total", c.total, x.unit);
	analysis_add(&x, "gini", "Gini coefficient, 0 (equal) to 1", c.gini, NULL);
	analysis_add(&x, "hhi", "Herfindahl-Hirschman index, 0 to 1", c.hhi, NULL);
	analysis_add_percent(&x, "top10_share", "Share of the top 10 %", c.top10_share);
	analysis_add_percent(&x, "top20_share", "Share of the top 20 %", c.top20_share);
	domain_add_count(r, a, "for80", "Number that together hold 80 %", c.n_for_80);
	show_pareto(&x, c.total);
}

/* ---- tiers ---- */

enum tier { HIGH, MIDDLE, LOW, NONE, TIERS };

struct tiers {
	double cut_low, cut_high;
	size_t count[TIERS];
	struct calc_sum sum[TIERS];
	size_t all, ranked;
};

/* Ties go to the higher tier. NULL, zero and negative values form their own tier. */
static bool cut_tiers(struct analysis *x, struct tiers *t, struct err *e)
{
	double *ranked = arena_alloc(x->a, (x->n + 1) * sizeof(*ranked));
	const double p[] = {(double)analysis_count_arg(x->r, "low", 20) / 100,
			    (double)analysis_count_arg(x->r, "high", 80) / 100};
	double cuts[2];

	for (size_t i = 0; i < x->n; i++)
		ranked[i] = x->values[i] > 0 ? x->values[i] : (double)NAN;
	if (!calc_quantiles(&x->calc, ranked, x->n, p, 2, cuts, &t->ranked, e))
		return false;
	t->cut_low = cuts[0];
	t->cut_high = cuts[1];
	t->all = x->n;
	for (size_t i = 0; i < x->n; i++) {
		enum tier tier = isnan(ranked[i])           ? NONE
				 : ranked[i] >= t->cut_high ? HIGH
				 : ranked[i] >= t->cut_low  ? MIDDLE
							    : LOW;

		t->count[tier]++;
		calc_sum_add(&t->sum[tier], isnan(x->values[i]) ? 0 : x->values[i]);
	}
	return true;
}

static bool has_distinct_values(const struct analysis *x, size_t min)
{
	struct err e = {0};
	uint32_t *rows;
	size_t n, different = 0;

	if (!calc_order(&x->calc, x->values, x->n, &rows, &n, &e))
		return false;
	for (size_t i = 0; i < n; i++)
		different += x->values[rows[i]] > 0 &&
			     (i == 0 || x->values[rows[i]] > x->values[rows[i - 1]]);
	return different >= min;
}

static void show_tiers(struct analysis *x, const struct tiers *t)
{
	static const char *const names[] = {
		[HIGH] = "High", [MIDDLE] = "Middle", [LOW] = "Low", [NONE] = "None or negative"};
	bool shares = x->r->context->is_additive;
	double total = 0;
	struct analysis_rows w;

	for (size_t i = 0; i < TIERS; i++)
		total += calc_sum_total(&t->sum[i]);
	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, "Tier", COLUMN_TEXT, NULL);
	if (shares)
		analysis_rows_column(&w, "Share", COLUMN_DECIMAL, "%");
	analysis_rows_column(&w, "Count", COLUMN_INT, NULL);
	if (shares)
		analysis_rows_column(&w, x->label, COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&w, "Mean", COLUMN_DECIMAL, x->unit);
	for (size_t i = 0; i < TIERS; i++) {
		double sum = calc_sum_total(&t->sum[i]);
		const char *cells[5];
		size_t c = 0;

		if (t->count[i] == 0)
			continue;
		cells[c++] = names[i];
		if (shares)
			cells[c++] = arena_printf(x->a, "%.1f", 100 * sum / total);
		cells[c++] = arena_printf(x->a, "%zu", t->count[i]);
		if (shares)
			cells[c++] = analysis_digits(x->a, sum);
		cells[c++] = analysis_digits(x->a, sum / (double)t->count[i]);
		analysis_rows_add(&w, cells);
	}
	analysis_rows_end(&w);
	if (shares)
		analysis_add_percent(x, "high_sum_share", "Share of the high tier",
				     calc_sum_total(&t->sum[HIGH]) / total);
	else
		analysis_note(x, "%s is not additive, so tiers have no shares of it.", x->label);
}

static void report_tiers(struct analysis *x, const struct tiers *t)
{
	double high = calc_sum_total(&t->sum[HIGH]);

	analysis_add(x, "cut_low", "Lower cut", t->cut_low, x->unit);
	analysis_add(x, "cut_high", "Upper cut", t->cut_high, x->unit);
	domain_add_count(x->r, x->a, "high_n", "In the high tier", t->count[HIGH]);
	domain_add_count(x->r, x->a, "middle_n", "In the middle tier", t->count[MIDDLE]);
	domain_add_count(x->r, x->a, "low_n", "In the low tier", t->count[LOW]);
	if (t->count[NONE] > 0)
		domain_add_count(x->r, x->a, "none_n", "Without a value above zero",
				 t->count[NONE]);
	analysis_add_percent(x, "high_share", "In the high tier, share",
			     (double)t->count[HIGH] / (double)t->all);
	analysis_add(x, "high_mean", "Mean of the high tier", high / (double)t->count[HIGH],
		     x->unit);
	domain_add_text(x->r, x->a, "method", "Method", "quantiles of type 7");
}

void analysis_value_tiers(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct tiers t = {0};
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x))
		return;
	domain_add_text(r, a, "one", "One value per", analysis_row_label(&x));
	domain_add_count(r, a, "n", "Values", x.n);
	if (analysis_count_arg(r, "low", 20) >= analysis_count_arg(r, "high", 80)) {
		analysis_set_enough(&x, false);
		analysis_note(&x, "The lower cut must be below the upper one.");
		show_quantiles(&x);
		return;
	}
	if (!cut_tiers(&x, &t, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	analysis_set_enough(&x, has_distinct_values(&x, TIERS_MIN));
	if (!has_distinct_values(&x, TIERS_MIN)) {
		analysis_note(&x,
			      "At least %d different values above zero are needed for tiers; these "
			      "%zu have fewer.",
			      TIERS_MIN, x.n);
		show_quantiles(&x);
		return;
	}
	report_tiers(&x, &t);
	show_tiers(&x, &t);
}
