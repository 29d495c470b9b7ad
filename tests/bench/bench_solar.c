/* The longest computations of the solar pack, as run by a worker: ninja bench_solar &&
 * ./bench_solar */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "solar/solar_int.h"
#include "vesper/clock.h"

#define DAY_MS      INT64_C(86400000)
#define NOON        INT64_C(1772193600000)
#define HEALTH_DAYS 36
#define DAILY       480
#define ROUNDS      21

static struct arena *arena;
static struct result *r;
static const struct factor factors[] = {{"health_availability", 0.5, "0.5", NULL},
					{"health_energy", 0.4, "0.4", NULL},
					{"health_completeness", 0.1, "0.1", NULL},
					{0}};

static void must(bool good)
{
	if (!good)
		abort();
}

static void begin(const char *const *columns, const char *const *cells, size_t n)
{
	static const struct derive_context context = {
		.today = {2026, 2, 27}, .now_ms = NOON, .factors = factors};
	enum column_type types[8] = {0};
	struct table *t = table_new(1 << 20);

	arena_free(&arena);
	arena = arena_new(256 << 20);
	r = result_new(arena);
	r->context = &context;
	table_replace(t, columns, types, n, cells, 1);
	result_add_table(r, arena, t);
}

static void row(struct frame_builder *b, const char *first, double value)
{
	char text[32];
	struct err e;
	bool wanted;

	snprintf(text, sizeof(text), "%.3f", value);
	must(frame_builder_next(b, &wanted, &e));
	frame_builder_cell(b, 0, first);
	frame_builder_cell(b, 1, text);
	must(frame_builder_row(b, &e));
}

static void add(struct frame_builder *b, const char *name)
{
	struct frame *f = frame_builder_finish(&b);

	f->name = name;
	result_add_frame(r, arena, f);
}

static void quarters(const char *name, const char *column, double factor)
{
	const struct frame_declared declared[] = {{"ts", FRAME_TIME}, {column, FRAME_REAL}};
	struct frame_builder *b = frame_builder_new(name, declared, 2, 20000);

	for (int64_t i = 0; i < HEALTH_DAYS * 96; i++) {
		double hour = (double)(i % 96) / 4;
		char at[CLOCK_RFC3339_BYTES];

		clock_rfc3339(NOON - NOON % DAY_MS - 35 * DAY_MS + i * QUARTER_MS, at);
		at[10] = ' ';
		at[19] = '\0';
		row(b, at,
		    hour < 6 || hour > 18 ? 0
					  : factor * sin(M_PI * (hour - 6) / 12) *
						    (1 + 0.01 * sin((double)i * 1.7)));
	}
	add(b, name);
}

static void health(void)
{
	static const char *const columns[] = {"day", "id", "timezone", "rating_kw", "capacity_kw"};
	static const char *const cells[] = {"2026-02-20", "1", "America/Denver", "45", "50"};

	begin(columns, cells, 5);
	quarters("readings", "p", 40000);
	quarters("sensor", "g", 1000);
	quarters("peers", "share", 0.8);
}

static void forecast(void)
{
	static const char *const columns[] = {"logger_id", "timezone", "latitude"};
	static const char *const cells[] = {"1", "America/Denver", "35.05"};
	const struct frame_declared declared[] = {{"day", FRAME_DAY}, {"energy", FRAME_REAL}};
	struct frame_builder *b = frame_builder_new("daily", declared, 2, 4000);

	begin(columns, cells, 3);
	for (int64_t i = 0; i < DAILY; i++)
		row(b, solar_iso(arena, NOON / DAY_MS - DAILY + i),
		    200 + 60 * sin((double)i / 40) + 30 * sin((double)i * 1.3));
	add(b, "daily");
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void time_it(const char *what, void (*make)(void),
		    void (*run)(struct result *, struct arena *))
{
	int64_t us[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++) {
		make();
		us[i] = clock_mono_us();
		run(r, arena);
		us[i] = clock_mono_us() - us[i];
		result_free_frames(r);
	}
	qsort(us, ROUNDS, sizeof(*us), ascending);
	printf("%-40s median %.2f ms, worst %.2f ms\n", what, (double)us[ROUNDS / 2] / 1000,
	       (double)us[ROUNDS - 1] / 1000);
}

int main(void)
{
	time_it("health of 35 days with sensor and peers", health, solar_health);
	time_it("forecast with backtest over 480 days", forecast, solar_forecast);
	arena_free(&arena);
	return 0;
}
