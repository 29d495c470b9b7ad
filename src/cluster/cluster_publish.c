/*
 * Publishes the events of local turns for viewers on other replicas. One entry holds several
 * events, and only one entry of a turn is under way at a time. The reply gives the last stored
 * event, so lost entries are sent again.
 */
#include "cluster_int.h"

#include <stdio.h>
#include <string.h>

#include "scripts.h"
#include "vesper/clock.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

#define ENTRY_BYTES_MAX (4 * 1024 * 1024) /* one event alone may be as large as a view */

struct viewer {
	struct list node;
	size_t count;
	int64_t until_ms;
	char replica[LEASE_REPLICA_BYTES];
};

static void flush(struct held *h);

static void count_append(const char *outcome)
{
	static const struct metric appends = {
		.name = "vesper_cluster_appends_total",
		.help = "Entries of streams sent to Redis, by how that ended.",
		.labels = {"outcome"},
	};

	metric_add(&appends, (const char *const[]){outcome}, 1);
}

/* Time until the next entry may be sent. A timer may fire a millisecond early. */
static int64_t flush_wait_ms(const struct held *h)
{
	return h->flushed_ms + CLUSTER_FLUSH_MS + 1 - clock_mono_ms();
}

static void on_news(void *owner)
{
	struct held *h = owner;
	struct cluster *c = h->cluster;
	int64_t wait = flush_wait_ms(h);

	h->dirty = true;
	if (wait <= 0 || stream_closed(stream_watch_log(h->watch)))
		flush(h);
	else if (!timer_active(c->flush))
		timer_start(c->flush, (uint64_t)wait);
}

void publish_from(struct held *h, struct stream_log *log, uint64_t acked)
{
	struct stream_watch *before = h->watch;

	h->acked = acked;
	h->watch = stream_watch_quiet(log, acked, on_news, h);
	stream_watch_free(&before);
}

static void on_opened(void *self, struct stream_log *log)
{
	struct held *h = held_of(self, stream_turn_id(log));

	if (h)
		publish_from(h, log, 0);
}

void publish_stop(struct held *h)
{
	stream_watch_free(&h->watch);
	list_each_safe(node, &h->viewers) {
		list_remove(node);
		mem_free(list_item(node, struct viewer, node));
	}
}

/* ---- entries ---- */

struct entry {
	struct cluster *cluster;
	char holder[UUID_BYTES];
	uint64_t fence;
};

static void done(struct held *h);

static void on_flown(struct held *h, const redisReply *reply)
{
	struct str text = reply_text(reply), word = next_word(&text);
	struct stream_log *log = stream_watch_log(h->watch);
	uint64_t have;

	if (str_eq(word, STR("have")) && number_read(text, &have) && have <= stream_last_seq(log)) {
		count_append("ok");
		h->entry = h->entry_sent;
		if (have == h->sent)
			h->acked = have;
		else
			publish_from(h, log, have);
		if (have < stream_last_seq(log))
			on_news(h);
		else if (h->released)
			done(h);
	} else if (str_eq(word, STR("lost"))) {
		count_append("lost");
		held_lost(h);
	} else if (str_eq(word, STR("gone"))) {
		/* The server lost its data: register and send everything again. */
		count_append("gone");
		h->fence = 0;
		held_register(h);
	} else {
		count_append(reply ? "error" : "unanswered");
		publish_from(h, log, h->acked);
	}
}

static void on_appended(void *owner, const redisReply *reply)
{
	struct entry *e = owner;
	struct held *h = e->cluster->closing ? NULL : held_of(e->cluster, e->holder);

	if (h && h->fence == e->fence && h->watch) {
		h->sending = false;
		on_flown(h, reply);
	} else if (h) {
		h->sending = false;
	}
	mem_free(e);
}

static void add_event(struct buf *out, const struct event *event)
{
	size_t at = out->n;
	uint32_t len = 0;

	buf_add(out, &len, sizeof(len));
	event_encode(out, event);
	len = (uint32_t)(out->n - at - sizeof(len));
	memcpy(out->p + at, &len, sizeof(len));
}

