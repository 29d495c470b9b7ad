/* Regular expressions over pcre2: compiled once, and matched with a step limit so that no text can
 * block the loop. */
#ifndef VESPER_RX_H
#define VESPER_RX_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/err.h"
#include "vesper/str.h"

struct rx;

#define RX_GROUPS_MAX 10

/* Unicode, case-insensitive unless the pattern sets otherwise. Patterns come from the program or
 * from checked configuration. */
MUST_CHECK bool rx_new(const char *pattern, struct rx **out, struct err *e);
void rx_free(struct rx **rx);

/* Finds the first match at or after `from`. groups[0] is the whole match; groups that did not match
 * are {NULL, 0}. A text that exceeds the step limit does not match. An rx must not be used
 * concurrently. */
bool rx_match(struct rx *rx, struct str text, size_t from, struct str groups[RX_GROUPS_MAX]);

#endif
