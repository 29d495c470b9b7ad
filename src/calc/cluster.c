/* Finds natural groups. k-means finds clusters in any data, so gaps between them are required. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "calc_int.h"
#include "vesper/calc_cluster.h"
#include "vesper/calc_summary.h"

#define SILHOUETTE_MIN   0.25
#define CLUSTER_ROWS_MIN 5
#define CLUSTER_PERCENT  2
#define DIP_P            0.01

/* Rows without a NULL, with scaled columns. */
struct scaled {
	size_t n, count; /* `count`: columns that vary */
	double *columns[CALC_FEATURES_MAX];
	uint32_t *row; /* of the input */
};

static void select_complete_rows(const struct calc *c, const double *const *columns, size_t count,
				 size_t n, struct scaled *s)
{
	s->row = arena_alloc(c->arena, (n + 1) * sizeof(*s->row));
	for (size_t i = 0; i < n; i++) {
		bool is_complete = true;

		for (size_t f = 0; f < count; f++)
			is_complete = is_complete && !calc_is_null(columns[f][i]);
		if (is_complete)
			s->row[s->n++] = (uint32_t)i;
	}
}

static bool scale(const struct calc *c, const double *column, struct scaled *s, double *by,
		  struct err *e)
{
	static const double p[] = {0.25, 0.5, 0.75};
	double *x = calc_doubles(c, s->n + 1), q[3];
	struct calc_moments m;
	size_t present;

	for (size_t i = 0; i < s->n; i++)
		x[i] = column[s->row[i]];
	if (!calc_quantiles(c, x, s->n, p, 3, q, &present, e) || !calc_moments(c, x, s->n, &m, e))
		return false;
	*by = q[2] - q[0];
	if (!(*by > 0))
		*by = m.sd > 0 ? m.sd : 0;
	if (*by == 0)
		return true;
	for (size_t i = 0; i < s->n; i++)
		x[i] = (x[i] - q[1]) / *by;
	s->columns[s->count++] = x;
	return true;
}

static const double *const *columns_of(const struct scaled *s)
{
	return (const double *const *)s->columns;
}

static size_t nearest_to(const struct calc_kmeans *m, size_t k, size_t from, size_t count)
{
	double lowest = INFINITY;
	size_t best = from;

	for (size_t i = 0; i < k; i++) {
		double d = 0;

		for (size_t f = 0; f < count; f++)
			d += (m->centers[i][f] - m->centers[from][f]) *
			     (m->centers[i][f] - m->centers[from][f]);
		if (i != from && d < lowest) {
			lowest = d;
			best = i;
		}
	}
	return best;
}

/* Tests for a gap: projects the rows of both clusters on the line through their centers, and tests
 * for a dip. */
static bool check_gap(const struct calc *c, const struct scaled *s, const struct calc_kmeans *m,
		      size_t a, size_t b, bool *is_separate, struct err *e)
{
	double *line = calc_doubles(c, m->sizes[a] + m->sizes[b] + 1);
	struct calc_dip dip;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		double at = 0;

		if (m->of[i] != a && m->of[i] != b)
			continue;
		for (size_t f = 0; f < s->count; f++)
			at += s->columns[f][i] * (m->centers[b][f] - m->centers[a][f]);
		line[n++] = at;
	}
	if (!calc_dip(c, line, n, &dip, e))
		return false;
	*is_separate = dip.status == CALC_OK && dip.p <= DIP_P;
	return true;
}

static bool check_clusters(const struct calc *c, const struct scaled *s,
			   const struct calc_kmeans *m, size_t k, double *silhouette, bool *passed,
			   struct err *e)
{
	*passed = false;
	for (size_t i = 0; i < k; i++)
		if (m->sizes[i] < CLUSTER_ROWS_MIN || m->sizes[i] * 100 < s->n * CLUSTER_PERCENT)
			return true;
	if (!calc_silhouette(c, columns_of(s), s->count, s->n, m->of, k, silhouette, e))
		return false;
	if (*silhouette < SILHOUETTE_MIN)
		return true;
	*passed = true;
	for (size_t i = 0; i < k && *passed; i++)
		if (!check_gap(c, s, m, i, nearest_to(m, k, i, s->count), passed, e))
			return false;
	return true;
}

static void describe_clusters(const struct calc *c, const double *const *columns, size_t count,
			      size_t n, const struct scaled *s, const struct calc_kmeans *m,
			      struct calc_clusters *out)
{
	struct calc_sum sums[CALC_CLUSTERS_MAX][CALC_FEATURES_MAX] = {0};
	uint32_t *of = arena_alloc(c->arena, (n + 1) * sizeof(*of));

	for (size_t i = 0; i < n; i++)
		of[i] = (uint32_t)out->k;
	for (size_t i = 0; i < s->n && out->k > 0; i++) {
		of[s->row[i]] = m->of[i];
		for (size_t f = 0; f < count; f++)
			calc_sum_add(&sums[m->of[i]][f], columns[f][s->row[i]]);
	}
	for (size_t k = 0; k < out->k; k++) {
		out->sizes[k] = m->sizes[k];
		for (size_t f = 0; f < count; f++)
			out->centers[k][f] = calc_sum_total(&sums[k][f]) / (double)m->sizes[k];
	}
	out->of = of;
}

static bool search(const struct calc *c, const struct scaled *s, struct calc_clusters *out,
		   struct calc_kmeans *best, struct err *e)
{
	for (size_t k = 2; k <= CALC_CLUSTERS_MAX; k++) {
		struct calc_kmeans m;
		double silhouette = 0;
		bool passed;

		if (!calc_kmeans(c, columns_of(s), s->count, s->n, k, &m, e) ||
		    !check_clusters(c, s, &m, k, &silhouette, &passed, e))
			return false;
		if (!passed || (out->k > 0 && silhouette <= out->silhouette))
			continue;
		*best = m;
		out->k = k;
		out->silhouette = silhouette;
	}
	return true;
}

bool calc_clusters(const struct calc *c, const double *const *columns, size_t count, size_t n,
		   struct calc_clusters *out, struct err *e)
{
	struct calc_clusters found = {0};
	struct calc_kmeans best = {0};
	struct scaled s = {0};

	assert(count >= 1 && count <= CALC_FEATURES_MAX);
	for (size_t f = 0; f < count; f++)
		if (!calc_check(c, columns[f], n, CALC_CLUSTER_ENTITIES, e))
			return false;
	select_complete_rows(c, columns, count, n, &s);
	found.n = s.n;
	if (s.n < CALC_CLUSTERS_MIN)
		found.status = CALC_TOO_FEW;
	for (size_t f = 0; f < count && found.status == CALC_OK; f++)
		if (!scale(c, columns[f], &s, &found.scale[f], e))
			return false;
	if (found.status == CALC_OK && s.count == 0)
		found.status = CALC_CONSTANT;
	if (found.status == CALC_OK && !search(c, &s, &found, &best, e))
		return false;
	describe_clusters(c, columns, count, n, &s, &best, &found);
	*out = found;
	return true;
}
