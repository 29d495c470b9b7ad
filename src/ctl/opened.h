/*
 * The configured databases, opened in the process of a verb: the warehouse with its tools
 * and, if requested, the chat store. Calls run on a separate loop.
 */
#ifndef CTL_OPENED_H
#define CTL_OPENED_H

#include "databases.h"
#include "vesper/catalog.h"
#include "vesper/know.h"
#include "vesper/loop.h"
#include "vesper/store.h"
#include "vesper/tool.h"

struct opened {
	struct arena *arena;
	struct config *config;
	struct databases databases;
	struct loop *loop;
	struct open_sources sources;
	struct catalog *catalog;
	struct know *know;
	struct toolbox *tools;
	struct db *stored;
	struct store *store;
};

/* Reads the configuration; the other functions open the parts. Call opened_close at the end, also
 * after a failure. */
MUST_CHECK bool opened_init(struct opened *o, struct err *e);
/* Opens the tools of a tenant's packs; NULL: of the default packs. */
MUST_CHECK bool opened_open_tools(struct opened *o, const char *tenant, struct err *e);
/* Loads the names in the data of one tenant, without which questions are misread. Runs the loop. */
MUST_CHECK bool opened_load_names(struct loop *l, const struct open_sources *sources,
				  struct know *k, const char *tenant, struct err *e);
/* ERR_NOT_FOUND: a SQLite file is missing; none is created. */
MUST_CHECK bool opened_open_store(struct opened *o, struct err *e);
void opened_close(struct opened *o);

bool opened_has_tenant(const struct opened *o, const char *tenant);

#endif
