/* Reading frames; building is tested in test_frame_builder.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "vesper/frame.h"

static void numbers_are_read_by_type(void **state)
{
	int64_t integers[] = {5, 1234567};
	double real[] = {0.5};
	int32_t day[] = {20000};
	uint8_t booleans[] = {1};
	uint32_t code[] = {1, 0};
	const char *const words[] = {"a", "b"};
	const uint64_t only_second = 2;
	struct frame_column i = {.type = FRAME_INT, .v.i = integers};
	struct frame_column d = {.type = FRAME_DECIMAL, .scale = 6, .v.i = integers};
	struct frame_column r = {.type = FRAME_REAL, .v.r = real};
	struct frame_column n = {.type = FRAME_DAY, .v.day = day};
	struct frame_column b = {.type = FRAME_BOOL, .v.b = booleans};
	struct frame_column t = {.type = FRAME_TEXT, .v.code = code, .words = words};

	(void)state;
	assert_true(frame_number(&i, 0) == 5);
	assert_true(frame_number(&d, 1) == 1.234567);
	assert_true(frame_number(&r, 0) == 0.5);
	assert_true(frame_number(&n, 0) == 20000);
	assert_true(frame_number(&b, 0) == 1);
	assert_true(isnan(frame_number(&t, 0)));
	assert_string_equal(frame_text(&t, 0), "b");
	assert_null(frame_text(&i, 0));
	i.valid = t.valid = &only_second;
	assert_true(isnan(frame_number(&i, 0)));
	assert_true(frame_number(&i, 1) == 1234567);
	assert_null(frame_text(&t, 0));
	assert_string_equal(frame_text(&t, 1), "a");
}

static void columns_are_found_by_name(void **state)
{
	struct frame_column columns[] = {{.name = "a"}, {.name = "b"}};
	const struct frame f = {.columns = columns, .column_count = 2};
	struct frame *none = NULL;

	(void)state;
	assert_ptr_equal(frame_column(&f, "b"), &columns[1]);
	assert_null(frame_column(&f, "c"));
	frame_free(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_by_type),
		cmocka_unit_test(columns_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
