/* Shared by the handlers of data sources: http_sources.c, and http_source_file.c for uploads. */
#ifndef VESPER_HTTP_SOURCES_H
#define VESPER_HTTP_SOURCES_H

#include "http_route.h"
#include "vesper/upload.h"

#define SOURCE_NAME_CHARS        200
#define SOURCE_DESCRIPTION_CHARS 1000

/* NULL: uploads are disabled. */
struct uploads *uploads_of(const struct request *r);
/* Finds the source of the path, which must belong to the caller. Returns false when it has
 * answered. */
bool source_find_own(struct request *r, struct upload_view *out);
const char *source_etag(const struct request *r, const struct upload_view *v);

/* NULL is valid. ERR_INPUT: invalid text. */
MUST_CHECK bool source_name_check(const char *name, struct err *e);
MUST_CHECK bool source_text_check(const char *name, const char *text, size_t max_chars,
				  struct err *e);

#endif
