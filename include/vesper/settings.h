/*
 * Settings of one folder: read from the configuration, immutable, and replaced as a whole. Running
 * work keeps a reference to the settings it started with; the last reference frees them. A
 * folder's struct begins with struct settings. Loop thread only.
 */
#ifndef VESPER_SETTINGS_H
#define VESPER_SETTINGS_H

#include <stddef.h>

#include "vesper/arena.h"

#define SETTINGS_BYTES (1 << 20) /* of their arena; configuration files are smaller */

struct settings {
	int refs;
	struct arena *arena; /* holds all of them, freed with them; NULL: freed by their maker */
};

/* Allocates settings in the arena, with one reference. Takes ownership of the arena. */
void *settings_new(struct arena *take, size_t bytes);
/* New reference. `settings` is a struct that begins with struct settings. */
void *settings_ref(const void *settings);
void settings_release(const void *settings); /* NULL is allowed */
/* Releases the settings in *place and stores a new reference to `settings` (NULL: none) there. */
void settings_replace(void *place, const void *settings);

#endif
