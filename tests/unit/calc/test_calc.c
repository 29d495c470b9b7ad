/* Columns, checks and sums. */
#include "calc_test.h"

static void reads_numbers_of_frame_column(void **state)
{
	(void)state;
	const struct frame_declared declared[] = {{"a", FRAME_DECIMAL}, {"b", FRAME_TEXT}};
	struct frame_builder *b = frame_builder_new("main", declared, 2, 100);
	const char *const cells[][2] = {{"1.5", "x"}, {NULL, "y"}, {"-2", NULL}};
	double *values;

	for (size_t i = 0; i < COUNT(cells); i++) {
		bool needed;
		assert_true(frame_builder_next(b, &needed, &err) && needed);
		frame_builder_cell(b, 0, cells[i][0]);
		frame_builder_cell(b, 1, cells[i][1]);
		assert_true(frame_builder_row(b, &err));
	}
	struct frame *f = frame_builder_finish(&b);
	assert_true(calc_column(&calc, &f->columns[0], f->rows, &values, &err));
	assert_true(values[0] == 1.5 && isnan(values[1]) && values[2] == -2);
	assert_fails(calc_column(&calc, &f->columns[1], f->rows, &values, &err), ERR_INPUT);
	assert_string_equal(err.text, "The column \"b\" contains text, not numbers.");
	frame_free(&f);
}

static void errors_name_the_value(void **state)
{
	(void)state;
	double *ranks, *many = arena_alloc(calc.arena, (CALC_VALUES_MAX + 1) * sizeof(*many));
	double bad[] = {1, NAN, INFINITY}, largest[] = {CALC_VALUE_MAX, -CALC_VALUE_MAX};

	assert_true(calc_ranks(&calc, largest, 2, &ranks, NULL, &err));
	assert_fails(calc_ranks(&calc, bad, 3, &ranks, NULL, &err), ERR_INPUT);
	assert_string_equal(err.text, "The value in row 3, inf, exceeds the limit of 1e+100.");
	bad[2] = -1.1e100;
	assert_fails(calc_ranks(&calc, bad, 3, &ranks, NULL, &err), ERR_INPUT);
	assert_true(calc_ranks(&calc, many, CALC_VALUES_MAX, &ranks, NULL, &err));
	assert_fails(calc_ranks(&calc, many, CALC_VALUES_MAX + 1, &ranks, NULL, &err), ERR_LIMIT);
	calc_cancel();
	assert_fails(calc_ranks(&calc, largest, 2, &ranks, NULL, &err), ERR_CANCELLED);
}

static void sums_are_compensated(void **state)
{
	(void)state;
	struct calc_sum s = {0};
	const double hard[] = {1, 1e100, 1, -1e100};

	for (size_t i = 0; i < COUNT(hard); i++)
		calc_sum_add(&s, hard[i]);
	assert_true(calc_sum_total(&s) == 2);
	s = (struct calc_sum){0};
	for (int i = 0; i < 1000000; i++)
		calc_sum_add(&s, 0.1);
	assert_true(calc_sum_total(&s) == 100000);
}

static void statuses_have_names(void **state)
{
	(void)state;
	assert_string_equal(calc_status_name(CALC_OK), "ok");
	assert_string_equal(calc_status_name(CALC_ZERO), "zero");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(reads_numbers_of_frame_column),
		CALC_TEST(errors_name_the_value),
		CALC_TEST(sums_are_compensated),
		CALC_TEST(statuses_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
