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
	struct handshake_auth *d = mem_alloc(sizeof(*d));

	d->server = s;
	d->fd = fd;
	d->seat = take;
	d->head_len = head_len;
	d->handshake = *h;
	list_append(&s->pending_auths, &d->node);
	return d;
}

static void handshake_auth_free(struct handshake_auth *d)
{
	op_cancel(&d->lookup);
	arena_free(&d->arena);
	fd_watch_free(&d->hangup);
	principal_free(&d->who);
	seat_free(&d->seat);
	handshake_deinit(&d->handshake);
	list_remove(&d->node);
	mem_free(d);
}

static void handshake_auth_close(struct handshake_auth *d)
{
	int fd = d->fd;

	handshake_auth_free(d);
	close(fd);
}

void pending_auths_close(struct ws_server *s)
{
	while (!list_empty(&s->pending_auths))
		handshake_auth_close(list_item(s->pending_auths.next, struct handshake_auth, node));
}

static void auth_adopt(struct handshake_auth *d, struct ws_conn *c)
{
	fd_watch_free(&d->hangup);
	ws_server_adopt(d->server, d->fd, &d->handshake, d->head_len, c);
	handshake_auth_free(d);
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
static struct ws_conn *conn_for(struct handshake_auth *d, enum ws_kind kind)
{
	struct ws_conn *c = conn_new(d->server, d->seat, kind);

	d->seat = NULL;
	return c;
}

static void auth_refuse_as(struct handshake_auth *d, int code, const char *reason,
			   enum code problem)
{
	struct ws_conn *c;
	size_t head_len;
	int fd;

	log_debug("ws.refused", "%d %s", code, reason);
	if (d->handshake.origin) {
		c = conn_for(d, WS_CHAT);
		c->stage = CHAT_REFUSED;
		conn_close(c, code, reason);
		auth_adopt(d, c);
		return;
	}
	fd = d->fd;
	head_len = d->head_len;
	handshake_auth_free(d);
	refuse_and_close(fd, head_len, problem);
}

static void auth_refuse(struct handshake_auth *d, int code, const char *reason)
{
	auth_refuse_as(d, code, reason, problem_of_close(code));
}

static void auth_send_101(struct handshake_auth *d)
{
	struct ws_conn *c = conn_for(d, WS_CHAT);

	c->stage = d->who ? CHAT_READY : CHAT_AUTH;
	c->who = d->who;
	d->who = NULL;
	c->session_given = d->handshake.session_id != NULL;
	if (c->session_given)
		memcpy(c->session_id, d->handshake.session_id, UUID_BYTES);
	auth_adopt(d, c);
}

static void on_session(void *owner, const struct session *session, const struct err *e)
{
	struct handshake_auth *d = owner;

	(void)session;
	d->lookup = NULL;
	if (ws_server_has_session(d->server, d->who, d->handshake.session_id, e))
		auth_send_101(d);
	else if (e->code == ERR_NOT_FOUND)
		auth_refuse(d, WS_CLOSE_UNKNOWN_SESSION, "unknown session");
	else
		auth_refuse(d, WS_CLOSE_LATER, "try again later");
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
static bool auth_token(const struct handshake_auth *d, struct str *out, struct err *e)
{
	const struct handshake *h = &d->handshake;

	*out = (struct str){0};
	if (h->authorization && strncasecmp(h->authorization, "Bearer ", 7) != 0)
		return err_set(e, ERR_AUTH, "not a bearer token");
	if (h->authorization)
		*out = str_trim(str_of(h->authorization + 7));
	else if (h->bearer)
		*out = str_of(h->bearer);
	else if (h->token && d->server->transport->settings->allow_query_token)
		*out = str_of(h->token);
	/* Addresses end up in logs and histories, and a personal token stays valid for months. */
	return !h->token || out->p != h->token || !identity_is_personal(*out) ||
	       err_set(e, ERR_AUTH, "a personal token in an address");
}

/* Cancels the handshake when the client disconnects during a lookup. */
static void auth_watch_hangup(struct handshake_auth *d)
{
	if (d->hangup)
		return;
	d->hangup = fd_watch_new(d->server->transport->options.loop, d->fd, on_hangup, d);
	fd_watch_set(d->hangup, FD_HANGUP);
}

/* Without a token: a browser may send it in its first frame, other clients only where that is
 * configured. */
static void auth_wait_for_frame(struct handshake_auth *d)
{
	const struct transport_settings *s = d->server->transport->settings;

	if (!d->handshake.origin && !s->first_frame_always)
		auth_refuse(d, WS_CLOSE_UNAUTHORIZED, "no token");
	else
		auth_send_101(d);
}

static void auth_look_up_session(struct handshake_auth *d)
{
	struct transport *t = d->server->transport;

	d->arena = arena_new(HEADER_BYTES_MAX);
	auth_watch_hangup(d);
	d->lookup = store_session(t->options.store, d->who, d->handshake.session_id, d->arena,
				  on_session, d);
}

static void auth_refuse_token(struct handshake_auth *d, const struct err *e)
{
	if (e->code != ERR_AUTH) {
		auth_refuse(d, WS_CLOSE_LATER, "try again later");
		return;
	}
	auth_refuse(d, WS_CLOSE_UNAUTHORIZED,
		    strstr(e->text, "expired") ? "token expired" : "token not valid");
}

static bool auth_take_seat(struct handshake_auth *d)
{
	enum seat_result result = seat_sign_in(d->seat, d->who);

	if (result != SEAT_ASSIGNED)
		auth_refuse_as(d, WS_CLOSE_LATER, "too many connections",
			       result == SEAT_FULL ? CODE_FULL : CODE_RATE_LIMITED);
	return result == SEAT_ASSIGNED;
}

/* Called when the user is known, or when the token is to come in the first frame. */
static void auth_accept(struct handshake_auth *d)
{
	const char *session_id = d->handshake.session_id;

	if (d->who && !may(d->who, "chat:use"))
		auth_refuse(d, WS_CLOSE_DENIED, "not permitted");
	else if (session_id && !uuid_valid(session_id))
		auth_refuse(d, WS_CLOSE_UNKNOWN_SESSION, "unknown session");
	else if (!d->who)
		auth_wait_for_frame(d);
	else if (!auth_take_seat(d))
		return;
	else if (session_id)
		auth_look_up_session(d);
	else
		auth_send_101(d);
}

/* Takes ownership of `take`; NULL: *e gives the reason. */
static void auth_use_principal(struct handshake_auth *d, struct principal *take,
			       const struct err *e)
{
	d->who = take;
	if (take)
		auth_accept(d);
	else
		auth_refuse_token(d, e);
}

static void on_authenticated(void *owner, struct principal *take, const struct err *e)
{
	struct handshake_auth *d = owner;

	d->lookup = NULL;
	auth_use_principal(d, take, e);
}

static void auth_lookup(struct handshake_auth *d, struct str token)
{
	struct principal *who;
	struct err e = {0};

	d->lookup = identity_who(d->server->transport->options.identity, token, &who, &e,
				 on_authenticated, d);
	if (d->lookup)
		auth_watch_hangup(d);
	else
		auth_use_principal(d, who, &e);
}

static void auth_start(struct handshake_auth *d)
{
	const struct handshake *h = &d->handshake;
	struct str token;
	struct err e;

	if (!origin_allowed(d->server, h)) {
		auth_refuse(d, WS_CLOSE_DENIED, "auth.origins does not list this page's origin");
	} else if (h->ticket && !h->authorization && !h->bearer) {
		auth_watch_hangup(d);
		d->lookup = identity_ticket_use(d->server->transport->options.identity,
						str_of(h->ticket), on_authenticated, d);
	} else if (!auth_token(d, &token, &e)) {
		auth_refuse_token(d, &e);
	} else if (token.p) {
		auth_lookup(d, token);
	} else {
		auth_accept(d);
	}
}

void auth_begin(struct ws_server *s, int fd, struct seat *take, const char *head, size_t head_len)
{
	struct handshake h;
	enum code problem;
	struct handshake_auth *d;

	if (!handshake_parse(head, head_len, &h, &problem)) {
		seat_free(&take);
		refuse_and_close(fd, head_len, problem);
		return;
	}
	d = handshake_auth_new(s, fd, take, &h, head_len);
	if (seat_is_proxied(d->seat))
		seat_forwarded(d->seat, str_of(h.forwarded_for), str_of(h.forwarded));
	if (strcmp(h.path, "/ws/v1/chat") == 0) {
		auth_start(d);
	} else if (s->transport->options.echo && strcmp(h.path, "/ws/echo") == 0) {
		auth_adopt(d, conn_for(d, WS_ECHO));
	} else {
		handshake_auth_free(d);
		refuse_and_close(fd, head_len, CODE_NOT_FOUND);
	}
}
