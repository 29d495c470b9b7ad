/*
 * How names are kept. The catalogue's values and aliases are a lexicon each, made once; each
 * dimension of a tenant's data is another (lexicon.h, keys.h: how a million names are searched).
 */
#ifndef VESPER_NAMES_INT_H
#define VESPER_NAMES_INT_H

#include "lexicon.h"
#include "vesper/list.h"
#include "vesper/lookup.h"
#include "vesper/words.h"

/* What the catalogue lists, with its aliases; known to everybody. */
struct listed {
	const struct lexicon *values, *aliases;
	struct entry *value_entries, *alias_entries; /* by what was added to the lexicon */
};

void listed_init(struct listed *l, const struct catalog *c, struct arena *a);
void listed_deinit(struct listed *l);

struct tool_dimensions;
struct tenant_names;

struct name_book {
	const struct catalog *catalog;
	struct arena *arena;
	struct listed listed;
	bool from_data; /* names are read from a warehouse: one that is not there is unknown */
	struct tenant_names *tenants; /* of whom something was learned */
	size_t tenant_count, tenant_cap;
	struct list waits;                       /* struct name_wait, of wait.c */
	struct tool_dimensions *tool_dimensions; /* by index of the tool */
};

/* What is known of one dimension, or NULL. */
const struct lexicon *name_book_get(const struct name_book *b, const char *tenant,
				    size_t dimension);
/* Takes the reference. NULL: nothing is known any more. */
void name_book_set(struct name_book *b, const char *tenant, size_t dimension,
		   const struct lexicon *l);

/* All names of the tenant that can be loaded are: who waits for them is told. */
void name_book_set_loaded(struct name_book *b, const char *tenant);
/* Calls back who waits for the tenant's names. */
void name_waits_end(struct name_book *b, const char *tenant);

void scope_index(struct name_book *b);

struct names {
	const struct name_book *book;
	const struct lexicon *const *learned; /* by dimension; NULL: none, or not readable */
	const bool *in;                       /* by dimension: may it be named? */
};

/* names_find of one dimension. */
size_t names_find_of(const struct names *n, size_t dimension, const struct folded *words,
		     struct arena *a, struct entry *out, size_t max);

/* ---- scope.c ---- */

/* Are a dimension's names read for queries over the map? Where a pack has tools, these say which
 * names there are: every further one could be mistaken for a word. */
bool names_of_map(const struct catalog *c, const struct dimension_def *d);

#endif
