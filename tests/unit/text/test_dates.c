/* Meaning of time phrases on Friday, 27 February 2026. */
#include "text_test.h"

static const struct company_calendar calendar = {0};

/* "y2025,2026 m6,7,8 aJan_2025 r2026-01-01/2026-01-31": the parsed times; "!" before the range if
 * only days are exact. */
static const char *read_as(const char *text, struct arena *a)
{
	struct parsed_time t = {0};
	struct question q;
	const char *out = "";
	char first[DATE_ISO_BYTES], last[DATE_ISO_BYTES];

	text_tokenize(english(a), text, a, &q);
	dates_parse(&q, fixture_today, &calendar, a, &t);
	for (size_t i = 0; i < t.year_count; i++)
		out = arena_printf(a, "%s%s%d", out, i ? "," : "y", t.years[i]);
	for (int m = 1, n = 0; m <= 12; m++)
		if (t.months & 1u << m)
			out = arena_printf(a, "%s%s%d", out, n++ ? "," : " m", m);
	for (size_t i = 0; i < t.asof_count; i++)
		out = arena_printf(a, "%s a%s", out, t.asof[i]);
	if (t.has_start)
		date_iso(t.start, first);
	if (t.has_end)
		date_iso(t.end, last);
	if (t.has_start || t.has_end)
		out = arena_printf(a, "%s %s%s/%s", out, t.range_only ? "!" : "r",
				   t.has_start ? first : "..", t.has_end ? last : "..");
	if (t.has_gap)
		out = arena_printf(a, "%s split", out);
	if (t.months_differ)
		out = arena_printf(a, "%s mixed", out);
	if (t.indefinite)
		out = arena_printf(a, "%s vague %s", out, t.indefinite);
	for (size_t i = 0; i < t.reading_count; i++) {
		date_iso(t.readings[i].start, first);
		date_iso(t.readings[i].end, last);
		out = arena_printf(a, "%s ?%s/%s", out, first, last);
	}
	if (t.bad_day)
		out = arena_printf(a, "%s bad %s", out, t.bad_day);
	if (t.day_type)
		out = arena_printf(a, "%s d%s", out, t.day_type);
	return *out == ' ' ? out + 1 : out;
}

struct phrase_case {
	const char *text, *want;
};

static void check(const struct phrase_case *cases, size_t count)
{
	struct arena *a = arena_new(1 << 22);

	for (size_t i = 0; i < count; i++) {
		const char *got = read_as(cases[i].text, a);

		if (strcmp(got, cases[i].want) != 0)
			fail_msg("\"%s\": got \"%s\", want \"%s\"", cases[i].text, got,
				 cases[i].want);
	}
	arena_free(&a);
}

static void years(void **state)
{
	static const struct phrase_case cases[] = {
		{"for 2025", "y2025 r2025-01-01/2025-12-31"},
		{"cal-27", "y2027 r2027-01-01/2027-12-31"},
		{"Cal 27", "y2027 r2027-01-01/2027-12-31"},
		{"cal27", "y2027 r2027-01-01/2027-12-31"},
		{"calendar year 2027", "y2027 r2027-01-01/2027-12-31"},
		{"FY26", "y2026 r2026-01-01/2026-12-31"},
		{"in '27", "y2027 r2027-01-01/2027-12-31"},
		{"2025 and 2027", "y2025,2027 r2025-01-01/2027-12-31 split"},
		{"2025-2027", "y2025,2026,2027 r2025-01-01/2027-12-31"},
		{"2025 to 2027", "y2025,2026,2027 r2025-01-01/2027-12-31"},
		{"between 2024 and 2026", "y2024,2025,2026 r2024-01-01/2026-12-31"},
		{"from 2027 to 2025", "y2027,2025 r2025-01-01/2027-12-31 split"},
		{"1850", ""},
		{"99999", ""},
		{"26 widgets", ""},
		{"NP15", ""},
	};

	(void)state;
	check(cases, COUNT(cases));
}

static void relative_years(void **state)
{
	static const struct phrase_case cases[] = {
		{"next year", "y2027 r2027-01-01/2027-12-31"},
		{"last year", "y2025 r2025-01-01/2025-12-31"},
		{"this year", "y2026 r2026-01-01/2026-02-27"},
		{"the current year", "y2026 r2026-01-01/2026-02-27"},
		{"next two years", "y2027,2028 r2027-01-01/2028-12-31"},
		{"last 2 years", "y2024,2025 r2024-02-27/2026-02-27"},
		{"two years from now", "y2028 r2028-01-01/2028-12-31"},
		{"in 2 years", "y2028 r2028-01-01/2028-12-31"},
		{"3 years ago", "y2023 r2023-01-01/2023-12-31"},
		{"ytd", "y2026 r2026-01-01/2026-02-27"},
	};

	(void)state;
	check(cases, COUNT(cases));
}

