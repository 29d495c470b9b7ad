/* RS256: valid tokens, and attacks by tokens and key sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "rsa_key.h"
#include "vesper/jwt.h"
#include "vesper/limits.h"

#define NOW_MS INT64_C(1772182800000)
#define RS256  "{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"k1\"}"
#define GOOD                                                                                       \
	"{\"sub\":\"ann\",\"tenant_id\":\"vesper\",\"permissions\":[\"chat:use\"],"                \
	"\"exp\":1772182900}"

static const char *const tenants[] = {"vesper", NULL};
static EVP_PKEY *key, *other;
static struct jwt_keys *keys;

static bool parse(const char *text, struct jwt_keys **out, struct err *e)
{
	return jwt_keys_parse(text, strlen(text), out, e);
}

static int setup(void **state)
{
	struct buf set;
	struct err e;

	(void)state;
	key = rsa_key_new(2048);
	other = rsa_key_new(2048);
	buf_init(&set, 100000);
	buf_str(&set, "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\"},");
	rsa_key_jwk(&set, key, "enc", ",\"use\":\"enc\"");
	buf_char(&set, ',');
	rsa_key_jwk(&set, key, "k1", ",\"use\":\"sig\",\"alg\":\"RS256\"");
	buf_char(&set, ',');
	rsa_key_jwk(&set, other, "k2", "");
	buf_str(&set, "]}");
	if (!jwt_keys_parse(buf_text(&set), set.n, &keys, &e))
		fail_msg("%s", e.text);
	buf_deinit(&set);
	assert_int_equal(jwt_keys_count(keys), 2);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	jwt_keys_free(&keys);
	EVP_PKEY_free(key);
	EVP_PKEY_free(other);
	return 0;
}

/* NULL: accepted; otherwise the reason for the refusal. */
static const char *verdict(struct str token, const char *secret, bool *retry)
{
	static struct err e;
	const struct jwt_options options = {
		.hs256_secret = secret, .keys = keys, .tenants = tenants, .leeway_s = 60};
	struct principal *who = NULL;

	memset(&e, 0, sizeof(e));
	if (jwt_verify(token, &options, NOW_MS, &who, &e)) {
		assert_string_equal(who->user, "ann");
		principal_free(&who);
		return NULL;
	}
	assert_null(who);
	assert_int_equal(e.code, ERR_AUTH);
	if (retry)
		*retry = e.may_retry;
	return e.text;
}

static void refused(EVP_PKEY *by, const char *header, const char *payload, const char *why)
{
	struct buf token;
	const char *said;

	buf_init(&token, 100000);
	rsa_key_sign(&token, by, header, payload);
	said = verdict((struct str){token.p, token.n}, NULL, NULL);
	if (!said || !strstr(said, why))
		fail_msg("%s: wanted \"%s\", got \"%s\"", header, why, said ? said : "accepted");
	buf_deinit(&token);
}

static void verifies_valid_token(void **state)
{
	struct buf token;

	(void)state;
	buf_init(&token, 100000);
	rsa_key_sign(&token, key, RS256, GOOD);
	assert_null(verdict((struct str){token.p, token.n}, NULL, NULL));
	buf_reset(&token);
	rsa_key_sign(&token, other, "{\"alg\":\"RS256\",\"kid\":\"k2\"}", GOOD);
	assert_null(verdict((struct str){token.p, token.n}, NULL, NULL));
	buf_deinit(&token);
}

static void rejects_wrong_headers(void **state)
{
	(void)state;
	refused(key, "{\"alg\":\"RS256\"}", GOOD, "kid missing");
	refused(key, "{\"alg\":\"RS256\",\"kid\":5}", GOOD, "kid missing");
	refused(key, "{\"alg\":\"RS256\",\"kid\":\"k2\"}", GOOD, "wrong signature");
	refused(key, "{\"alg\":\"RS256\",\"kid\":\"enc\"}", GOOD, "no key with this kid");
	refused(key, "{\"alg\":\"RS256\",\"kid\":\"k1\",\"typ\":\"JOSE\"}", GOOD, "wrong typ");
	refused(key, "{\"alg\":\"RS256\",\"kid\":\"k1\",\"crit\":[\"exp\"]}", GOOD, "crit");
	refused(key, "{\"alg\":\"none\",\"kid\":\"k1\"}", GOOD, "algorithm not accepted");
	refused(key, "{\"alg\":\"RS512\",\"kid\":\"k1\"}", GOOD, "algorithm not accepted");
	refused(key, "{\"alg\":\"PS256\",\"kid\":\"k1\"}", GOOD, "algorithm not accepted");
	refused(key, "{\"alg\":\"RS256\",\"kid\":\"k1\",\"kid\":\"k2\"}", GOOD, "bad header");
	refused(other, "{\"alg\":\"RS256\",\"kid\":\"k1\",\"jku\":\"https://evil/keys\"}", GOOD,
		"wrong signature");
}

