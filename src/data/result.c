/* The result of one tool call, allocated in the turn's arena. Only its tables are outside, and are
 * freed with it. */
#include "vesper/result.h"

#include <string.h>

#include "vesper/frame.h"
#include "vesper/limits.h"
#include "vesper/str.h"

static void on_arena_freed(void *object)
{
	struct result *r = object;
	for (size_t i = 0; i < r->table_count; i++)
		table_free(&r->tables[i]);
	result_free_frames(r);
}

struct result *result_new(struct arena *a)
{
	struct result *r = arena_alloc(a, sizeof(*r));
	arena_defer(a, on_arena_freed, r);
	return r;
}

const struct factor *derive_factor(const struct derive_context *c, const char *name)
{
	for (const struct factor *f = c ? c->factors : NULL; f && f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

void result_add_table(struct result *r, struct arena *a, struct table *take)
{
	/* There are few tables, so the array is copied each time. */
	struct table **tables = arena_alloc(a, (r->table_count + 1) * sizeof(struct table *));
	for (size_t i = 0; i < r->table_count; i++)
		tables[i] = r->tables[i];
	tables[r->table_count++] = take;
	r->tables = tables;
}

void result_add_frame(struct result *r, struct arena *a, struct frame *take)
{
	struct frame **frames = arena_alloc(a, (r->frame_count + 1) * sizeof(struct frame *));
	for (size_t i = 0; i < r->frame_count; i++)
		frames[i] = r->frames[i];
	frames[r->frame_count++] = take;
	r->frames = frames;
}

void result_free_frames(struct result *r)
{
	for (size_t i = 0; i < r->frame_count; i++)
		frame_free(&r->frames[i]);
	r->frames = NULL;
	r->frame_count = 0;
}

const struct frame *result_frame(const struct result *r, const char *query)
{
	for (size_t i = 0; i < r->frame_count; i++)
		if (strcmp(r->frames[i]->name, query) == 0)
			return r->frames[i];
	return NULL;
}

const struct table *result_table(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->table_count; i++)
		if (strcmp(r->tables[i]->name, name) == 0)
			return r->tables[i];
	return NULL;
}

static const char *fact_text(struct arena *a, const char *text)
{
	if (!text || strlen(text) <= FACT_TEXT_BYTES_MAX)
		return arena_strdup(a, text);
	return arena_printf(a, "%.*s…", STR_CUT(text, FACT_TEXT_BYTES_MAX));
}

static void add_fact(struct result *r, struct arena *a, struct fact fact)
{
	if (!r->facts)
		r->facts = arena_alloc(a, RESULT_FACTS_MAX * sizeof(*r->facts));
	r->facts[r->fact_count++] = (struct fact){
		.name = arena_strdup(a, fact.name),
		.label = fact_text(a, fact.label),
		.value = fact_text(a, fact.value),
		.unit = arena_strdup(a, fact.unit),
		.formula = fact_text(a, fact.formula),
	};
}

void result_add_fact(struct result *r, struct arena *a, struct fact fact)
{
	if (r->fact_count + 1 < RESULT_FACTS_MAX)
		add_fact(r, a, fact);
	else
		result_facts_truncated(r, a);
}

void result_facts_truncated(struct result *r, struct arena *a)
{
	if (r->fact_count < RESULT_FACTS_MAX && !result_fact(r, RESULT_FACTS_LEFT_OUT))
		add_fact(r, a,
			 (struct fact){.name = RESULT_FACTS_LEFT_OUT,
				       .label = "Left out",
				       .value = "Further facts were left out. The table has all "
						"rows that were read."});
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
