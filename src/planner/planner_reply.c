/*
 * Turns the planner's reply into a plan, and decides on a second plan. The model may not change
 * values given by the user, and nothing runs twice. If a question finds nothing, only the user can
 * change it.
 */
#include "vesper/planner.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/ref.h"

bool planner_read_plan(struct planner_turn *t, const char *text, struct supervisor_reply *out,
		       struct err *e)
{
	const json_t *step;
	size_t i;

	if (!planner_read_reply(t, text, out, e))
		return false;
	if (out->clarification || out->flow || out->plan || json_array_size(out->steps) == 0 ||
	    json_object_size(out->filters) > 0)
		return err_set(e, ERR_UPSTREAM, "the planner's reply has members other than steps");
	json_array_foreach(out->steps, i, step)
		if (!json_object_get(step, "own"))
			return err_set(e, ERR_UPSTREAM,
				       "the planner's reply contains an invalid "
				       "step");
	return true;
}

struct plan *plan_from_planner_reply(struct planner_turn *t, const struct supervisor_reply *r,
				     const json_t *standing, struct clarification *ask)
{
	struct plan *p = plan_from_reply(t, r, standing, ask);

	if (p)
		p->origin = PLAN_PLANNER;
	return p;
}

bool planner_check_waves(struct plan *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].wave >= PLAN_WAVES_MAX)
			p->flaw = PLAN_TOO_LARGE;
	return p->flaw == PLAN_VALID;
}

/* ---- the second plan ---- */

static const char *text_of(const json_t *v, struct arena *a)
{
	return json_is_integer(v) ? arena_printf(a, "%lld", (long long)json_integer_value(v))
				  : json_string_value(v);
}

static bool is_same_value(const json_t *given, const json_t *expected, struct arena *a)
{
	const char *x = text_of(given, a), *y = text_of(expected, a);

	return x && y ? strcasecmp(x, y) == 0 : json_equal((json_t *)given, (json_t *)expected);
}

/* Returns true when the value is one of those given, or all of them. */
static bool is_given_value(const json_t *given, const json_t *expected, struct arena *a)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(given))
		return is_same_value(given, expected, a);
	if (json_is_array(expected)) {
		json_array_foreach(expected, i, item)
			if (!ref_of(item) && !is_given_value(given, item, a))
				return false;
		return true;
	}
	json_array_foreach(given, i, item)
		if (is_same_value(item, expected, a))
			return true;
	return false;
}

/* Returns true when a step replaces a given value, including by a result of an earlier step. */
static bool replaces_given_value(const struct planner_turn *t, const struct supervisor_reply *r)
{
	const json_t *step, *expected;
	const char *name;
	size_t i;

	json_array_foreach(r->steps, i, step)
		json_object_foreach(json_object_get(step, "own"), name, expected) {
			const json_t *given = filters_find(t->reading->known, name);

			if (given &&
			    (ref_of(expected) || !is_given_value(given, expected, t->core->arena)))
				return true;
		}
	return false;
}

static bool has_run(const struct plan *ended, const struct task *new)
{
	for (size_t i = 0; i < ended->count; i++) {
		const struct task *old = &ended->tasks[i];

		if (old->state == TASK_SKIPPED || strcmp(old->agent, new->agent) != 0)
			continue;
		if (!old->tool && !new->tool)
			return true;
		if (old->tool && new->tool && strcmp(old->tool, new->tool) == 0 &&
		    json_equal((json_t *)old->json_args, (json_t *)new->json_args))
			return true;
	}
	return false;
}

struct plan *plan_from_replan(struct planner_turn *t, const struct supervisor_reply *r,
			      const struct plan *ended, const json_t *standing)
{
	struct clarification unclear;
	struct plan *p;
	struct task *all;
	size_t n = 0;

	if (replaces_given_value(t, r))
		return NULL;
	p = plan_from_planner_reply(t, r, standing, &unclear);
	if (!p)
		return NULL;
	all = arena_alloc(t->core->arena, (ended->count + p->count) * sizeof(*all));
	for (; n < ended->count; n++)
		all[n] = ended->tasks[n];
	for (size_t i = 0; i < p->count; i++)
		if (!has_run(ended, &p->tasks[i]))
			all[n++] = p->tasks[i];
	p->id = "p2";
	p->tasks = all;
	p->count = n;
	return n > ended->count ? p : NULL;
}

bool planner_may_run(const struct planner_turn *t)
{
	const char *question = t->core->request.content;

	return question &&
	       nlu_clause_count(t->core->nlu, question, t->core->arena) >= PLANNER_CLAUSES_MIN;
}
