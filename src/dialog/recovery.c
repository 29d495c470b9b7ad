/*
 * Handles results without rows by outcome type, in code only. A time outside the data leads to a
 * clarifying question for another time. For an unknown name it offers similar names, and for a name
 * without data it offers names with data. If none of these applies, it searches for questions that
 * have results. Results with rows are still answered, and nothing is retried without asking.
 */
#include "recovery_int.h"

#include "vesper/view.h"

#define WORDS_BYTES_MAX 8192

bool recovery_has_rows(const struct result *r)
{
	return r->outcome.kind == OUTCOME_ROWS;
}

/* The last result of a task without rows; NULL: it has rows, or never ran. */
const struct result *recovery_result_without_rows(const struct task *task)
{
	if (task->state == TASK_SKIPPED)
		return NULL;
	for (size_t i = 0; i < task->result_count; i++)
		if (recovery_has_rows(task->results[i]))
			return NULL;
	return task->result_count ? task->results[task->result_count - 1] : NULL;
}

const struct result *recovery_first_without_rows(const struct dialog_turn *t,
						 enum outcome_kind kind)
{
	for (size_t i = 0; i < t->work->plan->count; i++) {
		const struct result *r = recovery_result_without_rows(&t->work->plan->tasks[i]);

		if (r && r->outcome.kind == kind)
			return r;
	}
	return NULL;
}

bool recovery_any_rows(const struct dialog_turn *t)
{
	for (size_t i = 0; i < t->work->result_count; i++)
		if (recovery_has_rows(t->work->results[i]))
			return true;
	return false;
}

const struct result *recovery_truncated(const struct dialog_turn *t)
{
	for (size_t i = 0; i < t->work->result_count; i++) {
		const struct result *r = t->work->results[i];

		if (recovery_has_rows(r) && r->outcome.truncated && r->outcome.suggestion_count > 0)
			return r;
	}
	return NULL;
}

bool recovery_is_due(const struct dialog_turn *t)
{
	for (size_t i = 0; i < t->work->plan->count; i++)
		if (recovery_result_without_rows(&t->work->plan->tasks[i]))
			return true;
	return recovery_truncated(t) != NULL;
}

const char *recovery_outcome_text(struct dialog_turn *t, const struct result *r)
{
	const char *words;
	struct buf b;

	buf_init(&b, WORDS_BYTES_MAX);
	view_outcome_text(&b, r);
	words = arena_strdup(t->core->arena, buf_text(&b));
	buf_deinit(&b);
	return words;
}

const struct result *recovery_first_empty(const struct dialog_turn *t)
{
	const struct result *r = recovery_first_without_rows(t, OUTCOME_EMPTY);

	return r ? r : recovery_first_without_rows(t, OUTCOME_NO_DATA);
}

/* A failed query may work later or with a smaller request: the user decides. */
static void offer_retry(struct dialog_turn *t)
{
	for (size_t i = 0; i < t->work->plan->count; i++) {
		const struct result *r = recovery_result_without_rows(&t->work->plan->tasks[i]);

		if (r && r->outcome.retryable && t->core->request.content[0]) {
			suggest_add(t, turn_sentence(t->core, SAY_ASK_TRY_AGAIN),
				    t->core->request.content);
			return;
		}
	}
}

/* The server has no data, but the user may have a file. */
static void offer_upload(struct dialog_turn *t)
{
	if (recovery_first_without_rows(t, OUTCOME_NO_DATA) && may(t->core->who, PERMISSION_UPLOAD))
		suggest_add(t, turn_sentence(t->core, SAY_SUGGEST_UPLOAD_LABEL),
			    turn_sentence(t->core, SAY_SUGGEST_UPLOAD));
}

bool recovery_begin(struct dialog_turn *t)
{
	t->dialog->recovery_plan = (struct recovery_plan){0};
	offer_retry(t);
	offer_upload(t);
	return recovery_ask_time(t) || recovery_ask_name(t) || recovery_ask_other(t) ||
	       recovery_ask_narrower(t);
}

/* Suggests alternatives that work. */
static void offer_suggestions(struct dialog_turn *t, const struct outcome *o)
{
	for (size_t i = 0; o->kind == OUTCOME_ERROR && i < o->suggestion_count; i++)
		suggest_add(t, o->suggestions[i].label, o->suggestions[i].value);
}

void recovery_reply_failed(struct dialog_turn *t)
{
	const char *words = "";

	for (size_t i = 0; i < t->work->result_count; i++)
		offer_suggestions(t, &t->work->results[i]->outcome);
	for (size_t i = 0; i < t->work->result_count; i++)
		words = arena_printf(t->core->arena, "%s%s%s", words, *words ? "\n\n" : "",
				     recovery_outcome_text(t, t->work->results[i]));
	reply_with(t, MESSAGE_COMPLETE, words);
}

const char *recovery_finish(struct dialog_turn *t, bool *asks)
{
	const struct recovery_plan *p = &t->dialog->recovery_plan;

	*asks = p->asked != NULL;
	return p->text && (!p->asked || ask_prepare(t, p->text, &p->ask)) ? p->text : NULL;
}
