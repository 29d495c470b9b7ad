/* What one tool call gave, put together in the turn's arena; only its tables live elsewhere, and go
 * with it. */
#include "vesper/result.h"

#include <assert.h>
#include <string.h>

static void on_arena_freed(void *thing)
{
	struct result *r = thing;
	for (size_t i = 0; i < r->table_count; i++)
		table_free(&r->tables[i]);
}

struct result *result_new(struct arena *a)
{
	struct result *r = arena_alloc(a, sizeof(*r));
	arena_defer(a, on_arena_freed, r);
	return r;
}

void result_add_table(struct result *r, struct arena *a, struct table *take)
{
	/* A call has a handful of tables: a new array each time is simpler than a capacity. */
	struct table **tables = arena_alloc(a, (r->table_count + 1) * sizeof(struct table *));
	for (size_t i = 0; i < r->table_count; i++)
		tables[i] = r->tables[i];
	tables[r->table_count++] = take;
	r->tables = tables;
}

const struct table *result_table(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->table_count; i++)
		if (strcmp(r->tables[i]->name, name) == 0)
			return r->tables[i];
	return NULL;
}

void result_add_fact(struct result *r, struct arena *a, struct fact fact)
{
	assert(r->fact_count < RESULT_FACTS_MAX);
	if (!r->facts)
		r->facts = arena_alloc(a, RESULT_FACTS_MAX * sizeof(*r->facts));
	r->facts[r->fact_count++] = (struct fact){
		.name = arena_strdup(a, fact.name),
		.label = arena_strdup(a, fact.label),
		.value = arena_strdup(a, fact.value),
		.unit = arena_strdup(a, fact.unit),
		.formula = arena_strdup(a, fact.formula),
	};
}

const struct fact *result_fact(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->fact_count; i++)
		if (strcmp(r->facts[i].name, name) == 0)
			return &r->facts[i];
	return NULL;
}

void result_add_statement(struct result *r, struct arena *a, struct result_statement statement)
{
	struct result_statement *all = arena_alloc(a, (r->statement_count + 1) * sizeof(*all));

	for (size_t i = 0; i < r->statement_count; i++)
		all[i] = r->statements[i];
	all[r->statement_count++] = statement;
	r->statements = all;
}
