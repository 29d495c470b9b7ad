/* The time phrases of tests/dates, in several time zones, at moments when days, clocks, months and
 * years change. */
#include "text_test.h"

#include <inttypes.h>
#include <stdlib.h>

#include "vesper/file.h"
#include "vesper/zone.h"

#define PHRASES   VESPER_SOURCE_DIR "/tests/dates/phrases.txt"
#define FILE_CAP  (1 << 20)
#define LEAST     400
#define ZONES_MAX 16

/* A line of the file that begins with @. */
struct setting {
	struct date today;
	struct company_calendar calendar;
};

static void add_text(struct buf *b, const char *text)
{
	buf_printf(b, "%s%s", *buf_text(b) ? " " : "", text);
}

static void add_days(struct buf *b, const char *sign, bool has_start, struct date start,
		     bool has_end, struct date end)
{
	char first[DATE_ISO_BYTES] = "", last[DATE_ISO_BYTES] = "";

	if (has_start)
		date_iso(start, first);
	if (has_end)
		date_iso(end, last);
	if (has_start || has_end)
		buf_printf(b, "%s%s%s..%s", *buf_text(b) ? " " : "", sign, first, last);
}

static void add_numbers(struct buf *b, const char *sign, uint32_t bits)
{
	for (unsigned n = 0, any = 0; n < 32; n++)
		if (bits & UINT32_C(1) << n) {
			if (any++)
				buf_printf(b, ",%u", n);
			else
				buf_printf(b, "%s%s%u", *buf_text(b) ? " " : "", sign, n);
		}
}

static void print_read(const struct parsed_time *t, struct arena *a, struct buf *b)
{
	for (size_t i = 0; i < t->year_count; i++)
		buf_printf(b, "%s%d", i ? "," : "y", t->years[i]);
	add_numbers(b, "m", t->months);
	for (size_t i = 0; i < t->asof_count; i++)
		add_text(b, arena_printf(a, "a%s", t->asof[i]));
	add_days(b, t->range_only ? "!" : "r", t->has_start, t->start, t->has_end, t->end);
	add_numbers(b, "h", t->hours);
	if (t->has_gap)
		add_text(b, "split");
	if (t->months_differ)
		add_text(b, "mixed");
	for (size_t i = 0; i < t->reading_count; i++)
		add_days(b, "?", date_valid(t->readings[i].start), t->readings[i].start,
			 date_valid(t->readings[i].end), t->readings[i].end);
	if (t->bad_day || t->bad_hour)
		add_text(b, arena_printf(a, "bad %s", t->bad_day ? t->bad_day : t->bad_hour));
	if (t->indefinite)
		add_text(b, arena_printf(a, "vague %s", t->indefinite));
	if (t->day_type)
		add_text(b, arena_printf(a, "day %s", t->day_type));
	if (!*buf_text(b))
		buf_str(b, "nothing");
}

/* "@ zone moment fiscal=10 week=sunday" */
static void read_setting(const char *line, struct setting *out, const char **zone_name,
			 struct arena *a)
{
	char zone[64], moment[32], rest[64] = "";
	struct zone *z;
	int64_t at;
	struct err e;

	assert_true(sscanf(line, "@ %63s %31s %63[^\n]", zone, moment, rest) >= 2);
	assert_true(zone_load(zone, &z, &e));
	assert_true(clock_parse_rfc3339(moment, &at, &e));
	*out = (struct setting){.today = zone_date(z, at)};
	zone_free(&z);
	if (strstr(rest, "fiscal="))
		out->calendar.fiscal_start_month =
			(int)strtol(strstr(rest, "fiscal=") + 7, NULL, 10);
	if (strstr(rest, "week=sunday"))
		out->calendar.week_start = 6;
	*zone_name = arena_strdup(a, zone);
}

static bool check(const struct setting *s, const char *phrase, const char *want, struct arena *a)
{
	struct parsed_time t = {0};
	struct question q;
	struct buf b;
	bool good;

	text_tokenize(english(a), phrase, a, &q);
	dates_parse(&q, s->today, &s->calendar, a, &t);
	hours_parse(&q, 7, 22, a, &t);
	buf_init(&b, 1024);
	print_read(&t, a, &b);
	good = strcmp(buf_text(&b), want) == 0;
	if (!good)
		print_message("on %04d-%02d-%02d \"%s\": got \"%s\", want \"%s\"\n", s->today.year,
			      s->today.month, s->today.day, phrase, buf_text(&b), want);
	buf_deinit(&b);
	return good;
}

static void phrases_have_the_expected_meaning(void **state)
{
	struct arena *a = arena_new(FILE_CAP * 64);
	const char *text, *zone = NULL, *seen[ZONES_MAX];
	size_t count = 0, wrong = 0, zone_count = 0;
	struct setting setting = {0};
	struct str rest, row;
	struct err e;

	(void)state;
	assert_true(file_read(PHRASES, FILE_CAP, a, &text, &e));
	rest = str_of(text);
	while (str_split(&rest, '\n', &row)) {
		const char *line = arena_strndup(a, row.p, row.n);
		const char *arrow = strstr(line, " => ");
		bool known = false;

		if (*line == '@') {
			read_setting(line, &setting, &zone, a);
			for (size_t i = 0; i < zone_count; i++)
				known = known || strcmp(seen[i], zone) == 0;
			if (!known && zone_count < ZONES_MAX)
				seen[zone_count++] = zone;
		}
		if (!arrow || *line == '#' || *line == '@')
			continue;
		assert_non_null(zone);
		wrong += !check(&setting, arena_strndup(a, line, (size_t)(arrow - line)), arrow + 4,
				a);
		count++;
	}
	print_message("%zu phrases in %zu zones, %zu wrong\n", count, zone_count, wrong);
	assert_true(count >= LEAST && zone_count >= 3);
	assert_int_equal(wrong, 0);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(phrases_have_the_expected_meaning)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
