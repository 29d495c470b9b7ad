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

static void flush(struct local_turn *h);

static void count_append(const char *outcome)
{
	static const struct metric appends = {
		.name = "vesper_cluster_appends_total",
		.help = "Entries of streams sent to Redis, by result.",
		.labels = {"outcome"},
	};

	metric_add(&appends, (const char *const[]){outcome}, 1);
}

/* Time until the next entry may be sent. A timer may fire a millisecond early. */
static int64_t flush_wait_ms(const struct local_turn *h)
{
	return h->flushed_ms + CLUSTER_FLUSH_MS + 1 - clock_mono_ms();
}

static void on_new_events(void *owner)
{
	struct local_turn *h = owner;
	struct cluster *c = h->cluster;
	int64_t wait = flush_wait_ms(h);

	h->has_new_events = true;
	if (wait <= 0 || stream_is_closed(stream_watch_log(h->watch)))
		flush(h);
	else if (!timer_is_active(c->flush_timer))
		timer_start(c->flush_timer, (uint64_t)wait);
}

void publish_from(struct local_turn *h, struct stream_log *log, uint64_t acked)
{
	struct stream_watch *before = h->watch;

	h->acked = acked;
	h->watch = stream_watch_quiet(log, acked, on_new_events, h);
	stream_watch_free(&before);
}

static void on_opened(void *self, struct stream_log *log)
{
	struct local_turn *h = local_turn_find(self, stream_turn_id(log));

	if (h)
		publish_from(h, log, 0);
}

void publish_stop(struct local_turn *h)
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

static void turn_finish(struct local_turn *h);

static void on_entry_reply(struct local_turn *h, const redisReply *reply)
{
	struct str text = reply_text(reply), word = next_word(&text);
	struct stream_log *log = stream_watch_log(h->watch);
	uint64_t stored;

	if (str_eq(word, STR("have")) && number_read(text, &stored) &&
	    stored <= stream_last_seq(log)) {
		count_append("ok");
		h->acked_entry = h->sent_entry;
		if (stored == h->sent)
			h->acked = stored;
		else
			publish_from(h, log, stored);
		if (stored < stream_last_seq(log))
			on_new_events(h);
		else if (h->is_released)
			turn_finish(h);
	} else if (str_eq(word, STR("lost"))) {
		count_append("lost");
		local_turn_give_up(h);
	} else if (str_eq(word, STR("gone"))) {
		/* The server lost its data: register and send everything again. */
		count_append("gone");
		h->fence = 0;
		local_turn_register(h);
	} else {
		count_append(reply ? "error" : "unanswered");
		publish_from(h, log, h->acked);
	}
}

static void on_appended(void *owner, const redisReply *reply)
{
	struct entry *e = owner;
	struct local_turn *h =
		e->cluster->is_closing ? NULL : local_turn_find(e->cluster, e->holder);

	if (h && h->fence == e->fence && h->watch) {
		h->is_sending = false;
		on_entry_reply(h, reply);
	} else if (h) {
		h->is_sending = false;
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

static bool send_entry(struct local_turn *h, uint64_t last, bool over, struct str plain)
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
	sent = redis_link_send(c->write_link, 11, argv, on_appended, e);
	if (!sent)
		mem_free(e);
	buf_deinit(&sealed);
	return sent;
}

static void flush(struct local_turn *h)
{
	struct stream_log *log = stream_watch_log(h->watch);
	const struct stream_entry *next;
	uint64_t last = h->acked;
	struct buf plain;

	if (!h->fence || h->is_sending || !redis_link_is_up(h->cluster->write_link))
		return; /* the next reply or heartbeat retries */
	buf_init(&plain, ENTRY_BYTES_MAX);
	while (plain.n < CLUSTER_ENTRY_BYTES && (next = stream_read(h->watch))) {
		add_event(&plain, next->event);
		last = next->seq;
	}
	if (last > h->acked) {
		h->flushed_ms = clock_mono_ms();
		h->sent = last;
		h->sent_entry = h->acked + 1;
		h->is_sending =
			send_entry(h, last, stream_is_closed(log) && last == stream_last_seq(log),
				   (struct str){plain.p, plain.n});
		if (!h->is_sending) { /* sent again with the next heartbeat */
			count_append("away");
			publish_from(h, log, h->acked);
		}
	}
	h->has_new_events = h->has_new_events && !h->is_sending && last > h->acked;
	buf_deinit(&plain);
}

void on_publish_timer(void *owner)
{
	struct cluster *c = owner;
	int64_t next = CLUSTER_FLUSH_MS;
	bool is_waiting = false;

	hashmap_each(node, &c->local_turns) {
		struct local_turn *h = hashmap_item(node, struct local_turn, by_holder);
		int64_t wait = flush_wait_ms(h);

		if (!h->has_new_events || !h->watch)
			continue;
		if (wait <= 0) {
			flush(h);
			continue;
		}
		is_waiting = true;
		next = wait < next ? wait : next;
	}
	if (is_waiting)
		timer_start(c->flush_timer, (uint64_t)next);
}

/* ---- remote viewers ---- */

static void count_viewers(struct local_turn *h, int64_t now_ms)
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
	if (h->watch && !h->is_released)
		stream_set_remote_watchers(stream_watch_log(h->watch), all);
}

void publish_watchers(struct local_turn *h, const char *replica, size_t watchers)
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

bool publish_is_complete(const struct local_turn *h)
{
	return !h->fence || !h->watch || h->acked == stream_last_seq(stream_watch_log(h->watch));
}

static void turn_finish(struct local_turn *h)
{
	if (!h->cluster->is_handing_over)
		local_turn_unlist(h);
	local_turn_free(h);
}

void publish_tick(struct local_turn *h, int64_t now_ms)
{
	/* The turn may be registered without its events or its end. A duplicate message must not be
	 * routed to it. */
	if (h->is_released && !h->is_handed_over && (h->fence ? !h->watch : h->may_be_registered)) {
		if (local_turn_unregister(h) || now_ms - h->released_ms > CLUSTER_LEASE_MS)
			local_turn_free(h);
		return;
	}
	if (h->is_released &&
	    (publish_is_complete(h) || now_ms - h->released_ms > CLUSTER_FINAL_EVENTS_MS)) {
		turn_finish(h);
		return;
	}
	count_viewers(h, now_ms);
	local_turn_register(h);
	if (h->watch && h->fence && !h->is_sending && !publish_is_complete(h))
		flush(h);
}

const struct stream_driver cluster_stream_driver = {
	.name = "redis",
	.opened = on_opened,
	.find = cluster_find,
};
