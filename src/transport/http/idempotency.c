/*
 * A client that received no answer retries, and the request must not run twice. The key is stored
 * before the handler runs and the answer after it; an answer with a temporary error is not stored.
 * A client that disconnected before the answer finds its turn again, because ids are derived from
 * the key.
 */
#include "idempotency.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"

#define KEY_BYTES_MAX 200

/* Outlives its request while a store operation runs. The operation cannot be undone midway, so its
 * end is awaited and, when the request is gone, the key is removed. */
struct idempotency {
	struct list node;        /* in the transport's list once the request has ended */
	struct request *request; /* NULL: the request has ended */
	struct transport *transport;
	struct principal *who;
	struct arena *arena;
	struct op *op;
	char key_hash[HASH_HEX_BYTES];
	char id[UUID_BYTES]; /* of this request */
	bool stored;         /* the key is, or may be, in the store without an answer */
	bool running;        /* the handler was called */
};

static void key_free(struct idempotency *x)
{
	op_cancel(&x->op);
	list_remove(&x->node);
	arena_free(&x->arena);
	principal_free(&x->who);
	mem_free(x);
}

/* A structured-field string or a bare token of visible ASCII. */
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

/* Sorted, because an issuer lists permissions in any order. */
static void add_permissions(struct buf *out, const struct principal *who, struct arena *a)
{
	size_t n = who->permission_count;
	const char **sorted = arena_alloc(a, (n + 1) * sizeof(*sorted));

	memcpy(sorted, who->permissions, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s ", sorted[i]);
}

/* Includes the permissions: a stored answer is not repeated to a caller whose permissions have
 * changed. */
static void fingerprint(const struct request *r, char out[HASH_HEX_BYTES])
{
	const char *conversation;
	struct buf text;

	buf_init(&text, SIZE_MAX / 2); /* limited by the size of a request */
	buf_printf(&text, "%s\n%s\n", r->route->path, r->path);
	if (request_conversation(r, &conversation))
		buf_printf(&text, "%s\n", conversation);
	add_permissions(&text, r->who, r->arena);
	buf_char(&text, '\n');
	buf_add(&text, buf_text(&r->upload.text), r->upload.text.n);
	hash_sha256_hex(buf_text(&text), text.n, out);
	buf_deinit(&text);
}

static void on_dropped(void *owner, const struct err *e)
{
	struct idempotency *x = owner;

	x->op = NULL;
	if (e)
		log_warn("http.idempotency",
			 "a key could not be removed and stays until it expires: %s", e->text);
	key_free(x);
}

/* Removes the key, so that the next request with it runs. */
static void key_drop(struct idempotency *x)
{
	x->op = store_idempotent_end(x->transport->options.store, x->who, x->id, NULL, on_dropped,
				     x);
}

static void on_linked(void *owner, const struct err *e)
{
	struct idempotency *x = owner;

	x->op = NULL;
	if (e)
		log_warn("http.idempotency", "a key could not be linked to its turn: %s", e->text);
	if (!x->request)
		key_free(x);
}

/* From now on the key refers to the turn of the first request. Its log answers all identical
 * requests. */
static void link_turn(struct idempotency *x, bool first)
{
	const struct idempotent_answer followed = {.status = 200};
	struct request *r = x->request;

	x->stored = false;
	if (first)
		x->op = store_idempotent_end(x->transport->options.store, x->who, x->id, &followed,
					     on_linked, x);
	r->route->handle(r);
}

static void on_begun(void *owner, enum repeated what, const struct idempotent_answer *answer,
		     const struct err *e)
{
	struct idempotency *x = owner;
	struct request *r = x->request;

	x->op = NULL;
	x->stored = e || what == IDEMPOTENT_FIRST; /* a failed write may be stored */
	if (!r && x->stored) {
		key_drop(x);
	} else if (!r) {
		key_free(x);
	} else if (e) {
		reply_err(r, e);
	} else if ((r->route->flags & ROUTE_FOLLOWED) && what != IDEMPOTENT_MISMATCH) {
		link_turn(x, what == IDEMPOTENT_FIRST);
	} else if (what == IDEMPOTENT_FIRST) {
		x->running = true;
		r->route->handle(r);
	} else if (what == IDEMPOTENT_RUNNING) {
		reply_problem(r, CODE_BUSY,
			      "The first request with this Idempotency-Key is "
			      "still being answered.");
	} else if (what == IDEMPOTENT_MISMATCH) {
		reply_problem(r, CODE_INVALID,
			      "This Idempotency-Key was used for another request, or with "
			      "other permissions.");
	} else {
		reply_header(r, "Idempotency-Replayed", "true");
		reply_bytes(r, answer->status, answer->content_type,
			    answer->body ? answer->body : "",
			    answer->body ? strlen(answer->body) : 0);
	}
}

bool idempotency_begin(struct request *r)
{
	struct str key = key_of(r);
	char print[HASH_HEX_BYTES];
	struct idempotency *x;

	if (!request_header(r, "Idempotency-Key"))
		return false;
	if (!(r->route->flags & ROUTE_IDEMPOTENT) || key.n == 0) {
		reply_problem(
			r, CODE_BAD_FRAME,
			r->route->flags & ROUTE_IDEMPOTENT
				? "Idempotency-Key: must have 1 to 200 visible ASCII characters"
				: "Idempotency-Key: not supported for this method and address");
		return true;
	}
	x = mem_alloc(sizeof(*x));
	x->request = r;
	x->transport = r->transport;
	x->who = principal_copy(r->who);
	x->arena = arena_new(HTTP_RESPONSE_BYTES_MAX);
	hash_sha256_hex(key.p, key.n, x->key_hash);
	memcpy(x->id, uuid_new().text, UUID_BYTES);
	r->idempotency = x;
	fingerprint(r, print);
	x->op = store_idempotent_begin(r->transport->options.store, x->who, x->key_hash, print,
				       x->id, x->arena, on_begun, x);
	return true;
}

/* Returns true for a status that may differ on a retry. */
static bool is_transient(unsigned int status)
{
	return status >= 500 || status == 409 || status == 429;
}

static void on_stored(void *owner, const struct err *e)
{
	struct idempotency *x = owner;
	struct request *r = x->request;

	x->op = NULL;
	x->stored = false;
	if (e)
		log_warn("http.idempotency",
			 "an answer could not be stored, so a retry runs again: %s", e->text);
	if (!r) {
		key_free(x);
		return;
	}
	r->is_storing_reply = false;
	request_resume(r);
}

bool idempotency_end(struct request *r, const char *type, const void *bytes, size_t len)
{
	struct idempotent_answer answer = {.status = (int)r->reply.status};
	struct idempotency *x = r->idempotency;

	if (!x || !x->running || !x->stored)
		return false;
	assert(!x->op);
	answer.body = arena_strndup(x->arena, bytes, len);
	answer.content_type = type ? arena_strdup(x->arena, type) : NULL;
	x->op = store_idempotent_end(x->transport->options.store, x->who, x->id,
				     is_transient(r->reply.status) ? NULL : &answer, on_stored, x);
	return true;
}

void idempotency_detach(struct request *r)
{
	struct idempotency *x = r->idempotency;

	r->idempotency = NULL;
	if (!x)
		return;
	x->request = NULL;
	list_append(&x->transport->pending_keys, &x->node);
	if (x->op)
		return; /* the operation's callback frees it or removes the key */
	if (x->stored)
		key_drop(x);
	else
		key_free(x);
}

void idempotency_free(struct transport *t)
{
	list_each_safe(node, &t->pending_keys)
		key_free(list_item(node, struct idempotency, node));
}

const char *request_derived_id(const struct request *r, const char *purpose, const char *key)
{
	char hash[HASH_HEX_BYTES];
	char *text = mem_printf("%s\x1f%s\x1f%s\x1f%s", purpose, r->who->tenant, r->who->user, key);

	hash_sha256_hex(text, strlen(text), hash);
	mem_free(text);
	/* Has the format of all ids; its time is meaningless. */
	return arena_printf(r->arena, "%.*s-%.*s-7%.*s-8%.*s-%.*s", 8, hash, 4, hash + 8, 3,
			    hash + 12, 3, hash + 15, 12, hash + 18);
}

const char *idempotency_id(const struct request *r, const char *purpose)
{
	return r->idempotency ? request_derived_id(r, purpose, r->idempotency->key_hash) : NULL;
}