static void unknown_kid_may_retry(void **state)
{
	struct buf token;
	bool retry = false;

	(void)state;
	buf_init(&token, 100000);
	rsa_key_sign(&token, key, "{\"alg\":\"RS256\",\"kid\":\"new\"}", GOOD);
	assert_non_null(verdict((struct str){token.p, token.n}, NULL, &retry));
	assert_true(retry);
	buf_deinit(&token);
}

/* A known attack: the public key used as a shared secret. */
static void rejects_hs256_with_public_key(void **state)
{
	struct buf token, secret;
	uint8_t sum[HASH_SHA256_BYTES];

	(void)state;
	buf_init(&token, 100000);
	buf_init(&secret, 100000);
	rsa_key_number(&secret, key, OSSL_PKEY_PARAM_RSA_N);
	hash_base64url(&token, "{\"alg\":\"HS256\",\"kid\":\"k1\"}", 26);
	buf_char(&token, '.');
	hash_base64url(&token, GOOD, strlen(GOOD));
	hash_hmac_sha256(secret.p, secret.n, token.p, token.n, sum);
	buf_char(&token, '.');
	hash_base64url(&token, sum, sizeof(sum));
	assert_string_equal(verdict((struct str){token.p, token.n}, NULL, NULL),
			    "token: HS256 is not accepted");
	assert_string_equal(verdict((struct str){token.p, token.n},
				    "quite another secret of 32 bytes and more", NULL),
			    "token: wrong signature");
	buf_deinit(&token);
	buf_deinit(&secret);
}

static void rejects_altered_tokens(void **state)
{
	struct buf token;

	(void)state;
	buf_init(&token, 100000);
	rsa_key_sign(&token, key, RS256, GOOD);
	/* Changes each character of the signed text and the signature. A moved dot makes the token
	 * malformed. */
	for (size_t i = 0; i < token.n; i += 7) {
		char was = token.p[i];

		token.p[i] = was == 'A' ? 'B' : 'A';
		assert_non_null(verdict((struct str){token.p, token.n}, NULL, NULL));
		token.p[i] = was;
	}
	assert_non_null(verdict((struct str){token.p, token.n - 1}, NULL, NULL));
	buf_str(&token, "=");
	assert_non_null(verdict((struct str){token.p, token.n}, NULL, NULL));
	buf_deinit(&token);
}

static void rejects_rs256_without_keys(void **state)
{
	struct jwt_keys *had = keys;
	struct buf token;

	(void)state;
	buf_init(&token, 100000);
	rsa_key_sign(&token, key, RS256, GOOD);
	keys = NULL;
	assert_string_equal(verdict((struct str){token.p, token.n}, NULL, NULL),
			    "token: RS256 is not accepted");
	keys = jwt_keys_new_empty();
	assert_string_equal(verdict((struct str){token.p, token.n}, NULL, NULL),
			    "token: no key with this kid");
	jwt_keys_free(&keys);
	keys = had;
	buf_deinit(&token);
}

static void set_refused(const char *text, const char *why)
{
	struct jwt_keys *set = NULL;
	struct err e = {0};

	if (parse(text, &set, &e))
		fail_msg("accepted: %s", text);
	assert_null(set);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" is not in: %s", why, e.text);
}

static void rejects_invalid_key_sets(void **state)
{
	EVP_PKEY *weak = rsa_key_new(1024);
	struct buf set;

	(void)state;
	set_refused("", "");
	set_refused("[]", "");
	set_refused("{\"keys\":{}}", "no list");
	set_refused("{\"keys\":[]}", "no key for RS256");
	set_refused("{\"keys\":[5,{}]}", "no key for RS256");
	set_refused("{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}", "no kid");
	set_refused("{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"a\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}",
		    "not an RSA public key");
	set_refused("{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"a\",\"n\":\"!\",\"e\":\"AQAB\"}]}",
		    "not an RSA public key");
	buf_init(&set, 1000000);
	buf_str(&set, "{\"keys\":[");
	rsa_key_jwk(&set, weak, "a", "");
	buf_str(&set, "]}");
	set_refused(buf_text(&set), "not an RSA public key");
	buf_reset(&set);
	buf_str(&set, "{\"keys\":[");
	rsa_key_jwk(&set, key, "a", "");
	buf_char(&set, ',');
	rsa_key_jwk(&set, other, "a", "");
	buf_str(&set, "]}");
	set_refused(buf_text(&set), "more than once");
	buf_deinit(&set);
	EVP_PKEY_free(weak);
}

