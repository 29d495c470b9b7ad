/* k-means and the silhouette. Rows lie one behind the other, so that a distance reads one line. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "calc_int.h"
#include "vesper/calc_cluster.h"

struct cloud {
	const double *rows; /* n times count */
	size_t n, count, k;
};

static double *rows_of(const struct calc *c, const double *const *columns, size_t count, size_t n)
{
	double *rows = calc_doubles(c, n * count + 1);

	for (size_t i = 0; i < n; i++)
		for (size_t f = 0; f < count; f++)
			rows[i * count + f] = columns[f][i];
	return rows;
}

static double distance2(const double *a, const double *b, size_t count)
{
	double sum = 0;

	for (size_t f = 0; f < count; f++)
		sum += (a[f] - b[f]) * (a[f] - b[f]);
	return sum;
}

/* One run's state; centers k times count. */
struct run {
	double *centers, *nearest, inertia;
	uint32_t *of;
	size_t *sizes;
};

/* k-means++: each next center is a row, by chance in proportion to its squared distance. */
static void seed(const struct cloud *w, struct calc_rng *rng, struct run *r)
{
	size_t row = calc_rng_below(rng, w->n);

	for (size_t i = 0; i < w->n; i++)
		r->nearest[i] = INFINITY;
	for (size_t k = 0;; k++) {
		const double *center = w->rows + row * w->count;
		double all = 0, at;

		memcpy(r->centers + k * w->count, center, w->count * sizeof(*center));
		if (k + 1 == w->k)
			return;
		for (size_t i = 0; i < w->n; i++) {
			r->nearest[i] = fmin(r->nearest[i],
					     distance2(w->rows + i * w->count, center, w->count));
			all += r->nearest[i];
		}
		at = calc_rng_unit(rng) * all;
		for (row = 0; row + 1 < w->n && (at -= r->nearest[row]) >= 0;)
			row++;
	}
}

/* Each row to the nearest center, the first of equal ones; how many changed. */
static size_t assign(const struct cloud *w, struct run *r)
{
	size_t changed = 0;

	r->inertia = 0;
	for (size_t i = 0; i < w->n; i++) {
		const double *row = w->rows + i * w->count;
		uint32_t best = 0;
		double least = INFINITY;

		for (uint32_t k = 0; k < w->k; k++) {
			double d = distance2(row, r->centers + k * w->count, w->count);

			if (d < least) {
				least = d;
				best = k;
			}
		}
		changed += r->of[i] != best;
		r->of[i] = best;
		r->nearest[i] = least;
		r->inertia += least;
	}
	return changed;
}

/* The row furthest from its center becomes the center of a cluster without rows. */
static void fill_empty(const struct cloud *w, struct run *r, size_t k)
{
	size_t far = 0;

	for (size_t i = 1; i < w->n; i++)
		if (r->nearest[i] > r->nearest[far])
			far = i;
	memcpy(r->centers + k * w->count, w->rows + far * w->count, w->count * sizeof(*r->centers));
	r->nearest[far] = 0;
}

static void center(const struct cloud *w, struct run *r)
{
	memset(r->centers, 0, w->k * w->count * sizeof(*r->centers));
	memset(r->sizes, 0, w->k * sizeof(*r->sizes));
	for (size_t i = 0; i < w->n; i++) {
		r->sizes[r->of[i]]++;
		for (size_t f = 0; f < w->count; f++)
			r->centers[r->of[i] * w->count + f] += w->rows[i * w->count + f];
	}
	for (size_t k = 0; k < w->k; k++) {
		if (r->sizes[k] == 0)
			fill_empty(w, r, k);
		else
			for (size_t f = 0; f < w->count; f++)
				r->centers[k * w->count + f] /= (double)r->sizes[k];
	}
}

static bool lloyd(const struct calc *c, const struct cloud *w, struct run *r, struct err *e)
{
	size_t work = 0;

	memset(r->of, 0xff, w->n * sizeof(*r->of));
	for (size_t round = 0; round < CALC_ROUNDS_MAX && assign(w, r) > 0; round++) {
		center(w, r);
		if (calc_worked(c, &work, w->n * w->k, e))
			return false;
	}
	return true;
}

