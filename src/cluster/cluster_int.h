/* What the files of the cluster share: its links, what is held here, and what is followed. */
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
	struct redis_place place;
	struct redis_link *ask;   /* somebody waits for what it says */
	struct redis_link *write; /* nobody does */
	struct redis_link *read;  /* waits at the server for news */
	uint8_t secret[SEAL_KEY_BYTES];
	char replica[LEASE_REPLICA_BYTES];
	char inbox[CLUSTER_KEY_BYTES];
	char turns[CLUSTER_KEY_BYTES]; /* the set of those that run here */
	int64_t lease_ms;
	struct timer *beat, *flush;
	struct {
		int64_t answered_ms; /* the last one */
		int64_t steady_ms;   /* since when none was missed */
		bool under_way;
	} beats;
	bool reading;    /* likewise a wait for news */
	int64_t read_ms; /* the last one that was answered, or the first that was not */
	bool leaving;    /* what runs here is handed over */
	bool left;       /* others know */
	bool closing;
	char inbox_id[48]; /* of the last signal that was read */
	lease_signal_cb on_signal;
	void *signal_owner;
	struct hashmap held;    /* struct held, by holder */
	struct hashmap follows; /* struct follow, by turn */
	struct list follow_list;
	struct list untaken; /* turns that could not be read yet */
	int64_t declined_ms; /* the last one that is for others */
	size_t asking;       /* operations that their starters still wait for */
};

/* A turn that runs here. */
struct held {
	struct hashmap_node by_holder;
	struct cluster *cluster;
	char holder[UUID_BYTES];
	char tenant[128];
	char lease_key[CLUSTER_KEY_BYTES], once_key[CLUSTER_KEY_BYTES];
	struct buf
		members; /* of the hash, sealed: name, value, …, each with its length before it */
	uint64_t fence;  /* 0: the server does not know of it */
	bool asked;      /* the server may know of it: its answer was lost */
	bool registering; /* it is being told */
	bool handed;      /* to others: its log is read on from there */
	bool released;    /* the turn is over: only what was said last is on its way */
	int64_t renewed_ms, released_ms;
	struct stream_watch *watch; /* what is published; NULL: nothing was said yet */
	uint64_t acked;             /* events that the server has */
	uint64_t sent;              /* the last one on its way */
	uint64_t entry, entry_sent; /* first event of the newest entry: acked, and on its way */
	bool flying;                /* an entry is on its way */
	bool dirty;
	int64_t flushed_ms;
	struct list viewers; /* struct viewer: on other replicas */
};

/* ---- cluster_ask.c ---- */

/* First member of an operation's own struct. */
struct question {
	struct op op;
	struct later later; /* when nothing could be sent */
	struct cluster *cluster;
	bool sent, cancelled, counted;
	bool late; /* a reply is looked at after a cancel, too */
	/* False: another command was sent, whose reply is waited for. NULL: there is no reply. */
	bool (*answer)(struct question *q, const redisReply *reply);
	void (*clean)(struct question *q); /* or NULL */
};
/* A zeroed struct of so many bytes. Counted: somebody waits for it and may cancel it. */
void *question_new(struct cluster *c, size_t bytes, bool counted,
		   bool (*answer)(struct question *q, const redisReply *reply),
		   void (*clean)(struct question *q));
void question_send(struct question *q, int argc, const struct str *argv);
/* A reply that is a text; {NULL, 0}: it is none. */
struct str reply_text(const redisReply *reply);
/* Nobody waits for the reply. */
void cluster_tell(struct cluster *c, int argc, const struct str *argv);
/* The same, before whatever is asked from now on. */
void cluster_tell_first(struct cluster *c, int argc, const struct str *argv);

/* ---- cluster_keys.c ---- */

/* vesper:<kind>:{tenant}:<name> */
void cluster_key(char out[CLUSTER_KEY_BYTES], const char *kind, const char *tenant,
		 const char *name);
struct str number_text(uint64_t n, char out[24]);
MUST_CHECK bool number_read(struct str text, uint64_t *out);
/* The next word of a text, which it is cut from; "" at its end. */
struct str next_word(struct str *text);
/* Sealed under a key of this purpose alone. */
void cluster_seal(const struct cluster *c, struct buf *out, const char *purpose, struct str plain);
MUST_CHECK bool cluster_unseal(const struct cluster *c, struct buf *out, const char *purpose,
			       struct str sealed);

