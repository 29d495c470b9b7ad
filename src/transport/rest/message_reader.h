/* Reads a session's messages in batches, so that memory and time per step do not grow with the
 * session. */
#ifndef VESPER_MESSAGE_READER_H
#define VESPER_MESSAGE_READER_H

#include "http/request.h"
#include "vesper/uuid.h"

struct message_reader {
	struct request *request;
	struct op *op;       /* the running read */
	struct arena *arena; /* of the last batch */
	char session_id[UUID_BYTES];
	char after[UUID_BYTES]; /* the last message that was returned; "": none yet */
	store_messages_cb cb;
	void *owner;
};

/* `after` NULL: from the first message. */
void message_reader_init(struct message_reader *m, struct request *r, const char *session_id,
			 const char *after);
void message_reader_deinit(struct message_reader *m);
/* Reads the next messages: at most `max_count`, and at most one batch. Frees the previous batch. */
void message_reader_next(struct message_reader *m, size_t max_count, store_messages_cb cb,
			 void *owner);

#endif
