/* A store shared by replicas: one running turn per session, and only its owner stores an answer. */
#include "store_test.h"

#include "vesper/clock.h"
#include "vesper/limits.h"

#define FROZEN_MS 1772182800000

static int shared_setup(void **state)
{
	struct fixture *f;

	fixture_setup(state);
	f = *state;
	store_share(f->store, "r1");
	return 0;
}

static struct message make_question(struct fixture *f, const char *session, uint64_t fence)
{
	struct message m = user_message(f, session, "question");

	m.fence = fence;
	return m;
}

static enum err_code store_answer_with_fence(struct fixture *f, const struct message *m,
					     uint64_t fence)
{
	struct message a = answer_to(f, m, "answer");

	a.fence = fence;
	return store_answer_and_wait(f, &ann, &a);
}

static const char *turn_rows(struct fixture *f)
{
	return file_query(f, f->acme,
			  "SELECT group_concat(replica || ' ' || fence || ' ' || state, ', ') FROM "
			  "(SELECT * FROM chat_turns ORDER BY fence)");
}

static void take_over(struct fixture *f, const struct message *m, uint64_t fence)
{
	begin(f);
	store_take_turn(f->store, &ann, m->turn_id, fence, "none", f->arena, on_messages, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NOT_FOUND);
}

static void send_heartbeat(struct fixture *f, const struct message *m)
{
	begin(f);
	store_turns_heartbeat(f->store, "acme", &m->turn_id, 1, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static void close_silent(struct fixture *f)
{
	begin(f);
	store_close_silent(f->store, "acme", on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static const char *answer_statuses(struct fixture *f)
{
	return file_query(
		f, f->acme,
		"SELECT coalesce(group_concat(status), '') FROM chat_messages WHERE role = "
		"'assistant'");
}

static void writes_no_rows_if_not_shared(void **state)
{
	struct fixture *f = *state;
	struct message m = make_question(f, id_new(f), 0);

	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	assert_int_equal(store_answer_with_fence(f, &m, 0), ERR_NONE);
	assert_string_equal(file_query(f, f->acme, "SELECT COUNT(*) FROM chat_turns"), "0");
}

static void session_has_one_running_turn(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);
	struct message first = make_question(f, session, 1), second = make_question(f, session, 2);
	struct message elsewhere = make_question(f, id_new(f), 3);

	assert_int_equal(accept_message(f, &ann, &first), ERR_NONE);
	assert_false(f->begun.elsewhere);
	assert_int_equal(accept_message(f, &ann, &second), ERR_BUSY);
	assert_int_equal(accept_message(f, &bob, &second), ERR_NOT_FOUND);
	assert_int_equal(accept_message(f, &ann, &elsewhere), ERR_NONE);
	assert_int_equal(accept_message(f, &ann, &first), ERR_NONE);
	assert_false(f->begun.elsewhere);
	assert_string_equal(turn_rows(f), "r1 1 running, r1 3 running");
	assert_int_equal(store_answer_with_fence(f, &first, 1), ERR_NONE);
	assert_int_equal(accept_message(f, &ann, &second), ERR_NONE);
	assert_string_equal(turn_rows(f), "r1 1 done, r1 2 running, r1 3 running");
}

/* The turn that occupied the session has ended by the time the reason is read. */
static void reports_busy_if_turn_just_ended(void **state)
{
	struct fixture *f = *state;
	struct message first = make_question(f, id_new(f), 1),
		       next = make_question(f, first.session_id, 2);

	next.turn_id = first.turn_id;
	assert_int_equal(accept_message(f, &ann, &first), ERR_NONE);
	assert_int_equal(store_answer_with_fence(f, &first, 1), ERR_NONE);
	assert_int_equal(accept_message(f, &ann, &next), ERR_BUSY);
	assert_int_equal(accept_message(f, &bob, &next), ERR_NOT_FOUND);
}

static void repeated_message_begins_no_turn(void **state)
{
	struct fixture *f = *state;
	struct message first = make_question(f, id_new(f), 1),
		       same = make_question(f, first.session_id, 2);

	first.client_msg_id = same.client_msg_id = "m1";
	assert_int_equal(accept_message(f, &ann, &first), ERR_NONE);
	assert_int_equal(accept_message(f, &ann, &same), ERR_NONE);
	assert_string_equal(f->duplicate, first.turn_id);
	assert_int_equal(store_answer_with_fence(f, &first, 1), ERR_NONE);
	assert_int_equal(accept_message(f, &ann, &same), ERR_NONE);
	assert_string_equal(f->duplicate, first.turn_id);
	assert_string_equal(turn_rows(f), "r1 1 done");
}

static void former_owner_cannot_store(void **state)
{
	struct fixture *f = *state;
	struct message m = make_question(f, id_new(f), 5);

	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	take_over(f, &m, 9);
	assert_int_equal(store_answer_with_fence(f, &m, 5), ERR_CANCELLED);
	assert_string_equal(answer_statuses(f), "");
	take_over(f, &m, 7); /* later, but with a lower fencing token */
	assert_string_equal(turn_rows(f), "r1 9 running");
	assert_int_equal(store_answer_with_fence(f, &m, 9), ERR_NONE);
	assert_string_equal(answer_statuses(f), "complete");
	take_over(f, &m, 11); /* the turn has already ended */
	assert_string_equal(turn_rows(f), "r1 9 done");
}

/* Both owners know the answer's ID, so its existence does not prove ownership. */
static void former_owner_cannot_store_same_answer(void **state)
{
	struct fixture *f = *state;
	struct message m = make_question(f, id_new(f), 5), answer;

	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	answer = answer_to(f, &m, "answer");
	take_over(f, &m, 9);
	answer.fence = 9;
	assert_int_equal(store_answer_and_wait(f, &ann, &answer), ERR_NONE);
	assert_int_equal(store_answer_and_wait(f, &ann, &answer), ERR_NONE);
	answer.fence = 5;
	assert_int_equal(store_answer_and_wait(f, &ann, &answer), ERR_CANCELLED);
	assert_string_equal(answer_statuses(f), "complete");
}

/* A turn taken over before its first output is restarted, by one owner only. */
static void restarted_turn_has_one_owner(void **state)
{
	struct fixture *f = *state;
	struct message m = make_question(f, id_new(f), 5), again = m;

	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	again.fence = 8;
	again.taken = true;
	assert_int_equal(accept_message(f, &ann, &again), ERR_NONE);
	assert_false(f->begun.elsewhere);
	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	assert_true(f->begun.elsewhere);
	assert_int_equal(store_answer_with_fence(f, &m, 8), ERR_NONE);
	again.fence = 12;
	assert_int_equal(accept_message(f, &ann, &again), ERR_NONE);
	assert_true(f->begun.elsewhere);
}

static void closes_silent_turn(void **state)
{
	struct fixture *f = *state;
	struct message alive = make_question(f, id_new(f), 1),
		       silent = make_question(f, id_new(f), 2);

	clock_freeze_ms(FROZEN_MS);
	assert_int_equal(accept_message(f, &ann, &alive), ERR_NONE);
	assert_int_equal(accept_message(f, &ann, &silent), ERR_NONE);
	close_silent(f);
	clock_advance_ms(TURN_SILENT_MS - 1);
	send_heartbeat(f, &alive);
	close_silent(f);
	assert_string_equal(answer_statuses(f), "");
	clock_advance_ms(1);
	close_silent(f);
	assert_string_equal(turn_rows(f), "r1 1 running, r1 3 done");
	assert_string_equal(answer_statuses(f), "interrupted");
	assert_int_equal(store_answer_with_fence(f, &silent, 2), ERR_CANCELLED);
	assert_int_equal(store_answer_with_fence(f, &alive, 1), ERR_NONE);
	clock_release();
}

/* A heartbeat is timed by when it is first read here, since the replica's clock may be wrong. */
static void clocks_are_not_compared(void **state)
{
	struct fixture *f = *state;
	struct message m = make_question(f, id_new(f), 1);

	clock_freeze_ms(FROZEN_MS);
	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	file_exec(f->acme, "UPDATE chat_turns SET alive_at = '2001-01-01T00:00:00.000Z'");
	close_silent(f);
	clock_advance_ms(TURN_SILENT_MS - 1);
	close_silent(f);
	file_exec(f->acme, "UPDATE chat_turns SET alive_at = '2001-01-01T00:00:02.000Z'");
	clock_advance_ms(1);
	close_silent(f);
	assert_string_equal(turn_rows(f), "r1 1 running");
	clock_release();
}

static void replica_sends_heartbeats_only_for_its_turns(void **state)
{
	struct fixture *f = *state;
	struct message m = make_question(f, id_new(f), 1);

	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	file_exec(f->acme, "UPDATE chat_turns SET alive_at = 'then', replica = 'r2'");
	send_heartbeat(f, &m);
	assert_string_equal(file_query(f, f->acme, "SELECT alive_at FROM chat_turns"), "then");
}

static void turn_rows_are_deleted_with_user(void **state)
{
	struct fixture *f = *state;
	struct message m = make_question(f, id_new(f), 1);

	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	begin(f);
	store_user_delete(f->store, &bob, "ann", on_done, f);
	wait_done(f);
	assert_string_equal(file_query(f, f->acme, "SELECT COUNT(*) FROM chat_turns"), "0");
	assert_int_equal(store_answer_with_fence(f, &m, 1), ERR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(writes_no_rows_if_not_shared),
#define SHARED(t) cmocka_unit_test_setup_teardown(t, shared_setup, fixture_teardown)
		SHARED(session_has_one_running_turn),
		SHARED(reports_busy_if_turn_just_ended),
		SHARED(repeated_message_begins_no_turn),
		SHARED(former_owner_cannot_store),
		SHARED(former_owner_cannot_store_same_answer),
		SHARED(restarted_turn_has_one_owner),
		SHARED(closes_silent_turn),
		SHARED(clocks_are_not_compared),
		SHARED(replica_sends_heartbeats_only_for_its_turns),
		SHARED(turn_rows_are_deleted_with_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
