/*
 * UNDERSTAND: code reads the question. A confident reading becomes a plan without a model. Anything
 * else goes to the supervisor, where one is configured, or becomes a clarifying question.
 */
#include "turn_int.h"

#include <string.h>

#include "vesper/log.h"

/* ---- running a stored plan again ---- */

/* The stored plan if it fits the current question, or NULL. */
static const json_t *context_plan(const struct turn *t)
{
	const struct ask_answer *a = &t->dialog.answered;
	const json_t *plan = a->plan ? a->plan : json_object_get(t->context.standing, "plan");
	const char *question = json_string_value(json_object_get(plan, "question"));
	const char *asked = t->core.request.content;

	if (!a->edits || !question ||
	    stored_state(&t->for_planner, plan, llm_is_usable(t->answers.llm)) != STORED_RUNS)
		return NULL;
	return a->answers || !*asked || strcmp(asked, question) == 0 ? plan : NULL;
}

/* Runs the same steps with changed filters; no model is called. */
static enum turn_state rerun_plan(struct turn *t, const json_t *stored)
{
	const struct ask_answer *a = &t->dialog.answered;
	struct clarification ask;
	struct plan *p = plan_from_stored(&t->for_planner, stored, t->context.standing, a->edits,
					  a->answers ? SOURCE_EXPLICIT : SOURCE_EDITED, &ask);

	if (t->reading.understood.filter_count > 0)
		answer_emit_filters(&t->for_answer);
	if (p)
		return turn_run_plan(t, p);
	ask_clarification(&t->for_dialog, &ask);
	return TURN_ANSWER;
}

/* ---- entity index ---- */

static void on_names(void *owner)
{
	struct turn *t = owner;

	t->machine.op = NULL;
	t->machine.pending--;
	turn_wake(t);
}

/* True: the tenant's entity index is not loaded, and *next is the state to stay in or enter. */
static bool waits_for_names(struct turn *t, enum turn_state *next)
{
	struct entity_index *names = nlu_names(t->core.nlu);
	const char *tenant = t->core.who->tenant;

	if (entity_index_loaded(names, tenant))
		return false;
	*next = TURN_FAILED;
	if (t->machine.started) {
		log_warn("turn.names", "%s: the entity index of tenant %s is not loaded",
			 t->core.id.text, tenant);
		turn_end_set(t, (struct turn_end){
					.failed = true,
					.retryable = true,
					.error_code = "upstream",
					.error_text = turn_sentence(&t->core, SAY_END_NO_NAMES),
				});
		return true;
	}
	t->machine.started = true;
	t->machine.pending++;
	answer_emit_phase(&t->for_answer, "understanding",
			  turn_sentence(&t->core, SAY_PHASE_NAMES));
	t->machine.op = entity_index_wait(names, t->core.loop, tenant, on_names, t);
	*next = TURN_WAIT;
	return true;
}

/* ---- documents ---- */

static void on_reach(void *owner, const struct find_reach *reach)
{
	struct turn *t = owner;

	planner_use_documents(&t->for_planner, reach);
	t->machine.op = NULL;
	t->machine.pending--;
	turn_wake(t);
}

static bool has_documents(const struct turn *t)
{
	for (size_t i = 0; i < t->core.may.tool_count; i++)
		if (tool_is_document(t->core.may.tools[i]))
			return true;
	return false;
}

/* True: a lookup of what the caller's documents cover is running. */
static bool waits_for_documents(struct turn *t)
{
	const struct turn_documents *d = &t->core.all->documents;

	if (!d->reach || t->reading.documents || !has_documents(t) || !t->core.request.content)
		return false;
	t->machine.pending++;
	t->machine.op = d->reach(d->owner, t->core.who, t->core.request.content, t->core.arena,
				 on_reach, t);
	return true;
}

/* ---- the question ---- */

static struct nlu_input input_of(const struct turn *t)
{
	return (struct nlu_input){
		.question = t->core.request.content,
		.tenant = t->core.who->tenant,
		.may = &t->core.may,
		.today = t->core.today,
		.calendar = t->core.calendar,
		.session_context = t->context.standing,
		.edited_filters = t->dialog.answered.edits,
		.documents = t->reading.documents,
	};
}

/* The question has two halves, and the second takes a value from the first. */
static bool run_chain(struct turn *t, enum turn_state *next)
{
	struct plan *p = plan_from_chain(&t->for_planner, t->context.standing);

	if (!p)
		return false;
	answer_emit_filters(&t->for_answer);
	*next = turn_run_plan(t, p);
	return true;
}

static bool refuses(struct turn *t, const struct nlu_input *in, const struct understanding *u,
		    enum turn_state *next)
{
	struct refusal why;

	if (!refusal_check(&t->for_dialog, in, u, answer_may_ask_model(&t->for_answer), &why))
		return false;
	*next = turn_refuse(t, &why);
	return true;
}

/* Refuses a question for a tool that this caller may not use. */
static bool refuse_forbidden_tool(struct turn *t)
{
	const struct nlu_call *tool =
		t->settings->hide_existence ? NULL : planner_forbidden(&t->for_planner);

	if (tool)
		answer_emit_view_json(&t->for_answer, NULL, refuse_forbidden(&t->for_dialog, tool));
	return tool != NULL;
}

