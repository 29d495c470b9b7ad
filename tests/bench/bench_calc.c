/*
 * Measures each kernel at its largest input: CPU time, and the longest time that it continues after
 * *cancelled is set at one of several moments. `bench_calc NAME` runs one kernel once, for valgrind
 * or perf.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vesper/calc_cluster.h"
#include "vesper/calc_groups.h"
#include "vesper/calc_series.h"
#include "vesper/calc_summary.h"
#include "vesper/calc_trend.h"
#include "vesper/limits.h"

#define MOMENTS 12

static atomic_bool cancelled;
static volatile int64_t cancelled_ns;
static double *values;
static double *codes;
static uint32_t *groups;
static bool *flags;

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void on_timer(int signal)
{
	(void)signal;
	cancelled_ns = cpu_ns();
	atomic_store(&cancelled, true);
}

#define N CALC_VALUES_MAX

static bool order(const struct calc *c)
{
	uint32_t *rows;
	size_t present;
	return calc_order(c, values, N, &rows, &present, NULL);
}

static bool ranks(const struct calc *c)
{
	double *out;
	return calc_ranks(c, values, N, &out, NULL, NULL);
}

static bool quantiles(const struct calc *c)
{
	double out;
	size_t present;
	return calc_quantiles(c, values, N, (double[]){0.5}, 1, &out, &present, NULL);
}

static bool moments(const struct calc *c)
{
	struct calc_moments out;
	return calc_moments(c, values, N, &out, NULL);
}

static bool concentration(const struct calc *c)
{
	struct calc_concentration out;
	return calc_concentration(c, codes, N, &out, NULL);
}

static bool bins(const struct calc *c)
{
	struct calc_bins *out;
	return calc_bins(c, values, N, &out, NULL);
}

static bool spread(const struct calc *c)
{
	struct calc_spread out;
	return calc_spread(c, values, N, &out, NULL);
}

static bool outliers(const struct calc *c)
{
	struct calc_outliers out;
	return calc_outliers(c, values, N, CALC_ROBUST, &out, NULL);
}

static bool hampel(const struct calc *c)
{
	bool *out;
	size_t found;
	return calc_hampel(c, values, N, 7, 3, &out, &found, NULL);
}

static bool hampel_widest(const struct calc *c)
{
	bool *out;
	size_t found;
	return calc_hampel(c, values, N, CALC_WINDOW_MAX, 3, &out, &found, NULL);
}

static bool profile(const struct calc *c)
{
	struct frame_column column = {.name = "v", .type = FRAME_REAL, .v.r = values};
	const struct frame f = {.rows = N, .columns = &column, .column_count = 1};
	struct calc_profile out;
	return calc_profile(c, &f, 0, &out, NULL);
}

static bool mann_kendall(const struct calc *c)
{
	struct calc_mann_kendall out;
	return calc_mann_kendall(c, values, CALC_PAIRS_MAX, &out, NULL);
}

static bool theil_sen(const struct calc *c)
{
	struct calc_theil_sen out;
	return calc_theil_sen(c, NULL, values, CALC_PAIRS_MAX, &out, NULL);
}

static bool trend(const struct calc *c)
{
	struct calc_trend out;
	return calc_trend(c, values, CALC_PAIRS_MAX, &out, NULL);
}

static bool trend_1000(const struct calc *c)
{
	struct calc_trend out;
	return calc_trend(c, values, 1000, &out, NULL);
}

static bool spearman(const struct calc *c)
{
	struct calc_spearman out;
	return calc_spearman(c, values, codes, N, &out, NULL);
}

static bool kruskal(const struct calc *c)
{
	struct calc_kruskal out;
	return calc_kruskal(c, values, groups, N, 10, &out, NULL);
}

static bool independence(const struct calc *c)
{
	struct calc_independence out;
	return calc_independence(c, codes, N / 10, 10, &out, NULL);
}

static bool season_12(const struct calc *c)
{
	struct calc_season out;
	return calc_season(c, values, 1000, 12, &out, NULL);
}

static bool season_largest(const struct calc *c)
{
	struct calc_season out;
	return calc_season(c, values, CALC_SERIES_MAX, CALC_PERIOD_MAX, &out, NULL);
}

static bool forecast_480(const struct calc *c)
{
	const struct calc_forecast_options o = {.horizon = 7, .season = 7, .before = 30};
	struct calc_forecast out;
	return calc_forecast(c, values, 480, &o, &out, NULL);
}

static bool forecast_largest(const struct calc *c)
{
	const struct calc_forecast_options o = {
		.horizon = CALC_HORIZON_MAX, .season = CALC_PERIOD_MAX, .before = CALC_PERIOD_MAX};
	struct calc_forecast out;
	return calc_forecast(c, values, CALC_SERIES_MAX, &o, &out, NULL);
}

static bool shift(const struct calc *c)
{
	struct calc_shift out;
	return calc_shift(c, values, CALC_SERIES_MAX, &out, NULL);
}

static bool runs(const struct calc *c)
{
	struct calc_run *out;
	size_t count;
	return calc_runs(c, flags, N, 1, &out, &count, NULL);
}

static bool runs_equal(const struct calc *c)
{
	struct calc_run *out;
	size_t count;
	return calc_runs_equal(c, codes, N, 0, 1, &out, &count, NULL);
}

static bool integral(const struct calc *c)
{
	struct calc_area out;
	return calc_integral(c, values + N, values, N, 10, &out, NULL);
}

static const struct calc_feature features[] = {{NULL, false}, {NULL, false}, {NULL, true},
					       {NULL, true},  {NULL, false}, {NULL, false},
					       {NULL, true},  {NULL, true}};

static void features_of(struct calc_feature out[8])
{
	for (int i = 0; i < 8; i++)
		out[i] = (struct calc_feature){features[i].is_code ? codes : values,
					       features[i].is_code};
}

static bool gower(const struct calc *c)
{
	struct calc_feature f[8];
	double *out;
	features_of(f);
	return calc_gower(c, f, 8, N, 5, &out, NULL);
}

static bool medoid(const struct calc *c)
{
	struct calc_feature f[8];
	size_t out;
	features_of(f);
	return calc_medoid(c, f, 8, N, flags, &out, NULL);
}

static bool scores(const struct calc *c)
{
	const double *of[] = {values, codes, values, codes, values, codes};
	struct calc_scores out;
	return calc_scores(c, of, (double[]){1, 2, 3, 4, 5, 6}, 6, N, &out, NULL);
}

/* Both cuts of tiers over 200,000 entities. */
static bool tiers(const struct calc *c)
{
	double cuts[2];
	uint32_t *rows;
	size_t present;

	return calc_quantiles(c, values, 200000, (const double[]){0.2, 0.8}, 2, cuts, &present,
			      NULL) &&
	       calc_order(c, values, 200000, &rows, &present, NULL);
}

