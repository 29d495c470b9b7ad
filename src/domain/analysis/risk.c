/* Risk scores: three signs of each thing, as percentile ranks among all things. They are not
 * probabilities. */
#include "analysis_int.h"

#include <math.h>
#include <stdlib.h>

#define PERIODS_MIN 6
#define SIGNS       3

enum sign { FALLING, DROPPED, SILENT };

struct risks {
	struct analysis_things things;
	int64_t last;         /* the last period of all things */
	double *signs[SIGNS]; /* by thing; NAN: not scored */
	struct calc_scores scores;
	size_t scored;
};

struct scored {
	size_t thing;
	double score;
};

static double median_of(struct analysis *x, const struct analysis_series *s, struct err *e)
{
	const double half = 0.5;
	double median = NAN;
	size_t n;

	return calc_quantiles(&x->calc, s->values, s->n, &half, 1, &median, &n, e) &&
			       n >= PERIODS_MIN
		       ? median
		       : (double)NAN;
}

/* Reads the signs of a thing: the downward slope and the drop of its last period, both relative to
 * its median, and the age of that period. A thing with few periods or without a positive median is
 * not scored. */
static bool read_signs(struct analysis *x, struct risks *k, size_t i,
		       const struct analysis_series *s, struct err *e)
{
	struct calc_theil_sen line;
	double median = median_of(x, s, e);

	if (e->code != ERR_NONE)
		return false;
	if (!(median > 0))
		return true;
	if (!calc_theil_sen(&x->calc, NULL, s->values, s->n, &line, e))
		return false;
	k->scored++;
	k->signs[FALLING][i] = -line.slope / median;
	k->signs[DROPPED][i] = 1 - s->values[s->n - 1] / median;
	k->signs[SILENT][i] = (double)(k->last - (s->first + (int64_t)s->n - 1));
	return true;
}

static bool read_all(struct analysis *x, struct risks *k, struct err *e)
{
	struct analysis_series *all;
	const struct analysis_things *t = &k->things;

	analysis_things_read(x, 0, false, &k->things);
	all = arena_alloc(x->a, (t->count + 1) * sizeof(*all));
	for (size_t s = 0; s < SIGNS; s++)
		k->signs[s] = arena_alloc(x->a, (t->count + 1) * sizeof(*k->signs[s]));
	k->last = INT64_MIN;
	for (size_t i = 0; i < t->count; i++) {
		all[i] = (struct analysis_series){0};
		if (!analysis_series_read(x, t->rows + t->starts[i],
					  t->starts[i + 1] - t->starts[i], &all[i]))
			all[i].n = 0;
		else if (all[i].first + (int64_t)all[i].n - 1 > k->last)
			k->last = all[i].first + (int64_t)all[i].n - 1;
	}
	for (size_t i = 0; i < t->count; i++) {
		for (size_t s = 0; s < SIGNS; s++)
			k->signs[s][i] = NAN;
		if (all[i].n > 0 && !read_signs(x, k, i, &all[i], e))
			return false;
	}
	return calc_scores(&x->calc, (const double *const[]){k->signs[0], k->signs[1], k->signs[2]},
			   (const double[]){1, 1, 1}, SIGNS, t->count, &k->scores, e);
}

static int by_score(const void *a, const void *b)
{
	const struct scored *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->thing < y->thing ? -1 : x->thing > y->thing;
}

static void show(struct analysis *x, const struct risks *k, const struct scored *list, size_t n)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->thing, COLUMN_TEXT, NULL);
	analysis_rows_column(&w, "Score", COLUMN_DECIMAL, NULL);
	analysis_rows_column(&w, arena_printf(x->a, "Change per %s", x->grain), COLUMN_DECIMAL,
			     "%");
	analysis_rows_column(&w, "Last below the median", COLUMN_DECIMAL, "%");
	analysis_rows_column(&w, arena_printf(x->a, "Silent %ss", x->grain), COLUMN_INT, NULL);
	for (size_t i = 0; i < n; i++) {
		size_t t = list[i].thing;

		analysis_rows_add(
			&w, (const char *const[]){
				    k->things.names[t], arena_printf(x->a, "%.1f", list[i].score),
				    arena_printf(x->a, "%.1f", -100 * k->signs[FALLING][t]),
				    arena_printf(x->a, "%.1f", 100 * k->signs[DROPPED][t]),
				    arena_printf(x->a, "%.0f", k->signs[SILENT][t])});
	}
	analysis_rows_end(&w);
}

static void report(struct analysis *x, const struct risks *k)
{
	struct scored *list = arena_alloc(x->a, (k->things.count + 1) * sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < k->things.count; i++)
		if (!isnan(k->scores.scores[i]))
			list[n++] = (struct scored){i, k->scores.scores[i]};
	qsort(list, n, sizeof(*list), by_score);
	domain_add_text(x->r, x->a, "highest", "The highest", k->things.names[list[0].thing]);
	domain_add_text(x->r, x->a, "highest_score", "Its score",
			arena_printf(x->a, "%.1f", list[0].score));
	domain_add_text(x->r, x->a, "method", "Method",
			"mean of percentile ranks: decline, drop of the last period, silence");
	analysis_note(x, "A score ranks these against each other; it is not a probability.");
	show(x, k, list, n);
}

void analysis_risk_scores(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct risks k = {0};
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x))
		return;
	domain_add_text(r, a, "one", "One series per", x.thing);
	domain_add_text(r, a, "grain", "Period", x.grain);
	if (!read_all(&x, &k, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	domain_add_count(r, a, "scored", "Scored", k.scored);
	domain_add_count(r, a, "not_scored", "Not scored", k.things.count - k.scored);
	analysis_set_enough(&x, k.scores.status == CALC_OK);
	if (k.scored < k.things.count)
		analysis_note(&x,
			      "%zu were not scored: they have fewer than %d %ss, or no median "
			      "above zero.",
			      k.things.count - k.scored, PERIODS_MIN, x.grain);
	if (k.scores.status == CALC_OK)
		report(&x, &k);
	else
		analysis_note(&x, "At least %d are needed to rank risks; there are %zu.",
			      CALC_SCORES_MIN, k.scored);
}
