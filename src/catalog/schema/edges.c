/* Edges, which define all allowed joins, and chains of edges. */
#include "schema_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

/* One side of a pair: "entity.column". */
struct side {
	const struct entity_def *entity;
	const struct view_column *column;
};

static bool read_side(const struct loader *l, const json_t *text, const char *at, struct side *out,
		      struct err *e)
{
	const char *name = json_string_value(text);
	const char *dot = name ? strchr(name, '.') : NULL;

	if (!dot)
		return err_set(e, ERR_INPUT, "%s: each side of a pair must be \"entity.column\"",
			       at);
	return schema_entity_of(l, arena_strndup(l->arena, name, (size_t)(dot - name)), at,
				&out->entity, e) &&
	       schema_column(out->entity, dot + 1, at, &out->column, e);
}

static bool differ_in_family(enum column_type a, enum column_type b)
{
	static const int family[] = {[COLUMN_TEXT] = 0, [COLUMN_INT] = 1,      [COLUMN_DECIMAL] = 1,
				     [COLUMN_DATE] = 2, [COLUMN_DATETIME] = 2, [COLUMN_BOOL] = 3};

	return family[a] != family[b];
}

static bool check_types(const struct side *a, const struct side *b, const char *at, struct err *e)
{
	if (!a->column->has_type || !b->column->has_type ||
	    !differ_in_family(a->column->type, b->column->type))
		return true;
	return err_set(e, ERR_INPUT, "%s: %s.%s is %s, but %s.%s is %s", at, a->entity->name,
		       a->column->plain, column_type_name(a->column->type), b->entity->name,
		       b->column->plain, column_type_name(b->column->type));
}

/* Orders the pair and returns its end of the edge: 0: from (or the whole edge without via); 1: to;
 * -1: neither. The sides of an edge from an entity to itself keep their order. */
static int order_pair(const struct edge_def *g, struct side *a, struct side *b)
{
	const struct entity_def *near = g->from, *far = g->via ? g->via : g->to;

	for (int end = 0; end < (g->via ? 2 : 1); end++) {
		if (a->entity == far && b->entity == near && near != far) {
			struct side swap = *a;
			*a = *b;
			*b = swap;
		}
		if (a->entity == near && b->entity == far)
			return end;
		near = g->via;
		far = g->to;
	}
	return -1;
}

static bool read_on(struct loader *l, const json_t *array, const char *at, struct edge_def *g,
		    struct err *e)
{
	struct edge_pair *pairs[2];
	size_t counts[2] = {0}, i;
	const json_t *item;

	if (json_array_size(array) == 0 || json_array_size(array) > 2 * MAP_PAIRS_MAX)
		return err_set(e, ERR_INPUT, "%s.on: must have 1 to %d pairs of columns", at,
			       2 * MAP_PAIRS_MAX);
	for (i = 0; i < 2; i++)
		pairs[i] = arena_alloc(l->arena, json_array_size(array) * sizeof(*pairs[i]));
	json_array_foreach(array, i, item) {
		const char *where = arena_printf(l->arena, "%s.on[%zu]", at, i);
		struct side a, b;
		int end;

		if (json_array_size(item) != 2)
			return err_set(e, ERR_INPUT, "%s: not a pair of columns", where);
		if (!read_side(l, json_array_get(item, 0), where, &a, e) ||
		    !read_side(l, json_array_get(item, 1), where, &b, e) ||
		    !check_types(&a, &b, where, e))
			return false;
		end = order_pair(g, &a, &b);
		if (end < 0)
			return err_set(e, ERR_INPUT,
				       "%s: %s and %s are not the two ends that this edge joins%s",
				       where, a.entity->name, b.entity->name,
				       g->via ? " by its via" : "");
		pairs[end][counts[end]++] = (struct edge_pair){a.column, b.column};
	}
	if (g->via && (counts[0] == 0 || counts[1] == 0))
		return err_set(e, ERR_INPUT, "%s.on: no pair joins %s and %s", at, g->via->name,
			       counts[0] ? g->to->name : g->from->name);
	g->on = pairs[0];
	g->on_count = counts[0];
	g->on_to = pairs[1];
	g->on_to_count = counts[1];
	return true;
}

