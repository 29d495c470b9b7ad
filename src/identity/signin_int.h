/* What the files of signing in share. */
#ifndef VESPER_SIGNIN_INT_H
#define VESPER_SIGNIN_INT_H

#include "identity_int.h"
#include "vesper/arena.h"
#include "vesper/hash.h"
#include "vesper/json_fetch.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/signin.h"

#define SIGNIN_ARENA_BYTES    (8 * TOKEN_BYTES_MAX) /* of one operation */
#define SIGNIN_FORM_BYTES_MAX (2 * TOKEN_BYTES_MAX) /* a refresh token, percent-encoded */

struct signin {
	struct signin_options options;
	char *redirect_uri;
	char *authorization; /* the header of a client with a secret; NULL: a public client */
	uint8_t login_key[HASH_SHA256_BYTES];
	struct cache *cache; /* shared, or its own */
	struct cache *own;
	struct list running; /* operations */
	size_t running_count;
};

/* signin_op.c: those that run end without callbacks. */
void signin_ops_end(struct signin *s);

/* ---- signin_session.c: what is kept of one who has signed in ---- */

/* Texts of what was read are in the arena. */
struct signin_session {
	const char *bearer;
	int64_t bearer_ends_ms;
	int64_t renewed_ms; /* when the bearer came */
	int64_t ends_ms;
	const char *refresh; /* NULL: the provider gave none */
	const char *id_token;
	const char *subject;
	const char *name;
};

struct op *session_read(struct signin *s, const char *id, cache_value_cb cb, void *owner);
/* What session_read gave. False: nothing, or nothing of this id, or it is over. */
bool session_open(const char *id, struct str value, struct arena *a, struct signin_session *out);
struct op *session_keep(struct signin *s, const char *id, const struct signin_session *session,
			cache_kept_cb cb, void *owner);
/* As session_read, and it is gone. */
struct op *session_take(struct signin *s, const char *id, cache_value_cb cb, void *owner);
void session_remove(struct signin *s, const char *id);
/* One renewal at a time. */
struct op *session_lock(struct signin *s, const char *id, const char *token, cache_lock_cb cb,
			void *owner);
void session_unlock(struct signin *s, const char *id, const char *token);

/* ---- signin_login.c: a sign-in that has begun ---- */

struct login {
	const char *state, *nonce, *verifier;
	int64_t until_ms;
};
/* Random texts, in the arena. */
void login_new(struct login *out, struct arena *a);
/* As a cookie. */
void login_seal(const struct signin *s, const struct login *login, struct buf *out);
/* False: not ours, or over. */
bool login_open(const struct signin *s, const char *cookie, struct arena *a, struct login *out);
/* Whether this state is used for the first time. */
struct op *login_use_once(struct signin *s, const char *state, cache_draw_cb cb, void *owner);
/* 32 random bytes in base64url. */
const char *random_text(struct arena *a);

/* ---- signin_exchange.c: a code or a refresh token becomes tokens ---- */

struct exchange {
	struct signin *signin;
	struct json_fetch fetch;
	struct timer *timer; /* looks again for a key */
	int64_t keys_until_ms;
	const char *nonce;   /* NULL: of a renewal */
	const char *subject; /* NULL: not known yet; else tokens are for this user only */
	struct arena *arena;
	json_t *reply;
	struct signin_session session;
	bool refused; /* the provider has the grant no more */
	void (*done)(void *owner, const struct err *e);
	void *owner;
};
void exchange_init(struct exchange *x, struct signin *s, struct arena *a,
		   void (*done)(void *owner, const struct err *e), void *owner);
/* `done` says whether x->session has them (bearer, its times, id_token, subject, name, and refresh
 * where one came). Never from within. */
bool exchange_start(struct exchange *x, const char *form, struct err *e);
void exchange_end(struct exchange *x);
/* The members of every form: the application, unless a header says it. */
void form_begin(const struct signin *s, struct buf *form, const char *grant_type);

#endif
