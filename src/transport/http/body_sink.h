/*
 * A body that goes somewhere as it comes (ROUTE_STREAM), a block at a time: while the block before
 * is taken care of, the connection waits, and TCP keeps its sender waiting. The handler runs when
 * the head is there and sets the request's sink; the answer follows the body, since the library
 * takes none before. Loop thread only.
 */
#ifndef VESPER_BODY_SINK_H
#define VESPER_BODY_SINK_H

#include "request.h"

struct body_sink {
	/* A block of at most BODY_BLOCK_BYTES. False: not now; request_resume when it is. */
	bool (*take)(struct request *r, const char *bytes, size_t len);
	/* Nothing more is wanted: the rest is dropped, up to BODY_DROPPED_MAX. */
	bool (*failed)(const struct request *r);
	/* The body is whole, or failed: answers, now or later. */
	void (*end)(struct request *r);
};

/* What libmicrohttpd hands over of the body; false: drop the connection. */
bool body_sink_add(struct request *r, const char *upload, size_t *upload_len);
/* The body is whole. False: the last block waits, and the connection with it. */
bool body_sink_end(struct request *r);
/* Nothing came for too long, or too little. */
bool body_sink_is_late(const struct request *r, int64_t now_ms);

#endif
