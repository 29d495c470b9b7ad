/*
 * COMPACT: summarizes the older messages of a long session. Code builds the summary; one model call
 * rephrases it where a model is configured. A failed summary delays no answer and is retried with
 * the next question.
 */
#include "turn_int.h"

#include "vesper/limits.h"
#include "vesper/log.h"

static void on_unsummarized(void *owner, const struct message *messages, size_t count,
			    bool has_more, const struct err *e)
{
	struct turn *t = owner;

	t->machine.op = NULL;
	t->machine.pending--;
	if (e)
		log_warn("turn.memory", "%s: messages to summarize not read: %s", t->core.id.text,
			 e->text);
	else
		context_summarize(&t->for_dialog, messages, count, has_more);
	turn_wake(t);
}

static void on_rephrased(void *owner, const struct llm_answer *answer, bool shown,
			 const struct err *e)
{
	struct turn *t = owner;
	const char *text = e ? "" : llm_answer_text(answer, t->core.arena);

	(void)shown;
	t->machine.op = NULL;
	t->machine.pending--;
	answer_add_usage(&t->for_answer, LLM_ROUTE, &answer->usage);
	if (e)
		log_warn("turn.memory", "%s: summary written without the model: %s",
			 t->core.id.text, e->text);
	else if (*text && answer->stop == LLM_STOP_END)
		context_set_summary_text(&t->for_dialog, text);
	turn_wake(t);
}

static void on_stored(void *owner, const struct err *e)
{
	struct turn *t = owner;

	t->machine.op = NULL;
	t->machine.pending--;
	if (e)
		log_warn("turn.memory", "%s: summary not stored: %s", t->core.id.text, e->text);
	else
		context_summary_stored(&t->for_dialog);
	turn_wake(t);
}

static void rephrase_summary(struct turn *t)
{
	static const struct llm_handler handler = {.on_end = on_rephrased};

	context_earlier(&t->for_dialog);
	answer_count_calls(&t->for_answer, LLM_ROUTE, 1);
	t->machine.op = llm_start(t->answers.llm, prompt_compress(&t->for_answer), t->core.arena,
				  &handler, t);
}

/* One substate per call: read the messages not yet covered, word the summary, store it. */
enum turn_state step_compact(struct turn *t)
{
	struct store *store = t->core.all->store;
	const char *session = t->core.request.session_id;

	t->machine.started = true;
	switch (t->machine.compacting++) {
	case 0:
		t->machine.op =
			store_unsummarized_messages(store, t->core.who, session, SUMMARY_READ,
						    t->core.arena, on_unsummarized, t);
		break;
	case 1:
		if (!t->context.summary)
			return TURN_UNDERSTAND;
		if (!llm_is_usable(t->answers.llm))
			return step_compact(t);
		rephrase_summary(t);
		break;
	case 2:
		t->machine.op = store_summary(store, t->core.who, session, t->context.summary,
					      t->context.covers_through, on_stored, t);
		break;
	default:
		return TURN_UNDERSTAND;
	}
	t->machine.pending++;
	return TURN_WAIT;
}
