/* `vesperctl flow run`: a flow on the configured sources, in this process and without a model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "opened.h"
#include "vesper/answer.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/planner.h"

#define QUESTION_OPEN 3 /* exit status */

struct flow_run {
	struct opened opened;
	struct arena *arena;
	struct principal who;
	struct date today;
	struct catalog_view may;
	const struct flow_def *flow;
	json_t *filters; /* in the arena */
	struct plan *plan;
	int calls;
};

struct call {
	struct flow_run *run;
	struct plan_run *plan;
	struct task *task;
};

/* ---- running ---- */

static void on_result(void *owner, struct result *r)
{
	struct call *c = owner;

	c->task->results = arena_alloc(c->run->arena, sizeof(r));
	c->task->results[0] = r;
	c->task->result_count = 1;
	plan_task_done(c->plan, c->task, outcome_is_usable(r->outcome.kind));
}

static struct op *on_task(void *owner, struct plan_run *plan, struct task *task)
{
	struct flow_run *r = owner;
	struct call *c = arena_alloc(r->arena, sizeof(*c));
	struct tool_request request = {
		.call = arena_printf(r->arena, "c%d", ++r->calls),
		.agent = task->agent,
		.tool = task->tool,
		.args = task->json_args,
		.who = &r->who,
		.today = r->today,
	};

	*c = (struct call){r, plan, task};
	return tool_start(r->opened.tools, &request, r->arena, on_result, c);
}

static void on_end(void *owner)
{
	struct flow_run *r = owner;

	loop_stop(r->opened.loop);
}

static bool run(struct flow_run *r, struct err *e)
{
	r->plan = flow_plan(r->flow, &r->may, r->filters, r->today, r->arena);
	for (size_t i = 0; i < r->plan->count; i++)
		if (!r->plan->tasks[i].tool && !r->plan->tasks[i].ask)
			return err_set(e, ERR_INPUT, "%s: %s is an agent, which needs a model",
				       r->flow->name, r->plan->tasks[i].agent);
	if (!plan_check(r->plan, r->arena, e))
		return false;
	plan_start(r->opened.loop, r->plan, r->arena, on_task, on_end, r);
	loop_run(r->opened.loop);
	return true;
}

/* ---- what it gives ---- */

static const char *state_name(enum task_state s)
{
	return s == TASK_COMPLETED ? "completed" : s == TASK_SKIPPED ? "skipped" : "failed";
}

static json_t *task_json(const struct flow_run *run, const struct task *t)
{
	const struct result *r = t->result_count > 0 ? t->results[0] : NULL;
	json_t *out = json_object(), *facts = json_object();

	json_set_str(out, "id", t->id);
	json_set_str(out, "tool", t->tool);
	json_set_str(out, "state", state_name(t->state));
	if (t->state == TASK_SKIPPED)
		json_set_str(out, "why",
			     task_why_skipped(t, run->opened.catalog->language, run->arena));
	if (r) {
		json_set_str(out, "outcome", outcome_name(r->outcome.kind));
		json_set_take(
			out, "rows",
			json_integer(r->table_count > 0 ? (json_int_t)r->tables[0]->row_count : 0));
	}
	for (size_t i = 0; r && i < r->fact_count; i++)
		json_set_str(facts, r->facts[i].name, r->facts[i].value);
	json_set_take(out, "facts", facts);
	return out;
}

static json_t *suggestions(const struct view_answer *v)
{
	json_t *all = json_array();

	for (size_t i = 0; i < v->followup_count; i++)
		json_push_take(all, json_make({"label", json_str(v->followups[i].label)},
					      {"question", json_str(v->followups[i].question)},
					      {"primary", json_boolean(v->followups[i].primary)}));
	return all;
}

static bool has_failed(const struct plan *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].state == TASK_FAILED)
			return true;
	return false;
}

