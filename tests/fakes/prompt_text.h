/* A result as text in the prompt of the answering model, with an unlimited budget. */
#ifndef PROMPT_TEXT_H
#define PROMPT_TEXT_H

#include <stdint.h>

#include "vesper/prompt_budget.h"
#include "vesper/str.h"

static inline void prompt_text(struct buf *out, const struct result *r, size_t rows)
{
	struct arena *a = arena_new(SIZE_MAX / 2);
	struct prompt_budget *s = prompt_budget_new(a, SIZE_MAX / 2);

	prompt_budget_result(s, r, PROMPT_BUDGET_FULL, rows);
	prompt_budget_fit(s);
	buf_str(out, prompt_budget_text(s));
	arena_free(&a);
}

#endif
