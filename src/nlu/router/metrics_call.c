/*
 * Turns a query over the map into a call: its tool, its domain, and the filters to display. A
 * filter on values of one dimension may be edited. Bounds, exclusions and named conditions are
 * only displayed.
 */
#include "metrics_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/strlist.h"

const struct tool_def *metrics_select_tool(const struct catalog_view *may,
					   const struct tool_def *analysis)
{
	for (size_t i = 0; i < may->agent_tool_count; i++)
		if (may->agent_tools[i]->map && (analysis ? may->agent_tools[i] == analysis
							  : !may->agent_tools[i]->analysis.groups))
			return may->agent_tools[i];
	return NULL;
}

/* The domain of the agent that may call the analysis. */
static const struct domain_def *domain_of_agent(const struct catalog_view *may,
						const struct tool_def *t)
{
	for (size_t i = 0; i < may->domain_count; i++)
		if (strlist_has(t->callers.agents, may->domains[i]->agent))
			return may->domains[i];
	return NULL;
}

/* The number of tool parameters in this domain that take the entity's dimensions. */
static size_t closeness(const struct catalog *c, const struct domain_def *d,
			const struct entity_def *n)
{
	size_t close = 0;

	for (size_t t = 0; t < d->tool_count; t++)
		for (size_t p = 0; p < d->tools[t]->param_count; p++) {
			const char *name = d->tools[t]->params[p].entity;
			const struct dimension_def *of = name ? catalog_dimension(c, name) : NULL;

			close += of && of->map.entity == n;
		}
	return close;
}

bool metrics_is_tenant_query(const struct query_builder *a)
{
	return metrics_entity(a)->index >= a->w->pack_entity_count;
}

/* Tenant entities belong to no pack. Their domain is the one for callers who may use data sources.
 */
static const struct domain_def *sources_domain(const struct catalog_view *may)
{
	for (size_t i = 0; i < may->domain_count; i++)
		if (may->domains[i]->permission &&
		    strcmp(may->domains[i]->permission, PERMISSION_SOURCES) == 0)
			return may->domains[i];
	return NULL;
}

/* Within the pack that declares the metric or entity, the domain with the closest tools. */
static const struct domain_def *domain_of(const struct query_builder *a)
{
	const struct catalog_view *may = a->r->in->may;
	const char *pack = a->metric_count > 0 ? a->metrics[0]->pack : a->subject->pack;
	const struct domain_def *best = NULL;
	size_t most = 0;

	if (metrics_is_tenant_query(a))
		return sources_domain(may);
	for (size_t i = 0; i < may->domain_count; i++) {
		size_t close = closeness(a->r->nlu->catalog, may->domains[i], metrics_entity(a));

		if (strcmp(may->domains[i]->pack, pack) != 0 || (best && close <= most))
			continue;
		best = may->domains[i];
		most = close;
	}
	return best;
}

const json_t *metrics_query_read(const char *text, struct arena *a)
{
	struct err e = {0};
	json_t *query;

	return text && json_parse(text, strlen(text), MAP_QUERY_BYTES_MAX, &query, &e)
		       ? json_own(a, query)
		       : NULL;
}

bool metrics_set_from_query(struct query_builder *a, const json_t *query)
{
	const struct schema *s = catalog_schema(a->r->nlu->catalog);
	const char *list = json_string_value(json_object_get(query, MAP_LIST));
	const json_t *one;
	size_t i;

	a->metric_count = 0;
	a->subject = list ? schema_entity(s, list) : NULL;
	json_array_foreach((json_t *)json_object_get(query, MAP_METRICS), i, one) {
		const char *name = json_string_value(one);

		if (i == MAP_METRICS_ASKED_MAX)
			return false;
		a->metrics[a->metric_count] = name ? schema_metric(s, name) : NULL;
		if (!a->metrics[a->metric_count++])
			return false;
	}
	return a->subject || a->metric_count > 0;
}

/* ---- filters to display ---- */

static enum filter_source source_of(const struct query_origin *from, const json_t *condition,
				    const char *filter)
{
	const json_t *before = json_object_get(from->before, MAP_WHERE), *one;
	size_t i;

	if (from->edited && strlist_has(from->edited, filter))
		return from->source;
	json_array_foreach((json_t *)before, i, one)
		if (json_equal((json_t *)one, (json_t *)condition))
			return SOURCE_CARRIED;
	return SOURCE_EXPLICIT;
}

static const char *label_of(const struct query_builder *a, enum where_op op, enum grain grain,
			    const struct value *values, size_t count, const struct unit_def *unit)
{
	const char *text = map_op_sign(op);

	for (size_t i = 0; i < count; i++)
		text = arena_printf(a->r->arena, "%s%s %s", text, i ? "," : "",
				    grain == GRAIN_WEEKDAY ? map_weekday(values[i].number)
							   : value_display_text(a->r, &values[i]));
	return unit && count > 0 ? arena_printf(a->r->arena, "%s %s", text, unit->symbol) : text;
}

/* A named condition, a bound or an exclusion: no tool takes it as a filter. */
static struct filter display_only_filter(const struct query_builder *a, const struct map_where *w)
{
	struct value *value = arena_alloc(a->r->arena, sizeof(*value));
	struct filter f = {.name = w->name,
			   .fixed = true,
			   .is_list = w->count > 1,
			   .values = w->values,
			   .count = w->count};

