/* Runs the plan: each task is one tool call or an agent's loop. Results keep the order of the
 * plan. */
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
	struct plan_run *plan;
	struct task *task;
};

static void show_rows(struct turn *t, const struct task *task, struct result *r)
{
	if (flow_shows_table(t->work.plan, task->group ? task->group : task->id))
		return; /* a component shows it once all results have arrived */
	if (r->table_count > 0 && r->tables[0]->row_count > 0)
		answer_emit_view(&t->for_answer, r);
}

/* Shows the main table of each result with rows at once. If a clarifying question may end the plan,
 * tables are held back until it has ended. Other tables only feed derived facts and components. */
static void show(struct turn *t, const struct task *task, struct result *r)
{
	r->task = task->id;
	if (!plan_has_questions(t->work.plan))
		show_rows(t, task, r);
}

static void show_deferred_tables(struct turn *t)
{
	const struct plan *p = t->work.plan;

	for (size_t i = 0; plan_has_questions(p) && i < p->count; i++)
		for (size_t k = 0; k < p->tasks[i].result_count; k++)
			show_rows(t, &p->tasks[i], p->tasks[i].results[k]);
}

/* ---- failed and skipped tasks are reported ---- */

/* The agent's subject: the first clause of its description ("Use of Power BI reports and
 * dashboards"). */
static const char *subject_of(const struct turn *t, const char *agent)
{
	const struct domain_def *d = catalog_domain_of_agent(t->core.may.catalog, agent);
	size_t n = d ? strcspn(d->about, ":.") : 0;

	return n ? arena_strndup(t->core.arena, d->about, n) : agent;
}

static struct result *error_result(struct turn *t, const struct task *task, const char *detail)
{
	const struct tool_def *tool =
		task->tool ? catalog_tool(t->core.may.catalog, task->tool) : NULL;
	struct result *r = result_new(t->core.arena);

