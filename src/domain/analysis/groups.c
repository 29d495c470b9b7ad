/* Groups and a total: their sizes and shares, groups with less than their size suggests, and the
 * loss of the largest. */
#include "analysis_int.h"

#include <math.h>
#include <string.h>

#define GROUPS_MIN             2
#define UNDERSERVED_GROUPS_MIN 3   /* fewest groups for uneven shares */
#define UNDERSERVED_MAX        0.8 /* share of the total / share of the rows, at most */
#define ROWS_MIN               10  /* rows of a reported group */
#define TOP_DEFAULT            5

struct groups {
	const uint32_t *order; /* in descending order of value */
	size_t n;
	const double *counts; /* rows of each group */
	double rows, total;
	size_t negative;
};

/* Reads the values and the row count of each group. With more groups than a frame holds, neither
 * the largest nor the total is known. */
static bool read_groups(struct analysis *x, struct groups *g)
{
	struct calc_sum rows = {0}, total = {0};
	const char *label;

	if (!analysis_require_all(x))
		return false;
	g->counts = analysis_measure(x, analysis_measures(x) - 1, &label);
	g->order = g->counts ? analysis_descending(x, &g->n) : NULL;
	if (!g->order)
		return false;
	for (size_t i = 0; i < g->n; i++) {
		calc_sum_add(&rows, g->counts[g->order[i]]);
		calc_sum_add(&total, x->values[g->order[i]]);
		g->negative += x->values[g->order[i]] < 0;
	}
	g->rows = calc_sum_total(&rows);
	g->total = calc_sum_total(&total);
	domain_add_text(x->r, x->a, "one", "One value per", analysis_row_label(x));
	domain_add_count(x->r, x->a, "n", "Groups", g->n);
	return true;
}

static const char *percent(struct arena *a, double share)
{
	return isfinite(share) ? arena_printf(a, "%.1f", 100 * share) : NULL;
}

static bool has_shares(const struct analysis *x, const struct groups *g)
{
	return x->r->context->is_additive && g->negative == 0 && g->total > 0;
}

/* The group's share of the total divided by its share of the rows; 1 is even. */
static double index_of(const struct analysis *x, const struct groups *g, size_t i)
{
	return x->values[i] / g->total / (g->counts[i] / g->rows);
}

static void show(struct analysis *x, const struct groups *g)
{
	bool shares = has_shares(x, g), sums = x->r->context->is_additive;
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, analysis_row_label(x), COLUMN_TEXT, NULL);
	analysis_rows_column(&w, x->label, COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&w, "Rows", COLUMN_INT, NULL);
	analysis_rows_column(&w, "Share of the rows", COLUMN_DECIMAL, "%");
	if (shares)
		analysis_rows_column(&w, arena_printf(x->a, "Share of %s", x->label),
				     COLUMN_DECIMAL, "%");
	if (sums)
		analysis_rows_column(&w, "Mean per row", COLUMN_DECIMAL, x->unit);
	for (size_t at = 0; at < g->n; at++) {
		const char *cells[6];
		size_t i = g->order[at], c = 0;

		cells[c++] = analysis_name(x, 0, i);
		cells[c++] = analysis_digits(x->a, x->values[i]);
		cells[c++] = analysis_digits(x->a, g->counts[i]);
		cells[c++] = percent(x->a, g->counts[i] / g->rows);
		if (shares)
			cells[c++] = percent(x->a, x->values[i] / g->total);
		if (sums)
			cells[c++] = analysis_digits(x->a, x->values[i] / g->counts[i]);
		analysis_rows_add(&w, cells);
	}
	analysis_rows_end(&w);
}

/* False: too few groups, or no total for shares. */
static bool is_enough(struct analysis *x, const struct groups *g, size_t min)
{
	bool enough = g->n >= min && has_shares(x, g);

	analysis_set_enough(x, enough);
	if (g->n == 0)
		analysis_note(x, "%s has no value.", x->label);
	else if (g->n < min)
		analysis_note(x, "At least %zu groups are needed; there %s %zu.", min,
			      g->n == 1 ? "is" : "are", g->n);
	else if (!x->r->context->is_additive)
		analysis_note(x, "%s is not additive, so groups have no shares of it.", x->label);
	else if (g->negative > 0)
		analysis_note(
			x, "%zu of %zu totals of %s are negative, so shares would be meaningless.",
			g->negative, g->n, x->label);
	else if (!enough)
		analysis_note(x, "The total of %s is 0.", x->label);
	return enough;
}

