/* Embed tokens over HTTP: requests, sharing, caching by caller, and failures: refusals, throttling
 * and invalid replies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tiny_service.h"
#include "vesper/limits.h"
#include "vesper/pbi.h"

#define NOW_MS INT64_C(1772182800000) /* 2026-02-27T09:00:00Z */
#define REPORT "5b210000-0000-4000-8000-000000000002"
#define PLACE  "f0890000-0000-4000-8000-000000000001/" REPORT
#define SECRET "s3cr=t &+%"

static struct pbi *pbi;

static const struct pbi_report reports[] = {{"prices", PLACE}, {"budget", PLACE}};
static const char *const hosts[] = {"app.powerbi.com", "app.powerbigov.us", NULL};
static const struct pbi_role roles[] = {{"chat:use", "Reader"}, {"chat:read_budget", "Budget"}};
static const char *const viewer[] = {"chat:use"};
static const char *const manager[] = {"chat:use", "chat:read_budget"};
static const struct principal ann = {
	.user = "ann", .tenant = "vesper", .permissions = manager, .permission_count = 2};

static const char *embed_url = "https://app.powerbi.com/reportEmbed?config=e";

struct answer {
	size_t count;
	char token[40];
	int64_t expires_ms;
	struct err e;
};

static void on_embed(void *owner, const struct pbi_embed *embed, const struct err *e)
{
	struct answer *a = owner;

	a->count++;
	a->e = e ? *e : (struct err){0};
	if (embed) {
		snprintf(a->token, sizeof(a->token), "%s", embed->token);
		a->expires_ms = embed->expires_ms;
		assert_string_equal(embed->report_id, REPORT);
		assert_string_equal(embed->embed_url, embed_url);
	}
}

static struct pbi_options options(void)
{
	return (struct pbi_options){
		.loop = loop,
		.http = http,
		.login_url = server.url,
		.api_url = server.url,
		.scope = "https://analysis.example/api/.default",
		.hosts = hosts,
		.tenant_id = "contoso.com",
		.client_id = "app",
		.client_secret = SECRET,
		.identity = PBI_IDENTITY_USER,
		.reports = reports,
		.report_count = 2,
		.roles = roles,
		.role_count = 2,
	};
}

static int setup(void **state)
{
	struct pbi_options o;

	(void)state;
	service_open(NOW_MS);
	o = options();
	assert_true(pbi_new(&o, &pbi, NULL));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	pbi_free(&pbi);
	service_close();
	return 0;
}

static void will_sign_in(void)
{
	will_answer("200 x", "{\"token_type\":\"Bearer\",\"expires_in\":3599,"
			     "\"access_token\":\"service-1\"}");
}

static void will_describe_at(const char *url)
{
	char *body =
		mem_printf("{\"id\":\"5b21\",\"datasetId\":\"cfaf\",\"embedUrl\":\"%s\"}", url);

	will_answer("200 x", body);
	mem_free(body);
}

static void will_describe(void)
{
	will_describe_at(embed_url);
}

static void will_return_token(const char *token)
{
	char *body =
		mem_printf("{\"token\":\"%s\",\"expiration\":\"2026-02-27T10:00:00Z\"}", token);

	will_answer("200 x", body);
	mem_free(body);
}

static void wait_for(const struct answer *a, size_t count)
{
	while (a->count < count)
		loop_run_once(loop);
}

static struct answer embed(const struct principal *who, const char *key)
{
	struct answer a = {0};

	pbi_embed(pbi, who, key, on_embed, &a);
	assert_int_equal(a.count, 0);
	wait_for(&a, 1);
	return a;
}

static struct answer first_embed(void)
{
	will_sign_in();
	will_describe();
	will_return_token("embed-1");
	return embed(&ann, "prices");
}

static bool request_contains(size_t i, const char *part)
{
	return strstr(server.requests[i], part) != NULL;
}

static void requests_token_as_service_expects(void **state)
{
	struct answer a;

	(void)state;
	a = first_embed();
	assert_string_equal(a.token, "embed-1");
	assert_int_equal(a.expires_ms, NOW_MS + 3600000);
	assert_int_equal(server.request_count, 3);
	assert_true(request_contains(0, "POST /contoso.com/oauth2/v2.0/token "));
	assert_true(request_contains(0, "grant_type=client_credentials&scope=https%3A%2F%2F"));
	assert_true(request_contains(0, "&client_id=app&client_secret=s3cr%3Dt%20%26%2B%25"));
	assert_true(request_contains(
		1,
		"GET /v1.0/myorg/groups/f0890000-0000-4000-8000-000000000001/reports/" REPORT " "));
	assert_true(request_contains(1, "Authorization: Bearer service-1\r\n"));
	assert_true(request_contains(2, "/GenerateToken "));
	assert_true(request_contains(
		2, "\"accessLevel\":\"View\",\"allowSaveAs\":false,"
		   "\"lifetimeInMinutes\":60,\"identities\":[{\"username\":\"ann\","
		   "\"roles\":[\"Reader\",\"Budget\"],\"customData\":\"vesper\","
		   "\"datasets\":[\"cfaf\"]}]}"));
}

