/*
 * Which values the declared dimensions have: those that the catalogue lists, with their aliases,
 * and those that are really in each tenant's data. No tenant ever meets the names of another. Loop
 * thread only.
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

struct name_book;
struct name_book *name_book_new(const struct catalog *c); /* borrows the catalogue */
void name_book_free(struct name_book **b);

/* Makes known which values a dimension really has in a tenant's data, beside those that the
 * catalogue lists, instead of what was known of it there; the values are copied. With 0 values
 * nothing is known of it. False, and nothing is known any more: there are more than
 * KNOW_VALUES_MAX (half a list would call real names unknown). False also when the catalogue has no
 * such dimension. */
bool name_book_learn(struct name_book *b, const char *tenant, const char *dimension,
		     const char *const *values, size_t count);

/* Resolves one text to a known value of a dimension, as the caller (NULL: nobody) knows them: of
 * the caller's tenant, and of a readable dimension. An alias that only one parent
 * has ("south" in CAISO) looks at `context` (NULL: none). True: `value` is known. False:
 * suggestions are the closest, or the several that match: then `several`. */
struct name_match {
	const char *value;
	bool alias; /* it was said in other words */
	bool several;
	const struct suggestion *suggestions;
	size_t suggestion_count;
	bool not_read; /* nothing is known yet of such names: ask again in a moment */
};
bool name_book_resolve(const struct name_book *b, const struct principal *who,
		       const char *dimension, const char *text, const struct args *context,
		       struct arena *a, struct name_match *out);

/* Whether the names of the tenant's data are loaded. Always so where they come from no warehouse. A
 * dimension that cannot be read for good (its view does not exist, it has too many values) counts
 * as loaded. */
bool name_book_loaded(const struct name_book *b, const char *tenant);

/* Waits until they are, or until NAMES_WAIT_MS are over; only to be called where they are not. The
 * text is copied; the book must outlive the wait. */
typedef void (*name_wait_cb)(void *owner);
struct op *name_book_wait(struct name_book *b, struct loop *l, const char *tenant, name_wait_cb cb,
			  void *owner);

/* Has every tenant's names read from its sources, page by page, one query after the other: at
 * once, again every interval, and for each book that is put to use, which takes over what the one
 * before knew. Sorting and indexing is a worker thread's; the new names of a dimension take the
 * place of the old ones between two questions. A source that does not answer changes nothing, and
 * keeps no question waiting where there is another one;
 * the health check "names:<tenant>" says so, and
 * tenants whose names are not loaded yet are tried again every NAMES_RETRY_MS. From then on a name
 * that is not known is unknown, never taken as it was said. `tenants` is NULL-ended and borrowed.
 * The book must live until another one is used or this is freed. */
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
/* The arena is the settings' from now on, also where they can't be read: ERR_INPUT, with the key.
 */
MUST_CHECK bool names_settings_read(const struct config *c, struct arena *take,
				    struct names_settings **out, struct err *e);
/* From the next round on; one that is further away than that begins earlier. */
void name_refresh_use_settings(struct name_refresh *r, const struct names_settings *s);
struct name_refresh *name_refresh_new(const struct name_refresh_options *o);
/* `done` is called whenever all that can be read was read, or could not be. */
void name_refresh_on_round(struct name_refresh *r, void (*done)(void *owner), void *owner);
void name_refresh_use(struct name_refresh *r, struct name_book *b);
/* By tenant, where not all have the same one. */
void name_refresh_use_each(struct name_refresh *r, struct name_book *const *books);
/* Of this tenant, which is one of them: its names are read next. Others are not read again. */
void name_refresh_use_for(struct name_refresh *r, const char *tenant, struct name_book *b);
/* The same tenants, listed elsewhere. */
void name_refresh_for(struct name_refresh *r, const char *const *tenants);
void name_refresh_free(struct name_refresh **r);

#endif
