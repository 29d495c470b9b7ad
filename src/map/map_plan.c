/*
 * The plan of one SELECT: the views it reads and their aliases, joined along edges by their whole
 * keys, each restricted to the tenant's rows. A view is joined once per path that leads to it.
 */
#include "map_int.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "vesper/language.h"

void map_select_begin(struct map_select *s, const struct entity_def *root)
{
	s->aliases[0] = (struct map_alias){.entity = root,
					   .name = arena_printf(s->arena, "t%zu", ++*s->next)};
	s->alias_count = 1;
}

static bool refuse_no_path(const struct map_select *s, const struct entity_def *from,
			   const struct entity_def *to)
{
	s->why->from = from;
	s->why->to = to;
	s->why->text = sentence(s->map->catalog->language, SAY_MAP_NO_PATH, s->arena, from->plural,
				to->plural);
	return map_fail(s->why, MAP_NO_PATH, to->name, s->e,
			"no path of at most %d edges from %s to %s", MAP_HOPS_MAX, from->name,
			to->name);
}

/* Names the first step in which two paths differ. */
static bool refuse_ambiguous(const struct map_select *s, const struct map_path paths[2])
{
	const struct edge_def *one = NULL, *other = NULL;

	for (size_t i = 0; i < paths[0].count && !one; i++) {
		if (paths[0].steps[i].edge == paths[1].steps[i].edge)
			continue;
		one = paths[0].steps[i].edge;
		other = paths[1].steps[i].edge;
	}
	map_suggest(s->why, one->about ? one->about : one->id);
	map_suggest(s->why, other->about ? other->about : other->id);
	s->why->from = one->from;
	s->why->to = one->to;
	return map_fail(s->why, MAP_AMBIGUOUS_PATH, one->to->name, s->e,
			"%s and %s are joined in two ways: %s, or %s", one->from->name,
			one->to->name, s->why->offers[0], s->why->offers[1]);
}

bool map_select_path(const struct map_select *s, const struct entity_def *from,
		     const struct entity_def *to, struct map_path *out)
{
	struct map_path paths[2];

	switch (map_path(s->map, from, to, s->arena, paths)) {
	case MAP_FOUND:
		*out = paths[0];
		return true;
	case MAP_AMBIGUOUS:
		return refuse_ambiguous(s, paths);
	default:
		return refuse_no_path(s, from, to);
	}
}

static struct map_alias *find_alias(struct map_select *s, const struct map_alias *from,
				    const struct map_step *step)
{
	for (size_t i = 1; i < s->alias_count; i++)
		if (s->aliases[i].from == from && s->aliases[i].step.edge == step->edge &&
		    s->aliases[i].step.reversed == step->reversed)
			return &s->aliases[i];
	return NULL;
}

static struct map_alias *add_alias(struct map_select *s, const struct map_alias *from,
				   const struct map_step *step)
{
	struct map_alias *a = &s->aliases[s->alias_count];

	if (s->alias_count == MAP_ALIASES_MAX)
		return NULL;
	s->alias_count++;
	*a = (struct map_alias){.entity = map_step_to(step), .from = from, .step = *step};
	if (step->edge->via)
		a->via = arena_printf(s->arena, "t%zu", ++*s->next);
	a->name = arena_printf(s->arena, "t%zu", ++*s->next);
	return a;
}

bool map_select_reach(struct map_select *s, const struct entity_def *to, bool only_shown,
		      const struct map_alias **out)
{
	struct map_alias *at = &s->aliases[0];
	struct map_path path;

	if (!map_select_path(s, at->entity, to, &path))
		return false;
	for (size_t i = 0; i < path.count; i++) {
		struct map_alias *next = find_alias(s, at, &path.steps[i]);
		const struct edge_def *g = path.steps[i].edge;
		/* joins beyond an outer join must be outer joins too */
		bool may_be_outer = at->is_outer || (only_shown && g->optional) ||
				    (g->partial && map_step_is_safe(&path.steps[i]));

		if (!next) {
			next = add_alias(s, at, &path.steps[i]);
			if (!next)
				return map_fail(s->why, MAP_BAD_VALUE, NULL, s->e,
						"more than %d views", MAP_ALIASES_MAX);
			next->is_outer = may_be_outer;
		}
		next->is_outer = next->is_outer && may_be_outer;
		at = next;
	}
	*out = at;
	return true;
}

const char *map_select_column(const struct map_select *s, const struct map_alias *at,
			      const struct view_column *c)
{
	bool plain = !isdigit((unsigned char)*c->plain);

	for (const char *p = c->plain; *p && plain; p++)
		plain = isalnum((unsigned char)*p) || *p == '_';
	return arena_printf(s->arena, plain && *c->name != '"' ? "%s.%s" : "%s.\"%s\"", at->name,
			    c->plain);
}

/* The lower bound of a number's bin. */
static const char *binned(const struct map_select *s, const struct dimension_def *d, const char *c)
{
	struct buf text;
	const char *out;
	size_t n = 0;

	while (d->map.bins[n])
		n++;
	buf_init(&text, MAP_TEXT_BYTES_MAX);
	buf_str(&text, "CASE");
	while (n-- > 0)
		buf_printf(&text, " WHEN %s >= %s THEN %s", c, d->map.bins[n], d->map.bins[n]);
	buf_str(&text, " END");
	out = arena_strdup(s->arena, buf_text(&text));
	buf_deinit(&text);
	return out;
}

