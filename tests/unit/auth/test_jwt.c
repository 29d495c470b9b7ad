/* Tokens: the valid form, and malformed or invalid ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/jwt.h"
#include "vesper/limits.h"

#define SECRET "0123456789abcdef0123456789abcdef"
#define NOW_S  INT64_C(1772182800)
#define HS256  "{\"alg\":\"HS256\",\"typ\":\"JWT\"}"
#define WHO    "\"sub\":\"ann\",\"tenant_id\":\"vesper\""
#define PERMS  "\"permissions\":[\"chat:use\"]"
#define EXP    "\"exp\":1772182900"
#define GOOD   "{" WHO "," PERMS "," EXP "}"

static const char *const tenants[] = {"vesper", "acme", NULL};
static const struct jwt_options plain = {
	.hs256_secret = SECRET, .tenants = tenants, .leeway_s = 60};

/* header.payload.signature of exactly these bytes. */
static void sign(struct buf *out, const char *header, const char *payload, const char *secret)
{
	buf_init(out, 100000);
	hash_base64url(out, header, strlen(header));
	buf_char(out, '.');
	hash_base64url(out, payload, strlen(payload));
	uint8_t sum[HASH_SHA256_BYTES];
	hash_hmac_sha256(secret, strlen(secret), buf_text(out), out->n, sum);
	buf_char(out, '.');
	hash_base64url(out, sum, sizeof(sum));
}

static struct principal *accept_with(const struct jwt_options *options, const char *header,
				     const char *payload)
{
	struct buf token;
	sign(&token, header, payload, SECRET);
	struct principal *who = NULL;
	struct err e;
	if (!jwt_verify((struct str){token.p, token.n}, options, NOW_S * 1000, &who, &e))
		fail_msg("%s: %s", payload, e.text);
	buf_deinit(&token);
	return who;
}

static void accepted(const char *header, const char *payload)
{
	struct principal *who = accept_with(&plain, header, payload);
	principal_free(&who);
}

static void refuse_token(struct str token, const struct jwt_options *options, const char *why)
{
	struct principal *who = NULL;
	struct err e = {0};
	if (jwt_verify(token, options, NOW_S * 1000, &who, &e))
		fail_msg("accepted; wanted: %s", why);
	assert_null(who);
	assert_int_equal(e.code, ERR_AUTH);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" is not in: %s", why, e.text);
}

static void refused(const struct jwt_options *options, const char *header, const char *payload,
		    const char *why)
{
	struct buf token;
	sign(&token, header, payload, SECRET);
	refuse_token((struct str){token.p, token.n}, options, why);
	buf_deinit(&token);
}

static void verifies_valid_token(void **state)
{
	(void)state;
	struct principal *who = accept_with(&plain, HS256, GOOD);
	assert_string_equal(who->user, "ann");
	assert_string_equal(who->tenant, "vesper");
	assert_int_equal(who->permission_count, 1);
	assert_true(may(who, "chat:use"));
	assert_int_equal(who->expires_ms, INT64_C(1772182900000));
	principal_free(&who);
}

/* The example of RFC 7515, appendix A.1: the signature is valid, so only the claims are refused. */
static void verifies_published_vector(void **state)
{
	(void)state;
	const char *key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-"
			  "1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
	const char *token =
		"eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
		"eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9p"
		"c19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
	struct buf secret;
	buf_init(&secret, 100);
	assert_true(hash_base64url_decode(&secret, key, strlen(key)));
	assert_null(memchr(secret.p, 0, secret.n));
	struct jwt_options options = plain;
	options.hs256_secret = secret.p;
	refuse_token(str_of(token), &options, "expired");
	buf_deinit(&secret);
}

static void signature(void **state)
{
	(void)state;
	struct buf token;
	sign(&token, HS256, GOOD, "another secret that nobody knows!!");
	refuse_token((struct str){token.p, token.n}, &plain, "wrong signature");
	buf_deinit(&token);

	sign(&token, HS256, GOOD, SECRET);
	for (size_t i = 0; i < token.n; i++) { /* any changed character is refused */
		char kept = token.p[i];
		token.p[i] = kept == 'A' ? 'B' : 'A';
		struct principal *who = NULL;
		if (jwt_verify((struct str){token.p, token.n}, &plain, NOW_S * 1000, &who, NULL))
			fail_msg("character %zu", i);
		token.p[i] = kept;
	}
	for (size_t n = 0; n < token.n; n++) { /* so is any truncation */
		struct principal *who = NULL;
		assert_false(
			jwt_verify((struct str){token.p, n}, &plain, NOW_S * 1000, &who, NULL));
	}
	buf_deinit(&token);

	struct jwt_options closed = plain;
	closed.hs256_secret = "";
	refused(&closed, HS256, GOOD, "HS256 is not accepted");
	closed.hs256_secret = NULL;
	refused(&closed, HS256, GOOD, "HS256 is not accepted");
}

