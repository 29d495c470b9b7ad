/* Things within their groups: the best of each group, ranks, and associations between groups. */
#include "analysis_int.h"

#include <math.h>
#include <strings.h>

#define GROUPS_MIN    2
#define PEERS_MIN     5      /* of one group */
#define PAIR_MIN      5      /* fewest things of a reported pair */
#define LIFT_MIN      1.0001 /* of a reported pair: more frequent than chance */
#define P_MAX         0.05
#define TIERS_MIN     10 /* fewest things to form tiers */
#define TIER_CUT_LOW  0.2
#define TIER_CUT_HIGH 0.8

struct within {
	struct analysis_things groups;
	const uint32_t *order; /* rows in descending order of value */
	size_t n;
	uint32_t *group_of; /* of each row */
	size_t *rank;       /* of each row in its group; ties share the first rank */
	size_t *size;       /* per group: rows with a value */
	uint32_t *best;     /* best row of each group that has one */
};

static void number_groups(struct analysis *x, struct within *w)
{
	analysis_things_read(x, 1, false, &w->groups);
	w->group_of = arena_alloc(x->a, (x->n + 1) * sizeof(*w->group_of));
	for (size_t g = 0; g < w->groups.count; g++)
		for (size_t i = w->groups.starts[g]; i < w->groups.starts[g + 1]; i++)
			w->group_of[w->groups.rows[i]] = (uint32_t)g;
}

static bool read_within(struct analysis *x, struct within *w)
{
	uint32_t *last;

	w->order = analysis_descending(x, &w->n);
	if (!w->order)
		return false;
	number_groups(x, w);
	w->rank = arena_alloc(x->a, (x->n + 1) * sizeof(*w->rank));
	w->size = arena_alloc(x->a, (w->groups.count + 1) * sizeof(*w->size));
	w->best = arena_alloc(x->a, (w->groups.count + 1) * sizeof(*w->best));
	last = arena_alloc(x->a, (w->groups.count + 1) * sizeof(*last));
	for (size_t g = 0; g < w->groups.count; g++)
		w->size[g] = 0;
	for (size_t i = 0; i < w->n; i++) {
		uint32_t row = w->order[i], g = w->group_of[row];
		bool ties = w->size[g]++ > 0 && !(x->values[last[g]] > x->values[row]);

		if (w->size[g] == 1)
			w->best[g] = row;
		w->rank[row] = ties ? w->rank[last[g]] : w->size[g];
		last[g] = row;
	}
	domain_add_text(x->r, x->a, "one", "One value per", x->thing);
	domain_add_text(x->r, x->a, "group", "Compared within", x->second);
	return true;
}

/* ---- best of each group ---- */

static void show_best(struct analysis *x, const struct within *w)
{
	struct analysis_rows rows;

	analysis_rows_begin(&rows, x);
	analysis_rows_column(&rows, x->second, COLUMN_TEXT, NULL);
	analysis_rows_column(&rows, x->thing, COLUMN_TEXT, NULL);
	analysis_rows_column(&rows, x->label, COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&rows, "Compared", COLUMN_INT, NULL);
	for (size_t i = 0; i < w->n; i++) {
		uint32_t row = w->order[i], g = w->group_of[row];

		if (w->best[g] == row)
			analysis_rows_add(
				&rows,
				(const char *const[]){w->groups.names[g], analysis_name(x, 0, row),
						      analysis_digits(x->a, x->values[row]),
						      arena_printf(x->a, "%zu", w->size[g])});
	}
	analysis_rows_end(&rows);
}

