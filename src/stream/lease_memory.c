/*
 * Leases in memory: by name, by holder, and by the request (`once`) that acquired them. Request
 * records expire in the order of their leases, so only the oldest are checked for their age.
 */
#include "vesper/lease_memory.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/hashmap.h"
#include "vesper/list.h"
#include "vesper/mem.h"
#include "vesper/op_deferred.h"

struct held_lease {
	struct hashmap_node by_name, by_holder;
	char *name; /* key of tenant and name */
	char holder[UUID_BYTES];
};

struct once_record {
	struct list node;
	struct hashmap_node by_key;
	char *key; /* key of tenant, name and once */
	char holder[UUID_BYTES];
	int64_t until_ms;
};

struct memory {
	struct loop *loop;
	int64_t once_ttl_ms;
	struct hashmap held_by_name, held_by_holder;
	struct hashmap once_by_key;
	struct list once_records; /* oldest first */
	uint64_t last_fence;
	size_t running;
};

/* A lease operation; its result is determined when the loop runs it. */
struct operation {
	struct op_deferred deferred;
	struct memory *memory;
	char *name, *once; /* keys; NULL: not given */
	char holder[UUID_BYTES];
	bool is_acquire, ignore_once;
	lease_cb on_lease;
	lease_found_cb on_found;
	void *owner;
};

static char *name_key(const char *tenant, const char *name)
{
	return mem_printf("%s\x1f%s", tenant, name);
}

/* ---- records ---- */

static void held_free(struct memory *m, struct held_lease *h)
{
	hashmap_remove(&m->held_by_name, &h->by_name);
	hashmap_remove(&m->held_by_holder, &h->by_holder);
	mem_free(h->name);
	mem_free(h);
}

static void once_free(struct memory *m, struct once_record *o)
{
	list_remove(&o->node);
	hashmap_remove(&m->once_by_key, &o->by_key);
	mem_free(o->key);
	mem_free(o);
}

static void once_expire(struct memory *m)
{
	int64_t now = clock_mono_ms();

	list_each_safe(node, &m->once_records) {
		struct once_record *oldest = list_item(node, struct once_record, node);

		if (oldest->until_ms > now)
			return;
		once_free(m, oldest);
	}
}

static struct once_record *once_find(const struct memory *m, const char *key)
{
	struct hashmap_node *node = key ? hashmap_find(&m->once_by_key, str_of(key)) : NULL;

	return node ? hashmap_item(node, struct once_record, by_key) : NULL;
}

static const struct held_lease *held_find(const struct memory *m, const char *name)
{
	struct hashmap_node *node = hashmap_find(&m->held_by_name, str_of(name));

	return node ? hashmap_item(node, struct held_lease, by_name) : NULL;
}

static void once_add(struct memory *m, struct operation *q)
{
	struct once_record *o = once_find(m, q->once);

	if (o)
		once_free(m, o);
	o = mem_alloc(sizeof(*o));
	o->key = q->once;
	q->once = NULL;
	memcpy(o->holder, q->holder, UUID_BYTES);
	o->until_ms = clock_mono_ms() + m->once_ttl_ms;
	list_append(&m->once_records, &o->node);
	hashmap_add(&m->once_by_key, &o->by_key, str_of(o->key));
}

/* Also greater than the fencing tokens of earlier processes. */
static uint64_t next_fence(struct memory *m)
{
	uint64_t now_us = (uint64_t)clock_now_ms() * 1000;

	m->last_fence = now_us > m->last_fence ? now_us : m->last_fence + 1;
	return m->last_fence;
}

static void acquire(struct memory *m, struct operation *q, struct lease *out)
{
	struct held_lease *h = mem_alloc(sizeof(*h));

	h->name = q->name;
	q->name = NULL;
	memcpy(h->holder, q->holder, UUID_BYTES);
	hashmap_add(&m->held_by_name, &h->by_name, str_of(h->name));
	hashmap_add(&m->held_by_holder, &h->by_holder, str_of(h->holder));
	if (q->once)
		once_add(m, q);
	out->kind = LEASE_ACQUIRED;
	out->fence = next_fence(m);
	memcpy(out->holder, h->holder, UUID_BYTES);
}

