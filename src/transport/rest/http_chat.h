/* Questions over HTTP, whatever their clients' wire format: how a turn begins and is followed. */
#ifndef VESPER_HTTP_CHAT_H
#define VESPER_HTTP_CHAT_H

#include "http/request.h"
#include "vesper/turn.h"
#include "vesper/wire.h"

/* How the client gets the answer. */
struct answer_form {
	const struct projection *stream; /* as it comes; NULL: whole */
	const char *opening;             /* of the stream, before its first item; NULL: none */
	/* Whole: writes the answer of a finished turn; false: it failed, which is a problem. NULL:
	 * that of the REST interface. */
	bool (*whole)(const struct stream_log *log, const struct wire_head *head, struct buf *out);
	struct wire_head head; /* texts live as long as the request */
};

/* Starts the turn, or attaches to the one that has its client_msg_id, and answers the request. The
 * session is new or the caller's: another's is refused when its row is written. */
void chat_start(struct request *r, const struct turn_request *turn, const struct answer_form *form);
/* Cancels the turn that a request follows. False: it follows none (yet). */
bool chat_cancel(struct request *r);
/* Streams the log of this id as server-sent events, from where the request says. */
void chat_events(struct request *r, const char *id);
/* Streams a log from behind item `after` on. */
void chat_follow(struct request *r, struct stream_log *log, const struct answer_form *form,
		 uint64_t after);

#endif
