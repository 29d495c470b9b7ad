/* The language that the program ships with, for tests of parsers that need no catalogue. */
#ifndef FAKES_ENGLISH_H
#define FAKES_ENGLISH_H

#include <stdio.h>
#include <stdlib.h>

#include "vesper/file.h"
#include "vesper/language.h"

#define ENGLISH_PATH "config/language/en.json"

static inline const struct language *english(struct arena *a)
{
	const struct language *l;
	const char *text;
	struct err e;

	if (!file_read(VESPER_SOURCE_DIR "/" ENGLISH_PATH, 1 << 20, a, &text, &e) ||
	    !language_read(ENGLISH_PATH, text, a, &l, &e)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	return l;
}

/* Loaded once, never freed. */
static inline const struct language *shipped_language(void)
{
	static struct arena *language_arena;
	static const struct language *l;

	if (!language_arena) {
		language_arena = arena_new(1 << 24);
		l = english(language_arena);
	}
	return l;
}

#endif
