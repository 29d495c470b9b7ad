/* Finds a caller's tool by name, for all interfaces that call tools. */
#ifndef VESPER_HTTP_TOOLS_H
#define VESPER_HTTP_TOOLS_H

#include "http/request.h"
#include "vesper/catalog.h"

/* Why the caller may not call a tool. */
struct tool_refusal {
	enum code code;
	const char *detail; /* in the request's arena, or constant; NULL: the code's sentence */
};
/* NULL: no tool has this name, or the caller may not call it. A tool that only other tools use
 * cannot be called. */
const struct tool_def *tools_find(struct request *r, const char *name,
				  struct tool_refusal *refusal);

#endif
