/* The computations of the solar domain on generated readings: each rule at, below and above its
 * threshold, ratios and savings computed by hand, forecasts of a known series, and hostile input.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solar/solar_int.h"
#include "vesper/clock.h"

#define QUARTERS        96
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define DAYS            36
#define RATING          45000.0
#define FIRST           "2026-01-23"           /* the 28 days before a period of 7, and today */
#define NOON            INT64_C(1772193600000) /* 2026-02-27 12:00 UTC */

static struct arena *arena;
static struct result *r;
static double p[DAYS * QUARTERS], g[DAYS * QUARTERS], e[DAYS * QUARTERS];
static int64_t first_ms;
static struct factor factors[] = {{"online_minutes", 60, "60", NULL},
				  {"health_availability", 0.5, "0.5", NULL},
				  {"health_energy", 0.4, "0.4", NULL},
				  {"health_completeness", 0.1, "0.1", NULL},
				  {"co2_kg_per_kwh", 0.352, "0.352", "EPA"},
				  {"tree_kg_co2", 60, "60", "EPA"},
				  {0}};

/* A clear day: sun from 6 to 18, and power of 40 W per W/m2 with a small deviation. */
static int set_up(void **state)
{
	struct date first;
	double counter = 0;

	(void)state;
	assert_true(date_parse_iso(FIRST, &first));
	first_ms = date_to_days(first) * INT64_C(86400000);
	for (size_t i = 0; i < DAYS * QUARTERS; i++) {
		double hour = (double)(i % QUARTERS) / 4;

		if (i % QUARTERS == 0)
			counter = 0;
		g[i] = hour <= 6 || hour >= 18 ? 0 : 1000 * sin(M_PI * (hour - 6) / 12);
		p[i] = g[i] * 40 * (1 + 0.004 * sin((double)i * 1.7)) *
		       (1 + 0.01 * sin((double)(i / QUARTERS)));
		counter += p[i] / 4000;
		e[i] = counter;
	}
	arena = arena_new(256 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* ---- results as returned by the statements ---- */

static void add_table(const char *name, const char *const *columns, size_t n,
		      const char *const *cells, size_t rows)
{
	struct table *t = table_new(1 << 20);
	enum column_type types[16] = {0};

	t->name = name;
	table_replace(t, columns, types, n, cells, rows);
	result_add_table(r, arena, t);
}

static void begin(void)
{
	struct derive_context *c = arena_alloc(arena, sizeof(*c));

	r = result_new(arena);
	*c = (struct derive_context){.today = {2026, 2, 27}, .now_ms = NOON, .factors = factors};
	r->context = c;
	r->outcome.kind = OUTCOME_ROWS;
}

static const char *stamp(int64_t ms)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(ms, text);
	text[10] = ' ';
	text[19] = '\0';
	return arena_strdup(arena, text);
}

static const char *digits(double v)
{
	return isnan(v) ? NULL : arena_printf(arena, "%.6f", v);
}

static void add_frame(const char *name, const char *column, const double *values,
		      const char *second, const double *more, size_t n)
{
	const struct frame_declared columns[] = {
		{"ts", FRAME_TIME}, {column, FRAME_REAL}, {second, FRAME_REAL}};
	size_t count = second ? 3 : 2;
	struct frame_builder *b = frame_builder_new(name, columns, count, 40000);
	struct frame *f;
	struct err err;
	bool wanted;

	for (size_t i = 0; i < n; i++) {
		if (isnan(values[i])) /* no row */
			continue;
		assert_true(frame_builder_next(b, &wanted, &err));
		frame_builder_cell(b, 0, stamp(first_ms + (int64_t)i * QUARTER_MS));
		frame_builder_cell(b, 1, digits(values[i]));
		if (second)
			frame_builder_cell(b, 2, digits(more[i]));
		assert_true(frame_builder_row(b, &err));
	}
	f = frame_builder_finish(&b);
	f->name = name;
	result_add_frame(r, arena, f);
}

static void check(void)
{
	static const char *const columns[] = {"day", "id", "timezone", "rating_kw", "capacity_kw"};
	static const char *const cells[] = {"2026-02-20", "1", "UTC", "45", "50"};

	begin();
	add_table("main", columns, 5, cells, 1);
	add_frame("readings", "p", p, "e", e, DAYS * QUARTERS);
	add_frame("sensor", "g", g, NULL, NULL, DAYS * QUARTERS);
	add_frame("peers", "share", p, NULL, NULL, 0);
	solar_health(r, arena);
	result_free_frames(r);
}

static const char *fact(const char *name)
{
	const struct fact *f = result_fact(r, name);

	return f ? f->value : "-";
}

static size_t count_of(const char *kind)
{
	const struct table *t = r->tables[0];
	size_t n = 0;

	for (size_t i = 0; i < t->row_count; i++)
		n += strcmp(table_cell(t, i, "kind"), kind) == 0;
	return n;
}

/* A quarter hour of day 31, which is in the period. */
static size_t at(int hour, int quarter)
{
	return 31 * QUARTERS + (size_t)hour * 4 + (size_t)quarter;
}

static void only(const char *kind, size_t wanted)
{
	check();
	if (count_of(kind) != wanted || r->tables[0]->row_count != wanted) {
		for (size_t i = 0; i < r->tables[0]->row_count; i++)
			print_message("%s %s\n", table_cell(r->tables[0], i, "kind"),
				      table_cell(r->tables[0], i, "start"));
		fail_msg("%zu of %s, %zu in all; %zu expected", count_of(kind), kind,
			 r->tables[0]->row_count, wanted);
	}
}

/* ---- health: one rule after the other ---- */

static void faultless_inverter_has_no_findings(void **state)
{
	(void)state;
	only("gap", 0);
	assert_string_equal(fact("availability"), "100.0");
	assert_string_equal(fact("completeness"), "100.0");
	assert_true(atof(fact("healthScore")) > 98);
}

static void gap_needs_two_quarter_hours(void **state)
{
	(void)state;
	p[at(12, 0)] = NAN;
	only("gap", 0);
	p[at(12, 1)] = NAN;
	only("gap", 1);
	assert_string_equal(table_cell(r->tables[0], 0, "severity"), "warning");
	for (int i = 0; i < 16; i++)
		p[at(12, 0) + (size_t)i] = NAN;
	only("gap", 1);
	assert_string_equal(table_cell(r->tables[0], 0, "severity"), "critical");
	assert_true(atof(table_cell(r->tables[0], 0, "lost_kwh")) < 1); /* the counter went on */
}

static void ignores_gaps_at_night(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++)
		p[at(1, 0) + (size_t)i] = NAN;
	only("gap", 0);
}

