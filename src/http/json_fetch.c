/* One request whose response is a JSON object. Only the code of a service's error is reported,
 * because its text may repeat what was sent. */
#include "vesper/json_fetch.h"

#include <stdio.h>

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

static void on_head(void *owner, const struct http_response *response)
{
	struct json_fetch *t = owner;

	t->status = response->status;
	t->retry_after_ms = response->retry_after_ms;
}

static bool on_data(void *owner, const char *data, size_t len)
{
	struct json_fetch *t = owner;

	buf_add(&t->body, data, len);
	return !buf_over(&t->body);
}

/* {"error":{"code":"…"}} of Power BI, {"error":"…"} of OAuth 2.0. */
static void copy_error_code(struct json_fetch *t, const json_t *reply)
{
	const json_t *error = json_object_get(reply, "error");
	const char *code = json_is_object(error) ? json_string_value(json_object_get(error, "code"))
						 : json_string_value(error);
	size_t n = code ? strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789_.-")
			: 0;

	if (n > 0 && n < sizeof(t->error) && !code[n])
		snprintf(t->error, sizeof(t->error), "%s", code);
}

static bool check_reply(const struct json_fetch *t, const json_t *reply, struct err *e)
{
	if (t->status == 200 && !reply)
		return err_prefix(e, "the response");
	if (t->status == 200)
		return true;
	if (t->status == 429)
		err_set_retry(e, ERR_LIMIT, "the service limits the call rate");
	else
		err_set(e, ERR_UPSTREAM, "status %d, %s", t->status,
			*t->error ? t->error : "no code");
	if (t->retry_after_ms > 0)
		e->retry_after_ms = t->retry_after_ms < JSON_FETCH_PAUSE_MAX_MS
					    ? (int)t->retry_after_ms
					    : JSON_FETCH_PAUSE_MAX_MS;
	return false;
}

static void on_end(void *owner, const struct err *e)
{
	struct json_fetch *t = owner;
	json_t *reply = NULL;
	struct err reply_err = {0};

	t->op = NULL;
	if (e) {
		t->done(t->owner, NULL, e);
		return;
	}
	if (json_parse(buf_text(&t->body), t->body.n, JSON_FETCH_BYTES_MAX, &reply, &reply_err) &&
	    !json_is_object(reply)) {
		err_set(&reply_err, ERR_UPSTREAM, "not a JSON object");
		json_decref(reply);
		reply = NULL;
	}
	reply_err.code = ERR_UPSTREAM;
	if (t->status != 200)
		copy_error_code(t, reply);
	if (check_reply(t, reply, &reply_err))
		t->done(t->owner, reply, NULL);
	else
		t->done(t->owner, NULL, &reply_err);
	json_decref(reply);
}

void json_fetch_init(struct json_fetch *t, void (*done)(void *, json_t *, const struct err *),
		     void *owner)
{
	*t = (struct json_fetch){.done = done, .owner = owner};
	buf_init(&t->body, JSON_FETCH_BYTES_MAX);
}

void json_fetch_start(struct json_fetch *t, struct http *http, const struct json_fetch_request *r)
{
	static const struct http_handler handler = {on_head, on_data, on_end};
	char *authorization =
		r->authorization ? mem_printf("Authorization: %s", r->authorization) : NULL;
	char *type = r->type ? mem_printf("Content-Type: %s", r->type) : NULL;
	const char *headers[4] = {"Accept: application/json"};
	size_t n = 1;
	struct http_request request = {
		.method = r->type ? "POST" : "GET",
		.url = r->url,
		.headers = headers,
		.body = r->body,
		.body_len = r->body ? strlen(r->body) : 0,
		.connect_ms = r->total_ms,
		.total_ms = r->total_ms,
	};

	if (authorization)
		headers[n++] = authorization;
	if (type)
		headers[n++] = type;
	headers[n] = NULL;
	buf_reset(&t->body);
	t->status = 0;
	*t->error = 0;
	t->retry_after_ms = -1;
	t->op = http_start(http, &request, &handler, t);
	mem_free(authorization);
	mem_free(type);
}

void json_fetch_end(struct json_fetch *t)
{
	op_cancel(&t->op);
	buf_deinit(&t->body);
}

void form_encode(struct buf *out, const char *value)
{
	for (const unsigned char *c = (const unsigned char *)value; *c; c++)
		if ((*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
		    (*c >= 'a' && *c <= 'z') || strchr("-._~", *c))
			buf_char(out, (char)*c);
		else
			buf_printf(out, "%%%02X", *c);
}

void form_add(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s%s=", out->n > 0 ? "&" : "", name);
	form_encode(out, value);
}
