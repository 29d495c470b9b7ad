/* Reading whole files and listing folders, for start-up work. Blocks: never call it from the loop
 * once it serves. */
#ifndef VESPER_FILE_H
#define VESPER_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/str.h"

/* The whole text of a file of at most cap_bytes, terminated, in the arena. ERR_NOT_FOUND when there
 * is none; ERR_INPUT when it is no regular file, too large, not valid UTF-8 or holds a NUL byte. A
 * byte order mark is taken off. */
MUST_CHECK bool file_read(const char *path, size_t cap_bytes, struct arena *a, const char **out,
			  struct err *e);

/* The same for any bytes; they are followed by a NUL that does not count. */
MUST_CHECK bool file_read_bytes(const char *path, size_t cap_bytes, struct arena *a,
				struct str *out, struct err *e);

/* Whether a path, when its links are followed, is within the folder. */
bool file_is_below(const char *folder, const char *path);

/* Names (not paths) of what is in a folder, sorted by bytes, NULL-ended; names that begin with a
 * dot are left out. */
MUST_CHECK bool file_list(const char *folder, struct arena *a, const char *const **out,
			  struct err *e);

#endif
