/*
 * Calls with the service principal's token. One token serves all calls until shortly before it
 * expires. Concurrent calls share one sign-in, and a refused token is replaced once. When the
 * service throttles, no calls are made for the time that it requests.
 */
#include "pbi_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/json_fetch.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define FORM_MAX      8192
#define PAUSE_MS      1000 /* if the service does not request a time */
#define EXPIRES_S_MAX 86400

struct pbi_service {
	struct loop *loop;
	struct http *http;
	char *token_url, *api_url;
	char *form; /* sign-in request, with the secret */
	struct json_fetch sign_in;
	char *token; /* NULL: no valid token */
	int64_t token_until_ms;
	int64_t generation; /* version of the token, to identify a refused one */
	int64_t pause_until_ms;
	struct list waiting; /* calls that need a token first */
	struct list calls;   /* other calls */
};

struct call {
	struct op op;
	struct list node;
	struct pbi_service *service;
	struct json_fetch fetch;
	struct timer *timer;
	struct deferred deferred;
	char *url, *body;
	int64_t generation;
	bool was_refused; /* one token was refused already */
	pbi_reply_cb cb;
	void *owner;
};

/* ---- ending a call ---- */

static void call_free(struct call *c)
{
	list_remove(&c->node);
	deferred_cancel(&c->deferred);
	timer_free(&c->timer);
	json_fetch_end(&c->fetch);
	mem_free(c->url);
	mem_free(c->body);
	mem_free(c);
}

static void on_cancel(struct op *op)
{
	call_free(list_item(op, struct call, op));
}

static void call_end(struct call *c, const json_t *reply, const struct err *e)
{
	pbi_reply_cb cb = c->cb;
	void *owner = c->owner;

	call_free(c);
	cb(owner, reply, e);
}

static void on_timeout(void *owner)
{
	struct err e;

	err_set_retry(&e, ERR_TIMEOUT, "Power BI: no response within %d ms", PBI_CALL_MS);
	call_end(owner, NULL, &e);
}

static void on_paused(void *owner)
{
	struct call *c = owner;
	int64_t left = c->service->pause_until_ms - clock_mono_ms();
	struct err e;

	err_set_retry(&e, ERR_LIMIT, "Power BI: the service asks to wait before the next call");
	e.retry_after_ms = left > 1 ? (int)left : 1;
	call_end(c, NULL, &e);
}

static void pause_start(struct pbi_service *s, const struct err *e)
{
	int64_t ms = e->retry_after_ms > 0 ? e->retry_after_ms : PAUSE_MS;

	if (e->code == ERR_LIMIT || e->retry_after_ms > 0)
		s->pause_until_ms = clock_mono_ms() + ms;
}

/* ---- sending ---- */

static void call_send(struct call *c)
{
	struct pbi_service *s = c->service;
	char *bearer = mem_printf("Bearer %s", s->token);
	const struct json_fetch_request request = {
		.url = c->url,
		.authorization = bearer,
		.total_ms = PBI_CALL_MS,
		.type = c->body ? "application/json" : NULL,
		.body = c->body,
	};

	list_remove(&c->node);
	list_append(&s->calls, &c->node);
	c->generation = s->generation;
	json_fetch_start(&c->fetch, s->http, &request);
	mem_free(bearer);
}

static void token_clear(struct pbi_service *s)
{
	mem_free(s->token);
	s->token = NULL;
}

static void call_begin(struct call *c)
{
	struct pbi_service *s = c->service;
	const struct json_fetch_request sign_in = {
		.url = s->token_url,
		.type = FORM_TYPE,
		.body = s->form,
		.total_ms = PBI_CALL_MS,
	};

	if (s->token && clock_mono_ms() < s->token_until_ms) {
		call_send(c);
		return;
	}
	list_remove(&c->node);
	list_append(&s->waiting, &c->node);
	if (!s->sign_in.op)
		json_fetch_start(&s->sign_in, s->http, &sign_in);
}

static void on_reply(void *owner, json_t *reply, const struct err *e)
{
	struct call *c = owner;
	struct pbi_service *s = c->service;
	struct err failure;

	if (c->fetch.status == 401 && !c->was_refused) {
		c->was_refused = true;
		if (c->generation == s->generation)
			token_clear(s);
		call_begin(c);
		return;
	}
	if (e) {
		failure = *e;
		pause_start(s, e);
		err_prefix(&failure, "Power BI");
	}
	call_end(c, reply, e ? &failure : NULL);
}

/* ---- the token ---- */

