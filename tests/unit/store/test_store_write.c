/* A user's message and its answer: durable, stored once, and only in the user's own session. */
#include "store_test.h"

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"

static void first_message_creates_session(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);
	struct message m = user_message(f, session, "What about NP15?\nAnd more.");

	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	assert_string_equal(f->duplicate, "");
	assert_int_equal(read_session(f, &ann, session), ERR_NONE);
	assert_string_equal(f->sessions[0].session_id, session);
	assert_string_equal(f->sessions[0].title, "What about NP15?");
	assert_string_equal(f->sessions[0].created_at, f->sessions[0].updated_at);
	assert_true(clock_parse_rfc3339(f->sessions[0].created_at, &(int64_t){0}, NULL));
	/* durable: another process can read it */
	assert_string_equal(file_query(f, f->acme, "SELECT content FROM chat_messages"), m.content);
	assert_string_equal(
		file_query(
			f, f->acme,
			"SELECT tenant_id || user_id || is_active || metadata FROM chat_sessions"),
		"acmeann1{}");
}

/* A turn of a conversation that its client stores gets a separate session, which names the client.
 */
static void session_stores_origin(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);
	struct message m = user_message(f, session, "What about NP15?");

	m.origin = "some \"client\"";
	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	assert_string_equal(file_query(f, f->acme, "SELECT metadata FROM chat_sessions"),
			    "{\"dialect\":\"some \\\"client\\\"\"}");
}

static void second_message_does_not_change_title(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);
	struct message first = user_message(f, session, "first");
	struct message second = user_message(f, session, "second");

	clock_freeze_ms(1772182800000);
	assert_int_equal(accept_message(f, &ann, &first), ERR_NONE);
	clock_advance_ms(5000);
	assert_int_equal(accept_message(f, &ann, &second), ERR_NONE);
	clock_release();
	read_session(f, &ann, session);
	assert_string_equal(f->sessions[0].title, "first");
	assert_string_equal(f->sessions[0].created_at, "2026-02-27T09:00:00.000Z");
	assert_string_equal(f->sessions[0].updated_at, "2026-02-27T09:00:05.000Z");
	assert_int_equal(read_messages(f, &ann, session, NULL, 10), ERR_NONE);
	assert_int_equal(f->count, 2);
	assert_string_equal(f->messages[1].created_at, "2026-02-27T09:00:05.000Z");
}

static void session_of_another_user_is_not_found(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);
	struct message mine = user_message(f, session, "mine");
	struct message theirs = user_message(f, session, "theirs");
	struct message answer = answer_to(f, &mine, "answer");

	assert_int_equal(accept_message(f, &ann, &mine), ERR_NONE);
	assert_int_equal(accept_message(f, &bob, &theirs), ERR_NOT_FOUND);
	assert_int_equal(store_answer_and_wait(f, &bob, &answer), ERR_NOT_FOUND);
	assert_int_equal(read_session(f, &bob, session), ERR_NOT_FOUND);
	assert_int_equal(read_messages(f, &bob, session, NULL, 10), ERR_NOT_FOUND);
	assert_int_equal(read_session(f, &ann_other_tenant, session), ERR_NOT_FOUND);
	assert_int_equal(read_messages(f, &ann_other_tenant, session, NULL, 10), ERR_NOT_FOUND);
	assert_int_equal(read_messages(f, &ann, session, NULL, 10), ERR_NONE);
	assert_int_equal(f->count, 1);
	read_session(f, &ann, session);
	assert_string_equal(f->sessions[0].title, "mine");
}

static void repeated_client_message_id_stores_nothing(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);
	struct message first = user_message(f, session, "first");
	struct message again = user_message(f, session, "again");
	struct message elsewhere = user_message(f, id_new(f), "elsewhere");

	first.client_msg_id = again.client_msg_id = elsewhere.client_msg_id = "c-1";
	assert_int_equal(accept_message(f, &ann, &first), ERR_NONE);
	assert_int_equal(accept_message(f, &ann, &again), ERR_NONE);
	assert_string_equal(f->duplicate, first.turn_id);
	assert_int_equal(accept_message(f, &ann, &elsewhere), ERR_NONE); /* another session */
	assert_string_equal(f->duplicate, "");
	read_messages(f, &ann, session, NULL, 10);
	assert_int_equal(f->count, 1);
	assert_string_equal(f->messages[0].content, "first");
	assert_string_equal(f->messages[0].client_msg_id, "c-1");
}

