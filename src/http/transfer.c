/*
 * One request from start to end. Its limits (first byte, idle, total) are enforced here with one
 * timer. Curl has only a total limit and a speed limit, and the error must name the limit that was
 * exceeded.
 */
#include "http_int.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"

/* ---- limits ---- */

/* Received bytes extend the idle limit without restarting the timer; when the timer fires, the
 * limit is checked again. */
static void on_limit(void *owner)
{
	struct transfer *t = owner;
	uint64_t now = loop_now_ms(t->http->loop), due;
	int64_t limit_ms;
	const char *name = limits_next(&t->limits, &due, &limit_ms);

	if (!name)
		return;
	if (due > now) {
		timer_start(t->timer, due - now);
		return;
	}
	struct err e = {0};
	err_set_retry(&e, ERR_TIMEOUT, "%s limit of %lld ms exceeded", name, (long long)limit_ms);
	transfer_end(t, &e);
}

static void limits_arm(struct transfer *t)
{
	uint64_t now = loop_now_ms(t->http->loop), due;
	int64_t limit_ms;

	if (limits_next(&t->limits, &due, &limit_ms))
		timer_start(t->timer, due > now ? due - now : 0);
	else
		timer_stop(t->timer);
}

static void note_byte(struct transfer *t)
{
	t->limits.last_ms = loop_now_ms(t->http->loop);
	if (t->limits.got_byte)
		return;
	t->limits.got_byte = true;
	limits_arm(t);
}

/* ---- curl callbacks ---- */

static void head_reset(struct transfer *t)
{
	t->content_type[0] = t->request_id[0] = '\0';
	t->has_retry_ms = false;
	t->head = (struct http_response){.retry_after_ms = -1,
					 .should_retry = -1,
					 .content_type = t->content_type,
					 .request_id = t->request_id};
}

/* Whole milliseconds that a client can wait; -1 for values of at most zero or beyond 2^31. */
static int64_t valid_wait_ms(double ms)
{
	return ms > 0 && ms <= INT32_MAX ? (int64_t)(ms + 0.999) : -1;
}

static int64_t wait_parse(const char *text, double unit_ms)
{
	char *end;
	double number = strtod(text, &end);

	if (end != text && *end == '\0')
		return valid_wait_ms(number * unit_ms);
	time_t date = curl_getdate(text, NULL);

	return date < 0 ? -1 : valid_wait_ms((double)date * 1000 - (double)clock_now_ms());
}

static void field_copy(char out[HTTP_FIELD_BYTES], struct str value)
{
	snprintf(out, HTTP_FIELD_BYTES, "%.*s", STR_FMT(value));
}

static void head_field(struct transfer *t, struct str name, struct str value)
{
	char text[HTTP_FIELD_BYTES];

	field_copy(text, value);
	if (str_eq_nocase(name, STR("content-type"))) {
		field_copy(t->content_type, value);
	} else if (str_eq_nocase(name, STR("request-id"))) {
		field_copy(t->request_id, value);
	} else if (str_eq_nocase(name, STR("retry-after-ms"))) {
		int64_t ms = wait_parse(text, 1);

		if (ms < 0)
			return;
		t->head.retry_after_ms = ms;
		t->has_retry_ms = true;
	} else if (str_eq_nocase(name, STR("retry-after")) && !t->has_retry_ms) {
		t->head.retry_after_ms = wait_parse(text, 1000);
	} else if (str_eq_nocase(name, STR("x-should-retry"))) {
		t->head.should_retry = str_eq_nocase(value, STR("true"))    ? 1
				       : str_eq_nocase(value, STR("false")) ? 0
									    : -1;
	}
}

/* Ends the head, unless it is an interim response (1xx), which is followed by another head. */
static void head_done(struct transfer *t)
{
	long status = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200)
		return;
	t->head.status = (int)status;
	t->is_head_delivered = true;
	t->is_event_stream = http_is_event_stream(t->content_type);
	if (t->handler.on_head)
		t->handler.on_head(t->owner, &t->head);
}

static size_t on_header(char *data, size_t size, size_t count, void *self)
{
	struct transfer *t = self;
	struct str line = {data, size * count}, name, value;

	if (t->dropped)
		return CURL_WRITEFUNC_ERROR;
	note_byte(t);
	line = str_trim(line);
	if (t->is_head_delivered) /* trailers are ignored */
		return size * count;
	if (line.n == 0)
		head_done(t);
	else if (str_starts(line, STR("HTTP/")))
		head_reset(t);
	else if ((value = line, str_split(&value, ':', &name)) && value.p)
		head_field(t, str_trim(name), str_trim(value));
	return t->dropped ? CURL_WRITEFUNC_ERROR : size * count;
}

