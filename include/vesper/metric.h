/*
 * What is counted for operators, in the text format of Prometheus. A folder declares what it counts
 * as constants of struct metric, where it counts; nothing is registered. Safe on every thread: a
 * look-up and an addition under one lock, some ten times a turn.
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
	const char *name; /* vesper_tool_calls_total; its unit is the name's last part but _total */
	const char *help; /* a sentence for operators */
	enum metric_kind kind;
	const char *labels[METRIC_LABELS_MAX + 1]; /* NULL-ended */
	/* Of a histogram: the upper bounds of its buckets, rising, in the name's unit; 0 ends them.
	 */
	int64_t bounds[METRIC_BOUNDS_MAX + 1];
};

/* `values`: one for each label, in their order; NULL where the metric has none. They may come from
 * anywhere: control characters become '?', and what is beyond METRIC_VALUE_BYTES_MAX is cut. At
 * most METRICS_MAX series are kept; what would make another one adds to vesper_metrics_other. */
void metric_add(const struct metric *m, const char *const *values, int64_t by);    /* a counter's */
void metric_set(const struct metric *m, const char *const *values, int64_t value); /* a gauge's */
void metric_observe(const struct metric *m, const char *const *values, int64_t value);

/* What is printed for a sample, `vesper_tool_calls_total{tool="x",outcome="rows"}`; 0: none is. */
int64_t metric_get(const char *sample);
/* All of them by name, each family with its HELP and TYPE. */
void metric_text(struct buf *out);
void metric_reset(void); /* tests, and the end of the process */

#endif
