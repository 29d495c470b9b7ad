/* Inside the daemon: the lists of packs, and what single tenants have beside theirs. */
#ifndef VESPER_DAEMON_KNOWLEDGE_H
#define VESPER_DAEMON_KNOWLEDGE_H

#include "daemon.h"

/* The tenants with one list of packs. */
struct knowledge_list {
	struct arena *arena; /* all of it */
	struct pack_list packs;
	const char *const *roots; /* of packs */
	const char **tenants;     /* NULL-ended */
	size_t tenant_count;
	const char *check;      /* "packs:core,shoes" */
	struct knowledge *base; /* of the packs */
	struct knowledge **of;  /* by tenant: the base, or what has its overlay */
	struct name_refresh *names;
};

/* Are the schemas of all views known to their databases: those in use, and those of one catalogue
 * more? */
MUST_CHECK bool knowledge_use_views(const struct daemon *d, const struct catalog *more,
				    struct err *e);
/* The list of the tenant, and which it is of it. NULL: it has none yet. */
struct knowledge_list *knowledge_list_of(const struct daemon *d, const char *tenant, size_t *at);
/* The tenant has this one from now on. Refers to it. */
void knowledge_use_for(struct daemon *d, const char *tenant, struct knowledge *k);

/* ---- overlay.c ---- */

/* The tenant's overlay on what its packs will be; without an overlay that itself. Where it does not
 * fit them the tenant keeps what it has (`now`), and a health check says why. New reference. */
struct knowledge *overlay_on(const struct daemon *d, const char *tenant, struct knowledge *base,
			     struct knowledge *now);
void overlays_free(struct daemon *d);

#endif
