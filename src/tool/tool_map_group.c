/*
 * Grouping of an analysis query: as in the query, else as in the tool's file, by period, title or
 * key of the measured entity. Derivations receive the group columns.
 */
#include "tool_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/map.h"

#define DEFAULT_GRAIN GRAIN_MONTH

static const struct entity_def *measured_entity(const struct map_query *q)
{
	const struct metric_def *m = q->metric_count > 0 ? q->metrics[0] : NULL;

	while (m && !m->measure)
		m = m->left;
	return m ? m->measure->entity : NULL;
}

static bool is_additive(const struct map_query *q)
{
	const struct measure_def *m = q->metric_count > 0 ? q->metrics[0]->measure : NULL;

	return m && (m->aggregate == AGGREGATE_SUM || m->aggregate == AGGREGATE_COUNT);
}

/* The dimension of the column, with or without an entity index. */
static const struct dimension_def *dimension_of_column(const struct tool_call *call,
						       const struct entity_def *n,
						       const struct view_column *column)
{
	const struct catalog *c = call->box->options.catalog;
	const struct schema *s = catalog_schema(c);

	for (size_t i = 0; i < c->dimension_count && column; i++)
		if (c->dimensions[i].map.entity == n && c->dimensions[i].map.column == column)
			return &c->dimensions[i];
	for (size_t i = 0; i < s->plain_count && column; i++)
		if (s->plain[i]->map.entity == n && s->plain[i]->map.column == column)
			return s->plain[i];
	return NULL;
}

static bool is_time(const struct map_by *by)
{
	return by->grain || by->dimension->map.type == COLUMN_DATE;
}

struct grouping {
	const struct map_by *things[MAP_BY_MAX], *time; /* groups of the query, or NULL */
	size_t thing_count, count;
};

static struct grouping grouping_of(const struct map_query *q)
{
	struct grouping g = {0};

	for (size_t i = 0; i < q->by_count; i++) {
		if (q->by[i].hidden)
			continue;
		g.count++; /* at most MAP_BY_MAX */
		if (is_time(&q->by[i]))
			g.time = &q->by[i];
		else
			g.things[g.thing_count++] = &q->by[i];
	}
	return g;
}

static const char *name_of(struct tool_call *call, const struct map_by *by,
			   enum grain default_grain)
{
	enum grain grain = by->grain ? by->grain : default_grain;

	return grain && !(grain == GRAIN_DAY && by->dimension->map.type == COLUMN_DATE)
		       ? arena_printf(call->arena, "%s.%s", by->dimension->name, grain_name(grain))
		       : by->dimension->name;
}

static bool refuse(struct tool_call *call, enum sentence reason, const struct entity_def *n,
		   struct err *e)
{
	return tool_map_refuse(call, MAP_BAD_VALUE,
			       sentence(call->result->language, reason, call->arena, n->plural), e);
}

/* Adds the time: that of the query, or the entity's time by month or day. */
static bool add_time(struct tool_call *call, json_t *list, const struct grouping *g,
		     const struct entity_def *n, struct derive_context *c, struct err *e)
{
	struct map_by by = g->time ? *g->time : (struct map_by){.dimension = n->time};
	enum grain default_grain = g->time || call->tool->analysis.groups == GROUPS_THING_DAY
					   ? GRAIN_DAY
					   : DEFAULT_GRAIN;

	if (!by.dimension)
		return refuse(call, SAY_ANALYSIS_NO_TIME, n, e);
	c->grain = grain_name(by.grain ? by.grain : default_grain);
	json_push_take(list, json_str(name_of(call, &by, default_grain)));
	return true;
}

static bool add_thing(struct tool_call *call, json_t *list, const struct grouping *g,
		      const struct entity_def *n, struct derive_context *c, struct err *e)
{
	const struct dimension_def *d = g->thing_count > 0 ? g->things[0]->dimension
							   : dimension_of_column(call, n, n->title);

	if (!d)
		return refuse(call, SAY_ANALYSIS_NO_THING, n, e);
	c->thing = d->label;
	c->by_name = d->map.column == n->title;
	json_push_take(list, json_str(d->name));
	return true;
}

/* Adds two dimensions as in the query, with the entity's title first. If the query has only one,
 * the title is added. */
