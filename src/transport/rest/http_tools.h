/* A caller's tool, for every way to call one by its name. */
#ifndef VESPER_HTTP_TOOLS_H
#define VESPER_HTTP_TOOLS_H

#include "http/request.h"
#include "vesper/catalog.h"

/* Why a tool is not for this caller. */
struct tool_refusal {
	enum code code;
	const char *detail; /* in the request's arena, or constant; NULL: the code's sentence */
};
/* NULL: there is none of this name, or it is not for the caller (what only other tools use is for
 * nobody). */
const struct tool_def *tools_find(struct request *r, const char *name,
				  struct tool_refusal *refusal);

#endif
