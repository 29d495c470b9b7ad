/* A query as JSON into names that are resolved, typed values, and the permissions that it takes. */
#include "map_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/language.h"
#include "vesper/strlist.h"

struct reading {
	const struct map *map;
	const struct principal *who;
	struct date today;
	struct arena *arena;
	struct map_query *q;
	const struct entity_def *root; /* listed, or of the first metric */
	struct strlist needs;
	struct map_problem *why;
	struct err *e;
};

static bool unknown(struct reading *r, const char *name, bool metrics)
{
	map_offer_names(r->map, r->who, name, metrics, r->arena, r->why);
	r->why->text = sentence(r->map->catalog->language, SAY_MAP_UNKNOWN, r->arena, name);
	return map_fail(r->why, MAP_UNKNOWN_NAME, arena_strdup(r->arena, name), r->e,
			"there is no %s %.*s", metrics ? "metric" : "dimension", STR_CUT(name, 60));
}

/* ---- permissions ---- */

static bool need(struct reading *r, const char *permission)
{
	if (!permission)
		return true;
	if (r->who && !may(r->who, permission)) {
		r->why->permission = permission;
		return map_fail(r->why, MAP_DENIED, NULL, r->e, "it takes the permission %s",
				permission);
	}
	if (!strlist_has(r->needs.items, permission))
		strlist_add(&r->needs, r->arena, permission);
	return true;
}

static bool need_column(struct reading *r, const struct entity_def *n, const struct view_column *c)
{
	if (!n->view->only_tenant && !view_column_find(n->view, "tenant_id"))
		return map_fail(r->why, MAP_BAD_VALUE, n->name, r->e,
				"rows of %s do not say whose they are (tenant_id)", n->name);
	return need(r, n->view->permission) && (!c || need(r, c->permission));
}

static bool need_dimension(struct reading *r, const struct dimension_def *d)
{
	return need(r, d->permission) && need_column(r, d->map.entity, d->map.column);
}

static bool need_dimensions(struct reading *r, const struct dimension_def *const *list)
{
	for (; *list; list++)
		if (!need_dimension(r, *list))
			return false;
	return true;
}

static bool need_wheres(struct reading *r, const struct where_def *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!need_dimension(r, list[i].dimension))
			return false;
	return true;
}

static bool need_measure(struct reading *r, const struct measure_def *m)
{
	static const struct dimension_def *const none[] = {NULL};

	return need(r, m->permission) && need_column(r, m->entity, m->column) &&
	       (!m->over || need_dimension(r, m->over)) &&
	       (!m->latest.order || need_dimension(r, m->latest.order)) &&
	       need_dimensions(r, m->latest.per ? m->latest.per : none) &&
	       need_wheres(r, m->where, m->where_count) &&
	       need_wheres(r, m->defaults, m->default_count);
}

static bool need_metric(struct reading *r, const struct metric_def *m)
{
	if (!need(r, m->permission) || !need_wheres(r, m->where, m->where_count))
		return false;
	return m->form == FORM_MEASURE ? need_measure(r, m->measure)
				       : need_metric(r, m->left) && need_metric(r, m->right);
}

/* ---- names ---- */

/* How far the dimension is from the root, an unsafe step counting as many; SIZE_MAX: no way. */
static size_t distance(const struct map *m, const struct entity_def *root,
		       const struct dimension_def *d, struct arena *a)
{
	struct map_path paths[2];
	size_t cost = 0;

	if (!root)
		return 0;
	switch (map_path(m, root, d->map.entity, a, paths)) {
	case MAP_NONE:
		return SIZE_MAX;
	case MAP_TOO_LONG:
		return SIZE_MAX - 1;
	default:
		for (size_t i = 0; i < paths[0].count; i++)
			cost += map_step_is_safe(&paths[0].steps[i]) ? 1 : 2 * MAP_HOPS_MAX;
		return cost;
	}
}

