/* Power BI reports, whose token is created when a user opens one. The token is sent only to that
 * user's page. */
#include "http_route.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/strlist.h"

/* A caller may open a report when a tool that links to it is permitted. */
static bool may_open(const struct request *r, const struct catalog *c, const char *key)
{
	for (size_t i = 0; i < c->tool_count; i++) {
		const struct tool_def *t = &c->tools[i];

		if (strlist_has(t->reports, key) && catalog_agent_for(c, t, r->who, NULL))
			return true;
	}
	return false;
}

static void on_embed_token(void *owner, const struct pbi_embed *embed, const struct err *e)
{
	struct request *r = owner;
	char expires_at[CLOCK_RFC3339_BYTES];
	json_t *body;

	if (reply_failed(r, e))
		return;
	clock_rfc3339(embed->expires_ms, expires_at);
	body = json_object();
	json_set_str(body, "report_key", r->params[0]);
	json_set_str(body, "report_id", embed->report_id);
	json_set_str(body, "embed_url", embed->embed_url);
	json_set_str(body, "token", embed->token);
	json_set_str(body, "expires_at", expires_at);
	reply_header(r, "Cache-Control", "no-store");
	reply_json(r, 200, body);
}

static void release(void *pbi)
{
	struct pbi *p = pbi;

	pbi_free(&p);
}

void on_post_report_embed(struct request *r)
{
	const struct transport *t = r->transport;
	const struct catalog *c = turns_knowledge(t->options.turns, r->who->tenant)->catalog;
	const struct report_def *report = catalog_report(c, r->params[0]);

	if (!report)
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else if (!may_open(r, c, report->key))
		reply_problem(r, t->settings->hide_existence ? CODE_NOT_FOUND : CODE_DENIED, NULL);
	else if (!pbi_has(t->pbi, report->menu_key))
		reply_problem(r, CODE_NOT_FOUND,
			      "This report cannot be embedded. Open it with its link.");
	else {
		arena_defer(r->arena, release, pbi_ref(t->pbi));
		r->op = pbi_embed(t->pbi, r->who, report->menu_key, on_embed_token, r);
	}
}
