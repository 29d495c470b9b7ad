/* Which kind of file a body is, by its type, or where that says nothing by the name it is sent
 * under. */
#ifndef VESPER_FILE_FORMAT_H
#define VESPER_FILE_FORMAT_H

#include "vesper/store_sources.h"

/* As struct upload_file has it. NULL: none that a source of this kind is made of. Either may be
 * NULL. */
const char *file_format_of(enum source_kind kind, const char *content_type, const char *name);
/* What to send instead. */
const char *file_format_hint(enum source_kind kind);

#endif
