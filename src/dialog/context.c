/*
 * Loads the session data of a turn: the last messages, the summary of older ones, and the session
 * context of the newest answer. Code makes summaries; a model may rephrase them.
 */
#include "vesper/dialog.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

void context_set_loaded(struct dialog_turn *t, const struct beginning *b)
{
	struct turn_context *c = t->context;

	if (t->core->request.origin) /* the client stores the conversation */
		return;
	c->history = b->history;
	c->history_count = b->history_count;
	c->long_session = b->has_more;
	c->memory = b->memory;
	c->standing = b->standing;
	/* one message is this turn's */
	c->has_earlier = b->memory.summary || b->memory.messages > 1;
}

void context_finish_loading(struct dialog_turn *t)
{
	struct turn_context *c = t->context;

	/* The newest message is the question of this turn, not history. */
	if (c->history_count > 0 &&
	    strcmp(c->history[c->history_count - 1].turn_id, t->core->id.text) == 0)
		c->history_count--;
	if (!c->standing)
		c->standing =
			memory_session_context(context_earlier(t), t->core->who, t->core->arena);
}

const json_t *context_earlier(struct dialog_turn *t)
{
	if (!t->context->earlier)
		t->context->earlier =
			store_memory_items(t->context->memory.summary, t->core->arena);
	return t->context->earlier;
}

bool context_summary_is_due(const struct dialog_turn *t)
{
	const struct memory *m = &t->context->memory;

	return m->messages > SUMMARY_MESSAGES ||
	       (m->tokens > SUMMARY_TOKENS && m->messages > SUMMARY_KEEP);
}

/* ---- messages between the summary and the newest ones ---- */

/* Only prompts contain these messages, so they are read only if a model is usable. */
bool context_needs_unsummarized(const struct dialog_turn *t, bool model_usable)
{
	return t->context->long_session && !t->context->unsummarized_read && model_usable &&
	       !context_summary_is_due(t);
}

void context_mark_unsummarized_read(struct dialog_turn *t)
{
	t->context->unsummarized_read = true;
}

void context_set_unsummarized(struct dialog_turn *t, const struct message *messages, size_t count)
{
	size_t in_prompts =
		PROMPT_PAIRS * 2 + 1; /* prompts contain these messages and the question */

	if (count > in_prompts)
		t->context->between = store_memory_items(
			memory_items(NULL, messages, count - in_prompts, t->core->arena),
			t->core->arena);
}

/* ---- a new summary ---- */

void context_summarize(struct dialog_turn *t, const struct message *messages, size_t count,
		       bool has_more)
{
	size_t keep = has_more ? 0 : SUMMARY_KEEP;

	if (count <= keep)
		return;
	count -= keep;
	t->context->summary =
		memory_items(t->context->memory.summary, messages, count, t->core->arena);
	t->context->covers_through = messages[count - 1].place;
}

void context_set_summary_text(struct dialog_turn *t, const char *text)
{
	t->context->summary =
		memory_add_text(t->context->summary, context_earlier(t), text, t->core->arena);
}

void context_summary_stored(struct dialog_turn *t)
{
	t->context->memory =
		(struct memory){.messages = SUMMARY_KEEP, .summary = t->context->summary};
	t->context->earlier = NULL;
}
