/*
 * Event log of one turn, written once and read at any pace. Events are stored encoded and the
 * answer's text as one buffer: a finished log is two memory blocks, and the limit counts their
 * bytes.
 */
#include "stream_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

struct stream_watch {
	struct list node;
	struct stream_log *log;
	uint64_t last_seq;
	struct stream_entry current;
	struct event event; /* event of `current` */
	bool is_quiet;
	struct deferred wake;
	void (*on_new_events)(void *owner);
	void *owner;
};

static void on_emit(void *owner, const struct event *event);

struct stream_log *stream_follow(struct stream_hub *h, const char *turn_id, const char *session_id,
				 const struct principal *who,
				 void (*on_watchers)(void *owner, size_t watchers), void *owner)
{
	struct stream_log *log = mem_alloc(sizeof(*log));

	assert(uuid_valid(turn_id) && uuid_valid(session_id));
	memcpy(log->turn_id, turn_id, UUID_BYTES);
	memcpy(log->session_id, session_id, UUID_BYTES);
	log->hub = h;
	log->who = principal_copy(who);
	log->sink = (struct event_sink){on_emit, log};
	buf_init(&log->bytes, SIZE_MAX / 2); /* on_emit limits both */
	buf_init(&log->text, SIZE_MAX / 2);
	list_init(&log->watches);
	log->on_watchers = on_watchers;
	log->owner = owner;
	log->is_follower = true;
	log->refs = 2; /* the hub and the turn */
	hub_add(h, log);
	return log;
}

struct stream_log *stream_open(struct stream_hub *h, const char *turn_id, const char *session_id,
			       const struct principal *who,
			       void (*on_watchers)(void *owner, size_t watchers), void *owner)
{
	struct stream_log *log = stream_follow(h, turn_id, session_id, who, on_watchers, owner);

	log->is_follower = false;
	hub_opened(h, log);
	return log;
}

struct stream_log *stream_running(const struct stream_hub *h, const char *turn_id)
{
	struct stream_log *log = hub_find(h, turn_id);

	return log && !log->is_released ? log : NULL;
}

struct stream_log *stream_adopt(struct stream_hub *h, const char *turn_id, bool follows,
				void (*on_watchers)(void *owner, size_t watchers), void *owner)
{
	struct stream_log *log = stream_running(h, turn_id);

	if (!log)
		return NULL;
	log->is_follower = follows;
	log->on_watchers = on_watchers;
	log->owner = owner;
	return log;
}

const char *stream_turn_id(const struct stream_log *log)
{
	return log->turn_id;
}

const char *stream_session_id(const struct stream_log *log)
{
	return log->session_id;
}

const struct event_sink *stream_sink(struct stream_log *log)
{
	return &log->sink;
}

bool stream_is_full(const struct stream_log *log)
{
	return log->is_full;
}

bool stream_is_closed(const struct stream_log *log)
{
	return log->is_closed;
}

uint64_t stream_last_seq(const struct stream_log *log)
{
	return log->count;
}

uint64_t stream_takeover_seq(const struct stream_log *log)
{
	struct event e;

	for (uint64_t seq = 1; seq <= log->count; seq++) {
		if (stream_kind(log, seq) != EVENT_STATUS)
			continue;
		stream_event(log, seq, &e);
		if (strcmp(e.u.status.phase, EVENT_PHASE_MOVED) == 0)
			return seq;
	}
	return 0;
}

size_t stream_watchers(const struct stream_log *log)
{
	return log->watcher_count + log->remote_watcher_count;
}

static void on_wake(void *owner)
{
	struct stream_watch *w = owner;

	w->on_new_events(w->owner);
}

/* Deferred, so that all events of one loop iteration are delivered together. */
static void watch_wake(struct stream_watch *w)
{
	loop_defer_last(hub_loop(w->log->hub), &w->wake, on_wake, w);
}

static size_t payload_bytes(const struct stream_log *log)
{
	return log->bytes.n + log->text.n;
}

size_t log_bytes(const struct stream_log *log)
{
	return sizeof(*log) + log->capacity * sizeof(*log->entries) + payload_bytes(log);
}

struct str stream_text(const struct stream_log *log)
{
	return (struct str){buf_text(&log->text), log->text.n};
}

/* The closing event always fits. Once an event is dropped, all later ones except the closing event
 * are dropped too, so the log has no gaps. */
static bool log_can_append(const struct stream_log *log, enum event_kind kind)
{
	return event_is_closing(kind) ||
	       (log->count < EVENTS_PER_TURN_MAX - 1 && payload_bytes(log) <= EVENT_LOG_BYTES_MAX);
}

/* The event is encoded in place and removed again if it does not fit. */
void stream_append(struct stream_log *log, const struct event *event)
{
	struct event timed = *event;
	struct entry entry = {.at_ms = event->at_ms,
			      .kind = event->kind,
			      .at = (uint32_t)log->bytes.n,
			      .text_at = (uint32_t)log->text.n};

	if (log->is_closed || (log->is_full && !event_is_closing(event->kind)))
		return;
	if (event->kind == EVENT_TEXT_DELTA) {
		buf_add(&log->text, event->u.text_delta.text.p, event->u.text_delta.text.n);
		timed.u.text_delta.text = (struct str){0};
	}
	if (event->kind != EVENT_TEXT_DELTA || event->u.text_delta.marked)
		event_encode(&log->bytes, &timed);
	if (!log_can_append(log, event->kind)) {
		buf_cut(&log->bytes, entry.at);
		buf_cut(&log->text, entry.text_at);
		log->is_full = true;
		return;
	}
	log->entries =
		mem_grow(log->entries, &log->capacity, log->count + 1, sizeof(*log->entries));
	log->entries[log->count++] = entry;
	log->is_closed = event_is_closing(event->kind);
	hub_count(log);
	list_each(node, &log->watches)
		watch_wake(list_item(node, struct stream_watch, node));
}