static void print_run(const struct flow_run *r, bool as_json)
{
	json_t *tasks = json_array();
	struct view_answer said;

	(void)flow_answer(r->plan, NULL, r->opened.catalog, r->arena, &said);
	for (size_t i = 0; i < r->plan->count; i++)
		if (!r->plan->tasks[i].ask)
			json_push_take(tasks, task_json(r, &r->plan->tasks[i]));
	if (as_json)
		ctl_print_json(json_make(
			{"flow", json_str(r->flow->name)}, {"filters", json_incref(r->filters)},
			{"tasks", json_incref(tasks)}, {"text", json_str(said.markdown)},
			{"suggestions", suggestions(&said)}));
	else
		fputs(said.markdown, stdout);
	json_decref(tasks);
}

/* The choices that there are, a line each. */
static void print_question(const struct flow_run *r)
{
	struct turn_ask ask;

	ask_from_plan(r->plan, r->today, r->opened.catalog->language, r->arena, &ask);
	printf("%s (%s=...)\n", ask.question, ask.filter);
	for (size_t i = 0; i < ask.option_count; i++)
		printf("  %s%s%s\n", ask.options[i].value, ask.options[i].group ? "  " : "",
		       ask.options[i].group ? ask.options[i].group : "");
	if (ask.min_date && ask.max_date)
		printf("  %s to %s\n", ask.min_date, ask.max_date);
}

/* ---- the command line ---- */

/* A filter of several values is given by repeating its name. */
static bool read_filters(struct flow_run *r, const struct command *cmd, struct err *e)
{
	const char *word;

	for (size_t n = 2; (word = ctl_word(cmd, n)); n++) {
		size_t length = strcspn(word, "=");
		const char *name = arena_strndup(r->arena, word, length);
		json_t *before = json_object_get(r->filters, name);

		if (!word[length] || !flow_takes(r->flow, name))
			return err_set(e, ERR_INPUT, "%s: not filter=value of %s", word,
				       r->flow->name);
		if (before && !json_is_array(before)) {
			before = json_list_of(json_incref(before));
			json_set_take(r->filters, name, before);
		}
		if (before)
			json_push_take(before, json_str(word + length + 1));
		else
			json_set_str(r->filters, name, word + length + 1);
	}
	return true;
}

static bool begin(struct flow_run *r, const struct command *cmd, struct err *e)
{
	const char *tenant = ctl_option(cmd, "tenant", "vesper"), *name = ctl_word(cmd, 1), *today;

	r->arena = arena_new(TURN_ARENA_BYTES);
	r->filters = json_own(r->arena, json_object());
	r->today = clock_today();
	if (!opened_begin(&r->opened, e) || !opened_tools(&r->opened, tenant, e) ||
	    !ctl_principal(r->opened.catalog, ctl_option(cmd, "role", "admin"), tenant, &r->who, e))
		return false;
	today = ctl_option(cmd, "today", config_text(r->opened.config, "today"));
	if (*today && !date_parse_iso(today, &r->today))
		return err_set(e, ERR_INPUT, "--today: \"%s\" is not a date like 2026-02-27",
			       today);
	if (!opened_has_tenant(&r->opened, tenant))
		return err_set(e, ERR_INPUT, "there is no tenant %s", tenant);
	catalog_for(r->opened.catalog, &r->who, r->arena, &r->may);
	r->flow = catalog_flow_in(&r->may, name);
	if (!r->flow)
		return err_set(e, ERR_INPUT, "there is no flow %s (vesperctl flow list lists them)",
			       name);
	return read_filters(r, cmd, e);
}

int ctl_flow_run(const struct command *cmd)
{
	struct flow_run r = {0};
	struct err e = {0};
	int status;

	if (!ctl_word(cmd, 1))
		return ctl_misused(cmd, "which flow?");
	if (!begin(&r, cmd, &e) || !run(&r, &e)) {
		status = ctl_fail("%s", e.text);
	} else if (r.plan->open) {
		print_question(&r);
		status = QUESTION_OPEN;
	} else {
		print_run(&r, ctl_flag(cmd, "json"));
		status = has_failed(r.plan);
	}
	arena_free(&r.arena);
	opened_close(&r.opened);
	return status;
}
