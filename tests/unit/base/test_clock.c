/* The clock: freezing, RFC 3339, and the calendar, compared with that of the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "vesper/clock.h"

static void frozen_day_does_not_change_wall_time(void **state)
{
	(void)state;
	int64_t real = clock_now_ms();
	clock_freeze_today((struct date){2026, 2, 27});
	struct date today = clock_today();
	assert_int_equal(today.year, 2026);
	assert_int_equal(today.month, 2);
	assert_int_equal(today.day, 27);
	assert_in_range(clock_now_ms() - real, 0, 60000);
	clock_release();
	int64_t before = clock_now_ms() / 86400000; /* midnight may pass during the test */
	int64_t today_days = date_to_days(clock_today());
	assert_in_range(today_days, before, clock_now_ms() / 86400000);
}

static void frozen_clock_does_not_advance(void **state)
{
	(void)state;
	clock_freeze_ms(INT64_C(1772182800123));
	int64_t mono = clock_mono_ms();
	assert_int_equal(clock_now_ms(), INT64_C(1772182800123));
	clock_advance_ms(1500);
	assert_int_equal(clock_now_ms(), INT64_C(1772182801623));
	assert_int_equal(clock_mono_ms() - mono, 1500);
	assert_int_equal(clock_mono_us(), clock_mono_ms() * 1000);
	assert_int_equal(clock_today().day, 27);
	clock_release();
}

static void formats_and_parses_rfc3339(void **state)
{
	(void)state;
	char text[CLOCK_RFC3339_BYTES];
	clock_rfc3339(INT64_C(1772182800007), text);
	assert_string_equal(text, "2026-02-27T09:00:00.007Z");
	clock_rfc3339(-1, text);
	assert_string_equal(text, "1969-12-31T23:59:59.999Z");
	int64_t ms;
	const struct {
		const char *text;
		int64_t ms;
	} good[] = {
		{"2026-02-27T09:00:00.007Z", INT64_C(1772182800007)},
		{"2026-02-27T10:30:00+01:30", INT64_C(1772182800000)},
		{"2026-02-27t03:00:00.1-06:00", INT64_C(1772182800100)},
		{"2026-02-27 09:00:00.123456789Z", INT64_C(1772182800123)},
		{"1970-01-01T00:00:00Z", 0},
	};
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct err e;
		if (!clock_parse_rfc3339(good[i].text, &ms, &e))
			fail_msg("%s: %s", good[i].text, e.text);
		assert_int_equal(ms, good[i].ms);
	}
	const char *bad[] = {"",
			     "2026-02-27",
			     "2026-02-30T00:00:00Z",
			     "2026-02-27T24:00:00Z",
			     "2026-02-27T09:60:00Z",
			     "2026-02-27T09:00:00",
			     "2026-02-27T09:00:00.Z",
			     "2026-02-27T09:00:00Zx",
			     "2026-2-27T09:00:00Z",
			     "2026-02-27T09:00Z"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(clock_parse_rfc3339(bad[i], &ms, NULL));
}

static void calendar_agrees_with_c_library(void **state)
{
	(void)state;
	for (int64_t days = -719162; days <= 2932896; days += 13) { /* 0001-01-01 to 9999-12-31 */
		time_t t = (time_t)days * 86400;
		struct tm tm;
		gmtime_r(&t, &tm);
		struct date d = date_from_days(days);
		assert_int_equal(d.year, tm.tm_year + 1900);
		assert_int_equal(d.month, tm.tm_mon + 1);
		assert_int_equal(d.day, tm.tm_mday);
		assert_int_equal(date_weekday(d), (tm.tm_wday + 6) % 7);
		assert_true(date_valid(d));
		assert_int_equal(date_to_days(d), days);
	}
}

static void validates_and_parses_dates(void **state)
{
	(void)state;
	assert_int_equal(date_days_in_month(2024, 2), 29);
	assert_int_equal(date_days_in_month(2100, 2), 28);
	assert_int_equal(date_days_in_month(2000, 2), 29);
	assert_false(date_valid((struct date){2025, 2, 29}));
	assert_false(date_valid((struct date){0, 1, 1}));
	assert_false(date_valid((struct date){10000, 1, 1}));
	struct date d;
	assert_true(date_parse_iso("2024-02-29", &d));
	char text[DATE_ISO_BYTES];
	date_iso(d, text);
	assert_string_equal(text, "2024-02-29");
	const char *bad[] = {"",           "2024-02-30", "2024-2-29",  "24-02-29",  "2024-02-29 ",
			     "2024/02/29", "-024-02-29", "2024-00-10", "2024-13-10"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(date_parse_iso(bad[i], &d));
	assert_false(date_parse_iso(NULL, &d));
}

static void assert_date(const char *text, const char *iso)
{
	struct date d;
	char found[DATE_ISO_BYTES];

	assert_true(date_parse_value(text, (struct date){2026, 3, 31}, &d));
	date_iso(d, found);
	assert_string_equal(found, iso);
}

static void parses_dates_relative_to_today(void **state)
{
	static const char *const bad[] = {"",
					  "tomorrow",
					  "today-",
					  "today30d",
					  "today-d",
					  "today-30",
					  "today-30h",
					  "today-30dd",
					  "today -1d",
					  "today--1d",
					  "today-99999999d",
					  "today-3000y",
					  "today+8000y",
					  "today-999999d",
					  "2026-02-30",
					  NULL};
	struct date d;

	(void)state;
	assert_date("today", "2026-03-31");
	assert_date("2025-07-04", "2025-07-04");
	assert_date("today-30d", "2026-03-01");
	assert_date("today+1d", "2026-04-01");
	assert_date("today-2w", "2026-03-17");
	assert_date("today-1m", "2026-02-28"); /* there is no 31 February */
	assert_date("today+11m", "2027-02-28");
	assert_date("today-2y", "2024-03-31");
	assert_date("today+0d", "2026-03-31");
	for (size_t i = 0; bad[i]; i++)
		if (date_parse_value(bad[i], (struct date){2026, 3, 31}, &d))
			fail_msg("%s was accepted", bad[i]);
	assert_true(date_parse_value("today+1y", (struct date){2024, 2, 29}, &d));
	assert_int_equal(d.day, 28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frozen_day_does_not_change_wall_time),
		cmocka_unit_test(frozen_clock_does_not_advance),
		cmocka_unit_test(formats_and_parses_rfc3339),
		cmocka_unit_test(calendar_agrees_with_c_library),
		cmocka_unit_test(validates_and_parses_dates),
		cmocka_unit_test(parses_dates_relative_to_today),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
