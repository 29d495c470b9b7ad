/* Profiles of frame columns. */
#include "calc_test.h"
#include "vesper/calc_summary.h"

static void profiles_each_column_type(void **state)
{
	(void)state;
	/* Two integers that are equal as doubles; a NULL; texts that repeat; only NULLs. */
	int64_t big[] = {INT64_C(9007199254740993), INT64_C(9007199254740992), 0, 4};
	double zeros[] = {0.0, -0.0, 2.5, 1};
	uint32_t codes[] = {0, 1, 0, 1};
	uint8_t none[] = {0, 0, 0, 0};
	const char *const words[] = {"a", "b"};
	const uint64_t third_is_null = 0xB, all_null = 0;
	struct frame_column columns[] = {
		{.name = "big", .type = FRAME_INT, .v.i = big, .valid = &third_is_null},
		{.name = "zeros", .type = FRAME_REAL, .v.r = zeros},
		{.name = "text",
		 .type = FRAME_TEXT,
		 .v.code = codes,
		 .words = words,
		 .word_count = 2},
		{.name = "none", .type = FRAME_BOOL, .v.b = none, .valid = &all_null},
		{.name = "key", .type = FRAME_TIME, .v.i = (int64_t[]){3, 1, 2, 9}},
	};
	const struct frame f = {.rows = 4, .columns = columns, .column_count = COUNT(columns)};
	struct calc_profile p;

	assert_true(calc_profile(&calc, &f, 0, &p, &err));
	assert_true(p.rows == 4 && p.nulls == 1 && p.distinct == 3 && !p.is_key && p.min == 4);
	assert_true(calc_profile(&calc, &f, 1, &p, &err));
	assert_true(p.distinct == 3 && p.max == 2.5 && p.quartiles[1] == 0.5 && p.mean == 0.875);
	assert_true(calc_profile(&calc, &f, 2, &p, &err));
	assert_true(p.distinct == 2 && isnan(p.min) && isnan(p.mean));
	assert_true(calc_profile(&calc, &f, 3, &p, &err));
	assert_true(p.nulls == 4 && p.distinct == 0 && !p.is_key && isnan(p.quartiles[0]));
	assert_true(calc_profile(&calc, &f, 4, &p, &err) && p.is_key && p.max == 9);
	calc_cancel();
	assert_fails(calc_profile(&calc, &f, 4, &p, &err), ERR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {CALC_TEST(profiles_each_column_type)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