/* One cloud of 10,000 rows in four columns, for k = 2..6. */
static bool kmeans(const struct calc *c)
{
	const double *const of[] = {values, values + 10000, values + 20000, values + 30000};
	struct calc_kmeans out;

	for (size_t k = 2; k <= CALC_CLUSTERS_MAX; k++)
		if (!calc_kmeans(c, of, 4, 10000, k, &out, NULL))
			return false;
	return true;
}

static bool clusters(const struct calc *c)
{
	const double *const of[] = {values, values + 10000, values + 20000, values + 30000};
	struct calc_clusters out;

	return calc_clusters(c, of, 4, 10000, &out, NULL);
}

static bool season_1000(const struct calc *c)
{
	struct calc_season out;

	return calc_season(c, values, 1000, 12, &out, NULL);
}

static bool elasticity(const struct calc *c)
{
	struct calc_elasticity out;

	return calc_elasticity(c, codes, values, N, &out, NULL);
}

static bool line(const struct calc *c)
{
	struct calc_line out;
	return calc_line(c, values + N, values, N, &out, NULL);
}

#define KERNEL(f)                                                                                  \
	{                                                                                          \
#f, f                                                                              \
	}
static const struct {
	const char *name;
	bool (*run)(const struct calc *c);
} kernels[] = {
	KERNEL(order),         KERNEL(ranks),
	KERNEL(quantiles),     KERNEL(moments),
	KERNEL(concentration), KERNEL(bins),
	KERNEL(spread),        KERNEL(outliers),
	KERNEL(hampel),        KERNEL(hampel_widest),
	KERNEL(profile),       KERNEL(mann_kendall),
	KERNEL(theil_sen),     KERNEL(trend),
	KERNEL(trend_1000),    KERNEL(spearman),
	KERNEL(kruskal),       KERNEL(independence),
	KERNEL(season_12),     KERNEL(season_largest),
	KERNEL(forecast_480),  KERNEL(forecast_largest),
	KERNEL(shift),         KERNEL(runs),
	KERNEL(runs_equal),    KERNEL(integral),
	KERNEL(gower),         KERNEL(medoid),
	KERNEL(scores),        KERNEL(line),
	KERNEL(tiers),         KERNEL(kmeans),
	KERNEL(clusters),      KERNEL(season_1000),
	KERNEL(elasticity),
};

static double run(size_t k, timer_t timer, int64_t cancel_after_ns, double *late_ms)
{
	struct calc c = {.arena = arena_new(SIZE_MAX / 2), .cancelled = &cancelled};
	const struct itimerspec at = {
		.it_value = {cancel_after_ns / 1000000000, cancel_after_ns % 1000000000}};
	int64_t begin, end;

	atomic_store(&cancelled, false);
	begin = cpu_ns();
	if (cancel_after_ns > 0)
		timer_settime(timer, 0, &at, NULL);
	bool done = kernels[k].run(&c);
	end = cpu_ns();
	timer_settime(timer, 0, &(struct itimerspec){0}, NULL);
	if (atomic_load(&cancelled) && (double)(end - cancelled_ns) / 1e6 > *late_ms)
		*late_ms = (double)(end - cancelled_ns) / 1e6;
	if (!done && !atomic_load(&cancelled))
		printf("%s failed\n", kernels[k].name);
	arena_free(&c.arena);
	return (double)(end - begin) / 1e6;
}

int main(int argc, char **argv)
{
	struct calc_rng r = calc_rng_new(99);
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t timer;

	signal(SIGUSR1, on_timer);
	timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer);
	values = malloc(2 * N * sizeof(*values)); /* the second half contains times */
	codes = malloc(N * sizeof(*codes));
	groups = malloc(N * sizeof(*groups));
	flags = malloc(N * sizeof(*flags));
	for (size_t i = 0; i < N; i++) {
		values[i] = calc_rng_unit(&r) - 0.5;
		values[N + i] = (double)i;
		codes[i] = (double)(calc_rng_below(&r, 10) + 10);
		groups[i] = (uint32_t)calc_rng_below(&r, 10);
		flags[i] = calc_rng_below(&r, 2);
	}
	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		double late = 0;
		if (argc > 1 && strcmp(argv[1], kernels[k].name) != 0)
			continue;
		double ms = run(k, timer, 0, &late);
		for (int m = 1; argc == 1 && m < MOMENTS; m++)
			run(k, timer, (int64_t)(ms * 1e6 * m / MOMENTS), &late);
		printf("%-18s %9.2f ms, cancelled within %6.2f ms\n", kernels[k].name, ms, late);
	}
	free(values);
	free(codes);
	free(groups);
	free(flags);
	return 0;
}
