/* The SQL dialects of statements and databases. SQL Server is the main target; PostgreSQL and
 * SQLite are supported as well. */
#ifndef VESPER_DIALECT_H
#define VESPER_DIALECT_H

#include <stdbool.h>

enum dialect { DIALECT_MSSQL, DIALECT_POSTGRES, DIALECT_SQLITE, DIALECT_COUNT };

const char *dialect_name(enum dialect d); /* "mssql", "postgres", "sqlite" */
bool dialect_parse(const char *name, enum dialect *out);

#endif
