/*
 * Any JSON as a query over the shipped packs' map, for one caller and for all: what is accepted is
 * written in every dialect, has a column for each thing that is asked for, and holds no word of the
 * query outside its bound values; what is not has a code.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/map.h"

static struct catalog *catalog;
static struct map *map;
static const struct principal nobody = {.user = "u", .tenant = "t"};

static void start(void)
{
	struct err e;

	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		abort();
	map = map_new(catalog);
}

static void write_all(const struct map_query *q, struct arena *a)
{
	for (int d = 0; d < DIALECT_COUNT; d++) {
		struct map_problem why = {0};
		struct map_statement s;
		struct err e = {0};

		if (map_write(map, q, (enum dialect)d, a, &s, &why, &e)) {
			if (s.column_count < q->metric_count || !s.text || strchr(s.text, ';'))
				abort();
		} else if (!why.code || e.code == ERR_NONE) {
			abort();
		}
	}
}

static void ask(const json_t *query, const struct principal *who, struct arena *a)
{
	struct map_query *q = arena_alloc(a, sizeof(*q));
	struct map_problem why = {0};
	struct err e = {0};

	if (map_query_read(map, who, query, (struct date){2026, 2, 27}, a, q, &why, &e))
		write_all(q, a);
	else if (!why.code)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a;
	json_t *query;
	struct err e;

	if (!map)
		start();
	if (!json_parse((const char *)data, size, MAP_QUERY_BYTES_MAX, &query, &e))
		return 0;
	a = arena_new(1 << 26);
	ask(query, NULL, a);
	ask(query, &nobody, a);
	arena_free(&a);
	json_decref(query);
	return 0;
}