static void nearer(const struct map *m, const struct entity_def *root,
		   const struct dimension_def *d, const char *name, struct arena *a,
		   const struct dimension_def **best, size_t *cost)
{
	size_t n;

	if (!d->map.entity || (strcmp(d->name, name) != 0 && strcmp(d->filter, name) != 0))
		return;
	n = distance(m, root, d, a);
	if (*best && n >= *cost)
		return;
	*best = d;
	*cost = n;
}

const struct dimension_def *map_dimension_near(const struct map *m, const struct entity_def *root,
					       const char *name, enum grain *grain, struct arena *a)
{
	const struct catalog *c = m->catalog;
	const struct dimension_def *best = NULL;
	const char *dot = strrchr(name, '.');
	size_t cost = SIZE_MAX;

	*grain = GRAIN_NONE;
	if (dot && !grain_parse(dot + 1, grain))
		return NULL;
	if (dot)
		name = arena_strndup(a, name, (size_t)(dot - name));
	for (size_t i = 0; i < c->dimension_count; i++)
		nearer(m, root, &c->dimensions[i], name, a, &best, &cost);
	for (size_t i = 0; i < m->schema->plain_count; i++)
		nearer(m, root, m->schema->plain[i], name, a, &best, &cost);
	if (best && *grain && !(best->map.grains >> *grain & 1))
		return NULL;
	return best;
}

static bool find_dimension(struct reading *r, const char *name, struct map_by *out)
{
	out->dimension = map_dimension_near(r->map, r->root, name, &out->grain, r->arena);
	return out->dimension ? need_dimension(r, out->dimension) : unknown(r, name, false);
}

/* ---- members ---- */

/* Texts of a list of at most so many; NULL-ended. */
static bool read_names(struct reading *r, const json_t *query, const char *member, size_t max,
		       const char *const **out)
{
	const json_t *list = json_object_get(query, member), *item;
	const char **names;
	size_t i;

	names = arena_alloc(r->arena, (max + 1) * sizeof(*names));
	*out = names;
	if (!list || json_is_null(list))
		return true;
	if (!json_is_array(list) || json_array_size(list) > max)
		return map_fail(r->why, MAP_BAD_VALUE, member, r->e, "%s is a list of at most %zu",
				member, max);
	json_array_foreach(list, i, item) {
		const char *name = json_string_value(item);

		if (!name)
			return map_fail(r->why, MAP_BAD_VALUE, member, r->e, "%s holds names",
					member);
		if (strlist_has(names, name))
			return map_fail(r->why, MAP_BAD_VALUE, member, r->e, "%.*s is there twice",
					STR_CUT(name, 60));
		names[i] = name;
	}
	return true;
}

static const struct entity_def *root_of(const struct metric_def *m)
{
	return m->form == FORM_MEASURE ? m->measure->entity : m->left->measure->entity;
}

static bool read_metrics(struct reading *r, const json_t *query)
{
	const char *const *names;

	if (!read_names(r, query, "metrics", MAP_METRICS_ASKED_MAX, &names))
		return false;
	for (; *names; names++) {
		const struct metric_def *m = schema_metric(r->map->schema, *names);

		if (!m)
			return unknown(r, *names, true);
		if (!need_metric(r, m))
			return false;
		r->q->metrics[r->q->metric_count++] = m;
	}
	if (r->q->metric_count > 0)
		r->root = root_of(r->q->metrics[0]);
	return true;
}

static bool read_list(struct reading *r, const json_t *query)
{
	const char *name = json_string_value(json_object_get(query, "list"));

	if (!name && r->q->metric_count == 0)
		return map_fail(r->why, MAP_BAD_VALUE, "metrics", r->e,
				"it asks for no metric and lists nothing");
	if (!name)
		return true;
	if (r->q->metric_count > 0)
		return map_fail(r->why, MAP_BAD_VALUE, "list", r->e,
				"it asks for metrics or for a list, not for both");
	r->q->list = schema_entity(r->map->schema, name);
	if (!r->q->list)
		return unknown(r, name, false);
	if (r->q->list->kind != ENTITY_LISTED || !r->q->list->title)
		return map_fail(r->why, MAP_BAD_VALUE, "list", r->e, "%s cannot be listed",
				r->q->list->plural);
	r->root = r->q->list;
	return need_column(r, r->root, r->root->title);
}

