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

enum reading { READ_NOTHING, READ_WAITS, READ_RUNS };

/* State of one tenant. */
struct spent {
	struct spending *spending;
	const char *tenant;
	uint64_t given, kept; /* rows handed to the store, and rows stored */
	uint64_t mark;        /* number of rows that must be stored before the sums are read */
	enum reading reading;
	struct op *op;                                   /* read of the sums */
	uint64_t read_ms;                                /* start of the last read */
	void (*ready)(void *owner, const struct err *e); /* callback of the first read */
	void *owner;
};

struct spending {
	struct daemon *daemon;
	struct spent *tenants;
	size_t count;
	struct timer *timer;
};

static struct spent *spent_of(struct spending *s, const char *tenant)
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
	struct spent *t = owner;

	budget_add_sum(t->spending->daemon->budget, t->tenant, sum);
}

/* After a failure the old sums stay in use. */
static void on_sums(void *owner, const struct err *e)
{
	struct spent *t = owner;
	void (*ready)(void *owner, const struct err *e) = t->ready;

	t->op = NULL;
	t->reading = READ_NOTHING;
	t->ready = NULL;
	if (!e)
		budget_read_end(t->spending->daemon->budget, t->tenant);
	else if (!ready)
		log_warn("spending.stale", "tenant %s: %s", t->tenant, e->text);
	if (ready)
		ready(t->owner, e);
}

static void read_sums(struct spent *t)
{
	struct daemon *d = t->spending->daemon;
	int64_t now_ms = spending_wall_ms(d, t->tenant);

	t->reading = READ_RUNS;
	t->read_ms = loop_now_ms(d->loop);
	budget_read_begin(d->budget, t->tenant, now_ms);
	t->op = store_ledger_sums(d->store, t->tenant, now_ms, on_sum, on_sums, t);
}

/* The sums must include what this process has spent, so the read waits for all rows so far. */
static void read_soon(struct spent *t)
{
	t->mark = t->given;
	t->reading = READ_WAITS;
	if (t->kept >= t->mark)
		read_sums(t);
}

static bool is_due(const struct spent *t)
{
	int used_percent;
	uint64_t age_ms = loop_now_ms(t->spending->daemon->loop) - t->read_ms;

	return t->reading == READ_NOTHING &&
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

static void on_kept(void *owner, const struct err *e)
{
	struct spent *t = owner;

	(void)e;
	t->kept++;
	if (t->reading == READ_WAITS && t->kept >= t->mark)
		read_sums(t);
}

void spending_entry(void *owner, const struct budget_entry *entry)
{
	struct daemon *d = owner;
	struct spent *t = spent_of(d->spending, entry->tenant);

	if (t)
		t->given++;
	store_ledger_add(d->store, entry, t ? on_kept : NULL, t);
}

/* ---- lifetime ---- */

struct spending *spending_new(struct daemon *d)
{
	struct spending *s = mem_alloc(sizeof(*s));

	s->daemon = d;
	s->count = d->databases.tenant_count;
	s->tenants = mem_alloc((s->count + 1) * sizeof(*s->tenants));
	for (size_t i = 0; i < s->count; i++)
		s->tenants[i] = (struct spent){.spending = s, .tenant = d->databases.tenant_ids[i]};
	return s;
}

void spending_begin(struct spending *s, const char *tenant,
		    void (*ready)(void *owner, const struct err *e), void *owner)
{
	struct spent *t = spent_of(s, tenant);

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
		if (s->tenants[i].reading == READ_NOTHING)
			read_soon(&s->tenants[i]);
}

void spending_stop(struct spending *s)
{
	if (!s)
		return;
	timer_free(&s->timer);
	for (size_t i = 0; i < s->count; i++) {
		op_cancel(&s->tenants[i].op);
		s->tenants[i].reading = READ_NOTHING; /* rows in progress start no read */
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
