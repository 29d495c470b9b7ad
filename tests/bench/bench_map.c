/*
 * The speed of the map: a generated map of 60 tables is compiled, paths through it are searched,
 * queries are read and written; the gate checks the accepted statements of tests/gate/edges against
 * a map of 24 edges. `bench_map` prints the median and the 99th percentile of a hundred rounds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gate_corpus.h"
#include "gate_map.h"
#include "small_root.h"
#include "vesper/catalog.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/map.h"

#define TABLES 60
#define FAN    3 /* table i references table i / FAN */
#define ROUNDS 100

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_times(const char *what, int64_t us[ROUNDS], size_t each)
{
	qsort(us, ROUNDS, sizeof(*us), by_size);
	printf("%-34s p50 %8.1f us   p99 %8.1f us\n", what, (double)us[ROUNDS / 2] / (double)each,
	       (double)us[ROUNDS - 2] / (double)each);
}

static const char *generated_catalogue(struct arena *a)
{
	struct buf views, entities, edges, measures, dimensions;
	struct buf *const all[] = {&views, &entities, &edges, &measures, &dimensions};
	const char *text;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		buf_init(all[i], 1 << 20);
	for (int i = 0; i < TABLES; i++) {
		buf_printf(&views,
			   ",{\"name\":\"t%d\",\"about\":\"x\",\"columns\":[\"tenant_id\","
			   "{\"name\":\"id\",\"type\":\"int\"},{\"name\":\"up\",\"type\":\"int\"},"
			   "{\"name\":\"amount\",\"type\":\"int\"},\"kind\",\"name\"]}",
			   i);
		buf_printf(&entities,
			   "%s{\"name\":\"e%d\",\"about\":\"x\",\"view\":\"t%d\",\"key\":[\"id\"],"
			   "\"title\":\"name\"}",
			   i ? "," : "", i, i);
		buf_printf(&measures,
			   "%s{\"name\":\"m%d\",\"entity\":\"e%d\",\"column\":\"amount\","
			   "\"aggregate\":\"sum\",\"unit\":\"$\",\"additivity\":\"full\"}",
			   i ? "," : "", i, i);
		buf_printf(&dimensions,
			   ",{\"name\":\"k%d\",\"entity\":\"e%d\",\"column\":\"kind\"}", i, i);
		if (i > 0)
			buf_printf(&edges,
				   "%s{\"id\":\"g%d\",\"from\":\"e%d\",\"to\":\"e%d\","
				   "\"cardinality\":\"n:1\",\"on\":[[\"e%d.up\",\"e%d.id\"]]}",
				   i > 1 ? "," : "", i, i, i / FAN, i, i / FAN);
	}
	text = arena_printf(
		a,
		"{\"views\":[{\"name\":\"dbo.prices\",\"about\":\"x\"}%s],"
		"\"entities\":[%s],\"edges\":[%s],\"measures\":[%s],\"dimensions\":["
		"{\"name\":\"market\",\"values\":[\"East\",\"West\"]},{\"name\":\"hub\","
		"\"parent\":\"market\",\"values\":{\"East\":[\"E1\",\"E2\"],\"West\":"
		"[\"W1\"]}}%s]}",
		buf_text(&views), buf_text(&entities), buf_text(&edges), buf_text(&measures),
		buf_text(&dimensions));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		buf_deinit(all[i]);
	return text;
}

static void time_compile(const struct catalog *c)
{
	int64_t us[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		int64_t began = clock_mono_us();
		struct map *m = map_new(c);

		us[i] = clock_mono_us() - began;
		map_free(&m);
	}
	print_times("compile, 60 tables", us, 1);
}

static void time_paths(const struct map *m, const struct schema *s)
{
	int64_t us[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		struct arena *a = arena_new(64 << 20);
		int64_t began = clock_mono_us();
		struct map_path paths[2];

		for (size_t to = 0; to < s->entity_count; to++)
			(void)map_path(m, s->entities[(size_t)i % s->entity_count], s->entities[to],
				       a, paths);
		us[i] = clock_mono_us() - began;
		arena_free(&a);
	}
	print_times("path search, 60 tables", us, s->entity_count);
}

/* A metric by two dimensions that are up to three joins away, with a condition and an order. */
static void time_queries(const struct map *m)
{
	static const char text[] =
		"{\"metrics\":[\"m59\",\"m58\"],\"by\":[\"k2\",\"k6\"],\"where\":[{\"name\":"
		"\"k19\","
		"\"op\":\"not\",\"values\":[\"a\",\"b\"]}],\"having\":[{\"name\":\"m59\",\"op\":"
		"\"over\",\"values\":[\"2M\"]}],\"top\":5}";
	int64_t read[ROUNDS], written[ROUNDS];
	struct err e = {0};
	json_t *query;

	if (!json_parse(text, sizeof(text) - 1, MAP_QUERY_BYTES_MAX, &query, &e))
		abort();
	for (int i = 0; i < ROUNDS; i++) {
		struct arena *a = arena_new(64 << 20);
		struct map_query *q = arena_alloc(a, sizeof(*q));
		struct map_problem why = {0};
		struct map_statement s;
		int64_t began = clock_mono_us();

		if (!map_query_read(m, NULL, query, (struct date){2026, 2, 27}, a, q, &why, &e)) {
			fprintf(stderr, "%s\n", e.text);
			abort();
		}
		read[i] = clock_mono_us() - began;
		began = clock_mono_us();
		if (!map_write(m, q, DIALECT_POSTGRES, a, &s, &why, &e))
			abort();
		written[i] = clock_mono_us() - began;
		arena_free(&a);
	}
	json_decref(query);
	print_times("query read", read, 1);
	print_times("query written", written, 1);
}

static void time_gate(void)
{
	struct arena *a = arena_new(256 << 20);
	struct gate_policy policy = gate_map_policy(a);
	size_t count, checked = 0;
	const struct gate_line *lines = gate_corpus("edges/accept.tsv", a, &count);
	int64_t us[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		struct arena *work = arena_new(256 << 20);
		int64_t began = clock_mono_us();
		struct gate_result out;
		struct err e;

		checked = 0;
		for (size_t k = 0; k < count; k++)
			checked +=
				gate_line_is(&lines[k], DIALECT_POSTGRES) &&
				gate_check(&policy, DIALECT_POSTGRES, lines[k].sql, work, &out, &e);
		us[i] = clock_mono_us() - began;
		arena_free(&work);
	}
	print_times("gate, a statement, 24 edges", us, checked);
	arena_free(&a);
}

int main(void)
{
	struct arena *a = arena_new(64 << 20);
	struct temp_root root = small_root_new();
	struct catalog *catalog;
	struct map *map;
	struct err e;

	temp_root_write(&root, "config/energy/catalogue.json", generated_catalogue(a));
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	map = map_new(catalog);
	time_compile(catalog);
	time_paths(map, catalog_schema(catalog));
	time_queries(map);
	time_gate();
	map_free(&map);
	catalog_unref(&catalog);
	temp_root_free(&root);
	arena_free(&a);
	return 0;
}
