/*
 * Every tool of the shipped catalogue, for every role, enabled and disabled, called by an agent's
 * model, by the router and by an unknown agent. A denied call must not query the database.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording_db.h"
#include "sources_of.h"
#include "vesper/domain.h"
#include "vesper/json.h"
#include "vesper/nlu.h"
#include "vesper/log.h"
#include "vesper/tool.h"

static struct loop *loop;
static struct catalog *catalog;
static struct nlu *nlu;
static struct switches *switches;
static struct recording_db recorded;
static struct db *warehouse;
static struct toolbox *box;
static struct arena *arena;
static struct result *result;

static void ignore_log(void *owner, const char *text)
{
	(void)owner;
	(void)text;
}

static int set_up(void **state)
{
	struct toolbox_options options = {.modules = domain_modules,
					  .derivations = domain_derivations};
	struct err e = {0};

	(void)state;
	log_capture(ignore_log, NULL);
	if (!loop_new(&loop, &e) ||
	    !catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	switches = switches_new();
	catalog_use_switches(catalog, switches);
	nlu = nlu_new(catalog);
	recording_db_init(&recorded, loop);
	warehouse = db_from_driver(&recording_db_driver, &recorded, DIALECT_SQLITE);
	options.loop = loop;
	options.catalog = catalog;
	options.names = nlu_names(nlu);
	options.sources = sources_of(warehouse);
	if (!toolbox_new(&options, &box, &e))
		fail_msg("%s", e.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	toolbox_free(&box);
	db_close(&warehouse);
	sources_free();
	recording_db_deinit(&recorded);
	nlu_free(&nlu);
	catalog_unref(&catalog);
	switches_free(&switches);
	loop_free(&loop);
	log_capture(NULL, NULL);
	return 0;
}

/* A valid value of the parameter. */
static struct value sample_value(const struct param_def *p)
{
	const struct dimension_def *d = p->entity ? catalog_dimension(catalog, p->entity) : NULL;

	if (d && d->values && d->values[0])
		return p->type == PARAM_INT ? value_int(strtoll(d->values[0], NULL, 10))
					    : value_text(d->values[0]);
	switch (p->type) {
	case PARAM_INT:
		return value_int(p->has_min ? p->min : 1);
	case PARAM_DATE:
		return value_date("2025-01-01");
	case PARAM_BOOL:
		return value_bool(true);
	default:
		return value_text("1");
	}
}

static void on_result(void *owner, struct result *r)
{
	(void)owner;
	result = r;
}

/* Returns true when the call was permitted. */
static bool run_tool(const struct tool_def *tool, const struct principal *who, const char *agent,
		     bool by_model)
{
	json_t *none = json_object();
	struct args args = {0};
	struct tool_request request = {.call = "c1",
				       .agent = agent,
				       .tool = tool->name,
				       .who = who,
				       .today = {2026, 2, 27}};
	int before = recorded.queries;
	struct op *op;

	arena = arena_new(8 << 20);
	result = NULL;
	for (size_t i = 0; i < tool->param_count; i++) {
		struct value value = sample_value(&tool->params[i]);

		if (tool->params[i].required && tool->params[i].is_list)
			args_set_list(&args, arena, tool->params[i].name, &value, 1);
		else if (tool->params[i].required)
			args_set(&args, arena, tool->params[i].name, value);
	}
	request.bound = by_model ? NULL : &args;
	request.args = by_model ? none : NULL;
	op = tool_start(box, &request, arena, on_result, NULL);
	for (int i = 0; i < 20 && !result; i++)
		loop_run_once(loop);
	bool denied = result && result->outcome.kind == OUTCOME_NOT_PERMITTED;
	if (!result)
		op_cancel(&op);
	if (denied)
		assert_int_equal(recorded.queries, before);
	arena_free(&arena);
	json_decref(none);
	return !denied;
}

