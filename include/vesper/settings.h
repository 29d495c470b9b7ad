/*
 * Settings of one folder: read from the configuration, never changed, and replaced as a whole. What
 * is under way holds those that it began with; the last one that lets go frees them. A folder's own
 * struct begins with this one. Loop-thread only.
 */
#ifndef VESPER_SETTINGS_H
#define VESPER_SETTINGS_H

#include <stddef.h>

#include "vesper/arena.h"

#define SETTINGS_BYTES (1 << 20) /* of their arena; files are bounded before */

struct settings {
	int refs;
	struct arena *arena; /* all of them; freed with them; NULL: their maker frees them */
};

/* In the arena, which is theirs from now on; held once. */
void *settings_new(struct arena *take, size_t bytes);
/* `settings` is a struct that begins with struct settings. */
void *settings_hold(const void *settings);
void settings_release(const void *settings); /* NULL is fine */
/* *place lets go what it holds and holds `settings` (NULL: nothing). */
void settings_use(void *place, const void *settings);

#endif
