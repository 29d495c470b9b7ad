/* Counts of pairs against what scipy says of them (tests/calc/crosstab.py), too little data, and
 * what is no count. */
#include "golden.h"
#include "vesper/calc_groups.h"

enum { LINES = 12 };

static void crosstab(const struct line *l, double *got)
{
	size_t rows = (size_t)l->params[0], columns = (size_t)l->params[1];
	struct calc_crosstab t;

	assert_true(calc_crosstab(&calc, l->columns[0], rows, columns, &t, &err));
	assert_int_equal(t.status, CALC_OK);
	got[0] = t.n;
	got[1] = t.chi2;
	got[2] = t.df;
	got[3] = t.p;
	memcpy(got + 4, t.lift, rows * columns * sizeof(*got));
}

static const struct golden_kernel kernels[] = {{"crosstab", crosstab, 1e-9}};

static void agrees_with_scipy(void **state)
{
	(void)state;
	golden_file(VESPER_SOURCE_DIR "/tests/calc/crosstab.tsv", kernels, COUNT(kernels), LINES);
}

static void little_data_has_no_p(void **state)
{
	const double thin[] = {4, 6, 6, 4}, enough[] = {5, 5, 5, 5}, alone[] = {50, 0, 60, 0};
	struct calc_crosstab t;

	(void)state;
	assert_true(calc_crosstab(&calc, thin, 2, 2, &t, &err));
	assert_int_equal(t.status, CALC_OK); /* 5 are expected of each */
	assert_true(calc_crosstab(&calc, (const double[]){4, 5, 5, 5}, 2, 2, &t, &err));
	assert_int_equal(t.status, CALC_TOO_FEW);
	assert_true(t.p != t.p);
	assert_true(is_near(t.lift[0], 4 * 19 / 81.0, 1e-12));
	assert_true(calc_crosstab(&calc, enough, 2, 2, &t, &err));
	assert_int_equal(t.status, CALC_OK);
	assert_true(is_near(t.p, 1, 1e-12));
	assert_true(calc_crosstab(&calc, alone, 2, 2, &t, &err)); /* one column has none */
	assert_int_equal(t.status, CALC_TOO_FEW);
	assert_true(t.lift[1] != t.lift[1]);
	assert_true(calc_crosstab(&calc, enough, 0, 0, &t, &err));
	assert_int_equal(t.status, CALC_TOO_FEW);
}

static void refuses_what_is_no_count(void **state)
{
	const double below[] = {5, 5, -1, 5}, none[] = {5, 5, 5, NAN};
	static double many[CALC_CROSSTAB_MAX + 1];
	struct calc_crosstab t;

	(void)state;
	assert_false(calc_crosstab(&calc, below, 2, 2, &t, &err));
	assert_int_equal(err.code, ERR_INPUT);
	assert_false(calc_crosstab(&calc, none, 2, 2, &t, &err));
	assert_false(calc_crosstab(&calc, many, CALC_CROSSTAB_MAX + 1, 1, &t, &err));
	assert_int_equal(err.code, ERR_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(agrees_with_scipy),
		CALC_TEST(little_data_has_no_p),
		CALC_TEST(refuses_what_is_no_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
