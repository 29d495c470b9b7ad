/*
 * The records of an uploaded file in any format. UTF-8 text goes in by chunks; records come out
 * with the line on which they start. Pure.
 */
#ifndef VESPER_UPLOAD_RECORDS_H
#define VESPER_UPLOAD_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/err.h"
#include "vesper/str.h"

enum file_format { FORMAT_CSV, FORMAT_TSV, FORMAT_JSONL, FORMAT_TEXT, FORMAT_HTML };

/* Cells are borrowed during the call; p NULL: no cell. */
struct record {
	size_t line; /* where it starts, from 1 */
	const struct str *cells;
	size_t count;
};

/* A fault in a file, for the user. */
struct fault {
	const char *code; /* "unclosed_quote", … */
	size_t line;      /* 0: the whole file */
};

typedef void (*record_cb)(void *owner, const struct record *r);

struct records;
/* `delimiter`: for CSV and TSV. */
struct records *records_new(enum file_format format, char delimiter, record_cb cb, void *owner);
void records_free(struct records **r);
/* Adds at most one block. ERR_INPUT, with *fault: no more text is accepted. */
MUST_CHECK bool records_add(struct records *r, const char *text, size_t len, struct fault *fault,
			    struct err *e);
MUST_CHECK bool records_end(struct records *r, struct fault *fault, struct err *e);
/* For JSON lines: the members seen so far, in order of first appearance. Cells of records have the
 * same order. */
const char *const *records_members(const struct records *r, size_t *count);

/* Detects the delimiter of a CSV text from its beginning: the one with the most records of equal
 * length. */
char records_delimiter(const char *text, size_t len);

#endif
