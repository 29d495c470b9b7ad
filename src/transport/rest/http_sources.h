/* What handlers of data sources share: http_sources.c, and http_source_file.c for files that come.
 */
#ifndef VESPER_HTTP_SOURCES_H
#define VESPER_HTTP_SOURCES_H

#include "http_route.h"
#include "vesper/upload.h"

#define SOURCE_NAME_CHARS        200
#define SOURCE_DESCRIPTION_CHARS 1000

/* NULL: no data can be uploaded here. */
struct uploads *uploads_of(const struct request *r);
/* Of the path, and of the caller's own. False: it has answered. */
bool source_find_own(struct request *r, struct upload_view *out);
const char *source_etag(const struct request *r, const struct upload_view *v);

/* NULL is fine. ERR_INPUT. */
MUST_CHECK bool source_name_check(const char *name, struct err *e);
MUST_CHECK bool source_text_check(const char *name, const char *text, size_t most, struct err *e);

#endif
