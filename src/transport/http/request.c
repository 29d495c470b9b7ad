/*
 * libmicrohttpd calls one function repeatedly for a request: with its head, with each chunk of its
 * body, at its end, and after each resume. This file turns those calls into steps: check the head,
 * collect the body, call the handler once, and send the answer when it is ready.
 */
#include <microhttpd.h>

#include "request.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "port/address.h"
#include "body_sink.h"
#include "cors_reply.h"
#include "port/cors.h"
#include "port/grants.h"
#include "mhd.h"
#include "port/refuse.h"
#include "idempotency.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"

#define ARENA_BYTES (4 * 1024 * 1024) /* a page of messages with their views */

/* The target may be an absolute URL, as clients send it to proxies; its host is ignored here. */
static const char *path_of(const char *url)
{
	size_t scheme = strncasecmp(url, "http://", 7) == 0    ? 7
			: strncasecmp(url, "https://", 8) == 0 ? 8
							       : 0;
	const char *path = url + scheme + (scheme ? strcspn(url + scheme, "/") : 0);

	return *path ? path : "/";
}

struct request *request_new(struct http_server *s, const char *url, struct seat *seat)
{
	struct request *r = mem_alloc(sizeof(*r));

	r->server = s;
	r->seat = seat;
	r->transport = http_server_transport(s);
	r->path = mem_strdup(path_of(url));
	r->arena = arena_new(ARENA_BYTES);
	r->begun_us = clock_mono_us();
	buf_init(&r->upload.text, BODY_BYTES_MAX);
	return r;
}

void request_free(struct request *r)
{
	list_remove(&r->node);
	idempotency_detach(r);
	fd_watch_free(&r->hangup); /* must be freed before the library closes the socket, which it
				      does after this call */
	op_cancel(&r->op);
	op_cancel(&r->admitting);
	if (r->task_free)
		r->task_free(r->task);
	if (r->reply.response)
		MHD_destroy_response(r->reply.response);
	if (r->reply.stream)
		buf_deinit(&r->reply.stream->pending);
	mem_free(r->reply.stream);
	for (size_t i = 0; i < r->reply.header_count; i++)
		mem_free(r->reply.headers[i].value);
	json_decref(r->body);
	principal_free(&r->who);
	buf_deinit(&r->upload.text);
	arena_free(&r->arena);
	mem_free(r->path);
	mem_free(r);
}

/* ---- Suspending ---- */

void request_resume(struct request *r)
{
	if (!r->suspended)
		return;
	r->suspended = false;
	fd_watch_free(&r->hangup);
	MHD_resume_connection(r->connection);
	http_server_kick(r->server);
}

/* A suspended connection is not in the library's epoll, so the library would notice a disconnected
 * client only at the second write after the resume. This watch reports it at once. */
static void on_hangup(void *owner, int fd, int events)
{
	struct request *r = owner;

	(void)fd;
	(void)events;
	r->gone = true;
	request_resume(r);
}

static int socket_of(const struct request *r)
{
	return MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD)
		->connect_fd;
}

void request_suspend(struct request *r)
{
	assert(!r->suspended);
	r->suspended = true;
	r->hangup = fd_watch_new(r->transport->options.loop, socket_of(r), on_hangup, r);
	fd_watch_set(r->hangup, FD_HANGUP);
	MHD_suspend_connection(r->connection);
}

void request_abandon(struct request *r)
{
	r->gone = true;
	request_resume(r);
}

void request_cut(struct request *r)
{
	r->gone = true;
	shutdown(socket_of(r), SHUT_RDWR);
	request_resume(r);
}

void request_tick(struct request *r, int64_t now_ms)
{
	struct push *s = r->reply.stream;

	bool is_late = r->route && r->route->flags & ROUTE_STREAM ? body_sink_is_late(r, now_ms)
								  : now_ms >= r->upload.until_ms;
	bool is_awaited = !r->read && (!r->reply.response || r->upload.refused);

	request_check_again(r, now_ms);
	if (r->upload.until_ms && is_awaited && is_late) {
		r->upload.until_ms = 0;
		/* The library accepts no answer while it reads a body. */
		refuse_and_shut_down(socket_of(r), CODE_BODY_LATE, r->path, r->request_id);
	}
	if (s && s->events && r->suspended && now_ms - s->last_ms >= SSE_KEEPALIVE_MS) {
		buf_reset(&s->pending);
		s->sent = 0;
		buf_str(&s->pending, SSE_KEEPALIVE);
		request_resume(r);
	}
}

/* ---- Steps of a request ---- */

/* Accepts the caller's request id when it is safe in a header and in a log line. */
static void set_request_id(struct request *r)
{
	const char *id = request_header(r, "X-Request-Id");
	size_t len = id ? strlen(id) : 0;
	bool is_safe =
		len > 0 && len < REQUEST_ID_BYTES &&
		strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
			len;

	snprintf(r->request_id, sizeof(r->request_id), "%s", is_safe ? id : uuid_new().text);
}

