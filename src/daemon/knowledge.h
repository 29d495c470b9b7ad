/* Internal to the daemon: the lists of packs, and the overlays of tenants. */
#ifndef VESPER_DAEMON_KNOWLEDGE_H
#define VESPER_DAEMON_KNOWLEDGE_H

#include "daemon.h"

/* A list of packs with its tenants. */
struct knowledge_list {
	struct arena *arena; /* holds all of the list */
	struct pack_list packs;
	const char *const *roots; /* of packs */
	const char **tenants;     /* NULL-terminated */
	size_t tenant_count;
	const char *check;      /* "packs:core,shoes" */
	struct knowledge *base; /* of the packs */
	struct knowledge *
		*by_tenant; /* by tenant: the base, or the base with the tenant's overlay */
	struct name_refresh *names;
};

/* Passes to each database the schemas of all views in use and of the views of `more`. */
MUST_CHECK bool knowledge_use_views(const struct daemon *d, const struct catalog *more,
				    struct err *e);
/* The list of the tenant, and the tenant's index in it. NULL: no list has this tenant yet. */
struct knowledge_list *knowledge_list_of(const struct daemon *d, const char *tenant, size_t *at);
/* Makes the tenant use this knowledge. Takes a new reference. */
void knowledge_use_for(struct daemon *d, const char *tenant, struct knowledge *k);

/* ---- overlay.c ---- */

/* Builds the tenant's overlay on the packs in `base`; without an overlay, returns `base`. If the
 * overlay does not fit, the tenant keeps `current`, and a health check gives the reason. New
 * reference. */
struct knowledge *overlay_build(const struct daemon *d, const char *tenant, struct knowledge *base,
				struct knowledge *current);
void overlays_free(struct daemon *d);

#endif
