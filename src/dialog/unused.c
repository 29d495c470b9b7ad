/*
 * Replies to a question with unused words when no model can be asked. The reply names the words
 * and offers what can be answered without them. Ignoring them would give a confident wrong answer.
 */
#include "vesper/dialog.h"

#include "vesper/limits.h"

/* "A", "B" and "C" */
static const char *quote_unused(struct dialog_turn *t, const struct understanding *u)
{
	const struct language *l = t->core->may.catalog->language;
	const char *joint = sentence(l, SAY_UNUSED_JOINT, t->core->arena), *text = "";

	for (size_t i = 0; i < u->unused_count; i++)
		text = arena_printf(t->core->arena, "%s%s\"%s\"", text,
				    i == 0                     ? ""
				    : i + 1 == u->unused_count ? joint
							       : ", ",
				    u->unused[i]);
	return text;
}

/* Offers examples of the same domain that code is sure of. */
static void offer_examples(struct dialog_turn *t, const char *agent)
{
	const struct domain_def *d = catalog_domain_of_agent(t->core->may.catalog, agent);
	struct understanding u;

	for (size_t i = 0; d && d->examples && d->examples[i]; i++)
		if (json_array_size(t->dialog->suggestions) < SUGGEST_MAX &&
		    suggest_is_understood(t, d->examples[i], &u))
			suggest_add(t, d->examples[i], d->examples[i]);
}

void reply_unused_words(struct dialog_turn *t)
{
	const struct language *l = t->core->may.catalog->language;
	const struct understanding *u = &t->reading->understood;
	const char *why = sentence(l, SAY_UNUSED_WORDS, t->core->arena, quote_unused(t, u));
	struct understanding without;

	if (u->question_without_unused &&
	    (u->is_followup || suggest_is_understood(t, u->question_without_unused, &without)))
		suggest_add(t, u->question_without_unused, u->question_without_unused);
	if (json_array_size(t->dialog->suggestions) == 0 && u->agent_count > 0)
		offer_examples(t, u->agents[0]);
	if (json_array_size(t->dialog->suggestions) > 0)
		why = suggest_text(t,
				   arena_printf(t->core->arena, "%s%s\n", why,
						sentence(l, SAY_UNUSED_INSTEAD, t->core->arena)));
	reply_with(t, MESSAGE_COMPLETE, why);
}
