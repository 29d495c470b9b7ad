/*
 * Turns an approved answer into a flow whose lines are the answer's calls. A value from the
 * question, or from the session context it used, becomes a slot: no line sets it, so another
 * question may set another value. All other values are fixed.
 */
#include "catalog_int.h"

#include <ctype.h>
#include <string.h>

#include "vesper/component.h"
#include "vesper/flow.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/ref.h"
#include "vesper/schema.h"

#define VALUE_BYTES 32 /* longest number as text */

struct approver {
	const struct catalog *c;
	const struct approval *from;
	struct arena *arena;
	struct err *e;
	struct flow_def *flow;
	struct flow_line *lines; /* tasks first, then clarifying questions */
	size_t task_count, ask_count;
	json_t *slots;    /* object: filter -> the value given in the question */
	json_t *warnings; /* array of strings */
};

static bool refuse(const struct approver *p, const char *code, const char *why)
{
	return err_set(p->e, ERR_INPUT, "%s: %s", code, why);
}

static void warn(const struct approver *p, const char *text)
{
	json_push_take(p->warnings, json_str(text));
}

/* ---- slots ---- */

static bool is_listed(const json_t *list, const char *filter)
{
	const json_t *name;
	size_t i;

	json_array_foreach((json_t *)list, i, name)
		if (json_is_string(name) && strcmp(json_string_value(name), filter) == 0)
			return true;
	return false;
}

static bool is_named(const json_t *list, const struct tool_def *tool, const struct param_def *p)
{
	const json_t *name;
	size_t i;

	json_array_foreach((json_t *)list, i, name)
		if (json_is_string(name) &&
		    tool_param_of_filter(tool, json_string_value(name)) == p)
			return true;
	return false;
}

/* True if the session context has a filter for this parameter. Defaults are not stored there. */
static bool is_in_context(const struct approver *k, const struct tool_def *tool,
			  const struct param_def *p)
{
	const json_t *filters = json_object_get(k->from->standing, "filters");
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)filters, name, value)
		if (tool_param_of_filter(tool, name) == p)
			return true;
	return false;
}

static bool is_slot(const struct approver *k, const struct tool_def *tool,
		    const struct param_def *p)
{
	if (p->type == PARAM_DATE)
		return true;
	return k->from->slots ? is_named(k->from->slots, tool, p) : is_in_context(k, tool, p);
}

/* A slot has one value per question: that of the first call. Calls with another value for the
 * filter keep it as a fixed value. */
static bool fill_slot(struct approver *k, const struct param_def *p, const json_t *value)
{
	const json_t *before = json_object_get(k->slots, p->filter);

	if (before && !json_equal(before, value)) {
		warn(k, arena_printf(k->arena,
				     "%s: calls use different values; only the first one becomes a "
				     "placeholder, the others stay fixed",
				     p->filter));
		return false;
	}
	json_object_set(k->slots, p->filter, (json_t *)value);
	return true;
}

/* ---- lines ---- */

static json_t *text_of(const json_t *value)
{
	char number[VALUE_BYTES];

	if (json_is_integer(value)) {
		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
			 json_integer_value(value));
		return json_str(number);
	}
	if (json_is_boolean(value))
		return json_str(json_is_true(value) ? "true" : "false");
	if (json_decimal_text(value))
		return json_str(json_decimal_text(value));
	return json_is_string(value) ? json_str(json_string_value(value)) : NULL;
}

static json_t *literal_of(const json_t *value)
{
	const json_t *item;
	json_t *list;
	size_t i;

	if (ref_of(value))
		return ref_json(ref_of(value), 0);
	if (!json_is_array(value))
		return text_of(value);
	list = json_array();
	json_array_foreach((json_t *)value, i, item)
		json_push_take(list, literal_of(item));
	return list;
}

