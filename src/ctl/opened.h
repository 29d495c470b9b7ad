/*
 * What verbs open of the configured databases, in their own process: the warehouse with the tools
 * on it, and where asked for the store of the chats. Calls run on a loop of their own.
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

/* Reads the configuration; then the parts that are wanted. On failure as well as at the end:
 * opened_close. */
MUST_CHECK bool opened_begin(struct opened *o, struct err *e);
/* The tools of a tenant's packs; NULL: of those that are default. */
MUST_CHECK bool opened_tools(struct opened *o, const char *tenant, struct err *e);
/* Reads the names in the data of one tenant, without which questions are misread. Runs the loop. */
MUST_CHECK bool opened_names(struct loop *l, const struct open_sources *sources, struct know *k,
			     const char *tenant, struct err *e);
/* ERR_NOT_FOUND where a SQLite file is missing: nothing is made. */
MUST_CHECK bool opened_store(struct opened *o, struct err *e);
void opened_close(struct opened *o);

bool opened_has_tenant(const struct opened *o, const char *tenant);

#endif
