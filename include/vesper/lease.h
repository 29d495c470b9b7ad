/*
 * Leases: the right to run a session's turn or a tenant's load, and signals to the holder. Each
 * lease has a fencing token greater than all earlier ones, so that writes of a former holder can
 * be rejected.
 *
 * A driver stores the leases: lease_memory.h for one process; another driver shares them between
 * replicas. Callbacks run from the loop, never from inside the call. A cancelled operation runs no
 * callback, and a lease that it acquired is released. Loop thread only.
 */
#ifndef VESPER_LEASE_H
#define VESPER_LEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/str.h"
#include "vesper/uuid.h"

struct op;
struct principal;

#define LEASE_REPLICA_BYTES 64

enum lease_kind {
	LEASE_ACQUIRED, /* acquired: the holder runs it from now on */
	LEASE_REPEATED, /* the same request acquired a lease before, for `holder` */
	LEASE_HELD,     /* held by `holder` */
	LEASE_UNKNOWN,  /* no reply in time (the store decides), or no holder */
};

struct lease {
	enum lease_kind kind;
	char holder[UUID_BYTES];           /* turn ID, or the version of a load */
	char replica[LEASE_REPLICA_BYTES]; /* replica that runs it; "": this one */
	uint64_t fence;                    /* fencing token; of LEASE_ACQUIRED only */
};

/* Borrowed during the call. */
struct lease_request {
	const char *tenant;
	const char *name; /* a user's session, or "load" */
	const char *holder;
	const char *once; /* request ID: LEASE_REPEATED if it acquired a lease before; NULL: none */
	bool ignore_once; /* the lease acquired under `once` no longer exists: do not return
			     LEASE_REPEATED */
	/* Data for a takeover: names and values in turn, ended by NULL; NULL: none. */
	const struct str *members;
};

/* Signals between replicas. */
enum lease_signal_kind {
	SIGNAL_CANCEL,    /* cancel the holder (NULL: all of the user's) with `reason` */
	SIGNAL_WATCHERS,  /* number of watchers of the holder on `replica` */
	SIGNAL_TAKE_OVER, /* its replica is dead: continue the holder here, or close it */
	SIGNAL_LOST,      /* another replica runs the holder: stop it, store nothing */
	SIGNAL_EVICT,     /* drop the logs of the session (NULL: of all the user's sessions) */
};

struct lease_signal {
	enum lease_signal_kind kind;
	const char *tenant, *user;
	const char *holder, *session, *replica;
	int reason;
	size_t watchers;
	bool followed; /* LOST: the log continues from the other replica */
	/* of TAKE_OVER */
	uint64_t fence;
	struct str takeover_data; /* the lease's member "turn"; empty: unreadable */
	const struct principal *who;
};

typedef void (*lease_cb)(void *owner, const struct lease *lease);
typedef void (*lease_found_cb)(void *owner, bool found);
typedef void (*lease_signal_cb)(void *owner, const struct lease_signal *signal);

struct lease_driver {
	const char *name;
	bool shared; /* shared by replicas: `members` are stored */
	struct op *(*acquire)(void *self, const struct lease_request *r, lease_cb cb, void *owner);
	/* Looks up the holder: LEASE_HELD or LEASE_UNKNOWN. */
	struct op *(*find)(void *self, const char *tenant, const char *name, lease_cb cb,
			   void *owner);
	/* Reports that the holder is alive. Renews its lease, unless that was done recently.
	 * `member` and `value` give what changed ("phase"); a driver may ignore them. */
	void (*note)(void *self, const char *holder, const char *member, struct str value);
	/* Releases the holder's lease, if it has one. */
	void (*release)(void *self, const char *holder);
	/* Receives signals from other replicas until the driver is closed. */
	void (*listen)(void *self, lease_signal_cb cb, void *owner);
	/* `found`: the signal was sent to the holder's replica; false for signals to all replicas.
	 * Without a callback it returns NULL. */
	struct op *(*signal)(void *self, const struct lease_signal *s, lease_found_cb cb,
			     void *owner);
	/* This replica cannot run a holder that it got by TAKE_OVER: another replica that has not
	 * declined gets it. If all have declined, its watchers get an error. NULL: a single
	 * replica. */
	void (*decline)(void *self, const char *holder);
	/* This replica stops: other replicas take over its holders, and its leases are lost at
	 * once. NULL: a single replica. */
	void (*hand_over)(void *self);
	void (*close)(void *self);
};

struct leases {
	const struct lease_driver *driver;
	void *self;
	const char *replica; /* this replica's name; NULL: a single replica */
};

#endif
