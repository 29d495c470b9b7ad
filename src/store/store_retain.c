/*
 * Deletes old data, one batch per call, since a long transaction would delay every turn. Messages
 * are deleted with the rows that depend on them, sessions once they are empty.
 */
#include "store_int.h"

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"

#define DAY_MS INT64_C(86400000)

struct retain_call {
	struct call call;
	struct retention retention;
	size_t messages; /* deleted by this call */
	store_retain_cb cb;
	void *owner;
};

static struct retain_call *retain_of(struct call *c)
{
	return list_item(c, struct retain_call, call);
}

static void set_before(struct call *c, int64_t age_ms)
{
	store_call_time(c, "before", clock_now_ms() - age_ms);
}

/* Statements that return rows report that more is left. */
static void on_deleted(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct retain_call *r = retain_of(c);
	bool left = false;

	for (size_t i = 0; i < count; i++)
		left = left || tables[i]->row_count > 0;
	if (r->messages > 0 && !e)
		log_info("store.retention", "tenant %s: %zu old messages deleted", c->tenant,
			 r->messages);
	r->cb(r->owner, !e && (r->messages == RETAIN_BATCH || left), e);
}

static void add_messages(struct call *c, const struct table *old)
{
	struct value ids[RETAIN_BATCH];
	size_t n = old ? old->row_count : 0;

	for (size_t i = 0; i < n; i++)
		ids[i] = value_text(arena_strdup(c->arena, store_cell(old, i, "message_uid")));
	retain_of(c)->messages = n;
	if (n > 0) {
		args_set_list(&c->args, c->arena, "ids", ids, n);
		store_call_add(c, "retain_delete_feedback");
		store_call_add(c, "retain_delete_messages");
	}
	set_before(c, retain_of(c)->retention.messages_days * DAY_MS);
	store_call_add(c, "retain_delete_summaries");
	store_call_add(c, "retain_delete_sessions");
}

static void delete_start(struct call *c, const struct table *old_messages)
{
	const struct retention *retention = &retain_of(c)->retention;

	store_call_clear(c);
	if (retention->messages_days > 0)
		add_messages(c, old_messages);
	if (retention->audit_days > 0) {
		set_before(c, retention->audit_days * DAY_MS);
		store_call_add(c, "retain_delete_audit");
		store_call_add(c, "retain_audit_left");
	}
	if (retention->receipts_days > 0) {
		set_before(c, retention->receipts_days * DAY_MS);
		store_call_add(c, "retain_receipts");
		store_call_add(c, "retain_receipts_left");
	}
	set_before(c, IDEMPOTENT_LIFE_MS);
	store_call_add(c, "retain_delete_idempotency");
	set_before(c, TURN_ROW_TTL_MS);
	store_call_add(c, "retain_delete_turns");
	c->finish = on_deleted;
	c->secure_delete = true;
	store_call_write(c);
}

static void on_old_messages(struct call *c, struct table **tables, size_t count,
			    const struct err *e)
{
	struct retain_call *r = retain_of(c);

	if (e)
		r->cb(r->owner, false, e);
	else
		delete_start(c, count > 0 ? tables[0] : NULL);
}

struct op *store_retain(struct store *s, const char *tenant, const struct retention *retention,
			store_retain_cb cb, void *owner)
{
	struct retain_call *r = store_call_new(s, tenant, sizeof(*r));
	struct call *c = &r->call;

	r->retention = *retention;
	r->cb = cb;
	r->owner = owner;
	store_call_int(c, "limit", RETAIN_BATCH);
	if (retention->messages_days > 0) {
		set_before(c, retention->messages_days * DAY_MS);
		store_call_add(c, "retain_messages");
		c->finish = on_old_messages;
		store_call_read(c, RETAIN_BATCH);
	} else {
		delete_start(c, NULL);
	}
	return &c->op;
}
