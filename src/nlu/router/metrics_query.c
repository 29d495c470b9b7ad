/*
 * Builds a query over the map when no tool answers the whole question. If the words do not form a
 * query, or the map refuses it, the question is read in other ways.
 */
#include "metrics_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/strlist.h"

#define ROWS_OF_MANY 10 /* default rows for "the top genres" */

static json_t *names_json(const struct query_builder *a, bool metrics)
{
	json_t *list = json_array();

	for (size_t i = 0; i < (metrics ? a->metric_count : a->by_count); i++)
		json_push_take(list, json_str(metrics ? a->metrics[i]->name : a->by[i]));
	return list;
}

/* Returns true for a list with a bounded measure, which is ordered by that measure. */
static bool ranks_rows(const struct query_builder *a)
{
	bool above;

	return a->metric_count == 0 && a->subject && bounds_measure(a, &above);
}

/* The default metric of a dimension whose own entity has no metric: the first metric of the only
 * entity that refers to it, such as prices for hub-zones. NULL: none, or several such entities. */
static const struct metric_def *default_metric_of(const struct query_builder *a,
						  const struct dimension_def *d)
{
	const struct schema *s = catalog_schema(a->r->nlu->catalog);
	const struct metric_def *first = NULL;
	struct map_path paths[2];

	for (size_t i = 0; i < s->metric_count; i++) {
		const struct metric_def *m = s->metrics[i];
		const struct entity_def *n = m->measure ? m->measure->entity : NULL;

		if (!n || m->is_implied)
			continue;
		if (n == d->map.entity)
			return NULL;
		if (map_path(a->w->map, n, d->map.entity, a->r->arena, paths) != MAP_FOUND ||
		    !map_path_is_safe(&paths[0]))
			continue;
		if (first && first->measure->entity != n)
			return NULL;
		first = first ? first : m;
	}
	return first;
}

/* "Compare" groups by the dimension of several values, or compares two years. */
static void resolve_comparison(struct query_builder *a)
{
	if (a->metric_count > 1) /* "spent vs budget": side by side */
		a->cues.compares = false;
	for (size_t i = 0; i < a->r->facts.count; i++) {
		const struct fact *f = &a->r->facts.items[i];

		if (!a->cues.compares &&
		    (!a->named.of_value_after_by || f->dimension != a->named.of_value_after_by))
			continue;

		if (!f->dimension || !f->dimension->map.entity || f->count < 2 || f->implied)
			continue;
		a->cues.compares = !metrics_add_by(a, metrics_own_dimension(a, f->dimension)->name);
		if (a->metric_count == 0 && !a->subject)
			(void)metrics_add(a, default_metric_of(a, f->dimension));
	}
}

/* Returns true for "which country has the most customers", but not "the top customers by
 * country". */
static bool counts_of_ranked(const struct query_builder *a)
{
	for (size_t i = 0; i < a->group_count; i++)
		if (a->groups[i].grouped)
			return false;
	return a->group_count == 1 && a->by_count == 1;
}

bool metrics_is_total(const struct query_builder *a)
{
	for (size_t i = 0; i < a->r->q.count && a->metric_count == 1; i++)
		if (token_in_list(&a->r->q.tokens[i], WORDS_AND))
			return false; /* "total budget and …": the second item is unknown */
	for (size_t i = 0; i < a->metric_count; i++) {
		const struct measure_def *m = a->metrics[i]->measure;

		if (!m || (m->aggregate != AGGREGATE_SUM && m->aggregate != AGGREGATE_COUNT))
			return false;
	}
	return a->metric_count > 0;
}

bool metrics_resolve_level(struct query_builder *a)
{
	const struct phrase_meanings *m = &a->level.phrase;
	const struct map_phrase *found = NULL;

	if (m->count == 0)
		return true;
	if (!a->subject && m->count == 1)
		a->subject = m->items[0]->entity;
	for (size_t i = 0; i < m->count; i++)
		if (m->items[i]->entity == a->subject)
			found = m->items[i];
	a->level.value = found ? found->level->value : NULL;
	return found != NULL;
}

