/* A sliding window of overload signals. */
#include "vesper/overload.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

const char *overload_signal_name(enum overload_signal s)
{
	static const char *const names[] = {
		[OVERLOAD_LOOP] = "loop",
		[OVERLOAD_QUEUE] = "queue",
		[OVERLOAD_LOGS] = "logs",
	};

	assert((size_t)s < sizeof(names) / sizeof(names[0]));
	return names[s];
}

void overload_add_sample(struct overload *o, const int64_t values[OVERLOAD_SIGNALS])
{
	assert(o->window > 0 && o->window <= OVERLOAD_SAMPLES_MAX);
	memcpy(o->samples[o->noted++ % o->window], values, sizeof(o->samples[0]));
}

unsigned overload_percent(const struct overload *o, enum overload_signal s)
{
	int64_t lowest = INT64_MAX, percent;

	if (o->noted < o->window)
		return 0;
	for (size_t i = 0; i < o->window; i++)
		if (o->samples[i][s] < lowest)
			lowest = o->samples[i][s];
	percent = lowest > INT64_MAX / 100 ? UINT_MAX : lowest * 100 / o->bounds[s];
	return percent < UINT_MAX ? (unsigned)percent : UINT_MAX;
}

struct load overload_now(const struct overload *o)
{
	struct load highest = {0};

	for (int s = 0; s < OVERLOAD_SIGNALS; s++) {
		unsigned percent = overload_percent(o, (enum overload_signal)s);

		if (percent > highest.percent)
			highest = (struct load){.percent = percent, .of = (enum overload_signal)s};
	}
	highest.logs_full = overload_percent(o, OVERLOAD_LOGS) > 100;
	return highest;
}
