/*
 * Memory driver. Operations are immediate, but callbacks still run from the loop, so that callers
 * see no difference to a remote driver.
 */
#include "cache_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/op_deferred.h"

struct memory {
	struct loop *loop;
	struct entry_map values;
	struct entry_map locks;   /* separate, so that values cannot evict locks */
	struct entry_map buckets; /* likewise */
	size_t running;
};

/* State of a token bucket: tokens left, and when. */
struct token_bucket {
	double left;
	int64_t at_ms;
};

/* An operation: get with the entry found, or another one. */
struct operation {
	struct op_deferred deferred;
	struct entry *found;
	bool result;
	struct cache_consume consumed;
	cache_value_cb on_value;
	cache_lock_cb on_result;
	cache_consume_cb on_consume;
	void *owner;
};

static void on_clean(struct op_deferred *deferred)
{
	struct operation *q = list_item(deferred, struct operation, deferred);

	if (q->found)
		entry_release(q->found);
}

static void on_answer(struct op_deferred *deferred)
{
	struct operation *q = list_item(deferred, struct operation, deferred);

	if (q->on_result)
		q->on_result(q->owner, q->result);
	else if (q->on_consume)
		q->on_consume(q->owner, &q->consumed);
	else
		q->on_value(q->owner, q->found ? entry_value(q->found) : (struct str){NULL, 0});
}

static struct operation *operation_new(struct memory *m, void *owner)
{
	struct operation *q =
		op_deferred_new(m->loop, sizeof(*q), &m->running, on_answer, on_clean);

	q->owner = owner;
	return q;
}

static struct op *memory_get(void *self, struct str key, cache_value_cb cb, void *owner)
{
	struct memory *m = self;
	struct operation *q = operation_new(m, owner);

	q->on_value = cb;
	q->found = entry_map_find(&m->values, key);
	if (q->found)
		entry_retain(q->found);
	return &q->deferred.op;
}

static void memory_set(void *self, struct str key, struct str value, int64_t ttl_ms)
{
	struct memory *m = self;

	/* Values that are too large are not cached. */
	(void)entry_map_set(&m->values, key, value, ttl_ms);
}

static void memory_remove(void *self, struct str key)
{
	struct memory *m = self;

	entry_map_remove(&m->values, key);
}

static struct op *memory_set_confirmed(void *self, struct str key, struct str value, int64_t ttl_ms,
				       cache_confirmed_cb cb, void *owner)
{
	struct memory *m = self;
	struct operation *q = operation_new(m, owner);

	q->on_result = cb;
	q->result = entry_map_set(&m->values, key, value, ttl_ms);
	return &q->deferred.op;
}

static struct op *memory_get_delete(void *self, struct str key, cache_value_cb cb, void *owner)
{
	struct op *op = memory_get(self, key, cb, owner);

	memory_remove(self, key); /* the operation holds the entry found */
	return op;
}

/* ---- token buckets ---- */

static double bucket_tokens_left(struct memory *m, struct str key, int64_t most, int64_t full_ms)
{
	const struct entry *e = entry_map_find(&m->buckets, key);
	struct token_bucket token_bucket;
	double left;

	if (!e)
		return (double)most;
	memcpy(&token_bucket, entry_value(e).p, sizeof(token_bucket));
	left = token_bucket.left +
	       (double)(clock_mono_ms() - token_bucket.at_ms) * (double)most / (double)full_ms;
	return left < (double)most ? left : (double)most;
}

static struct op *memory_consume(void *self, const struct str *keys, const int64_t *most,
				 size_t count, int64_t full_ms, cache_consume_cb cb, void *owner)
{
	struct memory *m = self;
	struct operation *q = operation_new(m, owner);
	struct cache_consume *d = &q->consumed;

	q->on_consume = cb;
	*d = (struct cache_consume){.counted = true, .consumed = true};
	for (size_t i = 0; i < count; i++) {
		d->left[i] = bucket_tokens_left(m, keys[i], most[i], full_ms);
		d->consumed = d->consumed && d->left[i] >= 1;
	}
	for (size_t i = 0; d->consumed && i < count; i++) {
		d->left[i] -= 1;
		const struct token_bucket token_bucket = {d->left[i], clock_mono_ms()};
		struct str bytes = {(const char *)&token_bucket, sizeof(token_bucket)};
		/* If it does not fit, the bucket counts as full. */
		(void)entry_map_set(&m->buckets, keys[i], bytes, full_ms);
	}
	return &q->deferred.op;
}

/* ---- locks ---- */

/* A held lock is never evicted for another one. */
static bool take_lock(struct memory *m, struct str key, struct str token, int64_t ttl_ms)
{
	struct entry *held = entry_map_find(&m->locks, key);

	if (held && !str_eq(entry_value(held), token))
		return false;
	if (!held && m->locks.shares.count >= m->locks.shares.count_max)
		entry_map_sweep(&m->locks);
	if (!held && m->locks.shares.count >= m->locks.shares.count_max)
		return false;
	return entry_map_set(&m->locks, key, token, ttl_ms);
}

static struct op *memory_lock(void *self, struct str key, struct str token, int64_t ttl_ms,
			      cache_lock_cb cb, void *owner)
{
	struct memory *m = self;
	struct operation *q = operation_new(m, owner);

	q->on_result = cb;
	q->result = take_lock(m, key, token, ttl_ms);
	return &q->deferred.op;
}

static void memory_unlock(void *self, struct str key, struct str token)
{
	struct memory *m = self;
	const struct entry *held = entry_map_find(&m->locks, key);

	if (held && str_eq(entry_value(held), token))
		entry_map_remove(&m->locks, key);
}

static void memory_close(void *self)
{
	struct memory *m = self;

	assert(m->running == 0);
	entry_map_deinit(&m->values);
	entry_map_deinit(&m->locks);
	entry_map_deinit(&m->buckets);
	mem_free(m);
}

static const struct cache_driver memory_driver = {
	.name = "memory",
	.get = memory_get,
	.set = memory_set,
	.remove = memory_remove,
	.set_confirmed = memory_set_confirmed,
	.get_delete = memory_get_delete,
	.consume = memory_consume,
	.lock = memory_lock,
	.unlock = memory_unlock,
	.close = memory_close,
};

struct cache *cache_memory_new(struct loop *l)
{
	struct memory *m = mem_alloc(sizeof(*m));

	m->loop = l;
	entry_map_init(&m->values, CACHE_ENTRIES_MAX, CACHE_BYTES_MAX);
	/* Tokens and keys are short, so only the number of entries matters. */
	entry_map_init(&m->locks, CACHE_LOCKS_MAX, CACHE_BYTES_MAX);
	entry_map_init(&m->buckets, TOKEN_BUCKETS_MAX, CACHE_BYTES_MAX);
	return cache_from_driver(&memory_driver, m);
}