static void algorithms(void **state)
{
	(void)state;
	refused(&plain, "{\"alg\":\"none\"}", GOOD, "algorithm not accepted");
	refused(&plain, "{\"alg\":\"None\"}", GOOD, "algorithm not accepted");
	refused(&plain, "{\"alg\":\"\"}", GOOD, "algorithm not accepted");
	refused(&plain, "{\"alg\":\"hs256\"}", GOOD, "algorithm not accepted");
	refused(&plain, "{\"alg\":\"HS512\"}", GOOD, "algorithm not accepted");
	refused(&plain, "{\"alg\":\"RS256\"}", GOOD, "RS256 is not accepted");
	refused(&plain, "{\"typ\":\"JWT\"}", GOOD, "alg missing");
	refused(&plain, "{\"alg\":5}", GOOD, "alg missing");
	refused(&plain, "{\"alg\":[\"HS256\"]}", GOOD, "alg missing");

	struct buf token; /* alg none with its empty signature */
	buf_init(&token, 1000);
	hash_base64url(&token, "{\"alg\":\"none\"}", 14);
	buf_char(&token, '.');
	hash_base64url(&token, GOOD, strlen(GOOD));
	buf_char(&token, '.');
	refuse_token((struct str){token.p, token.n}, &plain, "algorithm not accepted");
	buf_deinit(&token);
}

static void headers(void **state)
{
	(void)state;
	accepted("{\"alg\":\"HS256\"}", GOOD);
	accepted("{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"x\"}", GOOD);
	accepted("{\"alg\":\"HS256\",\"typ\":\"jwt\"}", GOOD);
	refused(&plain, "{\"alg\":\"HS256\",\"typ\":\"JWE\"}", GOOD, "wrong typ");
	refused(&plain, "{\"alg\":\"HS256\",\"typ\":5}", GOOD, "wrong typ");
	refused(&plain, "{\"alg\":\"HS256\",\"crit\":[\"exp\"]}", GOOD, "crit");
	refused(&plain, "{\"alg\":\"HS256\",\"crit\":[]}", GOOD, "crit");
	refused(&plain, "{\"alg\":\"none\",\"alg\":\"HS256\"}", GOOD, "bad header");
	refused(&plain, "[\"HS256\"]", GOOD, "not an object");
	refused(&plain, "\"HS256\"", GOOD, "not an object");
	refused(&plain, "{\"alg\":\"HS256\"", GOOD, "bad header");
	refused(&plain, "", GOOD, "bad header");
}

