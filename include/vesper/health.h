/*
 * The registry of health checks. All folders report to it, and the probes read it. Loop thread
 * only. Checks report known state: reading them never calls a model or a database.
 */
#ifndef VESPER_HEALTH_H
#define VESPER_HEALTH_H

#include <stdbool.h>

enum health_state { HEALTH_OK, HEALTH_DEGRADED, HEALTH_DOWN };

enum health_need {
	HEALTH_OPTIONAL, /* the process is ready without it */
	HEALTH_REQUIRED, /* the process is not ready without it */
	/* Required by the tenant after the colon in the check's name. The process is ready while
	 * some tenant has everything it requires. */
	HEALTH_REQUIRED_BY_TENANT,
};

/* Sets the state of a named check ("identity", "warehouse:acme", "llm:anthropic"); the first call
 * creates it. The note is for operators and never contains secrets. */
void health_set(const char *check, enum health_need need, enum health_state state, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));
void health_remove(const char *check);

bool health_is_ready(void); /* no required check is down, and not draining */
/* Calls `each` once for each tenant that lacks something it requires. */
void health_each_waiting(void (*each)(void *owner, const char *tenant), void *owner);
bool health_is_healthy(void); /* every check is ok */
void health_set_draining(bool yes);
void health_reset(void); /* for tests, and at the end of the process */

/* Calls `each` for each check in the order of creation. */
void health_each(void (*each)(void *owner, const char *check, enum health_state state,
			      const char *note),
		 void *owner);
const char *health_state_name(enum health_state state); /* "healthy", "degraded", "unhealthy" */

#endif
