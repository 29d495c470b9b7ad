/* Regular expressions over pcre2: compiled once, matched with a step limit so that no text can
 * stall the loop. */
#ifndef VESPER_RX_H
#define VESPER_RX_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/err.h"
#include "vesper/str.h"

struct rx;

#define RX_GROUPS_MAX 10

/* Unicode, case-insensitive unless the pattern says otherwise. Patterns are ours or from checked
 * configuration. */
MUST_CHECK bool rx_new(const char *pattern, struct rx **out, struct err *e);
void rx_free(struct rx **rx);

/* First match at or after `from`. groups[0] is the whole match; groups that took no part are {NULL,
 * 0}. A text that exceeds the step limit does not match. One matching at a time for each rx. */
bool rx_match(struct rx *rx, struct str text, size_t from, struct str groups[RX_GROUPS_MAX]);

#endif
