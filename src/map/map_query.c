/* Parses a query from JSON into resolved names, typed values and the required permissions. */
#include "map_query_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/language.h"
#include "vesper/strlist.h"

/* ---- members ---- */

/* Reads a list of at most `max` texts; NULL-ended. */
static bool read_names(struct map_reading *r, const json_t *query, const char *member, size_t max,
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
		return map_fail(r->why, MAP_BAD_VALUE, member, r->e,
				"%s must be a list of at most %zu names", member, max);
	json_array_foreach(list, i, item) {
		const char *name = json_string_value(item);

		if (!name)
			return map_fail(r->why, MAP_BAD_VALUE, member, r->e,
					"%s must contain only names", member);
		if (strlist_has(names, name))
			return map_fail(r->why, MAP_BAD_VALUE, member, r->e, "%.*s occurs twice",
					STR_CUT(name, 60));
		names[i] = name;
	}
	return true;
}

static const struct entity_def *root_of(const struct metric_def *m)
{
	return m->form == FORM_MEASURE ? m->measure->entity : m->left->measure->entity;
}

static bool read_metrics(struct map_reading *r, const json_t *query)
{
	const char *const *names;

	if (!read_names(r, query, "metrics", MAP_METRICS_ASKED_MAX, &names))
		return false;
	for (; *names; names++) {
		const struct metric_def *m = schema_metric(r->map->schema, *names);

		if (!m)
			return map_unknown(r, *names, true);
		if (!map_require_metric(r, m))
			return false;
		r->q->metrics[r->q->metric_count++] = m;
	}
	if (r->q->metric_count > 0)
		r->root = root_of(r->q->metrics[0]);
	return true;
}

static bool read_list(struct map_reading *r, const json_t *query)
{
	const char *name = json_string_value(json_object_get(query, "list"));

	if (!name && r->q->metric_count == 0)
		return map_fail(r->why, MAP_BAD_VALUE, "metrics", r->e,
				"the query has neither metrics nor a list");
	if (!name)
		return true;
	if (r->q->metric_count > 0)
		return map_fail(r->why, MAP_BAD_VALUE, "list", r->e,
				"the query has both metrics and a list; use only one of them");
	r->q->list = schema_entity(r->map->schema, name);
	if (!r->q->list)
		return map_unknown(r, name, false);
	if (r->q->list->kind != ENTITY_LISTED || !r->q->list->title)
		return map_fail(r->why, MAP_BAD_VALUE, "list", r->e, "%s cannot be listed",
				r->q->list->plural);
	r->root = r->q->list;
	return map_require_column(r, r->root, r->root->title);
}

static bool add_shown(struct map_reading *r, const struct shown_def *s)
{
	if (r->q->show_count == MAP_SHOWN_MAX)
		return true;
	r->q->show[r->q->show_count++] = *s;
	return true;
}

/* The columns that the entity shows by default, if the caller may see them. */
static bool show_default_columns(struct map_reading *r)
{
	const struct entity_def *n = r->root;

	for (size_t i = 0; i < n->show_count; i++) {
		const struct shown_def *s = &n->show[i];
		const struct metric_def *m =
			s->dimension ? NULL : schema_metric(r->map->schema, s->name);

		if (s->dimension ? map_may_dimension(r->who, s->dimension)
				 : map_may_metric(r->who, m))
			if (!add_shown(r, s) ||
			    !(s->dimension ? map_require_dimension(r, s->dimension)
					   : map_require_metric(r, m)))
				return false;
	}
	return true;
}

static bool find_shown(struct map_reading *r, const char *name, struct shown_def *out)
{
	const struct measure_def *m = schema_measure(r->map->schema, name);
	struct map_by by;

	if (m && m->entity == r->root && m->column) {
		*out = (struct shown_def){name, NULL, m};
		return map_require_measure(r, m);
	}
	if (!map_find_dimension(r, name, &by))
		return false;
	*out = (struct shown_def){name, by.dimension, NULL};
	return true;
}

static bool read_show(struct map_reading *r, const json_t *query)
{
	const char *const *names;
	struct shown_def s;

	if (!read_names(r, query, "show", MAP_SHOWN_MAX, &names))
		return false;
	if (!r->q->list)
		return !*names ||
		       map_fail(r->why, MAP_BAD_VALUE, "show", r->e, "show is only for lists");
	if (!*names)
		return show_default_columns(r);
	for (; *names; names++)
		if (!find_shown(r, *names, &s) || !add_shown(r, &s))
			return false;
	return true;
}