/* Returns true when the columns on that side of the pairs are exactly the key. */
static bool same_columns(const struct edge_pair *on, size_t count, bool right,
			 const struct view_column *const *key)
{
	size_t n = 0;

	for (; key[n]; n++) {
		bool found = false;

		for (size_t i = 0; i < count && !found; i++)
			found = (right ? on[i].right : on[i].left) == key[n];
		if (!found)
			return false;
	}
	return n > 0 && n == count;
}

static bool is_key(const struct entity_def *n, const struct edge_pair *on, size_t count, bool right)
{
	if (same_columns(on, count, right, n->key))
		return true;
	for (const struct view_column *const *const *also = n->also; *also; also++)
		if (same_columns(on, count, right, *also))
			return true;
	return false;
}

static bool fail_key(const struct entity_def *n, const char *at, struct err *e)
{
	return err_set(e, ERR_INPUT,
		       "%s.on: the columns of %s are not exactly its key or one of `also`", at,
		       n->name);
}

static bool check_keys(const struct edge_def *g, const char *at, struct err *e)
{
	if (g->via)
		return is_key(g->from, g->on, g->on_count, false)
			       ? is_key(g->to, g->on_to, g->on_to_count, true) ||
					 fail_key(g->to, at, e)
			       : fail_key(g->from, at, e);
	if (g->cardinality == CARDINALITY_NM)
		return err_set(e, ERR_INPUT, "%s: n:m needs the join table as via", at);
	if (!is_key(g->to, g->on, g->on_count, true))
		return fail_key(g->to, at, e);
	return g->cardinality != CARDINALITY_11 || is_key(g->from, g->on, g->on_count, false) ||
	       fail_key(g->from, at, e);
}

static bool find_ends(struct loader *l, const json_t *item, const char *at, struct edge_def *g,
		      struct err *e)
{
	const char *from, *to, *via = NULL;

	if (!json_get_str(item, "from", &from, e) || !json_get_str(item, "to", &to, e) ||
	    !json_opt_str(item, "via", &via, e))
		return err_prefix(e, "%s", at);
	if (!schema_entity_of(l, from, at, &g->from, e) ||
	    !schema_entity_of(l, to, at, &g->to, e) ||
	    (via && !schema_entity_of(l, via, at, &g->via, e)))
		return false;
	if (g->via && (g->via == g->from || g->via == g->to))
		return err_set(e, ERR_INPUT, "%s: via: %s is an end of the edge itself", at, via);
	if (strcmp(g->from->view->source, g->to->view->source) != 0 ||
	    (g->via && strcmp(g->via->view->source, g->to->view->source) != 0))
		return err_set(e, ERR_INPUT, "%s: %s and %s are from different sources", at, from,
			       to);
	return true;
}

static bool read_edge(struct loader *l, const json_t *item, const char *at, struct edge_def *g,
		      struct err *e)
{
	static const char *const members[] = {"id", "about",       "from",     "to",      "via",
					      "on", "cardinality", "optional", "partial", NULL};
	static const char *const cardinalities[] = {"n:1", "1:1", "n:m", NULL};
	size_t cardinality = SIZE_MAX;

	if (!json_check_members(item, members, e) || !json_get_str(item, "id", &g->id, e) ||
	    !json_opt_str(item, "about", &g->about, e) ||
	    !json_opt_bool(item, "optional", &g->optional, e) ||
	    !json_opt_bool(item, "partial", &g->partial, e))
		return err_prefix(e, "%s", at);
	if (!schema_name(g->id, at, e) || !find_ends(l, item, at, g, e) ||
	    !schema_choice(item, "cardinality", cardinalities, at, &cardinality, e))
		return false;
	if (cardinality == SIZE_MAX)
		return err_set(e, ERR_INPUT, "%s: cardinality: must be n:1, 1:1 or n:m", at);
	g->cardinality = (enum cardinality)cardinality;
	if (g->via && g->cardinality != CARDINALITY_NM)
		return err_set(e, ERR_INPUT, "%s: an edge with via must be n:m", at);
	if (g->partial && g->cardinality == CARDINALITY_NM)
		return err_set(e, ERR_INPUT, "%s: partial is not allowed for an n:m edge", at);
	return read_on(l, json_object_get(item, "on"), at, g, e) && check_keys(g, at, e);
}

