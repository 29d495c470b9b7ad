/*
 * The circuit breaker of one service. While it is closed every call passes; after some failures in
 * a row it opens and calls are refused at once instead of each waiting for its own failure; after a
 * while one call, the probe, decides. Pure: time is given. One thread.
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
	bool probing; /* the one call that is let through is under way */
};

/* It is open, and it is too early for a probe. */
bool breaker_refuses(const struct breaker *b, int64_t now_ms);
/* It is open, and the probe is under way. */
bool breaker_waits(const struct breaker *b);
/* Neither: a call may begin. */
bool breaker_admits(const struct breaker *b, int64_t now_ms);
/* Before a call. True: this call is the probe. */
bool breaker_begin(struct breaker *b);
void breaker_ok(struct breaker *b);
/* True: it opened, or opened again. */
bool breaker_failed(struct breaker *b, bool probe, int64_t now_ms);
/* The call ended without a verdict (cancelled, out of the caller's time). */
void breaker_undecided(struct breaker *b, bool probe);

#endif
