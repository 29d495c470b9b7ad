/* Writes an understanding as JSON for the wire, the store and `vesperctl route`. */
#include "nlu_int.h"

#include <string.h>

#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/mem.h"

static json_t *value_json(const struct value *v)
{
	switch (v->type) {
	case VALUE_INT:
		return json_int(v->number);
	case VALUE_BOOL:
		return json_boolean(v->number != 0);
	case VALUE_DECIMAL:
		return json_decimal(v->text);
	case VALUE_NULL:
		return json_null();
	default:
		return json_str(v->text);
	}
}

static json_t *values_json(const struct value *values, size_t count, bool is_list)
{
	json_t *list;

	if (!is_list)
		return value_json(&values[0]);
	list = json_array();
	for (size_t i = 0; i < count; i++)
		json_push_take(list, value_json(&values[i]));
	return list;
}

/* ---- labels ---- */

static bool is_filter(const struct filter *f, const char *singular)
{
	size_t n = strlen(singular);

	return strncmp(f->name, singular, n) == 0 &&
	       (!f->name[n] || (f->is_list && strcmp(f->name + n, "s") == 0));
}

static void add_label(struct buf *b, const struct language *l, const struct filter *f,
		      const struct value *v)
{
	if (v->type == VALUE_INT && is_filter(f, FILTER_MONTH) && v->number >= 1 && v->number <= 12)
		buf_str(b, language_text(l, SAY_MONTH_JANUARY + (enum sentence)(v->number - 1)));
	else if (v->type == VALUE_INT)
		buf_printf(b, "%lld", (long long)v->number);
	else if (v->type == VALUE_BOOL)
		buf_str(b, language_text(l, v->number ? SAY_VALUE_YES : SAY_VALUE_NO));
	else
		for (const char *c = v->text; c && *c; c++)
			buf_char(b, is_filter(f, FILTER_ASOF) && *c == '_' ? ' ' : *c);
}

/* Writes hours counted from 0, as in tables and charts, and as hour-ending, which traders use:
 * "15-20 (HE 16-21)". */
static void add_hours(struct buf *b, int first, int last)
{
	if (first == last)
		buf_printf(b, "%d (HE %d)", first, first + 1);
	else
		buf_printf(b, "%d-%d (HE %d-%d)", first, last, first + 1, last + 1);
}

/* Writes labels. Joins three or more consecutive values: "June-August". */
static void add_labels(struct buf *b, const struct language *l, const struct filter *f)
{
	for (size_t i = 0; i < f->count; i++) {
		size_t last = i;

		while (last + 1 < f->count && f->values[last].type == VALUE_INT &&
		       f->values[last + 1].type == VALUE_INT &&
		       f->values[last + 1].number == f->values[last].number + 1)
			last++;
		if (i > 0)
			buf_str(b, ", ");
		if (f->values[i].type == VALUE_INT && is_filter(f, FILTER_HOUR)) {
			add_hours(b, (int)f->values[i].number, (int)f->values[last].number);
			i = last;
			continue;
		}
		add_label(b, l, f, &f->values[i]);
		if (last >= i + 2) {
			buf_char(b, '-');
			add_label(b, l, f, &f->values[last]);
			i = last;
		}
	}
}

static const char *param_of(const struct understanding *u, const struct filter *f)
{
	for (size_t t = 0; t < u->tool_count; t++)
		for (size_t p = 0; p < u->tools[t].tool->param_count; p++)
			if (is_filter(f, u->tools[t].tool->params[p].filter))
				return u->tools[t].tool->params[p].name;
	return NULL;
}

void nlu_filter_value(const struct filter *f, struct json_out *j)
{
	if (!f->is_list) {
		value_write(j, &f->values[0]);
		return;
	}
	jo_array(j);
	for (size_t i = 0; i < f->count; i++)
		value_write(j, &f->values[i]);
	jo_array_end(j);
}

