/* Authentication with tokens and one-time tickets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/identity.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define SECRET "0123456789abcdef0123456789abcdef"
#define NOW_MS INT64_C(1772182800000)

static const char *const tenants[] = {"vesper", NULL};
static const char *const permissions[] = {"chat:use"};
static const struct principal ann = {.user = "ann",
				     .tenant = "vesper",
				     .permissions = permissions,
				     .permission_count = 1,
				     .expires_ms = NOW_MS + 3600000};

static struct loop *loop;

static int setup(void **state)
{
	clock_freeze_ms(NOW_MS);
	assert_true(loop_new(&loop, NULL));
	struct identity_options o = {
		.jwt = {.hs256_secret = SECRET, .tenants = tenants, .leeway_s = 60}, .loop = loop};
	struct identity *i = NULL;
	assert_true(identity_new(&o, &i, NULL));
	*state = i;
	return 0;
}

static int teardown(void **state)
{
	struct identity *i = *state;
	identity_free(&i);
	assert_null(i);
	loop_free(&loop);
	clock_release();
	return 0;
}

static void requires_a_key(void **state)
{
	(void)state;
	struct identity *i = NULL;
	struct err e;
	assert_false(identity_new(&(struct identity_options){.jwt.tenants = tenants}, &i, &e));
	assert_false(identity_new(
		&(struct identity_options){.jwt = {.hs256_secret = "", .tenants = tenants}}, &i,
		&e));
	assert_int_equal(e.code, ERR_INPUT);
	identity_free(&i);
}

static void tokens(void **state)
{
	struct identity *i = *state;
	struct buf token;
	buf_init(&token, TOKEN_BYTES_MAX);
	jwt_mint(&token, &ann, NOW_MS, 100, SECRET);
	struct str text = {token.p, token.n};
	struct principal *who = NULL;
	struct err e;
	assert_true(identity_token(i, text, &who, &e));
	assert_string_equal(who->user, "ann");
	assert_false(identity_expired(i, who));
	clock_advance_ms(159999);
	assert_false(identity_expired(i, who));
	clock_advance_ms(1);
	assert_true(identity_expired(i, who));
	principal_free(&who);
	assert_false(identity_token(i, text, &who, &e));
	assert_string_equal(e.text, "expired");
	buf_deinit(&token);
}

/* Tokens of other services use real time, even when the demo uses a fixed day. */
static void frozen_day_does_not_affect_expiry(void **state)
{
	struct identity *i = *state;
	clock_release();
	struct buf token;
	buf_init(&token, TOKEN_BYTES_MAX);
	jwt_mint(&token, &ann, clock_now_ms(), 100, SECRET);
	clock_freeze_today((struct date){2031, 1, 1});
	struct principal *who = NULL;
	assert_true(identity_token(i, (struct str){token.p, token.n}, &who, NULL));
	assert_false(identity_expired(i, who));
	principal_free(&who);
	buf_deinit(&token);
}

static void options_are_copied(void **state)
{
	(void)state;
	char secret[] = SECRET;
	char tenant[] = "vesper";
	const char *list[] = {tenant, NULL};
	struct identity_options o = {
		.jwt = {.hs256_secret = secret, .tenants = list, .leeway_s = 60}};
	struct identity *i = NULL;
	assert_true(identity_new(&o, &i, NULL));
	memset(secret, 'x', sizeof(secret) - 1);
	tenant[0] = 'x';
	struct buf token;
	buf_init(&token, TOKEN_BYTES_MAX);
	jwt_mint(&token, &ann, NOW_MS, 100, SECRET);
	struct principal *who = NULL;
	assert_true(identity_token(i, (struct str){token.p, token.n}, &who, NULL));
	principal_free(&who);
	buf_deinit(&token);
	identity_free(&i);
}

/* ---- tickets, local and in a shared cache ---- */

static char made[TICKET_BYTES];
static struct principal *used;
static struct err used_err;
static int answers;

static void on_made(void *owner, const char *ticket)
{
	(void)owner;
	answers++;
	memcpy(made, ticket, TICKET_BYTES);
}

static void on_used(void *owner, struct principal *take, const struct err *e)
{
	(void)owner;
	answers++;
	used = take;
	if (e)
		used_err = *e;
}

static void run_until_answered(void)
{
	assert_int_equal(answers, 0); /* never called from within the call */
	while (answers == 0)
		loop_run_once(loop);
}

static void create_ticket(struct identity *i, const struct principal *who)
{
	struct buf token;

	buf_init(&token, TOKEN_BYTES_MAX);
	jwt_mint(&token, who, NOW_MS, (who->expires_ms - NOW_MS) / 1000, SECRET);
	answers = 0;
	identity_ticket_new(i, who, (struct str){token.p, token.n}, on_made, NULL);
	run_until_answered();
	assert_int_equal(strlen(made), TICKET_BYTES - 1);
	buf_deinit(&token);
}