/* "The three projects with the highest budgets" ranks the subject itself. */
static bool ranks_subject(const struct query_builder *a)
{
	return a->metric_count > 0 && a->subject && metrics_entity(a) == a->subject &&
	       a->by_count == 0 && (a->top || a->bottom);
}

/* "The biggest project in each market": one row of the subject per group, which no query
 * supports. */
static bool ranks_within_groups(const struct query_builder *a)
{
	const struct question *q = &a->r->q;

	for (size_t i = 0; (a->top || a->bottom) && a->by_count > 0 && i < q->count; i++)
		if (token_in_list(&q->tokens[i], WORDS_ALL) &&
		    token_in_list(&q->tokens[i], WORDS_GROUPING)) /* "in each market" */
			return true;
	return (a->top || a->bottom) && a->metric_count > 0 && a->subject &&
	       metrics_entity(a) == a->subject && a->by_count > 0 &&
	       strcmp(a->by[0],
		      metrics_title(a, a->subject) ? metrics_title(a, a->subject)->name : "") != 0;
}

/* "The smallest invoice total" is the extreme of single rows, if the map has such a metric. */
static bool use_extreme_metric(struct query_builder *a)
{
	const struct schema *s = catalog_schema(a->r->nlu->catalog);
	const struct metric_def *of = a->metrics[0];

	if (of->form != FORM_MEASURE || of->where_count > 0 || !of->measure->column)
		return false;
	for (size_t i = 0; i < s->metric_count; i++) {
		const struct measure_def *m = s->metrics[i]->measure;

		if (!m || s->metrics[i]->where_count > 0 || m->entity != of->measure->entity ||
		    m->column != of->measure->column ||
		    m->aggregate != (a->top ? AGGREGATE_MAX : AGGREGATE_MIN))
			continue;
		a->metrics[0] = s->metrics[i];
		a->top = a->bottom = false;
		return true;
	}
	return false;
}

/* "The average fee per visit" covers all visits; a single visit has no average. */
static void drop_group_by_row(struct query_builder *a)
{
	const struct measure_def *m = a->metric_count == 1 ? a->metrics[0]->measure : NULL;
	const struct dimension_def *title = m ? metrics_title(a, m->entity) : NULL;

	if (title && m->aggregate == AGGREGATE_AVG && a->by_count == 1 && !a->top && !a->bottom &&
	    strcmp(a->by[0], title->name) == 0)
		a->by_count = 0;
}

/* The only sum over an entity's rows; NULL: none or several. */
static const struct metric_def *only_sum(const struct query_builder *a, const struct entity_def *n)
{
	const struct schema *s = catalog_schema(a->r->nlu->catalog);
	const struct metric_def *found = NULL;

	for (size_t i = 0; i < s->metric_count; i++) {
		const struct measure_def *m = s->metrics[i]->measure;

		if (!m || !m->column || m->entity != n || m->aggregate != AGGREGATE_SUM)
			continue;
		if (found)
			return NULL;
		found = s->metrics[i];
	}
	return found;
}

/* "Segment the customers": measures them by their only sum. */
static void choose_default_metric(struct query_builder *a)
{
	const struct entity_def *n = a->subject;

	for (size_t i = 0; i < a->group_count && !n && a->groups[i].count == 1; i++)
		n = a->groups[i].items[0]->dimension->map.entity;
	if (a->metric_count == 0 && n && a->analysis->analysis.points)
		(void)metrics_add(a, metrics_count_of(a, n));
	else if (a->metric_count == 0 && n && a->analysis->analysis.groups != GROUPS_TIME)
		(void)metrics_add(a, only_sum(a, n));
	else if (a->metric_count == 1 && metrics_has_change_slot(a))
		metrics_add_total(a, only_sum(a, metrics_entity(a)));
}

/* An analysis needs a metric or a count. Another named entity becomes a group. */
static bool resolve_analysis(struct query_builder *a)
{
	if (a->rows > 0 || a->related.count > 0)
		return false;
	choose_default_metric(a);
	if (a->metric_count == 0 && a->subject)
		return metrics_add(a, metrics_count_of(a, a->subject)) && bounds_resolve(a) &&
		       metrics_resolve_slots(a);
	if (a->metric_count > 0 && a->subject && metrics_entity(a) != a->subject &&
	    (a->by_count > 0 || !metrics_add_by_title(a, a->subject)))
		return false;
	return a->metric_count > 0 && bounds_resolve(a) && metrics_resolve_slots(a);
}

