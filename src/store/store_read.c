/* Reads messages, alone and by page. One more row than requested is fetched, to know whether there
 * are more. */
#include "store_int.h"

#include <assert.h>

#include "vesper/limits.h"

#define TURN_MESSAGES 2 /* a question and its answer */

struct messages_call {
	struct call call;
	const struct principal *who; /* the reader's current permissions decide what is masked */
	struct arena *arena;         /* the caller's */
	size_t limit;
	bool must_exist;
	store_messages_cb cb;
	void *owner;
};

static void messages_return(struct messages_call *m, const struct table *t)
{
	struct message *messages;
	size_t n = store_messages_from_rows(t, m->who, m->limit, false, m->arena, &messages);

	m->cb(m->owner, messages, n, t->total_rows > (int64_t)n, NULL);
}

static void on_messages(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct messages_call *m = list_item(c, struct messages_call, call);
	struct err failure = {0};

	if (e) {
		m->cb(m->owner, NULL, 0, false, e);
	} else if (m->must_exist && !store_require_row(tables, count, 0, "session", &failure)) {
		m->cb(m->owner, NULL, 0, false, &failure);
	} else {
		messages_return(m, tables[count - 1]);
	}
}

bool store_require_row(struct table *const *tables, size_t count, size_t at, const char *what,
		       struct err *e)
{
	return (at < count && tables[at]->row_count > 0) ||
	       err_set(e, ERR_NOT_FOUND, "no such %s", what);
}

static struct messages_call *messages_new(struct store *s, const struct principal *who,
					  size_t limit, struct arena *a, store_messages_cb cb,
					  void *owner)
{
	struct messages_call *m = store_call_new_for(s, who, sizeof(*m));

	assert(limit > 0 && limit <= STORE_PAGE_MAX);
	m->who = store_principal(who, m->call.arena);
	m->arena = a;
	m->limit = limit;
	m->cb = cb;
	m->owner = owner;
	m->call.finish = on_messages;
	return m;
}

struct op *store_messages(struct store *s, const struct principal *who, const char *session_id,
			  const char *after_id, size_t limit, struct arena *a, store_messages_cb cb,
			  void *owner)
{
	struct messages_call *m = messages_new(s, who, limit, a, cb, owner);

	store_call_text(&m->call, "session_id", session_id);
	m->must_exist = true;
	store_call_int(&m->call, "limit", (int64_t)limit + 1);
	if (after_id)
		store_call_text(&m->call, "after_id", after_id);
	store_call_add(&m->call, "session_one");
	store_call_add(&m->call, "messages_page");
	return store_call_read(&m->call, limit + 1);
}

struct op *store_unsummarized_messages(struct store *s, const struct principal *who,
				       const char *session_id, size_t limit, struct arena *a,
				       store_messages_cb cb, void *owner)
{
	struct messages_call *m = messages_new(s, who, limit, a, cb, owner);

	store_call_text(&m->call, "session_id", session_id);
	store_call_int(&m->call, "limit", (int64_t)limit + 1);
	store_call_add(&m->call, "memory_messages");
	return store_call_read(&m->call, limit + 1);
}

struct op *store_turn_messages(struct store *s, const struct principal *who, const char *message_id,
			       struct arena *a, store_messages_cb cb, void *owner)
{
	struct messages_call *m = messages_new(s, who, TURN_MESSAGES, a, cb, owner);

	m->must_exist = true;
	store_call_text(&m->call, "message_id", message_id);
	store_call_add(&m->call, "messages_of_turn");
	return store_call_read(&m->call, TURN_MESSAGES);
}

struct op *store_own_turn(struct store *s, const struct principal *who, const char *turn_id,
			  struct arena *a, store_messages_cb cb, void *owner)
{
	struct messages_call *m = messages_new(s, who, TURN_MESSAGES, a, cb, owner);

	store_call_text(&m->call, "turn_id", turn_id);
	store_call_add(&m->call, "turn_own");
	return store_call_read(&m->call, TURN_MESSAGES);
}

struct op *store_message(struct store *s, const struct principal *who, const char *message_id,
			 struct arena *a, store_messages_cb cb, void *owner)
{
	struct messages_call *m = messages_new(s, who, 1, a, cb, owner);

	m->must_exist = true;
	store_call_text(&m->call, "message_id", message_id);
	store_call_add(&m->call, "message_one");
	return store_call_read(&m->call, 1);
}

struct op *store_take_turn(struct store *s, const struct principal *who, const char *turn_id,
			   uint64_t fence, const char *message_id, struct arena *a,
			   store_messages_cb cb, void *owner)
{
	struct messages_call *m = messages_new(s, who, 1, a, cb, owner);

	m->must_exist = true;
	store_call_text(&m->call, "turn_id", turn_id);
	store_call_text(&m->call, "replica", s->replica);
	store_call_int(&m->call, "fence", (int64_t)fence);
	store_call_text(&m->call, "message_id", message_id);
	store_call_now(&m->call);
	store_call_add(&m->call, "turn_take");
	store_call_add(&m->call, "message_one");
	return store_call_write(&m->call);
}
