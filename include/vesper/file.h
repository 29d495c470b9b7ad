/* Reads whole files and lists folders at start-up. Blocks: never call it from a serving loop. */
#ifndef VESPER_FILE_H
#define VESPER_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/str.h"

/* Reads a file of at most cap_bytes as NUL-terminated text into the arena. A byte order mark is
 * removed. ERR_NOT_FOUND: no such file. ERR_INPUT: not a regular file, too large, not valid UTF-8,
 * or with a NUL byte. */
MUST_CHECK bool file_read(const char *path, size_t cap_bytes, struct arena *a, const char **out,
			  struct err *e);

/* The same for any bytes. They are followed by a NUL that is not counted. */
MUST_CHECK bool file_read_bytes(const char *path, size_t cap_bytes, struct arena *a,
				struct str *out, struct err *e);

/* True when a path, with its links resolved, is inside the folder. */
bool file_is_inside(const char *folder, const char *path);

/* Lists the names (not paths) in a folder, sorted by bytes, NULL-ended. Names that begin with a dot
 * are left out. */
MUST_CHECK bool file_list(const char *folder, struct arena *a, const char *const **out,
			  struct err *e);

#endif
