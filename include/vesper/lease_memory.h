/* Leases of one process, in its memory. There are no takeovers and no signals to other replicas. */
#ifndef VESPER_LEASE_MEMORY_H
#define VESPER_LEASE_MEMORY_H

#include "vesper/lease.h"
#include "vesper/loop.h"

/* `once_ttl_ms`: how long a request ID is remembered after its lease was acquired. Close through
 * the driver, when no operation is running. */
struct leases lease_memory_new(struct loop *l, int64_t once_ttl_ms);

#endif