bool map_has_by(const struct map_query *q, const struct map_by *by)
{
	for (size_t i = 0; i < q->by_count; i++)
		if (q->by[i].dimension == by->dimension && q->by[i].grain == by->grain)
			return true;
	return false;
}

static bool add_by(struct map_reading *r, const struct map_by *by)
{
	if (map_has_by(r->q, by))
		return true;
	if (r->q->by_count == MAP_BY_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, "by", r->e, "at most %d groupings",
				MAP_BY_MAX);
	r->q->by[r->q->by_count++] = *by;
	return true;
}

static bool read_by(struct map_reading *r, const json_t *query)
{
	const char *const *names;
	struct map_by by;

	if (!read_names(r, query, "by", MAP_BY_MAX, &names))
		return false;
	if (*names && r->q->list)
		return map_fail(r->why, MAP_BAD_VALUE, "by", r->e, "by is only for metrics");
	for (; *names; names++)
		if (!map_find_dimension(r, *names, &by) || !add_by(r, &by))
			return false;
	return true;
}

static bool is_unique(const struct entity_def *n, const struct view_column *column)
{
	bool unique = n->key[0] == column && !n->key[1];

	for (size_t i = 0; n->also && n->also[i]; i++)
		unique |= n->also[i][0] == column && !n->also[i][1];
	return unique;
}

static bool add_key(struct map_reading *r, const struct entity_def *n,
		    const struct view_column *column)
{
	struct dimension_def *d = arena_alloc(r->arena, sizeof(*d));

	*d = (struct dimension_def){.name = column->plain, .label = column->plain};
	d->map.entity = n;
	d->map.column = column;
	d->map.type = column->type;
	if (r->q->by_count == MAP_GROUPS_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, "by", r->e, "more than %d groupings",
				MAP_GROUPS_MAX);
	r->q->by[r->q->by_count++] = (struct map_by){.dimension = d, .hidden = true};
	return map_require_column(r, n, column);
}

/* Groups by the key as well as the title, so that two customers of the same name stay separate. */
static bool group_by_key_too(struct map_reading *r)
{
	size_t shown = r->q->by_count;

	for (size_t i = 0; i < shown; i++) {
		const struct dimension_def *d = r->q->by[i].dimension;
		const struct entity_def *n = d->map.entity;

		if (r->q->by[i].grain || n->title != d->map.column || is_unique(n, n->title))
			continue;
		for (size_t k = 0; n->key[k]; k++)
			if (!add_key(r, n, n->key[k]))
				return false;
	}
	return true;
}

/* ---- conditions ---- */

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

static bool read_values(struct map_reading *r, const json_t *item, const char *name,
			enum where_op op, enum column_type type, const struct unit_def *unit,
			const struct value **values, size_t *count)
{
	json_t *list = NULL;
	struct value *out;
	const json_t *one;
	size_t i;

	if (!json_opt_array(item, "values", &list, r->e))
		return map_fail(r->why, MAP_BAD_VALUE, name, r->e, "values of %s must be a list",
				name);
	if (!where_op_accepts(op, json_array_size(list)) || json_array_size(list) > MAP_VALUES_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, name, r->e, "%s %s does not take %zu values",
				name, where_op_name(op), json_array_size(list));
	if (type == COLUMN_DATETIME && (op == OP_IS || op == OP_NOT) && json_array_size(list) > 1)
		return map_fail(r->why, MAP_BAD_VALUE, name, r->e,
				"%s is a time: compare it with one day, or with between", name);
	if (op == OP_CONTAINS && type != COLUMN_TEXT)
		return map_fail(r->why, MAP_BAD_VALUE, name, r->e,
				"%s is not a text; contains is only for texts", name);
	out = arena_alloc(r->arena, (json_array_size(list) + 1) * sizeof(*out));
	json_array_foreach(list, i, one)
		if (!map_value(r->map, one, type, unit, name, r->arena, &out[i], r->why, r->e))
			return false;
	*values = out;
	*count = json_array_size(list);
	return true;
}

static bool read_condition(struct map_reading *r, const json_t *item, const char **name,
			   enum where_op *op)
{
	static const char *const members[] = {"name", "op", "values", NULL};
	const char *word;

	if (!json_check_members(item, members, r->e) || !json_get_str(item, "name", name, r->e) ||
	    !json_get_str(item, "op", &word, r->e))
		return map_fail(r->why, MAP_BAD_VALUE, NULL, r->e,
				"a condition must be {name, op, values}");
	return where_op_parse(word, op) || map_fail(r->why, MAP_BAD_VALUE, *name, r->e,
						    "unknown comparison %.*s", STR_CUT(word, 30));
}

