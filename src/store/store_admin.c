/* Calls for administrators: tool switches, the audit log, deletion of a user's data. */
#include "store_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/log.h"

struct admin_call {
	struct call call;
	store_done_cb cb;
	store_switches_cb switches_cb;
	void *owner;
};

static void on_done(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct admin_call *a = list_item(c, struct admin_call, call);

	(void)tables;
	(void)count;
	a->cb(a->owner, e);
}

/* ---- switches ---- */

static bool is_on(const char *bit)
{
	return bit && (*bit == '1' || *bit == 't' || *bit == 'T');
}

static void on_switches(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct admin_call *a = list_item(c, struct admin_call, call);
	const struct table *t = count > 0 ? tables[0] : NULL;
	size_t n = t ? t->row_count : 0;
	struct tool_switch *list = arena_alloc(c->arena, (n + 1) * sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = (struct tool_switch){
			.agent = store_cell(t, i, "agent_name"),
			.tool = store_cell(t, i, "tool_name"),
			.enabled = is_on(store_cell(t, i, "is_enabled")),
		};
	a->switches_cb(a->owner, list, n, e);
}

struct op *store_switches(struct store *s, const char *tenant, store_switches_cb cb, void *owner)
{
	struct admin_call *a = store_call_new(s, tenant, sizeof(*a));

	a->switches_cb = cb;
	a->owner = owner;
	a->call.finish = on_switches;
	store_call_add(&a->call, "switches");
	return store_call_read(&a->call, SWITCHES_MAX);
}

struct op *store_switch(struct store *s, const struct principal *who,
			const struct tool_switch *change, store_done_cb cb, void *owner)
{
	struct admin_call *a = store_call_new_for(s, who, sizeof(*a));
	struct call *c = &a->call;

	a->cb = cb;
	a->owner = owner;
	c->finish = on_done;
	store_call_text(c, "agent", change->agent);
	store_call_text(c, "tool", change->tool);
	store_call_int(c, "enabled", change->enabled);
	store_call_now(c);
	store_call_add(c, "switch_update");
	store_call_add(c, "switch_insert");
	return store_call_write(c);
}

/* ---- audit ---- */

static void on_audited(void *owner, const struct err *e)
{
	(void)owner;
	if (e)
		log_error("store.audit", "a tool call could not be written to the audit log: %s",
			  e->text);
}

void store_audit(struct store *s, const struct principal *who, const struct audit_entry *entry)
{
	struct admin_call *a = store_call_new_for(s, who, sizeof(*a));
	struct call *c = &a->call;

	a->cb = on_audited;
	c->finish = on_done;
	c->group_commit = true;
	store_call_text(c, "turn_id", entry->turn_id);
	store_call_text(c, "agent", entry->agent);
	store_call_text(c, "tool", entry->tool);
	store_call_text(c, "outcome", entry->outcome);
	store_call_int(c, "row_count", entry->rows);
	store_call_int(c, "duration_ms", entry->duration_ms);
	store_call_now(c);
	store_call_add(c, "audit_insert");
	store_call_write(c);
}

/* ---- a user's data ---- */

struct op *store_user_delete(struct store *s, const struct principal *who, const char *user,
			     store_done_cb cb, void *owner)
{
	struct admin_call *a = store_call_new_for(s, who, sizeof(*a));
	struct call *c = &a->call;

	a->cb = cb;
	a->owner = owner;
	c->finish = on_done;
	c->secure_delete = true;
	store_call_text(c, "of_user", user);
	store_call_add(c, "user_delete_feedback");
	store_call_add(c, "user_delete_summaries");
	store_call_add(c, "user_delete_receipts");
	store_call_add(c, "user_delete_messages");
	store_call_add(c, "user_delete_idempotency");
	store_call_add(c, "user_delete_tokens");
	store_call_add(c, "user_delete_turns");
	store_call_add(c, "user_delete_saved");
	store_call_add(c, "user_delete_sessions");
	store_call_now(c);
	store_call_add(c, "user_delete_sources");
	store_call_add(c, "user_leave_sources");
	return store_call_write(c);
}
