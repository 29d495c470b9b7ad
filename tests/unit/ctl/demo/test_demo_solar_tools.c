/* The tools of the solar pack on the demo's plants: they find every planted fault, report missing
 * data, and never show another tenant's loggers. */
#include "demo/demo_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "vesper/clock.h"
#include "vesper/db.h"
#include "vesper/domain.h"
#include "vesper/json.h"
#include "vesper/nlu.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/view.h"
#include "vesper/zone.h"

static char folder[] = "/tmp/vesper-solar-XXXXXX";
static char paths[2][256];
static struct loop *loop;
static struct catalog *catalog;
static struct nlu *nlu;
static struct db *plants;
static struct source *source;
static struct source_table sources = {&source, 1};
static struct toolbox *box;
static struct arena *arena;
static struct result *result;
static struct view_answer answer;
static const char *tenant = "mesa";

static void ignore_log(void *owner, const char *text)
{
	(void)owner;
	(void)text;
}

static void freeze(const char *text)
{
	struct moment m;

	assert_true(moment_parse(text, &m));
	moment_freeze(&m, NULL);
}

static int set_up(void **state)
{
	static struct db_tenant tenants[] = {{"mesa", paths[0]}, {"acme", paths[1]}};
	const struct db_options options = {.name = "solar",
					   .dialect = DIALECT_SQLITE,
					   .read_only = true,
					   .schemas = (const char *const[]){"pv", NULL},
					   .workers = 2,
					   .timeout_ms = 120000,
					   .tenants = tenants,
					   .tenant_count = 2};
	struct toolbox_options tools = {
		.modules = domain_modules, .derivations = domain_derivations, .sources = &sources};
	const struct pack_list packs = {.key = "core,solar",
					.names = (const char *const[]){"core", "solar", NULL}};
	struct err e = {0};

	(void)state;
	log_capture(ignore_log, NULL);
	if (!mkdtemp(folder) ||
	    !demo_data_make_source("solar", VESPER_SOURCE_DIR "/sql/solar/tables.json", folder,
				   true, &e))
		fail_msg("%s", e.text);
	snprintf(paths[0], sizeof(paths[0]), "%s/mesa.db", folder);
	snprintf(paths[1], sizeof(paths[1]), "%s/acme.db", folder);
	if (!loop_new(&loop, &e) ||
	    !catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, &packs, &catalog, &e) ||
	    !db_open(loop, &options, &plants, &e))
		fail_msg("%s", e.text);
	source = db_source(plants, "solar", NULL);
	nlu = nlu_new(catalog);
	tools.loop = loop;
	tools.catalog = catalog;
	tools.names = nlu_names(nlu);
	if (!toolbox_new(&tools, &box, &e))
		fail_msg("%s", e.text);
	freeze("2026-02-27T12:00-07:00");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	toolbox_free(&box);
	arena_free(&arena);
	source->close(source);
	db_close(&plants);
	nlu_free(&nlu);
	catalog_unref(&catalog);
	loop_free(&loop);
	unlink(paths[0]);
	unlink(paths[1]);
	clock_release();
	return rmdir(folder);
}

static void on_result(void *owner, struct result *r)
{
	(void)owner;
	result = r;
	loop_stop(loop);
}

/* The arguments are JSON with ' for ". */
static void call_tool(const char *tool, const char *arguments)
{
	const char *const permissions[] = {"chat:use", "chat:read_solar"};
	const struct principal who = {
		.user = "ann", .tenant = tenant, .permissions = permissions, .permission_count = 2};
	struct tool_request request = {.call = "c1",
				       .agent = "solar_agent",
				       .tool = tool,
				       .who = &who,
				       .today = {2026, 2, 27}};
	struct view_answer_input in = {.results = (const struct result *const *)&result,
				       .result_count = 1,
				       .today = {2026, 2, 27}};
	char *text = mem_strdup(arguments);
	struct err e = {0};
	json_t *args;

	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	if (!json_parse(text, strlen(text), 1 << 16, &args, &e))
		fail_msg("%s", e.text);
	request.args = args;
	result = NULL;
	arena_free(&arena);
	arena = arena_new(64 << 20);
	assert_non_null(tool_start(box, &request, arena, on_result, NULL));
	loop_run(loop);
	json_decref(args);
	mem_free(text);
	assert_non_null(result);
	view_answer(&in, arena, &answer);
}