static size_t list_length(const char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

static void check_tool(const struct tool_def *tool, const struct principal *who, bool expected)
{
	for (const char *const *agent = tool->callers.agents; *agent; agent++)
		for (int by_model = 0; by_model < 2; by_model++)
			if (run_tool(tool, who, *agent, by_model) != expected)
				fail_msg("%s as %s of %s: %s", tool->name, who->user, *agent,
					 expected ? "denied" : "permitted");
	assert_int_equal(run_tool(tool, who, NULL, false), expected);
	assert_false(run_tool(tool, who, "unknown_agent", false));
}

static void checks_every_tool_role_and_switch(void **state)
{
	static const char *const roles[] = {"viewer", "analyst", "manager", "admin"};
	struct switch_off off[64];
	int calls = 0;

	(void)state;
	for (size_t i = 0; i < catalog->tool_count; i++) {
		const struct tool_def *tool = &catalog->tools[i];
		size_t n = list_length(tool->callers.agents);

		if (!tool->callers.visible)
			continue;
		for (size_t k = 0; k < n; k++)
			off[k] = (struct switch_off){tool->callers.agents[k], tool->name};
		for (size_t r = 0; r < sizeof(roles) / sizeof(roles[0]); r++) {
			const char *const *granted = catalog_role(catalog, roles[r]);
			struct principal who = {.user = roles[r],
						.tenant = "vesper",
						.permissions = granted,
						.permission_count = list_length(granted)};
			struct principal unprivileged = {.user = "nobody", .tenant = "vesper"};

			switches_set(switches, "vesper", NULL, 0);
			check_tool(tool, &who, may(&who, tool->callers.permission));
			check_tool(tool, &unprivileged, false);
			switches_set(switches, "vesper", off, n);
			check_tool(tool, &who, false);
			who.tenant = "acme";
			check_tool(tool, &who, may(&who, tool->callers.permission));
			calls++;
		}
	}
	assert_true(calls > 40);
	assert_true(recorded.queries > calls / 2); /* permitted calls reach the database */
}

/* ---- columns ---- */

static bool was_queried(const char *part)
{
	for (size_t i = 0; i < recorded.statement_count; i++) {
		if (strstr(recorded.statements[i].text, part))
			return true;
		for (size_t v = 0; v < recorded.statements[i].count; v++) {
			const char *text = recorded.statements[i].values[v].text;

			if (text && strstr(text, part))
				return true;
		}
	}
	return false;
}

/* Columns that a role may not see must not be queried. */
static int check_columns(const struct tool_def *tool, const struct principal *who)
{
	int checked_count = 0;

	recorded.statement_count = 0;
	if (tool_param(tool, "project_name")) /* the name is looked up first, in two queries */
		for (int i = 0; i < 2; i++)
			recording_db_table(&recorded, "ProjectName", "1", NULL);
	bool is_allowed = run_tool(tool, who, tool->callers.agents[0], false);
	while (recorded.table_count > 0)
		table_free(&recorded.tables[--recorded.table_count]);
	if (!is_allowed)
		return 0;
	for (size_t i = 0; i < tool->column_count; i++) {
		const struct column_def *c = &tool->columns[i];
		char quoted[130];

		if (!c->permission || c->derived)
			continue;
		assert_true(recorded.statement_count > 0);
		snprintf(quoted, sizeof(quoted), "\"%s\"", c->name);
		if (was_queried(quoted) != may(who, c->permission))
			fail_msg("%s as %s: %s", tool->name, who->user, c->name);
		checked_count++;
	}
	return checked_count;
}

static void does_not_query_restricted_columns(void **state)
{
	static const char *const roles[] = {"viewer", "analyst", "manager", "admin"};
	const struct tool_def *changes = catalog_tool(catalog, "get_recent_changes");
	int checked_count = 0;

	(void)state;
	for (size_t r = 0; r < sizeof(roles) / sizeof(roles[0]); r++) {
		const char *const *granted = catalog_role(catalog, roles[r]);
		const struct principal who = {.user = roles[r],
					      .tenant = "vesper",
					      .permissions = granted,
					      .permission_count = list_length(granted)};

		for (size_t i = 0; i < catalog->tool_count; i++)
			checked_count += check_columns(&catalog->tools[i], &who);
		run_tool(changes, &who, changes->callers.agents[0], false);
		assert_true(was_queried("fieldchanged NOT IN ('Spend', 'Budget', "));
		assert_int_equal(was_queried("OR c.fieldchanged IN ('Spend', 'Budget', "),
				 may(&who, "chat:read_budget"));
	}
	assert_true(checked_count >= 4 * 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(checks_every_tool_role_and_switch, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(does_not_query_restricted_columns, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
