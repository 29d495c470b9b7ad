/*
 * Follows the logs of turns on other replicas, and receives signals. One blocking XREAD serves all;
 * a signal to this replica interrupts it when another log is added.
 */
#include "cluster_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/codes.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define SIGNAL_WATCHERS_MS (CLUSTER_WATCHED_MS / 3)

struct follow {
	struct hashmap_node by_turn;
	struct list node; /* in follow_list, least recently read first */
	struct cluster *cluster;
	struct stream_log *log;
	char turn_id[UUID_BYTES];
	char tenant[128];
	char key[CLUSTER_KEY_BYTES];
	char last_id[64];
	bool is_read; /* included in XREAD */
	size_t watchers;
	int64_t unwatched_since_ms, signalled_ms;
};

struct follow *follow_of(const struct cluster *c, const char *turn_id)
{
	struct hashmap_node *node = hashmap_find(&c->follows, str_of(turn_id));

	return node ? hashmap_item(node, struct follow, by_turn) : NULL;
}

struct stream_log *follow_log(const struct follow *f)
{
	return f->log;
}

/* Reports the number of viewers, or the turn would end after its grace period. */
static void signal_watchers(struct follow *f)
{
	const struct lease_signal s = {
		.kind = SIGNAL_WATCHERS,
		.tenant = f->tenant,
		.holder = f->turn_id,
		.replica = f->cluster->replica,
		.watchers = f->watchers,
	};

	f->signalled_ms = clock_mono_ms();
	cluster_signal(f->cluster, &s, NULL, NULL);
}

static void on_watchers(void *owner, size_t watchers)
{
	struct follow *f = owner;

	f->watchers = watchers;
	f->unwatched_since_ms = clock_mono_ms();
	signal_watchers(f);
}

struct follow *follow_new(struct cluster *c, const struct loaded_turn *l, const char *tenant)
{
	struct follow *f = mem_alloc(sizeof(*f));

	f->cluster = c;
	memcpy(f->turn_id, l->turn_id, UUID_BYTES);
	snprintf(f->tenant, sizeof(f->tenant), "%s", tenant);
	cluster_key(f->key, "s", tenant, l->turn_id);
	f->unwatched_since_ms = clock_mono_ms();
	f->log = stream_follow(c->hub, l->turn_id, l->session_id, l->who, on_watchers, f);
	hashmap_add(&c->follows, &f->by_turn, str_of(f->turn_id));
	list_append(&c->follow_list, &f->node);
	return f;
}

void follow_taken_over(struct local_turn *h)
{
	struct cluster *c = h->cluster;
	struct follow *f = mem_alloc(sizeof(*f));

	f->cluster = c;
	memcpy(f->turn_id, h->holder, UUID_BYTES);
	snprintf(f->tenant, sizeof(f->tenant), "%s", h->tenant);
	cluster_key(f->key, "s", h->tenant, h->holder);
	f->log = stream_adopt(c->hub, h->holder, true, on_watchers, f);
	stream_set_remote_watchers(f->log, 0);
	f->watchers = stream_watchers(f->log);
	f->unwatched_since_ms = clock_mono_ms();
	f->is_read = true;
	snprintf(f->last_id, sizeof(f->last_id), "%llu-%llu", (unsigned long long)h->fence,
		 (unsigned long long)h->acked_entry);
	hashmap_add(&c->follows, &f->by_turn, str_of(f->turn_id));
	list_append(&c->follow_list, &f->node);
	cluster_interrupt_read(c);
}

void follow_end(struct follow *f)
{
	hashmap_remove(&f->cluster->follows, &f->by_turn);
	list_remove(&f->node);
	mem_free(f);
}

void follow_drop(struct follow *f)
{
	stream_abandon(&f->log);
	follow_end(f);
}

void follow_drop_all(struct cluster *c)
{
	list_each_safe(node, &c->follow_list)
		follow_drop(list_item(node, struct follow, node));
}

/* True: the turn has ended, and the hub keeps its log. */
static bool release_ended(struct follow *f)
{
	if (!stream_is_closed(f->log))
		return false;
	stream_release(&f->log);
	follow_end(f);
	return true;
}

struct stream_log *follow_read_after(struct follow *f, const char *entry_id)
{
	struct stream_log *log = f->log;
	uint64_t first;
	struct str id = str_of(entry_id);

	if (release_ended(f))
		return log;
	f->is_read = true;
	/* XREAD returns the entries after an ID; XRANGE includes the entry with that ID. */
	while (id.n > 0 && id.p[id.n - 1] != '-')
		id.n--;
	if (id.n > 0 && number_read(str_of(entry_id + id.n), &first) && first > 0)
		snprintf(f->last_id, sizeof(f->last_id), "%.*s%llu", STR_FMT(id),
			 (unsigned long long)first - 1);
	else
		snprintf(f->last_id, sizeof(f->last_id), "0-0");
	cluster_interrupt_read(f->cluster);
	return log;
}

