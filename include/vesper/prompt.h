/*
 * Prompts: files under prompts/ with {{slots}}. They belong to the catalogue and are loaded and
 * replaced with it. A slot without a value, or a value without a slot, is an error found at
 * startup.
 */
#ifndef VESPER_PROMPT_H
#define VESPER_PROMPT_H

#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/str.h"

struct prompt_slot {
	const char *name;
	const char *value;
};

/* The catalogue's prompts/<name>.md with its slots filled; {{company}} and {{rules}} are filled
 * automatically. Asserts that exactly these slots exist (checked at load: see PROMPT_NAMES in
 * prompt.c). */
const char *prompt_fill(const struct catalog *c, const char *name, const struct prompt_slot *slots,
			size_t count, struct arena *a);

#endif
