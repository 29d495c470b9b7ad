/* Things by several measures: gap candidates, look-alikes, scores, and similarity to lost
 * things. */
#include "analysis_int.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define GAP_MIN       20
#define GAP_HIGH      0.7 /* engagement from this quantile up is high */
#define GAP_LOW       0.4 /* spending up to this quantile is low */
#define LOOKALIKE_MIN 30
#define LOST_MIN      10 /* lost things, and as many others */

/* False: there are fewer than `min`; a note is added. */
static bool read_measures(struct analysis *x, size_t min, struct analysis_columns *m)
{
	domain_add_text(x->r, x->a, "one", "One value per", analysis_row_label(x));
	if (!analysis_columns_read(x, m))
		return false;
	if (m->count >= min)
		return true;
	analysis_set_enough(x, false);
	analysis_note(x, "At least %zu measures are needed. Name another measure.", min);
	return false;
}

/* Shows the things in `order`: the column `first`, then their measures. */
static void show(struct analysis *x, const struct analysis_columns *m, const char *first,
		 const char *first_unit, const double *of, const uint32_t *order, size_t n)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, analysis_row_label(x), COLUMN_TEXT, NULL);
	if (of)
		analysis_rows_column(&w, first, COLUMN_DECIMAL, first_unit);
	for (size_t i = 0; i < m->count; i++)
		analysis_rows_column(&w, m->labels[i], COLUMN_DECIMAL, m->units[i]);
	for (size_t k = 0; k < n; k++) {
		const char *cells[2 + CALC_FEATURES_MAX];
		size_t c = 0;

		cells[c++] = analysis_name(x, 0, order[k]);
		if (of)
			cells[c++] = analysis_digits(x->a, of[order[k]]);
		for (size_t i = 0; i < m->count; i++)
			cells[c++] = analysis_digits(x->a, m->columns[i][order[k]]);
		analysis_rows_add(&w, cells);
	}
	analysis_rows_end(&w);
}

static void show_all(struct analysis *x, const struct analysis_columns *m)
{
	size_t n;
	const uint32_t *order = analysis_descending(x, &n);

	if (order)
		show(x, m, NULL, NULL, NULL, order, n);
}

static void add_names(struct analysis *x, const char *name, const char *label,
		      const uint32_t *order, size_t n)
{
	struct domain_list names;

	analysis_names_begin(&names);
	for (size_t i = 0; i < n; i++)
		domain_list_add(&names, "%s", analysis_name(x, 0, order[i]));
	domain_add_text(x->r, x->a, name, label, domain_list_end(&names, x->a));
}

/* ---- high in one, low in another ---- */

struct gap {
	double high, low, median; /* cut points */
	double *negated;          /* per row: the negated gap; NAN: not a candidate */
	size_t n, found;
	struct calc_sum sum;
};

static bool find_gaps(struct analysis *x, const struct analysis_columns *m, struct gap *g,
		      struct err *e)
{
	const double half[] = {GAP_LOW, 0.5}, high = GAP_HIGH;
	double *first = arena_alloc(x->a, (x->n + 1) * sizeof(*first));
	double *second = arena_alloc(x->a, (x->n + 1) * sizeof(*second)), cuts[2];
	size_t n;

	g->negated = arena_alloc(x->a, (x->n + 1) * sizeof(*g->negated));
	for (size_t i = 0; i < x->n; i++) {
		bool both = !isnan(m->columns[0][i]) && !isnan(m->columns[1][i]);

		first[i] = both ? m->columns[0][i] : (double)NAN;
		second[i] = both ? m->columns[1][i] : (double)NAN;
		g->n += both;
	}
	if (!calc_quantiles(&x->calc, first, x->n, &high, 1, &g->high, &n, e) ||
	    !calc_quantiles(&x->calc, second, x->n, half, 2, cuts, &n, e))
		return false;
	g->low = cuts[0];
	g->median = cuts[1];
	for (size_t i = 0; i < x->n; i++) {
		g->negated[i] = first[i] >= g->high && second[i] <= g->low && second[i] < g->median
					? second[i] - g->median
					: (double)NAN;
		if (isnan(g->negated[i]))
			continue;
		g->found++;
		calc_sum_add(&g->sum, -g->negated[i]);
	}
	return true;
}

