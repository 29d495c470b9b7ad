/*
 * Clarifying questions for results without rows: another time if other times have data, or another
 * name if there are similar names. The answer runs only the steps without rows again.
 */
#include "recovery_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define FILTER_FIRST_DAY "date_range_start"
#define FILTER_LAST_DAY  "date_range_end"

static const struct param_def *param_of(const struct dialog_turn *t, const struct result *r)
{
	const struct tool_def *tool = catalog_tool(t->core->may.catalog, r->tool);

	return tool && r->outcome.param ? tool_param(tool, r->outcome.param) : NULL;
}

/* ---- the plan for the answer ---- */

static json_t *value_json(const struct value *v)
{
	switch (v->type) {
	case VALUE_NULL:
		return NULL;
	case VALUE_INT:
		return json_integer(v->number);
	case VALUE_BOOL:
		return json_boolean(v->number != 0);
	default:
		return json_str(v->text);
	}
}

/* The arguments of a call by filter name. */
static json_t *filters_of(const struct tool_def *tool, const struct args *args)
{
	json_t *filters = json_object();

	for (size_t i = 0; i < args->count; i++) {
		const struct arg *arg = &args->items[i];
		const struct param_def *p = tool_param(tool, arg->name);
		json_t *list;

		if (!p)
			continue;
		if (!arg->is_list) {
			json_set_take(filters, p->filter, value_json(&arg->values[0]));
			continue;
		}
		list = json_array();
		for (size_t v = 0; v < arg->count; v++)
			json_push_take(list, value_json(&arg->values[v]));
		json_set_take(filters, p->filter, list);
	}
	return filters;
}

static json_t *step_of(const struct dialog_turn *t, const struct result *r, size_t number)
{
	const struct tool_def *tool = catalog_tool(t->core->may.catalog, r->tool);
	json_t *step = json_object();

	json_set_str(step, "id", arena_printf(t->core->arena, "t%zu", number));
	json_set_str(step, "agent", r->agent);
	json_set_str(step, "tool", r->tool);
	json_set_take(step, "own", filters_of(tool, &r->args));
	return step;
}

/* Returns true when the same answer applies to both results. */
static bool has_same_answer(const struct dialog_turn *t, const struct result *r,
			    const struct result *reference)
{
	const struct param_def *p = param_of(t, r), *reference_param = param_of(t, reference);

	return r && r->outcome.kind == reference->outcome.kind && p && reference_param &&
	       strcmp(p->filter, reference_param->filter) == 0;
}

static const json_t *plan_of(struct dialog_turn *t, json_t *steps)
{
	json_t *plan = json_own(t->core->arena, json_object());

	json_set_str(plan, "question", t->core->request.content);
	json_set_str(plan, "intent", t->reading->intent);
	json_set_take(plan, "filters", json_object());
	json_set_take(plan, "steps", steps);
	return plan;
}

/* The whole plan; the requested filter overrides values fixed in its lines. */
static const json_t *flow_with_override(struct dialog_turn *t)
{
	const struct turn_ask *ask = &t->dialog->recovery_plan.ask;
	json_t *plan = json_own(t->core->arena, json_copy((json_t *)t->work->spec));
	json_t *before = json_object_get(plan, "instead");
	json_t *filters = before ? json_copy(before) : json_array();

	json_push_take(filters, json_str(ask->filter));
	if (ask->end_filter)
		json_push_take(filters, json_str(ask->end_filter));
	json_set_take(plan, "instead", filters);
	return plan;
}

/* All steps to whose results the same answer applies as to `reference`. Returns the whole plan if
 * its steps belong together: a flow, or a plan in which no step found anything. */
static const json_t *plan_for_answer(struct dialog_turn *t, const struct result *reference)
{
	json_t *steps = json_array();

	if (t->work->spec && (t->work->plan->flow || !recovery_any_rows(t))) {
		json_decref(steps);
		return t->work->plan->flow ? flow_with_override(t) : t->work->spec;
	}
	for (size_t i = 0; i < t->work->plan->count; i++) {
		const struct result *r = recovery_result_without_rows(&t->work->plan->tasks[i]);

		if (r && has_same_answer(t, r, reference))
			json_push_take(steps, step_of(t, r, json_array_size(steps) + 1));
	}
	return plan_of(t, steps);
}

