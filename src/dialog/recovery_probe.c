/* Finds alternatives for a question without results. Each candidate question is run as if it had
 * been asked, and offered only if it has rows. */
#include "recovery_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/tool.h"
#include "vesper/view.h"

struct probe {
	struct dialog_turn *turn;
	struct plan_run *run;
	struct task *task;
};

static void on_probed(void *owner, struct result *r)
{
	struct probe *probe = owner;

	probe->task->results = arena_alloc(probe->turn->core->arena, sizeof(struct result *));
	probe->task->results[0] = r;
	probe->task->result_count = 1;
	plan_task_done(probe->run, probe->task, true);
}

static struct op *on_run_probe(void *owner, struct plan_run *run, struct task *task)
{
	struct dialog_turn *t = owner;
	struct probe *probe = arena_alloc(t->core->arena, sizeof(*probe));
	const struct tool_request request = {
		.turn_id = t->core->id.text,
		.call = task->id,
		.agent = task->agent,
		.tool = task->tool,
		.bound = task->args,
		.who = t->core->who,
		.today = t->core->today,
		.timeout_ms = RECOVER_PROBE_MS,
		.is_probe = true,
	};

	*probe = (struct probe){t, run, task};
	return tool_start(t->core->tools, &request, t->core->arena, on_probed, probe);
}

static void on_probes_done(void *owner)
{
	struct dialog_turn *t = owner;

	t->dialog->recovery_plan.run = NULL;
	t->core->operations.ended(t->core->operations.turn);
}

static void add_probe(struct dialog_turn *t, const char *question)
{
	struct plan *p = t->dialog->recovery_plan.probes;
	struct understanding u;

	for (size_t i = 0; i < p->count; i++)
		if (strcmp(t->dialog->recovery_plan.questions[i], question) == 0)
			return;
	if (p->count == RECOVER_PROBES_MAX || strcmp(question, t->core->request.content) == 0 ||
	    !suggest_is_understood(t, question, &u) || u.tool_count != 1)
		return;
	t->dialog->recovery_plan.questions[p->count] = question;
	p->tasks[p->count++] = (struct task){
		.id = arena_printf(t->core->arena, "s%zu", p->count),
		.agent = u.tools[0].agent,
		.tool = u.tools[0].tool->name,
		.args = &u.tools[0].args,
		.depends_on = arena_alloc(t->core->arena, sizeof(char *)),
	};
}

bool recovery_start_probes(struct dialog_turn *t, const struct result *without_rows)
{
	const struct domain_def *d =
		catalog_domain_of_agent(t->core->may.catalog, without_rows->agent);
	struct view_followup suggested[RECOVER_PROBES_MAX];
	struct err e = {0};
	size_t n = view_suggested_followups(without_rows, t->core->arena, suggested,
					    RECOVER_PROBES_MAX);

	t->dialog->recovery_plan.questions =
		arena_alloc(t->core->arena, sizeof(char *) * RECOVER_PROBES_MAX);
	t->dialog->recovery_plan.probes = arena_alloc(t->core->arena, sizeof(struct plan));
	*t->dialog->recovery_plan.probes = (struct plan){
		.id = "s",
		.origin = PLAN_ROUTER,
		.tasks = arena_alloc(t->core->arena, sizeof(struct task) * RECOVER_PROBES_MAX),
	};
	for (size_t i = 0; i < n; i++)
		add_probe(t, suggested[i].question);
	for (size_t i = 0; d && d->examples && d->examples[i]; i++)
		add_probe(t, d->examples[i]);
	if (t->dialog->recovery_plan.probes->count == 0 ||
	    !plan_check(t->dialog->recovery_plan.probes, t->core->arena, &e)) {
		t->dialog->recovery_plan.probes->count = 0;
		return false;
	}
	t->core->operations.began(t->core->operations.turn);
	t->dialog->recovery_plan.run = plan_start(t->core->loop, t->dialog->recovery_plan.probes,
						  t->core->arena, on_run_probe, on_probes_done, t);
	return true;
}

void recovery_suggest_probes(struct dialog_turn *t)
{
	const struct plan *p = t->dialog->recovery_plan.probes;
	size_t found = 0;

	for (size_t i = 0; i < p->count && found < SUGGEST_MAX; i++)
		if (p->tasks[i].result_count > 0 && recovery_has_rows(p->tasks[i].results[0])) {
			suggest_add(t, t->dialog->recovery_plan.questions[i],
				    t->dialog->recovery_plan.questions[i]);
			found++;
		}
	if (found > 0)
		t->dialog->recovery_plan.text =
			suggest_text(t, arena_printf(t->core->arena, "%s\n",
						     turn_sentence(t->core, SAY_REPLY_DATA_FOR)));
}

void recovery_cancel(struct dialog_turn *t)
{
	plan_cancel(&t->dialog->recovery_plan.run);
}
