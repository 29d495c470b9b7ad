/* Approved answers: a tenant's flows, stored as text. */
#include "store_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

struct flows_call {
	struct call call;
	struct arena *arena;
	const char *text;       /* the expected one; NULL: any */
	const char *status;     /* the expected one; NULL: any */
	const char *message_id; /* the expected one of an added flow; NULL: none is added */
	int64_t version;        /* the expected one; 0: any */
	store_flows_cb cb;
	store_flows_stamp_cb stamp;
	store_done_cb done;
	void *owner;
};

static const char *const status_names[] = {
	[FLOW_ACTIVE] = "active",
	[FLOW_STALE] = "stale",
	[FLOW_WITHDRAWN] = "withdrawn",
};

const char *flow_status_name(enum flow_status s)
{
	return status_names[s];
}

/* An unknown name in a damaged file counts as withdrawn. */
static enum flow_status status_of(const char *name)
{
	for (int s = FLOW_ACTIVE; s <= FLOW_WITHDRAWN; s++)
		if (strcmp(status_names[s], name) == 0)
			return (enum flow_status)s;
	return FLOW_WITHDRAWN;
}

static struct stored_flow flow_from_row(const struct table *t, size_t row, struct arena *a)
{
	return (struct stored_flow){
		.name = arena_strdup(a, store_cell(t, row, "name")),
		.version = strtoll(store_cell(t, row, "version"), NULL, 10),
		.text = arena_strdup(a, store_cell(t, row, "text")),
		.fingerprint = arena_strdup(a, table_cell(t, row, "fingerprint")),
		.status = status_of(store_cell(t, row, "status")),
		.why = arena_strdup(a, table_cell(t, row, "why")),
		.message_id = arena_strdup(a, table_cell(t, row, "message_uid")),
		.approved_by = arena_strdup(a, store_cell(t, row, "approved_by")),
		.approved_at = arena_strdup(a, store_cell(t, row, "approved_at")),
		.checked_at = arena_strdup(a, store_cell(t, row, "checked_at")),
	};
}

