/* Arguments are bound as values of their type; all other input is rejected. */
#include "tool_test.h"

#include <inttypes.h>

/* The bound values of the last query as one text: "acme,E1,2025". */
static const char *bound(void)
{
	const struct source_statement *s = &recorded.statements[0];
	const char *text = "";

	for (size_t i = 0; i < s->count; i++) {
		const struct value *v = &s->values[i];
		const char *one = v->type == VALUE_INT || v->type == VALUE_BOOL
					  ? arena_printf(arena, "%" PRId64, v->number)
					  : v->text;
		text = arena_printf(arena, "%s%s%s", text, i ? "," : "", one);
	}
	return text;
}

static void binds_each_argument(void **state)
{
	(void)state;
	call_tool("get_price",
		  "{'hub': 'E1', 'market': 'East', 'year': 2026, 'hours': [16, 17], "
		  "'name': '50%_a', 'since': '2026-01-01', 'above': 12.5, 'firm': true}");
	assert_int_equal(answer->outcome.kind, OUTCOME_EMPTY);
	assert_string_equal(bound(), "acme,E1,2026,East,16,17,%50\\%\\_a%,2026-01-01,12.5,1,501");
	assert_string_equal(recorded.statements[0].text,
			    "SELECT p.hub AS \"Hub\", p.price AS \"Price\"\n"
			    "FROM dbo.prices p WHERE p.tenant_id = ? AND p.hub = ? AND p.year = ?\n"
			    "AND p.market = ?\nAND p.hour IN (?, ?)\n"
			    "AND LOWER(p.name) LIKE LOWER(?) ESCAPE '\\'\n"
			    "AND p.day >= ?\nAND p.price > ?\nAND p.firm = ?\n"
			    "ORDER BY p.hub LIMIT ? OFFSET 0");
	/* The user sees the original text, not the pattern. */
	assert_string_equal(args_text(&answer->args, "name", arena), "50%_a");
}

static void accepts_text_for_every_type(void **state)
{
	(void)state;
	call_tool("get_price", "{'hub': 'E1', 'year': '2026', 'hours': '7', 'above': '3', 'firm': "
			       "'false', 'market': null, 'since': null}");
	assert_int_equal(answer->outcome.kind, OUTCOME_EMPTY);
	assert_string_equal(bound(), "acme,E1,2026,7,3,0,501");
}

static void binds_and_reports_defaults(void **state)
{
	(void)state;
	call_tool("get_price", "{'hub': 'E1', 'hours': []}");
	assert_string_equal(bound(), "acme,E1,2025,501");
	assert_string_equal(args_text(&answer->args, "year", arena), "2025");
	assert_null(args_find(&answer->args, "hours"));
	assert_null(args_find(&answer->args, "tenant_id"));
}

/* Counted from the day of the question, not of loading the catalogue. */
static void default_dates_are_counted_from_today(void **state)
{
	const char *at = strstr(SMALL_TOOL, "date optional") + strlen("date optional");
	char *text = mem_printf("%.*s default=today-30d%s", (int)(at - SMALL_TOOL), SMALL_TOOL, at);
	struct err e = {0};

	(void)state;
	temp_root_write(&root, SMALL_TOOL_PATH, text);
	mem_free(text);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	open_box(NULL);
	call_tool("get_price", "{'hub': 'E1'}");
	assert_string_equal(args_text(&answer->args, "since", arena), "2026-01-28");
	call_tool("get_price", "{'hub': 'E1', 'since': '2026-02-01'}");
	assert_string_equal(args_text(&answer->args, "since", arena), "2026-02-01");
}

static void typed_arguments_pass_the_same_checks(void **state)
{
	(void)state;
	struct args args = {0};
	const struct value hours[] = {value_int(1), value_int(2)};
	struct tool_request request = {.call = "c1",
				       .tool = "get_price",
				       .bound = &args,
				       .who = &who,
				       .today = {2026, 2, 27}};

	args_set(&args, arena, "hub", value_text("E2"));
	args_set(&args, arena, "year", value_int(2030));
	args_set_list(&args, arena, "hours", hours, 2);
	args_set(&args, arena, "firm", value_bool(true));
	args_set(&args, arena, "market", value_null());
	start(&request);
	loop_run_once(loop);
	assert_string_equal(bound(), "acme,E2,2030,1,2,1,501");

	args_set(&args, arena, "year", value_int(1999));
	start(&request);
	loop_run_once(loop);
	assert_int_equal(answer->outcome.kind, OUTCOME_ERROR);
	assert_string_equal(answer->outcome.param, "year");
	args_set_list(&args, arena, "year", hours, 2);
	start(&request);
	loop_run_once(loop);
	assert_non_null(strstr(answer->outcome.detail, "year takes one value"));
	assert_int_equal(recorded.queries, 1);
}

static void hostile_values_stay_values(void **state)
{
	(void)state;
	static const char *const hostile[] = {
		"x' OR 1=1 --",    "'; DROP TABLE dbo.prices; --",
		":tenant_id",      "?",
		"100% \\ _ [a-z]", "\\u0001\\n",
		"vesper",
	};

	recording_db_table(&recorded, "Hub", NULL);
	call_tool("get_price", "{'hub': 'E1', 'name': 'x'}");
	const char *text = recorded.statements[0].text;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct args args = {0};
		struct tool_request request = {.call = "c1",
					       .tool = "get_price",
					       .bound = &args,
					       .who = &who,
					       .today = {2026, 2, 27}};
		args_set(&args, arena, "hub", value_text("E1"));
		args_set(&args, arena, "name", value_text(hostile[i]));
		start(&request);
		loop_run_once(loop);
		assert_string_equal(recorded.statements[0].text, text);
		assert_string_equal(recorded.tenant, "acme");
		assert_string_equal(recorded.statements[0].values[0].text, "acme");
		assert_string_equal(recorded.statements[0].values[3].text,
				    sql_like_pattern(hostile[i], arena));
	}
}

