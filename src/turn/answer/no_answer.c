/*
 * When code alone chose the data, the choice may be wrong, and only the model that writes the
 * answer sees it. It says so with one word in place of an answer; the word is caught here before
 * anybody sees it, and the question goes to the supervisor, once.
 */
#include <string.h>

#include "turn_int.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"

#define SIGNAL "NO_ANSWER_IN_DATA"

const char recover_offer[] =
	"\nIf these results are about something else than what is asked, write "
	"only " SIGNAL ".\n";

void recover_begin(struct turn *t)
{
	struct turn_recovery *r = &t->recovery;

	buf_deinit(&r->held);
	buf_init(&r->held, LLM_TEXT_BYTES_MAX);
	r->wanted = false;
	r->offered = !r->done && t->plan && t->plan->origin == PLAN_ROUTER && !t->request.filters;
}

/* Only whole text that is nothing but the word counts: an answer that quotes it is an answer. */
bool recover_pass(struct turn *t, struct str *text)
{
	struct turn_recovery *r = &t->recovery;
	struct str held;

	if (!r->offered)
		return true;
	buf_add(&r->held, text->p, text->n);
	held = str_trim((struct str){r->held.p, r->held.n});
	if (str_starts(STR(SIGNAL), held))
		return false;
	*text = (struct str){r->held.p, r->held.n};
	r->offered = false;
	return true;
}

struct str recover_rest(struct turn *t)
{
	struct turn_recovery *r = &t->recovery;

	if (!r->offered)
		return (struct str){"", 0};
	r->offered = false;
	r->wanted = str_eq(str_trim((struct str){buf_text(&r->held), r->held.n}), STR(SIGNAL));
	return r->wanted ? (struct str){"", 0} : (struct str){buf_text(&r->held), r->held.n};
}

void recover_again(struct turn *t)
{
	t->recovery.done = true;
	t->recovery.wanted = false;
	t->checked = (struct turn_checked){0};
	json_array_clear(t->suggestions);
	log_info("turn.recover", "%s: the data did not answer, the supervisor is asked",
		 t->id.text);
	say_phase(t, "recovering", "That data does not answer it; looking again");
}
