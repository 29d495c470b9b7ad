/*
 * Where the logs of other replicas are found, and where ours go for them to read. Without a driver
 * a hub knows its own logs only. Loop thread only.
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

/* A log, borrowed: watch it at once. Or why there is none; ERR_NOT_FOUND: unknown, foreign or
 * expired. */
typedef void (*stream_found_cb)(void *owner, struct stream_log *log, const struct err *e);

struct stream_driver {
	const char *name;
	/* A turn begins to write this log here: what is said in it goes to those who follow it. */
	void (*opened)(void *self, struct stream_log *log);
	/* A log that the hub itself does not have; what is found is put into the hub. */
	struct op *(*find)(void *self, const char *turn_id, const struct principal *who,
			   stream_found_cb cb, void *owner);
};

#endif
