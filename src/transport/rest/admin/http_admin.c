/* Actions of a tenant's administrators: switch tools, delete a user's data. */
#include "rest/http_route.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/strlist.h"

/* ---- tools ---- */

static json_t *switch_json(const char *agent, const char *tool, bool enabled)
{
	json_t *row = json_object();

	json_set_str(row, "agent", agent);
	json_set_str(row, "tool", tool);
	json_set_bool(row, "enabled", enabled);
	return row;
}

static const struct catalog *catalog_of(const struct request *r)
{
	return turns_knowledge(r->transport->options.turns, r->who->tenant)->catalog;
}

void on_get_admin_tools(struct request *r)
{
	const struct catalog *c = catalog_of(r);
	json_t *body = json_object(), *data = json_array();
	struct catalog_view all;

	catalog_for_all(c, r->arena, &all);
	for (size_t i = 0; i < all.tool_count; i++) {
		const struct tool_def *t = all.tools[i];

		for (const char *const *agent = t->callers.agents; *agent; agent++)
			json_push_take(data,
				       switch_json(*agent, t->name,
						   !switches_are_off(c->switches, r->who->tenant,
								     *agent, t->name)));
	}
	json_set_take(body, "data", data);
	reply_json(r, 200, body);
}

static bool is_switch(const struct request *r, const char *agent, const char *tool)
{
	const struct tool_def *t = catalog_tool(catalog_of(r), tool);

	return t && t->callers.visible && strlist_has(t->callers.agents, agent);
}

static void on_switched(void *owner, const struct err *e)
{
	struct request *r = owner;
	const struct transport_options *o = &r->transport->options;
	struct tool_switch change = {.agent = r->params[0], .tool = r->params[1]};

	if (reply_failed(r, e))
		return;
	change.enabled = json_is_true(json_object_get(r->body, "enabled"));
	o->switched(o->switch_owner, r->who->tenant, &change);
	reply_json(r, 200, switch_json(change.agent, change.tool, change.enabled));
}

static bool enabled_parse(const json_t *body, bool *out, struct err *e)
{
	static const char *const names[] = {"enabled", NULL};

	return json_check_members(body, names, e) && json_opt_bool(body, "enabled", out, e) &&
	       (json_object_get(body, "enabled") ||
		err_set(e, ERR_INPUT, "enabled: must be true or false"));
}

void on_put_admin_tool(struct request *r)
{
	struct tool_switch change = {.agent = r->params[0], .tool = r->params[1]};
	struct err e;

	if (!is_switch(r, change.agent, change.tool))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else if (!enabled_parse(r->body, &change.enabled, &e))
		reply_invalid(r, &e);
	else
		r->op = store_switch(r->transport->options.store, r->who, &change, on_switched, r);
}

/* ---- a user's data ---- */

static struct principal user_named(const struct request *r)
{
	return (struct principal){.user = r->params[0], .tenant = r->who->tenant};
}

static void on_user_deleted(void *owner, const struct err *e)
{
	struct request *r = owner;
	const struct principal deleted_user = user_named(r);

	if (reply_failed(r, e))
		return;
	turns_evict(r->transport->options.turns, NULL, &deleted_user);
	reply_empty(r, 204);
}

/* The answer is the same whether or not the user had any data. */
void on_delete_admin_user(struct request *r)
{
	const struct principal deleted_user = user_named(r);

	turn_cancel(r->transport->options.turns, NULL, &deleted_user, CANCEL_USER, NULL, NULL);
	r->op = store_user_delete(r->transport->options.store, r->who, r->params[0],
				  on_user_deleted, r);
}
