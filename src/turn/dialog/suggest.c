/*
 * Questions that can be asked instead. Each one is read by code as if it had been sent, and kept
 * only when code is sure what it means: a suggestion that fails is worse than none.
 */
#include "turn_int.h"

#include <string.h>

#include "vesper/json.h"

bool suggest_read(struct turn *t, const char *question, struct understanding *out)
{
	const struct know_input in = {
		.question = question,
		.tenant = t->who->tenant,
		.may = &t->may,
		.today = t->today,
		.calendar = t->all->calendar,
	};

	know_understand(t->knowledge->set.know, &in, t->arena, out);
	return out->kind == KNOW_DATA && out->tool_count > 0 && out->confidence >= KNOW_SURE;
}

void suggest_add(struct turn *t, const char *label, const char *question)
{
	const json_t *one;
	json_t *added;
	size_t i;

	json_array_foreach(t->suggestions, i, one)
		if (strcmp(json_string_value(json_object_get(one, "question")), question) == 0)
			return;
	added = json_object();
	json_set_str(added, "label", label);
	json_set_str(added, "question", question);
	json_set_str(added, "priority",
		     json_array_size(t->suggestions) == 0 ? "primary" : "secondary");
	json_push_take(t->suggestions, added);
}

/* The i-th example of each domain, then the next ones: the first are of different domains. */
static const char *example_at(const struct turn *t, size_t domain, size_t i)
{
	const char *const *examples = t->may.domains[domain]->examples;

	for (size_t n = 0; examples && examples[n]; n++)
		if (n == i)
			return examples[n];
	return NULL;
}

size_t suggest_examples(struct turn *t, const char **out, size_t max)
{
	struct understanding u;
	size_t n = 0;

	for (size_t i = 0; i < SUGGEST_EXAMPLES_READ && n < max; i++)
		for (size_t d = 0; d < t->may.domain_count && n < max; d++) {
			const char *text = example_at(t, d, i);

			if (text && suggest_read(t, text, &u))
				out[n++] = text;
		}
	return n;
}

const char *suggest_text(struct turn *t, const char *lead)
{
	const json_t *one;
	const char *text = lead;
	size_t i;

	json_array_foreach(t->suggestions, i, one)
		text = arena_printf(t->arena, "%s\n- %s", text,
				    json_string_value(json_object_get(one, "question")));
	return text;
}

static enum turn_state end_with(struct turn *t, const char *why, const char *lead)
{
	const char *examples[SUGGEST_MAX];
	size_t n = suggest_examples(t, examples, SUGGEST_MAX);

	for (size_t i = 0; i < n; i++)
		suggest_add(t, examples[i], examples[i]);
	if (n > 0)
		why = suggest_text(t, arena_printf(t->arena, "%s%s\n", why, lead));
	t->reply = (struct turn_reply){.text = why, .status = MESSAGE_COMPLETE};
	return TURN_ANSWER;
}

enum turn_state suggest_end(struct turn *t, const char *why)
{
	return end_with(t, why, " You can ask, for example:");
}

enum turn_state suggest_end_in(struct turn *t, const char *why)
{
	return end_with(t, why, "");
}