static bool add_shown(struct reading *r, const struct shown_def *s)
{
	if (r->q->show_count == MAP_SHOWN_MAX)
		return true;
	r->q->show[r->q->show_count++] = *s;
	return true;
}

/* What the entity shows, as far as this caller may see it. */
static bool show_usual(struct reading *r)
{
	const struct entity_def *n = r->root;

	for (size_t i = 0; i < n->show_count; i++) {
		const struct shown_def *s = &n->show[i];
		const struct metric_def *m =
			s->dimension ? NULL : schema_metric(r->map->schema, s->name);

		if (s->dimension ? map_may_dimension(r->who, s->dimension)
				 : map_may_metric(r->who, m))
			if (!add_shown(r, s) ||
			    !(s->dimension ? need_dimension(r, s->dimension) : need_metric(r, m)))
				return false;
	}
	return true;
}

static bool find_shown(struct reading *r, const char *name, struct shown_def *out)
{
	const struct measure_def *m = schema_measure(r->map->schema, name);
	struct map_by by;

	if (m && m->entity == r->root && m->column) {
		*out = (struct shown_def){name, NULL, m};
		return need_measure(r, m);
	}
	if (!find_dimension(r, name, &by))
		return false;
	*out = (struct shown_def){name, by.dimension, NULL};
	return true;
}

static bool read_show(struct reading *r, const json_t *query)
{
	const char *const *names;
	struct shown_def s;

	if (!read_names(r, query, "show", MAP_SHOWN_MAX, &names))
		return false;
	if (!r->q->list)
		return !*names ||
		       map_fail(r->why, MAP_BAD_VALUE, "show", r->e, "show is for lists");
	if (!*names)
		return show_usual(r);
	for (; *names; names++)
		if (!find_shown(r, *names, &s) || !add_shown(r, &s))
			return false;
	return true;
}

static bool has_by(const struct map_query *q, const struct map_by *by)
{
	for (size_t i = 0; i < q->by_count; i++)
		if (q->by[i].dimension == by->dimension && q->by[i].grain == by->grain)
			return true;
	return false;
}

static bool add_by(struct reading *r, const struct map_by *by)
{
	if (has_by(r->q, by))
		return true;
	if (r->q->by_count == MAP_BY_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, "by", r->e, "at most %d groupings",
				MAP_BY_MAX);
	r->q->by[r->q->by_count++] = *by;
	return true;
}

static bool read_by(struct reading *r, const json_t *query)
{
	const char *const *names;
	struct map_by by;

	if (!read_names(r, query, "by", MAP_BY_MAX, &names))
		return false;
	if (*names && r->q->list)
		return map_fail(r->why, MAP_BAD_VALUE, "by", r->e, "by is for metrics");
	for (; *names; names++)
		if (!find_dimension(r, *names, &by) || !add_by(r, &by))
			return false;
	return true;
}

/* ---- conditions ---- */

static bool takes(enum where_op op, size_t count)
{
	switch (op) {
	case OP_MISSING:
	case OP_PRESENT:
		return count == 0;
	case OP_BETWEEN:
		return count == 2;
	case OP_IS:
	case OP_NOT:
		return count > 0 && count <= MAP_VALUES_MAX;
	default:
		return count == 1;
	}
}

static enum column_type type_of(const struct map_where *w)
{
	if (w->measure)
		return w->measure->column->type;
	if (w->grain)
		return w->grain == GRAIN_YEAR || w->grain == GRAIN_WEEKDAY ||
				       w->grain == GRAIN_HOUR_OF_DAY
			       ? COLUMN_INT
			       : COLUMN_TEXT;
	return w->dimension->map.type;
}

