/* What the tests of queries over the map share: the shipped packs, a question with what stands and
 * with filters that came back, and the query that it becomes. */
#ifndef METRICS_TEST_H
#define METRICS_TEST_H

#include "route_bench.h"

#include "nlu_int.h"

static struct arena *arena;
static struct bench bench;

static inline int open_all(void **state)
{
	(void)state;
	arena = arena_new(FILE_CAP * 8);
	bench_open(&bench, arena);
	return 0;
}

static inline int close_all(void **state)
{
	(void)state;
	bench_close(&bench);
	arena_free(&arena);
	return 0;
}

/* The query of an understanding; NULL: it is none. */
static inline const char *query_in(const struct understanding *u)
{
	if (u->confidence < NLU_CONFIDENT || u->tool_count != 1 || !u->tools[0].tool ||
	    !u->tools[0].tool->map)
		return NULL;
	return args_text(&u->tools[0].args, u->tools[0].tool->map, arena);
}

/* The query that code is sure of; NULL: it is none. */
static inline const char *query_of(const char *question)
{
	json_t *line = json_own(arena, json_object());
	struct catalog_view may;
	struct understanding u;

	json_set_str(line, "question", question);
	catalog_for(bench.catalog, &bench.who, arena, &may);
	understand(&bench, &may, line, arena, &u);
	return query_in(&u);
}

/* The query that the question would be if no fixed tool were there to take it. */
static inline const char *query_without_tools(const char *question)
{
	struct catalog_view may;
	struct nlu_input in = {
		.question = question, .tenant = TENANT, .may = &may, .today = {2026, 2, 27}};
	struct reading r = {.nlu = bench.nlu, .in = &in, .arena = arena};
	struct understanding u = {0};

	catalog_for(bench.catalog, &bench.who, arena, &may);
	text_tokenize(bench.catalog->language, question, arena, &r.q);
	reading_begin(&r);
	return metrics_choose(&r, false, &u) ? query_in(&u) : NULL;
}

/* What code makes of a question after another one, or with edited filters. Both in quotes of '. */
static inline struct understanding after(const char *first, const char *question, const char *edits)
{
	json_t *line = json_own(arena, json_object());
	struct catalog_view may;
	struct understanding u;

	json_set_str(line, "question", question);
	if (first)
		json_set_take(line, "history", json_list_of(json_str(first)));
	if (edits) {
		char *text = arena_strdup(arena, edits);

		for (char *p = text; *p; p++)
			*p = *p == '\'' ? '"' : *p;
		json_set_take(line, "edits", json_loads(text, 0, NULL));
	}
	catalog_for(bench.catalog, &bench.who, arena, &may);
	understand(&bench, &may, line, arena, &u);
	return u;
}

static inline const struct filter *filter_in(const struct understanding *u, const char *name)
{
	for (size_t i = 0; i < u->filter_count; i++)
		if (strcmp(u->filters[i].name, name) == 0)
			return &u->filters[i];
	return NULL;
}

struct query_case {
	const char *question, *query; /* NULL: none that code is sure of */
};

static inline void become(const struct query_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *got = query_of(cases[i].question), *want = cases[i].query;

		if (want ? !got || strcmp(got, want) != 0 : got != NULL)
			fail_msg("%s: %s", cases[i].question, got ? got : "none");
	}
}

#define CHECK_QUERIES(cases) become(cases, sizeof(cases) / sizeof(cases[0]))

#endif
