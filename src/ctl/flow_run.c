/* `vesperctl flow run`: runs a flow on the configured sources, in this process and without a
 * model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "ctl_app.h"
#include "vesper/answer.h"
#include "vesper/clock.h"
#include "vesper/component.h"
#include "vesper/condition.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/planner.h"

/* Exit statuses in addition to 0 and 1. */
#define EXIT_USAGE     2
#define EXIT_QUESTION  3
#define EXIT_UNDECIDED 4 /* with --if */

struct flow_run {
	struct ctl_app app;
	struct arena *arena;
	struct principal who;
	struct date today;
	struct catalog_view may;
	const struct flow_def *flow;
	const struct condition *condition; /* condition of --if; NULL: none */
	json_t *filters;                   /* in the arena */
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
	return tool_start(r->app.tools, &request, r->arena, on_result, c);
}

static void on_end(void *owner)
{
	struct flow_run *r = owner;

	loop_stop(r->app.loop);
}

static bool run_plan(struct flow_run *r, struct err *e)
{
	r->plan = flow_plan(r->flow, &r->may, r->filters, NULL, r->today, r->arena);
	for (size_t i = 0; i < r->plan->count; i++)
		if (!r->plan->tasks[i].tool && !r->plan->tasks[i].ask)
			return err_set(e, ERR_INPUT, "%s: %s is an agent, which needs a model",
				       r->flow->name, r->plan->tasks[i].agent);
	if (!plan_check(r->plan, r->arena, e))
		return false;
	plan_start(r->app.loop, r->plan, r->arena, on_task, on_end, r);
	loop_run(r->app.loop);
	return true;
}

/* ---- output ---- */

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
		json_set_str(out, "why", task_skip_text(t, run->app.catalog->language, run->arena));
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

static json_t *suggestions_json(const struct view_answer *v)
{
	json_t *all = json_array();

	for (size_t i = 0; i < v->followup_count; i++)
		json_push_take(all, json_make({"label", json_str(v->followups[i].label)},
					      {"question", json_str(v->followups[i].question)},
					      {"primary", json_boolean(v->followups[i].primary)}));
	return all;
}

/* The components whose requirements are met. */
static size_t ready_components(const struct flow_run *r, struct shown **out)
{
	struct shown *all;
	size_t n = flow_shown(r->plan, r->arena, &all), count = 0;

	for (size_t i = 0; i < n; i++) {
		const struct component_def *def =
			catalog_component(r->app.catalog, all[i].show->component);

		if (def && !component_missing_prop(def, &all[i]))
			all[count++] = all[i];
	}
	*out = all;
	return count;
}

static json_t *view_json(const struct flow_run *r, const struct shown *s)
{
	const char *id = arena_printf(r->arena, "%s-v1", s->show->id);
	json_t *view = NULL;
	struct err unused = {0};
	struct buf text;

	buf_init(&text, COMPONENT_BYTES_MAX);
	component_view(&text, r->app.catalog, s, id, r->arena);
	if (buf_over(&text) ||
	    !json_parse_exact(buf_text(&text), text.n, COMPONENT_BYTES_MAX, &view, &unused))
		view = NULL;
	buf_deinit(&text);
	return view;
}

static json_t *views_json(const struct flow_run *r)
{
	json_t *all = json_array(), *view;
	struct shown *list;
	size_t n = ready_components(r, &list);

	for (size_t i = 0; i < n; i++)
		if ((view = view_json(r, &list[i])))
			json_push_take(all, view);
	return all;
}

static json_t *tasks_json(const struct flow_run *r)
{
	json_t *all = json_array();

	for (size_t i = 0; i < r->plan->count; i++)
		if (!r->plan->tasks[i].ask)
			json_push_take(all, task_json(r, &r->plan->tasks[i]));
	return all;
}

static void print_json(const struct flow_run *r, const struct view_answer *answer)
{
	ctl_print_json(json_make({"flow", json_str(r->flow->name)},
				 {"filters", json_incref(r->filters)}, {"tasks", tasks_json(r)},
				 {"views", views_json(r)}, {"text", json_str(answer->markdown)},
				 {"suggestions", suggestions_json(answer)}));
}

/* Prints a message: the purpose of the flow, its components as text, its sentences, and suggested
 * questions. */
static void print_markdown(const struct flow_run *r, const struct view_answer *answer)
{
	json_t *all = views_json(r);
	const json_t *view;
	size_t i;

	printf("# %s\n\n", r->flow->about);
	json_array_foreach(all, i, view)
		printf("> %s\n\n", json_string_value(json_object_get(view, "text")));
	fputs(answer->markdown, stdout);
	for (i = 0; i < answer->followup_count; i++)
		printf("%s- %s\n", i == 0 ? "\n" : "", answer->followups[i].question);
	json_decref(all);
}

static void print_run(const struct flow_run *r, const struct command *cmd)
{
	struct view_answer answer;

	(void)flow_answer(r->plan, NULL, r->app.catalog, r->arena, &answer);
	if (ctl_flag(cmd, "json"))
		print_json(r, &answer);
	else if (ctl_flag(cmd, "md"))
		print_markdown(r, &answer);
	else
		fputs(answer.markdown, stdout);
}

/* ---- result ---- */

/* Returns true when the name is the id of the task, or of its group of tasks for several values of
 * a filter. */
static bool has_id_or_group(const struct task *t, const char *name)
{
	return strcmp(t->id, name) == 0 || (t->group && strcmp(t->group, name) == 0);
}

