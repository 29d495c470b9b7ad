/*
 * RECOVER: handles results without rows (src/dialog, recovery.c). Results with rows are answered,
 * and nothing is retried without asking the user.
 */
#include "turn_int.h"

static enum turn_state continue_after_recovery(struct turn *t)
{
	const struct recovery_plan *p = &t->dialog.recovery_plan;
	bool has_rows = recovery_any_rows(&t->for_dialog);

	answer_emit_outcomes(&t->for_answer);
	if (p->asked && !has_rows) {
		ask_user(&t->for_dialog, p->text, &p->ask);
		return TURN_ANSWER;
	}
	if (has_rows || p->asked || recovery_first_empty(&t->for_dialog))
		return TURN_SYNTH;
	/* Every task failed: a model could only repeat the errors. */
	recovery_reply_failed(&t->for_dialog);
	return TURN_ANSWER;
}

/* A task that others depend on gave no rows, and no clarifying question follows from it. A model
 * may plan once more from the results so far: with other tools, never with other values. */
static bool may_replan(struct turn *t)
{
	const struct plan *p = t->work.plan;

	if (t->machine.replanned || !answer_may_ask_model(&t->for_answer) ||
	    (p->origin != PLAN_SUPERVISOR && p->origin != PLAN_PLANNER))
		return false;
	for (size_t i = 0; i < p->count; i++)
		if (recovery_result_without_rows(&p->tasks[i]) &&
		    plan_has_dependents(p, &p->tasks[i]))
			return true;
	return false;
}

enum turn_state step_recover(struct turn *t)
{
	const struct result *without_rows;

	if (t->machine.started) {
		recovery_suggest_probes(&t->for_dialog);
		return continue_after_recovery(t);
	}
	t->machine.started = true;
	if (recovery_begin(&t->for_dialog))
		return continue_after_recovery(t);
	if (may_replan(t)) {
		t->machine.replanned = true;
		return TURN_ROUTE;
	}
	without_rows = recovery_first_empty(&t->for_dialog);
	if (without_rows)
		answer_emit_phase(&t->for_answer, "recovering",
				  turn_sentence(&t->core, SAY_PHASE_NOTHING_FOUND));
	if (without_rows && recovery_start_probes(&t->for_dialog, without_rows))
		return TURN_WAIT;
	return continue_after_recovery(t);
}
