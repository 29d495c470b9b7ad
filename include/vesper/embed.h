/*
 * Texts as vectors, made by the service of llm.roles.embed over the Chat Completions family's wire
 * (POST /embeddings). Texts go out EMBED_BATCH at a time, one request after the other; each is
 * retried like a model's call, stands behind a breaker of its own, and is on the payer's budget
 * (purpose "embed"). What is configured without such a role has no vectors: embed_model is NULL.
 * Loop thread only.
 */
#ifndef VESPER_EMBED_H
#define VESPER_EMBED_H

#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/budget.h"
#include "vesper/err.h"
#include "vesper/llm.h"
#include "vesper/op.h"

struct embed_call {
	const char *const *texts;         /* each cut at EMBED_TEXT_BYTES */
	size_t count;                     /* at least one */
	int64_t deadline_ms;              /* clock_mono_ms() by which it must have ended; 0: none */
	const struct budget_payer *payer; /* NULL: on no budget */
};

/* `values`: count * dims numbers, each vector of length 1 (one of zeroes stays it). In the arena.
 */
typedef void (*embed_cb)(void *owner, const float *values, size_t dims, const struct err *e);

/* What the vectors are made with: those of two names cannot be compared. Borrowed; NULL: nobody
 * makes any. llm may be NULL. */
const char *embed_model(const struct llm *llm);

/* embed_model must not be NULL. The texts and the arena must outlive the operation; the payer is
 * copied. ERR_QUOTA, ERR_UPSTREAM, ERR_TIMEOUT, ERR_INPUT: as of llm_start. All of the texts or
 * none. The callback never comes before this has returned. */
struct op *embed_start(struct llm *llm, const struct embed_call *call, struct arena *a, embed_cb cb,
		       void *owner);

#endif
