/*
 * Frames: typed columns of many rows, the input of a derivation. A frame is never shown and never
 * in a prompt. It is built row after row from the cells of a statement, by one thread; then it is
 * immutable and may be handed to another one.
 *
 * Of more rows than are wanted every k-th is kept, from the first; k doubles whenever the frame is
 * full. So the same rows give the same frame. Memory is bounded for each frame and for all frames
 * of the process.
 */
#ifndef VESPER_FRAME_H
#define VESPER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/table.h"

/* DECIMAL: i / 10^scale. DAY: days as of date_to_days. TIME: i, milliseconds since 1970 UTC. */
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
		uint32_t *code; /* TEXT: index of `words` */
	} v;
	const uint64_t *valid; /* a bit a row; NULL: no cell is NULL */
	const char *const *words;
	size_t word_count;
};

struct frame {
	struct arena *arena; /* owns everything, this struct too */
	const char *name;    /* of the query inside its tool */
	size_t rows;         /* kept */
	int64_t total_rows;  /* read */
	bool sampled;        /* not every row was kept */
	int64_t step;        /* every step-th was; 1: all */
	int64_t bad_cells;   /* that were read and are no value of their column's type: NULL */
	struct frame_column *columns;
	size_t column_count;
};

void frame_free(struct frame **f);
const struct frame_column *frame_column(const struct frame *f, const char *name); /* or NULL */
/* The word of a TEXT cell; NULL for NULL. */
const char *frame_text(const struct frame_column *c, size_t row);
bool frame_is_null(const struct frame_column *c, size_t row);
/* NAN for NULL and for texts. */
double frame_number(const struct frame_column *c, size_t row);

/* What a column of a statement is to become; those that are not declared go by the database's type.
 */
struct frame_declared {
	const char *name;
	enum frame_type type;
};
enum frame_type frame_type_of(enum column_type type);

struct frame_build;
/* `rows_max` rows are kept at most, fewer of many columns (FRAME_CELLS_MAX). Names are copied. */
struct frame_build *frame_build_new(const char *name, const struct frame_declared *columns,
				    size_t count, size_t rows_max);
void frame_build_free(struct frame_build **b);
/* A further row. It is kept only where it is wanted: then its cells follow, and frame_build_row.
 * ERR_LIMIT: this frame would exceed FRAME_MEMORY_MAX, or all frames together FRAMES_MEMORY_MAX;
 * may_retry is set for the second. frame_build_row fails in the same way. */
MUST_CHECK bool frame_build_next(struct frame_build *b, bool *wanted, struct err *e);
/* A cell of the row at hand, all columns in order; NULL for NULL. The text is UTF-8. */
void frame_build_cell(struct frame_build *b, size_t column, const char *text);
MUST_CHECK bool frame_build_row(struct frame_build *b, struct err *e);
/* Takes ownership of the build; never NULL. */
struct frame *frame_build_finish(struct frame_build **b);

int64_t frames_bytes(void); /* of all frames and builds of the process; any thread */

#endif
