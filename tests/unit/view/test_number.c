/* Numbers and dates in the house style. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "english.h"
#include "shipped_units.h"
#include "view_int.h"

static const struct result empty_result;

static void assert_number(const char *digits, const char *unit, const char *expected)
{
	struct buf b;

	buf_init(&b, 1000);
	view_number(&b, shipped_units(), digits, unit);
	assert_string_equal(buf_text(&b), expected);
	buf_deinit(&b);
}

static void prices_have_two_decimals(void **state)
{
	(void)state;
	assert_number("48.73", "$/MWh", "$48.73/MWh");
	assert_number("48.7", "$/MWh", "$48.70/MWh");
	assert_number("48.725", "$/MWh",
		      "$48.73/MWh"); /* half away from zero, as databases round */
	assert_number("-3.5", "$/MWh", "-$3.50/MWh");
	assert_number("1234.5", "$/MWh", "$1,234.50/MWh");
	assert_number("0", "$/MWh", "$0.00/MWh");
}

static void shortens_money(void **state)
{
	(void)state;
	assert_number("2100000", "$", "$2.1M");
	assert_number("800000", "$", "$800K");
	assert_number("999499", "$", "$999.5K");
	assert_number("999999", "$", "$1M");
	assert_number("950", "$", "$950");
	assert_number("-620000", "$", "-$620K");
	assert_number("12345678.90", "$", "$12.35M");
}

static void formats_counts_and_percentages(void **state)
{
	(void)state;
	assert_number("8760", "count", "8,760");
	assert_number("999", "count", "999");
	assert_number("1234567", "count", "1,234,567");
	assert_number("8760", "hours", "8,760 hours");
	assert_number("5.1016", "%", "5.1%");
	assert_number("5", "%", "5%");
	assert_number("2025", NULL, "2025"); /* a year is not a count */
	assert_number("n/a", "$/MWh", "n/a");
}

static void formats_dates_for_users(void **state)
{
	static const char *const rows[][2] = {
		{"2026-03-01", "March 2026"},
		{"2026-02-26", "26 February 2026"},
		{"2026-02-26 10:00:00", "26 February 2026"},
		{"2026-02-30", "2026-02-30"},
		{"soon", "soon"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf b;

		buf_init(&b, 1000);
		view_date(&b, shipped_language(), rows[i][0]);
		assert_string_equal(buf_text(&b), rows[i][1]);
		buf_deinit(&b);
	}
}

static void shows_empty_cell_as_dash(void **state)
{
	struct column c = {.name = "x", .type = COLUMN_DECIMAL, .unit = "$"};
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	view_cell(&b, &empty_result, &c, NULL);
	assert_string_equal(buf_text(&b), "—");
	buf_deinit(&b);
}

static void shows_labels_of_values(void **state)
{
	static const char *const words[] = {"red", "🔴 Red", "", "⬜ N/A", NULL};
	struct column c = {.name = "x", .type = COLUMN_TEXT, .words = words};
	static const char *const rows[][2] = {{"red", "🔴 Red"}, {NULL, "⬜ N/A"}, {"pink", "pink"}};
	struct buf b;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		buf_init(&b, 100);
		view_cell(&b, &empty_result, &c, rows[i][0]);
		assert_string_equal(buf_text(&b), rows[i][1]);
		buf_deinit(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prices_have_two_decimals),
		cmocka_unit_test(shortens_money),
		cmocka_unit_test(formats_counts_and_percentages),
		cmocka_unit_test(formats_dates_for_users),
		cmocka_unit_test(shows_empty_cell_as_dash),
		cmocka_unit_test(shows_labels_of_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
