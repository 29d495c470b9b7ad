/* Named conditions of the packs. Their values are checked when they are read. */
#include "schema_int.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/decimal.h"
#include "vesper/json.h"
#include "vesper/limits.h"

/* Returns true when the column can be compared with the value. */
static bool can_compare(const struct dimension_def *d, const char *value)
{
	struct decimal number;
	struct date day;

	switch (d->map.type) {
	case COLUMN_INT:
	case COLUMN_DECIMAL:
		return decimal_parse(value, &number);
	case COLUMN_DATE:
	case COLUMN_DATETIME:
		return date_parse_value(value, clock_today(), &day);
	case COLUMN_BOOL:
		return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
	default:
		return !d->values || strlist_has(d->values, value);
	}
}

static bool check_where(const struct condition_def *c, const struct where_def *w, const char *at,
			struct err *e)
{
	const struct dimension_def *d = w->dimension;

	if (d->map.entity != c->entity)
		return err_set(e, ERR_INPUT, "%s: where: %s is not a dimension of %s", at, d->name,
			       c->entity->name);
	if (w->op == OP_CONTAINS && d->map.type != COLUMN_TEXT)
		return err_set(e, ERR_INPUT,
			       "%s: where: %s is not text: contains works only with text", at,
			       d->name);
	for (const char *const *v = w->values; *v; v++)
		if (w->op != OP_CONTAINS && !can_compare(d, *v))
			return err_set(e, ERR_INPUT, "%s: where: \"%s\" is not a value of %s (%s)",
				       at, *v, d->name, column_type_name(d->map.type));
	return true;
}

static bool read_condition(struct loader *l, const json_t *item, const char *at,
			   struct condition_def *c, struct err *e)
{
	static const char *const members[] = {"name",  "label",      "about",    "entity",
					      "where", "permission", "synonyms", NULL};
	const char *entity;

	if (!json_check_members(item, members, e) || !json_get_str(item, "name", &c->name, e) ||
	    !json_get_str(item, "entity", &entity, e))
		return err_prefix(e, "%s", at);
	c->label = c->name;
	if (!json_opt_str(item, "label", &c->label, e) ||
	    !json_opt_str(item, "about", &c->about, e) ||
	    !json_opt_str(item, "permission", &c->permission, e))
		return err_prefix(e, "%s", at);
	if (!schema_name(c->name, at, e) || !schema_entity_of(l, entity, at, &c->entity, e) ||
	    !schema_permission(l, c->permission, at, e) ||
	    !schema_wheres(l, item, "where", at, &c->where, &c->where_count, e) ||
	    !schema_texts(l, item, "synonyms", at, &c->synonyms, e))
		return false;
	if (c->where_count == 0 || c->where_count > MAP_CONDITION_PARTS_MAX)
		return err_set(e, ERR_INPUT, "%s: where: must have 1 to %d comparisons", at,
			       MAP_CONDITION_PARTS_MAX);
	for (size_t i = 0; i < c->where_count; i++)
		if (!check_where(c, &c->where[i], at, e))
			return false;
	return true;
}

bool schema_load_conditions(struct loader *l, const json_t *array, struct err *e)
{
	struct schema *s = &l->impl->schema;
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) {
		struct condition_def *c = arena_alloc(l->arena, sizeof(*c));
		const char *at = arena_printf(l->arena, "conditions[%zu]", i);

		c->pack = l->pack->name;
		if (!read_condition(l, item, at, c, e))
			return false;
		if (schema_has_name(l, c->name))
			return err_set(e, ERR_INPUT, "%s: %s is already declared", at, c->name);
		if (s->condition_count == MAP_CONDITIONS_MAX)
			return err_set(e, ERR_LIMIT, "%s: more than %d conditions", at,
				       MAP_CONDITIONS_MAX);
		SCHEMA_PUSH(l->arena, s->conditions, s->condition_count, c);
	}
	return true;
}