static void finds_impossible_values(void **state)
{
	(void)state;
	p[at(12, 0)] = 1.1 * RATING + 1;
	only("impossible", 1);
	p[at(12, 0)] = -0.01 * RATING - 1;
	only("impossible", 1);
	p[at(2, 0)] = -0.01 * RATING + 1; /* the inverter's own consumption at night */
	p[at(12, 0)] = g[at(12, 0)] * 40;
	only("impossible", 0);
	e[at(14, 0)] = 1; /* the counter falls */
	only("impossible", 1);
}

static void outage_needs_sun_and_two_quarter_hours(void **state)
{
	(void)state;
	p[at(10, 0)] = 0.005 * RATING;
	check();
	assert_int_equal(count_of("outage"), 0);
	p[at(10, 1)] = 0.005 * RATING;
	check();
	assert_int_equal(count_of("outage"), 1);
	assert_true(atof(table_cell(r->tables[0], 0, "lost_kwh")) > 15);
	p[at(10, 0)] = p[at(10, 1)] = 0.005 * RATING + 1;
	check();
	assert_int_equal(count_of("outage"), 0);
	arena_free(&arena);
	set_up(NULL);
	g[at(10, 0)] = g[at(10, 1)] = 199; /* dark */
	p[at(10, 0)] = p[at(10, 1)] = 0;
	check();
	assert_int_equal(count_of("outage"), 0);
}

static void frozen_value_needs_four_readings(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++)
		p[at(12, 0) + i] = 38123.4;
	only("frozen", 0);
	p[at(12, 3)] = 38123.4;
	only("frozen", 1);
	for (size_t i = 0; i < 4; i++)
		p[at(12, 0) + i] = 0.995 * RATING; /* at its limit */
	check();
	assert_int_equal(count_of("frozen"), 0);
}

