/* Saved views: add, list, find, delete. */
#include "vesper/store_saved.h"

#include "store_int.h"

struct saved_call {
	struct call call;
	struct arena *arena;
	bool adding, finding;
	store_saved_cb cb;
	store_done_cb done;
	void *owner;
};

static const char *cell_copy(const struct table *t, size_t row, const char *column, struct arena *a)
{
	return arena_strdup(a, store_cell(t, row, column));
}

static struct saved_view view_from_row(const struct table *t, size_t row, struct arena *a)
{
	return (struct saved_view){
		.saved_id = cell_copy(t, row, "saved_uid", a),
		.user = cell_copy(t, row, "user_id", a),
		.shared = *store_cell(t, row, "is_shared") == '1',
		.title = cell_copy(t, row, "title", a),
		.message_id = cell_copy(t, row, "message_uid", a),
		.view_id = cell_copy(t, row, "view_id", a),
		.call = cell_copy(t, row, "call_text", a),
		.needs = arena_strdup(a, table_cell(t, row, "needs")),
		.created_at = cell_copy(t, row, "created_at", a),
	};
}

static void on_views(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct saved_call *k = list_item(c, struct saved_call, call);
	const struct table *t = !e && count > 0 ? tables[0] : NULL;
	size_t n = t ? t->row_count : 0;
	struct saved_view *list = arena_alloc(k->arena, (n + 1) * sizeof(*list));
	struct err failure;

	for (size_t i = 0; i < n; i++)
		list[i] = view_from_row(t, i, k->arena);
	if (!e && k->adding && n == 0) {
		err_set(&failure, ERR_LIMIT,
			"you have reached the limit of %d saved views; remove one to save another",
			SAVED_VIEWS_PER_USER_MAX);
		e = &failure;
	} else if (!e && k->finding &&
		   !store_require_row(tables, count, 0, "saved view", &failure)) {
		e = &failure;
	}
	k->cb(k->owner, list, n, e);
}

static void on_deleted(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct saved_call *k = list_item(c, struct saved_call, call);
	struct err failure;

	if (!e && !store_require_row(tables, count, 0, "saved view", &failure))
		e = &failure;
	k->done(k->owner, e);
}

static struct saved_call *saved_call(struct store *s, const struct principal *who, struct arena *a,
				     store_saved_cb cb, void *owner)
{
	struct saved_call *k = store_call_new_for(s, who, sizeof(*k));

	k->arena = a;
	k->cb = cb;
	k->owner = owner;
	k->call.finish = on_views;
	return k;
}

struct op *store_saved(struct store *s, const struct principal *who, struct arena *a,
		       store_saved_cb cb, void *owner)
{
	struct saved_call *k = saved_call(s, who, a, cb, owner);

	store_call_int(&k->call, "limit", SAVED_VIEWS_PER_USER_MAX);
	store_call_add(&k->call, "saved_views");
	return store_call_read(&k->call, SAVED_VIEWS_PER_USER_MAX);
}

struct op *store_saved_one(struct store *s, const struct principal *who, const char *saved_id,
			   struct arena *a, store_saved_cb cb, void *owner)
{
	struct saved_call *k = saved_call(s, who, a, cb, owner);

	k->finding = true;
	store_call_flag(&k->call, "anybody");
	store_call_text(&k->call, "saved_id", saved_id);
	store_call_add(&k->call, "saved_view_one");
	return store_call_read(&k->call, 1);
}

struct op *store_saved_add(struct store *s, const struct principal *who,
			   const struct saved_view *view, struct arena *a, store_saved_cb cb,
			   void *owner)
{
	struct saved_call *k = saved_call(s, who, a, cb, owner);
	struct call *c = &k->call;

	k->adding = true;
	store_call_text(c, "saved_id", view->saved_id);
	store_call_int(c, "is_shared", view->shared);
	store_call_text(c, "title", view->title);
	store_call_text(c, "message_id", view->message_id);
	store_call_text(c, "view_id", view->view_id);
	store_call_text(c, "call_text", view->call);
	store_call_int(c, "most", SAVED_VIEWS_PER_USER_MAX);
	store_call_now(c);
	store_call_add(c, "saved_view_insert");
	store_call_add(c, "saved_view_one");
	return store_call_write(c);
}

struct op *store_saved_delete(struct store *s, const struct principal *who, const char *saved_id,
			      store_done_cb cb, void *owner)
{
	struct saved_call *k = store_call_new_for(s, who, sizeof(*k));

	k->done = cb;
	k->owner = owner;
	k->call.finish = on_deleted;
	store_call_text(&k->call, "saved_id", saved_id);
	store_call_add(&k->call, "saved_view_one");
	store_call_add(&k->call, "saved_view_delete");
	return store_call_write(&k->call);
}
