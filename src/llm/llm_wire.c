/*
 * One attempt of a call over HTTP: sends the request, parses the stream, and reports the service's
 * error. llm_run.c handles retries, circuit breakers and other providers.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/sse.h"

struct attempt {
	struct op op; /* must be the first member */
	struct wire *self;
	struct arena *arena;
	struct llm_handler handler;
	void *owner;
	struct op *http;
	struct sse_parser *sse;
	struct llm_stream stream;
	struct buf body; /* body of a response that is not a stream */
	struct timer *linger;
	struct deferred unsent; /* reports that the request could not be sent */
	int status;
	int should_retry;
	int64_t retry_after_ms;
	bool is_stream; /* the response is an event stream */
	bool shown;
	bool is_parsing;   /* inside the parsers, which must not be freed */
	bool is_cancelled; /* cancelled during parsing */
	struct err err;
};

static void attempt_free(struct attempt *t)
{
	op_cancel(&t->http);
	timer_free(&t->linger);
	deferred_cancel(&t->unsent);
	sse_free(&t->sse);
	stream_deinit(&t->stream);
	buf_deinit(&t->body);
	mem_free(t);
}

static void on_cancel(struct op *op)
{
	struct attempt *t = (struct attempt *)op;

	if (!t->is_parsing) {
		attempt_free(t);
		return;
	}
	t->is_cancelled = true;
	op_cancel(&t->http);
}

/* Frees the attempt, then calls the owner, who may start or free anything. */
static void attempt_end(struct attempt *t)
{
	struct llm_answer answer;
	struct llm_handler handler = t->handler;
	void *owner = t->owner;
	bool shown = t->shown;
	struct err e = {0};

	if (!stream_finish(&t->stream, &answer, &e) && t->err.code != ERR_NONE)
		e = t->err;
	answer.provider = t->self->name;
	if (e.code != ERR_NONE)
		err_prefix(&e, "%s", t->self->name);
	attempt_free(t);
	handler.on_end(owner, &answer, shown, e.code != ERR_NONE ? &e : NULL);
}

/* The last event has arrived, but a proxy keeps the body open. */
static void on_linger(void *owner)
{
	attempt_end(owner);
}

static void on_text(void *owner, const char *text, size_t len)
{
	struct attempt *t = owner;

	if (t->is_cancelled)
		return;
	t->shown = true;
	t->handler.on_text(t->owner, text, len);
}

static bool on_event(void *owner, const char *event, const char *data, size_t len)
{
	struct attempt *t = owner;
	bool ok = t->self->dialect->event(&t->stream, event, data, len, &t->err);

	if (ok && !t->is_cancelled && t->stream.has_ended && !t->linger) {
		t->linger = timer_new(t->self->loop, on_linger, t);
		timer_start(t->linger, LLM_LINGER_MS);
	}
	return ok && !t->is_cancelled;
}

static void on_head(void *owner, const struct http_response *r)
{
	struct attempt *t = owner;

	t->status = r->status;
	t->should_retry = r->should_retry;
	t->retry_after_ms = r->retry_after_ms;
	t->is_stream = r->status == 200 && http_is_event_stream(r->content_type);
	/* Some services send an error with status 200; other non-stream bodies are not read. */
	if (r->status == 200 && !t->is_stream && !strcasestr(r->content_type, "json"))
		err_set(&t->err, ERR_UPSTREAM, "the answer is \"%.*s\", not an event stream",
			STR_CUT(r->content_type, 60));
}

static bool on_data(void *owner, const char *data, size_t len)
{
	struct attempt *t = owner;
	struct err e = {0};

	if (t->err.code != ERR_NONE)
		return false;
	if (!t->is_stream) {
		/* A longer body is truncated and then fails to parse. */
		buf_add(&t->body, data, len);
		return true;
	}
	t->is_parsing = true;
	bool ok = sse_feed(t->sse, data, len, &e);

	t->is_parsing = false;
	if (t->is_cancelled) {
		attempt_free(t);
		return false;
	}
	if (!ok && t->err.code == ERR_NONE)
		t->err = e;
	return ok;
}