/* Returns true when the question asks for several rows: "top 5 by spend". */
static bool asks_several(const struct query_builder *a)
{
	const struct fact *top = facts_get(&a->r->facts, FILTER_TOP_N);

	return a->rows > 1 || (top && top->count == 1 && top->values[0].number > 1);
}

/* "The cheapest hub-zone": the metric of the ranked dimension, if it is money per unit. */
static bool add_price(struct query_builder *a)
{
	const struct dimension_def *d =
		a->by_count == 1 && a->metric_count == 0 && a->r->time.year_count > 0
			? schema_dimension(a->r->nlu->catalog, a->by[0])
			: NULL;
	const struct metric_def *m = d ? default_metric_of(a, d) : NULL;

	if (a->metric_count == 1)
		m = a->metrics[0];
	return m && m->unit && m->unit->style == STYLE_MONEY_PER &&
	       (a->metric_count == 1 || metrics_add(a, m));
}

/* "Any wind or BESS over 200 MW": rows of the entity that the values describe. */
static void adopt_subject(struct query_builder *a)
{
	const struct entity_def *of = NULL;

	if (a->subject || a->analysis || a->is_followup || !bounds_any(a) ||
	    a->metric_count + a->group_count + a->measured_metric.count > 0)
		return;
	for (size_t i = 0; i < a->r->constraint_count; i++)
		if (a->bounds[i].named.count > 0)
			return;
	for (size_t i = 0; i < a->r->facts.count; i++) {
		const struct fact *f = &a->r->facts.items[i];

		if (!f->dimension || f->implied || f->source == SOURCE_DEFAULT)
			continue;
		if (!f->dimension->map.entity || (of && f->dimension->map.entity != of))
			return;
		of = f->dimension->map.entity;
	}
	a->subject = of;
}

/* Resolves "how many tracks", "genres by number of tracks", "the top customers by spend". A named
 * item that has no role makes the question unreadable. */
static bool resolve_roles(struct query_builder *a)
{
	bool ranks = a->top || a->bottom;

	if (a->top && a->bottom)
		return false;
	adopt_subject(a);
	if (!metrics_resolve_level(a) || !metrics_resolve_all(a) ||
	    (a->cues.totals && !metrics_is_total(a)))
		return false;
	if (a->cues.price && !add_price(a))
		return false;
	resolve_comparison(a);
	drop_group_by_row(a);
	if (a->analysis)
		return resolve_analysis(a);
	if (a->slots.percent) /* a change requires an analysis */
		return false;
	if (a->metric_count == 0 && a->subject && (a->is_count || a->by_count > 0))
		return metrics_add(a, metrics_count_of(a, a->subject)) && !a->rows &&
		       (!ranks || counts_of_ranked(a)) && bounds_resolve(a);
	if (ranks_subject(a) && !metrics_add_by_title(a, a->subject))
		return false;
	if (ranks_within_groups(a))
		return false;
	if (a->metric_count > 0 && a->subject && metrics_entity(a) != a->subject &&
	    (a->by_count > 0 || !(ranks || a->is_count) || !metrics_add_by_title(a, a->subject)))
		return false;
	if (!bounds_resolve(a))
		return false;
	bounds_apply_to_rows(a);
	if (bounds_metric(a) && a->metric_count > 0 && a->by_count == 0)
		return false; /* "budget above $2M" without its subject */
	if ((a->rows > 0 && !(ranks && a->metric_count == 1)) || (ranks && a->metric_count == 0))
		return ranks_rows(a);
	if (ranks && a->metric_count == 1 && a->by_count == 0)
		return asks_several(a) ? metrics_add_by_title(a, metrics_entity(a))
				       : use_extreme_metric(a);
	return !ranks || (a->metric_count == 1 && a->by_count == 1);
}

