/*
 * NO_ANSWER: when code alone chose the data, the choice may be wrong, and only the model that
 * writes the answer sees the mismatch. The model replies with one signal word, which is not shown;
 * the question then goes to the supervisor, once.
 */
#include "vesper/answer.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"

#define SIGNAL "NO_ANSWER_IN_DATA"

const char no_answer_instruction[] =
	"\nIf these results are about something else than what is asked, write "
	"only " SIGNAL ".\n";

void no_answer_begin(struct answer_turn *t)
{
	struct no_answer *r = &t->answer->no_answer;

	buf_deinit(&r->held);
	buf_init(&r->held, LLM_TEXT_BYTES_MAX);
	r->wanted = false;
	r->offered = !r->done && t->work->plan && t->work->plan->origin == PLAN_ROUTER &&
		     !t->core->request.filters;
}

/* The signal counts only if it is the whole text, so an answer that quotes the word is shown. */
bool no_answer_filter(struct answer_turn *t, struct str *text)
{
	struct no_answer *r = &t->answer->no_answer;
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

struct str no_answer_rest(struct answer_turn *t)
{
	struct no_answer *r = &t->answer->no_answer;

	if (!r->offered)
		return (struct str){"", 0};
	r->offered = false;
	r->wanted = str_eq(str_trim((struct str){buf_text(&r->held), r->held.n}), STR(SIGNAL));
	return r->wanted ? (struct str){"", 0} : (struct str){buf_text(&r->held), r->held.n};
}

void no_answer_restart(struct answer_turn *t)
{
	t->answer->no_answer.done = true;
	t->answer->no_answer.wanted = false;
	t->answer->checked = (struct turn_checked){0};
	log_info("turn.recover", "%s: the data does not answer the question; asking the supervisor",
		 t->core->id.text);
	answer_emit_phase(t, "recovering", turn_sentence(t->core, SAY_PHASE_LOOKING_AGAIN));
}
