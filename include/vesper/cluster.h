/*
 * Several replicas that share what is in flight through a Redis: who runs the turn of a session
 * (lease.h), the events of each turn for those who watch it elsewhere (stream_driver.h), what
 * replicas tell each other, and who takes over the turns of one that has ended.
 *
 * Redis is never alone in deciding: a turn runs without it, and the store refuses the answer of a
 * replica whose fence is older. Texts lie there sealed, so what others write is not believed. Loop
 * thread only.
 */
#ifndef VESPER_CLUSTER_H
#define VESPER_CLUSTER_H

#include "vesper/err.h"
#include "vesper/lease.h"
#include "vesper/loop.h"
#include "vesper/stream.h"

/* Borrowed for the call, but for the hub, which must outlive the leases. */
struct cluster_options {
	struct loop *loop;
	struct stream_hub *hub;
	const char *url; /* of the Redis */
	int64_t timeout_ms;
	const char *secret;  /* the same on all replicas, not empty */
	const char *replica; /* its name; a boot id is added, so that two of one name are two */
	int64_t lease_ms;    /* silent for that long: its turns are taken over */
};

/* Drives the hub from now on; closed as the leases' driver is. ERR_INPUT: the address or the name
 * cannot be right. */
MUST_CHECK bool cluster_open(const struct cluster_options *o, struct leases *out, struct err *e);

#endif
