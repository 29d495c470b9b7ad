/* How both wires of the port tell of an error (vesper/codes.h), so that a socket and a REST call
 * that fail for the same reason say the same thing. Pure. */
#ifndef VESPER_PROBLEM_H
#define VESPER_PROBLEM_H

#include <jansson.h>

#include "vesper/codes.h"
#include "vesper/str.h"

/* For a turn whose log is not here: it has expired, never was, or is another user's. The three look
 * the same. */
#define PROBLEM_EXPIRED_LOG                                                                        \
	"This answer can no longer be resumed. Read it among the messages of the conversation."

/* For who asks with a personal access token that is gone. */
#define PROBLEM_REVOKED "This token was revoked or has expired. Sign in, or make another one."

/* RFC 9457. `detail` NULL: the sentence of the table. New reference. */
json_t *problem_json(enum code p, const char *detail, const char *instance, const char *request_id);

/* A chat.error frame outside of any turn (no turn_id, no seq). `message` NULL: the sentence of the
 * table. */
void problem_frame(struct buf *out, enum code p, const char *message, int retry_after_ms);

#endif
