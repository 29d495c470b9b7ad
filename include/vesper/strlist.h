/*
 * Lists of texts that end with NULL. A NULL list is empty. Texts are borrowed unless stated
 * otherwise. Any thread.
 */
#ifndef VESPER_STRLIST_H
#define VESPER_STRLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"

bool strlist_has(const char *const *list, const char *text);
size_t strlist_len(const char *const *list);
/* Copies the list and its texts into the arena. */
const char *const *strlist_copy(const char *const *list, struct arena *a);

/* A list that grows in an arena. A zeroed one is empty, with items NULL. */
struct strlist {
	const char **items;
	size_t count;
	size_t cap;
};

/* Adds a copy of the text. NULL adds nothing, but `items` becomes a list, which may be empty. */
void strlist_add(struct strlist *list, struct arena *a, const char *text);

#endif
