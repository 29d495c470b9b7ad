/*
 * Health of each tenant's database: one probe at the start, then the outcome of ordinary queries
 * tells, and those that are down are probed again every few seconds.
 */
#include "db_int.h"

#include "vesper/health.h"
#include "vesper/limits.h"

/* Trouble with the database itself, not with one statement. */
static bool is_down(const struct err *e)
{
	return e && (e->code == ERR_UPSTREAM || e->code == ERR_INPUT);
}

static void health_say(struct tenant *t, const struct err *e)
{
	/* Chats need their store; without a warehouse other tenants and other questions go on. */
	bool required = !t->source->read_only;

	t->down = e != NULL;
	if (e)
		health_set(t->check, required, HEALTH_DOWN, "%s", e->text);
	else
		health_set(t->check, required, HEALTH_OK, "connected");
}

void db_watch_note(struct tenant *t, const struct err *e)
{
	if (!t->watched)
		return;
	if (is_down(e))
		health_say(t, e);
	else if (t->down && !e)
		health_say(t, NULL);
}

static void on_probe(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct tenant *t = owner;

	(void)tables;
	(void)count;
	t->probing = false;
	if (e && e->code == ERR_CANCELLED)
		return; /* the database is closing */
	health_say(t, e);
}

static void probe(struct db_pool *p, struct tenant *t)
{
	const struct db_request nothing = {.tenant = t->id};
	struct request *r = db_request_new(p, &nothing, on_probe, t);

	t->probing = true;
	r->tenant = t;
	r->work->probe = true;
	db_pool_submit(p, r);
}

static void on_watch(void *owner)
{
	struct db_pool *p = owner;

	/* While the whole source is away one tenant is enough to see that it is back. */
	for (size_t i = 0; i < p->tenant_count && !db_breaker_waits(p); i++)
		if (p->tenants[i].down && !p->tenants[i].probing)
			probe(p, &p->tenants[i]);
}

void db_pool_watch(struct db_pool *p)
{
	if (p->watch)
		return;
	p->watch = timer_new(p->loop, on_watch, p);
	timer_repeat(p->watch, DB_CONNECT_RETRY_MS);
	for (size_t i = 0; i < p->tenant_count; i++) {
		p->tenants[i].watched = true;
		probe(p, &p->tenants[i]);
	}
}