/* Returns true when the task failed, or was skipped because another one failed. */
static bool has_failed(const struct task *t)
{
	return t->state == TASK_FAILED || (t->state == TASK_SKIPPED && t->skipped != SKIP_UNNEEDED);
}

static bool any_failed(const struct plan *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].state == TASK_FAILED)
			return true;
	return false;
}

/* Returns true when a task that the condition names has failed. */
static bool is_undecided(const struct flow_run *r)
{
	for (size_t n = 0; n < r->condition->term_count; n++)
		for (size_t i = 0; i < r->plan->count; i++)
			if (has_id_or_group(&r->plan->tasks[i],
					    r->condition->terms[n].ref.source) &&
			    has_failed(&r->plan->tasks[i]))
				return true;
	return false;
}

static int exit_status(const struct flow_run *r)
{
	const struct ref_scope found = plan_results(r->plan, r->arena);

	if (!r->condition)
		return any_failed(r->plan);
	if (is_undecided(r))
		return EXIT_UNDECIDED;
	return !condition_is_met(r->condition, &found, r->filters, r->arena);
}

/* Prints the question and its options, one a line. */
static void print_question(const struct flow_run *r)
{
	struct turn_ask ask;

	ask_from_plan(r->plan, r->today, r->app.catalog->language, r->arena, &ask);
	printf("%s (%s=...)\n", ask.question, ask.filter);
	for (size_t i = 0; i < ask.option_count; i++)
		printf("  %s%s%s\n", ask.options[i].value, ask.options[i].group ? "  " : "",
		       ask.options[i].group ? ask.options[i].group : "");
	if (ask.min_date && ask.max_date)
		printf("  %s to %s\n", ask.min_date, ask.max_date);
}

/* ---- the command line ---- */

/* A repeated name gives a filter several values. */
static bool read_filters(struct flow_run *r, const struct command *cmd, struct err *e)
{
	const char *word;

	for (size_t n = 2; (word = ctl_arg(cmd, n)); n++) {
		size_t length = strcspn(word, "=");
		const char *name = arena_strndup(r->arena, word, length);
		json_t *values = json_object_get(r->filters, name);

		if (!word[length] || !flow_uses_filter(r->flow, name))
			return err_set(e, ERR_INPUT,
				       "%s: expected filter=value with a filter of %s", word,
				       r->flow->name);
		if (values && !json_is_array(values)) {
			values = json_list_of(json_incref(values));
			json_set_take(r->filters, name, values);
		}
		if (values)
			json_push_take(values, json_str(word + length + 1));
		else
			json_set_str(r->filters, name, word + length + 1);
	}
	return true;
}

/* Each reference must name a task of the flow. */
static bool read_condition(struct flow_run *r, const char *text, struct err *e)
{
	if (!text)
		return true;
	r->condition = condition_read(text, r->arena, e);
	if (!r->condition)
		return err_prefix(e, "--if");
	for (size_t i = 0; i < r->condition->term_count; i++) {
		const struct condition_term *term = &r->condition->terms[i];

		if (term->kind != TERM_MISSING && !flow_task(r->flow, term->ref.source))
			return err_set(e, ERR_INPUT, "--if: %s has no task %s", r->flow->name,
				       term->ref.source);
	}
	return true;
}

/* Returns false on an error; ERR_INPUT: the command line is wrong. */
static bool open_run(struct flow_run *r, const struct command *cmd, struct err *e)
{
	const char *tenant = ctl_option(cmd, "tenant", "vesper"), *name = ctl_arg(cmd, 1);

	r->arena = arena_new(TURN_ARENA_BYTES);
	r->filters = json_own(r->arena, json_object());
	if (!ctl_app_init(&r->app, e) || !ctl_app_open_tools(&r->app, tenant, e) ||
	    !ctl_principal(r->app.catalog, ctl_option(cmd, "role", "admin"), tenant, &r->who, e))
		return false;
	if (!ctl_app_has_tenant(&r->app, tenant))
		return err_set(e, ERR_INPUT, "unknown tenant %s", tenant);
	if (!ctl_today(cmd, r->app.config, tenant, &r->today, e))
		return false;
	catalog_for(r->app.catalog, &r->who, r->arena, &r->may);
	r->flow = catalog_flow_in(&r->may, name);
	if (!r->flow)
		return err_set(e, ERR_INPUT, "unknown flow %s; vesperctl flow list lists all flows",
			       name);
	return read_filters(r, cmd, e) && read_condition(r, ctl_option(cmd, "if", NULL), e);
}

int ctl_flow_run(const struct command *cmd)
{
	int failed = ctl_option(cmd, "if", NULL) ? EXIT_UNDECIDED : 1, status = 0;
	struct flow_run r = {0};
	struct err e = {0};

	if (!ctl_arg(cmd, 1))
		return ctl_usage_error(cmd, "run: name a flow");
	if (!open_run(&r, cmd, &e)) {
		(void)ctl_fail("%s", e.text);
		status = e.code == ERR_INPUT ? EXIT_USAGE : failed;
	} else if (!run_plan(&r, &e)) {
		(void)ctl_fail("%s", e.text);
		status = failed;
	} else if (r.plan->open) {
		print_question(&r);
		status = EXIT_QUESTION;
	} else {
		print_run(&r, cmd);
		status = exit_status(&r);
	}
	arena_free(&r.arena);
	ctl_app_close(&r.app);
	return status;
}
