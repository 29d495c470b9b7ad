/*
 * The shape of an uploaded file: its encoding, delimiter, header and column types, found by
 * reading the whole file. Then its rows as typed values, block by block. Reads only that file. Any
 * thread, one at a time.
 */
#ifndef VESPER_UPLOAD_SHAPE_H
#define VESPER_UPLOAD_SHAPE_H

#include <stdatomic.h>
#include <stdint.h>

#include "encoding.h"
#include "records.h"
#include "types.h"

enum header_choice { HEADER_BY_CONTENT, HEADER_YES, HEADER_NO };

struct shape_options {
	const char *path;
	enum file_format format;
	char delimiter; /* '\0': detect */
	enum header_choice header;
	const atomic_bool *cancelled;
};

struct shape_column {
	const char *name, *label;
	struct cell_form form;
	enum type_question question; /* the question to the owner */
	const char *example;         /* an ambiguous cell, or "" */
	bool short_years;
};

struct shape {
	enum file_format format;
	enum encoding encoding;
	size_t odd_lines; /* lines in Windows-1252, if the encoding is mixed */
	char delimiter;
	bool has_header;
	struct shape_column *columns;
	size_t column_count;
	int64_t rows;
	int64_t ragged_rows;        /* rows with more or fewer cells than columns */
	const size_t *ragged_lines; /* their lines; only the first ones */
	size_t ragged_line_count;
};

/* ERR_INPUT, with a fault: the file is invalid. ERR_LIMIT, ERR_CANCELLED, ERR_INTERNAL: without a
 * fault. */
MUST_CHECK bool shape_read(const struct shape_options *o, struct arena *a, struct shape *out,
			   struct fault *fault, struct err *e);

/* ---- rows ---- */

struct shape_rows {
	struct arena *arena;        /* of this block's texts */
	const struct value *values; /* row after row */
	const size_t *lines;        /* of each row */
	size_t count;
};

struct shape_reader;
MUST_CHECK bool shape_reader_open(const struct shape_options *o, const struct shape *s,
				  struct shape_reader **out, struct err *e);
/* Reads the rows of the next block, valid until the next call; count 0: the end. `misfit` is called
 * for each cell that does not fit its column's type. */
MUST_CHECK bool shape_reader_next(struct shape_reader *r,
				  void (*misfit)(void *owner, size_t column, size_t line),
				  void *owner, struct shape_rows *out, struct fault *fault,
				  struct err *e);
int64_t shape_reader_bytes(const struct shape_reader *r); /* bytes of the file read so far */
void shape_reader_free(struct shape_reader **r);

#endif
