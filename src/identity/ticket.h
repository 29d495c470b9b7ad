/* One-time tickets of this process. */
#ifndef VESPER_IDENTITY_TICKET_H
#define VESPER_IDENTITY_TICKET_H

#include "vesper/identity.h"

struct tickets;

struct tickets *tickets_new(void);
void tickets_free(struct tickets **t);

/* Writes an unguessable text. */
void ticket_generate(char out[TICKET_BYTES]);
/* Stores a ticket for this principal, for one use within TICKET_LIFE_MS. */
void tickets_add(struct tickets *t, const char *ticket, const struct principal *who);
/* The principal of the ticket (free with principal_free); NULL: unknown, used or expired. */
struct principal *tickets_redeem(struct tickets *t, struct str ticket);

#endif
