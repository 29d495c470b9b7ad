/*
 * What the frames of /ws/v1/chat do. A socket has a user and a session of its own; it may watch
 * several turns one after the other or at once, each from where the client stopped reading. There
 * is no answer of its own in here: whatever a turn says is in the turn's log.
 */
#include "ws_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/arena.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "wire.h"

#define LOOKUP_ARENA_BYTES 16384

/* A turn that this socket watches. */
struct watched {
	struct list node;
	struct ws_conn *conn;
	struct stream_watch *watch;
};

static struct transport_options *options_of(const struct ws_conn *c)
{
	return &c->server->transport->options;
}

static void say_problem(struct ws_conn *c, enum problem p, const char *message, int retry_after_ms)
{
	struct buf text;

	buf_init(&text, FRAME_BYTES_MAX);
	problem_frame(&text, p, message, retry_after_ms);
	conn_send(c, &text);
	buf_deinit(&text);
}

/* What the client did wrong is told in our words about its frame; of everything else it hears the
 * general sentence. */
static void say_err(struct ws_conn *c, const struct err *e)
{
	enum problem p = problem_of_err(e->code);

	log_debug("ws.refused", "%s: %s", err_code_name(e->code), e->text);
	say_problem(c, p, e->code == ERR_INPUT ? e->text : NULL, e->retry_after_ms);
}

/* ---- Turns that are watched ---- */

static void watched_free(struct watched *w)
{
	stream_watch_free(&w->watch);
	list_remove(&w->node);
	mem_free(w);
}

static void on_wake(void *owner)
{
	struct watched *w = owner;

	chat_pump(w->conn);
}

static struct watched *watched_find(const struct ws_conn *c, const struct stream_log *log)
{
	list_each(node, &c->turns) {
		struct watched *w = list_item(node, struct watched, node);

		if (stream_watch_log(w->watch) == log)
			return w;
	}
	return NULL;
}

/* Watched already: the client wants to begin again from there. The new watch comes before the old
 * one goes, so that the turn never sees itself left alone. */
static void watch_from(struct ws_conn *c, struct stream_log *log, uint64_t last_seq)
{
	struct watched *old = watched_find(c, log);
	struct watched *w = mem_alloc(sizeof(*w));

	w->conn = c;
	w->watch = stream_watch_new(log, last_seq, on_wake, w);
	list_append(&c->turns, &w->node);
	if (old)
		watched_free(old);
}

static bool is_plain_token(const struct stream_entry *entry)
{
	return entry && entry->kind == EVENT_TOKEN && entry->json_len == 0;
}

/* Adjacent tokens that piled up behind a choked socket go as one; a mark keeps its token alone. */
static void add_merged(struct buf *frame, const char *turn_id, struct stream_watch *watch,
		       const struct stream_entry *entry)
{
	uint64_t first = entry->seq;
	uint64_t last = first;
	struct buf text;

	buf_init(&text, 2 * EVENT_LOG_BYTES_MAX);
	buf_add(&text, entry->text, entry->text_len);
	entry = NULL;
	while (text.n < TOKEN_MERGE_BYTES_MAX && is_plain_token(entry = stream_read(watch))) {
		buf_add(&text, entry->text, entry->text_len);
		last = entry->seq;
		entry = NULL;
	}
	if (entry)
		stream_unread(watch);
	wire_token(frame, turn_id, first, last, (struct str){buf_text(&text), text.n},
		   (struct str){0});
	buf_deinit(&text);
}

static bool watched_send_next(struct watched *w)
{
	const struct stream_entry *entry = stream_read(w->watch);
	const char *turn_id = stream_turn_id(stream_watch_log(w->watch));
	struct buf *frame;

	if (!entry)
		return false;
	frame = conn_frame_begin(w->conn);
	if (w->conn->merging && is_plain_token(entry))
		add_merged(frame, turn_id, w->watch, entry);
	else
		wire_entry(frame, turn_id, entry);
	conn_frame_send(w->conn);
	return true;
}

void chat_pump(struct ws_conn *c)
{
	if (c->close_code || c->dead)
		return;
	list_each_safe(node, &c->turns) {
		struct watched *w = list_item(node, struct watched, node);

		do {
			/* Asked before the log is read: what is read must go out. */
			if (!list_empty(&c->queue) || !conn_ready(c))
				return;
		} while (watched_send_next(w));
		if (stream_ended(w->watch))
			watched_free(w);
	}
	c->merging = false;
}

