/*
 * Tests that every driver must pass. The including file creates the cache and defines how its time
 * advances, and adds these tests to its list with CONTRACT_TESTS.
 */
#ifndef CACHE_CONTRACT_H
#define CACHE_CONTRACT_H

#include "cache_test.h"

static int set_up(void **state);
static int tear_down(void **state);
static void advance_time(int64_t ms);

static void value_expires(void **state)
{
	(void)state;
	assert_false(get("acme", "a"));
	cache_set(cache, key("acme", "a"), "x\0y", 3, 60000);
	assert_true(get("acme", "a"));
	assert_int_equal(got_len, 3);
	assert_memory_equal(got, "x\0y", 3);
	advance_time(30000);
	assert_true(get("acme", "a"));
	advance_time(30000); /* reading does not extend the lifetime */
	assert_false(get("acme", "a"));
}

static void empty_value_is_a_hit(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), NULL, 0, 60000);
	assert_true(get("acme", "a"));
	assert_int_equal(got_len, 0);
}

static void values_are_replaced_and_removed(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "old", 3, 40000);
	cache_set(cache, key("acme", "a"), "newer", 5, 90000);
	advance_time(60000);
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "newer", 5);
	cache_remove(cache, key("acme", "a"));
	assert_false(get("acme", "a"));
	cache_remove(cache, key("acme", "a"));
}

static void tenants_are_isolated(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a:b"), "1", 1, 60000);
	assert_false(get("globex", "a:b"));
	assert_false(get("acmea", ":b"));
	assert_false(get("acme:a", "b"));
	cache_remove(cache, key("globex", "a:b"));
	assert_true(get("acme", "a:b"));
}

/* The reply to a cancelled operation does not reach the next caller either. */
static void cancelled_operations_get_no_callback(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	answers = 0;
	struct op *op = cache_get(cache, key("acme", "a"), on_value, NULL);
	struct op *lock_op = cache_lock(cache, key("acme", "l"), "t", 60000, on_lock, NULL);
	op_cancel(&op);
	op_cancel(&lock_op);
	assert_false(get("acme", "b"));
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "1", 1);
}

/* A value stays valid in its callback even if the callback changes the cache. */
static void on_value_change_cache(void *owner, struct str value)
{
	(void)owner;
	cache_remove(cache, key("acme", "a"));
	cache_set(cache, key("acme", "a"), "other", 5, 60000);
	answers++;
	assert_int_equal(value.n, 5);
	assert_memory_equal(value.p, "first", 5);
}

static void value_stays_valid_during_callback(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "first", 5, 60000);
	answers = 0;
	cache_get(cache, key("acme", "a"), on_value_change_cache, NULL);
	cache_remove(cache, key("acme", "a"));
	wait_for(1);
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "other", 5);
}

/* On a busy machine a large value takes longer than the wait budget, which is a miss. A new cache
 * has a full budget. */
static bool set_and_get(void **state, const char *value, size_t n)
{
	for (int i = 0; i < 50; i++) {
		cache_set(cache, key("acme", "a"), value, n, 60000);
		if (get("acme", "a"))
			return true;
		tear_down(state);
		set_up(state);
	}
	return false;
}

static void value_size_is_limited(void **state)
{
	char *large = mem_alloc(CACHE_VALUE_BYTES_MAX + 1);

	assert_true(set_and_get(state, large, CACHE_VALUE_BYTES_MAX));
	assert_int_equal(got_len, CACHE_VALUE_BYTES_MAX);
	cache_set(cache, key("acme", "a"), large, CACHE_VALUE_BYTES_MAX + 1, 60000);
	assert_false(get("acme", "a")); /* the previous value was removed */
	mem_free(large);
}

static void lock_has_one_holder(void **state)
{
	(void)state;
	assert_true(lock("a", "mine", 60000));
	assert_false(lock("a", "yours", 60000));
	assert_true(lock("b", "yours", 60000));
	cache_unlock(cache, key("acme", "a"), "yours");
	assert_false(lock("a", "yours", 60000));
	cache_unlock(cache, key("acme", "a"), "mine");
	assert_true(lock("a", "yours", 60000));
	cache_unlock(cache, key("acme", "none"), "mine");
}

static void lock_expires_and_is_extended(void **state)
{
	(void)state;
	assert_true(lock("a", "mine", 60000));
	advance_time(40000);
	assert_true(lock("a", "mine", 60000));
	advance_time(40000);
	assert_false(lock("a", "yours", 60000));
	advance_time(20000);
	assert_true(lock("a", "yours", 60000));
	cache_unlock(cache, key("acme", "a"), "mine"); /* too late: another holder has it */
	assert_false(lock("a", "mine", 60000));
}