/* ---- cluster_lease.c ---- */
extern const struct lease_driver cluster_lease_driver;
struct held *held_of(const struct cluster *c, const char *holder);
struct held *held_new(struct cluster *c, const char *holder, const char *tenant);
void held_free(struct held *h);
/* All of them. */
void held_hand_over(void *cluster);
/* Others are told to go on, once nothing is left to be written here. */
void held_check_left(struct cluster *c);
/* The server is told that a turn is over of which it may know. False: it cannot be told now. */
bool held_forget(struct held *h);
/* It runs here no more. */
void held_leave(struct held *h);
/* Tells the server of a turn that it does not know. */
void held_register(struct held *h);
/* Another replica has it: the turn is given up. */
void held_lost(struct held *h);
/* What is to be read of a turn's hash, unsealed: "" where it is missing or somebody else's. */
void member_open(const struct cluster *c, const char *turn_id, const char *name,
		 const redisReply *sealed, struct buf *out);

/* ---- cluster_publish.c ---- */
extern const struct stream_driver cluster_stream_driver;
void publish_from(struct held *h, struct stream_log *log, uint64_t acked);
void publish_stop(struct held *h);
bool publish_all_said(const struct held *h);
void publish_watchers(struct held *h, const char *replica, size_t watchers);
/* May free it: a turn that is over and has said all. */
void publish_tick(struct held *h, int64_t now_ms);
void on_publish_timer(void *cluster);

/* ---- cluster_load.c ---- */

/* What is known of a turn, and all that it has said. */
struct loaded {
	const char *turn_id;
	const char *replica;
	struct principal *who;
	const char *session_id;
	const char *lease_key;
	struct str taking;
	bool over;
};
/* Loads a turn into the hub: a follower, or what is there already brought up to date. `log` NULL:
 * there is none; `loaded` NULL: the server did not answer. */
typedef void (*load_cb)(void *owner, const struct loaded *loaded, struct stream_log *log);
/* `reader`: only if this one may read it; NULL: for a takeover. */
struct op *cluster_load(struct cluster *c, const char *tenant, const char *turn_id,
			const struct principal *reader, load_cb cb, void *owner);
struct op *cluster_find(void *self, const char *turn_id, const struct principal *who,
			stream_found_cb cb, void *owner);
/* Adds the events of an entry; false: they do not follow what is there, or nobody of ours wrote
 * them. */
MUST_CHECK bool cluster_add_entry(const struct cluster *c, const char *turn_id,
				  struct stream_log *log, const redisReply *entry);

/* ---- cluster_follow.c ---- */
struct follow;
struct follow *follow_of(const struct cluster *c, const char *turn_id);
/* The log of a turn elsewhere, which is read on after this entry from now on. */
struct follow *follow_new(struct cluster *c, const struct loaded *l, const char *tenant);
struct stream_log *follow_log(const struct follow *f);
/* A turn that ran here is another replica's: its log is read on after the entry that begins with
 * this event. */
void follow_held(struct held *h);
/* Its log is another's from now on. */
void follow_end(struct follow *f);
/* Gives its log, which is read on from this entry id, unless it has ended: then the hub keeps it.
 */
struct stream_log *follow_read_after(struct follow *f, const char *entry_id);
void follow_drop(struct follow *f); /* with its log */
void follow_drop_all(struct cluster *c);
void follow_tick(struct cluster *c, int64_t now_ms);
void cluster_read(struct cluster *c);

/* ---- cluster_signal.c ---- */
struct op *cluster_signal(void *self, const struct lease_signal *s, lease_found_cb cb, void *owner);
void cluster_hear(struct cluster *c, struct str json);
/* To this replica: it has something to read. */
void cluster_wake(struct cluster *c);

/* ---- cluster_decline.c ---- */
void cluster_decline(void *cluster, const char *holder);
/* Others have had no time yet for what was declined here. */
bool decline_is_fresh(const struct cluster *c, struct str silent);

/* ---- cluster.c ---- */
void cluster_close(void *self);

#endif
