/*
 * Passes a body to a sink as it arrives (ROUTE_STREAM), one block at a time. While the sink
 * processes a block, the connection is suspended and TCP slows the sender down. The handler runs
 * after the head and sets the request's sink. The answer follows the body, because the library
 * does not accept one earlier. Loop thread only.
 */
#ifndef VESPER_BODY_SINK_H
#define VESPER_BODY_SINK_H

#include "request.h"

struct body_sink {
	/* Takes a block of at most BODY_BLOCK_BYTES. Returns false when busy; calls request_resume
	 * when ready. */
	bool (*take)(struct request *r, const char *bytes, size_t len);
	/* Returns true when the sink has failed: the rest of the body is dropped, up to
	 * BODY_DROPPED_MAX bytes. */
	bool (*failed)(const struct request *r);
	/* The body is complete or has failed: the sink answers, now or later. */
	void (*end)(struct request *r);
};

/* Handles a chunk from libmicrohttpd. Returns false to drop the connection. */
bool body_sink_add(struct request *r, const char *upload, size_t *upload_len);
/* Called at the end of the body. Returns false while the sink has not accepted the last block; the
 * connection is then suspended. */
bool body_sink_end(struct request *r);
/* Returns true when the body arrives too slowly or has stalled. */
bool body_sink_is_late(const struct request *r, int64_t now_ms);

#endif
