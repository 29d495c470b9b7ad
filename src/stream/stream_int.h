/* Internals shared by the files of the stream: the log's layout, and the hub's functions for logs
 * that open, grow and end. */
#ifndef VESPER_STREAM_INT_H
#define VESPER_STREAM_INT_H

#include "vesper/hashmap.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/shares.h"
#include "vesper/stream.h"
#include "vesper/uuid.h"

/* Offsets of an event: `at` into the bytes of event_encode, `text_at` into the log's text. An
 * unmarked text delta has no encoded bytes. The next entry's offsets end this one. Each word has an
 * entry, so entries are small. */
struct entry {
	int64_t at_ms;
	enum event_kind kind;
	uint32_t at, text_at;
};
_Static_assert(EVENT_LOG_BYTES_MAX < UINT32_MAX / 2, "offsets fit in 32 bits");

struct stream_log {
	struct hashmap_node by_id; /* in the hub; removed from both on eviction */
	struct list all;
	struct list finished; /* in the hub's list of finished logs */
	struct share share;   /* tenant's share of the hub's finished logs */
	int64_t expires_ms;
	struct stream_hub *hub;
	size_t refs; /* the hub, the turn, each watch */
	char turn_id[UUID_BYTES];
	char session_id[UUID_BYTES];
	struct principal *who;

	struct entry *entries;
	size_t count;
	size_t capacity;
	struct buf bytes; /* encoded events */
	struct buf text;  /* the answer so far */
	bool is_full;
	bool is_closed;
	bool is_follower; /* another replica writes it */
	struct event_sink sink;

	struct list watches;
	size_t watcher_count, remote_watcher_count;
	struct deferred notify_owner;
	void (*on_watchers)(void *owner, size_t watchers);
	void *owner;
	bool is_released;
	size_t counted_bytes; /* bytes already counted by the hub while the turn runs */
	bool session_deleted; /* its session was deleted: the log is removed at its end */
};

/* Memory used, without the owner's name and permissions. */
size_t log_bytes(const struct stream_log *log);
/* Updates the hub's count when the log has grown or ended. */
void hub_count(struct stream_log *log);
struct loop *hub_loop(const struct stream_hub *h);
void hub_add(struct stream_hub *h, struct stream_log *log);
void hub_remove(struct stream_hub *h, struct stream_log *log);
/* NULL when the hub has no log of this turn. */
struct stream_log *hub_find(const struct stream_hub *h, const char *turn_id);
/* Notifies the driver. */
void hub_opened(struct stream_hub *h, struct stream_log *log);
/* Adds a finished log, which stays until it expires. */
void hub_add_finished(struct stream_hub *h, struct stream_log *log);

void log_unref(struct stream_log *log);

#endif