static bool use_ticket(struct identity *i, const char *ticket)
{
	bool is_valid;

	answers = 0;
	identity_ticket_redeem(i, str_of(ticket), on_used, NULL);
	run_until_answered();
	is_valid = used != NULL;
	if (is_valid) {
		assert_true(principal_same_user(used, &ann));
		assert_true(may(used, "chat:use"));
	} else {
		assert_int_equal(used_err.code, ERR_AUTH);
	}
	principal_free(&used);
	return is_valid;
}

static void ticket_works_once(void **state)
{
	struct identity *i = *state;

	create_ticket(i, &ann);
	assert_true(use_ticket(i, made));
	assert_false(use_ticket(i, made));
	assert_false(use_ticket(i, "short"));
}

static void ticket_expires_with_its_token(void **state)
{
	struct identity *i = *state;
	struct principal short_lived = ann;

	short_lived.expires_ms = NOW_MS - 60000 + 1000; /* the leeway leaves one second */
	create_ticket(i, &short_lived);
	clock_advance_ms(1000);
	assert_false(use_ticket(i, made));
	assert_string_equal(used_err.text, "expired");
}

static void pending_requests_can_be_cancelled(void **state)
{
	struct identity *i = *state;
	struct op *op;

	answers = 0;
	op = identity_ticket_new(i, &ann, STR("token"), on_made, NULL);
	op_cancel(&op);
	op = identity_ticket_redeem(i, STR("none"), on_used, NULL);
	op_cancel(&op);
	loop_run_once(loop);
	assert_int_equal(answers, 0);
}

/* Two replicas in one process. */
static struct identity *replicas[2];
static struct cache *shared_cache;

static struct identity *replica_new(struct rate_limits rates)
{
	struct identity_options o = {
		.jwt = {.hs256_secret = SECRET, .tenants = tenants, .leeway_s = 60},
		.rates = rates,
		.loop = loop,
		.shared = shared_cache};
	struct identity *i = NULL;

	assert_true(identity_new(&o, &i, NULL));
	return i;
}

static int set_up_replicas(void **state)
{
	(void)state;
	clock_freeze_ms(NOW_MS);
	assert_true(loop_new(&loop, NULL));
	shared_cache = cache_memory_new(loop);
	for (int i = 0; i < 2; i++)
		replicas[i] = replica_new((struct rate_limits){3, 5});
	return 0;
}

static int tear_down_replicas(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		identity_free(&replicas[i]);
	cache_free(&shared_cache);
	loop_free(&loop);
	clock_release();
	return 0;
}

static void shared_ticket_works_once_on_any_replica(void **state)
{
	(void)state;
	create_ticket(replicas[0], &ann);
	assert_true(use_ticket(replicas[1], made));
	assert_false(use_ticket(replicas[1], made));
	assert_false(use_ticket(replicas[0], made));
	create_ticket(replicas[0], &ann);
	assert_true(use_ticket(replicas[0], made));
	assert_false(use_ticket(replicas[1], made));
	create_ticket(replicas[0], &ann);
	clock_advance_ms(TICKET_LIFE_MS);
	assert_false(use_ticket(replicas[1], made));
}

/* The redeeming replica verifies the token again: it may have expired, or be invalid. */
static void shared_ticket_is_verified_again(void **state)
{
	struct principal stranger = ann;

	(void)state;
	stranger.tenant = "globex";
	create_ticket(replicas[0], &stranger);
	assert_false(use_ticket(replicas[1], made));
	answers = 0;
	identity_ticket_new(replicas[0], &ann, STR("no token"), on_made, NULL);
	run_until_answered();
	assert_false(use_ticket(replicas[1], made));
}

static struct rate last_rate;

static void on_rate(void *owner, const struct rate *rate)
{
	(void)owner;
	answers++;
	last_rate = *rate;
}

static bool count_request(struct identity *i, const struct principal *who, struct rate *out)
{
	answers = 0;
	if (identity_rate(i, who, &last_rate, on_rate, NULL))
		run_until_answered();
	*out = last_rate;
	return last_rate.allowed;
}

static void rates_are_shared_by_replicas(void **state)
{
	const struct principal bob = {.user = "bob", .tenant = "vesper"};
	const struct principal elsewhere = {.user = "ann", .tenant = "globex"};
	struct rate rate;

	(void)state;
	for (int n = 0; n < 3; n++)
		assert_true(count_request(replicas[n % 2], &ann, &rate));
	assert_int_equal(rate.user.limit, 3);
	assert_int_equal(rate.user.left, 0);
	assert_int_equal(rate.tenant.left, 2);
	for (int n = 0; n < 2; n++)
		assert_false(count_request(replicas[n], &ann, &rate));
	assert_in_range(rate.user.wait_ms, 19000, 20001);
	assert_int_equal(rate.tenant.wait_ms, 0);
	for (int n = 0; n < 2; n++)
		assert_true(count_request(replicas[n], &bob, &rate));
	assert_false(count_request(replicas[0], &bob, &rate));
	assert_true(rate.tenant.wait_ms > 0);
	assert_true(count_request(replicas[1], &elsewhere, &rate));
	clock_advance_ms(20001);
	assert_true(count_request(replicas[1], &ann, &rate));
}

