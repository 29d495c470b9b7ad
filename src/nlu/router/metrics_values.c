/* Reads the conditions of a question over the map: values, exclusions and time. */
#include "metrics_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/dates.h"
#include "vesper/json.h"

static bool are_known_values(const struct query_builder *a, const struct dimension_def *d,
			     const struct value *values, size_t count)
{
	struct name_match m;

	if (d->resolves || !names_has_values(a->r->names, d))
		return false; /* any text may be a value */
	for (size_t i = 0; i < count; i++)
		if (!values[i].text ||
		    !names_resolve(a->r->names, d, values[i].text, NULL, a->r->arena, &m))
			return false;
	return count > 0;
}

/* The subject's dimension with the same filter: the market of a project instead of that of a
 * price. */
static const struct dimension_def *same_filter(const struct query_builder *a,
					       const struct dimension_def *read)
{
	const struct schema *s = catalog_schema(a->r->nlu->catalog);

	for (size_t i = 0; i < s->plain_count; i++)
		if (s->plain[i]->map.entity == metrics_entity(a) &&
		    strcmp(s->plain[i]->filter, read->filter) == 0)
			return s->plain[i];
	return NULL;
}

/* The dimension of the values: the named one, else one of the counted entity that has these
 * values ("Paris" of invoices is a billing city), else `read`. NULL: undetermined. */
static const struct dimension_def *dimension_of(const struct query_builder *a,
						const struct dimension_def *read,
						const struct value *values, size_t count)
{
	const struct catalog *c = a->r->nlu->catalog;
	const struct dimension_def *found = NULL;

	for (size_t i = 0; i < a->named.count; i++)
		if (a->named.items[i] == read ||
		    are_known_values(a, a->named.items[i], values, count))
			return a->named.items[i];
	if (read->map.entity == metrics_entity(a))
		return read;
	if ((found = same_filter(a, read)))
		return found;
	for (size_t i = 0; i < c->dimension_count; i++) {
		const struct dimension_def *d = &c->dimensions[i];

		if (d->map.entity != metrics_entity(a) || !are_known_values(a, d, values, count))
			continue;
		if (found)
			return NULL;
		found = d;
	}
	return found ? found : read;
}

static bool is_used(const json_t *where, const char *name)
{
	for (size_t i = 0; i < json_array_size(where); i++)
		if (strcmp(json_string_value(json_object_get(json_array_get(where, i), MAP_NAME)),
			   name) == 0)
			return true;
	return false;
}

const struct dimension_def *metrics_own_dimension(const struct query_builder *a,
						  const struct dimension_def *read)
{
	const struct dimension_def *own =
		read->map.entity == metrics_entity(a) ? NULL : same_filter(a, read);

	return own ? own : read;
}

/* A named dimension must have a value or be a column of the list: "the status of projects". */
static bool use_named_dimensions(struct query_builder *a, json_t *where, json_t *query)
{
	bool lists = a->metric_count == 0 && a->by_count == 0 && a->subject;
	json_t *show = json_array();
	bool ok = true;

	for (size_t i = 0; ok && i < a->named.count; i++) {
		const struct dimension_def *d = a->named.items[i];

		if (a->named.missing[i]) {
			json_push_take(where,
				       json_make({MAP_NAME, json_str(d->name)},
						 {MAP_OP, json_str(where_op_name(OP_MISSING))}));
			continue;
		}
		if (is_used(where, d->name) ||
		    (json_object_get(query, MAP_PERIOD) && metrics_entity(a) &&
		     d == schema_time(catalog_schema(a->r->nlu->catalog), metrics_entity(a))) ||
		    (a->slots.item && a->slots.item->dimension == d) ||
		    (a->level.value && d->map.column == a->subject->levels.column))
			continue;
		ok = lists && d->map.entity == a->subject;
		json_push_take(show, json_str(d->name));
	}
	a->lists_columns = ok && json_array_size(show) > 0;
	if (a->lists_columns)
		json_set_take(query, MAP_SHOW, show);
	else
		json_decref(show);
	return ok;
}