static const char *fact(const char *name)
{
	const struct fact *f = result_fact(result, name);

	return f ? f->value : "-";
}

static const char *cell(const char *table, size_t row, const char *column)
{
	const struct table *t = result_table(result, table);
	const char *text = t && row < t->row_count ? table_cell(t, row, column) : NULL;

	return text ? text : "-";
}

static size_t rows(const char *table)
{
	return result_table(result, table)->row_count;
}

static void shows_the_planted_fleet(void **state)
{
	(void)state;
	call_tool("get_fleet_overview", "{}");
	assert_string_equal(fact("deviceCount"), "12");
	assert_string_equal(fact("onlineCount"), "10");
	assert_string_equal(fact("percentOnline"), "83.3");
	assert_string_equal(fact("alertCount"), "1");
	assert_int_equal(rows("offline"), 2);
	assert_string_equal(cell("offline", 0, "logger_id"), "929");
	assert_string_equal(cell("offline", 0, "last_seen"), "2026-02-23T14:15:00-07:00");
	assert_string_equal(cell("offline", 1, "logger_id"), "930");
	assert_int_equal(rows("alerts"), 1);
	assert_string_equal(cell("alerts", 0, "title"), "Grid loss");
	call_tool("list_loggers", "{}");
	assert_string_equal(fact("count"), "14");
	assert_string_equal(cell("main", 10, "status"), "retired");
	assert_string_equal(cell("main", 11, "status"), "planned");
	assert_string_equal(cell("main", 8, "status"), "offline");
	assert_string_equal(cell("main", 0, "status"), "online");
}

static void shows_codes_and_silent_loggers(void **state)
{
	(void)state;
	call_tool("diagnose_error_codes", "{'days': 7}");
	assert_string_equal(fact("openCritical"), "1");
	assert_string_equal(fact("openWarning"), "1");
	assert_string_equal(fact("events"), "4");
	assert_int_equal(rows("main"), 3);
	assert_string_equal(cell("main", 0, "code"), "301");
	assert_string_equal(cell("main", 0, "open"), "yes");
	assert_string_equal(cell("main", 1, "title"), "No data since 2026-02-26 16:00");
	assert_string_equal(cell("main", 2, "hours"), "0.75"); /* three readings, one event */
	call_tool("diagnose_error_codes", "{'logger_id': ['924'], 'days': 30}");
	assert_string_equal(cell("main", 0, "severity"), "info");
	assert_string_equal(fact("openWarning"), "0");
	call_tool("diagnose_error_codes",
		  "{'logger_id': ['922'], 'days': 30}"); /* "0", and invalid JSON */
	assert_int_equal(rows("main"), 0);
}

static void finds_the_planted_anomalies(void **state)
{
	static const struct {
		const char *kind, *start, *end, *severity;
	} expected[] = {
		{"spike", "2026-02-20T11:45:00-07:00", "2026-02-20T12:00:00-07:00", "info"},
		{"outage", "2026-02-22T10:15:00-07:00", "2026-02-22T12:30:00-07:00", "critical"},
		{"frozen", "2026-02-24T13:00:00-07:00", "2026-02-24T14:30:00-07:00", "warning"},
		{"underperformance", "2026-02-25T07:00:00-07:00", "2026-02-25T17:30:00-07:00",
		 "warning"},
	};

	(void)state;
	call_tool("analyze_inverter_health", "{'logger_id': '925', 'days': 7}");
	assert_string_equal(fact("anomalyCount"), "4");
	assert_int_equal(rows("main"), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(cell("main", i, "kind"), expected[i].kind);
		assert_string_equal(cell("main", i, "start"), expected[i].start);
		assert_string_equal(cell("main", i, "end"), expected[i].end);
		assert_string_equal(cell("main", i, "severity"), expected[i].severity);
	}
	assert_string_equal(fact("completeness"), "100.0");
	assert_non_null(strstr(answer.markdown, "4 anomalies"));
	/* Most inverters are healthy, and must stay so over 90 days each. */
	for (int id = 921; id <= 924; id++) {
		char args[64];

		snprintf(args, sizeof(args), "{'logger_id': '%d', 'days': 90}", id);
		call_tool("analyze_inverter_health", args);
		assert_string_equal(fact("anomalyCount"), "0");
	}
	call_tool("analyze_inverter_health",
		  "{'logger_id': '927', 'days': 30}"); /* clipping is expected */
	assert_string_equal(fact("anomalyCount"), "0");
	call_tool("analyze_inverter_health", "{'logger_id': '926', 'days': 14}");
	assert_string_equal(fact("anomalyCount"), "1");
	assert_string_equal(cell("main", 0, "kind"), "gap");
	assert_string_equal(cell("main", 0, "start"), "2026-02-18T08:00:00-07:00");
	assert_string_equal(cell("main", 0, "end"), "2026-02-18T14:00:00-07:00");
	call_tool("analyze_inverter_health",
		  "{'logger_id': '929'}"); /* silent: one gap up to now */
	assert_string_equal(fact("anomalyCount"), "1");
	assert_string_equal(cell("main", 0, "end"), "2026-02-27T12:00:00-07:00");
}

