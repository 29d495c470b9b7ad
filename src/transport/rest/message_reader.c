/* A message may hold tables of a megabyte, so each read asks for a few messages only. */
#include "message_reader.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"

#define BATCH_MESSAGES    10
#define BATCH_ARENA_BYTES (32 * 1024 * 1024)

void message_reader_init(struct message_reader *m, struct request *r, const char *session_id,
			 const char *after)
{
	*m = (struct message_reader){.request = r};
	memcpy(m->session_id, session_id, UUID_BYTES);
	if (after)
		memcpy(m->after, after, UUID_BYTES);
}

void message_reader_deinit(struct message_reader *m)
{
	op_cancel(&m->op);
	arena_free(&m->arena);
}

static void on_batch(void *owner, const struct message *messages, size_t count, bool has_more,
		     const struct err *e)
{
	struct message_reader *m = owner;

	m->op = NULL;
	if (count > 0)
		memcpy(m->after, messages[count - 1].message_id, UUID_BYTES);
	m->cb(m->owner, messages, count, has_more, e);
}

void message_reader_next(struct message_reader *m, size_t max_count, store_messages_cb cb,
			 void *owner)
{
	assert(!m->op);
	arena_free(&m->arena);
	m->arena = arena_new(BATCH_ARENA_BYTES);
	m->cb = cb;
	m->owner = owner;
	m->op = store_messages(m->request->transport->options.store, m->request->who, m->session_id,
			       *m->after ? m->after : NULL,
			       max_count < BATCH_MESSAGES ? max_count : BATCH_MESSAGES, m->arena,
			       on_batch, m);
}
