/*
 * The records of an uploaded file, whatever its format: UTF-8 text goes in piece by piece, records
 * come out with the line that they begin in. Pure.
 */
#ifndef VESPER_UPLOAD_RECORDS_H
#define VESPER_UPLOAD_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/err.h"
#include "vesper/str.h"

enum file_format { FORMAT_CSV, FORMAT_TSV, FORMAT_JSONL, FORMAT_TEXT, FORMAT_HTML };

/* Cells are borrowed for the call; p NULL: there is none. */
struct record {
	size_t line; /* that it begins in, from 1 */
	const struct str *cells;
	size_t count;
};

/* What is wrong with a file, for the user. */
struct fault {
	const char *code; /* "unclosed_quote", … */
	size_t line;      /* 0: the whole file */
};

typedef void (*record_cb)(void *owner, const struct record *r);

struct records;
/* `delimiter` of CSV and TSV. */
struct records *records_new(enum file_format format, char delimiter, record_cb cb, void *owner);
void records_free(struct records **r);
/* At most a block at a time. ERR_INPUT with *fault: nothing more is taken. */
MUST_CHECK bool records_add(struct records *r, const char *text, size_t len, struct fault *fault,
			    struct err *e);
MUST_CHECK bool records_end(struct records *r, struct fault *fault, struct err *e);
/* Of JSON lines: the members seen so far, in the order of their first appearance; cells of a record
 * stand in that order. */
const char *const *records_members(const struct records *r, size_t *count);

/* The delimiter of a CSV text by its beginning: the one with the most records of equal length. */
char records_delimiter(const char *text, size_t len);

#endif