static void locks_and_values_are_separate(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "mine", 4, 60000);
	assert_true(lock("a", "yours", 60000));
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "mine", 4);
	cache_remove(cache, key("acme", "a"));
	assert_false(lock("a", "mine", 60000));
}

static void confirmed_value_is_returned_once(void **state)
{
	(void)state;
	assert_true(set_confirmed("a", "x\0y", 3, 60000));
	assert_true(get("acme", "a"));
	answers = 0;
	cache_get_delete(cache, key("acme", "a"), on_value, NULL);
	assert_int_equal(answers, 0);
	wait_for(1);
	assert_true(found);
	assert_memory_equal(got, "x\0y", 3);
	assert_false(get("acme", "a"));
	answers = 0;
	cache_get_delete(cache, key("acme", "a"), on_value, NULL);
	wait_for(1);
	assert_false(found);
	assert_true(set_confirmed("a", "1", 1, 60000));
	advance_time(60000);
	assert_false(get("acme", "a"));
}

static void one_of_concurrent_callers_gets_value(void **state)
{
	(void)state;
	assert_true(set_confirmed("a", "1", 1, 60000));
	answers = value_count = 0;
	for (int i = 0; i < 8; i++)
		cache_get_delete(cache, key("acme", "a"), on_counted_value, NULL);
	wait_for(8);
	assert_int_equal(value_count, 1);
}

/* The value is deleted although the caller gets no callback. */
static void cancelled_get_delete_still_deletes(void **state)
{
	(void)state;
	assert_true(set_confirmed("a", "1", 1, 60000));
	answers = 0;
	struct op *op = cache_get_delete(cache, key("acme", "a"), on_value, NULL);
	struct op *set_op =
		cache_set_confirmed(cache, key("acme", "b"), "1", 1, 60000, on_lock, NULL);
	op_cancel(&op);
	op_cancel(&set_op);
	assert_false(get("acme", "a"));
	assert_true(get("acme", "b"));
}

static void token_bucket_empties_and_refills(void **state)
{
	(void)state;
	assert_true(consume("m", 2, NULL, 0));
	assert_in_range((int)(bucket_state.left[0] * 100), 100, 110);
	assert_true(consume("m", 2, NULL, 0));
	assert_false(consume("m", 2, NULL, 0));
	assert_true(bucket_state.left[0] < 1);
	assert_true(consume("other", 2, NULL, 0));
	cache_set(cache, key("acme", "m"), "1", 1, 60000);
	cache_remove(cache, key("acme", "m"));
	assert_false(consume("m", 2, NULL, 0));
	advance_time(60000);
	assert_true(consume("m", 2, NULL, 0));
	assert_in_range((int)(bucket_state.left[0] * 100), 100, 110);
}

/* If one bucket is empty, the other keeps its tokens. */
static void two_buckets_are_consumed_together_or_not_at_all(void **state)
{
	(void)state;
	assert_true(consume("user", 1, "all", 3));
	assert_false(consume("user", 1, "all", 3));
	assert_in_range((int)(bucket_state.left[1] * 100), 200, 220);
	assert_true(consume("guest", 5, "all", 3));
	assert_true(consume("guest", 5, "all", 3));
	assert_false(consume("guest", 5, "all", 3));
	assert_in_range((int)(bucket_state.left[0] * 100), 300, 330);
}

static void cancelled_consume_still_counts(void **state)
{
	const struct cache_bucket bucket = {key("acme", "m"), 2};

	(void)state;
	answers = 0;
	struct op *op = cache_consume(cache, &bucket, 1, 60000, on_consumed, NULL);
	op_cancel(&op);
	assert_true(consume("m", 2, NULL, 0));
	assert_false(consume("m", 2, NULL, 0)); /* the cancelled one was counted */
}

#define CONTRACT_TESTS                                                                             \
	TEST(value_expires), TEST(empty_value_is_a_hit), TEST(values_are_replaced_and_removed),    \
		TEST(tenants_are_isolated), TEST(cancelled_operations_get_no_callback),            \
		TEST(value_stays_valid_during_callback), TEST(value_size_is_limited),              \
		TEST(lock_has_one_holder), TEST(lock_expires_and_is_extended),                     \
		TEST(locks_and_values_are_separate), TEST(confirmed_value_is_returned_once),       \
		TEST(one_of_concurrent_callers_gets_value),                                        \
		TEST(cancelled_get_delete_still_deletes), TEST(token_bucket_empties_and_refills),  \
		TEST(two_buckets_are_consumed_together_or_not_at_all),                             \
		TEST(cancelled_consume_still_counts)

#endif
