/* Leases of one process, kept in its memory. There is no takeover and no other listener. */
#ifndef VESPER_LEASE_MEMORY_H
#define VESPER_LEASE_MEMORY_H

#include "vesper/lease.h"
#include "vesper/loop.h"

/* `once_kept_ms`: how long after its lease a request is known again. Close it by its driver, when
 * no operation runs any more. */
struct leases lease_memory_new(struct loop *l, int64_t once_kept_ms);

#endif
