/*
 * The event log of each turn: events are numbered without gaps from 1. A log is bounded, and kept
 * for EVENT_LOG_TTL_MS after the end, unless it is evicted earlier. Clients see a projection of it
 * (wire.h), which numbers its items separately.
 *
 * Readers pull: stream_watch calls `wake` from the loop when there are new events, and the reader
 * gets entries at its own pace with stream_read. So a slow reader does not delay others. Loop
 * thread only.
 */
#ifndef VESPER_STREAM_H
#define VESPER_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/event.h"
#include "vesper/loop.h"
#include "vesper/principal.h"
#include "vesper/op.h"
#include "vesper/str.h"
#include "vesper/stream_driver.h"

struct stream_hub;
struct stream_log;
struct stream_watch;

struct stream_hub *stream_hub_new(struct loop *l);
/* No stream_find may be running. */
void stream_hub_free(struct stream_hub **h);
/* Sets the driver for other replicas' logs; borrowed. Without one, there is a single replica. */
void stream_hub_set_driver(struct stream_hub *h, const struct stream_driver *driver, void *self);

/* Total bytes in the logs of running turns. */
size_t stream_live_bytes(const struct stream_hub *h);

struct stream_entry {
	uint64_t seq; /* of the event: 1, 2, … */
	const struct event *event;
};

/* Opens the event log of a new turn of this user. `on_watchers(owner, n)` is called from the loop
 * when the number of watchers changes while the turn is running (0: none); or NULL. */
struct stream_log *stream_open(struct stream_hub *h, const char *turn_id, const char *session_id,
			       const struct principal *who,
			       void (*on_watchers)(void *owner, size_t watchers), void *owner);
const char *stream_turn_id(const struct stream_log *log);
const char *stream_session_id(const struct stream_log *log);
/* All text of the answer so far, terminated. Borrowed from the log until more is added. */
struct str stream_text(const struct stream_log *log);
/* The kind of the event with this number, which must exist. */
enum event_kind stream_kind(const struct stream_log *log, uint64_t seq);

/* Decodes the event with this number; its texts are borrowed from the log until more is added. */
void stream_event(const struct stream_log *log, uint64_t seq, struct event *out);
/* The sink the turn writes to. After a closing event, or above the log's limits, further events are
 * dropped (the limits leave room for the closing event). */
const struct event_sink *stream_sink(struct stream_log *log);
bool stream_is_full(const struct stream_log *log);
bool stream_is_closed(const struct stream_log *log); /* a closing event was added */
uint64_t stream_last_seq(const struct stream_log *log);
/* Number of the first event with which another replica continues the turn; 0: none. */
uint64_t stream_takeover_seq(const struct stream_log *log);
size_t stream_watchers(const struct stream_log *log);

/* Releases a closed log: the hub keeps it for EVENT_LOG_TTL_MS. on_watchers is not called any
 * more. */
void stream_release(struct stream_log **log);

/* Drops the logs of this user's session (NULL: of all sessions); a running turn still writes its
 * log to the end. */
void stream_delete_logs(struct stream_hub *h, const char *session_id, const struct principal *who);

/* Returns true if the log belongs to this user and the user still has all permissions that the turn
 * ran with. */
bool stream_may_read(const struct stream_log *log, const struct principal *who);
/* The log of a turn in this process that this user may read; NULL: it is unknown or expired, or the
 * user may not read it. */
struct stream_log *stream_find_readable(struct stream_hub *h, const char *turn_id,
					const struct principal *who);
/* The log of a turn in this process, running or kept, without a permission check. NULL: none. */
struct stream_log *stream_find_local(const struct stream_hub *h, const char *turn_id);
/* Like stream_find_readable, but on any replica; the principal is borrowed until the callback.
 * `is_behind` returns true while another replica may have shown more than has arrived here;
 * stream_find waits for the rest, at most STREAM_BEHIND_MS. NULL: does not wait. */
struct op *stream_find(struct stream_hub *h, const char *turn_id, const struct principal *who,
		       bool (*is_behind)(void *owner, const struct stream_log *log),
		       stream_found_cb cb, void *owner);

/*
 * For drivers. A follower is the log of a turn that runs on another replica. It gets the events of
 * stream_append, and is released after a closing event or by stream_abandon.
 */
struct stream_log *stream_follow(struct stream_hub *h, const char *turn_id, const char *session_id,
				 const struct principal *who,
				 void (*on_watchers)(void *owner, size_t watchers), void *owner);
/* Adds an event; keeps its at_ms. */
void stream_append(struct stream_log *log, const struct event *event);
/* Releases a log that gets no more events. It can no longer be found; its watchers can read the
 * rest, but it never closes. */
void stream_abandon(struct stream_log **log);
/* Changes the owner of a running turn's log: after a takeover the turn writes to its follower,
 * after a handover its log becomes a follower. NULL: none. */
struct stream_log *stream_adopt(struct stream_hub *h, const char *turn_id, bool follows,
				void (*on_watchers)(void *owner, size_t watchers), void *owner);
/* The log of a turn running here, for any caller; NULL: none. */
struct stream_log *stream_running(const struct stream_hub *h, const char *turn_id);
/* Sets the number of watchers on other replicas; they count as watchers here. */
void stream_set_remote_watchers(struct stream_log *log, size_t watchers);
/* A watch that does not count as a watcher. */
struct stream_watch *stream_watch_quiet(struct stream_log *log, uint64_t last_seq,
					void (*wake)(void *owner), void *owner);

/* Watches the events after `last_seq` (0: from the start). `wake` may be called without new
 * events. */
struct stream_watch *stream_watch_new(struct stream_log *log, uint64_t last_seq,
				      void (*wake)(void *owner), void *owner);
/* The next entry; NULL: none yet. Valid until the next call and only within the same callback,
 * because the turn then continues. */
const struct stream_entry *stream_read(struct stream_watch *w);
/* Makes the next read return the last entry again. */
void stream_unread(struct stream_watch *w);
/* Returns true if everything was read and the log is closed. */
bool stream_watch_is_at_end(const struct stream_watch *w);
struct stream_log *stream_watch_log(const struct stream_watch *w);
void stream_watch_free(struct stream_watch **w);

#endif