static void report_gaps(struct analysis *x, const struct analysis_columns *m, const struct gap *g)
{
	double *gaps = arena_alloc(x->a, (x->n + 1) * sizeof(*gaps));
	size_t n;
	const uint32_t *order = analysis_ascending(x, g->negated, &n);

	if (!order)
		return;
	for (size_t i = 0; i < x->n; i++)
		gaps[i] = -g->negated[i];
	domain_add_count(x->r, x->a, "found", "Candidates", g->found);
	analysis_add(x, "cut_high", "High from", g->high, m->units[0]);
	analysis_add(x, "cut_low", "Low up to", g->low, NULL);
	analysis_add(x, "median", "Median", g->median, NULL);
	if (g->found == 0) {
		analysis_note(x, "None is high in %s and low in %s.", m->labels[0], m->labels[1]);
		show_all(x, m);
		return;
	}
	analysis_add(x, "gap_sum", "Total of the gaps to the median", calc_sum_total(&g->sum),
		     NULL);
	add_names(x, "names", "Candidates", order, n);
	show(x, m, "Gap to the median", m->units[1], gaps, order, n);
}

void analysis_gap_candidates(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct analysis_columns m = {0};
	struct gap g = {0};
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x) || !read_measures(&x, 2, &m))
		return;
	if (!find_gaps(&x, &m, &g, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	domain_add_count(r, a, "n", "Compared", g.n);
	domain_add_text(r, a, "low_measure", "Low in", m.labels[1]);
	domain_add_text(r, a, "method", "Method",
			"above the quantile 0.7 of one, below 0.4 of the other");
	analysis_set_enough(&x, g.n >= GAP_MIN);
	if (g.n >= GAP_MIN) {
		report_gaps(&x, &m, &g);
		return;
	}
	analysis_note(&x, "At least %d with both values are needed; there are %zu.", GAP_MIN, g.n);
	show_all(&x, &m);
}

/* ---- like the best ---- */

static struct calc_feature *features_of(struct analysis *x, const struct analysis_columns *m,
					size_t from)
{
	struct calc_feature *out = arena_alloc(x->a, (m->count + 1) * sizeof(*out));

	for (size_t i = from; i < m->count; i++)
		out[i - from] = (struct calc_feature){.values = m->columns[i]};
	return out;
}

struct alike {
	double *distances; /* of each row from the medoid; NAN: not compared */
	double reach;      /* median distance of the members */
	size_t model, n;
};

/* Computes the distance of every row from the members' medoid, and the median distance of the
 * members. */
static bool find_alike(struct analysis *x, const struct calc_feature *features, size_t count,
		       const bool *is_member, struct alike *k, struct err *e)
{
	double *own = arena_alloc(x->a, (x->n + 1) * sizeof(*own));
	const double half = 0.5;
	size_t n;

	if (!calc_medoid(&x->calc, features, count, x->n, is_member, &k->model, e) ||
	    k->model == x->n ||
	    !calc_gower(&x->calc, features, count, x->n, k->model, &k->distances, e))
		return false;
	for (size_t i = 0; i < x->n; i++)
		own[i] = is_member[i] ? k->distances[i] : (double)NAN;
	return calc_quantiles(&x->calc, own, x->n, &half, 1, &k->reach, &n, e);
}

static void report_lookalikes(struct analysis *x, const struct analysis_columns *m, struct alike *k)
{
	size_t n, near = 0;
	const uint32_t *order = analysis_ascending(x, k->distances, &n);

	if (!order)
		return;
	while (near < n && k->distances[order[near]] <= k->reach)
		near++;
	domain_add_text(x->r, x->a, "model", "Compared with",
			analysis_name(x, 0, (uint32_t)k->model));
	domain_add_count(x->r, x->a, "found", "At least as close as half of the best", near);
	if (near > 0)
		add_names(x, "names", "Look-alikes", order, near);
	else
		analysis_note(x, "None of the others is as close to it as half of the best.");
	show(x, m, "Distance", NULL, k->distances, order, n);
}

void analysis_lookalikes(struct result *r, const struct derive_def *of, struct arena *a)
{
	const double p[] = {0.8, 0.9};
	struct analysis_columns m = {0};
	struct alike k = {0};
	struct analysis x;
	struct err e = {0};
	bool *is_best;
	double cuts[2];

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x) || !read_measures(&x, 2, &m))
		return;
	is_best = arena_alloc(a, (x.n + 1) * sizeof(*is_best));
	if (!calc_quantiles(&x.calc, x.values, x.n, p, 2, cuts, &k.n, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	domain_add_count(r, a, "n", "Compared", k.n);
	domain_add_text(r, a, "method", "Method",
			"Gower distance to the most typical one of the top tenth");
	analysis_set_enough(&x, k.n >= LOOKALIKE_MIN);
	if (k.n < LOOKALIKE_MIN) {
		analysis_note(
			&x,
			"At least %d are needed to look for others like the best; there are %zu.",
			LOOKALIKE_MIN, k.n);
		show_all(&x, &m);
		return;
	}
	for (size_t i = 0; i < x.n; i++)
		is_best[i] = x.values[i] >= cuts[1];
	if (!find_alike(&x, features_of(&x, &m, 1), m.count - 1, is_best, &k, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	for (size_t i = 0; i < x.n; i++)
		if (!(x.values[i] < cuts[0]))
			k.distances[i] = NAN;
	report_lookalikes(&x, &m, &k);
}

/* ---- scores ---- */

static bool read_weights(struct analysis *x, size_t count, double *weights)
{
	const struct arg *given = args_find(&x->r->args, "weights");
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		weights[i] = given && i < given->count ? (double)given->values[i].number
			     : given                   ? 0
						       : 1;
		sum += weights[i];
	}
	if (sum > 0)
		return true;
	analysis_set_enough(x, false);
	analysis_note(x, "At least one weight must be above 0.");
	return false;
}

static void report_scores(struct analysis *x, const struct analysis_columns *m,
			  const struct calc_scores *s)
{
	double *negated = arena_alloc(x->a, (x->n + 1) * sizeof(*negated));
	size_t n;
	const uint32_t *order;

	for (size_t i = 0; i < x->n; i++)
		negated[i] = -s->scores[i];
	order = analysis_ascending(x, negated, &n);
	if (!order)
		return;
	if (s->scores[order[0]] > s->scores[order[n - 1]]) {
		domain_add_text(x->r, x->a, "best", "The highest", analysis_name(x, 0, order[0]));
		domain_add_text(x->r, x->a, "best_score", "Its score",
				arena_printf(x->a, "%.1f", s->scores[order[0]]));
		analysis_note(x, "A score ranks these against each other; it is not a forecast.");
	} else {
		analysis_note(x, "All have the same score, so nothing distinguishes them.");
	}
	show(x, m, "Score", NULL, s->scores, order, n);
}

void analysis_opportunity_scores(struct result *r, const struct derive_def *of, struct arena *a)
{
	double weights[CALC_FEATURES_MAX];
	struct analysis_columns m = {0};
	struct domain_list list;
	struct calc_scores s;
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x) || !read_measures(&x, 2, &m) ||
	    !read_weights(&x, m.count, weights))
		return;
	if (!calc_scores(&x.calc, m.columns, weights, m.count, x.n, &s, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	domain_list_init(&list);
	for (size_t i = 0; i < m.count; i++)
		domain_list_add(&list, "%s × %.0f", m.labels[i], weights[i]);
	domain_add_text(r, a, "weights", "Weights", domain_list_end(&list, a));
	domain_add_count(r, a, "scored", "Scored", s.scored);
	domain_add_count(r, a, "not_scored", "Not scored", s.not_scored);
	domain_add_text(r, a, "method", "Method", "weighted mean of percentile ranks");
	analysis_set_enough(&x, s.status == CALC_OK);
	if (s.status == CALC_OK) {
		report_scores(&x, &m, &s);
		return;
	}
	analysis_note(&x, "At least %d with all values are needed for scores; there are %zu.",
		      CALC_SCORES_MIN, s.scored);
	show_all(&x, &m);
}

/* ---- like the lost ---- */

/* Column values that mark lost things. */
static const char *const lost_words[] = {
	"yes",    "y",         "true",     "1",          "lost", "churned", "churn", "inactive",
	"closed", "cancelled", "canceled", "terminated", "left", "gone",    NULL};

static bool is_lost_word(const struct analysis *x, const char *word)
{
	const struct arg *given = args_find(&x->r->args, "lost");

	if (given)
		return strcasecmp(word, given->values[0].text) == 0;
	for (const char *const *w = lost_words; *w; w++)
		if (strcasecmp(word, *w) == 0)
			return true;
	return false;
}

struct losses {
	bool *is_lost, *is_active;
	size_t lost, active, nearer;
};

static void read_losses(const struct analysis *x, struct losses *l)
{
	l->is_lost = arena_alloc(x->a, (x->n + 1) * sizeof(*l->is_lost));
	l->is_active = arena_alloc(x->a, (x->n + 1) * sizeof(*l->is_active));
	for (size_t i = 0; i < x->n; i++) {
		const char *word = frame_text(&x->frame->columns[1], i);

		if (x->frame->columns[1].type != FRAME_TEXT)
			word = frame_is_null(&x->frame->columns[1], i) ? NULL
								       : analysis_name(x, 1, i);
		l->is_lost[i] = word && is_lost_word(x, word);
		l->is_active[i] = word && *word && !l->is_lost[i];
		l->lost += l->is_lost[i];
		l->active += l->is_active[i];
	}
}

/* Finds active things that are nearer to the medoid of the lost than to that of the active. */
static bool report_losses(struct analysis *x, const struct analysis_columns *m, struct losses *l,
			  struct err *e)
{
	const struct calc_feature *features = features_of(x, m, 0);
	struct alike lost = {0}, active = {0};
	size_t n;
	const uint32_t *order;

	if (!find_alike(x, features, m->count, l->is_lost, &lost, e) ||
	    !find_alike(x, features, m->count, l->is_active, &active, e))
		return false;
	for (size_t i = 0; i < x->n; i++) {
		bool nearer = l->is_active[i] && lost.distances[i] < active.distances[i];

		l->nearer += nearer;
		if (!nearer)
			lost.distances[i] = NAN;
	}
	domain_add_count(x->r, x->a, "nearer_to_lost", "More like the lost ones", l->nearer);
	order = analysis_ascending(x, lost.distances, &n);
	if (!order)
		return true;
	if (n > 0)
		add_names(x, "names", "Which", order, n);
	else
		analysis_note(x,
			      "None of the others is more like the lost ones than like the rest.");
	show(x, m, "Distance from the lost ones", NULL, lost.distances, order, n);
	return true;
}

void analysis_like_losses(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct analysis_columns m = {0};
	struct losses l = {0};
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x) || !read_measures(&x, 1, &m))
		return;
	read_losses(&x, &l);
	domain_add_text(r, a, "flag", "Lost ones are marked by", x.second);
	domain_add_count(r, a, "lost_n", "Lost", l.lost);
	domain_add_count(r, a, "active_n", "Others", l.active);
	domain_add_text(r, a, "method", "Method", "Gower distance to the most typical one of each");
	analysis_set_enough(&x, l.lost >= LOST_MIN && l.active >= LOST_MIN);
	if (l.lost == 0)
		analysis_note(&x, "%s does not mark any as lost.", x.second);
	else if (l.lost < LOST_MIN || l.active < LOST_MIN)
		analysis_note(
			&x,
			"At least %d lost ones and %d others are needed; there are %zu and %zu.",
			LOST_MIN, LOST_MIN, l.lost, l.active);
	if (l.lost < LOST_MIN || l.active < LOST_MIN)
		show_all(&x, &m);
	else if (!report_losses(&x, &m, &l, &e))
		analysis_fail(&x, &e);
}
