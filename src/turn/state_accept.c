/* The way in: the user's message is durable before anybody is told; what the session already holds
 * comes back with it. */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"

static void on_begun(void *owner, const struct beginning *begun, const struct err *e)
{
	struct turn *t = owner;

	t->op = NULL;
	t->pending--;
	t->duplicate_turn = arena_strdup(t->arena, begun->duplicate_turn);
	t->history = begun->history;
	t->history_count = begun->history_count;
	t->long_session = begun->has_more;
	t->memory = begun->memory;
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
		t->op = store_begin(t->all->store, t->who, &m, HISTORY_MESSAGES_MAX, t->arena,
				    on_begun, t);
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

enum turn_state step_load(struct turn *t)
{
	t->started = true;
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
