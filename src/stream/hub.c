/*
 * All logs of the process, found by their turn's id. Finished ones are kept in the order of their
 * end, so the oldest is always the first to go by age. By number, or by the bytes that all of them
 * hold, the oldest of the tenant that has the most goes first.
 */
#include "stream_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define BUCKETS 4096 /* a power of two */

struct stream_hub {
	struct loop *loop;
	struct list buckets[BUCKETS];
	struct list kept;
	struct shares shares; /* of the kept ones */
	struct timer *expiry;
};

static void on_expiry(void *owner);

struct stream_hub *stream_hub_new(struct loop *l)
{
	struct stream_hub *h = mem_alloc(sizeof(*h));

	h->loop = l;
	for (size_t i = 0; i < BUCKETS; i++)
		list_init(&h->buckets[i]);
	list_init(&h->kept);
	shares_init(&h->shares, EVENT_LOGS_MAX, EVENT_LOGS_BYTES_MAX);
	h->expiry = timer_new(l, on_expiry, h);
	return h;
}

struct loop *hub_loop(const struct stream_hub *h)
{
	return h->loop;
}

/* FNV-1a. Ids are ours, nobody can choose them to collide. */
static struct list *bucket_of(struct stream_hub *h, const char *turn_id)
{
	uint64_t hash = 14695981039346656037u;

	for (const char *c = turn_id; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	return &h->buckets[hash & (BUCKETS - 1)];
}

static struct stream_log *hub_get(struct stream_hub *h, const char *turn_id)
{
	struct list *bucket = bucket_of(h, turn_id);

	list_each(node, bucket) {
		struct stream_log *log = list_item(node, struct stream_log, bucket);

		if (strcmp(log->turn_id, turn_id) == 0)
			return log;
	}
	return NULL;
}

void hub_add(struct stream_hub *h, struct stream_log *log)
{
	assert(!hub_get(h, log->turn_id));
	list_append(bucket_of(h, log->turn_id), &log->bucket);
}

static void hub_forget(struct stream_hub *h, struct stream_log *log)
{
	shares_remove(&h->shares, &log->share);
	list_remove(&log->kept);
	list_remove(&log->bucket);
	log_unref(log);
}

static struct stream_log *oldest(const struct stream_hub *h)
{
	return list_empty(&h->kept) ? NULL : list_item(h->kept.next, struct stream_log, kept);
}

static void hub_expire(struct stream_hub *h)
{
	struct stream_log *log;
	int64_t now = clock_mono_ms();

	while ((log = oldest(h)) && log->kept_until_ms <= now)
		hub_forget(h, log);
	if (log && !timer_active(h->expiry))
		timer_start(h->expiry, (uint64_t)(log->kept_until_ms - now));
}

static void on_expiry(void *owner)
{
	hub_expire(owner);
}

void hub_keep(struct stream_hub *h, struct stream_log *log)
{
	struct share *over;

	log->kept_until_ms = clock_mono_ms() + EVENT_LOG_KEPT_MS;
	list_append(&h->kept, &log->kept);
	shares_add(&h->shares, &log->share, str_of(log->who->tenant), log_bytes(log));
	if (log->unwanted)
		hub_forget(h, log);
	while ((over = shares_over(&h->shares)))
		hub_forget(h, list_item(over, struct stream_log, share));
	hub_expire(h);
}

void stream_forget(struct stream_hub *h, const char *session_id, const struct principal *who)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		list_each_safe(node, &h->buckets[i]) {
			struct stream_log *log = list_item(node, struct stream_log, bucket);

			if ((session_id && strcmp(log->session_id, session_id) != 0) ||
			    !principal_same_user(log->who, who))
				continue;
			if (log->released)
				hub_forget(h, log);
			else
				log->unwanted = true;
		}
	}
}

/* Who holds less than the turn ran with may not see all that it said. */
static bool covers(const struct principal *reader, const struct principal *writer)
{
	for (size_t i = 0; i < writer->permission_count; i++)
		if (!may(reader, writer->permissions[i]))
			return false;
	return true;
}

struct stream_log *stream_find(struct stream_hub *h, const char *turn_id,
			       const struct principal *who)
{
	struct stream_log *log;

	hub_expire(h);
	log = hub_get(h, turn_id);
	return log && principal_same_user(log->who, who) && covers(who, log->who) ? log : NULL;
}

void stream_hub_free(struct stream_hub **hub)
{
	struct stream_hub *h = *hub;

	if (!h)
		return;
	*hub = NULL;
	while (oldest(h))
		hub_forget(h, oldest(h));
	for (size_t i = 0; i < BUCKETS; i++)
		assert(list_empty(&h->buckets[i])); /* a turn still runs */
	shares_deinit(&h->shares);
	timer_free(&h->expiry);
	mem_free(h);
}
