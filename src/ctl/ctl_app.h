/*
 * The configured databases, opened in the process of a verb: the warehouse with its tools
 * and, if requested, the chat store. Calls run on a separate loop.
 */
#ifndef CTL_APP_H
#define CTL_APP_H

#include "databases.h"
#include "vesper/catalog.h"
#include "vesper/nlu.h"
#include "vesper/loop.h"
#include "vesper/store.h"
#include "vesper/tool.h"

struct ctl_app {
	struct arena *arena;
	struct config *config;
	struct databases databases;
	struct loop *loop;
	struct open_sources sources;
	struct catalog *catalog;
	struct nlu *nlu;
	struct toolbox *tools;
	struct db *stored;
	struct store *store;
};

/* Reads the configuration; the other functions open the parts. Call ctl_app_close at the end, also
 * after a failure. */
MUST_CHECK bool ctl_app_init(struct ctl_app *o, struct err *e);
/* Opens the tools of a tenant's packs; NULL: of the default packs. */
MUST_CHECK bool ctl_app_open_tools(struct ctl_app *o, const char *tenant, struct err *e);
/* Loads the names in the data of one tenant, without which questions are misread. Runs the loop. */
MUST_CHECK bool ctl_app_load_names(struct loop *l, const struct open_sources *sources,
				   struct nlu *k, const char *tenant, struct err *e);
/* ERR_NOT_FOUND: a SQLite file is missing; none is created. */
MUST_CHECK bool ctl_app_open_store(struct ctl_app *o, struct err *e);
void ctl_app_close(struct ctl_app *o);

bool ctl_app_has_tenant(const struct ctl_app *o, const char *tenant);

#endif
