/*
 * Shared by the tests of all drivers: one cache, and helpers that wait for one operation.
 */
#ifndef CACHE_TEST_H
#define CACHE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "vesper/cache.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

static struct loop *loop;
static struct cache *cache;
static int answers;
static char got[64];
static size_t got_len;
static bool found, locked;
static int value_count;
static struct cache_consume bucket_state;

static inline void on_value(void *owner, struct str value)
{
	(void)owner;
	answers++;
	found = value.p != NULL;
	got_len = value.n;
	if (found)
		memcpy(got, value.p, value.n < sizeof(got) ? value.n : sizeof(got));
}

static inline void on_lock(void *owner, bool yes)
{
	(void)owner;
	answers++;
	locked = yes;
}

static inline void on_counted_value(void *owner, struct str value)
{
	(void)owner;
	answers++;
	value_count += value.p != NULL;
}

static inline void on_consumed(void *owner, const struct cache_consume *d)
{
	(void)owner;
	answers++;
	bucket_state = *d;
}

static inline struct cache_key key(const char *tenant, const char *name)
{
	return (struct cache_key){tenant, name};
}

/* Runs the loop until `count` callbacks ran. */
static inline void wait_for(int count)
{
	for (int i = 0; answers < count; i++) {
		if (i == 20000)
			fail_msg("no callback");
		loop_run_once(loop);
		if (answers < count)
			usleep(500);
	}
	assert_int_equal(answers, count);
}

static inline bool get(const char *tenant, const char *name)
{
	answers = 0;
	cache_get(cache, key(tenant, name), on_value, NULL);
	assert_int_equal(answers, 0); /* never inside the call */
	wait_for(1);
	return found;
}

static inline bool lock(const char *name, const char *token, int64_t ttl_ms)
{
	answers = 0;
	cache_lock(cache, key("acme", name), token, ttl_ms, on_lock, NULL);
	assert_int_equal(answers, 0);
	wait_for(1);
	return locked;
}

static inline bool set_confirmed(const char *name, const char *value, size_t len, int64_t ttl_ms)
{
	answers = 0;
	cache_set_confirmed(cache, key("acme", name), value, len, ttl_ms, on_lock, NULL);
	assert_int_equal(answers, 0);
	wait_for(1);
	return locked;
}

/* Consumes from one token bucket, or from two. An empty bucket is full after a minute. */
static inline bool consume(const char *name, int64_t most, const char *second, int64_t second_most)
{
	const struct cache_bucket buckets[] = {{key("acme", name), most},
					       {key("acme", second), second_most}};

	answers = 0;
	cache_consume(cache, buckets, second ? 2 : 1, 60000, on_consumed, NULL);
	assert_int_equal(answers, 0);
	wait_for(1);
	assert_true(bucket_state.counted);
	return bucket_state.consumed;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
