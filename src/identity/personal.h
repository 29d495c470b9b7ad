/*
 * Personal access tokens: vsp_<tenant>_<secret>. The store's answer is cached for TOKEN_CACHE_MS,
 * after which a revocation is effective on every replica. Loop thread only.
 */
#ifndef VESPER_IDENTITY_PERSONAL_H
#define VESPER_IDENTITY_PERSONAL_H

#include "vesper/identity.h"

struct personal;

/* Both must outlive the result. */
struct personal *personal_new(struct loop *l, struct store *s);
void personal_free(struct personal **p);

/* As identity_authenticate; a token of another tenant is unknown. */
struct op *personal_authenticate(struct personal *p, const char *const *tenants, struct str token,
				 struct principal **out, struct err *e, identity_principal_cb cb,
				 void *owner);
/* As identity_reauthenticate, for a principal of personal_authenticate. */
struct op *personal_reauthenticate(struct personal *p, const struct principal *who,
				   struct principal **out, struct err *e, identity_principal_cb cb,
				   void *owner);
/* Called after a token of the identity provider was verified: limits the user's personal tokens to
 * the permissions of this sign-in. */
void personal_note_sign_in(struct personal *p, const struct principal *who);
/* Drops all cached answers, so that the store is asked again. */
void personal_clear_cache(struct personal *p);

#endif
