/* The contract, held by the memory driver: answers from the loop, lives by the clock, bounds, and
 * tenants that never meet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cache_int.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

static struct loop *loop;
static struct cache *cache;
static int answers;
static char got[64];
static size_t got_len;
static bool found, locked;

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	clock_freeze_ms(1000000);
	assert_true(loop_new(&loop, &e));
	cache = cache_memory_new(loop);
	answers = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cache_free(&cache);
	assert_null(cache);
	loop_free(&loop);
	clock_release();
	return 0;
}

static void on_value(void *owner, struct str value)
{
	(void)owner;
	answers++;
	found = value.p != NULL;
	got_len = value.n;
	if (found)
		memcpy(got, value.p, value.n < sizeof(got) ? value.n : sizeof(got));
}

static void on_lock(void *owner, bool yes)
{
	(void)owner;
	answers++;
	locked = yes;
}

static struct cache_key key(const char *tenant, const char *name)
{
	return (struct cache_key){tenant, name};
}

static bool get(const char *tenant, const char *name)
{
	answers = 0;
	cache_get(cache, key(tenant, name), on_value, NULL);
	assert_int_equal(answers, 0); /* never from inside */
	loop_turn(loop);
	assert_int_equal(answers, 1);
	return found;
}

static bool lock(const char *name, const char *token, int64_t ttl_ms)
{
	answers = 0;
	cache_lock(cache, key("acme", name), token, ttl_ms, on_lock, NULL);
	assert_int_equal(answers, 0);
	loop_turn(loop);
	assert_int_equal(answers, 1);
	return locked;
}

static void keeps_bytes_for_a_while(void **state)
{
	(void)state;
	assert_false(get("acme", "a"));
	cache_set(cache, key("acme", "a"), "x\0y", 3, 5000);
	assert_true(get("acme", "a"));
	assert_int_equal(got_len, 3);
	assert_memory_equal(got, "x\0y", 3);
	clock_advance_ms(4999);
	assert_true(get("acme", "a"));
	clock_advance_ms(1); /* reading does not prolong */
	assert_false(get("acme", "a"));
}

static void an_empty_value_is_a_value(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), NULL, 0, 5000);
	assert_true(get("acme", "a"));
	assert_int_equal(got_len, 0);
}

static void setting_replaces_and_removing_removes(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "old", 3, 5000);
	cache_set(cache, key("acme", "a"), "newer", 5, 9000);
	clock_advance_ms(6000);
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "newer", 5);
	cache_remove(cache, key("acme", "a"));
	assert_false(get("acme", "a"));
	cache_remove(cache, key("acme", "a"));
}

static void tenants_never_meet(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a:b"), "1", 1, 5000);
	assert_false(get("globex", "a:b"));
	assert_false(get("acmea", ":b"));
	assert_false(get("acme:a", "b"));
	cache_remove(cache, key("globex", "a:b"));
	assert_true(get("acme", "a:b"));
}

static void cancelling_ends_it(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "1", 1, 5000);
	struct op *op = cache_get(cache, key("acme", "a"), on_value, NULL);
	struct op *lock_op = cache_lock(cache, key("acme", "a"), "t", 10, on_lock, NULL);
	op_cancel(&op);
	op_cancel(&lock_op);
	loop_turn(loop);
	assert_int_equal(answers, 0);
}

/* Whoever is given a value may change the cache meanwhile. */
static void on_value_that_removes(void *owner, struct str value)
{
	(void)owner;
	cache_remove(cache, key("acme", "a"));
	cache_set(cache, key("acme", "a"), "other", 5, 10);
	answers++;
	assert_int_equal(value.n, 5);
	assert_memory_equal(value.p, "first", 5);
}

static void a_value_outlives_its_place(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "first", 5, 5000);
	cache_get(cache, key("acme", "a"), on_value_that_removes, NULL);
	cache_remove(cache, key("acme", "a"));
	loop_turn(loop);
	assert_int_equal(answers, 1);
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "other", 5);
}

