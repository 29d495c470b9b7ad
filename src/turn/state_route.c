/*
 * From words to a plan. Code reads the question first; what it is sure of becomes a plan without
 * any model. Otherwise the supervisor is asked, where there is one; where there is none, code does
 * what it can or asks back.
 */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"

static enum turn_state reply_with(struct turn *t, enum message_status status, const char *text)
{
	t->reply = (struct turn_reply){.text = text, .status = status};
	return TURN_ANSWER;
}

static enum turn_state ask_back(struct turn *t, const struct clarification *c)
{
	const struct turn_ask ask = {
		.input = c->input,
		.filter = c->filter,
		.options = c->options,
		.option_count = c->option_count,
		.min = c->min,
		.max = c->max,
	};

	return ask_user(t, c->text, &ask);
}

/* What Vesper can be asked, in the examples of the domains that this caller may use. */
static const char *help_text(struct turn *t, const char *lead)
{
	struct buf b;
	const char *text;

	buf_init(&b, 16384);
	buf_str(&b, lead);
	for (size_t i = 0; i < t->may.domain_count; i++) {
		const struct domain_def *d = t->may.domains[i];

		buf_printf(&b, "%s- %s", i == 0 ? "\n\n" : "\n", d->about);
		if (d->examples && d->examples[0])
			buf_printf(&b, " For example: *%s*", d->examples[0]);
	}
	if (t->may.domain_count == 0)
		buf_str(&b, "\n\nNo data is open to you yet: ask an administrator for a role.");
	text = arena_strdup(t->arena, buf_text(&b));
	buf_deinit(&b);
	return text;
}

/* ---- plans ---- */

static struct plan *plan_new(struct turn *t, enum plan_origin origin, size_t count)
{
	struct plan *p = arena_alloc(t->arena, sizeof(*p));

	p->id = "p1";
	p->origin = origin;
	p->tasks = arena_alloc(t->arena, sizeof(*p->tasks) * count);
	return p;
}

static struct task *plan_add(struct turn *t, struct plan *p, const char *agent)
{
	struct task *task = &p->tasks[p->count++];

	task->id = arena_printf(t->arena, "t%zu", p->count);
	task->agent = agent;
	return task;
}

static enum turn_state run(struct turn *t, struct plan *p)
{
	if (!plan_check(p, t->arena, &t->err)) {
		turn_end_error(t, &t->err);
		return TURN_FAILED;
	}
	if (turn_plan_unaffordable(t, p)) /* what was found before is told */
		return t->result_count > 0 ? TURN_SYNTH : turn_end_quota(t);
	t->plan = p;
	say_phase(t, "planning",
		  p->count == 1 ? "Planned one step"
				: arena_printf(t->arena, "Planned %zu steps", p->count));
	return TURN_RUN;
}

static enum turn_state run_understood(struct turn *t)
{
	const struct understanding *u = &t->understood;
	struct plan *p = plan_new(t, PLAN_ROUTER, u->tool_count);

	for (size_t i = 0; i < u->tool_count && i < PLAN_TASKS_MAX; i++) {
		struct task *task = plan_add(t, p, u->tools[i].agent);

		task->tool = u->tools[i].tool->name;
		task->args = &u->tools[i].args;
	}
	return run(t, p);
}

/* Without a model: what code understood, unless that ignores words of the question. */
static enum turn_state run_or_say(struct turn *t)
{
	return t->understood.unused_count > 0 ? unused_reply(t) : run_understood(t);
}

/* ---- UNDERSTAND ---- */

/* ---- a plan that is run again ---- */

/* The plan that stands, if it answers what is asked now. */
static const json_t *standing_plan(const struct turn *t)
{
	const struct turn_answer *a = &t->answered;
	const json_t *plan = a->plan ? a->plan : json_object_get(t->standing, "plan");
	const char *question = json_string_value(json_object_get(plan, "question"));
	const char *asked = t->request.content;

	if (!a->edits || !question || !steps_allowed(t, json_object_get(plan, "steps")))
		return NULL;
	return a->answers || !*asked || strcmp(asked, question) == 0 ? plan : NULL;
}

