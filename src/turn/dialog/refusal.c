/* Refusals: what know says is not to be tried, as an error view with what can be asked instead. */
#include "turn_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/log.h"

static void say_refusal(struct turn *t, const struct refusal *r)
{
	const char *list[SUGGEST_MAX + 1] = {NULL};
	json_t *details = json_own(t->arena, json_object()), *view;
	const struct view_error error = {.code = refusal_code(r->kind),
					 .text = r->text,
					 .details = details,
					 .suggestions = list};
	const json_t *one;
	size_t i;

	json_array_foreach(t->suggestions, i, one)
		if (i < SUGGEST_MAX)
			list[i] = json_string_value(json_object_get(one, "question"));
	json_set_str(details, "guardrail", refusal_name(r->kind));
	if (r->term && *r->term)
		json_set_str(details, r->kind == REFUSE_REFERENCE ? "ambiguous_term" : "term",
			     r->term);
	if (r->kind == REFUSE_REFERENCE)
		json_set_bool(details, "has_session_history", t->history_count > 0);
	view = view_error(&error, "refused-v1");
	say_view_json(t, NULL, view);
}

/* "What is the actual price of NP15 in 2027?" without the word that makes it impossible. */
static void suggest_possible(struct turn *t, const struct refusal *r)
{
	const char *asked = t->request.content, *at = r->term ? strcasestr(asked, r->term) : NULL;
	const char *rest = at ? at + strlen(r->term) : NULL, *question;
	struct understanding u;

	if (r->kind != REFUSE_IMPOSSIBLE || !at || !*r->term)
		return;
	question = arena_printf(t->arena, "%.*s%s", (int)(at - asked), asked,
				*rest == ' ' ? rest + 1 : rest);
	if (suggest_read(t, question, &u))
		suggest_add(t, question, question);
}

bool guard_refuses(struct turn *t, const struct know_input *in, const struct understanding *u,
		   enum turn_state *next)
{
	struct refusal r;

	if (!know_refuse(t->knowledge->set.know, in, u, t->arena, &r))
		return false;
	/* a model reads the conversation too */
	if (r.kind == REFUSE_REFERENCE && t->history_count > 0 && turn_may_ask_model(t))
		return false;
	/* that a question is about something else is for the supervisor to say */
	if (r.kind == REFUSE_SCOPE && turn_may_ask_model(t)) {
		t->off_topic = arena_alloc(t->arena, sizeof(*t->off_topic));
		*t->off_topic = r;
		return false;
	}
	*next = guard_refuse(t, &r);
	return true;
}

enum turn_state guard_refuse(struct turn *t, const struct refusal *why)
{
	const char *examples[SUGGEST_MAX];
	size_t n;

	log_info("turn.refused", "%s: %s", t->id.text, refusal_name(why->kind));
	suggest_possible(t, why);
	n = suggest_examples(t, examples, SUGGEST_MAX);
	for (size_t i = 0; i < n && json_array_size(t->suggestions) < SUGGEST_MAX; i++)
		suggest_add(t, examples[i], examples[i]);
	say_refusal(t, why);
	t->reply = (struct turn_reply){
		.text = n > 0 ? suggest_text(t, arena_printf(t->arena,
							     "%s You can ask, for example:\n",
							     why->text))
			      : why->text,
		.status = MESSAGE_REFUSED,
	};
	return TURN_ANSWER;
}

enum turn_state guard_forbids(struct turn *t, const struct know_tool *tool)
{
	const struct domain_def *d = catalog_domain_of_agent(t->may.catalog, tool->agent);
	const char *words = permission_words(tool->tool->permission, t->arena);
	json_t *details = json_own(t->arena, json_object()), *view;
	const struct view_error error = {
		.code = "NOT_PERMITTED",
		.text = arena_printf(t->arena,
				     "You do not have permission to see this data: %s It takes the "
				     "permission \"%s\". An administrator can grant access.",
				     d ? d->about : "", words),
		.details = details,
	};

	json_set_str(details, "permission", words);
	view = view_error(&error, "refused-v1");
	say_view_json(t, NULL, view);
	t->reply = (struct turn_reply){.text = error.text, .status = MESSAGE_REFUSED};
	return TURN_ANSWER;
}
