/* Entities: the meaning of a view's row, its key and how it is shown. */
#include "schema_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

/* Reads a list of columns of the entity, NULL-terminated. */
static bool read_columns(struct loader *l, const struct entity_def *n, const json_t *array,
			 const char *at, const struct view_column *const **out, struct err *e)
{
	const struct view_column **list;
	const char *const *names;
	size_t count;

	if (!load_texts(l, array, at, &names, e))
		return false;
	count = strlist_len(names);
	if (count > MAP_PAIRS_MAX)
		return err_set(e, ERR_INPUT, "%s: more than %d columns", at, MAP_PAIRS_MAX);
	list = arena_alloc(l->arena, (count + 1) * sizeof(*list));
	for (size_t i = 0; i < count; i++)
		if (!schema_column(n, names[i], at, &list[i], e))
			return false;
	*out = list;
	return true;
}

static bool read_lists(struct loader *l, const json_t *item, const char *member, const char *at,
		       const struct entity_def *n, const struct view_column *const *const **out,
		       struct err *e)
{
	json_t *lists = NULL;
	const struct view_column *const **list;
	const json_t *one;
	size_t i;

	if (!json_opt_array(item, member, &lists, e))
		return err_prefix(e, "%s", at);
	list = arena_alloc(l->arena, (json_array_size(lists) + 1) * sizeof(*list));
	json_array_foreach(lists, i, one)
		if (!read_columns(l, n, one, arena_printf(l->arena, "%s.%s[%zu]", at, member, i),
				  &list[i], e))
			return false;
	*out = list;
	return true;
}

static bool read_keys(struct loader *l, const json_t *item, const char *at, struct entity_def *n,
		      struct err *e)
{
	if (!json_is_array(json_object_get(item, "key")))
		return err_set(e, ERR_INPUT,
			       "%s: key: must list the columns that identify a row, or be []", at);
	if (!read_columns(l, n, json_object_get(item, "key"), arena_printf(l->arena, "%s.key", at),
			  &n->key, e))
		return false;
	if (!read_lists(l, item, "also", at, n, &n->also, e) ||
	    !read_lists(l, item, "indexes", at, n, &n->indexes, e))
		return false;
	n->coarse = arena_alloc(l->arena, sizeof(*n->coarse)); /* none */
	return !json_object_get(item, "coarse") ||
	       read_columns(l, n, json_object_get(item, "coarse"),
			    arena_printf(l->arena, "%s.coarse", at), &n->coarse, e);
}

static bool read_levels(struct loader *l, const json_t *object, const char *at,
			struct entity_def *n, struct err *e)
{
	static const char *const members[] = {"column", "parent", "values", NULL};
	static const char *const of_value[] = {"value", "label", NULL};
	const char *column, *parent = NULL;
	struct level_def *list;
	json_t *values = NULL;
	const json_t *item;
	size_t i;

	if (!object)
		return true;
	at = arena_printf(l->arena, "%s.levels", at);
	if (!json_check_members(object, members, e) ||
	    !json_get_str(object, "column", &column, e) ||
	    !json_opt_str(object, "parent", &parent, e) ||
	    !json_opt_array(object, "values", &values, e))
		return err_prefix(e, "%s", at);
	if (!schema_column(n, column, at, &n->levels.column, e) ||
	    (parent && !schema_column(n, parent, at, &n->levels.parent, e)))
		return false;
	if (json_array_size(values) < 2)
		return err_set(e, ERR_INPUT,
			       "%s: values: must have at least two, the highest first", at);
	list = arena_alloc(l->arena, json_array_size(values) * sizeof(*list));
	json_array_foreach(values, i, item) {
		if (!json_check_members(item, of_value, e) ||
		    !json_get_str(item, "value", &list[i].value, e) ||
		    !json_get_str(item, "label", &list[i].label, e))
			return err_prefix(e, "%s.values[%zu]", at, i);
		for (size_t k = 0; k < i; k++)
			if (strcmp(list[k].value, list[i].value) == 0)
				return err_set(e, ERR_INPUT, "%s.values[%zu]: %s appears twice", at,
					       i, list[i].value);
	}
	n->levels.values = list;
	n->levels.count = json_array_size(values);
	return true;
}

/* Reads {"order": "load_day", "flag": "is_current"}. */
static bool read_latest(struct loader *l, const json_t *object, const char *at,
			struct entity_def *n, struct err *e)
{
	static const char *const members[] = {"order", "flag", NULL};
	const char *order, *flag = NULL;

	if (!object)
		return true;
	at = arena_printf(l->arena, "%s.latest", at);
	if (!json_check_members(object, members, e) || !json_get_str(object, "order", &order, e) ||
	    !json_opt_str(object, "flag", &flag, e))
		return err_prefix(e, "%s", at);
	return schema_column(n, order, at, &n->latest.order, e) &&
	       (!flag || schema_column(n, flag, at, &n->latest.flag, e));
}

static bool find_view(struct loader *l, const json_t *item, const char *at, struct entity_def *n,
		      struct err *e)
{
	const char *view;

	if (!json_get_str(item, "view", &view, e))
		return err_prefix(e, "%s", at);
	n->view = schema_view(&l->impl->schema, view);
	if (!n->view)
		return err_set(e, ERR_INPUT, "%s: %s is not an approved view", at, view);
	return n->view->column_count > 0 ||
	       err_set(e, ERR_INPUT, "%s: view %s does not list its columns", at, view);
}

