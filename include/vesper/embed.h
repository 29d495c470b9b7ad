/*
 * Embeddings: converts texts to vectors by the service of llm.roles.embed, with the protocol of the
 * Chat Completions family (POST /embeddings). Texts are sent EMBED_BATCH at a time, one request
 * after the other. Each request is retried like a model's call, has a circuit breaker, and counts
 * towards the budget owner's budget (purpose "embed"). Without such a role there are no vectors:
 * embed_model returns NULL. Loop thread only.
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
	const char *const *texts;                /* each truncated at EMBED_TEXT_BYTES */
	size_t count;                            /* at least one */
	int64_t deadline_ms;                     /* clock_mono_ms(); 0: none */
	const struct budget_owner *budget_owner; /* NULL: no budget applies */
};

/* `values`: count * dims numbers, vectors of length 1 (an all-zero vector stays zero). In the
 * arena. */
typedef void (*embed_cb)(void *owner, const float *values, size_t dims, const struct err *e);

/* The model of the vectors; vectors of two models cannot be compared. Borrowed; NULL: no such role.
 * llm may be NULL. */
const char *embed_model(const struct llm *llm);

/* embed_model must not be NULL. The texts and the arena must outlive the operation; the budget
 * owner is copied. All texts succeed, or none. ERR_QUOTA, ERR_UPSTREAM, ERR_TIMEOUT, ERR_INPUT: as
 * llm_start. The callback never runs before this has returned. */
struct op *embed_start(struct llm *llm, const struct embed_call *call, struct arena *a, embed_cb cb,
		       void *owner);

#endif
