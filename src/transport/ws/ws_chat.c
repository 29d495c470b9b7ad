/*
 * Handles the frames of /ws/v1/chat. A socket has one user and one session. It may watch several
 * turns at once or one after the other, each from where the client stopped reading. This file
 * writes no answers: they are in the log of each turn.
 */
#include "ws_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/arena.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/wire.h"
#include "client_frame.h"
#include "port/grants.h"

#define LOOKUP_ARENA_BYTES 16384

static struct transport_options *options_of(const struct ws_conn *c)
{
	return &c->server->transport->options;
}

static void send_problem(struct ws_conn *c, enum code p, const char *message, int retry_after_ms)
{
	struct buf text;

	buf_init(&text, FRAME_BYTES_MAX);
	problem_frame(&text, p, message, retry_after_ms);
	conn_send(c, &text);
	buf_deinit(&text);
}

/* A faulty frame is answered with a description of the fault; all other errors with their general
 * sentence. */
static void send_err(struct ws_conn *c, const struct err *e)
{
	enum code p = code_of_request(e->code);

	log_debug("ws.refused", "%s: %s", err_code_name(e->code), e->text);
	send_problem(c, p, e->code == ERR_INPUT ? e->text : NULL, e->retry_after_ms);
}

/* ---- Sessions ---- */

static void lookup_end(struct ws_conn *c)
{
	op_cancel(&c->lookup);
	arena_free(&c->lookup_arena);
}

/* Reading from the peer pauses during the lookup, so that its frames keep their order. */
static void lookup_start(struct ws_conn *c, const char *session_id, store_session_cb cb)
{
	assert(!c->lookup);
	conn_set_reading(c, false);
	c->lookup_arena = arena_new(LOOKUP_ARENA_BYTES);
	c->lookup = store_session(options_of(c)->store, c->who, session_id, c->lookup_arena, cb, c);
}

/* A role may include permissions of packs that the tenant does not have. They grant nothing, and
 * their names are hidden from the tenant's users. */
static struct principal with_known_permissions(const struct ws_conn *c, struct arena *a)
{
	const struct turn_knowledge *k = turns_knowledge(options_of(c)->turns, c->who->tenant);
	const char **known = arena_alloc(a, (c->who->permission_count + 1) * sizeof(*known));
	struct principal who = *c->who;

	who.permissions = known;
	who.permission_count = 0;
	for (size_t i = 0; i < c->who->permission_count; i++)
		if (k && catalog_has_permission(k->catalog, c->who->permissions[i]))
			known[who.permission_count++] = c->who->permissions[i];
	return who;
}

static void session_begin(struct ws_conn *c)
{
	struct arena *a = arena_new(LOOKUP_ARENA_BYTES);
	struct principal who = with_known_permissions(c, a);
	struct buf text;

	if (!c->session_given)
		memcpy(c->session_id, uuid_new().text, UUID_BYTES);
	c->stage = CHAT_READY;
	buf_init(&text, FRAME_BYTES_MAX);
	wire_session_ready(&text, c->session_id, &who);
	conn_send(c, &text);
	buf_deinit(&text);
	arena_free(&a);
}

static void on_session_found(void *owner, const struct session *session, const struct err *e)
{
	struct ws_conn *c = owner;

	(void)session;
	c->lookup = NULL;
	lookup_end(c);
	conn_set_reading(c, true);
	if (ws_server_has_session(c->server, c->who, c->session_id, e))
		session_begin(c);
	else if (e->code == ERR_NOT_FOUND)
		conn_close(c, WS_CLOSE_UNKNOWN_SESSION, "unknown session");
	else
		conn_close(c, WS_CLOSE_TRY_AGAIN_LATER, "try again later");
}

/* ---- Frames ---- */

static void pending_message_free(struct ws_conn *c)
{
	if (!c->pending_message)
		return;
	client_frame_deinit(c->pending_message);
	mem_free(c->pending_message);
	c->pending_message = NULL;
}

