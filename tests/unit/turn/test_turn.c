/* Pausing model calls: while logs are full, the model calls of turns without a viewer are paused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "turn_int.h"
#include "vesper/loop.h"
#include "vesper/stream.h"

static const struct load FULL = {.percent = 101, .of = OVERLOAD_LOGS, .logs_full = true};
#define SESSION "7d444840-9dc0-4d1a-8c1e-2f0c5d1e9a01"

static struct principal ann = {.tenant = "vesper", .user = "ann"};
static const struct turn_settings SETTINGS = {.place_count = 1, .grace_ms = TURN_GRACE_MS};

/* A model call, as the turn sees it. */
struct model_call {
	struct op op;
	bool paused;
};

static struct turns all;
static struct turn turn;
static struct model_call model;
static struct stream_watch *watch;

static void on_pause(struct op *op, bool paused)
{
	((struct model_call *)op)->paused = paused;
}

static void on_entry(void *owner)
{
	(void)owner;
}

static void on_stop(void *owner)
{
	loop_stop(owner);
}

/* Runs the deferred callbacks; a log reports its watchers in one. */
static void run_deferred(void)
{
	struct deferred last = {0};

	loop_defer(all.loop, &last, on_stop, all.loop);
	loop_run(all.loop);
}

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	memset(&turn, 0, sizeof(turn));
	all = (struct turns){.settings = &SETTINGS};
	assert_true(loop_new(&all.loop, &e));
	all.streams = stream_hub_new(all.loop);
	turn_groups_init(&all);
	turn.core.all = &all;
	turn.core.id = uuid_new();
	turn.core.who = &ann;
	turn.core.request.session_id = SESSION;
	turn.settings = &SETTINGS;
	turn_open(&turn);
	turn_join_groups(&turn);
	model = (struct model_call){.op.pause = on_pause};
	turn.machine.op = &model.op;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	stream_watch_free(&watch);
	turn.machine.op = NULL;
	turn_leave_groups(&turn);
	timer_free(&turn.machine.state_timer);
	timer_free(&turn.machine.turn_timer);
	timer_free(&turn.machine.grace.timer);
	stream_abandon(&turn.core.log);
	turn_groups_deinit(&all);
	stream_hub_free(&all.streams);
	loop_free(&all.loop);
	return 0;
}

static void pauses_unwatched_turn_until_logs_have_room(void **state)
{
	(void)state;
	turns_set_load(&all, (struct load){.percent = 500, .of = OVERLOAD_LOOP});
	assert_false(model.paused);
	turns_set_load(&all, FULL);
	assert_true(model.paused);
	turns_set_load(&all, (struct load){.percent = 90, .of = OVERLOAD_LOGS});
	assert_false(model.paused);
}

static void pauses_second_call(void **state)
{
	struct model_call next = {.op.pause = on_pause};

	(void)state;
	turns_set_load(&all, FULL);
	turn.machine.op = &next.op;
	turns_set_load(&all, FULL);
	assert_true(next.paused);
	turn.machine.op = NULL; /* between two calls */
	turns_set_load(&all, FULL);
}

static void does_not_pause_watched_turn(void **state)
{
	(void)state;
	watch = stream_watch_new(turn.core.log, 0, on_entry, NULL);
	assert_non_null(watch);
	turns_set_load(&all, FULL);
	assert_false(model.paused);
	stream_watch_free(&watch);
	turns_set_load(&all, FULL);
	assert_true(model.paused);
}

static void returning_viewer_resumes_turn(void **state)
{
	(void)state;
	turns_set_load(&all, FULL);
	assert_true(model.paused);
	watch = stream_watch_new(turn.core.log, 0, on_entry, NULL);
	assert_non_null(watch);
	run_deferred();
	assert_false(model.paused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pauses_unwatched_turn_until_logs_have_room, setup,
						teardown),
		cmocka_unit_test_setup_teardown(pauses_second_call, setup, teardown),
		cmocka_unit_test_setup_teardown(does_not_pause_watched_turn, setup, teardown),
		cmocka_unit_test_setup_teardown(returning_viewer_resumes_turn, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
