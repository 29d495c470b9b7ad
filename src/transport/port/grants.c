/* Applies the permissions that the store grants. */
#include "grants.h"

#include "vesper/upload.h"

void grants_apply(const struct transport *t, struct principal **who)
{
	struct principal *extended;

	if (!t->options.uploads)
		return;
	extended = uploads_principal(t->options.uploads, *who);
	principal_free(who);
	*who = extended;
}
