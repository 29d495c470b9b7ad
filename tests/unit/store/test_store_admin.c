/* Tool switches, the audit log, and deletion of a user's data. */
#include "store_test.h"

#include "vesper/clock.h"

static char seen[400];

static void on_switches(void *owner, const struct tool_switch *list, size_t count,
			const struct err *e)
{
	seen[0] = '\0';
	for (size_t i = 0; i < count; i++)
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s/%s=%d;",
			 list[i].agent, list[i].tool, list[i].enabled);
	on_done(owner, e);
}

static const char *switches(struct fixture *f, const char *tenant)
{
	begin(f);
	store_switches(f->store, tenant, on_switches, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return seen;
}

static void set(struct fixture *f, const struct principal *who, const char *agent, const char *tool,
		bool enabled)
{
	const struct tool_switch change = {agent, tool, enabled};

	begin(f);
	store_switch(f->store, who, &change, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static void tool_switches(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(switches(f, "acme"), "");
	set(f, &ann, "per_agent", "get_x", false);
	set(f, &ann, "a_agent", "get_x", false);
	assert_string_equal(switches(f, "acme"), "a_agent/get_x=0;per_agent/get_x=0;");
	assert_string_equal(switches(f, "vesper"), "");
	set(f, &bob, "per_agent", "get_x", true);
	assert_string_equal(switches(f, "acme"), "a_agent/get_x=0;per_agent/get_x=1;");
	assert_string_equal(
		file_ask(f, f->acme,
			 "SELECT updated_by FROM chat_agent_tools WHERE agent_name = 'per_agent'"),
		"bob");
}

/* Waits until the group commit is written without another write. */
static void audit_wait(struct fixture *f, const char *file)
{
	while (strcmp(file_ask(f, file, "SELECT COUNT(*) FROM chat_audit_log"), "0") == 0) {
		usleep(1000);
		loop_run_once(f->loop);
	}
}

static void audit(void **state)
{
	struct fixture *f = *state;
	const struct audit_entry entry = {.tool = "get_x", .outcome = "rows", .rows = 7};

	store_audit(f->store, &ann, &entry);
	store_audit(f->store, &ann_other_tenant, &entry);
	audit_wait(f, f->acme);
	audit_wait(f, f->vesper);
	assert_string_equal(file_ask(f, f->acme,
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
	file_do(f->acme, "CREATE TRIGGER refuse BEFORE INSERT ON chat_messages "
			 "WHEN NEW.content = 'refuse this' "
			 "BEGIN SELECT RAISE(ABORT, 'refused'); END");
	store_audit(f->store, &ann, &entry);
	assert_int_equal(store_answer_and_wait(f, &ann, &refused), ERR_INTERNAL);
	assert_string_equal(file_ask(f, f->acme, "SELECT COUNT(*) FROM chat_audit_log"), "1");
	store_audit(f->store, &ann, &entry);
	assert_int_equal(store_answer_and_wait(f, &ann, &stored), ERR_NONE);
	assert_string_equal(file_ask(f, f->acme, "SELECT COUNT(*) FROM chat_audit_log"), "2");
}

static struct message answered(struct fixture *f, const struct principal *who)
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
	struct message anns, bobs, elsewhere;

	anns = answered(f, &ann);
	bobs = answered(f, &bob);
	elsewhere = answered(f, &ann_other_tenant);
	begin(f);
	store_user_delete(f->store, &bob, "ann", on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	assert_false(files_contain(f, "answer for ann"));
	assert_true(files_contain(f, "answer for bob"));
	assert_int_equal(read_messages(f, &ann, anns.session_id, NULL, 9), ERR_NOT_FOUND);
	assert_int_equal(read_messages(f, &bob, bobs.session_id, NULL, 9), ERR_NONE);
	assert_int_equal(read_messages(f, &ann_other_tenant, elsewhere.session_id, NULL, 9),
			 ERR_NONE);
	assert_string_equal(file_ask(f, f->acme, "SELECT COUNT(*) FROM chat_messages"), "2");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {CASE(tool_switches), CASE(audit),
					   CASE(audits_tool_call_with_answer),
					   CASE(deletes_user_data)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