static void reports_too_little_history(void **state)
{
	(void)state;
	tenant = "acme";
	call_tool("analyze_inverter_health", "{'logger_id': 'A-1', 'days': 55}");
	tenant = "mesa";
	assert_non_null(strstr(fact("note"), "10 are needed"));
	assert_string_equal(fact("lostKwh"), "-");
	assert_string_not_equal(fact("healthScore"), "-");
}

static void curve_covers_its_day(void **state)
{
	(void)state;
	call_tool("get_power_curve", "{'logger_id': '925', 'date': '2026-02-22'}");
	assert_string_equal(fact("date"), "2026-02-22");
	assert_string_equal(fact("energyMethod"), "counter of the logger");
	assert_string_equal(fact("totalEnergy"), "188.710");
	assert_int_equal(rows("main"), 96);
	call_tool("get_power_curve",
		  "{'logger_id': '921', 'date': '2025-11-02'}"); /* clocks go back */
	assert_int_equal(rows("main"), 100);
	assert_string_equal(cell("main", 0, "time"), "2025-11-02T00:00:00-06:00");
	assert_string_equal(cell("main", 99, "time"), "2025-11-02T23:45:00-07:00");
	call_tool("get_power_curve", "{'logger_id': '925'}"); /* today, up to now */
	assert_int_equal(rows("main"), 48);
	assert_string_equal(fact("date"), "2026-02-27");
	call_tool("get_power_curve",
		  "{'logger_id': 'M01', 'date': '2026-02-22'}"); /* of a sensor */
	assert_string_equal(fact("peakValue"), "-");
	assert_non_null(strstr(fact("note"), "No power was recorded"));
	call_tool("get_power_curve", "{'logger_id': '925', 'date': '2026-02-24'}");
	call_tool("get_power_curve",
		  "{'logger_id': '926', 'date': '2026-02-18'}"); /* with the gap */
	assert_int_equal(rows("main"), 72);
}

static void missing_data_is_an_outcome(void **state)
{
	(void)state;
	call_tool("get_power_curve", "{'logger_id': '940', 'date': '2025-01-15'}");
	assert_int_equal(result->outcome.kind, OUTCOME_OUT_OF_WINDOW);
	assert_string_equal(result->outcome.range_min, "2024-12-01");
	assert_string_equal(result->outcome.range_max, "2025-01-10");
	call_tool("calculate_performance_ratio", "{'logger_id': ['950']}");
	assert_int_equal(result->outcome.kind, OUTCOME_NO_DATA);
	call_tool("get_power_curve", "{'logger_id': '950'}");
	assert_int_equal(result->outcome.kind, OUTCOME_NO_DATA);
	call_tool("calculate_financial_savings",
		  "{'start_date': '2026-02-10', 'end_date': '2026-02-01'}");
	assert_int_equal(result->outcome.kind, OUTCOME_ERROR);
	call_tool("analyze_inverter_health", "{'logger_id': '925', 'days': 0}");
	assert_int_equal(result->outcome.kind, OUTCOME_ERROR);
	call_tool("analyze_inverter_health", "{'logger_id': '925', 'days': 1000000}");
	assert_int_equal(result->outcome.kind, OUTCOME_ERROR);
	call_tool("forecast_production", "{'logger_id': '925', 'days_ahead': 31}");
	assert_int_equal(result->outcome.kind, OUTCOME_ERROR);
	call_tool("compare_loggers", "{'logger_ids': ['925']}");
	assert_int_equal(result->outcome.kind, OUTCOME_ERROR);
}