static void parts_of_years(void **state)
{
	static const struct phrase_case cases[] = {
		{"January 2025", "y2025 m1 r2025-01-01/2025-01-31"},
		{"in jan 25", "y2025 m1 r2025-01-01/2025-01-31"},
		{"Jan-25", "y2025 m1 r2025-01-01/2025-01-31"},
		{"2025-02", "y2025 m2 r2025-02-01/2025-02-28"},
		{"Feb 2024", "y2024 m2 r2024-02-01/2024-02-29"},
		{"June to August 2025", "y2025 m6,7,8 r2025-06-01/2025-08-31"},
		{"July and August 2025", "y2025 m7,8 r2025-07-01/2025-08-31"},
		{"Q1 2025", "y2025 m1,2,3 r2025-01-01/2025-03-31"},
		{"2025 Q1", "y2025 m1,2,3 r2025-01-01/2025-03-31"},
		{"third quarter of 2025", "y2025 m7,8,9 r2025-07-01/2025-09-30"},
		{"H2 2025", "y2025 m7,8,9,10,11,12 r2025-07-01/2025-12-31"},
		{"first half of 2025", "y2025 m1,2,3,4,5,6 r2025-01-01/2025-06-30"},
		{"summer 26", "y2026 m6,7,8 r2026-06-01/2026-08-31"},
		{"the fall of 2025", "y2025 m9,10,11 r2025-09-01/2025-11-30"},
		{"winter 2025", "y2025 m1,2,12 r2025-01-01/2025-12-31 split"},
		{"next summer", "y2026 m6,7,8 r2026-06-01/2026-08-31"},
		{"last summer", "y2025 m6,7,8 r2025-06-01/2025-08-31"},
		{"last January", "y2026 m1 r2026-01-01/2026-01-31"},
		{"next January", "y2027 m1 r2027-01-01/2027-01-31"},
		{"in July", "m7 r2025-07-01/2025-07-31"},
		{"summer", "m6,7,8 r2025-06-01/2025-08-31"},
		{"Q1", "m1,2,3 r2026-01-01/2026-02-27"},
		{"Sept 2025", "y2025 m9 r2025-09-01/2025-09-30"},
		{"may 2025", "y2025 m5 r2025-05-01/2025-05-31"},
		{"in March", "m3 r2025-03-01/2025-03-31"},
	};

	(void)state;
	check(cases, COUNT(cases));
}

static void ignores_words_that_are_not_times(void **state)
{
	static const struct phrase_case cases[] = {
		{"may I ask", ""},
		{"prices may rise", ""},
		{"prices fall in 2025", "y2025 r2025-01-01/2025-12-31"},
		{"march on", ""},
		{"the last file", ""},
		{"next to it", ""},
		{"half of it", ""},
		{"first one", ""},
		{"second quarterback", ""},
		{"a day ahead price", ""},
	};

	(void)state;
	check(cases, COUNT(cases));
}

static void calendar_periods(void **state)
{
	static const struct phrase_case cases[] = {
		{"last month", "y2026 m1 r2026-01-01/2026-01-31"},
		{"this month", "y2026 m2 r2026-02-01/2026-02-27"},
		{"next month", "y2026 m3 r2026-03-01/2026-03-31"},
		{"last quarter", "y2025 m10,11,12 r2025-10-01/2025-12-31"},
		{"this quarter", "y2026 m1,2,3 r2026-01-01/2026-02-27"},
		{"last week", "!2026-02-16/2026-02-22"},
		{"this week", "!2026-02-23/2026-02-27"},
		{"next week", "!2026-03-02/2026-03-08"},
		{"yesterday", "!2026-02-26/2026-02-26"},
		{"today", "!2026-02-27/2026-02-27"},
		{"tomorrow", "!2026-02-28/2026-02-28"},
	};

	(void)state;
	check(cases, COUNT(cases));
}

static void rolling_periods(void **state)
{
	static const struct phrase_case cases[] = {
		{"in the last week", "!2026-02-20/2026-02-27"},
		{"in the past week", "!2026-02-20/2026-02-27"},
		{"past week", "!2026-02-20/2026-02-27"},
		{"last 7 days", "!2026-02-20/2026-02-27"},
		{"over the last month", "!2026-01-27/2026-02-27"},
		{"this past month", "!2026-01-27/2026-02-27"},
		{"last 30 days", "!2026-01-28/2026-02-27"},
		{"last three months", "!2025-11-27/2026-02-27"},
		{"next 10 days", "!2026-02-27/2026-03-09"},
	};

	(void)state;
	check(cases, COUNT(cases));
}

