/*
 * Who may do what, and where answers link to: the roles of permissions.json and the report keys of
 * reports.json.
 */
#include "catalog_int.h"

#include <string.h>

#include "vesper/json.h"

#define REPORTS     "config/reports.json"
#define PERMISSIONS "config/permissions.json"

static bool read_filters(struct loader *l, const json_t *map, struct report_def *out, struct err *e)
{
	struct report_filter *filters =
		arena_alloc(l->arena, (json_object_size(map) + 1) * sizeof(*filters));
	const char *name;
	json_t *place;

	json_object_foreach((json_t *)map, name, place) {
		struct str field = str_of(json_string_value(place)), table;

		if (!str_split(&field, '/', &table) || table.n == 0 || field.n == 0 ||
		    memchr(field.p, '/', field.n))
			return err_set(e, ERR_INPUT, "filters: %s: must be \"Table/Field\"", name);
		filters[out->filter_count++] = (struct report_filter){
			.filter = name,
			.table = arena_strndup(l->arena, table.p, table.n),
			.field = arena_strndup(l->arena, field.p, field.n),
		};
	}
	out->filters = filters;
	return true;
}

static bool read_report(struct loader *l, const json_t *menus, const char *key,
			const json_t *menu_key, struct report_def *out, struct err *e)
{
	static const char *const members[] = {"label", "url", "filters", NULL};
	json_t *filters = NULL;
	const json_t *menu = json_object_get(menus, json_string_value(menu_key));

	if (!json_is_string(menu_key) || !menu)
		return err_set(e, ERR_INPUT, REPORTS ": reports: %s names no menu", key);
	*out = (struct report_def){.key = key, .menu_key = json_string_value(menu_key), .url = ""};
	if (!json_only(menu, members, e) || !json_get_str(menu, "label", &out->label, e) ||
	    !json_opt_str(menu, "url", &out->url, e) ||
	    !json_opt_object(menu, "filters", &filters, e) || !read_filters(l, filters, out, e))
		return err_prefix(e, REPORTS ": menus: %s", out->menu_key);
	if (*out->url && strncmp(out->url, "https://", 8) != 0)
		return err_set(e, ERR_INPUT, REPORTS ": menus: %s: url must begin with https://",
			       out->menu_key);
	return true;
}

bool load_reports(struct loader *l, struct err *e)
{
	static const char *const members[] = {"menus", "reports", NULL};
	struct catalog *c = &l->whole->shown;
	json_t *root, *menus = NULL, *keys = NULL, *menu_key;
	struct report_def *list;
	const char *key;

	if (!load_json(l, REPORTS, &root, e))
		return false;
	if (!json_only(root, members, e) || !json_opt_object(root, "menus", &menus, e) ||
	    !json_opt_object(root, "reports", &keys, e))
		return err_prefix(e, REPORTS);
	list = arena_alloc(l->arena, (json_object_size(keys) + 1) * sizeof(*list));
	json_object_foreach(keys, key, menu_key)
		if (!read_report(l, menus, key, menu_key, &list[c->report_count++], e))
			return false;
	c->reports = list;
	return true;
}

static bool read_role(struct loader *l, const char *name, const json_t *permissions,
		      struct role *out, struct err *e)
{
	out->name = name;
	if (!load_texts(l, permissions, name, &out->permissions, e))
		return err_prefix(e, PERMISSIONS ": roles");
	for (const char *const *p = out->permissions; *p; p++)
		if (!list_has(l->whole->permissions, *p))
			return err_set(e, ERR_INPUT, PERMISSIONS ": roles: %s: %s is no permission",
				       name, *p);
	return true;
}

static bool check_view(const struct loader *l, const struct view_def *v, struct err *e)
{
	bool known = !v->permission || list_has(l->whole->permissions, v->permission);
	const char *unknown = known ? NULL : v->permission;

	for (size_t i = 0; i < v->column_count && !unknown; i++)
		if (v->columns[i].permission &&
		    !list_has(l->whole->permissions, v->columns[i].permission))
			unknown = v->columns[i].permission;
	return !unknown ||
	       err_set(e, ERR_INPUT, "config/catalogue.json: views: %s: %s is no permission",
		       v->name, unknown);
}

bool load_permissions(struct loader *l, struct err *e)
{
	static const char *const members[] = {"permissions", "roles", NULL};
	struct catalog_whole *w = l->whole;
	json_t *root, *roles = NULL, *permissions;
	struct role *list;
	const char *name;

	if (!load_json(l, PERMISSIONS, &root, e))
		return false;
	if (!json_only(root, members, e) || !json_opt_object(root, "roles", &roles, e) ||
	    !load_texts(l, json_object_get(root, "permissions"), "permissions", &w->permissions, e))
		return err_prefix(e, PERMISSIONS);
	list = arena_alloc(l->arena, (json_object_size(roles) + 1) * sizeof(*list));
	json_object_foreach(roles, name, permissions)
		if (!read_role(l, name, permissions, &list[w->role_count++], e))
			return false;
	w->roles = list;
	for (size_t i = 0; i < w->view_count; i++)
		if (!check_view(l, &w->view_defs[i], e))
			return false;
	return true;
}
