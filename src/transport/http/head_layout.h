/*
 * Whether the bytes of a request's head mean what libmicrohttpd made of them. The library cuts a
 * head where it lies: each name and value points into it and ends with a zero byte. What it passes
 * over in silence (a folded line, a zero byte, a line that ends without CR LF) leaves a gap.
 */
#ifndef VESPER_HEAD_LAYOUT_H
#define VESPER_HEAD_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct MHD_Connection;

/* `method` and `version` as the library gives them to its handler; `size` of the whole head. Of the
 * first call for a request only. */
bool head_is_plain(struct MHD_Connection *connection, const char *method, const char *version,
		   size_t size);

#endif
