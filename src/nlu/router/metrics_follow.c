/*
 * Applies a follow-up to the current query over the map. A follow-up names no entity or metric, or
 * only those of the last question. Its groups and times replace the current ones, its values those
 * of the same dimension; everything else stays. Each word must be used, as in a complete question.
 */
#include "metrics_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/units.h"

/* ---- the current query ---- */

/* The entity of the query's rows; NULL: no longer in the catalogue. */
static const struct entity_def *entity_of(const struct query_builder *a, const json_t *query)
{
	struct query_builder before = {.r = a->r};
	const struct metric_def *m;

	if (!metrics_set_from_query(&before, query))
		return NULL;
	for (m = before.metric_count > 0 ? before.metrics[0] : NULL; m && !m->measure; m = m->left)
		;
	return m ? m->measure->entity : before.subject;
}

static bool is_limited(const json_t *query)
{
	return json_object_get(query, MAP_TOP) || json_object_get(query, MAP_BOTTOM) ||
	       json_object_get(query, MAP_HAVING);
}

/* Replaces a list by metrics. Fails when the list was limited, since metrics would cover other
 * rows. */
static bool replace_list(json_t *query)
{
	if (!json_object_get(query, MAP_LIST))
		return true;
	if (is_limited(query))
		return false;
	json_object_del(query, MAP_LIST);
	json_object_del(query, MAP_SHOW);
	json_object_del(query, MAP_ORDER);
	return true;
}

static void set_metric(json_t *query, const struct metric_def *m)
{
	json_set_take(query, MAP_METRICS, json_list_of(json_str(m->name)));
}

/* ---- the follow-up ---- */

static bool is_grouped(const struct query_builder *a)
{
	for (size_t i = 0; i < a->group_count; i++)
		if (a->groups[i].grouped)
			return true;
	return false;
}

/* Reads a metric: "and the forecast?", "how many of those", "by market" after a list. */
static bool apply_metric(struct query_builder *a, const struct entity_def *n, json_t *query,
			 bool *changed)
{
	const struct map_phrase *p =
		a->measured_metric.count > 0 ? metrics_pick_meaning(&a->measured_metric, n) : NULL;
	const struct metric_def *count = metrics_count_of(a, n);
	bool list = json_object_get(query, MAP_LIST) != NULL;

	if (a->measured_metric.count > 0 &&
	    (!p || !p->metric || json_object_get(query, MAP_HAVING)))
		return false;
	if (p || (list && (a->is_count || is_grouped(a)))) {
		if (!(p ? p->metric : count) || !replace_list(query))
			return false;
		set_metric(query, p ? p->metric : count);
		json_object_del(query, MAP_ORDER);
		*changed = p || a->is_count;
	}
	a->measured_metric.count = 0;
	return metrics_set_from_query(a, query) &&
	       (a->subject || !a->is_count || (a->metric_count == 1 && a->metrics[0] == count));
}

/* Replaces the groups, or extends them after "add". New groups drop the top, bottom and order. */
static void apply_groups(const struct query_builder *a, json_t *query)
{
	json_t *by = json_object_get(query, MAP_BY);

	if (!by || !words_in(&a->r->q, WORDS_EXTENDING)) {
		by = json_array();
		json_set_take(query, MAP_BY, by);
		json_object_del(query, MAP_TOP);
		json_object_del(query, MAP_BOTTOM);
		json_object_del(query, MAP_ORDER);
	}
	for (size_t i = 0; i < a->by_count; i++)
		json_push_take(by, json_str(a->by[i]));
}

/* ---- conditions ---- */

static bool is_named(const json_t *one, const char *name)
{
	return strcmp(json_string_value(json_object_get(one, MAP_NAME)), name) == 0;
}

/* Extends an exclusion: "excluding wind" when solar is already excluded. */
static bool extends_condition(const struct query_builder *a, const json_t *current,
			      const json_t *added)
{
	const char *op = json_string_value(json_object_get(added, MAP_OP));

	return strcmp(op, json_string_value(json_object_get(current, MAP_OP))) == 0 &&
	       (strcmp(op, where_op_name(OP_NOT)) == 0 || words_in(&a->r->q, WORDS_EXTENDING));
}

