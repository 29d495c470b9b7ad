/* Why a query is none: a code, a sentence, and what would work. */
#include "map_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void map_offer(struct map_problem *why, const char *offer)
{
	if (why->offer_count < sizeof(why->offers) / sizeof(*why->offers))
		why->offers[why->offer_count++] = offer;
}

struct closest {
	const char *name;
	size_t edits;
};

static void consider(struct closest best[3], const char *name, const char *said)
{
	size_t edits = str_edits(str_of(name), str_of(said));

	for (size_t i = 0; i < 3; i++) {
		if (best[i].name && best[i].edits <= edits)
			continue;
		memmove(&best[i + 1], &best[i], (2 - i) * sizeof(*best));
		best[i] = (struct closest){name, edits};
		return;
	}
}

void map_offer_names(const struct map *m, const struct principal *who, const char *name,
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
	for (size_t i = 0; i < 3 && best[i].name; i++)
		map_offer(why, arena_strdup(a, best[i].name));
}
