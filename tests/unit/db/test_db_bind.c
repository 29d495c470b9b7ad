/* Conversion and binding of values for ODBC. */
#include "db_test.h"

#include "db_int.h"

static void check_round_trip(const char *text, size_t units)
{
	struct arena *a = arena_new(4096);
	char back[256];
	size_t n;
	SQLWCHAR *wide = db_wide_from(a, text, &n);

	assert_int_equal(n, units);
	back[db_wide_to(wide, n, back)] = '\0';
	assert_string_equal(back, text);
	arena_free(&a);
}

static void text_round_trips_through_utf16(void **state)
{
	(void)state;
	check_round_trip("", 0);
	check_round_trip("plain", 5);
	check_round_trip("\x7f\xc2\x80", 2);                 /* U+007F, U+0080 */
	check_round_trip("\xdf\xbf\xe0\xa0\x80", 2);         /* U+07FF, U+0800 */
	check_round_trip("\xef\xbf\xbd\xf0\x90\x80\x80", 3); /* U+FFFD, U+10000 */
	check_round_trip("\xf4\x8f\xbf\xbf", 2);             /* U+10FFFF */
}

static void invalid_text_becomes_replacement_characters(void **state)
{
	const SQLWCHAR lone[] = {0xD800, 'a', 0xDC00};
	struct arena *a = arena_new(4096);
	char out[32];
	size_t n;
	SQLWCHAR *wide = db_wide_from(a, "a\xff\xc3", &n);

	(void)state;
	assert_int_equal(n, 3);
	assert_int_equal(wide[1], 0xFFFD);
	assert_int_equal(wide[2], 0xFFFD);
	out[db_wide_to(lone, 3, out)] = '\0';
	assert_string_equal(out, "\xef\xbf\xbd"
				 "a\xef\xbf\xbd");
	arena_free(&a);
}

static void decimals_bind_size_and_scale(void **state)
{
	static const struct {
		const char *text;
		unsigned size;
		int digits;
	} cases[] = {{"0", 1, 0}, {"-12.50", 4, 2}, {"0.001", 4, 3}, {"+7", 1, 0}};
	struct bound b;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct value v = value_decimal(cases[i].text);

		db_bind(&v, NULL, false, DB_LONG_BY_SIZE, &b);
		assert_int_equal(b.sql_type, SQL_DECIMAL);
		assert_int_equal(b.size, cases[i].size);
		assert_int_equal(b.digits, cases[i].digits);
	}
}

static void dates_bind_as_dates(void **state)
{
	struct value v = value_date("0001-12-31");
	struct bound b;

	(void)state;
	db_bind(&v, NULL, false, DB_LONG_BY_SIZE, &b);
	assert_int_equal(b.sql_type, SQL_TYPE_DATE);
	assert_int_equal(b.date.year, 1);
	assert_int_equal(b.date.month, 12);
	assert_int_equal(b.date.day, 31);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_round_trips_through_utf16),
		cmocka_unit_test(invalid_text_becomes_replacement_characters),
		cmocka_unit_test(decimals_bind_size_and_scale),
		cmocka_unit_test(dates_bind_as_dates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