static bool add_where(struct map_reading *r, const struct map_where *w)
{
	if (r->q->where_count == MAP_WHERE_MAX)
		return map_fail(r->why, MAP_BAD_VALUE, "where", r->e, "more than %d conditions",
				MAP_WHERE_MAX);
	r->q->where[r->q->where_count++] = *w;
	return true;
}

static bool is_all_of(const struct map_query *q, const struct entity_def *n)
{
	for (size_t i = 0; i < q->metric_count; i++) {
		const struct metric_def *m = q->metrics[i];

		if (root_of(m) != n || (m->form != FORM_MEASURE && m->right->measure->entity != n))
			return false;
	}
	return true;
}

/* A value of a definition. A day may be relative to the day of the question. */
static bool defined_value(struct map_reading *r, const struct dimension_def *d, const char *text,
			  struct value *out)
{
	json_t *value = json_own(r->arena, json_str(text));
	char iso[DATE_ISO_BYTES];
	struct date day;

	if (column_is_day(d->map.type) && date_parse_value(text, r->today, &day)) {
		date_iso(day, iso);
		*out = value_date(arena_strdup(r->arena, iso));
		return true;
	}
	return map_value(r->map, value, d->map.type, NULL, d->name, r->arena, out, r->why, r->e);
}

static bool read_defined(struct map_reading *r, const struct where_def *def, struct map_where *out)
{
	struct value *values;

	*out = (struct map_where){
		.name = def->dimension->name, .dimension = def->dimension, .op = def->op};
	while (def->values[out->count])
		out->count++;
	values = arena_alloc(r->arena, (out->count + 1) * sizeof(*values));
	for (size_t i = 0; i < out->count; i++)
		if (!defined_value(r, def->dimension, def->values[i], &values[i]))
			return false;
	out->values = values;
	return true;
}

static bool read_named(struct map_reading *r, const json_t *item, const struct condition_def *c,
		       struct map_where *w)
{
	struct map_where *all = arena_alloc(r->arena, c->where_count * sizeof(*all));

	if ((w->op != OP_IS && w->op != OP_NOT) ||
	    json_array_size(json_object_get(item, "values")) > 0)
		return map_fail(
			r->why, MAP_BAD_VALUE, c->name, r->e,
			"%s is a named condition: it takes the op is or not, without values",
			c->name);
	w->condition = c;
	w->all = all;
	w->all_count = c->where_count;
	for (size_t i = 0; i < c->where_count; i++)
		if (!read_defined(r, &c->where[i], &all[i]))
			return false;
	return map_require_condition(r, c);
}

/* Resolves the left side of a condition. A measure of the listed entity, or of the entity of all
 * metrics, is compared row by row. */
static bool find_compared(struct map_reading *r, const char *name, struct map_where *w)
{
	const struct measure_def *m = schema_measure(r->map->schema, name);
	struct map_by by;

	if (m && m->entity == r->root && m->column && is_all_of(r->q, m->entity)) {
		w->measure = m;
		return map_require_measure(r, m);
	}
	if (!map_find_dimension(r, name, &by))
		return false;
	w->dimension = by.dimension;
	w->grain = by.grain;
	return true;
}

static bool read_wheres(struct map_reading *r, const json_t *query)
{
	const json_t *list = json_object_get(query, "where"), *item;
	size_t i;

	if (list && !json_is_null(list) && !json_is_array(list))
		return map_fail(r->why, MAP_BAD_VALUE, "where", r->e, "where is a list");
	json_array_foreach(list, i, item) {
		struct map_where w = {0};
		const struct condition_def *named;

		if (!read_condition(r, item, &w.name, &w.op))
			return false;
		named = schema_condition(r->map->schema, w.name);
		if (named) {
			if (!read_named(r, item, named, &w) || !add_where(r, &w))
				return false;
			continue;
		}
		if (!find_compared(r, w.name, &w) ||
		    !read_values(r, item, w.name, w.op, type_of(&w),
				 w.measure ? w.measure->unit : NULL, &w.values, &w.count) ||
		    !add_where(r, &w))
			return false;
	}
	return true;
}

bool map_is_requested(const struct map_query *q, const struct metric_def *m)
{
	for (size_t i = 0; i < q->metric_count; i++)
		if (q->metrics[i] == m)
			return true;
	return false;
}

