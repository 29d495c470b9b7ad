/*
 * Filters that come from the supervisor, the client or a stored plan instead of the question. Each
 * value is resolved like an argument, so that the displayed filters equal the bound ones.
 */
#include "vesper/planner.h"

#include <string.h>

#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/ref.h"

/* ---- one value ---- */

/* The parameter of a query over the map. Only agents see this tool, but code calls it as well. */
static const struct param_def *query_param(const struct tool_def *tool, const char *name)
{
	const struct param_def *p = tool->map ? tool_param_of_filter(tool, name) : NULL;

	return p && p->is_query ? p : NULL;
}

/* A parameter of a query inside a flow; no tool has to take the filter. */
static const struct param_def *slot_param(const struct flow_def *f, const char *name)
{
	const struct param_def *p = NULL;

	for (size_t i = 0; i < f->line_count && !p; i++)
		p = params_of_filter(f->lines[i].slots, f->lines[i].slot_count, name);
	return p;
}

static const struct param_def *param_of(const struct planner_turn *t, const char *name)
{
	const struct param_def *p = NULL;

	for (size_t i = 0; i < t->core->may.tool_count && !p; i++)
		p = tool_param_of_filter(t->core->may.tools[i], name);
	for (size_t i = 0; i < t->core->may.agent_tool_count && !p; i++)
		p = query_param(t->core->may.agent_tools[i], name);
	for (size_t i = 0; i < t->core->may.flow_count && !p; i++)
		p = slot_param(t->core->may.flows[i], name);
	return p;
}

static json_t *value_json(const struct value *v)
{
	return v->type == VALUE_INT    ? json_integer(v->number)
	       : v->type == VALUE_BOOL ? json_boolean(v->number != 0)
				       : json_str(v->text);
}

json_t *arg_json(const struct arg *arg)
{
	json_t *list = json_array(), *one;

	for (size_t i = 0; i < arg->count; i++)
		json_push_take(list, value_json(&arg->values[i]));
	if (arg->is_list)
		return list;
	one = json_incref(json_array_get(list, 0));
	json_decref(list);
	return one;
}

static const char *text_of(const json_t *v, struct arena *a)
{
	if (json_is_integer(v))
		return arena_printf(a, "%lld", (long long)json_integer_value(v));
	if (json_is_boolean(v))
		return json_is_true(v) ? "true" : "false";
	return json_string_value(v);
}

/* The values resolved so far, as context for the next: "south" is a hub-zone of one market. */
static struct args context_of(const struct planner_turn *t, const json_t *filters)
{
	struct args context = {0};
	const json_t *value;
	const char *name;

	json_object_foreach((json_t *)filters, name, value) {
		const struct param_def *p = param_of(t, name);

		if (p && p->entity && json_is_string(value))
			args_set(&context, t->core->arena, p->entity,
				 value_text(json_string_value(value)));
	}
	return context;
}

static bool ask_for_name(struct planner_turn *t, const struct param_def *p, const char *value,
			 const struct name_match *m, struct clarification *ask)
{
	const struct dimension_def *d = catalog_dimension(t->core->may.catalog, p->entity);

	const char *text = m->several ? turn_sentence(t->core, SAY_ASK_WHICH_ONE,
						      turn_sentence(t->core, SAY_ASK_FITS_SEVERAL,
								    value, d->label))
				      : turn_sentence(t->core, SAY_ASK_UNKNOWN, d->label, value);

	if (!m->several && m->suggestion_count)
		text = arena_printf(t->core->arena, "%s%s", text,
				    turn_sentence(t->core, SAY_ASK_ONE_OF_THESE));
	*ask = (struct clarification){
		.text = text,
		.filter = p->filter,
		.options = m->suggestions,
		.option_count = m->suggestion_count,
		.unknown = !m->several,
	};
	return false;
}

struct filter_reader {
	struct planner_turn *turn;
	const json_t *filters; /* all filters */
	struct clarification *ask;
	bool alias; /* a value was given by an alias */
};

/* *out: new reference. */
static bool read_value(struct filter_reader *r, const struct param_def *p, const json_t *v,
		       json_t **out)
{
	struct planner_turn *t = r->turn;
	const char *text = text_of(v, t->core->arena);
	struct args context = context_of(t, r->filters);
	struct name_match m = {0};
	struct value value;
	struct err e = {0};

	if (!text || !param_parse(p, text, t->core->arena, &value, &e)) {
		*r->ask = (struct clarification){
			.text = turn_sentence(t->core, SAY_ASK_UNFIT, text ? e.text : p->name),
			.filter = p->filter,
		};
		return false;
	}
	if (!p->entity) {
		*out = value_json(&value);
		return true;
	}
	if (!entity_index_resolve(nlu_names(t->core->nlu), t->core->who, p->entity, text, &context,
				  t->core->arena, &m))
		return ask_for_name(t, p, text, &m, r->ask);
	r->alias = r->alias || m.alias;
	*out = json_str(m.value);
	return true;
}

