/* MCP prompts: questions that the caller may ask, ready to be sent. These are the named flows of
 * the packs and the example questions of each domain. */
#include "mcp_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/turn.h"

/* Called for each prompt; returns true to stop. */
typedef bool (*prompt_cb)(void *owner, const char *name, const char *about, const char *question);

static bool each_example(const struct domain_def *d, struct arena *a, prompt_cb cb, void *owner)
{
	for (size_t i = 0; d->examples && d->examples[i]; i++)
		if (cb(owner, arena_printf(a, "%s_%zu", d->name, i + 1), d->examples[i],
		       d->examples[i]))
			return true;
	return false;
}

static bool each_prompt(struct request *r, prompt_cb cb, void *owner)
{
	const struct catalog *c =
		turns_knowledge(r->transport->options.turns, r->who->tenant)->catalog;
	struct catalog_view view;

	catalog_for(c, r->who, r->arena, &view);
	for (size_t i = 0; i < view.flow_count; i++) {
		const struct flow_def *f = view.flows[i];

		if (f->examples && f->examples[0] && cb(owner, f->name, f->about, f->examples[0]))
			return true;
	}
	for (size_t i = 0; i < view.domain_count; i++)
		if (each_example(view.domains[i], r->arena, cb, owner))
			return true;
	return false;
}

static bool add_prompt(void *owner, const char *name, const char *about, const char *question)
{
	json_push_take(owner, json_make({"name", json_str(name)}, {"title", json_str(question)},
					{"description", json_str(about)}));
	return false;
}

void mcp_prompts_list(struct mcp_request *m)
{
	json_t *list = json_array();

	each_prompt(m->request, add_prompt, list);
	mcp_reply_list(m, json_make({"prompts", list}));
}

struct prompt_search {
	const char *name, *about, *question;
};

static bool match_prompt(void *owner, const char *name, const char *about, const char *question)
{
	struct prompt_search *search = owner;

	if (strcmp(search->name, name) != 0)
		return false;
	search->about = about;
	search->question = question;
	return true;
}

void mcp_prompts_get(struct mcp_request *m)
{
	struct prompt_search search = {
		.name = json_string_value(json_object_get(m->call.params, "name"))};
	json_t *content, *message;

	if (!search.name || !each_prompt(m->request, match_prompt, &search)) {
		mcp_refuse(m, search.name ? "params.name: this prompt does not exist. prompts/list "
					    "lists all prompts."
					  : "params.name: must be a text");
		return;
	}
	content = json_make({"type", json_str("text")}, {"text", json_str(search.question)});
	message = json_make({"role", json_str("user")}, {"content", content});
	mcp_reply(m, json_make({"description", json_str(search.about)},
			       {"messages", json_list_of(message)}));
}