/* Keeps the frame during a lookup, and pauses reading from the peer. */
static void hold_message(struct ws_conn *c, struct client_frame *f)
{
	if (f == c->pending_message)
		return;
	assert(!c->pending_message);
	c->pending_message = mem_alloc(sizeof(*c->pending_message));
	*c->pending_message = *f;
	f->root = NULL; /* ownership moved to pending_message */
	conn_set_reading(c, false);
}

/* Resumes reading from the peer. */
static void pending_message_done(struct ws_conn *c)
{
	pending_message_free(c);
	conn_set_reading(c, true);
}

static void on_started(void *owner, struct stream_log *log, const struct err *e)
{
	struct ws_conn *c = owner;

	c->lookup = NULL;
	if (e)
		send_err(c, e);
	else
		turns_watch(c, log, 0);
	pending_message_done(c);
}

static void start_turn(struct ws_conn *c, struct client_frame *f)
{
	struct turn_request request = {
		.session_id = f->session_id ? f->session_id : c->session_id,
		.content = f->content,
		.client_msg_id = f->client_msg_id,
		.filters = f->filters,
		.ask_id = f->ask_id,
		.values = f->values,
	};

	grants_apply(c->server->transport, &c->who);
	request.who = c->who;
	hold_message(c, f);
	c->lookup = turn_start(options_of(c)->turns, &request, on_started, c);
}

static void on_other_session(void *owner, const struct session *session, const struct err *e)
{
	struct ws_conn *c = owner;

	(void)session;
	c->lookup = NULL;
	lookup_end(c);
	if (ws_server_has_session(c->server, c->who, c->pending_message->session_id, e)) {
		start_turn(c, c->pending_message);
	} else {
		send_err(c, e);
		pending_message_done(c);
	}
}

/* Counted before the session is looked up, so that requests for nonexistent sessions are limited
 * too.
 */
static void apply_rate(struct ws_conn *c, struct client_frame *f, const struct rate *rate)
{
	if (!rate->allowed) {
		send_problem(c, CODE_RATE_LIMITED, NULL,
			     (int)(rate->user.wait_ms > rate->tenant.wait_ms
					   ? rate->user.wait_ms
					   : rate->tenant.wait_ms));
	} else if (f->session_id && strcmp(f->session_id, c->session_id) != 0) {
		hold_message(c, f);
		lookup_start(c, c->pending_message->session_id, on_other_session);
	} else {
		start_turn(c, f);
	}
}

static void on_counted(void *owner, const struct rate *rate)
{
	struct ws_conn *c = owner;

	c->lookup = NULL;
	apply_rate(c, c->pending_message, rate);
	if (!c->lookup)
		pending_message_done(c);
}

static void on_question(struct ws_conn *c, struct client_frame *f)
{
	struct rate rate;

	c->lookup = identity_rate(options_of(c)->identity, c->who, &rate, on_counted, c);
	if (!c->lookup) {
		apply_rate(c, f, &rate);
		return;
	}
	hold_message(c, f);
}

static void send_no_running_turn(struct ws_conn *c)
{
	send_problem(c, CODE_NOT_FOUND, "This answer is not running, so it cannot be stopped.", 0);
	pending_message_done(c);
}

/* A finished turn has nothing to cancel; the client will have read its end by now. */
static void on_finished_found(void *owner, struct stream_log *log, const struct err *e)
{
	struct ws_conn *c = owner;

	(void)log;
	c->lookup = NULL;
	if (e)
		send_no_running_turn(c);
	else
		pending_message_done(c);
}

static void on_cancelled(void *owner, bool found)
{
	struct ws_conn *c = owner;

	c->lookup = NULL;
	if (found || !c->pending_message->turn_id)
		pending_message_done(c);
	else
		c->lookup = stream_find(options_of(c)->streams, c->pending_message->turn_id, c->who,
					NULL, on_finished_found, c);
}

static void cancel_turn(struct ws_conn *c, const char *turn_id)
{
	c->lookup =
		turn_cancel(options_of(c)->turns, turn_id, c->who, CANCEL_USER, on_cancelled, c);
}

