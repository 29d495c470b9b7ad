/*
 * One HTTP request: what handlers see of it, and how they answer. A handler answers before it
 * returns, or starts something whose callback answers later; in between the connection is
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
	ROUTE_BODY = 1,       /* a JSON object comes with it */
	ROUTE_DEMO = 2,       /* exists only in demo mode */
	ROUTE_IDEMPOTENT = 4, /* takes an Idempotency-Key */
	ROUTE_ALIAS = 16,     /* without a version; exists only with api.aliases */
	ROUTE_LOCAL = 8,      /* needs no token: on loopback, only under a name of this machine */
	ROUTE_SIGNIN = 32,    /* exists only where browsers sign in */
	ROUTE_PAGE = 64,      /* exists only where there is a page: there, or in demo mode */
	ROUTE_LONG = 128,     /* its body may hold a whole conversation: OUTSIDE_BYTES_MAX */
	ROUTE_OPENAI = 256,   /* errors have the shape of Chat Completions */
	ROUTE_AI = 1024,      /* of the AI SDK */
	ROUTE_AGUI = 2048,    /* of AG-UI */
	ROUTE_FOLLOWED = 512, /* its Idempotency-Key names a turn, which the same request follows
				 again */
	ROUTE_STREAM = 8192,  /* the body goes to a sink as it comes (body_sink.h); never with
				 ROUTE_BODY */
	ROUTE_TOKENS = 16384, /* exists only with auth.personal_tokens */
	ROUTE_JSONRPC = 4096, /* errors have the shape of JSON-RPC; the body may be any JSON, or
				 none (NULL): its handler says so; foreign pages are refused */
};

struct http_route {
	const char *method;
	const char *path;       /* "{}" stands for one segment */
	const char *permission; /* NULL: open to everybody */
	unsigned flags;
	void (*handle)(struct request *r);
	const char *query; /* the query parameters that it takes, "a b"; NULL: none */
};

/* The route of this method and path; its {} go to params (in the arena). Routes with one of the
 * flags in `absent` are not there. NULL: `allow` lists the methods that the path has, "" for an
 * unknown path. HEAD goes where GET goes. */
const struct http_route *route_find(const struct http_route *routes, const char *method,
				    const char *path, unsigned absent, struct arena *a,
				    const char *params[ROUTE_PARAMS_MAX], struct buf *allow);

/* Pushes text to the client as it comes. `fill` adds what there is and returns false after the last
 * of it. */
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
	const char *params[ROUTE_PARAMS_MAX]; /* what stood for each {} */
	struct principal *who;                /* NULL for open routes */
	json_t *body;                         /* ROUTE_BODY */
	struct arena *arena;                  /* lives as long as the request */

	/* what a handler keeps running; released with the request, however it ends */
	struct op *op;
	void *task;
	void (*task_free)(void *task); /* or NULL: the arena has it */
	/* Its caller's token is no longer good: what is under way ends with that, and says so. */
	void (*task_revoked)(void *task);

	struct op *admitting; /* who asks is being asked, or the request is being counted; once it
				 is handled: whether the caller's token is still good */
	bool read;            /* ... and is here as a whole: it is handled when that is done */

	struct idempotency *idempotency; /* NULL: no Idempotency-Key came */
	bool holding;                    /* the answer is there, but is being kept first */

	/* private to request.c and body_sink.c */
	struct {
		const struct body_sink *sink; /* set by the handler of a ROUTE_STREAM */
		int64_t last_ms, waits_since_ms, waited_ms;
		size_t dropped;
	} stream;
	struct upload {
		struct buf text;
		size_t bytes; /* that came, more than are kept */
		bool refused; /* from its head: the answer waits for its end */
		int64_t until_ms;
	} upload;
	int64_t checked_ms; /* whether the caller's token is still good */
	int64_t begun_us;
	bool begun;
	bool handled;
	bool suspended;
	bool gone; /* the client hung up */
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
		int retry_after_s; /* 0: the usual */
	} reply;
};

/* ---- What came ---- */

