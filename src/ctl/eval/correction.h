/* What users said would have been right, as expectations of recorded turns (vesper/record.h). */
#ifndef VESPER_CORRECTION_H
#define VESPER_CORRECTION_H

#include <jansson.h>
#include <stdbool.h>

#include "vesper/err.h"

/* Lines of a file of corrections: each message's last word, or none. */
MUST_CHECK bool corrections_read(json_t *by_message, const char *text, struct err *e);
/* The line of a case expects its correction, where there is one and nobody wrote another. */
void correction_apply(const json_t *by_message, json_t *line);
/* Adds what the turn lacks. */
void correction_compare(json_t *differences, const json_t *expect, const json_t *got);

#endif