static bool is_streamed(const struct request *r)
{
	return r->route && r->route->flags & ROUTE_STREAM;
}

/* For "OPTIONS *", which concerns the whole server, and for CONNECT. */
#define ALL_METHODS "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

/* Flags of the routes that this server does not have. */
static unsigned absent_flags(const struct transport *t)
{
	bool has_page = t->options.demo || t->options.signin;
	unsigned served = t->settings->dialects;

	return (t->options.demo ? 0u : ROUTE_DEMO) | (t->settings->aliases ? 0u : ROUTE_ALIAS) |
	       (t->options.signin ? 0u : ROUTE_SIGNIN) | (has_page ? 0u : ROUTE_PAGE) |
	       (served & CLIENT_AI ? 0u : ROUTE_AI) | (served & CLIENT_AGUI ? 0u : ROUTE_AGUI) |
	       (served & CLIENT_OPENAI ? 0u : ROUTE_OPENAI) |
	       (served & CLIENT_MCP ? 0u : ROUTE_JSONRPC) |
	       (identity_has_personal(t->options.identity) ? 0u : ROUTE_TOKENS);
}

static void find_route(struct request *r, const char *method)
{
	struct buf allow;

	buf_init(&allow, 200);
	if (r->transport->leave_timer) /* the next connection reaches the other process */
		reply_header(r, "Connection", "close");
	r->route = route_find(http_server_routes(r->server), method, r->path,
			      absent_flags(r->transport), r->arena, r->params, &allow);
	if (!r->route && strncmp(r->path, "/ws/", 4) == 0) {
		/* A proxy that reuses its connections can send an upgrade here. The library cannot
		 * give the socket back, but the proxy's next attempt comes on a new connection. */
		reply_header(r, "Connection", "close");
		reply_problem(r, CODE_UPGRADE, NULL);
	} else if (!r->route && allow.n > 0 && strcmp(method, "OPTIONS") == 0) {
		cors_preflight(r, buf_text(&allow));
	} else if (strcmp(method, "OPTIONS") == 0) {
		cors_preflight(r, strcmp(r->path, "*") == 0 ? ALL_METHODS : "OPTIONS");
	} else if (strcmp(method, "CONNECT") == 0) {
		reply_header(r, "Connection", "close");
		reply_header(r, "Allow", ALL_METHODS);
		reply_problem(r, CODE_METHOD, "CONNECT is not supported.");
	} else if (!r->route && allow.n > 0) {
		reply_header(r, "Allow", buf_text(&allow));
		reply_problem(
			r, CODE_METHOD,
			arena_printf(r->arena, "This address supports only %s.", buf_text(&allow)));
	} else if (!r->route && strcmp(r->path, "/") == 0) {
		reply_problem(r, CODE_NOT_FOUND,
			      "The page is not served, because signin.client_id is not set and "
			      "users could not sign in.");
	} else if (!r->route) {
		reply_problem(r, CODE_NOT_FOUND, "Not found. /openapi.json lists all addresses.");
	}
	buf_deinit(&allow);
}

/* Returns true when the connection was accepted on a loopback address. */
static bool is_on_loopback(const struct request *r)
{
	const union MHD_ConnectionInfo *fd =
		MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	char address[ADDRESS_BYTES];

	address_of(fd->connect_fd, address);
	return transport_is_loopback(address);
}

static void check_host(struct request *r)
{
	if (!(r->route->flags & ROUTE_LOCAL) || !is_on_loopback(r) ||
	    cors_host_is_local(r->transport, request_header(r, "Host")))
		return;
	reply_problem(r, CODE_DENIED,
		      "On a loopback address, the Host header must be localhost or an IP address. "
		      "To allow another host, list it in auth.origins.");
}

/* Rejects pages of other origins on JSON-RPC routes, which are for programs, even if the page could
 * not read the answer. */
static void check_origin(struct request *r)
{
	const char *origin = request_header(r, "Origin");

	if (!(r->route->flags & ROUTE_JSONRPC) ||
	    cors_origin_allowed(r->transport, origin, request_header(r, "Host")))
		return;
	reply_problem(r, CODE_DENIED,
		      "Pages of this origin may not use this address. To allow the origin, list it "
		      "in auth.origins.");
}

/* Returns true when the head defines unambiguously where its request ends. */
static bool check_frame(struct request *r, const char *method, const char *version)
{
	const union MHD_ConnectionInfo *head =
		MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

	set_request_id(r);
	if (head && head->header_size > HEADER_BYTES_MAX)
		reply_problem(r, CODE_HEADERS, NULL);
	else
		request_check_framing(r, method, version);
	return !r->reply.response;
}

