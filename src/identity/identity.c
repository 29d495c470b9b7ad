/*
 * Authentication, rate limits and one-time tickets. Token buckets and tickets are in memory, or in
 * a cache that replicas share. While the cache is unavailable, each replica uses its own.
 */
#include "identity_int.h"
#include "jwks.h"
#include "personal.h"
#include "shared.h"
#include "ticket.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

struct identity {
	struct jwt_options options; /* deep copy, except the roles */
	struct jwks *jwks;          /* NULL: RS256 is refused */
	struct loop *loop;
	struct http *http;
	struct cache *shared; /* NULL: local only */
	struct rate_limits limits;
	struct rates *rates;
	struct tickets *tickets;
	struct personal *personal; /* NULL: the store has no personal tokens */
	bool has_personal;         /* personal tokens are enabled */
};

static const char *const *texts_copy(const char *const *tenants)
{
	if (!tenants)
		return NULL;
	size_t n = 0;
	while (tenants[n])
		n++;
	const char **copy = mem_alloc((n + 1) * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = mem_strdup(tenants[i]);
	return copy;
}

static void texts_free(const char *const *texts)
{
	for (const char *const *text = texts; text && *text; text++)
		mem_free((char *)*text);
	mem_free((void *)texts);
}

static struct jwt_options options_copy(const struct jwt_options *o)
{
	return (struct jwt_options){
		.hs256_secret = mem_strdup(o->hs256_secret),
		.issuer = mem_strdup(o->issuer),
		.audience = mem_strdup(o->audience),
		.tenants = texts_copy(o->tenants),
		.tenant_values = texts_copy(o->tenant_values),
		.tenant_claim = mem_strdup(o->tenant_claim),
		.user_claim = mem_strdup(o->user_claim),
		.roles = o->roles,
		.scope = mem_strdup(o->scope),
		.clients = texts_copy(o->clients),
		.leeway_s = o->leeway_s,
	};
}

bool identity_new(const struct identity_options *options, struct identity **out, struct err *e)
{
	bool has_secret = options->jwt.hs256_secret && *options->jwt.hs256_secret;
	bool has_keys = options->jwks_url && *options->jwks_url;
	struct jwks *jwks = NULL;
	struct identity *i;
	if (!has_secret && !has_keys)
		return err_set(
			e, ERR_INPUT,
			"auth: no key to verify tokens; set auth.jwt_secret or auth.jwks_url");
	if (has_keys && !jwks_new(options, &jwks, e))
		return false;
	i = mem_alloc(sizeof(*i));
	i->jwks = jwks;
	i->loop = options->loop;
	i->http = options->http;
	i->shared = options->shared;
	i->limits = options->rates;
	i->rates = rates_new(&options->rates);
	i->tickets = tickets_new();
	i->personal = options->store ? personal_new(options->loop, options->store) : NULL;
	i->has_personal = options->personal_tokens;
	i->options = options_copy(&options->jwt);
	*out = i;
	return true;
}

static void options_free(struct jwt_options *o)
{
	texts_free(o->tenants);
	texts_free(o->tenant_values);
	mem_free((char *)o->hs256_secret);
	mem_free((char *)o->issuer);
	mem_free((char *)o->audience);
	mem_free((char *)o->tenant_claim);
	mem_free((char *)o->user_claim);
	mem_free((char *)o->scope);
	texts_free(o->clients);
}

static bool is_set(const char *text)
{
	return text && *text;
}

bool identity_can_apply(const struct identity *i, const struct identity_settings *settings,
			struct err *e)
{
	const struct identity_options *o = &settings->options;

	return (is_set(o->jwt.hs256_secret) == is_set(i->options.hs256_secret) &&
		is_set(o->jwks_url) == (i->jwks != NULL)) ||
	       err_set(e, ERR_INPUT,
		       "auth: a change between auth.jwt_secret and the keys of auth.jwks_url needs "
		       "a "
		       "restart");
}

static void apply_keys(struct identity *i, struct identity_options o)
{
	struct err e = {0};
	struct jwks *replacement;

	o.loop = i->loop;
	o.http = i->http;
	if (!i->jwks || jwks_apply_options(i->jwks, &o))
		return;
	jwks_free(&i->jwks);
	if (jwks_new(&o, &replacement, &e))
		i->jwks = replacement;
	assert(i->jwks); /* the address was checked when the settings were read */
}

void identity_apply_settings(struct identity *i, const struct identity_settings *settings)
{
	const struct identity_options *o = &settings->options;
	struct jwt_options options = options_copy(&o->jwt);

	options.roles = i->options.roles;
	options_free(&i->options);
	i->options = options;
	i->limits = o->rates;
	i->has_personal = o->personal_tokens;
	rates_set_limits(i->rates, &o->rates);
	apply_keys(i, *o);
}

void identity_set_roles(struct identity *i, const struct jwt_role *roles)
{
	i->options.roles = roles;
}

void identity_mint(const struct identity *i, struct buf *out, const struct principal *who,
		   int64_t lifetime_s)
{
	jwt_mint(out, who, clock_now_ms(), lifetime_s, i->options.hs256_secret);
}

void identity_free(struct identity **i)
{
	if (!*i)
		return;
	jwks_free(&(*i)->jwks);
	rates_free(&(*i)->rates);
	tickets_free(&(*i)->tickets);
	personal_free(&(*i)->personal);
	options_free(&(*i)->options);
	mem_free(*i);
	*i = NULL;
}

bool identity_token(struct identity *i, struct str token, struct principal **out, struct err *e)
{
	struct jwt_options options = i->options;
	struct err verify_err = {0};
	if (i->jwks)
		options.keys = jwks_keys(i->jwks);
	if (jwt_verify(token, &options, clock_now_ms(), out, &verify_err))
		return true;
	if (i->jwks && verify_err.may_retry)
		jwks_report_unknown_key(i->jwks);
	return verify_err.may_retry ? err_set_retry(e, verify_err.code, "%s", verify_err.text)
				    : err_set(e, verify_err.code, "%s", verify_err.text);
}

bool identity_has_personal(const struct identity *i)
{
	return i->personal && i->has_personal;
}

void identity_personal_revoked(struct identity *i)
{
	if (i->personal)
		personal_clear_cache(i->personal);
}

static struct op *refuse_personal(struct principal **out, struct err *e)
{
	*out = NULL;
	err_set(e, ERR_AUTH, "personal tokens are not enabled (auth.personal_tokens)");
	return NULL;
}

struct op *identity_authenticate(struct identity *i, struct str token, struct principal **out,
				 struct err *e, identity_principal_cb cb, void *owner)
{
	bool is_enabled = identity_has_personal(i);

	if (identity_is_personal(token))
		return is_enabled ? personal_authenticate(i->personal, i->options.tenants, token,
							  out, e, cb, owner)
				  : refuse_personal(out, e);
	if (!identity_token(i, token, out, e))
		*out = NULL;
	else if (is_enabled)
		personal_note_sign_in(i->personal, *out);
	return NULL;
}

struct op *identity_reauthenticate(struct identity *i, const struct principal *who,
				   struct principal **out, struct err *e, identity_principal_cb cb,
				   void *owner)
{
	if (!who->token_hash) {
		*out = principal_copy(who);
		return NULL;
	}
	return identity_has_personal(i)
		       ? personal_reauthenticate(i->personal, who, out, e, cb, owner)
		       : refuse_personal(out, e);
}

const struct provider *identity_provider(const struct identity *i)
{
	const struct provider *p = i->jwks ? jwks_provider(i->jwks) : NULL;

	return p && strcmp(p->issuer, i->options.issuer) == 0 ? p : NULL;
}

bool identity_id_token(struct identity *i, struct str token, const char *client, const char *nonce,
		       struct jwt_user *out, struct err *e)
{
	const struct jwt_options options = {
		.keys = i->jwks ? jwks_keys(i->jwks) : NULL,
		.issuer = i->options.issuer,
		.audience = client,
		.leeway_s = i->options.leeway_s,
	};

	if (jwt_id_token(token, &options, nonce, clock_now_ms(), out, e))
		return true;
	if (i->jwks && e->may_retry)
		jwks_report_unknown_key(i->jwks);
	return false;
}

/* ---- tickets ---- */

struct ticket_op {
	struct op op;
	struct identity *identity;
	struct op *pending; /* operation of the shared cache, or lookup of a personal token */
	struct deferred deferred;
	char ticket[TICKET_BYTES];
	struct principal *who; /* the user that the ticket is made for, or that used it */
	struct err err;
	identity_ticket_cb on_made;
	identity_principal_cb on_used;
	void *owner;
};

static void ticket_op_free(struct ticket_op *x)
{
	principal_free(&x->who);
	mem_free(x);
}

static void on_ticket_cancel(struct op *op)
{
	struct ticket_op *x = (struct ticket_op *)op;

	op_cancel(&x->pending);
	deferred_cancel(&x->deferred);
	ticket_op_free(x);
}

static struct ticket_op *ticket_op_new(struct identity *i, void *owner)
{
	struct ticket_op *x = mem_alloc(sizeof(*x));

	x->op.cancel = on_ticket_cancel;
	x->identity = i;
	x->owner = owner;
	return x;
}

static void on_made(void *owner)
{
	struct ticket_op *x = owner;

	x->on_made(x->owner, x->ticket);
	ticket_op_free(x);
}

/* Creates a local ticket with a new text, because the ticket sent to the cache may have been stored
 * after all. */
static void make_local(struct ticket_op *x)
{
	ticket_generate(x->ticket);
	tickets_add(x->identity->tickets, x->ticket, x->who);
}

static void on_stored(void *owner, bool stored)
{
	struct ticket_op *x = owner;

	x->pending = NULL;
	if (!stored)
		make_local(x);
	on_made(x);
}

struct op *identity_ticket_new(struct identity *i, const struct principal *who, struct str token,
			       identity_ticket_cb cb, void *owner)
{
	struct ticket_op *x = ticket_op_new(i, owner);

	x->on_made = cb;
	x->who = principal_copy(who);
	if (i->shared) {
		ticket_generate(x->ticket);
		x->pending = shared_ticket_store(i->shared, x->ticket, token, on_stored, x);
	} else {
		make_local(x);
		loop_defer(i->loop, &x->deferred, on_made, x);
	}
	return &x->op;
}

static void on_used(void *owner)
{
	struct ticket_op *x = owner;
	struct principal *who = x->who;

	x->who = NULL;
	x->on_used(x->owner, who, who ? NULL : &x->err);
	ticket_op_free(x);
}

static void on_ticket_verified(void *owner, struct principal *take, const struct err *e)
{
	struct ticket_op *x = owner;

	x->pending = NULL;
	x->who = take;
	if (e)
		x->err = *e;
	on_used(x);
}

static void on_ticket_fetched(void *owner, struct str value)
{
	struct ticket_op *x = owner;
	struct buf token;

	x->pending = NULL;
	buf_init(&token, TOKEN_BYTES_MAX);
	if (!value.p || !shared_ticket_open(str_of(x->ticket), value, &token))
		err_set(&x->err, ERR_AUTH, "ticket: unknown, used or expired");
	else
		x->pending = identity_authenticate(x->identity, (struct str){token.p, token.n},
						   &x->who, &x->err, on_ticket_verified, x);
	buf_deinit(&token);
	if (!x->pending)
		on_used(x);
}

struct op *identity_ticket_redeem(struct identity *i, struct str ticket, identity_principal_cb cb,
				  void *owner)
{
	struct ticket_op *x = ticket_op_new(i, owner);

	x->on_used = cb;
	x->who = tickets_redeem(i->tickets, ticket);
	if (x->who && identity_expired(i, x->who)) {
		principal_free(&x->who);
		err_set(&x->err, ERR_AUTH, "expired");
	} else if (!x->who) {
		err_set(&x->err, ERR_AUTH, "ticket: unknown, used or expired");
	}
	if (!x->who && i->shared && ticket.n == TICKET_BYTES - 1) {
		memcpy(x->ticket, ticket.p, ticket.n);
		x->pending = shared_ticket_fetch_delete(i->shared, ticket, on_ticket_fetched, x);
	} else {
		loop_defer(i->loop, &x->deferred, on_used, x);
	}
	return &x->op;
}

/* ---- rates ---- */

struct rate_op {
	struct op op;
	struct identity *identity;
	struct rate_limits limits; /* at the time of the request */
	const struct principal *who;
	struct op *pending;
	identity_rate_cb cb;
	void *owner;
};

static void on_rate_cancel(struct op *op)
{
	struct rate_op *x = (struct rate_op *)op;

	op_cancel(&x->pending);
	mem_free(x);
}

static void on_consumed(void *owner, const struct cache_consume *consumed)
{
	struct rate_op *x = owner;
	struct rate rate;

	x->pending = NULL;
	if (consumed->counted) {
		shared_rate_read(consumed, &x->limits, &rate);
		if (rate.allowed)
			rates_confirm(x->identity->rates, x->who, &rate);
	} else {
		rates_consume(x->identity->rates, x->who, &rate);
	}
	x->cb(x->owner, &rate);
	mem_free(x);
}

struct op *identity_rate(struct identity *i, const struct principal *who, struct rate *out,
			 identity_rate_cb cb, void *owner)
{
	bool limited = i->limits.user_per_minute > 0 || i->limits.tenant_per_minute > 0;
	struct rate_op *x;

	if (!i->shared || !limited) {
		rates_consume(i->rates, who, out);
		return NULL;
	}
	x = mem_alloc(sizeof(*x));
	*x = (struct rate_op){.op = {.cancel = on_rate_cancel},
			      .identity = i,
			      .limits = i->limits,
			      .who = who,
			      .cb = cb,
			      .owner = owner};
	x->pending = shared_rate(i->shared, who, &i->limits, on_consumed, x);
	return &x->op;
}

bool identity_expired(const struct identity *i, const struct principal *who)
{
	int64_t leeway_ms = who->token_hash ? 0 : i->options.leeway_s * 1000;

	return clock_now_ms() >= who->expires_ms + leeway_ms;
}
