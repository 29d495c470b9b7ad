/*
 * The numbered files of sql/schema/<dialect>/<part>/ and the ledger of what a server has of them.
 * A file that was applied never changes again: its checksum is in the ledger.
 */
#ifndef CTL_SERVER_MIGRATE_H
#define CTL_SERVER_MIGRATE_H

#include "server.h"

/* What every part stands on: owner, schemas, ledger. May be run any number of times. */
MUST_CHECK bool server_bootstrap(struct server *server, const char *root, struct err *err);

/* Applies what the server lacks of a part ("warehouse", "store", a source), whose files are in this
 * folder below sql/schema/<dialect>, each in a transaction with its line of the ledger. `said` is
 * told of each file that was applied. ERR_INPUT: no ledger, a
 * file that changed after it was applied, a server that is ahead of these files. */
MUST_CHECK bool server_migrate(struct server *server, const char *root, const char *folder,
			       const char *part, void (*said)(const char *path), struct err *err);

#endif
