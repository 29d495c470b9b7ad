/* Questions that find something, for one that found nothing: each is run as it would be if it were
 * asked, and offered only where there were rows. */
#include "recovery_int.h"

#include <string.h>

#include "vesper/limits.h"

struct probe {
	struct turn *turn;
	struct task *task;
};

static void on_probed(void *owner, struct result *r)
{
	struct probe *probe = owner;

	probe->task->results = arena_alloc(probe->turn->arena, sizeof(struct result *));
	probe->task->results[0] = r;
	probe->task->result_count = 1;
	plan_task_done(probe->turn->run, probe->task, true);
}

static struct op *on_run_probe(void *owner, struct task *task)
{
	struct turn *t = owner;
	struct probe *probe = arena_alloc(t->arena, sizeof(*probe));
	const struct tool_request request = {
		.turn_id = t->id.text,
		.call = task->id,
		.agent = task->agent,
		.tool = task->tool,
		.bound = task->args,
		.who = t->who,
		.today = t->today,
		.timeout_ms = RECOVER_PROBE_MS,
		.is_probe = true,
	};

	*probe = (struct probe){t, task};
	return tool_start(t->knowledge->set.tools, &request, t->arena, on_probed, probe);
}

static void on_probes_done(void *owner)
{
	struct turn *t = owner;

	t->run = NULL;
	t->pending--;
	turn_wake(t);
}

static void add_probe(struct turn *t, const char *question)
{
	struct plan *p = t->mend.probes;
	struct understanding u;

	for (size_t i = 0; i < p->count; i++)
		if (strcmp(t->mend.questions[i], question) == 0)
			return;
	if (p->count == RECOVER_PROBES_MAX || strcmp(question, t->request.content) == 0 ||
	    !suggest_read(t, question, &u) || u.tool_count != 1)
		return;
	t->mend.questions[p->count] = question;
	p->tasks[p->count++] = (struct task){
		.id = arena_printf(t->arena, "s%zu", p->count),
		.agent = u.tools[0].agent,
		.tool = u.tools[0].tool->name,
		.args = &u.tools[0].args,
		.depends_on = arena_alloc(t->arena, sizeof(char *)),
	};
}

/* Follow-ups of what found nothing, then what its domain says one can ask. */
bool recover_start_probes(struct turn *t, const struct result *lack)
{
	const struct domain_def *d = catalog_domain_of_agent(t->may.catalog, lack->agent);
	const char *questions[RECOVER_PROBES_MAX];
	size_t n = view_suggested(lack, t->arena, questions, RECOVER_PROBES_MAX);

	t->mend.questions = arena_alloc(t->arena, sizeof(char *) * RECOVER_PROBES_MAX);
	t->mend.probes = arena_alloc(t->arena, sizeof(struct plan));
	*t->mend.probes = (struct plan){
		.id = "s",
		.origin = PLAN_ROUTER,
		.tasks = arena_alloc(t->arena, sizeof(struct task) * RECOVER_PROBES_MAX),
	};
	for (size_t i = 0; i < n; i++)
		add_probe(t, questions[i]);
	for (size_t i = 0; d && d->examples && d->examples[i]; i++)
		add_probe(t, d->examples[i]);
	if (t->mend.probes->count == 0 || !plan_check(t->mend.probes, t->arena, &t->err)) {
		t->err.code = ERR_NONE;
		t->mend.probes->count = 0;
		return false;
	}
	t->pending++;
	t->run =
		plan_start(t->all->loop, t->mend.probes, t->arena, on_run_probe, on_probes_done, t);
	return true;
}

void recover_take_probes(struct turn *t)
{
	const struct plan *p = t->mend.probes;
	size_t found = 0;

	for (size_t i = 0; i < p->count && found < SUGGEST_MAX; i++)
		if (p->tasks[i].result_count > 0 && recover_has_rows(p->tasks[i].results[0])) {
			suggest_add(t, t->mend.questions[i], t->mend.questions[i]);
			found++;
		}
	if (found > 0)
		t->mend.text = suggest_text(t, "There is data for:\n");
}
