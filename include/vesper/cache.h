/*
 * A cache: opaque bytes under a key for a limited time. Entries may disappear at any time, and a
 * failing cache only misses: no answer depends on it.
 *
 * Store only data that may be as old as its time to live. A removal can be lost while the back end
 * is unavailable, so nothing may depend on a removal. Sessions are therefore read from the store,
 * where one indexed query returns the current state.
 *
 * A key is a tenant and a name. No key exists without a tenant, so no caller can read another
 * tenant's entries. Names are made by code (a hash where they depend on user input).
 *
 * The interface is asynchronous, since a driver may use another machine: callbacks run from the
 * loop, never before the starting function has returned. Loop thread only. All arguments are
 * copied.
 */
#ifndef VESPER_CACHE_H
#define VESPER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/str.h"

struct cache;

struct cache_key {
	const char *tenant;
	const char *name; /* "tool:<hash>": begins with the kind of the entry */
};

/* The bytes are valid during the callback only; value.p is NULL on a miss. */
typedef void (*cache_value_cb)(void *owner, struct str value);
typedef void (*cache_lock_cb)(void *owner, bool locked);
typedef void (*cache_confirmed_cb)(void *owner, bool kept);

/* State of token buckets after a request. A bucket holds at most `most` tokens; an empty one
 * refills evenly within full_ms. */
#define CACHE_BUCKETS_MAX 2
struct cache_consume {
	bool counted;  /* false: no reply; all other members are meaningless */
	bool consumed; /* one token was taken from each bucket; false: one was empty, none taken */
	double left[CACHE_BUCKETS_MAX];
};
typedef void (*cache_consume_cb)(void *owner, const struct cache_consume *consumed);

/* A back end. It gets full keys (the tenant, a NUL byte, the name) and must keep the contract
 * above; times to live and lengths are checked before. */
struct cache_driver {
	const char *name;
	struct op *(*get)(void *self, struct str key, cache_value_cb cb, void *owner);
	void (*set)(void *self, struct str key, struct str value, int64_t ttl_ms);
	void (*remove)(void *self, struct str key);
	struct op *(*set_confirmed)(void *self, struct str key, struct str value, int64_t ttl_ms,
				    cache_confirmed_cb cb, void *owner);
	struct op *(*get_delete)(void *self, struct str key, cache_value_cb cb, void *owner);
	struct op *(*consume)(void *self, const struct str *keys, const int64_t *most, size_t count,
			      int64_t full_ms, cache_consume_cb cb, void *owner);
	struct op *(*lock)(void *self, struct str key, struct str token, int64_t ttl_ms,
			   cache_lock_cb cb, void *owner);
	void (*unlock)(void *self, struct str key, struct str token);
	void (*close)(void *self);
};

/* Takes ownership of `self`, which is closed with the cache. */
struct cache *cache_from_driver(const struct cache_driver *driver, void *self);

/* A cache in this process, bounded in bytes and entries (limits.h). Evicts the least recently used
 * entry of the tenant that uses most. */
struct cache *cache_memory_new(struct loop *l);

struct cache_redis_options {
	const char *url;    /* redis://[[user]:password@]host[:port][/db] or unix:///path[?db=N] */
	int64_t timeout_ms; /* wait budget; at most REDIS_WAIT_BUDGET_MAX_MS */
	/* Shared by all replicas that use the Redis, unknown to the Redis itself. NULL or "":
	 * values of other processes, and of this one before its start, miss. Copied. */
	const char *secret;
};

/*
 * A cache in a Redis, shared by all processes that use the same database. It never waits for a
 * connection: without one, or without a reply in time (limits.h), all reads miss and no lock is
 * granted. Writers to that Redis are not trusted. Values carry an HMAC under `secret` over key,
 * expiry and bytes. So values that are truncated, forged, moved to another key, of another version
 * or expired also miss. Health check "redis", not required. ERR_INPUT: the URL is invalid. An
 * unavailable Redis is not an error.
 */
MUST_CHECK bool cache_redis_new(struct loop *l, const struct cache_redis_options *o,
				struct cache **out, struct err *e);

/* After op_cancel the callback never runs. */
struct op *cache_get(struct cache *c, struct cache_key key, cache_value_cb cb, void *owner);
/* Replaces the value. A value larger than CACHE_VALUE_BYTES_MAX is not stored, and the old value is
 * removed. */
void cache_set(struct cache *c, struct cache_key key, const void *value, size_t len,
	       int64_t ttl_ms);
void cache_remove(struct cache *c, struct cache_key key);

/* As cache_set, for at most CACHE_VALUE_BYTES_MAX bytes, but reports whether the value is stored.
 * False may also mean that the result is unknown. */
struct op *cache_set_confirmed(struct cache *c, struct cache_key key, const void *value, size_t len,
			       int64_t ttl_ms, cache_confirmed_cb cb, void *owner);
/* Gets and removes in one step: of concurrent callers, only one gets the value. If the operation is
 * cancelled or its reply lost, the value may still be removed. */
struct op *cache_get_delete(struct cache *c, struct cache_key key, cache_value_cb cb, void *owner);

/* Takes one token from each bucket, or from none. Keys of buckets, values and locks are separate.
 * An unused bucket is full. */
struct cache_bucket {
	struct cache_key key;
	int64_t capacity;
};
struct op *cache_consume(struct cache *c, const struct cache_bucket *buckets, size_t count,
			 int64_t full_ms, cache_consume_cb cb, void *owner);

/*
 * A lock under a key; keys of locks, values and buckets are separate. `token` identifies the holder
 * and must not be guessable. The lock expires after ttl_ms; locking again with the same token
 * extends it. Unlocking with another token does nothing. If the operation is cancelled or its reply
 * lost, the lock may still be held until it expires.
 */
struct op *cache_lock(struct cache *c, struct cache_key key, const char *token, int64_t ttl_ms,
		      cache_lock_cb cb, void *owner);
void cache_unlock(struct cache *c, struct cache_key key, const char *token);

/* All operations must have ended or be cancelled. */
void cache_free(struct cache **c); /* *c may be NULL */

#endif
