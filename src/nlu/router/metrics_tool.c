/*
 * Converts a tool's last answer to a query over the map, if its header declares one. A follow-up
 * that no parameter takes continues with that query.
 */
#include "metrics_int.h"

#include <string.h>

#include "vesper/json.h"

/* The map dimension that corresponds to a tool's filter: the entity's own before another one. */
static const struct dimension_def *dimension_of(const struct reading *r, const struct fact *f,
						const struct entity_def *n)
{
	const struct schema *s = catalog_schema(r->nlu->catalog);
	const char *filter = f->dimension ? f->dimension->filter : f->filter;

	for (size_t i = 0; i < s->plain_count; i++)
		if (s->plain[i]->map.entity == n && strcmp(s->plain[i]->filter, filter) == 0)
			return s->plain[i];
	return f->dimension && f->dimension->map.entity ? f->dimension : NULL;
}

static json_t *values_of(const struct fact *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->count; i++)
		json_push_take(list, f->values[i].type == VALUE_INT ? json_int(f->values[i].number)
								    : json_str(f->values[i].text));
	return list;
}

/* Adds a filter as a condition on rows of the entity. Returns false for one that a query cannot
 * express, such as a number of rows. */
static bool add_filter(const struct reading *r, const struct tool_def *tool, const struct fact *f,
		       const struct entity_def *n, json_t *query)
{
	const struct param_def *p = tool_param_of_filter(tool, f->filter);
	const struct dimension_def *d = dimension_of(r, f, n);

	if (f->all_values)
		return true;
	if (strcmp(f->filter, FILTER_YEAR) == 0 && f->count == 1 && n->time) {
		json_set_take(query, MAP_PERIOD, metrics_year((int)f->values[0].number));
		return true;
	}
	if (!d || !p || (p->slot != SLOT_NONE && p->slot != SLOT_NOT))
		return false;
	json_push_take(
		json_object_get(query, MAP_WHERE),
		json_make({MAP_NAME, json_str(d->name)},
			  {MAP_OP, json_str(where_op_name(p->slot == SLOT_NOT ? OP_NOT : OP_IS))},
			  {MAP_VALUES, values_of(f)}));
	return true;
}

const json_t *metrics_query_of_tool(const struct reading *r, const struct session_context *s)
{
	const struct schema *schema = catalog_schema(r->nlu->catalog);
	const struct tool_def *t = s->tool_count == 1 ? s->tools[0] : NULL;
	const char *shows = t ? t->words.shows : NULL;
	const struct metric_def *m =
		shows && t->words.shows_by ? schema_metric(schema, shows) : NULL;
	const struct entity_def *listed =
		shows && !t->words.shows_by ? schema_entity(schema, shows) : NULL;
	json_t *query;

	if (!listed && (!m || !m->measure))
		return NULL;
	query = json_own(r->arena, json_object());
	json_set_take(query, MAP_WHERE, json_array());
	if (listed) {
		json_set_str(query, MAP_LIST, listed->name);
	} else {
		json_set_take(query, MAP_METRICS, json_list_of(json_str(m->name)));
		json_set_take(query, MAP_BY, json_texts(t->words.shows_by));
	}
	for (size_t i = 0; i < s->facts.count; i++)
		if (!add_filter(r, t, &s->facts.items[i], listed ? listed : m->measure->entity,
				query))
			return NULL;
	return query;
}