void analysis_best_in_class(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct domain_list names;
	struct within w = {0};
	struct analysis x;
	size_t n = 0;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x) || !read_within(&x, &w))
		return;
	analysis_names_begin(&names);
	for (size_t i = 0; i < w.n; i++) {
		uint32_t g = w.group_of[w.order[i]];

		if (w.best[g] != w.order[i])
			continue;
		n++;
		domain_list_add(&names, "%s in %s", analysis_name(&x, 0, w.order[i]),
				w.groups.names[g]);
	}
	domain_add_count(r, a, "n", "Groups", n);
	analysis_set_enough(&x, n >= GROUPS_MIN);
	if (n >= GROUPS_MIN) {
		domain_add_text(r, a, "names", "The best", domain_list_end(&names, a));
		domain_add_text(r, a, "best", "The best of all", analysis_name(&x, 0, w.order[0]));
		analysis_add(&x, "best_value", "Its value", x.values[w.order[0]], x.unit);
	} else {
		(void)domain_list_end(&names, a);
		analysis_note(&x, "At least %d groups are needed; there %s %zu.", GROUPS_MIN,
			      n == 1 ? "is" : "are", n);
	}
	show_best(&x, &w);
}

/* ---- ranks ---- */

static void show_ranks(struct analysis *x, const struct within *w)
{
	struct analysis_rows rows;

	analysis_rows_begin(&rows, x);
	analysis_rows_column(&rows, x->thing, COLUMN_TEXT, NULL);
	analysis_rows_column(&rows, x->second, COLUMN_TEXT, NULL);
	analysis_rows_column(&rows, x->label, COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&rows, "Rank", COLUMN_INT, NULL);
	analysis_rows_column(&rows, "Of", COLUMN_INT, NULL);
	for (size_t i = 0; i < w->n; i++) {
		uint32_t row = w->order[i], g = w->group_of[row];

		analysis_rows_add(
			&rows, (const char *const[]){analysis_name(x, 0, row), w->groups.names[g],
						     analysis_digits(x->a, x->values[row]),
						     arena_printf(x->a, "%zu", w->rank[row]),
						     arena_printf(x->a, "%zu", w->size[g])});
	}
	analysis_rows_end(&rows);
}

static void report_rank(struct analysis *x, const struct within *w, const char *name)
{
	size_t i = 0, peers;
	uint32_t row;

	while (i < w->n && strcasecmp(analysis_name(x, 0, w->order[i]), name) != 0)
		i++;
	if (i == w->n) {
		analysis_set_enough(x, false);
		analysis_note(x, "%s has no value for %s.", name, x->label);
		return;
	}
	row = w->order[i];
	peers = w->size[w->group_of[row]];
	domain_add_text(x->r, x->a, "name", "Examined", analysis_name(x, 0, row));
	domain_add_text(x->r, x->a, "in", "Its group", w->groups.names[w->group_of[row]]);
	analysis_add(x, "value", "Its value", x->values[row], x->unit);
	analysis_set_enough(x, peers > PEERS_MIN);
	if (peers <= PEERS_MIN) {
		analysis_note(x, "There are only %zu others in %s to compare with; %d are needed.",
			      peers - 1, w->groups.names[w->group_of[row]], PEERS_MIN);
		return;
	}
	domain_add_count(x->r, x->a, "rank", "Rank, the highest first", w->rank[row]);
	domain_add_count(x->r, x->a, "of", "Compared", peers);
}

void analysis_rank_in_group(struct result *r, const struct derive_def *of, struct arena *a)
{
	const struct arg *name = args_find(&r->args, "name");
	struct within w = {0};
	struct analysis x;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x) || !read_within(&x, &w))
		return;
	domain_add_count(r, a, "n", "Values", w.n);
	domain_add_count(r, a, "groups", "Groups", w.groups.count);
	domain_add_text(r, a, "method", "Method",
			"rank from the highest; equal values share a rank");
	if (name)
		report_rank(&x, &w, name->values[0].text);
	else
		analysis_set_enough(&x, w.n > 0);
	if (!name && w.n == 0)
		analysis_note(&x, "%s has no value.", x.label);
	show_ranks(&x, &w);
}

/* ---- associations between groups ---- */

enum { HIGH, MIDDLE, LOW, NONE, TIERS };

