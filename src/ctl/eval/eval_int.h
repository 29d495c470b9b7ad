/* Shared by the files of eval: input and results. */
#ifndef VESPER_EVAL_INT_H
#define VESPER_EVAL_INT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "vesper/arena.h"
#include "vesper/err.h"

struct eval_cases {
	json_t *lines;     /* all turns of all conversations, with "file" */
	json_t *exchanges; /* by hash */
};

/* Fills both members from a folder or one file of it. The caller owns them, also on failure. */
MUST_CHECK bool eval_read(struct eval_cases *cases, const char *path, struct arena *a,
			  struct err *e);

/* Results are objects {file, content, ok, differences[], model_calls?}. junit may be NULL. Returns
 * the exit status. */
int eval_report(const json_t *results, FILE *junit, bool as_json);

#endif
