/*
 * Checks a pack's flows against the catalogue: all names exist and have the right type, so a loaded
 * flow can only fail on its data.
 */
#include "catalog_int.h"

#include <stdarg.h>
#include <string.h>

#include "vesper/component.h"
#include "vesper/condition.h"
#include "vesper/decimal.h"
#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/limits.h"

struct checker {
	const struct catalog *c;
	struct flow_def *flow;
	struct flow_line *line; /* line being checked */
	struct arena *arena;
	struct err *e;
};

/* Relative days are checked as if counted from this day. */
static const struct date reference_day = {2026, 1, 1};

static bool fail(const struct checker *k, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(const struct checker *k, const char *fmt, ...)
{
	va_list args;
	const char *what;

	va_start(args, fmt);
	what = arena_vprintf(k->arena, fmt, args);
	va_end(args);
	return err_set(k->e, ERR_INPUT, "%s:%d: %s", k->flow->path, k->line ? k->line->line : 1,
		       what);
}

/* ---- references ---- */

static const struct column_def *find_column(const struct tool_def *t, const char *name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (ref_names_match(t->columns[i].name, name))
			return &t->columns[i];
	return NULL;
}

static bool is_main_table(const char *table)
{
	return !*table || strcmp(table, "rows") == 0;
}

static bool check_table(const struct checker *k, const struct flow_line *task, const char *table)
{
	if (!task->tool)
		return fail(k, "%s belongs to an agent: only its row_count and outcome are known",
			    task->id);
	if (is_main_table(table))
		return true;
	return (sql_file_query(task->tool->files[0], table) && !tool_frame(task->tool, table)) ||
	       fail(k, "%s returns no table %s", task->tool->name, table);
}

static bool check_column(const struct checker *k, const struct flow_line *task, const char *table,
			 const char *column)
{
	const struct sql_query *query;

	if (!check_table(k, task, table))
		return false;
	query = is_main_table(table) ? NULL : sql_file_query(task->tool->files[0], table);
	if (find_column(task->tool, column) || (query && sql_query_has_quoted_name(query, column)))
		return true;
	return fail(k, "%s returns no column %s", task->tool->name, column);
}

/* `allow_set`: the reference may also be a result set. */
static bool check_any_ref(const struct checker *k, const char *text, bool allow_set,
			  struct ref *out)
{
	const struct flow_line *task;
	struct err why = {0};

	if (!(allow_set ? ref_parse_any : ref_parse)(text, out, &why))
		return fail(k, "%s", why.text);
	task = flow_task(k->flow, out->source);
	if (!task)
		return fail(k, "unknown task %s", out->source);
	if (out->kind == REF_CELL || out->kind == REF_COLUMN)
		return check_column(k, task, out->table, out->name);
	if (out->kind == REF_TABLE)
		return check_table(k, task, out->table);
	if (out->kind != REF_FACT)
		return true;
	if (!task->tool)
		return fail(k, "%s belongs to an agent: only its row_count and outcome are known",
			    task->id);
	return tool_fact(task->tool, out->name) ||
	       fail(k, "%s has no fact %s", task->tool->name, out->name);
}

static bool check_ref(const struct checker *k, const char *text, struct ref *out)
{
	return check_any_ref(k, text, false, out);
}

static bool is_known_filter(const struct checker *k, const char *filter)
{
	if (flow_ask(k->flow, filter))
		return true;
	for (size_t i = 0; i < k->flow->line_count; i++)
		if (flow_line_param(&k->flow->lines[i], filter))
			return true;
	return false;
}

static bool check_condition(const struct checker *k)
{
	const struct condition *when = k->line->when;
	struct ref unused;

	for (size_t i = 0; when && i < when->term_count; i++) {
		const struct condition_term *t = &when->terms[i];

		if (t->kind == TERM_MISSING) {
			if (!is_known_filter(k, t->filter))
				return fail(k, "no line of the flow takes a filter %s", t->filter);
			continue;
		}
		if (!flow_task(k->flow, t->ref.source))
			return fail(k, "unknown task %s", t->ref.source);
		if (!check_ref(k, ref_text(&t->ref, k->arena), &unused))
			return false;
	}
	return true;
}

/* ---- do ---- */

static bool find_tool(const struct checker *k)
{
	struct flow_line *l = k->line;
	const struct tool_def *tool = catalog_tool(k->c, l->agent);

	if (flow_task(k->flow, l->id) != l)
		return fail(k, "two tasks are named %s", l->id);
	if (tool && (tool->callers.visible || tool->map)) {
		l->tool = tool;
		l->agent = NULL;
		return true;
	}
	if (!catalog_domain_of_agent(k->c, l->agent))
		return fail(k, "unknown tool or agent %s", l->agent);
	return (json_object_size(l->values) == 0 && !l->each) ||
	       fail(k, "the agent %s takes no parameters", l->agent);
}

/* Returns true when the referenced value can have the parameter's type. */
static bool can_have_type(const struct checker *k, const struct ref *r, const struct param_def *p)
{
	const struct tool_def *t = flow_task(k->flow, r->source)->tool;
	const struct column_def *column = t ? find_column(t, r->name) : NULL;
	const struct fact_def *fact = t ? tool_fact(t, r->name) : NULL;
	bool counts = r->kind == REF_ROW_COUNT, is_date, is_number;

	if (r->kind == REF_FACT) {
		is_date = fact->type == FACT_DATE;
		is_number = fact->type == FACT_NUMBER || fact->type == FACT_INT;
	} else {
		is_date = column && column->has_type && column->type == COLUMN_DATE;
		is_number =
			counts || (column && column->has_type && column_is_number(column->type));
		if (column && !column->has_type) /* type unknown: decided by the statement */
			return true;
	}
	if (p->type == PARAM_DATE)
		return is_date;
	if (p->type == PARAM_INT || p->type == PARAM_DECIMAL)
		return is_number;
	return p->type == PARAM_TEXT && !counts && !is_date;
}

static bool check_scalar(const struct checker *k, const struct param_def *p, const json_t *value)
{
	const char *text = json_string_value(value);
	struct err why = {0};
	struct value unused;
	struct date day;
	struct ref r;

	if (ref_of(value)) {
		if (!check_ref(k, ref_of(value), &r))
			return false;
		if (r.kind == REF_COLUMN && !p->is_list)
			return fail(k, "%s takes one value, not a column", p->name);
		return can_have_type(k, &r, p) ||
		       fail(k, "{%s} and %s have different types", ref_of(value), p->name);
	}
	if (p->type == PARAM_DATE)
		return date_parse_value(text, reference_day, &day) ||
		       fail(k, "%s must be a date such as 2026-02-27 or today-30d, not %s", p->name,
			    text);
	return param_parse(p, text, k->arena, &unused, &why) || fail(k, "%s", why.text);
}

static bool check_value(const struct checker *k, const char *name, const json_t *value)
{
	const struct param_def *p = tool_param(k->line->tool, name);
	const json_t *item;
	size_t i;

	if (!p)
		return fail(k, "%s has no parameter %s", k->line->tool->name, name);
	if (!json_is_array(value))
		return check_scalar(k, p, value);
	if (!p->is_list)
		return fail(k, "%s takes one value", name);
	if (json_array_size(value) > p->list_max)
		return fail(k, "%s takes at most %zu values", name, p->list_max);
	json_array_foreach(value, i, item)
		if (!check_scalar(k, p, item))
			return false;
	return true;
}

/* Returns true when an earlier line asks for the parameter. */
static bool is_asked(const struct checker *k, const struct param_def *p)
{
	for (const struct flow_line *l = k->flow->lines; l < k->line; l++)
		if (l->kind == FLOW_ASK && params_of_filter(p, 1, l->filter))
			return true;
	return false;
}

static bool check_required(const struct checker *k)
{
	const struct flow_line *l = k->line;
	size_t count;
	const struct param_def *params = flow_line_params(l, &count);

	for (size_t i = 0; i < count; i++) {
		const struct param_def *p = &params[i];

		if (p->required && !json_object_get(l->values, p->name) && !is_asked(k, p))
			return fail(k, "%s needs %s: set it here, or ask for it earlier",
				    l->tool->name, p->name);
	}
	return true;
}

/* Checks names in the query, so that a renamed metric is found at load time. */
static bool check_query(const struct checker *k)
{
	struct flow_line *l = k->line;
	const json_t *query = json_object_get(l->values, l->tool->map);
	struct err why = {0};

	if (!json_is_string(query) || ref_of(query))
		return fail(k, "%s needs %s as JSON in quotes", l->tool->name, l->tool->map);
	return flow_query_read(k->c, json_string_value(query), k->arena, &l->slots, &l->slot_count,
			       &why) ||
	       fail(k, "%s", why.text);
}

static bool check_do(const struct checker *k)
{
	const struct flow_line *l = k->line;
	const json_t *value;
	const char *name;

	if (!l->tool)
		return true;
	if (l->each && (l->tool->map || !tool_param_of_filter(l->tool, l->each)))
		return fail(k, "%s takes no filter %s", l->tool->name, l->each);
	json_object_foreach(l->values, name, value)
		if (!check_value(k, name, value))
			return false;
	return check_required(k);
}

/* ---- ask ---- */

static bool check_use(const struct checker *k)
{
	const struct flow_line *ask = k->line;
	bool is_used = false, dates = ask->input == ASK_DATE || ask->input == ASK_DATE_RANGE;

	for (const struct flow_line *l = ask + 1; l < k->flow->lines + k->flow->line_count; l++) {
		const struct param_def *p = flow_answer_param(l, ask->filter);

		if (!p)
			continue;
		is_used = true;
		if (dates && p->type != PARAM_DATE)
			return fail(k, "%s of %s is not a date", p->name, l->tool->name);
		if (ask->input == ASK_DATE_RANGE && !flow_last_day(l->tool, p))
			return fail(k, "%s has no parameter for the last day after %s",
				    l->tool->name, p->name);
		if (ask->input == ASK_MULTIPLE && !p->is_list && !l->each)
			return fail(k, "%s takes one %s: its line needs \"each %s\"", l->tool->name,
				    p->name, ask->filter);
	}
	return is_used || fail(k, "no later line uses the filter %s", ask->filter);
}

static bool check_skip(const struct checker *k)
{
	const json_t *value = k->line->skip_value, *item;
	struct ref unused;
	size_t i;

	if (ref_of(value))
		return check_ref(k, ref_of(value), &unused);
	json_array_foreach(value, i, item)
		if (ref_of(item) && !check_ref(k, ref_of(item), &unused))
			return false;
	return true;
}

static bool check_ask(const struct checker *k)
{
	const struct flow_line *l = k->line;
	const struct flow_options *o = l->options;
	const struct flow_line *task = o ? flow_task(k->flow, o->task) : NULL;
	struct date day;

	if (flow_ask(k->flow, l->filter) != l)
		return fail(k, "%s is asked for twice", l->filter);
	if (o && !task)
		return fail(k, "unknown task %s", o->task);
	if (o && (!check_column(k, task, o->table, o->value) ||
		  !check_column(k, task, o->table, o->label) ||
		  (o->group && !check_column(k, task, o->table, o->group))))
		return false;
	if (l->first && (!date_parse_value(l->first, reference_day, &day) ||
			 !date_parse_value(l->last, reference_day, &day)))
		return fail(k, "between needs two days such as 2026-02-27 or today-30d");
	return check_use(k) && check_skip(k);
}

/* ---- texts ---- */

static bool check_placeholder(const struct checker *k, struct str name)
{
	const char *text = arena_strndup(k->arena, name.p, name.n);
	struct ref r;

	if (str_starts(name, STR("filter.")))
		return is_known_filter(k, text + strlen("filter.")) ||
		       fail(k, "no line of the flow takes a filter %s", text + strlen("filter."));
	if (!check_ref(k, text, &r))
		return false;
	return r.kind != REF_COLUMN || fail(k, "{%s} is a whole column", text);
}

static bool check_text(const struct checker *k, const char *text)
{
	bool is_open = false;

	for (const char *p = text; *p; p++) {
		bool opens = strncmp(p, "[[", 2) == 0;

		if (opens || strncmp(p, "]]", 2) == 0) {
			if (opens == is_open)
				return fail(k, "[[ and ]] are not paired");
			is_open = opens;
			p++;
		} else if (*p == '{') {
			size_t n = strcspn(p, "}");

			if (!p[n])
				return fail(k, "a { is not closed");
			if (!check_placeholder(k, (struct str){p + 1, n - 1}))
				return false;
			p += n;
		}
	}
	return !is_open || fail(k, "a [[ is not closed");
}

/* ---- show ---- */

/* Compares type and unit of the referenced value with the prop, where they are known. */
static bool prop_accepts(const struct checker *k, const struct prop_def *p, const struct ref *r)
{
	const struct tool_def *t = flow_task(k->flow, r->source)->tool;
	const struct column_def *column = t ? find_column(t, r->name) : NULL;
	const struct fact_def *fact = r->kind == REF_FACT && t ? tool_fact(t, r->name) : NULL;
	bool number = p->type == PROP_NUMBER || p->type == PROP_INTEGER;
	const char *unit = fact ? fact->unit : column ? column->unit : NULL;

	if (number && p->unit && unit && strcmp(p->unit, unit) != 0)
		return false;
	if (r->kind == REF_ROW_COUNT)
		return number;
	if (fact)
		return number ? fact->type == FACT_NUMBER || fact->type == FACT_INT
			      : p->type != PROP_DATE || fact->type == FACT_DATE;
	if (r->kind != REF_CELL || !column || !column->has_type)
		return r->kind != REF_OUTCOME || p->type == PROP_TEXT;
	return number ? column_is_number(column->type)
		      : p->type != PROP_DATE || column->type == COLUMN_DATE;
}

static bool check_set(const struct checker *k, const struct prop_def *p, const struct ref *r)
{
	for (size_t i = 0; i < p->column_count; i++)
		if (!check_column(k, flow_task(k->flow, r->source), r->table, p->columns[i].name))
			return false;
	return true;
}

static bool check_prop_ref(const struct checker *k, const struct prop_def *p, const char *text)
{
	struct ref r;

	if (!check_any_ref(k, text, true, &r))
		return false;
	if (r.kind == REF_COLUMN)
		return fail(k, "%s takes one value, not a column", p->name);
	if ((r.kind == REF_TABLE) != prop_is_result_set(p))
		return fail(k, "%s needs a value of type %s, and {%s} is not one", p->name,
			    prop_type_name(p->type), text);
	if (r.kind == REF_TABLE)
		return check_set(k, p, &r);
	return prop_accepts(k, p, &r) ||
	       fail(k, "{%s} and %s have different types or units", text, p->name);
}

/* Checks a literal text of the flow. */
static bool check_prop_text(const struct checker *k, const struct prop_def *p, const char *text)
{
	struct decimal number;
	struct date day;

	if (prop_is_result_set(p))
		return fail(k, "%s is of type %s: name a result set", p->name,
			    prop_type_name(p->type));
	if (!check_text(k, text))
		return false;
	if (strchr(text, '{'))
		return true;
	if (p->type == PROP_NUMBER || p->type == PROP_INTEGER)
		return decimal_parse(text, &number) || fail(k, "%s must be a number", p->name);
	return p->type != PROP_DATE || date_parse_iso(text, &day) ||
	       fail(k, "%s must be a date such as 2026-02-27", p->name);
}

static bool check_prop(const struct checker *k, const struct component_def *c, const char *name,
		       const json_t *value)
{
	const struct prop_def *p = component_prop(c, name);

	if (!p)
		return fail(k, "%s has no prop %s", c->name, name);
	if (json_is_array(value))
		return fail(k, "%s takes one value", name);
	return ref_of(value) ? check_prop_ref(k, p, ref_of(value))
			     : check_prop_text(k, p, json_string_value(value));
}

static bool check_show(const struct checker *k)
{
	const struct component_def *c = catalog_component(k->c, k->line->component);
	const json_t *value;
	const char *name;

	if (!c)
		return fail(k, "unknown component %s", k->line->component);
	json_object_foreach(k->line->values, name, value)
		if (!check_prop(k, c, name, value))
			return false;
	for (size_t i = 0; i < c->prop_count; i++)
		if (c->props[i].required && !json_object_get(k->line->values, c->props[i].name))
			return fail(k, "%s needs the prop %s", c->name, c->props[i].name);
	return true;
}

/* ---- whole flow ---- */

static bool check_counts(struct checker *k)
{
	size_t tasks = 0, others = 0;

	for (size_t i = 0; i < k->flow->line_count; i++) {
		k->line = &k->flow->lines[i];
		if (k->line->kind == FLOW_DO)
			tasks += k->line->each ? FLOW_EACH_MAX : 1;
		else
			others++;
		if (tasks > PLAN_TASKS_MAX)
			return fail(k, "more than %d tasks", PLAN_TASKS_MAX);
		if (others > PLAN_LINES_MAX)
			return fail(k, "more than %d lines that are not tasks", PLAN_LINES_MAX);
	}
	k->line = NULL;
	return tasks > 0 || fail(k, "the flow has no task");
}

/* Returns true when all tasks named by the line's references, condition and options are placed. */
static bool needs_are_placed(const struct checker *k, const struct flow_line *l, const bool *placed)
{
	struct ref_need needs[PLAN_TASKS_MAX];
	struct err unused = {0};
	size_t n = 0;

	if (l->options && !placed[flow_task(k->flow, l->options->task) - k->flow->lines])
		return false;
	for (size_t i = 0; l->when && i < l->when->term_count; i++)
		if (l->when->terms[i].kind != TERM_MISSING &&
		    !placed[flow_task(k->flow, l->when->terms[i].ref.source) - k->flow->lines])
			return false;
	if (!ref_needs(l->values, k->arena, needs, PLAN_TASKS_MAX, &n, &unused))
		return true; /* checked before */
	for (size_t i = 0; i < n; i++)
		if (!placed[flow_task(k->flow, needs[i].id) - k->flow->lines])
			return false;
	for (size_t i = 0; k->flow->lines + i < l; i++)
		if (k->flow->lines[i].kind == FLOW_ASK &&
		    flow_answer_param(l, k->flow->lines[i].filter) && !placed[i])
			return false;
	return true;
}

static bool check_order(struct checker *k)
{
	bool placed[FLOW_LINES_MAX] = {false}, progress = true;

	while (progress) {
		progress = false;
		for (size_t i = 0; i < k->flow->line_count; i++)
			if (!placed[i] && needs_are_placed(k, &k->flow->lines[i], placed))
				progress = placed[i] = true;
	}
	for (size_t i = 0; i < k->flow->line_count; i++) {
		k->line = &k->flow->lines[i];
		if (!placed[i])
			return fail(k, "the lines depend on each other in a cycle");
	}
	return true;
}

static bool check_line(const struct checker *k)
{
	if (!check_condition(k))
		return false;
	if (k->line->kind == FLOW_DO)
		return check_do(k);
	if (k->line->kind == FLOW_SHOW)
		return check_show(k);
	if (k->line->kind == FLOW_ASK && !check_ask(k))
		return false;
	return check_text(k, k->line->text) && (!k->line->label || check_text(k, k->line->label));
}

static bool check_front(const struct checker *k)
{
	const struct flow_def *f = k->flow;

	if (!catalog_domain_of_agent(k->c, f->agent))
		return fail(k, "unknown agent %s", f->agent);
	return !f->permission || catalog_has_permission(k->c, f->permission) ||
	       fail(k, "unknown permission %s", f->permission);
}

bool flow_read(const struct catalog *c, const char *pack, const char *path, const char *text,
	       struct arena *a, struct flow_def *out, struct err *e)
{
	struct flow_def f;
	struct checker k = {.c = c, .flow = &f, .arena = a, .e = e};

	if (!flow_parse(path, text, a, &f, e))
		return false;
	f.pack = pack;
	if (!check_front(&k) || !check_counts(&k))
		return false;
	for (size_t i = 0; i < f.line_count; i++) {
		k.line = &f.lines[i];
		if (k.line->kind == FLOW_DO &&
		    (!find_tool(&k) || (k.line->tool && k.line->tool->map && !check_query(&k))))
			return false;
	}
	for (size_t i = 0; i < f.line_count; i++) {
		k.line = &f.lines[i];
		if (!check_line(&k))
			return false;
	}
	if (!check_order(&k))
		return false;
	*out = f;
	return true;
}
