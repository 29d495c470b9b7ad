/* AG-UI: four turns, byte for byte. */
#include "dialect_story.h"

static void writes_all_turns(void **state)
{
	(void)state;
	check_stories(&wire_agui);
}

/* Steps without a free slot are omitted completely: the client rejects a run that ends with an open
 * step. */
static void all_steps_are_closed(void **state)
{
	struct stream_log *log = story_begin();
	char id[16], *output;
	size_t begun = 0, ended = 0;

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(id, sizeof(id), "c%d", i);
		story_tool(log, id, i % 3 == 0, "completed");
	}
	story_end(log, "interrupted");
	output = story_output(log, &wire_agui, &story_head);
	for (const char *at = output; (at = strstr(at, "\"STEP_STARTED\"")); at++)
		begun++;
	for (const char *at = output; (at = strstr(at, "\"STEP_FINISHED\"")); at++)
		ended++;
	assert_int_equal(begun, ended);
	assert_true(begun >= 16);
	mem_free(output);
	stream_release(&log);
}

static void agent_begins(struct stream_log *log, const char *id)
{
	emit(log, &(struct event){.kind = EVENT_STEP_STARTED,
				  .u.step_started = {.step_id = id,
						     .agent = "a",
						     .text = "Looking",
						     .args = {NULL, 0}}});
}

static void agent_ends(struct stream_log *log, const char *id, const char *state, const char *text)
{
	emit(log, &(struct event){.kind = EVENT_STEP_FINISHED,
				  .u.step_finished = {.step_id = id,
						      .agent = "a",
						      .text = text,
						      .state = state,
						      .rows = -1}});
}

/* A step without a tool is a subagent of the run; a second run of the agent gets a new id. */
static void agent_is_a_subagent(void **state)
{
	struct stream_log *log = story_begin();
	char *output;

	(void)state;
	agent_begins(log, "t1");
	agent_ends(log, "t1", "failed", "No luck");
	agent_begins(log, "t1");
	agent_begins(log, "t2");
	agent_ends(log, "t1", "completed", "Done");
	story_end(log, "ok");
	output = story_output(log, &wire_agui, &story_head);
	assert_non_null(strstr(output, "{\"type\":\"SUBAGENT_STARTED\",\"subagentRunId\":\"t1.1\","
				       "\"name\":\"a\",\"description\":\"Looking\"}"));
	assert_non_null(strstr(output, "{\"type\":\"SUBAGENT_ERROR\",\"subagentRunId\":\"t1.1\","
				       "\"message\":\"No luck\"}"));
	assert_non_null(
		strstr(output, "{\"type\":\"SUBAGENT_FINISHED\",\"subagentRunId\":\"t1.2\"}"));
	assert_non_null(
		strstr(output, "{\"type\":\"SUBAGENT_FINISHED\",\"subagentRunId\":\"t2.3\"}"));
	assert_null(strstr(output, "STEP_"));
	mem_free(output);
	stream_release(&log);
}

/* Steps of an agent name their agent, also when the turn is cancelled. */
static void tools_name_their_agent(void **state)
{
	static const char *const types[] = {"STEP_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS",
					    "TOOL_CALL_END", "STEP_FINISHED"};
	struct stream_log *log = story_begin();
	char *output, *agent_end;

	(void)state;
	agent_begins(log, "t1");
	emit(log, &(struct event){.kind = EVENT_STEP_STARTED,
				  .u.step_started = {.step_id = "c1",
						     .tool = "get_it",
						     .text = "Running",
						     .parent = "t1"}});
	story_tool(log, "c2", true, "completed"); /* a tool of the turn */
	story_end(log, "cancelled");
	output = story_output(log, &wire_agui, &story_head);
	agent_end = strstr(output, "\"SUBAGENT_FINISHED\"");
	assert_non_null(agent_end);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		char line[120];
		const char *at;

		snprintf(line, sizeof(line), "\"%s\",\"%s\":\"c1\"", types[i],
			 strstr(types[i], "STEP") ? "stepName" : "toolCallId");
		at = strstr(output, line);
		assert_true(at && at < agent_end);
		assert_non_null(memmem(at, strcspn(at, "\n"), "\"subagentRunId\":\"t1.1\"", 22));
	}
	for (const char *at = output; (at = strstr(at, "\"c2\"")); at++)
		assert_null(memmem(at, strcspn(at, "\n"), "subagentRunId", 13));
	mem_free(output);
	stream_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_all_turns),
		cmocka_unit_test_setup_teardown(all_steps_are_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(agent_is_a_subagent, setup, teardown),
		cmocka_unit_test_setup_teardown(tools_name_their_agent, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