static bool add_where(const struct query_builder *a, json_t *where,
		      const struct dimension_def *read, enum where_op op,
		      const struct value *values, size_t count)
{
	const struct dimension_def *d = dimension_of(a, read, values, count);
	json_t *list;

	if (!d)
		return false;
	list = json_array();
	for (size_t i = 0; i < count; i++)
		json_push_take(list, values[i].type == VALUE_INT ? json_int(values[i].number)
								 : json_str(values[i].text));
	json_push_take(where, json_make({MAP_NAME, json_str(d->name)},
					{MAP_OP, json_str(where_op_name(op))}, {MAP_VALUES, list}));
	return true;
}

static bool is_time(const struct fact *f)
{
	static const char *const filters[] = {FILTER_START, FILTER_END, FILTER_YEAR, FILTER_MONTH};

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (strcmp(f->filter, filters[i]) == 0)
			return true;
	return false;
}

static json_t *period_json(struct date start, struct date end)
{
	char first[DATE_ISO_BYTES], last[DATE_ISO_BYTES];

	date_iso(start, first);
	date_iso(end, last);
	return json_make({MAP_START, json_str(first)}, {MAP_END, json_str(last)});
}

json_t *metrics_year(int year)
{
	return period_json((struct date){year, 1, 1}, (struct date){year, 12, 31});
}

/* Returns true for consecutive months of one year, or consecutive years. */
static bool one_span(const struct parsed_time *t)
{
	unsigned months = t->months ? t->months >> __builtin_ctz(t->months) : 1;

	for (size_t i = 1; i < t->year_count; i++)
		if (t->years[i] != t->years[i - 1] + 1)
			return false;
	return (months & (months + 1)) == 0 && (!t->months || t->year_count == 1);
}

static json_t *span_json(const struct parsed_time *t)
{
	int last = t->years[t->year_count - 1];

	if (!t->months)
		return period_json((struct date){t->years[0], 1, 1}, (struct date){last, 12, 31});
	return period_json((struct date){last, __builtin_ctz(t->months), 1},
			   month_end(last, 31 - __builtin_clz(t->months)));
}

/* The year dimension of an entity without a time; NULL: it has a time or no year. */
static const struct dimension_def *year_of(const struct query_builder *a)
{
	const struct schema *s = catalog_schema(a->r->nlu->catalog);
	const struct entity_def *n = metrics_entity(a);

	for (size_t i = 0; n && !schema_time(s, n) && i < s->plain_count; i++)
		if (s->plain[i]->map.entity == n && strcmp(s->plain[i]->filter, FILTER_YEAR) == 0)
			return s->plain[i];
	return NULL;
}

/* Returns true for whole years, at most MAP_VALUES_MAX. */
static bool is_years(const struct parsed_time *t)
{
	if (t->months || t->has_gap || t->months_differ)
		return false;
	if (!t->has_start || !t->has_end)
		return t->year_count > 0 && !t->has_start && !t->has_end;
	return t->start.month == 1 && t->start.day == 1 && t->end.month == 12 && t->end.day == 31 &&
	       t->end.year - t->start.year < MAP_VALUES_MAX;
}

static void add_years(const struct parsed_time *t, const struct dimension_def *d, json_t *where)
{
	json_t *years = json_array();

	for (size_t i = 0; !t->has_start && i < t->year_count; i++)
		json_push_take(years, json_int(t->years[i]));
	for (int year = t->start.year; t->has_start && year <= t->end.year; year++)
		json_push_take(years, json_int(year));
	json_push_take(where,
		       json_make({MAP_NAME, json_str(d->name)},
				 {MAP_OP, json_str(where_op_name(OP_IS))}, {MAP_VALUES, years}));
}

/* Returns true when grouped by this grain; GRAIN_NONE: by any. */
static bool by_time(const struct query_builder *a, enum grain grain)
{
	for (size_t i = 0; i < a->group_count; i++)
		if (a->groups[i].grain && (!grain || a->groups[i].grain == grain))
			return true;
	return false;
}

/* "On weekends", "excluding weekends": adds weekdays of the metric's time. */
static bool add_weekdays(const struct query_builder *a, json_t *where)
{
	const struct parsed_time *t = &a->r->time;
	const char *name = metrics_grain(a, GRAIN_WEEKDAY);
	json_t *days;
	size_t i = 0;

	if (!t->weekdays || !name)
		return false;
	while (i < a->r->q.count && a->r->q.tokens[i].text != t->day_type)
		i++;
	assert(i < a->r->q.count); /* day_type is a word of the question */
	days = json_array();
	for (int day = 1; day <= 7; day++)
		if (t->weekdays >> day & 1)
			json_push_take(days, json_int(day));
	json_push_take(
		where,
		json_make({MAP_NAME, json_str(name)},
			  {MAP_OP, json_str(where_op_name(
					   exclude_cue_before(&a->r->q, i) ? OP_NOT : OP_IS))},
			  {MAP_VALUES, days}));
	return true;
}