static void assert_refused(const char *arguments, const char *param, const char *why)
{
	const struct outcome *o = &call_tool("get_price", arguments)->outcome;

	assert_int_equal(o->kind, OUTCOME_ERROR);
	assert_false(o->retryable);
	if (param)
		assert_string_equal(o->param, param);
	if (!strstr(o->detail, why))
		fail_msg("\"%s\" does not contain \"%s\"", o->detail, why);
}

static void refuses_arguments_outside_header(void **state)
{
	(void)state;
	assert_refused("{}", "hub", "hub is required");
	assert_refused("{'hub': null}", "hub", "hub is required");
	assert_refused("{'hub': 'E1', 'tenant_id': 'vesper'}", NULL, "unknown argument tenant_id");
	assert_refused("{'hub': 'E1', 'may_read_budget': true}", NULL,
		       "unknown argument may_read_budget");
	assert_refused("{'hub': 'E1', 'row_limit': 100000}", NULL, "unknown argument row_limit");
	assert_refused("{'hub': ['E1']}", "hub", "hub takes one value");
	assert_refused("{'hub': {'a': 1}}", "hub", "hub must be a plain value");
	assert_refused("{'hub': ''}", "hub", "hub must not be empty");
	assert_refused("{'hub': 'E1', 'year': 1999}", "year", "at least 2000");
	assert_refused("{'hub': 'E1', 'year': 'soon'}", "year", "whole number");
	assert_refused("{'hub': 'E1', 'year': 2025.5}", "year", "whole number");
	assert_refused("{'hub': 'E1', 'year': true}", "year", "whole number");
	assert_refused("{'hub': 'E1', 'hours': [24]}", "hours", "at most 23");
	assert_refused("{'hub': 'E1', 'hours': [1,[2]]}", "hours", "plain value");
	assert_refused(
		"{'hub': 'E1', 'hours': [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,"
		"22,23,0]}",
		"hours", "at most 24 values");
	assert_refused("{'hub': 'E1', 'since': '2026-02-30'}", "since", "must be a date");
	assert_refused("{'hub': 'E1', 'firm': 1}", "firm", "true or false");
	assert_refused("['E1']", NULL, "must be a JSON object");
	assert_int_equal(recorded.queries, 0);
}

/* Programs get all faults at once, and nothing runs. */
static void reports_every_fault(void **state)
{
	const struct tool_def *tool = catalog_tool(catalog, "get_price");
	struct tool_arg_fault faults[3];
	json_t *args = NULL;
	struct err e;
	const char *text = "{\"no\": 1, \"year\": \"soon\", \"hours\": \"7\"}";

	(void)state;
	if (!json_parse(text, strlen(text), 1000, &args, &e))
		fail_msg("%s", e.text);
	assert_int_equal(tool_args_check(tool, args, arena, faults, 3), 3);
	assert_string_equal(faults[0].arg, "no");
	assert_false(faults[0].is_known);
	assert_string_equal(faults[1].arg, "year");
	assert_true(faults[1].is_known);
	assert_string_equal(faults[2].message, "hub is required");
	assert_int_equal(tool_args_check(tool, args, arena, faults, 2), 2);
	json_decref(args);
	args = json_make({"hub", json_str("E1")});
	assert_int_equal(tool_args_check(tool, args, arena, faults, 3), 0);
	json_decref(args);
	assert_int_equal(recorded.queries, 0);
}

static void resolves_names(void **state)
{
	(void)state;
	call_tool("get_price", "{'hub': 'first', 'market': 'sunrise'}");
	assert_string_equal(bound(), "acme,E1,2025,East,501");
	assert_string_equal(args_text(&answer->args, "hub", arena), "E1");
	call_tool("get_price", "{'market': 'West', 'hub': 'first'}");
	assert_string_equal(bound(), "acme,W1,2025,West,501");
}

static void unknown_names_never_reach_the_database(void **state)
{
	(void)state;
	const struct outcome *o = &call_tool("get_price", "{'hub': 'NP99'}")->outcome;

	assert_int_equal(o->kind, OUTCOME_UNKNOWN_ENTITY);
	assert_string_equal(o->param, "hub");
	assert_string_equal(o->detail, "I do not know the hub \"NP99\".");
	assert_int_equal(o->suggestion_count, 2);
	assert_string_equal(o->suggestions[0].value, "E1");
	o = &call_tool("get_price", "{'hub': 'E'}")->outcome;
	assert_string_equal(o->detail, "\"E\" fits more than one hub.");
	assert_int_equal(recorded.queries, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(binds_each_argument),
		TEST(accepts_text_for_every_type),
		TEST(binds_and_reports_defaults),
		TEST(default_dates_are_counted_from_today),
		TEST(typed_arguments_pass_the_same_checks),
		TEST(hostile_values_stay_values),
		TEST(refuses_arguments_outside_header),
		TEST(reports_every_fault),
		TEST(resolves_names),
		TEST(unknown_names_never_reach_the_database),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
