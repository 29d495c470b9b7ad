/*
 * Periodic background work: reading the tool switches of each tenant, which another replica
 * may have changed, deleting expired data, and closing turns of dead replicas.
 */
#include "daemon.h"

#include <string.h>

#include "vesper/catalog.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/rounds.h"

/* State of one tenant. Its operations run one after the other. */
struct maintenance_tenant {
	struct maintenance *maintenance;
	const char *tenant;
	struct op *switches_op; /* read of the switches */
	bool needs_reread;      /* the switches changed during the read */
	struct op *retain_op;
	struct op *close_op;                             /* closes orphaned turns */
	int rounds;                                      /* of deleting, in the current hour */
	void (*ready)(void *owner, const struct err *e); /* callback of the first read */
	void *owner;
};

struct maintenance {
	struct daemon *daemon;
	struct maintenance_tenant *tenants;
	struct load_watch *load;
	struct rounds *refresh, *retain;
	struct rounds *silent; /* NULL: no other replica uses the store */
};

static size_t index_of(const struct maintenance_tenant *t)
{
	return (size_t)(t - t->maintenance->tenants);
}

/* ---- switches ---- */

static void read_switches(struct maintenance_tenant *t);

static void on_switches(void *owner, const struct tool_switch *list, size_t count,
			const struct err *e)
{
	struct maintenance_tenant *t = owner;
	struct switch_off *off = mem_alloc((count + 1) * sizeof(*off));
	void (*ready)(void *owner, const struct err *e) = NULL;
	size_t n = 0;

	t->switches_op = NULL;
	if (!t->needs_reread) { /* else the caller waits for the next read */
		ready = t->ready;
		t->ready = NULL;
	}
	for (size_t i = 0; i < count; i++)
		if (!list[i].enabled)
			off[n++] = (struct switch_off){list[i].agent, list[i].tool};
	if (e)
		log_warn("switches.stale", "tenant %s: %s", t->tenant, e->text);
	else if (!t->needs_reread) /* the result may be older than the change */
		switches_set(t->maintenance->daemon->switches, t->tenant, off, n);
	mem_free(off);
	if (ready)
		ready(t->owner, e);
	if (t->needs_reread)
		read_switches(t);
	rounds_end(t->maintenance->refresh, index_of(t));
}

static void read_switches(struct maintenance_tenant *t)
{
	t->needs_reread = t->switches_op != NULL;
	if (!t->switches_op)
		t->switches_op =
			store_switches(t->maintenance->daemon->store, t->tenant, on_switches, t);
}

static bool refresh_begin(void *owner, size_t i)
{
	struct maintenance *m = owner;
	struct maintenance_tenant *t = &m->tenants[i];

	if (t->switches_op)
		return false;
	read_switches(t);
	return true;
}

static struct maintenance_tenant *find_tenant(struct maintenance *m, const char *tenant)
{
	for (size_t i = 0; i < m->daemon->databases.tenant_count; i++)
		if (strcmp(m->tenants[i].tenant, tenant) == 0)
			return &m->tenants[i];
	return NULL;
}

void maintenance_begin(struct maintenance *m, const char *tenant,
		       void (*ready)(void *owner, const struct err *e), void *owner)
{
	struct maintenance_tenant *t = find_tenant(m, tenant);

	t->ready = ready;
	t->owner = owner;
	read_switches(t);
}

void maintenance_switched(void *owner, const char *tenant, const struct tool_switch *change)
{
	struct maintenance *m = owner;
	struct maintenance_tenant *t = find_tenant(m, tenant);

	if (!t)
		return;
	switches_set_one(m->daemon->switches, tenant,
			 &(struct switch_off){change->agent, change->tool}, !change->enabled);
	t->needs_reread = t->switches_op != NULL;
}

/* ---- retention ---- */

static void start_retention(struct maintenance_tenant *t);

static void on_retained(void *owner, bool more, const struct err *e)
{
	struct maintenance_tenant *t = owner;

	t->retain_op = NULL;
	if (e)
		log_warn("retention.failed", "tenant %s: %s", t->tenant, e->text);
	if (!e && more && ++t->rounds < RETAIN_ROUNDS_MAX)
		start_retention(t);
	else
		rounds_end(t->maintenance->retain, index_of(t));
}

static void start_retention(struct maintenance_tenant *t)
{
	struct maintenance *m = t->maintenance;

	t->retain_op = store_retain(m->daemon->store, t->tenant,
				    &m->daemon->settings.store->retention, on_retained, t);
}

static bool retain_begin(void *owner, size_t i)
{
	struct maintenance *m = owner;

	m->tenants[i].rounds = 0;
	start_retention(&m->tenants[i]);
	return true;
}

/* ---- orphaned turns ---- */

static void on_silent_closed(void *owner, const struct err *e)
{
	struct maintenance_tenant *t = owner;

	t->close_op = NULL;
	if (e)
		log_warn("silent.failed", "tenant %s: %s", t->tenant, e->text);
	rounds_end(t->maintenance->silent, index_of(t));
}

static bool silent_begin(void *owner, size_t i)
{
	struct maintenance *m = owner;
	struct maintenance_tenant *t = &m->tenants[i];

	t->close_op = store_close_silent(m->daemon->store, t->tenant, on_silent_closed, t);
	return true;
}

/* ---- lifetime ---- */

struct maintenance *maintenance_new(struct daemon *d)
{
	struct maintenance *m = mem_alloc(sizeof(*m));

	m->daemon = d;
	m->tenants = mem_alloc((d->databases.tenant_count + 1) * sizeof(*m->tenants));
	for (size_t i = 0; i < d->databases.tenant_count; i++)
		m->tenants[i] = (struct maintenance_tenant){.maintenance = m,
							    .tenant = d->databases.tenant_ids[i]};
	m->refresh =
		rounds_new(d->loop, d->databases.tenant_count, STORES_AT_ONCE, refresh_begin, m);
	m->retain = rounds_new(d->loop, d->databases.tenant_count, STORES_AT_ONCE, retain_begin, m);
	m->load = load_watch_new(d);
	if (*config_text(d->config, "cluster.replica"))
		m->silent = rounds_new(d->loop, d->databases.tenant_count, STORES_AT_ONCE,
				       silent_begin, m);
	return m;
}

void maintenance_start(struct maintenance *m)
{
	rounds_start(m->refresh, SWITCHES_REFRESH_MS, false);
	rounds_start(m->retain, RETAIN_EVERY_MS, true);
	if (m->silent)
		rounds_start(m->silent, TURN_SILENT_EVERY_MS, false);
}

void maintenance_free(struct maintenance **maintenance)
{
	struct maintenance *m = *maintenance;

	if (!m)
		return;
	*maintenance = NULL;
	for (size_t i = 0; i < m->daemon->databases.tenant_count; i++) {
		op_cancel(&m->tenants[i].switches_op);
		op_cancel(&m->tenants[i].retain_op);
		op_cancel(&m->tenants[i].close_op);
	}
	rounds_free(&m->refresh);
	rounds_free(&m->retain);
	rounds_free(&m->silent);
	load_watch_free(&m->load);
	mem_free(m->tenants);
	mem_free(m);
}
