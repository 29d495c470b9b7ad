/*
 * Exchanges a code or a refresh token for tokens. The reply is untrusted until the ID token's
 * signature, issuer, audience, times, nonce and user are verified. The bearer token must be valid
 * for requests too. If a provider has just rotated its keys, the new key is fetched, with a short
 * wait.
 */
#include "signin_int.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/log.h"

void form_begin(const struct signin *s, struct buf *form, const char *grant_type)
{
	buf_init(form, SIGNIN_FORM_BYTES_MAX);
	form_add(form, "grant_type", grant_type);
	if (!s->authorization)
		form_add(form, "client_id", s->options.client_id);
}

/* A renewal may omit the ID token; one that is present must be of the same user. */
static bool id_token_accept(struct exchange *x, const char *id_token, struct err *e)
{
	struct jwt_user user;

	if (!id_token)
		return x->subject || err_set(e, ERR_AUTH, "the reply has no id_token");
	if (!identity_id_token(x->signin->options.identity, str_of(id_token),
			       x->signin->options.client_id, x->nonce, &user, e))
		return err_prefix(e, "id_token");
	if (x->subject && strcmp(x->subject, user.subject) != 0)
		return err_set(e, ERR_AUTH, "id_token: belongs to another user");
	x->session.id_token = arena_strdup(x->arena, id_token);
	x->session.subject = arena_strdup(x->arena, user.subject);
	x->session.name = arena_strdup(x->arena, user.name);
	return true;
}

static bool bearer_accept(struct exchange *x, const char *bearer, struct err *e)
{
	struct principal *who;

	if (!identity_token(x->signin->options.identity, str_of(bearer), &who, e)) {
		if (!e->may_retry)
			e->code = ERR_DENIED; /* valid for the provider, but not a user of this
						 server */
		return err_prefix(e, "bearer");
	}
	x->session.bearer = arena_strdup(x->arena, bearer);
	x->session.bearer_ends_ms = who->expires_ms;
	x->session.renewed_ms = clock_now_ms();
	principal_free(&who);
	return true;
}

static bool reply_accept(struct exchange *x, struct err *e)
{
	const char *access = NULL, *id_token = NULL, *refresh = NULL, *bearer;

	if (!json_opt_str(x->reply, "access_token", &access, e) ||
	    !json_opt_str(x->reply, "id_token", &id_token, e) ||
	    !json_opt_str(x->reply, "refresh_token", &refresh, e))
		return false;
	bearer = x->signin->options.bearer_is_id_token ? id_token : access;
	if (!bearer)
		return err_set(e, ERR_AUTH, "the reply has no %s",
			       x->signin->options.bearer_is_id_token ? "id_token" : "access_token");
	if (strlen(bearer) > TOKEN_BYTES_MAX || (refresh && strlen(refresh) > TOKEN_BYTES_MAX))
		return err_set(e, ERR_AUTH, "a token in the reply is too long");
	if (!id_token_accept(x, id_token, e) || !bearer_accept(x, bearer, e))
		return false;
	if (refresh)
		x->session.refresh = arena_strdup(x->arena, refresh);
	return true;
}

static void process_reply(void *owner)
{
	struct exchange *x = owner;
	struct err e = {0};
	bool is_accepted = reply_accept(x, &e);

	if (!is_accepted && e.may_retry && clock_mono_ms() < x->keys_until_ms) {
		timer_start(x->timer, SIGNIN_POLL_MS);
		return;
	}
	if (!is_accepted && e.may_retry)
		e.code = ERR_UPSTREAM;
	x->done(x->owner, is_accepted ? NULL : &e);
}

static void on_reply(void *owner, json_t *reply, const struct err *e)
{
	struct exchange *x = owner;
	struct err provider_err;

	if (!e) {
		x->reply = json_incref(reply);
		x->keys_until_ms = clock_mono_ms() + SIGNIN_KEYS_MS;
		process_reply(x);
		return;
	}
	provider_err = *e;
	x->refused = strcmp(x->fetch.error, "invalid_grant") == 0;
	if (x->refused)
		provider_err.code = ERR_INPUT;
	err_prefix(&provider_err, "the provider");
	x->done(x->owner, &provider_err);
}

void exchange_init(struct exchange *x, struct signin *s, struct arena *a,
		   void (*done)(void *owner, const struct err *e), void *owner)
{
	*x = (struct exchange){.signin = s, .arena = a, .done = done, .owner = owner};
	json_fetch_init(&x->fetch, on_reply, x);
	x->timer = timer_new(s->options.loop, process_reply, x);
}

bool exchange_start(struct exchange *x, const char *form, struct err *e)
{
	const struct provider *p = identity_provider(x->signin->options.identity);
	const struct json_fetch_request request = {
		.url = p ? p->token : NULL,
		.authorization = x->signin->authorization,
		.type = FORM_TYPE,
		.body = form,
		.total_ms = SIGNIN_CALL_MS,
	};

	if (!p)
		return err_set_retry(e, ERR_UPSTREAM,
				     "the provider's discovery document is not loaded");
	json_fetch_start(&x->fetch, x->signin->options.http, &request);
	return true;
}

void exchange_end(struct exchange *x)
{
	json_fetch_end(&x->fetch);
	timer_free(&x->timer);
	json_decref(x->reply);
	x->reply = NULL;
}
