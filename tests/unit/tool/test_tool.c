/* Calls through the gate: permissions, denied calls, errors and cancelling. */
#include "tool_test.h"
#include "vesper/metric.h"

static void permitted_call_runs(void **state)
{
	(void)state;
	recording_db_table(&recorded, "Hub|Price", "E1|48.73", NULL);
	const struct result *r = call_tool("get_price", "{'hub': 'E1'}");

	assert_int_equal(r->outcome.kind, OUTCOME_ROWS);
	assert_string_equal(r->call, "c1");
	assert_string_equal(r->agent, "price_agent");
	assert_string_equal(r->tool, "get_price");
	assert_string_equal(r->about, "Price of a hub.");
	assert_string_equal(r->reports[0], "price_report");
	assert_string_equal(r->suggest[0].text, "And {arg.hub} in {arg.year}?");
	assert_int_equal(recorded.queries, 1);
	assert_string_equal(recorded.tenant, "acme");
	assert_false(recorded.write);
}

/* With hide_existence, data that the caller may not see is reported as nonexistent. */
static void denied_call_can_be_reported_as_empty(void **state)
{
	(void)state;
	who.permission_count = 1;
	hide_existence = true;
	assert_int_equal(call_tool("get_price", "{'hub': 'E1'}")->outcome.kind, OUTCOME_EMPTY);
	hide_existence = false;
	assert_null(answer->outcome.detail);
	assert_int_equal(recorded.statement_count, 0);
}

static void denied_call_sends_nothing(void **state)
{
	(void)state;
	who.permission_count = 1;
	assert_int_equal(call_tool("get_price", "{'hub': 'E1'}")->outcome.kind,
			 OUTCOME_NOT_PERMITTED);
	assert_string_equal(answer->outcome.detail, "It takes the permission \"read\".");
	assert_int_equal(recorded.queries, 0);
	assert_int_equal(answer->args.count, 0);
}

static void foreign_agent_is_denied(void **state)
{
	(void)state;
	struct args args = {0};
	struct tool_request request = {.call = "c1",
				       .agent = "other_agent",
				       .tool = "get_price",
				       .bound = &args,
				       .who = &who,
				       .today = {2026, 2, 27}};

	args_set(&args, arena, "hub", value_text("E1"));
	start(&request);
	loop_run_once(loop);
	assert_int_equal(answers, 1);
	assert_int_equal(answer->outcome.kind, OUTCOME_NOT_PERMITTED);
	assert_int_equal(recorded.queries, 0);
}

static void unknown_tool_is_an_error(void **state)
{
	(void)state;
	const struct result *r = call_tool("drop_table", "{}");

	assert_int_equal(r->outcome.kind, OUTCOME_ERROR);
	assert_string_equal(r->tool, "drop_table");
	assert_int_equal(recorded.queries, 0);
}

static void hidden_tool_is_for_code_only(void **state)
{
	(void)state;
	struct args args = {0};
	struct tool_request request = {.call = "c1",
				       .tool = "get_price",
				       .bound = &args,
				       .who = &who,
				       .today = {2026, 2, 27}};
	struct err e = {0};

	temp_root_write(&root, SMALL_TOOL_PATH, "-- visible: no\n" SMALL_TOOL);
	catalog_unref(&catalog);
	assert_true(catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e));
	assert_int_equal(call_tool("get_price", "{'hub': 'E1'}")->outcome.kind,
			 OUTCOME_NOT_PERMITTED);
	args_set(&args, arena, "hub", value_text("E1"));
	start(&request);
	loop_run_once(loop);
	assert_int_equal(answer->outcome.kind, OUTCOME_EMPTY);
}

static void cancelled_call_gets_no_callback(void **state)
{
	(void)state;
	struct args args = {0};
	struct tool_request request = {.call = "c1",
				       .tool = "get_price",
				       .bound = &args,
				       .who = &who,
				       .today = {2026, 2, 27}};

	args_set(&args, arena, "hub", value_text("E1"));
	struct op *op = start(&request);
	op_cancel(&op);
	assert_int_equal(recorded.cancelled, 1);
	args_set(&args, arena, "hub", value_text("nowhere"));
	op = start(&request); /* would end without a query */
	op_cancel(&op);
	for (int i = 0; i < 3; i++)
		loop_run_once(loop);
	assert_int_equal(answers, 0);
}

static void errors_become_outcomes(void **state)
{
	(void)state;
	const struct {
		struct err err;
		enum outcome_kind kind;
		bool retryable;
	} cases[] = {
		{{.code = ERR_TIMEOUT, .text = "10 s"}, OUTCOME_TIMEOUT, true},
		{{.code = ERR_UPSTREAM, .may_retry = true, .text = "08S01 host db7"},
		 OUTCOME_ERROR,
		 true},
		{{.code = ERR_UPSTREAM, .text = "42S02 no table"}, OUTCOME_ERROR, false},
		{{.code = ERR_LIMIT, .may_retry = true, .text = "queue full"}, OUTCOME_ERROR, true},
		/* the daemon's login was denied, which is not the caller's error */
		{{.code = ERR_DENIED, .text = "login"}, OUTCOME_ERROR, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		recorded.err = &cases[i].err;
		const struct outcome *o = &call_tool("get_price", "{'hub': 'E1'}")->outcome;
		assert_int_equal(o->kind, cases[i].kind);
		assert_int_equal(o->retryable, cases[i].retryable);
		if (o->detail)
			assert_null(strstr(o->detail, cases[i].err.text));
	}
}

static void calls_are_counted(void **state)
{
	(void)state;
	const char *empty = "vesper_tool_calls_total{tool=\"get_price\",outcome=\"empty\"}";
	const char *unknown = "vesper_tool_calls_total{tool=\"unknown\",outcome=\"error\"}";
	int64_t empty_before = metric_get(empty), unknown_before = metric_get(unknown);

	call_tool("get_price", "{'hub': 'E1'}");
	call_tool("x\"} 1\ny", "{}");
	assert_int_equal(metric_get(empty), empty_before + 1);
	assert_int_equal(metric_get(unknown), unknown_before + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(permitted_call_runs),
		TEST(denied_call_sends_nothing),
		TEST(denied_call_can_be_reported_as_empty),
		TEST(foreign_agent_is_denied),
		TEST(unknown_tool_is_an_error),
		TEST(hidden_tool_is_for_code_only),
		TEST(cancelled_call_gets_no_callback),
		TEST(errors_become_outcomes),
		TEST(calls_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