/* Conditions replace those of the same name. */
static void apply_conditions(const struct query_builder *a, json_t *query, const char *member,
			     const json_t *added)
{
	json_t *list = json_object_get(query, member), *one;
	size_t i;

	if (!list) {
		list = json_array();
		json_set_take(query, member, list);
	}
	json_array_foreach((json_t *)added, i, one) {
		const char *name = json_string_value(json_object_get(one, MAP_NAME));
		json_t *now = json_own(a->r->arena, json_deep_copy(one));

		for (size_t k = json_array_size(list); k-- > 0;) {
			const json_t *current = json_array_get(list, k);
			const json_t *more = json_object_get(one, MAP_VALUES);

			if (!is_named(current, name))
				continue;
			if (more && extends_condition(a, current, one)) {
				json_t *all = json_copy(json_object_get(current, MAP_VALUES));

				json_array_extend(all, (json_t *)more);
				json_set_take(now, MAP_VALUES, all);
			}
			json_array_remove(list, k);
		}
		json_array_append(list, now);
	}
	if (json_array_size(list) == 0 && strcmp(member, MAP_HAVING) == 0)
		json_object_del(query, member);
}

/* Adds the year of the current period to months: "and in March?". */
static void inherit_year(struct reading *r, const json_t *query)
{
	struct parsed_time *t = &r->time;
	const json_t *period = json_object_get(query, MAP_PERIOD);
	const char *start = json_string_value(json_object_get(period, MAP_START));
	const char *end = json_string_value(json_object_get(period, MAP_END));
	struct date first, last;

	if (!t->months || t->year_count > 0 || t->has_start || t->has_end || !start || !end ||
	    !date_parse_iso(start, &first) || !date_parse_iso(end, &last) ||
	    first.year != last.year)
		return;
	t->years[t->year_count++] = first.year;
	t->year_months[0] = t->months;
}

/* "2028?" after a list of what comes online in 2027: replaces the days of that condition. */
static bool replace_days(const struct query_builder *a, json_t *query, const json_t *period)
{
	const json_t *start = json_object_get(period, MAP_START);
	const json_t *end = json_object_get(period, MAP_END), *one;
	size_t i;

	if (!json_object_get(query, MAP_LIST) || json_object_get(query, MAP_PERIOD) || !start ||
	    !end)
		return false;
	json_array_foreach(json_object_get(query, MAP_WHERE), i, one) {
		const char *name = json_string_value(json_object_get(one, MAP_NAME));
		const struct dimension_def *d = schema_dimension(a->r->nlu->catalog, name);
		json_t *days = json_object_get(one, MAP_VALUES);

		if (!d || !column_is_day(d->map.type) ||
		    strcmp(json_string_value(json_object_get(one, MAP_OP)),
			   where_op_name(OP_BETWEEN)) != 0)
			continue;
		json_array_clear(days);
		json_array_append(days, (json_t *)start);
		json_array_append(days, (json_t *)end);
		return true;
	}
	return false;
}

static bool apply_period(const struct query_builder *a, json_t *query, json_t *added)
{
	json_t *period = json_object_get(added, MAP_PERIOD);
	const json_t *compare = json_object_get(added, MAP_COMPARE);

	if (!period)
		return false;
	if (!compare && replace_days(a, query, period))
		return true;
	json_object_set(query, MAP_PERIOD, period);
	if (compare)
		json_object_set(query, MAP_COMPARE, (json_t *)compare);
	else if (json_is_object(json_object_get(query, MAP_COMPARE)))
		json_object_del(query, MAP_COMPARE);
	return true;
}

/* "And the cheapest?": the lowest, if the metric is a price. */
static void apply_price_order(struct query_builder *a, const json_t *query)
{
	struct query_builder before = *a;
	bool money;

	if (!metrics_set_from_query(&before, query) || before.metric_count == 0)
		return;
	money = before.metrics[0]->unit && before.metrics[0]->unit->style <= STYLE_MONEY_PER;

	a->bottom |= money && words_in(&a->r->q, WORDS_CHEAPEST);
	a->top |= money && words_in(&a->r->q, WORDS_PRICIEST);
}

/* The number of rows for "and the lowest?": that of the current query. */
static json_t *rows_before(const json_t *query)
{
	json_t *top = json_object_get(query, MAP_TOP);

	return top ? top : json_object_get(query, MAP_BOTTOM);
}

/* "Just the top 3", "and the lowest": requires groups or an ordered list. */
static bool apply_top(const struct query_builder *a, json_t *query, const json_t *added,
		      bool *changed)
{
	const char *member = a->bottom ? MAP_BOTTOM : MAP_TOP;
	json_t *rows = json_object_get(added, member);

	if (!a->top && !a->bottom)
		return true;
	rows = rows ? rows : rows_before(query);
	if (!rows || (a->top && a->bottom) ||
	    !(json_object_get(query, MAP_BY) || json_object_get(query, MAP_ORDER)) ||
	    (json_object_get(query, MAP_LIST) && a->bottom))
		return false;
	json_incref(rows);
	json_object_del(query, MAP_TOP);
	json_object_del(query, MAP_BOTTOM);
	json_set_take(query, member, rows);
	*changed = true;
	return true;
}

