/* Internal header of the project module: project lookup, and changes as text. */
#ifndef PER_INT_H
#define PER_INT_H

#include "vesper/tool.h"

/* ---- project.c ---- */

/*
 * Runs the tool for the project that the argument project_name refers to, and sets the argument to
 * the exact name. Without the argument it runs for all projects. A name that matches no project or
 * several ends the call with an unknown entity and the candidates.
 */
bool project_run(struct tool_call *call, void (*derive)(struct result *r, struct arena *a),
		 struct err *e);

/* ---- changes.c ---- */

void changes_derive(struct result *r, struct arena *a);

#endif