static void waiting_callers_share_request(void **state)
{
	struct answer some[3] = {0}, cancelled = {0};
	struct op *cancelled_op;

	(void)state;
	will_sign_in();
	will_describe();
	will_return_token("embed-1");
	pbi_embed(pbi, &ann, "prices", on_embed, &some[0]);
	cancelled_op = pbi_embed(pbi, &ann, "prices", on_embed, &cancelled);
	pbi_embed(pbi, &ann, "prices", on_embed, &some[1]);
	pbi_embed(pbi, &ann, "prices", on_embed, &some[2]);
	op_cancel(&cancelled_op);
	for (int i = 0; i < 3; i++) {
		wait_for(&some[i], 1);
		assert_string_equal(some[i].token, "embed-1");
	}
	assert_int_equal(cancelled.count, 0);
	assert_int_equal(server.request_count, 3);
}

static void caches_token_until_shortly_before_expiry(void **state)
{
	(void)state;
	first_embed();
	clock_advance_ms(3600000 - PBI_EARLY_MS - 1);
	assert_string_equal(embed(&ann, "prices").token, "embed-1");
	assert_int_equal(server.request_count, 3);
	clock_advance_ms(1); /* the service principal's token has expired, too */
	will_sign_in();
	will_describe();
	will_return_token("embed-2");
	assert_string_equal(embed(&ann, "prices").token, "embed-2");
}

static void never_shares_tokens_between_callers(void **state)
{
	struct principal others[] = {ann, ann, ann};
	char token[20];

	(void)state;
	first_embed();
	others[0].tenant = "acme";
	others[1].user = "bob";
	others[2].permissions = viewer;
	others[2].permission_count = 1;
	for (size_t i = 0; i < 3; i++) {
		snprintf(token, sizeof(token), "other-%zu", i);
		will_describe();
		will_return_token(token);
		assert_string_equal(embed(&others[i], "prices").token, token);
	}
	will_describe();
	will_return_token("embed-2");
	assert_string_equal(embed(&ann, "budget").token, "embed-2");
	assert_string_equal(embed(&ann, "prices").token, "embed-1");
	assert_true(request_contains(8, "\"roles\":[\"Reader\"],"));
}

static void renews_refused_service_token_once(void **state)
{
	struct answer a;

	(void)state;
	will_sign_in();
	will_answer("401 x", "");
	will_sign_in();
	will_describe();
	will_return_token("embed-1");
	assert_string_equal(embed(&ann, "prices").token, "embed-1");
	will_answer("401 x", "");
	will_sign_in();
	will_answer("401 x", "{\"error\":{\"code\":\"TokenExpired\"}}");
	a = embed(&ann, "budget");
	assert_int_equal(a.e.code, ERR_UPSTREAM);
	assert_non_null(strstr(a.e.text, "401, TokenExpired"));
}

static void reports_failures_and_does_not_cache_them(void **state)
{
	static const struct {
		const char *status, *body, *text;
	} bad[] = {
		{"403 x", "{\"error\":{\"code\":\"PowerBINotAuthorizedException\"}}", "NotAuth"},
		{"500 x", "<html>", "no code"},
		{"200 x", "{", "JSON"},
		{"200 x", "[]", "not a JSON object"},
		{"200 x", "{\"embedUrl\":\"javascript:alert(1)\"}", "https"},
		{"200 x", "{\"datasetId\":\"x\"}", "embedUrl"},
		{"404 x", "{\"error\":{\"code\":\"a\\nb\"}}", "no code"},
	};
	struct answer a;

	(void)state;
	will_answer("401 x", "{\"error\":\"invalid_client\",\"error_description\":\"" SECRET "\"}");
	a = embed(&ann, "prices");
	assert_int_equal(a.e.code, ERR_UPSTREAM);
	assert_non_null(strstr(a.e.text, "signing in"));
	assert_non_null(strstr(a.e.text, "invalid_client"));
	assert_null(strstr(a.e.text, SECRET));
	will_sign_in();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		will_answer(bad[i].status, bad[i].body);
		a = embed(&ann, "prices");
		assert_int_equal(a.e.code, ERR_UPSTREAM);
		if (!strstr(a.e.text, bad[i].text) && strcmp(bad[i].text, "JSON") != 0)
			fail_msg("%s is not in %s", bad[i].text, a.e.text);
	}
	will_describe();
	will_answer("200 x", "{\"token\":\"t\",\"expiration\":\"soon\"}");
	assert_int_equal(embed(&ann, "prices").e.code, ERR_UPSTREAM);
	will_describe();
	will_return_token("embed-1");
	assert_string_equal(embed(&ann, "prices").token, "embed-1");
}

