/*
 * Vectors of one text's passages, and the nearest of many by cosine. A block never changes once it
 * is made. Vectors have length 1, so that the cosine is a sum of products; it is summed in the same
 * order on every machine, and the same question gives the same bytes. Blocks of another model or
 * length than the question's are not compared, and neither is what the caller may not read. Pure:
 * any thread; blocks may be shared.
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
struct vectors *vectors_new(const char *model, size_t dims, size_t room); /* for so many */
/* The next one: `dims` numbers. */
void vectors_add(struct vectors *v, const float *values);
/* The same as text, as vectors_text made it. False: it is none of this length. */
MUST_CHECK bool vectors_add_text(struct vectors *v, struct str text);
void vectors_text(const float *values, size_t dims, struct buf *out);
void vectors_free(struct vectors **v);
size_t vectors_count(const struct vectors *v);
size_t vectors_bytes(const struct vectors *v); /* of memory; NULL: 0 */

/* Whose they are; borrowed. */
struct vectors_owner {
	const char *uid;
	const char *permission;        /* that reading it takes; NULL: none */
	const struct vectors *vectors; /* NULL: it has none */
};
struct vectors_query {
	const char *model;
	const float *values; /* of length 1 */
	size_t dims, top;
	const struct principal *who;
	const atomic_bool *cancelled; /* looked at every VECTORS_LOOK_ROWS; NULL: it runs on */
};
struct vectors_hit {
	size_t owner; /* its place in the list */
	uint32_t row;
	float cosine;
};
/* Best first, equal ones by uid, then row; in the arena. False: it was cancelled. */
MUST_CHECK bool vectors_search(const struct vectors_owner *owners, size_t count,
			       const struct vectors_query *q, struct arena *a,
			       struct vectors_hit **out, size_t *out_count);

#endif
