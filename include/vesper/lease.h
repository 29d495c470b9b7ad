/*
 * Leases: who runs the turn of a session, or the load of a tenant, and what it is told meanwhile.
 * Each lease has a fencing token that is greater than every one before it, so that a former holder
 * can be refused by whatever it still writes to.
 *
 * A driver keeps the leases: lease_memory.h for one process; others share them between replicas.
 * Answers come from the loop, never from inside the call. A cancelled operation calls nobody back,
 * and what it acquired is released. Loop thread only.
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
	LEASE_OURS,    /* the holder runs it from now on */
	LEASE_AGAIN,   /* the same request was leased before, to this holder */
	LEASE_HELD,    /* this holder runs it */
	LEASE_UNKNOWN, /* no answer in time (the store decides), or no holder */
};

struct lease {
	enum lease_kind kind;
	char holder[UUID_BYTES];           /* turn id, or the version of a load */
	char replica[LEASE_REPLICA_BYTES]; /* where it runs; "": here */
	uint64_t fence;                    /* OURS */
};

/* Borrowed for the call. */
struct lease_request {
	const char *tenant;
	const char *name; /* what is leased: a session of a user, or "load" */
	const char *holder;
	const char *once; /* LEASE_AGAIN if it was leased under this before; NULL: none */
	bool anew;        /* what was leased under `once` is gone: not again */
	/* For a takeover: name and value in turn, ended by NULL; NULL: none. */
	const struct str *members;
};

/* What one replica tells another, or all of them. */
enum lease_signal_kind {
	SIGNAL_CANCEL,    /* stop the holder (NULL: all of the user's) for `reason` */
	SIGNAL_WATCHERS,  /* so many watch the holder on `replica` */
	SIGNAL_TAKE_OVER, /* its replica has ended: run the holder from here on, or close it */
	SIGNAL_LOST,      /* another replica runs the holder: give it up, store nothing */
	SIGNAL_EVICT,     /* keep no log of the session (NULL: of the user's) */
};

struct lease_signal {
	enum lease_signal_kind kind;
	const char *tenant, *user;
	const char *holder, *session, *replica;
	int reason;
	size_t watchers;
	bool followed; /* LOST: the log goes on as that of the other replica */
	/* TAKE_OVER */
	uint64_t fence;
	struct str taking; /* the member "turn" of the lease; empty: it cannot be read */
	const struct principal *who;
};

typedef void (*lease_cb)(void *owner, const struct lease *lease);
typedef void (*lease_found_cb)(void *owner, bool found);
typedef void (*lease_signal_cb)(void *owner, const struct lease_signal *signal);

struct lease_driver {
	const char *name;
	bool shared; /* other replicas see it: members are of use */
	struct op *(*acquire)(void *self, const struct lease_request *r, lease_cb cb, void *owner);
	/* LEASE_HELD or LEASE_UNKNOWN. */
	struct op *(*look)(void *self, const char *tenant, const char *name, lease_cb cb,
			   void *owner);
	/* The holder goes on: renews the lease where it is about to end. */
	void (*note)(void *self, const char *holder, const char *member, struct str value);
	/* One that holds nothing may be released too. */
	void (*release)(void *self, const char *holder);
	/* Signals from other replicas, until the driver is closed. */
	void (*listen)(void *self, lease_signal_cb cb, void *owner);
	/* `found`: there was a holder to tell. Without a callback there is no operation. */
	struct op *(*signal)(void *self, const struct lease_signal *s, lease_found_cb cb,
			     void *owner);
	/* What TAKE_OVER gave cannot run here: another one gets it that has not said so yet. Where
	 * all have, those who watch are told that it ends. NULL: there are no others. */
	void (*decline)(void *self, const char *holder);
	/* This replica ends: others are to go on with what it holds, which is lost to it from now
	 * on. NULL: there are no others. */
	void (*hand_over)(void *self);
	void (*close)(void *self);
};

struct leases {
	const struct lease_driver *driver;
	void *self;
	const char *replica; /* the name of this one among others; NULL: there are none */
};

#endif
