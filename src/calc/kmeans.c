/* k-means and the silhouette. Rows are contiguous, so that a distance reads adjacent memory. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "calc_int.h"
#include "vesper/calc_cluster.h"

struct cloud {
	const double *rows; /* n × count */
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

static inline __attribute__((always_inline)) double distance2(const double *a, const double *b,
							      size_t count)
{
	double sum = 0;

	for (size_t f = 0; f < count; f++)
		sum += (a[f] - b[f]) * (a[f] - b[f]);
	return sum;
}

/*
 * The state of one run; `centers`: k × count. Bounds after Hamerly (2010) save distances. A row is
 * at most `upper` from its center and at least `lower` from any other. `half` is half the distance
 * from a center to the closest other one. If `upper` is below the larger of `lower` and `half` by
 * more than rounding, the row stays.
 */
struct run {
	double *centers, *before, *sums, *nearest, inertia;
	double *upper, *lower;
	double moved[CALC_CLUSTERS_MAX],
		others[CALC_CLUSTERS_MAX]; /* how far each center moved, and the farthest of the
					      others */
	double half[CALC_CLUSTERS_MAX];
	uint32_t *cluster_of;
	size_t *sizes;
	uint32_t *changed,
		*old_cluster; /* rows that changed cluster last, and their old clusters */
	uint32_t *undecided;  /* rows that the bounds do not decide */
	size_t changes;
	bool is_first; /* first round: no row has a cluster yet */
};

/* Rounds between sums over all rows; the other rounds only add changes. */
#define FULL_SUM_ROUNDS 32
#define ROUNDING        1e-9 /* relative, of a bound after many additions and subtractions */

/* k-means++: each next center is a random row, with a probability proportional to its squared
 * distance. */
static void seed_centers(const struct cloud *w, struct calc_rng *rng, struct run *r)
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

/* The nearest center (the first of equal ones), and the bounds. */
static inline __attribute__((always_inline)) uint32_t nearest_of(const double *row,
								 const double *centers, size_t k,
								 const size_t count, double *upper,
								 double *lower)
{
	double lowest = INFINITY, second = INFINITY;
	uint32_t best = 0;

	for (uint32_t c = 0; c < k; c++) {
		double d = distance2(row, centers + c * count, count);
		bool is_less = d < lowest;

		second = is_less ? lowest : d < second ? d : second;
		best = is_less ? c : best;
		lowest = is_less ? d : lowest;
	}
	*upper = sqrt(lowest);
	*lower = sqrt(second);
	return best;
}

/* Lists rows that may now be nearer to another center; returns how many. Without branches, since
 * they could not be predicted. */
static size_t find_undecided(const struct cloud *w, struct run *r)
{
	double moved[CALC_CLUSTERS_MAX], others[CALC_CLUSTERS_MAX], half[CALC_CLUSTERS_MAX];
	double *upper = r->upper, *lower = r->lower;
	const uint32_t *cluster_of = r->cluster_of;
	uint32_t *undecided = r->undecided;
	size_t n = 0;

	memcpy(moved, r->moved, sizeof(moved));
	memcpy(others, r->others, sizeof(others));
	memcpy(half, r->half, sizeof(half));
	for (size_t i = 0; i < w->n; i++) {
		uint32_t k = cluster_of[i];
		double far = upper[i] + moved[k], bound = lower[i] - others[k];

		upper[i] = far;
		lower[i] = bound;
		bound = bound > half[k] ? bound : half[k];
		undecided[n] = (uint32_t)i;
		n += !(far < bound * (1 - ROUNDING));
	}
	return n;
}

/* Keeps the rows that are still undecided after measuring the distance to their center. */
static inline __attribute__((always_inline)) size_t
measure_undecided(const struct cloud *w, struct run *r, size_t n, const size_t count)
{
	const double *rows = w->rows, *centers = r->centers;
	uint32_t *undecided = r->undecided;
	size_t left = 0;

	for (size_t u = 0; u < n; u++) {
		size_t i = undecided[u];
		uint32_t k = r->cluster_of[i];
		double far = sqrt(distance2(rows + i * count, centers + k * count, count)),
		       bound = r->lower[i] > r->half[k] ? r->lower[i] : r->half[k];

		r->upper[i] = far;
		undecided[left] = (uint32_t)i;
		left += !(far < bound * (1 - ROUNDING));
	}
	return left;
}

/* Assigns each row to its nearest center. Most of the time is spent here, so the compiler gets the
 * number of columns as a constant. */
