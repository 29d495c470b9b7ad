/*
 * Detects overload from signals that are sampled periodically. The smallest value of a signal
 * within a window is used, so that short bursts do not count. Pure, no thread.
 */
#ifndef VESPER_OVERLOAD_H
#define VESPER_OVERLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OVERLOAD_SAMPLES_MAX 100

enum overload_signal {
	OVERLOAD_LOOP,  /* delay of a timer, in ms */
	OVERLOAD_QUEUE, /* wait of a request for a database, in ms */
	OVERLOAD_LOGS,  /* bytes in the logs of running turns */
	OVERLOAD_SIGNALS,
};
const char *overload_signal_name(enum overload_signal s);

struct overload {
	int64_t bounds[OVERLOAD_SIGNALS];
	int64_t samples[OVERLOAD_SAMPLES_MAX][OVERLOAD_SIGNALS];
	size_t window; /* samples in the window, 1 to OVERLOAD_SAMPLES_MAX */
	size_t noted;
};

/* The largest signal, as a percentage of its bound; above 100 is overload. */
struct load {
	unsigned percent;
	enum overload_signal of;
	bool logs_full; /* the logs are above their bound, whatever `of` is */
};

void overload_add_sample(struct overload *o, const int64_t values[OVERLOAD_SIGNALS]);
/* The percentage of one signal; 0 until a window is full. */
unsigned overload_percent(const struct overload *o, enum overload_signal s);
/* The signal with the largest percentage. */
struct load overload_now(const struct overload *o);

#endif
