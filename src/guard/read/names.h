/* Making the set of names; see guard_int.h for asking it. */
#ifndef VESPER_GUARD_NAMES_H
#define VESPER_GUARD_NAMES_H

#include "guard_int.h"

#define NAME_BYTES_MAX 64 /* a longer cell is prose */

/* Is the text of a cell a name, and what is its key? */
bool name_is_one(const struct unit_words *u, const char *text, int *words, uint64_t *key);
/* The id of a name, new or known. short_too: its beginning stands for it where no other has it. */
/* It is a name without its capital too. */
void name_uncase(struct names *n, uint64_t key);
/* Another spelling of a known one. */
void name_alias(struct names *n, struct arena *a, uint64_t key, int id);
int name_add(struct names *n, struct arena *a, const char *text, uint64_t key, int slot,
	     bool short_too);

#endif
