/* How a data request ended, as a type. Code sets it; models, templates and clients read it. */
#ifndef VESPER_OUTCOME_H
#define VESPER_OUTCOME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"

enum outcome_kind {
	OUTCOME_ROWS,           /* data was found */
	OUTCOME_EMPTY,          /* valid filters, no matching rows */
	OUTCOME_NO_DATA,        /* the source has no data for this caller */
	OUTCOME_OUT_OF_WINDOW,  /* the requested date is outside the source's data; range_min and
				   range_max give the available range */
	OUTCOME_UNKNOWN_ENTITY, /* a name that the catalogue does not know; suggestions may help */
	OUTCOME_NOT_PERMITTED,  /* the caller lacks a permission */
	OUTCOME_TIMEOUT,        /* stopped at its deadline */
	OUTCOME_ERROR,          /* failed; see retryable */
	OUTCOME_KIND_COUNT,
};

struct suggestion {
	const char *value;
	const char *label;
	const char *group; /* heading of its group; or NULL */
};

struct outcome {
	enum outcome_kind kind;
	bool truncated;
	const char *truncation; /* why it is truncated, for the user; or NULL */
	bool retryable;
	const char *param;     /* the argument at fault; or NULL */
	const char *range_min; /* of OUT_OF_WINDOW */
	const char *range_max;
	const char *detail; /* one sentence for the user; or NULL. No SQL, no server text */
	const char *code;   /* error code for clients; NULL: the kind's */
	const struct suggestion *suggestions;
	size_t suggestion_count;
};

const char *outcome_name(enum outcome_kind kind); /* "rows", "empty", … */
bool outcome_is_usable(enum outcome_kind kind);   /* true if it is a statement about the data */
json_t *outcome_json(const struct outcome *o);    /* new reference */

#endif
