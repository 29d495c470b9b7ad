/*
 * Health of each tenant's database. There is one probe at the start; then the results of ordinary
 * queries update it, and tenants that are down are probed again every few seconds. Tenants of one
 * server usually fail together, most of them while idle: when one goes down, the others are probed
 * too.
 */
#include "db_int.h"

#include <string.h>

#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/strlist.h"

/* A problem of the database, not of one statement. */
static bool is_down(const struct err *e)
{
	return e && (e->code == ERR_UPSTREAM || e->code == ERR_INPUT);
}

/* Marks the other tenants to be probed, at the next tick or when the running probe ends. */
static void probe_others(struct db_pool *p)
{
	for (size_t i = 0; i < p->tenant_count; i++)
		p->tenants[i].needs_probe |= p->tenants[i].watched && !p->tenants[i].down;
}

static void health_report(struct tenant *t, const struct err *e)
{
	/* Chats need their store; without a warehouse, other questions can still be answered. */
	enum health_need need =
		t->settings->read_only ? HEALTH_OPTIONAL : HEALTH_REQUIRED_BY_TENANT;

	if (e && !t->down && t->settings->dialect->server)
		probe_others(t->pool);
	t->down = e != NULL;
	if (e)
		health_set(t->check, need, HEALTH_DOWN, "%s", e->text);
	else
		health_set(t->check, need, HEALTH_OK, "connected");
}

void db_watch_record(struct tenant *t, const struct err *e)
{
	if (!t->watched)
		return;
	if (is_down(e))
		health_report(t, e);
	else if (t->down && !e)
		health_report(t, NULL);
}

void db_watch_unavailable(struct db_pool *p, const struct err *e)
{
	for (size_t i = 0; i < p->tenant_count; i++)
		db_watch_record(&p->tenants[i], e);
}

static void watch_next(struct db_pool *p);

static void on_probe(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct tenant *t = owner;
	struct db_pool *p = t->pool;

	(void)tables;
	(void)count;
	p->probing = false;
	if (e && e->code == ERR_CANCELLED)
		return; /* the database is closing */
	if (t->watched)
		health_report(t, e);
	if (!p->breaker.open) /* else one probe per tick is enough to notice recovery */
		watch_next(p);
}

static void probe(struct db_pool *p, struct tenant *t)
{
	const struct db_request nothing = {.tenant = t->id};
	struct request *r = db_request_new(p, &nothing, on_probe, t);

	p->probing = true;
	t->needs_probe = false;
	r->tenant = t;
	r->work->probe = true;
	db_pool_submit(p, r);
}

/* Probes one tenant at a time, so that queries can run in between. The tenant probed longest ago
 * comes first. */
static void watch_next(struct db_pool *p)
{
	if (p->closing)
		return;
	for (size_t i = 0; i < p->tenant_count && !p->probing; i++) {
		struct tenant *t = &p->tenants[p->probe_next++ % p->tenant_count];

		if (t->needs_probe)
			probe(p, t);
	}
}

static void on_watch(void *owner)
{
	struct db_pool *p = owner;

	for (size_t i = 0; i < p->tenant_count; i++)
		p->tenants[i].needs_probe |= p->tenants[i].down;
	watch_next(p);
}

static void stop_watching(struct tenant *t)
{
	if (t->watched)
		health_remove(t->check);
	t->watched = t->needs_probe = t->down = false;
}

void db_pool_watch(struct db_pool *p, const char *const *tenants)
{
	if (!p->watch) {
		p->watch = timer_new(p->loop, on_watch, p);
		timer_repeat(p->watch, DB_CONNECT_RETRY_MS);
	}
	for (size_t i = 0; i < p->tenant_count; i++) {
		struct tenant *t = &p->tenants[i];

		if (tenants && !strlist_has(tenants, t->id))
			stop_watching(t);
		else if (!t->watched)
			t->watched = t->needs_probe = true;
	}
	watch_next(p);
}