/* ---- profile ---- */

void analysis_group_profile(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct groups g = {0};
	struct analysis x;
	size_t first, most_rows = 0;

	(void)of;
	if (!analysis_begin(r, a, &x) || !read_groups(&x, &g))
		return;
	analysis_set_enough(&x, g.n >= GROUPS_MIN);
	if (g.n < GROUPS_MIN) {
		analysis_note(&x,
			      g.n == 0 ? "%s has no value." : "All rows of %s are in one group.",
			      x.label);
		show(&x, &g);
		return;
	}
	first = g.order[0];
	for (size_t i = 0; i < g.n; i++)
		if (g.counts[g.order[i]] > g.counts[g.order[most_rows]])
			most_rows = i;
	most_rows = g.order[most_rows];
	domain_add_text(r, a, "largest", "The highest", analysis_name(&x, 0, first));
	analysis_add(&x, "largest_value", "Its value", x.values[first], x.unit);
	if (has_shares(&x, &g))
		analysis_add_percent(&x, "largest_share", "Its share", x.values[first] / g.total);
	domain_add_text(r, a, "most", "Most rows", analysis_name(&x, 0, most_rows));
	domain_add_count(r, a, "most_rows", "Its rows", (size_t)g.counts[most_rows]);
	analysis_add_percent(&x, "most_share", "Its share of the rows",
			     g.counts[most_rows] / g.rows);
	show(&x, &g);
}

/* ---- underserved ---- */

void analysis_underserved(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct domain_list names;
	struct groups g = {0};
	struct analysis x;
	size_t found = 0;
	const char *list;

	(void)of;
	if (!analysis_begin(r, a, &x) || !read_groups(&x, &g))
		return;
	if (!is_enough(&x, &g, UNDERSERVED_GROUPS_MIN)) {
		show(&x, &g);
		return;
	}
	domain_list_init(&names);
	for (size_t at = g.n; at > 0; at--) {
		size_t i = g.order[at - 1];

		if (index_of(&x, &g, i) >= UNDERSERVED_MAX || g.counts[i] < ROWS_MIN)
			continue;
		found++;
		domain_list_add(&names, "%s (%.1f %% of the rows, %.1f %% of %s)",
				analysis_name(&x, 0, i), 100 * g.counts[i] / g.rows,
				100 * x.values[i] / g.total, x.label);
	}
	list = domain_list_end(&names, a);
	domain_add_count(r, a, "found", "Underserved", found);
	if (found > 0)
		domain_add_text(r, a, "found_names", "Underserved", list);
	else
		analysis_note(&x,
			      "No %s of %d rows or more holds less than %.0f %% of the share that "
			      "its size suggests.",
			      x.thing, ROWS_MIN, 100 * UNDERSERVED_MAX);
	domain_add_text(r, a, "method", "Method",
			"share of the total over share of the rows, below 0.8");
	show(&x, &g);
}

/* ---- losing the largest ---- */

void analysis_lose_top_n(struct result *r, const struct derive_def *of, struct arena *a)
{
	size_t n = analysis_count_arg(r, "top_n", TOP_DEFAULT);
	struct calc_sum lost = {0};
	struct domain_list names;
	struct groups g = {0};
	struct analysis x;

	(void)of;
	if (!analysis_begin(r, a, &x) || !read_groups(&x, &g))
		return;
	if (is_enough(&x, &g, n + 1)) {
		domain_list_init(&names);
		for (size_t i = 0; i < n; i++) {
			calc_sum_add(&lost, x.values[g.order[i]]);
			domain_list_add(&names, "%s", analysis_name(&x, 0, g.order[i]));
		}
		domain_add_count(r, a, "top", "The largest", n);
		domain_add_text(r, a, "names", "Which", domain_list_end(&names, a));
		analysis_add(&x, "total", "Total", g.total, x.unit);
		analysis_add(&x, "lost", "Total of the largest", calc_sum_total(&lost), x.unit);
		analysis_add_percent(&x, "lost_share", "Their share of the total",
				     calc_sum_total(&lost) / g.total);
		analysis_add(&x, "left", "Total without them", g.total - calc_sum_total(&lost),
			     x.unit);
	}
	show(&x, &g);
}
