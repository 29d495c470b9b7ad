/*
 * A sign-in in progress is stored in a sealed cookie of its browser. So thousands of them use no
 * memory here, and a code that is sent to another browser finds no cookie. The cache counts the
 * uses of a state across replicas, so that it works once.
 */
#include "signin_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/seal.h"

#define LOGINS           "(logins)"
#define SALT_BYTES       16
#define LOGIN_BYTES_MAX  1024
#define COOKIE_BYTES_MAX 4096

const char *random_text(struct arena *a)
{
	uint8_t bytes[32];
	struct buf text;
	const char *copy;

	hash_random(bytes, sizeof(bytes));
	buf_init(&text, SIGNIN_COOKIE_BYTES);
	hash_base64url(&text, bytes, sizeof(bytes));
	copy = arena_strdup(a, buf_text(&text));
	buf_deinit(&text);
	return copy;
}

void login_new(struct login *out, struct arena *a)
{
	*out = (struct login){
		.state = random_text(a),
		.nonce = random_text(a),
		.verifier = random_text(a),
		.until_ms = clock_now_ms() + SIGNIN_LOGIN_MS,
	};
}

void login_seal(const struct signin *s, const struct login *login, struct buf *out)
{
	uint8_t salt[SALT_BYTES], key[SEAL_KEY_BYTES];
	struct buf text, sealed;
	json_t *object = json_make(
		{"state", json_str(login->state)}, {"nonce", json_str(login->nonce)},
		{"verifier", json_str(login->verifier)}, {"until", json_int(login->until_ms)});

	buf_init(&text, LOGIN_BYTES_MAX);
	buf_init(&sealed, COOKIE_BYTES_MAX);
	buf_json(&text, object);
	json_decref(object);
	hash_random(salt, sizeof(salt));
	hash_hmac_sha256(s->login_key, sizeof(s->login_key), salt, sizeof(salt), key);
	buf_add(&sealed, salt, sizeof(salt));
	seal_add(&sealed, key, (struct str){buf_text(&text), text.n});
	hash_base64url(out, sealed.p, sealed.n);
	buf_deinit(&text);
	buf_deinit(&sealed);
}

/* A clock that was set back must not extend a login. */
static bool login_parse(const struct buf *text, struct arena *a, struct login *out)
{
	int64_t now_ms = clock_now_ms();
	json_t *object = NULL;
	bool is_valid = json_parse(buf_text(text), text->n, LOGIN_BYTES_MAX, &object, NULL) &&
			json_get_str(object, "state", &out->state, NULL) &&
			json_get_str(object, "nonce", &out->nonce, NULL) &&
			json_get_str(object, "verifier", &out->verifier, NULL) &&
			json_get_int(object, "until", &out->until_ms, NULL) &&
			now_ms < out->until_ms && now_ms >= out->until_ms - SIGNIN_LOGIN_MS;

	json_own(a, object);
	return is_valid;
}

bool login_open(const struct signin *s, const char *cookie, struct arena *a, struct login *out)
{
	uint8_t key[SEAL_KEY_BYTES];
	struct buf sealed, text;
	bool is_valid;

	buf_init(&sealed, COOKIE_BYTES_MAX);
	buf_init(&text, LOGIN_BYTES_MAX);
	is_valid = cookie && hash_base64url_decode(&sealed, cookie, strlen(cookie)) &&
		   sealed.n > SALT_BYTES;
	if (is_valid) {
		hash_hmac_sha256(s->login_key, sizeof(s->login_key), sealed.p, SALT_BYTES, key);
		is_valid = seal_open(&text, key,
				     (struct str){sealed.p + SALT_BYTES, sealed.n - SALT_BYTES}) &&
			   login_parse(&text, a, out);
	}
	buf_deinit(&sealed);
	buf_deinit(&text);
	return is_valid;
}

/* A token bucket of one token, which refills only when the login has expired anyway. */
struct op *login_mark_used(struct signin *s, const char *state, cache_consume_cb cb, void *owner)
{
	char hash[HASH_HEX_BYTES], name[HASH_HEX_BYTES + 8];
	struct cache_bucket bucket = {{LOGINS, name}, 1};

	hash_sha256_hex(state, strlen(state), hash);
	snprintf(name, sizeof(name), "login:%s", hash);
	return cache_consume(s->cache, &bucket, 1, SIGNIN_LOGIN_MS, cb, owner);
}
