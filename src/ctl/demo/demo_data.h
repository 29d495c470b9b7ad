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

/* The same for the readings of the photovoltaic plants, with the tables that `tables_path`
 * describes (ddl.h): <dir>/mesa.db and <dir>/acme.db. `small`: fewer days. */
MUST_CHECK bool demo_data_make_solar(const char *tables_path, const char *dir, bool small,
				     struct err *err);

/*
 * The same rows into the warehouse tables of a server, one transaction a tenant. `small` keeps the
 * price files that the reference answers need and leaves most others out. A tenant that has rows
 * already is refused, unless they may be replaced.
 */
MUST_CHECK bool demo_data_seed(struct server *server, bool small, bool replace, struct err *err);
/* The plants' rows into the tables of the source "solar", in the same way. */
MUST_CHECK bool demo_data_seed_solar(struct server *server, bool small, bool replace,
				     struct err *err);

#endif