/* A list bounded by metrics of other entities can have no time and no other conditions. */
static bool list_is_valid(const struct query_builder *a, const json_t *query)
{
	const json_t *where = json_object_get(query, MAP_WHERE);

	if (!json_object_get(query, MAP_HAVING))
		return true;
	return json_array_size(where) == 0 && !json_object_get(query, MAP_PERIOD) && !a->rows;
}

/* "Solar projects" is a list without a word for it; "the solar project" is a single item. */
static bool write_list(struct query_builder *a, json_t *query)
{
	bool above = true;
	const struct measure_def *m = bounds_measure(a, &above);
	int rows = a->rows;
	bool narrows = json_array_size(json_object_get(query, MAP_WHERE)) > 0 ||
		       json_object_get(query, MAP_HAVING);

	if (!(a->is_list ||
	      ((narrows || a->lists_columns || a->level.value || a->order.by.count > 0) &&
	       !a->singular.named)) ||
	    a->by_count > 0 || !list_is_valid(a, query))
		return false;
	json_set_str(query, MAP_LIST, a->subject->name);
	if (!a->level.value && !narrows && a->subject->levels.count > 0)
		a->level.value = MAP_ASK; /* each level is a separate list */
	if (a->rows == 0 && !a->top && !a->bottom)
		return true;
	if (a->top || a->bottom)
		above = a->top;
	json_set_take(query, MAP_ORDER, json_array());
	json_push_take(json_object_get(query, MAP_ORDER),
		       json_make({MAP_NAME, json_str(m->name)},
				 {MAP_DIR, json_str(above ? ORDER_DESC : ORDER_ASC)}));
	if (a->rows == 0) {
		const json_t *requested = json_object_get(query, a->bottom ? MAP_BOTTOM : MAP_TOP);

		rows = requested ? (int)json_integer_value(requested)
		       : a->singular.named || a->singular.ranked ? 1
								 : ROWS_OF_MANY;
		json_object_del(query, MAP_BOTTOM); /* replaced by the sort order */
	}
	json_set_int(query, MAP_TOP, rows);
	return true;
}

static bool write_metrics(const struct query_builder *a, json_t *query)
{
	json_set_take(query, MAP_METRICS, names_json(a, true));
	if (a->by_count > 0)
		json_set_take(query, MAP_BY, names_json(a, false));
	if (!a->analysis && (a->top || a->bottom) && !json_object_get(query, MAP_TOP) &&
	    !json_object_get(query, MAP_BOTTOM))
		json_set_int(query, a->bottom ? MAP_BOTTOM : MAP_TOP,
			     a->rows > 0                               ? a->rows
			     : a->singular.named || a->singular.ranked ? 1
								       : ROWS_OF_MANY);
	return true;
}

/* The sort key when the question names none: the first metric, or the bounded measure of a list. */
static const char *default_order(const struct query_builder *a, const json_t *query)
{
	const struct measure_def *m;
	bool above;

	if (!json_object_get(query, MAP_LIST))
		return json_string_value(json_array_get(json_object_get(query, MAP_METRICS), 0));
	m = bounds_measure(a, &above);
	return m ? m->name : NULL;
}

bool metrics_add_order(const struct query_builder *a, json_t *query)
{
	const struct map_phrase *p = NULL;
	const char *name;
	bool down;

	if (a->order.by.count == 0 && !a->order.ascending && !a->order.descending)
		return true;
	if (a->order.by.count > 0) {
		p = metrics_pick_meaning(&a->order.by, metrics_entity(a));
		if (!p)
			return false;
		name = p->metric ? p->metric->name : p->dimension->name;
	} else {
		name = default_order(a, query);
	}
	down = a->order.descending || (!a->order.ascending && (!p || p->metric));
	if (!name || (a->order.ascending && a->order.descending) || a->analysis)
		return false;
	json_set_take(query, MAP_ORDER,
		      json_list_of(json_make({MAP_NAME, json_str(name)},
					     {MAP_DIR, json_str(down ? ORDER_DESC : ORDER_ASC)})));
	return true;
}

/* "Projects with more than 10 changes in 2025": a list takes no time, so the query measures the
 * bounded metric by subject instead. */
