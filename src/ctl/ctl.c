/* What the verbs of vesperctl share: their small command line, the place of the files, and one way
 * to fail. */
#include "ctl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const flags[] = {"--json", "--quiet", "--small", "--replace", "--all", NULL};

static bool is_flag(const char *word)
{
	for (size_t i = 0; flags[i]; i++)
		if (strcmp(flags[i], word) == 0)
			return true;
	return false;
}

const char *ctl_option(int argc, char **argv, const char *name, const char *fallback)
{
	for (int i = 1; i + 1 < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return argv[i + 1];
	return fallback;
}

bool ctl_flag(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return false;
}

const char *ctl_word(int argc, char **argv, int n)
{
	for (int i = 1; i < argc; i++) {
		if (is_flag(argv[i]))
			continue;
		if (strncmp(argv[i], "--", 2) == 0) {
			i++;
			continue;
		}
		if (n-- == 0)
			return argv[i];
	}
	return NULL;
}

int ctl_fail(const char *fmt, ...)
{
	va_list args;

	fputs("vesperctl: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return 1;
}

const char *ctl_root(void)
{
	const char *root = getenv("VESPER_ROOT");

	return root && *root ? root : VESPER_ROOT;
}

bool ctl_catalog(struct catalog **out)
{
	struct err e = {0};

	if (catalog_load(ctl_root(), out, &e))
		return true;
	ctl_fail("%s", e.text);
	return false;
}
