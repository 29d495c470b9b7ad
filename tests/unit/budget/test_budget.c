/* Prices, limits of each scope and period, what is held at the same time, and what a new day
 * forgets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/budget.h"
#include "vesper/limits.h"

#define DAY_MS 86400000LL
#define NOV_1  (20393 * DAY_MS) /* 2025-11-01 */
#define NOV_30 (NOV_1 + 29 * DAY_MS)

static const struct budget_owner ann = {"acme", "ann", "analyst"}, bob = {"acme", "bob", "analyst"},
				 eve = {"other", "ann", "viewer"};

static struct budget *with(struct budget_limit limit)
{
	return budget_new(NULL, 0, &limit, 1);
}

static bool take(struct budget *b, const struct budget_owner *who, int64_t tokens, int64_t nano,
		 int64_t at_ms, struct budget_reservation *out)
{
	struct budget_reservation reservation = {.tokens = tokens, .nano_usd = nano};
	struct err e = {0};
	bool ok = budget_reserve(b, who, &reservation, at_ms, &e);

	assert_int_equal(e.code, ok ? ERR_NONE : ERR_QUOTA);
	if (out)
		*out = reservation;
	return ok;
}

/* Finds the user who has used most of a limit that applies to each user. */
static void test_finds_who_spent_most(void **state)
{
	const struct budget_limit limits[] = {
		{.scope = BUDGET_USER, .period = BUDGET_DAY, .tokens = 1000},
		{.scope = BUDGET_TENANT, .period = BUDGET_MONTH, .nano_usd = 500},
		{.scope = BUDGET_ROLE, .only = "manager", .period = BUDGET_DAY, .tokens = 10}};
	struct budget *b = budget_new(NULL, 0, limits, 3);
	const struct budget_sum sums[] = {{"ann", "analyst", 300, 30, 900, 90},
					  {"ann", "viewer", 200, 20, 200, 20},
					  {"bob", "analyst", 400, 40, 800, 80}};
	struct budget_spent s;

	(void)state;
	assert_null(budget_most_spent(b, "acme", 0).who);
	budget_read_begin(b, "acme", NOV_30);
	for (size_t i = 0; i < 3; i++)
		budget_add_sum(b, "acme", &sums[i]);
	budget_read_end(b, "acme");
	budget_read_begin(b, "other", NOV_30);
	budget_add_sum(b, "other", &(struct budget_sum){"eve", "viewer", 999, 0, 999, 0});
	budget_read_end(b, "other");
	s = budget_most_spent(b, "acme", 0);
	assert_string_equal(s.who, "ann");
	assert_int_equal(s.tokens, 500);
	s = budget_most_spent(b, "acme", 1);
	assert_string_equal(s.who, "acme");
	assert_int_equal(s.nano_usd, 190);
	assert_null(budget_most_spent(b, "acme", 2).who);
	budget_free(&b);
}

/* Also above the limit, and for a limit whose index byte equals the separator. */
static void test_finds_who_overspent_most(void **state)
{
	struct budget_limit limits[31];
	const struct budget_sum sums[] = {{"ann", "analyst", 2001, 0, 0, 0},
					  {"bob", "analyst", 2009, 0, 0, 0},
					  {"cid", "analyst", 2009, 0, 0, 0}};
	struct budget_spent s;
	struct budget *b;

	(void)state;
	for (size_t i = 0; i < 31; i++)
		limits[i] = (struct budget_limit){
			.scope = BUDGET_USER, .period = BUDGET_DAY, .tokens = 1000 + (int64_t)i};
	b = budget_new(NULL, 0, limits, 31);
	budget_read_begin(b, "acme", NOV_30);
	for (size_t i = 0; i < 3; i++)
		budget_add_sum(b, "acme", &sums[i]);
	budget_read_end(b, "acme");
	for (size_t i = 0; i < 31; i++) {
		s = budget_most_spent(b, "acme", i);
		assert_string_equal(s.who, "bob");
		assert_int_equal(s.tokens, 2009);
	}
	budget_free(&b);
}

static void test_prices(void **state)
{
	const struct budget_price prices[] = {{"claude-", 1, 1, 1, 1},
					      {"claude-sonnet-5-5", 2000, 200, 4000, 10000},
					      {"claude-sonnet-5", 9, 9, 9, 9}};
	struct budget *b = budget_new(prices, 3, NULL, 0);
	const struct budget_usage use = {100, 1000, 10, 7};
	int64_t nano = -1;

	(void)state;
	assert_true(budget_cost(b, "claude-sonnet-5-5-20260901", &use, &nano));
	assert_int_equal(nano, 100 * 2000 + 1000 * 200 + 10 * 4000 + 7 * 10000);
	assert_true(budget_cost(b, "claude-x", &use, &nano));
	assert_int_equal(nano, 1117);
	assert_false(budget_cost(b, "gpt-5", &use, &nano));
	assert_int_equal(nano, 1117);
	assert_false(budget_has_limits(b));
	budget_free(&b);
}

