/* The Redis driver with a real Redis: the tests of all drivers, stored keys and values, values
 * written by other clients, and a server that is paused, killed and restarted. */
#include "cache_contract.h"

#include "vesper/redis.h"
#include "redis_service.h"
#include "vesper/health.h"
#include "vesper/log.h"
#include "vesper/metric.h"

/* A busy machine must not look like an unavailable server, so the connection gets a larger wait
 * budget than a cache may request. The linker replaces redis_link_new by the wrapper. */
#define TEST_WAIT_BUDGET_MS 2000

struct redis_link *__real_redis_link_new(struct loop *l, const struct redis_address *place,
					 const struct redis_link_options *o);
struct redis_link *__wrap_redis_link_new(struct loop *l, const struct redis_address *place,
					 const struct redis_link_options *o);

struct redis_link *__wrap_redis_link_new(struct loop *l, const struct redis_address *place,
					 const struct redis_link_options *o)
{
	assert_int_equal(o->wait_budget_ms, REDIS_WAIT_BUDGET_MS);
	return __real_redis_link_new(
		l, place, &(struct redis_link_options){.wait_budget_ms = TEST_WAIT_BUDGET_MS});
}

static int64_t clock_offset_us; /* added to the monotonic clock */
int64_t __real_clock_mono_us(void);
int64_t __wrap_clock_mono_us(void);

int64_t __wrap_clock_mono_us(void)
{
	return __real_clock_mono_us() + clock_offset_us;
}

static struct redis_service service;
static redisContext *other_client; /* a connection of another client */
static bool is_installed;

static void ignore_log(void *owner, const char *text)
{
	(void)owner;
	(void)text;
}

static void raw(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	redisReply *reply = redisvCommand(other_client, format, args);
	va_end(args);
	if (!reply || reply->type == REDIS_REPLY_ERROR)
		fail_msg("%s: %s", format, reply ? reply->str : other_client->errstr);
	freeReplyObject(reply);
}

static const char *secret = "what Redis does not have";

/* Opens a cache with the URL before:PORTbehind. */
static void open_cache(const char *before, const char *behind)
{
	char url[256];
	struct cache_redis_options o = {
		.url = url, .timeout_ms = REDIS_WAIT_BUDGET_MS, .secret = secret};
	struct err e = {0};

	snprintf(url, sizeof(url), "%s:%d%s", before, service.port, behind);
	if (!cache_redis_new(loop, &o, &cache, &e))
		fail_msg("%s", e.text);
}

static void on_check(void *owner, const char *check, enum health_state state, const char *note)
{
	(void)note;
	if (strcmp(check, "redis") == 0)
		*(enum health_state *)owner = state;
}

static bool is_up(void)
{
	enum health_state state = HEALTH_DOWN;

	health_each(on_check, &state);
	return state == HEALTH_OK;
}

static void wait_until_up(bool up)
{
	for (int i = 0; is_up() != up; i++) {
		if (i == 40000)
			fail_msg("the connection is not %s", up ? "up" : "down");
		loop_run_once(loop);
		usleep(500);
	}
}

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	if (!is_installed)
		skip();
	log_capture(ignore_log, NULL);
	assert_true(loop_new(&loop, &e));
	other_client = redis_service_connect(&service);
	raw("FLUSHALL");
	open_cache("redis://127.0.0.1", "");
	wait_until_up(true);
	answers = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cache_free(&cache);
	assert_null(cache);
	redisFree(other_client);
	loop_free(&loop);
	health_reset();
	metric_reset();
	log_capture(NULL, NULL);
	return 0;
}

static void advance_time(int64_t ms)
{
	redis_service_age(other_client, ms);
}

/* ---- stored keys and values ---- */

#define KEY       "vesper:v:acme\0a"
#define OTHER_KEY "vesper:v:globex\0a"

static redisReply *stored(const char *name, size_t len)
{
	return redisCommand(other_client, "GET %b", name, len);
}

