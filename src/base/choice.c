/* Names of enum values. */
#include "vesper/choice.h"

#include <assert.h>
#include <string.h>

bool choice_find(const struct choice *table, const char *name, int *out)
{
	for (; table->name; table++)
		if (strcmp(table->name, name) == 0) {
			*out = table->value;
			return true;
		}
	return false;
}

int choice_of(const struct choice *table, const char *name)
{
	int value = 0;
	bool known = choice_find(table, name, &value);

	assert(known);
	(void)known;
	return value;
}
