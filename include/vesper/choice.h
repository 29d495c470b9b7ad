/* Names of the values of an enum: one table each, ended by a NULL name. Any thread. */
#ifndef VESPER_CHOICE_H
#define VESPER_CHOICE_H

#include <stdbool.h>

struct choice {
	const char *name;
	int value;
};

/* Finds a name, case-sensitive. False: unknown, and *out is unchanged. */
bool choice_find(const struct choice *table, const char *name, int *out);
/* The value of a name that was validated before; an unknown name is a program error (assert). */
int choice_of(const struct choice *table, const char *name);

#endif