struct crossing {
	const char *const *row_names, *const *column_names;
	size_t rows, columns;
	bool by_tier, has_too_few;
	double *counts, *column_sums;
	double *lift; /* of a pair: its count divided by the count expected under independence */
	struct calc_independence t;
};

/* Rows are tiers of the things by value, formed as in value_tiers. */
static bool cross_tiers(struct analysis *x, const struct within *w, struct crossing *c,
			struct err *e)
{
	static const char *const names[] = {"High", "Middle", "Low", "None or negative"};
	static const double p[] = {TIER_CUT_LOW, TIER_CUT_HIGH};
	double *ranked = arena_alloc(x->a, (x->n + 1) * sizeof(*ranked)), cuts[2];
	size_t n;

	c->rows = TIERS;
	c->row_names = names;
	for (size_t i = 0; i < x->n; i++)
		ranked[i] = x->values[i] > 0 ? x->values[i] : (double)NAN;
	if (!calc_quantiles(&x->calc, ranked, x->n, p, 2, cuts, &n, e))
		return false;
	c->has_too_few = n < TIERS_MIN;
	if (c->has_too_few)
		analysis_note(x,
			      "At least %d values above zero are needed for tiers; there are %zu.",
			      TIERS_MIN, n);
	for (size_t i = 0; i < x->n; i++) {
		size_t tier = isnan(ranked[i])       ? NONE
			      : ranked[i] >= cuts[1] ? HIGH
			      : ranked[i] >= cuts[0] ? MIDDLE
						     : LOW;

		c->counts[tier * c->columns + w->group_of[i]]++;
	}
	return true;
}

/* Rows are the values of the first group; the cells count the things of each pair. */
static void cross_groups(const struct within *w, const double *counts,
			 const struct analysis_things *firsts, struct crossing *c)
{
	c->rows = firsts->count;
	c->row_names = firsts->names;
	for (size_t g = 0; g < firsts->count; g++)
		for (size_t i = firsts->starts[g]; i < firsts->starts[g + 1]; i++) {
			uint32_t row = firsts->rows[i];

			c->counts[g * c->columns + w->group_of[row]] += counts[row];
		}
}

static void show_crossing(struct analysis *x, const struct crossing *c, const char *first)
{
	struct analysis_rows rows;

	analysis_rows_begin(&rows, x);
	analysis_rows_column(&rows, first, COLUMN_TEXT, NULL);
	analysis_rows_column(&rows, x->second, COLUMN_TEXT, NULL);
	analysis_rows_column(&rows, "Count", COLUMN_INT, NULL);
	analysis_rows_column(&rows, arena_printf(x->a, "Share of the %s", x->second),
			     COLUMN_DECIMAL, "%");
	analysis_rows_column(&rows, "Ratio to chance", COLUMN_DECIMAL, NULL);
	for (size_t i = 0; i < c->rows * c->columns; i++)
		if (c->counts[i] > 0)
			analysis_rows_add(
				&rows, (const char *const[]){
					       c->row_names[i / c->columns],
					       c->column_names[i % c->columns],
					       analysis_digits(x->a, c->counts[i]),
					       arena_printf(x->a, "%.1f",
							    100 * c->counts[i] /
								    c->column_sums[i % c->columns]),
					       analysis_digits(x->a, c->lift[i])});
	analysis_rows_end(&rows);
}

/* Reports the pair with enough things that is furthest above chance; of tiers, only the high one is
 * considered. */
