/* Users' feedback on answers. Each answer has at most one entry, which new feedback replaces. */
#include "store_int.h"

#include <assert.h>

#include "vesper/limits.h"

struct feedback_call {
	struct call call;
	struct arena *arena;
	size_t limit;
	bool must_exist;
	store_feedback_cb cb;
	void *owner;
};

static struct feedback feedback_from_row(const struct table *t, size_t row, struct arena *a)
{
	return (struct feedback){
		.message_id = arena_strdup(a, table_cell(t, row, "message_uid")),
		.session_id = arena_strdup(a, table_cell(t, row, "session_id")),
		.user_id = arena_strdup(a, table_cell(t, row, "user_id")),
		.rating = arena_strdup(a, table_cell(t, row, "rating")),
		.comment = arena_strdup(a, table_cell(t, row, "comment")),
		.correction = arena_strdup(a, table_cell(t, row, "correction")),
		.updated_at = arena_strdup(a, table_cell(t, row, "updated_at")),
	};
}

static void on_feedback(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct feedback_call *f = list_item(c, struct feedback_call, call);
	struct feedback *list;
	struct err failure = {0};
	size_t n;

	if (!e && f->must_exist && !store_require_row(tables, count, 0, "answer", &failure))
		e = &failure;
	if (e) {
		f->cb(f->owner, NULL, 0, false, e);
		return;
	}
	assert(count == 1);
	n = tables[0]->row_count < f->limit ? tables[0]->row_count : f->limit;
	list = arena_alloc(f->arena, (n + 1) * sizeof(*list));
	for (size_t i = 0; i < n; i++)
		list[i] = feedback_from_row(tables[0], i, f->arena);
	f->cb(f->owner, list, n, tables[0]->total_rows > (int64_t)n, NULL);
}

static struct feedback_call *feedback_call(struct store *s, const struct principal *who,
					   size_t limit, struct arena *a, store_feedback_cb cb,
					   void *owner)
{
	struct feedback_call *f = store_call_new_for(s, who, sizeof(*f));

	f->arena = a;
	f->limit = limit;
	f->cb = cb;
	f->owner = owner;
	f->call.finish = on_feedback;
	return f;
}

struct op *store_feedback(struct store *s, const struct principal *who,
			  const struct feedback *feedback, struct arena *a, store_feedback_cb cb,
			  void *owner)
{
	struct feedback_call *f = feedback_call(s, who, 1, a, cb, owner);
	struct call *c = &f->call;

	f->must_exist = true;
	store_call_text(c, "message_id", feedback->message_id);
	store_call_text(c, "rating", feedback->rating);
	store_call_text(c, "comment", feedback->comment);
	store_call_text(c, "correction", feedback->correction);
	store_call_now(c);
	store_call_add(c, "feedback_update");
	store_call_add(c, "feedback_insert");
	store_call_add(c, "feedback_one");
	return store_call_write(c);
}

struct op *store_feedback_page(struct store *s, const struct principal *who, const char *rating,
			       const char *after_id, size_t limit, struct arena *a,
			       store_feedback_cb cb, void *owner)
{
	struct feedback_call *f = feedback_call(s, who, limit, a, cb, owner);
	struct call *c = &f->call;

	assert(limit > 0 && limit <= STORE_PAGE_MAX);
	store_call_int(c, "limit", (int64_t)limit + 1);
	if (rating)
		store_call_text(c, "rating", rating);
	if (after_id)
		store_call_text(c, "after_id", after_id);
	store_call_add(c, "feedback_page");
	return store_call_read(c, limit + 1);
}
