/*
 * Operations of several steps: signing in, renewing, signing out. A renewal continues when its
 * caller has cancelled, because the provider may accept a refresh token only once.
 */
#include "signin_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/log.h"
#include "vesper/mem.h"

struct signin_op {
	struct op op;
	struct list node;
	struct signin *signin;
	struct arena *arena;
	struct op *pending; /* operation of the cache */
	struct deferred deferred;
	struct timer *timer; /* checks again whether another process has renewed the token */
	struct exchange exchange;
	struct json_fetch revoking;
	struct login login;
	const char *code;
	const char *id; /* of the session */
	const char *lock;
	bool locked, fresh, is_detached; /* is_detached: the caller has cancelled, but the operation
					    continues */
	int64_t until_mono_ms;
	struct signin_session session;
	struct err err;
	signin_session_cb on_session;
	signin_token_cb on_token;
	signin_ended_cb on_ended;
	void *owner;
};

/* ---- lifetime of an operation ---- */

static void op_free(struct signin_op *x)
{
	op_cancel(&x->pending);
	deferred_cancel(&x->deferred);
	timer_free(&x->timer);
	exchange_end(&x->exchange);
	json_fetch_end(&x->revoking);
	if (x->locked)
		session_unlock(x->signin, x->id, x->lock);
	list_remove(&x->node);
	x->signin->running_count--;
	arena_free(&x->arena);
	mem_free(x);
}

static void on_cancel(struct op *op)
{
	struct signin_op *x = (struct signin_op *)op;

	if (x->locked || x->on_ended)
		x->is_detached = true;
	else
		op_free(x);
}

static void on_exchanged(void *owner, const struct err *e);
static void on_revoked(void *owner, json_t *reply, const struct err *e);
static void read_session(void *owner);

static struct signin_op *op_new(struct signin *s, void *owner)
{
	struct signin_op *x = mem_alloc(sizeof(*x));

	x->op.cancel = on_cancel;
	x->signin = s;
	x->owner = owner;
	x->arena = arena_new(SIGNIN_ARENA_BYTES);
	x->timer = timer_new(s->options.loop, read_session, x);
	exchange_init(&x->exchange, s, x->arena, on_exchanged, x);
	json_fetch_init(&x->revoking, on_revoked, x);
	list_append(&s->running, &x->node);
	s->running_count++;
	return x;
}

static void op_end(struct signin_op *x)
{
	const struct err *e = x->err.code == ERR_NONE ? NULL : &x->err;
	const struct signin_token token = {x->session.bearer, x->session.bearer_ends_ms,
					   x->session.name};

	if (e && e->code != ERR_AUTH)
		log_warn("signin.failed", "%s", e->text);
	if (!x->is_detached && x->on_session)
		x->on_session(x->owner, e ? NULL : x->id, e);
	else if (!x->is_detached)
		x->on_token(x->owner, e ? NULL : &token, e);
	op_free(x);
}

static void on_deferred_end(void *owner)
{
	op_end(owner);
}

/* Ends in the next iteration, because the caller does not have the operation yet. */
static struct op *end_deferred(struct signin_op *x)
{
	loop_defer(x->signin->options.loop, &x->deferred, on_deferred_end, x);
	return &x->op;
}

static bool is_over_limit(struct signin_op *x)
{
	if (x->signin->running_count <= SIGNIN_RUNNING_MAX)
		return false;
	err_set_retry(&x->err, ERR_LIMIT, "%d sign-ins and renewals are already running",
		      SIGNIN_RUNNING_MAX);
	return true;
}

/* ---- finishing ---- */

/* Handles an error that the provider sent instead of a code; its text is not repeated. */
static bool check_error(const char *error, struct err *e)
{
	if (!error)
		return true;
	if (strcmp(error, "server_error") == 0 || strcmp(error, "temporarily_unavailable") == 0)
		return err_set_retry(e, ERR_UPSTREAM, "the provider could not sign the user in");
	return err_set(e, ERR_DENIED, "the provider or the user declined");
}

static bool check_issuer(const struct signin *s, const char *issuer, struct err *e)
{
	const struct provider *p = identity_provider(s->options.identity);

	if (!p)
		return err_set_retry(e, ERR_UPSTREAM,
				     "the provider's discovery document is not loaded");
	if (issuer ? strcmp(issuer, p->issuer) == 0 : !p->sends_issuer)
		return true;
	return err_set(e, ERR_INPUT, "the reply is from another provider");
}

