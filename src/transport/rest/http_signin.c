/*
 * A browser's sign-in: the redirect to the provider, the callback, the session's token, and signing
 * out. The two routes that use a cookie accept JSON posts from the page's own origin only, and the
 * cookie is never sent to another site (SameSite=Strict). After a redirect, a code in the fragment
 * tells the page what failed; text from the provider is never sent.
 */
#include "http_route.h"

#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/signin.h"

#define LOCATION_BYTES_MAX 8192
#define COOKIE_BYTES_MAX   4096

/* With this prefix, browsers accept the cookie only from this host over HTTPS. */
#define COOKIE_PREFIX "__Host-"
#define SESSION       "vesper-session"
#define LOGIN         "vesper-login"

static struct signin *signin_of(const struct request *r)
{
	return r->transport->options.signin;
}

static const char *cookie_name(const struct request *r, const char *name)
{
	return arena_printf(r->arena, "%s%s", signin_is_secure(signin_of(r)) ? COOKIE_PREFIX : "",
			    name);
}

static const char *cookie_get(const struct request *r, const char *name)
{
	return request_cookie(r, cookie_name(r, name));
}

/* life_ms 0: removes the cookie. */
static void cookie_set(struct request *r, const char *name, const char *value, int64_t life_ms,
		       const char *samesite)
{
	reply_header(r, "Set-Cookie",
		     arena_printf(r->arena, "%s=%s; Path=/; HttpOnly; SameSite=%s; Max-Age=%lld%s",
				  cookie_name(r, name), value, samesite,
				  (long long)(life_ms / 1000),
				  signin_is_secure(signin_of(r)) ? "; Secure" : ""));
}

static void redirect(struct request *r, const char *location)
{
	reply_header(r, "Location", location);
	reply_empty(r, 303);
}

/* A code that the page knows. */
static const char *reason_code(const struct err *e)
{
	switch (e->code) {
	case ERR_INPUT:
		return "expired";
	case ERR_DENIED:
		return "denied";
	case ERR_AUTH:
		return "failed";
	default:
		return "unavailable";
	}
}

static void redirect_with_reason(struct request *r, const struct err *e)
{
	log_info("signin.refused", "%s (request %s): %s", reason_code(e), r->request_id, e->text);
	redirect(r, arena_printf(r->arena, "/#signin=%s", reason_code(e)));
}

/* ---- signing in ---- */

void on_get_login(struct request *r)
{
	struct buf location, cookie;
	struct err e;

	buf_init(&location, LOCATION_BYTES_MAX);
	buf_init(&cookie, COOKIE_BYTES_MAX);
	if (signin_begin(signin_of(r), &location, &cookie, &e)) {
		/* Lax: the provider sends the browser back from another site. */
		cookie_set(r, LOGIN, buf_text(&cookie), SIGNIN_LOGIN_MS, "Lax");
		redirect(r, buf_text(&location));
	} else {
		redirect_with_reason(r, &e);
	}
	buf_deinit(&location);
	buf_deinit(&cookie);
}

static void on_session(void *owner, const char *session, const struct err *e)
{
	struct request *r = owner;

	r->op = NULL;
	cookie_set(r, LOGIN, "", 0, "Lax");
	if (!session) {
		redirect_with_reason(r, e);
		return;
	}
	cookie_set(r, SESSION, session, signin_session_ms(signin_of(r)), "Strict");
	redirect(r, "/");
}

void on_get_callback(struct request *r)
{
	const struct signin_return back = {
		.code = request_query(r, "code"),
		.state = request_query(r, "state"),
		.issuer = request_query(r, "iss"),
		.error = request_query(r, "error"),
		.cookie = cookie_get(r, LOGIN),
	};

	r->op = signin_finish(signin_of(r), &back, on_session, r);
}

/* ---- with a session ---- */

/* Browsers send Origin with every post. Returns the session's id; NULL: answered. */
static const char *session_of(struct request *r)
{
	const char *origin = request_header(r, "Origin");
	const char *session;

	if (!origin || strcmp(origin, signin_origin(signin_of(r))) != 0) {
		reply_problem(r, CODE_DENIED,
			      "Only the page at server.public_url may use this address.");
		return NULL;
	}
	session = cookie_get(r, SESSION);
	if (session && strlen(session) == SIGNIN_COOKIE_BYTES - 1)
		return session;
	reply_problem(r, CODE_UNAUTHORIZED, "You are not signed in.");
	return NULL;
}

static void on_token(void *owner, const struct signin_token *token, const struct err *e)
{
	struct request *r = owner;

	r->op = NULL;
	if (e && e->code == ERR_AUTH) {
		cookie_set(r, SESSION, "", 0, "Strict");
		reply_problem(r, CODE_UNAUTHORIZED, "Your sign-in has ended. Sign in again.");
	} else if (e) {
		reply_err(r, e);
	} else {
		reply_json(r, 200,
			   json_make({"token", json_str(token->bearer)},
				     {"expires_in",
				      json_int((token->expires_ms - clock_now_ms()) / 1000)},
				     {"name", json_str(token->name)}));
	}
}

void on_post_token(struct request *r)
{
	static const char *const names[] = {"fresh", NULL};
	const char *session = session_of(r);
	bool fresh = false;
	struct err e;

	if (!session)
		return;
	if (!json_check_members(r->body, names, &e) || !json_opt_bool(r->body, "fresh", &fresh, &e))
		reply_invalid(r, &e);
	else
		r->op = signin_token(signin_of(r), session, fresh, on_token, r);
}

static void on_ended(void *owner, const char *location)
{
	struct request *r = owner;

	r->op = NULL;
	cookie_set(r, SESSION, "", 0, "Strict");
	reply_json(r, 200, json_make({"location", json_str(location)}));
}

void on_post_logout(struct request *r)
{
	const char *session = session_of(r);

	if (session)
		r->op = signin_end(signin_of(r), session, on_ended, r);
}
