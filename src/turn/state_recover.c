/*
 * RECOVER: what becomes of results without rows (src/dialog, recovery.c). What did give rows is
 * answered, and nothing is tried again unasked.
 */
#include "turn_int.h"

static enum turn_state go_on(struct turn *t)
{
	const struct recovery_plan *p = &t->dialog.recovery_plan;
	bool rows = recovery_any_rows(&t->for_dialog);

	say_outcomes(&t->for_answer);
	if (p->asked && !rows) {
		ask_user(&t->for_dialog, p->text, &p->ask);
		return TURN_ANSWER;
	}
	if (rows || p->asked || recovery_nothing_found(&t->for_dialog))
		return TURN_SYNTH;
	/* Nothing but failures: a model could only repeat them. */
	recovery_reply_failed(&t->for_dialog);
	return TURN_ANSWER;
}

enum turn_state step_recover(struct turn *t)
{
	const struct result *lack;

	if (t->machine.started) {
		recovery_take_probes(&t->for_dialog);
		return go_on(t);
	}
	t->machine.started = true;
	if (recovery_begin(&t->for_dialog))
		return go_on(t);
	lack = recovery_nothing_found(&t->for_dialog);
	if (lack)
		say_phase(&t->for_answer, "recovering",
			  turn_sentence(&t->core, SAY_PHASE_NOTHING_FOUND));
	if (lack && recovery_start_probes(&t->for_dialog, lack))
		return TURN_WAIT;
	return go_on(t);
}
