/* Helpers for reading the map: names, lists, conditions. */
#include "schema_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

/* The capacity doubles when count is a power of two. */
const void *const *schema_push(struct arena *a, const void *const *list, size_t count,
			       const void *item)
{
	const void **out = (const void **)(uintptr_t)list;

	if ((count & (count - 1)) == 0) {
		out = arena_alloc(a, (count ? 2 * count : 1) * sizeof(*out));
		if (count)
			memcpy(out, list, count * sizeof(*out));
	}
	out[count] = item;
	return out;
}

bool schema_name(const char *name, const char *at, struct err *e)
{
	return str_is_name(name, MAP_NAME_BYTES_MAX) ||
	       err_set(e, ERR_INPUT,
		       "%s: \"%.*s\" is not a valid name: use a-z, 0-9 and _, at most %d "
		       "characters",
		       at, STR_CUT(name, MAP_NAME_BYTES_MAX), MAP_NAME_BYTES_MAX);
}

bool schema_texts(struct loader *l, const json_t *item, const char *member, const char *at,
		  const char *const **out, struct err *e)
{
	static const char *const none[] = {NULL};
	const json_t *list = json_object_get(item, member);

	*out = none;
	return !list || load_texts(l, list, arena_printf(l->arena, "%s.%s", at, member), out, e);
}

bool schema_column(const struct entity_def *n, const char *name, const char *at,
		   const struct view_column **out, struct err *e)
{
	*out = view_column_find(n->view, name);
	return *out || err_set(e, ERR_INPUT, "%s: %s has no column %s (view %s)", at, n->name, name,
			       n->view->name);
}

bool schema_entity_of(const struct loader *l, const char *name, const char *at,
		      const struct entity_def **out, struct err *e)
{
	*out = schema_entity(&l->impl->schema, name);
	return *out || err_set(e, ERR_INPUT, "%s: unknown entity %s", at, name);
}

bool schema_dimension_of(const struct loader *l, const char *name, const char *at,
			 const struct dimension_def **out, struct err *e)
{
	*out = schema_dimension(&l->impl->public, name);
	return (*out && (*out)->map.entity) ||
	       err_set(e, ERR_INPUT, "%s: no entity has the dimension %s", at, name);
}

bool schema_dimensions(struct loader *l, const json_t *item, const char *member, const char *at,
		       const struct dimension_def *const **out, struct err *e)
{
	const char *const *names;
	const struct dimension_def **list;
	size_t n;

	if (!schema_texts(l, item, member, at, &names, e))
		return false;
	n = strlist_len(names);
	list = arena_alloc(l->arena, (n + 1) * sizeof(*list));
	at = arena_printf(l->arena, "%s.%s", at, member);
	for (size_t i = 0; i < n; i++)
		if (!schema_dimension_of(l, names[i], at, &list[i], e))
			return false;
	*out = list;
	return true;
}

bool schema_has_name(const struct loader *l, const char *name)
{
	const struct schema *s = &l->impl->schema;

	return schema_dimension(&l->impl->public, name) || schema_metric(s, name) ||
	       schema_condition(s, name);
}

bool schema_permission(const struct loader *l, const char *permission, const char *at,
		       struct err *e)
{
	return !permission || strlist_has(l->impl->permissions, permission) ||
	       err_set(e, ERR_INPUT, "%s: %s is not a permission", at, permission);
}

bool schema_choice(const json_t *item, const char *member, const char *const *names, const char *at,
		   size_t *out, struct err *e)
{
	const char *text = NULL;

	if (!json_opt_str(item, member, &text, e))
		return err_prefix(e, "%s", at);
	for (size_t i = 0; text && names[i]; i++)
		if (strcmp(names[i], text) == 0) {
			*out = i;
			return true;
		}
	return !text || err_set(e, ERR_INPUT, "%s: %s: unknown value \"%s\"", at, member, text);
}

/* ---- conditions ---- */

bool where_op_accepts(enum where_op op, size_t count)
{
	switch (op) {
	case OP_MISSING:
	case OP_PRESENT:
		return count == 0;
	case OP_BETWEEN:
		return count == 2;
	case OP_IS:
	case OP_NOT:
		return count > 0;
	default:
		return count == 1;
	}
}

static bool read_where(struct loader *l, const json_t *item, const char *at, struct where_def *out,
		       struct err *e)
{
	static const char *const members[] = {"name", "op", "values", NULL};
	struct strlist values = {0};
	const char *name, *op;
	const json_t *value;
	size_t i;

	if (!json_check_members(item, members, e) || !json_get_str(item, "name", &name, e) ||
	    !json_get_str(item, "op", &op, e))
		return err_prefix(e, "%s", at);
	if (!where_op_parse(op, &out->op))
		return err_set(e, ERR_INPUT, "%s: op: unknown operator \"%s\"", at, op);
	strlist_add(&values, l->arena, NULL);
	json_array_foreach(json_object_get(item, "values"), i, value) {
		if (!json_is_string(value) && !json_is_integer(value))
			return err_set(e, ERR_INPUT, "%s: values: must be strings or whole numbers",
				       at);
		strlist_add(&values, l->arena,
			    json_is_string(value)
				    ? json_string_value(value)
				    : arena_printf(l->arena, "%lld",
						   (long long)json_integer_value(value)));
	}
	out->values = values.items;
	if (!where_op_accepts(out->op, strlist_len(out->values)))
		return err_set(e, ERR_INPUT, "%s: %s does not take %zu values", at, op,
			       strlist_len(out->values));
	return schema_dimension_of(l, name, at, &out->dimension, e);
}

bool schema_wheres(struct loader *l, const json_t *item, const char *member, const char *at,
		   const struct where_def **out, size_t *count, struct err *e)
{
	json_t *array = NULL;
	struct where_def *list;
	const json_t *one;
	size_t i;

	if (!json_opt_array(item, member, &array, e))
		return err_prefix(e, "%s", at);
	list = arena_alloc(l->arena, (json_array_size(array) + 1) * sizeof(*list));
	json_array_foreach(array, i, one)
		if (!read_where(l, one, arena_printf(l->arena, "%s.%s[%zu]", at, member, i),
				&list[i], e))
			return false;
	*out = list;
	*count = json_array_size(array);
	return true;
}
