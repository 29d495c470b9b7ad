/*
 * Moves turns between replicas: what the next replica needs, how it continues, and how the previous
 * one gives the turn up. A turn that runs again pays for its model calls again; tools only read.
 */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define TAKEOVER_ARENA_BYTES (2 * 1024 * 1024)
/* Steps of one turn that are open at once; plans have fewer tasks and calls. */
#define OPEN_STEPS_MAX 64

/* ---- data for the next replica ---- */

static void who_json(const struct principal *who, struct buf *out)
{
	json_t *o = json_object(), *list = json_array();

	json_set_str(o, "user", who->user);
	for (size_t i = 0; i < who->permission_count; i++)
		json_push_take(list, json_str(who->permissions[i]));
	json_set_take(o, "permissions", list);
	json_set_int(o, "expires_ms", who->expires_ms);
	char *text = json_text(o);
	buf_str(out, text);
	mem_free(text);
	json_decref(o);
}

void turn_write_handover(const struct turn_request *r, const struct turn_ids *ids, struct buf *who,
			 struct buf *turn)
{
	json_t *o = json_object();

	who_json(r->who, who);
	json_set_str(o, "session", r->session_id);
	json_set_str(o, "user_message", ids->user_message.text);
	json_set_str(o, "answer", ids->answer.text);
	json_set_str(o, "content", r->content);
	json_set_str(o, "client_msg_id", r->client_msg_id);
	json_set_str(o, "pack", r->pack);
	json_set_str(o, "ask_id", r->ask_id);
	json_set_str(o, "origin", r->origin);
	json_set_take(o, "filters", json_deep_copy(r->filters));
	json_set_take(o, "values", json_deep_copy(r->values));
	/* A history sent by the client is too large to store here: such a turn is closed, and the
	 * client sends it again. */
	json_set_bool(o, "whole", r->history_count == 0);
	char *text = json_text(o);
	buf_str(turn, text);
	mem_free(text);
	json_decref(o);
}

/* ---- taking over ---- */

struct takeover_run {
	struct turn_request request;
	struct turn_ids ids;
	bool complete;
};

