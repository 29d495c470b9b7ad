/* Protocols: the steps in which a pack's agents query its map, and the calls allowed in each
 * step. */
#include "schema_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

static bool find_step(const struct protocol_def *p, const char *id, size_t *out)
{
	for (size_t i = 0; i < p->step_count; i++)
		if (strcmp(p->steps[i].id, id) == 0) {
			*out = i;
			return true;
		}
	return false;
}

/* Reads the steps' names first, since calls may refer to later steps. */
static bool read_step(const json_t *item, const char *at, struct protocol_step *out, struct err *e)
{
	static const char *const members[] = {"id", "about", "may_call", NULL};

	return (json_check_members(item, members, e) && json_get_str(item, "id", &out->id, e) &&
		json_get_str(item, "about", &out->about, e)) ||
	       err_prefix(e, "%s", at);
}

static bool read_calls(struct loader *l, const json_t *item, const char *at,
		       const struct protocol_def *p, struct protocol_step *out, struct err *e)
{
	const json_t *calls = json_object_get(item, "may_call");
	struct protocol_call *list =
		arena_alloc(l->arena, (json_object_size(calls) + 1) * sizeof(*list));
	const char *tool;
	json_t *next;

	if (json_object_size(calls) == 0)
		return err_set(e, ERR_INPUT, "%s: may_call: must map each tool to the next step",
			       at);
	json_object_foreach((json_t *)(uintptr_t)calls, tool, next) {
		struct protocol_call *c = &list[out->call_count++];

		c->tool = arena_strdup(l->arena, tool);
		if (!json_is_string(next) || !find_step(p, json_string_value(next), &c->next))
			return err_set(e, ERR_INPUT, "%s: may_call: %s leads to an unknown step",
				       at, tool);
	}
	out->calls = list;
	return true;
}

static bool read_steps(struct loader *l, const json_t *object, struct protocol_def *p,
		       struct err *e)
{
	json_t *array = NULL;
	struct protocol_step *steps;
	const json_t *item;
	size_t i, same;

	if (!json_opt_array(object, "steps", &array, e))
		return err_prefix(e, "protocol");
	if (json_array_size(array) == 0)
		return err_set(e, ERR_INPUT, "protocol: steps: at least one is required");
	steps = arena_alloc(l->arena, json_array_size(array) * sizeof(*steps));
	p->steps = steps;
	json_array_foreach(array, i, item) {
		const char *at = arena_printf(l->arena, "protocol.steps[%zu]", i);

		steps[i] = (struct protocol_step){0};
		if (!read_step(item, at, &steps[i], e))
			return false;
		if (find_step(p, steps[i].id, &same))
			return err_set(e, ERR_INPUT, "%s: %s appears twice", at, steps[i].id);
		p->step_count++;
	}
	json_array_foreach(array, i, item)
		if (!read_calls(l, item, arena_printf(l->arena, "protocol.steps[%zu]", i), p,
				&steps[i], e))
			return false;
	return true;
}

static bool read_count(const json_t *object, const char *member, int64_t max, int64_t *out,
		       struct err *e)
{
	*out = max;
	if (!json_opt_int(object, member, out, e))
		return err_prefix(e, "protocol");
	return (*out >= 1 && *out <= max) ||
	       err_set(e, ERR_INPUT, "protocol: %s: must be 1 to %lld", member, (long long)max);
}

bool schema_load_protocol(struct loader *l, const json_t *object, struct err *e)
{
	static const char *const members[] = {
		"max_rounds", "max_tables_per_request", "select_limit", "via", "steps", NULL};
	struct schema *s = &l->impl->schema;
	struct protocol_def *p;
	int64_t rounds, tables, rows;

	if (!object)
		return true;
	p = arena_alloc(l->arena, sizeof(*p));
	p->pack = l->pack->name;
	if (!json_check_members(object, members, e) || !json_opt_str(object, "via", &p->via, e))
		return err_prefix(e, "protocol");
	if (!read_count(object, "max_rounds", AGENT_ROUNDS_MAX, &rounds, e) ||
	    !read_count(object, "max_tables_per_request", MAP_SCHEMA_TABLES_MAX, &tables, e) ||
	    !read_count(object, "select_limit", DB_ROWS_MAX, &rows, e) ||
	    !read_steps(l, object, p, e))
		return false;
	p->max_rounds = (int)rounds;
	p->max_tables = (size_t)tables;
	p->select_limit = (size_t)rows;
	SCHEMA_PUSH(l->arena, s->protocols, s->protocol_count, p);
	return true;
}

const struct protocol_def *schema_protocol(const struct schema *s, const char *pack)
{
	for (size_t i = 0; i < s->protocol_count; i++)
		if (strcmp(s->protocols[i]->pack, pack) == 0)
			return s->protocols[i];
	return NULL;
}

const struct protocol_call *protocol_call_find(const struct protocol_step *s, const char *tool)
{
	for (size_t i = 0; i < s->call_count; i++)
		if (strcmp(s->calls[i].tool, tool) == 0)
			return &s->calls[i];
	return NULL;
}

bool protocol_allows(const struct protocol_def *p, const char *tool)
{
	for (size_t i = 0; i < p->step_count; i++)
		if (protocol_call_find(&p->steps[i], tool))
			return true;
	return false;
}