static bool read_list(struct filter_reader *r, const struct param_def *p, const json_t *list,
		      json_t **out)
{
	json_t *values = json_own(r->turn->core->arena, json_array()), *one;
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		if (ref_of(item))
			one = json_incref((json_t *)item);
		else if (!read_value(r, p, item, &one))
			return false;
		json_push_take(values, one);
	}
	*out = json_incref(values);
	return true;
}

/* ---- all filters ---- */

static bool has_parent(const struct planner_turn *t, const struct param_def *p)
{
	const struct dimension_def *d =
		p->entity ? catalog_dimension(t->core->may.catalog, p->entity) : NULL;

	return d && d->parent;
}

static bool resolve_one(struct filter_reader *r, json_t *filters, const char *name,
			const struct param_def *p)
{
	const json_t *original = json_object_get(filters, name);
	json_t *resolved;

	r->alias = false;
	if (ref_of(original))
		return true;
	if (!(json_is_array(original) ? read_list(r, p, original, &resolved)
				      : read_value(r, p, original, &resolved)))
		return false;
	if (r->alias)
		json_set_str(r->turn->reading->aliases, name, "alias");
	json_object_set_new(filters, name, resolved);
	return true;
}

bool filters_resolve(struct planner_turn *t, json_t *filters, struct clarification *ask)
{
	struct filter_reader r = {.turn = t, .filters = filters, .ask = ask};

	for (int with_parent = 0; with_parent < 2; with_parent++) {
		json_t *names = json_own(t->core->arena, json_copy(filters));
		const char *name;
		json_t *unused;

		json_object_foreach(names, name, unused) {
			const struct param_def *p = param_of(t, name);

			if (!p) /* no tool of this caller takes it */
				json_object_del(filters, name);
			else if (has_parent(t, p) == with_parent &&
				 !resolve_one(&r, filters, name, p))
				return false;
		}
	}
	return true;
}

static bool is_dropped(const json_t *v)
{
	const char *text = json_string_value(v);

	return json_is_null(v) || (json_is_array(v) && json_array_size(v) == 0) || (text && !*text);
}

void filters_edit(json_t *filters, const json_t *edits)
{
	const json_t *value;
	const char *name;

	json_object_foreach((json_t *)edits, name, value) {
		filters_drop(filters, name);
		if (!is_dropped(value))
			json_object_set(filters, name, (json_t *)value);
	}
}

/* ---- as displayed ---- */

static struct value typed_value(const struct param_def *p, const json_t *v)
{
	if (json_is_integer(v))
		return value_int(json_integer_value(v));
	if (json_is_boolean(v))
		return value_bool(json_is_true(v));
	return p && p->type == PARAM_DATE ? value_date(json_string_value(v))
					  : value_text(json_string_value(v));
}

static enum filter_source source_of(const struct planner_turn *t, const char *name, const json_t *v,
				    const json_t *standing, const json_t *edits,
				    enum filter_source edit_source)
{
	const json_t *previous = json_object_get(json_object_get(standing, "filters"), name);

	if (edits)
		return json_object_get(edits, name) ? edit_source : SOURCE_CARRIED;
	if (previous && json_equal((json_t *)previous, (json_t *)v))
		return SOURCE_CARRIED;
	return json_object_get(t->reading->aliases, name) ? SOURCE_ALIAS : SOURCE_EXPLICIT;
}

static struct filter make_filter(struct planner_turn *t, const char *name, const json_t *v)
{
	size_t n = json_is_array(v) ? json_array_size(v) : 1;
	struct value *values = arena_alloc(t->core->arena, (n + 1) * sizeof(*values));
	const struct param_def *p = param_of(t, name);
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		const json_t *one = json_is_array(v) ? json_array_get(v, i) : v;

		if (!ref_of(one))
			values[count++] = typed_value(p, one);
	}
	return (struct filter){
		.name = count > 1 && p && strcmp(name, p->filter) == 0
				? arena_printf(t->core->arena, "%ss", name)
				: arena_strdup(t->core->arena, name),
		.is_list = count > 1,
		.values = values,
		.count = count,
	};
}

void filters_set_understanding(struct planner_turn *t, const json_t *filters,
			       const json_t *standing, const json_t *edits,
			       enum filter_source edit_source)
{
	struct filter *list =
		arena_alloc(t->core->arena, (json_object_size(filters) + 1) * sizeof(*list));
	const json_t *value;
	const char *name;
	size_t n = 0;

	json_object_foreach((json_t *)filters, name, value) {
		list[n] = make_filter(t, name, value);
		list[n].source = source_of(t, name, value, standing, edits, edit_source);
		n += list[n].count > 0;
	}
	t->reading->understood.filters = list;
	t->reading->understood.filter_count = n;
}
