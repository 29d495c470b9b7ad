/* A session's messages lot by lot, so that a long session takes no more memory or time at once than
 * a short one. */
#ifndef VESPER_MESSAGE_READER_H
#define VESPER_MESSAGE_READER_H

#include "http/request.h"
#include "vesper/uuid.h"

struct message_reader {
	struct request *request;
	struct op *op;       /* a lot is on its way */
	struct arena *arena; /* of the last lot */
	char session_id[UUID_BYTES];
	char after[UUID_BYTES]; /* the last message that was given; "": none yet */
	store_messages_cb cb;
	void *owner;
};

/* `after` NULL: from the first message on. */
void message_reader_init(struct message_reader *m, struct request *r, const char *session_id,
			 const char *after);
void message_reader_deinit(struct message_reader *m);
/* The next messages, `most` and no more than a lot of them. The lot before is gone. */
void message_reader_next(struct message_reader *m, size_t most, store_messages_cb cb, void *owner);

#endif