/* ---- Sessions ---- */

static void lookup_end(struct ws_conn *c)
{
	op_cancel(&c->lookup);
	arena_free(&c->lookup_arena);
}

/* While it runs the peer is not listened to, so that its frames keep their order. */
static void lookup_start(struct ws_conn *c, const char *session_id, store_session_cb cb)
{
	assert(!c->lookup);
	conn_listen(c, false);
	c->lookup_arena = arena_new(LOOKUP_ARENA_BYTES);
	c->lookup = store_session(options_of(c)->store, c->who, session_id, c->lookup_arena, cb, c);
}

static void session_begin(struct ws_conn *c)
{
	struct buf text;

	if (!c->session_given)
		memcpy(c->session_id, uuid_new().text, UUID_BYTES);
	c->stage = CHAT_READY;
	buf_init(&text, FRAME_BYTES_MAX);
	wire_session_ready(&text, c->session_id, c->who);
	conn_send(c, &text);
	buf_deinit(&text);
}

static void on_own_session(void *owner, const struct session *session, const struct err *e)
{
	struct ws_conn *c = owner;

	(void)session;
	c->lookup = NULL;
	lookup_end(c);
	conn_listen(c, true);
	if (transport_knows_session(c->server->transport, c->who, c->session_id, e))
		session_begin(c);
	else if (e->code == ERR_NOT_FOUND)
		conn_close(c, WS_CLOSE_UNKNOWN_SESSION, "unknown session");
	else
		conn_close(c, WS_CLOSE_LATER, "try again later");
}

/* ---- Frames ---- */

static void turn_begin(struct ws_conn *c, const struct turn_request *request)
{
	struct stream_log *log;
	struct err e;

	if (turn_start(options_of(c)->turns, request, &log, &e))
		watch_from(c, log, 0);
	else
		say_err(c, &e);
}

static void message_begin(struct ws_conn *c, const struct client_frame *f)
{
	const struct turn_request request = {
		.who = c->who,
		.session_id = f->session_id ? f->session_id : c->session_id,
		.content = f->content,
		.client_msg_id = f->client_msg_id,
		.filters = f->filters,
	};

	turn_begin(c, &request);
}

static void held_free(struct ws_conn *c)
{
	if (!c->held)
		return;
	client_frame_deinit(c->held);
	mem_free(c->held);
	c->held = NULL;
}

static void on_other_session(void *owner, const struct session *session, const struct err *e)
{
	struct ws_conn *c = owner;

	(void)session;
	c->lookup = NULL;
	lookup_end(c);
	if (transport_knows_session(c->server->transport, c->who, c->held->session_id, e))
		message_begin(c, c->held);
	else
		say_err(c, e);
	held_free(c);
	conn_listen(c, true);
}

static void on_message(struct ws_conn *c, struct client_frame *f)
{
	if (!f->session_id || strcmp(f->session_id, c->session_id) == 0) {
		message_begin(c, f);
		return;
	}
	c->held = mem_alloc(sizeof(*c->held));
	*c->held = *f;
	f->root = NULL; /* kept with it */
	lookup_start(c, c->held->session_id, on_other_session);
}

static void on_select(struct ws_conn *c, struct client_frame *f)
{
	const struct turn_request request = {
		.who = c->who,
		.session_id = c->session_id,
		.ask_id = f->ask_id,
		.values = f->values,
	};

	turn_begin(c, &request);
}

/* A turn that is over has nothing to cancel; the client will have read so by now. */
static void on_cancel(struct ws_conn *c, struct client_frame *f)
{
	struct turns *turns = options_of(c)->turns;
	const char *turn_id = f->turn_id ? f->turn_id : turn_running(turns, c->session_id, c->who);

	if (turn_id && turn_cancel(turns, turn_id, c->who, CANCEL_USER))
		return;
	if (!turn_id || !stream_find(options_of(c)->streams, turn_id, c->who))
		say_problem(c, PROBLEM_NOT_FOUND, "There is no such answer to stop.", 0);
}

static void on_resume(struct ws_conn *c, struct client_frame *f)
{
	struct stream_log *log = stream_find(options_of(c)->streams, f->turn_id, c->who);

	if (!log)
		say_problem(c, PROBLEM_NOT_FOUND,
			    "This answer cannot be resumed any more; it may be in the history.", 0);
	else if ((uint64_t)f->last_seq > stream_last_seq(log))
		say_problem(c, PROBLEM_BAD_FRAME, "last_seq: beyond what was said", 0);
	else
		watch_from(c, log, (uint64_t)f->last_seq);
}