static inline __attribute__((always_inline)) void assign_rows(const struct cloud *w, struct run *r,
							      const size_t count)
{
	const double *rows = w->rows, *centers = r->centers;
	size_t n = r->is_first ? w->n : find_undecided(w, r);

	if (!r->is_first)
		n = measure_undecided(w, r, n, count);
	r->changes = 0;
	for (size_t u = 0; u < n; u++) {
		size_t i = r->is_first ? u : r->undecided[u];
		uint32_t old_cluster = r->cluster_of[i],
			 best = nearest_of(rows + i * count, centers, w->k, count, &r->upper[i],
					   &r->lower[i]);

		r->cluster_of[i] = best;
		r->changed[r->changes] = (uint32_t)i;
		r->old_cluster[r->changes] = old_cluster;
		r->changes += best != old_cluster;
	}
	r->is_first = false;
}

static void assign(const struct cloud *w, struct run *r)
{
	switch (w->count) {
	case 1:
		assign_rows(w, r, 1);
		break;
	case 2:
		assign_rows(w, r, 2);
		break;
	case 3:
		assign_rows(w, r, 3);
		break;
	case 4:
		assign_rows(w, r, 4);
		break;
	default:
		assign_rows(w, r, w->count);
	}
}

/* Squared distances to the rows' centers, and their sum. */
static double sum_distances(const struct cloud *w, struct run *r, const double *centers)
{
	double sum = 0;

	for (size_t i = 0; i < w->n; i++) {
		r->nearest[i] = distance2(w->rows + i * w->count,
					  centers + r->cluster_of[i] * w->count, w->count);
		sum += r->nearest[i];
	}
	return sum;
}

/* The row furthest from its center becomes the center of an empty cluster. */
static void fill_empty(const struct cloud *w, struct run *r, size_t k)
{
	size_t far = 0;

	for (size_t i = 1; i < w->n; i++)
		if (r->nearest[i] > r->nearest[far])
			far = i;
	memcpy(r->centers + k * w->count, w->rows + far * w->count, w->count * sizeof(*r->centers));
	r->nearest[far] = 0;
}

static void add_row(const struct cloud *w, struct run *r, size_t row, uint32_t k, double sign)
{
	for (size_t f = 0; f < w->count; f++)
		r->sums[k * w->count + f] += sign * w->rows[row * w->count + f];
}

/* Sums all rows of each cluster. */
static void sum_all(const struct cloud *w, struct run *r)
{
	memset(r->sums, 0, w->k * w->count * sizeof(*r->sums));
	memset(r->sizes, 0, w->k * sizeof(*r->sizes));
	for (size_t i = 0; i < w->n; i++) {
		r->sizes[r->cluster_of[i]]++;
		add_row(w, r, i, r->cluster_of[i], 1);
	}
}

/* Updates the sums by the rows that changed cluster. */
static void sum_changes(const struct cloud *w, struct run *r)
{
	for (size_t n = 0; n < r->changes; n++) {
		size_t i = r->changed[n];

		add_row(w, r, i, r->old_cluster[n], -1);
		r->sizes[r->old_cluster[n]]--;
		add_row(w, r, i, r->cluster_of[i], 1);
		r->sizes[r->cluster_of[i]]++;
	}
}

/* Moves the centers to the means of their clusters, and measures how far they moved. */
static void move_centers(const struct cloud *w, struct run *r)
{
	bool is_measured = false;

	memcpy(r->before, r->centers, w->k * w->count * sizeof(*r->centers));
	for (size_t k = 0; k < w->k; k++) {
		if (r->sizes[k] == 0) {
			if (!is_measured)
				(void)sum_distances(w, r, r->before);
			is_measured = true;
			fill_empty(w, r, k);
		} else {
			for (size_t f = 0; f < w->count; f++)
				r->centers[k * w->count + f] =
					r->sums[k * w->count + f] / (double)r->sizes[k];
		}
	}
	for (size_t k = 0; k < w->k; k++)
		r->moved[k] = sqrt(
			distance2(r->before + k * w->count, r->centers + k * w->count, w->count));
	for (size_t k = 0; k < w->k; k++) {
		double closest = INFINITY;

		r->others[k] = 0;
		for (size_t o = 0; o < w->k; o++) {
			if (o == k)
				continue;
			r->others[k] = fmax(r->others[k], r->moved[o]);
			closest = fmin(closest, distance2(r->centers + k * w->count,
							  r->centers + o * w->count, w->count));
		}
		r->half[k] = sqrt(closest) / 2;
	}
}

