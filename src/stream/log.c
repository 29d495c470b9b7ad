/*
 * One turn's events, written once and read by anybody at any pace. Each body is serialized when it
 * is written, so that ten readers cost one serialization and the bound counts the bytes that really
 * go out.
 */
#include "stream_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

struct stream_watch {
	struct list node;
	struct stream_log *log;
	uint64_t last_seq;
	struct stream_entry current;
	json_t *parsed; /* the current entry's body, when the log has let go of it */
	struct later wake;
	void (*on_news)(void *owner);
	void *owner;
};

static void on_emit(void *owner, const struct event *event);

struct stream_log *stream_open(struct stream_hub *h, const char *turn_id, const char *session_id,
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
	list_init(&log->watches);
	log->on_watchers = on_watchers;
	log->owner = owner;
	log->holders = 2; /* the hub and the turn */
	hub_add(h, log);
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

bool stream_full(const struct stream_log *log)
{
	return log->full;
}

bool stream_closed(const struct stream_log *log)
{
	return log->closed;
}

uint64_t stream_last_seq(const struct stream_log *log)
{
	return log->count;
}

size_t stream_watchers(const struct stream_log *log)
{
	return log->watcher_count;
}

static void on_wake(void *owner)
{
	struct stream_watch *w = owner;

	w->on_news(w->owner);
}

/* What is said in one chain of steps leaves together. */
static void watch_wake(struct stream_watch *w)
{
	loop_last(hub_loop(w->log->hub), &w->wake, on_wake, w);
}

static void log_add_bytes(struct stream_log *log, const char *text, size_t len)
{
	if (len == 0)
		return;
	log->bytes = mem_grow(log->bytes, &log->byte_room, log->byte_count + len, 1);
	memcpy(log->bytes + log->byte_count, text, len);
	log->byte_count += len;
}

/* The closing event always finds room; what was dropped before it leaves no gap because all that
 * follows is dropped too. */
static bool log_has_room(struct stream_log *log, enum event_kind kind, size_t bytes)
{
	if (log->closed)
		return false;
	if (event_is_closing(kind))
		return true;
	if (log->count >= EVENTS_PER_TURN_MAX - 1 || log->byte_count + bytes > EVENT_LOG_BYTES_MAX)
		log->full = true;
	return !log->full;
}

static void on_emit(void *owner, const struct event *event)
{
	struct stream_log *log = owner;
	struct buf json;
	struct entry *entry;

	buf_init(&json, SIZE_MAX / 2);
	if (event->body)
		buf_json(&json, event->body);
	if (log_has_room(log, event->kind, event->text_len + json.n)) {
		log->entries = mem_grow(log->entries, &log->room, log->count + 1, sizeof(*entry));
		entry = &log->entries[log->count++];
		*entry = (struct entry){.at_ms = clock_now_ms(),
					.kind = event->kind,
					.at = log->byte_count,
					.text_len = event->text_len,
					.json_len = json.n,
					.body = json_incref(event->body)};
		log_add_bytes(log, event->text, event->text_len);
		log_add_bytes(log, json.p, json.n);
		log->closed = event_is_closing(event->kind);
		list_each(node, &log->watches)
			watch_wake(list_item(node, struct stream_watch, node));
	}
	buf_deinit(&json);
}

/* A kept log is only bytes: parsed bodies take several times as much, and few finished turns are
 * ever read again. Whoever is still reading finds them. */
static void log_shrink(struct stream_log *log)
{
	if (!log->released || !list_empty(&log->watches))
		return;
	for (size_t i = 0; i < log->count; i++) {
		json_decref(log->entries[i].body);
		log->entries[i].body = NULL;
	}
	log->room = log->count;
	log->entries = mem_realloc(log->entries, log->room * sizeof(*log->entries));
	log->byte_room = log->byte_count;
	log->bytes = mem_realloc(log->bytes, log->byte_room);
}

void stream_release(struct stream_log **owned)
{
	struct stream_log *log = *owned;

	*owned = NULL;
	assert(log->closed && !log->released);
	log->released = true;
	later_cancel(&log->tell_owner);
	log_shrink(log);
	hub_keep(log->hub, log);
	log_unref(log);
}

void log_unref(struct stream_log *log)
{
	assert(log->holders > 0);
	if (--log->holders > 0)
		return;
	for (size_t i = 0; i < log->count; i++)
		json_decref(log->entries[i].body);
	principal_free(&log->who);
	mem_free(log->entries);
	mem_free(log->bytes);
	mem_free(log);
}

static void on_tell_owner(void *owner)
{
	struct stream_log *log = owner;

	log->on_watchers(log->owner, log->watcher_count);
}

static void log_count_watchers(struct stream_log *log, size_t count)
{
	log->watcher_count = count;
	if (log->on_watchers && !log->released)
		loop_later(hub_loop(log->hub), &log->tell_owner, on_tell_owner, log);
}

struct stream_watch *stream_watch_new(struct stream_log *log, uint64_t last_seq,
				      void (*wake)(void *owner), void *owner)
{
	struct stream_watch *w = mem_alloc(sizeof(*w));

	assert(last_seq <= log->count);
	w->log = log;
	w->last_seq = last_seq;
	w->on_news = wake;
	w->owner = owner;
	log->holders++;
	list_append(&log->watches, &w->node);
	log_count_watchers(log, log->watcher_count + 1);
	watch_wake(w);
	return w;
}

/* Parsed again from the bytes that on_emit wrote. The parser may still refuse them: it is stricter
 * than the writer (doubled members, depth). */
static json_t *body_again(const struct stream_log *log, const char *json, size_t len)
{
	json_t *body = NULL;
	struct err e;

	if (len > 0 && !json_parse(json, len, len, &body, &e))
		log_error("stream.unreadable", "turn %s: %s", log->turn_id, e.text);
	return body;
}

const struct stream_entry *stream_read(struct stream_watch *w)
{
	const struct stream_log *log = w->log;
	const struct entry *entry;
	const char *text;

	json_decref(w->parsed);
	w->parsed = NULL;
	if (w->last_seq == log->count)
		return NULL;
	entry = &log->entries[w->last_seq++];
	text = log->bytes + entry->at;
	if (!entry->body)
		w->parsed = body_again(log, text + entry->text_len, entry->json_len);
	w->current = (struct stream_entry){.seq = w->last_seq,
					   .at_ms = entry->at_ms,
					   .kind = entry->kind,
					   .text = text,
					   .text_len = entry->text_len,
					   .body = entry->body ? entry->body : w->parsed,
					   .json = text + entry->text_len,
					   .json_len = entry->json_len};
	return &w->current;
}

void stream_unread(struct stream_watch *w)
{
	assert(w->last_seq > 0);
	w->last_seq--;
}

void stream_words(const struct stream_log *log, struct buf *out)
{
	for (size_t i = 0; i < log->count; i++)
		if (log->entries[i].kind == EVENT_TOKEN)
			buf_add(out, log->bytes + log->entries[i].at, log->entries[i].text_len);
}

bool stream_ended(const struct stream_watch *w)
{
	return w->log->closed && w->last_seq == w->log->count;
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
	later_cancel(&w->wake);
	json_decref(w->parsed);
	list_remove(&w->node);
	log_count_watchers(w->log, w->log->watcher_count - 1);
	log_shrink(w->log);
	log_unref(w->log);
	mem_free(w);
}
