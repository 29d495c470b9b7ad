/* Users' corrections as expectations of recorded turns (vesper/record.h). */
#ifndef VESPER_CORRECTION_H
#define VESPER_CORRECTION_H

#include <jansson.h>
#include <stdbool.h>

#include "vesper/err.h"

/* Reads a file of corrections; the last one of each message counts. */
MUST_CHECK bool corrections_read(json_t *by_message, const char *text, struct err *e);
/* Makes the case expect its correction, unless it has none or already expects one. */
void correction_apply(const json_t *by_message, json_t *line);
/* Adds what the turn lacks to `differences`. */
void correction_compare(json_t *differences, const json_t *expect, const json_t *got);

#endif
