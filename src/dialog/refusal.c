/* Refusals: questions that nlu_refuse declines, as an error view with alternatives. */
#include "vesper/dialog.h"

#include <string.h>

#include "vesper/codes.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/view.h"

static json_t *refusal_view(struct dialog_turn *t, const struct refusal *r)
{
	const char *list[SUGGEST_MAX + 1] = {NULL};
	json_t *details = json_own(t->core->arena, json_object());
	const struct view_error error = {.code = refusal_code(r->kind),
					 .text = r->text,
					 .details = details,
					 .suggestions = list};
	const json_t *suggestion;
	size_t i;

	json_array_foreach(t->dialog->suggestions, i, suggestion)
		if (i < SUGGEST_MAX)
			list[i] = json_string_value(json_object_get(suggestion, "question"));
	json_set_str(details, "guardrail", refusal_name(r->kind));
	if (r->term && *r->term)
		json_set_str(details, r->kind == REFUSE_REFERENCE ? "ambiguous_term" : "term",
			     r->term);
	if (r->kind == REFUSE_REFERENCE)
		json_set_bool(details, "has_session_history", t->context->has_earlier);
	return view_error(&error, "refused-v1");
}

/* Suggests "What is the actual price of NP15 in 2027?" without the impossible word. */
static void suggest_possible(struct dialog_turn *t, const struct refusal *r)
{
	const char *asked = t->core->request.content,
		   *at = r->term ? strcasestr(asked, r->term) : NULL;
	const char *rest = at ? at + strlen(r->term) : NULL, *question;
	struct understanding u;

	if (r->kind != REFUSE_IMPOSSIBLE || !at || !*r->term)
		return;
	question = arena_printf(t->core->arena, "%.*s%s", (int)(at - asked), asked,
				*rest == ' ' ? rest + 1 : rest);
	if (suggest_is_understood(t, question, &u))
		suggest_add(t, question, question);
}

bool refusal_check(struct dialog_turn *t, const struct nlu_input *in, const struct understanding *u,
		   bool model_usable, struct refusal *why)
{
	struct refusal *off_topic;

	if (!nlu_refuse(t->core->nlu, in, u, t->core->arena, why))
		return false;
	/* a model also reads the conversation */
	if (why->kind == REFUSE_REFERENCE && t->context->has_earlier && model_usable)
		return false;
	/* the supervisor decides whether a question is off topic */
	if (why->kind == REFUSE_SCOPE && model_usable) {
		off_topic = arena_alloc(t->core->arena, sizeof(*off_topic));
		*off_topic = *why;
		t->dialog->off_topic = off_topic;
		return false;
	}
	return true;
}

json_t *refuse_question(struct dialog_turn *t, const struct refusal *why)
{
	const char *examples[SUGGEST_MAX];
	size_t n;

	log_info("turn.refused", "%s: %s", t->core->id.text, refusal_name(why->kind));
	suggest_possible(t, why);
	n = suggest_examples(t, examples, SUGGEST_MAX);
	for (size_t i = 0; i < n && json_array_size(t->dialog->suggestions) < SUGGEST_MAX; i++)
		suggest_add(t, examples[i], examples[i]);
	reply_with(t, MESSAGE_REFUSED,
		   n > 0 ? suggest_text(t, arena_printf(t->core->arena, "%s%s\n", why->text,
							turn_sentence(t->core, SAY_REPLY_EXAMPLES)))
			 : why->text);
	return refusal_view(t, why);
}

json_t *refuse_forbidden(struct dialog_turn *t, const struct nlu_call *tool)
{
	const struct domain_def *d = catalog_domain_of_agent(t->core->may.catalog, tool->agent);
	const char *words = permission_words(tool->tool->callers.permission, t->core->arena);
	json_t *details = json_own(t->core->arena, json_object());
	const struct view_error error = {
		.code = "NOT_PERMITTED",
		.text = turn_sentence(t->core, SAY_REFUSE_FORBIDDEN, d ? d->about : "", words),
		.details = details,
	};

	json_set_str(details, "permission", words);
	reply_with(t, MESSAGE_REFUSED, error.text);
	return view_error(&error, "refused-v1");
}

json_t *refuse_plan(struct dialog_turn *t, bool circular)
{
	const char *examples[SUGGEST_MAX + 1] = {NULL};
	const struct view_error error = {
		.code = circular ? code_row(CODE_CIRCULAR)->view : "INPUT_VALIDATION_FAILED",
		.text = turn_sentence(t->core, SAY_REFUSE_PLAN),
		.suggestions = examples,
	};
	size_t n = suggest_examples(t, examples, SUGGEST_MAX);

	for (size_t i = 0; i < n; i++)
		suggest_add(t, examples[i], examples[i]);
	reply_with(t, MESSAGE_REFUSED, error.text);
	return view_error(&error, "refused-v1");
}
