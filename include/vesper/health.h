/*
 * The registry of health checks and metrics that every folder feeds and the probes read. Loop
 * thread only, except that metric_add is safe everywhere. Checks report what is already known:
 * reading them never calls a model or a database.
 */
#ifndef VESPER_HEALTH_H
#define VESPER_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/str.h"

enum health_state { HEALTH_OK, HEALTH_DEGRADED, HEALTH_DOWN };

enum health_need {
	HEALTH_HELPFUL,  /* the process is ready without it */
	HEALTH_REQUIRED, /* it is not */
	/* Required by the tenant that the check's name ends with, after a colon. The process is
	 * ready while there is a tenant that has all it requires. */
	HEALTH_REQUIRED_BY_TENANT,
};

/* Sets the state of a named check ("identity", "warehouse:acme", "llm:anthropic"); the first call
 * makes it. The note is for operators and never names secrets. */
void health_set(const char *check, enum health_need need, enum health_state state, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));
void health_remove(const char *check);

bool health_ready(void); /* what is required is not down, and not draining */
/* Calls once for each tenant that lacks something it requires. */
void health_each_waiting(void (*each)(void *owner, const char *tenant), void *owner);
bool health_healthy(void); /* every check is ok */
void health_draining(bool yes);
void health_reset(void); /* tests, and the end of the process */

/* Calls for each check in the order they were made. */
void health_each(void (*each)(void *owner, const char *check, enum health_state state,
			      const char *note),
		 void *owner);
const char *health_state_name(enum health_state state); /* "healthy", "degraded", "unhealthy" */

/* Counters and gauges: `name` is the full Prometheus sample name with its labels, e.g.
 * vesper_tool_calls_total{tool="x",outcome="rows"}. At most METRICS_MAX names; more are counted as
 * one "other". */
void metric_add(const char *name, int64_t delta);
/* The same for the family's sample with these labels; their values need no escapes. */
struct metric_label {
	const char *name, *value;
};
void metric_add_labels(const char *family, const struct metric_label *labels, size_t count,
		       int64_t delta);
void metric_set(const char *name, int64_t value);
int64_t metric_get(const char *name);
/* Prometheus text format, sorted by name. */
void metric_text(struct buf *out);

#endif