	r->language = t->core.may.catalog->language;
	r->call = arena_printf(t->core.arena, "c%d", t->work.next_call++);
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

static void add_result(struct turn *t, struct task *task, struct result *r)
{
	struct result **all =
		arena_alloc(t->core.arena, sizeof(struct result *) * (task->result_count + 1));

	for (size_t i = 0; i < task->result_count; i++)
		all[i] = task->results[i];
	all[task->result_count++] = r;
	task->results = all;
}

static void add_failed_result(struct turn *t, struct task *task)
{
	add_result(
		t, task,
		error_result(t, task,
			     turn_sentence(&t->core, SAY_TASK_FAILED, subject_of(t, task->agent))));
}

static void add_skipped_result(struct turn *t, struct task *task)
{
	const struct tool_def *tool =
		task->tool ? catalog_tool(t->core.may.catalog, task->tool) : NULL;
	const char *what = tool ? tool->about : subject_of(t, task->agent);

	add_result(
		t, task,
		error_result(t, task,
			     turn_sentence(&t->core, SAY_TASK_SKIPPED,
					   arena_strndup(t->core.arena, what, strcspn(what, ":.")),
					   task_skip_text(task, t->core.may.catalog->language,
							  t->core.arena))));
}

static const char *left_out_text(struct turn *t, const struct task *task)
{
	return turn_sentence(&t->core, SAY_TASK_LEFT_OUT,
			     arena_printf(t->core.arena, "%zu", task->left_out));
}

static void on_tool(void *owner, struct result *r)
{
	struct task_run *run = owner;
	struct turn *t = run->turn;

	if (run->task->left_out > 0)
		result_add_fact(r, t->core.arena,
				(struct fact){.name = RESULT_VALUES_LEFT_OUT,
					      .label = "left out",
					      .value = left_out_text(t, run->task)});
	run->task->results = arena_alloc(t->core.arena, sizeof(struct result *));
	run->task->results[0] = r;
	run->task->result_count = 1;
	r->task = run->task->id;
	agent_tool_ended(t->core.sink, t->core.may.catalog->language,
			 catalog_tool(t->core.may.catalog, r->tool), r, NULL);
	show(t, run->task, r);
	plan_task_done(run->plan, run->task, outcome_is_usable(r->outcome.kind));
}

static void ask_question_of_agent(struct turn *t, const struct agent_ask *ask)
{
	const struct turn_ask asked = {
		.input = ask->input,
		.filter = ask->filter,
		.options = ask->options,
		.option_count = ask->option_count,
		.min = ask->min,
		.max = ask->max,
		.min_date = ask->min_date,
		.max_date = ask->max_date,
		.hint = ask->hint,
		.skip = ask->skip,
	};

	reply_with_agent_question(&t->for_dialog, ask->question, &asked);
}

/* Shows components first, then the tables that no component shows. */
static void show_agent_results(struct turn *t, const struct task *task,
			       const struct agent_outcome *out)
{
	const struct shown *shown[AGENT_SHOWS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < out->show_count; i++) {
		const char *id = arena_printf(t->core.arena, "%s-show%zu", task->id, i + 1);

		shown[n] = answer_component_by_name(&t->for_answer, id, out->shows[i].component,
						    out->shows[i].results, out->shows[i].count);
		n += shown[n] != NULL;
	}
	for (size_t i = 0; i < out->result_count; i++) {
		struct result *r = out->results[i];
		bool is_shown = false;

		for (size_t k = 0; k < n && !is_shown; k++)
			is_shown = r->table_count > 0 && shown_has_table(shown[k], r->tables[0]);
		r->task = task->id;
		if (!is_shown)
			show(t, task, r);
	}
}

/* Adds the fact that the search was stopped and its results may be incomplete. */
static void add_stopped_fact(struct turn *t, const struct task *task)
{
	if (task->result_count > 0)
		result_add_fact(task->results[task->result_count - 1], t->core.arena,
				(struct fact){.name = RESULT_SEARCH_STOPPED,
					      .value = turn_sentence(&t->core, SAY_TASK_STOPPED)});
}

/* Agents report the status of their tools. When an agent fails, its results so far are kept. */
static void on_agent(void *owner, const struct agent_outcome *out, const struct err *e)
{
	struct task_run *run = owner;
	struct turn *t = run->turn;

	if (e)
		log_warn("turn.agent", "%s %s: %s", t->core.id.text, run->task->agent, e->text);
	if (e && e->code == ERR_QUOTA)
		answer_set_out_of_budget(&t->for_answer);
	answer_add_usage(&t->for_answer, LLM_AGENT, &out->usage);
	answer_count_calls(&t->for_answer, LLM_AGENT, out->model_calls);
	run->task->results = out->results;
	run->task->result_count = out->result_count;
	show_agent_results(t, run->task, out);
	agent_ended(t->core.sink, t->core.may.catalog->language,
		    &(struct agent_step){
			    .id = run->task->id, .agent = run->task->agent, .task = run->task->id},
		    subject_of(t, run->task->agent), e != NULL);
	if (out->ask)
		ask_question_of_agent(t, out->ask);
	if (out->stopped)
		add_stopped_fact(t, run->task);
	if (e)
		add_failed_result(t, run->task);
	plan_task_done(run->plan, run->task, !e);
}

/* The parsed filters as text for an agent's model. */
static const char *filters_prompt_text(struct turn *t)
{
	const char *kept = NULL;
	struct json_out j;
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	for (size_t i = 0; i < t->reading.understood.filter_count; i++) {
		const struct filter *f = &t->reading.understood.filters[i];

		buf_printf(&text, "%s%s = ", i ? "; " : "Filters: ", f->name);
		jo_init(&j, &text);
		nlu_filter_value(f, &j);
	}
	if (text.n)
		kept = arena_strdup(t->core.arena, buf_text(&text));
	buf_deinit(&text);
	return kept;
}

/* A model that a tool has asked. */
static void on_tool_used(void *owner, const struct llm_usage *usage)
{
	struct turn *t = owner;

	answer_count_calls(&t->for_answer, LLM_ROUTE, 1);
	answer_add_usage(&t->for_answer, LLM_ROUTE, usage);
}

static struct op *on_run_task(void *owner, struct plan_run *plan, struct task *task)
{
	struct turn *t = owner;
	struct task_run *run = arena_alloc(t->core.arena, sizeof(*run));
	struct tool_request tool = {
		.turn_id = t->core.id.text,
		.agent = task->agent,
		.tool = task->tool,
		.args = task->json_args,
		.bound = task->args,
		.who = t->core.who,
		.today = t->core.today,
		.model = {.llm = t->answers.llm,
			  .budget_owner = &t->answer.budget_owner,
			  .trail = &t->answer.trail,
			  .deadline_ms = t->core.began_ms + t->answers.deadline_ms,
			  .used = on_tool_used,
			  .owner = t},
	};
	struct agent_request agent = {
		.turn_id = t->core.id.text,
		.agent = task->agent,
		.question = t->core.request.content,
		.context = task->tool ? NULL : filters_prompt_text(t),
		.earlier = plan_dependency_results(t->work.plan, task, t->core.arena),
		.may = &t->core.may,
		.who = t->core.who,
		.today = t->core.today,
		.deadline_ms = t->core.began_ms + t->answers.deadline_ms,
		.sink = t->core.sink,
		.next_call = &t->work.next_call,
		.prompt_tokens = t->answers.prompt_tokens,
		.budget_owner = &t->answer.budget_owner,
		.trail = &t->answer.trail,
		.task = task->id,
	};
	const struct agent_step step = {.id = task->id, .agent = task->agent, .task = task->id};

