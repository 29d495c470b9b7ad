/*
 * Permissions and roles from permissions.json, and report links from reports.json.
 */
#include "catalog_int.h"

#include <string.h>

#include "vesper/json.h"

#define PERMISSIONS "config/permissions.json"

static bool read_filters(struct loader *l, const json_t *map, struct report_def *out, struct err *e)
{
	struct report_filter *filters =
		arena_alloc(l->arena, (json_object_size(map) + 1) * sizeof(*filters));
	const char *name;
	json_t *field_text;

	json_object_foreach((json_t *)map, name, field_text) {
		struct str field = str_of(json_string_value(field_text)), table;

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
		return err_set(e, ERR_INPUT, "reports: %s has no menu", key);
	*out = (struct report_def){.key = key, .menu_key = json_string_value(menu_key), .url = ""};
	if (!json_check_members(menu, members, e) || !json_get_str(menu, "label", &out->label, e) ||
	    !json_opt_str(menu, "url", &out->url, e) ||
	    !json_opt_object(menu, "filters", &filters, e) || !read_filters(l, filters, out, e))
		return err_prefix(e, "menus: %s", out->menu_key);
	if (*out->url && strncmp(out->url, "https://", 8) != 0)
		return err_set(e, ERR_INPUT, "menus: %s: url must begin with https://",
			       out->menu_key);
	return true;
}

static bool add_report(struct loader *l, const struct report_def *r, struct err *e)
{
	struct catalog *c = &l->impl->public;
	struct report_def *list = (struct report_def *)c->reports;

	if (catalog_report(c, r->key))
		return err_set(e, ERR_INPUT, "reports: %s is a report of another pack", r->key);
	list = arena_grow(l->arena, list, c->report_count, &l->report_cap, sizeof(*list));
	list[c->report_count++] = *r;
	c->reports = list;
	return true;
}

bool load_reports(struct loader *l, struct err *e)
{
	static const char *const members[] = {"menus", "reports", NULL};
	json_t *root, *menus = NULL, *keys = NULL, *menu_key;
	struct words_file f;
	const char *key;

	if (!load_pack_json(l, "reports.json", &f, &root, e))
		return false;
	if (!root)
		return true;
	if (!json_check_members(root, members, e) || !json_opt_object(root, "menus", &menus, e) ||
	    !json_opt_object(root, "reports", &keys, e))
		return load_file_fail(&f);
	json_object_foreach(keys, key, menu_key) {
		struct report_def r;

		if (!read_report(l, menus, key, menu_key, &r, e) || !add_report(l, &r, e))
			return load_file_fail(&f);
	}
	return true;
}

/* ---- permissions and roles ---- */

static bool check_role(const struct loader *l, const char *name, const char *const *permissions,
		       struct err *e)
{
	for (; *permissions; permissions++)
		if (!strlist_has(l->impl->permissions, *permissions))
			return err_set(e, ERR_INPUT, "roles: %s: %s is not a permission", name,
				       *permissions);
	return true;
}

static bool read_role(struct loader *l, const char *name, const json_t *permissions,
		      struct role *out, struct err *e)
{
	out->name = name;
	if (!load_texts(l, permissions, name, &out->permissions, e))
		return err_prefix(e, "roles");
	return check_role(l, name, out->permissions, e);
}

bool load_permissions(struct loader *l, struct err *e)
{
	static const char *const members[] = {"permissions", "roles", NULL};
	struct catalog_impl *w = l->impl;
	json_t *root, *roles = NULL, *permissions;
	struct words_file f;
	const char *name;

	if (!load_json(l, PERMISSIONS, &f, &root, e))
		return false;
	if (!json_check_members(root, members, e) || !json_opt_object(root, "roles", &roles, e) ||
	    !load_texts(l, json_object_get(root, "permissions"), "permissions", &w->permissions, e))
		return load_file_fail(&f);
	w->roles = arena_alloc(l->arena, (json_object_size(roles) + 1) * sizeof(*w->roles));
	json_object_foreach(roles, name, permissions)
		if (!read_role(l, name, permissions, &w->roles[w->role_count++], e))
			return load_file_fail(&f);
	return true;
}

/* A pack adds permissions and grants them to roles. It cannot remove permissions or define
 * roles. */
static bool add_to_role(struct loader *l, const char *name, const json_t *permissions,
			const char *const *own, struct err *e)
{
	struct catalog_impl *w = l->impl;
	const char *const *more;
	struct strlist all = {0};
	size_t i = 0;

	while (i < w->role_count && strcmp(w->roles[i].name, name) != 0)
		i++;
	if (i == w->role_count)
		return err_set(e, ERR_INPUT, "roles: %s is not a role of " PERMISSIONS, name);
	if (!load_texts(l, permissions, name, &more, e))
		return err_prefix(e, "roles");
	for (const char *const *p = w->roles[i].permissions; *p; p++)
		strlist_add(&all, l->arena, *p);
	for (; *more; more++) {
		if (!strlist_has(own, *more))
			return err_set(e, ERR_INPUT,
				       "roles: %s: %s is not a permission of this pack", name,
				       *more);
		strlist_add(&all, l->arena, *more);
	}
	strlist_add(&all, l->arena, NULL);
	w->roles[i].permissions = all.items;
	return true;
}

static bool add_permissions(struct loader *l, const char *const *own, struct err *e)
{
	struct strlist all = {0};

	for (const char *const *p = l->impl->permissions; *p; p++)
		strlist_add(&all, l->arena, *p);
	for (; *own; own++) {
		if (strlist_has(all.items, *own))
			return err_set(e, ERR_INPUT, "permissions: %s is already declared", *own);
		if (!strchr(*own, ':'))
			return err_set(e, ERR_INPUT, "permissions: %s is not AREA:RIGHT", *own);
		strlist_add(&all, l->arena, *own);
	}
	strlist_add(&all, l->arena, NULL);
	l->impl->permissions = all.items;
	return true;
}

bool load_pack_permissions(struct loader *l, struct err *e)
{
	static const char *const members[] = {"permissions", "roles", NULL};
	json_t *root, *roles = NULL, *permissions;
	const char *const *own;
	struct words_file f;
	const char *name;

	if (!load_pack_json(l, "permissions.json", &f, &root, e))
		return false;
	if (!root)
		return true;
	if (!json_check_members(root, members, e) || !json_opt_object(root, "roles", &roles, e) ||
	    !load_texts(l, json_object_get(root, "permissions"), "permissions", &own, e) ||
	    !add_permissions(l, own, e))
		return load_file_fail(&f);
	json_object_foreach(roles, name, permissions)
		if (!add_to_role(l, name, permissions, own, e))
			return load_file_fail(&f);
	return true;
}
