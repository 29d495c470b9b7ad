/* The page's files, embedded at build time from src/widget/ (src/widget/embed.cmake writes the
 * table). */
#ifndef VESPER_ASSETS_H
#define VESPER_ASSETS_H

#include <stddef.h>

struct asset {
	const char *name; /* "index.html" */
	const char *type;
	const unsigned char *bytes;
	size_t len;
};

extern const struct asset assets[]; /* ended by a NULL name */

#endif
