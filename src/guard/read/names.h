/* Builds the set of names; guard_int.h declares the queries. */
#ifndef VESPER_GUARD_NAMES_H
#define VESPER_GUARD_NAMES_H

#include "guard_int.h"

#define NAME_BYTES_MAX 64 /* longer cells are prose */

/* Returns true when the text of a cell is a name, with its key. */
bool text_is_name(const struct unit_words *u, const char *text, int *words, uint64_t *key);
/* Adds a name that the data lacks; it has no slot. Returns -1 when the data has it. */
int name_add_foreign(struct names *n, struct arena *a, const char *text);
/* Allows the name in lower case. */
void name_allow_lower_case(struct names *n, uint64_t key);
/* Adds another spelling of a known name. */
void name_alias(struct names *n, struct arena *a, uint64_t key, int id);
/* Returns the id of a new or known name. with_prefixes: an unambiguous prefix also stands for the
 * name. */
int name_add(struct names *n, struct arena *a, const char *text, uint64_t key, int slot,
	     bool with_prefixes);

#endif
