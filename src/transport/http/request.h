/*
 * One HTTP request: what handlers read from it, and how they answer. A handler answers before it
 * returns, or starts an operation whose callback answers later; meanwhile the connection is
 * suspended. Loop thread only.
 */
#ifndef VESPER_REQUEST_H
#define VESPER_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "port/problem.h"
#include "port/seats.h"
#include "port/transport_int.h"
#include "vesper/arena.h"
#include "vesper/list.h"
#include "vesper/op.h"
#include "vesper/principal.h"
#include "vesper/str.h"

#define REQUEST_ID_BYTES  129
#define ROUTE_PARAMS_MAX  2
#define REPLY_HEADERS_MAX 20

struct MHD_Connection;
struct MHD_Response;
struct body_sink;
struct request;

enum {
	ROUTE_BODY = 1,       /* has a JSON object as its body */
	ROUTE_DEMO = 2,       /* exists only in demo mode */
	ROUTE_IDEMPOTENT = 4, /* accepts an Idempotency-Key */
	ROUTE_ALIAS = 16,     /* has no version; exists only with api.aliases */
	ROUTE_LOCAL = 8,      /* needs no token; on loopback, Host must name this machine */
	ROUTE_SIGNIN = 32,    /* exists only with browser sign-in */
	ROUTE_PAGE = 64,      /* exists only with sign-in or in demo mode, where there is a page */
	ROUTE_LONG = 128,     /* the body may hold a whole conversation: CLIENT_HISTORY_BYTES_MAX */
	ROUTE_OPENAI = 256,   /* errors have the shape of Chat Completions */
	ROUTE_AI = 1024,      /* serves the AI SDK */
	ROUTE_AGUI = 2048,    /* serves AG-UI */
	ROUTE_FOLLOWED = 512, /* its Idempotency-Key names a turn; an identical request follows that
				 turn again */
	ROUTE_STREAM = 8192,  /* passes the body to a sink as it arrives (body_sink.h); never with
				 ROUTE_BODY */
	ROUTE_TOKENS = 16384, /* exists only with auth.personal_tokens */
	ROUTE_JSONRPC = 4096, /* errors as in JSON-RPC; the body may be any JSON or none (NULL): the
				 handler checks it; refuses pages of other origins */
};

struct http_route {
	const char *method;
	const char *path;       /* "{}" stands for one segment */
	const char *permission; /* NULL: no permission needed */
	unsigned flags;
	void (*handle)(struct request *r);
	const char *query; /* names of its query parameters, "a b"; NULL: none */
};

/* Finds the route of this method and path; the values of {} are stored in params (in the arena).
 * Routes with a flag in `absent` are skipped. NULL: `allow` lists the methods of the path, "" for
 * an unknown path. HEAD uses the route of GET. */
const struct http_route *route_find(const struct http_route *routes, const char *method,
				    const char *path, unsigned absent, struct arena *a,
				    const char *params[ROUTE_PARAMS_MAX], struct buf *allow);

/* Sends text to the client as it is produced. `fill` adds the available text and returns false
 * after the last of it. */
struct push {
	bool (*fill)(void *task, struct buf *out);
	struct buf pending;
	size_t sent;
	bool ended;
	bool events; /* server-sent events: kept alive by comments */
	int64_t last_ms;
};

struct request {
	struct list node;
	struct http_server *server;
	struct transport *transport;
	struct seat *seat;
	struct MHD_Connection *connection;
	const struct http_route *route;
	char *path;
	char request_id[REQUEST_ID_BYTES];
	const char *params[ROUTE_PARAMS_MAX]; /* the values of {} */
	struct principal *who;                /* NULL for open routes */
	json_t *body;                         /* ROUTE_BODY */
	struct arena *arena;                  /* freed with the request */

	/* a handler's running operation; released with the request, however it ends */
	struct op *op;
	void *task;
	void (*task_free)(void *task); /* NULL: the arena holds it */
	/* The caller's token is no longer valid: ends the task with that error. */
	void (*task_revoked)(void *task);

	struct op *admitting; /* authentication or rate limit in progress; once handled: the
				 repeated check of the caller's token */
	bool read;            /* the request is complete, and is handled when admitted */

	struct idempotency *idempotency; /* NULL: no Idempotency-Key */
	bool is_storing_reply;           /* the answer is being stored before it is sent */