static void add_ask(struct approver *k, const struct param_def *p)
{
	struct flow_line *l = &k->lines[PLAN_TASKS_MAX + k->ask_count];

	for (size_t i = 0; i < k->ask_count; i++)
		if (strcmp(k->lines[PLAN_TASKS_MAX + i].filter, p->filter) == 0)
			return;
	if (k->ask_count == PLAN_LINES_MAX)
		return; /* the loader rejects a required value without a source */
	*l = (struct flow_line){.kind = FLOW_ASK,
				.filter = p->filter,
				.input = p->type == PARAM_DATE ? ASK_DATE
					 : p->is_list          ? ASK_MULTIPLE
							       : ASK_SINGLE,
				.min = p->list_min ? p->list_min : 1,
				.max = p->list_max,
				.text = p->about};
	k->ask_count++;
}

static void add_value(struct approver *k, struct flow_line *l, const struct param_def *p,
		      const json_t *value)
{
	if (!ref_of(value) && is_slot(k, l->tool, p) && fill_slot(k, p, value)) {
		if (p->required)
			add_ask(k, p);
		return;
	}
	json_set_take(l->values, p->name, literal_of(value));
}

/* `by_filter`: the values of a step; otherwise those of a call, by parameter name. */
static void add_values(struct approver *k, struct flow_line *l, const json_t *values,
		       bool by_filter)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)values, name, value) {
		const struct param_def *p =
			by_filter ? tool_param_of_filter(l->tool, name) : tool_param(l->tool, name);

		if (p && !(l->values && json_object_get(l->values, p->name)))
			add_value(k, l, p, value);
	}
}

/* Query values all come from the question. A filter that another call uses stays fixed. */
static bool is_query_slot(const void *owner, const char *filter)
{
	const struct approver *k = owner;

	return !json_object_get(k->slots, filter) &&
	       (!k->from->slots || is_listed(k->from->slots, filter));
}

static bool add_query(struct approver *k, struct flow_line *l, const json_t *values)
{
	const json_t *given = json_object_get(values, l->tool->map);
	char *text =
		json_is_string(given) ? mem_strdup(json_string_value(given)) : json_text(given);
	json_t *slots = NULL;
	const char *query = flow_query_parameterize(k->c, text, is_query_slot, k, k->arena, &slots);

	mem_free(text);
	if (!query)
		return refuse(k, "plan_has_changed", "this answer has no valid query. Ask again.");
	json_set_take(l->values, l->tool->map, json_str(query));
	json_object_update(k->slots, slots);
	if (!flow_query_read(k->c, query, k->arena, &l->slots, &l->slot_count, k->e))
		return err_prefix(k->e, "plan_has_changed");
	for (size_t i = 0; i < l->slot_count; i++)
		add_ask(k, &l->slots[i]);
	return true;
}

static bool add_task(struct approver *k, const char *id, const char *tool)
{
	const struct tool_def *def = tool ? catalog_tool(k->c, tool) : NULL;

	if (!tool)
		return refuse(k, "plan_has_agent",
			      "an agent chose the calls of this answer itself. Only a plan whose "
			      "calls are fixed can be approved.");
	if (!def)
		return refuse(k, "plan_has_changed",
			      "a tool of this answer no longer exists. Ask again.");
	if (def->gate)
		return refuse(k, "plan_has_sql",
			      "this answer uses ad hoc SQL, which can't be approved.");
	if (k->task_count == PLAN_TASKS_MAX)
		return refuse(k, "plan_too_long", "this answer has too many calls.");
	k->lines[k->task_count++] = (struct flow_line){.kind = FLOW_DO,
						       .id = id,
						       .tool = def,
						       .values = json_own(k->arena, json_object())};
	return true;
}

