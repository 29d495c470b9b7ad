/*
 * Decides who may open a socket. A browser hides the status of a failed handshake from its page. So
 * a request with an Origin is accepted and then closed with a code that gives the reason; other
 * clients get a plain HTTP error.
 */
#include "ws_int.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "port/cors.h"
#include "port/handshake.h"
#include "port/refuse.h"
#include "vesper/arena.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

/* A handshake that waits for its token or session to be looked up. */
struct handshake_auth {
	struct list node;
	struct ws_server *server;
	int fd;
	struct seat *seat;
	size_t head_len;
	struct handshake handshake;
	struct principal *who; /* NULL: not known yet, or refused */
	struct fd_watch *hangup;
	struct op *lookup;
	struct arena *arena;
};

static struct handshake_auth *handshake_auth_new(struct ws_server *s, int fd, struct seat *take,
						 const struct handshake *h, size_t head_len)
{
	struct handshake_auth *auth = mem_alloc(sizeof(*auth));

	auth->server = s;
	auth->fd = fd;
	auth->seat = take;
	auth->head_len = head_len;
	auth->handshake = *h;
	list_append(&s->pending_auths, &auth->node);
	return auth;
}

static void handshake_auth_free(struct handshake_auth *auth)
{
	op_cancel(&auth->lookup);
	arena_free(&auth->arena);
	fd_watch_free(&auth->hangup);
	principal_free(&auth->who);
	seat_free(&auth->seat);
	handshake_deinit(&auth->handshake);
	list_remove(&auth->node);
	mem_free(auth);
}

static void handshake_auth_close(struct handshake_auth *auth)
{
	int fd = auth->fd;

	handshake_auth_free(auth);
	close(fd);
}

void pending_auths_close(struct ws_server *s)
{
	while (!list_empty(&s->pending_auths))
		handshake_auth_close(list_item(s->pending_auths.next, struct handshake_auth, node));
}

static void auth_adopt(struct handshake_auth *auth, struct ws_conn *c)
{
	fd_watch_free(&auth->hangup);
	ws_server_adopt(auth->server, auth->fd, &auth->handshake, auth->head_len, c);
	handshake_auth_free(auth);
}

static enum code problem_of_close(int code)
{
	switch (code) {
	case WS_CLOSE_UNAUTHORIZED:
		return CODE_UNAUTHORIZED;
	case WS_CLOSE_DENIED:
		return CODE_DENIED;
	case WS_CLOSE_UNKNOWN_SESSION:
		return CODE_NOT_FOUND;
	default:
		return CODE_UPSTREAM;
	}
}

/* Creates the connection and gives it the seat. */
static struct ws_conn *conn_for(struct handshake_auth *auth, enum ws_kind kind)
{
	struct ws_conn *c = conn_new(auth->server, auth->seat, kind);

	auth->seat = NULL;
	return c;
}

static void auth_refuse_as(struct handshake_auth *auth, int code, const char *reason,
			   enum code problem)
{
	struct ws_conn *c;
	size_t head_len;
	int fd;

	log_debug("ws.refused", "%d %s", code, reason);
	if (auth->handshake.origin) {
		c = conn_for(auth, WS_CHAT);
		c->stage = CHAT_REFUSED;
		conn_close(c, code, reason);
		auth_adopt(auth, c);
		return;
	}
	fd = auth->fd;
	head_len = auth->head_len;
	handshake_auth_free(auth);
	refuse_and_close(fd, head_len, problem);
}

static void auth_refuse(struct handshake_auth *auth, int code, const char *reason)
{
	auth_refuse_as(auth, code, reason, problem_of_close(code));
}

static void auth_send_101(struct handshake_auth *auth)
{
	struct ws_conn *c = conn_for(auth, WS_CHAT);

	c->stage = auth->who ? CHAT_READY : CHAT_AUTH;
	c->who = auth->who;
	auth->who = NULL;
	c->session_given = auth->handshake.session_id != NULL;
	if (c->session_given)
		memcpy(c->session_id, auth->handshake.session_id, UUID_BYTES);
	auth_adopt(auth, c);
}

static void on_session(void *owner, const struct session *session, const struct err *e)
{
	struct handshake_auth *auth = owner;

	(void)session;
	auth->lookup = NULL;
	if (ws_server_has_session(auth->server, auth->who, auth->handshake.session_id, e))
		auth_send_101(auth);
	else if (e->code == ERR_NOT_FOUND)
		auth_refuse(auth, WS_CLOSE_UNKNOWN_SESSION, "unknown session");
	else
		auth_refuse(auth, WS_CLOSE_TRY_AGAIN_LATER, "try again later");
}

static void on_hangup(void *owner, int fd, int events)
{
	(void)fd;
	(void)events;
	handshake_auth_close(owner);
}

static bool origin_allowed(const struct ws_server *s, const struct handshake *h)
{
	return cors_origin_allowed(s->transport, h->origin, h->host);
}

/* Finds the request's token; out->p NULL: it has none. Returns false for a malformed one. Only the
 * first kind of credentials present counts, even when it is invalid and another is valid. */
static bool auth_token(const struct handshake_auth *auth, struct str *out, struct err *e)
{
	const struct handshake *h = &auth->handshake;

	*out = (struct str){0};
	if (h->authorization && strncasecmp(h->authorization, "Bearer ", 7) != 0)
		return err_set(e, ERR_AUTH, "not a bearer token");
	if (h->authorization)
		*out = str_trim(str_of(h->authorization + 7));
	else if (h->bearer)
		*out = str_of(h->bearer);
	else if (h->token && auth->server->transport->settings->allow_query_token)
		*out = str_of(h->token);
	/* Addresses end up in logs and histories, and a personal token stays valid for months. */
	return !h->token || out->p != h->token || !identity_is_personal(*out) ||
	       err_set(e, ERR_AUTH, "a personal token in an address");
}

