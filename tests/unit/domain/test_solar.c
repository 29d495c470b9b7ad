/* The computations of the solar domain on generated readings: each rule at, below and above its
 * threshold, ratios and savings, forecasts of known series, and hostile input. */
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
#define FIRST_DAY       "2026-01-23" /* 28 days of reference, a period of 7 days, and today */
#define NOON            INT64_C(1772193600000) /* 2026-02-27 12:00 UTC */

static struct arena *arena;
static struct result *result;
static double power[DAYS * QUARTERS], irradiance[DAYS * QUARTERS], energy[DAYS * QUARTERS];
static int64_t first_ms;
static struct factor factors[] = {{"online_minutes", 60, "60", NULL},
				  {"health_availability", 0.5, "0.5", NULL},
				  {"health_energy", 0.4, "0.4", NULL},
				  {"health_completeness", 0.1, "0.1", NULL},
				  {"co2_kg_per_kwh", 0.352, "0.352", "EPA"},
				  {"tree_kg_co2", 60, "60", "EPA"},
				  {0}};

/* Fills clear days: sun from 6 to 18, and power of 40 W per W/m2 with small variations. */
static int set_up(void **state)
{
	struct date first;
	double counter = 0;

	(void)state;
	assert_true(date_parse_iso(FIRST_DAY, &first));
	first_ms = date_to_days(first) * INT64_C(86400000);
	for (size_t i = 0; i < DAYS * QUARTERS; i++) {
		double hour = (double)(i % QUARTERS) / 4;

		if (i % QUARTERS == 0)
			counter = 0;
		irradiance[i] = hour <= 6 || hour >= 18 ? 0 : 1000 * sin(M_PI * (hour - 6) / 12);
		power[i] = irradiance[i] * 40 * (1 + 0.004 * sin((double)i * 1.7)) *
			   (1 + 0.01 * sin((double)(i / QUARTERS)));
		counter += power[i] / 4000;
		energy[i] = counter;
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

/* ---- tables and frames of a result ---- */

static void add_table(const char *name, const char *const *columns, size_t n,
		      const char *const *cells, size_t rows)
{
	struct table *t = table_new(1 << 20);
	enum column_type types[16] = {0};

	t->name = name;
	table_replace(t, columns, types, n, cells, rows);
	result_add_table(result, arena, t);
}

static void begin_result(void)
{
	struct derive_context *c = arena_alloc(arena, sizeof(*c));

	result = result_new(arena);
	*c = (struct derive_context){.today = {2026, 2, 27}, .now_ms = NOON, .factors = factors};
	result->context = c;
	result->outcome.kind = OUTCOME_ROWS;
}

static const char *format_time(int64_t ms)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(ms, text);
	text[10] = ' ';
	text[19] = '\0';
	return arena_strdup(arena, text);
}

static const char *format_number(double v)
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
	bool expected;

	for (size_t i = 0; i < n; i++) {
		if (isnan(values[i])) /* no row */
			continue;
		assert_true(frame_builder_next(b, &expected, &err));
		frame_builder_cell(b, 0, format_time(first_ms + (int64_t)i * QUARTER_MS));
		frame_builder_cell(b, 1, format_number(values[i]));
		if (second)
			frame_builder_cell(b, 2, format_number(more[i]));
		assert_true(frame_builder_row(b, &err));
	}
	f = frame_builder_finish(&b);
	f->name = name;
	result_add_frame(result, arena, f);
}

static void run_health(void)
{
	static const char *const columns[] = {"day", "id", "timezone", "rating_kw", "capacity_kw"};
	static const char *const cells[] = {"2026-02-20", "1", "UTC", "45", "50"};

	begin_result();
	add_table("main", columns, 5, cells, 1);
	add_frame("readings", "p", power, "e", energy, DAYS * QUARTERS);
	add_frame("sensor", "g", irradiance, NULL, NULL, DAYS * QUARTERS);
	add_frame("peers", "share", power, NULL, NULL, 0);
	solar_health(result, arena);
	result_free_frames(result);
}

static const char *fact_value(const char *name)
{
	const struct fact *f = result_fact(result, name);

	return f ? f->value : "-";
}

