/* Words that stand for the values of an enum: one table each, ended by a NULL name. Any thread. */
#ifndef VESPER_CHOICE_H
#define VESPER_CHOICE_H

#include <stdbool.h>

struct choice {
	const char *name;
	int value;
};

/* False, and *out stays as it is: it is none of them. Case counts. */
bool choice_find(const struct choice *table, const char *name, int *out);
/* That of a word that was checked before: one that is missing is a mistake of ours. */
int choice_of(const struct choice *table, const char *name);

#endif
