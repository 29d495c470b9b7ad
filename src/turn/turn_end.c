/* How a turn ends: the only writer of struct turn_end. */
#include "turn_int.h"

#include "vesper/codes.h"
#include "vesper/log.h"

void turn_end_set(struct turn *t, struct turn_end end)
{
	t->end = end;
}

void turn_end_status(struct turn *t, enum message_status status)
{
	t->end.status = status;
}

void turn_end_stopped(struct turn *t, enum message_status status, bool no_save)
{
	t->end.status = status;
	t->end.no_save = no_save;
}

void turn_end_error(struct turn *t, const struct err *e)
{
	const struct code_row *row = code_row(code_of_turn(e->code));

	t->end.failed = true;
	t->end.error_code = row->wire;
	t->end.error_text = row->sentence;
	t->end.retryable = e->may_retry;
	log_warn("turn.failed", "%s in %s: %s", t->core.id.text, turn_state_name(t->machine.state),
		 e->text);
}

void turn_end_partial(struct turn *t, const char *code, const char *text)
{
	t->end.failed = false;
	t->end.status = MESSAGE_PARTIAL;
	if (code)
		t->end.error_code = code;
	t->end.error_text = text;
}

void turn_end_text(struct turn *t, const char *text)
{
	t->end.error_text = text;
}

/* If the deadline passes while the answer is being shown, the answer is partial and the turn has
 * not failed. */
void turn_end_failed(struct turn *t, bool shown)
{
	if (!t->end.failed)
		return;
	t->end.failed = !shown;
	t->end.status = shown ? MESSAGE_PARTIAL : MESSAGE_FAILED;
}