static void finds_interpolated_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		p[at(9, 0) + i] = 30000 + 700 * (double)i;
	check();
	assert_int_equal(count_of("interpolated"), 1);
	p[at(9, 1)] += 5; /* off the line */
	check();
	assert_int_equal(count_of("interpolated"), 0);
}

static void spike_deviates_from_the_sun(void **state)
{
	(void)state;
	p[at(12, 0)] -= 0.3 * RATING;
	only("spike", 1);
	p[at(12, 0)] += 0.1 * RATING; /* 20 % of the rating is too little */
	only("spike", 0);
	g[at(12, 0)] *= 0.3; /* a cloud changes both */
	p[at(12, 0)] = g[at(12, 0)] * 40;
	only("spike", 0);
}

static void scale_day(size_t day, double factor)
{
	for (size_t i = day * QUARTERS; i < (day + 1) * QUARTERS; i++)
		p[i] *= factor;
}

static void finds_a_weak_day(void **state)
{
	(void)state;
	scale_day(31, 0.91);
	only("underperformance", 0);
	scale_day(31, 0.85 / 0.91);
	only("underperformance", 1);
	assert_true(atof(fact("lostKwh")) > 20);
}

static void needs_ten_reference_days(void **state)
{
	(void)state;
	for (size_t i = 0; i < 19 * QUARTERS; i++)
		p[i] = NAN;
	scale_day(31, 0.5);
	check();
	assert_int_equal(count_of("underperformance"), 0); /* 9 days */
	assert_non_null(strstr(fact("note"), "10 are needed"));
	assert_string_equal(fact("lostKwh"), "-");
	for (size_t i = 18 * QUARTERS; i < 19 * QUARTERS; i++)
		p[i] = g[i] * 40;
	check();
	assert_int_equal(count_of("underperformance"), 1);
}

static void survives_hostile_readings(void **state)
{
	(void)state;
	for (size_t i = 0; i < DAYS * QUARTERS; i++)
		p[i] = 5; /* one value, night and day */
	check();
	for (size_t i = 0; i < DAYS * QUARTERS; i++)
		p[i] = g[i] = NAN;
	check();
	assert_non_null(strstr(fact("note"), "no daylight"));
	assert_string_equal(fact("healthScore"), "-"); /* no score without daylight */
	arena_free(&arena);
	set_up(NULL);
	for (size_t i = 0; i < DAYS * QUARTERS; i++)
		g[i] = 0; /* polar night */
	check();
	assert_string_equal(fact("availability"), "-");
	for (size_t i = 0; i < DAYS * QUARTERS; i++)
		g[i] = 600; /* polar day */
	check();
	assert_string_not_equal(fact("availability"), "-");
}

/* ---- clocks that jump ---- */

static void fleet(const char *seen)
{
	static const char *const columns[] = {
		"logger_id",  "name",      "capacity_kw", "timezone", "commissioned_on",
		"retired_on", "last_seen", "last_day",    "power_w",  "energy_kwh"};
	const char *const cells[] = {"1",  "One", "50",         "UTC",  "2020-01-01",
				     NULL, seen,  "2026-02-27", "1000", "5"};

	begin();
	add_table("main", columns, 10, cells, 1);
	add_table("offline", columns, 1, NULL, 0);
	add_table("alerts", columns, 1, NULL, 0);
	solar_fleet(r, arena);
}

static void ignores_readings_in_the_future(void **state)
{
	(void)state;
	fleet("2026-02-27 11:00:00"); /* now is 12:00 */
	assert_string_equal(fact("onlineCount"), "1");
	fleet("2026-02-27 10:59:59");
	assert_string_equal(fact("onlineCount"), "0");
	fleet("2026-02-27 13:00:00"); /* a clock that is slightly wrong */
	assert_string_equal(fact("onlineCount"), "1");
	assert_string_equal(fact("note"), "-");
	fleet("2026-02-27 13:00:01");
	assert_string_equal(fact("onlineCount"), "0");
	assert_string_equal(fact("totalPower"), "0.0");
	assert_non_null(strstr(fact("note"), "clocks are wrong"));
}

