/*
 * Additions of one tenant to its packs: flows that its administrators approved, and views,
 * entities, dimensions and measures of its own data. An overlay is a catalogue (catalog.h). It
 * shares the tools, domains, prompts, reports and language of the packs' catalogue by reference and
 * extends the rest. It is immutable like every catalogue: a change makes a new one.
 *
 * All lists of what a caller may use come from the tenant's catalogue. So routing, prompts, GET
 * /tools and the SQL gate's policy know an addition for this tenant only.
 *
 * In an overlay, dimensions of the packs have other addresses than in the packs' catalogue, but
 * entities and measures of the packs point to the latter. So compare dimensions by `index`, not by
 * address.
 */
#ifndef VESPER_OVERLAY_H
#define VESPER_OVERLAY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/err.h"

/* A flow as its author wrote it. It is text because it is parsed and checked against each new
 * catalogue: a reload may change the tools that it uses. */
struct flow_source {
	const char *path; /* path in error messages; ends with the flow's name: "approved/NAME" */
	const char *text; /* at most FLOW_BYTES_MAX */
	struct flow_approval approval;
};

/* One owner's part of a tenant's overlay; each owner makes its own part. */
struct catalog_overlay {
	const char *tenant;
	uint64_t version;   /* of the additions; counted by the caller */
	const char *source; /* source of its views */
	/* As a pack's catalogue.json (schema.h), without calendar and units. If the packs have a
	 * dimension with the same view, column, permission and parent, its values are added to it.
	 * As everywhere, questions are searched for values of only those dimensions that a tool's
	 * parameter uses. NULL: nothing. */
	const json_t *schema;
	const json_t *aliases;          /* as a pack's entities.json; NULL: nothing */
	const char *const *permissions; /* NULL-ended: permissions used only here; NULL: none */
	const struct flow_source *flows;
	size_t flow_count;
};

/* A flow that was not added to the catalogue. */
struct flow_fault {
	const char *path, *why; /* why: "path:line: …" */
};

/* Deep copy in the arena, except the JSON, which gets a new reference: copying the largest JSON
 * takes 30 ms and would block the loop. The JSON must not be changed afterwards. */
struct catalog_overlay catalog_overlay_copy(const struct catalog_overlay *o, struct arena *a);
bool catalog_overlay_is_empty(const struct catalog_overlay *o);

/*
 * Makes the packs' catalogue with these additions of one tenant. It refers to `base` and copies
 * the rest; the last catalog_unref frees it. Any thread; reads no file. ERR_INPUT: names the fault
 * in the schema or an alias. A flow is left out and listed by catalog_flow_faults if it does not
 * fit the catalogue (any more), if a pack has its name, or above OVERLAY_FLOWS_MAX.
 */
MUST_CHECK bool catalog_with_overlays(struct catalog *base,
				      const struct catalog_overlay *const *overlays, size_t count,
				      struct catalog **out, struct err *e);
/* The flows left out of an overlay's catalogue; 0 for the packs' catalogue. */
size_t catalog_flow_faults(const struct catalog *c, const struct flow_fault **out);

#endif
