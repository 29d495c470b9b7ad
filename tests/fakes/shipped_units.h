/* The units that the program ships with, for tests of numbers without a catalogue. */
#ifndef FAKES_SHIPPED_UNITS_H
#define FAKES_SHIPPED_UNITS_H

#include <stdio.h>
#include <stdlib.h>

#include "vesper/file.h"
#include "vesper/language.h"
#include "vesper/units.h"

#define UNITS_PATH "config/units.json"

static inline void shipped_units_read(struct arena *a, struct units *out)
{
	struct words_file f = {.path = UNITS_PATH, .arena = a};
	struct err e;
	json_t *root;

	f.err = &e;
	if (!file_read(VESPER_SOURCE_DIR "/" UNITS_PATH, 1 << 20, a, &f.text, &e) ||
	    !words_parse(&f, &root) ||
	    !units_read(&f, json_object_get(root, "units"), "units", NULL, out)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
}

/* Loaded once per program. */
static inline const struct units *shipped_units(void)
{
	static struct arena *units_arena;
	static struct units units;

	if (!units_arena) {
		units_arena = arena_new(1 << 22);
		shipped_units_read(units_arena, &units);
	}
	return &units;
}

#endif
