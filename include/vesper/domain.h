/* The domain-agent modules that are compiled in (one line each in src/domain/domains.def), and the
 * derivations that tools of any pack may name in their files. */
#ifndef VESPER_DOMAIN_H
#define VESPER_DOMAIN_H

#include "vesper/tool.h"

/* NULL-ended. */
extern const struct domain *const domain_modules[];

/*
 * Ended by a NULL name. They use the rows that have a number:
 *
 *   share_of_total  column Share in percent; facts total, largest, largest_value, largest_share.
 *                   Nothing if a part is below zero
 *   difference      facts higher, higher_value, lower, lower_value, difference, difference_percent
 *                   of the highest and the lowest, if there are two
 *   rank            column Rank, the highest is 1; facts ranked, first, first_value, last,
 *                   last_value
 */
extern const struct tool_derivation domain_derivations[];

#endif
