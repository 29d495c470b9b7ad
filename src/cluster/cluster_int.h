/* Internals shared by the files of the cluster: links, turns of this replica, and followed logs. */
#ifndef VESPER_CLUSTER_INT_H
#define VESPER_CLUSTER_INT_H

#include "vesper/arena.h"
#include "vesper/cluster.h"
#include "vesper/hashmap.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/redis.h"
#include "vesper/seal.h"
#include "vesper/uuid.h"

#define CLUSTER_KEY_BYTES 256
#define CLUSTER_ALIVE     "vesper:{r}:alive"

struct cluster {
	struct loop *loop;
	struct stream_hub *hub;
	struct arena *arena;
	struct redis_address place;
	struct redis_link *ask_link;   /* commands whose reply a caller waits for */
	struct redis_link *write_link; /* commands without a waiting caller */
	struct redis_link *read_link;  /* blocking XREAD */
	uint8_t secret[SEAL_KEY_BYTES];
	char replica[LEASE_REPLICA_BYTES];
	char inbox[CLUSTER_KEY_BYTES];
	char turns[CLUSTER_KEY_BYTES]; /* key of the set of turns that run here */
	int64_t lease_ms;
	struct timer *heartbeat_timer, *flush_timer;
	struct {
		int64_t answered_ms;        /* time of the last reply */
		int64_t connected_since_ms; /* since when no reply was missed */
		int surplus; /* consecutive replies with turns that do not run here */
		bool is_pending;
	} heartbeat;
	bool is_reading;       /* an XREAD is under way */
	int64_t read_ms;       /* time of the last reply to XREAD, or of the start */
	bool is_handing_over;  /* turns are being handed over */
	bool is_handover_sent; /* the other replicas were notified */
	bool is_closing;
	char inbox_id[48]; /* last signal that was read */
	lease_signal_cb on_signal;
	void *signal_owner;
	struct hashmap local_turns; /* struct local_turn, by holder */
	struct hashmap follows;     /* struct follow, by turn */
	struct list follow_list;
	struct list takeover_retries; /* takeovers to retry */
	size_t takeover_count;        /* takeovers under way, with those to retry */
	int64_t declined_ms;          /* when a turn was last passed on to others */
	size_t pending_count;         /* operations whose callback is pending */
};

/* A turn that runs here. */
struct local_turn {
	struct hashmap_node by_holder;
	struct cluster *cluster;
	char holder[UUID_BYTES];
	char tenant[128];
	char lease_key[CLUSTER_KEY_BYTES], once_key[CLUSTER_KEY_BYTES];
	struct buf members; /* sealed hash members: name, value, …, each with a length prefix */
	uint64_t fence;     /* 0: not registered on the server */
	bool may_be_registered; /* the reply to the registration may be lost */
	bool is_registering;    /* registration is under way */
	bool is_handed_over;    /* handed over: its log is followed from the other replica */
	bool is_released;       /* the turn has ended; its last events may still be unsent */
	int64_t renewed_ms, released_ms;
	struct stream_watch *watch;       /* log being published; NULL: no events yet */
	uint64_t acked;                   /* last event that the server has */
	uint64_t sent;                    /* last event that was sent */
	uint64_t acked_entry, sent_entry; /* first event of the newest acknowledged entry, and of
					     the newest sent one */
	bool is_sending;                  /* an entry is under way */
	bool has_new_events;
	int64_t flushed_ms;
	struct list viewers; /* struct viewer: viewers on other replicas */
};

/* ---- cluster_ask.c ---- */

/* First member of each operation's struct. */
struct cluster_request {
	struct op op;
	struct deferred deferred; /* reports that the command was not sent */
	struct cluster *cluster;
	bool is_sent, is_cancelled, has_caller;
	bool wants_late_reply; /* `answer` is called for a reply after a cancel, too */
	/* Returns false if another command was sent and its reply is pending. A NULL reply: none
	 * arrived. */
	bool (*answer)(struct cluster_request *q, const redisReply *reply);
	void (*clean)(struct cluster_request *q); /* or NULL */
};
/* Allocates a zeroed struct of `bytes` bytes. has_caller: a caller waits for it and may cancel it.
 */
void *cluster_request_new(struct cluster *c, size_t bytes, bool has_caller,
			  bool (*answer)(struct cluster_request *q, const redisReply *reply),
			  void (*clean)(struct cluster_request *q));
void cluster_request_send(struct cluster_request *q, int argc, const struct str *argv);
/* The text of a string reply; {NULL, 0} for other replies. */
struct str reply_text(const redisReply *reply);
/* Sends a command and ignores the reply. */
void cluster_send(struct cluster *c, int argc, const struct str *argv);
/* The same, but on the ask link, ahead of later requests of callers. */
void cluster_send_first(struct cluster *c, int argc, const struct str *argv);

/* ---- cluster_keys.c ---- */

