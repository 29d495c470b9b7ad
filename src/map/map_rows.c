/* Parses the order, row limit and period of a query. */
#include "map_query_int.h"

#include <string.h>

#include "vesper/json.h"

static bool find_order(struct map_reading *r, const char *name, struct map_order *o)
{
	const struct metric_def *m = schema_metric(r->map->schema, name);
	const struct measure_def *s = schema_measure(r->map->schema, name);

	if (m && map_is_requested(r->q, m)) {
		o->metric = m;
		return true;
	}
	if (r->q->list && s && s->entity == r->root && s->column) {
		o->measure = s;
		return map_require_measure(r, s);
	}
	if (m)
		return map_fail(r->why, MAP_BAD_VALUE, name, r->e,
				"order may only use what the query requests");
	if (!map_find_dimension(r, name, &o->by))
		return false;
	return r->q->list || map_has_by(r->q, &o->by) ||
	       map_fail(r->why, MAP_BAD_VALUE, name, r->e,
			"order may only use what the query requests");
}

bool map_read_order(struct map_reading *r, const json_t *query)
{
	const json_t *list = json_object_get(query, "order"), *item;
	size_t i;

	if (json_array_size(list) > MAP_ORDER_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, "order", r->e,
				"order takes at most %d entries", MAP_ORDER_MAX);
	json_array_foreach(list, i, item) {
		struct map_order *o = &r->q->order[r->q->order_count++];
		const char *name = json_string_value(json_object_get(item, "name"));
		const char *dir = json_string_value(json_object_get(item, "dir"));

		if (!name || (dir && strcmp(dir, ORDER_ASC) != 0 && strcmp(dir, ORDER_DESC) != 0))
			return map_fail(r->why, MAP_BAD_VALUE, "order", r->e,
					"an entry of order must be {name, dir: asc or desc}");
		o->descending = dir && strcmp(dir, ORDER_DESC) == 0;
		if (!find_order(r, name, o))
			return false;
	}
	return true;
}

bool map_read_rows(struct map_reading *r, const json_t *query)
{
	int64_t top = 0, bottom = 0;

	if (!json_opt_int(query, "top", &top, r->e) ||
	    !json_opt_int(query, "bottom", &bottom, r->e))
		return map_fail(r->why, MAP_BAD_VALUE, "top", r->e,
				"top and bottom must be numbers");
	if ((top && bottom) || top < 0 || bottom < 0 || top > MAP_TOP_MAX || bottom > MAP_TOP_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, "top", r->e,
				"only top or bottom may be given, from 1 to %d", MAP_TOP_MAX);
	r->q->rows = top ? top : bottom;
	r->q->from_bottom = bottom > 0;
	return true;
}

static bool read_days(struct map_reading *r, const json_t *object, const char *member,
		      struct map_period *out)
{
	const char *start = json_string_value(json_object_get(object, "start"));
	const char *end = json_string_value(json_object_get(object, "end"));

	out->is_set = true;
	if (!start || !end || !date_parse_iso(start, &out->start) ||
	    !date_parse_iso(end, &out->end))
		return map_fail(r->why, MAP_BAD_VALUE, member, r->e,
				"%s must be {start, end} with days such as 2026-02-27", member);
	return date_to_days(out->start) <= date_to_days(out->end) ||
	       map_fail(r->why, MAP_BAD_VALUE, member, r->e, "%s ends before it begins", member);
}

static struct date year_before(struct date d)
{
	d.year--;
	if (d.day > date_days_in_month(d.year, d.month))
		d.day = date_days_in_month(d.year, d.month);
	return d;
}

static bool read_compare(struct map_reading *r, const json_t *compare)
{
	const struct map_period *p = &r->q->period;
	const char *word = json_string_value(compare);
	int64_t start = date_to_days(p->start), end = date_to_days(p->end);

	if (!compare || json_is_null(compare))
		return true;
	if (r->q->list || !p->is_set)
		return map_fail(r->why, MAP_BAD_VALUE, "compare", r->e,
				"compare requires metrics and a period");
	for (size_t i = 0; i < r->q->by_count; i++)
		if (r->q->by[i].grain)
			return map_fail(r->why, MAP_BAD_VALUE, "compare", r->e,
					"compare cannot be combined with a grouping by time");
	if (json_is_object(compare))
		return read_days(r, compare, "compare", &r->q->before);
	r->q->before.is_set = true;
	if (word && strcmp(word, "previous_period") == 0) {
		r->q->before.start = date_from_days(start - (end - start) - 1);
		r->q->before.end = date_from_days(start - 1);
		return true;
	}
	if (word && strcmp(word, "previous_year") == 0) {
		r->q->before.start = year_before(p->start);
		r->q->before.end = year_before(p->end);
		return true;
	}
	return map_fail(r->why, MAP_BAD_VALUE, "compare", r->e,
			"compare must be previous_period, previous_year or {start, end}");
}

static bool require_time(struct map_reading *r, const struct entity_def *n)
{
	const struct dimension_def *time = schema_time(r->map->schema, n);

	if (!time)
		return map_fail(r->why, MAP_BAD_VALUE, "period", r->e, "%s have no time",
				n->plural);
	return map_require_dimension(r, time);
}

static bool check_time(struct map_reading *r, const struct metric_def *m)
{
	return m->form == FORM_MEASURE ? require_time(r, m->measure->entity)
				       : check_time(r, m->left) && check_time(r, m->right);
}

bool map_read_times(struct map_reading *r, const json_t *query)
{
	const json_t *period = json_object_get(query, "period");

	if (period && !json_is_null(period)) {
		if (!read_days(r, period, "period", &r->q->period))
			return false;
		if (r->q->list && !require_time(r, r->q->list))
			return false;
		for (size_t i = 0; i < r->q->metric_count; i++)
			if (!check_time(r, r->q->metrics[i]))
				return false;
	}
	return read_compare(r, json_object_get(query, "compare"));
}
