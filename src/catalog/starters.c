/* Reads config/<pack>/starters.json: the questions of the first screen, each with the tool that
 * answers it and the roles it is for. */
#include "catalog_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define STARTERS "starters.json"

static bool is_role(const struct loader *l, const char *name)
{
	for (size_t i = 0; i < l->impl->role_count; i++)
		if (strcmp(l->impl->roles[i].name, name) == 0)
			return true;
	return false;
}

static bool read_roles(struct loader *l, const json_t *roles, struct starter_def *out,
		       struct err *e)
{
	if (!roles)
		return true;
	if (!load_texts(l, roles, "roles", &out->roles, e))
		return false;
	for (const char *const *role = out->roles; *role; role++)
		if (!is_role(l, *role))
			return err_set(e, ERR_INPUT, "roles: %s is not a role", *role);
	return true;
}

static bool read_starter(struct loader *l, const json_t *item, struct starter_def *out,
			 struct err *e)
{
	static const char *const members[] = {"question", "tool", "roles", NULL};
	const char *tool;

	*out = (struct starter_def){0};
	if (!json_check_members(item, members, e) ||
	    !json_get_str(item, "question", &out->question, e) ||
	    !json_get_str(item, "tool", &tool, e) ||
	    !read_roles(l, json_object_get(item, "roles"), out, e))
		return false;
	if (!*out->question || strlen(out->question) > STARTER_BYTES_MAX)
		return err_set(e, ERR_INPUT, "question: must have 1 to %d bytes",
			       STARTER_BYTES_MAX);
	out->tool = catalog_tool(&l->impl->public, tool);
	return (out->tool && (out->tool->callers.visible || out->tool->map)) ||
	       err_set(e, ERR_INPUT, "tool: %s is not a tool that answers questions", tool);
}

static void add_starter(struct loader *l, const struct starter_def *starter)
{
	struct catalog *c = &l->impl->public;
	struct starter_def *list = (struct starter_def *)c->starters;

	list = arena_grow(l->arena, list, c->starter_count, &l->starter_cap, sizeof(*list));
	list[c->starter_count++] = *starter;
	c->starters = list;
}

bool load_starters(struct loader *l, struct err *e)
{
	static const char *const members[] = {"starters", NULL};
	json_t *root, *list, *item;
	struct words_file f;
	struct err why;
	size_t i;

	if (!load_pack_json(l, STARTERS, &f, &root, e))
		return false;
	if (!root)
		return true;
	list = json_object_get(root, "starters");
	if (!json_check_members(root, members, &why))
		return words_fail(&f, "starters", "%s", why.text);
	if (!json_is_array(list) || json_array_size(list) > STARTERS_MAX)
		return words_fail(&f, "starters", "must be a list of at most %d questions",
				  STARTERS_MAX);
	json_array_foreach(list, i, item) {
		struct starter_def starter;

		if (!read_starter(l, item, &starter, &why))
			return words_fail(&f, arena_printf(l->arena, "starters[%zu]", i), "%s",
					  why.text);
		add_starter(l, &starter);
	}
	return true;
}
