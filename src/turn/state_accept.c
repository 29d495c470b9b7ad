/* ACCEPT and LOAD: store the user's message before acknowledging it, and read the session's
 * messages and context. */
#include "turn_int.h"

#include "vesper/limits.h"
#include "vesper/log.h"

static void on_begun(void *owner, const struct beginning *begun, const struct err *e)
{
	struct turn *t = owner;

	t->machine.op = NULL;
	t->machine.pending--;
	t->machine.duplicate_turn = arena_strdup(t->core.arena, begun->duplicate_turn);
	if (begun->elsewhere) { /* the answer may be stored already: send it */
		t->machine.move.takeover = TAKEOVER_CLOSE;
		t->machine.started = false;
	}
	context_set_loaded(&t->for_dialog, begun);
	if (e)
		t->machine.err = *e;
	turn_wake(t);
}

static void store_question(struct turn *t)
{
	struct message m = {
		.message_id = t->core.user_message_id.text,
		.session_id = t->core.request.session_id,
		.turn_id = t->core.id.text,
		.client_msg_id = t->core.request.client_msg_id,
		.fence = t->core.fence,
		.taken = t->machine.move.takeover != TAKEOVER_NONE,
		.origin = t->core.request.origin,
		.role = "user",
		.content = t->core.request.content,
		.status = MESSAGE_COMPLETE,
	};

	/* Only models use the history. */
	size_t history = t->answers.llm && !m.origin ? HISTORY_MESSAGES_MAX : 0;

	t->machine.started = true;
	t->machine.pending++;
	t->machine.op = store_begin(t->core.all->store, t->core.who, &m, history, t->core.arena,
				    on_begun, t);
}

/* ---- duplicate messages ---- */

static void on_stored(void *owner, const struct message *messages, size_t count, bool has_more,
		      const struct err *e)
{
	struct turn *t = owner;

	(void)has_more;
	t->machine.op = NULL;
	t->machine.pending--;
	if (e)
		t->machine.err = *e;
	else if (count == 2 && messages[1].status != MESSAGE_FAILED)
		t->machine.stored = messages;
	turn_wake(t);
}

/* The log of the earlier turn was evicted, or start would have returned it. Replay the stored
 * answer. */
static enum turn_state replay_stored(struct turn *t)
{
	if (t->core.request.replays && !t->machine.reading_stored) {
		t->machine.reading_stored = true;
		t->machine.pending++;
		t->machine.op =
			store_own_turn(t->core.all->store, t->core.who, t->machine.duplicate_turn,
				       t->core.arena, on_stored, t);
		return TURN_WAIT;
	}
	if (t->machine.stored) {
		answer_emit_stored_turn(&t->for_answer, &t->machine.stored[0],
					&t->machine.stored[1]);
		turn_end_stopped(t, t->machine.stored[1].status, true);
		return TURN_FAILED; /* FAILED adds no events: the log is already closed */
	}
	turn_end_set(t, (struct turn_end){
				.failed = true,
				.no_save = true,
				.error_code = "expired",
				.error_text = turn_sentence(&t->core, SAY_END_DUPLICATE),
				.detail_turn_id = t->machine.duplicate_turn,
			});
	return TURN_FAILED;
}

enum turn_state step_accept(struct turn *t)
{
	if (t->machine.move.takeover == TAKEOVER_CLOSE)
		return turn_close_taken_over(t);
	if (!t->machine.started) {
		store_question(t);
		return TURN_WAIT;
	}
	if (t->machine.err.code != ERR_NONE) {
		turn_end_set(t, (struct turn_end){.no_save = true});
		turn_end_error(t, &t->machine.err);
		return TURN_FAILED;
	}
	if (t->machine.duplicate_turn)
		return replay_stored(t);
	if (stream_last_seq(t->core.log) == 0 || stream_kind(t->core.log, 1) != EVENT_RUN_STARTED)
		answer_emit_run_started(&t->for_answer);
	if (t->machine.cancel_after_accept) {
		/* The message is stored, so the turn ends with a stored status. */
		turn_end_status(t, t->machine.cancel_reason == CANCEL_DRAIN ? MESSAGE_INTERRUPTED
									    : MESSAGE_CANCELLED);
		return TURN_FAILED;
	}
	answer_emit_phase(&t->for_answer, "understanding",
			  turn_sentence(&t->core, SAY_PHASE_READING));
	return TURN_LOAD;
}

/* ---- LOAD ---- */

static void on_unsummarized(void *owner, const struct message *messages, size_t count,
			    bool has_more, const struct err *e)
{
	struct turn *t = owner;

	(void)has_more;
	t->machine.op = NULL;
	t->machine.pending--;
	if (e)
		log_warn("turn.memory", "%s: messages after the summary not read: %s",
			 t->core.id.text, e->text);
	else
		context_set_unsummarized(&t->for_dialog, messages, count);
	turn_wake(t);
}

enum turn_state step_load(struct turn *t)
{
	t->machine.started = true;
	if (context_needs_unsummarized(&t->for_dialog, llm_is_usable(t->answers.llm))) {
		context_mark_unsummarized_read(&t->for_dialog);
		t->machine.pending++;
		t->machine.op = store_unsummarized_messages(
			t->core.all->store, t->core.who, t->core.request.session_id,
			SUMMARY_MESSAGES + SUMMARY_KEEP, t->core.arena, on_unsummarized, t);
		return TURN_WAIT;
	}
	context_finish_loading(&t->for_dialog);
	return context_summary_is_due(&t->for_dialog) ? TURN_COMPACT : TURN_UNDERSTAND;
}