/* Ends the log with an error for local viewers. The answer is stored by the replica that runs the
 * turn. */
static void end_incomplete(struct follow *f, const char *why)
{
	const struct code_row *row = code_row(CODE_UPSTREAM);
	const struct event end = {
		.kind = EVENT_ERROR,
		.at_ms = clock_now_ms(),
		.u.error = {.code = row->wire, .message = row->sentence, .retryable = true}};

	log_warn("cluster.log_incomplete", "%s: %s", f->turn_id, why);
	stream_append(f->log, &end);
	follow_drop(f);
}

void follow_tick(struct cluster *c, int64_t now_ms)
{
	bool is_unreadable = now_ms - c->read_ms > CLUSTER_READ_SILENCE_MS;

	list_each_safe(node, &c->follow_list) {
		struct follow *f = list_item(node, struct follow, node);

		if (is_unreadable && f->is_read)
			end_incomplete(f, "other replicas cannot be read");
		else if (stream_watchers(f->log) == 0 && f->is_read &&
			 now_ms - f->unwatched_since_ms > CLUSTER_UNWATCHED_MS)
			follow_drop(f);
		else if (f->watchers > 0 && now_ms - f->signalled_ms > SIGNAL_WATCHERS_MS)
			signal_watchers(f);
	}
}

/* ---- new entries ---- */

static const redisReply *item(const redisReply *list, size_t i)
{
	return list && list->type == REDIS_REPLY_ARRAY && i < list->elements ? list->element[i]
									     : NULL;
}

static struct follow *follow_by_key(const struct cluster *c, struct str key)
{
	list_each(node, &c->follow_list) {
		struct follow *f = list_item(node, struct follow, node);

		if (str_eq(key, str_of(f->key)))
			return f;
	}
	return NULL;
}

static void read_signals(struct cluster *c, const redisReply *entries)
{
	for (size_t i = 0; entries && i < entries->elements; i++) {
		struct str id = reply_text(item(item(entries, i), 0));
		struct str json = reply_text(item(item(item(entries, i), 1), 1));

		if (id.n > 0 && id.n < sizeof(c->inbox_id))
			snprintf(c->inbox_id, sizeof(c->inbox_id), "%.*s", STR_FMT(id));
		if (json.p)
			cluster_handle_signal(c, json);
	}
}

static void read_events(struct follow *f, const redisReply *entries)
{
	struct cluster *c = f->cluster;

	for (size_t i = 0; entries && i < entries->elements; i++) {
		const redisReply *entry = item(entries, i);
		struct str id = reply_text(item(entry, 0));

		if (!cluster_add_entry(c, f->turn_id, f->log, entry)) {
			end_incomplete(f, "the events of another replica have a gap");
			return;
		}
		if (id.n < sizeof(f->last_id))
			snprintf(f->last_id, sizeof(f->last_id), "%.*s", STR_FMT(id));
	}
	release_ended(f);
}

static void on_read(void *owner, const redisReply *reply)
{
	struct cluster *c = owner;

	c->is_reading = false;
	if (c->is_closing)
		return;
	for (size_t i = 0; reply && reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++) {
		struct str key = reply_text(item(item(reply, i), 0));
		const redisReply *entries = item(item(reply, i), 1);
		struct follow *f = follow_by_key(c, key);

		if (str_eq(key, str_of(c->inbox)))
			read_signals(c, entries);
		else if (f)
			read_events(f, entries);
	}
	if (reply && reply->type != REDIS_REPLY_ERROR)
		c->read_ms = clock_mono_ms();
	if (reply && reply->type != REDIS_REPLY_ERROR)
		cluster_read(c); /* otherwise the next heartbeat does */
}

void cluster_read(struct cluster *c)
{
	struct str argv[REDIS_ARGS_MAX];
	struct follow *read[CLUSTER_FOLLOWED];
	char count[24], block[24];
	int n = 0, follows = 0;

	if (c->is_reading || c->is_closing)
		return;
	argv[n++] = STR("XREAD");
	argv[n++] = STR("COUNT");
	argv[n++] = number_text(CLUSTER_PAGE, count);
	argv[n++] = STR("BLOCK");
	argv[n++] = number_text(CLUSTER_BLOCK_MS, block);
	argv[n++] = STR("STREAMS");
	argv[n++] = str_of(c->inbox);
	list_each(node, &c->follow_list) {
		struct follow *f = list_item(node, struct follow, node);

		if (follows == CLUSTER_FOLLOWED)
			break;
		if (!f->is_read)
			continue;
		read[follows++] = f;
		argv[n++] = str_of(f->key);
	}
	argv[n++] = str_of(c->inbox_id);
	for (int i = 0; i < follows; i++) {
		argv[n++] = str_of(read[i]->last_id);
		/* Moved to the end, so that other logs come first next time. */
		list_remove(&read[i]->node);
		list_append(&c->follow_list, &read[i]->node);
	}
	c->is_reading = redis_link_send(c->read_link, n, argv, on_read, c);
}
