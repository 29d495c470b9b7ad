/*
 * The tool that runs a caller's own SELECT. The text goes through the gate and is never used after
 * it: what is sent is what the gate wrote, over views that are cut to the columns the caller may
 * see and, by a bound value, to the rows of the caller's tenant. Nothing of it is kept in a cache,
 * and it has less time than the program's own statements.
 */
#include "tool_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/log.h"

/* The words of the database are for operators: they may repeat values that were met on the way; but
 * for SQLite's missing function, whose name the statement has brought itself. */
static const char *words_for(const struct err *e, const struct language *l, struct arena *a)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_";
	static const char missing[] = "no such function: ";
	const char *name = strstr(e->text, missing);

	if (!name)
		return sentence(l, SAY_TOOL_BAD_SQL, a);
	name += strlen(missing);
	return sentence(l, SAY_TOOL_NO_FUNCTION, a, arena_strndup(a, name, strspn(name, letters)));
}

static void on_rows(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;
	struct result *r = call->result;
	struct table *main;

	call->query = NULL;
	if (e) {
		log_warn("tool.failed", "%s: %s", call->tool->name, e->text);
		r->outcome = tool_outcome_of_db(call, e);
		if (r->outcome.kind == OUTCOME_ERROR && !e->may_retry && e->code != ERR_DENIED) {
			r->outcome.code = TOOL_CODE_BAD_SQL;
			if (!r->outcome.detail)
				r->outcome.detail = words_for(e, r->language, call->arena);
		}
		tool_call_end(call);
		return;
	}
	assert(count == 1);
	main = batches[0].table;
	main->name = "main";
	tool_whole_mark(DB_ROWS_MAX, main);
	result_add_table(r, call->arena, main);
	r->outcome.truncated = main->truncated;
	r->outcome.kind = main->row_count > 0 ? OUTCOME_ROWS : OUTCOME_EMPTY;
	tool_call_end(call);
}

/* The name inside the quotes, if there are any. */
static const char *plain(const char *column, struct arena *a)
{
	return *column == '"' ? arena_strndup(a, column + 1, strlen(column) - 2) : column;
}

static struct source_allow_table allowed_of(const struct gate_read *read, struct arena *a)
{
	size_t n = 0;
	const char **columns;

	while (read->columns[n])
		n++;
	columns = arena_alloc(a, (n + 2) * sizeof(*columns));
	for (size_t i = 0; i < n; i++)
		columns[i] = plain(read->columns[i], a);
	columns[n] = plain(gate_row_column(read->view), a);
	return (struct source_allow_table){read->view->name, columns};
}

const struct source_allow *tool_gate_allow(const struct gate_result *checked, struct arena *a)
{
	static const char *const none[] = {NULL};
	struct source_allow *list = arena_alloc(a, sizeof(*list));
	struct source_allow_table *tables;
	size_t n = 0;

	while (checked->defined[n])
		n++;
	tables = arena_alloc(a, (checked->read_count + n + 1) * sizeof(*tables));
	for (size_t i = 0; i < checked->read_count; i++)
		tables[i] = allowed_of(&checked->reads[i], a);
	for (size_t i = 0; i < n; i++)
		tables[checked->read_count + i] =
			(struct source_allow_table){checked->defined[i], none};
	*list = (struct source_allow){tables, checked->read_count + n};
	return list;
}

static bool send(struct tool_call *call, const struct gate_result *checked)
{
	struct value *values = arena_alloc(call->arena, (checked->tenants + 1) * sizeof(*values));
	struct source_statement statement = {
		.name = call->tool->name,
		.text = checked->sql,
		.values = values,
		.count = checked->tenants,
		.allow = tool_gate_allow(checked, call->arena),
		.sink = {.stats = true},
	};
	bool hurried = call->timeout_ms > 0 && call->timeout_ms < GATE_TIMEOUT_MS;

	for (size_t i = 0; i < checked->tenants; i++)
		values[i] = value_text(call->who->tenant);
	tool_call_send(call, call->source, &statement, 1,
		       hurried ? call->timeout_ms : GATE_TIMEOUT_MS, on_rows);
	return true;
}

/* ---- which source ---- */

static const char *source_of(const struct catalog *c, const struct gate_read *read)
{
	return catalog_view_source(c, read->view->name);
}

static bool check_one_source(const struct catalog *c, const struct gate_result *checked,
			     struct err *e)
{
	for (size_t i = 1; i < checked->read_count; i++)
		if (strcmp(source_of(c, &checked->reads[0]), source_of(c, &checked->reads[i])) != 0)
			return err_set(e, ERR_INPUT,
				       "%s and %s are in different databases; a statement can read "
				       "one of them",
				       checked->reads[0].view->name, checked->reads[i].view->name);
	return true;
}

/* The text is read in each source's dialect: only what it then reads tells whether it is the right
 * one. Where none is, the first refusal is told. */
bool tool_gate_source(const struct catalog *c, const struct source_table *sources,
		      const struct principal *who, struct str sql, struct arena *a,
		      struct source **source, struct gate_result *out, struct err *e)
{
	struct gate_policy policy = catalog_gate_policy(c, who, who->tenant, a);
	struct err first = {0}, why;

	for (size_t i = 0; i < sources->count; i++) {
		struct source *s = sources->items[i];

		if (!s->speaks_sql)
			continue;
		if (!gate_check(&policy, s->dialect, sql, a, out, &why)) {
			if (first.code == ERR_NONE)
				first = why;
			continue;
		}
		if (!check_one_source(c, out, e))
			return false;
		*source = s;
		if (out->read_count == 0 || strcmp(source_of(c, &out->reads[0]), s->name) == 0)
			return true;
	}
	if (first.code == ERR_NONE)
		return err_set(e, ERR_INPUT, "no database has these views");
	*e = first;
	return false;
}

bool tool_gate_run(struct tool_call *call, struct err *e)
{
	const struct toolbox_options *o = &call->box->options;
	const char *sql = args_text(&call->args, call->tool->gate, call->arena);
	struct gate_result checked;

	call->result->any_order = true; /* ORDER BY may leave ties open too */
	if (!tool_gate_source(o->catalog, o->sources, call->who, str_of(sql), call->arena,
			      &call->source, &checked, e)) {
		e->code = ERR_INPUT; /* whoever wrote it can write it otherwise */
		return err_prefix(e, "The SQL is refused");
	}
	call->result->source = call->source->name;
	call->result->needs = catalog_gate_needs(o->catalog, call->tool, &checked, call->arena);
	return send(call, &checked);
}
