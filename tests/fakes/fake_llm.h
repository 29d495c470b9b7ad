/*
 * A model that follows a script: calls are expected in order, each with a role and optionally
 * words that the request must contain. They are answered from the loop, one chunk per iteration.
 * Use with llm_from_driver(l, &fake_llm_driver, f); free after llm_free.
 */
#ifndef FAKE_LLM_H
#define FAKE_LLM_H

#include <stddef.h>

#include "vesper/err.h"
#include "vesper/llm.h"
#include "vesper/loop.h"

struct fake_llm;

extern const struct llm_driver fake_llm_driver;

struct fake_llm *fake_llm_new(struct loop *l);
void fake_llm_free(struct fake_llm **f);

/* The next expected call; the calls that follow define its answer. words NULL: any request. */
void fake_llm_expect(struct fake_llm *f, enum llm_role role, const char *words);
void fake_llm_text(struct fake_llm *f, const char *piece);
void fake_llm_tool(struct fake_llm *f, const char *name,
		   const char *json); /* json NULL: arguments that are not JSON */
void fake_llm_stop(
	struct fake_llm *f,
	enum llm_stop stop); /* else LLM_STOP_TOOL_USE with tools, LLM_STOP_END without */
void fake_llm_fail(struct fake_llm *f, enum err_code code, bool may_retry); /* after the chunks */
void fake_llm_stall(struct fake_llm *f); /* after the chunks: no further events */

size_t fake_llm_calls(const struct fake_llm *f);     /* received */
size_t fake_llm_unmet(const struct fake_llm *f);     /* expected calls not received */
size_t fake_llm_cancelled(const struct fake_llm *f); /* by op_cancel */
/* Describes the first unexpected call, which fails. NULL: none was unexpected. */
const char *fake_llm_complaint(const struct fake_llm *f);
/* The n-th request (0 is the first) as text. */
const char *fake_llm_request(const struct fake_llm *f, size_t n);

#endif
