/*
 * Writes src/calc/dip_table.h: quantiles of √n·dip of uniform samples, by the kernel itself. Run by
 * hand, then format: ninja -C build dip_table && build/dip_table > src/calc/dip_table.h
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "vesper/arena.h"
#include "vesper/calc_cluster.h"

enum { SAMPLES = 100000, BYTES = 64 * 1024 * 1024 };

static const size_t sizes[] = {10, 15, 20, 30, 50, 100, 200, 500, 1000, 2000};
static const double quantiles[] = {0.01, 0.1,  0.3,  0.5,  0.7,   0.8,
				   0.9,  0.95, 0.98, 0.99, 0.995, 0.999};

static double dips[SAMPLES];

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sample(size_t n, struct calc_rng *rng)
{
	static double x[4096];

	for (size_t i = 0; i < SAMPLES; i++) {
		struct calc c = {.arena = arena_new(BYTES)};
		struct calc_dip d;
		struct err e;

		for (size_t k = 0; k < n; k++)
			x[k] = calc_rng_unit(rng);
		if (!calc_dip(&c, x, n, &d, &e))
			exit(1);
		dips[i] = sqrt((double)n) * d.dip;
		arena_free(&c.arena);
	}
	qsort(dips, SAMPLES, sizeof(*dips), ascending);
}

int main(void)
{
	enum {
		SIZES = sizeof(sizes) / sizeof(*sizes),
		QUANTILES = sizeof(quantiles) / sizeof(*quantiles)
	};

	printf("/* Quantiles of √n·dip of %d uniform samples of each size; tests/calc/dip_table.c "
	       "wrote them. */\n",
	       SAMPLES);
	printf("#define DIP_SIZES %d\n#define DIP_COLUMNS %d\nstatic const size_t "
	       "dip_sizes[DIP_SIZES] = {",
	       SIZES, QUANTILES);
	for (size_t i = 0; i < SIZES; i++)
		printf("%s%zu", i ? ", " : "", sizes[i]);
	printf("};\n/* of more than that */\nstatic const double dip_p[DIP_COLUMNS] = {");
	for (size_t i = 0; i < QUANTILES; i++)
		printf("%s%.3g", i ? ", " : "", 1 - quantiles[i]);
	printf("};\nstatic const double dip_quantiles[DIP_SIZES][DIP_COLUMNS] = {\n");
	for (size_t i = 0; i < SIZES; i++) {
		struct calc_rng rng = calc_rng_new(sizes[i]);

		sample(sizes[i], &rng);
		printf("{");
		for (size_t q = 0; q < QUANTILES; q++)
			printf("%s%.4f", q ? ", " : "",
			       dips[(size_t)(quantiles[q] * (SAMPLES - 1))]);
		printf("},\n");
		fflush(stdout);
	}
	printf("};\n");
	return 0;
}
