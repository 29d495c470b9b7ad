/* Messages and sessions as JSON, for lists and exports. */
#ifndef VESPER_HTTP_MESSAGES_H
#define VESPER_HTTP_MESSAGES_H

#include <jansson.h>

#include "vesper/store.h"
#include "vesper/str.h"

/* Values stored as JSON are sent as they are, with unchanged digits. */
void message_add(struct buf *out, const struct message *m);
/* New reference. */
json_t *session_json(const struct session *s);

#endif
