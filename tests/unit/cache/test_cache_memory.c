/* The memory driver: the tests of all drivers, exact expiry, and limits. */
#include "cache_contract.h"

#include "cache_int.h"
#include "vesper/clock.h"

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

static void advance_time(int64_t ms)
{
	clock_advance_ms(ms);
}

static void value_expires_to_the_millisecond(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "1", 1, 5000);
	clock_advance_ms(4999);
	assert_true(get("acme", "a"));
	clock_advance_ms(1);
	assert_false(get("acme", "a"));
}

static void token_bucket_refills_evenly(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		assert_true(consume("m", 4, NULL, 0));
	clock_advance_ms(14999);
	assert_false(consume("m", 4, NULL, 0));
	clock_advance_ms(1);
	assert_true(consume("m", 4, NULL, 0));
	assert_false(consume("m", 4, NULL, 0));
	clock_advance_ms(30000);
	assert_true(consume("m", 4, NULL, 0));
	assert_true(consume("m", 4, NULL, 0));
	assert_false(consume("m", 4, NULL, 0));
}

static void least_recently_used_is_evicted_first(void **state)
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

static void entry_count_is_limited(void **state)
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

static void largest_tenant_evicts_only_its_values(void **state)
{
	char *large = mem_alloc(CACHE_VALUE_BYTES_MAX);
	char name[16];

	(void)state;
	cache_set(cache, key("globex", "large"), large, CACHE_VALUE_BYTES_MAX - 1024, 60000);
	cache_set(cache, key("globex", "small"), "1", 1, 60000);
	for (int i = 0; i < 3 * CACHE_BYTES_MAX / CACHE_VALUE_BYTES_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		cache_set(cache, key("acme", name), large, CACHE_VALUE_BYTES_MAX - 1024, 60000);
	}
	assert_true(get("acme", name));
	assert_false(get("acme", "0"));
	for (int i = 0; i < 2 * CACHE_ENTRIES_MAX; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		cache_set(cache, key("acme", name), "1", 1, 60000);
	}
	assert_true(get("globex", "large"));
	assert_true(get("globex", "small"));
	mem_free(large);
}

/* The buckets of a tenant with many users do not evict those of another tenant. */
static void largest_tenant_evicts_only_its_buckets(void **state)
{
	const struct cache_bucket theirs = {key("globex", "m"), 2};
	char name[16];

	(void)state;
	for (int i = 0; i < 2; i++) {
		answers = 0;
		cache_consume(cache, &theirs, 1, 60000, on_consumed, NULL);
		wait_for(1);
		assert_true(bucket_state.consumed);
	}
	for (int i = 0; i <= TOKEN_BUCKETS_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		consume(name, 2, NULL, 0);
	}
	answers = 0;
	cache_consume(cache, &theirs, 1, 60000, on_consumed, NULL);
	wait_for(1);
	assert_false(bucket_state.consumed);
}

static void held_locks_are_never_evicted(void **state)
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
	assert_true(lock("more", "mine", 5000)); /* replaces the expired lock */
	assert_false(lock("0", "yours", 5000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONTRACT_TESTS,
		TEST(value_expires_to_the_millisecond),
		TEST(token_bucket_refills_evenly),
		TEST(least_recently_used_is_evicted_first),
		TEST(entry_count_is_limited),
		TEST(largest_tenant_evicts_only_its_values),
		TEST(largest_tenant_evicts_only_its_buckets),
		TEST(held_locks_are_never_evicted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