static void on_running(void *owner, const char *turn_id)
{
	struct ws_conn *c = owner;

	c->lookup = NULL;
	if (turn_id)
		cancel_turn(c, turn_id);
	else
		send_no_running_turn(c);
}

static void on_cancel(struct ws_conn *c, struct client_frame *f)
{
	hold_message(c, f);
	if (f->turn_id)
		cancel_turn(c, f->turn_id);
	else
		c->lookup =
			turn_running(options_of(c)->turns, c->session_id, c->who, on_running, c);
}

static void on_resume_found(void *owner, struct stream_log *log, const struct err *e)
{
	struct ws_conn *c = owner;
	uint64_t last_seq = (uint64_t)c->pending_message->last_seq;

	c->lookup = NULL;
	if (e && e->code == ERR_NOT_FOUND)
		send_problem(c, CODE_EXPIRED, PROBLEM_EXPIRED_LOG, 0);
	else if (e)
		send_err(c, e);
	else if (!wire_can_resume(log, &wire_chat, last_seq))
		send_problem(c, CODE_BAD_FRAME,
			     "last_seq: higher than the last event of this answer. Resume with 0.",
			     0);
	else
		turns_watch(c, log, last_seq);
	pending_message_done(c);
}

static bool is_behind(void *owner, const struct stream_log *log)
{
	const struct ws_conn *c = owner;

	return wire_is_behind(log, &wire_chat, (uint64_t)c->pending_message->last_seq);
}

static void on_resume(struct ws_conn *c, struct client_frame *f)
{
	hold_message(c, f);
	grants_apply(c->server->transport, &c->who);
	c->lookup = stream_find(options_of(c)->streams, f->turn_id, c->who, is_behind,
				on_resume_found, c);
}

static void on_ping(struct ws_conn *c, struct client_frame *f)
{
	struct buf text;

	buf_init(&text, FRAME_BYTES_MAX);
	wire_pong(&text, f->t);
	conn_send(c, &text);
	buf_deinit(&text);
}

static void refuse_token(struct ws_conn *c, const struct err *e)
{
	if (e->code != ERR_AUTH)
		conn_close(c, WS_CLOSE_TRY_AGAIN_LATER, "try again later");
	else
		conn_close(c, WS_CLOSE_UNAUTHORIZED,
			   strstr(e->text, "expired") ? "token expired" : "token not valid");
}

static void apply_principal(struct ws_conn *c, struct principal *who)
{
	if ((c->who && !principal_same_user(c->who, who)) || !may(who, "chat:use")) {
		principal_free(&who);
		conn_close(c, WS_CLOSE_DENIED, "not permitted");
		return;
	}
	principal_free(&c->who);
	c->who = who;
	c->warned = false;
	turns_recheck(c);
	if (c->stage != CHAT_AUTH)
		return;
	if (seat_sign_in(c->seat, c->who) != SEAT_ASSIGNED) {
		conn_close(c, WS_CLOSE_TRY_AGAIN_LATER, "too many connections");
		return;
	}
	c->stage = CHAT_CHECK;
	if (c->session_given)
		lookup_start(c, c->session_id, on_session_found);
	else
		session_begin(c);
}

static void on_authenticated(void *owner, struct principal *take, const struct err *e)
{
	struct ws_conn *c = owner;

	c->lookup = NULL;
	conn_set_reading(c, true);
	if (take)
		apply_principal(c, take);
	else
		refuse_token(c, e);
}

/* Renews the token of the same user or, on a socket without a user, authenticates it. */
static void on_auth(struct ws_conn *c, struct client_frame *f)
{
	struct principal *who;
	struct err e = {0};

	c->lookup = identity_authenticate(options_of(c)->identity, str_of(f->token), &who, &e,
					  on_authenticated, c);
	if (c->lookup)
		conn_set_reading(c, false);
	else if (who)
		apply_principal(c, who);
	else
		refuse_token(c, &e);
}

