/*
 * Sends answers: complete, as a problem, or as a stream of events. Every answer gets headers that
 * prevent browsers from sniffing, caching or framing it unintentionally.
 */
#include <microhttpd.h>

#include "cors_reply.h"
#include "idempotency.h"
#include "request.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

#define STREAM_BLOCK      16384
#define RESOURCE_METADATA "/.well-known/oauth-protected-resource/mcp"

static void reply(struct request *r, int status, struct MHD_Response *response)
{
	assert(!r->reply.response);
	r->reply.response = response;
	r->reply.status = (unsigned int)status;
	if (!r->is_storing_reply)
		request_resume(r);
}

void reply_header(struct request *r, const char *name, const char *value)
{
	assert(r->reply.header_count < REPLY_HEADERS_MAX);
	r->reply.headers[r->reply.header_count++] = (struct reply_header){name, mem_strdup(value)};
}

void reply_bytes(struct request *r, int status, const char *type, const void *bytes, size_t len)
{
	/* The library copies the bytes; the parameter is not const because of its other modes. */
	struct MHD_Response *response = MHD_create_response_from_buffer(
		len, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);

	if (type)
		reply_header(r, "Content-Type", type);
	r->reply.status = (unsigned int)status;
	r->is_storing_reply = idempotency_end(r, type, bytes, len);
	reply(r, status, response);
}

void reply_constant(struct request *r, int status, const char *type, const void *bytes, size_t len)
{
	reply_header(r, "Content-Type", type);
	reply(r, status,
	      MHD_create_response_from_buffer(len, (void *)(uintptr_t)bytes,
					      MHD_RESPMEM_PERSISTENT));
}

void reply_empty(struct request *r, int status)
{
	reply_bytes(r, status, NULL, "", 0);
}

void reply_done(void *owner, const struct err *e)
{
	struct request *r = owner;

	r->op = NULL;
	if (e)
		reply_err(r, e);
	else
		reply_empty(r, 204);
}

void reply_json(struct request *r, int status, json_t *take)
{
	char *text = json_text(take);

	reply_bytes(r, status, "application/json", text, strlen(text));
	mem_free(text);
	json_decref(take);
}

/* The parameters that tell MCP clients which server issues tokens (RFC 9728), and for which
 * scopes. */
static const char *token_source(const struct request *r)
{
	const struct transport_settings *s = r->transport->settings;
	const char *scope;

	if (!r->route || !(r->route->flags & ROUTE_JSONRPC) || !*s->public_url)
		return "";
	scope = s->scopes[0] ? arena_printf(r->arena, ", scope=\"%s\"", s->scopes[0]) : "";
	return arena_printf(r->arena, ", resource_metadata=\"%s" RESOURCE_METADATA "\"%s",
			    s->public_url, scope);
}

/* The challenge that RFC 6750 requires; the problem's detail is its description. */
static const char *challenge(const struct request *r, const json_t *problem)
{
	const char *where = token_source(r);

	if (!request_header(r, "Authorization"))
		return arena_printf(r->arena, "Bearer realm=\"vesper\"%s", where);
	return arena_printf(
		r->arena,
		"Bearer realm=\"vesper\", error=\"invalid_token\", error_description=\"%s\"%s",
		json_string_value(json_object_get(problem, "detail")), where);
}

/* Clients of Chat Completions read only these members. */
static json_t *openai_error(json_t *problem_take)
{
	json_t *error = json_object(), *body = json_object();
	int64_t status = json_integer_value(json_object_get(problem_take, "status"));

	json_object_set(error, "message", json_object_get(problem_take, "detail"));
	json_set_str(error, "type", status < 500 ? "invalid_request_error" : "server_error");
	json_object_set_new(error, "param", json_null());
	json_object_set(error, "code", json_object_get(problem_take, "code"));
	json_set_take(body, "error", error);
	json_decref(problem_take);
	return body;
}

#define RPC_INVALID_REQUEST -32600
#define RPC_INTERNAL        -32603

/* JSON-RPC clients match an answer to its request by the id. */
static json_t *rpc_error(const struct request *r, json_t *problem_take)
{
	json_t *error = json_object(), *body = json_object(), *id = json_object_get(r->body, "id");
	int64_t status = json_integer_value(json_object_get(problem_take, "status"));

	json_set_int(error, "code", status < 500 ? RPC_INVALID_REQUEST : RPC_INTERNAL);
	json_object_set(error, "message", json_object_get(problem_take, "detail"));
	json_set_take(error, "data",
		      json_make({"code", json_incref(json_object_get(problem_take, "code"))}));
	json_set_str(body, "jsonrpc", "2.0");
	json_set_take(body, "id", json_is_null(id) || !id ? json_null() : json_incref(id));
	json_set_take(body, "error", error);
	json_decref(problem_take);
	return body;
}

void reply_problem_json(struct request *r, enum code p, json_t *take, struct str more)
{
	const struct code_row *row = code_row(p);
	char retry_after[16];
	struct buf text;

	if (p == CODE_UNAUTHORIZED)
		reply_header(r, "WWW-Authenticate", challenge(r, take));
	if (row->status == 429 || row->status == 503) {
		snprintf(retry_after, sizeof(retry_after), "%d",
			 r->reply.retry_after_s > 0 ? r->reply.retry_after_s : 1);
		reply_header(r, "Retry-After", retry_after);
	}
	if (r->route && r->route->flags & ROUTE_OPENAI) {
		reply_json(r, row->status == 422 ? 400 : row->status, openai_error(take));
		return;
	}
	if (r->route && r->route->flags & ROUTE_JSONRPC) {
		/* An error of the message's handler is an answer to the message: status 200. */
		reply_json(r, r->handled && r->body ? 200 : row->status, rpc_error(r, take));
		return;
	}
	buf_init(&text, SIZE_MAX / 2); /* `more` is limited by the size of a log */
	buf_json(&text, take);
	if (more.n > 0) {
		buf_cut(&text, text.n - 1);
		buf_char(&text, ',');
		buf_add(&text, more.p, more.n);
		buf_char(&text, '}');
	}
	reply_bytes(r, row->status, "application/problem+json", buf_text(&text), text.n);
	buf_deinit(&text);
	json_decref(take);
}