static bool check_return(struct signin_op *x, const struct signin_return *reply)
{
	struct err *e = &x->err;

	if (!login_open(x->signin, reply->cookie, x->arena, &x->login) || !reply->state ||
	    strlen(reply->state) != strlen(x->login.state) ||
	    !hash_equal(reply->state, x->login.state, strlen(x->login.state)))
		return err_set(e, ERR_INPUT,
			       "this browser has no sign-in in progress, or it has expired");
	if (!check_issuer(x->signin, reply->issuer, e) || !check_error(reply->error, e))
		return false;
	if (!reply->code || !*reply->code || strlen(reply->code) > SIGNIN_CODE_BYTES_MAX)
		return err_set(e, ERR_INPUT, "the reply has no code");
	x->code = arena_strdup(x->arena, reply->code);
	return !is_over_limit(x);
}

static void on_used(void *owner, const struct cache_consume *consumed)
{
	struct signin_op *x = owner;
	struct buf form;
	bool is_started;

	x->pending = NULL;
	if (!consumed->counted || !consumed->consumed) {
		if (consumed->counted)
			err_set(&x->err, ERR_INPUT, "the state was used before");
		else
			err_set_retry(&x->err, ERR_UPSTREAM, "the cache is unavailable");
		op_end(x);
		return;
	}
	form_begin(x->signin, &form, "authorization_code");
	form_add(&form, "code", x->code);
	form_add(&form, "redirect_uri", x->signin->redirect_uri);
	form_add(&form, "code_verifier", x->login.verifier);
	x->exchange.nonce = x->login.nonce;
	is_started = exchange_start(&x->exchange, buf_text(&form), &x->err);
	buf_deinit(&form);
	if (!is_started)
		op_end(x);
}

struct op *signin_finish(struct signin *s, const struct signin_return *reply, signin_session_cb cb,
			 void *owner)
{
	struct signin_op *x = op_new(s, owner);

	x->on_session = cb;
	if (!check_return(x, reply))
		return end_deferred(x);
	x->pending = login_mark_used(s, x->login.state, on_used, x);
	return &x->op;
}

/* ---- new tokens ---- */

static void on_saved(void *owner, bool saved)
{
	struct signin_op *x = owner;

	x->pending = NULL;
	if (!saved && x->on_session)
		err_set_retry(&x->err, ERR_UPSTREAM,
			      "the session could not be stored in the cache");
	else if (!saved)
		log_warn("signin.renewed", "the session could not be stored in the cache");
	op_end(x);
}

static void save_session(struct signin_op *x)
{
	x->pending = session_save(x->signin, x->id, &x->session, on_saved, x);
}

static void finish_sign_in(struct signin_op *x)
{
	x->session = x->exchange.session;
	x->session.ends_ms = clock_now_ms() + x->signin->options.session_ms;
	x->id = random_text(x->arena);
	save_session(x);
}

/* Keeps the values that the provider omitted. */
static void finish_renewal(struct signin_op *x)
{
	struct signin_session previous = x->session;

	x->session = x->exchange.session;
	x->session.ends_ms = previous.ends_ms;
	x->session.subject = previous.subject;
	x->session.name = previous.name;
	if (!x->session.refresh)
		x->session.refresh = previous.refresh;
	if (!x->session.id_token)
		x->session.id_token = previous.id_token;
	save_session(x);
}

/* A refusal ends the session. If the provider is unavailable, the token is used until it
 * expires. */
static void renewal_failed(struct signin_op *x, const struct err *e)
{
	bool is_ended = x->exchange.refused || e->code == ERR_AUTH || e->code == ERR_DENIED;

	if (is_ended) {
		session_remove(x->signin, x->id);
		err_set(&x->err, ERR_AUTH, "the session has ended: %s", e->text);
	} else if (x->fresh || clock_now_ms() >= x->session.bearer_ends_ms) {
		x->err = *e;
	} else {
		log_warn("signin.renewed", "the token could not be renewed and stays in use: %s",
			 e->text);
	}
	op_end(x);
}

static void on_exchanged(void *owner, const struct err *e)
{
	struct signin_op *x = owner;

	if (!e && x->on_session) {
		finish_sign_in(x);
	} else if (!e) {
		finish_renewal(x);
	} else if (x->on_session) {
		x->err = *e;
		op_end(x);
	} else {
		renewal_failed(x, e);
	}
}

/* ---- a token of a session ---- */

static bool is_token_current(const struct signin_op *x)
{
	int64_t now_ms = clock_now_ms();
	int64_t age_ms = now_ms - x->session.renewed_ms;

	if (x->fresh)
		return age_ms >= 0 && age_ms < SIGNIN_FRESH_MS;
	return x->session.bearer_ends_ms - now_ms > SIGNIN_EARLY_MS;
}

static void renew(struct signin_op *x)
{
	struct buf form;
	bool is_started;

	form_begin(x->signin, &form, "refresh_token");
	form_add(&form, "refresh_token", x->session.refresh);
	x->exchange.subject = x->session.subject;
	is_started = !is_over_limit(x) && exchange_start(&x->exchange, buf_text(&form), &x->err);
	buf_deinit(&form);
	if (!is_started)
		op_end(x);
}

static void on_read(void *owner, struct str value);

