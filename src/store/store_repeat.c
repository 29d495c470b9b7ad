/*
 * Idempotent retries. The first request stores its key before it does anything, so that two
 * concurrent requests cannot both run. Its answer is stored for later retries, also across a
 * restart.
 */
#include "store_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"

struct begin_call {
	struct call call;
	struct arena *arena;
	const char *fingerprint;
	const char *request;
	store_idempotent_cb cb;
	void *owner;
};

static enum repeated classify(const struct begin_call *b, const struct table *t)
{
	if (strcmp(store_cell(t, 0, "owner"), b->request) == 0)
		return IDEMPOTENT_FIRST;
	if (strcmp(store_cell(t, 0, "fingerprint"), b->fingerprint) != 0)
		return IDEMPOTENT_MISMATCH;
	return strtol(store_cell(t, 0, "status"), NULL, 10) == 0 ? IDEMPOTENT_RUNNING
								 : IDEMPOTENT_DONE;
}

static void on_begun(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct begin_call *b = list_item(c, struct begin_call, call);
	struct idempotent_answer answer;
	struct err failure = {0};
	enum repeated state;

	if (!e && !store_require_row(tables, count, 0, "key", &failure))
		e = &failure;
	if (e) {
		b->cb(b->owner, IDEMPOTENT_RUNNING, NULL, e);
		return;
	}
	state = classify(b, tables[0]);
	answer = (struct idempotent_answer){
		.status = (int)strtol(store_cell(tables[0], 0, "status"), NULL, 10),
		.content_type = arena_strdup(b->arena, table_cell(tables[0], 0, "content_type")),
		.body = arena_strdup(b->arena, table_cell(tables[0], 0, "body")),
	};
	b->cb(b->owner, state, state == IDEMPOTENT_DONE ? &answer : NULL, NULL);
}

struct op *store_idempotent_begin(struct store *s, const struct principal *who,
				  const char *key_hash, const char *fingerprint,
				  const char *request, struct arena *a, store_idempotent_cb cb,
				  void *owner)
{
	struct begin_call *b = store_call_new_for(s, who, sizeof(*b));
	struct call *c = &b->call;
	int64_t now = clock_now_ms();

	b->arena = a;
	b->fingerprint = arena_strdup(c->arena, fingerprint);
	b->request = arena_strdup(c->arena, request);
	b->cb = cb;
	b->owner = owner;
	c->finish = on_begun;
	store_call_text(c, "key_hash", key_hash);
	store_call_text(c, "fingerprint", fingerprint);
	store_call_text(c, "owner", request);
	store_call_time(c, "expired_before", now - IDEMPOTENT_LIFE_MS);
	store_call_time(c, "stale_before", now - IDEMPOTENT_STALE_MS);
	store_call_now(c);
	store_call_add(c, "idempotent_expire");
	store_call_add(c, "idempotent_insert");
	store_call_add(c, "idempotent_one");
	return store_call_write(c);
}

struct end_call {
	struct call call;
	store_done_cb cb;
	void *owner;
};

static void on_ended(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct end_call *end = list_item(c, struct end_call, call);

	(void)tables;
	(void)count;
	end->cb(end->owner, e);
}

struct op *store_idempotent_end(struct store *s, const struct principal *who, const char *request,
				const struct idempotent_answer *answer, store_done_cb cb,
				void *owner)
{
	struct end_call *end = store_call_new_for(s, who, sizeof(*end));
	struct call *c = &end->call;

	end->cb = cb;
	end->owner = owner;
	c->finish = on_ended;
	store_call_text(c, "owner", request);
	if (answer) {
		store_call_int(c, "status", answer->status);
		store_call_text(c, "content_type", answer->content_type);
		store_call_text(c, "body", answer->body);
	}
	store_call_add(c, answer ? "idempotent_finish" : "idempotent_drop");
	return store_call_write(c);
}