/* Reservations count as spent, so concurrent calls cannot exceed the limit together. */
static void test_concurrent_calls_stay_within_limit(void **state)
{
	struct budget *b = with((struct budget_limit){BUDGET_USER, NULL, BUDGET_DAY, 1000, 0});
	struct budget_reservation reservations[10];
	size_t n = 0;

	(void)state;
	while (n < 10 && take(b, &ann, 300, 0, NOV_1, &reservations[n]))
		n++;
	assert_int_equal(n, 3);
	assert_true(take(b, &bob, 300, 0, NOV_1, NULL)); /* each user has their own */
	assert_true(take(b, &eve, 300, 0, NOV_1, NULL)); /* and so has one of that name elsewhere */
	budget_settle(b, &ann, &reservations[0], 10, 0);
	assert_true(take(b, &ann, 300, 0, NOV_1, NULL));
	assert_false(take(b, &ann, 100, 0, NOV_1, NULL));
	assert_true(take(b, &ann, 90, 0, NOV_1, NULL)); /* to the last token */
	budget_free(&b);
}

static void test_settling_releases_the_rest(void **state)
{
	const struct budget_limit limits[] = {{BUDGET_USER, NULL, BUDGET_DAY, 0, 100}};
	struct budget *b = budget_new(NULL, 0, limits, 1);
	struct budget_reservation reservation;

	(void)state;
	assert_true(take(b, &ann, 0, 100, NOV_1, &reservation));
	assert_false(take(b, &ann, 0, 1, NOV_1, NULL));
	budget_settle(b, &ann, &reservation, 0, 40);
	assert_false(take(b, &ann, 0, 61, NOV_1, NULL));
	assert_true(take(b, &ann, 0, 60, NOV_1, NULL)); /* all but what the call cost */
	budget_free(&b);
}

static void test_scopes(void **state)
{
	const struct budget_limit limits[] = {
		{BUDGET_TENANT, "acme", BUDGET_DAY, 0, 500},
		{BUDGET_ROLE, "viewer", BUDGET_MONTH, 100, 0},
	};
	struct budget *b = budget_new(NULL, 0, limits, 2);
	struct budget_state s;

	(void)state;
	assert_true(budget_has_money_limits(b));
	assert_true(take(b, &ann, 1000, 300, NOV_1, NULL));
	assert_false(take(b, &bob, 1000, 300, NOV_1, NULL));
	assert_true(take(b, &eve, 90, 1000, NOV_1, NULL));
	assert_false(take(b, &eve, 20, 0, NOV_1, NULL));
	assert_true(budget_state(b, &ann, NOV_1, &s));
	assert_int_equal(s.scope, BUDGET_TENANT);
	assert_int_equal(s.used_percent, 60);
	assert_true(s.money);
	assert_true(budget_state(b, &eve, NOV_1, &s));
	assert_int_equal(s.used_percent, 90);
	assert_false(s.money);
	assert_string_equal(budget_scope_name(s.scope), "role");
	assert_string_equal(budget_period_name(s.period), "month");
	budget_free(&b);
}

static void test_periods(void **state)
{
	const struct budget_limit limits[] = {{BUDGET_USER, NULL, BUDGET_DAY, 100, 0},
					      {BUDGET_USER, NULL, BUDGET_MONTH, 250, 0}};
	struct budget *b = budget_new(NULL, 0, limits, 2);
	struct budget_reservation late;

	(void)state;
	assert_true(take(b, &ann, 100, 0, NOV_1 + DAY_MS - 1, &late));
	assert_false(take(b, &ann, 1, 0, NOV_1 + DAY_MS - 1, NULL));
	assert_true(take(b, &ann, 100, 0, NOV_1 + DAY_MS, NULL));
	/* It began yesterday: today bears nothing of it, the month does. */
	budget_settle(b, &ann, &late, 60, 0);
	assert_false(take(b, &ann, 1, 0, NOV_1 + DAY_MS, NULL));
	assert_true(take(b, &ann, 90, 0, NOV_30, NULL));
	assert_false(take(b, &ann, 1, 0, NOV_30, NULL));
	assert_true(take(b, &ann, 100, 0, NOV_30 + DAY_MS, NULL));
	budget_free(&b);
}

