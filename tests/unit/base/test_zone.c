/* Local dates around offset changes, compared with the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "vesper/zone.h"

#define HOUR_MS INT64_C(3600000)

static void offsets_agree_with_c_library(void **state)
{
	static const char *const names[] = {
		"America/Los_Angeles", "America/Chicago", "Asia/Kolkata",   "Australia/Lord_Howe",
		"Europe/Dublin",       "Pacific/Apia",    "America/Havana", "Africa/Casablanca",
		"Asia/Tehran",         "Etc/GMT+9",       "Europe/Berlin",  "America/Nuuk"};
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct zone *z;

		assert_true(zone_load(names[i], &z, &e));
		setenv("TZ", names[i], 1);
		tzset();
		/* every 31 hours and 7 minutes from 1965 to 2100 */
		for (int64_t s = -157766400; s < 4102444800; s += 112020) {
			time_t at = (time_t)s;
			struct tm local;

			localtime_r(&at, &local);
			if (zone_offset_s(z, s) != (int)local.tm_gmtoff)
				fail_msg("%s at %lld: %d, not %ld", names[i], (long long)s,
					 zone_offset_s(z, s), local.tm_gmtoff);
		}
		zone_free(&z);
	}
	unsetenv("TZ");
	tzset();
}

static void date_changes_in_local_time(void **state)
{
	struct zone *z;
	struct err e;
	struct date d;

	(void)state;
	assert_true(zone_load("America/Los_Angeles", &z, &e));
	d = zone_date(z, INT64_C(1772179200000)); /* 2026-02-27 08:00 UTC, midnight in this zone */
	assert_int_equal(d.day, 27);
	d = zone_date(z, INT64_C(1772179200000) - 1);
	assert_int_equal(d.day, 26);
	/* the night of 2026-03-08 is an hour shorter */
	d = zone_date(z, INT64_C(1773039600000)); /* 2026-03-09 07:00 UTC */
	assert_int_equal(d.day, 9);
	d = zone_date(z, INT64_C(1773039600000) - 1);
	assert_int_equal(d.day, 8);
	d = zone_date(z, INT64_C(-1));
	assert_int_equal(d.year, 1969);
	zone_free(&z);
}

/* Some zones change at midnight, and one has skipped a whole day. */
static void day_begins_in_local_time(void **state)
{
	static const char *const names[] = {
		"America/Los_Angeles", "America/Santiago", "America/Havana", "Asia/Beirut",
		"Asia/Amman",          "Pacific/Apia",     "Europe/Berlin",  "Asia/Kolkata"};
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct zone *z;

		assert_true(zone_load(names[i], &z, &e));
		for (int64_t day = date_to_days((struct date){1990, 1, 1});
		     day < date_to_days((struct date){2060, 1, 1}); day++) {
			int64_t ms = zone_day_ms(z, day);

			if (date_to_days(zone_date(z, ms)) < day ||
			    date_to_days(zone_date(z, ms - 1)) >= day)
				fail_msg("%s, day %lld: %lld", names[i], (long long)day,
					 (long long)ms);
		}
		zone_free(&z);
	}
	assert_int_equal(zone_day_ms(NULL, 20511), INT64_C(20511) * 86400000);
}

static void utc_needs_no_database(void **state)
{
	struct zone *z;
	struct err e;

	(void)state;
	assert_true(zone_load("", &z, &e));
	assert_int_equal(zone_offset_s(z, 1772179200), 0);
	zone_free(&z);
	assert_true(zone_load("UTC", &z, &e));
	assert_int_equal(zone_offset_s(z, 1772179200), 0);
	zone_free(&z);
	assert_int_equal(zone_offset_s(NULL, 5), 0);
}

static void invalid_names_are_rejected(void **state)
{
	static const char *const names[] = {
		"../../../etc/passwd", "Mars/Olympus", "America", "zone.tab",
		"/etc/localtime",      "tzdata.zi"};
	struct zone *z = NULL;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_false(zone_load(names[i], &z, &e));
		assert_null(z);
	}
}

