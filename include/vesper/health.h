/*
 * The registry of health checks that every folder feeds and the probes read. Loop thread only.
 * Checks report what is already known: reading them never calls a model or a database.
 */
#ifndef VESPER_HEALTH_H
#define VESPER_HEALTH_H

#include <stdbool.h>

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

#endif