/* Replies that need no data. */
static bool reply_without_data(struct turn *t)
{
	const struct understanding *u = &t->reading.understood;

	if (u->kind == NLU_GREETING && u->reply)
		reply_with(&t->for_dialog, MESSAGE_COMPLETE, u->reply);
	else if (u->kind == NLU_GREETING)
		reply_help(&t->for_dialog, turn_sentence(&t->core, SAY_REPLY_HELLO));
	else if (u->kind == NLU_DEFINITION)
		reply_with(&t->for_dialog, MESSAGE_COMPLETE, u->reply);
	else if (u->kind == NLU_COMMAND)
		suggest_and_reply(&t->for_dialog, u->reply);
	else if (u->foreign && !answer_may_ask_model(&t->for_answer))
		suggest_and_reply_without_lead(&t->for_dialog, u->foreign);
	else if (u->kind == NLU_HELP)
		reply_help(&t->for_dialog, turn_sentence(&t->core, SAY_REPLY_HELP));
	else
		return false;
	return true;
}

/* Code recognized a named flow: no model is called. */
static enum turn_state run_flow(struct turn *t)
{
	struct clarification ask;
	struct plan *p = plan_from_named_flow(&t->for_planner, t->context.standing, &ask);

	if (p)
		return turn_run_plan(t, p);
	ask_clarification(&t->for_dialog, &ask);
	return TURN_ANSWER;
}

/* Decides between rules, the supervisor and a clarifying question. */
static enum turn_state choose_route(struct turn *t)
{
	const struct understanding *u = &t->reading.understood;
	bool is_confident = u->confidence >= NLU_CONFIDENT;
	bool may_ask_model = answer_may_ask_model(&t->for_answer);

	if (u->flow)
		return run_flow(t);
	if (u->tool_count > 0 && (is_confident || t->dialog.answered.edits))
		return turn_run_plan(t, plan_from_understanding(&t->for_planner));
	if (u->ask.text && !t->dialog.off_topic &&
	    (u->ask.unknown || is_confident || !may_ask_model)) {
		ask_clarification(&t->for_dialog, &u->ask);
		return TURN_ANSWER;
	}
	if (u->reading_count > 0 && is_confident) {
		ask_readings(&t->for_dialog);
		return TURN_ANSWER;
	}
	if (may_ask_model)
		return TURN_ROUTE;
	if (u->tool_count > 0)
		return turn_run_understood(t);
	if (answer_budget_used_up(&t->for_answer))
		return turn_end_quota(t);
	return turn_reply_unmatched(t, llm_can_answer(t->answers.llm));
}

static enum turn_state decide_from_question(struct turn *t)
{
	const struct nlu_input in = input_of(t);
	const json_t *filters = t->dialog.answered.edits;
	enum turn_state next;

	if (!filters && refuses(t, &in, NULL, &next))
		return next;
	planner_understand(&t->for_planner, &in);
	if (!filters && !t->reading.understood.flow && run_chain(t, &next))
		return next;
	if (!filters && ask_read_values(&t->for_dialog))
		return rerun_plan(t, t->dialog.answered.plan);
	if (t->reading.understood.filter_count > 0)
		answer_emit_filters(&t->for_answer);
	if (!filters && ask_remains_open(&t->for_dialog, answer_may_ask_model(&t->for_answer))) {
		ask_again(&t->for_dialog);
		return TURN_ANSWER;
	}
	if (refuse_forbidden_tool(t))
		return TURN_ANSWER;
	if (!filters && refuses(t, &in, &t->reading.understood, &next))
		return next;
	return reply_without_data(t) ? TURN_ANSWER : choose_route(t);
}

static enum turn_state read_question(struct turn *t)
{
	enum turn_state next;

	stage_begin(&t->for_answer, STAGE_GUARDRAIL);
	next = decide_from_question(t);
	stage_end_passed(&t->for_answer, true);
	return next;
}

/* True: the stored plan of the clarifying question is outdated, because the catalogue has changed
 * since. */
static bool plan_has_changed(struct turn *t)
{
	const struct ask_answer *a = &t->dialog.answered;

	if (!a->answers || !a->plan ||
	    stored_state(&t->for_planner, a->plan, true) != STORED_CHANGED)
		return false;
	ask_reject_changed_plan(&t->for_dialog);
	return true;
}

/* "Selected: X" is read as X when no clarifying question is open or the answer is read as a
 * follow-up. */
static void read_selected(struct turn *t)
{
	const char *selected = t->core.request.content
				       ? ask_selected_value(&t->for_dialog, t->core.request.content)
				       : NULL;

	if (selected && *selected && !ask_has_plan(&t->for_dialog))
		t->core.request.content = selected;
}

enum turn_state step_understand(struct turn *t)
{
	const struct ask_failure *failure = &t->dialog.ask_failure;
	const json_t *plan;
	enum turn_state next;

	if (waits_for_names(t, &next))
		return next;
	if (waits_for_documents(t))
		return TURN_WAIT;
	client_history_read(&t->for_dialog);
	read_selected(t);
	if (!ask_read(&t->for_dialog) || plan_has_changed(t)) {
		turn_end_set(t, (struct turn_end){.failed = true,
						  .error_code = failure->code,
						  .error_text = failure->text});
		return TURN_FAILED;
	}
	if (t->dialog.answered.cancels) {
		ask_cancel(&t->for_dialog);
		return TURN_ANSWER;
	}
	if (t->dialog.answered.rejection_reason) {
		ask_again(&t->for_dialog);
		return TURN_ANSWER;
	}
	plan = context_plan(t);
	return plan ? rerun_plan(t, plan) : read_question(t);
}