static void on_locked(void *owner, bool locked)
{
	struct signin_op *x = owner;

	x->pending = NULL;
	x->locked = locked;
	if (locked) {
		/* Another process may have renewed the token between the read and the lock. */
		x->pending = session_read(x->signin, x->id, on_read, x);
	} else if (clock_mono_ms() < x->until_mono_ms) {
		timer_start(x->timer, SIGNIN_POLL_MS);
	} else {
		err_set_retry(&x->err, ERR_UPSTREAM,
			      "another renewal of the session is taking too long");
		op_end(x);
	}
}

/* Without a refresh token, the bearer token is used until it expires; then the user signs in
 * again. */
static void check_session(struct signin_op *x, struct str value)
{
	x->pending = NULL;
	if (!session_open(x->id, value, x->arena, &x->session)) {
		err_set(&x->err, ERR_AUTH, "the session does not exist or has expired");
		op_end(x);
	} else if (is_token_current(x)) {
		op_end(x);
	} else if (!x->session.refresh) {
		if (x->fresh || clock_now_ms() >= x->session.bearer_ends_ms)
			err_set(&x->err, ERR_AUTH,
				"the session has no refresh token; sign in again");
		op_end(x);
	} else if (x->locked) {
		renew(x);
	} else {
		x->pending = session_lock(x->signin, x->id, x->lock, on_locked, x);
	}
}

static void on_read(void *owner, struct str value)
{
	check_session(owner, value);
}

static void read_session(void *owner)
{
	struct signin_op *x = owner;

	x->pending = session_read(x->signin, x->id, on_read, x);
}

struct op *signin_token(struct signin *s, const char *session, bool fresh, signin_token_cb cb,
			void *owner)
{
	struct signin_op *x = op_new(s, owner);

	x->on_token = cb;
	x->fresh = fresh;
	x->id = arena_strdup(x->arena, session);
	x->lock = random_text(x->arena);
	x->until_mono_ms = clock_mono_ms() + SIGNIN_CALL_MS;
	read_session(x);
	return &x->op;
}

/* ---- signing out ---- */

static void report_ended(struct signin_op *x)
{
	const struct signin *s = x->signin;
	const struct provider *p = identity_provider(s->options.identity);
	struct buf location;
	char *home = mem_printf("%s/", s->options.public_url);

	buf_init(&location, SIGNIN_FORM_BYTES_MAX);
	if (p && p->end_session && x->session.id_token) {
		buf_printf(&location, "%s%c", p->end_session,
			   strchr(p->end_session, '?') ? '&' : '?');
		form_add(&location, "id_token_hint", x->session.id_token);
		form_add(&location, "client_id", s->options.client_id);
		form_add(&location, "post_logout_redirect_uri", home);
	}
	if (!x->is_detached)
		x->on_ended(x->owner,
			    location.n > 0 && !buf_over(&location) ? buf_text(&location) : home);
	buf_deinit(&location);
	mem_free(home);
	op_free(x);
}

static void on_revoked(void *owner, json_t *reply, const struct err *e)
{
	struct signin_op *x = owner;

	(void)reply; /* status 200 without a body is a valid answer */
	if (e && x->revoking.status != 200)
		log_warn("signin.revoked",
			 "the refresh token could not be revoked at the provider: %s", e->text);
	report_ended(x);
}

static void on_session_removed(void *owner, struct str value)
{
	struct signin_op *x = owner;
	const struct provider *p = identity_provider(x->signin->options.identity);
	struct json_fetch_request request = {
		.authorization = x->signin->authorization,
		.type = FORM_TYPE,
		.total_ms = SIGNIN_CALL_MS,
	};
	struct buf form;

	x->pending = NULL;
	if (!session_open(x->id, value, x->arena, &x->session) || !p || !p->revocation ||
	    !x->session.refresh) {
		report_ended(x);
		return;
	}
	buf_init(&form, SIGNIN_FORM_BYTES_MAX);
	form_add(&form, "token", x->session.refresh);
	form_add(&form, "token_type_hint", "refresh_token");
	if (!x->signin->authorization)
		form_add(&form, "client_id", x->signin->options.client_id);
	request.url = p->revocation;
	request.body = buf_text(&form);
	json_fetch_start(&x->revoking, x->signin->options.http, &request);
	buf_deinit(&form);
}

struct op *signin_end(struct signin *s, const char *session, signin_ended_cb cb, void *owner)
{
	struct signin_op *x = op_new(s, owner);

	x->on_ended = cb;
	x->id = arena_strdup(x->arena, session);
	x->pending = session_fetch_delete(s, x->id, on_session_removed, x);
	return &x->op;
}

void signin_ops_end(struct signin *s)
{
	while (!list_empty(&s->running))
		op_free(list_item(s->running.next, struct signin_op, node));
	assert(s->running_count == 0);
}