/* "Sort it, highest first", "by COD, earliest first" */
static bool apply_order(const struct query_builder *a, json_t *query, bool *changed)
{
	if (a->order.by.count == 0 && !a->order.ascending && !a->order.descending)
		return true;
	json_object_del(query, MAP_ORDER);
	*changed = true;
	return metrics_add_order(a, query);
}

/* ---- applying a follow-up ---- */

/* Returns true for a follow-up, or a question that opens with a group or an exclusion. */
static bool is_followup(const struct reading *r)
{
	const struct question *q = &r->q;

	if (followup_has_cue(r) || token_in_list(token_at(q, 0), WORDS_GROUPING) ||
	    token_in_list(token_at(q, 0), WORDS_EXCLUSION) ||
	    token_in_list(token_at(q, 0), WORDS_EXCLUSION_VERBS) ||
	    words_at(q, 0, WORDS_SORTING) + words_at(q, 0, WORDS_COUNTING) > 0)
		return true;
	for (size_t i = 0; i < q->count; i++)
		if (token_in_list(&q->tokens[i], WORDS_THIRD_PERSON) ||
		    (token_in_list(&q->tokens[i], WORDS_PRONOUNS) && i > 0))
			return true;
	return false;
}

/* The analysis that the current query belongs to; NULL: none. */
static const struct tool_def *analysis_of(const struct reading *r)
{
	const json_t *tools = json_object_get(r->in->session_context, "tools");
	const char *name = json_string_value(json_array_get(tools, 0));
	const struct tool_def *tool = name ? catalog_tool(r->nlu->catalog, name) : NULL;

	return tool && json_array_size(tools) == 1 && tool->analysis.groups ? tool : NULL;
}

static bool read_followup(struct query_builder *a, const struct entity_def *n)
{
	if (!metrics_read(a) || a->analysis || a->rows > 0 || a->related.count > 0 ||
	    (a->subject && a->subject != n))
		return false;
	a->subject = NULL;
	return true;
}

bool metrics_follow(const struct reading *r, const json_t *query, struct understanding *out)
{
	struct reading *with_year = arena_alloc(r->arena, sizeof(*with_year));
	struct query_builder a = {.r = with_year,
				  .w = r->nlu->map_words,
				  .is_followup = true,
				  .in_phrase = arena_alloc(r->arena, r->q.count + 1)};
	json_t *edited = json_own(r->arena, json_deep_copy(query)), *added;
	const struct entity_def *n;
	bool changed = false;

	*with_year = *r;
	inherit_year(with_year, query);
	if (!a.w || !metrics_select_tool(r->in->may, NULL) || !is_followup(r) ||
	    !bounds_are_supported(&a) || r->issue.kind != ISSUE_NONE)
		return false;
	n = entity_of(&a, query);
	added = json_own(r->arena, json_object());
	if (!n || !read_followup(&a, n) || !apply_metric(&a, n, edited, &changed))
		return false;
	if ((a.cues.totals && !metrics_is_total(&a)) || (a.level.phrase.count > 0 && !a.subject) ||
	    !metrics_resolve_level(&a) || !metrics_resolve_all(&a) ||
	    !(bounds_default_to_metric(&a, edited), bounds_resolve(&a)) ||
	    !metrics_add_facts(&a, added) || a.cues.compares || a.lists_columns)
		return false;
	a.analysis = analysis_of(r);
	apply_price_order(&a, query);
	if (!apply_top(&a, edited, added, &changed))
		return false;
	if (a.by_count > 0)
		apply_groups(&a, edited);
	if (!apply_order(&a, edited, &changed))
		return false;
	if (a.level.value)
		json_set_str(edited, MAP_LEVEL, a.level.value);
	apply_conditions(&a, edited, MAP_WHERE, json_object_get(added, MAP_WHERE));
	apply_conditions(&a, edited, MAP_HAVING, json_object_get(added, MAP_HAVING));
	changed |= apply_period(&a, edited, added) || a.by_count > 0 || a.level.value ||
		   json_array_size(json_object_get(added, MAP_WHERE)) > 0 ||
		   json_array_size(json_object_get(added, MAP_HAVING)) > 0;
	if (!changed || !metrics_is_valid(&a, edited) ||
	    !metrics_call(&a, edited, &(struct query_origin){.before = query}, out))
		return false;
	out->is_followup = true;
	return true;
}
