/*
 * Storage of names. The catalogue's values and its aliases are one lexicon each, built once. Each
 * dimension of a tenant's data is another lexicon (lexicon.h; keys.h: search in a million names).
 */
#ifndef VESPER_NAMES_INT_H
#define VESPER_NAMES_INT_H

#include "lexicon.h"
#include "vesper/list.h"
#include "vesper/lookup.h"
#include "vesper/words.h"

/* The values and aliases of the catalogue, shared by all tenants. */
struct listed {
	const struct lexicon *values, *aliases;
	struct entry *value_entries, *alias_entries; /* by index in the order of addition */
};

void listed_init(struct listed *l, const struct catalog *c, struct arena *a);
void listed_deinit(struct listed *l);

struct tool_dimensions;
struct tenant_names;

struct entity_index {
	const struct catalog *catalog;
	struct arena *arena;
	struct listed listed;
	bool from_data; /* a name source is configured; names not loaded yet are unknown */
	struct tenant_names *tenants; /* tenants with loaded names */
	size_t tenant_count, tenant_cap;
	struct list waits;                       /* struct name_wait, of wait.c */
	struct tool_dimensions *tool_dimensions; /* by tool index */
};

/* The loaded names of one dimension, or NULL. */
const struct lexicon *entity_index_get(const struct entity_index *b, const char *tenant,
				       size_t dimension);
/* Takes ownership of the reference. NULL: removes the names. */
void entity_index_set(struct entity_index *b, const char *tenant, size_t dimension,
		      const struct lexicon *l);

/* Marks the tenant's names as loaded and runs the waiting callbacks. */
void entity_index_set_loaded(struct entity_index *b, const char *tenant);
/* Runs the callbacks that wait for the tenant's names. */
void name_waits_end(struct entity_index *b, const char *tenant);

void scope_index(struct entity_index *b);

struct names {
	const struct entity_index *index;
	const struct lexicon *const
		*data_names; /* by dimension; NULL: not loaded or not readable */
	const bool *in;      /* by dimension: included, and readable by the caller */
};

/* names_find for one dimension. */
size_t names_find_of(const struct names *n, size_t dimension, const struct folded *words,
		     struct arena *a, struct entry *out, size_t max);

/* ---- scope.c ---- */

/* Returns true when names of the dimension are loaded for queries over the map. If a pack has
 * tools, these decide which names are loaded, since each further name can be mistaken for an
 * ordinary word. */
bool names_of_map(const struct catalog *c, const struct dimension_def *d);

#endif