static void keys_contain_the_tenant(void **state)
{
	redisReply *reply;

	(void)state;
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	assert_true(lock("a", "mine", 60000));
	reply = redisCommand(other_client, "EXISTS %b %b", KEY, sizeof(KEY) - 1, "vesper:l:acme\0a",
			     (size_t)15);
	assert_int_equal(reply->integer, 2);
	freeReplyObject(reply);
	reply = redisCommand(other_client, "DBSIZE");
	assert_int_equal(reply->integer, 2);
	freeReplyObject(reply);
}

static void stored_values_have_an_expiry(void **state)
{
	redisReply *left;

	(void)state;
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	assert_true(get("acme", "a"));
	left = redisCommand(other_client, "PTTL %b", KEY, sizeof(KEY) - 1);
	assert_in_range(left->integer, 1, 60000);
	freeReplyObject(left);
}

/* One tenant's value is stored under another tenant's key, as a faulty copy or an attacker would.
 */
static void value_under_another_key_misses(void **state)
{
	redisReply *value;

	(void)state;
	cache_set(cache, key("acme", "a"), "secret", 6, 60000);
	assert_true(get("acme", "a"));
	value = stored(KEY, sizeof(KEY) - 1);
	raw("SET %b %b", OTHER_KEY, sizeof(OTHER_KEY) - 1, value->str, value->len);
	freeReplyObject(value);
	assert_false(get("globex", "a"));
	assert_true(get("acme", "a"));
}

static void changed_value_misses(void **state)
{
	redisReply *value;
	char *bytes;

	(void)state;
	cache_set(cache, key("acme", "a"), "0123456789", 10, 60000);
	assert_true(get("acme", "a"));
	value = stored(KEY, sizeof(KEY) - 1);
	for (size_t n = 0; n < value->len; n++) { /* truncated at any byte */
		raw("SET %b %b", KEY, sizeof(KEY) - 1, value->str, n);
		assert_false(get("acme", "a"));
	}
	bytes = mem_strndup(value->str, value->len);
	memcpy(bytes, value->str, value->len);
	for (size_t i = 0; i < value->len; i++) { /* changed at any byte */
		bytes[i] ^= 1;
		raw("SET %b %b", KEY, sizeof(KEY) - 1, bytes, value->len);
		assert_false(get("acme", "a"));
		bytes[i] ^= 1;
	}
	raw("SET %b %b", KEY, sizeof(KEY) - 1, bytes, value->len);
	assert_true(get("acme", "a"));
	mem_free(bytes);
	freeReplyObject(value);
}

static void open_with(const char *another_secret)
{
	cache_free(&cache);
	secret = another_secret;
	open_cache("redis://127.0.0.1", "");
	wait_until_up(true);
	secret = "what Redis does not have";
}

/* A correct envelope, signed with another secret. */
static void value_with_another_secret_misses(void **state)
{
	static const char *const others[] = {"", "What Redis does not have", "vesper", NULL};
	static char forged[44];
	redisReply *value;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		open_with(others[i]);
		cache_set(cache, key("acme", "a"), "forged", 6, 60000);
		assert_true(get("acme", "a"));
		open_with(secret);
		assert_false(get("acme", "a"));
	}
	cache_set(cache, key("acme", "a"), "true", 4, 60000);
	assert_true(get("acme", "a"));
	value = stored(KEY, sizeof(KEY) - 1);
	for (size_t n = 0; n <= 32; n++) { /* a truncated HMAC, or one of zeros */
		memcpy(forged, value->str, 12);
		raw("SET %b %b", KEY, sizeof(KEY) - 1, forged, 12 + n);
		assert_false(get("acme", "a"));
	}
	raw("SET %b %b", KEY, sizeof(KEY) - 1, value->str, value->len);
	freeReplyObject(value);
	open_with(secret); /* another process with the same secret */
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "true", 4);
}

static void without_secret_only_own_values_hit(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		open_with("");
		assert_false(get("acme", "a"));
		cache_set(cache, key("acme", "a"), "mine", 4, 60000);
		assert_true(get("acme", "a"));
	}
}

/* An expired value is stored again without an expiry. */
static void value_restored_by_server_is_expired(void **state)
{
	redisReply *value;

	(void)state;
	cache_set(cache, key("acme", "a"), "old", 3, 2000);
	value = stored(KEY, sizeof(KEY) - 1);
	for (int i = 0; !value->str; i++) { /* not stored yet */
		assert_true(i < 200);
		freeReplyObject(value);
		loop_run_once(loop);
		value = stored(KEY, sizeof(KEY) - 1);
	}
	usleep(2050000);
	raw("SET %b %b", KEY, sizeof(KEY) - 1, value->str, value->len);
	assert_false(get("acme", "a"));
	freeReplyObject(value);
}

