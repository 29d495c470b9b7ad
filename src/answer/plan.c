/* The chat.plan event: what the turn is about to run. */
#include "vesper/answer.h"

#include <string.h>

#include "vesper/flow.h"
#include "vesper/json_out.h"

/* The task's subject: the first clause of its tool's or agent's description. */
static void write_about(struct json_out *j, const struct catalog *c, const struct task *t)
{
	const struct tool_def *tool = t->tool ? catalog_tool(c, t->tool) : NULL;
	const struct domain_def *d = t->agent ? catalog_domain_of_agent(c, t->agent) : NULL;
	const char *about = t->ask ? t->ask->text : tool ? tool->about : d ? d->about : "";

	jo_key(j, "about");
	jo_str(j, (struct str){about, t->ask ? strlen(about) : strcspn(about, ":.")});
}

static void write_ids(struct json_out *j, const char *const *ids, const char *const *more)
{
	jo_key(j, "depends_on");
	jo_array(j);
	for (; ids && *ids; ids++)
		jo_str(j, str_of(*ids));
	for (; more && *more; more++)
		jo_str(j, str_of(*more));
	jo_array_end(j);
}

static void write_task(struct json_out *j, const struct catalog *c, const struct task *t)
{
	jo_object(j);
	jo_set_str(j, "id", t->id);
	jo_set_str(j, "kind", t->ask ? "ask" : t->tool ? "tool" : "agent");
	jo_set_str(j, "agent", t->agent);
	jo_set_str(j, "tool", t->tool);
	write_about(j, c, t);
	write_ids(j, t->depends_on, t->waits_for);
	if (t->condition && *t->condition)
		jo_set_str(j, "condition", t->condition);
	jo_set_int(j, "wave", t->wave);
	jo_object_end(j);
}

void answer_emit_plan(struct answer_turn *t, const struct plan *p)
{
	struct json_out j;
	struct buf body;

	if (p->count < 2 && !p->flow)
		return;
	buf_init(&body, SIZE_MAX / 2);
	jo_init(&j, &body);
	jo_object(&j);
	jo_set_str(&j, "plan_id", p->id);
	jo_set_str(&j, "origin", plan_origin_name(p->origin));
	jo_set_str(&j, "flow", p->flow ? p->flow->name : NULL);
	jo_key(&j, "tasks");
	jo_array(&j);
	for (size_t i = 0; i < p->count; i++)
		write_task(&j, t->core->may.catalog, &p->tasks[i]);
	jo_array_end(&j);
	jo_object_end(&j);
	event_emit(t->core->sink,
		   &(struct event){.kind = EVENT_PLAN, .u.plan.body = {buf_text(&body), body.n}});
	buf_deinit(&body);
}
