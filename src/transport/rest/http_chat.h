/* Questions over HTTP in any client's wire format: starts and follows turns. */
#ifndef VESPER_HTTP_CHAT_H
#define VESPER_HTTP_CHAT_H

#include "http/request.h"
#include "vesper/turn.h"
#include "vesper/wire.h"

/* The form of the client's answer. */
struct answer_form {
	const struct projection *stream; /* streamed; NULL: one answer */
	const char *opening;             /* sent before the first item of the stream; NULL: none */
	/* One answer: writes that of a finished turn; false: the turn failed, which is answered as
	 * a problem. NULL: the REST format. */
	bool (*write_response)(const struct stream_log *log, const struct wire_head *head,
			       struct buf *out);
	struct wire_head head; /* texts live as long as the request */
};

/* Starts the turn, or attaches to the one that has its client_msg_id, and answers the request. The
 * session is new or the caller's; another user's session is refused when its row is written. */
void chat_start(struct request *r, const struct turn_request *turn, const struct answer_form *form);
/* Cancels the turn that a request follows. Returns false when it follows none (yet). */
bool chat_cancel(struct request *r);
/* Streams the log of this id as server-sent events, from the requested position. */
void chat_events(struct request *r, const char *id);
/* Streams a log from the item after `after`. */
void chat_follow(struct request *r, struct stream_log *log, const struct answer_form *form,
		 uint64_t after);

#endif
