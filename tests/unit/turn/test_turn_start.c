/* Starting turns: callbacks run from the loop, and cancelling before the callback leaves no turn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "turn_int.h"

static const char *const permissions[] = {"chat:use"};
static const struct principal ann = {
	.user = "ann", .tenant = "acme", .permissions = permissions, .permission_count = 1};
static const struct principal guest = {.user = "guest", .tenant = "acme"};
static struct loop *loop;
static struct stream_hub *streams;
static struct turns *turns;
static struct uuid session;
static struct turn_settings settings = {.place_count = 4};

struct start_result {
	bool done;
	enum err_code code;
	bool found;
	bool any_id;
};

static int set_up(void **state)
{
	struct turns_options o = {0};
	struct err e = {0};

	(void)state;
	assert_true(loop_new(&loop, &e));
	o.loop = loop;
	o.streams = streams = stream_hub_new(loop);
	o.settings = &settings;
	turns = turns_new(&o);
	session = uuid_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	turns_free(&turns); /* asserts that no operation runs */
	stream_hub_free(&streams);
	loop_free(&loop);
	return 0;
}

static void on_started(void *owner, struct stream_log *log, const struct err *e)
{
	struct start_result *h = owner;

	assert_false(h->done);
	assert_null(log);
	*h = (struct start_result){.done = true, .code = e->code};
}

static void on_found(void *owner, bool found)
{
	*(struct start_result *)owner = (struct start_result){.done = true, .found = found};
}

static void on_id(void *owner, const char *turn_id)
{
	*(struct start_result *)owner =
		(struct start_result){.done = true, .any_id = turn_id != NULL};
}

static struct op *start(const struct principal *who, const char *client_msg_id,
			struct start_result *h)
{
	const struct turn_request r = {.who = who,
				       .session_id = session.text,
				       .content = "x",
				       .client_msg_id = client_msg_id};

	*h = (struct start_result){0};
	return turn_start(turns, &r, on_started, h);
}

static struct start_result wait_for_result(struct start_result *h)
{
	assert_false(h->done); /* never from inside the call */
	while (!h->done)
		loop_run_once(loop);
	return *h;
}

/* Returns true when the session still has a lease. */
static bool has_lease(const struct principal *who)
{
	struct start_result h = {0};

	turn_running(turns, session.text, who, on_id, &h);
	return wait_for_result(&h).any_id;
}

static void refusal_is_asynchronous_and_frees_session(void **state)
{
	struct start_result h;

	(void)state;
	start(&guest, "m1", &h);
	assert_int_equal(wait_for_result(&h).code, ERR_DENIED);
	assert_false(has_lease(&guest));
	start(&guest, "m1", &h); /* the id is known, but its turn has no log */
	assert_int_equal(wait_for_result(&h).code, ERR_DENIED);
	assert_false(has_lease(&guest));
}

static void cancelling_before_callback_starts_no_turn(void **state)
{
	struct start_result started, slice_for = {0}, running = {0};
	struct op *ops[3];

	(void)state;
	ops[0] = start(&ann, "m1", &started);
	ops[1] = turn_cancel(turns, uuid_new().text, &ann, CANCEL_USER, on_found, &slice_for);
	ops[2] = turn_running(turns, session.text, &ann, on_id, &running);
	for (int i = 0; i < 3; i++)
		op_cancel(&ops[i]);
	assert_false(has_lease(&ann));
	assert_int_equal(turns_running(turns), 0);
	assert_false(started.done || slice_for.done || running.done);
}

/* Cancels a repeated message after each number of loop iterations. */
static void cancelling_between_replies_starts_no_turn(void **state)
{
	struct start_result h;
	struct op *op;

	(void)state;
	start(&guest, "m1", &h);
	wait_for_result(&h);
	for (int iterations = 1; iterations < 4; iterations++) {
		op = start(&guest, "m1", &h);
		for (int i = 0; i < iterations && !h.done; i++)
			loop_run_once(loop);
		if (!h.done)
			op_cancel(&op);
		assert_false(has_lease(&guest));
	}
}

static void on_drained(void *owner)
{
	*(bool *)owner = true;
}

static void refuses_pending_start_while_draining(void **state)
{
	bool drained = false;
	struct start_result h;

	(void)state;
	start(&ann, NULL, &h);
	turns_drain(turns, on_drained, &drained);
	assert_int_equal(wait_for_result(&h).code, ERR_CANCELLED);
	while (!drained)
		loop_run_once(loop);
	assert_false(has_lease(&ann));
}

static void cancel_reports_no_running_turn(void **state)
{
	struct start_result h = {0};

	(void)state;
	turn_cancel(turns, uuid_new().text, &ann, CANCEL_USER, on_found, &h);
	assert_false(wait_for_result(&h).found);
	h = (struct start_result){0};
	turn_cancel(turns, NULL, &ann, CANCEL_USER, on_found, &h);
	assert_false(wait_for_result(&h).found);
	assert_null(turn_cancel(turns, NULL, &ann, CANCEL_UNWATCHED, NULL, NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refusal_is_asynchronous_and_frees_session),
		TEST(cancelling_before_callback_starts_no_turn),
		TEST(cancelling_between_replies_starts_no_turn),
		TEST(refuses_pending_start_while_draining),
		TEST(cancel_reports_no_running_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
