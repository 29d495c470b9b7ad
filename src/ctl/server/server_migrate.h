/*
 * Applies the numbered files of sql/schema/<dialect>/<part>/, and records them in the server's
 * ledger. A file must not change after it was applied: the ledger has its checksum.
 */
#ifndef CTL_SERVER_MIGRATE_H
#define CTL_SERVER_MIGRATE_H

#include "server.h"

/* Creates what all parts need: owner, schemas, ledger. May be run repeatedly. */
MUST_CHECK bool server_bootstrap(struct server *server, const char *root, struct err *err);

/* Applies the missing files of a part ("warehouse", "store", a source) in this folder below
 * sql/schema/<dialect>, each in one transaction with its ledger entry. Calls `on_applied` for each
 * applied file. ERR_INPUT: no ledger, a file that changed after it was applied, or a server that is
 * newer than these files. */
MUST_CHECK bool server_migrate(struct server *server, const char *root, const char *folder,
			       const char *part, void (*on_applied)(const char *path),
			       struct err *err);

#endif
