/* How a data request ended, as a type that code makes and everyone reads: the model, the templates,
 * the client. */
#ifndef VESPER_OUTCOME_H
#define VESPER_OUTCOME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"

enum outcome_kind {
	OUTCOME_ROWS,           /* there is data */
	OUTCOME_EMPTY,          /* the filters are fine, nothing matches */
	OUTCOME_NO_DATA,        /* the source itself holds nothing for this caller */
	OUTCOME_OUT_OF_WINDOW,  /* the asked date lies outside what the source covers: range says
				   what it covers */
	OUTCOME_UNKNOWN_ENTITY, /* a name that the catalogue does not know: suggestions may help */
	OUTCOME_NOT_PERMITTED,  /* the caller may not */
	OUTCOME_TIMEOUT,        /* stopped at its deadline */
	OUTCOME_ERROR,          /* failed; retryable says whether again makes sense */
	OUTCOME_KIND_COUNT,
};

struct suggestion {
	const char *value;
	const char *label;
	const char *group; /* the heading that it stands under, or NULL */
};

struct outcome {
	enum outcome_kind kind;
	bool truncated;
	const char *truncation; /* of truncated: why, for the user; or NULL */
	bool retryable;
	const char *param;     /* the argument that it is about, or NULL */
	const char *range_min; /* OUT_OF_WINDOW */
	const char *range_max;
	const char *detail; /* one sentence for the user, or NULL; no SQL, no server text */
	const char *code;   /* of its error view; NULL: by the kind */
	const struct suggestion *suggestions;
	size_t suggestion_count;
};

const char *outcome_name(enum outcome_kind kind); /* "rows", "empty", … */
bool outcome_is_usable(enum outcome_kind kind);   /* it tells something of the data */
json_t *outcome_json(const struct outcome *o);    /* new reference */

#endif
