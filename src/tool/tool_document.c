/*
 * Tool function for documents and data sources. The source receives the plain arguments and returns
 * passages that the caller may read, or facts about the caller's data sources. The result is an
 * ordinary table. Reading the answer again needs the permissions of its rows.
 */
#include "tool_int.h"

#include <string.h>

#include "vesper/log.h"

static const char *digits(size_t n, struct arena *a)
{
	return arena_printf(a, "%zu", n);
}

static size_t document_count(const struct result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->passages.count; i++) {
		size_t k = 0;

		while (k < i && strcmp(r->passages.items[k].uid, r->passages.items[i].uid) != 0)
			k++;
		n += k == i;
	}
	return n;
}

static void add_fact(struct tool_call *call, const char *name, const char *value)
{
	const struct fact_def *f = tool_fact(call->tool, name);

	if (f)
		result_add_fact(call->result, call->arena,
				(struct fact){.name = f->name,
					      .label = f->label ? f->label : f->name,
					      .value = value,
					      .unit = f->unit});
}

/* Adds the permissions of the shown documents to the tool's permission. */
static void add_needs(struct tool_call *call, const char *const *more)
{
	const char *const *own = call->result->needs;
	size_t n = 0, count = 0;
	const char **all;

	while (own && own[n])
		n++;
	while (more && more[count])
		count++;
	all = arena_alloc(call->arena, (n + count + 1) * sizeof(*all));
	if (n > 0)
		memcpy(all, own, n * sizeof(*all));
	for (size_t i = 0; i < count; i++)
		all[n + i] = arena_strdup(call->arena, more[i]);
	call->result->needs = all;
}

static void add_passages(struct tool_call *call, const struct source_batch *batch)
{
	struct result *r = call->result;
	struct table *t = batch->table;

	t->name = arena_strdup(t->arena, "main");
	tool_describe(t, call->tool, call->box->options.catalog);
	result_add_table(r, call->arena, t);
	r->passages.items = batch->passages;
	r->passages.count = batch->passage_count;
	add_needs(call, batch->needs);
	for (size_t i = 0; i < batch->fact_count; i++)
		add_fact(call, batch->facts[i].name, batch->facts[i].value);
	if (batch->outcome) {
		r->outcome = *batch->outcome;
	} else if (tool_is_own(call->tool)) {
		r->outcome.kind = t->row_count > 0 ? OUTCOME_ROWS : OUTCOME_EMPTY;
	} else if (r->passages.count > 0) {
		r->outcome.kind = OUTCOME_ROWS;
		add_fact(call, "found", digits(r->passages.count, call->arena));
		add_fact(call, "documents", digits(document_count(r), call->arena));
	} else {
		r->outcome = (struct outcome){
			.kind = OUTCOME_EMPTY,
			.detail = sentence(r->language, SAY_DOCUMENTS_NOTHING, call->arena)};
	}
}

static void on_passages(void *owner, struct source_batch *batches, size_t count,
			const struct err *e)
{
	struct tool_call *call = owner;

	call->query = NULL;
	if (e) {
		log_warn("tool.failed", "%s: %s", call->tool->name, e->text);
		call->result->outcome = tool_outcome_of_db(call, e);
		call->result->outcome.code = TOOL_CODE_RETRIEVAL;
	} else if (count > 0) {
		add_passages(call, &batches[0]);
	}
	tool_call_end(call);
}

bool tool_document_run(struct tool_call *call, struct err *e)
{
	const struct source_call request = {.tenant = call->who->tenant,
					    .tool = call->tool->name,
					    .args = &call->args,
					    .who = call->who,
					    .today = call->today,
					    .timeout_ms = call->timeout_ms};

	if (!call->source)
		return err_set_retry(e, ERR_UPSTREAM, "the document source is not configured");
	call->query = call->source->start(call->source, &request, on_passages, call);
	return true;
}
