/* ANSWER sends a prepared reply; FAILED reports the error. */
#include "turn_int.h"

/* The reply's text may come from a model. */
static const char *as_plain_text(void *owner, const char *text)
{
	struct turn *t = owner;

	return check_plain(&t->for_answer, text);
}

enum turn_state step_answer(struct turn *t)
{
	const struct turn_reply *reply = &t->dialog.reply;

	reply_map_texts(&t->for_dialog, as_plain_text, t);
	answer_written_by(&t->for_answer, "rules", t->answer.model);
	turn_end_status(t, reply->status);
	if (!answer_emit_rest(&t->for_answer, reply->text, answer_emit_text)) {
		/* A different answer was started on another replica. */
		turn_end_partial(t, NULL, turn_sentence(&t->core, SAY_END_MOVED));
		return TURN_SAVE;
	}
	if (reply->status == MESSAGE_ASK)
		answer_emit_ask_json(&t->for_answer, reply->text,
				     ask_store_pending(&t->for_dialog));
	return TURN_SAVE;
}

enum turn_state step_failed(struct turn *t)
{
	t->machine.err.code = ERR_NONE;
	answer_set_author(&t->for_answer);
	turn_end_failed(t, stream_text(t->core.log).n > 0);
	if (!t->end.no_save)
		return TURN_SAVE;
	answer_emit_end(&t->for_answer, &t->end);
	return TURN_DONE;
}