/* Whatever another client writes to a bucket, it still limits. */
static void invalid_token_bucket_counts_as_full(void **state)
{
	static const char *const left[] = {
		"nan", "-nan",       "inf", "-inf", "1e308", "-1", "4", "abc", "0x7fffffffffffffff",
		"",    "99999999999"};
	static const char *const at[] = {"nan", "-inf", "inf", "1e308", "abc", "99999999999999"};
	const char *const name = "vesper:m:acme\0m";
	const size_t len = sizeof("vesper:m:acme\0m") - 1;

	(void)state;
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]) * 2; i++) {
		size_t at_most = sizeof(at) / sizeof(at[0]);
		raw("DEL %b", name, len);
		if (i < sizeof(left) / sizeof(left[0]))
			raw("HSET %b left %s at 0", name, len, left[i]);
		else if (i - sizeof(left) / sizeof(left[0]) < at_most)
			raw("HSET %b left 0 at %s", name, len,
			    at[i - sizeof(left) / sizeof(left[0])]);
		else
			raw("LPUSH %b x", name, len);
		for (int n = 0; n < 3; n++)
			assert_true(consume("m", 3, NULL, 0));
		assert_false(consume("m", 3, NULL, 0));
		assert_true(is_up());
	}
}

static void key_of_another_type_misses(void **state)
{
	(void)state;
	raw("LPUSH %b x", KEY, sizeof(KEY) - 1);
	raw("LPUSH %b x", "vesper:l:acme\0a", (size_t)15);
	assert_false(get("acme", "a"));
	assert_false(lock("a", "mine", 60000));
	cache_set(cache, key("acme", "a"), "1", 1, 60000); /* replaces it */
	assert_true(get("acme", "a"));
}

/* A server that refuses writes does not slow callers down. */
static void full_server_misses(void **state)
{
	(void)state;
	raw("CONFIG SET maxmemory 1");
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	assert_false(get("acme", "a"));
	assert_false(lock("a", "mine", 60000));
	raw("CONFIG SET maxmemory 0");
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	assert_true(get("acme", "a"));
}

/* ---- the address ---- */

static void database_number_is_used(void **state)
{
	redisReply *reply;

	(void)state;
	cache_free(&cache);
	open_cache("redis://localhost", "/3"); /* a name, which is looked up */
	wait_until_up(true);
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	assert_true(get("acme", "a"));
	reply = redisCommand(other_client, "DBSIZE");
	assert_int_equal(reply->integer, 0);
	freeReplyObject(reply);
}

static void login_is_sent(void **state)
{
	(void)state;
	raw("ACL SETUSER vesper on >p@ss ~vesper:* +@all");
	cache_free(&cache);
	open_cache("redis://vesper:p%40ss@127.0.0.1", "");
	wait_until_up(true);
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	assert_true(get("acme", "a"));
	cache_free(&cache);
	open_cache("redis://vesper:wrong@127.0.0.1", "");
	for (int i = 0; i < 200; i++) {
		assert_false(get("acme", "a"));
		assert_false(is_up());
		usleep(1000);
	}
	raw("ACL DELUSER vesper");
}

/* ---- outages ---- */

static void paused_server_is_waited_for_once(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	assert_true(get("acme", "a"));
	redis_service_do(&service, "pause");
	assert_false(get("acme", "a")); /* waits for the whole budget */
	assert_false(is_up());
	for (int i = 0; i < 100; i++) { /* from now on no call waits */
		answers = 0;
		cache_get(cache, key("acme", "a"), on_value, NULL);
		cache_lock(cache, key("acme", "a"), "t", 1000, on_lock, NULL);
		cache_set(cache, key("acme", "b"), "1", 1, 60000);
		loop_run_once(loop);
		assert_int_equal(answers, 2);
		assert_false(found || locked);
		usleep(2000); /* reconnects meanwhile: the kernel accepts for a paused server */
	}
	assert_false(is_up());
	redis_service_do(&service, "resume");
	wait_until_up(true);
	clock_offset_us += REDIS_WAIT_BUDGET_WINDOW_MS * 1000; /* refills the wait budget */
	for (int i = 0; i < 100 && !get("acme", "a"); i++)
		usleep(20000);
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "1", 1);
}

