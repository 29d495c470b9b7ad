/* Fetches the issuer's keys over HTTP: discovery, rotation, outages, and the limits of early
 * fetches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rsa_key.h"
#include "tiny_service.h"
#include "vesper/health.h"
#include "vesper/identity.h"
#include "vesper/limits.h"
#include "vesper/metric.h"

#define NOW_MS INT64_C(1772182800000)
#define CLAIMS "{\"sub\":\"ann\",\"tenant_id\":\"vesper\",\"permissions\":[],\"exp\":1772282900}"

static const char *const tenants[] = {"vesper", NULL};
static EVP_PKEY *key;
static struct identity *identity;

static int make_key(void **state)
{
	(void)state;
	key = rsa_key_new(2048);
	return 0;
}

static int free_key(void **state)
{
	(void)state;
	EVP_PKEY_free(key);
	return 0;
}

static int setup(void **state)
{
	(void)state;
	service_open(NOW_MS);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	identity_free(&identity);
	service_close();
	health_reset();
	metric_reset();
	return 0;
}

static void will_answer_keys(const char *kid)
{
	struct buf set;

	buf_init(&set, 10000);
	buf_str(&set, "{\"keys\":[");
	rsa_key_jwk(&set, key, kid, "");
	buf_str(&set, "]}");
	will_answer("200 x", buf_text(&set));
	buf_deinit(&set);
}

static void open_at(const char *path)
{
	char *url = mem_printf("%s%s", server.url, path);
	const struct identity_options o = {
		.jwt = {.tenants = tenants, .leeway_s = 60},
		.jwks_url = url,
		.jwks_refresh_ms = 3600000,
		.loop = loop,
		.http = http,
	};
	struct err e;

	if (!identity_new(&o, &identity, &e))
		fail_msg("%s", e.text);
	mem_free(url);
}

/* Runs the loop until the server got this many requests and no transfer is running. */
static void settle(size_t requests)
{
	for (int i = 0; i < 5000000 && (server.request_count < requests || http_running(http) > 0);
	     i++)
		loop_run_once(loop);
	assert_int_equal(server.request_count, requests);
	assert_int_equal(http_running(http), 0);
}

static bool accepts(const char *kid)
{
	struct principal *who = NULL;
	struct buf token;
	char header[80];
	bool is_accepted;

	snprintf(header, sizeof(header), "{\"alg\":\"RS256\",\"kid\":\"%s\"}", kid);
	buf_init(&token, 10000);
	rsa_key_sign(&token, key, header, CLAIMS);
	is_accepted = identity_token(identity, (struct str){token.p, token.n}, &who, NULL);
	principal_free(&who);
	buf_deinit(&token);
	return is_accepted;
}

static void ready_after_first_keys(void **state)
{
	(void)state;
	will_answer_keys("a");
	open_at("/keys");
	assert_false(health_is_ready());
	assert_false(accepts("a")); /* no caller waits, not even for the first set */
	settle(1);
	assert_true(health_is_ready());
	assert_true(accepts("a"));
}

static void discovery(void **state)
{
	char *document = mem_printf("{\"issuer\":\"x\",\"jwks_uri\":\"%s/elsewhere\"}", server.url);

	(void)state;
	will_answer("200 x", document);
	mem_free(document);
	will_answer_keys("a");
	open_at("/t/.well-known/openid-configuration");
	settle(2);
	assert_true(accepts("a"));
	assert_non_null(strstr(server.requests[1], "GET /elsewhere "));
}

static void discovery_rejects_insecure_key_url(void **state)
{
	(void)state;
	will_answer("200 x", "{\"jwks_uri\":\"http://keys.example/\"}");
	open_at("/.well-known/openid-configuration");
	settle(1);
	assert_false(health_is_ready());
}

static void accepts_rotated_keys(void **state)
{
	(void)state;
	will_answer_keys("a");
	will_answer_keys("b");
	open_at("/keys");
	settle(1);
	assert_false(accepts("b"));
	settle(2);
	assert_true(accepts("b"));
	assert_false(accepts("a"));
}

/* Any caller can name a key that does not exist. A new key is still fetched when the next fetch is
 * allowed, without another token that names it. */
static void unknown_kid_does_not_delay_a_new_key(void **state)
{
	(void)state;
	will_answer_keys("a");
	will_answer_keys("a");
	will_answer_keys("b");
	open_at("/keys");
	settle(1);
	assert_false(accepts("nobody"));
	settle(2);
	clock_advance_ms(JWKS_UNKNOWN_MS - 20);
	assert_false(accepts("b"));
	assert_false(accepts("nobody"));
	settle(3);
	assert_true(accepts("b"));
}

static void unknown_kids_fetch_at_limited_rate(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		will_answer_keys("a");
	open_at("/keys");
	settle(1);
	for (int i = 0; i < 100; i++)
		assert_false(accepts("nobody"));
	settle(2);
	clock_advance_ms(JWKS_UNKNOWN_MS);
	for (int i = 0; i < 100; i++)
		assert_false(accepts("nobody"));
	settle(3);
}

static void outage_keeps_the_last_good_set(void **state)
{
	static const char *const invalid[] = {"{}", "{\"keys\":[]}", "<html>"};

	(void)state;
	will_answer_keys("a");
	for (size_t i = 0; i < 3; i++)
		will_answer(i == 0 ? "503 x" : "200 x", invalid[i]);
	open_at("/keys");
	settle(1);
	for (size_t i = 0; i < 3; i++) {
		assert_false(accepts("nobody"));
		settle(2 + i);
		assert_true(health_is_ready());
		assert_false(health_is_healthy());
		assert_true(accepts("a"));
		clock_advance_ms(JWKS_UNKNOWN_MS);
	}
}

static void rejects_oversized_key_set(void **state)
{
	char *text = mem_alloc(JWKS_BYTES_MAX + 2);

	(void)state;
	memset(text, ' ', JWKS_BYTES_MAX + 1);
	will_answer("200 x", text);
	mem_free(text);
	open_at("/keys");
	settle(1);
	assert_false(health_is_ready());
}

static void checks_key_addresses(void **state)
{
	static const char *const invalid[] = {"http://keys.example/", "http://127.0.0.1.evil/",
					      "keys", "ftp://x/", "https:/x"};
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		const struct identity_options o = {.jwt.tenants = tenants,
						   .jwks_url = invalid[i],
						   .jwks_refresh_ms = 1000,
						   .loop = loop,
						   .http = http};

		assert_false(identity_new(&o, &identity, &e));
		assert_null(identity);
	}
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(ready_after_first_keys),
		CASE(discovery),
		CASE(discovery_rejects_insecure_key_url),
		CASE(accepts_rotated_keys),
		CASE(unknown_kid_does_not_delay_a_new_key),
		CASE(unknown_kids_fetch_at_limited_rate),
		CASE(outage_keeps_the_last_good_set),
		CASE(rejects_oversized_key_set),
		CASE(checks_key_addresses),
	};
	return cmocka_run_group_tests(tests, make_key, free_key);
}
