/*
 * A cache: opaque bytes under a key, for a while. What is in it may be gone at any time, and a
 * cache that fails is a cache that misses: nobody's answer depends on it.
 *
 * Only what may be as old as its time to live belongs here. A removal can be lost with a back end
 * that is away, so nothing may depend on one: sessions are read from the store, where one indexed
 * query gives what is true, and not from here.
 *
 * A key is a tenant and a name. There is no key without a tenant, so that no caller can read what
 * belongs to another one. Names are made by code (a hash, where users' words go in).
 *
 * Asynchronous by form, since a driver may be another machine: callbacks run from the loop, never
 * before the starting function has returned. Loop thread only. Everything passed is copied.
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
	const char *name; /* "tool:<hash>": opens with the kind of what is kept */
};

/* The bytes are valid during the callback only; value.p is NULL when there is nothing. */
typedef void (*cache_value_cb)(void *owner, struct str value);
typedef void (*cache_lock_cb)(void *owner, bool locked);
typedef void (*cache_kept_cb)(void *owner, bool kept);

/* A meter holds at most `most`; one that is empty is full again after full_ms, filling evenly. */
#define CACHE_METERS_MAX 2
struct cache_draw {
	bool counted; /* false: there was no answer, and nothing else here means anything */
	bool taken;   /* one from each meter; else from none, since one had less */
	double left[CACHE_METERS_MAX];
};
typedef void (*cache_draw_cb)(void *owner, const struct cache_draw *drawn);

/* A back end. It sees whole keys (the tenant, a NUL byte, the name) and keeps the promises above;
 * lives and lengths are checked before. */
struct cache_driver {
	const char *name;
	struct op *(*get)(void *self, struct str key, cache_value_cb cb, void *owner);
	void (*set)(void *self, struct str key, struct str value, int64_t ttl_ms);
	void (*remove)(void *self, struct str key);
	struct op *(*keep)(void *self, struct str key, struct str value, int64_t ttl_ms,
			   cache_kept_cb cb, void *owner);
	struct op *(*take)(void *self, struct str key, cache_value_cb cb, void *owner);
	struct op *(*draw)(void *self, const struct str *keys, const int64_t *most, size_t count,
			   int64_t full_ms, cache_draw_cb cb, void *owner);
	struct op *(*lock)(void *self, struct str key, struct str token, int64_t ttl_ms,
			   cache_lock_cb cb, void *owner);
	void (*unlock)(void *self, struct str key, struct str token);
	void (*close)(void *self);
};

/* Takes `self`, which is closed with the cache. */
struct cache *cache_from_driver(const struct cache_driver *driver, void *self);

/* In this process: bounded in bytes and entries (limits.h); the longest unused of the tenant that
 * has the most goes first. */
struct cache *cache_memory_new(struct loop *l);

struct cache_redis_options {
	const char *url;    /* redis://[[user]:password@]host[:port][/db] or unix:///path[?db=N] */
	int64_t timeout_ms; /* wait budget; at most REDIS_PATIENCE_MAX_MS */
	/* What all processes that share the Redis have, and the Redis has not. NULL or "": values
	 * of other processes, and of this one before its start, miss. Copied. */
	const char *secret;
};

/*
 * In a Redis, shared by every process that uses the same database of it. Never waits for a
 * connection: while there is none, or no answer in time (limits.h), everything misses and no lock
 * is given, at once. Writers to that Redis are not trusted: values carry an HMAC under
 * `secret` over their key, their end and their bytes, so that what is cut, forged, moved to another
 * key, of another version, or there beyond its end misses too. Health check "redis", not required.
 * ERR_INPUT: the address is wrong; a Redis that is away is no error.
 */
MUST_CHECK bool cache_redis_new(struct loop *l, const struct cache_redis_options *o,
				struct cache **out, struct err *e);

/* Cancelling the operation means that the callback never runs. */
struct op *cache_get(struct cache *c, struct cache_key key, cache_value_cb cb, void *owner);
/* Replaces. A value beyond CACHE_VALUE_BYTES_MAX is not kept, and what stood there is gone. */
void cache_set(struct cache *c, struct cache_key key, const void *value, size_t len,
	       int64_t ttl_ms);
void cache_remove(struct cache *c, struct cache_key key);

/* As cache_set, and says whether it is kept. "No" may also mean that nobody knows. */
struct op *cache_keep(struct cache *c, struct cache_key key, const void *value, size_t len,
		      int64_t ttl_ms, cache_kept_cb cb, void *owner);
/* Gets and removes in one step: of all who ask at once, one is given the value. When the answer is
 * cancelled or lost, the value is gone all the same. */
struct op *cache_take(struct cache *c, struct cache_key key, cache_value_cb cb, void *owner);

/* Takes one from each meter, or from none (meters, values and locks never meet). A meter that
 * nobody used is full. */
struct cache_meter {
	struct cache_key key;
	int64_t most;
};
struct op *cache_draw(struct cache *c, const struct cache_meter *meters, size_t count,
		      int64_t full_ms, cache_draw_cb cb, void *owner);

/*
 * A lock under a key of its own (values and locks never meet). `token` says whose it is, and is
 * not to be guessed; it ends by itself after ttl_ms. Taking a lock again with the same token
 * prolongs it. Unlocking with another token than the holder's does nothing. When the answer is
 * cancelled or lost, the lock may be held all the same, until its time is over.
 */
struct op *cache_lock(struct cache *c, struct cache_key key, const char *token, int64_t ttl_ms,
		      cache_lock_cb cb, void *owner);
void cache_unlock(struct cache *c, struct cache_key key, const char *token);

/* Every operation must have ended or be cancelled. */
void cache_free(struct cache **c); /* *c may be NULL */

#endif