	*run = (struct task_run){t, plan, task};
	if (!task->tool) {
		agent_started(t->core.sink, t->core.may.catalog->language, &step,
			      subject_of(t, task->agent));
		return agent_start(t->answers.llm, t->core.tools, &agent, t->core.arena, on_agent,
				   run);
	}
	tool.call = arena_printf(t->core.arena, "c%d", t->work.next_call++);
	agent_tool_started(t->core.sink, t->core.may.catalog->language,
			   &(struct agent_step){.id = tool.call,
						.agent = task->agent,
						.task = task->id,
						.args = tool.args,
						.bound = tool.bound},
			   catalog_tool(t->core.may.catalog, task->tool));
	return tool_start(t->core.tools, &tool, t->core.arena, on_tool, run);
}

static void on_plan_done(void *owner)
{
	struct turn *t = owner;

	t->work.run = NULL;
	t->machine.pending--;
	turn_wake(t);
}

static void collect(struct turn *t)
{
	size_t n = 0;

	/* Drops the results of an earlier plan, which did not answer the question. */
	t->work.result_count = 0;
	for (size_t i = 0; i < t->work.plan->count; i++)
		if (t->work.plan->tasks[i].state == TASK_SKIPPED &&
		    t->work.plan->tasks[i].result_count == 0 &&
		    t->work.plan->tasks[i].skipped != SKIP_UNNEEDED)
			add_skipped_result(t, &t->work.plan->tasks[i]);
	for (size_t i = 0; i < t->work.plan->count; i++)
		n += t->work.plan->tasks[i].result_count;
	t->work.results = arena_alloc(t->core.arena, sizeof(*t->work.results) * (n + 1));
	for (size_t i = 0; i < t->work.plan->count; i++)
		for (size_t k = 0; k < t->work.plan->tasks[i].result_count; k++)
			t->work.results[t->work.result_count++] = t->work.plan->tasks[i].results[k];
}

enum turn_state step_run(struct turn *t)
{
	if (!t->machine.started) {
		t->machine.started = true;
		t->machine.pending++;
		t->work.run = plan_start(t->core.all->loop, t->work.plan, t->core.arena,
					 on_run_task, on_plan_done, t);
		return TURN_WAIT;
	}
	collect(t);
	if (t->work.plan->open) {
		ask_plan_question(&t->for_dialog, t->work.plan);
		return TURN_ANSWER;
	}
	show_deferred_tables(t);
	answer_components(&t->for_answer);
	if (t->dialog.reply.text) {
		ask_user(&t->for_dialog, t->dialog.reply.text, &t->dialog.reply.ask);
		return TURN_ANSWER;
	}
	if (t->work.result_count == 0 && t->answer.out_of_budget)
		return turn_end_quota(t);
	return recovery_is_due(&t->for_dialog) ? TURN_RECOVER : TURN_SYNTH;
}
