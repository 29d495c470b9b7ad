/* What the files of the stream share: a log's insides, and how the hub comes to know of its end. */
#ifndef VESPER_STREAM_INT_H
#define VESPER_STREAM_INT_H

#include "vesper/hashmap.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/shares.h"
#include "vesper/stream.h"
#include "vesper/uuid.h"

/* Where an event begins: bytes of event_encode, but for an unmarked piece of the answer; its text
 * lies in the log's text. The next entry's places are its ends. A word has one, so they are small.
 */
struct entry {
	int64_t at_ms;
	enum event_kind kind;
	uint32_t at, text_at;
};
_Static_assert(EVENT_LOG_BYTES_MAX < UINT32_MAX / 2, "places fit");

struct stream_log {
	struct hashmap_node by_id; /* in the hub, as the next: in neither once forgotten */
	struct list all;
	struct list kept;   /* in the hub's list of finished logs */
	struct share share; /* of its tenant, in the hub's room for them */
	int64_t kept_until_ms;
	struct stream_hub *hub;
	size_t holders; /* the hub, the turn, each watch */
	char turn_id[UUID_BYTES];
	char session_id[UUID_BYTES];
	struct principal *who;

	struct entry *entries;
	size_t count;
	size_t room;
	struct buf bytes; /* encoded events */
	struct buf text;  /* the answer so far */
	bool full;
	bool closed;
	bool follows; /* another replica writes it */
	struct event_sink sink;

	struct list watches;
	size_t watcher_count, watchers_elsewhere;
	struct later tell_owner;
	void (*on_watchers)(void *owner, size_t watchers);
	void *owner;
	bool released;
	size_t counted; /* bytes that the hub knows of, while it runs */
	bool unwanted;  /* its session was deleted: not kept */
};

/* What it holds of memory, but for its owner's name and permissions. */
size_t log_bytes(const struct stream_log *log);
/* The log has grown, or does not run any more. */
void hub_count(struct stream_log *log);
struct loop *hub_loop(const struct stream_hub *h);
void hub_add(struct stream_hub *h, struct stream_log *log);
void hub_forget(struct stream_hub *h, struct stream_log *log);
/* NULL: it has none of this turn. */
struct stream_log *hub_find(const struct stream_hub *h, const char *turn_id);
/* Tells the driver. */
void hub_opened(struct stream_hub *h, struct stream_log *log);
/* The log is finished: it is kept for a while, then forgotten. */
void hub_keep(struct stream_hub *h, struct stream_log *log);

void log_unref(struct stream_log *log);

#endif
