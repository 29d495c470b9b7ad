/* The table of sources with a warehouse alone, for tests: one at a time. */
#ifndef SOURCES_OF_H
#define SOURCES_OF_H

#include "vesper/db.h"
#include "vesper/source.h"

static struct source *the_source;

static inline void sources_free(void)
{
	if (the_source)
		the_source->close(the_source);
	the_source = NULL;
}

/* The database is borrowed; a table made before is of no use any more. */
static inline const struct source_table *sources_known_as(struct db *db, const char *identity)
{
	static struct source_table table;

	sources_free();
	the_source = db_source(db, SOURCE_WAREHOUSE, identity);
	table = (struct source_table){&the_source, 1};
	return &table;
}

static inline const struct source_table *sources_of(struct db *db)
{
	return sources_known_as(db, NULL);
}

#endif
