/*
 * Memory of a long session: its older messages become a summary once there are many. Code makes
 * it; where there is a model, one call words it. A summary that fails is tried again with the next
 * question and holds up nobody.
 */
#include "turn_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"

/* ---- LOAD, of a session with more messages than are read anyway ---- */

static void on_between(void *owner, const struct message *messages, size_t count, bool has_more,
		       const struct err *e)
{
	struct turn *t = owner;
	size_t whole = PROMPT_PAIRS * 2 + 1; /* prompts repeat these, and the question itself */

	(void)has_more;
	t->op = NULL;
	t->pending--;
	if (e)
		log_warn("turn.memory", "%s: %s", t->id.text, e->text);
	else if (count > whole)
		t->between =
			json_own(t->arena, memory_items(NULL, messages, count - whole, t->arena));
	turn_wake(t);
}

/* Only models are told what lies between the summary and the newest messages. */
bool memory_load_between(struct turn *t)
{
	if (t->between_read || !llm_usable(t->all->llm) || memory_is_due(t))
		return false;
	t->between_read = true;
	t->pending++;
	t->op = store_uncovered(t->all->store, t->who, t->request.session_id,
				SUMMARY_MESSAGES + SUMMARY_KEEP, t->arena, on_between, t);
	return true;
}

const json_t *memory_earlier(struct turn *t)
{
	if (!t->earlier)
		t->earlier = store_memory_items(t->memory.summary, t->arena);
	return t->earlier;
}

bool memory_is_due(const struct turn *t)
{
	return t->memory.messages > SUMMARY_MESSAGES ||
	       (t->memory.tokens > SUMMARY_TOKENS && t->memory.messages > SUMMARY_KEEP);
}

/* ---- COMPACT ---- */

static void on_uncovered(void *owner, const struct message *messages, size_t count, bool has_more,
			 const struct err *e)
{
	struct turn *t = owner;
	size_t keep = has_more ? 0 : SUMMARY_KEEP;

	t->op = NULL;
	t->pending--;
	if (e)
		log_warn("turn.memory", "%s: %s", t->id.text, e->text);
	if (!e && count > keep) {
		count -= keep;
		t->summary = json_own(t->arena,
				      memory_items(memory_earlier(t), messages, count, t->arena));
		t->covers_through = messages[count - 1].place;
	}
	turn_wake(t);
}

static void on_worded(void *owner, const struct llm_answer *answer, bool shown, const struct err *e)
{
	struct turn *t = owner;
	const char *text = e ? "" : llm_answer_text(answer, t->arena);

	(void)shown;
	t->op = NULL;
	t->pending--;
	llm_usage_add(&t->usage[LLM_ROUTE], &answer->usage);
	if (e)
		log_warn("turn.memory", "%s without the model: %s", t->id.text, e->text);
	else if (*text && answer->stop == LLM_STOP_END)
		memory_add_text(t->summary, memory_earlier(t), text, t->arena);
	turn_wake(t);
}

static void on_kept(void *owner, const struct err *e)
{
	struct turn *t = owner;

	t->op = NULL;
	t->pending--;
	if (e) {
		log_warn("turn.memory", "%s: %s", t->id.text, e->text);
	} else {
		t->memory = (struct memory){.messages = SUMMARY_KEEP};
		t->earlier = t->summary;
	}
	turn_wake(t);
}

static void word(struct turn *t)
{
	static const struct llm_handler handler = {.on_end = on_worded};

	t->calls[LLM_ROUTE]++;
	t->op = llm_start(t->all->llm, prompt_compress(t), t->arena, &handler, t);
}

/* Read what is not covered, word it where a model can, store it: one after the other. */
enum turn_state step_compact(struct turn *t)
{
	t->started = true;
	switch (t->compacting++) {
	case 0:
		t->op = store_uncovered(t->all->store, t->who, t->request.session_id, SUMMARY_READ,
					t->arena, on_uncovered, t);
		break;
	case 1:
		if (!t->summary)
			return TURN_UNDERSTAND;
		if (!llm_usable(t->all->llm))
			return step_compact(t);
		word(t);
		break;
	case 2:
		t->op = store_summary(t->all->store, t->who, t->request.session_id, t->summary,
				      t->covers_through, on_kept, t);
		break;
	default:
		return TURN_UNDERSTAND;
	}
	t->pending++;
	return TURN_WAIT;
}
