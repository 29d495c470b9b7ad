/*
 * Serving: the port opens when every store is ready, SIGHUP loads the catalogue anew, SIGTERM
 * drains. Running turns are stored before the process ends.
 */
#include "daemon.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "vesper/catalog.h"
#include "vesper/health.h"
#include "vesper/log.h"

#define STOP_WAIT_MS 10000 /* running turns are stored and sockets closed by then */

static void on_hangup(void *owner, int signum)
{
	struct daemon *d = owner;
	struct turn_knowledge k;
	struct err e = {0};

	(void)signum;
	if (!daemon_load_knowledge(d, &k, &e) || !daemon_use_knowledge(d, &k, &e)) {
		log_error("catalog.refused", "the old one keeps serving: %s", e.text);
		return;
	}
	log_info("catalog.loaded", "%zu tools, %.12s", k.catalog->tool_count, k.catalog->hash);
	know_refresh_use(d->names, k.know);
}

/* ---- stopping ---- */

static void on_transport_drained(void *owner)
{
	struct daemon *d = owner;

	loop_stop(d->loop);
}

static void on_turns_drained(void *owner)
{
	struct daemon *d = owner;

	if (!d->stopping)
		return;
	transport_drain(d->transport, on_transport_drained, d);
}

static void on_drain_too_slow(void *owner)
{
	struct daemon *d = owner;

	log_warn("daemon.stop", "gave up waiting after %d ms", STOP_WAIT_MS);
	loop_stop(d->loop);
}

/* The first signal drains; a second one ends at once. */
static void on_stop_signal(void *owner, int signum)
{
	struct daemon *d = owner;

	if (!d->transport) {
		loop_stop(d->loop); /* nothing was served yet */
		return;
	}
	if (d->stopping) {
		log_warn("daemon.stop", "second signal %d: ending at once", signum);
		_exit(1);
	}
	d->stopping = true;
	log_info("daemon.stop", "draining %zu turns", turns_running(d->turns));
	health_draining(true);
	timer_start(d->drain_timer, STOP_WAIT_MS);
	turns_drain(d->turns, on_turns_drained, d);
}

/* ---- starting ---- */

/* The start can't go on: the loop ends, and serve says why. */
static void give_up(struct daemon *d, const struct err *e)
{
	if (d->failure.code == ERR_NONE)
		d->failure = *e;
	loop_stop(d->loop);
}

/* One tenant's store is ready, or is not; the port opens when all of them are. */
static void on_prepared(void *owner, const struct err *e)
{
	struct daemon *d = owner;
	struct err problem = {0};

	if (e)
		give_up(d, e);
	if (--d->preparing > 0 || d->failure.code != ERR_NONE || d->stopping)
		return;
	if (!daemon_listen(d, &problem))
		give_up(d, &problem);
}

struct prepare_tenant {
	struct daemon *daemon;
	const char *tenant;
	const char *file;
};

static void on_migrated(void *owner, const struct err *e)
{
	struct prepare_tenant *p = owner;

	if (e) {
		struct err named = *e;

		err_prefix(&named, "%s", p->file);
		on_prepared(p->daemon, &named);
	} else {
		store_close_orphans(p->daemon->store, p->tenant, on_prepared, p->daemon);
	}
}

/* Each tenant's store is brought to the newest schema; turns that a killed process left open are
 * closed. */
static void prepare_stores(struct daemon *d)
{
	d->preparing = d->tenant_count;
	for (size_t i = 0; i < d->tenant_count; i++) {
		struct prepare_tenant *p = arena_alloc(d->arena, sizeof(*p));

		*p = (struct prepare_tenant){d, d->tenant_ids[i], d->store_tenants[i].file};
		store_migrate(d->store, p->tenant, on_migrated, p);
	}
}

static void start(struct daemon *d)
{
	d->drain_timer = timer_new(d->loop, on_drain_too_slow, d);
	d->term = signal_watch_new(d->loop, SIGTERM, on_stop_signal, d);
	d->interrupt = signal_watch_new(d->loop, SIGINT, on_stop_signal, d);
	d->hangup = signal_watch_new(d->loop, SIGHUP, on_hangup, d);
	db_watch(d->warehouse);
	db_watch(d->stored);
	d->names = know_refresh_new(d->loop, d->warehouse, d->tenant_ids);
	know_refresh_use(d->names, turns_knowledge(d->turns)->know);
	prepare_stores(d);
}

int daemon_serve(struct daemon *d)
{
	if (daemon_build(d, &d->failure)) {
		start(d);
		loop_run(d->loop);
	}
	if (d->failure.code != ERR_NONE) {
		fprintf(stderr, "vesperd: %s\n", d->failure.text);
		return 1;
	}
	log_info("daemon.stop", "bye");
	return 0;
}
