/*
 * A client that heard nothing asks again, and must not have asked twice. Its key goes into the
 * store before the handler runs and the answer after it; what failed in a way that may pass is not
 * kept. A client that left before the answer finds its turn again, because ids follow from the key.
 */
#include "repeat.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"

#define KEY_BYTES_MAX 200

struct repeat {
	char key_hash[HASH_HEX_BYTES];
	char id[UUID_BYTES]; /* of this request */
	bool open;           /* in the store, unanswered */
};

/* A structured-field string or a bare token: visible ASCII. */
static struct str key_of(const struct request *r)
{
	struct str key = str_trim(str_of(request_header(r, "Idempotency-Key")));

	if (key.n >= 2 && key.p[0] == '"' && key.p[key.n - 1] == '"')
		key = (struct str){key.p + 1, key.n - 2};
	for (size_t i = 0; i < key.n; i++)
		if (key.p[i] <= ' ' || key.p[i] > '~' || key.p[i] == '"' || key.p[i] == '\\')
			return (struct str){0};
	return key.n <= KEY_BYTES_MAX ? key : (struct str){0};
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In an order of their own: an issuer lists them as it likes. */
static void add_permissions(struct buf *out, const struct principal *who, struct arena *a)
{
	size_t n = who->permission_count;
	const char **sorted = arena_alloc(a, (n + 1) * sizeof(*sorted));

	memcpy(sorted, who->permissions, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s ", sorted[i]);
}

/* Permissions are part of it: an answer is not given again to who may see less by now. */
static void fingerprint(const struct request *r, char out[HASH_HEX_BYTES])
{
	struct buf text;

	buf_init(&text, 2 * r->upload.n + 10000);
	buf_printf(&text, "%s\n%s\n", r->route->path, r->path);
	add_permissions(&text, r->who, r->arena);
	buf_char(&text, '\n');
	buf_add(&text, buf_text(&r->upload), r->upload.n);
	hash_sha256_hex(buf_text(&text), text.n, out);
	buf_deinit(&text);
}

static void on_begun(void *owner, enum repeated what, const struct repeat_answer *answer,
		     const struct err *e)
{
	struct request *r = owner;

	r->op = NULL;
	if (e) {
		reply_err(r, e);
	} else if (what == REPEATED_FIRST) {
		r->repeat->open = true;
		r->route->handle(r);
	} else if (what == REPEATED_RUNNING) {
		reply_problem(r, PROBLEM_BUSY,
			      "The first request with this Idempotency-Key is "
			      "still being answered.");
	} else if (what == REPEATED_OTHER) {
		reply_problem(r, PROBLEM_INVALID,
			      "This Idempotency-Key was used for another request, or with "
			      "other permissions.");
	} else {
		reply_header(r, "Idempotency-Replayed", "true");
		reply_bytes(r, answer->status, answer->content_type,
			    answer->body ? answer->body : "",
			    answer->body ? strlen(answer->body) : 0);
	}
}

bool repeat_begin(struct request *r)
{
	struct str key = key_of(r);
	char print[HASH_HEX_BYTES];

	if (!request_header(r, "Idempotency-Key"))
		return false;
	if (!(r->route->flags & ROUTE_REPEAT) || key.n == 0) {
		reply_problem(r, PROBLEM_BAD_FRAME,
			      r->route->flags & ROUTE_REPEAT
				      ? "Idempotency-Key: 1 to 200 visible ASCII characters"
				      : "Idempotency-Key: not taken here");
		return true;
	}
	r->repeat = arena_alloc(r->arena, sizeof(*r->repeat));
	hash_sha256_hex(key.p, key.n, r->repeat->key_hash);
	memcpy(r->repeat->id, uuid_new().text, UUID_BYTES);
	fingerprint(r, print);
	r->op = store_repeat_begin(r->transport->options.store, r->who, r->repeat->key_hash, print,
				   r->repeat->id, r->arena, on_begun, r);
	return true;
}

/* What may come out otherwise the next time. */
static bool may_pass(unsigned int status)
{
	return status >= 500 || status == 409 || status == 429;
}

static void on_kept(void *owner, const struct err *e)
{
	struct request *r = owner;

	r->op = NULL;
	r->repeat->open = false;
	if (e)
		log_warn("http.repeat", "an answer is not kept (request %s): %s", r->request_id,
			 e->text);
	r->holding = false;
	request_resume(r);
}

bool repeat_end(struct request *r, const char *type, const void *bytes, size_t len)
{
	struct repeat_answer answer = {.status = (int)r->status, .content_type = type};

	if (!r->repeat || !r->repeat->open)
		return false;
	assert(!r->op);
	answer.body = arena_strndup(r->arena, bytes, len);
	r->op = store_repeat_end(r->transport->options.store, r->who, r->repeat->id,
				 may_pass(r->status) ? NULL : &answer, on_kept, r);
	return true;
}

static void on_forgotten(void *owner, const struct err *e)
{
	(void)owner;
	if (e)
		log_warn("http.repeat", "a key stays until it is stale: %s", e->text);
}

void repeat_forget(struct request *r)
{
	if (!r->repeat || !r->repeat->open)
		return;
	r->repeat->open = false;
	op_cancel(&r->op);
	store_repeat_end(r->transport->options.store, r->who, r->repeat->id, NULL, on_forgotten,
			 NULL);
}

const char *repeat_id(const struct request *r, const char *purpose)
{
	char hash[HASH_HEX_BYTES];
	char *text;

	if (!r->repeat)
		return NULL;
	text = mem_printf("%s\x1f%s\x1f%s\x1f%s", purpose, r->who->tenant, r->who->user,
			  r->repeat->key_hash);
	hash_sha256_hex(text, strlen(text), hash);
	mem_free(text);
	/* The form of all ids; the time in it is none. */
	return arena_printf(r->arena, "%.*s-%.*s-7%.*s-8%.*s-%.*s", 8, hash, 4, hash + 8, 3,
			    hash + 12, 3, hash + 15, 12, hash + 18);
}