static void run_lookup(struct memory *m, struct operation *q, struct lease *out)
{
	const struct once_record *repeat = q->ignore_once ? NULL : once_find(m, q->once);
	const struct held_lease *held = held_find(m, q->name);

	if (repeat) {
		out->kind = LEASE_REPEATED;
		memcpy(out->holder, repeat->holder, UUID_BYTES);
	} else if (held) {
		out->kind = LEASE_HELD;
		memcpy(out->holder, held->holder, UUID_BYTES);
	} else if (q->is_acquire) {
		acquire(m, q, out);
	}
}

/* ---- operations ---- */

static void on_clean(struct op_deferred *deferred)
{
	struct operation *q = list_item(deferred, struct operation, deferred);

	mem_free(q->name);
	mem_free(q->once);
}

static void on_answer(struct op_deferred *deferred)
{
	struct operation *q = list_item(deferred, struct operation, deferred);
	struct lease lease = {.kind = LEASE_UNKNOWN};

	if (!q->on_lease) {
		q->on_found(q->owner, false);
		return;
	}
	once_expire(q->memory);
	run_lookup(q->memory, q, &lease);
	q->on_lease(q->owner, &lease);
}

static struct operation *operation_new(struct memory *m, void *owner)
{
	struct operation *q =
		op_deferred_new(m->loop, sizeof(*q), &m->running, on_answer, on_clean);

	q->memory = m;
	q->owner = owner;
	return q;
}

static struct op *memory_acquire(void *self, const struct lease_request *r, lease_cb cb,
				 void *owner)
{
	struct operation *q = operation_new(self, owner);

	assert(uuid_valid(r->holder));
	q->on_lease = cb;
	q->is_acquire = true;
	q->ignore_once = r->ignore_once;
	q->name = name_key(r->tenant, r->name);
	q->once = r->once ? mem_printf("%s\x1f%s", q->name, r->once) : NULL;
	memcpy(q->holder, r->holder, UUID_BYTES);
	return &q->deferred.op;
}

static struct op *memory_find(void *self, const char *tenant, const char *name, lease_cb cb,
			      void *owner)
{
	struct operation *q = operation_new(self, owner);

	q->on_lease = cb;
	q->name = name_key(tenant, name);
	return &q->deferred.op;
}

/* Notes are not needed: they would be lost with the process, and only a release ends a lease. */
static void memory_note(void *self, const char *holder, const char *member, struct str value)
{
	(void)self;
	(void)holder;
	(void)member;
	(void)value;
}

static void memory_release(void *self, const char *holder)
{
	struct memory *m = self;
	struct hashmap_node *node = hashmap_find(&m->held_by_holder, str_of(holder));

	if (node)
		held_free(m, hashmap_item(node, struct held_lease, by_holder));
}

/* A single process has no other replica to signal. */
static void memory_listen(void *self, lease_signal_cb cb, void *owner)
{
	(void)self;
	(void)cb;
	(void)owner;
}

static struct op *memory_signal(void *self, const struct lease_signal *s, lease_found_cb cb,
				void *owner)
{
	struct operation *q;

	(void)s;
	if (!cb)
		return NULL;
	q = operation_new(self, owner);
	q->on_found = cb;
	return &q->deferred.op;
}

static void memory_close(void *self)
{
	struct memory *m = self;

	assert(m->running == 0);
	hashmap_each(node, &m->held_by_name)
		held_free(m, hashmap_item(node, struct held_lease, by_name));
	list_each_safe(node, &m->once_records)
		once_free(m, list_item(node, struct once_record, node));
	hashmap_deinit(&m->held_by_name);
	hashmap_deinit(&m->held_by_holder);
	hashmap_deinit(&m->once_by_key);
	mem_free(m);
}

static const struct lease_driver memory_driver = {
	.name = "memory",
	.acquire = memory_acquire,
	.find = memory_find,
	.note = memory_note,
	.release = memory_release,
	.listen = memory_listen,
	.signal = memory_signal,
	.close = memory_close,
};

struct leases lease_memory_new(struct loop *l, int64_t once_ttl_ms)
{
	struct memory *m = mem_alloc(sizeof(*m));

	m->loop = l;
	m->once_ttl_ms = once_ttl_ms;
	hashmap_init(&m->held_by_name);
	hashmap_init(&m->held_by_holder);
	hashmap_init(&m->once_by_key);
	list_init(&m->once_records);
	return (struct leases){&memory_driver, m, NULL};
}
