/*
 * An incremental parser of server-sent events (WHATWG HTML 9.2): it takes bytes and emits complete
 * events. It accepts any split, CR, LF or CRLF line ends, a leading BOM, comments, and several
 * data lines. Pure.
 */
#ifndef VESPER_SSE_H
#define VESPER_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/err.h"
#include "vesper/str.h"

struct sse_parser;

/* `event` is "" if absent; `data` joins the data lines with \n. Borrowed during the call. Returning
 * false stops the parser. */
typedef bool (*sse_event_cb)(void *owner, const char *event, const char *data, size_t data_len);

struct sse_parser *sse_new(sse_event_cb cb, void *owner);
/* ERR_LIMIT: an event above SSE_EVENT_BYTES_MAX. ERR_CANCELLED: the callback returned false. */
MUST_CHECK bool sse_feed(struct sse_parser *p, const char *data, size_t len, struct err *e);
void sse_free(struct sse_parser **p);

#endif
