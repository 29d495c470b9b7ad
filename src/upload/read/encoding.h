/*
 * The encoding of an uploaded text, and that text as UTF-8. First all bytes are scanned, then they
 * are decoded from the start. Pure.
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
	ENCODING_MIXED, /* some lines are UTF-8 beyond ASCII, others Windows-1252 */
};
const char *encoding_name(enum encoding e); /* "UTF-8" */

/* Start with {0}. */
struct encoding_scan {
	uint8_t head[3]; /* a byte order mark */
	size_t seen;
	size_t line;         /* of the byte at hand, from 1 */
	size_t nul_line;     /* the first with a NUL byte; 0: none */
	size_t odd_lines;    /* that are no UTF-8 */
	size_t wide_lines;   /* that are, beyond ASCII */
	int wanted;          /* continuation bytes of the character at hand */
	uint8_t least, most; /* that the next of them may be */
	bool odd, wide;      /* this line */
};
void encoding_scan_add(struct encoding_scan *s, const void *bytes, size_t len);
/* ERR_INPUT: a NUL byte, with its line. */
MUST_CHECK bool encoding_scan_end(struct encoding_scan *s, enum encoding *out, struct err *e);

struct decoder;
struct decoder *decoder_new(enum encoding encoding);
void decoder_free(struct decoder **d);
/* Appends to `out` what is complete; a byte order mark is left out. What is no character becomes
 * U+FFFD. */
void decoder_add(struct decoder *d, const void *bytes, size_t len, struct buf *out);
void decoder_end(struct decoder *d, struct buf *out);

#endif