static bool read_entity(struct loader *l, const json_t *item, const char *at, struct entity_def *n,
			struct err *e)
{
	static const char *const members[] = {"name",   "label",  "plural",   "about",    "view",
					      "key",    "also",   "title",    "time",     "levels",
					      "facets", "kind",   "show",     "synonyms", "indexes",
					      "coarse", "latest", "archived", "owner",    NULL};
	static const char *const kinds[] = {"entity", "fact", "link", NULL};
	const char *title = NULL, *archived = NULL;
	size_t kind = ENTITY_LISTED;

	if (!json_check_members(item, members, e) || !json_get_str(item, "name", &n->name, e) ||
	    !json_get_str(item, "about", &n->about, e))
		return err_prefix(e, "%s", at);
	n->label = n->name;
	if (!json_opt_str(item, "label", &n->label, e))
		return err_prefix(e, "%s", at);
	n->plural = arena_printf(l->arena, "%ss", n->label);
	if (!json_opt_str(item, "plural", &n->plural, e) ||
	    !json_opt_str(item, "title", &title, e) ||
	    !json_opt_str(item, "archived", &archived, e))
		return err_prefix(e, "%s", at);
	if (!schema_name(n->name, at, e) || !find_view(l, item, at, n, e) ||
	    !read_keys(l, item, at, n, e) ||
	    (title && !schema_column(n, title, at, &n->title, e)) ||
	    (archived && !schema_column(n, archived, at, &n->archived, e)) ||
	    !read_levels(l, json_object_get(item, "levels"), at, n, e) ||
	    !read_latest(l, json_object_get(item, "latest"), at, n, e) ||
	    !schema_choice(item, "kind", kinds, at, &kind, e) ||
	    !schema_texts(l, item, "synonyms", at, &n->synonyms, e))
		return false;
	n->kind = (enum entity_kind)kind;
	return true;
}

bool schema_load_entities(struct loader *l, const json_t *array, struct err *e)
{
	struct schema *s = &l->impl->schema;
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) {
		struct entity_def *n = arena_alloc(l->arena, sizeof(*n));
		const char *at = arena_printf(l->arena, "entities[%zu]", i);
		const struct entity_def *same;

		n->pack = l->pack->name;
		n->index = s->entity_count;
		if (!read_entity(l, item, at, n, e))
			return false;
		same = schema_entity(s, n->name);
		if (same)
			return err_set(e, ERR_INPUT,
				       "%s: %s is already declared in config/%s/catalogue.json", at,
				       n->name, same->pack);
		if (s->entity_count == MAP_ENTITIES_MAX)
			return err_set(e, ERR_LIMIT, "%s: more than %d entities", at,
				       MAP_ENTITIES_MAX);
		SCHEMA_PUSH(l->arena, s->entities, s->entity_count, n);
	}
	return true;
}

/* ---- references to dimensions and measures ---- */

static bool read_shown(const struct loader *l, const struct entity_def *n, const char *name,
		       const char *at, struct shown_def *out, struct err *e)
{
	const struct dimension_def *d = schema_dimension(&l->impl->public, name);
	const struct measure_def *m = schema_measure(&l->impl->schema, name);

	*out = (struct shown_def){name, d && d->map.entity ? d : NULL, m};
	if (!out->dimension && !m)
		return err_set(e, ERR_INPUT, "%s: %s is neither a dimension nor a measure", at,
			       name);
	return out->dimension || (m->entity == n && m->column) ||
	       err_set(e, ERR_INPUT, "%s: measure %s is not a column of %s", at, name, n->name);
}

/* The edge to the entity that its rows belong to, which may be archived. */
static bool find_owner(const struct loader *l, const json_t *item, const char *at,
		       struct entity_def *n, struct err *e)
{
	const char *owner = NULL;

	if (!json_opt_str(item, "owner", &owner, e))
		return err_prefix(e, "%s", at);
	n->owner = owner ? schema_edge(&l->impl->schema, owner) : NULL;
	return !owner ||
	       (n->owner && n->owner->from == n && !n->owner->via && n->owner->to->archived) ||
	       err_set(e, ERR_INPUT,
		       "%s: owner: %s must be an edge from %s to an entity with archived rows", at,
		       owner, n->name);
}

static bool finish_entity(struct loader *l, const json_t *item, const char *at,
			  struct entity_def *n, struct err *e)
{
	const char *const *names;
	const char *time = NULL;
	struct shown_def *show;

	if (!json_opt_str(item, "time", &time, e))
		return err_prefix(e, "%s", at);
	if (!find_owner(l, item, at, n, e))
		return false;
	if (time && !schema_dimension_of(l, time, at, &n->time, e))
		return false;
	if (n->time && !column_is_day(n->time->map.type))
		return err_set(e, ERR_INPUT, "%s: time: %s is not a date", at, time);
	if (!schema_dimensions(l, item, "facets", at, &n->facets, e) ||
	    !schema_texts(l, item, "show", at, &names, e))
		return false;
	n->show_count = strlist_len(names);
	show = arena_alloc(l->arena, (n->show_count + 1) * sizeof(*show));
	for (size_t i = 0; i < n->show_count; i++)
		if (!read_shown(l, n, names[i], arena_printf(l->arena, "%s.show", at), &show[i], e))
			return false;
	n->show = show;
	return true;
}

bool schema_finish_entities(struct loader *l, const json_t *array, struct err *e)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) {
		const char *name = json_string_value(json_object_get(item, "name"));
		struct entity_def *n =
			(struct entity_def *)(uintptr_t)schema_entity(&l->impl->schema, name);

		if (!finish_entity(l, item, arena_printf(l->arena, "entities[%zu]", i), n, e))
			return false;
	}
	return true;
}
