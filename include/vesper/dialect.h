/* The SQL dialects that statements are written for and back ends speak. SQL Server is the target;
 * the others are peers. */
#ifndef VESPER_DIALECT_H
#define VESPER_DIALECT_H

#include <stdbool.h>

enum dialect { DIALECT_MSSQL, DIALECT_POSTGRES, DIALECT_SQLITE, DIALECT_COUNT };

const char *dialect_name(enum dialect d); /* "mssql", "postgres", "sqlite" */
bool dialect_parse(const char *name, enum dialect *out);

#endif