static void no_limits_need_no_cache_request(void **state)
{
	struct identity *unlimited = replica_new((struct rate_limits){0});
	struct rate rate;

	(void)state;
	assert_null(identity_rate(unlimited, &ann, &rate, on_rate, NULL));
	assert_true(rate.allowed);
	identity_free(&unlimited);
}

/* The result of every token bucket of the empty cache below. */
static struct cache_consume consume_result;

struct empty_cache_op {
	struct op op;
	struct deferred deferred;
	cache_confirmed_cb confirmed;
	cache_value_cb value;
	cache_consume_cb consume;
	void *owner;
};

static void on_empty_reply(void *owner)
{
	struct empty_cache_op s = *(struct empty_cache_op *)owner;

	mem_free(owner);
	if (s.confirmed)
		s.confirmed(s.owner, false);
	else if (s.value)
		s.value(s.owner, (struct str){NULL, 0});
	else
		s.consume(s.owner, &consume_result);
}

static struct op *reply_later(struct empty_cache_op s)
{
	struct empty_cache_op *copy = mem_alloc(sizeof(*copy));

	*copy = s;
	loop_defer(loop, &copy->deferred, on_empty_reply, copy);
	return &copy->op;
}

static struct op *empty_set(void *self, struct str key, struct str value, int64_t ttl_ms,
			    cache_confirmed_cb cb, void *owner)
{
	(void)self;
	(void)key;
	(void)value;
	(void)ttl_ms;
	return reply_later((struct empty_cache_op){.confirmed = cb, .owner = owner});
}

static struct op *empty_get_delete(void *self, struct str key, cache_value_cb cb, void *owner)
{
	(void)self;
	(void)key;
	return reply_later((struct empty_cache_op){.value = cb, .owner = owner});
}

static struct op *empty_consume(void *self, const struct str *keys, const int64_t *limits,
				size_t count, int64_t full_ms, cache_consume_cb cb, void *owner)
{
	(void)self;
	(void)keys;
	(void)limits;
	(void)count;
	(void)full_ms;
	return reply_later((struct empty_cache_op){.consume = cb, .owner = owner});
}

static void empty_close(void *self)
{
	(void)self;
}

static const struct cache_driver empty_driver = {.name = "empty",
						 .set_confirmed = empty_set,
						 .get_delete = empty_get_delete,
						 .consume = empty_consume,
						 .close = empty_close};

static void replicas_count_locally_while_cache_is_down(void **state)
{
	struct cache *cache = shared_cache;
	struct identity *single;
	struct rate rate;

	(void)state;
	shared_cache = cache_from_driver(&empty_driver, NULL);
	single = replica_new((struct rate_limits){.user_per_minute = 2});
	create_ticket(single, &ann);
	assert_true(use_ticket(single, made));
	assert_false(use_ticket(single, made));
	assert_true(count_request(single, &ann, &rate));
	assert_true(count_request(single, &ann, &rate));
	assert_false(count_request(single, &ann, &rate));
	identity_free(&single);
	cache_free(&shared_cache);
	shared_cache = cache;
}

/* A writer of the shared cache can make limits stricter, but not weaker. */
static void wrong_cache_answers_do_not_lift_limits(void **state)
{
	struct cache *cache = shared_cache;
	struct identity *here;
	struct rate rate;
	int passed = 0;

	(void)state;
	consume_result =
		(struct cache_consume){.counted = true, .consumed = true, .left = {100, 1000}};
	shared_cache = cache_from_driver(&empty_driver, NULL);
	here = replica_new((struct rate_limits){100, 1000});
	for (int n = 0; n < 1000; n++)
		passed += count_request(here, &ann, &rate);
	assert_in_range(passed, 100, 102); /* with the slack */
	assert_int_equal(rate.user.left, 0);
	assert_true(rate.user.wait_ms > 0);
	clock_advance_ms(60000);
	assert_true(count_request(here, &ann, &rate));
	consume_result.consumed = false;
	assert_false(count_request(here, &ann, &rate));
	identity_free(&here);
	cache_free(&shared_cache);
	shared_cache = cache;
	consume_result = (struct cache_consume){0};
}

#define REPLICAS(name) cmocka_unit_test_setup_teardown(name, set_up_replicas, tear_down_replicas)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requires_a_key),
		cmocka_unit_test_setup_teardown(tokens, setup, teardown),
		cmocka_unit_test_setup_teardown(frozen_day_does_not_affect_expiry, setup, teardown),
		cmocka_unit_test_setup_teardown(options_are_copied, setup, teardown),
		cmocka_unit_test_setup_teardown(ticket_works_once, setup, teardown),
		cmocka_unit_test_setup_teardown(ticket_expires_with_its_token, setup, teardown),
		cmocka_unit_test_setup_teardown(pending_requests_can_be_cancelled, setup, teardown),
		REPLICAS(shared_ticket_works_once_on_any_replica),
		REPLICAS(shared_ticket_is_verified_again),
		REPLICAS(rates_are_shared_by_replicas),
		REPLICAS(no_limits_need_no_cache_request),
		REPLICAS(replicas_count_locally_while_cache_is_down),
		REPLICAS(wrong_cache_answers_do_not_lift_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
