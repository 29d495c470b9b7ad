/* Names of the SQL dialects in configuration, file names and tools. */
#include "vesper/dialect.h"

#include <assert.h>
#include <string.h>

static const char *const names[DIALECT_COUNT] = {
	[DIALECT_MSSQL] = "mssql",
	[DIALECT_POSTGRES] = "postgres",
	[DIALECT_SQLITE] = "sqlite",
};

const char *dialect_name(enum dialect d)
{
	assert(d < DIALECT_COUNT);
	return names[d];
}

bool dialect_parse(const char *name, enum dialect *out)
{
	for (int i = 0; i < DIALECT_COUNT; i++) {
		if (strcmp(name, names[i]) == 0) {
			*out = (enum dialect)i;
			return true;
		}
	}
	return false;
}
