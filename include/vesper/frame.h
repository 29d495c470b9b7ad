/*
 * Frames: typed columns of many rows, the input of a derivation. Frames are never shown and never
 * in a prompt. One thread builds a frame row by row from the cells of a statement; then it is
 * immutable and may be passed to another thread.
 *
 * If there are more rows than rows_max, every k-th is kept, starting with the first; k doubles
 * whenever the frame is full. Sampling is deterministic: the same rows give the same frame. Memory
 * is bounded per frame and for all frames of the process.
 */
#ifndef VESPER_FRAME_H
#define VESPER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/table.h"

/* DECIMAL: i / 10^scale. DAY: days as in date_to_days. TIME: i, milliseconds since 1970 UTC. */
enum frame_type {
	FRAME_INT,
	FRAME_DECIMAL,
	FRAME_REAL,
	FRAME_DAY,
	FRAME_TIME,
	FRAME_BOOL,
	FRAME_TEXT
};

struct frame_column {
	const char *name;
	enum frame_type type;
	int scale;
	union {
		int64_t *i;
		double *r;
		int32_t *day;
		uint8_t *b;
		uint32_t *code; /* TEXT: index into `words` */
	} v;
	const uint64_t *valid; /* one bit per row; NULL: no cell is NULL */
	const char *const *words;
	size_t word_count;
};

struct frame {
	struct arena *arena;        /* owns everything, including this struct */
	const char *name;           /* of the query in its tool's file */
	size_t rows;                /* kept */
	int64_t total_rows;         /* read */
	bool sampled;               /* some rows were not kept */
	int64_t step;               /* every step-th row was kept; 1: all */
	int64_t invalid_cell_count; /* cells that are invalid for their column's type, stored as
				       NULL */
	struct frame_column *columns;
	size_t column_count;
};

void frame_free(struct frame **f);
const struct frame_column *frame_column(const struct frame *f, const char *name); /* or NULL */
/* The text of a TEXT cell; NULL for NULL. */
const char *frame_text(const struct frame_column *c, size_t row);
bool frame_is_null(const struct frame_column *c, size_t row);
/* NAN for NULL and TEXT cells. */
double frame_number(const struct frame_column *c, size_t row);

/* Declared type of a statement's column; undeclared columns use the database's type. */
struct frame_declared {
	const char *name;
	enum frame_type type;
};
enum frame_type frame_type_of(enum column_type type);

struct frame_builder;
/* Keeps at most `rows_max` rows, fewer if there are many columns (FRAME_CELLS_MAX). Names are
 * copied. */
struct frame_builder *frame_builder_new(const char *name, const struct frame_declared *columns,
					size_t count, size_t rows_max);
void frame_builder_free(struct frame_builder **b);
/* Begins a row. If *is_kept, pass its cells, then call frame_builder_row; otherwise skip it.
 * ERR_LIMIT: this frame would exceed FRAME_MEMORY_MAX, or all frames together FRAMES_MEMORY_MAX;
 * may_retry is set in the second case. frame_builder_row fails in the same way. */
MUST_CHECK bool frame_builder_next(struct frame_builder *b, bool *is_kept, struct err *e);
/* Sets a cell of the current row. Call it for every column, in order. `text` is UTF-8, or NULL for
 * a NULL cell. */
void frame_builder_cell(struct frame_builder *b, size_t column, const char *text);
MUST_CHECK bool frame_builder_row(struct frame_builder *b, struct err *e);
/* Takes ownership of `b`. Never returns NULL. */
struct frame *frame_builder_finish(struct frame_builder **b);

int64_t frames_memory_bytes(void); /* of all frames and builds of the process; any thread */

#endif
