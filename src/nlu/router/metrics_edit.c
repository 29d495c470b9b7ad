/*
 * Applies edited filters to a query over the map. Values of a dimension replace the current ones,
 * days replace the period, and an empty value removes the filter. Names resolve as in a question;
 * an unknown one leads to a clarifying question.
 */
#include "metrics_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/strlist.h"

struct editing {
	struct reading *r;
	json_t *query;
	struct strlist edited; /* names of edited filters */
};

/* The first dimension with this filter, or NULL. */
static const struct dimension_def *dimension_of_filter(const struct catalog *c, const char *filter)
{
	const struct dimension_def *d = followup_dimension(c, filter);
	const struct schema *s = catalog_schema(c);

	for (size_t i = 0; !d && i < s->plain_count; i++)
		if (strcmp(s->plain[i]->filter, filter) == 0)
			d = s->plain[i];
	return d;
}

/* The condition of the query that matches the filter; *at is its index. NULL: none. Sets *other
 * when the filter occurs in another form. */
static const struct dimension_def *find_condition(const struct editing *e, const char *filter,
						  size_t *at, bool *other)
{
	const struct catalog *c = e->r->nlu->catalog;
	const json_t *where = json_object_get(e->query, MAP_WHERE);

	*other = false;
	for (*at = 0; *at < json_array_size(where); (*at)++) {
		const json_t *one = json_array_get(where, *at);
		const struct dimension_def *d =
			schema_dimension(c, json_string_value(json_object_get(one, MAP_NAME)));
		const char *op = json_string_value(json_object_get(one, MAP_OP));

		if (!d || strcmp(d->filter, filter) != 0)
			continue;
		if (strcmp(op, where_op_name(OP_IS)) == 0)
			return d;
		*other = true;
	}
	return NULL;
}

/* One value in the form of the query. New reference. NULL: unknown, and an issue is added. */
static json_t *value_of(struct editing *e, const struct dimension_def *d, const json_t *v)
{
	bool loaded = catalog_dimension(e->r->nlu->catalog, d->name) == d;
	struct name_match m = {0};

	if (!loaded || !json_is_string(v))
		return json_deep_copy(v);
	if (names_resolve(e->r->names, d, json_string_value(v), NULL, e->r->arena, &m))
		return json_str(m.value);
	reading_add_issue(e->r,
			  &(struct issue){.kind = m.several ? ISSUE_AMBIGUOUS : ISSUE_UNKNOWN_VALUE,
					  .filter = d->filter,
					  .dimension = d,
					  .term = arena_strdup(e->r->arena, json_string_value(v)),
					  .options = m.suggestions,
					  .option_count = m.suggestion_count});
	return NULL;
}

static json_t *values_of(struct editing *e, const struct dimension_def *d, const json_t *v)
{
	json_t *list = json_array(), *one;
	size_t n = json_is_array(v) ? json_array_size(v) : 1;

	for (size_t i = 0; i < n; i++) {
		one = value_of(e, d, json_is_array(v) ? json_array_get(v, i) : v);
		if (one)
			json_push_take(list, one);
	}
	return list;
}

/* Accepts one day, or both as "2025-01-01/2025-12-31". */
static void edit_day(struct editing *e, const char *filter, const json_t *v)
{
	json_t *period = json_object_get(e->query, MAP_PERIOD);
	const char *text = json_string_value(v), *slash = text ? strchr(text, '/') : NULL;
	bool first = strcmp(filter, FILTER_START) == 0;

	if (edit_clears(v)) {
		json_object_del(e->query, MAP_PERIOD);
		json_object_del(e->query, MAP_COMPARE);
		return;
	}
	if (!text)
		return;
	if (!period) {
		period = json_object();
		json_set_take(e->query, MAP_PERIOD, period);
	}
	if (!slash) {
		json_set_str(period, first ? MAP_START : MAP_END, text);
		return;
	}
	json_set_take(period, MAP_START, json_strn(text, (size_t)(slash - text)));
	json_set_str(period, MAP_END, slash + 1);
}

static void edit_one(struct editing *e, const char *name, const json_t *v)
{
	const char *filter = followup_filter_name(e->r->nlu, name, e->r->arena);
	json_t *where = json_object_get(e->query, MAP_WHERE), *values;
	const struct dimension_def *d;
	bool other;
	size_t at;

	if (strcmp(filter, FILTER_START) == 0 || strcmp(filter, FILTER_END) == 0) {
		edit_day(e, filter, v);
		strlist_add(&e->edited, e->r->arena, filter);
		return;
	}
	d = find_condition(e, filter, &at, &other);
	if (other && !d)
		return;
	if (d && edit_clears(v)) {
		json_array_remove(where, at);
		return;
	}
	if (edit_clears(v) || (!d && !dimension_of_filter(e->r->nlu->catalog, filter)))
		return;
	values = values_of(e, d ? d : dimension_of_filter(e->r->nlu->catalog, filter), v);
	strlist_add(&e->edited, e->r->arena, filter);
	if (d)
		json_set_take(json_array_get(where, at), MAP_VALUES, values);
	else /* by filter name: the map selects the closest dimension */
		json_push_take(where, json_make({MAP_NAME, json_str(filter)},
						{MAP_OP, json_str(where_op_name(OP_IS))},
						{MAP_VALUES, values}));
}

bool metrics_edit(struct reading *r, const json_t *query, const struct tool_def *analysis,
		  const json_t *edits, struct understanding *out)
{
	struct query_builder a = {.r = r, .w = r->nlu->map_words, .analysis = analysis};
	struct editing e = {.r = r};
	const char *name;
	const json_t *value;

	if (!a.w || !metrics_set_from_query(&a, query))
		return false;
	e.query = json_own(r->arena, json_deep_copy(query));
	if (!json_object_get(e.query, MAP_WHERE))
		json_set_take(e.query, MAP_WHERE, json_array());
	strlist_add(&e.edited, r->arena, NULL);
	r->issue = (struct issue){0};
	json_object_foreach((json_t *)edits, name, value)
		edit_one(&e, name, value);
	if (!metrics_call(&a, e.query,
			  &(struct query_origin){.edited = e.edited.items, .source = SOURCE_EDITED},
			  out))
		return false;
	if (r->issue.kind == ISSUE_NONE)
		return true;
	out->ask_tool = out->tools[0].tool;
	out->tools = NULL;
	out->tool_count = 0;
	out->filter_count = 0;
	ask_clarify(r, &r->issue, &out->ask);
	return true;
}
