/* Distances between rows of numbers and codes, and scores by rank. */
#include <assert.h>
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_groups.h"

static bool check(const struct calc *c, const struct calc_feature *features, size_t count, size_t n,
		  struct err *e)
{
	for (size_t f = 0; f < count; f++)
		if (!calc_check(c, features[f].values, n, CALC_VALUES_MAX, e))
			return false;
	return true;
}

static double *ranges_of(const struct calc *c, const struct calc_feature *features, size_t count,
			 size_t n)
{
	double *ranges = calc_doubles(c, count);

	for (size_t f = 0; f < count; f++) {
		double low = INFINITY, high = -INFINITY;
		for (size_t i = 0; i < n; i++) {
			low = fmin(low, features[f].values[i]); /* ignores NAN */
			high = fmax(high, features[f].values[i]);
		}
		ranges[f] = fmax(0, high - low);
	}
	return ranges;
}

static double distance(const struct calc_feature *features, const double *ranges, size_t count,
		       size_t a, size_t b)
{
	double sum = 0;
	size_t used = 0;

	for (size_t f = 0; f < count; f++) {
		double x = features[f].values[a], y = features[f].values[b];
		if (calc_is_null(x) || calc_is_null(y) || ranges[f] == 0)
			continue;
		sum += features[f].is_code ? x != y : fabs(x - y) / ranges[f];
		used++;
	}
	return used ? sum / (double)used : NAN;
}

bool calc_gower(const struct calc *c, const struct calc_feature *features, size_t feature_count,
		size_t n, size_t from, double **distances, struct err *e)
{
	size_t work = 0;

	assert(from < n);
	if (!check(c, features, feature_count, n, e))
		return false;
	const double *ranges = ranges_of(c, features, feature_count, n);
	double *out = calc_doubles(c, n);
	for (size_t i = 0; i < n; i++) {
		out[i] = i == from ? 0 : distance(features, ranges, feature_count, from, i);
		if (calc_is_cancelled_after(c, &work, feature_count, e))
			return false;
	}
	*distances = out;
	return true;
}

/* Every k-th member, so that there are at most CALC_PAIRS_MAX. */
static size_t *members_of(const struct calc *c, const bool *is_member, size_t n, size_t *count)
{
	size_t all = 0, seen = 0;

	for (size_t i = 0; i < n; i++)
		all += is_member[i];
	size_t step = (all + CALC_PAIRS_MAX - 1) / CALC_PAIRS_MAX;
	size_t *rows = arena_alloc(c->arena, (all + 1) * sizeof(*rows));
	*count = 0;
	for (size_t i = 0; i < n; i++)
		if (is_member[i] && seen++ % step == 0)
			rows[(*count)++] = i;
	return rows;
}

bool calc_medoid(const struct calc *c, const struct calc_feature *features, size_t feature_count,
		 size_t n, const bool *is_member, size_t *row, struct err *e)
{
	size_t count, best = n, work = 0;
	double lowest = INFINITY;

	if (!check(c, features, feature_count, n, e))
		return false;
	const double *ranges = ranges_of(c, features, feature_count, n);
	const size_t *rows = members_of(c, is_member, n, &count);
	for (size_t i = 0; i < count; i++) {
		double sum = 0;
		for (size_t k = 0; k < count; k++) {
			double d = distance(features, ranges, feature_count, rows[i], rows[k]);
			sum += calc_is_null(d) ? 1 : d; /* unknown counts as far */
			if (calc_is_cancelled_after(c, &work, feature_count, e))
				return false;
		}
		if (sum >= lowest)
			continue;
		lowest = sum;
		best = rows[i];
	}
	*row = best;
	return true;
}

/* Adds an indicator's ranks to the scores; NAN for rows without a value. */
static bool add_ranks(const struct calc *c, const double *values, size_t n, double share,
		      double *scores, struct err *e)
{
	double *ranks;
	size_t present = 0;

	if (!calc_ranks(c, values, n, &ranks, NULL, e))
		return false;
	for (size_t i = 0; i < n; i++)
		present += !calc_is_null(ranks[i]);
	for (size_t i = 0; i < n; i++)
		scores[i] += 100 * share * (ranks[i] - 0.5) / (double)present;
	return true;
}

bool calc_scores(const struct calc *c, const double *const *indicators, const double *weights,
		 size_t indicator_count, size_t n, struct calc_scores *out, struct err *e)
{
	struct calc_scores o = {0};
	double *scores = calc_doubles(c, n), sum = 0;

	for (size_t k = 0; k < indicator_count; k++) {
		if (!(weights[k] >= 0 && weights[k] <= CALC_VALUE_MAX))
			return err_set(e, ERR_INPUT, "Weight %zu, %g, is not in 0..%g.", k + 1,
				       weights[k], CALC_VALUE_MAX);
		sum += weights[k];
	}
	if (sum == 0)
		return err_set(e, ERR_INPUT, "All weights are 0; at least one must be positive.");
	for (size_t k = 0; k < indicator_count; k++)
		if (!add_ranks(c, indicators[k], n, weights[k] / sum, scores, e))
			return false;
	for (size_t i = 0; i < n; i++)
		o.not_scored += calc_is_null(scores[i]);
	o.scored = n - o.not_scored;
	if (o.scored < CALC_SCORES_MIN)
		o.status = CALC_TOO_FEW;
	else
		o.scores = scores;
	*out = o;
	return true;
}
