/*
 * Turns in a store that several replicas share: one row each, under the fencing token of its
 * owner. The row is created with the user's message and completed with the answer. In between, its
 * replica sends heartbeats.
 */
#include "store_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"

void store_share(struct store *s, const char *replica)
{
	s->replica = replica;
}

void store_turn_begin(struct call *c, bool taken)
{
	if (!c->store->replica)
		return;
	store_call_text(c, "replica", c->store->replica);
	if (taken)
		store_call_add(c, "turn_take");
	store_call_add(c, "turn_insert");
}

/* ---- turns of this replica ---- */

struct turns_call {
	struct call call;
	store_done_cb cb;
	void *owner;
};

static void on_done(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct turns_call *a = list_item(c, struct turns_call, call);

	(void)tables;
	(void)count;
	a->cb(a->owner, e);
}

struct op *store_turns_heartbeat(struct store *s, const char *tenant, const char *const *turn_ids,
				 size_t count, store_done_cb cb, void *owner)
{
	struct turns_call *a = store_call_new(s, tenant, sizeof(*a));
	struct call *c = &a->call;
	struct value ids[TURNS_ALIVE_MAX];

	assert(s->replica && count > 0 && count <= TURNS_ALIVE_MAX);
	a->cb = cb;
	a->owner = owner;
	c->finish = on_done;
	for (size_t i = 0; i < count; i++)
		ids[i] = value_text(arena_strdup(c->arena, turn_ids[i]));
	args_set_list(&c->args, c->arena, "ids", ids, count);
	store_call_text(c, "replica", s->replica);
	store_call_now(c);
	store_call_add(c, "turns_alive");
	return store_call_write(c);
}

/* ---- turns of dead replicas ---- */

struct watched {
	char turn_id[UUID_BYTES];
	char alive_at[CLOCK_RFC3339_BYTES];
	int64_t since_ms; /* when this alive_at was first read, by the local clock */
};

/* Running turns of one tenant, as of the last read. */
struct turn_watch {
	struct list node;
	char *tenant;
	struct watched *turns;
	size_t count;
};

static struct turn_watch *watch_of(struct store *s, const char *tenant)
{
	struct turn_watch *watch;

	list_each(node, &s->watches) {
		watch = list_item(node, struct turn_watch, node);
		if (strcmp(watch->tenant, tenant) == 0)
			return watch;
	}
	watch = mem_alloc(sizeof(*watch));
	watch->tenant = mem_strdup(tenant);
	list_append(&s->watches, &watch->node);
	return watch;
}

void store_watches_free(struct store *s)
{
	list_each_safe(node, &s->watches) {
		struct turn_watch *watch = list_item(node, struct turn_watch, node);

		list_remove(node);
		mem_free(watch->turns);
		mem_free(watch->tenant);
		mem_free(watch);
	}
}

static struct watched watched_of(const struct table *t, size_t row, const struct turn_watch *before,
				 int64_t now_ms)
{
	struct watched w = {.since_ms = now_ms};

	snprintf(w.turn_id, sizeof(w.turn_id), "%s", store_cell(t, row, "turn_id"));
	snprintf(w.alive_at, sizeof(w.alive_at), "%s", store_cell(t, row, "alive_at"));
	for (size_t i = 0; i < before->count; i++)
		if (strcmp(before->turns[i].turn_id, w.turn_id) == 0 &&
		    strcmp(before->turns[i].alive_at, w.alive_at) == 0)
			w.since_ms = before->turns[i].since_ms;
	return w;
}

static void add_close(struct call *c, const struct table *t, size_t row)
{
	int64_t fence = strtoll(store_cell(t, row, "fence"), NULL, 10);

	log_warn("store.silent",
		 "tenant %s: turn %s sent no heartbeat and is closed as interrupted", c->tenant,
		 store_cell(t, row, "turn_id"));
	store_call_text(c, "message_id", uuid_new().text);
	store_call_text(c, "session_id", store_cell(t, row, "session_id"));
	store_call_text(c, "turn_id", store_cell(t, row, "turn_id"));
	store_call_text(c, "alive_at", store_cell(t, row, "alive_at"));
	store_call_int(c, "fence", fence);
	store_call_int(c, "fence_after", fence + 1);
	store_call_add(c, "turn_close");
	store_call_add(c, "orphan_close");
}

static void on_running(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct turns_call *a = list_item(c, struct turns_call, call);
	struct turn_watch *watch = watch_of(c->store, c->tenant);
	const struct table *t = count > 0 ? tables[0] : NULL;
	struct watched *now;
	int64_t now_ms = clock_mono_ms();

	if (e) {
		a->cb(a->owner, e);
		return;
	}
	now = mem_alloc((t->row_count + 1) * sizeof(*now));
	store_call_clear(c);
	for (size_t i = 0; i < t->row_count; i++) {
		now[i] = watched_of(t, i, watch, now_ms);
		if (now_ms - now[i].since_ms >= TURN_SILENT_MS)
			add_close(c, t, i);
	}
	mem_free(watch->turns);
	watch->turns = now;
	watch->count = t->row_count;
	if (c->count == 0) {
		a->cb(a->owner, NULL);
		return;
	}
	c->finish = on_done;
	store_call_write(c);
}

/* The turns that have been silent for longest come first, so one page is enough. */
struct op *store_close_silent(struct store *s, const char *tenant, store_done_cb cb, void *owner)
{
	struct turns_call *a = store_call_new(s, tenant, sizeof(*a));
	struct call *c = &a->call;

	assert(s->replica);
	a->cb = cb;
	a->owner = owner;
	c->finish = on_running;
	store_call_flag(c, "silent");
	store_call_text(c, "status", message_status_name(MESSAGE_INTERRUPTED));
	store_call_now(c);
	store_call_int(c, "limit", STORE_ORPHANS_MAX);
	store_call_add(c, "turns_running");
	return store_call_read(c, STORE_ORPHANS_MAX);
}