static void rejects_malformed_tokens(void **state)
{
	(void)state;
	const char *bad[] = {"", ".", "..", "a.b", "a.b.c.d", "....", "e30", "null"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuse_token(str_of(bad[i]), &plain, "token:");
	refuse_token((struct str){NULL, 0}, &plain, "not three parts");
	/* Not canonical: padding, the other base64 alphabet, stray bits, white space. */
	refuse_token(STR("e30=.e30.AAAA"), &plain, "not base64url");
	refuse_token(STR("e3+/.e30.AAAA"), &plain, "not base64url");
	refuse_token(STR("e31.e30.AAAA"), &plain, "not base64url");
	refuse_token(STR(" e30.e30.AAAA"), &plain, "not base64url");
}

static void rejects_stray_bits_in_signature(void **state)
{
	(void)state;
	struct buf token;
	sign(&token, HS256, GOOD, SECRET);
	/* 32 bytes leave two unused bits in the last of 43 characters: only one encoding is valid.
	 */
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	int good = 0;
	for (size_t i = 0; i < 64; i++) {
		struct principal *who = NULL;
		token.p[token.n - 1] = alphabet[i];
		good += jwt_verify((struct str){token.p, token.n}, &plain, NOW_S * 1000, &who,
				   NULL);
		principal_free(&who);
	}
	assert_int_equal(good, 1);
	buf_deinit(&token);
}

static void rejects_oversized_tokens(void **state)
{
	(void)state;
	static char payload[TOKEN_BYTES_MAX];
	int room = (int)(TOKEN_BYTES_MAX * 3 / 4 - strlen(HS256) - strlen(GOOD) - 60);
	snprintf(payload, sizeof(payload), "{\"pad\":\"%0*d\"," WHO "," PERMS "," EXP "}", room, 1);
	accepted(HS256, payload);
	snprintf(payload, sizeof(payload), "{\"pad\":\"%0*d\"," WHO "," PERMS "," EXP "}",
		 room + 100, 1);
	refused(&plain, HS256, payload, "too long");
}

static void times(void **state)
{
	(void)state;
	/* The leeway is 60 s: exp + 60 is the first moment that is too late. */
	accepted(HS256, "{" WHO "," PERMS ",\"exp\":1772182741}");
	refused(&plain, HS256, "{" WHO "," PERMS ",\"exp\":1772182740}", "expired");
	refused(&plain, HS256, "{" WHO "," PERMS ",\"exp\":0}", "expired");
	accepted(HS256, "{" WHO "," PERMS ",\"exp\":1772182900.75}");
	const char *bad[] = {"",
			     ",\"exp\":\"1772182900\"",
			     ",\"exp\":null",
			     ",\"exp\":-1",
			     ",\"exp\":true",
			     ",\"exp\":1e300",
			     ",\"exp\":9223372036854775807",
			     ",\"exp\":1772182900000"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char payload[200];
		snprintf(payload, sizeof(payload), "{" WHO "," PERMS "%s}", bad[i]);
		refused(&plain, HS256, payload, "exp");
	}
	accepted(HS256, "{" WHO "," PERMS "," EXP ",\"nbf\":1772182860,\"iat\":1772182860}");
	refused(&plain, HS256, "{" WHO "," PERMS "," EXP ",\"nbf\":1772182861}", "not valid yet");
	refused(&plain, HS256, "{" WHO "," PERMS "," EXP ",\"nbf\":\"1\"}", "not valid yet");
	refused(&plain, HS256, "{" WHO "," PERMS "," EXP ",\"iat\":1772182861}", "future");
	refused(&plain, HS256, "{" WHO "," PERMS "," EXP ",\"iat\":null}", "future");
}

static void who(void **state)
{
	(void)state;
#define TENANT "\"tenant_id\":\"vesper\""
	refused(&plain, HS256, "{" TENANT "," PERMS "," EXP "}", "sub");
	refused(&plain, HS256, "{\"sub\":5," TENANT "," PERMS "," EXP "}", "sub");
	refused(&plain, HS256, "{\"sub\":\"\"," TENANT "," PERMS "," EXP "}", "sub");
	refused(&plain, HS256, "{\"sub\":\"ann\"," PERMS "," EXP "}", "tenant_id");
	refused(&plain, HS256, "{\"sub\":\"ann\",\"tenant_id\":[\"vesper\"]," PERMS "," EXP "}",
		"tenant_id");
	refused(&plain, HS256, "{\"sub\":\"ann\",\"tenant_id\":\"other\"," PERMS "," EXP "}",
		"unknown tenant");
	refused(&plain, HS256, "{\"sub\":\"ann\",\"tenant_id\":\"\"," PERMS "," EXP "}",
		"unknown tenant");
	refused(&plain, HS256, "{\"sub\":\"eve\"," WHO "," PERMS "," EXP "}", "bad claims");
	refused(&plain, HS256, "{" WHO ",\"tenant_id\":\"acme\"," PERMS "," EXP "}", "bad claims");
	char payload[400];
	snprintf(payload, sizeof(payload), "{\"sub\":\"%0200d\"," TENANT "," PERMS "," EXP "}", 1);
	accepted(HS256, payload);
	snprintf(payload, sizeof(payload), "{\"sub\":\"%0201d\"," TENANT "," PERMS "," EXP "}", 1);
	refused(&plain, HS256, payload, "sub");
	struct jwt_options nobody = plain;
	nobody.tenants = NULL;
	refused(&nobody, HS256, GOOD, "unknown tenant");
}

static void permissions(void **state)
{
	(void)state;
	accepted(HS256, "{" WHO "," EXP ",\"permissions\":[]}");
	refused(&plain, HS256, "{" WHO "," EXP "}", "permissions");
	refused(&plain, HS256, "{" WHO "," EXP ",\"permissions\":\"chat:use\"}", "permissions");
	refused(&plain, HS256, "{" WHO "," EXP ",\"permissions\":[5]}", "permissions");
	refused(&plain, HS256, "{" WHO "," EXP ",\"permissions\":[\"\"]}", "permissions");
	refused(&plain, HS256, "{" WHO "," EXP ",\"permissions\":{\"a\":1}}", "permissions");
	for (int n = 64; n <= 65; n++) {
		struct buf b;
		buf_init(&b, 2000);
		buf_str(&b, "{" WHO "," EXP ",\"permissions\":[");
		for (int i = 0; i < n; i++)
			buf_printf(&b, "%s\"p%d\"", i ? "," : "", i);
		buf_str(&b, "]}");
		if (n == 64)
			accepted(HS256, b.p);
		else
			refused(&plain, HS256, b.p, "too many permissions");
		buf_deinit(&b);
	}
}

static void issuer_and_audience(void **state)
{
	(void)state;
	struct jwt_options o = plain;
	o.issuer = "https://issuer/";
	o.audience = "api";
	const char *good[] = {"\"iss\":\"https://issuer/\",\"aud\":\"api\"",
			      "\"iss\":\"https://issuer/\",\"aud\":[\"x\",\"api\"]"};
	const char *bad[][2] = {
		{"\"aud\":\"api\"", "wrong issuer"},
		{"\"iss\":\"https://issuer\",\"aud\":\"api\"", "wrong issuer"},
		{"\"iss\":5,\"aud\":\"api\"", "wrong issuer"},
		{"\"iss\":\"https://issuer/\"", "wrong audience"},
		{"\"iss\":\"https://issuer/\",\"aud\":\"other\"", "wrong audience"},
		{"\"iss\":\"https://issuer/\",\"aud\":[]", "wrong audience"},
		{"\"iss\":\"https://issuer/\",\"aud\":[\"other\"]", "wrong audience"},
		{"\"iss\":\"https://issuer/\",\"aud\":[\"api\",5]", "wrong audience"},
		{"\"iss\":\"https://issuer/\",\"aud\":{\"api\":1}", "wrong audience"},
	};
	char payload[300];
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(payload, sizeof(payload), "{" WHO "," PERMS "," EXP ",%s}", good[i]);
		struct principal *p = accept_with(&o, HS256, payload);
		principal_free(&p);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(payload, sizeof(payload), "{" WHO "," PERMS "," EXP ",%s}", bad[i][0]);
		refused(&o, HS256, payload, bad[i][1]);
	}
	/* If none is configured, any value is accepted, but the type is checked. */
	accepted(HS256, "{" WHO "," PERMS "," EXP ",\"iss\":\"x\",\"aud\":[\"y\"]}");
	refused(&plain, HS256, "{" WHO "," PERMS "," EXP ",\"aud\":5}", "wrong audience");
	refused(&plain, HS256, "{" WHO "," PERMS "," EXP ",\"iss\":null}", "wrong issuer");
}