void nlu_filters_write(const struct understanding *u, const struct language *l, struct json_out *j)
{
	struct buf label;

	buf_init(&label, 4096);
	jo_array(j);
	for (size_t i = 0; i < u->filter_count; i++) {
		const struct filter *f = &u->filters[i];

		if (f->hidden)
			continue;
		buf_reset(&label);
		if (f->label)
			buf_str(&label, f->label);
		else
			add_labels(&label, l, f);
		jo_object(j);
		jo_set_str(j, "name", f->name);
		jo_key(j, "value");
		nlu_filter_value(f, j);
		jo_set_str(j, "label", buf_text(&label));
		jo_set_str(j, "source", filter_source_name(f->source));
		jo_set_str(j, "said", f->resolved_from);
		jo_set_bool(j, "editable", !f->fixed);
		jo_set_str(j, "param", param_of(u, f));
		jo_object_end(j);
	}
	jo_array_end(j);
	buf_deinit(&label);
}

/* ---- session context ---- */

static json_t *values_object(const struct filter *list, size_t count)
{
	json_t *filters = json_object();

	for (size_t i = 0; i < count; i++) {
		const struct filter *f = &list[i];

		if (f->source != SOURCE_DEFAULT && !f->fixed)
			json_set_take(filters, f->name,
				      values_json(f->values, f->count, f->is_list));
	}
	return filters;
}

json_t *nlu_values(const struct understanding *u)
{
	return u->filter_count > 0 ? values_object(u->filters, u->filter_count)
				   : values_object(u->parsed_filters, u->parsed_filter_count);
}

static bool holds(const json_t *names, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)names, i, item)
		if (strcmp(json_string_value(item), name) == 0)
			return true;
	return false;
}

json_t *nlu_session_context(const struct understanding *u)
{
	json_t *context = json_object(), *tools = json_array();
	const struct arg *query;

	json_set_str(context, "intent", u->intent);
	json_set_take(context, "filters", values_object(u->filters, u->filter_count));
	for (size_t i = 0; i < u->tool_count; i++)
		if (!holds(tools, u->tools[i].tool->name))
			json_push_take(tools, json_str(u->tools[i].tool->name));
	if (u->tool_count == 0 && u->ask_tool)
		json_push_take(tools, json_str(u->ask_tool->name));
	json_set_take(context, "tools", tools);
	if (u->tool_count == 1 && u->tools[0].tool->map &&
	    (query = args_find(&u->tools[0].args, u->tools[0].tool->map)))
		json_set_str(context, CONTEXT_QUERY, query->values[0].text);
	return context;
}

/* ---- route ---- */

static json_t *call_json(const struct nlu_call *t)
{
	json_t *call = json_object(), *args = json_object();

	for (size_t i = 0; i < t->args.count; i++) {
		const struct arg *arg = &t->args.items[i];

		json_set_take(args, arg->name, values_json(arg->values, arg->count, arg->is_list));
	}
	json_set_str(call, "name", t->tool->name);
	json_set_take(call, "args", args);
	return call;
}

json_t *nlu_route_json(const struct understanding *u)
{
	json_t *route = json_object(), *agents = json_array(), *tools = json_array();

	for (size_t i = 0; i < u->agent_count; i++)
		json_push_take(agents, json_str(u->agents[i]));
	for (size_t i = 0; i < u->tool_count; i++)
		json_push_take(tools, call_json(&u->tools[i]));
	json_set_str(route, "intent", u->intent);
	json_set_take(route, "agents", agents);
	json_set_take(route, "filters", values_object(u->filters, u->filter_count));
	json_set_take(route, "tools", tools);
	json_set_str(route, "flow", u->flow ? u->flow->name : NULL);
	json_set_take(route, "confidence",
		      json_real((double)(int)(u->confidence * 100 + 0.5) / 100));
	json_set_str(route, "clarification", u->ask.text);
	json_set_str(route, "reply", u->reply);
	json_set_str(route, "foreign", u->foreign);
	if (u->unused_count > 0) {
		json_t *unused = json_array();

		for (size_t i = 0; i < u->unused_count; i++)
			json_push_take(unused, json_str(u->unused[i]));
		json_set_take(route, "not_used", unused);
	}
	return route;
}