/* The same steps with other filters; no model is asked. */
static enum turn_state run_again(struct turn *t, const json_t *plan, const json_t *edits,
				 enum filter_source source)
{
	const char *question = json_string_value(json_object_get(plan, "question"));
	const char *intent = json_string_value(json_object_get(plan, "intent"));
	json_t *steps = json_own(t->arena, json_deep_copy(json_object_get(plan, "steps")));
	json_t *filters = json_own(t->arena, json_deep_copy(json_object_get(plan, "filters")));
	struct clarification ask;
	bool known;

	filters_edit(filters, edits);
	steps_edit(steps, edits);
	steps_understood(t, intent ? intent : "general", steps);
	known = steps_resolve(t, steps, filters, &ask);
	steps_keep(t, question, steps, filters);
	filters_show(t, steps_filters(t, steps, filters), edits, source);
	if (!known)
		return ask_back(t, &ask);
	return run(t, steps_plan(t, PLAN_ASK, steps, filters));
}

static struct know_input input_of(const struct turn *t)
{
	return (struct know_input){
		.question = t->request.content,
		.tenant = t->who->tenant,
		.may = &t->may,
		.today = t->today,
		.calendar = t->all->calendar,
		.standing = t->standing,
		.edited_filters = t->answered.edits,
	};
}

static void understand(struct turn *t)
{
	const struct know_input in = input_of(t);

	know_understand(t->knowledge->set.know, &in, t->arena, &t->understood);
	t->intent = t->understood.intent;
	if (t->understood.filter_count > 0)
		say_filters(t);
}

/* The tool that the question is for although this caller may not use it; NULL: there is none. Only
 * code's own sure reading counts, and nothing of it is run. */
static const struct know_tool *forbidden_tool(struct turn *t)
{
	struct catalog_view all;
	struct understanding u;
	struct know_input in = {.question = t->request.content,
				.tenant = t->who->tenant,
				.may = &all,
				.today = t->today,
				.calendar = t->all->calendar};

	if (t->all->hide_existence ||
	    (t->understood.confidence >= KNOW_SURE && t->understood.kind == KNOW_DATA))
		return NULL;
	catalog_all(t->may.catalog, t->arena, &all);
	if (all.tool_count == t->may.tool_count)
		return NULL;
	know_understand(t->knowledge->set.know, &in, t->arena, &u);
	if (u.tool_count == 0 || u.confidence < KNOW_SURE ||
	    catalog_allows(&t->may, u.tools[0].tool, NULL))
		return NULL;
	return &u.tools[0];
}

/* Two halves, of which the second takes a value from the first. */
static bool run_chain(struct turn *t, enum turn_state *next)
{
	json_t *steps;

	if (!chain_understand(t, &steps))
		return false;
	steps_keep(t, t->request.content, steps, json_own(t->arena, json_object()));
	say_filters(t);
	*next = run(t, steps_plan(t, PLAN_ROUTER, steps, json_object_get(t->spec, "filters")));
	return true;
}

/* Code alone finds no tool. That a model would have been asked is not the question's fault. */
static enum turn_state reply_unmatched(struct turn *t, bool model_is_away)
{
	return reply_with(
		t, MESSAGE_COMPLETE,
		help_text(t,
			  model_is_away
				  ? "The model that reads such questions can't be asked right now, "
				    "and by rules alone I could not match this one to the data I "
				    "know. Please try again later, or ask about:"
				  : "I could not match that to the data I know. I can answer "
				    "questions about:"));
}

static void on_names(void *owner)
{
	struct turn *t = owner;

	t->op = NULL;
	t->pending--;
	turn_wake(t);
}

/* True: *next is the state that the turn stays in or goes to, because the names of the tenant's
 * data are not loaded. */