static bool add_things(struct tool_call *call, json_t *list, const struct grouping *g,
		       const struct entity_def *n, struct derive_context *c, struct err *e)
{
	const struct dimension_def *name = dimension_of_column(call, n, n->title);
	const struct dimension_def *dimensions[2] = {name};
	size_t count = g->thing_count < 2 && name ? 1 : 0;

	for (size_t i = 0; i < g->thing_count; i++) {
		const struct dimension_def *d = g->things[i]->dimension;

		if (count == 1 && d == dimensions[0])
			continue;
		if (count == 1 && d == name) {
			dimensions[1] = dimensions[0];
			dimensions[0] = name;
			count++;
		} else {
			dimensions[count++] = d;
		}
	}
	if (count < 2)
		return refuse(call, SAY_ANALYSIS_NO_GROUP, n, e);
	c->thing = dimensions[0]->label;
	c->second = dimensions[1]->label;
	c->by_name = dimensions[0] == name;
	for (size_t i = 0; i < 2; i++)
		json_push_take(list, json_str(dimensions[i]->name));
	return true;
}

/* Adds the title, or else the key, to identify each row. */
static bool add_rows(struct tool_call *call, json_t *list, const struct entity_def *n,
		     struct derive_context *c, struct err *e)
{
	const struct dimension_def *d = dimension_of_column(call, n, n->title);

	if (!d && n->key[0] && !n->key[1])
		d = dimension_of_column(call, n, n->key[0]);
	if (!d)
		return refuse(call, SAY_ANALYSIS_NO_THING, n, e);
	c->thing = n->label;
	json_push_take(list, json_str(d->name));
	return true;
}

/* Adds the number of rows per group after the metrics. */
static bool add_count(struct tool_call *call, json_t *query, const struct entity_def *n)
{
	const struct schema *s = catalog_schema(call->box->options.catalog);

	for (size_t i = 0; i < s->metric_count; i++) {
		const struct metric_def *m = s->metrics[i];

		if (!m->is_implied || !m->measure || m->measure->entity != n ||
		    m->measure->column || m->measure->aggregate != AGGREGATE_COUNT)
			continue;
		json_push_take(json_object_get(query, MAP_METRICS), json_str(m->name));
		return true;
	}
	return false;
}

bool tool_map_group(struct tool_call *call, json_t *query, const struct map_query *q, struct err *e)
{
	enum tool_groups groups = call->tool->analysis.groups;
	const struct entity_def *n = measured_entity(q);
	struct derive_context *c = arena_alloc(call->arena, sizeof(*c));
	const struct grouping g = grouping_of(q);
	json_t *list = json_own(call->arena, json_array());
	bool needs_things = groups == GROUPS_THINGS || groups == GROUPS_THINGS_TIME;
	bool needs_thing = groups == GROUPS_THING || groups == GROUPS_THING_TIME ||
			   groups == GROUPS_THING_DAY ||
			   (groups == GROUPS_ROWS && g.thing_count > 0);
	bool needs_time = groups == GROUPS_TIME || groups == GROUPS_THING_TIME ||
			  groups == GROUPS_THING_DAY || groups == GROUPS_THINGS_TIME ||
			  (groups == GROUPS_ROWS && g.time && g.thing_count == 0);

	*c = *call->result->context;
	c->is_additive = is_additive(q);
	if (!n)
		return tool_map_refuse(
			call, MAP_BAD_VALUE,
			sentence(call->result->language, SAY_ANALYSIS_NO_METRIC, call->arena), e);
	if (call->tool->analysis.points && q->rows > 0) /* a limit would apply to all values */
		return tool_map_refuse(
			call, MAP_BAD_VALUE,
			sentence(call->result->language, SAY_ANALYSIS_TOP, call->arena), e);
	if (g.thing_count > (needs_things ? 2 : (size_t)needs_thing) ||
	    g.count - g.thing_count > (size_t)needs_time)
		return refuse(call, SAY_ANALYSIS_GROUPS, n, e);
	if ((needs_things && !add_things(call, list, &g, n, c, e)) ||
	    (needs_thing && !add_thing(call, list, &g, n, c, e)) ||
	    (groups == GROUPS_ROWS && g.count == 0 && !add_rows(call, list, n, c, e)) ||
	    (needs_time && !add_time(call, list, &g, n, c, e)))
		return false;
	if (call->tool->analysis.counted && !add_count(call, query, n))
		return refuse(call, SAY_ANALYSIS_NO_THING, n, e);
	c->groups = json_array_size(list);
	call->result->context = c;
	json_set_take(query, MAP_BY, json_incref(list));
	/* Requests all groups, ordered by name. */
	json_object_del(query, MAP_TOP);
	json_object_del(query, MAP_BOTTOM);
	json_object_del(query, MAP_COMPARE);
	json_set_take(query, MAP_ORDER, json_array());
	for (size_t i = 0; i < c->groups; i++)
		json_push_take(json_object_get(query, MAP_ORDER),
			       json_make({MAP_NAME, json_incref(json_array_get(list, i))},
					 {MAP_DIR, json_str("asc")}));
	return true;
}
