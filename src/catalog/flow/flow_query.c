/*
 * Queries over the map in a flow. All names must be declared, and "{filter.NAME}" marks values that
 * other questions may set. A query that differs elsewhere does not match.
 */
#include "catalog_int.h"

#include <string.h>

#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define SLOT_BEGIN "{filter."
#define SLOT_END   '}'

struct query_reader {
	const struct catalog *c;
	struct arena *arena;
	struct param_def *slots;
	size_t count;
	struct err *e;
};

static json_t *parse(const char *text, struct arena *a)
{
	struct err unused = {0};
	json_t *query;

	if (!json_parse(text, strlen(text), MAP_QUERY_BYTES_MAX, &query, &unused))
		return NULL;
	json_own(a, query);
	return json_is_object(query) ? query : NULL;
}

static const char *text_of(const json_t *query, struct arena *a)
{
	char *text = json_text(query);
	const char *copy = arena_strdup(a, text);

	mem_free(text);
	return copy;
}

/* The filter of "{filter.NAME}"; NULL: the value is not a placeholder. */
static const char *slot_of(const json_t *value, struct arena *a)
{
	struct str text = str_of(json_string_value(value));
	size_t before = strlen(SLOT_BEGIN);

	if (!str_starts(text, STR(SLOT_BEGIN)) || text.n < before + 2 ||
	    memchr(text.p, SLOT_END, text.n) != text.p + text.n - 1)
		return NULL;
	return arena_strndup(a, text.p + before, text.n - before - 1);
}

static json_t *slot_json(const char *filter, struct arena *a)
{
	return json_str(arena_printf(a, SLOT_BEGIN "%s%c", filter, SLOT_END));
}

/* ---- names ---- */

static const struct dimension_def *dimension_of(const struct catalog *c, const char *name)
{
	const struct dimension_def *d = schema_dimension(c, name);
	const struct schema *s = catalog_schema(c);

	for (size_t i = 0; !d && i < c->dimension_count; i++)
		if (strcmp(c->dimensions[i].filter, name) == 0)
			d = &c->dimensions[i];
	for (size_t i = 0; !d && i < s->plain_count; i++)
		if (strcmp(s->plain[i]->filter, name) == 0)
			d = s->plain[i];
	return d;
}

static bool is_declared(const struct catalog *c, const char *name)
{
	const struct schema *s = catalog_schema(c);

	return schema_metric(s, name) || schema_measure(s, name) || schema_entity(s, name) ||
	       schema_condition(s, name) || dimension_of(c, name);
}

/* Accepts "dimension.grain", too. */
static bool check_name(const struct query_reader *r, const json_t *value)
{
	const char *name = json_string_value(value);
	const char *grain = name ? strrchr(name, '.') : NULL;

	if (!name)
		return err_set(r->e, ERR_INPUT, "the query has a name that is not a string");
	if (is_declared(r->c, name) ||
	    (grain && is_declared(r->c, arena_strndup(r->arena, name, (size_t)(grain - name)))))
		return true;
	return err_set(r->e, ERR_INPUT, "the map has no %s", name);
}

static bool check_names(const struct query_reader *r, const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one)
		if (!check_name(r, json_is_object(one) ? json_object_get(one, MAP_NAME) : one))
			return false;
	return true;
}

static bool check_all(const struct query_reader *r, const json_t *query)
{
	static const char *const lists[] = {MAP_METRICS, MAP_SHOW,   MAP_BY,
					    MAP_WHERE,   MAP_HAVING, MAP_ORDER};
	const json_t *list = json_object_get(query, MAP_LIST);

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (!check_names(r, json_object_get(query, lists[i])))
			return false;
	return !list || check_name(r, list);
}

/* ---- placeholders ---- */

/* The description that tools have for the filter; clarifying questions use it. */
static const char *about_of(const struct query_reader *r, const char *filter,
			    const struct dimension_def *d)
{
	for (size_t t = 0; t < r->c->tool_count; t++) {
		const struct param_def *p = tool_param_of_filter(&r->c->tools[t], filter);

		if (p && p->about)
			return p->about;
	}
	return d ? d->label : filter;
}

