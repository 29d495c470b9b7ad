/* Front end of the cache drivers: builds full keys and checks arguments that are common to all
 * drivers. */
#include "cache_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

struct cache {
	const struct cache_driver *driver;
	void *self;
	struct buf key; /* buffer for the key of the current call */
};

/* A NUL byte separates tenant and name, neither of which contains one. */
static size_t add_key(struct cache *c, struct cache_key key)
{
	size_t at = c->key.n;

	assert(key.tenant && *key.tenant && key.name && *key.name);
	buf_str(&c->key, key.tenant);
	buf_char(&c->key, '\0');
	buf_str(&c->key, key.name);
	assert(!buf_over(&c->key));
	return c->key.n - at;
}

static struct str whole_key(struct cache *c, struct cache_key key)
{
	buf_reset(&c->key);
	add_key(c, key);
	return (struct str){c->key.p, c->key.n};
}

struct cache *cache_from_driver(const struct cache_driver *driver, void *self)
{
	struct cache *c = mem_alloc(sizeof(*c));

	c->driver = driver;
	c->self = self;
	buf_init(&c->key, CACHE_KEY_BYTES_MAX);
	return c;
}

struct op *cache_get(struct cache *c, struct cache_key key, cache_value_cb cb, void *owner)
{
	return c->driver->get(c->self, whole_key(c, key), cb, owner);
}

void cache_set(struct cache *c, struct cache_key key, const void *value, size_t len, int64_t ttl_ms)
{
	assert(ttl_ms > 0);
	if (len > CACHE_VALUE_BYTES_MAX)
		cache_remove(c, key);
	else
		c->driver->set(c->self, whole_key(c, key), (struct str){value, len}, ttl_ms);
}

void cache_remove(struct cache *c, struct cache_key key)
{
	c->driver->remove(c->self, whole_key(c, key));
}

struct op *cache_set_confirmed(struct cache *c, struct cache_key key, const void *value, size_t len,
			       int64_t ttl_ms, cache_confirmed_cb cb, void *owner)
{
	assert(ttl_ms > 0 && len <= CACHE_VALUE_BYTES_MAX);
	return c->driver->set_confirmed(c->self, whole_key(c, key), (struct str){value, len},
					ttl_ms, cb, owner);
}

struct op *cache_get_delete(struct cache *c, struct cache_key key, cache_value_cb cb, void *owner)
{
	return c->driver->get_delete(c->self, whole_key(c, key), cb, owner);
}

struct op *cache_consume(struct cache *c, const struct cache_bucket *buckets, size_t count,
			 int64_t full_ms, cache_consume_cb cb, void *owner)
{
	struct str keys[CACHE_BUCKETS_MAX];
	int64_t most[CACHE_BUCKETS_MAX];
	size_t at = 0;

	assert(count > 0 && count <= CACHE_BUCKETS_MAX && full_ms > 0);
	buf_reset(&c->key);
	for (size_t i = 0; i < count; i++) {
		assert(buckets[i].capacity > 0);
		keys[i].n = add_key(c, buckets[i].key);
		most[i] = buckets[i].capacity;
	}
	for (size_t i = 0; i < count; at += keys[i++].n)
		keys[i].p = c->key.p + at;
	return c->driver->consume(c->self, keys, most, count, full_ms, cb, owner);
}

struct op *cache_lock(struct cache *c, struct cache_key key, const char *token, int64_t ttl_ms,
		      cache_lock_cb cb, void *owner)
{
	assert(ttl_ms > 0 && *token);
	return c->driver->lock(c->self, whole_key(c, key), str_of(token), ttl_ms, cb, owner);
}

void cache_unlock(struct cache *c, struct cache_key key, const char *token)
{
	c->driver->unlock(c->self, whole_key(c, key), str_of(token));
}

void cache_free(struct cache **c)
{
	if (!*c)
		return;
	(*c)->driver->close((*c)->self);
	buf_deinit(&(*c)->key);
	mem_free(*c);
	*c = NULL;
}