/* Numbers by first rows; inertia by compensation. */
static void tell(const struct cloud *w, const struct run *best, struct calc_kmeans *out)
{
	uint32_t number[CALC_CLUSTERS_MAX];
	struct calc_sum inertia = {0};
	uint32_t next = 0;

	memset(number, 0xff, sizeof(number));
	memset(out->sizes, 0, sizeof(out->sizes));
	memset(out->centers, 0, sizeof(out->centers));
	for (size_t i = 0; i < w->n; i++) {
		const uint32_t old = best->of[i];

		if (number[old] == UINT32_MAX)
			number[old] = next++;
		out->of[i] = number[old];
		out->sizes[out->of[i]]++;
		memcpy(out->centers[out->of[i]], best->centers + old * w->count,
		       w->count * sizeof(double));
		calc_sum_add(&inertia, distance2(w->rows + i * w->count,
						 best->centers + old * w->count, w->count));
	}
	out->inertia = calc_sum_total(&inertia);
}

static struct run run_new(const struct calc *c, const struct cloud *w)
{
	return (struct run){.centers = calc_doubles(c, w->k * w->count),
			    .nearest = calc_doubles(c, w->n),
			    .of = arena_alloc(c->arena, w->n * sizeof(uint32_t)),
			    .sizes = arena_alloc(c->arena, w->k * sizeof(size_t))};
}

bool calc_kmeans(const struct calc *c, const double *const *columns, size_t count, size_t n,
		 size_t k, struct calc_kmeans *out, struct err *e)
{
	const struct cloud w = {rows_of(c, columns, count, n), n, count, k};
	struct run best = run_new(c, &w), now = run_new(c, &w);
	struct calc_rng rng = calc_rng_new(k);

	assert(k >= 2 && k <= CALC_CLUSTERS_MAX && n >= k && count >= 1 &&
	       count <= CALC_FEATURES_MAX);
	for (size_t f = 0; f < count; f++)
		if (!calc_check(c, columns[f], n, CALC_VALUES_MAX, e))
			return false;
	best.inertia = INFINITY;
	for (size_t i = 0; i < CALC_RESTARTS; i++) {
		seed(&w, &rng, &now);
		if (!lloyd(c, &w, &now, e))
			return false;
		if (now.inertia < best.inertia) {
			struct run other = best;

			best = now;
			now = other;
		}
	}
	out->of = arena_alloc(c->arena, (n + 1) * sizeof(*out->of));
	tell(&w, &best, out);
	return true;
}

/* ---- silhouette ---- */

/* s of one row: how much nearer its own cluster is than the next one. */
static double silhouette(const double *sums, const size_t *sizes, size_t k, uint32_t own)
{
	double inside, outside = INFINITY;

	if (sizes[own] < 2)
		return 0;
	inside = sums[own] / (double)(sizes[own] - 1);
	for (size_t i = 0; i < k; i++)
		if (i != own && sizes[i] > 0)
			outside = fmin(outside, sums[i] / (double)sizes[i]);
	return fmax(inside, outside) > 0 ? (outside - inside) / fmax(inside, outside) : 0;
}

bool calc_silhouette(const struct calc *c, const double *const *columns, size_t count, size_t n,
		     const uint32_t *of, size_t k, double *out, struct err *e)
{
	const double *rows = rows_of(c, columns, count, n);
	size_t step = (n + CALC_SILHOUETTE_MAX - 1) / CALC_SILHOUETTE_MAX, work = 0, looked = 0;
	size_t sizes[CALC_CLUSTERS_MAX] = {0};
	struct calc_sum all = {0};

	assert(n > 0 && k <= CALC_CLUSTERS_MAX);
	for (size_t i = 0; i < n; i += step, looked++)
		sizes[of[i]]++;
	for (size_t i = 0; i < n; i += step) {
		double sums[CALC_CLUSTERS_MAX] = {0};

		for (size_t j = 0; j < n; j += step)
			sums[of[j]] += sqrt(distance2(rows + i * count, rows + j * count, count));
		calc_sum_add(&all, silhouette(sums, sizes, k, of[i]));
		if (calc_worked(c, &work, looked, e))
			return false;
	}
	*out = calc_sum_total(&all) / (double)looked;
	return true;
}
