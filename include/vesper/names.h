/*
 * The entity index: values of the declared dimensions. They are the values and aliases that the
 * catalogue lists, and those in each tenant's data. Names of one tenant are never visible to
 * another. Loop thread only.
 */
#ifndef VESPER_NAMES_H
#define VESPER_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/bind.h"
#include "vesper/catalog.h"
#include "vesper/op.h"
#include "vesper/outcome.h"
#include "vesper/principal.h"
#include "vesper/settings.h"

struct config;
struct db;
struct loop;

struct entity_index;
struct entity_index *entity_index_new(const struct catalog *c); /* borrows the catalogue */
void entity_index_free(struct entity_index **b);

/* Replaces the values of a dimension from a tenant's data; those that the catalogue lists stay. The
 * values are copied. False: the catalogue has no such dimension, or there are more than
 * NLU_VALUES_MAX values or NLU_TEXT_BYTES_MAX bytes. In the second case the index drops this
 * dimension's values from the data, because with an incomplete list real names would count as
 * unknown. */
bool entity_index_load(struct entity_index *b, const char *tenant, const char *dimension,
		       const char *const *values, size_t count);

/* Resolves a text to a value of a dimension that the caller can name: of the caller's tenant, in a
 * readable dimension. `who` NULL: no caller. An alias that belongs to only one parent ("south" in
 * CAISO) uses `context` (NULL: none). True: `value` is set. False: suggestions are the closest
 * values, or all matching ones; `several` is then true. */
struct name_match {
	const char *value;
	bool alias; /* the text was an alias */
	bool several;
	const struct suggestion *suggestions;
	size_t suggestion_count;
	bool is_not_loaded; /* the dimension's names are not loaded yet: retry shortly */
};
bool entity_index_resolve(const struct entity_index *b, const struct principal *who,
			  const char *dimension, const char *text, const struct args *context,
			  struct arena *a, struct name_match *out);

/* Returns true if the names of the tenant's data are loaded, or if no name_refresh loads names into
 * this index. A dimension that can never be read (its view does not exist, it has too many values)
 * counts as loaded. */
bool entity_index_loaded(const struct entity_index *b, const char *tenant);

/* Waits until they are loaded, at most ENTITY_INDEX_WAIT_MS. Call it only if they are not. The text
 * is copied; the index must outlive the wait. */
typedef void (*name_wait_cb)(void *owner);
struct op *entity_index_wait(struct entity_index *b, struct loop *l, const char *tenant,
			     name_wait_cb cb, void *owner);

/* Loads every tenant's names from its sources, page by page, one query at a time: at once, then
 * once per interval, and for each new index, which starts with the names of the previous one. A
 * worker thread sorts and indexes. The new names of a dimension replace the old ones between two
 * questions. If a source is unavailable, nothing changes, and questions do not wait for it if there
 * is another source. The health check "names:<tenant>" reports it, and tenants whose names are not
 * loaded yet are retried every ENTITY_INDEX_RETRY_MS. Once names are loaded, a name that is not
 * among them is unknown and never used as written. `tenants` is NULL-ended and borrowed. The index
 * must outlive its use: until another one is set, or the refresh is freed. */
struct name_refresh;
struct name_refresh_options {
	struct loop *loop;
	const struct source_table *sources; /* borrowed */
	const char *const *tenants;
	uint64_t interval_ms;
};
struct names_settings {
	struct settings base;
	uint64_t interval_ms;
};
/* Takes ownership of the arena, even on failure. ERR_INPUT: a setting is invalid; the error names
 * its key. */
MUST_CHECK bool names_settings_read(const struct config *c, struct arena *take,
				    struct names_settings **out, struct err *e);
/* Takes effect with the next round, which starts earlier if the new interval is shorter. */
void name_refresh_set_settings(struct name_refresh *r, const struct names_settings *s);
struct name_refresh *name_refresh_new(const struct name_refresh_options *o);
/* `done` is called after each round, also if some sources could not be read. */
void name_refresh_on_round(struct name_refresh *r, void (*done)(void *owner), void *owner);
void name_refresh_set_index(struct name_refresh *r, struct entity_index *b);
/* The same with one index per tenant. */
void name_refresh_set_indexes(struct name_refresh *r, struct entity_index *const *indexes);
/* The same for one of the tenants: its names are loaded next. Other tenants are not reloaded. */
void name_refresh_set_tenant_book(struct name_refresh *r, const char *tenant,
				  struct entity_index *b);
/* Replaces the list by an equal one in other memory. */
void name_refresh_set_tenants(struct name_refresh *r, const char *const *tenants);
void name_refresh_free(struct name_refresh **r);

#endif
