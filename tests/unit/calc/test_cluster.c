/* Dips, k-means and natural groups, compared with R and scikit-learn (tests/calc/cluster.py), and
 * in noise. */
#include "calc_test.h"
#include "vesper/calc_cluster.h"

enum { ROWS_MAX = 256, BYTES = 65536, GOLDEN_LINES = 25 };

struct golden {
	double k, columns[2][ROWS_MAX], expected[ROWS_MAX + 2];
	size_t n, expected_count;
	bool is_dip;
};

static size_t read_numbers(char *text, double *out, size_t max_count)
{
	size_t n = 0;
	char *rest, *word;

	for (word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		assert_true(n < max_count);
		out[n++] = strtod(word, NULL);
	}
	return n;
}

static void read_golden(char *text, struct golden *g)
{
	char *field[4], *second;

	*g = (struct golden){0};
	for (size_t i = 0; i < 4; i++) {
		field[i] = strsep(&text, "\t");
		assert_non_null(field[i]);
	}
	g->is_dip = strcmp(field[0], "dip") == 0;
	(void)read_numbers(field[1], &g->k, 1);
	second = strchr(field[2], '|');
	if (second) {
		*second++ = '\0';
		(void)read_numbers(second, g->columns[1], ROWS_MAX);
	}
	g->n = read_numbers(field[2], g->columns[0], ROWS_MAX);
	g->expected_count = read_numbers(field[3], g->expected, ROWS_MAX + 2);
}

static void check_dip(const struct golden *g)
{
	struct calc_dip d;

	assert_true(calc_dip(&calc, g->columns[0], g->n, &d, &err));
	assert_near(d.dip, g->expected[0], 1e-9);
	assert_true(d.p >= 0.001 && d.p <= 1);
}

static void check_kmeans(const struct golden *g)
{
	const double *const columns[] = {g->columns[0], g->columns[1]};
	size_t k = (size_t)g->k;
	struct calc_kmeans m;
	double silhouette;

	assert_true(calc_kmeans(&calc, columns, 2, g->n, k, &m, &err));
	assert_near(m.inertia, g->expected[0], 1e-9);
	assert_true(calc_silhouette(&calc, columns, 2, g->n, m.of, k, &silhouette, &err));
	assert_near(silhouette, g->expected[1], 1e-9);
	for (size_t i = 0; i < g->n; i++)
		assert_int_equal(m.of[i], (uint32_t)g->expected[2 + i]);
}

static void agrees_with_other_implementations(void **state)
{
	static char text[BYTES];
	FILE *f = fopen(VESPER_SOURCE_DIR "/tests/calc/cluster.tsv", "r");
	size_t lines = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(text, sizeof(text), f)) {
		static struct golden g;

		read_golden(text, &g);
		if (g.is_dip)
			check_dip(&g);
		else
			check_kmeans(&g);
		lines++;
	}
	fclose(f);
	assert_int_equal(lines, GOLDEN_LINES);
}

/* ---- generated clouds ---- */

static struct calc_rng rng;

static double normal(void)
{
	return calc_normal_quantile(fmin(1 - 1e-12, calc_rng_unit(&rng) + 1e-12));
}

enum shape { NORMAL, UNIFORM, LOGNORMAL, SHAPES };

static double draw(enum shape shape)
{
	return shape == UNIFORM ? calc_rng_unit(&rng) : shape == NORMAL ? normal() : exp(normal());
}

/* A single cloud of any shape has no groups: they are found in at most 5 % of about 1,000. */
static void noise_has_no_groups(void **state)
{
	enum { SETS = 1008, N = 120, FOUND_MAX = SETS / 20 };
	static double columns[4][N];
	const double *const all[] = {columns[0], columns[1], columns[2], columns[3]};
	size_t found = 0;

	(void)state;
	rng = calc_rng_new(77);
	for (size_t i = 0; i < SETS; i++) {
		struct calc local = {.arena = arena_new(SIZE_MAX / 2)};
		struct calc_clusters c;
		size_t count = i % 2 ? 2 : 4;

		for (size_t f = 0; f < count; f++)
			for (size_t r = 0; r < N; r++)
				columns[f][r] = draw((enum shape)(i / 2 % SHAPES));
		assert_true(calc_clusters(&local, all, count, N, &c, &err));
		found += c.k > 0;
		arena_free(&local.arena);
	}
	printf("%zu of %d clouds have groups\n", found, SETS);
	assert_true(found <= FOUND_MAX);
}

/* Bounds avoid most distance computations. They must not change the result: every row belongs to
 * the nearest center, which is the mean of its rows. */