bool schema_load_edges(struct loader *l, const json_t *array, struct err *e)
{
	struct schema *s = &l->impl->schema;
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) {
		struct edge_def *g = arena_alloc(l->arena, sizeof(*g));
		const char *at = arena_printf(l->arena, "edges[%zu]", i);

		g->pack = l->pack->name;
		g->index = s->edge_count;
		if (!read_edge(l, item, at, g, e))
			return false;
		if (schema_edge(s, g->id))
			return err_set(e, ERR_INPUT, "%s: %s appears twice", at, g->id);
		if (s->edge_count == MAP_EDGES_MAX)
			return err_set(e, ERR_LIMIT, "%s: more than %d edges", at, MAP_EDGES_MAX);
		SCHEMA_PUSH(l->arena, s->edges, s->edge_count, g);
	}
	return true;
}

/* ---- chains ---- */

static bool connects(const struct edge_def *g, const struct entity_def *a,
		     const struct entity_def *b)
{
	return (g->from == a && g->to == b) || (g->from == b && g->to == a);
}

/* Finds the edge of a step: by id if given, else the only one that joins the entities. */
static bool find_step(const struct loader *l, const struct entity_def *a,
		      const struct entity_def *b, const char *id, const char *at,
		      const struct edge_def **out, struct err *e)
{
	const struct schema *s = &l->impl->schema;

	*out = NULL;
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct edge_def *g = s->edges[i];

		if (!connects(g, a, b) || (id && strcmp(g->id, id) != 0))
			continue;
		if (*out)
			return err_set(e, ERR_INPUT,
				       "%s: several edges join %s and %s: choose one, such as \"%s "
				       "via %s\"",
				       at, a->name, b->name, b->name, g->id);
		*out = g;
	}
	return *out || err_set(e, ERR_INPUT, "%s: no edge%s%s joins %s and %s", at, id ? " " : "",
			       id ? id : "", a->name, b->name);
}

static bool read_path(struct loader *l, const json_t *item, const char *at, struct chain_def *c,
		      struct err *e)
{
	const char *const *steps;
	const struct entity_def **entities;
	const struct edge_def **edges;
	size_t n;

	if (!schema_texts(l, item, "path", at, &steps, e))
		return false;
	n = strlist_len(steps);
	if (n < 2)
		return err_set(e, ERR_INPUT, "%s: path: must have at least two entities", at);
	entities = arena_alloc(l->arena, (n + 1) * sizeof(*entities));
	edges = arena_alloc(l->arena, n * sizeof(*edges));
	for (size_t i = 0; i < n; i++) {
		const char *via = strstr(steps[i], " via ");
		const char *name = via ? arena_strndup(l->arena, steps[i], (size_t)(via - steps[i]))
				       : steps[i];

		if (!schema_entity_of(l, name, at, &entities[i], e) ||
		    (i > 0 && !find_step(l, entities[i - 1], entities[i],
					 via ? via + strlen(" via ") : NULL, at, &edges[i - 1], e)))
			return false;
	}
	c->entities = entities;
	c->edges = edges;
	return true;
}

bool schema_load_chains(struct loader *l, const json_t *array, struct err *e)
{
	static const char *const members[] = {"id", "about", "path", "examples", NULL};
	struct schema *s = &l->impl->schema;
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) {
		struct chain_def *c = arena_alloc(l->arena, sizeof(*c));
		const char *at = arena_printf(l->arena, "chains[%zu]", i);

		c->pack = l->pack->name;
		if (!json_check_members(item, members, e) || !json_get_str(item, "id", &c->id, e) ||
		    !json_get_str(item, "about", &c->about, e))
			return err_prefix(e, "%s", at);
		if (!schema_name(c->id, at, e) || !read_path(l, item, at, c, e) ||
		    !schema_texts(l, item, "examples", at, &c->examples, e))
			return false;
		for (size_t k = 0; k < s->chain_count; k++)
			if (strcmp(s->chains[k]->id, c->id) == 0)
				return err_set(e, ERR_INPUT, "%s: %s appears twice", at, c->id);
		SCHEMA_PUSH(l->arena, s->chains, s->chain_count, c);
	}
	return true;
}