static void test_spent_before(void **state)
{
	const struct budget_limit limits[] = {{BUDGET_USER, NULL, BUDGET_DAY, 100, 0},
					      {BUDGET_TENANT, NULL, BUDGET_MONTH, 1000, 0}};
	struct budget *b = budget_new(NULL, 0, limits, 2);
	const struct budget_sum sum = {"ann", "analyst", 95, 0, 960, 0};
	struct budget_state s;

	(void)state;
	budget_read_begin(b, "acme", NOV_30);
	budget_add_sum(b, "acme", &sum);
	budget_read_end(b, "acme");
	assert_false(take(b, &ann, 10, 0, NOV_30, NULL));
	assert_true(take(b, &bob, 40, 0, NOV_30, NULL));
	assert_false(take(b, &bob, 1, 0, NOV_30, NULL));
	assert_true(budget_state(b, &bob, NOV_30, &s));
	assert_int_equal(s.used_percent, 100);
	budget_free(&b);
}

/* Others spend from the same limits: what they are known to have spent takes the place of what was
 * known before; what is spent here while it is read counts at its most until the next reading. */
static void test_spending_of_other_replicas(void **state)
{
	struct budget *b = with((struct budget_limit){BUDGET_TENANT, NULL, BUDGET_DAY, 1000, 0});
	const struct budget_sum ours = {"ann", "analyst", 100, 0, 100, 0};
	const struct budget_sum theirs = {"bob", "viewer", 500, 0, 500, 0};
	struct budget_state s;
	struct budget_reservation reservation;
	int used;

	(void)state;
	assert_false(budget_was_checked(b, "acme", &used));
	assert_true(take(b, &ann, 100, 0, NOV_1, NULL));
	assert_true(budget_was_checked(b, "acme", &used));
	assert_int_equal(used, 10);
	assert_false(budget_was_checked(b, "other", &used));

	budget_read_begin(b, "acme", NOV_1);
	assert_false(budget_was_checked(b, "acme", &used));
	budget_add_sum(b, "acme", &ours);
	assert_true(take(b, &ann, 200, 0, NOV_1, &reservation)); /* may be in the sums or not */
	budget_settle(b, &ann, &reservation, 50, 0);
	budget_add_sum(b, "acme", &theirs);
	assert_true(budget_state(b, &ann, NOV_1, &s));
	assert_int_equal(s.used_percent, 15); /* nothing is taken over before the end */
	budget_read_end(b, "acme");
	assert_true(budget_state(b, &ann, NOV_1, &s));
	assert_int_equal(s.used_percent, 80);
	assert_false(take(b, &ann, 201, 0, NOV_1, NULL));

	budget_read_begin(b, "acme", NOV_1);
	budget_add_sum(b, "acme", &(struct budget_sum){"ann", "analyst", 150, 0, 150, 0});
	budget_add_sum(b, "acme", &theirs);
	budget_read_end(b, "acme");
	assert_true(budget_state(b, &ann, NOV_1, &s));
	assert_int_equal(s.used_percent, 65);
	budget_free(&b);
}

/* A reading that is restarted after a failure counts its first page once. */
static void test_restarted_reading_counts_once(void **state)
{
	struct budget *b = with((struct budget_limit){BUDGET_TENANT, NULL, BUDGET_MONTH, 1000, 0});
	const struct budget_sum page = {"ann", "analyst", 300, 0, 300, 0};
	struct budget_state s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		budget_read_begin(b, "acme", NOV_1);
		budget_add_sum(b, "acme", &page);
	}
	budget_read_end(b, "acme");
	assert_true(budget_state(b, &ann, NOV_1, &s));
	assert_int_equal(s.used_percent, 30);
	budget_free(&b);
}

/* The day ends while its sums are being read. */
static void test_reading_across_midnight(void **state)
{
	struct budget *b = with((struct budget_limit){BUDGET_USER, NULL, BUDGET_DAY, 1000, 0});
	const struct budget_sum sum = {"ann", "analyst", 900, 0, 900, 0};
	struct budget_state s;

	(void)state;
	assert_true(take(b, &ann, 10, 0, NOV_1, NULL));
	budget_read_begin(b, "acme", NOV_1 + DAY_MS - 1);
	budget_add_sum(b, "acme", &sum);
	assert_true(take(b, &ann, 100, 0, NOV_1 + DAY_MS, NULL));
	budget_read_end(b, "acme");
	assert_true(budget_state(b, &ann, NOV_1 + DAY_MS, &s));
	assert_int_equal(s.used_percent, 10);
	budget_free(&b);
}