static void on_emit(void *owner, const struct event *event)
{
	struct event timed = *event;

	timed.at_ms = clock_now_ms();
	stream_append(owner, &timed);
}

/* Releases spare capacity of a finished log. */
static void log_shrink(struct stream_log *log)
{
	if (!log->is_released || !list_empty(&log->watches))
		return;
	log->capacity = log->count;
	log->entries = mem_realloc(log->entries, log->capacity * sizeof(*log->entries));
	buf_shrink(&log->bytes);
	buf_shrink(&log->text);
}

void stream_release(struct stream_log **owned)
{
	struct stream_log *log = *owned;

	*owned = NULL;
	assert(log->is_closed && !log->is_released);
	log->is_released = true;
	deferred_cancel(&log->notify_owner);
	hub_count(log);
	log_shrink(log);
	hub_add_finished(log->hub, log);
	log_unref(log);
}

void stream_abandon(struct stream_log **owned)
{
	struct stream_log *log = *owned;

	*owned = NULL;
	assert(!log->is_released);
	log->is_released = true;
	deferred_cancel(&log->notify_owner);
	hub_count(log);
	hub_remove(log->hub, log);
	log_unref(log);
}

void log_unref(struct stream_log *log)
{
	assert(log->refs > 0);
	if (--log->refs > 0)
		return;
	principal_free(&log->who);
	mem_free(log->entries);
	buf_deinit(&log->bytes);
	buf_deinit(&log->text);
	mem_free(log);
}

static void on_notify_owner(void *owner)
{
	struct stream_log *log = owner;

	if (log->on_watchers)
		log->on_watchers(log->owner, stream_watchers(log));
}

static void report_watchers(struct stream_log *log)
{
	if (log->on_watchers && !log->is_released)
		loop_defer(hub_loop(log->hub), &log->notify_owner, on_notify_owner, log);
}

void stream_set_remote_watchers(struct stream_log *log, size_t watchers)
{
	if (log->remote_watcher_count == watchers)
		return;
	log->remote_watcher_count = watchers;
	report_watchers(log);
}

struct stream_watch *stream_watch_quiet(struct stream_log *log, uint64_t last_seq,
					void (*wake)(void *owner), void *owner)
{
	struct stream_watch *w = mem_alloc(sizeof(*w));

	assert(last_seq <= log->count);
	w->log = log;
	w->is_quiet = true;
	w->last_seq = last_seq;
	w->on_new_events = wake;
	w->owner = owner;
	log->refs++;
	list_append(&log->watches, &w->node);
	watch_wake(w);
	return w;
}

struct stream_watch *stream_watch_new(struct stream_log *log, uint64_t last_seq,
				      void (*wake)(void *owner), void *owner)
{
	struct stream_watch *w = stream_watch_quiet(log, last_seq, wake, owner);

	w->is_quiet = false;
	log->watcher_count++;
	report_watchers(log);
	return w;
}

void stream_event(const struct stream_log *log, uint64_t seq, struct event *out)
{
	const struct entry *entry = &log->entries[seq - 1];
	bool last = seq == log->count;
	size_t end = last ? log->bytes.n : entry[1].at;
	size_t text_end = last ? log->text.n : entry[1].text_at;
	bool decoded = true;

	assert(seq >= 1 && seq <= log->count);
	*out = (struct event){.kind = entry->kind, .at_ms = entry->at_ms};
	if (end > entry->at)
		decoded = event_decode(log->bytes.p + entry->at, end - entry->at, out, NULL);
	assert(decoded); /* on_emit wrote these bytes */
	(void)decoded;
	if (entry->kind == EVENT_TEXT_DELTA)
		out->u.text_delta.text =
			(struct str){log->text.p + entry->text_at, text_end - entry->text_at};
}

const struct stream_entry *stream_read(struct stream_watch *w)
{
	if (w->last_seq == w->log->count)
		return NULL;
	stream_event(w->log, ++w->last_seq, &w->event);
	w->current = (struct stream_entry){w->last_seq, &w->event};
	return &w->current;
}

enum event_kind stream_kind(const struct stream_log *log, uint64_t seq)
{
	assert(seq >= 1 && seq <= log->count);
	return log->entries[seq - 1].kind;
}

void stream_unread(struct stream_watch *w)
{
	assert(w->last_seq > 0);
	w->last_seq--;
}

bool stream_watch_is_at_end(const struct stream_watch *w)
{
	return w->log->is_closed && w->last_seq == w->log->count;
}

struct stream_log *stream_watch_log(const struct stream_watch *w)
{
	return w->log;
}

void stream_watch_free(struct stream_watch **watch)
{
	struct stream_watch *w = *watch;

	if (!w)
		return;
	*watch = NULL;
	deferred_cancel(&w->wake);
	list_remove(&w->node);
	if (!w->is_quiet) {
		w->log->watcher_count--;
		report_watchers(w->log);
	}
	log_shrink(w->log);
	log_unref(w->log);
	mem_free(w);
}
