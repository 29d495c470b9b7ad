/* Inside the project module: which project is meant, and changes in words. */
#ifndef PER_INT_H
#define PER_INT_H

#include "vesper/tool.h"

/* ---- project.c ---- */

/*
 * Runs the tool for the one project that its argument project_name means, whose exact name it then
 * has; without the argument, for all. A name that fits several projects, or none, ends the call as
 * an unknown entity with those that may be meant.
 */
bool project_run(struct tool_call *call, void (*derive)(struct result *r, struct arena *a),
		 struct err *e);

/* ---- changes.c ---- */

void changes_derive(struct result *r, struct arena *a);

#endif