static const char *text_of(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

static bool id_of(const json_t *o, const char *name, struct uuid *out)
{
	const char *text = text_of(o, name);

	if (!text || !uuid_valid(text))
		return false;
	memcpy(out->text, text, UUID_BYTES);
	return true;
}

static bool read_handover(const json_t *o, const struct lease_signal *s, struct takeover_run *out)
{
	out->request = (struct turn_request){
		.who = s->who,
		.session_id = text_of(o, "session"),
		.content = text_of(o, "content"),
		.client_msg_id = text_of(o, "client_msg_id"),
		.pack = text_of(o, "pack"),
		.filters = json_object_get(o, "filters"),
		.ask_id = text_of(o, "ask_id"),
		.values = json_object_get(o, "values"),
		.origin = text_of(o, "origin"),
	};
	out->complete = json_is_true(json_object_get(o, "whole"));
	memcpy(out->ids.turn.text, s->holder, UUID_BYTES);
	return s->who && out->request.session_id && uuid_valid(out->request.session_id) &&
	       id_of(o, "user_message", &out->ids.user_message) &&
	       id_of(o, "answer", &out->ids.answer);
}

/* Returns true when the answer had begun and was taken over once already. Its content may crash
 * replicas, so it is not run a third time. */
static bool is_second_takeover(const struct stream_log *log)
{
	return stream_text(log).n > 0 && stream_takeover_seq(log) > 0;
}

static bool is_same(const struct event *a, const struct event *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == EVENT_FILTERS || a->kind == EVENT_PLAN ||
	       (a->kind == EVENT_VIEW && strcmp(a->u.view.view_id, b->u.view.view_id) == 0);
}

/* Drops events that the turn's first run has already logged. */
static void emit_new(void *owner, const struct event *event)
{
	const struct turn *t = owner;
	struct event e;

	if (event->kind == EVENT_FILTERS || event->kind == EVENT_PLAN || event->kind == EVENT_VIEW)
		for (uint64_t seq = 1; seq <= t->machine.move.seq; seq++) {
			if (stream_kind(t->core.log, seq) != event->kind)
				continue;
			stream_event(t->core.log, seq, &e);
			if (is_same(&e, event))
				return;
		}
	event_emit(stream_sink(t->core.log), event);
}

/* Closes the steps that the dead replica left open. */
static void close_steps(struct turn *t)
{
	struct event open[OPEN_STEPS_MAX], event;
	const struct stream_log *log = t->core.log;
	size_t count = 0;

	for (uint64_t seq = 1; seq <= stream_last_seq(log); seq++) {
		enum event_kind kind = stream_kind(log, seq);

		if (kind != EVENT_STEP_STARTED && kind != EVENT_STEP_FINISHED)
			continue;
		stream_event(log, seq, &event);
		if (kind == EVENT_STEP_STARTED && count < OPEN_STEPS_MAX)
			open[count++] = event;
		for (size_t i = 0; kind == EVENT_STEP_FINISHED && i < count; i++)
			if (strcmp(open[i].u.step_started.step_id, event.u.step_finished.step_id) ==
			    0)
				open[i] = open[--count];
	}
	for (size_t i = 0; i < count; i++) {
		const struct event_step_started *step = &open[i].u.step_started;
		struct event_step_finished end = {
			.step_id = arena_strdup(t->core.arena, step->step_id),
			.agent = arena_strdup(t->core.arena, step->agent),
			.tool = arena_strdup(t->core.arena, step->tool),
			.task = arena_strdup(t->core.arena, step->task),
			.parent = arena_strdup(t->core.arena, step->parent),
			.text = turn_sentence(&t->core, SAY_STEP_MOVED),
			.state = "failed",
			.rows = -1,
		};

		open[i] = (struct event){.kind = EVENT_STEP_FINISHED, .u.step_finished = end};
	}
	for (size_t i = 0; i < count; i++)
		event_emit(t->core.sink, &open[i]);
}

static void begin(struct turns *all, const struct takeover_run *takeover_run, uint64_t fence)
{
	struct turn *t = turn_new(all, &takeover_run->request, &takeover_run->ids);

	t->machine.move.takeover = TAKEOVER_RERUN;
	turn_open(t);
	if (!takeover_run->complete || is_second_takeover(t->core.log))
		t->machine.move.takeover = TAKEOVER_CLOSE;
	t->machine.move.seq = stream_last_seq(t->core.log);
	t->machine.move.sink = (struct event_sink){emit_new, t};
	t->core.sink = &t->machine.move.sink;
	answer_resume(&t->for_answer);
	t->core.fence = fence;
	turn_count_and_queue(t);
	answer_emit_phase(&t->for_answer, EVENT_PHASE_MOVED,
			  turn_sentence(&t->core, SAY_PHASE_MOVED));
	close_steps(t);
	turn_admitted(t);
	if (stream_watchers(t->core.log) == 0)
		timer_start(t->machine.grace.timer, CLUSTER_WATCHED_MS);
}

void turn_take_over(struct turns *all, const struct lease_signal *s)
{
	json_t *o = s->takeover_data.n ? json_loadb(s->takeover_data.p, s->takeover_data.n, 0, NULL)
				       : NULL;
	struct takeover_run takeover_run = {0};

	if (read_handover(o, s, &takeover_run) && turns_knowledge(all, s->tenant) &&
	    !all->draining) {
		begin(all, &takeover_run, s->fence);
	} else {
		log_warn("turn.take_over", "%s cannot run here", s->holder);
		all->leases.driver->decline(all->leases.self, s->holder);
	}
	json_decref(o);
}

/* ---- closing a turn whose answer was shown ---- */

static void on_stored_answer(void *owner, const struct message *messages, size_t count,
			     bool has_more, const struct err *e)
{
	struct turn *t = owner;

	(void)has_more;
	t->machine.op = NULL;
	t->machine.pending--;
	/* The replica died after storing the answer, before emitting the end. */
	if (!e && count == 1) {
		turn_end_stopped(t, messages[0].status, true);
		answer_written_by(&t->for_answer, messages[0].provider, messages[0].model);
	}
	turn_wake(t);
}

enum turn_state turn_close_taken_over(struct turn *t)
{
	if (!t->machine.started) {
		t->machine.started = true;
		turn_end_partial(t, NULL, turn_sentence(&t->core, SAY_END_MOVED));
		t->machine.pending++;
		t->machine.op = store_take_turn(t->core.all->store, t->core.who, t->core.id.text,
						t->core.fence, t->core.answer_id.text,
						t->core.arena, on_stored_answer, t);
		return TURN_WAIT;
	}
	return TURN_FAILED;
}

/* ---- giving a turn up ---- */

void turn_end_lost(struct turn *t, bool followed)
{
	struct err e = {0};

	err_set_retry(&e, ERR_UPSTREAM, "another replica runs this turn");
	t->machine.lost = true;
	t->machine.followed = followed;
	turn_end_error(t, &e);
}

void turn_mark_lost(struct turns *all, const char *turn_id, bool followed)
{
	struct turn *t = turn_by_id(all, turn_id);

	if (!t || t->machine.state == TURN_DONE)
		return;
	turn_cancel_operations(t);
	turn_end_lost(t, followed);
	turn_abandon(t);
}
