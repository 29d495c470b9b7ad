/* Values and texts on their way to typed databases. */
#include "db_test.h"

#include "db_int.h"

static void there_and_back(const char *text, size_t units)
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

static void text_goes_through_utf16(void **state)
{
	(void)state;
	there_and_back("", 0);
	there_and_back("plain", 5);
	there_and_back("\x7f\xc2\x80", 2);                 /* U+007F, U+0080 */
	there_and_back("\xdf\xbf\xe0\xa0\x80", 2);         /* U+07FF, U+0800 */
	there_and_back("\xef\xbf\xbd\xf0\x90\x80\x80", 3); /* U+FFFD, U+10000 */
	there_and_back("\xf4\x8f\xbf\xbf", 2);             /* U+10FFFF */
}

static void what_is_no_text_becomes_a_mark(void **state)
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

static void decimals_say_their_digits(void **state)
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

static void dates_are_dates(void **state)
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
		cmocka_unit_test(text_goes_through_utf16),
		cmocka_unit_test(what_is_no_text_becomes_a_mark),
		cmocka_unit_test(decimals_say_their_digits),
		cmocka_unit_test(dates_are_dates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
