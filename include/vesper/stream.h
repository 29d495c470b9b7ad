/*
 * The event log of each turn: events are numbered without gaps from 1, bounded, and kept some
 * minutes after the end. What clients see is a projection of it (wire.h), which numbers its own
 * items.
 *
 * Readers pull: stream_watch calls `wake` from the loop when there is something new; the reader
 * takes entries at its own pace with stream_read, so a slow reader costs nobody anything.
 * Loop-thread only.
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
/* No stream_find may run any more. */
void stream_hub_free(struct stream_hub **h);
/* Where other replicas' logs are; borrowed. Without it this process is alone. */
void stream_hub_drive(struct stream_hub *h, const struct stream_driver *driver, void *self);

/* What the logs of running turns hold, in all. */
size_t stream_live_bytes(const struct stream_hub *h);

struct stream_entry {
	uint64_t seq; /* of the event: 1, 2, … */
	const struct event *event;
};

/* A log for a new turn of this user. `on_watchers(owner, n)` is called from the loop when the
 * number of watchers changes while the turn runs (0: no watcher); NULL to not care. */
struct stream_log *stream_open(struct stream_hub *h, const char *turn_id, const char *session_id,
			       const struct principal *who,
			       void (*on_watchers)(void *owner, size_t watchers), void *owner);
const char *stream_turn_id(const struct stream_log *log);
const char *stream_session_id(const struct stream_log *log);
/* All text of the answer so far, terminated: the log's own bytes, valid until more is added. */
struct str stream_text(const struct stream_log *log);
/* The kind of the event with this number, which the log has reached. */
enum event_kind stream_kind(const struct stream_log *log, uint64_t seq);

/* That event itself; its texts are the log's own bytes, valid until more is added. */
void stream_event(const struct stream_log *log, uint64_t seq, struct event *out);
/* Where the turn writes to. After a closing event, or past the log's bounds, further events are
 * dropped (the bound leaves room for the closing one). */
const struct event_sink *stream_sink(struct stream_log *log);
bool stream_full(const struct stream_log *log);
bool stream_closed(const struct stream_log *log); /* a closing event is in */
uint64_t stream_last_seq(const struct stream_log *log);
/* The event with which another replica goes on with the turn, for the first time; 0: none does. */
uint64_t stream_moved_seq(const struct stream_log *log);
size_t stream_watchers(const struct stream_log *log);

/* The running turn's owner lets go of a closed log; it stays for EVENT_LOG_KEPT_MS. on_watchers is
 * not called any more. */
void stream_release(struct stream_log **log);

/* The logs of this user's session (NULL: of all of them) are not kept any more; a turn that still
 * runs writes its own to the end. */
void stream_forget(struct stream_hub *h, const char *session_id, const struct principal *who);

/* Whether the log belongs to this user, who still holds every permission that it ran with. */
bool stream_may_read(const struct stream_log *log, const struct principal *who);
/* The log of a turn of this process that this user may read; NULL when unknown, foreign or expired.
 */
struct stream_log *stream_local(struct stream_hub *h, const char *turn_id,
				const struct principal *who);
/* The log of a turn in this process, running or kept, without a check of permissions. NULL: there
 * is none. */
struct stream_log *stream_here(const struct stream_hub *h, const char *turn_id);
/* The same wherever the turn runs or ran; the principal is borrowed until the answer. `is_behind`:
 * another replica may have shown more than has come here: as long as it says so, and no longer than
 * STREAM_BEHIND_MS, that is waited for. NULL: whatever there is will do. */
struct op *stream_find(struct stream_hub *h, const char *turn_id, const struct principal *who,
		       bool (*is_behind)(void *owner, const struct stream_log *log),
		       stream_found_cb cb, void *owner);

/*
 * For drivers. A follower is the log of a turn that runs elsewhere: it holds what stream_put adds,
 * and is released when a closing event is in, or given up.
 */
struct stream_log *stream_follow(struct stream_hub *h, const char *turn_id, const char *session_id,
				 const struct principal *who,
				 void (*on_watchers)(void *owner, size_t watchers), void *owner);
/* With the event's own time. */
void stream_put(struct stream_log *log, const struct event *event);
/* Nothing more comes: the log is not found any more. Who watches it has seen all of it. */
void stream_give_up(struct stream_log **log);
/* The log of a turn that runs has another owner from here on: a turn that is taken over writes its
 * follower, one that is handed over has its log follow. NULL: there is none. */
struct stream_log *stream_adopt(struct stream_hub *h, const char *turn_id, bool follows,
				void (*on_watchers)(void *owner, size_t watchers), void *owner);
/* The log of a turn that still runs here, whoever asks; NULL: there is none. */
struct stream_log *stream_running(const struct stream_hub *h, const char *turn_id);
/* So many watch the log on other replicas; they count as watchers. */
void stream_watched_elsewhere(struct stream_log *log, size_t watchers);
/* One that does not count as a watcher. */
struct stream_watch *stream_watch_quiet(struct stream_log *log, uint64_t last_seq,
					void (*wake)(void *owner), void *owner);

/* Watches from after `last_seq` on (0: from the start). `wake` may come when nothing is new. */
struct stream_watch *stream_watch_new(struct stream_log *log, uint64_t last_seq,
				      void (*wake)(void *owner), void *owner);
/* The next entry, or NULL when there is none yet. Valid until the next call and until the turn goes
 * on, so it is used within the same callback. */
const struct stream_entry *stream_read(struct stream_watch *w);
/* The entry that was read last will be read again. */
void stream_unread(struct stream_watch *w);
/* Everything was read and the log is closed. */
bool stream_ended(const struct stream_watch *w);
struct stream_log *stream_watch_log(const struct stream_watch *w);
void stream_watch_free(struct stream_watch **w);

#endif