static size_t on_body(char *data, size_t size, size_t count, void *self)
{
	struct transfer *t = self;
	size_t len = size * count;

	if (t->dropped)
		return CURL_WRITEFUNC_ERROR;
	if (t->paused) {
		t->limits.is_suspended = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	note_byte(t);
	t->received += (int64_t)len;
	if (!t->is_event_stream && t->received > HTTP_RESPONSE_BYTES_MAX) {
		err_set(&t->end_err, ERR_LIMIT, "the response is longer than %d bytes",
			HTTP_RESPONSE_BYTES_MAX);
		return CURL_WRITEFUNC_ERROR;
	}
	bool more = t->handler.on_data(t->owner, data, len);

	if (t->dropped)
		return CURL_WRITEFUNC_ERROR;
	if (!more) {
		err_set(&t->end_err, ERR_CANCELLED, "the caller stopped reading");
		return CURL_WRITEFUNC_ERROR;
	}
	return len;
}

bool transfer_result(const struct transfer *t, CURLcode code, struct err *e)
{
	const char *text = t->curl_text[0] ? t->curl_text : curl_easy_strerror(code);

	if (t->end_err.code != ERR_NONE) {
		*e = t->end_err;
		return false;
	}
	switch (code) {
	case CURLE_OK:
		return true;
	case CURLE_OPERATION_TIMEDOUT: /* curl enforces only the connect limit */
		return err_set_retry(e, ERR_TIMEOUT, "connect limit of %lld ms exceeded",
				     (long long)t->connect_ms);
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		return err_set(e, ERR_INPUT, "%s", text);
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
		return err_set(e, ERR_UPSTREAM, "%s", text);
	default:
		return err_set_retry(e, ERR_UPSTREAM, "%s", text);
	}
}

/* ---- start, pause, end ---- */

static void on_cancel(struct op *op)
{
	struct transfer *t = (struct transfer *)op;

	if (!t->http->callback_depth) {
		transfer_free(t);
		return;
	}
	t->dropped = true;
	list_remove(&t->node);
	list_append(&t->http->dropped, &t->node);
}

void transfer_free(struct transfer *t)
{
	assert(!t->http->callback_depth);
	list_remove(&t->node);
	t->http->count--;
	curl_multi_remove_handle(t->http->multi, t->easy);
	curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	timer_free(&t->timer);
	deferred_cancel(&t->resume);
	mem_free(t->body);
	mem_free(t);
}

void transfer_end(struct transfer *t, const struct err *e)
{
	struct http_handler handler = t->handler;
	void *owner = t->owner;
	bool should_notify = !t->dropped;

	transfer_free(t);
	if (should_notify)
		handler.on_end(owner, e);
}

static void on_resume(void *owner)
{
	struct transfer *t = owner;
	struct http *h = t->http;

	t->limits.is_suspended = false;
	t->limits.last_ms = loop_now_ms(h->loop);
	limits_arm(t);
	h->callback_depth++;
	curl_easy_pause(t->easy,
			CURLPAUSE_CONT); /* may deliver data that was not accepted before */
	h->callback_depth--;
	http_settle(h);
}

static void on_pause(struct op *op, bool paused)
{
	struct transfer *t = (struct transfer *)op;

	t->paused = paused;
	if (paused)
		deferred_cancel(&t->resume);
	else if (t->limits.is_suspended)
		loop_defer(t->http->loop, &t->resume, on_resume, t);
}

static void set_body(struct transfer *t, const struct http_request *r)
{
	bool post = strcmp(r->method, "POST") == 0;

	if (r->body || post) {
		t->body = mem_alloc(r->body_len + 1);
		if (r->body_len)
			memcpy(t->body, r->body, r->body_len);
		curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body_len);
		curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, t->body);
	}
	if (!post && strcmp(r->method, "GET") != 0)
		curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, r->method);
}

static void set_headers(struct transfer *t, const struct http_request *r)
{
	/* Without this header, curl waits up to a second for a 100-continue before a large body. */
	t->headers = curl_slist_append(NULL, "Expect:");
	for (size_t i = 0; r->headers && r->headers[i]; i++)
		t->headers = curl_slist_append(t->headers, r->headers[i]);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(t->easy, CURLOPT_USERAGENT, "vesper/" VESPER_VERSION);
}

static void set_connection(struct transfer *t, const struct http_request *r)
{
	bool tls = strncmp(r->url, "https:", 6) == 0;
	CURL *c = t->easy;

	curl_easy_setopt(c, CURLOPT_URL, r->url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION,
			 (long)(tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
	if (tls && t->http->ca_file)
		curl_easy_setopt(c, CURLOPT_CAINFO, t->http->ca_file);
	/* Multiplexes streams over one TLS connection: a cold burst waits for the first
	 * handshake. */
	curl_easy_setopt(c, CURLOPT_PIPEWAIT, tls ? 1L : 0L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS,
			 r->connect_ms > 0 ? (long)r->connect_ms : INT_MAX);
	/* Without this, a cancel during name resolution joins the resolver's thread and blocks the
	 * loop. */
	curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(c, CURLOPT_BUFFERSIZE, (long)HTTP_BUFFER_BYTES);
	curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(c, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

static void set_callbacks(struct transfer *t)
{
	CURL *c = t->easy;

	curl_easy_setopt(c, CURLOPT_PRIVATE, t);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->curl_text);
}

struct op *http_start(struct http *h, const struct http_request *request,
		      const struct http_handler *handler, void *owner)
{
	struct transfer *t = mem_alloc(sizeof(*t));

	assert(handler->on_data && handler->on_end);
	t->op.cancel = on_cancel;
	t->op.pause = on_pause;
	t->http = h;
	t->handler = *handler;
	t->owner = owner;
	t->connect_ms = request->connect_ms;
	t->limits.first_byte_ms = request->first_byte_ms;
	t->limits.idle_ms = request->idle_ms;
	t->limits.total_ms = request->total_ms;
	t->easy = curl_easy_init();
	assert(t->easy);
	head_reset(t);
	set_connection(t, request);
	set_headers(t, request);
	set_body(t, request);
	set_callbacks(t);
	list_append(&h->running, &t->node);
	h->count++;
	t->timer = timer_new(h->loop, on_limit, t);
	t->limits.started_ms = loop_now_ms(h->loop);
	limits_arm(t);
	CURLMcode rc = curl_multi_add_handle(h->multi, t->easy);

	assert(rc == CURLM_OK);
	return &t->op;
}
