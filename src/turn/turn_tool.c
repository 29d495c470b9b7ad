/*
 * Tool call by a program: no session, no message, no model. It passes the same gate as a turn's
 * calls and leaves the same records: the audit log and a receipt. The receipt is stored before the
 * result is returned.
 */
#include "turn_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

struct tool_call {
	struct op op;
	struct list node;
	struct turns *all;
	struct knowledge *knowledge; /* keeps the tools alive across a reload */
	const struct principal *who; /* Borrowed, like the arena */
	struct arena *arena;
	struct date today;
	/* The tool, then the store; NULL: refused, reported by the deferred callback. */
	struct op *run;
	struct deferred deferred;
	struct err refused;
	const struct result *result;
	const struct receipt *receipt;
	tool_called_cb cb;
	void *owner;
};

static void tool_call_free(struct tool_call *x)
{
	list_remove(&x->node);
	x->all->outside_operations--;
	knowledge_unref(&x->knowledge);
	mem_free(x);
}

static void on_cancel(struct op *op)
{
	struct tool_call *x = (struct tool_call *)op;

	op_cancel(&x->run);
	deferred_cancel(&x->deferred);
	tool_call_free(x);
}

static void end(struct tool_call *x, const struct err *e)
{
	x->cb(x->owner, e ? NULL : x->result, x->receipt && !e ? x->receipt->receipt_id : NULL, e);
	tool_call_free(x);
}

static void on_refused(void *owner)
{
	struct tool_call *x = owner;

	end(x, &x->refused);
}

static void on_stored(void *owner, const struct err *e)
{
	struct tool_call *x = owner;

	x->run = NULL;
	end(x, e);
}

static void on_result(void *owner, struct result *r)
{
	struct tool_call *x = owner;

	x->run = NULL;
	x->result = r;
	x->receipt = call_receipt(x->knowledge->set.catalog, x->who, x->today, r, x->arena);
	if (x->receipt)
		x->run = store_receipt(x->all->store, x->who, x->receipt, on_stored, x);
	else
		end(x, NULL);
}

static bool admit(const struct turns *all, const struct principal *who, struct err *e)
{
	size_t count = 0, by_user = 0;

	if (all->draining)
		return err_set_retry(e, ERR_CANCELLED, "the server is restarting");
	list_each(node, (struct list *)&all->calls) {
		count++;
		by_user += principal_same_user(list_item(node, struct tool_call, node)->who, who);
	}
	if (by_user >= TOOL_CALLS_PER_USER_MAX)
		return err_set_retry(e, ERR_LIMIT, "%d calls of this user are running",
				     TOOL_CALLS_PER_USER_MAX);
	if (count >= TOOL_CALLS_MAX)
		return err_set_retry(e, ERR_LIMIT, "%d calls are running", TOOL_CALLS_MAX);
	return true;
}

static struct op *start(const struct tool_call *x, const struct tool_call_request *w, void *owner)
{
	const struct catalog *c = x->knowledge->set.catalog;
	const struct tool_request request = {
		.call = "c1",
		.agent = catalog_agent_for(c, catalog_tool(c, w->tool), w->who, NULL),
		.tool = w->tool,
		.args = w->args,
		.who = w->who,
		.today = x->today,
	};

	return tool_start(x->knowledge->set.tools, &request, x->arena, on_result, owner);
}

struct op *turns_call_tool(struct turns *all, const struct tool_call_request *wanted,
			   struct arena *a, tool_called_cb cb, void *owner)
{
	struct tool_call *x = mem_alloc(sizeof(*x));

	*x = (struct tool_call){
		.op = {.cancel = on_cancel},
		.all = all,
		.knowledge = turn_knowledge_ref(all, wanted->who->tenant),
		.who = wanted->who,
		.arena = a,
		.today = turn_today(all, wanted->who->tenant),
		.cb = cb,
		.owner = owner,
	};
	all->outside_operations++;
	if (admit(all, wanted->who, &x->refused))
		x->run = start(x, wanted, x);
	else
		loop_defer(all->loop, &x->deferred, on_refused, x);
	list_append(&all->calls, &x->node);
	return &x->op;
}
