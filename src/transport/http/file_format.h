/* Determines the kind of a file from its media type, or from its name when the type is generic. */
#ifndef VESPER_FILE_FORMAT_H
#define VESPER_FILE_FORMAT_H

#include "vesper/store_sources.h"

/* The format as in struct upload_file. NULL: not supported for a source of this kind. Both texts
 * may be NULL. */
const char *file_format_of(enum source_kind kind, const char *content_type, const char *name);
/* Which formats to send instead. */
const char *file_format_hint(enum source_kind kind);

#endif