static size_t count_anomalies(const char *kind)
{
	const struct table *t = result->tables[0];
	size_t n = 0;

	for (size_t i = 0; i < t->row_count; i++)
		n += strcmp(table_cell(t, i, "kind"), kind) == 0;
	return n;
}

/* Returns the index of a quarter hour of day 31, which is in the period. */
static size_t quarter_at(int hour, int quarter)
{
	return 31 * QUARTERS + (size_t)hour * 4 + (size_t)quarter;
}

static void assert_only(const char *kind, size_t expected)
{
	run_health();
	if (count_anomalies(kind) != expected || result->tables[0]->row_count != expected) {
		for (size_t i = 0; i < result->tables[0]->row_count; i++)
			print_message("%s %s\n", table_cell(result->tables[0], i, "kind"),
				      table_cell(result->tables[0], i, "start"));
		fail_msg("%zu of %s, %zu in all; %zu expected", count_anomalies(kind), kind,
			 result->tables[0]->row_count, expected);
	}
}

/* ---- health rules ---- */

static void healthy_inverter_has_no_anomalies(void **state)
{
	(void)state;
	assert_only("gap", 0);
	assert_string_equal(fact_value("availability"), "100.0");
	assert_string_equal(fact_value("completeness"), "100.0");
	assert_true(atof(fact_value("healthScore")) > 98);
}

static void gap_needs_two_quarter_hours(void **state)
{
	(void)state;
	power[quarter_at(12, 0)] = NAN;
	assert_only("gap", 0);
	power[quarter_at(12, 1)] = NAN;
	assert_only("gap", 1);
	assert_string_equal(table_cell(result->tables[0], 0, "severity"), "warning");
	for (int i = 0; i < 16; i++)
		power[quarter_at(12, 0) + (size_t)i] = NAN;
	assert_only("gap", 1);
	assert_string_equal(table_cell(result->tables[0], 0, "severity"), "critical");
	assert_true(atof(table_cell(result->tables[0], 0, "lost_kwh")) <
		    1); /* the counter continued */
}

static void gap_at_night_is_ignored(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++)
		power[quarter_at(1, 0) + (size_t)i] = NAN;
	assert_only("gap", 0);
}

static void finds_impossible_values(void **state)
{
	(void)state;
	power[quarter_at(12, 0)] = 1.1 * RATING + 1;
	assert_only("impossible", 1);
	power[quarter_at(12, 0)] = -0.01 * RATING - 1;
	assert_only("impossible", 1);
	power[quarter_at(2, 0)] = -0.01 * RATING + 1; /* consumption of the inverter at night */
	power[quarter_at(12, 0)] = irradiance[quarter_at(12, 0)] * 40;
	assert_only("impossible", 0);
	energy[quarter_at(14, 0)] = 1; /* the counter falls */
	assert_only("impossible", 1);
}

static void outage_needs_sun_and_two_quarter_hours(void **state)
{
	(void)state;
	power[quarter_at(10, 0)] = 0.005 * RATING;
	run_health();
	assert_int_equal(count_anomalies("outage"), 0);
	power[quarter_at(10, 1)] = 0.005 * RATING;
	run_health();
	assert_int_equal(count_anomalies("outage"), 1);
	assert_true(atof(table_cell(result->tables[0], 0, "lost_kwh")) > 15);
	power[quarter_at(10, 0)] = power[quarter_at(10, 1)] = 0.005 * RATING + 1;
	run_health();
	assert_int_equal(count_anomalies("outage"), 0);
	arena_free(&arena);
	set_up(NULL);
	irradiance[quarter_at(10, 0)] = irradiance[quarter_at(10, 1)] = 199; /* dark */
	power[quarter_at(10, 0)] = power[quarter_at(10, 1)] = 0;
	run_health();
	assert_int_equal(count_anomalies("outage"), 0);
}

static void frozen_values_need_four_repeats(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++)
		power[quarter_at(12, 0) + i] = 38123.4;
	assert_only("frozen", 0);
	power[quarter_at(12, 3)] = 38123.4;
	assert_only("frozen", 1);
	for (size_t i = 0; i < 4; i++)
		power[quarter_at(12, 0) + i] = 0.995 * RATING; /* at its limit */
	run_health();
	assert_int_equal(count_anomalies("frozen"), 0);
}