static bool read_values(struct reading *r, const json_t *item, const char *name, enum where_op op,
			enum column_type type, const struct unit_def *unit,
			const struct value **values, size_t *count)
{
	json_t *list = NULL;
	struct value *out;
	const json_t *one;
	size_t i;

	if (!json_opt_array(item, "values", &list, r->e))
		return map_fail(r->why, MAP_BAD_VALUE, name, r->e, "values of %s are a list", name);
	if (!takes(op, json_array_size(list)))
		return map_fail(r->why, MAP_BAD_VALUE, name, r->e, "%s %s does not take %zu values",
				name, where_op_name(op), json_array_size(list));
	if (type == COLUMN_DATETIME && (op == OP_IS || op == OP_NOT) && json_array_size(list) > 1)
		return map_fail(r->why, MAP_BAD_VALUE, name, r->e,
				"%s is a time: compare it with one day, or with between", name);
	if (op == OP_CONTAINS && type != COLUMN_TEXT)
		return map_fail(r->why, MAP_BAD_VALUE, name, r->e,
				"%s is no text: contains is for "
				"texts",
				name);
	out = arena_alloc(r->arena, (json_array_size(list) + 1) * sizeof(*out));
	json_array_foreach(list, i, one)
		if (!map_value(r->map, one, type, unit, name, r->arena, &out[i], r->why, r->e))
			return false;
	*values = out;
	*count = json_array_size(list);
	return true;
}

static bool read_condition(struct reading *r, const json_t *item, const char **name,
			   enum where_op *op)
{
	static const char *const members[] = {"name", "op", "values", NULL};
	const char *word;

	if (!json_only(item, members, r->e) || !json_get_str(item, "name", name, r->e) ||
	    !json_get_str(item, "op", &word, r->e))
		return map_fail(r->why, MAP_BAD_VALUE, NULL, r->e,
				"a condition is {name, op, values}");
	return where_op_parse(word, op) ||
	       map_fail(r->why, MAP_BAD_VALUE, *name, r->e, "there is no comparison %.*s",
			STR_CUT(word, 30));
}

static bool add_where(struct reading *r, const struct map_where *w)
{
	if (r->q->where_count == MAP_WHERE_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, "where", r->e, "more than %d conditions",
				MAP_WHERE_MAX);
	r->q->where[r->q->where_count++] = *w;
	return true;
}

/* A measure of the listed entity is compared row by row. */
static bool find_compared(struct reading *r, const char *name, struct map_where *w)
{
	const struct measure_def *m = schema_measure(r->map->schema, name);
	struct map_by by;

	if (r->q->list && m && m->entity == r->root && m->column) {
		w->measure = m;
		return need_measure(r, m);
	}
	if (!find_dimension(r, name, &by))
		return false;
	w->dimension = by.dimension;
	w->grain = by.grain;
	return true;
}

static bool read_wheres(struct reading *r, const json_t *query)
{
	const json_t *list = json_object_get(query, "where"), *item;
	size_t i;

	if (list && !json_is_null(list) && !json_is_array(list))
		return map_fail(r->why, MAP_BAD_VALUE, "where", r->e, "where is a list");
	json_array_foreach(list, i, item) {
		struct map_where w = {0};

		if (!read_condition(r, item, &w.name, &w.op) || !find_compared(r, w.name, &w) ||
		    !read_values(r, item, w.name, w.op, type_of(&w),
				 w.measure ? w.measure->unit : NULL, &w.values, &w.count) ||
		    !add_where(r, &w))
			return false;
	}
	return true;
}

static bool is_asked(const struct map_query *q, const struct metric_def *m)
{
	for (size_t i = 0; i < q->metric_count; i++)
		if (q->metrics[i] == m)
			return true;
	return false;
}

