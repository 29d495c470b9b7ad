/*
 * Embedding vectors of a text's passages, and nearest-neighbor search by cosine. A block is
 * immutable once complete. Vectors have length 1, so the cosine is a sum of products. It is summed
 * in the same order on every machine, so equal questions give equal bytes. Blocks of another model
 * or dimension than the question's, and those the caller may not read, are skipped. Pure; any
 * thread; blocks may be shared.
 */
#ifndef VESPER_VECTORS_H
#define VESPER_VECTORS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/limits.h"
#include "vesper/principal.h"
#include "vesper/str.h"

struct vectors;
struct vectors *vectors_new(const char *model, size_t dims,
			    size_t capacity); /* `capacity`: number of vectors */
/* Adds a vector of `dims` numbers. */
void vectors_add(struct vectors *v, const float *values);
/* Adds a vector from the text format of vectors_text. False: it is invalid, or has another
 * dimension. */
MUST_CHECK bool vectors_add_text(struct vectors *v, struct str text);
void vectors_text(const float *values, size_t dims, struct buf *out);
void vectors_free(struct vectors **v);
size_t vectors_count(const struct vectors *v);
size_t vectors_bytes(const struct vectors *v); /* memory used; NULL: 0 */

/* A text with its vectors; borrowed. */
struct vectors_owner {
	const char *uid;
	const char *permission;        /* permission required to read it; NULL: none */
	const struct vectors *vectors; /* NULL: it has none */
};
struct vectors_query {
	const char *model;
	const float *values; /* of length 1 */
	size_t dims, top;
	const struct principal *who;
	const atomic_bool
		*cancelled; /* checked every VECTORS_CANCEL_CHECK_ROWS; NULL: not cancellable */
};
struct vectors_hit {
	size_t owner; /* its index in `owners` */
	uint32_t row;
	float cosine;
};
/* Finds the best hits, best first, ties by uid, then row; in the arena. False: cancelled. */
MUST_CHECK bool vectors_search(const struct vectors_owner *owners, size_t count,
			       const struct vectors_query *q, struct arena *a,
			       struct vectors_hit **out, size_t *out_count);

#endif