/* Each pending operation ends, and none gets the reply of another. */
static void pending_operations_of_paused_server_end(void **state)
{
	struct op *op;

	(void)state;
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	assert_true(get("acme", "a"));
	redis_service_do(&service, "pause");
	answers = 0;
	found = locked = true;
	op = cache_get(cache, key("acme", "a"), on_value, NULL);
	cache_get(cache, key("acme", "b"), on_value, NULL);
	cache_lock(cache, key("acme", "a"), "t", 1000, on_lock, NULL);
	op_cancel(&op);
	wait_for(2);
	assert_false(found || locked);
	redis_service_do(&service, "resume");
	wait_until_up(true);
}

static void restarted_server_is_empty(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	assert_true(get("acme", "a"));
	redis_service_do(&service, "kill");
	assert_false(get("acme", "a"));
	wait_until_up(false);
	assert_false(get("acme", "a"));
	redis_service_do(&service, "restart");
	redisFree(other_client);
	other_client = redis_service_connect(&service);
	wait_until_up(true);
	assert_false(get("acme", "a"));
	for (int i = 0; i < 100 && !get("acme", "a"); i++)
		cache_set(cache, key("acme", "a"), "2", 1, 60000);
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "2", 1);
}

static void server_may_be_down_at_start(void **state)
{
	(void)state;
	cache_free(&cache);
	redis_service_do(&service, "kill");
	open_cache("redis://127.0.0.1", "");
	assert_false(get("acme", "a"));
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	assert_false(lock("a", "t", 1000));
	assert_false(is_up());
	redis_service_do(&service, "restart");
	redisFree(other_client);
	other_client = redis_service_connect(&service);
	wait_until_up(true);
}

static void unknown_host_name_misses(void **state)
{
	(void)state;
	cache_free(&cache);
	open_cache("redis://unknown.invalid", "");
	for (int i = 0; i < 50; i++) {
		assert_false(get("acme", "a"));
		usleep(2000);
	}
	assert_false(is_up());
}

/* The process may end whatever state the connection is in. */
static void cache_can_be_freed_in_any_state(void **state)
{
	(void)state;
	for (int turns = 0; turns < 12; turns++) {
		cache_free(&cache);
		open_cache(turns % 2 ? "redis://127.0.0.1" : "redis://localhost", "");
		for (int i = 0; i < turns; i++) {
			loop_run_once(loop);
			usleep(500);
		}
		cache_set(cache, key("acme", "a"), "1", 1, 60000);
		struct op *op = cache_get(cache, key("acme", "a"), on_value, NULL);
		op_cancel(&op);
	}
}

static int start_service(void **state)
{
	(void)state;
	is_installed = redis_service_start(&service);
	if (!is_installed)
		print_message("redis-server is not installed: skipped\n");
	return 0;
}

static int stop_service(void **state)
{
	(void)state;
	if (is_installed)
		redis_service_do(&service, "stop");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONTRACT_TESTS,
		TEST(keys_contain_the_tenant),
		TEST(stored_values_have_an_expiry),
		TEST(value_under_another_key_misses),
		TEST(changed_value_misses),
		TEST(value_with_another_secret_misses),
		TEST(without_secret_only_own_values_hit),
		TEST(value_restored_by_server_is_expired),
		TEST(invalid_token_bucket_counts_as_full),
		TEST(key_of_another_type_misses),
		TEST(full_server_misses),
		TEST(database_number_is_used),
		TEST(login_is_sent),
		TEST(paused_server_is_waited_for_once),
		TEST(pending_operations_of_paused_server_end),
		TEST(restarted_server_is_empty),
		TEST(server_may_be_down_at_start),
		TEST(unknown_host_name_misses),
		TEST(cache_can_be_freed_in_any_state),
	};

	return cmocka_run_group_tests(tests, start_service, stop_service);
}
