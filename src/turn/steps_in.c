/* The way in: the user's message is durable before anybody is told, then what the session already
 * holds is read. */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"

static void on_accepted(void *owner, const char *duplicate_turn, const struct err *e)
{
	struct turn *t = owner;

	t->op = NULL;
	t->pending--;
	t->duplicate_turn = arena_strdup(t->arena, duplicate_turn);
	if (e)
		t->err = *e;
	turn_wake(t);
}

/* Cancelled while the message was on its way into the store: it is there now, so the turn ends as a
 * stored one. */
static enum turn_state accepted_too_late(struct turn *t)
{
	say_thinking(t);
	t->end.status = t->cancel_reason == CANCEL_DRAIN ? MESSAGE_INTERRUPTED : MESSAGE_CANCELLED;
	return TURN_FAILED;
}

enum turn_state step_accept(struct turn *t)
{
	if (!t->started) {
		struct message m = {
			.message_id = t->user_message_id.text,
			.session_id = t->request.session_id,
			.turn_id = t->id.text,
			.client_msg_id = t->request.client_msg_id,
			.role = "user",
			.content = t->request.content,
			.status = MESSAGE_COMPLETE,
		};

		t->started = true;
		t->pending++;
		t->op = store_accept(t->all->store, t->who, &m, on_accepted, t);
		return TURN_WAIT;
	}
	if (t->err.code != ERR_NONE) {
		t->end.no_save = true;
		turn_end_error(t, &t->err);
		return TURN_FAILED;
	}
	if (t->duplicate_turn) {
		t->end = (struct turn_end){
			.failed = true,
			.no_save = true,
			.error_code = "expired",
			.error_text = "This message was answered before; its stream is no longer "
				      "kept. Read the history.",
		};
		return TURN_FAILED;
	}
	if (t->dying)
		return accepted_too_late(t);
	say_thinking(t);
	say_phase(t, "understanding", "Reading the question");
	return TURN_LOAD;
}

static void on_recent(void *owner, const struct message *messages, size_t count, bool has_more,
		      const struct err *e)
{
	struct turn *t = owner;

	t->op = NULL;
	t->long_session = has_more;
	t->pending--;
	if (e) {
		t->err = *e;
	} else {
		t->history = messages;
		t->history_count = count;
	}
	turn_wake(t);
}

enum turn_state step_load(struct turn *t)
{
	if (!t->started) {
		t->started = true;
		t->pending++;
		t->op = store_recent(t->all->store, t->who, t->request.session_id,
				     HISTORY_MESSAGES_MAX, t->arena, on_recent, t);
		return TURN_WAIT;
	}
	if (t->err.code != ERR_NONE) {
		turn_end_error(t, &t->err);
		return TURN_FAILED;
	}
	if (t->long_session && !t->remembering) {
		t->remembering = true;
		memory_load(t);
		return TURN_WAIT;
	}
	if (t->long_session && memory_load_between(t))
		return TURN_WAIT;
	/* The message of this turn was just stored: it is the question, not history. */
	if (t->history_count > 0 &&
	    strcmp(t->history[t->history_count - 1].turn_id, t->id.text) == 0)
		t->history_count--;
	for (size_t i = t->history_count; i-- > 0 && !t->standing;)
		if (strcmp(t->history[i].role, "assistant") == 0)
			t->standing = t->history[i].standing;
	if (!t->standing)
		t->standing = memory_standing(memory_earlier(t), t->who, t->arena);
	return memory_is_due(t) ? TURN_COMPACT : TURN_UNDERSTAND;
}