void reply_problem(struct request *r, enum code p, const char *detail)
{
	reply_problem_json(r, p, problem_json(p, detail, r->path, r->request_id), (struct str){0});
}

void reply_err(struct request *r, const struct err *e)
{
	enum code p = code_of_request(e->code);

	if (p == CODE_INTERNAL || p == CODE_UPSTREAM || p == CODE_TIMEOUT)
		log_warn("http.failed", "%s (request %s): %s", r->route->path, r->request_id,
			 e->text);
	r->reply.retry_after_s = (e->retry_after_ms + 999) / 1000;
	reply_problem(r, p, e->code == ERR_INPUT ? e->text : NULL);
}

bool reply_failed(struct request *r, const struct err *e)
{
	r->op = NULL;
	if (e)
		reply_err(r, e);
	return e;
}

void reply_invalid(struct request *r, const struct err *e)
{
	reply_problem(r, e->code == ERR_LIMIT ? CODE_TOO_LONG : CODE_INVALID, e->text);
}

/* ---- Streams ---- */

static ssize_t on_read(void *owner, uint64_t at, char *out, size_t room)
{
	struct request *r = owner;
	struct push *s = r->reply.stream;
	size_t n;

	(void)at;
	if (r->gone)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (s->sent == s->pending.n && !s->ended) {
		buf_reset(&s->pending);
		s->sent = 0;
		s->ended = !s->fill(r->task, &s->pending);
		if (r->gone || buf_over(&s->pending))
			return MHD_CONTENT_READER_END_WITH_ERROR;
	}
	n = s->pending.n - s->sent;
	if (n == 0 && s->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (n == 0) {
		request_suspend(r);
		return 0;
	}
	n = n < room ? n : room;
	memcpy(out, s->pending.p + s->sent, n);
	s->sent += n;
	s->last_ms = clock_mono_ms();
	return (ssize_t)n;
}

void reply_stream(struct request *r, bool (*fill)(void *task, struct buf *out))
{
	reply_header(r, "X-Accel-Buffering", "no"); /* prevents buffering by nginx */
	reply_chunks(r, "text/event-stream", fill);
	r->reply.stream->events = true;
}

void reply_chunks(struct request *r, const char *type, bool (*fill)(void *task, struct buf *out))
{
	r->reply.stream = mem_alloc(sizeof(*r->reply.stream));
	r->reply.stream->fill = fill;
	r->reply.stream->last_ms = clock_mono_ms();
	buf_init(&r->reply.stream->pending, 4 * EVENT_LOG_BYTES_MAX);
	reply_header(r, "Content-Type", type);
	reply(r, 200,
	      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, on_read, r, NULL));
}

void reply_stream_wake(struct request *r)
{
	if (r->reply.stream)
		request_resume(r);
}

static void add_headers(struct request *r)
{
	static const char *const always[][2] = {
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
	};
	bool caching = false;
	bool policy = false;

	cors_add(r);
	for (size_t i = 0; i < r->reply.header_count; i++) {
		MHD_add_response_header(r->reply.response, r->reply.headers[i].name,
					r->reply.headers[i].value);
		caching |= strcmp(r->reply.headers[i].name, "Cache-Control") == 0;
		policy |= strcmp(r->reply.headers[i].name, "Content-Security-Policy") == 0;
	}
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (!MHD_get_response_header(r->reply.response, always[i][0]))
			MHD_add_response_header(r->reply.response, always[i][0], always[i][1]);
	if (!caching)
		MHD_add_response_header(r->reply.response, "Cache-Control",
					r->reply.stream && r->reply.stream->events
						? "no-cache, no-transform"
						: "no-store");
	if (!policy)
		MHD_add_response_header(r->reply.response, "Content-Security-Policy",
					"default-src 'none'; frame-ancestors 'none'");
	MHD_add_response_header(r->reply.response, "X-Request-Id", r->request_id);
	MHD_add_response_header(r->reply.response, "Vary", "Origin");
}

bool reply_send(struct request *r, const char *method)
{
	const char *verb = r->route ? r->route->method : "other";
	const char *path = r->route ? r->route->path : "none";
	struct MHD_Response *response = r->reply.response;
	static const struct metric requests = {
		.name = "vesper_http_requests_total",
		.help = "HTTP requests that were answered.",
		.labels = {"method", "route", "status"},
	};
	char status[16];
	bool queued;

	if (r->reply.stream && strcmp(method, "HEAD") == 0)
		/* Disables chunked encoding: for HEAD, the library would send the final chunk where
		 * the next answer should begin. */
		MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
	add_headers(r);
	snprintf(status, sizeof(status), "%u", r->reply.status);
	metric_add(&requests, (const char *const[]){verb, path, status}, 1);
	log_debug("http.request", "%s %s %u %lld us", method, r->path, r->reply.status,
		  (long long)(clock_mono_us() - r->begun_us));
	queued = MHD_queue_response(r->connection, r->reply.status, response) == MHD_YES;
	MHD_destroy_response(response);
	r->reply.response = NULL;
	return queued;
}