static void suggests_loggers_with_data(void **state)
{
	static const char *const calls[] = {"analyze_inverter_health", "get_power_curve",
					    "forecast_production", "calculate_performance_ratio",
					    "calculate_financial_savings"};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		call_tool(calls[i], "{'logger_id': '950'}");
		assert_int_equal(result->outcome.kind, OUTCOME_NO_DATA);
		assert_string_equal(result->outcome.param, "logger_id");
		assert_int_equal(result->outcome.suggestion_count, RECOVER_OTHERS_MAX);
		assert_string_equal(result->outcome.suggestions[0].value, "921"); /* of its model */
		assert_string_equal(result->outcome.suggestions[0].label, "Inverter 921");
		for (size_t k = 0; k < RECOVER_OTHERS_MAX; k++)
			assert_string_not_equal(result->outcome.suggestions[k].value, "940");
	}
}

static void health_ends_at_the_given_day(void **state)
{
	(void)state;
	call_tool("analyze_inverter_health", "{'logger_id': '940', 'days': 7}");
	assert_int_equal(result->outcome.kind, OUTCOME_OUT_OF_WINDOW);
	assert_string_equal(result->outcome.param, "last_day");
	assert_string_equal(result->outcome.range_max, "2025-01-10");
	call_tool("analyze_inverter_health",
		  "{'logger_id': '940', 'days': 7, 'last_day': '2020-01-01'}");
	assert_int_equal(result->outcome.kind, OUTCOME_OUT_OF_WINDOW);
	call_tool("analyze_inverter_health",
		  "{'logger_id': '940', 'days': 7, 'last_day': '2025-01-05'}");
	assert_int_equal(result->outcome.kind, OUTCOME_ROWS);
	assert_string_equal(fact("period"), "29 December 2024 to 5 January 2025");
	assert_string_equal(fact("completeness"), "100.0");
	assert_string_equal(fact("healthScore"), "-"); /* no sensor, and no peers in that winter */
	/* The planted outage lies before that day, the frozen value after it. */
	call_tool("analyze_inverter_health",
		  "{'logger_id': '925', 'days': 2, 'last_day': '2026-02-23'}");
	assert_string_equal(fact("anomalyCount"), "1");
	assert_string_equal(cell("main", 0, "kind"), "outage");
}

static void compares_on_the_last_common_day(void **state)
{
	(void)state;
	call_tool("compare_loggers", "{'logger_ids': ['921', '925', '929'], 'metric': 'energy'}");
	assert_string_equal(fact("date"), "2026-02-23");
	assert_int_equal(rows("main"), 3);
	assert_string_equal(fact("worst"), "929");
	assert_string_equal(cell("main", 0, "unit"), "kWh");
	call_tool("compare_loggers", "{'logger_ids': ['921', '927'], 'date': '2026-02-22'}");
	assert_string_equal(fact("best"), "927"); /* by capacity */
	assert_null(strstr(answer.markdown, "]]"));
	call_tool("compare_loggers", "{'logger_ids': ['940', '925']}"); /* never at the same time */
	assert_non_null(strstr(answer.markdown, "1 of the 2 loggers"));
	assert_null(strstr(answer.markdown, "]]"));
	call_tool("compare_loggers", "{'logger_ids': ['921', '927'], 'date': '2026-02-22'}");
	assert_string_equal(cell("main", 1, "rank"), "1");
	assert_int_equal(rows("series"), 192);
}

static void savings_show_rate_and_factor(void **state)
{
	(void)state;
	call_tool("calculate_financial_savings",
		  "{'logger_id': ['925'], 'start_date': '2026-02-22', 'end_date': '2026-02-22'}");
	assert_string_equal(fact("energyGenerated"), "188.710");
	assert_string_equal(fact("savings"), "22.65");  /* × 0.12 */
	assert_string_equal(fact("co2Offset"), "66.4"); /* × 0.352 */
	assert_non_null(strstr(fact("co2Source"), "eGRID2022"));
	assert_string_equal(fact("daysWithData"), "1");
	call_tool("calculate_financial_savings",
		  "{'logger_id': ['925'], 'start_date': '2026-02-22', "
		  "'end_date': '2026-02-22', 'rate': 0.5}");
	assert_string_equal(fact("savings"), "94.36");
	call_tool("calculate_financial_savings", "{}");
	assert_string_equal(fact("daysWithData"), "297"); /* 929 is silent for three days */
	assert_string_equal(fact("daysWithout"), "3");
	tenant = "acme";
	call_tool("calculate_financial_savings",
		  "{'logger_id': ['A-1'], 'start_date': '2026-02-26', 'end_date': '2026-02-26'}");
	tenant = "mesa";
	assert_string_equal(fact("savings"), "-");         /* currencies never convert */
	assert_string_equal(fact("savingsEuro"), "21.37"); /* 101.777 × 0.21 */
}

