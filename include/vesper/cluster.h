/*
 * Several replicas that share running work through a Redis: which replica runs the turn of a
 * session (lease.h), the events of each turn for readers on other replicas (stream_driver.h),
 * signals between replicas, and takeover of a dead replica's turns.
 *
 * Redis alone never decides: a turn runs without it, and the store rejects the answer of a replica
 * with an older fencing token. Data in Redis is sealed, so data written by others is not trusted.
 * Loop thread only.
 */
#ifndef VESPER_CLUSTER_H
#define VESPER_CLUSTER_H

#include "vesper/err.h"
#include "vesper/lease.h"
#include "vesper/loop.h"
#include "vesper/stream.h"

/* Borrowed for the call, except the hub, which must outlive the leases. */
struct cluster_options {
	struct loop *loop;
	struct stream_hub *hub;
	const char *url; /* of the Redis */
	int64_t timeout_ms;
	const char *secret;  /* the same on all replicas, not empty */
	const char *replica; /* its name; a boot ID is added to distinguish equal names */
	int64_t lease_ms;    /* a replica silent for this long loses its turns to a takeover */
};

/* Drives the hub from now on; closed with the leases' driver. ERR_INPUT: the URL or the name is
 * invalid. */
MUST_CHECK bool cluster_open(const struct cluster_options *o, struct leases *out, struct err *e);

#endif