/* Cancels the handshake when the client disconnects during a lookup. */
static void auth_watch_hangup(struct handshake_auth *auth)
{
	if (auth->hangup)
		return;
	auth->hangup =
		fd_watch_new(auth->server->transport->options.loop, auth->fd, on_hangup, auth);
	fd_watch_set(auth->hangup, FD_HANGUP);
}

/* Without a token: a browser may send it in its first frame, other clients only where that is
 * configured. */
static void auth_wait_for_frame(struct handshake_auth *auth)
{
	const struct transport_settings *s = auth->server->transport->settings;

	if (!auth->handshake.origin && !s->first_frame_always)
		auth_refuse(auth, WS_CLOSE_UNAUTHORIZED, "no token");
	else
		auth_send_101(auth);
}

static void auth_look_up_session(struct handshake_auth *auth)
{
	struct transport *t = auth->server->transport;

	auth->arena = arena_new(HEADER_BYTES_MAX);
	auth_watch_hangup(auth);
	auth->lookup = store_session(t->options.store, auth->who, auth->handshake.session_id,
				     auth->arena, on_session, auth);
}

static void auth_refuse_token(struct handshake_auth *auth, const struct err *e)
{
	if (e->code != ERR_AUTH) {
		auth_refuse(auth, WS_CLOSE_TRY_AGAIN_LATER, "try again later");
		return;
	}
	auth_refuse(auth, WS_CLOSE_UNAUTHORIZED,
		    strstr(e->text, "expired") ? "token expired" : "token not valid");
}

static bool auth_take_seat(struct handshake_auth *auth)
{
	enum seat_result result = seat_sign_in(auth->seat, auth->who);

	if (result != SEAT_ASSIGNED)
		auth_refuse_as(auth, WS_CLOSE_TRY_AGAIN_LATER, "too many connections",
			       result == SEAT_FULL ? CODE_FULL : CODE_RATE_LIMITED);
	return result == SEAT_ASSIGNED;
}

/* Called when the user is known, or when the token will arrive in the first frame. */
static void auth_accept(struct handshake_auth *auth)
{
	const char *session_id = auth->handshake.session_id;

	if (auth->who && !may(auth->who, "chat:use"))
		auth_refuse(auth, WS_CLOSE_DENIED, "not permitted");
	else if (session_id && !uuid_valid(session_id))
		auth_refuse(auth, WS_CLOSE_UNKNOWN_SESSION, "unknown session");
	else if (!auth->who)
		auth_wait_for_frame(auth);
	else if (!auth_take_seat(auth))
		return;
	else if (session_id)
		auth_look_up_session(auth);
	else
		auth_send_101(auth);
}

/* Takes ownership of `take`; NULL: *e gives the reason. */
static void auth_use_principal(struct handshake_auth *auth, struct principal *take,
			       const struct err *e)
{
	auth->who = take;
	if (take)
		auth_accept(auth);
	else
		auth_refuse_token(auth, e);
}

static void on_authenticated(void *owner, struct principal *take, const struct err *e)
{
	struct handshake_auth *auth = owner;

	auth->lookup = NULL;
	auth_use_principal(auth, take, e);
}

static void auth_lookup(struct handshake_auth *auth, struct str token)
{
	struct principal *who;
	struct err e = {0};

	auth->lookup = identity_authenticate(auth->server->transport->options.identity, token, &who,
					     &e, on_authenticated, auth);
	if (auth->lookup)
		auth_watch_hangup(auth);
	else
		auth_use_principal(auth, who, &e);
}

static void auth_start(struct handshake_auth *auth)
{
	const struct handshake *h = &auth->handshake;
	struct str token;
	struct err e;

	if (!origin_allowed(auth->server, h)) {
		auth_refuse(auth, WS_CLOSE_DENIED, "auth.origins does not list this page's origin");
	} else if (h->ticket && !h->authorization && !h->bearer) {
		auth_watch_hangup(auth);
		auth->lookup = identity_ticket_redeem(auth->server->transport->options.identity,
						      str_of(h->ticket), on_authenticated, auth);
	} else if (!auth_token(auth, &token, &e)) {
		auth_refuse_token(auth, &e);
	} else if (token.p) {
		auth_lookup(auth, token);
	} else {
		auth_accept(auth);
	}
}

void auth_begin(struct ws_server *s, int fd, struct seat *take, const char *head, size_t head_len)
{
	struct handshake h;
	enum code problem;
	struct handshake_auth *auth;

	if (!handshake_parse(head, head_len, &h, &problem)) {
		seat_free(&take);
		refuse_and_close(fd, head_len, problem);
		return;
	}
	auth = handshake_auth_new(s, fd, take, &h, head_len);
	if (seat_is_proxied(auth->seat))
		seat_forwarded(auth->seat, str_of(h.forwarded_for), str_of(h.forwarded));
	if (strcmp(h.path, "/ws/v1/chat") == 0) {
		auth_start(auth);
	} else if (s->transport->options.echo && strcmp(h.path, "/ws/echo") == 0) {
		auth_adopt(auth, conn_for(auth, WS_ECHO));
	} else {
		handshake_auth_free(auth);
		refuse_and_close(fd, head_len, CODE_NOT_FOUND);
	}
}
