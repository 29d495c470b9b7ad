/*
 * Prompts are files under prompts/ with {{slots}}. They belong to the catalogue: loaded with it,
 * swapped with it. A slot that is not filled, or a value for a slot that is not there, is a mistake
 * that the start finds.
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

/* prompts/<name>.md of this catalogue with its slots filled; {{company}} and {{rules}} are filled
 * by themselves.
 * Asserts that exactly these slots exist (checked at load: see PROMPT_NAMES in prompt.c). */
const char *prompt_fill(const struct catalog *c, const char *name, const struct prompt_slot *slots,
			size_t count, struct arena *a);

#endif
