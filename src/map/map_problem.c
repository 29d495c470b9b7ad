/* Problems of invalid queries: a code, a sentence, and suggestions that work. */
#include "map_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vesper/language.h"

bool map_fail(struct map_problem *why, const char *code, const char *name, struct err *e,
	      const char *fmt, ...)
{
	va_list args;
	char text[sizeof(e->text)];

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	why->code = code;
	why->name = name;
	return err_set(e, strcmp(code, MAP_DENIED) == 0 ? ERR_DENIED : ERR_INPUT, "%s", text);
}

void map_suggest(struct map_problem *why, const char *offer)
{
	if (why->offer_count < sizeof(why->offers) / sizeof(*why->offers))
		why->offers[why->offer_count++] = offer;
}

struct closest {
	const char *name;
	size_t edits;
};

static void consider(struct closest best[3], const char *name, const char *given)
{
	size_t edits = str_edit_distance(str_of(name), str_of(given));

	for (size_t i = 0; i < 3; i++) {
		if (best[i].name && best[i].edits <= edits)
			continue;
		memmove(&best[i + 1], &best[i], (2 - i) * sizeof(*best));
		best[i] = (struct closest){name, edits};
		return;
	}
}

void map_suggest_names(const struct map *m, const struct principal *who, const char *name,
		       bool metrics, struct arena *a, struct map_problem *why)
{
	const struct schema *s = m->schema;
	const struct catalog *c = m->catalog;
	struct closest best[3] = {{0}};

	for (size_t i = 0; metrics && i < s->metric_count; i++)
		if (map_may_metric(who, s->metrics[i]))
			consider(best, s->metrics[i]->name, name);
	for (size_t i = 0; !metrics && i < c->dimension_count; i++)
		if (c->dimensions[i].map.entity && map_may_dimension(who, &c->dimensions[i]))
			consider(best, c->dimensions[i].name, name);
	for (size_t i = 0; !metrics && i < s->plain_count; i++)
		if (map_may_dimension(who, s->plain[i]))
			consider(best, s->plain[i]->name, name);
	for (size_t i = 0; !metrics && i < s->condition_count; i++)
		if (map_may_condition(who, s->conditions[i]))
			consider(best, s->conditions[i]->name, name);
	for (size_t i = 0; i < 3 && best[i].name; i++)
		map_suggest(why, arena_strdup(a, best[i].name));
}

/* ---- no path ---- */

/* Neighbors of an entity that this caller may see, as "a, b, c"; "": none. */
static const char *neighbours_of(const struct map *m, const struct principal *who,
				 const struct entity_def *n, struct arena *a)
{
	const struct map_outgoing *l = &m->outgoing[n->index];
	const char *text = "";
	size_t listed_count = 0;

	for (size_t i = 0; i < l->count && listed_count < MAP_NEIGHBOURS_MAX; i++) {
		const struct entity_def *to = map_step_to(&l->steps[i]);

		if (to == n || !map_may_entity(who, to))
			continue;
		text = arena_printf(a, "%s%s%s", text, listed_count++ ? ", " : "", to->plural);
	}
	return text;
}

/* Suggests a question that works: a neighbor counted by this entity, or the two together. */
static void offer_about(const struct map *m, const struct principal *who,
			const struct entity_def *n, struct arena *a, struct map_problem *why)
{
	const struct language *l = m->catalog->language;
	const struct map_outgoing *outgoing_steps = &m->outgoing[n->index];
	const struct entity_def *neighbour = NULL;

	for (size_t i = 0; i < outgoing_steps->count; i++) {
		const struct map_step *s = &outgoing_steps->steps[i];
		const struct entity_def *to = map_step_to(s);

		if (to == n || !map_may_entity(who, to))
			continue;
		if (s->edge->cardinality == CARDINALITY_N1 && s->reversed) {
			map_suggest(why, sentence(l, SAY_MAP_BY, a, to->plural, n->label));
			return;
		}
		neighbour = neighbour ? neighbour : to;
	}
	if (neighbour)
		map_suggest(why, sentence(l, SAY_MAP_RELATED, a, n->plural, neighbour->plural));
}

/* Lists the entities between the two ends if they are too far apart and the caller may see all of
 * them; otherwise "". */
static const char *path_text(const struct map *m, const struct principal *who,
			     const struct map_problem *why, struct arena *a)
{
	struct map_path paths[2];
	const char *text = "";

	if (map_path(m, why->from, why->to, a, paths) != MAP_TOO_LONG)
		return "";
	for (size_t i = 0; i + 1 < paths[0].count; i++) {
		const struct entity_def *n = map_step_to(&paths[0].steps[i]);

		if (!map_may_entity(who, n))
			return "";
		text = arena_printf(a, "%s%s%s", text, i ? ", " : "", n->plural);
	}
	return text;
}

void map_explain_no_path(const struct map *m, const struct principal *who, struct arena *a,
			 struct map_problem *why)
{
	const struct language *l = m->catalog->language;
	const struct entity_def *ends[] = {why->from, why->to};
	const char *path = path_text(m, who, why, a);

	why->offer_count = 0;
	for (size_t i = 0; i < 2; i++) {
		const char *others = neighbours_of(m, who, ends[i], a);

		if (*others)
			why->text = arena_printf(
				a, "%s %s", why->text,
				sentence(l, SAY_MAP_NEIGHBOURS, a, ends[i]->plural, others));
		offer_about(m, who, ends[i], a, why);
	}
	if (*path)
		why->text = arena_printf(a, "%s %s", why->text, sentence(l, SAY_MAP_FAR, a, path));
}
