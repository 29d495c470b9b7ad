/*
 * What one tenant has beside its packs: flows that its administrators approved, and views,
 * entities, dimensions and measures of its own data. An overlay is a catalogue (catalog.h) that
 * shares the tools, domains, prompts, reports and language of the packs' catalogue by reference and
 * adds to the rest. It is immutable like every catalogue: a change makes a new one.
 *
 * All that lists what a caller may use goes by the tenant's catalogue, so that an addition is known
 * to routing, prompts, GET /tools and the policy of the gate for this tenant alone.
 *
 * Dimensions of the packs have other addresses in an overlay than in the packs' catalogue, to which
 * entities and measures of the packs point: they are the same where their `index` is.
 */
#ifndef VESPER_OVERLAY_H
#define VESPER_OVERLAY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/err.h"

/* A flow as its author wrote it. It is text because it is read and checked against each catalogue
 * anew: a reload may change the tools that it names. */
struct flow_source {
	const char *path; /* what errors name; ends with the flow's name: "approved/NAME" */
	const char *text; /* at most FLOW_BYTES_MAX */
	struct flow_approval approval;
};

/* Parts of it may have different owners: each of them makes one. */
struct catalog_overlay {
	const char *tenant;
	uint64_t version;   /* of the additions; the caller's own count */
	const char *source; /* of its views */
	/* As a pack's catalogue.json (schema.h), but for calendar and units. A dimension that the
	 * packs have adds its values to it where view, column, permission and parent are the same.
	 * As everywhere, questions are read for values of those dimensions that a parameter of a
	 * tool takes. NULL: nothing. */
	const json_t *schema;
	const json_t *aliases;          /* as a pack's entities.json; NULL: nothing */
	const char *const *permissions; /* NULL-ended: those that only this names; NULL: none */
	const struct flow_source *flows;
	size_t flow_count;
};

/* A flow that the catalogue could not be given. */
struct flow_fault {
	const char *path, *why; /* why: "path:line: …" */
};

/* Copies all that it holds into the arena. */
struct catalog_overlay catalog_overlay_copy(const struct catalog_overlay *o, struct arena *a);
bool catalog_overlay_is_empty(const struct catalog_overlay *o);

/*
 * The packs' catalogue with these additions, of one tenant; refers to `base` and copies the rest.
 * Free by the last catalog_unref. Any thread; it reads no file. ERR_INPUT names what is wrong with
 * the schema or an alias. A flow that does not fit the catalogue (any more) is left out and told by
 * catalog_flow_faults; so is one whose name a pack has, and what is beyond OVERLAY_FLOWS_MAX.
 */
MUST_CHECK bool catalog_with_overlays(struct catalog *base,
				      const struct catalog_overlay *const *overlays, size_t count,
				      struct catalog **out, struct err *e);
/* Of an overlay's catalogue; 0 of the packs' own. */
size_t catalog_flow_faults(const struct catalog *c, const struct flow_fault **out);

#endif