static bool lloyd(const struct calc *c, const struct cloud *w, struct run *r, struct err *e)
{
	size_t work = 0;
	bool is_exact = false; /* centers are means over all rows */

	memset(r->cluster_of, 0xff, w->n * sizeof(*r->cluster_of));
	r->is_first = true;
	for (size_t round = 0; round < CALC_ROUNDS_MAX; round++) {
		assign(w, r);
		if (r->changes == 0 && is_exact)
			break;
		is_exact = r->changes == 0 || r->changes > w->n / 8 || round % FULL_SUM_ROUNDS == 0;
		if (is_exact)
			sum_all(w, r);
		else
			sum_changes(w, r);
		move_centers(w, r);
		if (calc_is_cancelled_after(c, &work, w->n * w->k, e))
			return false;
	}
	r->inertia = sum_distances(w, r, r->centers);
	return true;
}

/* Numbers clusters by their first rows; sums the inertia with compensation. */
static void fill_result(const struct cloud *w, const struct run *best, struct calc_kmeans *out)
{
	uint32_t number[CALC_CLUSTERS_MAX];
	struct calc_sum inertia = {0};
	uint32_t next = 0;

	memset(number, 0xff, sizeof(number));
	memset(out->sizes, 0, sizeof(out->sizes));
	memset(out->centers, 0, sizeof(out->centers));
	for (size_t i = 0; i < w->n; i++) {
		const uint32_t old = best->cluster_of[i];

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
			    .before = calc_doubles(c, w->k * w->count),
			    .sums = calc_doubles(c, w->k * w->count),
			    .nearest = calc_doubles(c, w->n),
			    .upper = calc_doubles(c, w->n),
			    .lower = calc_doubles(c, w->n),
			    .cluster_of = arena_alloc(c->arena, w->n * sizeof(uint32_t)),
			    .changed = arena_alloc(c->arena, w->n * sizeof(uint32_t)),
			    .old_cluster = arena_alloc(c->arena, w->n * sizeof(uint32_t)),
			    .undecided = arena_alloc(c->arena, w->n * sizeof(uint32_t)),
			    .sizes = arena_alloc(c->arena, w->k * sizeof(size_t))};
}

bool calc_kmeans(const struct calc *c, const double *const *columns, size_t count, size_t n,
		 size_t k, struct calc_kmeans *out, struct err *e)
{
	const struct cloud w = {rows_of(c, columns, count, n), n, count, k};
	struct run best = run_new(c, &w), current = run_new(c, &w);
	struct calc_rng rng = calc_rng_new(k);

	assert(k >= 2 && k <= CALC_CLUSTERS_MAX && n >= k && count >= 1 &&
	       count <= CALC_FEATURES_MAX);
	for (size_t f = 0; f < count; f++)
		if (!calc_check(c, columns[f], n, CALC_VALUES_MAX, e))
			return false;
	best.inertia = INFINITY;
	for (size_t i = 0; i < CALC_RESTARTS; i++) {
		seed_centers(&w, &rng, &current);
		if (!lloyd(c, &w, &current, e))
			return false;
		if (current.inertia < best.inertia) {
			struct run previous = best;

			best = current;
			current = previous;
		}
	}
	out->of = arena_alloc(c->arena, (n + 1) * sizeof(*out->of));
	fill_result(&w, &best, out);
	return true;
}

/* ---- silhouette ---- */

/* s of one row: how much nearer it is to its cluster than to the next one. */
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
	size_t step = (n + CALC_SILHOUETTE_MAX - 1) / CALC_SILHOUETTE_MAX, work = 0, used = 0;
	size_t sizes[CALC_CLUSTERS_MAX] = {0};
	struct calc_sum all = {0};

	assert(n > 0 && k <= CALC_CLUSTERS_MAX);
	for (size_t i = 0; i < n; i += step, used++)
		sizes[of[i]]++;
	for (size_t i = 0; i < n; i += step) {
		double sums[CALC_CLUSTERS_MAX] = {0};

		for (size_t j = 0; j < n; j += step)
			sums[of[j]] += sqrt(distance2(rows + i * count, rows + j * count, count));
		calc_sum_add(&all, silhouette(sums, sizes, k, of[i]));
		if (calc_is_cancelled_after(c, &work, used, e))
			return false;
	}
	*out = calc_sum_total(&all) / (double)used;
	return true;
}