static void days_and_ranges(void **state)
{
	static const struct phrase_case cases[] = {
		{"2025-01-15", "!2025-01-15/2025-01-15"},
		{"January 15, 2025", "!2025-01-15/2025-01-15"},
		{"15 January 2025", "!2025-01-15/2025-01-15"},
		{"the 3rd March 2025", "!2025-03-03/2025-03-03"},
		{"from 2025-01-01 to 2025-03-31", "!2025-01-01/2025-03-31"},
		{"since 2025-06-01", "!2025-06-01/2026-02-27"},
		{"since January 2025", "!2025-01-01/2026-02-27"},
		{"since Monday", "!2026-02-23/2026-02-27"},
		{"since Friday", "!2026-02-20/2026-02-27"},
		{"published in January 2025", "!2025-01-01/2025-01-31"},
		{"2025-02-30", "bad 2025-02-30"},
		{"30 February 2025", "bad 30 February 2025"},
		{"weekend prices", "dweekend"},
	};

	(void)state;
	check(cases, COUNT(cases));
}

static void labels_of_files(void **state)
{
	static const struct phrase_case cases[] = {
		{"for 2026 from Jan_2025", "y2026 aJan_2025 r2026-01-01/2026-12-31"},
		{"Jan_2025", "aJan_2025"},
		{"the January 2025 file", "aJan_2025"},
		{"Jan2025 file", "aJan_2025"},
		{"as of Jan 2025", "aJan_2025"},
		{"as-of January 2025", "aJan_2025"},
		{"asof 2025Q1", "aQ1_2025"},
		{"what did they say in their jan 2025 file about 2028",
		 "y2028 aJan_2025 r2028-01-01/2028-12-31"},
		{"Q1_2025", "y2025 m1,2,3 r2025-01-01/2025-03-31"},
		{"Q1_2025 file", "aQ1_2025"},
		{"Q1_2025 for 2026", "y2026 aQ1_2025 r2026-01-01/2026-12-31"},
		{"2025Q1 file for 2025", "y2025 aQ1_2025 r2025-01-01/2025-12-31"},
		{"files for Q1 2025", "aQ1_2025"},
		{"the first quarter of 2025 release", "aQ1_2025"},
		{"Jan 2025 curve, 2026 average", "y2026 aJan_2025 r2026-01-01/2026-12-31"},
		{"January 2025 and 2026", "y2025,2026 m1 r2025-01-01/2026-01-31 split"},
		{"as of 2025-01-15", "aJan_2025"},
		{"as of today", ""},
		{"between the Jan 2025 and Jan 2026 files", "aJan_2025 aJan_2026"},
	};

	(void)state;
	check(cases, COUNT(cases));
}

static void one_label(void **state)
{
	static const struct phrase_case cases[] = {
		{"Jan_2025", "Jan_2025"}, {"January 2025", "Jan_2025"},
		{"jan25", "Jan_2025"},    {"2025-01", "Jan_2025"},
		{"2025Q1", "Q1_2025"},    {"Q1_2025", "Q1_2025"},
		{"q1 2025", "Q1_2025"},   {"the Jan 2025 file", "Jan_2025"},
		{"2025 Q1", "Q1_2025"},
	};
	static const char *const none[] = {"2025",
					   "latest",
					   "",
					   "Jan",
					   "summer 2025",
					   "June 2025 and more",
					   "Jan_2025 Feb_2025",
					   "x'; DROP",
					   NULL};
	struct arena *a = arena_new(1 << 20);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(dates_label(cases[i].text, a), cases[i].want);
	for (size_t i = 0; none[i]; i++)
		assert_null(dates_label(none[i], a));
	arena_free(&a);
}

static void week_start_is_configured(void **state)
{
	struct company_calendar sunday = {.week_start = 6};
	struct arena *a = arena_new(1 << 20);
	struct parsed_time t = {0};
	struct question q;
	char iso[DATE_ISO_BYTES];

	(void)state;
	text_tokenize(english(a), "last week", a, &q);
	dates_parse(&q, fixture_today, &sunday, a, &t);
	date_iso(t.start, iso);
	assert_string_equal(iso, "2026-02-15");
	arena_free(&a);
}

static void too_many_phrases_are_safe(void **state)
{
	struct arena *a = arena_new(1 << 20);
	const char *text = "";

	(void)state;
	for (int y = 2000; y < 2060; y++)
		text = arena_printf(a, "%s %d,", text, y);
	assert_non_null(strstr(read_as(text, a), "y2000,2001"));
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(years),
		cmocka_unit_test(relative_years),
		cmocka_unit_test(parts_of_years),
		cmocka_unit_test(ignores_words_that_are_not_times),
		cmocka_unit_test(calendar_periods),
		cmocka_unit_test(rolling_periods),
		cmocka_unit_test(days_and_ranges),
		cmocka_unit_test(labels_of_files),
		cmocka_unit_test(one_label),
		cmocka_unit_test(week_start_is_configured),
		cmocka_unit_test(too_many_phrases_are_safe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