/* ---- another time ---- */

/* The range that all results with the same answer cover; if empty, the range of `reference`. */
static void common_range(const struct dialog_turn *t, const struct result *reference, bool numbers,
			 const char **min, const char **max)
{
	const char *first = reference->outcome.range_min, *last = reference->outcome.range_max;

	for (size_t i = 0; i < t->work->plan->count; i++) {
		const struct result *r = recovery_result_without_rows(&t->work->plan->tasks[i]);

		if (!r || !has_same_answer(t, r, reference))
			continue;
		if (strcmp(r->outcome.range_min, first) > 0)
			first = r->outcome.range_min;
		if (strcmp(r->outcome.range_max, last) < 0)
			last = r->outcome.range_max;
	}
	*min = reference->outcome.range_min;
	*max = reference->outcome.range_max;
	if (numbers ? strtoll(first, NULL, 10) <= strtoll(last, NULL, 10)
		    : strcmp(first, last) <= 0) {
		*min = first;
		*max = last;
	}
}

/* Offers every year or month in the range. */
static void ask_number(struct dialog_turn *t, const struct param_def *p, const char *min,
		       const char *max, struct turn_ask *ask)
{
	int64_t first = strtoll(min, NULL, 10), last = strtoll(max, NULL, 10);
	struct suggestion *options;

	if (last - first >= RECOVER_OPTIONS_MAX)
		first = last - RECOVER_OPTIONS_MAX + 1;
	options = arena_alloc(t->core->arena, sizeof(*options) * (size_t)(last - first + 1));
	for (int64_t n = first; n <= last; n++) {
		const char *text = arena_printf(t->core->arena, "%" PRId64, n);

		options[ask->option_count++] = (struct suggestion){.value = text, .label = text};
	}
	ask->input = p->is_list ? ASK_MULTIPLE : ASK_SINGLE;
	ask->options = options;
	ask->min = p->list_min;
	ask->max = p->list_max < ask->option_count ? p->list_max : ask->option_count;
	ask->skip = (struct suggestion){
		.value = options[ask->option_count - 1].value,
		.label = turn_sentence(t->core, SAY_ASK_LATEST_VALUE,
				       options[ask->option_count - 1].value),
	};
}

static const char *iso_text(struct dialog_turn *t, int64_t day)
{
	char iso[DATE_ISO_BYTES];

	date_iso(date_from_days(day), iso);
	return arena_strdup(t->core->arena, iso);
}

static const char *arg_of_filter(struct dialog_turn *t, const struct result *r, const char *filter)
{
	const struct param_def *p =
		tool_param_of_filter(catalog_tool(t->core->may.catalog, r->tool), filter);

	return p ? args_text(&r->args, p->name, t->core->arena) : NULL;
}

/* Offers as many days as requested, up to the last available one. */
static void offer_latest_days(struct dialog_turn *t, const struct result *r, struct turn_ask *ask)
{
	const char *from = arg_of_filter(t, r, FILTER_FIRST_DAY);
	const char *to = arg_of_filter(t, r, FILTER_LAST_DAY), *value = ask->max_date;
	struct date first, last, a, b;
	int64_t begin;

	if (ask->input == ASK_DATE_RANGE && date_parse_iso(ask->min_date, &first) &&
	    date_parse_iso(ask->max_date, &last)) {
		begin = from && to && date_parse_iso(from, &a) && date_parse_iso(to, &b)
				? date_to_days(last) - (date_to_days(b) - date_to_days(a))
				: date_to_days(first);
		if (begin < date_to_days(first))
			begin = date_to_days(first);
		value = arena_printf(t->core->arena, "%s/%s", iso_text(t, begin), ask->max_date);
	}
	ask->skip = (struct suggestion){.value = value,
					.label = turn_sentence(t->core, SAY_ASK_LATEST)};
}

static void ask_days(struct dialog_turn *t, const struct result *r, const struct param_def *p,
		     const char *min, const char *max, struct turn_ask *ask)
{
	const struct tool_def *tool = catalog_tool(t->core->may.catalog, r->tool);
	const char *from = arg_of_filter(t, r, FILTER_FIRST_DAY);
	const char *to = arg_of_filter(t, r, FILTER_LAST_DAY);

	ask->input = ASK_DATE;
	ask->min_date = min;
	ask->max_date = max;
	if (tool_param_of_filter(tool, FILTER_FIRST_DAY) &&
	    tool_param_of_filter(tool, FILTER_LAST_DAY)) {
		ask->filter = FILTER_FIRST_DAY;
		ask->end_filter = FILTER_LAST_DAY;
		if (!from || !to || strcmp(from, to) != 0)
			ask->input = ASK_DATE_RANGE;
	} else {
		ask->filter = p->filter;
	}
	offer_latest_days(t, r, ask);
}