static void frozen_day_applies_in_every_zone(void **state)
{
	struct zone *z;
	struct err e;

	(void)state;
	assert_true(zone_load("Pacific/Apia", &z, &e));
	clock_freeze_today((struct date){2026, 2, 27});
	assert_int_equal(zone_today(z).day, 27);
	clock_freeze_ms(INT64_C(1772179200000));
	assert_int_equal(zone_today(z).day, 27);
	clock_advance_ms(3 * HOUR_MS); /* 11:00 UTC: thirteen hours ahead, it is the next day */
	assert_int_equal(zone_today(z).day, 28);
	clock_release();
	zone_free(&z);
}

/* ---- moments ---- */

static void parses_moments(void **state)
{
	static const char *const good[] = {"2026-02-27", "2026-02-27T12:00",
					   "2026-02-27T12:00-07:00", "2026-02-27T00:00Z",
					   "2026-02-27T23:59+14:00"};
	static const char *const bad[] = {"",
					  "2026-02-30",
					  "2026-02-27T25:00",
					  "2026-02-27T12:60",
					  "2026-02-27T12",
					  "2026-02-27 12:00",
					  "2026-02-27T12:00:00",
					  "2026-02-27T12:00-7:00",
					  "2026-02-27T12:00-15:00",
					  "2026-02-27T12:00X",
					  "2026-02-27-07:00",
					  "today"};
	struct moment m;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!moment_parse(good[i], &m))
			fail_msg("%s was rejected", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (moment_parse(bad[i], &m))
			fail_msg("%s was accepted", bad[i]);
	assert_true(moment_parse(good[2], &m));
	assert_int_equal(m.minute, 720);
	assert_int_equal(m.offset_minutes, -420);
}

static void freeze_at(const char *text, const struct zone *z)
{
	struct moment m;

	assert_true(moment_parse(text, &m));
	moment_freeze(&m, z);
}

static void questions_are_asked_at_the_frozen_moment(void **state)
{
	struct zone *denver = NULL, *kiritimati = NULL;
	struct err e = {0};
	int64_t real = clock_now_ms();

	(void)state;
	assert_true(zone_load("America/Denver", &denver, &e));
	assert_true(zone_load("Pacific/Kiritimati", &kiritimati, &e));
	freeze_at("2026-02-27T12:00-07:00", NULL);
	assert_int_equal(clock_question_ms(), INT64_C(1772218800000));
	assert_int_equal(zone_today(denver).day, 27);
	assert_int_equal(zone_today(kiritimati).day, 28); /* 14 hours ahead of UTC */
	assert_true(clock_question_is_frozen());
	assert_in_range(clock_now_ms() - real, 0, 60000); /* stored times are not frozen */
	freeze_at("2026-02-27T12:00", denver);
	assert_int_equal(clock_question_ms(), INT64_C(1772218800000));
	freeze_at("2026-07-01T12:00", denver); /* in summer */
	assert_int_equal(clock_question_ms() % 86400000, 18 * 3600000);
	freeze_at("2026-02-27", denver);
	assert_false(clock_question_is_frozen());
	assert_int_equal(clock_question_ms() / 86400000, 20511);
	assert_int_equal(zone_today(kiritimati).day, 27);
	clock_release();
	zone_free(&denver);
	zone_free(&kiritimati);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_agree_with_c_library),
		cmocka_unit_test(date_changes_in_local_time),
		cmocka_unit_test(day_begins_in_local_time),
		cmocka_unit_test(utc_needs_no_database),
		cmocka_unit_test(invalid_names_are_rejected),
		cmocka_unit_test(frozen_day_applies_in_every_zone),
		cmocka_unit_test(parses_moments),
		cmocka_unit_test(questions_are_asked_at_the_frozen_moment),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
