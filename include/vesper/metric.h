/*
 * Metrics for operators, in the text format of Prometheus. Each folder declares its metrics as
 * constants of struct metric where they are used; nothing is registered. Any thread: a lookup and
 * an addition under one lock, about ten times per turn.
 */
#ifndef VESPER_METRIC_H
#define VESPER_METRIC_H

#include <stdint.h>

#include "vesper/str.h"

enum {
	METRIC_LABELS_MAX = 3,
	METRIC_BOUNDS_MAX = 11,
};

enum metric_kind { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

struct metric {
	const char *name; /* vesper_tool_calls_total; the last part, except _total, is the unit */
	const char *help; /* a sentence for operators */
	enum metric_kind kind;
	const char *labels[METRIC_LABELS_MAX + 1]; /* NULL-ended */
	/* Upper bounds of a histogram's buckets, ascending, in the name's unit, ended by 0. */
	int64_t bounds[METRIC_BOUNDS_MAX + 1];
};

/* `values`: one per label, in order; NULL if the metric has no labels. Untrusted input is allowed:
 * control characters become '?', and values are cut to METRIC_VALUE_BYTES_MAX. At most METRICS_MAX
 * series are stored; samples of further ones are counted in vesper_metrics_other. */
void metric_add(const struct metric *m, const char *const *values, int64_t by); /* for counters */
void metric_set(const struct metric *m, const char *const *values, int64_t value); /* for gauges */
void metric_observe(const struct metric *m, const char *const *values, int64_t value);

/* The value of a sample such as `vesper_tool_calls_total{tool="x",outcome="rows"}`; 0: no such
 * sample. */
int64_t metric_get(const char *sample);
/* Appends all metrics, sorted by name, each family with HELP and TYPE. */
void metric_text(struct buf *out);
void metric_reset(void); /* for tests, and at process exit */

#endif
