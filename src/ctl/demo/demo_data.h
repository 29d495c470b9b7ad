/*
 * The demo data: one warehouse file per demo tenant, generated without input, always the same.
 *
 * It needs no network, no clock and no seed. Rows of the two tenants never overlap; names and
 * prices identify the tenant of a row.
 */
#ifndef DEMO_DATA_H
#define DEMO_DATA_H

#include "server/server.h"
#include "vesper/err.h"

/*
 * Writes <dir>/vesper.db and <dir>/acme.db with the tables of the schema file. The directory must
 * exist. Files of the current generator and schema are kept; other files with these names are
 * replaced. A file gets its name only when complete, so an interrupted run leaves the old file or
 * none. Concurrent runs in one directory wait for each other. Blocks for some seconds: not for the
 * loop's thread.
 */
MUST_CHECK bool demo_data_make(const char *schema_sql_path, const char *dir, bool small,
			       struct err *err);

/* The same for another source of the demo ("solar", "city"), with the tables in `tables_path`
 * (ddl.h), one file per tenant that has it. `small`: fewer days of readings. */
MUST_CHECK bool demo_data_make_source(const char *source, const char *tables_path, const char *dir,
				      bool small, struct err *err);
/* Returns true for a name of such a source. */
bool demo_data_has_source(const char *source);

/*
 * Writes the same rows into the warehouse tables of a server, in one transaction per tenant.
 * `small` keeps the price files that the reference answers need, and omits most others. A tenant
 * that already has rows is refused unless `replace` is true.
 */
MUST_CHECK bool demo_data_seed(struct server *server, bool small, bool replace, struct err *err);
/* Writes the rows of another source into its tables, in the same way. */
MUST_CHECK bool demo_data_seed_source(struct server *server, const char *source, bool small,
				      bool replace, struct err *err);

#endif
