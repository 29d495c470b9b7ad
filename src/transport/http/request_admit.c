/*
 * Checks authentication, permission and rate limit before the body is read. While an answer is in
 * progress, the token is checked again.
 */
#include "request.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "port/grants.h"
#include "vesper/limits.h"

#define BEARER "Bearer "

struct str request_token(const struct request *r)
{
	return str_trim(str_of(request_header(r, "Authorization") + strlen(BEARER)));
}

static bool has_token(const struct request *r, struct err *e)
{
	const char *header = request_header(r, "Authorization");

	if (!header)
		return err_set(e, ERR_AUTH, "no token");
	if (request_header_is_repeated(r, "Authorization")) /* a proxy may have used another one */
		return err_set(e, ERR_AUTH, "several Authorization headers");
	return strncasecmp(header, BEARER, strlen(BEARER)) == 0 ||
	       err_set(e, ERR_AUTH, "not a bearer token");
}

static void add_rate(const struct rate_state *s, const char *name, struct buf *policy,
		     struct buf *state)
{
	if (s->limit == 0)
		return;
	buf_printf(policy, "%s\"%s\";q=%" PRId64 ";w=60", policy->n ? ", " : "", name, s->limit);
	buf_printf(state, "%s\"%s\";r=%" PRId64 ";t=%" PRId64, state->n ? ", " : "", name, s->left,
		   s->full_in_s);
}

static void add_rate_headers(struct request *r, const struct rate *rate)
{
	struct buf policy, state;

	buf_init(&policy, 200);
	buf_init(&state, 200);
	add_rate(&rate->user, "user", &policy, &state);
	add_rate(&rate->tenant, "tenant", &policy, &state);
	if (policy.n > 0) {
		reply_header(r, "RateLimit-Policy", buf_text(&policy));
		reply_header(r, "RateLimit", buf_text(&state));
	}
	buf_deinit(&policy);
	buf_deinit(&state);
}

static void apply_rate(struct request *r, const struct rate *rate)
{
	int64_t wait_ms = rate->user.wait_ms > rate->tenant.wait_ms ? rate->user.wait_ms
								    : rate->tenant.wait_ms;

	add_rate_headers(r, rate);
	if (rate->allowed)
		return;
	r->reply.retry_after_s = (int)((wait_ms + 999) / 1000);
	reply_problem(r, CODE_RATE_LIMITED, NULL);
}

static void on_counted(void *owner, const struct rate *rate)
{
	struct request *r = owner;

	r->admitting = NULL;
	if (r->reply.status) /* the head was refused meanwhile */
		return;
	apply_rate(r, rate);
	request_continue(r);
}

static void check_rate(struct request *r)
{
	struct rate rate;

	r->admitting = identity_rate(r->transport->options.identity, r->who, &rate, on_counted, r);
	if (!r->admitting)
		apply_rate(r, &rate);
}

static void deny(struct request *r)
{
	reply_header(r, "WWW-Authenticate",
		     arena_printf(r->arena,
				  "Bearer realm=\"vesper\", error=\"insufficient_scope\", "
				  "scope=\"%s\"",
				  r->route->permission));
	reply_problem(
		r, CODE_DENIED,
		arena_printf(r->arena, "This needs the permission %s.", r->route->permission));
}

static bool take_seat(struct request *r)
{
	switch (seat_sign_in(r->seat, r->who)) {
	case SEAT_ASSIGNED:
		return true;
	case SEAT_TOO_MANY:
		reply_problem(r, CODE_RATE_LIMITED,
			      "You have too many connections open. Close some, then try again.");
		break;
	case SEAT_FULL:
		reply_problem(r, CODE_FULL, NULL);
		break;
	}
	return false;
}

static void admit(struct request *r, const struct err *e)
{
	if (r->who)
		grants_apply(r->transport, &r->who);
	if (!r->who && e->code != ERR_AUTH)
		reply_err(r, e);
	else if (!r->who)
		reply_problem(r, CODE_UNAUTHORIZED,
			      strstr(e->text, "expired") ? "The token has expired." : NULL);
	else if (!may(r->who, r->route->permission))
		deny(r);
	else if (take_seat(r))
		check_rate(r);
}

static void on_authenticated(void *owner, struct principal *take, const struct err *e)
{
	struct request *r = owner;

	r->admitting = NULL;
	r->who = take;
	if (r->reply.status)
		return;
	admit(r, e);
	request_continue(r);
}

void request_check_caller(struct request *r)
{
	struct err e = {0};

	if (!r->route->permission)
		return;
	if (has_token(r, &e))
		r->admitting =
			identity_authenticate(r->transport->options.identity, request_token(r),
					      &r->who, &e, on_authenticated, r);
	if (!r->admitting)
		admit(r, &e);
}

/* ---- Tokens revoked while in use ---- */

static void revoke(struct request *r)
{
	op_cancel(&r->op);
	if (r->task_revoked)
		r->task_revoked(r->task);
	else if (r->reply.stream)
		request_cut(r);
	else
		reply_problem(r, CODE_UNAUTHORIZED, PROBLEM_REVOKED);
}

/* If the token cannot be checked now, the next check decides. */
static void apply_recheck(struct request *r, struct principal *take, const struct err *e)
{
	bool is_valid = take ? may(take, r->route->permission) : e->code != ERR_AUTH;

	principal_free(&take);
	if (!is_valid && !r->gone && (!r->reply.status || r->reply.stream))
		revoke(r);
}

static void on_rechecked(void *owner, struct principal *take, const struct err *e)
{
	struct request *r = owner;

	r->admitting = NULL;
	apply_recheck(r, take, e);
}

void request_check_again(struct request *r, int64_t now_ms)
{
	struct principal *who;
	struct err e = {0};

	if (!r->handled || !r->who || !r->who->token_hash || r->admitting || r->gone ||
	    (r->reply.status && !r->reply.stream) || now_ms - r->checked_ms < TOKEN_CHECK_MS)
		return;
	r->checked_ms = now_ms;
	r->admitting = identity_reauthenticate(r->transport->options.identity, r->who, &who, &e,
					       on_rechecked, r);
	if (!r->admitting)
		apply_recheck(r, who, &e);
}
