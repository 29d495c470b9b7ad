/*
 * The gate of every tool call, and the end of the call. Permission, agent and arguments are checked
 * here before any database access. The caller always gets one result, through its callback and
 * never from inside tool_start.
 */
#include "tool_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/metric.h"
#include "vesper/store.h"
#include "vesper/strlist.h"

struct outcome tool_outcome_of(const struct tool_call *call, const struct err *e)
{
	struct outcome o = {.kind = OUTCOME_ERROR, .retryable = e->may_retry};

	if (e->code == ERR_TIMEOUT)
		o = (struct outcome){.kind = OUTCOME_TIMEOUT, .retryable = true};
	else if (e->code == ERR_DENIED)
		o = (struct outcome){.kind = OUTCOME_NOT_PERMITTED};
	else if (e->code == ERR_INPUT)
		o.detail = arena_strdup(call->arena, e->text);
	else if (e->code == ERR_LIMIT)
		o.detail = sentence(call->result->language, SAY_TOOL_BUSY, call->arena);
	return o;
}

struct outcome tool_outcome_of_db(const struct tool_call *call, const struct err *e)
{
	if (e->code != ERR_DENIED)
		return tool_outcome_of(call, e);
	return (struct outcome){
		.kind = OUTCOME_ERROR,
		.detail = sentence(call->result->language, SAY_TOOL_DENIED, call->arena),
	};
}

/* ---- end of a call ---- */

static void count_outcome(const struct tool_call *call)
{
	static const struct metric calls = {
		.name = "vesper_tool_calls_total",
		.help = "Tool calls, by outcome.",
		.labels = {"tool", "outcome"},
	};
	static const struct metric duration = {
		.name = "vesper_tool_duration_microseconds",
		.help = "Duration of a tool call, from its start to its result.",
		.kind = METRIC_HISTOGRAM,
		.labels = {"tool"},
		.bounds = {100, 1000, 5000, 25000, 100000, 500000, 2000000, 10000000},
	};
	const char *const values[] = {call->tool ? call->tool->name : "unknown",
				      outcome_name(call->result->outcome.kind)};

	metric_add(&calls, values, 1);
	metric_observe(&duration, values, clock_mono_us() - call->began_us);
}

/* Logs the caller, the tool and the outcome, also of refused and cancelled calls. */
static void audit(const struct tool_call *call, const char *outcome)
{
	const struct result *r = call->result;
	const struct audit_entry entry = {
		.turn_id = call->turn_id,
		.agent = call->is_probe ? "recovery" : r->agent,
		.tool = r->tool,
		.outcome = outcome,
		.rows = r->table_count > 0 ? r->tables[0]->total_rows : 0,
		.duration_ms = (clock_mono_us() - call->began_us) / 1000,
	};

	if (call->box->options.store)
		store_audit(call->box->options.store, call->who, &entry);
}

static void record_statement(const struct tool_call *call, const struct source_statement *s)
{
	struct value *values = arena_alloc(call->arena, (s->count + 1) * sizeof(*values));

	for (size_t i = 0; i < s->count; i++) {
		values[i] = s->values[i];
		values[i].text = arena_strdup(call->arena, s->values[i].text);
	}
	result_add_statement(call->result, call->arena,
			     (struct result_statement){
				     .name = arena_strdup(call->arena, s->name),
				     .text = arena_strdup(call->arena, s->text),
				     .values = values,
				     .count = s->count,
			     });
}

void tool_call_send(struct tool_call *call, struct source *source,
		    const struct source_statement *statements, size_t count, int64_t timeout_ms,
		    source_cb cb)
{
	const struct source_call request = {
		.tenant = call->who->tenant,
		.statements = statements,
		.count = count,
		.timeout_ms = timeout_ms,
	};

	for (size_t i = 0; i < count; i++)
		record_statement(call, &statements[i]);
	call->query = source->start(source, &request, cb, call);
}