static bool waits_for_names(struct turn *t, enum turn_state *next)
{
	struct name_book *names = know_names(t->knowledge->set.know);

	if (name_book_loaded(names, t->who->tenant))
		return false;
	*next = TURN_FAILED;
	if (t->started) {
		log_warn("turn.names", "%s: the names of %s are not loaded", t->id.text,
			 t->who->tenant);
		t->end = (struct turn_end){
			.failed = true,
			.retryable = true,
			.error_code = "upstream",
			.error_text = "The names in your data are not loaded yet, and without them "
				      "your question could be misread. Please ask again in a few "
				      "seconds.",
		};
		return true;
	}
	t->started = true;
	t->pending++;
	say_phase(t, "understanding", "Loading the names in your data");
	t->op = name_book_wait(names, t->all->loop, t->who->tenant, on_names, t);
	*next = TURN_WAIT;
	return true;
}

enum turn_state step_understand(struct turn *t)
{
	const struct understanding *u = &t->understood;
	const json_t *filters, *plan;
	const struct know_tool *forbidden;
	struct know_input in;
	enum turn_state next;

	if (waits_for_names(t, &next))
		return next;
	if (!ask_read(t, &t->answered))
		return TURN_FAILED;
	if (t->answered.outside)
		return ask_again(t);
	filters = t->answered.edits;
	plan = standing_plan(t);
	if (plan)
		return run_again(t, plan, filters,
				 t->answered.answers ? SOURCE_SAID : SOURCE_EDITED);
	in = input_of(t);
	if (!filters && (guard_refuses(t, &in, NULL, &next) || run_chain(t, &next)))
		return next;
	understand(t);
	forbidden = forbidden_tool(t);
	if (forbidden)
		return guard_forbids(t, forbidden);
	if (!filters && guard_refuses(t, &in, u, &next))
		return next;
	if (u->kind == KNOW_GREETING)
		return reply_with(t, MESSAGE_COMPLETE, help_text(t, "Hello! Ask me about:"));
	if (u->kind == KNOW_TERM)
		return reply_with(t, MESSAGE_COMPLETE, u->reply);
	if (u->kind == KNOW_ORDER)
		return suggest_end(t, u->reply);
	if (u->foreign && !turn_may_ask_model(t))
		return suggest_end_in(t, u->foreign);
	if (u->kind == KNOW_HELP)
		return reply_with(t, MESSAGE_COMPLETE,
				  help_text(t, "I answer questions from governed data:"));
	if (u->tool_count > 0 && (u->confidence >= KNOW_SURE || filters))
		return run_understood(t);
	if (u->ask.text && !t->off_topic &&
	    (u->ask.unknown || u->confidence >= KNOW_SURE || !turn_may_ask_model(t)))
		return ask_back(t, &u->ask);
	if (turn_may_ask_model(t))
		return TURN_ROUTE;
	if (u->tool_count > 0)
		return run_or_say(t);
	if (turn_budget_used_up(t))
		return turn_end_quota(t);
	return reply_unmatched(t, t->all->llm != NULL);
}

/* ---- ROUTE ---- */

static void on_route_end(void *owner, const struct llm_answer *answer, bool shown,
			 const struct err *e)
{
	struct turn *t = owner;

	(void)shown;
	t->op = NULL;
	t->pending--;
	llm_usage_add(&t->usage[LLM_ROUTE], &answer->usage);
	t->route_text = e ? "" : llm_answer_text(answer, t->arena);
	if (e)
		t->err = *e;
	turn_wake(t);
}

/* The model's own question, with the choices that it knows. */
static enum turn_state ask_for_model(struct turn *t, const struct route *r)
{
	size_t n = json_array_size(r->options);
	struct suggestion *options = arena_alloc(t->arena, (n + 1) * sizeof(*options));
	struct clarification ask = {.text = r->clarification, .options = options};

	for (size_t i = 0; i < n && ask.option_count < ASK_OPTIONS_MAX; i++) {
		const char *text = json_string_value(json_array_get(r->options, i));

		if (text && *text)
			options[ask.option_count++] =
				(struct suggestion){.value = text, .label = text};
	}
	return ask_back(t, &ask);
}

static bool is_taken(const struct turn *t, const json_t *steps, const char *filter)
{
	const json_t *step;
	size_t i;

	json_array_foreach((json_t *)steps, i, step) {
		const char *tool = json_string_value(json_object_get(step, "tool"));

		if (!tool || tool_param_of_filter(catalog_tool(t->may.catalog, tool), filter))
			return true;
	}
	return false;
}

