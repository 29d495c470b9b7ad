/*
 * Sessions in the cache, stored under the hash of their id and sealed with a key derived from the
 * id. Each write uses a new salt, because a key must seal only one value.
 */
#include "signin_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/seal.h"

#define SESSIONS          "(sessions)" /* used as the tenant; no tenant may have such an id */
#define NAME_BYTES        80
#define SALT_BYTES        16
#define SESSION_BYTES_MAX (4 * TOKEN_BYTES_MAX)

static struct cache_key key_of(const char *id, char name[NAME_BYTES])
{
	char hash[HASH_HEX_BYTES];

	hash_sha256_hex(id, strlen(id), hash);
	snprintf(name, NAME_BYTES, "session:%s", hash);
	return (struct cache_key){SESSIONS, name};
}

static void seal_key(const char *id, const uint8_t salt[SALT_BYTES], uint8_t out[SEAL_KEY_BYTES])
{
	hash_hmac_sha256(id, strlen(id), salt, SALT_BYTES, out);
}

struct op *session_read(struct signin *s, const char *id, cache_value_cb cb, void *owner)
{
	char name[NAME_BYTES];

	return cache_get(s->cache, key_of(id, name), cb, owner);
}

static bool session_parse(const char *text, size_t len, struct arena *a, struct signin_session *out)
{
	json_t *object = NULL;
	bool is_valid = json_parse(text, len, SESSION_BYTES_MAX, &object, NULL) &&
			json_get_str(object, "bearer", &out->bearer, NULL) &&
			json_get_int(object, "bearer_ends", &out->bearer_ends_ms, NULL) &&
			json_get_int(object, "renewed", &out->renewed_ms, NULL) &&
			json_get_int(object, "ends", &out->ends_ms, NULL) &&
			json_opt_str(object, "refresh", &out->refresh, NULL) &&
			json_get_str(object, "id_token", &out->id_token, NULL) &&
			json_get_str(object, "subject", &out->subject, NULL) &&
			json_get_str(object, "name", &out->name, NULL);

	json_own(a, object);
	return is_valid;
}

bool session_open(const char *id, struct str value, struct arena *a, struct signin_session *out)
{
	uint8_t key[SEAL_KEY_BYTES];
	struct buf text;
	bool is_valid;

	if (!value.p || value.n < SALT_BYTES)
		return false;
	buf_init(&text, SESSION_BYTES_MAX);
	seal_key(id, (const uint8_t *)value.p, key);
	*out = (struct signin_session){0};
	is_valid =
		seal_open(&text, key, (struct str){value.p + SALT_BYTES, value.n - SALT_BYTES}) &&
		session_parse(buf_text(&text), text.n, a, out) && clock_now_ms() < out->ends_ms;
	buf_deinit(&text);
	return is_valid;
}

struct op *session_save(struct signin *s, const char *id, const struct signin_session *session,
			cache_confirmed_cb cb, void *owner)
{
	int64_t left_ms = session->ends_ms - clock_now_ms();
	uint8_t salt[SALT_BYTES], key[SEAL_KEY_BYTES];
	char name[NAME_BYTES];
	struct buf text, sealed;
	struct op *op;
	json_t *object = json_make(
		{"bearer", json_str(session->bearer)},
		{"bearer_ends", json_int(session->bearer_ends_ms)},
		{"renewed", json_int(session->renewed_ms)}, {"ends", json_int(session->ends_ms)},
		{"refresh", json_str(session->refresh)}, {"id_token", json_str(session->id_token)},
		{"subject", json_str(session->subject)}, {"name", json_str(session->name)});

	buf_init(&text, SESSION_BYTES_MAX);
	buf_init(&sealed, 2 * SESSION_BYTES_MAX);
	buf_json(&text, object);
	json_decref(object);
	hash_random(salt, sizeof(salt));
	seal_key(id, salt, key);
	buf_add(&sealed, salt, sizeof(salt));
	seal_add(&sealed, key, (struct str){buf_text(&text), text.n});
	op = cache_set_confirmed(s->cache, key_of(id, name), sealed.p, sealed.n,
				 left_ms > 1 ? left_ms : 1, cb, owner);
	buf_deinit(&text);
	buf_deinit(&sealed);
	return op;
}

struct op *session_fetch_delete(struct signin *s, const char *id, cache_value_cb cb, void *owner)
{
	char name[NAME_BYTES];

	return cache_get_delete(s->cache, key_of(id, name), cb, owner);
}

void session_remove(struct signin *s, const char *id)
{
	char name[NAME_BYTES];

	cache_remove(s->cache, key_of(id, name));
}

struct op *session_lock(struct signin *s, const char *id, const char *token, cache_lock_cb cb,
			void *owner)
{
	char name[NAME_BYTES];

	return cache_lock(s->cache, key_of(id, name), token, SIGNIN_CALL_MS + SIGNIN_KEYS_MS, cb,
			  owner);
}

void session_unlock(struct signin *s, const char *id, const char *token)
{
	char name[NAME_BYTES];

	cache_unlock(s->cache, key_of(id, name), token);
}
