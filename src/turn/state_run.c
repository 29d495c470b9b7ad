/* Runs the plan: each task is one tool call or an agent's own loop. What comes back is kept in the
 * order of the plan. */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/agent.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

struct task_run {
	struct turn *turn;
	struct task *task;
};

static bool is_usable(const struct result *r)
{
	switch (r->outcome.kind) {
	case OUTCOME_ROWS:
	case OUTCOME_EMPTY:
	case OUTCOME_NO_DATA:
	case OUTCOME_OUT_OF_WINDOW:
		return true;
	default:
		return false;
	}
}

/* The main table of each result with rows is shown at once; the others serve the derived facts. */
static void show(struct turn *t, const struct task *task, struct result *r)
{
	r->task = task->id;
	if (r->table_count > 0 && r->tables[0]->row_count > 0)
		say_view(t, r);
}

/* ---- what could not be looked up is said, not hidden ---- */

/* "Use of Power BI reports and dashboards": what the agent is for, in its first clause. */
static const char *subject_of(const struct turn *t, const char *agent)
{
	const struct domain_def *d = catalog_domain_of_agent(t->may.catalog, agent);
	size_t n = d ? strcspn(d->about, ":.") : 0;

	return n ? arena_strndup(t->arena, d->about, n) : agent;
}

static struct result *missing(struct turn *t, const struct task *task, const char *detail)
{
	const struct tool_def *tool = task->tool ? catalog_tool(t->may.catalog, task->tool) : NULL;
	struct result *r = result_new(t->arena);

	r->call = arena_printf(t->arena, "c%d", t->next_call++);
	r->task = task->id;
	r->agent = task->agent;
	r->tool = task->tool ? task->tool : task->agent;
	r->about = tool ? tool->about : subject_of(t, task->agent);
	r->outcome = (struct outcome){
		.kind = OUTCOME_ERROR,
		.retryable = task->state != TASK_SKIPPED,
		.detail = detail,
		.code = "RETRIEVAL_FAILED",
	};
	return r;
}

static void keep_result(struct turn *t, struct task *task, struct result *r)
{
	struct result **all =
		arena_alloc(t->arena, sizeof(struct result *) * (task->result_count + 1));

	for (size_t i = 0; i < task->result_count; i++)
		all[i] = task->results[i];
	all[task->result_count++] = r;
	task->results = all;
}

static void keep_failed(struct turn *t, struct task *task)
{
	keep_result(t, task,
		    missing(t, task,
			    arena_printf(t->arena,
					 "%s: not everything could be looked up just now. Please "
					 "try again.",
					 subject_of(t, task->agent))));
}

static void keep_skipped(struct turn *t, struct task *task)
{
	const struct tool_def *tool = task->tool ? catalog_tool(t->may.catalog, task->tool) : NULL;
	const char *what = tool ? tool->about : subject_of(t, task->agent);

	keep_result(t, task,
		    missing(t, task,
			    arena_printf(t->arena, "Not looked up: %.*s. The reason: %s.",
					 (int)strcspn(what, ":."), what, task->why)));
}

static void on_tool(void *owner, struct result *r)
{
	struct task_run *run = owner;
	struct turn *t = run->turn;

	run->task->results = arena_alloc(t->arena, sizeof(struct result *));
	run->task->results[0] = r;
	run->task->result_count = 1;
	agent_tool_ended(t->sink, r);
	show(t, run->task, r);
	plan_task_done(t->run, run->task, is_usable(r));
}