	if (w->count == 0) {
		*value = value_bool(w->op == OP_IS || w->op == OP_PRESENT);
		f.values = value;
		f.count = 1;
	}
	if (w->condition)
		f.label = w->op == OP_NOT ? arena_printf(a->r->arena, "%s %s", map_op_sign(OP_NOT),
							 w->condition->label)
					  : w->condition->label;
	else
		f.label = label_of(a, w->op, w->grain, w->values, w->count,
				   w->measure ? w->measure->unit : NULL);
	if (w->op == OP_NOT)
		f.name = arena_printf(a->r->arena, "not_%s",
				      w->dimension ? w->dimension->filter : w->name);
	return f;
}

static struct filter filter_of(const struct query_builder *a, const struct map_where *w)
{
	const struct dimension_def *d = w->dimension;

	if (!d || w->grain || w->op != OP_IS)
		return display_only_filter(a, w);
	return (struct filter){
		.name = w->count > 1 ? filter_plural(d->filter, a->r->arena) : d->filter,
		.is_list = w->count > 1,
		.values = w->values,
		.count = w->count,
	};
}

static struct filter day_of(const struct query_builder *a, const struct query_origin *from,
			    const json_t *query, const char *filter, struct date day)
{
	const json_t *period = json_object_get(query, MAP_PERIOD);
	struct value *value = arena_alloc(a->r->arena, sizeof(*value));
	char iso[DATE_ISO_BYTES];
	bool unchanged = json_equal(json_object_get(from->before, MAP_PERIOD), (json_t *)period);

	date_iso(day, iso);
	*value = value_date(arena_strdup(a->r->arena, iso));
	return (struct filter){.name = filter,
			       .values = value,
			       .count = 1,
			       .source = from->edited && strlist_has(from->edited, filter)
						 ? from->source
					 : unchanged ? SOURCE_CARRIED
						     : SOURCE_EXPLICIT};
}

static bool is_shown(const struct filter *filters, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(filters[i].name, name) == 0)
			return true;
	return false;
}

/* Shows conditions in the order of the query, then the added ones. */
static void show_filters(const struct query_builder *a, const json_t *query,
			 const struct map_query *q, const struct query_origin *from,
			 struct understanding *out)
{
	size_t explicit_count = json_array_size(json_object_get(query, MAP_WHERE)), n = 0;
	struct filter *filters =
		arena_alloc(a->r->arena, (q->where_count + q->having_count + 3) * sizeof(*filters));

	for (size_t i = 0; i < q->where_count; i++) {
		const struct map_where *w = &q->where[i];
		struct filter f = filter_of(a, w);

		f.source = w->source == MAP_DEFAULT ? SOURCE_DEFAULT
			   : i < explicit_count
				   ? source_of(from,
					       json_array_get(json_object_get(query, MAP_WHERE), i),
					       w->dimension ? w->dimension->filter : w->name)
				   : SOURCE_EXPLICIT;
		if (!is_shown(filters, n, f.name))
			filters[n++] = f;
	}
	for (size_t i = 0; i < q->having_count; i++) {
		const struct map_having *h = &q->having[i];

		filters[n++] = (struct filter){.name = h->metric->name,
					       .is_list = h->count > 1,
					       .fixed = true,
					       .values = h->values,
					       .count = h->count,
					       .label = label_of(a, h->op, GRAIN_NONE, h->values,
								 h->count, h->metric->unit)};
	}
	if (q->period.is_set) {
		filters[n++] = day_of(a, from, query, FILTER_START, q->period.start);
		filters[n++] = day_of(a, from, query, FILTER_END, q->period.end);
	}
	out->filters = filters;
	out->filter_count = n;
}

/* ---- the call ---- */

bool metrics_call(const struct query_builder *a, const json_t *query,
		  const struct query_origin *from, struct understanding *out)
{
	struct arena *arena = a->r->arena;
	const struct tool_def *tool = metrics_select_tool(a->r->in->may, a->analysis);
	const struct domain_def *d = !tool         ? NULL
				     : a->analysis ? domain_of_agent(a->r->in->may, tool)
						   : domain_of(a);
	struct nlu_call *call = arena_alloc(arena, sizeof(*call));
	const char **agents = arena_alloc(arena, 2 * sizeof(*agents));
	struct map_query *q = arena_alloc(arena, sizeof(*q));
	struct map_problem why;
	struct err e = {0};
	char *text;

	if (!d)
		return false;
	text = json_text(query);
	*call = (struct nlu_call){
		.kind = CANDIDATE_TOOL, .name = tool->name, .tool = tool, .agent = d->agent};
	args_set(&call->args, arena, tool->map, value_text(arena_strdup(arena, text)));
	mem_free(text);
	metrics_fill_slots(a, &call->args);
	agents[0] = d->agent;
	*out = (struct understanding){.kind = NLU_DATA,
				      .intent = d->intent,
				      .agents = agents,
				      .agent_count = 1,
				      .tools = call,
				      .tool_count = 1,
				      .confidence = NLU_CONFIDENT};
	if (map_query_read(a->w->map, NULL, query, a->r->in->today, arena, q, &why, &e))
		show_filters(a, query, q, from, out);
	return true;
}
