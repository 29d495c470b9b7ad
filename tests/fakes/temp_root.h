/* A temporary folder with sql/, prompts/ and config/, for tests of code that loads files. */
#ifndef TEMP_ROOT_H
#define TEMP_ROOT_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct temp_root {
	char path[64];
};

static inline struct temp_root temp_root_new(void)
{
	struct temp_root root = {"/tmp/vesper-root-XXXXXX"};

	if (!mkdtemp(root.path))
		abort();
	return root;
}

/* Writes a file and creates its folders. NULL text removes the file. */
static inline void temp_root_write(const struct temp_root *root, const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root->path, name);
	for (char *slash = strchr(path + 6, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	if (!text) {
		remove(path);
		return;
	}
	FILE *f = fopen(path, "we");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

static inline int temp_root_remove_one(const char *path, const struct stat *st, int kind,
				       struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static inline void temp_root_free(const struct temp_root *root)
{
	nftw(root->path, temp_root_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