static const struct {
	int64_t quarter; /* from the first; -1: none */
	double watts;
} jumps[] = {{31 * QUARTERS + 48, 99e3},
	     {-5 * QUARTERS, 1},
	     {60 * QUARTERS, 1},
	     {31 * QUARTERS + 48, 0}};

/* Readings repeated by a clock that was set back, and readings of future days. */
static void tolerates_clock_jumps(void **state)
{
	struct frame_builder *b;
	struct frame *f;
	struct err err;
	bool wanted;
	const struct frame_declared columns[] = {
		{"ts", FRAME_TIME}, {"p", FRAME_REAL}, {"e", FRAME_REAL}};
	static const char *const names[] = {"day", "id", "timezone", "rating_kw", "capacity_kw"};
	static const char *const cells[] = {"2026-02-20", "1", "UTC", "45", "50"};

	(void)state;
	begin();
	add_table("main", names, 5, cells, 1);
	b = frame_builder_new("readings", columns, 3, 40000);
	for (size_t i = 0; i < DAYS * QUARTERS + COUNT_OF(jumps); i++) {
		size_t k = i - DAYS * QUARTERS;
		int64_t at = i < DAYS * QUARTERS ? (int64_t)i : jumps[k].quarter;

		assert_true(frame_builder_next(b, &wanted, &err));
		frame_builder_cell(b, 0, stamp(first_ms + at * QUARTER_MS));
		frame_builder_cell(b, 1, digits(i < DAYS * QUARTERS ? p[i] : jumps[k].watts));
		frame_builder_cell(b, 2, i < DAYS * QUARTERS ? digits(e[i]) : "text");
		assert_true(frame_builder_row(b, &err));
	}
	f = frame_builder_finish(&b);
	f->name = "readings";
	result_add_frame(r, arena, f);
	add_frame("sensor", "g", g, NULL, NULL, DAYS * QUARTERS);
	add_frame("peers", "share", p, NULL, NULL, 0);
	solar_health(r, arena);
	result_free_frames(r);
	assert_string_equal(fact("anomalyCount"), "0");
	assert_string_equal(fact("completeness"), "100.0");
}

/* ---- quarter hours of a day ---- */

static void days_have_92_to_100_quarter_hours(void **state)
{
	struct zone *z = NULL;
	struct date d;
	struct err err;

	(void)state;
	assert_true(zone_load("America/Denver", &z, &err));
	assert_true(date_parse_iso("2025-03-09", &d));
	assert_int_equal(solar_quarters(z, date_to_days(d), INT64_MAX), 92);
	assert_true(date_parse_iso("2025-11-02", &d));
	assert_int_equal(solar_quarters(z, date_to_days(d), INT64_MAX), 100);
	assert_true(date_parse_iso("2026-02-27", &d));
	assert_int_equal(solar_quarters(z, date_to_days(d), INT64_C(1772218800000)), 48);
	assert_int_equal(solar_quarters(z, date_to_days(d) + 1, INT64_C(1772218800000)), 0);
	zone_free(&z);
}

/* ---- savings, by hand ---- */

static void savings(const char *tariff, const char *currency)
{
	static const char *const columns[] = {"logger_id", "name",   "tariff",
					      "currency",  "energy", "days"};
	const char *const cells[] = {"1", "One", tariff, currency, "1000", "28"};

	begin();
	args_set(&r->args, arena, "start_date", value_date("2026-01-28"));
	args_set(&r->args, arena, "end_date", value_date("2026-02-26"));
	add_table("main", columns, 6, cells, 1);
	solar_savings(r, arena);
}

static void computes_money_and_climate(void **state)
{
	(void)state;
	savings("0.12", "USD");
	assert_string_equal(fact("savings"), "120.00");
	assert_string_equal(fact("co2Offset"), "352.0");
	assert_string_equal(fact("treesEquivalent"), "5.9");
	assert_string_equal(fact("daysWithout"), "2");
	savings("0.2", "EUR");
	assert_string_equal(fact("savings"), "-");
	assert_string_equal(fact("savingsEuro"), "200.00");
	savings(NULL, "USD"); /* reported, never assumed */
	assert_string_equal(fact("savings"), "-");
	assert_non_null(strstr(fact("note"), "No tariff is known for 1"));
	savings("NaN", "USD");
	assert_string_equal(fact("savings"), "-");
}