static bool read_having(struct reading *r, const json_t *query)
{
	const json_t *list = json_object_get(query, "having"), *item;
	size_t i;

	if (json_array_size(list) > MAP_HAVING_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, "having", r->e, "more than %d conditions",
				MAP_HAVING_MAX);
	json_array_foreach(list, i, item) {
		struct map_having *h = &r->q->having[r->q->having_count++];
		const char *name;

		if (!read_condition(r, item, &name, &h->op))
			return false;
		h->metric = schema_metric(r->map->schema, name);
		if (!h->metric)
			return unknown(r, name, true);
		if (!need_metric(r, h->metric))
			return false;
		if (!r->q->list && !is_asked(r->q, h->metric))
			return map_fail(r->why, MAP_BAD_VALUE, name, r->e,
					"having compares metrics that are asked for");
		if (!read_values(r, item, name, h->op, COLUMN_DECIMAL, h->metric->unit, &h->values,
				 &h->count))
			return false;
	}
	return true;
}

/* What holds where nothing else was said of it. */
static bool add_defaults(struct reading *r, const struct metric_def *m)
{
	const struct measure_def *s = m->measure;

	if (m->form != FORM_MEASURE)
		return add_defaults(r, m->left) && add_defaults(r, m->right);
	for (size_t i = 0; i < s->default_count; i++) {
		const struct where_def *d = &s->defaults[i];
		bool said = false;
		struct value *v = arena_alloc(r->arena, sizeof(*v));

		for (size_t k = 0; k < r->q->where_count && !said; k++)
			said = r->q->where[k].dimension == d->dimension;
		for (size_t k = 0; k < r->q->by_count && !said; k++)
			said = r->q->by[k].dimension == d->dimension;
		if (said)
			continue;
		*v = value_text(d->values[0]);
		if (!add_where(r, &(struct map_where){.name = d->dimension->name,
						      .dimension = d->dimension,
						      .op = OP_IS,
						      .values = v,
						      .count = 1,
						      .source = MAP_DEFAULT}))
			return false;
	}
	return true;
}

static bool is_one_value(const struct map_query *q, const struct dimension_def *d)
{
	for (size_t i = 0; i < q->where_count; i++)
		if (q->where[i].dimension == d && q->where[i].op == OP_IS && q->where[i].count == 1)
			return true;
	return false;
}

static bool is_filtered(const struct map_query *q, const struct dimension_def *d)
{
	for (size_t i = 0; i < q->where_count; i++)
		if (q->where[i].dimension == d)
			return true;
	return false;
}

static bool complete_measure(struct reading *r, const struct metric_def *m)
{
	const struct measure_def *s = m->measure;

	if (m->form != FORM_MEASURE)
		return complete_measure(r, m->left) && complete_measure(r, m->right);
	for (const struct dimension_def *const *d = s->required; *d; d++)
		if (!is_filtered(r->q, *d))
			return map_fail(r->why, MAP_NEEDS_FILTER, (*d)->name, r->e,
					"%s needs a value of %s", s->label, (*d)->label);
	for (const struct dimension_def *const *d = s->split; *d; d++)
		if (!is_one_value(r->q, *d) &&
		    (!need_dimension(r, *d) || !add_by(r, &(struct map_by){*d, GRAIN_NONE})))
			return false;
	return true;
}

/* ---- order, rows, times ---- */

static bool find_order(struct reading *r, const char *name, struct map_order *o)
{
	const struct metric_def *m = schema_metric(r->map->schema, name);
	const struct measure_def *s = schema_measure(r->map->schema, name);

	if (m && is_asked(r->q, m)) {
		o->metric = m;
		return true;
	}
	if (r->q->list && s && s->entity == r->root && s->column) {
		o->measure = s;
		return need_measure(r, s);
	}
	if (m)
		return map_fail(r->why, MAP_BAD_VALUE, name, r->e,
				"what it is ordered by must be asked for");
	if (!find_dimension(r, name, &o->by))
		return false;
	return r->q->list || has_by(r->q, &o->by) ||
	       map_fail(r->why, MAP_BAD_VALUE, name, r->e,
			"what it is ordered by must be asked for");
}