static void group_bounded_list(struct query_builder *a, const json_t *query)
{
	if (a->metric_count == 0 && a->subject && a->by_count == 0 && bounds_metric(a) &&
	    !list_is_valid(a, query) && metrics_add_by_title(a, a->subject))
		(void)metrics_add(a, bounds_metric(a));
}

static bool write_query(struct query_builder *a, json_t *query)
{
	group_bounded_list(a, query);
	if (a->cues.compares || (a->related.count > 0 && a->metric_count > 0) ||
	    !(a->metric_count > 0 ? write_metrics(a, query) : a->subject && write_list(a, query)))
		return false;
	if (a->level.value)
		json_set_str(query, MAP_LEVEL, a->level.value);
	return metrics_add_order(a, query);
}

/* Returns true for a refusal whose reason and suggestions answer the question. */
static bool is_explained_refusal(const struct query_builder *a, const struct map_problem *why)
{
	return why->code &&
	       (strcmp(why->code, MAP_FAN_OUT) == 0 || strcmp(why->code, MAP_NEEDS_LEVEL) == 0 ||
		(strcmp(why->code, MAP_NO_PATH) == 0 && a->related.count > 0));
}

bool metrics_is_valid(const struct query_builder *a, const json_t *query)
{
	struct map_query *q = arena_alloc(a->r->arena, sizeof(*q));
	struct map_statement s;
	struct map_problem why = {0};
	struct err e = {0};

	return (map_query_read(a->w->map, NULL, query, a->r->in->today, a->r->arena, q, &why, &e) &&
		map_write(a->w->map, q, DIALECT_SQLITE, a->r->arena, &s, &why, &e)) ||
	       is_explained_refusal(a, &why);
}

static bool names_day(const struct query_builder *a)
{
	for (size_t i = 0; i < a->named.count; i++)
		if (!a->named.missing[i] && column_is_day(a->named.items[i]->map.type))
			return true;
	return false;
}

/* Returns true when the query is preferred to a tool that would ask for a value. The question
 * groups, sorts or narrows by something other than a value ("projects with a COD in 2027"), or
 * names rows or amounts of a data source in several words. */
static bool is_preferred_to_asking(const struct query_builder *a)
{
	if (a->by_count + a->r->constraint_count + a->conditions.count > 0 || a->order.by.count > 0)
		return true;
	for (size_t i = 0; i < a->named.count; i++)
		if (a->named.missing[i])
			return true;
	if (names_day(a) && !a->lists_columns)
		return true;
	return metrics_is_tenant_query(a) &&
	       (a->is_count ||
		(a->measured_metric.count > 0 && a->measured_metric.items[0]->count > 1));
}

/* Returns true when the query is preferred to the tool. If the tool takes no time, the question
 * must name the date that its time refers to. */
static bool is_preferred(const struct query_builder *a, enum tool_lack lack)
{
	if (lack == TOOL_LACKS_TIME)
		return names_day(a) && !a->lists_columns;
	return lack == TOOL_LACKS_NOTHING || a->analysis || is_preferred_to_asking(a);
}

json_t *metrics_build(const struct reading *r, enum tool_lack lack, const struct entity_def *only,
		      struct query_builder *a)
{
	json_t *query = json_own(r->arena, json_object());

	*a = (struct query_builder){.r = r,
				    .w = r->nlu->map_words,
				    .only_entity = only,
				    .in_phrase = arena_alloc(r->arena, r->q.count + 1)};
	metrics_find_change(a);
	return bounds_are_supported(a) && metrics_read(a) && resolve_roles(a) &&
			       metrics_add_facts(a, query) && write_query(a, query) &&
			       metrics_is_valid(a, query) && is_preferred(a, lack)
		       ? query
		       : NULL;
}

bool metrics_choose(const struct reading *r, enum tool_lack lack, struct understanding *out)
{
	struct query_builder a;
	const json_t *query;

	if (!r->nlu->map_words || !metrics_select_tool(r->in->may, NULL) ||
	    r->issue.kind != ISSUE_NONE)
		return false;
	query = metrics_build(r, lack, NULL, &a);
	return query ? metrics_call(&a, query, &(struct query_origin){0}, out)
		     : metrics_choose_source(r, lack, out);
}
