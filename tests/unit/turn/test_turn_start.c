/* The way to a turn: answers come from the loop, and whoever leaves before takes everything along.
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

struct parsed_filters {
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
	struct parsed_filters *h = owner;

	assert_false(h->done);
	assert_null(log);
	*h = (struct parsed_filters){.done = true, .code = e->code};
}

static void on_found(void *owner, bool found)
{
	*(struct parsed_filters *)owner = (struct parsed_filters){.done = true, .found = found};
}

static void on_id(void *owner, const char *turn_id)
{
	*(struct parsed_filters *)owner =
		(struct parsed_filters){.done = true, .any_id = turn_id != NULL};
}

static struct op *start(const struct principal *who, const char *client_msg_id,
			struct parsed_filters *h)
{
	const struct turn_request r = {.who = who,
				       .session_id = session.text,
				       .content = "x",
				       .client_msg_id = client_msg_id};

	*h = (struct parsed_filters){0};
	return turn_start(turns, &r, on_started, h);
}

static struct parsed_filters pass_parsed_filters(struct parsed_filters *h)
{
	assert_false(h->done); /* never from inside the call */
	while (!h->done)
		loop_turn(loop);
	return *h;
}

/* Whether a lease of the session was left behind. */
static bool is_held(const struct principal *who)
{
	struct parsed_filters h = {0};

	turn_running(turns, session.text, who, on_id, &h);
	return pass_parsed_filters(&h).any_id;
}

static void a_refusal_comes_from_the_loop_and_leaves_the_session_free(void **state)
{
	struct parsed_filters h;

	(void)state;
	start(&guest, "m1", &h);
	assert_int_equal(pass_parsed_filters(&h).code, ERR_DENIED);
	assert_false(is_held(&guest));
	start(&guest, "m1", &h); /* known again, and its log was never there */
	assert_int_equal(pass_parsed_filters(&h).code, ERR_DENIED);
	assert_false(is_held(&guest));
}

static void who_leaves_before_the_answer_has_no_turn(void **state)
{
	struct parsed_filters started, told = {0}, named = {0};
	struct op *ops[3];

	(void)state;
	ops[0] = start(&ann, "m1", &started);
	ops[1] = turn_cancel(turns, uuid_new().text, &ann, CANCEL_USER, on_found, &told);
	ops[2] = turn_running(turns, session.text, &ann, on_id, &named);
	for (int i = 0; i < 3; i++)
		op_cancel(&ops[i]);
	assert_false(is_held(&ann));
	assert_int_equal(turns_running(turns), 0);
	assert_false(started.done || told.done || named.done);
}

/* Each answer of the first question of a repeat can be the last that is waited for. */
static void who_leaves_between_two_answers_has_no_turn(void **state)
{
	struct parsed_filters h;
	struct op *op;

	(void)state;
	start(&guest, "m1", &h);
	pass_parsed_filters(&h);
	for (int iterations = 1; iterations < 4; iterations++) {
		op = start(&guest, "m1", &h);
		for (int i = 0; i < iterations && !h.done; i++)
			loop_turn(loop);
		if (!h.done)
			op_cancel(&op);
		assert_false(is_held(&guest));
	}
}

static void on_drained(void *owner)
{
	*(bool *)owner = true;
}

static void a_start_under_way_is_refused_while_draining(void **state)
{
	bool drained = false;
	struct parsed_filters h;

	(void)state;
	start(&ann, NULL, &h);
	turns_drain(turns, on_drained, &drained);
	assert_int_equal(pass_parsed_filters(&h).code, ERR_CANCELLED);
	while (!drained)
		loop_turn(loop);
	assert_false(is_held(&ann));
}

static void nothing_runs_to_be_cancelled(void **state)
{
	struct parsed_filters h = {0};

	(void)state;
	turn_cancel(turns, uuid_new().text, &ann, CANCEL_USER, on_found, &h);
	assert_false(pass_parsed_filters(&h).found);
	h = (struct parsed_filters){0};
	turn_cancel(turns, NULL, &ann, CANCEL_USER, on_found, &h);
	assert_false(pass_parsed_filters(&h).found);
	assert_null(turn_cancel(turns, NULL, &ann, CANCEL_UNWATCHED, NULL, NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_refusal_comes_from_the_loop_and_leaves_the_session_free),
		TEST(who_leaves_before_the_answer_has_no_turn),
		TEST(who_leaves_between_two_answers_has_no_turn),
		TEST(a_start_under_way_is_refused_while_draining),
		TEST(nothing_runs_to_be_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