static bool add_slot(struct query_reader *r, const char *filter, const struct dimension_def *d)
{
	enum param_type type = !d ? PARAM_DATE : d->map.type == COLUMN_INT ? PARAM_INT : PARAM_TEXT;

	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->slots[i].filter, filter) == 0)
			return err_set(r->e, ERR_INPUT, "the query has the filter %s twice",
				       filter);
	r->slots[r->count++] = (struct param_def){
		.name = filter,
		.filter = filter,
		.type = type,
		.is_list = d != NULL,
		.list_min = d ? 1 : 0,
		.list_max = d ? MAP_VALUES_MAX : 0,
		.required = true,
		.entity = d && catalog_dimension(r->c, d->name) == d ? d->name : NULL,
		.about = about_of(r, filter, d),
	};
	return true;
}

static bool read_condition(struct query_reader *r, const json_t *where)
{
	const json_t *values = json_object_get(where, MAP_VALUES);
	const char *name = json_string_value(json_object_get(where, MAP_NAME)); /* checked before */
	const char *filter =
		json_array_size(values) == 1 ? slot_of(json_array_get(values, 0), r->arena) : NULL;
	const struct dimension_def *d = filter ? dimension_of(r->c, name) : NULL;

	if (!filter)
		return true;
	if (!d || strcmp(d->filter, filter) != 0)
		return err_set(r->e, ERR_INPUT, "%s is not the dimension of the filter %s", name,
			       filter);
	return add_slot(r, filter, d);
}

bool flow_query_read(const struct catalog *c, const char *query, struct arena *a,
		     const struct param_def **slots, size_t *count, struct err *e)
{
	const json_t *root = parse(query, a), *where, *one, *period;
	struct query_reader r = {.c = c, .arena = a, .e = e};
	size_t i;

	if (!root)
		return err_set(e, ERR_INPUT, "the query is not a JSON object");
	where = json_object_get(root, MAP_WHERE);
	period = json_object_get(root, MAP_PERIOD);
	r.slots = arena_alloc(a, (json_array_size(where) + 2) * sizeof(*r.slots));
	if (!check_all(&r, root))
		return false;
	json_array_foreach((json_t *)where, i, one)
		if (!read_condition(&r, one))
			return false;
	for (i = 0; i < 2; i++) {
		const char *filter =
			slot_of(json_object_get(period, i == 0 ? MAP_START : MAP_END), a);

		if (filter && !add_slot(&r, filter, NULL))
			return false;
	}
	*slots = r.slots;
	*count = r.count;
	return true;
}

/* ---- filling and matching ---- */

static const json_t *value_of(const json_t *filters, const char *filter)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)filters, name, value) {
		size_t n = strlen(filter);

		if (strncmp(name, filter, n) == 0 && (!name[n] || strcmp(name + n, "s") == 0))
			return value;
	}
	return NULL;
}

/* New reference. */
static json_t *fill(const json_t *part, const json_t *filters, struct arena *a)
{
	const char *filter = slot_of(part, a), *name;
	const json_t *value = filter ? value_of(filters, filter) : NULL;
	json_t *out, *member;
	size_t i;

	if (value)
		return json_incref((json_t *)value);
	if (json_is_object(part)) {
		out = json_object();
		json_object_foreach((json_t *)part, name, member)
			json_set_take(out, name, fill(member, filters, a));
		return out;
	}
	if (!json_is_array(part))
		return json_incref((json_t *)part);
	filter = json_array_size(part) == 1 ? slot_of(json_array_get(part, 0), a) : NULL;
	value = filter ? value_of(filters, filter) : NULL;
	if (json_is_array(value))
		return json_incref((json_t *)value);
	out = json_array();
	json_array_foreach((json_t *)part, i, member)
		json_push_take(out, fill(member, filters, a));
	return out;
}