static void limits_key_count(void **state)
{
	struct jwt_keys *set = NULL;
	struct buf text;
	char kid[20];

	(void)state;
	for (int n = JWKS_KEYS_MAX; n <= JWKS_KEYS_MAX + 1; n++) {
		buf_init(&text, JWKS_BYTES_MAX);
		buf_str(&text, "{\"keys\":[");
		for (int i = 0; i < n; i++) {
			snprintf(kid, sizeof(kid), "k%d", i);
			buf_str(&text, i ? "," : "");
			rsa_key_jwk(&text, key, kid, "");
		}
		buf_str(&text, "]}");
		assert_false(buf_over(&text));
		if (n == JWKS_KEYS_MAX)
			assert_true(jwt_keys_parse(text.p, text.n, &set, NULL));
		else
			set_refused(buf_text(&text), "more than");
		buf_deinit(&text);
	}
	assert_int_equal(jwt_keys_count(set), JWKS_KEYS_MAX);
	jwt_keys_free(&set);
}

/* ---- ID tokens ---- */

#define ID_TOKEN                                                                                   \
	"{\"iss\":\"https://login.example\",\"sub\":\"s-1\",\"aud\":\"page\",\"exp\":1772182900,"  \
	"\"iat\":1772182800,\"nonce\":\"n-1\",\"name\":\"Ann Analyst\"}"

static const char *id_verdict(EVP_PKEY *by, const char *payload, const char *nonce,
			      struct jwt_user *user)
{
	static struct err e;
	const struct jwt_options options = {.keys = keys,
					    .issuer = "https://login.example",
					    .audience = "page",
					    .leeway_s = 60};
	struct buf token;
	bool good;

	buf_init(&token, 100000);
	rsa_key_sign(&token, by, RS256, payload);
	memset(&e, 0, sizeof(e));
	good = jwt_id_token((struct str){token.p, token.n}, &options, nonce, NOW_MS, user, &e);
	buf_deinit(&token);
	return good ? NULL : e.text;
}

static void id_token_names_its_user(void **state)
{
	struct jwt_user user;

	(void)state;
	assert_null(id_verdict(key, ID_TOKEN, "n-1", &user));
	assert_string_equal(user.subject, "s-1");
	assert_string_equal(user.name, "Ann Analyst");
	assert_null(id_verdict(key, ID_TOKEN, NULL, &user));
	assert_null(
		id_verdict(key,
			   "{\"iss\":\"https://login.example\",\"sub\":\"s-1\",\"aud\":[\"page\","
			   "\"b\"],\"azp\":\"page\",\"exp\":1772182900,\"email\":\"a@b.c\"}",
			   NULL, &user));
	assert_string_equal(user.name, "a@b.c");
}

/* Changes one claim of a valid token at a time; each change must be refused. */
static void rejects_id_token_of_another_sign_in(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} changes[] = {
		{"n-1", "n-2", "wrong nonce"},
		{"\"nonce\":\"n-1\"", "\"x\":1", "wrong nonce"},
		{"login.example", "evil.example", "wrong issuer"},
		{"\"aud\":\"page\"", "\"aud\":\"other\"", "wrong audience"},
		{"\"aud\":\"page\",", "", "wrong audience"},
		{"\"aud\":\"page\"", "\"aud\":\"page\",\"azp\":\"other\"", "another application"},
		{"1772182900", "1772182700", "expired"},
		{"\"iat\":1772182800", "\"iat\":1772192800", "in the future"},
		{"\"sub\":\"s-1\"", "\"sub\":\"\"", "sub missing"},
	};
	struct jwt_user user;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *at = strstr(ID_TOKEN, changes[i].from);
		char text[1024];
		const char *why;

		assert_non_null(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - ID_TOKEN), ID_TOKEN,
			 changes[i].to, at + strlen(changes[i].from));
		why = id_verdict(key, text, "n-1", &user);
		if (!why || !strstr(why, changes[i].why))
			fail_msg("%s: wanted \"%s\", got \"%s\"", text, changes[i].why,
				 why ? why : "accepted");
	}
	assert_non_null(id_verdict(other, ID_TOKEN, "n-1", &user));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verifies_valid_token),
		cmocka_unit_test(rejects_wrong_headers),
		cmocka_unit_test(unknown_kid_may_retry),
		cmocka_unit_test(rejects_hs256_with_public_key),
		cmocka_unit_test(rejects_altered_tokens),
		cmocka_unit_test(rejects_rs256_without_keys),
		cmocka_unit_test(rejects_invalid_key_sets),
		cmocka_unit_test(limits_key_count),
		cmocka_unit_test(id_token_names_its_user),
		cmocka_unit_test(rejects_id_token_of_another_sign_in),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
