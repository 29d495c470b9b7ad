/*
 * Different data sources may have the same column names. A question without a query over all of
 * them is read again for each one it may be about. If one data source answers, it is used; if
 * several do, the user is asked which. Rows of unrelated data sources are never combined.
 */
#include "metrics_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

struct source_query {
	const struct query_builder *builder;
	const json_t *query;
};

static bool is_known_query(const struct source_query *list, size_t count, const json_t *query)
{
	for (size_t i = 0; i < count; i++)
		if (json_equal(list[i].query, query))
			return true;
	return false;
}

static bool ask_which(const struct source_query *list, size_t count, struct understanding *out)
{
	struct arena *a = list[0].builder->r->arena;
	struct nlu_reading *readings = arena_alloc(a, count * sizeof(*readings));

	for (size_t i = 0; i < count; i++) {
		struct understanding one;

		if (!metrics_call(list[i].builder, list[i].query, &(struct query_origin){0}, &one))
			return false;
		if (i == 0)
			*out = (struct understanding){.kind = NLU_DATA,
						      .intent = one.intent,
						      .agents = one.agents,
						      .agent_count = one.agent_count,
						      .readings = readings,
						      .confidence = NLU_CONFIDENT};
		readings[out->reading_count++] =
			(struct nlu_reading){.kind = CANDIDATE_TOOL,
					     .name = one.tools[0].name,
					     .agent = one.tools[0].agent,
					     .def = one.tools[0].tool,
					     .label = metrics_entity(list[i].builder)->about,
					     .args = &one.tools[0].args};
	}
	return true;
}

bool metrics_choose_source(const struct reading *r, enum tool_lack lack, struct understanding *out)
{
	const struct entity_def *entities[DATA_SOURCES_PER_TENANT_MAX];
	struct source_query list[ASK_OPTIONS_MAX];
	size_t n = 0, count;
	struct query_builder all = {.r = r, .w = r->nlu->map_words};

	if (!map_words_tenant_entities(&all, entities, DATA_SOURCES_PER_TENANT_MAX, &count))
		return false;
	for (size_t i = 0; i < count && n < ASK_OPTIONS_MAX; i++) {
		struct query_builder *a = arena_alloc(r->arena, sizeof(*a));
		const json_t *query = metrics_build(r, lack, entities[i], a);

		if (query && metrics_is_tenant_query(a) && !is_known_query(list, n, query))
			list[n++] = (struct source_query){a, query};
	}
	if (n == 0)
		return false;
	return n > 1 ? ask_which(list, n, out)
		     : metrics_call(list[0].builder, list[0].query, &(struct query_origin){0}, out);
}
