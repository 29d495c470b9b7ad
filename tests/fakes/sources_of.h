/* A source table with only a warehouse, for tests. Only one exists at a time. */
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

/* Borrows the database. Invalidates the previous table. */
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
