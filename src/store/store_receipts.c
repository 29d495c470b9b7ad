/* Stores receipts without an answer. Reads receipts to verify a chain, and for the user who got the
 * answer. */
#include "store_int.h"

#include <assert.h>
#include <stdlib.h>

#include "vesper/limits.h"

struct receipts_call {
	struct call call;
	struct arena *arena;
	const char *tenant;
	store_receipts_cb cb;
	void *owner;
};

static const char *text_at(const struct receipts_call *r, const struct table *t, size_t row,
			   const char *column)
{
	return arena_strdup(r->arena, table_cell(t, row, column));
}

/* A text that every record has, unless it was tampered with. */
static const char *required_text_at(const struct receipts_call *r, const struct table *t,
				    size_t row, const char *column)
{
	const char *text = text_at(r, t, row, column);

	return text ? text : "";
}

static struct receipt receipt_at(const struct receipts_call *r, const struct table *t, size_t row)
{
	const char *number = table_cell(t, row, "receipt_no");

	return (struct receipt){
		.tenant = r->tenant,
		.number = number ? strtoll(number, NULL, 10) : 0,
		.receipt_id = required_text_at(r, t, row, "receipt_id"),
		.created_at = required_text_at(r, t, row, "created_at"),
		.leaves = required_text_at(r, t, row, "leaves"),
		.content_hash = required_text_at(r, t, row, "content_hash"),
		.previous_hash = required_text_at(r, t, row, "previous_hash"),
		.hash = required_text_at(r, t, row, "hash"),
		.content = text_at(r, t, row, "content"),
		.message_id = text_at(r, t, row, "message_uid"),
		.session_id = text_at(r, t, row, "session_id"),
		.user = text_at(r, t, row, "user_id"),
		.answer = text_at(r, t, row, "answer"),
	};
}

static void on_receipts(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct receipts_call *r = list_item(c, struct receipts_call, call);
	size_t n = count > 0 ? tables[0]->row_count : 0;
	struct receipt *list = arena_alloc(r->arena, (n + 1) * sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = receipt_at(r, tables[0], i);
	r->cb(r->owner, list, n, e);
}

static struct receipts_call *receipts_call(struct store *s, const char *tenant, size_t limit,
					   struct arena *a, store_receipts_cb cb, void *owner)
{
	struct receipts_call *r = store_call_new(s, tenant, sizeof(*r));

	assert(limit > 0 && limit <= RECEIPTS_PAGE_MAX);
	r->arena = a;
	r->tenant = arena_strdup(a, tenant);
	r->cb = cb;
	r->owner = owner;
	r->call.finish = on_receipts;
	store_call_int(&r->call, "limit", (int64_t)limit);
	return r;
}

struct op *store_receipts(struct store *s, const char *tenant, const struct receipts_page *page,
			  struct arena *a, store_receipts_cb cb, void *owner)
{
	struct receipts_call *r = receipts_call(s, tenant, page->limit, a, cb, owner);

	if (page->receipt_id)
		store_call_text(&r->call, "receipt_id", page->receipt_id);
	if (page->user)
		store_call_text(&r->call, "of_user", page->user);
	if (page->after_number > 0)
		store_call_int(&r->call, "after_no", page->after_number);
	store_call_add(&r->call, "receipts_page");
	return store_call_read(&r->call, page->limit);
}

struct op *store_receipts_missing(struct store *s, const char *tenant, struct arena *a,
				  store_receipts_cb cb, void *owner)
{
	struct receipts_call *r = receipts_call(s, tenant, RECEIPTS_PAGE_MAX, a, cb, owner);

	store_call_add(&r->call, "receipts_missing");
	return store_call_read(&r->call, RECEIPTS_PAGE_MAX);
}

/* ---- a receipt without an answer ---- */

struct storing {
	struct call call;
	struct chain_link link;
	store_done_cb cb;
	void *owner;
};

static void on_stored(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct storing *s = list_item(c, struct storing, call);
	bool stored = count > 0 && tables[count - 1]->row_count > 0;
	struct err failure = {0};

	if (store_chain_retry(&s->link, stored, e && e->code != ERR_BUSY))
		return;
	if (!e && !stored)
		err_set_retry(&failure, ERR_BUSY,
			      "the receipt could not be stored: other processes appended to the "
			      "chain first in %d attempts",
			      RECEIPT_ATTEMPTS_MAX);
	s->cb(s->owner, failure.code != ERR_NONE ? &failure : e);
}

static void on_position(struct chain_link *link)
{
	store_call_add(link->call, "receipt_stored");
}

struct op *store_receipt(struct store *s, const struct principal *who, const struct receipt *r,
			 store_done_cb cb, void *owner)
{
	struct storing *x = store_call_new_for(s, who, sizeof(*x));

	x->cb = cb;
	x->owner = owner;
	x->call.finish = on_stored;
	x->link = (struct chain_link){
		.call = &x->call, .insert = "receipt_insert_alone", .add = on_position};
	return store_chain_join(&x->link, r);
}