/* What code has read stands without being repeated, as far as a step takes it; what the model says
 * goes over it. */
static json_t *filters_of_route(struct turn *t, const struct understanding *u,
				const struct route *r)
{
	json_t *filters = json_own(t->arena, json_object()), *value;
	const char *name;

	json_object_foreach(t->known, name, value)
		if (is_taken(t, r->steps, name))
			json_object_set(filters, name, value);
	for (size_t i = 0; i < u->filter_count; i++)
		if (u->filters[i].source == SOURCE_ALIAS)
			json_set_str(t->aliases, u->filters[i].name, "alias");
	for (size_t i = 0; i < u->heard_count; i++)
		if (u->heard[i].source == SOURCE_ALIAS)
			json_set_str(t->aliases, u->heard[i].name, "alias");
	filters_edit(filters, r->filters);
	return filters;
}

/* What the model named, as tasks: its tools with their filters, and a loop for each agent that has
 * no tool. */
static bool run_route(struct turn *t, const struct understanding *u, const struct route *r,
		      enum turn_state *next, struct err *e)
{
	json_t *filters = filters_of_route(t, u, r);
	struct clarification ask;
	struct plan *p;
	bool known;

	steps_understood(t, r->intent, r->steps);
	known = steps_resolve(t, r->steps, filters, &ask);
	steps_keep(t, t->request.content, r->steps, filters);
	filters_show(t, steps_filters(t, r->steps, filters), NULL, SOURCE_SAID);
	if (!known) {
		*next = ask_back(t, &ask);
		return true;
	}
	p = steps_plan(t, PLAN_SUPERVISOR, r->steps, filters);
	if (!plan_check(p, t->arena, e))
		return false;
	*next = run(t, p);
	return true;
}

/* The supervisor could not be used: what code understood must do. */
static enum turn_state route_without_model(struct turn *t, const struct err *e)
{
	bool is_quota = e->code == ERR_QUOTA;
	bool is_away = e->code == ERR_UPSTREAM || e->code == ERR_TIMEOUT;

	log_warn("turn.route", "%s without the supervisor: %s", t->id.text, e->text);
	t->err.code = ERR_NONE;
	if (t->recovery.done)
		return TURN_SYNTH; /* what code chose was run already, and says what it can */
	if (t->off_topic)
		return guard_refuse(t, t->off_topic);
	if (t->understood.tool_count > 0)
		return run_or_say(t);
	if (t->understood.ask.text)
		return ask_back(t, &t->understood.ask);
	if (is_quota)
		return turn_end_quota(t);
	return reply_unmatched(t, is_away);
}

enum turn_state step_route(struct turn *t)
{
	const struct understanding understood = t->understood;
	enum turn_state next;
	struct route r;

	if (!t->started) {
		static const struct llm_handler handler = {.on_end = on_route_end};

		t->started = true;
		t->pending++;
		t->calls[LLM_ROUTE]++;
		t->known = json_own(t->arena, know_values(&t->understood));
		t->op = llm_start(t->all->llm, prompt_supervisor(t), t->arena, &handler, t);
		vet_begin(t);
		return TURN_WAIT;
	}
	if (t->vet.refuses) {
		t->err.code = ERR_NONE; /* how the supervisor ended is of no interest any more */
		return guard_refuse(t, &t->vet.refusal);
	}
	if (t->err.code != ERR_NONE)
		return route_without_model(t, &t->err);
	if (!route_parse(t->route_text, strlen(t->route_text), &t->may, t->arena, &r, &t->err))
		return route_without_model(t, &t->err);
	t->intent = r.intent;
	if (r.clarification)
		return ask_for_model(t, &r);
	if (json_array_size(r.steps) == 0)
		return t->off_topic && !t->recovery.done ? guard_refuse(t, t->off_topic)
							 : TURN_SYNTH;
	if (run_route(t, &understood, &r, &next, &t->err))
		return next;
	t->understood = understood; /* no plan that can be run: code does what it can */
	t->spec = NULL;
	return route_without_model(t, &t->err);
}