static void on_unknown(struct ws_conn *c, struct client_frame *f)
{
	(void)f;
	send_problem(c, CODE_UNKNOWN_TYPE, NULL, 0);
}

static void (*const handlers[])(struct ws_conn *c, struct client_frame *f) = {
	[FRAME_MESSAGE] = on_question, [FRAME_CANCEL] = on_cancel, [FRAME_SELECT] = on_question,
	[FRAME_AUTH] = on_auth,        [FRAME_RESUME] = on_resume, [FRAME_PING] = on_ping,
	[FRAME_UNKNOWN] = on_unknown,
};

void chat_message(struct ws_conn *c, const char *text, size_t len)
{
	struct client_frame f;
	struct err e;

	if (c->stage == CHAT_REFUSED || c->stage == CHAT_CLOSED)
		return;
	if (!wire_parse(text, len, &f, &e)) {
		if (c->stage == CHAT_AUTH)
			conn_close(c, WS_CLOSE_UNAUTHORIZED, "first frame must be auth");
		else
			send_problem(c, e.code == ERR_LIMIT ? CODE_TOO_LONG : CODE_BAD_FRAME,
				     e.text, 0);
		return;
	}
	if (c->stage == CHAT_AUTH && f.type != FRAME_AUTH)
		conn_close(c, WS_CLOSE_UNAUTHORIZED, "first frame must be auth");
	else
		handlers[f.type](c, &f);
	client_frame_deinit(&f);
}

/* ---- Open, tick, close ---- */

void chat_opened(struct ws_conn *c)
{
	if (c->stage != CHAT_AUTH)
		session_begin(c);
}

/* ---- Tokens revoked while the socket is open ---- */

static void apply_recheck(struct ws_conn *c, struct principal *take, const struct err *e)
{
	bool is_valid = take ? may(take, "chat:use") : e->code != ERR_AUTH;

	principal_free(&take);
	if (is_valid || c->end.code)
		return;
	turns_revoke(c);
	send_problem(c, CODE_DENIED, PROBLEM_REVOKED, 0);
	conn_close(c, WS_CLOSE_UNAUTHORIZED, "token revoked");
}

static void on_rechecked(void *owner, struct principal *take, const struct err *e)
{
	struct ws_conn *c = owner;

	c->recheck = NULL;
	apply_recheck(c, take, e);
}

static void recheck_token(struct ws_conn *c, int64_t now_ms)
{
	struct principal *who;
	struct err e = {0};

	if (!c->who || !c->who->token_hash || c->recheck || c->end.code ||
	    now_ms - c->checked_ms < TOKEN_CHECK_MS)
		return;
	c->checked_ms = now_ms;
	c->recheck =
		identity_reauthenticate(options_of(c)->identity, c->who, &who, &e, on_rechecked, c);
	if (!c->recheck)
		apply_recheck(c, who, &e);
}

void chat_tick(struct ws_conn *c, int64_t now_ms)
{
	struct buf text;

	recheck_token(c, now_ms);
	if (c->stage == CHAT_AUTH && now_ms - c->opened_ms >= AUTH_FRAME_MS) {
		conn_close(c, WS_CLOSE_AUTH_TIMEOUT, "no token in time");
	} else if (c->who && identity_expired(options_of(c)->identity, c->who)) {
		conn_close(c, WS_CLOSE_UNAUTHORIZED, "token expired");
	} else if (c->who && !c->warned && clock_now_ms() >= c->who->expires_ms - AUTH_WARN_MS) {
		c->warned = true;
		buf_init(&text, FRAME_BYTES_MAX);
		wire_auth_expiring(&text, c->who->expires_ms);
		conn_send(c, &text);
		buf_deinit(&text);
	}
}

void chat_closed(struct ws_conn *c)
{
	c->stage = CHAT_CLOSED;
	op_cancel(&c->recheck);
	lookup_end(c);
	pending_message_free(c);
	turns_unwatch(c);
}
