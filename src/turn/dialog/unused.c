/*
 * Words of a question that nothing uses, where no model can be asked: the reply names them and
 * offers what can be answered without them. An answer that ignored them would be wrong and sure.
 */
#include "turn_int.h"

#include "vesper/limits.h"

/* "A", "B" and "C" */
static const char *quoted(struct turn *t, const struct understanding *u)
{
	const struct language *l = t->may.catalog->language;
	const char *joint = sentence(l, SAY_UNUSED_JOINT, t->arena), *text = "";

	for (size_t i = 0; i < u->unused_count; i++)
		text = arena_printf(t->arena, "%s%s\"%s\"", text,
				    i == 0                     ? ""
				    : i + 1 == u->unused_count ? joint
							       : ", ",
				    u->unused[i]);
	return text;
}

/* Questions of the same domain that code is sure of. */
static void offer_examples(struct turn *t, const char *agent)
{
	const struct domain_def *d = catalog_domain_of_agent(t->may.catalog, agent);
	struct understanding u;

	for (size_t i = 0; d && d->examples && d->examples[i]; i++)
		if (json_array_size(t->suggestions) < SUGGEST_MAX &&
		    suggest_read(t, d->examples[i], &u))
			suggest_add(t, d->examples[i], d->examples[i]);
}

enum turn_state unused_reply(struct turn *t)
{
	const struct language *l = t->may.catalog->language;
	const struct understanding *u = &t->understood;
	const char *why = sentence(l, SAY_UNUSED_WORDS, t->arena, quoted(t, u));
	struct understanding without;

	if (u->leans || suggest_read(t, u->used_question, &without))
		suggest_add(t, u->used_question, u->used_question);
	if (json_array_size(t->suggestions) == 0 && u->agent_count > 0)
		offer_examples(t, u->agents[0]);
	if (json_array_size(t->suggestions) > 0)
		why = suggest_text(t, arena_printf(t->arena, "%s%s\n", why,
						   sentence(l, SAY_UNUSED_INSTEAD, t->arena)));
	t->reply = (struct turn_reply){.text = why, .status = MESSAGE_COMPLETE};
	return TURN_ANSWER;
}
