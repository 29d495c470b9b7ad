/* State of an ingestion of usage events between runs: the last complete day of each tenant, and the
 * times of calls, since the service limits calls per hour. */
#ifndef CTL_PBI_STATE_H
#define CTL_PBI_STATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "vesper/err.h"

struct pbi_state {
	char *path;
	int lock; /* descriptor of the lock: one ingestion at a time */
	json_t *root;
};

/* A missing file is an empty state. ERR_BUSY: another ingestion runs. */
MUST_CHECK bool pbi_state_open(const char *path, struct pbi_state *out, struct err *e);
void pbi_state_close(struct pbi_state *s);

/* The last day that was read completely, as "2026-02-26"; "" when there is none. */
const char *pbi_state_day(const struct pbi_state *s, const char *tenant);
MUST_CHECK bool pbi_state_set_day(struct pbi_state *s, const char *tenant, const char *day,
				  struct err *e);
/* Counts a call that is about to be made. ERR_LIMIT: the calls of this hour are used up. */
MUST_CHECK bool pbi_state_call(struct pbi_state *s, struct err *e);

#endif