/* If the clock goes back, spending still counts for the latest day. */
static void test_clock_going_back_keeps_the_day(void **state)
{
	struct budget *b = with((struct budget_limit){BUDGET_USER, NULL, BUDGET_DAY, 100, 0});
	struct budget_reservation reservation;

	(void)state;
	assert_true(take(b, &ann, 100, 0, NOV_1 + DAY_MS, NULL));
	assert_false(take(b, &ann, 1, 0, NOV_1 + DAY_MS - 1, NULL));
	assert_true(take(b, &bob, 60, 0, NOV_1 + DAY_MS - 1, &reservation));
	assert_int_equal(reservation.at_ms, NOV_1 + DAY_MS);
	assert_false(take(b, &bob, 60, 0, NOV_1 + DAY_MS - 1, NULL));
	assert_true(budget_allows(b, &bob, 40, 0, NOV_1));
	assert_false(budget_allows(b, &bob, 41, 0, NOV_1));
	budget_free(&b);
}

/* Sums of past periods are freed; current sums are never dropped. */
static void test_sums_of_past_periods_are_dropped(void **state)
{
	struct budget *b = with((struct budget_limit){BUDGET_USER, NULL, BUDGET_DAY, 100, 0});
	char name[32];
	struct budget_owner who = {"acme", name, "r"};

	(void)state;
	for (int day = 0; day < 2; day++)
		for (int i = 0; i < BUDGET_SUMS_MAX + 10; i++) {
			snprintf(name, sizeof(name), "user%d", i);
			assert_true(take(b, &who, 100, 0, NOV_1 + day * DAY_MS, NULL));
			assert_false(take(b, &who, 1, 0, NOV_1 + day * DAY_MS, NULL));
		}
	budget_free(&b);
}

/* Limits change while something is spent against them: what goes on keeps its sum, in whatever
 * place; what is new begins with nothing, and what was taken away holds nobody. */
static void test_changed_limits_keep_sums(void **state)
{
	const struct budget_limit before[] = {
		{BUDGET_USER, NULL, BUDGET_DAY, 100, 0},
		{BUDGET_TENANT, NULL, BUDGET_DAY, 1000, 0},
		{BUDGET_TENANT, NULL, BUDGET_DAY, 0, 5000},
	};
	const struct budget_limit after[] = {
		{BUDGET_TENANT, NULL, BUDGET_MONTH, 50, 0},
		{BUDGET_TENANT, NULL, BUDGET_DAY, 150, 0},
	};
	const struct budget_settings now = {.limits = after, .limit_count = 2};
	const struct budget_settings day = {.limits = after + 1, .limit_count = 1};
	const struct budget_settings none = {0};
	struct budget *b = budget_new(NULL, 0, before, 3);
	struct budget_reservation reservation = {.tokens = 90};

	(void)state;
	assert_true(budget_reserve(b, &ann, &reservation, 0, NULL));
	assert_false(budget_allows(b, &ann, 20, 0, 0)); /* of the user's */
	budget_set_limits(b, &now);
	assert_true(budget_allows(b, &ann, 50, 0, 0));
	assert_false(
		budget_allows(b, &ann, 51, 0, 0)); /* of the month's, which began with nothing */
	budget_settle(b, &ann, &reservation, 110, 0);
	assert_true(budget_allows(b, &ann, 30, 0, 0));
	assert_false(budget_allows(b, &ann, 31, 0, 0)); /* the month knows of 20 */
	budget_set_limits(b, &day);
	assert_true(budget_allows(b, &ann, 40, 0, 0));
	assert_false(budget_allows(b, &ann, 41, 0, 0)); /* the tenant's day of 110 */
	budget_set_limits(b, &none);
	assert_true(budget_allows(b, &ann, 1000000, 0, 0));
	budget_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changed_limits_keep_sums),
		cmocka_unit_test(test_prices),
		cmocka_unit_test(test_concurrent_calls_stay_within_limit),
		cmocka_unit_test(test_settling_releases_the_rest),
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_spent_before),
		cmocka_unit_test(test_sums_of_past_periods_are_dropped),
		cmocka_unit_test(test_finds_who_spent_most),
		cmocka_unit_test(test_finds_who_overspent_most),
		cmocka_unit_test(test_spending_of_other_replicas),
		cmocka_unit_test(test_restarted_reading_counts_once),
		cmocka_unit_test(test_reading_across_midnight),
		cmocka_unit_test(test_clock_going_back_keeps_the_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