static void finds_interpolated_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		power[quarter_at(9, 0) + i] = 30000 + 700 * (double)i;
	run_health();
	assert_int_equal(count_anomalies("interpolated"), 1);
	power[quarter_at(9, 1)] += 5; /* off the line */
	run_health();
	assert_int_equal(count_anomalies("interpolated"), 0);
}

static void spike_differs_from_irradiance(void **state)
{
	(void)state;
	power[quarter_at(12, 0)] -= 0.3 * RATING;
	assert_only("spike", 1);
	power[quarter_at(12, 0)] += 0.1 * RATING; /* 20 % of the rating is too small */
	assert_only("spike", 0);
	irradiance[quarter_at(12, 0)] *= 0.3; /* a cloud changes both */
	power[quarter_at(12, 0)] = irradiance[quarter_at(12, 0)] * 40;
	assert_only("spike", 0);
}

static void scale_day(size_t day, double factor)
{
	for (size_t i = day * QUARTERS; i < (day + 1) * QUARTERS; i++)
		power[i] *= factor;
}

static void finds_weak_day(void **state)
{
	(void)state;
	scale_day(31, 0.91);
	assert_only("underperformance", 0);
	scale_day(31, 0.85 / 0.91);
	assert_only("underperformance", 1);
	assert_true(atof(fact_value("lostKwh")) > 20);
}

static void needs_ten_reference_days(void **state)
{
	(void)state;
	for (size_t i = 0; i < 19 * QUARTERS; i++)
		power[i] = NAN;
	scale_day(31, 0.5);
	run_health();
	assert_int_equal(count_anomalies("underperformance"), 0); /* 9 days */
	assert_non_null(strstr(fact_value("note"), "10 are needed"));
	assert_string_equal(fact_value("lostKwh"), "-");
	for (size_t i = 18 * QUARTERS; i < 19 * QUARTERS; i++)
		power[i] = irradiance[i] * 40;
	run_health();
	assert_int_equal(count_anomalies("underperformance"), 1);
}

static void handles_hostile_readings(void **state)
{
	(void)state;
	for (size_t i = 0; i < DAYS * QUARTERS; i++)
		power[i] = 5; /* the same value, night and day */
	run_health();
	for (size_t i = 0; i < DAYS * QUARTERS; i++)
		power[i] = irradiance[i] = NAN;
	run_health();
	assert_non_null(strstr(fact_value("note"), "no daylight"));
	assert_string_equal(fact_value("healthScore"), "-"); /* no score without daylight */
	arena_free(&arena);
	set_up(NULL);
	for (size_t i = 0; i < DAYS * QUARTERS; i++)
		irradiance[i] = 0; /* polar night */
	run_health();
	assert_string_equal(fact_value("availability"), "-");
	for (size_t i = 0; i < DAYS * QUARTERS; i++)
		irradiance[i] = 600; /* polar day */
	run_health();
	assert_string_not_equal(fact_value("availability"), "-");
}

/* ---- wrong clocks ---- */

static void run_fleet(const char *last_seen)
{
	static const char *const columns[] = {
		"logger_id",  "name",      "capacity_kw", "timezone", "commissioned_on",
		"retired_on", "last_seen", "last_day",    "power_w",  "energy_kwh"};
	const char *const cells[] = {"1",  "One",     "50",         "UTC",  "2020-01-01",
				     NULL, last_seen, "2026-02-27", "1000", "5"};

	begin_result();
	add_table("main", columns, 10, cells, 1);
	add_table("offline", columns, 1, NULL, 0);
	add_table("alerts", columns, 1, NULL, 0);
	solar_fleet(result, arena);
}

