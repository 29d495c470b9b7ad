/*
 * Checks that libmicrohttpd parsed a request's head completely. The library parses in place: each
 * name and value points into the head and ends with a zero byte. A part that it skips silently (a
 * folded line, a zero byte, a line without CR LF) leaves a gap.
 */
#ifndef VESPER_HEAD_LAYOUT_H
#define VESPER_HEAD_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct MHD_Connection;

/* `method` and `version` as the library passes them to its handler; `size` is the length of the
 * whole head. Only valid in the first call for a request. */
bool head_is_plain(struct MHD_Connection *connection, const char *method, const char *version,
		   size_t size);

#endif
