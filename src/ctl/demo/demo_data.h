/*
 * The demo data: one warehouse file for each demo tenant, made from nothing, always the same.
 *
 * It needs no network, no clock and no outside seed. Rows of the two tenants never overlap, and
 * names and prices tell whose a row is.
 */
#ifndef DEMO_DATA_H
#define DEMO_DATA_H

#include "server/server.h"
#include "vesper/err.h"

/*
 * Writes <dir>/vesper.db and <dir>/acme.db with the tables of the schema file. The directory must
 * exist. Files that this very generator made from this very schema are left alone; all others of
 * these names are replaced. A file appears under its name only when it is whole, so a run that is
 * cut leaves the old file or none. Two runs at once in one directory wait for each other. Blocks
 * for some seconds: not for the loop's thread.
 */
MUST_CHECK bool demo_data_make(const char *schema_sql_path, const char *dir, bool small,
			       struct err *err);

/* The same for a further source of the demo ("solar", "city"), with the tables that `tables_path`
 * describes (ddl.h), one file for each tenant that has it. `small`: fewer days of readings. */
MUST_CHECK bool demo_data_make_source(const char *source, const char *tables_path, const char *dir,
				      bool small, struct err *err);
/* Is it one? */
bool demo_data_has_source(const char *source);

/*
 * The same rows into the warehouse tables of a server, one transaction a tenant. `small` keeps the
 * price files that the reference answers need and leaves most others out. A tenant that has rows
 * already is refused, unless they may be replaced.
 */
MUST_CHECK bool demo_data_seed(struct server *server, bool small, bool replace, struct err *err);
/* The rows of a further source into its tables, in the same way. */
MUST_CHECK bool demo_data_seed_source(struct server *server, const char *source, bool small,
				      bool replace, struct err *err);

#endif
