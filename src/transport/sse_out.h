/* A turn's log as server-sent events: one event for each entry, its id the entry's seq. Pure. */
#ifndef VESPER_SSE_OUT_H
#define VESPER_SSE_OUT_H

#include "vesper/str.h"
#include "vesper/stream.h"

#define SSE_OPENING   "retry: 3000\n\n"
#define SSE_KEEPALIVE ":\n\n"

/* `words`: the answer as far as it is written, for the event that completes the turn. */
void sse_out_entry(struct buf *out, const char *turn_id, const struct stream_entry *entry,
		   struct str words);

#endif