/* A header of the request; NULL when absent. */
const char *request_header(const struct request *r, const char *name);
/* The header that names the client's conversation, and the name in *id; NULL: there is none. */
const char *request_conversation(const struct request *r, const char **id);
/* A cookie of the request; NULL when absent. */
const char *request_cookie(const struct request *r, const char *name);
/* The bearer token that came. */
struct str request_token(const struct request *r);
/* A list of entity tags of the request names this one ("…", with its quotes), weakly, or is "*". */
bool request_names_etag(const struct request *r, const char *header, const char *etag);
/* A query parameter, decoded; NULL when absent. */
const char *request_query(const struct request *r, const char *name);

/* ---- What is answered: exactly one of these ---- */

/* For the answer that follows; `value` is copied. */
void reply_header(struct request *r, const char *name, const char *value);
void reply_json(struct request *r, int status, json_t *take);
void reply_bytes(struct request *r, int status, const char *type, const void *bytes, size_t len);
/* The same for bytes that live as long as the program. */
void reply_constant(struct request *r, int status, const char *type, const void *bytes, size_t len);
void reply_empty(struct request *r, int status);
/* The callback of a change: 204, or why not. */
void reply_done(void *owner, const struct err *e);
void reply_problem(struct request *r, enum code p, const char *detail);
/* `more`: further members as finished JSON, or empty. Takes ownership. */
void reply_problem_json(struct request *r, enum code p, json_t *take, struct str more);
/* A member of the body that cannot be: 422, or 413 for ERR_LIMIT. */
void reply_invalid(struct request *r, const struct err *e);
/* What an operation failed with: the caller's own mistakes in detail, everything else in general
 * words. */
void reply_err(struct request *r, const struct err *e);
/* The end of the request's operation: true where it failed, which the caller of the request was
 * told then. */
bool reply_failed(struct request *r, const struct err *e);
/* Server-sent events, until `fill` says that it was the last; reply_stream_wake when there is more.
 */
void reply_stream(struct request *r, bool (*fill)(void *task, struct buf *out));
#define SSE_OPENING   "retry: 3000\n\n"
#define SSE_KEEPALIVE ":\n\n"
void reply_stream_wake(struct request *r);
/* The same for a body of another type, as it is made. */
void reply_parts(struct request *r, const char *type, bool (*fill)(void *task, struct buf *out));

/* ---- Between request.c and request_head.c: each may answer with a problem ---- */

void request_check_framing(struct request *r, const char *method, const char *version);
/* For whom a trusted proxy's request is. */
void request_note_client(struct request *r);
void request_check_query(struct request *r);
void request_check_body_head(struct request *r);
size_t request_body_max(const struct request *r);
bool request_header_is_twice(const struct request *r, const char *name);

/* ---- Between request.c and request_admit.c ---- */

void request_check_caller(struct request *r);
/* Whether the caller's token is still good; what is under way ends where it is not. */
void request_check_again(struct request *r, int64_t now_ms);
/* Who asks has been admitted. The body may be there already. */
void request_go_on(struct request *r);

/* ---- Between request.c and reply.c ---- */

/* The connection waits for request_resume, or for its client to leave. */
void request_suspend(struct request *r);
void request_resume(struct request *r);
/* Hands the answer to the library. */
bool reply_send(struct request *r, const char *method);

/* ---- For mhd.c ---- */

/* The seat is borrowed: it is its connection's. */
struct request *request_new(struct http_server *s, const char *url, struct seat *seat);
/* What libmicrohttpd's handler does; false: drop the connection. */
bool request_step(struct request *r, struct MHD_Connection *connection, const char *method,
		  const char *version, const char *upload, size_t *upload_len);
void request_free(struct request *r);
/* Ends the connection, whatever it is doing. */
void request_cut(struct request *r);
/* The body's deadline, keep-alive comments. */
void request_tick(struct request *r, int64_t now_ms);
/* Nothing more will come: what is suspended goes on, to its end. */
void request_abandon(struct request *r);

#endif
