/*
 * Turn driver: moves a turn from state to state by the table, and ends it. Completions only store
 * their result and wake the turn. turn_run asks the state's step for the next state, and turn_enter
 * sets it; turn_abandon alone goes to DONE directly. Deadline, cancel and a lost client all go
 * through turn_stop. Only turn_release frees the turn's memory.
 */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/lease_memory.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

/* Grace period after a viewer left: a signal of a viewer on another replica may still be in
 * transit. */
#define CANCELLED_GRACE_MS 250

struct turns *turns_new(const struct turns_options *o)
{
	struct turns *all = mem_alloc(sizeof(*all));

	*all = (struct turns){
		.loop = o->loop,
		.streams = o->streams,
		.store = o->store,
		.llm = llm_ref(o->llm),
		.settings = settings_ref(o->settings),
		.record = o->record,
		.record_owner = o->record_owner,
	};
	turn_groups_init(all);
	list_init(&all->calls);
	all->leases = o->leases;
	list_init(&all->heartbeats);
	if (all->leases.replica)
		turns_heartbeat_start(all);
	if (!all->leases.driver)
		all->leases = lease_memory_new(o->loop, TURN_DEADLINE_MS + EVENT_LOG_TTL_MS);
	all->leases.driver->listen(all->leases.self, turn_on_signal, all);
	return all;
}

void turns_set_documents(struct turns *all, const struct turn_documents *documents)
{
	all->documents = *documents;
}

void turns_set_llm(struct turns *all, struct llm *llm)
{
	struct llm *old = all->llm;

	all->llm = llm_ref(llm);
	llm_free(&old);
}

size_t turns_running(const struct turns *all)
{
	return all->count;
}

/* ---- life of a turn ---- */

void turn_admitted(struct turn *t)
{
	t->machine.waiting = false;
	t->core.began_ms = clock_mono_ms();
	timer_start(t->machine.turn_timer, (uint64_t)t->answers.deadline_ms);
	timer_start(t->machine.state_timer, (uint64_t)turn_rows[TURN_ACCEPT].limit_ms);
	turn_wake(t);
}

void turns_update_running(const struct turns *all)
{
	static const struct metric running = {
		.name = "vesper_chat_turns_running",
		.help = "Turns that are running or waiting for their session.",
		.kind = METRIC_GAUGE,
	};

	metric_set(&running, NULL, (int64_t)all->count);
}

/* A turn of this session has ended: starts the one that waited longest, unless another runs. */
static void begin_next_waiting(const struct turn *ended)
{
	const struct turn_group *g = turn_group_of(ended->core.all, GROUP_SESSION, ended->core.who,
						   ended->core.request.session_id);

	if (!g)
		return;
	list_each(node, &g->turns)
		if (!turn_at(node)->machine.waiting)
			return;
	turn_begin_waiting(turn_at(g->turns.next));
}

static void turn_release(struct turn *t)
{
	struct turns *all = t->core.all;

	assert(t->machine.state == TURN_DONE && t->machine.pending == 0 && !t->machine.op &&
	       !t->machine.lease_op && !t->answer.guardrail_check.op && !t->answer.rewrite.op &&
	       !t->work.run && !t->dialog.recovery_plan.run);
	deferred_cancel(&t->machine.wake);
	timer_free(&t->machine.state_timer);
	timer_free(&t->machine.turn_timer);
	timer_free(&t->machine.grace.timer);
	timer_free(&t->machine.lease_retry_timer);
	if (t->machine.followed)
		t->core.log = NULL; /* owned by another turn by now */
	else if (t->machine.lost)
		stream_abandon(&t->core.log);
	else
		stream_release(&t->core.log);
	turn_leave_groups(t);
	turn_lease_release(all, t->core.id.text);
	begin_next_waiting(t);
	turns_update_running(all);
	answer_end(&t->for_answer);
	dialog_end(&t->for_dialog);
	knowledge_unref(&t->core.knowledge);
	llm_free(&t->answers.llm);
	settings_release(t->settings);
	principal_free(&t->core.who);
	arena_free(&t->core.arena);
	mem_free(t);
	if (all->draining && all->count == 0 && all->on_drained)
		loop_defer(all->loop, &all->drained, all->on_drained, all->drained_owner);
}

void turn_cancel_operations(struct turn *t)
{
	op_cancel(&t->machine.op);
	op_cancel(&t->machine.lease_op);
	guardrail_cancel(&t->for_answer);
	rewrite_cancel(&t->for_answer);
	recovery_cancel(&t->for_dialog);
	plan_cancel(&t->work.run);
	t->machine.pending = 0;
}

