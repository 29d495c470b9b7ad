/*
 * Reads whole files. All files read at start use it, so that size, encoding and file type are
 * checked in one place.
 */
#include "vesper/file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vesper/utf8.h"

static bool read_open_file(FILE *f, const char *path, size_t cap_bytes, struct arena *a,
			   struct str *out, struct err *e)
{
	struct stat st;

	if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode))
		return err_set(e, ERR_INPUT, "%s: not a regular file", path);
	if ((size_t)st.st_size > cap_bytes)
		return err_set(e, ERR_INPUT, "%s: larger than %zu bytes", path, cap_bytes);

	size_t size = (size_t)st.st_size;
	char *bytes = arena_alloc(a, size + 1);
	size_t len = fread(bytes, 1, size, f);
	if (ferror(f))
		return err_set(e, ERR_INPUT, "%s: cannot be read", path);
	bytes[len] = '\0';
	*out = (struct str){bytes, len};
	return true;
}

bool file_read_bytes(const char *path, size_t cap_bytes, struct arena *a, struct str *out,
		     struct err *e)
{
	FILE *f = fopen(path, "rbe");

	if (!f)
		return err_set(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_INPUT, "%s: %s", path,
			       strerror(errno));
	bool ok = read_open_file(f, path, cap_bytes, a, out, e);
	fclose(f);
	return ok;
}

bool file_read(const char *path, size_t cap_bytes, struct arena *a, const char **out, struct err *e)
{
	struct str text;

	if (!file_read_bytes(path, cap_bytes, a, &text, e))
		return false;
	if (memchr(text.p, '\0', text.n))
		return err_set(e, ERR_INPUT, "%s: contains a NUL byte", path);
	if (!utf8_valid(text.p, text.n))
		return err_set(e, ERR_INPUT, "%s: not valid UTF-8", path);
	*out = strncmp(text.p, "\xef\xbb\xbf", 3) == 0 ? text.p + 3 : text.p;
	return true;
}

bool file_is_inside(const char *folder, const char *path)
{
	char *top = realpath(folder, NULL), *real = realpath(path, NULL);
	size_t n = top ? strlen(top) : 0;
	bool is_inside = top && real && strncmp(top, real, n) == 0 && real[n] == '/';

	free(top); /* allocated by realpath */
	free(real);
	return is_inside;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

bool file_list(const char *folder, struct arena *a, const char *const **out, struct err *e)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_visible, by_bytes);

	if (n < 0)
		return err_set(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_INPUT, "%s: %s", folder,
			       strerror(errno));
	const char **names = arena_alloc(a, ((size_t)n + 1) * sizeof(*names));
	for (int i = 0; i < n; i++) {
		names[i] = arena_strdup(a, entries[i]->d_name);
		free(entries[i]); /* allocated by scandir */
	}
	free(entries);
	*out = names;
	return true;
}