static bool send_entry(struct held *h, uint64_t last, bool over, struct str plain)
{
	struct cluster *c = h->cluster;
	char stream[CLUSTER_KEY_BYTES], hash[CLUSTER_KEY_BYTES], purpose[128];
	char fence[24], first[24], last_text[24], keep[24];
	struct entry *e = mem_alloc(sizeof(*e));
	struct buf sealed;
	bool sent;

	cluster_key(stream, "s", h->tenant, h->holder);
	cluster_key(hash, "t", h->tenant, h->holder);
	*e = (struct entry){.cluster = c, .fence = h->fence};
	memcpy(e->holder, h->holder, UUID_BYTES);
	snprintf(purpose, sizeof(purpose), "events %s %llu %llu %llu", h->holder,
		 (unsigned long long)h->fence, (unsigned long long)h->acked + 1,
		 (unsigned long long)last);
	buf_init(&sealed, ENTRY_BYTES_MAX);
	cluster_seal(c, &sealed, purpose, plain);
	const struct str argv[] = {STR("EVAL"),
				   STR(APPEND_SCRIPT),
				   STR("2"),
				   str_of(stream),
				   str_of(hash),
				   number_text(h->fence, fence),
				   number_text(h->acked + 1, first),
				   number_text(last, last_text),
				   {sealed.p, sealed.n},
				   number_text(CLUSTER_STREAM_TTL_MS, keep),
				   over ? STR("1") : STR("0")};
	sent = redis_link_send(c->write, 11, argv, on_appended, e);
	if (!sent)
		mem_free(e);
	buf_deinit(&sealed);
	return sent;
}

static void flush(struct held *h)
{
	struct stream_log *log = stream_watch_log(h->watch);
	const struct stream_entry *next;
	uint64_t last = h->acked;
	struct buf plain;

	if (!h->fence || h->sending || !redis_link_up(h->cluster->write))
		return; /* the next reply or heartbeat retries */
	buf_init(&plain, ENTRY_BYTES_MAX);
	while (plain.n < CLUSTER_ENTRY_BYTES && (next = stream_read(h->watch))) {
		add_event(&plain, next->event);
		last = next->seq;
	}
	if (last > h->acked) {
		h->flushed_ms = clock_mono_ms();
		h->sent = last;
		h->entry_sent = h->acked + 1;
		h->sending = send_entry(h, last, stream_closed(log) && last == stream_last_seq(log),
					(struct str){plain.p, plain.n});
		if (!h->sending) { /* sent again with the next heartbeat */
			count_append("away");
			publish_from(h, log, h->acked);
		}
	}
	h->dirty = h->dirty && !h->sending && last > h->acked;
	buf_deinit(&plain);
}

void on_publish_timer(void *owner)
{
	struct cluster *c = owner;
	int64_t next = CLUSTER_FLUSH_MS;
	bool later = false;

	hashmap_each(node, &c->held) {
		struct held *h = hashmap_item(node, struct held, by_holder);
		int64_t wait = flush_wait_ms(h);

		if (!h->dirty || !h->watch)
			continue;
		if (wait <= 0) {
			flush(h);
			continue;
		}
		later = true;
		next = wait < next ? wait : next;
	}
	if (later)
		timer_start(c->flush, (uint64_t)next);
}

/* ---- remote viewers ---- */

static void count_viewers(struct held *h, int64_t now_ms)
{
	size_t all = 0;

	list_each_safe(node, &h->viewers) {
		struct viewer *v = list_item(node, struct viewer, node);

		if (v->until_ms > now_ms && v->count > 0) {
			all += v->count;
		} else {
			list_remove(node);
			mem_free(v);
		}
	}
	if (h->watch && !h->released)
		stream_watched_elsewhere(stream_watch_log(h->watch), all);
}

void publish_watchers(struct held *h, const char *replica, size_t watchers)
{
	int64_t now = clock_mono_ms();
	struct viewer *v = NULL;

	list_each(node, &h->viewers)
		if (strcmp(list_item(node, struct viewer, node)->replica, replica) == 0)
			v = list_item(node, struct viewer, node);
	if (!v) {
		v = mem_alloc(sizeof(*v));
		snprintf(v->replica, sizeof(v->replica), "%s", replica);
		list_append(&h->viewers, &v->node);
	}
	v->count = watchers;
	v->until_ms = now + CLUSTER_WATCHED_MS;
	count_viewers(h, now);
}

/* ---- timers ---- */

bool publish_is_complete(const struct held *h)
{
	return !h->fence || !h->watch || h->acked == stream_last_seq(stream_watch_log(h->watch));
}

static void done(struct held *h)
{
	if (!h->cluster->handing_over)
		held_leave(h);
	held_free(h);
}

void publish_tick(struct held *h, int64_t now_ms)
{
	/* The turn may be registered without its events or its end. A duplicate message must not be
	 * led to it. */
	if (h->released && !h->handed && (h->fence ? !h->watch : h->asked)) {
		if (held_forget(h) || now_ms - h->released_ms > CLUSTER_LEASE_MS)
			held_free(h);
		return;
	}
	if (h->released &&
	    (publish_is_complete(h) || now_ms - h->released_ms > CLUSTER_FINAL_EVENTS_MS)) {
		done(h);
		return;
	}
	count_viewers(h, now_ms);
	held_register(h);
	if (h->watch && h->fence && !h->sending && !publish_is_complete(h))
		flush(h);
}

const struct stream_driver cluster_stream_driver = {
	.name = "redis",
	.opened = on_opened,
	.find = cluster_find,
};
