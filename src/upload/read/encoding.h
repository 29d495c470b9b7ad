/*
 * Detects the encoding of an uploaded text and converts it to UTF-8. All bytes are scanned first,
 * then decoded from the start. Pure.
 */
#ifndef VESPER_UPLOAD_ENCODING_H
#define VESPER_UPLOAD_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/str.h"

enum encoding {
	ENCODING_UTF8,
	ENCODING_UTF16LE,
	ENCODING_UTF16BE,
	ENCODING_WINDOWS_1252,
	ENCODING_MIXED, /* some lines are UTF-8 beyond ASCII, others are Windows-1252 */
};
const char *encoding_name(enum encoding e); /* "UTF-8" */

/* Start with {0}. */
struct encoding_scan {
	uint8_t head[3]; /* for a byte order mark */
	size_t seen;
	size_t line;                    /* of the current byte, from 0 */
	size_t nul_line;                /* the first line with a NUL byte, from 1; 0: none */
	size_t odd_lines;               /* lines that are not UTF-8 */
	size_t wide_lines;              /* lines of UTF-8 beyond ASCII */
	int missing_bytes;              /* continuation bytes missing from the current character */
	uint8_t next_min, next_max;     /* bounds of the next one */
	bool is_invalid, has_non_ascii; /* of the current line */
};
void encoding_scan_add(struct encoding_scan *s, const void *bytes, size_t len);
/* ERR_INPUT: a NUL byte; the message has its line. */
MUST_CHECK bool encoding_scan_end(struct encoding_scan *s, enum encoding *out, struct err *e);

struct decoder;
struct decoder *decoder_new(enum encoding encoding);
void decoder_free(struct decoder **d);
/* Appends the complete characters to `out`, without a byte order mark. Invalid characters become
 * U+FFFD. */
void decoder_add(struct decoder *d, const void *bytes, size_t len, struct buf *out);
void decoder_end(struct decoder *d, struct buf *out);

#endif
