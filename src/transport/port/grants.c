/* Permissions that the store gives. */
#include "grants.h"

#include "vesper/upload.h"

void grants_apply(const struct transport *t, struct principal **who)
{
	struct principal *now;

	/* A personal token may what its scopes say, and they name none of these. */
	if (!t->options.uploads || (*who)->token_hash)
		return;
	now = uploads_principal(t->options.uploads, *who);
	principal_free(who);
	*who = now;
}