/* Agents say the status of their tools themselves. A failing agent leaves what it gathered. */
static void on_agent(void *owner, const struct agent_outcome *out, const struct err *e)
{
	struct task_run *run = owner;
	struct turn *t = run->turn;

	if (e)
		log_warn("turn.agent", "%s %s: %s", t->id.text, run->task->agent, e->text);
	t->out_of_budget = t->out_of_budget || (e && e->code == ERR_QUOTA);
	llm_usage_add(&t->usage[LLM_AGENT], &out->usage);
	t->calls[LLM_AGENT] += out->model_calls;
	run->task->results = out->results;
	run->task->result_count = out->result_count;
	for (size_t i = 0; i < out->result_count; i++)
		show(t, run->task, out->results[i]);
	if (out->ask && !t->reply.text)
		t->reply = (struct turn_reply){
			.text = arena_strdup(t->arena, out->ask),
			.status = MESSAGE_ASK,
			.ask = {.options = out->options, .option_count = out->option_count},
		};
	if (e)
		keep_failed(t, run->task);
	plan_task_done(t->run, run->task, !e);
}

/* What was understood, as an agent's model is told. */
static const char *filters_text(struct turn *t)
{
	const char *kept = NULL;
	struct json_out j;
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	for (size_t i = 0; i < t->understood.filter_count; i++) {
		const struct filter *f = &t->understood.filters[i];

		buf_printf(&text, "%s%s = ", i ? "; " : "Filters: ", f->name);
		jo_init(&j, &text);
		know_filter_value(f, &j);
	}
	if (text.n)
		kept = arena_strdup(t->arena, buf_text(&text));
	buf_deinit(&text);
	return kept;
}

static struct op *on_run_task(void *owner, struct task *task)
{
	struct turn *t = owner;
	struct task_run *run = arena_alloc(t->arena, sizeof(*run));
	struct tool_request tool = {
		.turn_id = t->id.text,
		.agent = task->agent,
		.tool = task->tool,
		.args = task->json_args,
		.bound = task->args,
		.who = t->who,
		.today = t->today,
	};
	struct agent_request agent = {
		.turn_id = t->id.text,
		.agent = task->agent,
		.question = t->request.content,
		.context = task->tool ? NULL : filters_text(t),
		.earlier = plan_earlier(t->plan, task, t->arena),
		.may = &t->may,
		.who = t->who,
		.today = t->today,
		.deadline_ms = t->began_ms + t->all->deadline_ms,
		.sink = t->sink,
		.next_call = &t->next_call,
		.prompt_tokens = t->all->prompt_tokens,
		.payer = &t->payer,
		.trail = &t->trail,
	};

	*run = (struct task_run){t, task};
	if (!task->tool)
		return agent_start(t->all->llm, t->knowledge->set.tools, &agent, t->arena, on_agent,
				   run);
	tool.call = arena_printf(t->arena, "c%d", t->next_call++);
	agent_tool_started(t->sink, tool.call, task->agent,
			   catalog_tool(t->may.catalog, task->tool));
	return tool_start(t->knowledge->set.tools, &tool, t->arena, on_tool, run);
}

static void on_plan_done(void *owner)
{
	struct turn *t = owner;

	t->run = NULL;
	t->pending--;
	turn_wake(t);
}

static void collect(struct turn *t)
{
	size_t n = 0;

	t->result_count = 0; /* of an earlier plan, which did not answer the question */
	for (size_t i = 0; i < t->plan->count; i++)
		if (t->plan->tasks[i].state == TASK_SKIPPED)
			keep_skipped(t, &t->plan->tasks[i]);
	for (size_t i = 0; i < t->plan->count; i++)
		n += t->plan->tasks[i].result_count;
	t->results = arena_alloc(t->arena, sizeof(*t->results) * (n + 1));
	for (size_t i = 0; i < t->plan->count; i++)
		for (size_t k = 0; k < t->plan->tasks[i].result_count; k++)
			t->results[t->result_count++] = t->plan->tasks[i].results[k];
}

enum turn_state step_run(struct turn *t)
{
	if (!t->started) {
		t->started = true;
		t->pending++;
		t->run = plan_start(t->all->loop, t->plan, t->arena, on_run_task, on_plan_done, t);
		return TURN_WAIT;
	}
	collect(t);
	if (t->reply.text)
		return ask_user(t, t->reply.text, &t->reply.ask);
	if (t->result_count == 0 && t->out_of_budget)
		return turn_end_quota(t);
	return recover_is_due(t) ? TURN_RECOVER : TURN_SYNTH;
}