static void ratio_shows_its_completeness(void **state)
{
	(void)state;
	call_tool("calculate_performance_ratio", "{'logger_id': ['921'], 'date': '2026-02-22'}");
	assert_string_equal(fact("completeness"), "100.0");
	assert_string_equal(fact("confidence"), "normal");
	assert_non_null(strstr(fact("method"), "IEC 61724-1"));
	call_tool("calculate_performance_ratio", "{'logger_id': ['926'], 'date': '2026-02-18'}");
	assert_string_equal(fact("completeness"), "75.0");
	assert_string_equal(fact("confidence"), "low");
	call_tool("calculate_performance_ratio", "{}"); /* the fleet: ten inverters */
	assert_int_equal(rows("main"), 10);
	tenant = "acme";
	call_tool("calculate_performance_ratio", "{'logger_id': ['A-1']}"); /* it has no sensor */
	tenant = "mesa";
	assert_string_equal(fact("pr"), "-");
	assert_non_null(strstr(fact("note"), "No irradiance was recorded"));
	call_tool("calculate_performance_ratio",
		  "{'logger_id': ['921'], 'date': '2026-02-22', 'capacity_kw': 0}");
	assert_string_equal(fact("pr"), "-");
	assert_non_null(strstr(fact("note"), "capacity"));
}

static void forecast_shows_method_and_history(void **state)
{
	(void)state;
	call_tool("forecast_production", "{'logger_id': '925', 'days_ahead': 7}");
	assert_int_equal(rows("main"), 7);
	assert_string_equal(cell("main", 0, "date"), "2026-02-27"); /* today is not over */
	assert_string_equal(fact("historyDays"), "119");
	assert_true(atof(fact("low80")) < atof(fact("total")));
	assert_true(atof(fact("high80")) > atof(fact("total")));
	assert_string_not_equal(fact("backtestMae"), "-");
	freeze("2024-12-20T12:00-07:00");
	call_tool("forecast_production", "{'logger_id': '940', 'days_ahead': 7}");
	freeze("2026-02-27T12:00-07:00");
	assert_string_equal(fact("historyDays"), "19");
	assert_string_equal(fact("method"), "mean, too little history");
	assert_string_equal(fact("low80"), "-");
	assert_non_null(strstr(fact("note"), "37 are needed"));
	call_tool("forecast_production",
		  "{'logger_id': '940', 'days_ahead': 7}"); /* retired since */
	assert_string_equal(fact("total"), "-");
	assert_non_null(strstr(fact("note"), "newest data is from 2025-01-10"));
}

static void tenants_are_isolated(void **state)
{
	(void)state;
	tenant = "acme";
	call_tool("get_power_curve", "{'logger_id': '925'}");
	assert_int_not_equal(result->outcome.kind, OUTCOME_ROWS);
	call_tool("list_loggers", "{}");
	tenant = "mesa";
	assert_string_equal(fact("count"), "3");
	assert_string_equal(cell("main", 0, "logger_id"), "A-1");
	tenant = "acme";
	call_tool("compare_loggers", "{'logger_ids': ['925', 'A-1']}");
	tenant = "mesa";
	assert_int_equal(rows("main"), 1);
	assert_string_equal(cell("main", 0, "logger_id"), "A-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_the_planted_fleet),
		cmocka_unit_test(shows_codes_and_silent_loggers),
		cmocka_unit_test(finds_the_planted_anomalies),
		cmocka_unit_test(reports_too_little_history),
		cmocka_unit_test(curve_covers_its_day),
		cmocka_unit_test(missing_data_is_an_outcome),
		cmocka_unit_test(suggests_loggers_with_data),
		cmocka_unit_test(health_ends_at_the_given_day),
		cmocka_unit_test(compares_on_the_last_common_day),
		cmocka_unit_test(savings_show_rate_and_factor),
		cmocka_unit_test(ratio_shows_its_completeness),
		cmocka_unit_test(forecast_shows_method_and_history),
		cmocka_unit_test(tenants_are_isolated),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