static void errors_never_contain_the_token(void **state)
{
	(void)state;
	struct buf token;
	sign(&token, HS256, "{\"sub\":hunter2}", SECRET);
	struct principal *p = NULL;
	struct err e;
	assert_false(jwt_verify((struct str){token.p, token.n}, &plain, NOW_S * 1000, &p, &e));
	assert_null(strstr(e.text, "hunter2"));
	assert_null(strstr(e.text, "eyJ"));
	buf_deinit(&token);
}

static void minted_tokens_verify(void **state)
{
	(void)state;
	const char *const some[] = {"chat:use", "chat:admin"};
	const struct principal ann = {.user = "ann \"q\" \xC3\xA9",
				      .tenant = "acme",
				      .permissions = some,
				      .permission_count = 2};
	struct buf token;
	buf_init(&token, TOKEN_BYTES_MAX);
	buf_str(&token, "before ");
	jwt_mint(&token, &ann, NOW_S * 1000, 3600, SECRET);
	struct str text = {token.p + 7, token.n - 7};
	struct principal *p = NULL;
	struct err e;
	assert_true(jwt_verify(text, &plain, NOW_S * 1000, &p, &e));
	assert_true(principal_same_user(p, &ann));
	assert_true(may(p, "chat:admin"));
	assert_int_equal(p->expires_ms, (NOW_S + 3600) * 1000);
	principal_free(&p);
	assert_false(jwt_verify(text, &plain, (NOW_S + 3660) * 1000, &p, &e));
	assert_string_equal(e.text, "expired");
	buf_deinit(&token);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verifies_valid_token),
		cmocka_unit_test(verifies_published_vector),
		cmocka_unit_test(signature),
		cmocka_unit_test(algorithms),
		cmocka_unit_test(headers),
		cmocka_unit_test(rejects_malformed_tokens),
		cmocka_unit_test(rejects_stray_bits_in_signature),
		cmocka_unit_test(rejects_oversized_tokens),
		cmocka_unit_test(times),
		cmocka_unit_test(who),
		cmocka_unit_test(permissions),
		cmocka_unit_test(issuer_and_audience),
		cmocka_unit_test(errors_never_contain_the_token),
		cmocka_unit_test(minted_tokens_verify),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