static bool read_order(struct reading *r, const json_t *query)
{
	const json_t *list = json_object_get(query, "order"), *item;
	size_t i;

	if (json_array_size(list) > MAP_ORDER_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, "order", r->e, "order takes at most %d",
				MAP_ORDER_MAX);
	json_array_foreach(list, i, item) {
		struct map_order *o = &r->q->order[r->q->order_count++];
		const char *name = json_string_value(json_object_get(item, "name"));
		const char *dir = json_string_value(json_object_get(item, "dir"));

		if (!name || (dir && strcmp(dir, ORDER_ASC) != 0 && strcmp(dir, ORDER_DESC) != 0))
			return map_fail(r->why, MAP_BAD_VALUE, "order", r->e,
					"order is {name, dir: asc or desc}");
		o->descending = dir && strcmp(dir, ORDER_DESC) == 0;
		if (!find_order(r, name, o))
			return false;
	}
	return true;
}

static bool read_rows(struct reading *r, const json_t *query)
{
	int64_t top = 0, bottom = 0;

	if (!json_opt_int(query, "top", &top, r->e) ||
	    !json_opt_int(query, "bottom", &bottom, r->e))
		return map_fail(r->why, MAP_BAD_VALUE, "top", r->e, "top and bottom are numbers");
	if ((top && bottom) || top < 0 || bottom < 0 || top > MAP_TOP_MAX || bottom > MAP_TOP_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, "top", r->e, "top or bottom, each 1 to %d",
				MAP_TOP_MAX);
	r->q->rows = top ? top : bottom;
	r->q->from_bottom = bottom > 0;
	return true;
}

static bool read_days(struct reading *r, const json_t *object, const char *member,
		      struct map_period *out)
{
	const char *start = json_string_value(json_object_get(object, "start"));
	const char *end = json_string_value(json_object_get(object, "end"));

	out->is_set = true;
	if (!start || !end || !date_parse_iso(start, &out->start) ||
	    !date_parse_iso(end, &out->end))
		return map_fail(r->why, MAP_BAD_VALUE, member, r->e,
				"%s is {start, end}, days such as 2026-02-27", member);
	return date_to_days(out->start) <= date_to_days(out->end) ||
	       map_fail(r->why, MAP_BAD_VALUE, member, r->e, "%s ends before it begins", member);
}

static struct date a_year_before(struct date d)
{
	d.year--;
	if (d.day > date_days_in_month(d.year, d.month))
		d.day = date_days_in_month(d.year, d.month);
	return d;
}

static bool read_compare(struct reading *r, const json_t *compare)
{
	const struct map_period *p = &r->q->period;
	const char *word = json_string_value(compare);
	int64_t start = date_to_days(p->start), end = date_to_days(p->end);

	if (!compare || json_is_null(compare))
		return true;
	if (r->q->list || !p->is_set)
		return map_fail(r->why, MAP_BAD_VALUE, "compare", r->e,
				"compare takes metrics and a period");
	for (size_t i = 0; i < r->q->by_count; i++)
		if (r->q->by[i].grain)
			return map_fail(r->why, MAP_BAD_VALUE, "compare", r->e,
					"compare does not go with a grouping by time");
	if (json_is_object(compare))
		return read_days(r, compare, "compare", &r->q->before);
	r->q->before.is_set = true;
	if (word && strcmp(word, "previous_period") == 0) {
		r->q->before.start = date_from_days(start - (end - start) - 1);
		r->q->before.end = date_from_days(start - 1);
		return true;
	}
	if (word && strcmp(word, "previous_year") == 0) {
		r->q->before.start = a_year_before(p->start);
		r->q->before.end = a_year_before(p->end);
		return true;
	}
	return map_fail(r->why, MAP_BAD_VALUE, "compare", r->e,
			"compare is previous_period, previous_year or {start, end}");
}

static bool needs_time(struct reading *r, const struct entity_def *n)
{
	if (!n->time)
		return map_fail(r->why, MAP_BAD_VALUE, "period", r->e, "%s have no time",
				n->plural);
	return need_dimension(r, n->time);
}