static void respects_retry_after(void **state)
{
	struct answer a;

	(void)state;
	first_embed();
	will_answer("429 x\r\nRetry-After: 30", "");
	a = embed(&ann, "budget");
	assert_int_equal(a.e.code, ERR_LIMIT);
	assert_int_equal(a.e.retry_after_ms, 30000);
	clock_advance_ms(29000);
	a = embed(&ann, "budget");
	assert_int_equal(a.e.code, ERR_LIMIT);
	assert_int_equal(a.e.retry_after_ms, 1000);
	assert_int_equal(server.request_count, 4);
	assert_string_equal(embed(&ann, "prices").token, "embed-1");
	clock_advance_ms(1000);
	will_describe();
	will_return_token("embed-2");
	assert_string_equal(embed(&ann, "budget").token, "embed-2");
	will_answer("429 x\r\nRetry-After: 999999", "");
	assert_int_equal(
		embed(&(struct principal){.user = "x", .tenant = "y"}, "budget").e.retry_after_ms,
		JSON_FETCH_PAUSE_MAX_MS);
}

static void limits_cached_tokens(void **state)
{
	char user[20];

	(void)state;
	first_embed();
	will_answer("429 x", ""); /* from now on every new token fails without a request */
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < PBI_EMBEDS_MAX - (round == 0); i++) {
			struct principal other = ann;

			snprintf(user, sizeof(user), "%d-%d", round, i);
			other.user = user;
			assert_int_equal(embed(&other, "prices").e.code, ERR_LIMIT);
		}
		assert_int_equal(embed(&ann, "prices").e.code, round == 0 ? 0 : ERR_LIMIT);
	}
}

static void can_be_freed_while_service_hangs(void **state)
{
	struct answer a = {0};

	(void)state;
	tiny_server_add(&server, (struct tiny_reply){.text = "HTTP/1.1 200 x\r\n", .hang = true});
	pbi_embed(pbi, &ann, "prices", on_embed, &a);
	while (server.request_count < 1)
		loop_run_once(loop);
	pbi_free(&pbi);
	for (int i = 0; i < 10; i++)
		loop_run_once(loop);
	assert_int_equal(a.count, 0);
}

static void times_out_if_service_hangs(void **state)
{
	(void)state;
	tiny_server_add(&server, (struct tiny_reply){.text = "HTTP/1.1 200 x\r\n", .hang = true});
	assert_int_equal(embed(&ann, "prices").e.code, ERR_TIMEOUT);
}

/* Reports opened in the page must come from configured hosts. */
static void refuses_reports_from_other_hosts(void **state)
{
	static const char *const elsewhere[] = {"http://app.powerbi.com/x",
						"https://evil.example/app.powerbi.com",
						"https://app.powerbi.com@evil.example",
						"https://app.powerbi.com.evil.example/x",
						"https://app.powerbi.com:444/x",
						"https://app.powerbi.co",
						"https://app.powerbi.com\\\\@evil.example",
						"https:///app.powerbi.com"};
	static const char *const ours[] = {"https://app.powerbigov.us/reportEmbed?x",
					   "https://APP.powerbi.com?x"};
	const char *original_url = embed_url;

	(void)state;
	will_sign_in();
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
		will_describe_at(elsewhere[i]);
		assert_int_equal(embed(&ann, "prices").e.code, ERR_UPSTREAM);
	}
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		embed_url = ours[i];
		will_describe();
		will_return_token("embed-1");
		assert_int_equal(embed(&ann, reports[i].key).e.code, ERR_NONE);
	}
	embed_url = original_url;
}

static void refuses_invalid_options_and_hosts(void **state)
{
	static const struct pbi_report wrong[] = {{"prices", "../../x/y"}, {"prices", "x"}};
	static const char *const hosts_wrong[] = {"a;b", "a b", "*.powerbi.com", "a'", "", "a/b"};
	struct pbi_options o[] = {options(), options(), options(), options(),
				  options(), options(), options()};
	struct pbi *none = NULL;
	struct err e;

	(void)state;
	o[0].login_url = "http://login.example";
	o[1].api_url = "ftp://x";
	o[2].client_secret = "";
	o[3].tenant_id = "../x";
	o[4].reports = &wrong[0];
	o[5].reports = &wrong[1];
	o[6].scope = "";
	for (size_t i = 0; i < sizeof(o) / sizeof(o[0]); i++) {
		o[i].report_count = 1;
		assert_false(pbi_new(&o[i], &none, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_null(strstr(e.text, SECRET));
	}
	for (size_t i = 0; i < sizeof(hosts_wrong) / sizeof(hosts_wrong[0]); i++)
		assert_false(pbi_hosts_check((const char *[]){hosts_wrong[i], NULL}, &e));
	assert_true(pbi_hosts_check(hosts, &e));
	assert_true(pbi_has(pbi, "prices"));
	assert_false(pbi_has(pbi, "other"));
	assert_false(pbi_has(NULL, "prices"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(requests_token_as_service_expects),
		TEST(waiting_callers_share_request),
		TEST(caches_token_until_shortly_before_expiry),
		TEST(never_shares_tokens_between_callers),
		TEST(renews_refused_service_token_once),
		TEST(reports_failures_and_does_not_cache_them),
		TEST(respects_retry_after),
		TEST(limits_cached_tokens),
		TEST(can_be_freed_while_service_hangs),
		TEST(times_out_if_service_hangs),
		TEST(refuses_reports_from_other_hosts),
		TEST(refuses_invalid_options_and_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