/* The only named date of other rows: "COD in 2027". NULL: none, or several. */
static const struct dimension_def *named_day(const struct query_builder *a)
{
	const struct dimension_def *found = NULL;

	for (size_t i = 0; i < a->named.count; i++) {
		if (a->named.missing[i] || !column_is_day(a->named.items[i]->map.type))
			continue;
		if (found)
			return NULL;
		found = a->named.items[i];
	}
	return found;
}

/* Compares a date of the rows with the time of the question. Returns false when the time cannot
 * be expressed as one comparison. */
static bool add_day_span(const struct parsed_time *t, const struct dimension_def *day,
			 json_t *where)
{
	bool days = (t->has_start || t->has_end) && !t->has_gap && !t->months_differ;
	const json_t *span;
	json_t *values;

	if (!days && (t->has_start || t->has_end || !one_span(t)))
		return false;
	span = days ? period_json(t->start, t->end) : span_json(t);
	values = json_array();
	if (!days || t->has_start)
		json_array_append(values, json_object_get(span, MAP_START));
	if (!days || t->has_end)
		json_array_append(values, json_object_get(span, MAP_END));
	json_push_take(
		where,
		json_make({MAP_NAME, json_str(day->name)},
			  {MAP_OP, json_str(where_op_name(json_array_size(values) == 2 ? OP_BETWEEN
							  : t->has_start               ? OP_AT_LEAST
									 : OP_AT_MOST))},
			  {MAP_VALUES, values}));
	json_decref((json_t *)(uintptr_t)span);
	return true;
}

/* Adds the period of the question, or compares two years. Returns false when the time has another
 * form. */
static bool add_time(struct query_builder *a, json_t *where, json_t *query)
{
	const struct parsed_time *t = &a->r->time;
	const struct dimension_def *year = year_of(a), *day = named_day(a);
	const struct entity_def *n = metrics_entity(a);
	const struct dimension_def *time =
		n ? schema_time(catalog_schema(a->r->nlu->catalog), n) : NULL;
	bool later = t->year_count > 1 && t->years[1] > t->years[0];

	if ((t->day_type && !by_time(a, GRAIN_WEEKDAY) && !add_weekdays(a, where)) || t->hours ||
	    t->days_mixed || t->asof_count > 0 || t->indefinite || t->reading_count > 0)
		return false;
	if (metrics_read_horizon(a))
		return true;
	if (a->cues.compares && t->year_count == 2 && !t->months && !by_time(a, GRAIN_NONE)) {
		json_set_take(query, MAP_PERIOD, metrics_year(t->years[later]));
		json_set_take(query, MAP_COMPARE, metrics_year(t->years[!later]));
		a->cues.compares = false;
		return true;
	}
	if (day && day != time && (t->year_count > 0 || t->has_start || t->has_end))
		return add_day_span(t, day, where);
	if (year && is_years(t))
		add_years(t, year, where);
	else if (t->has_start && t->has_end && !t->has_gap && !t->months_differ)
		json_set_take(query, MAP_PERIOD, period_json(t->start, t->end));
	else if (time && t->has_start != t->has_end) /* "before February" */
		return add_day_span(t, time, where);
	else if (t->year_count > 0 && !t->has_start && !t->has_end && one_span(t))
		json_set_take(query, MAP_PERIOD, span_json(t));
	else
		return t->year_count == 0 && !t->months && !t->has_start && !t->has_end;
	return true;
}

/* Returns true for a value whose words name something on the map or request an analysis:
 * "generation capacity". */
static bool is_named(const struct query_builder *a, const struct fact *f)
{
	bool named = false;

	for (size_t i = 0; (f->has_tool_words_only || a->analysis) && i < a->r->mention_count;
	     i++) {
		const struct mention *m = &a->r->mentions[i];

		if (m->candidates[0].dimension != f->dimension)
			continue;
		named = true;
		for (size_t t = m->from; t < m->to; t++)
			named = named && a->in_phrase[t];
	}
	return named;
}