/* Returns true when an equal call gives an equal result, so that hashes can be compared. */
static bool has_stable_hash(const struct result *r)
{
	return r->outcome.kind != OUTCOME_ERROR && r->outcome.kind != OUTCOME_TIMEOUT &&
	       !(r->any_order && r->outcome.truncated);
}

/* The SQL that was sent, now or when the result was cached, without its values. */
static const char *sql_of(const struct tool_call *call)
{
	const struct result *r = call->result;
	struct buf text;
	const char *sql = NULL;

	if (r->statement_count == 0 || !may(call->who, "chat:view_sql"))
		return NULL;
	buf_init(&text, SQL_FILE_BYTES_MAX);
	for (size_t i = 0; i < r->statement_count; i++) {
		buf_str(&text, i ? ";\n\n" : "");
		buf_str(&text, r->statements[i].text);
	}
	if (!buf_over(&text))
		sql = arena_strdup(call->arena, buf_text(&text));
	buf_deinit(&text);
	return sql;
}

void tool_call_end(struct tool_call *call)
{
	struct result *r = call->result;
	bool is_read_now = r->read_ms == 0; /* a cached result already has its time and hash */

	call->query = NULL;
	if (is_read_now)
		r->read_ms = clock_now_ms();
	if (!tool_work_start(call, is_read_now && has_stable_hash(r)))
		tool_call_finish(call);
}

void tool_call_finish(struct tool_call *call)
{
	call->result->duration_us = clock_mono_us() - call->began_us;
	call->result->sql = sql_of(call);
	tool_call_cache(call);
	count_outcome(call);
	audit(call, outcome_name(call->result->outcome.kind));
	if (call->box->options.hide_existence &&
	    call->result->outcome.kind == OUTCOME_NOT_PERMITTED)
		call->result->outcome = (struct outcome){.kind = OUTCOME_EMPTY};
	call->cb(call->owner, call->result);
}

static void on_ended_early(void *owner)
{
	tool_call_end(owner);
}

static void defer_end(struct tool_call *call, struct outcome outcome)
{
	call->result->outcome = outcome;
	loop_defer(call->box->options.loop, &call->deferred, on_ended_early, call);
}

static void on_cancelled(struct op *op)
{
	struct tool_call *call = (struct tool_call *)op;

	op_cancel(&call->query);
	deferred_cancel(&call->deferred);
	tool_work_detach(call);
	audit(call, "cancelled");
}

/* ---- the gate ---- */

/* A model may only call tools that it was shown; code may also call hidden ones. */
static bool is_allowed(const struct tool_call *call, const struct tool_request *request)
{
	return catalog_agent_for(call->box->options.catalog, call->tool, call->who,
				 request->agent) &&
	       (call->tool->callers.visible || !request->args ||
		(call->tool->callers.agents_only && request->agent));
}

/* The permissions needed to read the answer again later. */
static const char *const *needs_of(const struct tool_call *call)
{
	const struct tool_def *tool = call->tool;
	const char **needs = arena_alloc(call->arena, (tool->column_count + 2) * sizeof(*needs));
	size_t n = 0;

	if (tool->callers.permission)
		needs[n++] = tool->callers.permission;
	for (size_t i = 0; i < tool->column_count; i++) {
		const char *permission = tool->columns[i].permission;
		if (permission && may(call->who, permission) && !strlist_has(needs, permission))
			needs[n++] = permission;
	}
	return needs;
}

static const struct derive_context *context_of(const struct tool_call *call,
					       const struct tool_request *request)
{
	const struct pack_factors *f =
		catalog_factors(call->box->options.catalog, call->tool->pack);
	struct derive_context *c = arena_alloc(call->arena, sizeof(*c));

	*c = (struct derive_context){
		.today = request->today,
		.now_ms = clock_question_ms(),
		.factors = f ? f->items : NULL,
	};
	return c;
}

