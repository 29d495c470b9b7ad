/*
 * Connects the budget in memory with the usage ledger in the store. Each cost is written to the
 * ledger. While a caller is checked against a limit, the sums of all processes are read again,
 * sooner when the limit is nearly used up.
 */
#include "daemon.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/zone.h"

enum read_state { READ_IDLE, READ_WAITING, READ_RUNNING };

/* State of one tenant. */
struct tenant_spending {
	struct spending *spending;
	const char *tenant;
	uint64_t submitted_count, stored_count; /* rows handed to the store, and rows stored */
	uint64_t required_count; /* number of rows that must be stored before the sums are read */
	enum read_state read_state;
	struct op *op;                                   /* read of the sums */
	uint64_t read_ms;                                /* start of the last read */
	void (*ready)(void *owner, const struct err *e); /* callback of the first read */
	void *owner;
};

struct spending {
	struct daemon *daemon;
	struct tenant_spending *tenants;
	size_t count;
	struct timer *timer;
};

static struct tenant_spending *find_tenant(struct spending *s, const char *tenant)
{
	for (size_t i = 0; s && i < s->count; i++)
		if (strcmp(s->tenants[i].tenant, tenant) == 0)
			return &s->tenants[i];
	return NULL;
}

int64_t spending_wall_ms(void *owner, const char *tenant)
{
	const struct daemon *d = owner;
	const struct zone *z = turn_settings_zone(d->settings.turn, tenant);

	return zone_local_ms(z, clock_now_ms());
}

/* ---- reading ---- */

static void on_sum(void *owner, const struct budget_sum *sum)
{
	struct tenant_spending *t = owner;

	budget_add_sum(t->spending->daemon->budget, t->tenant, sum);
}

/* After a failure the old sums stay in use. */
static void on_sums(void *owner, const struct err *e)
{
	struct tenant_spending *t = owner;
	void (*ready)(void *owner, const struct err *e) = t->ready;

	t->op = NULL;
	t->read_state = READ_IDLE;
	t->ready = NULL;
	if (!e)
		budget_read_end(t->spending->daemon->budget, t->tenant);
	else if (!ready)
		log_warn("spending.stale", "tenant %s: %s", t->tenant, e->text);
	if (ready)
		ready(t->owner, e);
}

static void read_sums(struct tenant_spending *t)
{
	struct daemon *d = t->spending->daemon;
	int64_t now_ms = spending_wall_ms(d, t->tenant);

	t->read_state = READ_RUNNING;
	t->read_ms = loop_now_ms(d->loop);
	budget_read_begin(d->budget, t->tenant, now_ms);
	t->op = store_ledger_sums(d->store, t->tenant, now_ms, on_sum, on_sums, t);
}

/* The sums must include what this process has spent, so the read waits for all rows so far. */
static void read_soon(struct tenant_spending *t)
{
	t->required_count = t->submitted_count;
	t->read_state = READ_WAITING;
	if (t->stored_count >= t->required_count)
		read_sums(t);
}

static bool is_due(const struct tenant_spending *t)
{
	int used_percent;
	uint64_t age_ms = loop_now_ms(t->spending->daemon->loop) - t->read_ms;

	return t->read_state == READ_IDLE &&
	       budget_was_checked(t->spending->daemon->budget, t->tenant, &used_percent) &&
	       (used_percent >= BUDGET_WARN_PERCENT || age_ms >= BUDGET_READ_MS);
}

static void on_timer(void *owner)
{
	struct spending *s = owner;

	for (size_t i = 0; i < s->count; i++)
		if (is_due(&s->tenants[i]))
			read_soon(&s->tenants[i]);
}

/* ---- spending ---- */

static void on_stored(void *owner, const struct err *e)
{
	struct tenant_spending *t = owner;

	(void)e;
	t->stored_count++;
	if (t->read_state == READ_WAITING && t->stored_count >= t->required_count)
		read_sums(t);
}

void spending_entry(void *owner, const struct budget_entry *entry)
{
	struct daemon *d = owner;
	struct tenant_spending *t = find_tenant(d->spending, entry->tenant);

	if (t)
		t->submitted_count++;
	store_ledger_add(d->store, entry, t ? on_stored : NULL, t);
}

/* ---- lifetime ---- */

struct spending *spending_new(struct daemon *d)
{
	struct spending *s = mem_alloc(sizeof(*s));

	s->daemon = d;
	s->count = d->databases.tenant_count;
	s->tenants = mem_alloc((s->count + 1) * sizeof(*s->tenants));
	for (size_t i = 0; i < s->count; i++)
		s->tenants[i] = (struct tenant_spending){.spending = s,
							 .tenant = d->databases.tenant_ids[i]};
	return s;
}

void spending_begin(struct spending *s, const char *tenant,
		    void (*ready)(void *owner, const struct err *e), void *owner)
{
	struct tenant_spending *t = find_tenant(s, tenant);

	t->ready = ready;
	t->owner = owner;
	read_sums(t);
}

void spending_start(struct spending *s)
{
	if (!s || s->timer || !s->daemon->llm || !budget_has_limits(s->daemon->budget))
		return;
	s->timer = timer_new(s->daemon->loop, on_timer, s);
	timer_repeat(s->timer, BUDGET_READ_SOON_MS);
}

void spending_reread(struct spending *s)
{
	for (size_t i = 0; s && i < s->count; i++)
		if (s->tenants[i].read_state == READ_IDLE)
			read_soon(&s->tenants[i]);
}

void spending_stop(struct spending *s)
{
	if (!s)
		return;
	timer_free(&s->timer);
	for (size_t i = 0; i < s->count; i++) {
		op_cancel(&s->tenants[i].op);
		s->tenants[i].read_state = READ_IDLE; /* rows in progress start no read */
	}
}

void spending_free(struct spending **spending)
{
	struct spending *s = *spending;

	*spending = NULL;
	if (!s)
		return;
	spending_stop(s);
	mem_free(s->tenants);
	mem_free(s);
}
