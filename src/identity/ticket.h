/* One-time tickets in this process. */
#ifndef VESPER_IDENTITY_TICKET_H
#define VESPER_IDENTITY_TICKET_H

#include "vesper/identity.h"

struct tickets;

struct tickets *tickets_new(void);
void tickets_free(struct tickets **t);

/* A text that nobody can guess. */
void ticket_make(char out[TICKET_BYTES]);
/* This ticket stands for this principal, once, for TICKET_LIFE_MS. */
void tickets_add(struct tickets *t, const char *ticket, const struct principal *who);
/* Whom it stands for (free with principal_free); NULL: unknown, used or over. */
struct principal *tickets_take(struct tickets *t, struct str ticket);

#endif
