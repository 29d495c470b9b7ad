/* Formats errors (vesper/codes.h) for WebSocket and REST, so that both give the same error for the
 * same reason. Pure. */
#ifndef VESPER_PROBLEM_H
#define VESPER_PROBLEM_H

#include <jansson.h>

#include "vesper/codes.h"
#include "vesper/str.h"

/* For a turn whose log does not exist, has expired, or belongs to another user. The three cases
 * look the same to the caller. */
#define PROBLEM_EXPIRED_LOG                                                                        \
	"This answer can no longer be resumed. Read it among the messages of the conversation."

/* For a caller whose personal access token was revoked or has expired. */
#define PROBLEM_REVOKED "This token was revoked or has expired. Sign in, or create another token."

/* RFC 9457. `detail` NULL: the sentence of the code table. New reference. */
json_t *problem_json(enum code p, const char *detail, const char *instance, const char *request_id);

/* A chat.error frame outside of any turn (no turn_id, no seq). `message` NULL: the sentence of the
 * code table. */
void problem_frame(struct buf *out, enum code p, const char *message, int retry_after_ms);

#endif
