/* ANSWER and FAILED: a prepared reply, and what went wrong. */
#include "turn_int.h"

/* A model may have worded the reply. */
static const char *plain(void *owner, const char *text)
{
	struct turn *t = owner;

	return check_plain(&t->for_answer, text);
}

enum turn_state step_answer(struct turn *t)
{
	const struct turn_reply *reply = &t->dialog.reply;

	reply_plain(&t->for_dialog, plain, t);
	answer_written_by(&t->for_answer, "rules", t->answer.model);
	turn_end_status(t, reply->status);
	if (!answer_say_rest(&t->for_answer, reply->text, say_text)) {
		/* It began as another answer, elsewhere. */
		turn_end_partial(t, NULL, turn_sentence(&t->core, SAY_END_MOVED));
		return TURN_SAVE;
	}
	if (reply->status == MESSAGE_ASK)
		say_ask_json(&t->for_answer, reply->text, ask_open(&t->for_dialog));
	return TURN_SAVE;
}

enum turn_state step_failed(struct turn *t)
{
	t->machine.err.code = ERR_NONE;
	answer_written_till_now(&t->for_answer);
	turn_end_failed(t, stream_text(t->core.log).n > 0);
	if (!t->end.no_save)
		return TURN_SAVE;
	say_end(&t->for_answer, &t->end);
	return TURN_DONE;
}
