/*
 * Lifecycle of an agent run: start, steps, cancellation, callback. All data is in the turn's
 * arena; only the model call and the tool calls need to be cancelled.
 */
#include "vesper/agent.h"

#include <assert.h>
#include <string.h>

#include "agent_int.h"

static void on_cancel(struct op *op)
{
	struct agent *a = (struct agent *)op;

	op_cancel(&a->op_model);
	for (size_t i = 0; i < a->call_count; i++)
		op_cancel(&a->calls[i].op);
}

/* Returns true for a rejected call that the model repeated. It is excluded from the results. */
static bool is_corrected(const struct agent_outcome *out, size_t at)
{
	const struct result *r = out->results[at];

	if (r->outcome.kind != OUTCOME_ERROR || r->outcome.retryable)
		return false;
	for (size_t i = at + 1; i < out->result_count; i++)
		if (strcmp(out->results[i]->tool, r->tool) == 0)
			return true;
	return false;
}

static void remove_corrected(struct agent_outcome *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->result_count; i++)
		if (!is_corrected(out, i))
			out->results[n++] = out->results[i];
	out->result_count = n;
}

void agent_run(struct agent *a)
{
	while (a->pending == 0 && a->state != AGENT_DONE) {
		enum agent_state next = agent_rows[a->state].step(a);

		if (next == AGENT_WAIT)
			return;
		assert(agent_rows[a->state].next_states & (1u << next));
		a->state = next;
		a->started = false;
	}
	if (a->state != AGENT_DONE)
		return;
	remove_corrected(&a->out);
	a->cb(a->owner, &a->out, a->err.code != ERR_NONE ? &a->err : NULL);
}

struct op *agent_start(struct llm *llm, struct toolbox *tools, const struct agent_request *request,
		       struct arena *arena, agent_cb cb, void *owner)
{
	struct agent *a = arena_alloc(arena, sizeof(*a));

	assert(llm && tools);
	*a = (struct agent){
		.op = {.cancel = on_cancel},
		.llm = llm,
		.tools = tools,
		.request = *request,
		.arena = arena,
		.cb = cb,
		.owner = owner,
	};
	agent_prepare(a);
	agent_run(a); /* starts the first model call, whose answer arrives later */
	return &a->op;
}