bool map_select_dimension(struct map_select *s, const struct dimension_def *d, enum grain g,
			  bool only_shown, const char **out)
{
	const struct map_alias *at;

	if (!map_select_reach(s, d->map.entity, only_shown, &at))
		return false;
	*out = map_select_column(s, at, d->map.column);
	if (g)
		*out = map_grain(s->dialect, g, d->map.type, *out, s->arena);
	else if (d->map.bins && !only_shown)
		*out = binned(s, d, *out);
	return true;
}

/* ---- text ---- */

/* Restricts an entity of versioned rows to the last version of each key. */
static void write_latest(const struct map_select *s, const struct entity_def *n, const char *alias,
			 struct buf *out)
{
	const struct map_alias outer = {.name = alias}, inner = {.name = "n"};
	const char *column = map_select_column(s, &outer, n->latest.order);

	if (n->latest.flag)
		buf_printf(out, " AND %s = 1", map_select_column(s, &outer, n->latest.flag));
	buf_printf(out, " AND %s = (SELECT MAX(%s) FROM %s n WHERE ", column,
		   map_select_column(s, &inner, n->latest.order), n->view->name);
	for (size_t i = 0; n->key[i]; i++)
		buf_printf(out, "%s%s = %s", i ? " AND " : "",
			   map_select_column(s, &inner, n->key[i]),
			   map_select_column(s, &outer, n->key[i]));
	if (!n->view->only_tenant)
		buf_str(out, " AND n.tenant_id = :tenant_id");
	if (n->latest.flag)
		buf_printf(out, " AND %s = 1", map_select_column(s, &inner, n->latest.flag));
	buf_str(out, ")");
}

/* Removes rows that belong to an archived row. */
static void write_owner(const struct map_select *s, const struct edge_def *g, const char *alias,
			struct buf *out)
{
	const struct map_alias owner = {.name = "o"};

	buf_printf(out, " AND NOT EXISTS (SELECT 1 FROM %s o WHERE ", g->to->view->name);
	map_select_pairs(s, g->on, g->on_count, alias, "o", out);
	if (!g->to->view->only_tenant)
		buf_str(out, " AND o.tenant_id = :tenant_id");
	buf_printf(out, " AND %s = 1)", map_select_column(s, &owner, g->to->archived));
}

void map_select_restrict(const struct map_select *s, const struct entity_def *n, const char *alias,
			 const char *before, struct buf *out)
{
	const struct map_alias at = {.name = alias};

	if (!n->view->only_tenant)
		buf_printf(out, "%s%s.tenant_id = :tenant_id", before, alias);
	if (n->archived)
		buf_printf(out, " AND COALESCE(%s, 0) = 0", map_select_column(s, &at, n->archived));
	if (n->owner)
		write_owner(s, n->owner, alias, out);
	if (n->latest.order)
		write_latest(s, n, alias, out);
}

void map_select_pairs(const struct map_select *s, const struct edge_pair *on, size_t count,
		      const char *left, const char *right, struct buf *out)
{
	const struct map_alias l = {.name = left}, r = {.name = right};

	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s%s = %s", i ? " AND " : "", map_select_column(s, &l, on[i].left),
			   map_select_column(s, &r, on[i].right));
}

/* Writes a join. An edge with a `via` has pairs between each end and the join table. */
static void write_join(const struct map_select *s, const struct map_alias *a, struct buf *out)
{
	const struct edge_def *g = a->step.edge;
	const char *from = a->step.reversed ? a->name : a->from->name;
	const char *to = a->step.reversed ? a->from->name : a->name;
	const char *join = a->is_outer ? "\nLEFT JOIN" : "\nJOIN";

	if (g->via) {
		buf_printf(out, "%s %s %s ON ", join, g->via->view->name, a->via);
		if (a->step.reversed)
			map_select_pairs(s, g->on_to, g->on_to_count, a->via, to, out);
		else
			map_select_pairs(s, g->on, g->on_count, from, a->via, out);
		map_select_restrict(s, g->via, a->via, " AND ", out);
	}
	buf_printf(out, "%s %s %s ON ", join, a->entity->view->name, a->name);
	if (!g->via)
		map_select_pairs(s, g->on, g->on_count, from, to, out);
	else if (a->step.reversed)
		map_select_pairs(s, g->on, g->on_count, from, a->via, out);
	else
		map_select_pairs(s, g->on_to, g->on_to_count, a->via, to, out);
	map_select_restrict(s, a->entity, a->name, " AND ", out);
}

void map_select_joins(const struct map_select *s, struct buf *out)
{
	for (size_t i = 1; i < s->alias_count; i++)
		write_join(s, &s->aliases[i], out);
}

void map_select_from(const struct map_select *s, struct buf *out)
{
	buf_printf(out, "\nFROM %s %s", s->aliases[0].entity->view->name, s->aliases[0].name);
	map_select_joins(s, out);
}

void map_select_where(const struct map_select *s, struct buf *out)
{
	buf_str(out, "\nWHERE ");
	if (s->aliases[0].entity->view->only_tenant)
		buf_str(out, "1 = 1");
	map_select_restrict(s, s->aliases[0].entity, s->aliases[0].name, "", out);
}
