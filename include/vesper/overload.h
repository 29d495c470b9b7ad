/*
 * Whether there has been more to do than can be done, by signals that are noted again and again: a
 * burst is worked off, so what counts is the smallest value of a signal within a window. Pure, no
 * thread of its own.
 */
#ifndef VESPER_OVERLOAD_H
#define VESPER_OVERLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OVERLOAD_SAMPLES_MAX 100

enum overload_signal {
	OVERLOAD_LOOP,  /* how late a timer was, in ms */
	OVERLOAD_QUEUE, /* how long a request has waited for a database, in ms */
	OVERLOAD_LOGS,  /* bytes of the logs of running turns */
	OVERLOAD_SIGNALS,
};
const char *overload_signal_name(enum overload_signal s);

struct overload {
	int64_t bounds[OVERLOAD_SIGNALS];
	int64_t samples[OVERLOAD_SAMPLES_MAX][OVERLOAD_SIGNALS];
	size_t window; /* samples that count, 1 to OVERLOAD_SAMPLES_MAX */
	size_t noted;
};

/* How much of its bound a signal has, and of which the most: over 100 is too much. */
struct load {
	unsigned percent;
	enum overload_signal of;
	bool logs_full; /* whatever else there is too much of */
};

void overload_note(struct overload *o, const int64_t values[OVERLOAD_SIGNALS]);
/* Of one signal; 0 until a window is full. */
unsigned overload_percent(const struct overload *o, enum overload_signal s);
/* Of the one that has the most. */
struct load overload_now(const struct overload *o);

#endif