static void on_flows(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct flows_call *f = list_item(c, struct flows_call, call);
	const struct table *t = !e && count > 0 ? tables[0] : NULL;
	size_t n = t ? t->row_count : 0;
	struct stored_flow *list = arena_alloc(f->arena, (n + 1) * sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = flow_from_row(t, i, f->arena);
	f->cb(f->owner, list, n, e);
}

/* True if the flow is as this call wrote it, so no other writer was first. */
static bool is_as_written(const struct flows_call *f, const struct stored_flow *flow)
{
	return (!f->version || flow->version == f->version) &&
	       (!f->text || strcmp(flow->text, f->text) == 0) &&
	       (!f->status || strcmp(flow_status_name(flow->status), f->status) == 0) &&
	       (!f->message_id ||
		(flow->message_id && strcmp(flow->message_id, f->message_id) == 0));
}

static void on_flow(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct flows_call *f = list_item(c, struct flows_call, call);
	bool found = !e && count > 0 && tables[0]->row_count > 0;
	struct stored_flow flow = {0};
	struct err failure = {0};

	if (found)
		flow = flow_from_row(tables[0], 0, f->arena);
	if (e)
		failure = *e;
	else if (!found && f->message_id)
		err_set(&failure, ERR_LIMIT,
			"the limit of %d approved answers per tenant is reached",
			OVERLAY_FLOWS_MAX);
	else if (!found)
		err_set(&failure, ERR_NOT_FOUND, "no such approved answer");
	else if (!is_as_written(f, &flow))
		err_set(&failure, ERR_BUSY,
			f->message_id ? "an approved answer with this name already exists"
				      : "the approved answer was changed meanwhile");
	f->cb(f->owner, &flow, failure.code == ERR_NONE,
	      failure.code == ERR_NONE ? NULL : &failure);
}

static void on_done(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct flows_call *f = list_item(c, struct flows_call, call);

	(void)tables;
	(void)count;
	f->done(f->owner, e);
}

static void on_stamp(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct flows_call *f = list_item(c, struct flows_call, call);
	const struct table *t = !e && count > 0 && tables[0]->row_count > 0 ? tables[0] : NULL;

	f->stamp(f->owner,
		 t ? arena_printf(c->arena, "%s %s %s", store_cell(t, 0, "flows"),
				  store_cell(t, 0, "newest"), store_cell(t, 0, "versions"))
		   : "",
		 e);
}

static struct flows_call *flow_call_new(struct store *s, const struct principal *who,
					const char *name, struct arena *a, store_flows_cb cb,
					void *owner)
{
	struct flows_call *f = store_call_new_for(s, who, sizeof(*f));

	f->arena = a;
	f->cb = cb;
	f->owner = owner;
	f->call.finish = on_flow;
	store_call_text(&f->call, "name", name);
	return f;
}

struct op *store_flows(struct store *s, const char *tenant, struct arena *a, store_flows_cb cb,
		       void *owner)
{
	struct flows_call *f = store_call_new(s, tenant, sizeof(*f));

	f->arena = a;
	f->cb = cb;
	f->owner = owner;
	f->call.finish = on_flows;
	store_call_add(&f->call, "flows");
	return store_call_read(&f->call, OVERLAY_FLOWS_MAX);
}

struct op *store_flows_stamp(struct store *s, const char *tenant, store_flows_stamp_cb cb,
			     void *owner)
{
	struct flows_call *f = store_call_new(s, tenant, sizeof(*f));

	f->stamp = cb;
	f->owner = owner;
	f->call.finish = on_stamp;
	store_call_add(&f->call, "flows_stamp");
	return store_call_read(&f->call, 1);
}

struct op *store_flow(struct store *s, const struct principal *who, const char *name,
		      struct arena *a, store_flows_cb cb, void *owner)
{
	struct flows_call *f = flow_call_new(s, who, name, a, cb, owner);

	store_call_add(&f->call, "flow_one");
	return store_call_read(&f->call, 1);
}

struct op *store_flow_add(struct store *s, const struct principal *who,
			  const struct stored_flow *flow, struct arena *a, store_flows_cb cb,
			  void *owner)
{
	struct flows_call *f = flow_call_new(s, who, flow->name, a, cb, owner);
	struct call *c = &f->call;

	f->text = arena_strdup(c->arena, flow->text);
	f->message_id = arena_strdup(c->arena, flow->message_id);
	f->version = 1;
	store_call_text(c, "text", flow->text);
	store_call_text(c, "fingerprint", flow->fingerprint);
	store_call_text(c, "message_id", flow->message_id);
	store_call_int(c, "most", OVERLAY_FLOWS_MAX);
	store_call_now(c);
	store_call_add(c, "flow_insert");
	store_call_add(c, "flow_one");
	return store_call_write(c);
}

struct op *store_flow_edit(struct store *s, const struct principal *who, const char *name,
			   const struct flow_edit *edit, struct arena *a, store_flows_cb cb,
			   void *owner)
{
	struct flows_call *f = flow_call_new(s, who, name, a, cb, owner);
	struct call *c = &f->call;

	f->text = arena_strdup(c->arena, edit->text);
	f->status = arena_strdup(c->arena, edit->status);
	f->version = edit->if_version + 1;
	if (edit->text)
		store_call_text(c, "text", edit->text);
	if (edit->fingerprint)
		store_call_text(c, "fingerprint", edit->fingerprint);
	if (edit->status)
		store_call_text(c, "status", edit->status);
	store_call_int(c, "if_version", edit->if_version);
	store_call_now(c);
	store_call_add(c, "flow_update");
	store_call_add(c, "flow_one");
	return store_call_write(c);
}

struct op *store_flow_delete(struct store *s, const struct principal *who, const char *name,
			     store_done_cb cb, void *owner)
{
	struct flows_call *f = flow_call_new(s, who, name, NULL, NULL, owner);

	f->done = cb;
	f->call.finish = on_done;
	store_call_add(&f->call, "flow_delete");
	return store_call_write(&f->call);
}

struct op *store_flow_checked(struct store *s, const char *tenant, const struct stored_flow *flow,
			      store_done_cb cb, void *owner)
{
	struct flows_call *f = store_call_new(s, tenant, sizeof(*f));
	struct call *c = &f->call;

	f->done = cb;
	f->owner = owner;
	c->finish = on_done;
	store_call_text(c, "name", flow->name);
	store_call_text(c, "status", flow_status_name(flow->status));
	store_call_text(c, "why", flow->why);
	if (flow->fingerprint)
		store_call_text(c, "fingerprint", flow->fingerprint);
	store_call_int(c, "if_version", flow->version);
	store_call_now(c);
	store_call_add(c, "flow_checked");
	return store_call_write(c);
}