static void describe(struct tool_call *call, const struct tool_request *request)
{
	struct result *r = call->result;

	/* The catalogue outlives the turn: the owner of the toolbox has a reference. */
	r->language = call->box->options.catalog->language;
	r->call = arena_strdup(call->arena, request->call);
	r->agent = arena_strdup(call->arena, request->agent);
	r->tool = arena_strdup(call->arena, request->tool);
	if (!call->tool)
		return;
	r->about = call->tool->about;
	r->units = &call->box->options.catalog->units;
	r->reports = call->tool->reports;
	r->source = call->tool->source;
	r->needs = needs_of(call);
	r->answer = call->tool->words.answer;
	r->suggest = call->tool->words.suggest;
	r->context = context_of(call, request);
}

void tool_call_run(struct tool_call *call)
{
	const struct toolbox *b = call->box;
	struct outcome refused;
	struct err e = {0};

	if (b->run[call->tool->index](call, &e)) {
		assert(call->query); /* a tool function starts a query or fails */
		return;
	}
	log_warn("tool.failed", "%s: %s", call->tool->name, e.text);
	refused = call->refused ? *call->refused : tool_outcome_of(call, &e);
	if (call->tool->gate && e.code == ERR_INPUT)
		refused.code = TOOL_CODE_BAD_SQL;
	defer_end(call, refused);
}

/* Records the original arguments, since the tool's function may add others. */
static void run(struct tool_call *call)
{
	for (size_t i = 0; i < call->args.count; i++) {
		const struct arg *arg = &call->args.items[i];

		if (arg->is_list)
			args_set_list(&call->result->asked, call->arena, arg->name, arg->values,
				      arg->count);
		else
			args_set(&call->result->asked, call->arena, arg->name, arg->values[0]);
	}
	tool_call_run_cached(call);
}

static struct outcome not_permitted(const struct tool_call *call)
{
	const char *permission = call->tool->callers.permission;
	struct outcome o = {.kind = OUTCOME_NOT_PERMITTED};

	if (permission && !may(call->who, permission))
		o.detail = sentence(call->result->language, SAY_TOOL_PERMISSION, call->arena,
				    permission_words(permission, call->arena));
	return o;
}

struct op *tool_start(struct toolbox *b, const struct tool_request *request, struct arena *a,
		      tool_cb cb, void *owner)
{
	struct tool_call *call = arena_alloc(a, sizeof(*call));
	struct outcome refused;

	*call = (struct tool_call){
		.op = {.cancel = on_cancelled},
		.box = b,
		.tool = catalog_tool(b->options.catalog, request->tool),
		.who = request->who,
		.turn_id = request->turn_id,
		.is_probe = request->is_probe,
		.today = request->today,
		.timeout_ms = request->timeout_ms,
		.rows_max = request->rows_max,
		.model = request->model,
		.arena = a,
		.result = result_new(a),
		.began_us = clock_mono_us(),
		.cb = cb,
		.owner = owner,
	};
	if (call->tool)
		call->source = b->source[call->tool->index];
	describe(call, request);
	if (!call->tool)
		defer_end(call, (struct outcome){.kind = OUTCOME_ERROR,
						 .detail = sentence(call->result->language,
								    SAY_TOOL_NONE, a)});
	else if (!is_allowed(call, request))
		defer_end(call, not_permitted(call));
	else if (!tool_args_read(call, request->args, request->bound, &refused))
		defer_end(call, refused);
	else
		run(call);
	return &call->op;
}

/* ---- for tool functions ---- */

const struct args *tool_args(const struct tool_call *call)
{
	return &call->args;
}

struct date tool_today(const struct tool_call *call)
{
	return call->today;
}

struct arena *tool_arena(struct tool_call *call)
{
	return call->arena;
}

void tool_arg_set(struct tool_call *call, const char *name, struct value v)
{
	args_set(&call->args, call->arena, name, v);
}

void tool_arg_remove(struct tool_call *call, const char *name)
{
	struct args *args = &call->args;
	size_t kept_count = 0;

	for (size_t i = 0; i < args->count; i++)
		if (strcmp(args->items[i].name, name) != 0)
			args->items[kept_count++] = args->items[i];
	args->count = kept_count;
}