/* ---- forecasts of a known series ---- */

static size_t silent; /* days since the newest reading */

static void forecast(const char *latitude, size_t days, double (*energy)(size_t day))
{
	static const char *const columns[] = {"logger_id", "timezone", "latitude"};
	const char *const cells[] = {"1", "UTC", latitude};
	const struct frame_declared declared[] = {{"day", FRAME_DAY}, {"energy", FRAME_REAL}};
	struct frame_builder *b = frame_builder_new("daily", declared, 2, 4000);
	int64_t today = NOON / 86400000;
	struct frame *f;
	struct err err;
	bool wanted;

	begin();
	add_table("main", columns, 3, cells, 1);
	args_set(&r->args, arena, "days_ahead", value_int(7));
	for (size_t i = 0; i < days; i++) {
		assert_true(frame_builder_next(b, &wanted, &err));
		frame_builder_cell(b, 0,
				   solar_iso(arena, today - (int64_t)(days + silent) + (int64_t)i));
		frame_builder_cell(b, 1, digits(energy(i)));
		assert_true(frame_builder_row(b, &err));
	}
	f = frame_builder_finish(&b);
	f->name = "daily";
	result_add_frame(r, arena, f);
	solar_forecast(r, arena);
	result_free_frames(r);
}

static double constant(size_t day)
{
	(void)day;
	return 100;
}

static double dark(size_t day)
{
	(void)day;
	return 0;
}

static void continues_a_constant_series(void **state)
{
	(void)state;
	forecast("0", 200, constant); /* at the equator the sun is the same for weeks */
	assert_int_equal(r->tables[0]->row_count, 7);
	assert_true(fabs(atof(fact("total")) - 700) < 10);
	assert_true(atof(fact("backtestMae")) < 10);
	assert_string_equal(fact("historyDays"), "200");
}

static void reports_short_history_and_missing_sun(void **state)
{
	(void)state;
	forecast("35", 36, constant);
	assert_string_equal(fact("method"), "mean, too little history");
	assert_string_equal(fact("low80"), "-");
	assert_non_null(strstr(fact("note"), "37 are needed"));
	forecast("35", 0, constant);
	assert_string_equal(fact("method"), "none");
	forecast("78", 90, dark); /* polar night */
	assert_string_equal(fact("total"), "-");
}

/* From November to the middle of February the sun does not set at 78° south. */
static void handles_polar_day(void **state)
{
	(void)state;
	forecast("-78", 90, constant);
	assert_int_equal(r->tables[0]->row_count, 7);
	assert_true(atof(fact("total")) > 450 && atof(fact("total")) < 750);
	assert_string_equal(fact("historyDays"), "90");
}

static void silent_logger_has_no_forecast(void **state)
{
	(void)state;
	silent = 27; /* the newest is 28 days old */
	forecast("35", 100, constant);
	assert_string_not_equal(fact("total"), "-");
	silent = 28;
	forecast("35", 100, constant);
	assert_string_equal(fact("total"), "-");
	assert_string_equal(fact("method"), "none");
	assert_int_equal(r->tables[0]->row_count, 0);
	assert_non_null(strstr(fact("note"), "newest data is from 2026-01-29"));
	silent = 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(faultless_inverter_has_no_findings),
		TEST(gap_needs_two_quarter_hours),
		TEST(ignores_gaps_at_night),
		TEST(finds_impossible_values),
		TEST(outage_needs_sun_and_two_quarter_hours),
		TEST(frozen_value_needs_four_readings),
		TEST(finds_interpolated_lines),
		TEST(spike_deviates_from_the_sun),
		TEST(finds_a_weak_day),
		TEST(needs_ten_reference_days),
		TEST(survives_hostile_readings),
		TEST(ignores_readings_in_the_future),
		TEST(tolerates_clock_jumps),
		TEST(days_have_92_to_100_quarter_hours),
		TEST(computes_money_and_climate),
		TEST(continues_a_constant_series),
		TEST(reports_short_history_and_missing_sun),
		TEST(handles_polar_day),
		TEST(silent_logger_has_no_forecast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
