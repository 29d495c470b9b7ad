/*
 * The tool for ad hoc SQL: runs a SELECT of the caller. The SQL gate parses the text; the statement
 * that is sent is written by the gate. Its views contain only columns that the caller may see and,
 * by a bound value, rows of the caller's tenant. Results are not cached, and the time limit is
 * shorter than for our own statements.
 */
#include "tool_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/map.h"

/* Replaces the database's message, which may contain data and is for operators. Exception: SQLite's
 * unknown function, whose name comes from the statement. */
static const char *user_message(const struct err *e, const struct language *l, struct arena *a)
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

/* Adds the facets that can narrow the list, so that the first rows are not mistaken for all. */
static void add_narrowing_fact(struct tool_call *call)
{
	const struct entity_def *n = call->gate_entity;
	const char *names = "";

	for (const struct dimension_def *const *d = n ? n->facets : NULL; d && *d; d++)
		if (map_may_dimension(call->who, *d))
			names = arena_printf(call->arena, "%s%s%s", names, *names ? ", " : "",
					     (*d)->label);
	if (*names)
		result_add_fact(call->result, call->arena,
				(struct fact){.name = RESULT_NARROW_BY, .value = names});
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
				r->outcome.detail = user_message(e, r->language, call->arena);
		}
		tool_call_end(call);
		return;
	}
	assert(count == 1);
	main = batches[0].table;
	main->name = "main";
	/* A result with the protocol's maximum of rows counts as truncated: it may be incomplete.
	 */
	tool_totals_mark(call->gate_rows ? call->gate_rows - 1 : DB_ROWS_MAX, main);
	result_add_table(r, call->arena, main);
	r->outcome.truncated = main->truncated;
	r->outcome.kind = main->row_count > 0 ? OUTCOME_ROWS : OUTCOME_EMPTY;
	if (main->truncated)
		add_narrowing_fact(call);
	tool_call_end(call);
}

/* The name without its quotes. */
static const char *unquoted(const char *column, struct arena *a)
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
		columns[i] = unquoted(read->columns[i], a);
	columns[n] = unquoted(gate_row_column(read->view), a);
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
		.sink = {.rows_max = call->gate_rows, .stats = true},
	};
	bool has_short_timeout = call->timeout_ms > 0 && call->timeout_ms < GATE_TIMEOUT_MS;

	for (size_t i = 0; i < checked->tenants; i++)
		values[i] = value_text(call->who->tenant);
	tool_call_send(call, call->source, &statement, 1,
		       has_short_timeout ? call->timeout_ms : GATE_TIMEOUT_MS, on_rows);
	return true;
}

/* ---- choosing the source ---- */

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
				       "only one of them",
				       checked->reads[0].view->name, checked->reads[i].view->name);
	return true;
}

/* Parses the text in the dialect of each source, since only the views it reads show which source is
 * right. If none fits, the first error is reported. */
bool tool_gate_source(const struct catalog *c, const struct source_table *sources,
		      const struct gate_policy *policy, struct str sql, struct arena *a,
		      struct source **source, struct gate_result *out, struct err *e)
{
	struct err first = {0}, why;

	for (size_t i = 0; i < sources->count; i++) {
		struct source *s = sources->items[i];

		if (!s->supports_sql)
			continue;
		if (!gate_check(policy, s->dialect, sql, a, out, &why)) {
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

/* ---- protocols over the map ---- */

/* Limits the policy to views of packs that declare edges, and to the row limit of the agent's
 * protocol. */
static void apply_protocol(struct tool_call *call, struct gate_policy *policy)
{
	const struct catalog *c = call->box->options.catalog;
	const struct domain_def *d = catalog_domain_of_agent(c, call->result->agent);
	const struct protocol_def *p = d ? schema_protocol(catalog_schema(c), d->pack) : NULL;
	struct gate_view *views =
		arena_alloc(call->arena, (policy->view_count + 1) * sizeof(*views));
	size_t n = 0;

	for (size_t i = 0; i < policy->view_count; i++)
		if (!policy->views[i].is_unmapped)
			views[n++] = policy->views[i];
	policy->views = views;
	policy->view_count = n;
	call->gate_rows = p ? p->select_limit : DB_ROWS_MAX;
	policy->limits.rows = (int64_t)call->gate_rows + 1; /* one more row reveals truncation */
}

/* The entity of the first view that is read. */
static const struct entity_def *entity_read(const struct catalog *c,
					    const struct gate_result *checked)
{
	const struct schema *s = catalog_schema(c);

	for (size_t i = 0; checked->read_count > 0 && i < s->entity_count; i++)
		if (s->entities[i]->kind == ENTITY_LISTED &&
		    strcmp(s->entities[i]->view->name, checked->reads[0].view->name) == 0)
			return s->entities[i];
	return NULL;
}

bool tool_gate_run(struct tool_call *call, struct err *e)
{
	const struct toolbox_options *o = &call->box->options;
	const char *sql = args_text(&call->args, call->tool->gate, call->arena);
	struct gate_policy policy =
		catalog_gate_policy(o->catalog, call->who, call->who->tenant, call->arena);
	struct gate_result checked;

	if (call->tool->callers.by_protocol)
		apply_protocol(call, &policy);
	call->result->any_order = true; /* ORDER BY may leave ties unordered */
	if (!tool_gate_source(o->catalog, o->sources, &policy, str_of(sql), call->arena,
			      &call->source, &checked, e)) {
		e->code = ERR_INPUT; /* the author of the SQL can correct it */
		return err_prefix(e, "The SQL is refused");
	}
	call->gate_entity = entity_read(o->catalog, &checked);
	call->result->source = call->source->name;
	call->result->needs =
		catalog_gate_permissions(o->catalog, call->tool, &checked, call->arena);
	return send(call, &checked);
}