static bool read_having(struct map_reading *r, const json_t *query)
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
			return map_unknown(r, name, true);
		if (!map_require_metric(r, h->metric))
			return false;
		if (!r->q->list && !map_is_requested(r->q, h->metric))
			return map_fail(r->why, MAP_BAD_VALUE, name, r->e,
					"having may only compare requested metrics");
		if (!read_values(r, item, name, h->op, COLUMN_DECIMAL, h->metric->unit, &h->values,
				 &h->count))
			return false;
	}
	return true;
}

/* Adds the default conditions of dimensions that the query does not mention. */
static bool add_defaults(struct map_reading *r, const struct metric_def *m)
{
	const struct measure_def *s = m->measure;

	if (m->form != FORM_MEASURE)
		return add_defaults(r, m->left) && add_defaults(r, m->right);
	for (size_t i = 0; i < s->default_count; i++) {
		const struct where_def *d = &s->defaults[i];
		bool is_mentioned = false;
		struct value *v = arena_alloc(r->arena, sizeof(*v));

		for (size_t k = 0; k < r->q->where_count && !is_mentioned; k++)
			is_mentioned = r->q->where[k].dimension == d->dimension;
		for (size_t k = 0; k < r->q->by_count && !is_mentioned; k++)
			is_mentioned = r->q->by[k].dimension == d->dimension;
		if (is_mentioned)
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

static bool complete_measure(struct map_reading *r, const struct metric_def *m)
{
	const struct measure_def *s = m->measure;

	if (m->form != FORM_MEASURE)
		return complete_measure(r, m->left) && complete_measure(r, m->right);
	for (const struct dimension_def *const *d = s->required; *d; d++)
		if (!is_filtered(r->q, *d))
			return map_fail(r->why, MAP_NEEDS_FILTER, (*d)->name, r->e,
					"%s needs a value of %s", s->label, (*d)->label);
	for (const struct dimension_def *const *d = s->split; *d; d++)
		if (!is_one_value(r->q, *d) && (!map_require_dimension(r, *d) ||
						!add_by(r, &(struct map_by){.dimension = *d})))
			return false;
	return true;
}

/* A level is a condition on the entity's level column. */
static bool read_level(struct map_reading *r, const json_t *query)
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
	if (strcmp(level, MAP_ASK) == 0) {
		r->why->from = n;
		r->why->text = sentence(r->map->catalog->language, SAY_MAP_WHICH_LEVEL, r->arena,
					n->plural);
		return map_fail(r->why, MAP_NEEDS_LEVEL, "level", r->e, "which level of %s?",
				n->plural);
	}
	for (size_t i = 0; i <= n->levels.count; i++) {
		if (i == n->levels.count)
			return map_fail(r->why, MAP_BAD_VALUE, "level", r->e,
					"%s have no level %.*s", n->plural, STR_CUT(level, 30));
		if (strcmp(n->levels.values[i].value, level) == 0)
			break;
	}
	d = map_dimension_near(r->map, n, "level", &grain, r->arena);
	if (!d || d->map.entity != n)
		return map_unknown(r, "level", false);
	*v = value_text(arena_strdup(r->arena, level));
	return add_where(
		r, &(struct map_where){.name = "level", .dimension = d, .values = v, .count = 1});
}

/* ---- the whole query ---- */

static bool check_source(struct map_reading *r, const struct metric_def *m)
{
	if (m->form != FORM_MEASURE)
		return check_source(r, m->left) && check_source(r, m->right);
	if (!r->q->source)
		r->q->source = m->measure->entity->view->source;
	return strcmp(r->q->source, m->measure->entity->view->source) == 0 ||
	       map_fail(r->why, MAP_NO_PATH, m->name, r->e,
			"%s is in a different database from the rest", m->label);
}

static bool read_all(struct map_reading *r, const json_t *query)
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
	return read_having(r, query) && map_read_order(r, query) && map_read_rows(r, query) &&
	       map_read_times(r, query) && group_by_key_too(r);
}

bool map_query_read(const struct map *m, const struct principal *who, const json_t *query,
		    struct date today, struct arena *a, struct map_query *out,
		    struct map_problem *why, struct err *e)
{
	static const char *const members[] = {"metrics", "list",  "show", "by",     "where",
					      "having",  "order", "top",  "bottom", "period",
					      "compare", "level", NULL};
	struct map_reading r = {
		.map = m, .who = who, .today = today, .arena = a, .q = out, .why = why, .e = e};

	*out = (struct map_query){0};
	*why = (struct map_problem){0};
	strlist_add(&r.needs, a, NULL);
	if (!json_check_members(query, members, e)) {
		why->code = MAP_BAD_VALUE;
		return false;
	}
	if (!read_all(&r, query) || !map_require_join_views(&r))
		return false;
	out->needs = r.needs.items;
	return true;
}