static void a_value_has_a_largest_size(void **state)
{
	(void)state;
	char *large = mem_alloc(CACHE_VALUE_BYTES_MAX + 1);

	cache_set(cache, key("acme", "a"), large, CACHE_VALUE_BYTES_MAX, 5000);
	assert_true(get("acme", "a"));
	cache_set(cache, key("acme", "a"), large, CACHE_VALUE_BYTES_MAX + 1, 5000);
	assert_false(get("acme", "a")); /* nor what stood there before */
	mem_free(large);
}

static void the_longest_unused_go_first(void **state)
{
	(void)state;
	char *large = mem_alloc(CACHE_VALUE_BYTES_MAX);
	int fit = CACHE_BYTES_MAX / CACHE_VALUE_BYTES_MAX;
	char name[16];

	for (int i = 0; i < fit; i++) {
		snprintf(name, sizeof(name), "%d", i);
		cache_set(cache, key("acme", name), large, CACHE_VALUE_BYTES_MAX - 1024, 5000);
	}
	assert_true(get("acme", "0"));
	cache_set(cache, key("acme", "more"), large, CACHE_VALUE_BYTES_MAX, 5000);
	assert_true(get("acme", "0"));
	assert_false(get("acme", "1"));
	assert_true(get("acme", "2"));
	mem_free(large);
}

static void entries_are_bounded(void **state)
{
	(void)state;
	char name[16];

	for (int i = 0; i <= CACHE_ENTRIES_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		cache_set(cache, key("acme", name), "1", 1, 5000);
	}
	assert_false(get("acme", "0"));
	assert_true(get("acme", "1"));
	assert_true(get("acme", name));
}

static void a_lock_has_one_owner(void **state)
{
	(void)state;
	assert_true(lock("a", "mine", 5000));
	assert_false(lock("a", "yours", 5000));
	assert_true(lock("b", "yours", 5000));
	cache_unlock(cache, key("acme", "a"), "yours");
	assert_false(lock("a", "yours", 5000));
	cache_unlock(cache, key("acme", "a"), "mine");
	assert_true(lock("a", "yours", 5000));
	cache_unlock(cache, key("acme", "none"), "mine");
}

static void a_lock_ends_by_itself_and_is_prolonged(void **state)
{
	(void)state;
	assert_true(lock("a", "mine", 5000));
	clock_advance_ms(4000);
	assert_true(lock("a", "mine", 5000));
	clock_advance_ms(4000);
	assert_false(lock("a", "yours", 5000));
	clock_advance_ms(1000);
	assert_true(lock("a", "yours", 5000));
	cache_unlock(cache, key("acme", "a"), "mine"); /* too late: it is another's */
	assert_false(lock("a", "mine", 5000));
}

static void locks_and_values_never_meet(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "mine", 4, 5000);
	assert_true(lock("a", "yours", 5000));
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "mine", 4);
	cache_remove(cache, key("acme", "a"));
	assert_false(lock("a", "mine", 5000));
}

static void held_locks_are_never_pushed_out(void **state)
{
	(void)state;
	char name[16];

	for (int i = 0; i < CACHE_LOCKS_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		assert_true(lock(name, "mine", i == 7 ? 1000 : 5000));
	}
	assert_false(lock("more", "mine", 5000));
	assert_true(lock("0", "mine", 5000));
	clock_advance_ms(1000);
	assert_true(lock("more", "mine", 5000)); /* in the place of the one that is over */
	assert_false(lock("0", "yours", 5000));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(keeps_bytes_for_a_while),
		TEST(an_empty_value_is_a_value),
		TEST(setting_replaces_and_removing_removes),
		TEST(tenants_never_meet),
		TEST(cancelling_ends_it),
		TEST(a_value_outlives_its_place),
		TEST(a_value_has_a_largest_size),
		TEST(the_longest_unused_go_first),
		TEST(entries_are_bounded),
		TEST(a_lock_has_one_owner),
		TEST(a_lock_ends_by_itself_and_is_prolonged),
		TEST(locks_and_values_never_meet),
		TEST(held_locks_are_never_pushed_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
