/*
 * Converts a tool's last answer to a query over the map, if its header declares one. A follow-up
 * that no parameter takes continues with that query.
 */
#include "metrics_int.h"

#include <string.h>

#include "vesper/json.h"

/* The map dimension that corresponds to a tool's filter. */
static const struct dimension_def *dimension_of(const struct reading *r, const struct fact *f,
						const struct entity_def *n)
{
	const struct schema *s = catalog_schema(r->know->catalog);

	if (f->dimension)
		return f->dimension->map.entity ? f->dimension : NULL;
	for (size_t i = 0; i < s->plain_count; i++)
		if (s->plain[i]->map.entity == n && strcmp(s->plain[i]->filter, f->filter) == 0)
			return s->plain[i];
	return NULL;
}

static json_t *values_of(const struct fact *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->count; i++)
		json_push_take(list, f->values[i].type == VALUE_INT ? json_int(f->values[i].number)
								    : json_str(f->values[i].text));
	return list;
}

static bool add_filter(const struct reading *r, const struct fact *f, const struct metric_def *m,
		       json_t *query)
{
	const struct entity_def *n = m->measure->entity;
	const struct dimension_def *d = dimension_of(r, f, n);

	if (f->all_values)
		return true;
	if (strcmp(f->filter, FILTER_YEAR) == 0 && f->count == 1 && n->time) {
		json_set_take(query, MAP_PERIOD, metrics_year((int)f->values[0].number));
		return true;
	}
	if (!d)
		return false;
	json_push_take(json_object_get(query, MAP_WHERE),
		       json_make({MAP_NAME, json_str(d->name)},
				 {MAP_OP, json_str(where_op_name(OP_IS))},
				 {MAP_VALUES, values_of(f)}));
	return true;
}

const json_t *metrics_query_of_tool(const struct reading *r, const struct session_context *s)
{
	const struct tool_def *t = s->tool_count == 1 ? s->tools[0] : NULL;
	const struct metric_def *m =
		t && t->words.shows
			? schema_metric(catalog_schema(r->know->catalog), t->words.shows)
			: NULL;
	json_t *query;

	if (!m || !m->measure)
		return NULL;
	query = json_own(r->arena, json_make({MAP_METRICS, json_list_of(json_str(m->name))},
					     {MAP_BY, json_texts(t->words.shows_by)},
					     {MAP_WHERE, json_array()}));
	for (size_t i = 0; i < s->facts.count; i++)
		if (!add_filter(r, &s->facts.items[i], m, query))
			return NULL;
	return query;
}
