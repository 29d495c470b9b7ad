/*
 * ROUTE: the supervisor (a model) decides what code left open. When the supervisor is unusable,
 * code runs what it understood or asks a clarifying question.
 */
#include "turn_int.h"

#include "vesper/log.h"

/* ---- transitions shared with UNDERSTAND ---- */

static size_t step_count(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++)
		n += !p->tasks[i].ask;
	return n;
}

enum turn_state turn_run_plan(struct turn *t, struct plan *p)
{
	size_t steps;

	p = plan_prefer_approved(&t->for_planner, p, t->context.standing);
	steps = step_count(p);
	if (!plan_check(p, t->core.arena, &t->machine.err)) {
		turn_end_error(t, &t->machine.err);
		return TURN_FAILED;
	}
	if (turn_plan_unaffordable(t, p)) /* answers with earlier results, if any */
		return t->work.result_count > 0 ? TURN_SYNTH : turn_end_quota(t);
	t->work.plan = p;
	stage_end_passed(&t->for_answer, true);
	stage_begin(&t->for_answer, STAGE_PLANNING);
	answer_emit_phase(&t->for_answer, "planning",
			  steps == 1 ? turn_sentence(&t->core, SAY_PHASE_ONE_STEP)
				     : turn_sentence(&t->core, SAY_PHASE_STEPS,
						     arena_printf(t->core.arena, "%zu", steps)));
	answer_emit_plan(&t->for_answer, p);
	stage_end_plan(&t->for_answer, steps);
	return TURN_RUN;
}

enum turn_state turn_run_understood(struct turn *t)
{
	if (t->reading.understood.unused_count == 0)
		return turn_run_plan(t, plan_from_understanding(&t->for_planner));
	reply_unused_words(&t->for_dialog);
	return TURN_ANSWER;
}

enum turn_state turn_refuse(struct turn *t, const struct refusal *why)
{
	stage_end_passed(&t->for_answer, false);
	answer_emit_view_json(&t->for_answer, NULL, refuse_question(&t->for_dialog, why));
	return TURN_ANSWER;
}

enum turn_state turn_reply_unmatched(struct turn *t, bool model_unavailable)
{
	if (t->reading.understood.reading_count > 0) {
		ask_readings(&t->for_dialog);
		return TURN_ANSWER;
	}
	if (t->reading.understood.unused_count > 0) {
		reply_unused_words(&t->for_dialog);
		return TURN_ANSWER;
	}
	reply_help(&t->for_dialog,
		   turn_sentence(&t->core,
				 model_unavailable ? SAY_REPLY_NO_MODEL : SAY_REPLY_UNMATCHED));
	return TURN_ANSWER;
}

static enum turn_state ask_user_about(struct turn *t, const struct clarification *ask)
{
	ask_clarification(&t->for_dialog, ask);
	return TURN_ANSWER;
}

/* ---- the supervisor ---- */

static void on_route_end(void *owner, const struct llm_answer *answer, bool shown,
			 const struct err *e)
{
	struct turn *t = owner;

	(void)shown;
	t->machine.op = NULL;
	t->machine.pending--;
	answer_add_usage(&t->for_answer, LLM_ROUTE, &answer->usage);
	t->machine.model_text = e ? "" : llm_answer_text(answer, t->core.arena);
	if (e)
		t->machine.err = *e;
	turn_wake(t);
}

static void ask_supervisor(struct turn *t)
{
	static const struct llm_handler handler = {.on_end = on_route_end};

	t->machine.started = true;
	t->machine.planner = false;
	t->machine.pending++;
	stage_end_passed(&t->for_answer, true);
	stage_begin(&t->for_answer, STAGE_PLANNING);
	answer_count_calls(&t->for_answer, LLM_ROUTE, 1);
	planner_collect_known_filters(&t->for_planner);
	context_earlier(&t->for_dialog);
	t->machine.op = llm_start(t->answers.llm, prompt_supervisor(&t->for_answer), t->core.arena,
				  &handler, t);
	guardrail_begin(&t->for_answer);
}

/* Stays in ROUTE. With a finished plan, asks for a plan of what follows. */
static enum turn_state ask_planner(struct turn *t)
{
	static const struct llm_handler handler = {.on_end = on_route_end};

	t->machine.started = true;
	t->machine.planner = true;
	t->machine.pending++;
	stage_begin(&t->for_answer, STAGE_PLANNING);
	answer_count_calls(&t->for_answer, LLM_ROUTE, 1);
	t->machine.op = llm_start(
		t->answers.llm,
		prompt_planner(&t->for_answer, t->machine.replanned ? t->work.plan : NULL),
		t->core.arena, &handler, t);
	return TURN_WAIT;
}

/* The supervisor failed: fall back to what code understood. */
static enum turn_state route_without_model(struct turn *t)
{
	const struct understanding *u = &t->reading.understood;
	enum err_code why = t->machine.err.code;