static void report_crossing(struct analysis *x, const struct crossing *c)
{
	size_t cells = c->columns * (c->by_tier ? 1 : c->rows), best = cells;

	for (size_t i = 0; i < cells; i++)
		if (c->counts[i] >= PAIR_MIN && c->lift[i] > LIFT_MIN &&
		    (best == cells || c->lift[i] > c->lift[best]))
			best = i;
	domain_add_count(x->r, x->a, "n", "Counted", (size_t)c->t.total);
	if (c->t.status == CALC_OK)
		analysis_add_p(x, c->t.p);
	else
		analysis_note(x, "No test against chance was made, because some pairs are expected "
				 "fewer than 5 times.");
	if (c->t.status == CALC_OK && c->t.p >= P_MAX) {
		analysis_note(x, "The data does not show that the two depend on each other, so no "
				 "pair is named.");
		return;
	}
	if (best == cells) {
		analysis_note(x, "No pair of %d or more occurs more often than by chance.",
			      PAIR_MIN);
		return;
	}
	domain_add_text(x->r, x->a, "row", "Strongest pair", c->row_names[best / c->columns]);
	domain_add_text(x->r, x->a, "column", "Paired with", c->column_names[best % c->columns]);
	domain_add_count(x->r, x->a, "pair_n", "Count of the pair", (size_t)c->counts[best]);
	analysis_add_percent(x, "share", "Its share of the group",
			     c->counts[best] / c->column_sums[best % c->columns]);
	analysis_add(x, "lift", "Ratio to the count expected by chance", c->lift[best], NULL);
}

static double row_sum(const struct crossing *c, size_t row)
{
	double sum = 0; /* counts: exact in any order */

	for (size_t i = 0; i < c->columns; i++)
		sum += c->counts[row * c->columns + i];
	return sum;
}

static bool cross(struct analysis *x, const struct within *w, struct crossing *c, struct err *e)
{
	struct analysis_things firsts;
	const double *counts;
	const char *label;

	analysis_things_read(x, 0, false, &firsts);
	c->by_tier = firsts.count == x->n; /* all differ: these are things, not groups */
	c->rows = c->by_tier ? TIERS : firsts.count;
	if (c->rows * c->columns > CALC_CROSSTAB_MAX)
		return err_set(e, ERR_LIMIT, "%zu by %zu groups are too many to cross.", c->rows,
			       c->columns);
	c->column_sums = arena_alloc(x->a, (c->columns + 1) * sizeof(*c->column_sums));
	c->counts = arena_alloc(x->a, (c->rows * c->columns + 1) * sizeof(*c->counts));
	c->lift = arena_alloc(x->a, (c->rows * c->columns + 1) * sizeof(*c->lift));
	counts = analysis_measure(x, analysis_measures(x) - 1, &label);
	if (!counts || (c->by_tier && !cross_tiers(x, w, c, e)))
		return false;
	if (!c->by_tier)
		cross_groups(w, counts, &firsts, c);
	for (size_t i = 0; i < c->rows * c->columns; i++)
		c->column_sums[i % c->columns] += c->counts[i];
	if (!calc_independence(&x->calc, c->counts, c->rows, c->columns, &c->t, e))
		return false;
	for (size_t row = 0; row < c->rows; row++) {
		double sum = row_sum(c, row);

		for (size_t i = row * c->columns; i < (row + 1) * c->columns; i++)
			c->lift[i] =
				c->counts[i] * c->t.total / (c->column_sums[i % c->columns] * sum);
	}
	return true;
}

void analysis_cross_segment(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct crossing c = {0};
	struct within w = {0};
	struct analysis x;
	struct err e = {0};
	bool enough;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x))
		return;
	number_groups(&x, &w);
	c.columns = w.groups.count;
	c.column_names = w.groups.names;
	domain_add_text(r, a, "group", "By", x.second);
	domain_add_text(r, a, "method", "Method", "chi-squared of independence, lift");
	if (!cross(&x, &w, &c, &e)) {
		if (e.code != ERR_NONE)
			analysis_fail(&x, &e);
		return;
	}
	enough = !c.has_too_few && c.rows >= GROUPS_MIN && c.columns >= GROUPS_MIN;
	analysis_set_enough(&x, enough);
	if (enough)
		report_crossing(&x, &c);
	else if (!c.has_too_few)
		analysis_note(&x, "All rows are in one group.");
	show_crossing(&x, &c, c.by_tier ? "Tier" : x.thing);
}
