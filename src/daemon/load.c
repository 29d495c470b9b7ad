/*
 * Periodically measures the load: how late the loop is, how long requests wait for a database, and
 * what running turns occupy. New turns get the result before they start any work.
 */
#include "daemon.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "vesper/overload.h"

#define CHECK "overload"

struct load_watch {
	struct daemon *daemon;
	struct timer *timer;
	int64_t due_ms;
	struct overload overload;
	bool is_overloaded;
};

static int64_t longest_wait_ms(const struct daemon *d)
{
	int64_t longest = db_waited_ms(d->store_db);

	for (size_t i = 0; i < d->sources.table.count; i++) {
		int64_t waited =
			d->sources.databases[i] ? db_waited_ms(d->sources.databases[i]) : 0;

		if (waited > longest)
			longest = waited;
	}
	return longest;
}

static void set_metrics(const struct overload *overload)
{
	static const struct metric percent = {
		.name = "vesper_load_percent",
		.help = "Load as a share of the limit at which questions are refused.",
		.kind = METRIC_GAUGE,
		.labels = {"signal"},
	};

	for (int s = 0; s < OVERLOAD_SIGNALS; s++) {
		enum overload_signal signal = (enum overload_signal)s;

		metric_set(&percent, (const char *const[]){overload_signal_name(signal)},
			   overload_percent(overload, signal));
	}
}

static void report(struct load_watch *w, struct load load)
{
	bool is_overloaded = load.percent > 100;

	turns_set_load(w->daemon->turns, load);
	if (is_overloaded)
		health_set(CHECK, HEALTH_OPTIONAL, HEALTH_DEGRADED, "%s: %u%% of the limit",
			   overload_signal_name(load.of), load.percent);
	else if (w->is_overloaded)
		health_set(CHECK, HEALTH_OPTIONAL, HEALTH_OK, "new questions are accepted");
	w->is_overloaded = is_overloaded;
}

static void on_tick(void *owner)
{
	struct load_watch *w = owner;
	int64_t now = clock_mono_ms();
	const int64_t values[OVERLOAD_SIGNALS] = {
		[OVERLOAD_LOOP] = now > w->due_ms ? now - w->due_ms : 0,
		[OVERLOAD_QUEUE] = longest_wait_ms(w->daemon),
		[OVERLOAD_LOGS] = (int64_t)stream_live_bytes(w->daemon->streams),
	};

	overload_add_sample(&w->overload, values);
	set_metrics(&w->overload);
	report(w, overload_now(&w->overload));
	w->due_ms = now + OVERLOAD_EVERY_MS;
	timer_start(w->timer, OVERLOAD_EVERY_MS);
}

struct load_watch *load_watch_new(struct daemon *d)
{
	int64_t window_ms = config_int(d->config, "limits.shed_ms");
	struct load_watch *w;

	if (window_ms == 0)
		return NULL;
	w = mem_alloc(sizeof(*w));
	*w = (struct load_watch){
		.daemon = d,
		.overload = {.bounds = {[OVERLOAD_LOOP] = OVERLOAD_LOOP_MS,
					[OVERLOAD_QUEUE] = OVERLOAD_QUEUE_MS,
					[OVERLOAD_LOGS] = OVERLOAD_LOG_BYTES},
			     .window = (size_t)(window_ms / OVERLOAD_EVERY_MS)},
		.due_ms = clock_mono_ms() + OVERLOAD_EVERY_MS,
	};
	w->timer = timer_new(d->loop, on_tick, w);
	timer_start(w->timer, OVERLOAD_EVERY_MS);
	health_set(CHECK, HEALTH_OPTIONAL, HEALTH_OK, "new questions are accepted");
	return w;
}

void load_watch_free(struct load_watch **w)
{
	if (!*w)
		return;
	timer_free(&(*w)->timer);
	mem_free(*w);
	*w = NULL;
}