/* The process exits before this turn could be stored: the next start closes it as interrupted. */
void turn_abandon(struct turn *t)
{
	turn_cancel_operations(t);
	if (!t->machine.lost)
		turn_end_set(t, (struct turn_end){.status = MESSAGE_INTERRUPTED});
	if (!t->machine.followed && !stream_is_closed(t->core.log))
		answer_emit_end(&t->for_answer, &t->end);
	t->machine.state = TURN_DONE;
	turn_release(t);
}

void turns_free(struct turns **turns)
{
	struct turns *all = *turns;

	*turns = NULL;
	if (!all)
		return;
	list_each_safe(node, &all->running)
		turn_abandon(list_item(node, struct turn, core.node));
	assert(all->outside_operations == 0);
	turns_heartbeat_stop(all);
	all->leases.driver->close(all->leases.self);
	turn_groups_deinit(all);
	deferred_cancel(&all->drained);
	knowledge_set_free(&all->knowledge);
	llm_free(&all->llm);
	settings_release(all->settings);
	mem_free(all);
}

static void turn_enter(struct turn *t, enum turn_state next)
{
	const struct turns *all = t->core.all;

	assert(next < TURN_STATE_COUNT);
	assert(next == TURN_FAILED
		       ? t->machine.state < TURN_FAILED
		       : (turn_rows[t->machine.state].allowed_next & (1u << next)) != 0);
	log_debug("turn.state", "%s %s -> %s", t->core.id.text, turn_state_name(t->machine.state),
		  turn_state_name(next));
	t->machine.state = next;
	t->machine.started = false;
	all->leases.driver->note(all->leases.self, t->core.id.text, "phase",
				 str_of(turn_state_name(next)));
	timer_start(t->machine.state_timer, (uint64_t)turn_rows[next].limit_ms);
}

static void turn_run(struct turn *t)
{
	while (t->machine.pending == 0) {
		enum turn_state next;

		if (arena_over(t->core.arena) && t->machine.state < TURN_FAILED) {
			err_set(&t->machine.err, ERR_LIMIT,
				"the turn needs more than %d MiB of memory",
				TURN_ARENA_BYTES >> 20);
			turn_end_error(t, &t->machine.err);
			turn_enter(t, TURN_FAILED);
		}
		next = turn_rows[t->machine.state].step(t);
		if (next == TURN_WAIT)
			return;
		if (t->machine.state == TURN_DONE) {
			turn_release(t);
			return;
		}
		t->machine.hops++;
		assert(t->machine.hops < TURN_MAX_HOPS); /* the state table has no endless cycle */
		turn_enter(t, next);
	}
}

static void on_wake(void *owner)
{
	struct turn *t = owner;

	/* Cancels the model call when the answer reached its limit or the question is refused. This
	 * runs outside the model's callbacks. */
	if (t->machine.op && (t->answer.cut || (t->machine.state == TURN_ROUTE &&
						t->answer.guardrail_check.refuses))) {
		op_cancel(&t->machine.op);
		t->machine.pending--;
	}
	turn_run(t);
}

void turn_wake(struct turn *t)
{
	loop_defer(t->core.all->loop, &t->machine.wake, on_wake, t);
}

void turn_operation_began(void *turn)
{
	struct turn *t = turn;

	t->machine.pending++;
}

void turn_operation_ended(void *turn)
{
	struct turn *t = turn;

	t->machine.pending--;
	turn_wake(t);
}

/* Stops a turn early. Text shown so far is stored with the status of the reason. */
void turn_stop(struct turn *t, enum turn_cancel_reason reason)
{
	static const enum message_status status[] = {
		[CANCEL_USER] = MESSAGE_CANCELLED,
		[CANCEL_UNWATCHED] = MESSAGE_CANCELLED,
		[CANCEL_DEADLINE] = MESSAGE_PARTIAL,
		[CANCEL_DRAIN] = MESSAGE_INTERRUPTED,
	};

	if (t->machine.state >= TURN_FAILED || t->machine.cancelled)
		return;
	t->machine.cancelled = true;
	t->machine.cancel_reason = reason;
	log_info("turn.cancelled", "%s in %s", t->core.id.text, turn_state_name(t->machine.state));
	/* During ACCEPT the message is stored first, so that a cancelled question is not lost. A
	 * waiting turn stores it when its time comes. */
	if (t->machine.state == TURN_ACCEPT && reason != CANCEL_DEADLINE) {
		t->machine.cancel_after_accept = true;
		return;
	}
	turn_cancel_operations(t);
	turn_end_stopped(t, status[reason], t->machine.state == TURN_ACCEPT);
	if (reason == CANCEL_DEADLINE) {
		struct err e = {0};

		err_set_retry(&e, ERR_TIMEOUT, "the turn passed its time limit in %s",
			      turn_state_name(t->machine.state));
		turn_end_error(t, &e);
	}
	turn_enter(t, TURN_FAILED);
	turn_wake(t);
}

