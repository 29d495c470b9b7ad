/* Tool switches, the audit log, and deletion of a user's data. */
#include "store_test.h"

#include "vesper/clock.h"

static char received[400];

static void on_switches(void *owner, const struct tool_switch *list, size_t count,
			const struct err *e)
{
	received[0] = '\0';
	for (size_t i = 0; i < count; i++)
		snprintf(received + strlen(received), sizeof(received) - strlen(received),
			 "%s/%s=%d;", list[i].agent, list[i].tool, list[i].enabled);
	on_done(owner, e);
}

static const char *list_switches(struct fixture *f, const char *tenant)
{
	begin(f);
	store_switches(f->store, tenant, on_switches, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return received;
}

static void set_switch(struct fixture *f, const struct principal *who, const char *agent,
		       const char *tool, bool enabled)
{
	const struct tool_switch change = {agent, tool, enabled};

	begin(f);
	store_switch(f->store, who, &change, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static void stores_tool_switches(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(list_switches(f, "acme"), "");
	set_switch(f, &ann, "per_agent", "get_x", false);
	set_switch(f, &ann, "a_agent", "get_x", false);
	assert_string_equal(list_switches(f, "acme"), "a_agent/get_x=0;per_agent/get_x=0;");
	assert_string_equal(list_switches(f, "vesper"), "");
	set_switch(f, &bob, "per_agent", "get_x", true);
	assert_string_equal(list_switches(f, "acme"), "a_agent/get_x=0;per_agent/get_x=1;");
	assert_string_equal(
		file_query(
			f, f->acme,
			"SELECT updated_by FROM chat_agent_tools WHERE agent_name = 'per_agent'"),
		"bob");
}

/* Waits until the group commit is written. No other write triggers it. */
static void wait_for_audit_entry(struct fixture *f, const char *file)
{
	while (strcmp(file_query(f, file, "SELECT COUNT(*) FROM chat_audit_log"), "0") == 0) {
		usleep(1000);
		loop_run_once(f->loop);
	}
}

static void writes_audit_log(void **state)
{
	struct fixture *f = *state;
	const struct audit_entry entry = {.tool = "get_x", .outcome = "rows", .rows = 7};

	store_audit(f->store, &ann, &entry);
	store_audit(f->store, &ann_other_tenant, &entry);
	wait_for_audit_entry(f, f->acme);
	wait_for_audit_entry(f, f->vesper);
	assert_string_equal(file_query(f, f->acme,
				       "SELECT user_id || tool_name || outcome || row_count || "
				       "COUNT(*) FROM chat_audit_log"),
			    "annget_xrows71");
}

/* A tool call is logged with the commit of its answer, and also if the answer cannot be stored. */
static void audits_tool_call_with_answer(void **state)
{
	struct fixture *f = *state;
	const struct audit_entry entry = {.tool = "get_x", .outcome = "rows"};
	struct message m = user_message(f, id_new(f), "question");
	struct message stored = answer_to(f, &m, "answer");
	struct message refused = answer_to(f, &m, "refuse this");

	accept_message(f, &ann, &m);
	file_exec(f->acme, "CREATE TRIGGER refuse BEFORE INSERT ON chat_messages "
			   "WHEN NEW.content = 'refuse this' "
			   "BEGIN SELECT RAISE(ABORT, 'refused'); END");
	store_audit(f->store, &ann, &entry);
	assert_int_equal(store_answer_and_wait(f, &ann, &refused), ERR_INTERNAL);
	assert_string_equal(file_query(f, f->acme, "SELECT COUNT(*) FROM chat_audit_log"), "1");
	store_audit(f->store, &ann, &entry);
	assert_int_equal(store_answer_and_wait(f, &ann, &stored), ERR_NONE);
	assert_string_equal(file_query(f, f->acme, "SELECT COUNT(*) FROM chat_audit_log"), "2");
}

static struct message create_answer(struct fixture *f, const struct principal *who)
{
	struct message m = user_message(f, id_new(f), "question");
	struct message answer =
		answer_to(f, &m, arena_printf(f->arena, "answer for %s", who->user));

	accept_message(f, who, &m);
	store_answer_and_wait(f, who, &answer);
	return answer;
}

static void deletes_user_data(void **state)
{
	struct fixture *f = *state;
	struct message ann_answer, bob_answer, other_tenant_answer;

	ann_answer = create_answer(f, &ann);
	bob_answer = create_answer(f, &bob);
	other_tenant_answer = create_answer(f, &ann_other_tenant);
	begin(f);
	store_user_delete(f->store, &bob, "ann", on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	assert_false(files_contain(f, "answer for ann"));
	assert_true(files_contain(f, "answer for bob"));
	assert_int_equal(read_messages(f, &ann, ann_answer.session_id, NULL, 9), ERR_NOT_FOUND);
	assert_int_equal(read_messages(f, &bob, bob_answer.session_id, NULL, 9), ERR_NONE);
	assert_int_equal(
		read_messages(f, &ann_other_tenant, other_tenant_answer.session_id, NULL, 9),
		ERR_NONE);
	assert_string_equal(file_query(f, f->acme, "SELECT COUNT(*) FROM chat_messages"), "2");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {CASE(stores_tool_switches), CASE(writes_audit_log),
					   CASE(audits_tool_call_with_answer),
					   CASE(deletes_user_data)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