static void error_body_read(struct attempt *t)
{
	json_t *body = NULL;

	if (t->body.n && !json_parse(t->body.p, t->body.n, LLM_ERROR_BYTES_MAX, &body, NULL))
		body = NULL;
	if (t->status == 200 && !llm_error_is(body))
		err_set(&t->err, ERR_UPSTREAM, "the answer is JSON, not an event stream");
	else
		llm_error_set(&t->err, t->status == 200 ? 0 : t->status, body, t->should_retry,
			      t->retry_after_ms);
	json_decref(body);
}

static void on_http_end(void *owner, const struct err *e)
{
	struct attempt *t = owner;

	t->http = NULL;
	if (t->err.code == ERR_NONE && e)
		t->err = *e;
	else if (t->err.code == ERR_NONE && !t->is_stream)
		error_body_read(t);
	attempt_end(t);
}

static void on_unsent(void *owner)
{
	attempt_end(owner);
}

void wire_headers(const struct wire *w, const char *headers[5])
{
	size_t n = 0;

	headers[n++] = "content-type: application/json";
	headers[n++] = "accept: application/json";
	if (w->version_header)
		headers[n++] = w->version_header;
	if (w->key_header)
		headers[n++] = w->key_header;
	headers[n] = NULL;
}

static void request_send(struct attempt *t, const struct buf *body, int64_t deadline_ms)
{
	static const struct http_handler handler = {on_head, on_data, on_http_end};
	const struct wire *self = t->self;
	const char *headers[5];
	int64_t left_ms = deadline_ms ? deadline_ms - clock_mono_ms() : 0;
	const struct http_request r = {
		.method = "POST",
		.url = self->url,
		.headers = headers,
		.body = body->p,
		.body_len = body->n,
		.connect_ms = self->connect_ms,
		.first_byte_ms = self->first_byte_ms,
		.idle_ms = self->idle_ms,
		.total_ms = deadline_ms && left_ms < 1 ? 1 : left_ms,
	};

	wire_headers(self, headers);
	t->http = http_start(self->http, &r, &handler, t);
}

static void on_pause(struct op *op, bool paused)
{
	op_pause(((struct attempt *)op)->http, paused);
}

static struct op *wire_start(void *owner, const struct llm_call *call, struct arena *a,
			     const struct llm_handler *handler, void *call_owner)
{
	struct wire *self = owner;
	struct attempt *t = mem_alloc(sizeof(*t));
	struct buf body;

	t->op.cancel = on_cancel;
	t->op.pause = on_pause;
	t->self = self;
	t->arena = a;
	t->handler = *handler;
	t->owner = call_owner;
	t->sse = sse_new(on_event, t);
	stream_init(&t->stream, a, handler->on_text ? on_text : NULL, t);
	t->stream.origin = self->roles[call->role].model;
	t->stream.message_count = (int64_t)call->message_count;
	buf_init(&t->body, LLM_ERROR_BYTES_MAX);
	buf_init(&body, LLM_REQUEST_BYTES_MAX);
	self->dialect->body(&body, call, &self->roles[call->role], self->dialect);
	if (buf_over(&body)) {
		err_set(&t->err, ERR_LIMIT, "the request is longer than %d bytes",
			LLM_REQUEST_BYTES_MAX);
		loop_defer(self->loop, &t->unsent, on_unsent, t);
	} else {
		request_send(t, &body, call->deadline_ms);
	}
	buf_deinit(&body);
	return &t->op;
}

static void wire_close(void *owner)
{
	struct wire *self = owner;

	wire_check_free(&self->check);
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++) {
		mem_free(self->roles[i].model);
		mem_free(self->roles[i].effort);
	}
	mem_free(self->name);
	mem_free(self->url);
	mem_free(self->embed_url);
	mem_free(self->models_url);
	mem_free(self->key_header);
	mem_free(self->version_header);
	mem_free(self);
}

const struct wire_role *wire_roles(const void *self)
{
	return ((const struct wire *)self)->roles;
}

const struct llm_driver wire_driver = {"http", wire_start, wire_close};

/* ---- opening: detects configuration errors before the first call ---- */

