/*
 * Personal access tokens: vsp_<tenant>_<secret>. What the store said of one is good for
 * TOKENS_KNOWN_MS, so that revoking it is in force on every replica by then. Loop thread only.
 */
#ifndef VESPER_IDENTITY_PERSONAL_H
#define VESPER_IDENTITY_PERSONAL_H

#include "vesper/identity.h"

struct personal;

/* Both outlive it. */
struct personal *personal_new(struct loop *l, struct store *s);
void personal_free(struct personal **p);

/* As identity_who; a token of none of these tenants is unknown. */
struct op *personal_who(struct personal *p, const char *const *tenants, struct str token,
			struct principal **out, struct err *e, identity_who_cb cb, void *owner);
/* As identity_again, of a principal that came from here. */
struct op *personal_again(struct personal *p, const struct principal *who, struct principal **out,
			  struct err *e, identity_who_cb cb, void *owner);
/* Whose token of the identity provider was verified: the user's own have no other permissions from
 * now on. */
void personal_signed_in(struct personal *p, const struct principal *who);
/* The store is asked again for each of them. */
void personal_forget(struct personal *p);

#endif
