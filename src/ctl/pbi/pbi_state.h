/* What an ingestion of usage events remembers from run to run: how far it came for each tenant, and
 * when it called, since the service counts calls by the hour. */
#ifndef CTL_PBI_STATE_H
#define CTL_PBI_STATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "vesper/err.h"

struct pbi_state {
	char *path;
	int lock; /* descriptor; one ingestion at a time */
	json_t *root;
};

/* A file that is not there is an empty state. ERR_BUSY: another ingestion runs. */
MUST_CHECK bool pbi_state_open(const char *path, struct pbi_state *out, struct err *e);
void pbi_state_close(struct pbi_state *s);

/* "2026-02-26", the last day that was read to its end; "" when none was. */
const char *pbi_state_day(const struct pbi_state *s, const char *tenant);
MUST_CHECK bool pbi_state_set_day(struct pbi_state *s, const char *tenant, const char *day,
				  struct err *e);
/* Counts a call that is about to be made; ERR_LIMIT when there were enough in this hour. */
MUST_CHECK bool pbi_state_call(struct pbi_state *s, struct err *e);

#endif