/* All other checks that can refuse a request before its body is read. */
static void check_head(struct request *r, const char *method)
{
	request_note_client(r);
	find_route(r, method);
	r->upload.text.cap_bytes = request_body_max(r);
	if (!r->reply.response)
		check_host(r);
	if (!r->reply.response)
		check_origin(r);
	if (!r->reply.response)
		request_check_caller(r);
	if (!r->reply.response)
		request_check_query(r);
	if (!r->reply.response)
		request_check_body_head(r);
}

size_t request_body_max(const struct request *r)
{
	if (is_streamed(r))
		return DATA_SOURCE_BYTES_MAX;
	return r->route && r->route->flags & ROUTE_LONG ? CLIENT_HISTORY_BYTES_MAX : BODY_BYTES_MAX;
}

static bool parse_body(struct request *r)
{
	bool accepts_any = r->route->flags & ROUTE_JSONRPC;
	struct err e;

	if (!(r->route->flags & ROUTE_BODY))
		return true;
	if (!json_parse(buf_text(&r->upload.text), r->upload.text.n, request_body_max(r), &r->body,
			&e)) {
		r->body = NULL;
		if (!accepts_any)
			reply_problem(r, CODE_BAD_FRAME, e.text);
	} else if (!accepts_any && !json_is_object(r->body)) {
		reply_problem(r, CODE_BAD_FRAME, "The body must be a JSON object.");
	}
	return !r->reply.response;
}

/* The bytes of a refused body that are read before the refusal is sent. */
static size_t refused_max(const struct request *r)
{
	return (is_streamed(r) ? 0 : request_body_max(r)) + BODY_DROPPED_MAX;
}

/* A client that is still sending when the connection closes may never see the answer. So a refusal
 * waits for the end of the body, unless the body is far too long. With Expect, the client sends the
 * body only when the server asks for it. */
static bool body_is_discarded(const struct request *r)
{
	const char *length = request_header(r, "Content-Length");

	if (request_header(r, "Expect"))
		return false;
	if (length)
		return strtoull(length, NULL, 10) <= refused_max(r);
	return request_header(r, "Transfer-Encoding") && !is_streamed(r);
}

/* The length of a chunked body is unknown. Bytes beyond the limit are dropped, and far beyond it
 * the connection is dropped. The library sends an answer only after the end of the body. */
static bool collect(struct request *r, const char *upload, size_t *len)
{
	r->upload.bytes += *len;
	if (!r->upload.refused)
		buf_add(&r->upload.text, upload, *len);
	*len = 0;
	return r->upload.bytes <= refused_max(r);
}

static void handle(struct request *r)
{
	r->handled = true;
	if (buf_over(&r->upload.text))
		reply_problem(r, CODE_TOO_LONG, "The body is too long.");
	else if (parse_body(r) && !idempotency_begin(r))
		r->route->handle(r);
}

/* Handles a body that is passed to a sink: its handler has run, or waits for admission. */
static bool stream_step(struct request *r, const char *method, const char *upload,
			size_t *upload_len)
{
	if (*upload_len > 0 && r->admitting) {
		request_suspend(r);
		return true;
	}
	if (*upload_len > 0)
		return body_sink_add(r, upload, upload_len);
	if (!r->read && !r->reply.response && !r->admitting)
		r->read = body_sink_end(r);
	if (r->reply.response)
		return reply_send(r, method);
	request_suspend(r);
	return true;
}

void request_continue(struct request *r)
{
	bool streamed = is_streamed(r);

	if ((r->read || streamed) && !r->handled && !r->reply.response && !r->admitting)
		handle(r);
	if (streamed)
		request_resume(r);
}

bool request_step(struct request *r, struct MHD_Connection *connection, const char *method,
		  const char *version, const char *upload, size_t *upload_len)
{
	if (r->gone)
		return false;
	if (!r->begun) {
		r->begun = true;
		r->connection = connection;
		r->upload.until_ms = clock_mono_ms() + BODY_DEADLINE_MS;
		r->stream.last_ms = clock_mono_ms();
		if (!check_frame(r, method, version))
			return reply_send(r, method);
		check_head(r, method);
		if (is_streamed(r) && !r->reply.response && !r->admitting)
			handle(r);
		r->upload.refused = r->reply.response && body_is_discarded(r);
		return r->reply.response && !r->upload.refused ? reply_send(r, method) : true;
	}
	if (is_streamed(r))
		return stream_step(r, method, upload, upload_len);
	if (*upload_len > 0)
		return collect(r, upload, upload_len);
	r->read = true;
	if (!r->handled)
		request_continue(r);
	if (r->reply.response && !r->is_storing_reply)
		return reply_send(r, method);
	request_suspend(r);
	return true;
}
