/* Approved views and their columns. */
#include "schema_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

/* Checks that the name is quoted so that the gate, the driver and the database read it alike. */
static bool is_column_name(const char *name)
{
	size_t n = strlen(name);

	if (*name != '"')
		return n > 0 && strpbrk(name, "\"{}?;") == NULL;
	return n > 2 && name[n - 1] == '"' && strcspn(name + 1, "\"{}?;") == n - 2;
}

static const char *plain_name(struct loader *l, const char *name)
{
	return *name == '"' ? arena_strndup(l->arena, name + 1, strlen(name) - 2) : name;
}

static bool known_permission(const struct loader *l, const char *permission, struct err *e)
{
	return !permission || strlist_has(l->impl->permissions, permission) ||
	       err_set(e, ERR_INPUT, "%s is not a permission", permission);
}

static bool read_described(const json_t *item, struct view_column *c, struct err *e)
{
	static const char *const members[] = {"name",     "type",  "about",  "nullable",
					      "priority", "facet", "masked", NULL};
	static const char *const priorities[] = {"low", "medium", "high", NULL};
	const char *type = NULL;
	size_t priority = PRIORITY_MEDIUM;
	int64_t facet = 0;

	if (!json_check_members(item, members, e) || !json_get_str(item, "name", &c->name, e) ||
	    !json_opt_str(item, "type", &type, e) || !json_opt_str(item, "about", &c->about, e) ||
	    !json_opt_bool(item, "nullable", &c->nullable, e) ||
	    !json_opt_int(item, "facet", &facet, e) ||
	    !json_opt_str(item, "masked", &c->masked, e) ||
	    !schema_choice(item, "priority", priorities, c->name, &priority, e))
		return false;
	c->has_type = type != NULL;
	if (type && !column_type_parse(type, &c->type))
		return err_set(e, ERR_INPUT,
			       "%s: type %s is not one of text, int, decimal, date, datetime, bool",
			       c->name, type);
	if (facet < 0 || facet > 9)
		return err_set(e, ERR_INPUT, "%s: facet: must be 1 to 9", c->name);
	c->facet = (int)facet;
	c->priority = (enum column_priority)priority;
	return true;
}

static bool read_column(struct loader *l, const json_t *item, struct view_column *c, struct err *e)
{
	*c = (struct view_column){
		.name = json_string_value(item), .nullable = true, .priority = PRIORITY_MEDIUM};
	if (!c->name && !json_is_object(item))
		return err_set(e, ERR_INPUT, "columns: neither a name nor an object");
	if (!c->name && !read_described(item, c, e))
		return false;
	if (!is_column_name(c->name))
		return err_set(e, ERR_INPUT, "columns: %s is not a valid name", c->name);
	c->plain = plain_name(l, c->name);
	return true;
}

static bool add_columns(struct loader *l, const json_t *list, const char *permission,
			struct view_def *v, struct err *e)
{
	struct view_column *columns = (struct view_column *)v->columns;
	const json_t *item;
	size_t i;

	if (!known_permission(l, permission, e))
		return false;
	if (!json_is_array(list))
		return err_set(e, ERR_INPUT, "columns: not a list");
	json_array_foreach(list, i, item) {
		struct view_column c;

		if (!read_column(l, item, &c, e))
			return false;
		if (view_column_find(v, c.plain))
			return err_set(e, ERR_INPUT, "columns: %s appears twice", c.name);
		if (v->column_count == DB_COLUMNS_MAX)
			return err_set(e, ERR_INPUT, "more than %d columns", DB_COLUMNS_MAX);
		c.permission = permission;
		columns[v->column_count++] = c;
	}
	return true;
}

/* "columns": readable with the view's permission; "columns_with": further columns by required
 * permission. */
static bool read_view(struct loader *l, const json_t *item, struct view_def *v, struct err *e)
{
	static const char *const members[] = {"name",    "about",        "permission",
					      "columns", "columns_with", NULL};
	json_t *columns = NULL, *with = NULL, *more;
	struct view_column *found = arena_alloc(l->arena, DB_COLUMNS_MAX * sizeof(*found));
	const char *permission;

	v->columns = found;
	if (!json_check_members(item, members, e) || !json_get_str(item, "name", &v->name, e) ||
	    !json_get_str(item, "about", &v->about, e) ||
	    !json_opt_str(item, "permission", &v->permission, e) ||
	    !known_permission(l, v->permission, e) ||
	    !json_opt_array(item, "columns", &columns, e) ||
	    !json_opt_object(item, "columns_with", &with, e))
		return false;
	if (columns && !add_columns(l, columns, NULL, v, e))
		return false;
	json_object_foreach(with, permission, more)
		if (!add_columns(l, more, permission, v, e))
			return false;
	v->columns = arena_alloc(l->arena, (v->column_count + 1) * sizeof(*found));
	memcpy((struct view_column *)(uintptr_t)v->columns, found,
	       v->column_count * sizeof(*found));
	return true;
}

static bool add_view(struct loader *l, const struct view_def *v, struct err *e)
{
	struct schema *s = &l->impl->schema;
	const struct view_def *same = schema_view(s, v->name);

	if (same)
		return err_set(e, ERR_INPUT,
			       "views: %s is already declared in config/%s/catalogue.json, as a "
			       "view of source %s",
			       v->name, same->pack, same->source);
	SCHEMA_PUSH(l->arena, s->views, s->view_count, v);
	return true;
}

/* Lists the names of the views, for searching statements. */
static void list_views(struct loader *l)
{
	struct strlist views = {0};

	strlist_add(&views, l->arena, NULL);
	for (size_t i = 0; i < l->impl->schema.view_count; i++)
		strlist_add(&views, l->arena, l->impl->schema.views[i]->name);
	l->impl->views = views.items;
}

bool schema_load_views(struct loader *l, const json_t *array, struct err *e)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) {
		struct view_def *v = arena_alloc(l->arena, sizeof(*v));

		v->pack = l->pack->name;
		v->source = l->pack->source;
		v->only_tenant = source_only_tenant(l, l->pack->source);
		if (!read_view(l, item, v, e))
			return err_prefix(e, "views[%zu]", i);
		if (!add_view(l, v, e))
			return false;
		if (!check_source_schemas(l, v->source, e))
			return err_prefix(e, "views[%zu]", i);
	}
	list_views(l);
	return true;
}