	/* private to request.c and body_sink.c */
	struct {
		const struct body_sink *sink; /* set by the handler of a ROUTE_STREAM */
		int64_t last_ms, waiting_since_ms, waited_ms;
		size_t dropped;
	} stream;
	struct upload {
		struct buf text;
		size_t bytes; /* received, including dropped ones */
		bool refused; /* refused because of its head; answered after its end */
		int64_t until_ms;
	} upload;
	int64_t checked_ms; /* time of the last check of the caller's token */
	int64_t begun_us;
	bool begun;
	bool handled;
	bool suspended;
	bool gone; /* the client disconnected */
	struct fd_watch *hangup;
	struct reply {
		struct MHD_Response *response;
		unsigned int status;
		struct push *stream;
		struct reply_header {
			const char *name;
			char *value;
		} headers[REPLY_HEADERS_MAX];
		size_t header_count;
		int retry_after_s; /* 0: the default */
	} reply;
};

/* ---- Reading the request ---- */

/* A header of the request; NULL when absent. */
const char *request_header(const struct request *r, const char *name);
/* Finds the header that names the client's conversation; *id is its value. NULL: absent. */
const char *request_conversation(const struct request *r, const char **id);
/* A cookie of the request; NULL when absent. */
const char *request_cookie(const struct request *r, const char *name);
/* The bearer token of the request. */
struct str request_token(const struct request *r);
/* Returns true when a list of entity tags in the request has this tag ("…", with its quotes;
 * compared weakly) or is "*". */
bool request_matches_etag(const struct request *r, const char *header, const char *etag);
/* A query parameter, decoded; NULL when absent. */
const char *request_query(const struct request *r, const char *name);

/* ---- Answering: exactly one of these ---- */

/* Adds a header to the answer; `value` is copied. */
void reply_header(struct request *r, const char *name, const char *value);
void reply_json(struct request *r, int status, json_t *take);
void reply_bytes(struct request *r, int status, const char *type, const void *bytes, size_t len);
/* Like reply_bytes, for bytes with static storage. */
void reply_constant(struct request *r, int status, const char *type, const void *bytes, size_t len);
void reply_empty(struct request *r, int status);
/* Callback of a change: answers 204, or the error. */
void reply_done(void *owner, const struct err *e);
void reply_problem(struct request *r, enum code p, const char *detail);
/* Takes ownership of `take`. `more`: further members as JSON text, or empty. */
void reply_problem_json(struct request *r, enum code p, json_t *take, struct str more);
/* An invalid member of the body: 422, or 413 for ERR_LIMIT. */
void reply_invalid(struct request *r, const struct err *e);
/* Answers the error of an operation: in detail for mistakes of the caller, in general words
 * otherwise. */
void reply_err(struct request *r, const struct err *e);
/* Ends the request's operation. Returns true when it failed; the error is then answered. */
bool reply_failed(struct request *r, const struct err *e);
/* Streams server-sent events until `fill` returns false; call reply_stream_wake when there is more.
 */
void reply_stream(struct request *r, bool (*fill)(void *task, struct buf *out));
#define SSE_OPENING   "retry: 3000\n\n"
#define SSE_KEEPALIVE ":\n\n"
void reply_stream_wake(struct request *r);
/* Like reply_stream, for a body of another type. */
void reply_chunks(struct request *r, const char *type, bool (*fill)(void *task, struct buf *out));

/* ---- Between request.c and request_head.c: each check may answer with a problem ---- */

void request_check_framing(struct request *r, const char *method, const char *version);
/* Counts a request from a trusted proxy for its client. */
void request_note_client(struct request *r);
void request_check_query(struct request *r);
void request_check_body_head(struct request *r);
size_t request_body_max(const struct request *r);
bool request_header_is_repeated(const struct request *r, const char *name);

/* ---- Between request.c and request_admit.c ---- */

void request_check_caller(struct request *r);
/* Checks again whether the caller's token is valid; otherwise ends the request. */
void request_check_again(struct request *r, int64_t now_ms);
/* Called when the caller was admitted. The body may already be complete. */
void request_continue(struct request *r);

/* ---- Between request.c and reply.c ---- */

/* Suspends the connection until request_resume, or until its client disconnects. */
void request_suspend(struct request *r);
void request_resume(struct request *r);
/* Passes the answer to the library. */
bool reply_send(struct request *r, const char *method);

/* ---- For mhd.c ---- */

/* The seat is borrowed; it belongs to the connection. */
struct request *request_new(struct http_server *s, const char *url, struct seat *seat);
/* Implements libmicrohttpd's handler. Returns false to drop the connection. */
bool request_step(struct request *r, struct MHD_Connection *connection, const char *method,
		  const char *version, const char *upload, size_t *upload_len);
void request_free(struct request *r);
/* Ends the connection in any state. */
void request_cut(struct request *r);
/* Enforces the body's deadline and sends keep-alive comments. */
void request_tick(struct request *r, int64_t now_ms);
/* Called when the server stops: resumes a suspended request, so that it ends. */
void request_abandon(struct request *r);

#endif
