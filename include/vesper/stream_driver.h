/*
 * Access to the logs of other replicas, and publishing of this replica's logs. Without a driver a
 * hub has only its own logs. Loop thread only.
 */
#ifndef VESPER_STREAM_DRIVER_H
#define VESPER_STREAM_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/principal.h"
#include "vesper/str.h"

struct op;
struct stream_log;

/* The log, borrowed: watch it at once. Or an error; ERR_NOT_FOUND: unknown, another user's, or
 * expired. */
typedef void (*stream_found_cb)(void *owner, struct stream_log *log, const struct err *e);

struct stream_driver {
	const char *name;
	/* A turn starts to write this log here; the driver publishes its events to followers. */
	void (*opened)(void *self, struct stream_log *log);
	/* Finds a log that the hub does not have, and adds it to the hub. */
	struct op *(*find)(void *self, const char *turn_id, const struct principal *who,
			   stream_found_cb cb, void *owner);
};

#endif