/* Writes "vesper:<kind>:{tenant}:<name>". */
void cluster_key(char out[CLUSTER_KEY_BYTES], const char *kind, const char *tenant,
		 const char *name);
struct str number_text(uint64_t n, char out[24]);
MUST_CHECK bool number_read(struct str text, uint64_t *out);
/* Removes the next word from the text and returns it; "" at its end. */
struct str next_word(struct str *text);
/* Seals with a key that is derived for this purpose only. */
void cluster_seal(const struct cluster *c, struct buf *out, const char *purpose, struct str plain);
MUST_CHECK bool cluster_unseal(const struct cluster *c, struct buf *out, const char *purpose,
			       struct str sealed);

/* ---- cluster_lease.c ---- */
extern const struct lease_driver cluster_lease_driver;
struct local_turn *local_turn_find(const struct cluster *c, const char *holder);
struct local_turn *local_turn_new(struct cluster *c, const char *holder, const char *tenant);
void local_turn_free(struct local_turn *h);
/* Hands over all turns of this replica. */
void local_turns_hand_over(void *cluster);
/* Asks the other replicas to take over, once all local events are written. */
void local_turns_check_handed_over(struct cluster *c);
/* Deletes an ended turn that may be registered on the server. False: the link is unavailable. */
bool local_turn_unregister(struct local_turn *h);
/* Removes the turn from this replica's set. */
void local_turn_unlist(struct local_turn *h);
/* Registers a turn that is not registered on the server. */
void local_turn_register(struct local_turn *h);
/* Another replica owns the turn: gives it up here. */
void local_turn_give_up(struct local_turn *h);
/* Unseals a member of a turn's hash: "" if it is missing or sealed with another secret. */
void member_open(const struct cluster *c, const char *turn_id, const char *name,
		 const redisReply *sealed, struct buf *out);

/* ---- cluster_publish.c ---- */
extern const struct stream_driver cluster_stream_driver;
void publish_from(struct local_turn *h, struct stream_log *log, uint64_t acked);
void publish_stop(struct local_turn *h);
bool publish_is_complete(const struct local_turn *h);
void publish_watchers(struct local_turn *h, const char *replica, size_t watchers);
/* May free it, if the turn is over and all events are sent. */
void publish_tick(struct local_turn *h, int64_t now_ms);
void on_publish_timer(void *cluster);

/* ---- cluster_load.c ---- */

/* A turn's data on the server. */
struct loaded_turn {
	const char *turn_id;
	const char *replica;
	struct principal *who;
	const char *session_id;
	const char *lease_key;
	struct str takeover_data;
	bool is_over;
};
/* Loads a turn into the hub: a new follower, or an existing log brought up to date. `log` NULL:
 * not found; `turn` NULL: the server did not reply. */
typedef void (*load_cb)(void *owner, const struct loaded_turn *turn, struct stream_log *log);
/* `reader`: succeeds only if this principal may read the turn; NULL: for a takeover. */
struct op *cluster_load(struct cluster *c, const char *tenant, const char *turn_id,
			const struct principal *reader, load_cb cb, void *owner);
struct op *cluster_find(void *self, const char *turn_id, const struct principal *who,
			stream_found_cb cb, void *owner);
/* Adds the events of an entry. False: they do not continue the log, or the seal is invalid. */
MUST_CHECK bool cluster_add_entry(const struct cluster *c, const char *turn_id,
				  struct stream_log *log, const redisReply *entry);

/* ---- cluster_follow.c ---- */
struct follow;
struct follow *follow_of(const struct cluster *c, const char *turn_id);
/* Creates the log of a turn on another replica; later entries are read from now on. */
struct follow *follow_new(struct cluster *c, const struct loaded_turn *l, const char *tenant);
struct stream_log *follow_log(const struct follow *f);
/* Follows a turn that another replica took from this one, from the entry that begins with
 * `entry`. */
void follow_taken_over(struct local_turn *h);
/* Stops following; another owner has the log. */
void follow_end(struct follow *f);
/* Returns the log and reads on from this entry ID, unless the turn has ended: then the hub keeps
 * the log. */
struct stream_log *follow_read_after(struct follow *f, const char *entry_id);
void follow_drop(struct follow *f); /* and its log */
void follow_drop_all(struct cluster *c);
void follow_tick(struct cluster *c, int64_t now_ms);
void cluster_read(struct cluster *c);

/* ---- cluster_signal.c ---- */
struct op *cluster_signal(void *self, const struct lease_signal *s, lease_found_cb cb, void *owner);
void cluster_handle_signal(struct cluster *c, struct str json);
/* Signals this replica, to interrupt XREAD. */
void cluster_interrupt_read(struct cluster *c);

/* ---- cluster_decline.c ---- */
void cluster_decline(void *cluster, const char *holder);
/* Returns true while other replicas may still take over the turns that this one declined. */
bool decline_is_pending(const struct cluster *c, struct str silent);

/* ---- cluster.c ---- */
void cluster_close(void *self);

#endif
