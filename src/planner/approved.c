/*
 * Matches a plan with approved answers. A plan's calls, chosen by rules or by a model, match an
 * approved answer when each of its lines corresponds to one call. Values fixed in a line must be
 * equal; its slots take the other filters.
 */
#include "vesper/planner.h"

#include <string.h>

#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/ref.h"

#define NUMBER_BYTES 32 /* maximum length of a value as text */

struct matching {
	struct arena *arena;
	json_t *filters;    /* values of the slots */
	size_t fixed_count; /* number of values fixed in the lines */
};

static bool fill_slot(struct matching *m, const char *filter, json_t *value)
{
	const json_t *previous = json_object_get(m->filters, filter);

	if (!previous)
		json_object_set(m->filters, filter, value);
	return !previous || json_equal(previous, value);
}

/* ---- values ---- */

static const char *text_of(const json_t *v, char number[NUMBER_BYTES])
{
	if (json_is_integer(v)) {
		snprintf(number, NUMBER_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		return number;
	}
	if (json_is_boolean(v))
		return json_is_true(v) ? "true" : "false";
	return json_decimal_text(v) ? json_decimal_text(v) : json_string_value(v);
}

static bool is_same_value(const json_t *a, const json_t *b)
{
	char x[NUMBER_BYTES], y[NUMBER_BYTES];
	const char *one, *other;

	if (ref_of(a) || ref_of(b))
		return ref_of(a) && ref_of(b) && strcmp(ref_of(a), ref_of(b)) == 0;
	one = text_of(a, x);
	other = text_of(b, y);
	return one && other && strcmp(one, other) == 0;
}

/* A list of one value equals that value. */
static const json_t *item_at(const json_t *v, size_t i)
{
	return json_is_array(v) ? json_array_get(v, i) : i == 0 ? v : NULL;
}

static bool are_same_values(const json_t *a, const json_t *b)
{
	size_t i = 0;

	for (; item_at(a, i) && item_at(b, i); i++)
		if (!is_same_value(item_at(a, i), item_at(b, i)))
			return false;
	return !item_at(a, i) && !item_at(b, i);
}

static bool has_ref(const json_t *v)
{
	for (size_t i = 0; item_at(v, i); i++)
		if (ref_of(item_at(v, i)))
			return true;
	return false;
}

static bool is_default(const struct param_def *p, const json_t *value)
{
	char number[NUMBER_BYTES];
	const char *text = json_is_array(value) ? NULL : text_of(value, number);

	return p->default_text && text && strcmp(p->default_text, text) == 0;
}

/* ---- tasks ---- */

static const json_t *args_of(const struct task *t, struct arena *a)
{
	json_t *args;

	if (t->json_args || !t->args)
		return t->json_args;
	args = json_own(a, json_object());
	for (size_t i = 0; i < t->args->count; i++)
		json_set_take(args, t->args->items[i].name, arg_json(&t->args->items[i]));
	return args;
}

static bool match_query(struct matching *m, const json_t *line, const json_t *query)
{
	char *text =
		json_is_string(query) ? mem_strdup(json_string_value(query)) : json_text(query);
	bool matches = flow_query_match(json_string_value(line), text, m->filters, m->arena);

	mem_free(text);
	return matches;
}

static bool match_value(struct matching *m, const struct param_def *p, const json_t *line,
			json_t *value)
{
	m->fixed_count += line != NULL;
	if (p->is_query)
		return line && value && match_query(m, line, value);
	if (line)
		return value ? are_same_values(line, value) : is_default(p, line);
	if (!value || is_default(p, value))
		return true;
	return !has_ref(value) && fill_slot(m, p->filter, value);
}

static bool is_same_condition(const char *a, const char *b)
{
	struct str x = str_trim(str_of(a)), y = str_trim(str_of(b));

	return x.n == y.n && memcmp(x.p, y.p, x.n) == 0;
}

static bool match_task(struct matching *m, const struct flow_line *l, const struct task *t)
{
	const json_t *args = args_of(t, m->arena);

	if (!l->tool || !t->tool || strcmp(l->tool->name, t->tool) != 0 || l->each ||
	    t->state != TASK_PENDING ||
	    !is_same_condition(l->condition ? l->condition : "", t->condition ? t->condition : ""))
		return false;
	for (size_t i = 0; i < l->tool->param_count; i++) {
		const struct param_def *p = &l->tool->params[i];

		if (!match_value(m, p, json_object_get(l->values, p->name),
				 json_object_get(args, p->name)))
			return false;
	}
	return true;
}

static bool match_plan(struct matching *m, const struct flow_def *f, const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < f->line_count; i++)
		if (f->lines[i].kind == FLOW_DO &&
		    (n == p->count || !match_task(m, &f->lines[i], &p->tasks[n++])))
			return false;
	return n == p->count;
}

const struct flow_def *approved_match(const struct catalog_view *may, const struct plan *p,
				      struct arena *a, json_t **filters)
{
	const struct flow_def *best = NULL;
	size_t most_fixed = 0;

	if (p->flow) /* the plan is already a flow */
		return NULL;
	for (size_t i = 0; i < may->flow_count; i++) {
		struct matching m = {.arena = a};

		if (!may->flows[i]->own)
			continue;
		m.filters = json_own(a, json_object());
		if (!match_plan(&m, may->flows[i], p) || (best && m.fixed_count <= most_fixed))
			continue;
		best = may->flows[i];
		most_fixed = m.fixed_count;
		*filters = m.filters;
	}
	return best;
}