const char *flow_query_fill(const char *query, const json_t *filters, struct arena *a)
{
	const json_t *root = parse(query, a);

	return root ? text_of(json_own(a, fill(root, filters, a)), a) : query;
}

static bool take_filter(json_t *filters, const char *filter, const json_t *value)
{
	const json_t *before = json_object_get(filters, filter);

	if (!before)
		json_object_set(filters, filter, (json_t *)value);
	return !before || json_equal(before, (json_t *)value);
}

static bool match(const json_t *line, const json_t *query, json_t *filters, struct arena *a)
{
	const char *filter = slot_of(line, a), *name;
	json_t *member;
	size_t i;

	if (filter)
		return !json_is_object(query) && !json_is_array(query) &&
		       take_filter(filters, filter, query);
	if (json_typeof(line) != json_typeof(query))
		return false;
	if (json_is_object(line)) {
		json_object_foreach((json_t *)line, name, member) {
			const json_t *other = json_object_get(query, name);

			if (!other || !match(member, other, filters, a))
				return false;
		}
		return json_object_size(line) == json_object_size(query);
	}
	if (!json_is_array(line))
		return json_equal(line, query);
	filter = json_array_size(line) == 1 ? slot_of(json_array_get(line, 0), a) : NULL;
	if (filter && json_array_size(query) > 1)
		return take_filter(filters, filter, query);
	json_array_foreach((json_t *)line, i, member)
		if (i >= json_array_size(query) ||
		    !match(member, json_array_get(query, i), filters, a))
			return false;
	return json_array_size(line) == json_array_size(query);
}

bool flow_query_match(const char *line, const char *query, json_t *filters, struct arena *a)
{
	const json_t *pattern = parse(line, a), *other = parse(query, a);

	return pattern && other && match(pattern, other, filters, a);
}

/* ---- replacing values with placeholders ---- */

/* Each filter has one value; further conditions with it stay fixed. */
static void parameterize_condition(const struct catalog *c, const json_t *where,
				   flow_is_slot is_slot, const void *owner, struct arena *a,
				   json_t *values)
{
	const json_t *given = json_object_get(where, MAP_VALUES);
	const char *name = json_string_value(json_object_get(where, MAP_NAME));
	const struct dimension_def *d = name ? dimension_of(c, name) : NULL;
	const char *op = json_string_value(json_object_get(where, MAP_OP));

	if (!d || !op || strcmp(op, where_op_name(OP_IS)) != 0 || json_array_size(given) == 0 ||
	    json_object_get(values, d->filter) || !is_slot(owner, d->filter))
		return;
	json_object_set(values, d->filter,
			json_array_size(given) == 1 ? json_array_get(given, 0) : (json_t *)given);
	json_set_take((json_t *)where, MAP_VALUES, json_list_of(slot_json(d->filter, a)));
}

static void parameterize_day(json_t *period, const char *member, const char *filter,
			     struct arena *a, json_t *values)
{
	const json_t *day = json_object_get(period, member);

	if (!json_is_string(day))
		return;
	json_object_set(values, filter, (json_t *)day);
	json_set_take(period, member, slot_json(filter, a));
}

const char *flow_query_parameterize(const struct catalog *c, const char *query,
				    flow_is_slot is_slot, const void *owner, struct arena *a,
				    json_t **values)
{
	json_t *root = parse(query, a), *where, *period;
	const json_t *one;
	size_t i;

	if (!root)
		return NULL;
	*values = json_own(a, json_object());
	where = json_object_get(root, MAP_WHERE);
	period = json_object_get(root, MAP_PERIOD);
	json_array_foreach(where, i, one)
		parameterize_condition(c, one, is_slot, owner, a, *values);
	/* The days of an explicit comparison would not follow another period, so both stay fixed.
	 */
	if (!json_is_object(json_object_get(root, MAP_COMPARE))) {
		parameterize_day(period, MAP_START, FILTER_START, a, *values);
		parameterize_day(period, MAP_END, FILTER_END, a, *values);
	}
	return text_of(root, a);
}