static void stores_one_of_concurrent_messages_with_same_id(void **state)
{
	struct fixture *f = *state;
	struct fixture second = {.loop = f->loop};
	const char *session = id_new(f);
	struct message a = user_message(f, session, "a");
	struct message b = user_message(f, session, "b");

	a.client_msg_id = b.client_msg_id = "same";
	begin(f);
	store_begin(f->store, &ann, &a, 1, f->arena, on_begun, f);
	store_begin(f->store, &ann, &b, 1, f->arena, on_begun, &second);
	wait_done(f);
	wait_done(&second);
	assert_string_equal(f->duplicate, "");
	assert_string_equal(second.duplicate, a.turn_id);
	read_messages(f, &ann, session, NULL, 10);
	assert_int_equal(f->count, 1);
}

static void accepts_same_message_again(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "once");

	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	assert_string_equal(f->duplicate, "");
	read_messages(f, &ann, m.session_id, NULL, 10);
	assert_int_equal(f->count, 1);
}

static void reads_all_fields_of_answer(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "question");
	struct message a = answer_to(f, &m, "na\xc3\xafve \"48.73\" \xf0\x9f\x98\x80\n");
	const struct message *got;

	a.status = MESSAGE_PARTIAL;
	a.intent = "dayahead_curve";
	a.agents_used = "dayahead_agent,per_agent";
	a.texts.tool_calls = "[{\"name\":\"t\",\"args\":{\"year\":2025}}]";
	a.texts.views = "[{\"view_type\":\"data\"}]";
	a.texts.pbi_deep_links = "[]";
	a.texts.standing = "{\"filters\":{\"vendor\":\"Ascend\"}}";
	a.texts.checked = "{\"bound\":1}";
	a.model = "claude";
	a.token_count = 120;
	a.latency_ms = 431;
	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	assert_int_equal(store_answer_and_wait(f, &ann, &a), ERR_NONE);
	assert_int_equal(read_messages(f, &ann, m.session_id, NULL, 10), ERR_NONE);
	assert_int_equal(f->count, 2);
	got = &f->messages[1];
	assert_string_equal(got->message_id, a.message_id);
	assert_string_equal(got->turn_id, m.turn_id);
	assert_string_equal(got->role, "assistant");
	assert_string_equal(got->content, a.content);
	assert_int_equal(got->status, MESSAGE_PARTIAL);
	assert_string_equal(got->intent, "dayahead_curve");
	assert_string_equal(got->agents_used, "dayahead_agent,per_agent");
	assert_string_equal(got->provider, "rules");
	assert_string_equal(got->model, "claude");
	assert_int_equal(got->token_count, 120);
	assert_int_equal(got->latency_ms, 431);
	assert_string_equal(got->texts.tool_calls, "[{\"name\":\"t\",\"args\":{\"year\":2025}}]");
	assert_string_equal(got->texts.views, "[{\"view_type\":\"data\"}]");
	assert_string_equal(got->texts.pbi_deep_links, "[]");
	assert_string_equal(got->texts.checked, "{\"bound\":1}");
	assert_string_equal(got->texts.standing, a.texts.standing);
	assert_null(f->messages[0].texts.views); /* a user's message has no views */
	assert_null(f->messages[0].provider);
	assert_string_equal(file_query(f, f->acme, "SELECT total_tokens FROM chat_sessions"),
			    "120");
}

