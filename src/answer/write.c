/*
 * Writes the answer: streamed from a model, or by templates when no model is configured or
 * available. Both pass the same checks.
 */
#include "vesper/answer.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/str.h"
#include "vesper/stream.h"

void answer_begin(struct answer_turn *t)
{
	const struct turn_core *core = t->core;

	t->answer->trail.on_request = usage_emit;
	t->answer->trail.owner = t;
	t->answer->links = STR("[]");
	t->answer->budget_owner = (struct budget_owner){
		core->who->tenant, core->who->user, catalog_role_of(core->may.catalog, core->who)};
}

void answer_end(struct answer_turn *t)
{
	buf_deinit(&t->answer->no_answer.held);
	buf_deinit(&t->answer->rewrite.text);
	buf_deinit(&t->answer->continued.held);
	check_end(t);
}

void answer_written_by(struct answer_turn *t, const char *provider, const char *model)
{
	t->answer->provider = arena_strdup(t->core->arena, provider);
	t->answer->model = arena_strdup(t->core->arena, model);
}

void answer_set_author(struct answer_turn *t)
{
	const struct llm_trail_entry *last = t->answer->trail.last;
	bool is_model = last && last->role == LLM_ANSWER && last->provider;

	if (!t->answer->provider)
		answer_written_by(t, is_model ? last->provider : "rules",
				  is_model ? last->model : NULL);
}

/* ---- templates ---- */

static bool asks_for_detail(const struct language *l, const char *question)
{
	for (const char *const *w = l->lists[WORDS_DETAIL]; *w; w++)
		if (str_find_nocase(question, *w))
			return true;
	return false;
}

/* Skips the empty result that a clarifying question is about: the question describes it. */
static size_t template_results(const struct answer_turn *t, const struct result **out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->work->result_count; i++)
		if (t->work->results[i] != t->dialog->recovery_plan.asked ||
		    t->work->results[i]->outcome.kind == OUTCOME_ROWS)
			out[n++] = t->work->results[i];
	return n;
}

/* The flow's suggestions precede those of its tools. */
static void add_followups(struct view_answer *own, const struct view_answer *of_tools,
			  struct arena *a)
{
	struct view_followup *all = arena_alloc(a, SUGGEST_MAX * sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < own->followup_count && n < SUGGEST_MAX; i++)
		all[n++] = own->followups[i];
	for (size_t i = 0; i < of_tools->followup_count && n < SUGGEST_MAX; i++) {
		all[n] = of_tools->followups[i];
		all[n].primary = all[n].primary && n == 0;
		n++;
	}
	own->followups = all;
	own->followup_count = n;
}

static void apply_flow_template(struct answer_turn *t)
{
	struct view_answer *templated = &t->answer->templated, own;

	if (flow_answer(t->work->plan, t->dialog->recovery_plan.asked, t->core->may.catalog,
			t->core->arena, &own))
		t->answer->flow_text = own.markdown;
	else
		own.markdown = templated->markdown;
	add_followups(&own, templated, t->core->arena);
	*templated = own;
}

void answer_template(struct answer_turn *t)
{
	struct arena *a = t->core->arena;
	const struct result **results =
		arena_alloc(a, sizeof(*results) * (t->work->result_count + 1));
	struct view_answer_input in = {
		.results = results,
		.result_count = template_results(t, results),
		.today = t->core->today,
		.language = t->core->may.catalog->language,
		.detail = asks_for_detail(t->core->may.catalog->language, t->core->request.content),
	};

	view_answer(&in, a, &t->answer->templated);
	t->answer->flow_text = NULL;
	if (t->work->plan && t->work->plan->flow)
		apply_flow_template(t);
}

/* Each result is empty and its detail describes the search, so a model has nothing to add. */
static bool all_results_are_empty(const struct answer_turn *t)
{
	for (size_t i = 0; i < t->work->result_count; i++) {
		const struct outcome *o = &t->work->results[i]->outcome;

		if (o->kind != OUTCOME_EMPTY || !o->detail)
			return false;
	}
	return t->work->result_count > 0;
}

bool answer_is_templated(const struct answer_turn *t)
{
	const struct plan *p = t->work->plan;

	return (p && p->flow && !p->flow->by_model) || all_results_are_empty(t);
}

void answer_by_template(struct answer_turn *t)
{
	answer_written_by(t, "rules", NULL);
	t->answer->rewrite.allowed = false;
	if (!check_template(t, &t->answer->templated)) {
		answer_emit_in_chunks(t, t->answer->templated.markdown, check_text);
		check_flush(t);
	}
	check_end(t);
}

bool answer_template_rest(struct answer_turn *t)
{
	t->answer->rewrite.allowed = false;
	if (!answer_emit_rest(t, t->answer->templated.markdown, check_text))
		return false;
	answer_written_by(t, "rules", NULL);
	check_flush(t);
	check_end(t);
	return true;
}

/* ---- model ---- */

struct llm_call *answer_by_model(struct answer_turn *t)
{
	no_answer_begin(t);
	t->answer->written = false;
	t->answer->rewrite.allowed = true;
	answer_count_calls(t, LLM_ANSWER, 1);
	return prompt_answer(t);
}

bool answer_text(struct answer_turn *t, const char *text, size_t len)
{
	struct turn_answer *a = t->answer;
	struct str chunk = {text, len};

	if (a->cut || (a->continued.count == 0 && !no_answer_filter(t, &chunk)))
		return false;
	if (stream_text(t->core->log).n + (a->numbers ? guard_numbers_waiting(a->numbers) : 0) +
		    chunk.n <=
	    ANSWER_BYTES_MAX) {
		if (a->continued.count > 0)
			continue_text(t, chunk.p, chunk.n);
		else
			check_text(t, chunk.p, chunk.n);
	} else
		a->cut = true;
	a->cut = a->cut || a->log_full;
	return a->cut;
}

void answer_ended_early(struct answer_turn *t)
{
	t->answer->cut = true;
}

void answer_finish_text(struct answer_turn *t)
{
	struct str rest;

	if (t->answer->written)
		return;
	t->answer->written = true;
	if (t->answer->continued.count > 0) {
		continue_rest(t);
		check_flush(t);
		return;
	}
	rest = no_answer_rest(t);
	if (rest.n)
		check_text(t, rest.p, rest.n);
	check_flush(t);
}
