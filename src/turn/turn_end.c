/* How a turn ends: the one writer of it. */
#include "turn_int.h"

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
	static const struct {
		enum err_code code;
		const char *wire, *text;
	} rows[] = {
		{ERR_DENIED, "denied", "You do not have permission for this."},
		{ERR_NOT_FOUND, "not_found", "This conversation does not exist."},
		{ERR_TIMEOUT, "timeout",
		 "This took too long and was stopped. Try a narrower question."},
		{ERR_UPSTREAM, "upstream",
		 "A service that is needed for the answer is not available. Please try again."},
		{ERR_BUSY, "busy", "The data is busy. Please try again."},
		{ERR_QUOTA, "quota",
		 "The budget for answers by a model is used up for now. Questions that name the "
		 "data "
		 "they want are still answered."},
		{ERR_LIMIT, "upstream",
		 "The question needs more than the server can give right now."},
	};

	t->end.failed = true;
	t->end.error_code = "internal";
	t->end.error_text = "Something went wrong on our side.";
	t->end.retryable = e->may_retry;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == e->code) {
			t->end.error_code = rows[i].wire;
			t->end.error_text = rows[i].text;
		}
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

/* A deadline that passed while an answer was being shown leaves a partial answer, not a failed
 * turn. */
void turn_end_failed(struct turn *t, bool shown)
{
	if (!t->end.failed)
		return;
	t->end.failed = !shown;
	t->end.status = shown ? MESSAGE_PARTIAL : MESSAGE_FAILED;
}
