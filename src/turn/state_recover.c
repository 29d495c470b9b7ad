/*
 * What becomes of results without rows. By the type of their outcome, and by code alone: a time
 * outside of what there is becomes a question for another one, a name that does not exist one for
 * the closest, and where nothing matches, questions are looked for that do find something. What did
 * give rows is answered all the same, and nothing is tried again unasked.
 */
#include "recovery_int.h"

#define WORDS_BYTES_MAX 8192

bool recover_has_rows(const struct result *r)
{
	return r->outcome.kind == OUTCOME_ROWS;
}

/* The last result of a task that found nothing; NULL: it did, or was never run. */
const struct result *recover_lack(const struct task *task)
{
	if (task->state == TASK_SKIPPED)
		return NULL;
	for (size_t i = 0; i < task->result_count; i++)
		if (recover_has_rows(task->results[i]))
			return NULL;
	return task->result_count ? task->results[task->result_count - 1] : NULL;
}

const struct result *recover_first_lack(const struct turn *t, enum outcome_kind kind)
{
	for (size_t i = 0; i < t->plan->count; i++) {
		const struct result *r = recover_lack(&t->plan->tasks[i]);

		if (r && r->outcome.kind == kind)
			return r;
	}
	return NULL;
}

bool recover_any_rows(const struct turn *t)
{
	for (size_t i = 0; i < t->result_count; i++)
		if (recover_has_rows(t->results[i]))
			return true;
	return false;
}

bool recover_is_due(const struct turn *t)
{
	for (size_t i = 0; i < t->plan->count; i++)
		if (recover_lack(&t->plan->tasks[i]))
			return true;
	return false;
}

const char *recover_words(struct turn *t, const struct result *r)
{
	const char *words;
	struct buf b;

	buf_init(&b, WORDS_BYTES_MAX);
	view_outcome_words(&b, r);
	words = arena_strdup(t->arena, buf_text(&b));
	buf_deinit(&b);
	return words;
}

/* ---- the step ---- */

static const struct result *nothing_found(const struct turn *t)
{
	const struct result *r = recover_first_lack(t, OUTCOME_EMPTY);

	return r ? r : recover_first_lack(t, OUTCOME_NO_DATA);
}

/* What failed may work later, or asked for less: the user decides. */
static void offer_again(struct turn *t)
{
	for (size_t i = 0; i < t->plan->count; i++) {
		const struct result *r = recover_lack(&t->plan->tasks[i]);

		if (r && r->outcome.retryable && t->request.content[0]) {
			suggest_add(t, "Try again", t->request.content);
			return;
		}
	}
}

/* Nothing but failures: a model could only repeat them. */
static enum turn_state end_failed(struct turn *t)
{
	const char *words = "";

	for (size_t i = 0; i < t->result_count; i++)
		words = arena_printf(t->arena, "%s%s%s", words, *words ? "\n\n" : "",
				     recover_words(t, t->results[i]));
	t->reply = (struct turn_reply){.text = words, .status = MESSAGE_COMPLETE};
	return TURN_ANSWER;
}

static enum turn_state go_on(struct turn *t)
{
	bool rows = recover_any_rows(t);

	say_outcomes(t);
	if (t->mend.asked && !rows)
		return ask_user(t, t->mend.text, &t->mend.ask);
	return rows || t->mend.asked || nothing_found(t) ? TURN_SYNTH : end_failed(t);
}

enum turn_state step_recover(struct turn *t)
{
	const struct result *lack;

	if (t->started) {
		recover_take_probes(t);
		return go_on(t);
	}
	t->started = true;
	t->mend = (struct turn_mend){0};
	offer_again(t);
	if (recover_ask_time(t) || recover_ask_name(t))
		return go_on(t);
	lack = nothing_found(t);
	if (lack)
		say_phase(t, "recovering", "Nothing found; looking for what there is");
	if (lack && recover_start_probes(t, lack))
		return TURN_WAIT;
	return go_on(t);
}

/* ---- after the answer ---- */

void recover_finish(struct turn *t)
{
	if (!t->mend.text || t->end.status != MESSAGE_COMPLETE || t->log_full)
		return;
	if (t->mend.asked && !ask_prepare(t, t->mend.text, &t->mend.ask))
		return;
	say_in_pieces(t, arena_printf(t->arena, "\n\n%s", t->mend.text), say_text);
	if (!t->mend.asked)
		return;
	t->end.status = MESSAGE_ASK;
	say_ask(t);
}