static void readings_of_wrong_clocks_are_ignored(void **state)
{
	(void)state;
	run_fleet("2026-02-27 11:00:00"); /* now is 12:00 */
	assert_string_equal(fact_value("onlineCount"), "1");
	run_fleet("2026-02-27 10:59:59");
	assert_string_equal(fact_value("onlineCount"), "0");
	run_fleet("2026-02-27 13:00:00"); /* a small error of the clock is accepted */
	assert_string_equal(fact_value("onlineCount"), "1");
	assert_string_equal(fact_value("note"), "-");
	run_fleet("2026-02-27 13:00:01");
	assert_string_equal(fact_value("onlineCount"), "0");
	assert_string_equal(fact_value("totalPower"), "0.0");
	assert_non_null(strstr(fact_value("note"), "clocks are wrong"));
}

static const struct {
	int64_t quarter; /* index, from the first quarter hour */
	double watts;
} misplaced[] = {{31 * QUARTERS + 48, 99e3},
		 {-5 * QUARTERS, 1},
		 {60 * QUARTERS, 1},
		 {31 * QUARTERS + 48, 0}};

/* Some readings are repeated, since a clock was set back, and some are outside the range. */
static void misplaced_readings_change_nothing(void **state)
{
	struct frame_builder *b;
	struct frame *f;
	struct err err;
	bool expected;
	const struct frame_declared columns[] = {
		{"ts", FRAME_TIME}, {"p", FRAME_REAL}, {"e", FRAME_REAL}};
	static const char *const names[] = {"day", "id", "timezone", "rating_kw", "capacity_kw"};
	static const char *const cells[] = {"2026-02-20", "1", "UTC", "45", "50"};

	(void)state;
	begin_result();
	add_table("main", names, 5, cells, 1);
	b = frame_builder_new("readings", columns, 3, 40000);
	for (size_t i = 0; i < DAYS * QUARTERS + COUNT_OF(misplaced); i++) {
		size_t k = i - DAYS * QUARTERS;
		int64_t at = i < DAYS * QUARTERS ? (int64_t)i : misplaced[k].quarter;

		assert_true(frame_builder_next(b, &expected, &err));
		frame_builder_cell(b, 0, format_time(first_ms + at * QUARTER_MS));
		frame_builder_cell(
			b, 1, format_number(i < DAYS * QUARTERS ? power[i] : misplaced[k].watts));
		frame_builder_cell(b, 2, i < DAYS * QUARTERS ? format_number(energy[i]) : "text");
		assert_true(frame_builder_row(b, &err));
	}
	f = frame_builder_finish(&b);
	f->name = "readings";
	result_add_frame(result, arena, f);
	add_frame("sensor", "g", irradiance, NULL, NULL, DAYS * QUARTERS);
	add_frame("peers", "share", power, NULL, NULL, 0);
	solar_health(result, arena);
	result_free_frames(result);
	assert_string_equal(fact_value("anomalyCount"), "0");
	assert_string_equal(fact_value("completeness"), "100.0");
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

/* ---- savings ---- */

static void run_savings(const char *tariff, const char *currency)
{
	static const char *const columns[] = {"logger_id", "name",   "tariff",
					      "currency",  "energy", "days"};
	const char *const cells[] = {"1", "One", tariff, currency, "1000", "28"};

	begin_result();
	args_set(&result->args, arena, "start_date", value_date("2026-01-28"));
	args_set(&result->args, arena, "end_date", value_date("2026-02-26"));
	add_table("main", columns, 6, cells, 1);
	solar_savings(result, arena);
}

static void savings_match_manual_results(void **state)
{
	(void)state;
	run_savings("0.12", "USD");
	assert_string_equal(fact_value("savings"), "120.00");
	assert_string_equal(fact_value("co2Offset"), "352.0");
	assert_string_equal(fact_value("treesEquivalent"), "5.9");
	assert_string_equal(fact_value("daysWithout"), "2");
	run_savings("0.2", "EUR");
	assert_string_equal(fact_value("savings"), "-");
	assert_string_equal(fact_value("savingsEuro"), "200.00");
	run_savings(NULL, "USD"); /* reported, not estimated */
	assert_string_equal(fact_value("savings"), "-");
	assert_non_null(strstr(fact_value("note"), "No tariff is known for 1"));
	run_savings("NaN", "USD");
	assert_string_equal(fact_value("savings"), "-");
}

/* ---- forecasts of known series ---- */

static size_t silent_days; /* days without readings up to yesterday */

static void run_forecast(const char *latitude, size_t days, double (*energy_of_day)(size_t day))
{
	static const char *const columns[] = {"logger_id", "timezone", "latitude"};
	const char *const cells[] = {"1", "UTC", latitude};
	const struct frame_declared declared[] = {{"day", FRAME_DAY}, {"energy", FRAME_REAL}};
	struct frame_builder *b = frame_builder_new("daily", declared, 2, 4000);
	int64_t today = NOON / 86400000;
	struct frame *f;
	struct err err;
	bool expected;

	begin_result();
	add_table("main", columns, 3, cells, 1);
	args_set(&result->args, arena, "days_ahead", value_int(7));
	for (size_t i = 0; i < days; i++) {
		assert_true(frame_builder_next(b, &expected, &err));
		frame_builder_cell(
			b, 0, solar_iso(arena, today - (int64_t)(days + silent_days) + (int64_t)i));
		frame_builder_cell(b, 1, format_number(energy_of_day(i)));
		assert_true(frame_builder_row(b, &err));
	}
	f = frame_builder_finish(&b);
	f->name = "daily";
	result_add_frame(result, arena, f);
	solar_forecast(result, arena);
	result_free_frames(result);
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

static void forecasts_constant_series(void **state)
{
	(void)state;
	run_forecast("0", 200, constant); /* at the equator the sun hardly changes within weeks */
	assert_int_equal(result->tables[0]->row_count, 7);
	assert_true(fabs(atof(fact_value("total")) - 700) < 10);
	assert_true(atof(fact_value("backtestMae")) < 10);
	assert_string_equal(fact_value("historyDays"), "200");
}

static void reports_too_little_history_and_polar_night(void **state)
{
	(void)state;
	run_forecast("35", 36, constant);
	assert_string_equal(fact_value("method"), "mean, too little history");
	assert_string_equal(fact_value("low80"), "-");
	assert_non_null(strstr(fact_value("note"), "37 are needed"));
	run_forecast("35", 0, constant);
	assert_string_equal(fact_value("method"), "none");
	run_forecast("78", 90, dark); /* polar night */
	assert_string_equal(fact_value("total"), "-");
}

/* From November to the middle of February the sun does not set at 78° south. */
static void forecasts_during_polar_day(void **state)
{
	(void)state;
	run_forecast("-78", 90, constant);
	assert_int_equal(result->tables[0]->row_count, 7);
	assert_true(atof(fact_value("total")) > 450 && atof(fact_value("total")) < 750);
	assert_string_equal(fact_value("historyDays"), "90");
}

static void silent_logger_has_no_forecast(void **state)
{
	(void)state;
	silent_days = 27; /* the newest reading is 28 days old */
	run_forecast("35", 100, constant);
	assert_string_not_equal(fact_value("total"), "-");
	silent_days = 28;
	run_forecast("35", 100, constant);
	assert_string_equal(fact_value("total"), "-");
	assert_string_equal(fact_value("method"), "none");
	assert_int_equal(result->tables[0]->row_count, 0);
	assert_non_null(strstr(fact_value("note"), "newest data are of 2026-01-29"));
	silent_days = 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(healthy_inverter_has_no_anomalies),
		TEST(gap_needs_two_quarter_hours),
		TEST(gap_at_night_is_ignored),
		TEST(finds_impossible_values),
		TEST(outage_needs_sun_and_two_quarter_hours),
		TEST(frozen_values_need_four_repeats),
		TEST(finds_interpolated_lines),
		TEST(spike_differs_from_irradiance),
		TEST(finds_weak_day),
		TEST(needs_ten_reference_days),
		TEST(handles_hostile_readings),
		TEST(readings_of_wrong_clocks_are_ignored),
		TEST(misplaced_readings_change_nothing),
		TEST(days_have_92_to_100_quarter_hours),
		TEST(savings_match_manual_results),
		TEST(forecasts_constant_series),
		TEST(reports_too_little_history_and_polar_night),
		TEST(forecasts_during_polar_day),
		TEST(silent_logger_has_no_forecast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
