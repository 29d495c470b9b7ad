/*
 * What an uploaded file is: its encoding, delimiter, header and the types of its columns, found by
 * reading all of it; then its rows as typed values, block after block. Reads a file and nothing
 * else. Any thread, one at a time.
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
	char delimiter; /* '\0': by the content */
	enum header_choice header;
	const atomic_bool *cancelled;
};

struct shape_column {
	const char *name, *label;
	struct cell_form form;
	enum type_question question; /* what its owner has to say */
	const char *example;         /* of that, or "" */
	bool short_years;
};

struct shape {
	enum file_format format;
	enum encoding encoding;
	size_t odd_lines; /* of a mixed encoding: in Windows-1252 */
	char delimiter;
	bool has_header;
	struct shape_column *columns;
	size_t column_count;
	int64_t rows;
	int64_t ragged_rows;        /* with more or fewer cells than there are columns */
	const size_t *ragged_lines; /* the first of them */
	size_t ragged_line_count;
};

/* ERR_INPUT with a fault: the file is at fault. ERR_LIMIT, ERR_CANCELLED, ERR_INTERNAL without. */
MUST_CHECK bool shape_read(const struct shape_options *o, struct arena *a, struct shape *out,
			   struct fault *fault, struct err *e);

/* ---- rows ---- */

struct shape_rows {
	struct arena *arena;        /* of the texts; a block's own */
	const struct value *values; /* row after row */
	const size_t *lines;        /* of each row */
	size_t count;
};

struct shape_reader;
MUST_CHECK bool shape_reader_open(const struct shape_options *o, const struct shape *s,
				  struct shape_reader **out, struct err *e);
/* The rows of the next block, until the next call; count 0: there are no more. `misfit` is called
 * for each cell that is no value of its column. */
MUST_CHECK bool shape_reader_next(struct shape_reader *r,
				  void (*misfit)(void *owner, size_t column, size_t line),
				  void *owner, struct shape_rows *out, struct fault *fault,
				  struct err *e);
int64_t shape_reader_bytes(const struct shape_reader *r); /* of the file, read so far */
void shape_reader_free(struct shape_reader **r);

#endif
