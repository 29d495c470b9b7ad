/*
 * The circuit breaker of one service. While it is closed, every call passes. After `failures_max`
 * failures in a row it opens: calls are refused at once instead of each waiting to fail. After
 * `open_ms` one call, the probe, decides (half-open). Pure: the caller passes the time. One thread.
 */
#ifndef VESPER_BREAKER_H
#define VESPER_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

struct breaker {
	int64_t failures_max; /* in a row */
	int64_t open_ms;
	int64_t failures;
	int64_t opened_ms; /* when it opened */
	bool open;
	bool probing; /* the probe is running */
};

/* True when it is open and it is too early for a probe. */
bool breaker_blocks(const struct breaker *b, int64_t now_ms);
/* True when it is open and the probe is running. */
bool breaker_is_probing(const struct breaker *b);
/* True when a call may begin: the breaker neither blocks nor is probing. */
bool breaker_allows(const struct breaker *b, int64_t now_ms);
/* Call it before a call to the service. True: this call is the probe. */
bool breaker_begin(struct breaker *b);
void breaker_succeeded(struct breaker *b);
/* True when it opened, or opened again. */
bool breaker_failed(struct breaker *b, bool probe, int64_t now_ms);
/* The call ended without showing the service's state (cancelled, or the caller's deadline
 * passed). */
void breaker_undecided(struct breaker *b, bool probe);

#endif