static void on_ping(struct ws_conn *c, struct client_frame *f)
{
	struct buf text;

	buf_init(&text, FRAME_BYTES_MAX);
	wire_pong(&text, f->t);
	conn_send(c, &text);
	buf_deinit(&text);
}

/* A fresh token of the same user; or, on a socket without a user, the first word. */
static void on_auth(struct ws_conn *c, struct client_frame *f)
{
	struct principal *who;
	struct err e;

	if (!identity_token(options_of(c)->identity, str_of(f->token), &who, &e)) {
		conn_close(c, WS_CLOSE_UNAUTHORIZED,
			   strstr(e.text, "expired") ? "token expired" : "token not valid");
		return;
	}
	if ((c->who && !principal_same_user(c->who, who)) || !may(who, "chat:use")) {
		principal_free(&who);
		conn_close(c, WS_CLOSE_DENIED, "not permitted");
		return;
	}
	principal_free(&c->who);
	c->who = who;
	c->warned = false;
	if (c->stage != CHAT_AUTH)
		return;
	c->server->waiting--;
	c->stage = CHAT_CHECK;
	if (c->session_given)
		lookup_start(c, c->session_id, on_own_session);
	else
		session_begin(c);
}

static void on_unknown(struct ws_conn *c, struct client_frame *f)
{
	(void)f;
	say_problem(c, PROBLEM_UNKNOWN_TYPE, NULL, 0);
}

static void (*const handlers[])(struct ws_conn *c, struct client_frame *f) = {
	[FRAME_MESSAGE] = on_message, [FRAME_CANCEL] = on_cancel, [FRAME_SELECT] = on_select,
	[FRAME_AUTH] = on_auth,       [FRAME_RESUME] = on_resume, [FRAME_PING] = on_ping,
	[FRAME_UNKNOWN] = on_unknown,
};

void chat_message(struct ws_conn *c, const char *text, size_t len)
{
	struct client_frame f;
	struct err e;

	if (c->stage == CHAT_REFUSED || c->stage == CHAT_LEFT)
		return;
	if (!wire_parse(text, len, &f, &e)) {
		if (c->stage == CHAT_AUTH)
			conn_close(c, WS_CLOSE_UNAUTHORIZED, "first frame must be auth");
		else
			say_problem(c, e.code == ERR_LIMIT ? PROBLEM_TOO_LONG : PROBLEM_BAD_FRAME,
				    e.text, 0);
		return;
	}
	if (c->stage == CHAT_AUTH && f.type != FRAME_AUTH)
		conn_close(c, WS_CLOSE_UNAUTHORIZED, "first frame must be auth");
	else
		handlers[f.type](c, &f);
	client_frame_deinit(&f);
}

/* ---- Beginning, time, end ---- */

void chat_opened(struct ws_conn *c)
{
	if (c->stage == CHAT_AUTH)
		c->server->waiting++;
	else
		session_begin(c);
}

void chat_tick(struct ws_conn *c, int64_t now_ms)
{
	struct buf text;

	if (c->stage == CHAT_AUTH && now_ms - c->opened_ms >= AUTH_FRAME_MS) {
		conn_close(c, WS_CLOSE_SILENT, "no token in time");
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

/* A user who closes the window does not want the answer any more; a connection that broke may come
 * back, and how long that is waited for is the turn's business. */
static void leave_turn(struct ws_conn *c, struct watched *w)
{
	const struct stream_log *log = stream_watch_log(w->watch);
	bool was_last = stream_watchers(log) == 1;
	char turn_id[UUID_BYTES];

	memcpy(turn_id, stream_turn_id(log), UUID_BYTES);
	watched_free(w);
	if (c->peer_code == WS_CLOSE_NORMAL && !c->close_code && was_last)
		turn_cancel(options_of(c)->turns, turn_id, c->who, CANCEL_LEFT);
}

void chat_closed(struct ws_conn *c)
{
	if (c->stage == CHAT_AUTH && c->wsi)
		c->server->waiting--;
	c->stage = CHAT_LEFT;
	lookup_end(c);
	held_free(c);
	while (!list_empty(&c->turns))
		leave_turn(c, list_item(c->turns.next, struct watched, node));
}