static void rows_belong_to_nearest_center(void **state)
{
	enum { N = 400, F = 5 };
	static double columns[F][N];
	const double *const all[] = {columns[0], columns[1], columns[2], columns[3], columns[4]};

	(void)state;
	rng = calc_rng_new(12);
	for (size_t count = 1; count <= F; count++)
		for (size_t k = 2; k <= CALC_CLUSTERS_MAX; k++) {
			struct calc_kmeans m;
			double sums[CALC_CLUSTERS_MAX][F] = {{0}};

			for (size_t f = 0; f < count; f++)
				for (size_t r = 0; r < N; r++)
					columns[f][r] = draw((enum shape)(k % SHAPES));
			assert_true(calc_kmeans(&calc, all, count, N, k, &m, &err));
			for (size_t r = 0; r < N; r++) {
				double own_distance = 0;

				for (size_t f = 0; f < count; f++) {
					double offset = columns[f][r] - m.centers[m.of[r]][f];

					own_distance += offset * offset;
					sums[m.of[r]][f] += columns[f][r];
				}
				for (size_t c = 0; c < k; c++) {
					double other_distance = 0;

					for (size_t f = 0; f < count; f++)
						other_distance +=
							(columns[f][r] - m.centers[c][f]) *
							(columns[f][r] - m.centers[c][f]);
					assert_true(own_distance <= other_distance * (1 + 1e-12));
				}
			}
			for (size_t c = 0; c < k; c++)
				for (size_t f = 0; f < count; f++)
					assert_true(fabs(sums[c][f] / (double)m.sizes[c] -
							 m.centers[c][f]) < 1e-12);
		}
}

static void fill_planted(double *x, double *y, size_t n)
{
	static const double centers[][2] = {{200, 4}, {900, 6}, {500, 30}};

	rng = calc_rng_new(5);
	for (size_t i = 0; i < n; i++) {
		x[i] = centers[i % 3][0] + 30 * normal();
		y[i] = centers[i % 3][1] + normal();
	}
}

static void finds_planted_groups(void **state)
{
	enum { N = 150 };
	double x[N], y[N];
	const double *const columns[] = {x, y};
	struct calc_clusters c, again;

	(void)state;
	fill_planted(x, y, N);
	x[7] = NAN; /* omitted and reported */
	assert_true(calc_clusters(&calc, columns, 2, N, &c, &err));
	assert_int_equal(c.k, 3);
	assert_int_equal(c.n, N - 1);
	assert_int_equal(c.of[7], 3);
	for (size_t i = 0; i < N; i++)
		assert_true(i == 7 || c.of[i] == i % 3);
	assert_int_equal(c.sizes[0], 50);
	assert_near(c.centers[1][0], 900, 0.02);
	assert_true(calc_clusters(&calc, columns, 2, N, &again, &err));
	assert_memory_equal(c.of, again.of, N * sizeof(*c.of));
	assert_true(c.silhouette == again.silhouette);
}

static void too_few_rows_have_no_groups(void **state)
{
	enum { N = 29 };
	double x[N + 1], same[N + 1];
	const double *const columns[] = {x}, *const constant[] = {same}, *const both[] = {x, same};
	struct calc_clusters c;
	struct calc_dip d;

	(void)state;
	for (size_t i = 0; i <= N; i++) {
		x[i] = i % 2 ? 1000 + (double)i : (double)i;
		same[i] = 5;
	}
	assert_true(calc_clusters(&calc, columns, 1, N, &c, &err));
	assert_int_equal(c.status, CALC_TOO_FEW);
	assert_int_equal(c.k, 0);
	assert_true(calc_clusters(&calc, columns, 1, N + 1, &c, &err));
	assert_int_equal(c.k, 2);
	assert_true(calc_clusters(&calc, constant, 1, N + 1, &c, &err));
	assert_int_equal(c.status, CALC_CONSTANT);
	assert_true(calc_clusters(&calc, both, 2, N + 1, &c, &err));
	assert_true(c.k == 2 && c.scale[1] == 0);
	assert_true(calc_dip(&calc, x, CALC_DIP_MIN - 1, &d, &err));
	assert_int_equal(d.status, CALC_TOO_FEW);
	assert_true(calc_dip(&calc, same, N, &d, &err));
	assert_true(d.status == CALC_CONSTANT && d.p == 1);
}

static void stops_when_cancelled(void **state)
{
	enum { N = 150 };
	double x[N], y[N];
	const double *const columns[] = {x, y};
	atomic_bool cancelled = true;
	struct calc_clusters c;

	(void)state;
	fill_planted(x, y, N);
	calc.cancelled = &cancelled;
	assert_fails(calc_clusters(&calc, columns, 2, N, &c, &err), ERR_CANCELLED);
	calc.cancelled = NULL;
	x[3] = INFINITY;
	assert_fails(calc_clusters(&calc, columns, 2, N, &c, &err), ERR_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(agrees_with_other_implementations), CALC_TEST(noise_has_no_groups),
		CALC_TEST(rows_belong_to_nearest_center),     CALC_TEST(finds_planted_groups),
		CALC_TEST(too_few_rows_have_no_groups),       CALC_TEST(stops_when_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