void turn_stop_busy(struct turn *t)
{
	struct err e = {0};

	t->machine.waiting = false;
	turn_end_stopped(t, MESSAGE_FAILED, true);
	err_set_retry(&e, ERR_BUSY, "a turn of this session runs on another server");
	turn_end_error(t, &e);
	turn_enter(t, TURN_FAILED);
	turn_wake(t);
}

static void on_deadline(void *owner)
{
	struct turn *t = owner;

	if (t->machine.state == TURN_SAVE) {
		/* The store did not respond in time: stop waiting and report it. */
		op_cancel(&t->machine.op);
		t->machine.pending = 0;
		err_set_retry(&t->machine.err, ERR_TIMEOUT,
			      "the answer could not be stored in time");
		turn_wake(t);
		return;
	}
	turn_stop(t, CANCEL_DEADLINE);
}

static void on_grace_over(void *owner)
{
	turn_stop(owner, CANCEL_UNWATCHED);
}

static void await_viewers(struct turn *t)
{
	int64_t ms = t->settings->grace_ms;

	if (t->machine.grace.viewer_cancelled && ms > CANCELLED_GRACE_MS)
		ms = CANCELLED_GRACE_MS;
	else if (t->machine.grace.paused && ms > TURN_PAUSED_GRACE_MS)
		ms = TURN_PAUSED_GRACE_MS;
	timer_start(t->machine.grace.timer, (uint64_t)ms);
}

static void on_watchers(void *owner, size_t watchers)
{
	struct turn *t = owner;

	if (watchers == 0) {
		await_viewers(t);
		return;
	}
	t->machine.grace.viewer_cancelled = false;
	timer_stop(t->machine.grace.timer);
	turn_pause_model(t, false);
}

void turn_pause_model(struct turn *t, bool full)
{
	bool should_pause = full && stream_watchers(t->core.log) == 0;

	if (should_pause || t->machine.grace.paused)
		/* Repeated, because a new call may have replaced the paused one. */
		op_pause(t->machine.op, should_pause);
	if (should_pause != t->machine.grace.paused && stream_watchers(t->core.log) == 0) {
		t->machine.grace.paused = should_pause;
		await_viewers(t);
	}
	t->machine.grace.paused = should_pause;
}

void turn_viewer_cancelled(struct turn *t)
{
	t->machine.grace.viewer_cancelled = true;
	if (stream_watchers(t->core.log) == 0)
		await_viewers(t);
}

void turn_open(struct turn *t)
{
	struct turns *all = t->core.all;

	t->machine.state_timer = timer_new(all->loop, on_deadline, t);
	t->machine.turn_timer = timer_new(all->loop, on_deadline, t);
	t->machine.grace.timer = timer_new(all->loop, on_grace_over, t);
	t->core.log =
		t->machine.move.takeover
			? stream_adopt(all->streams, t->core.id.text, false, on_watchers, t)
			: stream_open(all->streams, t->core.id.text, t->core.request.session_id,
				      t->core.who, on_watchers, t);
	t->core.sink = stream_sink(t->core.log);
}

/* ---- the end ---- */

void turns_refuse(struct turns *all, void (*done)(void *owner), void *owner)
{
	all->draining = true;
	all->on_drained = done;
	all->drained_owner = owner;
	deferred_cancel(&all->drained);
	if (all->count == 0)
		loop_defer(all->loop, &all->drained, done, owner);
}

void turns_drain(struct turns *all, void (*done)(void *owner), void *owner)
{
	all->draining = true;
	all->on_drained = NULL;
	if (all->leases.driver->hand_over)
		all->leases.driver->hand_over(all->leases.self);
	list_each(node, &all->running)
		turn_stop(list_item(node, struct turn, core.node), CANCEL_DRAIN);
	turns_refuse(all, done, owner);
}
