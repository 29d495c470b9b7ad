/* A result as text in the prompt of the answering model, with an unlimited budget. */
#ifndef PROMPT_TEXT_H
#define PROMPT_TEXT_H

#include <stdint.h>

#include "vesper/scratch.h"
#include "vesper/str.h"

static inline void prompt_text(struct buf *out, const struct result *r, size_t rows)
{
	struct arena *a = arena_new(SIZE_MAX / 2);
	struct scratch *s = scratch_new(a, SIZE_MAX / 2);

	scratch_result(s, r, SCRATCH_FULL, rows);
	scratch_fit(s);
	buf_str(out, scratch_text(s));
	arena_free(&a);
}

#endif