static bool token_parse(struct pbi_service *s, const json_t *reply, struct err *e)
{
	const char *token;
	int64_t lifetime_s;

	if (!json_get_str(reply, "access_token", &token, e) ||
	    !json_get_int(reply, "expires_in", &lifetime_s, e))
		return false;
	/* Checked, since it is sent in a header. */
	if (!*token || strpbrk(token, "\r\n ") || lifetime_s < 1 || lifetime_s > EXPIRES_S_MAX)
		return err_set(e, ERR_UPSTREAM, "the access token is invalid");
	token_clear(s);
	s->token = mem_strdup(token);
	s->token_until_ms = clock_mono_ms() + lifetime_s * 1000 - PBI_EARLY_MS;
	s->generation++;
	return true;
}

/* The list is detached first, since a callback may start a call that needs another token. */
static void on_signed_in(void *owner, json_t *reply, const struct err *e)
{
	struct pbi_service *s = owner;
	struct err failure = {0};
	struct list waiting;
	bool ok = !e && token_parse(s, reply, &failure);

	if (e) {
		failure = *e;
		pause_start(s, e);
	}
	if (!ok) {
		failure.code = failure.code == ERR_INPUT ? ERR_UPSTREAM : failure.code;
		err_prefix(&failure, "Power BI: signing in");
	}
	list_init(&waiting);
	list_each_safe(node, &s->waiting) {
		list_remove(node);
		list_append(&waiting, node);
	}
	while (!list_empty(&waiting)) {
		struct call *c = list_item(waiting.next, struct call, node);

		if (ok)
			call_send(c);
		else
			call_end(c, NULL, &failure);
	}
}

/* ---- interface ---- */

struct op *pbi_service_call(struct pbi_service *s, const char *path, const json_t *body,
			    pbi_reply_cb cb, void *owner)
{
	struct call *c = mem_alloc(sizeof(*c));

	c->op.cancel = on_cancel;
	c->service = s;
	c->cb = cb;
	c->owner = owner;
	c->url = mem_printf("%s%s", s->api_url, path);
	c->body = body ? json_text(body) : NULL;
	c->timer = timer_new(s->loop, on_timeout, c);
	json_fetch_init(&c->fetch, on_reply, c);
	timer_start(c->timer, PBI_CALL_MS);
	if (clock_mono_ms() < s->pause_until_ms) {
		list_append(&s->calls, &c->node);
		loop_defer(s->loop, &c->deferred, on_paused, c);
	} else {
		call_begin(c);
	}
	return &c->op;
}

/* A directory is an id or a domain; it becomes part of a URL. */
static bool is_directory(const char *text)
{
	return *text && strlen(text) <= 253 &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-") ==
		       strlen(text) &&
	       *text != '.';
}

bool pbi_service_new(const struct pbi_options *o, struct pbi_service **out, struct err *e)
{
	struct pbi_service *s;
	struct buf form;

	if (!http_url_is_safe(o->login_url) || !http_url_is_safe(o->api_url))
		return err_set(e, ERR_INPUT,
			       "pbi.login_url and pbi.api_url must be https addresses (http on "
			       "loopback only)");
	if (!is_directory(o->tenant_id) || !*o->client_id || !*o->client_secret || !*o->scope)
		return err_set(e, ERR_INPUT,
			       "pbi needs pbi.tenant_id, pbi.client_id, pbi.client_secret and "
			       "pbi.scope");
	buf_init(&form, FORM_MAX);
	form_add(&form, "grant_type", "client_credentials");
	form_add(&form, "scope", o->scope);
	form_add(&form, "client_id", o->client_id);
	form_add(&form, "client_secret", o->client_secret);
	if (buf_over(&form)) {
		buf_deinit(&form);
		return err_set(e, ERR_INPUT,
			       "pbi.client_id, pbi.client_secret, pbi.scope: too long");
	}
	s = mem_alloc(sizeof(*s));
	s->loop = o->loop;
	s->http = o->http;
	s->form = buf_take(&form);
	s->token_url = mem_printf("%s/%s/oauth2/v2.0/token", o->login_url, o->tenant_id);
	s->api_url = mem_strdup(o->api_url);
	list_init(&s->waiting);
	list_init(&s->calls);
	json_fetch_init(&s->sign_in, on_signed_in, s);
	*out = s;
	return true;
}

void pbi_service_free(struct pbi_service **service)
{
	struct pbi_service *s = *service;

	if (!s)
		return;
	*service = NULL;
	list_each_safe(node, &s->waiting)
		call_free(list_item(node, struct call, node));
	list_each_safe(node, &s->calls)
		call_free(list_item(node, struct call, node));
	json_fetch_end(&s->sign_in);
	token_clear(s);
	mem_free(s->form);
	mem_free(s->token_url);
	mem_free(s->api_url);
	mem_free(s);
}
