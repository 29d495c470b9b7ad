/* Calls tools of all domains on the demo data with the permissions of a role. */
#ifndef VESPER_DEMO_ASK_H
#define VESPER_DEMO_ASK_H

#include "demo_folder.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sources_of.h"
#include "vesper/domain.h"
#include "vesper/json.h"
#include "vesper/nlu.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/view.h"

static struct loop *loop;
static struct catalog *catalog;
static struct nlu *nlu;
static struct db *warehouse;
static struct toolbox *box;
static struct arena *arena;
static struct result *result;
static struct view_answer answer;
static const char *role = "manager";

static void ignore_log(void *owner, const char *text)
{
	(void)owner;
	(void)text;
}

static int set_up(void **state)
{
	static char paths[2][512];
	static struct db_tenant tenants[] = {{"vesper", paths[0]}, {"acme", paths[1]}};
	const struct db_options options = {.name = "warehouse",
					   .dialect = DIALECT_SQLITE,
					   .read_only = true,
					   .schemas = (const char *const[]){"dbo", "Stage", NULL},
					   .workers = 2,
					   .timeout_ms = 120000, /* enough on a busy machine */
					   .tenants = tenants,
					   .tenant_count = 2};
	struct toolbox_options tools = {.modules = domain_modules,
					.derivations = domain_derivations};
	const char *folder;
	struct err e = {0};

	(void)state;
	log_capture(ignore_log, NULL);
	folder = demo_folder();
	snprintf(paths[0], sizeof(paths[0]), "%s/vesper.db", folder);
	snprintf(paths[1], sizeof(paths[1]), "%s/acme.db", folder);
	if (!loop_new(&loop, &e) ||
	    !catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e) ||
	    !db_open(loop, &options, &warehouse, &e))
		fail_msg("%s", e.text);
	nlu = nlu_new(catalog);
	tools.loop = loop;
	tools.catalog = catalog;
	tools.names = nlu_names(nlu);
	tools.sources = sources_of(warehouse);
	if (!toolbox_new(&tools, &box, &e))
		fail_msg("%s", e.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	toolbox_free(&box);
	arena_free(&arena);
	db_close(&warehouse);
	sources_free();
	nlu_free(&nlu);
	catalog_unref(&catalog);
	loop_free(&loop);
	demo_folder_remove();
	return 0;
}

static void on_result(void *owner, struct result *r)
{
	(void)owner;
	result = r;
	loop_stop(loop);
}

static size_t list_length(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* Runs the tool with the permissions of the role, and writes the answer. The arguments are JSON
 * with ' for ". */
static void call_tool(const char *tool, const char *arguments)
{
	const char *const *permissions = catalog_role(catalog, role);
	const struct principal who = {.user = "ann",
				      .tenant = "vesper",
				      .permissions = permissions,
				      .permission_count = list_length(permissions)};
	struct tool_request request = {.call = "c1",
				       .agent = catalog_tool(catalog, tool)->callers.agents[0],
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
	arena = arena_new(32 << 20);
	assert_non_null(tool_start(box, &request, arena, on_result, NULL));
	loop_run(loop);
	json_decref(args);
	mem_free(text);
	assert_non_null(result);
	view_answer(&in, arena, &answer);
	if (getenv("DEMO_ANSWERS_SHOW")) {
		print_message("---- %s %s as %s: %s\n%s", tool, arguments, role,
			      outcome_name(result->outcome.kind), answer.markdown);
		for (size_t i = 0; i < result->fact_count; i++)
			print_message("   %s (%s) = %s %s\n", result->facts[i].name,
				      result->facts[i].label, result->facts[i].value,
				      result->facts[i].unit ? result->facts[i].unit : "");
		for (size_t i = 0; i < answer.followup_count; i++)
			print_message("   > %s\n", answer.followups[i].question);
	}
}

/* ---- the same rules for every tool ---- */

#define NP15    "'hub_zone': 'NP15', 'year': 2025"
#define NO_YEAR "'hub_zone': 'NP15', 'year': 2050"
#define NORTH   "{'hub_zone': 'north', 'year': 2025, 'vendor': 'Ascend'}"
#define SIERRA  "{'project_name': 'Sierra'}"

/* NULL: not possible for this tool. */
static const struct tool_case {
	const char *tool, *normal, *empty, *ambiguous;
} tool_cases[] = {
	{"get_average_annual_price", "{" NP15 ", 'vendor': 'Ascend'}",
	 "{" NO_YEAR ", 'vendor': 'Ascend'}", NORTH},
	{"get_hourly_price_distribution", "{" NP15 "}", "{" NO_YEAR "}", NORTH},
	{"list_available_curves", "{'hub_zone': 'SP15'}", "{'hub_zone': 'SP15', 'year': 2050}",
	 "{'hub_zone': 'north'}"},
	{"compare_vendors", "{" NP15 "}", "{" NO_YEAR "}", "{'hub_zone': 'north', 'year': 2025}"},
	{"compare_hub_zones", "{'hub_zones': ['NP15', 'HB_NORTH'], 'year': 2025}",
	 "{'hub_zones': ['NP15', 'SP15'], 'year': 2050}",
	 "{'hub_zones': ['north', 'SP15'], 'year': 2025}"},
	{"get_peak_offpeak_spread", "{" NP15 "}", "{" NO_YEAR "}", NORTH},
	{"get_seasonal_shape", "{" NP15 "}", "{" NO_YEAR "}", NORTH},
	{"get_daily_shape", "{" NP15 "}", "{" NO_YEAR "}", NORTH},
	{"compare_markets", "{'markets': ['CAISO', 'ERCOT'], 'year': 2025}",
	 "{'markets': ['CAISO', 'ERCOT'], 'year': 2050}", NULL},
	{"get_top_reports_by_views", "{}", "{'from': '2030-01-01', 'to': '2030-01-31'}", NULL},
	{"get_top_users", "{}", "{'from': '2030-01-01', 'to': '2030-01-31'}", NULL},
	{"get_views_trend", "{}", "{'from': '2030-01-01', 'to': '2030-01-31'}", NULL},
	{"get_project_overview", "{'project_name': 'Mojave BESS'}", NULL, SIERRA},
	{"get_project_health", "{'project_name': 'Mojave BESS'}", NULL, SIERRA},
	{"get_milestone_dates", "{'project_name': 'Mojave BESS'}", NULL, SIERRA},
	{"get_budget_overview", "{'project_name': 'Mojave BESS'}", NULL, SIERRA},
	{"get_task_risks", "{}", NULL, SIERRA},
	{"get_portfolio_summary", "{}", "{'technology': 'Hybrid', 'market': 'MISO'}", NULL},
	{"get_color_ranking", "{}", "{'technology': 'Hybrid', 'market': 'MISO'}", NULL},
	{"get_recent_changes", "{'since': '2026-01-01'}",
	 "{'since': '2020-01-01', 'until': '2020-01-31'}", SIERRA},
};

#endif