static const char *member(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

/* Values of the step override the filters of the plan. */
static bool add_step(struct approver *k, const json_t *step, const json_t *filters)
{
	const char *id = member(step, "id"), *condition = member(step, "condition");
	struct flow_line *l = &k->lines[k->task_count];
	json_t *all = json_own(k->arena, json_deep_copy(filters));

	if (!add_task(k, id, member(step, "tool")))
		return false;
	json_object_update(all, json_object_get(step, "own"));
	if (l->tool->map && !add_query(k, l, all))
		return false;
	if (!l->tool->map)
		add_values(k, l, all, true);
	l->condition = condition && *condition ? condition : NULL;
	if (json_array_size(json_object_get(step, "depends_on")) > 0 && !l->condition)
		warn(k, arena_printf(k->arena,
				     "%s: the task waits only for the tasks whose values it uses",
				     id));
	return true;
}

static bool add_call(struct approver *k, const json_t *call)
{
	const char *id = arena_printf(k->arena, "t%zu", k->task_count + 1);
	struct flow_line *l = &k->lines[k->task_count];

	if (!add_task(k, id, member(call, "tool")))
		return false;
	if (l->tool->map)
		return add_query(k, l, json_object_get(call, "args"));
	add_values(k, l, json_object_get(call, "args"), false);
	return true;
}

static bool add_tasks(struct approver *k)
{
	const json_t *plan = json_object_get(k->from->standing, "plan"), *one;
	const json_t *steps = json_object_get(plan, "steps"),
		     *list = steps ? steps : k->from->calls;
	size_t i;

	if (json_object_get(plan, "flow"))
		return refuse(k, "plan_is_flow", "this answer already comes from a flow.");
	json_array_foreach((json_t *)list, i, one)
		if (steps ? !add_step(k, one, json_object_get(plan, "filters")) : !add_call(k, one))
			return false;
	return k->task_count > 0 ||
	       refuse(k, "no_plan", "this answer was given without calling a tool.");
}

/* ---- examples ---- */

static bool is_inside(const char *text, const char *at)
{
	return at > text && isalnum((unsigned char)at[-1]);
}

/* Replaces the value in the text with "{filter}". NULL: the text does not contain it. */
static const char *replace_in_text(const struct approver *k, const char *text, const char *filter,
				   const char *value)
{
	size_t n = strlen(value);

	for (const char *at = text; n > 0 && (at = str_find_nocase(at, value)); at++)
		if (!is_inside(text, at) && !isalnum((unsigned char)at[n]))
			return arena_printf(k->arena, "%.*s{%s}%s", (int)(at - text), text, filter,
					    at + n);
	return NULL;
}

static const char *replace_value(const struct approver *k, const char *text, const char *filter,
				 const json_t *value, bool *found)
{
	json_t *word = text_of(value);
	const char *other = word ? replace_in_text(k, text, filter, json_string_value(word)) : NULL;

	json_decref(word);
	*found = *found || other;
	return other ? other : text;
}

/* Dates are recognized anywhere in a question. */
static bool is_date(const struct approver *k, const char *filter)
{
	for (size_t i = 0; i < k->task_count; i++) {
		const struct param_def *p = flow_line_param(&k->lines[i], filter);

		if (p)
			return p->type == PARAM_DATE;
	}
	return false;
}

static const char *make_example(struct approver *k, const char *text, bool warn_missing)
{
	const char *filter;
	json_t *value;

	json_object_foreach(k->slots, filter, value) {
		const json_t *item;
		bool found = false;
		size_t i;

		if (!json_is_array(value))
			text = replace_value(k, text, filter, value, &found);
		json_array_foreach(value, i, item)
			text = replace_value(k, text, filter, item, &found);
		if (!found && warn_missing && !is_date(k, filter))
			warn(k, arena_printf(k->arena,
					     "%s: the question does not contain this value, so its "
					     "words are not replaced with a placeholder",
					     filter));
	}
	return text;
}

/* Makes one line of the text, since the loader reads examples by line. */
static const char *to_one_line(const struct approver *k, const char *text)
{
	char *line = (char *)(uintptr_t)arena_strdup(k->arena, text);

	for (char *p = line; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	return line;
}

static void add_examples(struct approver *k)
{
	size_t n = json_array_size(k->from->examples), count = 0;
	const char **list = arena_alloc(k->arena, (n + 2) * sizeof(*list));

	list[count++] = make_example(k, to_one_line(k, k->from->question), true);
	for (size_t i = 0; i < n; i++)
		list[count++] = make_example(
			k, to_one_line(k, json_string_value(json_array_get(k->from->examples, i))),
			false);
	k->flow->examples = list;
}

/* ---- whole flow ---- */

/* Moves the clarifying questions to the front, in their order. */
static void order_lines(struct approver *k)
{
	struct flow_line *all = arena_alloc(k->arena, FLOW_LINES_MAX * sizeof(*all));

	memcpy(all, k->lines + PLAN_TASKS_MAX, k->ask_count * sizeof(*all));
	memcpy(all + k->ask_count, k->lines, k->task_count * sizeof(*all));
	k->flow->lines = all;
	k->flow->line_count = k->ask_count + k->task_count;
}

bool flow_approve(const struct catalog *c, const struct approval *from, struct arena *a,
		  const char **text, json_t **warnings, struct err *e)
{
	struct flow_def flow = {
		.name = from->name, .by_model = from->by_model, .order = APPROVED_ORDER};
	struct approver k = {
		.c = c,
		.from = from,
		.arena = a,
		.e = e,
		.flow = &flow,
		.lines = arena_alloc(a, FLOW_LINES_MAX * sizeof(*k.lines)),
		.slots = json_own(a, json_object()),
		.warnings = json_own(a, json_array()),
	};
	struct flow_def read;

	if (!add_tasks(&k))
		return false;
	flow.about = to_one_line(&k, from->question);
	flow.agent = k.lines[0].tool->callers.agents[0];
	add_examples(&k);
	order_lines(&k);
	*text = flow_text(&flow, a);
	*warnings = k.warnings;
	return flow_read(c, "", arena_printf(a, "approved/%s", from->name), *text, a, &read, e);
}

/* ---- fingerprint ---- */

static void hash_text(struct hasher *h, const char *text)
{
	hasher_add(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* A renamed or retyped column, or a changed permission, changes a statement's result. */
static void hash_view(struct hasher *h, const struct view_def *v)
{
	hash_text(h, v->name);
	hash_text(h, v->permission);
	for (size_t i = 0; i < v->column_count; i++) {
		const struct view_column *c = &v->columns[i];

		hash_text(h, c->plain);
		hash_text(h, c->permission);
		hash_text(h, c->has_type ? column_type_name(c->type) : NULL);
	}
}

static bool names_view(const struct sql_file *f, const char *view)
{
	for (size_t i = 0; f && i < f->query_count; i++)
		if (sql_query_references(&f->queries[i], view))
			return true;
	return false;
}

static void hash_tool(struct hasher *h, const struct catalog *c, const struct tool_def *t)
{
	const struct schema *s = catalog_schema(c);

	hash_text(h, t->name);
	for (int d = 0; d < DIALECT_COUNT; d++)
		hash_text(h, t->files[d] ? t->files[d]->hash : NULL);
	for (size_t v = 0; v < s->view_count; v++)
		for (int d = 0; d < DIALECT_COUNT; d++)
			if (names_view(t->files[d], s->views[v]->name)) {
				hash_view(h, s->views[v]);
				break;
			}
}

static void hash_component(struct hasher *h, const struct component_def *def)
{
	char *text = def ? json_text(def->schema) : NULL;

	hash_text(h, text);
	mem_free(text);
}

/* Hashes all words used to read questions. */
static void hash_language(struct hasher *h, const struct language *l)
{
	for (size_t i = 0; i < l->synonym_count; i++)
		for (const char *const *w = l->synonyms[i]; *w; w++)
			hash_text(h, *w);
	for (size_t i = 0; i < WORDS_COUNT; i++)
		for (const char *const *w = l->lists[i]; w && *w; w++)
			hash_text(h, *w);
}

const char *flow_fingerprint(const struct catalog *c, const struct flow_def *f, struct arena *a)
{
	struct hasher *h = hasher_new();
	char hex[HASH_HEX_BYTES];

	for (size_t i = 0; i < f->line_count; i++)
		if (f->lines[i].tool)
			hash_tool(h, c, f->lines[i].tool);
		else if (f->lines[i].component)
			hash_component(h, catalog_component(c, f->lines[i].component));
	hash_language(h, c->language);
	hasher_end_hex(h, hex);
	hasher_free(&h);
	return arena_strdup(a, hex);
}
