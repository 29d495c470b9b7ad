/* Rate limiter: limits per user and per tenant, steady refill, eviction of idle buckets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "rate.h"
#include "vesper/clock.h"
#include "vesper/limits.h"

static const struct principal ann = {.user = "ann", .tenant = "acme"};
static const struct principal bob = {.user = "bob", .tenant = "acme"};
static const struct principal ann_elsewhere = {.user = "ann", .tenant = "vesper"};
static struct rate rate;

static int setup(void **state)
{
	(void)state;
	clock_freeze_ms(1772182800000);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	clock_release();
	return 0;
}

static void user_limit(void **state)
{
	const struct rate_limits limits = {.user_per_minute = 3};
	struct rates *r = rates_new(&limits);

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_true(rates_consume(r, &ann, &rate));
	assert_int_equal(rate.user.limit, 3);
	assert_int_equal(rate.user.left, 0);
	assert_int_equal(rate.tenant.limit, 0);
	assert_false(rates_consume(r, &ann, &rate));
	assert_in_range(rate.user.wait_ms, 19000, 20001);
	assert_true(rates_consume(r, &bob, &rate));
	assert_true(rates_consume(r, &ann_elsewhere, &rate));
	clock_advance_ms(19999);
	assert_false(rates_consume(r, &ann, &rate));
	clock_advance_ms(2);
	assert_true(rates_consume(r, &ann, &rate));
	assert_false(rates_consume(r, &ann, &rate));
	clock_advance_ms(3600000);
	for (int i = 0; i < 3; i++)
		assert_true(rates_consume(r, &ann, &rate));
	assert_false(rates_consume(r, &ann, &rate));
	rates_free(&r);
}

static void tenant_limit_covers_all_users(void **state)
{
	const struct rate_limits limits = {.user_per_minute = 2, .tenant_per_minute = 3};
	struct rates *r = rates_new(&limits);

	(void)state;
	assert_true(rates_consume(r, &ann, &rate));
	assert_true(rates_consume(r, &ann, &rate));
	assert_false(rates_consume(r, &ann, &rate));
	assert_int_equal(rate.tenant.left, 1); /* a refused request is not counted */
	assert_true(rates_consume(r, &bob, &rate));
	assert_false(rates_consume(r, &bob, &rate));
	assert_int_equal(rate.user.left, 1);
	assert_true(rates_consume(r, &ann_elsewhere, &rate));
	rates_free(&r);
}

static void unlimited(void **state)
{
	const struct rate_limits limits = {0};
	struct rates *r = rates_new(&limits);

	(void)state;
	for (int i = 0; i < 10000; i++)
		assert_true(rates_consume(r, &ann, &rate));
	assert_int_equal(rate.user.limit, 0);
	rates_free(&r);
}

static void idle_buckets_are_evicted(void **state)
{
	const struct rate_limits limits = {.user_per_minute = 1};
	struct rates *r = rates_new(&limits);
	char name[20];

	(void)state;
	assert_true(rates_consume(r, &ann, &rate));
	assert_false(rates_consume(r, &ann, &rate));
	for (int i = 0; i < TOKEN_BUCKETS_MAX - 1; i++) {
		snprintf(name, sizeof(name), "u%d", i);
		rates_consume(r, &(struct principal){.user = name, .tenant = "acme"}, &rate);
	}
	assert_false(rates_consume(r, &ann, &rate));
	for (int i = 0; i < TOKEN_BUCKETS_MAX; i++) {
		snprintf(name, sizeof(name), "v%d", i);
		rates_consume(r, &(struct principal){.user = name, .tenant = "acme"}, &rate);
	}
	assert_true(rates_consume(r, &ann, &rate));
	rates_free(&r);
}

/* Many users of one tenant do not lift the limits of other tenants. */
static void evicts_from_the_tenant_with_most_buckets(void **state)
{
	const struct rate_limits limits = {.user_per_minute = 1, .tenant_per_minute = 10000000};
	struct rates *r = rates_new(&limits);
	char name[20];

	(void)state;
	assert_true(rates_consume(r, &ann_elsewhere, &rate));
	for (int i = 0; i < 2 * TOKEN_BUCKETS_MAX; i++) {
		snprintf(name, sizeof(name), "u%d", i);
		assert_true(rates_consume(r, &(struct principal){.user = name, .tenant = "acme"},
					  &rate));
	}
	assert_false(rates_consume(r, &ann_elsewhere, &rate));
	assert_int_equal(rate.tenant.left, 10000000 - 1);
	rates_free(&r);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {CASE(user_limit), CASE(tenant_limit_covers_all_users),
					   CASE(unlimited), CASE(idle_buckets_are_evicted),
					   CASE(evicts_from_the_tenant_with_most_buckets)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
