/* Shared by the files of browser sign-in. */
#ifndef VESPER_SIGNIN_INT_H
#define VESPER_SIGNIN_INT_H

#include "identity_int.h"
#include "vesper/arena.h"
#include "vesper/hash.h"
#include "vesper/json_fetch.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/signin.h"

#define SIGNIN_ARENA_BYTES    (8 * TOKEN_BYTES_MAX) /* per operation */
#define SIGNIN_FORM_BYTES_MAX (2 * TOKEN_BYTES_MAX) /* a refresh token, percent-encoded */

struct signin {
	struct signin_options options;
	char *redirect_uri;
	char *authorization; /* header of a client with a secret; NULL: a public client */
	uint8_t login_key[HASH_SHA256_BYTES];
	struct cache *cache; /* the shared cache, or `local_cache` */
	struct cache *local_cache;
	struct list running; /* operations */
	size_t running_count;
};

/* signin_op.c: ends all running operations without callbacks. */
void signin_ops_end(struct signin *s);

/* ---- signin_session.c: stored sessions ---- */

/* Texts of a session that was read are in the arena. */
struct signin_session {
	const char *bearer;
	int64_t bearer_ends_ms;
	int64_t renewed_ms; /* when the bearer token was received */
	int64_t ends_ms;
	const char *refresh; /* NULL: the provider issued none */
	const char *id_token;
	const char *subject;
	const char *name;
};

struct op *session_read(struct signin *s, const char *id, cache_value_cb cb, void *owner);
/* Decrypts the result of session_read. Returns false when it is empty, of another id, or
 * expired. */
bool session_open(const char *id, struct str value, struct arena *a, struct signin_session *out);
struct op *session_save(struct signin *s, const char *id, const struct signin_session *session,
			cache_confirmed_cb cb, void *owner);
/* As session_read, and deletes the session. */
struct op *session_fetch_delete(struct signin *s, const char *id, cache_value_cb cb, void *owner);
void session_remove(struct signin *s, const char *id);
/* Serializes renewals. */
struct op *session_lock(struct signin *s, const char *id, const char *token, cache_lock_cb cb,
			void *owner);
void session_unlock(struct signin *s, const char *id, const char *token);

/* ---- signin_login.c: sign-ins in progress ---- */

struct login {
	const char *state, *nonce, *verifier;
	int64_t until_ms;
};
/* Random texts, in the arena. */
void login_new(struct login *out, struct arena *a);
/* Writes the login as a sealed cookie. */
void login_seal(const struct signin *s, const struct login *login, struct buf *out);
/* Returns false when the cookie is not ours or has expired. */
bool login_open(const struct signin *s, const char *cookie, struct arena *a, struct login *out);
/* Checks that this state is used for the first time. */
struct op *login_mark_used(struct signin *s, const char *state, cache_consume_cb cb, void *owner);
/* 32 random bytes in base64url. */
const char *random_text(struct arena *a);

/* ---- signin_exchange.c: exchanging a code or a refresh token ---- */

struct exchange {
	struct signin *signin;
	struct json_fetch fetch;
	struct timer *timer; /* checks again for a missing key */
	int64_t keys_until_ms;
	const char *nonce;   /* NULL: a renewal */
	const char *subject; /* NULL: not known yet; otherwise tokens must be of this user */
	struct arena *arena;
	json_t *reply;
	struct signin_session session;
	bool refused; /* the provider rejects the grant permanently */
	void (*done)(void *owner, const struct err *e);
	void *owner;
};
void exchange_init(struct exchange *x, struct signin *s, struct arena *a,
		   void (*done)(void *owner, const struct err *e), void *owner);
/* On success, x->session has bearer, its times, id_token, subject, name, and refresh when the reply
 * has one. `done` is never called from within. */
bool exchange_start(struct exchange *x, const char *form, struct err *e);
void exchange_end(struct exchange *x);
/* Adds the members of every form: grant type, and the client unless it is in a header. */
void form_begin(const struct signin *s, struct buf *form, const char *grant_type);

#endif