/* Adds a value as a condition, or a number of rows. Times are handled by add_time. Returns false
 * when the fact does not fit. */
static bool add_fact(const struct query_builder *a, const struct fact *f, json_t *where,
		     json_t *query)
{
	if (f->implied || f->source == SOURCE_DEFAULT || f == a->slots.item || is_named(a, f))
		return true;
	if (f->dimension) {
		if (f->all_values) /* "each market": no condition */
			return true;
		if (!f->dimension->map.entity || f->resolved_from ||
		    (f->has_tool_words_only &&
		     (f->count > 1 || f->dimension->map.entity != metrics_entity(a))))
			return false;
		return add_where(a, where, f->dimension, OP_IS, f->values, f->count);
	}
	if (strcmp(f->filter, FILTER_TOP_N) == 0 && a->analysis &&
	    tool_param_of_filter(a->analysis, FILTER_TOP_N)) /* "losing the top 5": its argument */
		return true;
	if (strcmp(f->filter, FILTER_TOP_N) == 0 && (a->top || a->bottom)) {
		json_set_int(query, a->bottom ? MAP_BOTTOM : MAP_TOP, f->values[0].number);
		return true;
	}
	return is_time(f) || strcmp(f->filter, FILTER_DAYS) == 0; /* handled by add_time */
}

/* Words that are also tool words may exclude values of the subject only. */
static bool may_exclude(const struct query_builder *a, const struct constraint *s)
{
	return !s->has_tool_words_only || s->dimension->map.entity == metrics_entity(a);
}

/* Requires an existing row of each related entity. */
static bool add_related(const struct query_builder *a, json_t *where)
{
	for (size_t i = 0; i < a->related.count; i++) {
		const struct dimension_def *d = metrics_title(a, a->related.items[i]);

		if (!d)
			return false;
		json_push_take(where, json_make({MAP_NAME, json_str(d->name)},
						{MAP_OP, json_str(where_op_name(OP_PRESENT))}));
	}
	return true;
}

/* Returns true when the condition counts from the day of the question. */
static bool is_of_today(const struct condition_def *c)
{
	struct date day;

	for (size_t i = 0; i < c->where_count; i++)
		for (const char *const *v = c->where[i].values; *v; v++)
			if (column_is_day(c->where[i].dimension->map.type) &&
			    !date_parse_iso(*v, &day))
				return true;
	return false;
}

/* "Overdue" refers to today, so it cannot be combined with another time. "Overdue or" something
 * else would need two queries, and analyses have their own conditions. */
static bool add_conditions(const struct query_builder *a, const json_t *query, json_t *where)
{
	bool of_other_time = json_object_get(query, MAP_PERIOD) || a->r->time.year_count > 0;

	if (a->conditions.count > 0 && (a->analysis || words_in(&a->r->q, WORDS_OR)))
		return false;
	for (size_t i = 0; i < a->conditions.count; i++) {
		const struct map_phrase *p =
			metrics_pick_meaning(&a->conditions.items[i].of, metrics_entity(a));

		if (!p || (of_other_time && is_of_today(p->condition)))
			return false;
		json_push_take(
			where,
			json_make({MAP_NAME, json_str(p->condition->name)},
				  {MAP_OP,
				   json_str(where_op_name(
					   a->conditions.items[i].negated ? OP_NOT : OP_IS))}));
	}
	return true;
}

bool metrics_add_facts(struct query_builder *a, json_t *query)
{
	json_t *where = json_array(), *having = json_array();
	bool ok = add_time(a, where, query);

	for (size_t i = 0; ok && i < a->r->facts.count; i++)
		ok = add_fact(a, &a->r->facts.items[i], where, query);
	for (size_t i = 0; ok && i < a->r->constraint_count; i++)
		if (a->r->constraints[i].slot == SLOT_NOT)
			ok = may_exclude(a, &a->r->constraints[i]) &&
			     add_where(a, where, a->r->constraints[i].dimension, OP_NOT,
				       a->r->constraints[i].values, a->r->constraints[i].count);
	ok = ok && use_named_dimensions(a, where, query) && add_related(a, where) &&
	     add_conditions(a, query, where);
	bounds_write(a, where, having);
	json_set_take(query, MAP_WHERE, where);
	if (json_array_size(having) > 0)
		json_set_take(query, MAP_HAVING, having);
	else
		json_decref(having);
	return ok;
}