static void storing_answer_twice_does_nothing(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "question");
	struct message a = answer_to(f, &m, "answer");

	a.token_count = 10;
	accept_message(f, &ann, &m);
	assert_int_equal(store_answer_and_wait(f, &ann, &a), ERR_NONE);
	a.content = "changed";
	assert_int_equal(store_answer_and_wait(f, &ann, &a), ERR_NONE);
	read_messages(f, &ann, m.session_id, NULL, 10);
	assert_int_equal(f->count, 2);
	assert_string_equal(f->messages[1].content, "answer");
	assert_string_equal(file_query(f, f->acme, "SELECT total_tokens FROM chat_sessions"), "10");
}

static void pending_ask_ends_with_next_answer(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "question");
	struct message ask = answer_to(f, &m, "which one?");
	struct message next = user_message(f, m.session_id, "the first");
	struct message answer = answer_to(f, &next, "48.73");

	ask.status = MESSAGE_ASK;
	ask.texts.standing = "{\"ask\":{\"filter\":\"vendor\"}}";
	accept_message(f, &ann, &m);
	store_answer_and_wait(f, &ann, &ask);
	assert_string_equal(file_query(f, f->acme, "SELECT pending_ask FROM chat_sessions"),
			    "{\"ask\":{\"filter\":\"vendor\"}}");
	accept_message(f, &ann, &next);
	store_answer_and_wait(f, &ann, &answer);
	assert_null(file_query(f, f->acme, "SELECT pending_ask FROM chat_sessions"));
}

/* A value too long to be read back must not make the whole session unreadable. */
static void omits_views_that_are_too_long(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "question");
	struct message a = answer_to(f, &m, "answer");
	char *views = mem_printf("[\"%*d\"]", DB_CELL_BYTES_MAX, 1);

	a.texts.views = views;
	accept_message(f, &ann, &m);
	assert_int_equal(store_answer_and_wait(f, &ann, &a), ERR_NONE);
	assert_int_equal(read_messages(f, &ann, m.session_id, NULL, 10), ERR_NONE);
	assert_string_equal(f->messages[1].content, "answer");
	assert_null(f->messages[1].texts.views);
	mem_free(views);
}

static void cancelled_calls_get_no_callback(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "question");
	struct op *op;

	begin(f);
	op = store_begin(f->store, &ann, &m, 1, f->arena, on_begun, f);
	op_cancel(&op);
	for (int i = 0; i < 100; i++) {
		usleep(500);
		loop_run_once(f->loop);
	}
	assert_false(f->done);
	read_sessions(f, &ann, NULL, 10); /* the store still works */
}

/* The statements of store_begin are one transaction. */
static void failed_begin_is_rolled_back(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "question");

	file_exec(f->acme, "CREATE TRIGGER full BEFORE INSERT ON chat_messages "
			   "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END");
	assert_int_equal(begin_turn(f, &ann, &m, 3), ERR_INTERNAL);
	assert_int_equal(f->begun.history_count, 0);
	assert_string_equal(file_query(f, f->acme, "SELECT COUNT(*) FROM chat_sessions"), "0");
	file_exec(f->acme, "DROP TRIGGER full");
	assert_int_equal(begin_turn(f, &ann, &m, 3), ERR_NONE);
	assert_int_equal(f->begun.history_count, 1);
}

static void reports_database_errors(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "question");
	const struct principal stranger = {.user = "ann", .tenant = "nobody"};

	assert_int_equal(accept_message(f, &stranger, &m), ERR_DENIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(first_message_creates_session),
		STORE_TEST(session_stores_origin),
		STORE_TEST(second_message_does_not_change_title),
		STORE_TEST(session_of_another_user_is_not_found),
		STORE_TEST(repeated_client_message_id_stores_nothing),
		STORE_TEST(stores_one_of_concurrent_messages_with_same_id),
		STORE_TEST(accepts_same_message_again),
		STORE_TEST(reads_all_fields_of_answer),
		STORE_TEST(storing_answer_twice_does_nothing),
		STORE_TEST(pending_ask_ends_with_next_answer),
		STORE_TEST(omits_views_that_are_too_long),
		STORE_TEST(cancelled_calls_get_no_callback),
		STORE_TEST(failed_begin_is_rolled_back),
		STORE_TEST(reports_database_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
