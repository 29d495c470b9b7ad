/* Lookup in the map by name, and names of enum values. */
#include "schema_int.h"

#include <assert.h>
#include <string.h>

const struct schema *catalog_schema(const struct catalog *c)
{
	return &catalog_impl(c)->schema;
}

const struct view_def *schema_view(const struct schema *s, const char *name)
{
	for (size_t i = 0; i < s->view_count; i++)
		if (strcmp(s->views[i]->name, name) == 0)
			return s->views[i];
	return NULL;
}

const struct view_column *view_column_find(const struct view_def *v, const char *plain)
{
	for (size_t i = 0; i < v->column_count; i++)
		if (strcmp(v->columns[i].plain, plain) == 0)
			return &v->columns[i];
	return NULL;
}

const struct entity_def *schema_entity(const struct schema *s, const char *name)
{
	for (size_t i = 0; i < s->entity_count; i++)
		if (strcmp(s->entities[i]->name, name) == 0)
			return s->entities[i];
	return NULL;
}

const struct edge_def *schema_edge(const struct schema *s, const char *id)
{
	for (size_t i = 0; i < s->edge_count; i++)
		if (strcmp(s->edges[i]->id, id) == 0)
			return s->edges[i];
	return NULL;
}

const struct measure_def *schema_measure(const struct schema *s, const char *name)
{
	for (size_t i = 0; i < s->measure_count; i++)
		if (strcmp(s->measures[i]->name, name) == 0)
			return s->measures[i];
	return NULL;
}

const struct metric_def *schema_metric(const struct schema *s, const char *name)
{
	for (size_t i = 0; i < s->metric_count; i++)
		if (strcmp(s->metrics[i]->name, name) == 0)
			return s->metrics[i];
	return NULL;
}

const struct condition_def *schema_condition(const struct schema *s, const char *name)
{
	for (size_t i = 0; i < s->condition_count; i++)
		if (strcmp(s->conditions[i]->name, name) == 0)
			return s->conditions[i];
	return NULL;
}

const struct dimension_def *schema_dimension(const struct catalog *c, const char *name)
{
	const struct schema *s = catalog_schema(c);

	for (size_t i = 0; i < s->plain_count; i++)
		if (strcmp(s->plain[i]->name, name) == 0)
			return s->plain[i];
	return catalog_dimension(c, name);
}

/* ---- enum names ---- */

static const char *const ops[WHERE_OPS] = {
	[OP_IS] = "is",           [OP_NOT] = "not",
	[OP_OVER] = "over",       [OP_AT_LEAST] = "at_least",
	[OP_UNDER] = "under",     [OP_AT_MOST] = "at_most",
	[OP_BETWEEN] = "between", [OP_CONTAINS] = "contains",
	[OP_MISSING] = "missing", [OP_PRESENT] = "present",
};

const char *where_op_name(enum where_op op)
{
	assert(op < WHERE_OPS);
	return ops[op];
}

bool where_op_parse(const char *name, enum where_op *out)
{
	for (size_t i = 0; i < WHERE_OPS; i++)
		if (strcmp(ops[i], name) == 0) {
			*out = (enum where_op)i;
			return true;
		}
	return false;
}

static const char *const grains[GRAINS] = {
	[GRAIN_NONE] = "",     [GRAIN_HOUR] = "hour",       [GRAIN_DAY] = "day",
	[GRAIN_WEEK] = "week", [GRAIN_MONTH] = "month",     [GRAIN_QUARTER] = "quarter",
	[GRAIN_YEAR] = "year", [GRAIN_WEEKDAY] = "weekday", [GRAIN_HOUR_OF_DAY] = "hour_of_day",
};

const struct dimension_def *schema_time(const struct schema *s, const struct entity_def *n)
{
	const struct dimension_def *found = n->time;

	for (size_t i = 0; !n->time && i < s->edge_count; i++) {
		const struct edge_def *e = s->edges[i];

		if (e->from != n || e->cardinality == CARDINALITY_NM || !e->to->time)
			continue;
		if (found)
			return NULL;
		found = e->to->time;
	}
	return found;
}

const char *grain_name(enum grain g)
{
	assert(g < GRAINS);
	return grains[g];
}

bool grain_parse(const char *name, enum grain *out)
{
	for (size_t i = GRAIN_HOUR; i < GRAINS; i++)
		if (strcmp(grains[i], name) == 0) {
			*out = (enum grain)i;
			return true;
		}
	return false;
}

const char *entity_kind_name(enum entity_kind k)
{
	static const char *const names[] = {"entity", "fact", "link"};

	return names[k];
}

const char *cardinality_name(enum cardinality c)
{
	static const char *const names[] = {"n:1", "1:1", "n:m"};

	return names[c];
}

const char *aggregate_name(enum aggregate a)
{
	static const char *const names[] = {"sum", "avg", "min", "max", "count", "count_distinct"};

	return names[a];
}

const char *additivity_name(enum additivity a)
{
	static const char *const names[] = {"full", "semi", "none"};

	return names[a];
}
