/* Pages: order, limits, `after`, and isolation between users. */
#include "store_test.h"

#include "vesper/clock.h"

static void send_message(struct fixture *f, const struct principal *who, const char *session,
			 const char *content)
{
	struct message m = user_message(f, session, content);

	assert_int_equal(accept_message(f, who, &m), ERR_NONE);
}

static void pages_messages_oldest_first(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);
	const char *last;

	for (int i = 0; i < 7; i++)
		send_message(f, &ann, session, arena_printf(f->arena, "m%d", i));
	send_message(f, &ann, id_new(f), "another session");
	read_messages(f, &ann, session, NULL, 3);
	assert_int_equal(f->count, 3);
	assert_true(f->has_more);
	assert_string_equal(f->messages[0].content, "m0");
	assert_string_equal(f->messages[2].content, "m2");
	last = f->messages[2].message_id;
	read_messages(f, &ann, session, last, 4);
	assert_int_equal(f->count, 4);
	assert_false(f->has_more); /* exactly the remaining messages */
	assert_string_equal(f->messages[0].content, "m3");
	assert_string_equal(f->messages[3].content, "m6");
	read_messages(f, &ann, session, f->messages[3].message_id, 4);
	assert_int_equal(f->count, 0);
	assert_false(f->has_more);
	read_messages(f, &ann, session, id_new(f), 4); /* after an unknown message */
	assert_int_equal(f->err.code, ERR_NONE);
	assert_int_equal(f->count, 0);
}

static void turn_begins_with_last_messages(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);
	struct message m;

	for (int i = 0; i < 4; i++)
		send_message(f, &ann, session, arena_printf(f->arena, "m%d", i));
	m = user_message(f, session, "m4");
	assert_int_equal(begin_turn(f, &ann, &m, 3), ERR_NONE);
	assert_int_equal(f->begun.history_count, 3);
	assert_true(f->begun.has_more);
	assert_string_equal(f->begun.history[0].content, "m2");
	assert_string_equal(f->begun.history[2].content, "m4"); /* the message of this turn */
	assert_int_equal(f->begun.memory.messages, 5);
	m = user_message(f, session, "m5");
	assert_int_equal(begin_turn(f, &ann, &m, 6), ERR_NONE);
	assert_int_equal(f->begun.history_count, 6);
	assert_false(f->begun.has_more);
	assert_string_equal(f->begun.history[0].content, "m0");
}

/* Without a model no prompt is made, so a turn reads only the session context. */
static void turn_without_prompts_begins_with_context(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);
	struct message first = user_message(f, session, "first");
	struct message second = user_message(f, session, "second");
	struct message third = user_message(f, session, "third");
	struct message answer = answer_to(f, &first, "one"), failed = answer_to(f, &second, "");
	json_t *standing = json_pack("{s:i}", "n", 1);

	answer.texts.standing = "{\"n\":1}";
	assert_int_equal(begin_turn(f, &ann, &first, 0), ERR_NONE);
	assert_null(f->begun.standing);
	assert_int_equal(store_answer_and_wait(f, &ann, &answer), ERR_NONE);
	assert_int_equal(begin_turn(f, &ann, &second, 0), ERR_NONE);
	assert_true(json_equal(f->begun.standing, standing));
	assert_int_equal(store_answer_and_wait(f, &ann, &failed), ERR_NONE);
	assert_int_equal(begin_turn(f, &ann, &third, 0), ERR_NONE);
	assert_true(json_equal(f->begun.standing, standing));
	assert_int_equal(f->begun.history_count, 0);
	assert_int_equal(f->begun.memory.messages, 5);
	json_decref(standing);
}

static void rejected_turn_gets_no_data(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);
	struct message m, again;

	m = user_message(f, session, "mine");
	m.client_msg_id = "c-1";
	assert_int_equal(begin_turn(f, &ann, &m, 3), ERR_NONE);
	assert_int_equal(f->begun.history_count, 1);
	again = user_message(f, session, "mine, once more");
	again.client_msg_id = "c-1";
	assert_int_equal(begin_turn(f, &ann, &again, 3), ERR_NONE);
	assert_string_equal(f->duplicate, m.turn_id);
	assert_int_equal(f->begun.history_count, 0);
	again = user_message(f, session, "theirs");
	assert_int_equal(begin_turn(f, &bob, &again, 3), ERR_NOT_FOUND);
	assert_int_equal(f->begun.history_count, 0);
}

static void unknown_session_is_not_found(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_messages(f, &ann, id_new(f), NULL, 3), ERR_NOT_FOUND);
	assert_int_equal(read_session(f, &ann, id_new(f)), ERR_NOT_FOUND);
}

static void lists_own_sessions_newest_first(void **state)
{
	struct fixture *f = *state;
	const char *ids[4];

	clock_freeze_ms(1772182800000);
	for (int i = 0; i < 4; i++) {
		ids[i] = id_new(f);
		send_message(f, &ann, ids[i], arena_printf(f->arena, "s%d", i));
		clock_advance_ms(i == 1 ? 0 : 1000); /* two of them in the same millisecond */
	}
	send_message(f, &bob, id_new(f), "of bob");
	send_message(f, &ann_other_tenant, id_new(f), "of the other tenant");
	send_message(f, &ann, ids[0], "the oldest session is used again");
	clock_release();
	read_sessions(f, &ann, NULL, 2);
	assert_int_equal(f->count, 2);
	assert_true(f->has_more);
	assert_string_equal(f->sessions[0].session_id, ids[0]);
	assert_string_equal(f->sessions[0].title, "s0");
	assert_string_equal(f->sessions[1].session_id, ids[3]);
	read_sessions(f, &ann, ids[3], 10);
	assert_int_equal(f->count, 2);
	assert_false(f->has_more);
	assert_string_equal(f->sessions[0].session_id, ids[2]); /* same time: by id */
	assert_string_equal(f->sessions[1].session_id, ids[1]);
	read_sessions(f, &ann, ids[1], 10);
	assert_int_equal(f->count, 0);
}

static void treats_hostile_text_as_text(void **state)
{
	struct fixture *f = *state;
	const struct principal evil = {.user = "x' OR '1'='1", .tenant = "acme"};
	const char *session = id_new(f);

	send_message(f, &ann, session, "mine'); DROP TABLE chat_messages; --");
	read_sessions(f, &evil, NULL, 10);
	assert_int_equal(f->count, 0);
	assert_int_equal(read_messages(f, &ann, "' OR 1=1 --", NULL, 10), ERR_NOT_FOUND);
	read_messages(f, &ann, session, NULL, 10);
	assert_string_equal(f->messages[0].content, "mine'); DROP TABLE chat_messages; --");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(pages_messages_oldest_first),
		STORE_TEST(turn_begins_with_last_messages),
		STORE_TEST(turn_without_prompts_begins_with_context),
		STORE_TEST(rejected_turn_gets_no_data),
		STORE_TEST(unknown_session_is_not_found),
		STORE_TEST(lists_own_sessions_newest_first),
		STORE_TEST(treats_hostile_text_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
