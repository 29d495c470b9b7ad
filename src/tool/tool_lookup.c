/*
 * Lookup of names that only the data contains: a hidden tool runs before the call's own statements,
 * so that these are restricted to one exact name.
 */
#include "tool_int.h"

#include "vesper/limits.h"
#include "vesper/log.h"

static void on_found(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;
	struct outcome refused = {.kind = OUTCOME_ERROR};
	struct table *tables[TOOL_QUERIES_MAX];
	struct err why = {0};

	call->query = NULL;
	if (e) {
		log_warn("tool.failed", "%s: lookup: %s", call->tool->name, e->text);
		call->result->outcome = tool_outcome_of_db(call, e);
		tool_call_end(call);
		return;
	}
	for (size_t i = 0; i < count; i++)
		tables[i] = batches[i].table;
	bool found = call->choose(call, tables, count, &refused);
	source_batches_free(batches, count);
	if (found && tool_sql_run_and_derive(call, call->derive, &why))
		return;
	call->result->outcome = found ? tool_outcome_of(call, &why) : refused;
	tool_call_end(call);
}

bool tool_sql_run_with_lookup(struct tool_call *call, const char *lookup, const struct args *args,
			      tool_lookup_fn choose, tool_derive_fn derive, struct err *e)
{
	const struct toolbox_options *o = &call->box->options;
	const struct tool_def *t = catalog_tool(o->catalog, lookup);
	struct source_statement statements[TOOL_QUERIES_MAX];
	struct source *source;

	if (!t)
		return err_set(e, ERR_INTERNAL, "tool %s does not exist", lookup);
	if (!may(call->who, t->callers.permission))
		return err_set(e, ERR_DENIED, "%s needs %s", lookup, t->callers.permission);
	source = call->box->source[t->index];
	const struct args bound =
		tool_bind(o->catalog, t, args, call->who, call->today, call->arena);
	const struct sql_file *f = t->files[source->dialect];
	for (size_t i = 0; i < f->query_count; i++) {
		struct sql_bound sql;
		if (!sql_render(&f->queries[i], &bound, source->dialect, call->arena, &sql, e))
			return false;
		statements[i] = (struct source_statement){
			.name = arena_printf(call->arena, "%s/%s", t->name, f->queries[i].name),
			.text = sql.text,
			.values = sql.values,
			.count = sql.count,
			.sink = {.stats = true},
		};
	}
	call->choose = choose;
	call->derive = derive;
	tool_call_send(call, source, statements, f->query_count, call->timeout_ms, on_found);
	return true;
}
