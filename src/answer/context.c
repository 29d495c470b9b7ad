/* Computes the states of an answer's inputs; see context.h. */
#include "vesper/context.h"

#include "vesper/answer.h"
#include "vesper/clock.h"
#include "vesper/strlist.h"

const char *context_key_name(enum context_key key)
{
	static const char *const names[CONTEXT_KEYS] = {"schema_context", "query_results",
							"history"};

	return names[key];
}

const char *context_status_name(enum context_status status)
{
	static const char *const names[] = {"available", "stale", "pending", "evicted", "missing"};

	return names[status];
}

const char *context_action_name(enum context_action action)
{
	static const char *const names[] = {NULL, "load", "refresh", "ask", "say"};

	return names[action];
}

static enum context_status status_of(const struct context_result *r)
{
	if (r->pending)
		return CONTEXT_PENDING;
	if (!r->found)
		return CONTEXT_MISSING;
	return r->keep_ms > 0 && r->age_ms > r->keep_ms ? CONTEXT_STALE : CONTEXT_AVAILABLE;
}

static size_t count_of(const struct context_input *in, enum context_status status)
{
	size_t n = 0;

	for (size_t i = 0; i < in->result_count; i++)
		n += status_of(&in->results[i]) == status;
	return n;
}

/* A pending or stale result decides for all. If only some results have rows, the others are
 * reported with their outcomes. */
static enum context_status results_status(const struct context_input *in)
{
	if (count_of(in, CONTEXT_PENDING) > 0)
		return CONTEXT_PENDING;
	if (count_of(in, CONTEXT_STALE) > 0)
		return CONTEXT_STALE;
	if (count_of(in, CONTEXT_AVAILABLE) == 0)
		return CONTEXT_MISSING;
	return in->left_out > 0 ? CONTEXT_EVICTED : CONTEXT_AVAILABLE;
}

static void add(struct context_state *out, enum context_key key, enum context_status status,
		enum context_action when_missing)
{
	static const enum context_action actions[] = {
		[CONTEXT_AVAILABLE] = CONTEXT_CONTINUE, [CONTEXT_STALE] = CONTEXT_REFRESH,
		[CONTEXT_PENDING] = CONTEXT_CONTINUE,   [CONTEXT_EVICTED] = CONTEXT_REPORT,
		[CONTEXT_MISSING] = CONTEXT_CONTINUE,
	};

	out->items[out->count++] = (struct context_item){
		key, status, status == CONTEXT_MISSING ? when_missing : actions[status]};
}

void context_read(const struct context_input *in, struct context_state *out)
{
	*out = (struct context_state){0};
	if (in->writes_sql)
		add(out, CONTEXT_SCHEMA, in->views > 0 ? CONTEXT_AVAILABLE : CONTEXT_MISSING,
		    CONTEXT_CONTINUE);
	if (in->wants_results)
		add(out, CONTEXT_RESULTS, results_status(in),
		    in->result_count > 0 ? CONTEXT_CONTINUE : CONTEXT_LOAD);
	if (in->is_followup)
		add(out, CONTEXT_HISTORY,
		    in->has_history && in->history_readable ? CONTEXT_AVAILABLE : CONTEXT_MISSING,
		    CONTEXT_ASK);
}

/* ---- inputs of a turn ---- */

static const struct tool_def *tool_of(const struct answer_turn *t, size_t i)
{
	return catalog_tool(t->core->may.catalog, t->work->results[i]->tool);
}

void answer_context(const struct answer_turn *t, struct context_state *out)
{
	struct context_input in = {
		.views = strlist_len(catalog_views(t->core->may.catalog)),
		.wants_results = t->work->plan != NULL,
		.result_count = t->work->result_count,
		.left_out = t->answer->left_out,
		.is_followup = t->reading->understood.is_followup,
		.has_history = t->context->has_earlier,
		.history_readable = t->context->has_earlier,
	};
	struct context_result *all =
		arena_alloc(t->core->arena, (in.result_count + 1) * sizeof(*all));
	int64_t now = clock_now_ms();

	for (size_t i = 0; i < in.result_count; i++) {
		const struct result *r = t->work->results[i];
		const struct tool_def *tool = tool_of(t, i);

		all[i] = (struct context_result){
			.found = r->outcome.kind == OUTCOME_ROWS,
			.age_ms = r->read_ms ? now - r->read_ms : 0,
			.keep_ms = tool ? tool->cache_s * 1000 : 0,
		};
		in.writes_sql = in.writes_sql || (tool && (tool->gate || tool->map));
	}
	in.results = all;
	context_read(&in, out);
}
