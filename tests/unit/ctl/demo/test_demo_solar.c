/* The demo's photovoltaic plants: the files contain what tests/solar/planted.json lists, are
 * deterministic, and belong to one tenant each. */
#include "demo/demo_data.h"

#include <dirent.h>
#include <jansson.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TABLES VESPER_SOURCE_DIR "/sql/solar/tables.json"

static char folder[] = "/tmp/vesper-solar-XXXXXX";
static sqlite3 *mesa, *acme;
static json_t *planted;

static sqlite3 *open_file(const char *tenant)
{
	char path[256];
	sqlite3 *db = NULL;

	snprintf(path, sizeof(path), "%s/%s.db", folder, tenant);
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	return db;
}

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	if (!mkdtemp(folder) || !demo_data_make_source("solar", TABLES, folder, true, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	mesa = open_file("mesa");
	acme = open_file("acme");
	planted = json_load_file(VESPER_SOURCE_DIR "/tests/solar/planted.json", 0, NULL);
	return planted ? 0 : 1;
}

static int tear_down(void **state)
{
	char path[256];

	(void)state;
	json_decref(planted);
	sqlite3_close(mesa);
	sqlite3_close(acme);
	snprintf(path, sizeof(path), "%s/mesa.db", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/acme.db", folder);
	unlink(path);
	return rmdir(folder);
}

/* One row as "a|b"; NULL cells are empty. */
static const char *query_row(sqlite3 *db, const char *fmt, ...)
{
	static char text[1024];
	sqlite3_stmt *stmt = NULL;
	size_t n = 0;
	va_list args;
	char *sql;

	va_start(args, fmt);
	sql = sqlite3_vmprintf(fmt, args);
	va_end(args);
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	text[0] = '\0';
	if (sqlite3_step(stmt) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(stmt); i++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? "|" : "",
					      sqlite3_column_text(stmt, i)
						      ? (const char *)sqlite3_column_text(stmt, i)
						      : "");
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return text;
}

static const char *text_of(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* A local winter time of Albuquerque ("10:15") on a day, as UTC. */
static const char *utc(const char *day, const char *clock)
{
	static char text[2][32];
	static int slot;

	slot = !slot;
	snprintf(text[slot], sizeof(text[slot]), "%s %02d%s:00", day, atoi(clock) + 7, clock + 2);
	return text[slot];
}

static void loggers_have_the_planted_rows(void **state)
{
	const char *logger;
	json_t *value;

	(void)state;
	json_object_foreach(json_object_get(planted, "rows"), logger, value)
		assert_int_equal(
			atoll(query_row(mesa,
					"SELECT COUNT(*) FROM measurements WHERE logger_id = %Q",
					logger)),
			json_integer_value(value));
	json_object_foreach(json_object_get(planted, "ranges"), logger, value) {
		char both[32];

		snprintf(both, sizeof(both), "%s|%s", json_string_value(json_array_get(value, 0)),
			 json_string_value(json_array_get(value, 1)));
		assert_string_equal(
			query_row(mesa,
				  "SELECT first_day, last_day FROM v_range WHERE logger_id = %Q",
				  logger),
			both);
	}
	assert_string_equal(
		query_row(mesa, "SELECT first_day, last_ts FROM v_range WHERE logger_id = '950'"),
		"|");
}

static void newest_rows_show_silent_loggers(void **state)
{
	const char *logger;
	json_t *value;

	(void)state;
	json_object_foreach(json_object_get(planted, "last"), logger, value)
		assert_string_equal(
			query_row(mesa, "SELECT ts_utc FROM v_latest WHERE logger_id = %Q", logger),
			json_string_value(value));
	json_object_foreach(json_object_get(planted, "codes"), logger, value)
		assert_string_equal(
			query_row(mesa, "SELECT code FROM v_latest WHERE logger_id = %Q", logger),
			json_string_value(value));
	assert_string_equal(query_row(mesa, "SELECT COUNT(*) FROM loggers WHERE commissioned_on <= "
					    "'2026-02-27' AND retired_on IS NULL"),
			    "12");
	assert_string_equal(query_row(mesa,
				      "SELECT COUNT(*) FROM v_latest v JOIN loggers l ON "
				      "l.logger_id = v.logger_id AND l.retired_on IS NULL WHERE "
				      "v.ts_utc >= '2026-02-27 18:00:00'"),
			    "10");
}

static void faults_are_where_they_were_planted(void **state)
{
	size_t i;
	json_t *a;

	(void)state;
	json_array_foreach(json_object_get(planted, "anomalies"), i, a) {
		const char *day = text_of(a, "day"), *from = text_of(a, "from");
		const char *row =
			from ? query_row(
				       mesa,
				       "SELECT COUNT(*), MIN(active_power_w), MAX(active_power_w) "
				       "FROM measurements WHERE logger_id = %Q AND ts_utc >= %Q "
				       "AND "
				       "ts_utc < %Q",
				       text_of(a, "logger"), utc(day, from),
				       utc(day, text_of(a, "until")))
			     : NULL;

		if (strcmp(text_of(a, "kind"), "outage") == 0)
			assert_string_equal(row, "9|0|0");
		if (strcmp(text_of(a, "kind"), "frozen") == 0)
			assert_string_equal(row, "6|31234.5|31234.5");
	}
	a = json_object_get(planted, "gap");
	assert_string_equal(
		query_row(
			mesa,
			"SELECT 96 - COUNT(*), SUM(ts_utc >= %Q AND ts_utc < %Q) FROM measurements "
			"WHERE logger_id = '926' AND local_date = %Q",
			utc(text_of(a, "day"), text_of(a, "from")),
			utc(text_of(a, "day"), text_of(a, "until")), text_of(a, "day")),
		"24|0");
	assert_string_equal(query_row(mesa,
				      "SELECT MAX(active_power_w), SUM(active_power_w = 27000) > "
				      "20 FROM measurements WHERE logger_id = '927'"),
			    "27000|1");
	assert_string_equal(query_row(mesa,
				      "SELECT MIN(active_power_w) >= -8, MIN(active_power_w) <= -7 "
				      "FROM measurements WHERE logger_id = '926'"),
			    "1|1");
	assert_string_equal(query_row(mesa,
				      "SELECT COUNT(*) FROM measurements WHERE logger_id = '921' "
				      "AND local_date = '2025-11-02'"),
			    "100");
}

static double energy(const char *logger, json_t *days)
{
	return atof(
		query_row(mesa,
			  "SELECT SUM(energy_kwh) FROM v_daily WHERE logger_id = %Q AND local_date "
			  "BETWEEN %Q AND %Q",
			  logger, json_string_value(json_array_get(days, 0)),
			  json_string_value(json_array_get(days, 1))));
}

/* Each month the drifting inverter yields a smaller share of its neighbour's energy. The tolerance
 * covers the higher efficiency at more power. */
static void drift_is_constant_per_month(void **state)
{
	json_t *drift = json_object_get(planted, "drift"), *days;
	double loss = (double)json_integer_value(json_object_get(drift, "permille")) / 1000;
	double first = 0;
	size_t i;

	(void)state;
	json_array_foreach(json_object_get(drift, "months"), i, days) {
		int month = 13 + (int)i; /* since the first day */
		double share = energy(text_of(drift, "logger"), days) /
			       energy(text_of(drift, "beside"), days) / (1 - loss * month);

		first = i == 0 ? share : first;
		assert_true(share / first > 1 - loss / 20 && share / first < 1 + loss / 20);
	}
	assert_int_equal(i, 3);
}

static void rejects_a_second_reading_of_a_quarter_hour(void **state)
{
	(void)state;
	assert_int_equal(sqlite3_exec(mesa,
				      "INSERT INTO measurements (tenant_id, logger_id, ts_utc, "
				      "local_date, active_power_w) VALUES ('mesa', '926', "
				      "'2026-02-18 20:00:00', '2026-02-18', 1)",
				      NULL, NULL, NULL) &
				 0xff,
			 SQLITE_OK);
	assert_int_equal(sqlite3_exec(mesa,
				      "INSERT INTO measurements (tenant_id, logger_id, ts_utc, "
				      "local_date, active_power_w) VALUES ('mesa', '926', "
				      "'2026-02-18 20:00:00', '2026-02-18', 2)",
				      NULL, NULL, NULL),
			 SQLITE_CONSTRAINT);
	assert_int_equal(sqlite3_exec(mesa,
				      "DELETE FROM measurements WHERE logger_id = '926' AND ts_utc "
				      "= '2026-02-18 20:00:00'",
				      NULL, NULL, NULL),
			 SQLITE_OK);
}

static void ignores_invalid_codes(void **state)
{
	(void)state;
	assert_string_equal(query_row(mesa,
				      "SELECT COUNT(*) FROM measurements WHERE logger_id = '922' "
				      "AND metadata IS NOT NULL"),
			    "2"); /* "0", and invalid JSON */
	assert_string_equal(query_row(mesa, "SELECT COUNT(*) FROM v_error_events WHERE logger_id = "
					    "'922'"),
			    "0");
	assert_string_equal(query_row(mesa, "SELECT COUNT(*) FROM v_error_events"), "5");
}

/* Computed with integers only, so all compilers agree. */
static void rows_are_deterministic(void **state)
{
	json_t *sums = json_object_get(planted, "sums");
	char expected[128];

	(void)state;
	snprintf(expected, sizeof(expected), "%lld|%lld|%lld|%lld",
		 (long long)json_integer_value(json_object_get(sums, "rows")),
		 (long long)json_integer_value(json_object_get(sums, "power_dw")),
		 (long long)json_integer_value(json_object_get(sums, "irradiance_cw")),
		 (long long)json_integer_value(json_object_get(sums, "energy_wh")));
	assert_string_equal(
		query_row(mesa,
			  "SELECT COUNT(*), SUM(CAST(ROUND(active_power_w * 10) AS INTEGER)), "
			  "SUM(CAST(ROUND(irradiance_w_m2 * 100) AS INTEGER)), "
			  "SUM(CAST(ROUND(energy_day_kwh * 1000) AS INTEGER)) FROM measurements"),
		expected);
}

static void tenants_are_isolated(void **state)
{
	(void)state;
	assert_string_equal(
		query_row(mesa, "SELECT COUNT(*) FROM loggers WHERE tenant_id <> 'mesa'"), "0");
	assert_string_equal(query_row(acme,
				      "SELECT COUNT(*), MIN(timezone), MIN(currency) FROM loggers "
				      "WHERE tenant_id = 'acme'"),
			    "3|Europe/Rome|EUR");
	assert_string_equal(query_row(acme,
				      "SELECT COUNT(*) FROM v_daily WHERE energy_kwh > 0 AND "
				      "CAST(ROUND(energy_kwh * 1000) AS INTEGER) %% 1000 <> 777"),
			    "0");
	assert_string_equal(query_row(acme, "SELECT COUNT(DISTINCT local_date) FROM measurements"),
			    "60");
}

static void keeps_current_files(void **state)
{
	struct stat before, after;
	struct err e = {0};
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/mesa.db", folder);
	assert_int_equal(stat(path, &before), 0);
	assert_true(demo_data_make_source("solar", TABLES, folder, true, &e));
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_false(demo_data_make_source("solar", TABLES, "/nowhere/at/all", true, &e));
	assert_int_equal(e.code, ERR_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loggers_have_the_planted_rows),
		cmocka_unit_test(newest_rows_show_silent_loggers),
		cmocka_unit_test(faults_are_where_they_were_planted),
		cmocka_unit_test(drift_is_constant_per_month),
		cmocka_unit_test(rejects_a_second_reading_of_a_quarter_hour),
		cmocka_unit_test(ignores_invalid_codes),
		cmocka_unit_test(rows_are_deterministic),
		cmocka_unit_test(tenants_are_isolated),
		cmocka_unit_test(keeps_current_files),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