static bool check_time(struct reading *r, const struct metric_def *m)
{
	return m->form == FORM_MEASURE ? needs_time(r, m->measure->entity)
				       : check_time(r, m->left) && check_time(r, m->right);
}

static bool read_times(struct reading *r, const json_t *query)
{
	const json_t *period = json_object_get(query, "period");

	if (period && !json_is_null(period)) {
		if (!read_days(r, period, "period", &r->q->period))
			return false;
		if (r->q->list && !needs_time(r, r->q->list))
			return false;
		for (size_t i = 0; i < r->q->metric_count; i++)
			if (!check_time(r, r->q->metrics[i]))
				return false;
	}
	return read_compare(r, json_object_get(query, "compare"));
}

/* A level is a condition on the entity's own column. */
static bool read_level(struct reading *r, const json_t *query)
{
	const char *level = json_string_value(json_object_get(query, "level"));
	const struct entity_def *n = r->root;
	struct value *v = arena_alloc(r->arena, sizeof(*v));
	enum grain grain;
	const struct dimension_def *d;

	if (!level)
		return true;
	if (!n->levels.column)
		return map_fail(r->why, MAP_BAD_VALUE, "level", r->e, "%s have no levels",
				n->plural);
	for (size_t i = 0; i <= n->levels.count; i++) {
		if (i == n->levels.count)
			return map_fail(r->why, MAP_BAD_VALUE, "level", r->e,
					"%s have no level %.*s", n->plural, STR_CUT(level, 30));
		if (strcmp(n->levels.values[i].value, level) == 0)
			break;
	}
	d = map_dimension_near(r->map, n, "level", &grain, r->arena);
	if (!d || d->map.entity != n)
		return unknown(r, "level", false);
	*v = value_text(arena_strdup(r->arena, level));
	return add_where(
		r, &(struct map_where){.name = "level", .dimension = d, .values = v, .count = 1});
}

/* ---- the whole ---- */

static bool check_source(struct reading *r, const struct metric_def *m)
{
	if (m->form != FORM_MEASURE)
		return check_source(r, m->left) && check_source(r, m->right);
	if (!r->q->source)
		r->q->source = m->measure->entity->view->source;
	return strcmp(r->q->source, m->measure->entity->view->source) == 0 ||
	       map_fail(r->why, MAP_NO_PATH, m->name, r->e,
			"%s is in another database than the rest", m->label);
}

static bool read_all(struct reading *r, const json_t *query)
{
	struct map_query *q = r->q;

	if (!read_metrics(r, query) || !read_list(r, query) || !read_show(r, query) ||
	    !read_by(r, query) || !read_wheres(r, query) || !read_level(r, query))
		return false;
	for (size_t i = 0; i < q->metric_count; i++)
		if (!add_defaults(r, q->metrics[i]) || !complete_measure(r, q->metrics[i]) ||
		    !check_source(r, q->metrics[i]))
			return false;
	if (q->list)
		q->source = q->list->view->source;
	return read_having(r, query) && read_order(r, query) && read_rows(r, query) &&
	       read_times(r, query);
}

bool map_query_read(const struct map *m, const struct principal *who, const json_t *query,
		    struct date today, struct arena *a, struct map_query *out,
		    struct map_problem *why, struct err *e)
{
	static const char *const members[] = {"metrics", "list",  "show", "by",     "where",
					      "having",  "order", "top",  "bottom", "period",
					      "compare", "level", NULL};
	struct reading r = {
		.map = m, .who = who, .today = today, .arena = a, .q = out, .why = why, .e = e};

	*out = (struct map_query){0};
	*why = (struct map_problem){0};
	strlist_add(&r.needs, a, NULL);
	if (!json_only(query, members, e)) {
		why->code = MAP_BAD_VALUE;
		return false;
	}
	if (!read_all(&r, query))
		return false;
	out->needs = r.needs.items;
	return true;
}
