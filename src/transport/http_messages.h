/* Messages and sessions as JSON, for lists and exports. */
#ifndef VESPER_HTTP_MESSAGES_H
#define VESPER_HTTP_MESSAGES_H

#include <jansson.h>

#include "vesper/store.h"

/* New references. */
json_t *message_json(const struct message *m);
json_t *session_json(const struct session *s);

#endif