bool recovery_ask_time(struct dialog_turn *t)
{
	const struct result *r = recovery_first_without_rows(t, OUTCOME_OUT_OF_WINDOW);
	const struct param_def *p = r ? param_of(t, r) : NULL;
	struct turn_ask *ask = &t->dialog->recovery_plan.ask;
	const char *min, *max;

	if (!p || !r->outcome.range_min || !r->outcome.range_max)
		return false;
	common_range(t, r, p->type == PARAM_INT, &min, &max);
	*ask = (struct turn_ask){.filter = p->filter,
				 .hint = turn_sentence(t->core, SAY_ASK_LOOK_AGAIN)};
	if (p->type == PARAM_INT)
		ask_number(t, p, min, max, ask);
	else
		ask_days(t, r, p, min, max, ask);
	ask->plan = plan_for_answer(t, r);
	t->dialog->recovery_plan.asked = r;
	t->dialog->recovery_plan.text = turn_sentence(
		t->core, SAY_ASK_WHICH_INSTEAD, recovery_outcome_text(t, r),
		p->type == PARAM_INT
			? p->filter
			: turn_sentence(t->core,
					ask->input == ASK_DATE_RANGE ? SAY_ASK_DAYS : SAY_ASK_DAY));
	return true;
}

/* ---- another name ---- */

static void ask_suggested_name(struct dialog_turn *t, const struct result *r, const char *filter)
{
	struct turn_ask *ask = &t->dialog->recovery_plan.ask;

	*ask = (struct turn_ask){
		.filter = filter,
		.options = r->outcome.suggestions,
		.option_count = r->outcome.suggestion_count,
	};
	ask->plan = plan_for_answer(t, r);
	t->dialog->recovery_plan.asked = r;
}

bool recovery_ask_name(struct dialog_turn *t)
{
	const struct result *r = recovery_first_without_rows(t, OUTCOME_UNKNOWN_ENTITY);
	const struct param_def *p = r ? param_of(t, r) : NULL;

	if (!p || r->outcome.suggestion_count == 0)
		return false;
	ask_suggested_name(t, r, p->filter);
	t->dialog->recovery_plan.text = turn_sentence(
		t->core, SAY_ASK_WHICH_ONE,
		r->outcome.detail ? r->outcome.detail
				  : turn_sentence(t->core, SAY_OUTCOME_UNKNOWN_ENTITY));
	return true;
}

/* Offers names with data instead of a name without data. */
bool recovery_ask_other(struct dialog_turn *t)
{
	const struct result *r = recovery_first_without_rows(t, OUTCOME_NO_DATA);
	const struct param_def *p = r ? param_of(t, r) : NULL;
	const struct dimension_def *d =
		p && p->entity ? catalog_dimension(t->core->may.catalog, p->entity) : NULL;

	if (!d || r->outcome.suggestion_count == 0)
		return false;
	ask_suggested_name(t, r, p->filter);
	t->dialog->recovery_plan.text = turn_sentence(t->core, SAY_ASK_WHICH_INSTEAD,
						      recovery_outcome_text(t, r), d->label);
	return true;
}

/* ---- narrowing a truncated result ---- */

bool recovery_ask_narrower(struct dialog_turn *t)
{
	const struct result *r = recovery_truncated(t);
	const struct param_def *p = r ? param_of(t, r) : NULL;
	json_t *steps;

	if (!p)
		return false;
	steps = json_array();
	json_push_take(steps, step_of(t, r, 1));
	t->dialog->recovery_plan.ask = (struct turn_ask){
		.filter = p->filter,
		.options = r->outcome.suggestions,
		.option_count = r->outcome.suggestion_count,
		.plan = plan_of(t, steps),
	};
	t->dialog->recovery_plan.asked = r;
	t->dialog->recovery_plan.text = r->outcome.detail;
	return true;
}
