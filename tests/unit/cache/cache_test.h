/*
 * What the tests of every driver share: one cache, and asking it until it has answered.
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
static int taken;
static struct cache_consume drawn;

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

static inline void on_taken(void *owner, struct str value)
{
	(void)owner;
	answers++;
	taken += value.p != NULL;
}

static inline void on_draw(void *owner, const struct cache_consume *d)
{
	(void)owner;
	answers++;
	drawn = *d;
}

static inline struct cache_key key(const char *tenant, const char *name)
{
	return (struct cache_key){tenant, name};
}

/* Turns the loop until so many answers came: a driver may take its time, but must answer. */
static inline void wait_for(int count)
{
	for (int i = 0; answers < count; i++) {
		if (i == 20000)
			fail_msg("there is no answer");
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
	assert_int_equal(answers, 0); /* never from inside */
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

static inline bool keep(const char *name, const char *value, size_t len, int64_t ttl_ms)
{
	answers = 0;
	cache_set_confirmed(cache, key("acme", name), value, len, ttl_ms, on_lock, NULL);
	assert_int_equal(answers, 0);
	wait_for(1);
	return locked;
}

/* Of one meter, or of two, which are full after a minute. */
static inline bool draw(const char *name, int64_t most, const char *second, int64_t second_most)
{
	const struct cache_bucket meters[] = {{key("acme", name), most},
					      {key("acme", second), second_most}};

	answers = 0;
	cache_consume(cache, meters, second ? 2 : 1, 60000, on_draw, NULL);
	assert_int_equal(answers, 0);
	wait_for(1);
	assert_true(drawn.counted);
	return drawn.consumed;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
