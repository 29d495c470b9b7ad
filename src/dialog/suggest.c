/*
 * Suggested questions. Each is read by code as if it had been sent, and kept only if code is sure
 * of its meaning: a suggestion that fails is worse than none.
 */
#include "vesper/dialog.h"

#include <string.h>

#include "vesper/json.h"

bool suggest_is_understood(struct dialog_turn *t, const char *question, struct understanding *out)
{
	const struct nlu_input in = {
		.question = question,
		.tenant = t->core->who->tenant,
		.may = &t->core->may,
		.today = t->core->today,
		.calendar = t->core->calendar,
	};

	nlu_understand(t->core->nlu, &in, t->core->arena, out);
	return out->kind == NLU_DATA && out->tool_count > 0 && out->confidence >= NLU_CONFIDENT;
}

static bool is_suggested(const struct dialog_turn *t, const char *question)
{
	const json_t *suggestion;
	size_t i;

	json_array_foreach(t->dialog->suggestions, i, suggestion)
		if (strcmp(json_string_value(json_object_get(suggestion, "question")), question) ==
		    0)
			return true;
	return false;
}

void suggest_add(struct dialog_turn *t, const char *label, const char *question)
{
	suggest_add_with_priority(t, label, question, json_array_size(t->dialog->suggestions) == 0);
}

void suggest_add_with_priority(struct dialog_turn *t, const char *label, const char *question,
			       bool primary)
{
	json_t *suggestion;

	if (is_suggested(t, question))
		return;
	suggestion = json_object();
	json_set_str(suggestion, "label", label);
	json_set_str(suggestion, "question", question);
	json_set_str(suggestion, "priority", primary ? "primary" : "secondary");
	json_push_take(t->dialog->suggestions, suggestion);
}

void suggest_clear(struct dialog_turn *t)
{
	json_array_clear(t->dialog->suggestions);
}

/* The i-th example of a domain. Callers iterate domains first, so that suggestions cover different
 * domains. */
static const char *example_at(const struct dialog_turn *t, size_t domain, size_t i)
{
	const char *const *examples = t->core->may.domains[domain]->examples;

	for (size_t n = 0; examples && examples[n]; n++)
		if (n == i)
			return examples[n];
	return NULL;
}

size_t suggest_examples(struct dialog_turn *t, const char **out, size_t max)
{
	struct understanding u;
	size_t n = 0;

	for (size_t i = 0; i < SUGGEST_EXAMPLES_READ && n < max; i++)
		for (size_t d = 0; d < t->core->may.domain_count && n < max; d++) {
			const char *text = example_at(t, d, i);

			if (text && suggest_is_understood(t, text, &u))
				out[n++] = text;
		}
	return n;
}

const char *suggest_text(struct dialog_turn *t, const char *lead)
{
	const json_t *suggestion;
	const char *text = lead;
	size_t i;

	json_array_foreach(t->dialog->suggestions, i, suggestion)
		text = arena_printf(t->core->arena, "%s\n- %s", text,
				    json_string_value(json_object_get(suggestion, "question")));
	return text;
}

static void reply_with_examples(struct dialog_turn *t, const char *why, const char *lead)
{
	const char *examples[SUGGEST_MAX];
	size_t n = suggest_examples(t, examples, SUGGEST_MAX);

	for (size_t i = 0; i < n; i++)
		suggest_add(t, examples[i], examples[i]);
	if (n > 0)
		why = suggest_text(t, arena_printf(t->core->arena, "%s%s\n", why, lead));
	reply_with(t, MESSAGE_COMPLETE, why);
}

void suggest_and_reply(struct dialog_turn *t, const char *why)
{
	reply_with_examples(t, why, turn_sentence(t->core, SAY_REPLY_EXAMPLES));
}

void suggest_and_reply_without_lead(struct dialog_turn *t, const char *why)
{
	reply_with_examples(t, why, "");
}
