/* SYNTH: the answer is written by a model, or by templates when no model is configured or
 * available. */
#include "turn_int.h"

#include "vesper/limits.h"
#include "vesper/log.h"

static void prepare_template(struct turn *t)
{
	const struct view_answer *v = &t->answer.templated;

	answer_template(&t->for_answer);
	for (size_t i = 0; i < v->followup_count; i++)
		suggest_add_with_priority(&t->for_dialog, v->followups[i].label,
					  v->followups[i].question, v->followups[i].primary);
}

static void on_text(void *owner, const char *text, size_t len)
{
	struct turn *t = owner;

	if (answer_text(&t->for_answer, text, len))
		turn_wake(t);
}

static void on_answer_end(void *owner, const struct llm_answer *answer, bool shown,
			  const struct err *e)
{
	struct turn *t = owner;

	(void)shown; /* the log has the text that was shown */
	t->machine.op = NULL;
	t->machine.pending--;
	answer_add_usage(&t->for_answer, LLM_ANSWER, &answer->usage);
	if (answer->provider)
		answer_written_by(&t->for_answer, answer->provider, answer->model);
	if (e)
		t->machine.err = *e;
	else if (answer->stop == LLM_STOP_REFUSAL)
		turn_end_status(t, MESSAGE_REFUSED);
	else if (answer->stop == LLM_STOP_MAX_TOKENS || answer->stop == LLM_STOP_CONTEXT ||
		 answer->stop == LLM_STOP_PAUSE)
		answer_ended_early(&t->for_answer);
	turn_wake(t);
}

static enum turn_state answer_by_rules(struct turn *t)
{
	answer_by_template(&t->for_answer);
	return TURN_SAVE;
}

/* Continues an answer that another replica began. */
static enum turn_state continue_by_rules(struct turn *t)
{
	if (!answer_template_rest(&t->for_answer) && !answer_emit_missing_findings(&t->for_answer))
		turn_end_partial(t, NULL, turn_sentence(&t->core, SAY_END_MOVED));
	return TURN_SAVE;
}

static enum turn_state route_again(struct turn *t)
{
	check_end(&t->for_answer);
	suggest_clear(&t->for_dialog);
	no_answer_restart(&t->for_answer);
	return TURN_ROUTE;
}

static const struct llm_handler answer_handler = {.on_text = on_text, .on_end = on_answer_end};

/* Keeps the text shown so far; the next provider continues it. */
static enum turn_state continue_answer(struct turn *t)
{
	log_warn("turn.synth", "%s continues with another provider: %s", t->core.id.text,
		 t->machine.err.text);
	t->machine.err.code = ERR_NONE;
	answer_emit_phase(&t->for_answer, "recovering", turn_sentence(&t->core, SAY_PHASE_ANOTHER));
	t->machine.pending++;
	t->machine.op = llm_start(t->answers.llm, answer_continue(&t->for_answer), t->core.arena,
				  &answer_handler, t);
	return TURN_WAIT;
}

static enum turn_state model_failed(struct turn *t, bool shown)
{
	if (!shown) {
		log_warn("turn.synth", "%s answered by rules: %s", t->core.id.text,
			 t->machine.err.text);
		t->machine.err.code = ERR_NONE;
		return answer_by_rules(t);
	}
	turn_end_error(t, &t->machine.err);
	t->machine.err.code = ERR_NONE;
	if (answer_emit_missing_findings(&t->for_answer))
		turn_end_set(t, (struct turn_end){.status = MESSAGE_COMPLETE});
	else
		turn_end_partial(t, NULL, turn_sentence(&t->core, SAY_END_CUT));
	return TURN_SAVE;
}

static enum turn_state model_ended(struct turn *t)
{
	bool shown = stream_text(t->core.log).n > 0 || t->answer.log_full;

	if (t->answer.no_answer.wanted && t->machine.err.code == ERR_NONE &&
	    t->end.status == MESSAGE_COMPLETE)
		return route_again(t);
	if (shown)
		check_end(&t->for_answer);
	if (t->machine.err.code != ERR_NONE)
		return model_failed(t, shown);
	if (t->answer.cut)
		turn_end_partial(t, "upstream", turn_sentence(&t->core, SAY_END_LENGTH));
	else if (t->end.status == MESSAGE_REFUSED && !shown)
		answer_emit_in_chunks(&t->for_answer, turn_sentence(&t->core, SAY_END_DECLINED),
				      answer_emit_text);
	else if (!shown)
		return answer_by_rules(t); /* an empty model answer counts as none */
	return TURN_SAVE;
}

static bool may_continue(const struct turn *t)
{
	return stream_text(t->core.log).n > 0 && answer_may_continue(&t->for_answer);
}

static enum turn_state write_answer(struct turn *t)
{
	if (!t->machine.started) {
		t->machine.started = true;
		prepare_template(t);
		check_begin(&t->for_answer);
		answer_emit_phase(&t->for_answer, "writing",
				  turn_sentence(&t->core, SAY_PHASE_WRITING));
		bool is_resumed = answer_shown_before(&t->for_answer).n > 0;

		if (answer_is_templated(&t->for_answer) || !answer_may_ask_model(&t->for_answer))
			return is_resumed ? continue_by_rules(t) : answer_by_rules(t);
		context_earlier(&t->for_dialog);
		t->machine.pending++;
		t->machine.op = llm_start(t->answers.llm,
					  is_resumed ? answer_continue(&t->for_answer)
						     : answer_by_model(&t->for_answer),
					  t->core.arena, &answer_handler, t);
		return TURN_WAIT;
	}
	if (t->machine.pending == 0 && t->machine.err.code != ERR_NONE) {
		/* Drops buffered text that was not shown, such as half a number. */
		check_end(&t->for_answer);
		return may_continue(t) ? continue_answer(t) : model_ended(t);
	}
	answer_finish_text(&t->for_answer);
	return t->machine.pending ? TURN_WAIT : model_ended(t);
}

/* Appends the text that RECOVER left for the end of the answer: a clarifying question or the values
 * that exist. */
static void finish(struct turn *t)
{
	const char *text;
	bool asks;

	if (t->end.status != MESSAGE_COMPLETE || t->answer.log_full)
		return;
	text = answer_closing(&t->for_answer);
	if (text && !answer_repeats(answer_shown_before(&t->for_answer), str_of(text)))
		answer_emit_in_chunks(&t->for_answer, arena_printf(t->core.arena, "\n\n%s", text),
				      answer_emit_text);
	text = recovery_finish(&t->for_dialog, &asks);
	if (!text)
		return;
	answer_emit_in_chunks(&t->for_answer, arena_printf(t->core.arena, "\n\n%s", text),
			      answer_emit_text);
	if (!asks)
		return;
	turn_end_status(t, MESSAGE_ASK);
	answer_emit_ask_json(&t->for_answer, t->dialog.reply.text,
			     ask_store_pending(&t->for_dialog));
}

enum turn_state step_synth(struct turn *t)
{
	enum turn_state next = write_answer(t);

	if (next == TURN_SAVE)
		finish(t);
	return next;
}