static bool is_header_value(const char *text)
{
	if (!text || !*text)
		return false;
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static bool is_given(const char *text)
{
	return text && *text;
}

static bool options_check(const struct llm_provider_options *p, const struct dialect *d,
			  struct err *e)
{
	const char *url = is_given(p->base_url) ? p->base_url : d->base_url;

	if (!url || (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0))
		return err_set(e, ERR_INPUT, "base_url must begin with https:// or http://");
	if ((d->needs_key || is_given(p->key)) && !is_header_value(p->key)) /* never logged */
		return err_set(e, ERR_INPUT, "the key is missing or contains invalid characters");
	if (is_given(p->key) && !http_url_is_safe(url))
		return err_set(
			e, ERR_INPUT,
			"base_url must begin with https:// if a key is sent; http:// is allowed "
			"only for this machine and for services without a key");
	if (d->needs_version && !is_header_value(p->version))
		return err_set(e, ERR_INPUT, "the API version is missing or malformed");
	return true;
}

/* The configured address may already contain the version's path. */
static char *wire_url(const struct dialect *d, const char *base, const char *path)
{
	struct str b = str_of(base);
	bool has_path;

	while (b.n && b.p[b.n - 1] == '/')
		b.n--;
	has_path = d->needs_version
			   ? str_ends(b, STR("/v1"))
			   : memchr(strstr(base, "://") + 3, '/',
				    (size_t)(b.p + b.n - (strstr(base, "://") + 3))) != NULL;
	return mem_printf("%.*s%s%s", STR_FMT(b), has_path ? "" : d->version_path, path);
}

static bool open_role(struct wire_role *to, enum llm_role role, const struct dialect *d,
		      const struct llm_provider_options *p, const struct llm_options *o,
		      struct err *e)
{
	const struct llm_role_options *from = &o->roles[role];
	const char *model = p->models[role];

	if (!is_given(model))
		model = d->model;
	if (!is_given(model))
		return err_set(e, ERR_INPUT, "no model for the role \"%s\"", llm_role_name(role));
	*to = (struct wire_role){
		.model = mem_strdup(model),
		.max_tokens = from->max_tokens,
		.effort = is_given(from->effort) ? mem_strdup(from->effort) : NULL,
		.thinking = from->thinking,
		.traits = model_traits_of(model),
	};
	return true;
}

bool wire_open(struct loop *l, struct http *h, const struct llm_provider_options *provider,
	       const struct llm_options *options, void **out, struct err *e)
{
	const struct dialect *d = dialect_find(provider->kind, provider->base_url);
	const char *base;
	struct wire *self;

	if (!d)
		return err_set(e, ERR_INPUT, "unknown kind \"%.*s\"", STR_CUT(provider->kind, 40));
	if (!options_check(provider, d, e))
		return false;
	self = mem_alloc(sizeof(*self));
	self->loop = l;
	self->http = h;
	self->dialect = d;
	self->name = mem_strdup(provider->name);
	base = is_given(provider->base_url) ? provider->base_url : d->base_url;
	self->url = wire_url(d, base, d->path);
	if (!d->needs_version)
		self->embed_url = wire_url(d, base, "/embeddings");
	self->models_url = wire_url(d, base, "/models?limit=1000");
	if (is_given(provider->key))
		self->key_header = mem_printf("%s%s", d->key_header, provider->key);
	if (d->needs_version)
		self->version_header = mem_printf("anthropic-version: %s", provider->version);
	self->connect_ms = options->connect_ms ? options->connect_ms : LLM_CONNECT_MS;
	self->first_byte_ms = options->first_byte_ms ? options->first_byte_ms : LLM_FIRST_BYTE_MS;
	self->idle_ms = options->idle_ms ? options->idle_ms : LLM_IDLE_MS;
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++)
		if (!open_role(&self->roles[i], (enum llm_role)i, d, provider, options, e)) {
			wire_close(self);
			return false;
		}
	*out = self;
	return true;
}

bool wire_open_embed(struct loop *l, struct http *h, const struct llm_provider_options *provider,
		     const struct llm_options *options, void **out, struct err *e)
{
	struct llm_provider_options p = *provider;
	struct wire *self;
	void *opened;

	for (size_t i = 0; i < LLM_ROLE_COUNT; i++)
		p.models[i] = options->embed.model;
	if (!is_given(options->embed.model))
		return err_set(e, ERR_INPUT, "no model for the role \"embed\"");
	if (!wire_open(l, h, &p, options, &opened, e))
		return false;
	self = opened;
	self->is_embed = true;
	if (!self->embed_url) {
		wire_close(self);
		return err_set(e, ERR_INPUT, "a service of the kind \"%.*s\" offers no embeddings",
			       STR_CUT(p.kind, 40));
	}
	*out = self;
	return true;
}