	log_warn("turn.route", "%s without the supervisor: %s", t->core.id.text,
		 t->machine.err.text);
	t->machine.err.code = ERR_NONE;
	if (t->answer.no_answer.done)
		return TURN_SYNTH; /* the plan of code has run already: answer with its results */
	if (t->dialog.off_topic)
		return turn_refuse(t, t->dialog.off_topic);
	if (u->tool_count > 0)
		return turn_run_understood(t);
	if (u->ask.text)
		return ask_user_about(t, &u->ask);
	if (why == ERR_QUOTA)
		return turn_end_quota(t);
	if (t->machine.flaw != PLAN_VALID) {
		answer_emit_view_json(&t->for_answer, NULL,
				      refuse_plan(&t->for_dialog, t->machine.flaw == PLAN_CYCLE));
		return TURN_ANSWER;
	}
	return turn_reply_unmatched(t, why == ERR_UPSTREAM || why == ERR_TIMEOUT);
}

/* Runs the model's plan; an invalid plan falls back to code. */
static enum turn_state run_route(struct turn *t, const struct supervisor_reply *r)
{
	const struct understanding understood = t->reading.understood;
	struct clarification ask;
	struct plan *p = plan_from_reply(&t->for_planner, r, t->context.standing, &ask);

	if (t->reading.understood.filter_count > 0)
		answer_emit_filters(&t->for_answer);
	if (!p)
		return ask_user_about(t, &ask);
	if (plan_check(p, t->core.arena, &t->machine.err))
		return turn_run_plan(t, p);
	t->machine.flaw = p->flaw;
	planner_discard_plan(&t->for_planner, &understood);
	return route_without_model(t);
}

static bool plan_is_runnable(struct turn *t, struct plan *p)
{
	bool is_valid = plan_check(p, t->core.arena, &t->machine.err) && planner_check_waves(p);

	t->machine.flaw = p->flaw;
	if (!is_valid)
		err_set(&t->machine.err, ERR_UPSTREAM, "the planner's plan is invalid (%d)",
			p->flaw);
	return is_valid;
}

/* An unusable second plan leaves the results of the first. */
static enum turn_state run_replan(struct turn *t)
{
	const struct understanding understood = t->reading.understood;
	json_t *spec = t->work.spec;
	struct supervisor_reply r;
	struct plan *p = NULL;

	if (t->machine.err.code == ERR_NONE &&
	    planner_read_plan(&t->for_planner, t->machine.model_text, &r, &t->machine.err))
		p = plan_from_replan(&t->for_planner, &r, t->work.plan, t->context.standing);
	if (p && plan_is_runnable(t, p))
		return turn_run_plan(t, p);
	log_info("turn.replan", "%s continues without a new plan: %s", t->core.id.text,
		 p || t->machine.err.code ? t->machine.err.text
					  : "it repeats or changes tasks that ran");
	t->machine.err.code = ERR_NONE;
	planner_discard_plan(&t->for_planner, &understood);
	t->work.spec = spec;
	return TURN_RECOVER;
}

static enum turn_state run_planner_reply(struct turn *t)
{
	const struct understanding understood = t->reading.understood;
	struct clarification ask;
	struct supervisor_reply r;
	struct plan *p;

	if (t->machine.err.code != ERR_NONE ||
	    !planner_read_plan(&t->for_planner, t->machine.model_text, &r, &t->machine.err))
		return route_without_model(t);
	p = plan_from_planner_reply(&t->for_planner, &r, t->context.standing, &ask);
	if (t->reading.understood.filter_count > 0)
		answer_emit_filters(&t->for_answer);
	if (!p)
		return ask_user_about(t, &ask);
	if (plan_is_runnable(t, p))
		return turn_run_plan(t, p);
	planner_discard_plan(&t->for_planner, &understood);
	return route_without_model(t);
}

static enum turn_state route(struct turn *t)
{
	const struct guardrail_check *check = &t->answer.guardrail_check;
	const struct refusal *off_topic = t->dialog.off_topic;
	struct supervisor_reply r;

	if (!t->machine.started && t->machine.replanned)
		return ask_planner(t);
	if (!t->machine.started) {
		ask_supervisor(t);
		return TURN_WAIT;
	}
	if (t->machine.planner)
		return t->machine.replanned ? run_replan(t) : run_planner_reply(t);
	if (check->refuses) {
		t->machine.err.code = ERR_NONE; /* the refusal replaces the supervisor's result */
		return turn_refuse(t, &check->refusal);
	}
	if (t->machine.err.code != ERR_NONE ||
	    !planner_read_reply(&t->for_planner, t->machine.model_text, &r, &t->machine.err))
		return route_without_model(t);
	if (r.plan && !planner_may_run(&t->for_planner)) {
		err_set(&t->machine.err, ERR_INPUT,
			"the supervisor requested a plan for a question with too few parts");
		return route_without_model(t);
	}
	if (r.plan)
		return ask_planner(t);
	if (r.clarification) {
		ask_for_model(&t->for_dialog, &r);
		return TURN_ANSWER;
	}
	if (r.flow || json_array_size(r.steps) > 0)
		return run_route(t, &r);
	return off_topic && !t->answer.no_answer.done ? turn_refuse(t, off_topic) : TURN_SYNTH;
}

enum turn_state step_route(struct turn *t)
{
	enum turn_state next = route(t);

	if (next != TURN_WAIT)
		stage_end_plan(&t->for_answer, 0);
	return next;
}
