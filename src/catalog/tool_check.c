/*
 * Checks a tool's statements against its header. A checked statement can be rendered for any tenant
 * and any arguments that the header allows, so no error is left for run time.
 */
#include "catalog_int.h"

#include <ctype.h>
#include <string.h>

#include "vesper/limits.h"

bool catalog_marker_reserved(const char *name)
{
	static const char *const reserved[] = {"tenant_id", "today",           "first_day",
					       "row_limit", "peak_first_hour", "peak_last_hour",
					       NULL};

	return strlist_has(reserved, name);
}

const struct param_def *catalog_days_param(const struct tool_def *t)
{
	for (size_t i = 0; i < t->param_count; i++)
		if (t->params[i].slot == SLOT_DAYS)
			return &t->params[i];
	return NULL;
}

const struct param_def *catalog_days_end_param(const struct tool_def *t)
{
	for (size_t i = 0; catalog_days_param(t) && i < t->param_count; i++)
		if (t->params[i].type == PARAM_DATE)
			return &t->params[i];
	return NULL;
}

const struct param_def *catalog_others_param(const struct tool_def *t)
{
	for (size_t i = 0; i < t->param_count; i++)
		if (t->params[i].entity)
			return &t->params[i];
	return NULL;
}

bool tool_query_runs_when_empty(const char *name)
{
	return strcmp(name, TOOL_QUERY_WINDOW) == 0 || strcmp(name, TOOL_QUERY_OTHERS) == 0;
}

const char *catalog_condition_of(const char *permission, struct arena *a)
{
	static const char shared[] = PERMISSION_SHARED;
	size_t skip = strncmp(permission, shared, sizeof(shared) - 1) == 0 ? sizeof(shared) - 1 : 0;
	char *condition = arena_printf(a, "may_%s", permission + skip);

	for (char *c = condition; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return condition;
}

/* One statement of the file, for errors. */
struct statement_context {
	const struct loader *l;
	const struct tool_def *tool;
	const struct sql_file *file;
	const struct sql_query *query;
};

static bool fail(const struct statement_context *p, struct err *e, const char *what,
		 const char *name)
{
	return err_set(e, ERR_INPUT, "%s:%d: query %s: %s%s%s", p->file->path, p->query->line,
		       p->query->name, what, *name ? " " : "", name);
}

static bool check_marker(const struct statement_context *p, const struct sql_marker *m,
			 struct err *e)
{
	const struct param_def *param = tool_param(p->tool, m->name);

	if (strncmp(m->name, "peak_", 5) == 0 && !p->l->has_calendar)
		return fail(p, e, "no pack has a calendar for", m->name);
	if (strcmp(m->name, "first_day") == 0 && !catalog_days_param(p->tool))
		return fail(p, e, "no param has slot=days for", m->name);
	if (catalog_marker_reserved(m->name))
		return !m->is_list || fail(p, e, "one value, not a list:", m->name);
	if (!param)
		return fail(p, e, "no param for marker", m->name);
	if (m->is_list != param->is_list)
		return fail(p, e,
			    m->is_list ? "a list marker for a param of one value:"
				       : "a list is bound as :name... :",
			    m->name);
	if (!m->optional && !param->required && !param->default_text && !param->bound_of)
		return fail(p, e, "only a separate --? line may use optional", m->name);
	return true;
}

static bool is_permission_condition(const struct statement_context *p, const char *condition)
{
	for (size_t i = 0; i < p->tool->column_count; i++) {
		const char *permission = p->tool->columns[i].permission;
		if (permission &&
		    strcmp(catalog_condition_of(permission, p->l->arena), condition) == 0)
			return true;
	}
	return false;
}

static bool check_conditions(const struct statement_context *p, struct err *e)
{
	for (const char *const *c = p->query->conditions; *c; c++)
		if (!tool_param(p->tool, *c) && !is_permission_condition(p, *c))
			return fail(p, e, "no param for line --?", *c);
	return true;
}

static bool has_tenant(const struct sql_query *q)
{
	for (size_t i = 0; i < q->marker_count; i++)
		if (strcmp(q->markers[i].name, "tenant_id") == 0)
			return !q->markers[i].optional;
	return false;
}

/* All views of a statement must be in the tool's source. */
static bool check_source(const struct statement_context *p, const char *view, struct err *e)
{
	const char *source = source_of_view(p->l->impl, view);

	return strcmp(source, p->tool->source) == 0 ||
	       err_set(e, ERR_INPUT,
		       "%s:%d: query %s: %s is a view of source %s, but the tool reads source %s",
		       p->file->path, p->query->line, p->query->name, view, source,
		       p->tool->source);
}

/* Lists the approved views of the tool's source. */
static const char *list_source_views(const struct statement_context *p)
{
	const char *text = "", *source;

	for (const char *const *view = p->l->impl->views; *view; view++) {
		source = source_of_view(p->l->impl, *view);
		if (strcmp(source, p->tool->source) == 0)
			text = arena_printf(p->l->arena, "%s%s%s", text, *text ? ", " : "", *view);
	}
	return *text ? text : "none";
}

static bool check_views(const struct statement_context *p, struct err *e)
{
	bool one_tenant = source_only_tenant(p->l, p->tool->source) != NULL;
	bool named = false;

	for (const char *const *view = p->l->impl->views; *view; view++) {
		if (!sql_query_references(p->query, *view))
			continue;
		named = true;
		if (!check_source(p, *view, e))
			return false;
		if (!one_tenant && !has_tenant(p->query))
			return fail(p, e, "no :tenant_id for", *view);
	}
	return named || fail(p, e, "names no approved view; approved views:", list_source_views(p));
}

static bool check_query(const struct statement_context *p, struct err *e)
{
	if (!sql_query_is_select(p->query))
		return fail(p, e, "must be one SELECT", "");
	for (size_t i = 0; i < p->query->marker_count; i++)
		if (!check_marker(p, &p->query->markers[i], e))
			return false;
	if (!check_conditions(p, e))
		return false;
	for (size_t i = 0; i < p->tool->column_count; i++) {
		const struct column_def *c = &p->tool->columns[i];
		if (c->permission &&
		    sql_query_references_without(p->query, c->name,
						 catalog_condition_of(c->permission, p->l->arena)))
			return fail(p, e, "column without its permission:", c->name);
	}
	return check_views(p, e);
}

/* Returns true when the param is bound or enables a line. */
static bool is_used(const struct sql_file *f, const char *param)
{
	for (size_t q = 0; q < f->query_count; q++) {
		const struct sql_query *query = &f->queries[q];
		if (strlist_has(query->conditions, param))
			return true;
		for (size_t i = 0; i < query->marker_count; i++)
			if (strcmp(query->markers[i].name, param) == 0)
				return true;
	}
	return false;
}

static bool is_selected(const struct sql_file *f, const char *column)
{
	for (size_t q = 0; q < f->query_count; q++)
		if (sql_query_has_quoted_name(&f->queries[q], column))
			return true;
	return false;
}

static bool check_uses(const struct tool_def *t, const struct sql_file *f, struct err *e)
{
	for (size_t i = 0; i < t->param_count; i++)
		if (!is_used(f, t->params[i].name) &&
		    !(&t->params[i] == catalog_days_param(t) && is_used(f, "first_day")))
			return err_set(e, ERR_INPUT, "%s:1: param %s is never used", f->path,
				       t->params[i].name);
	for (size_t i = 0; i < t->column_count; i++)
		if (!t->columns[i].derived && !is_selected(f, t->columns[i].name))
			return err_set(e, ERR_INPUT, "%s:1: no query returns column \"%s\"",
				       f->path, t->columns[i].name);
	return true;
}

/* The totals' columns must exist, and the main query must return all rows. */
static bool check_totals(const struct tool_def *t, const struct sql_file *f, struct err *e)
{
	const struct sql_query *main = &f->queries[0];

	if (!t->totals.is_queryable)
		return true;
	if (!sql_query_has_totals(main))
		return err_set(e, ERR_INPUT,
			       "%s:%d: totals: query main returns only some of its rows", f->path,
			       main->line);
	for (size_t i = 0; i < t->totals.sum_count; i++)
		if (!sql_query_has_quoted_name(main, t->totals.sums[i].name))
			return err_set(e, ERR_INPUT, "%s:%d: totals: query main returns no \"%s\"",
				       f->path, main->line, t->totals.sums[i].name);
	return true;
}

/* A param and a fragment must not share a name, since :name and :{name} look alike. */
static bool check_names(const struct loader *l, const struct tool_def *t, const struct sql_file *f,
			struct err *e)
{
	for (size_t i = 0; i < t->param_count; i++) {
		const char *name = t->params[i].name;
		const struct sql_fragment *same = sql_fragment_find(&f->fragments, name);

		same = same ? same : sql_fragment_find(&l->fragments, name);
		if (same)
			return err_set(e, ERR_INPUT,
				       "%s:1: param %s has the name of a fragment "
				       "(%s:%d)",
				       f->path, name, same->path, same->line);
	}
	return true;
}

/* Two permissions must not have the same condition name. */
static bool check_permissions(const struct loader *l, const struct tool_def *t, struct err *e)
{
	for (size_t i = 0; i < t->column_count; i++) {
		const char *mine = t->columns[i].permission;
		const char *condition = mine ? catalog_condition_of(mine, l->arena) : NULL;

		for (size_t j = 0; mine && j < i; j++) {
			const char *other = t->columns[j].permission;

			if (other && strcmp(other, mine) != 0 &&
			    strcmp(catalog_condition_of(other, l->arena), condition) == 0)
				return err_set(e, ERR_INPUT,
					       "%s:1: both %s and %s have the condition %s",
					       t->path, condition, other, mine);
		}
	}
	return true;
}

/* A frame must not be the main table, and must not use :row_limit, since it has its own row
 * limit. */
static bool check_frames(const struct tool_def *t, const struct sql_file *f, struct err *e)
{
	for (size_t i = 0; i < t->frame_count; i++) {
		const char *name = t->frames[i].query;
		const struct sql_query *q = sql_file_query(f, name);

		if (!q || q == &f->queries[0] || tool_query_runs_when_empty(name))
			return err_set(e, ERR_INPUT,
				       "%s:1: frame %s must name a query of the file other than "
				       "main, window and others",
				       f->path, name);
		if (sql_query_has_marker(q, "row_limit"))
			return err_set(e, ERR_INPUT, "%s:%d: a frame has no :row_limit", f->path,
				       q->line);
	}
	return true;
}

/* The query `others` runs when the window query returns no range. */
static bool check_others(const struct tool_def *t, const struct sql_file *f, struct err *e)
{
	const struct sql_query *q = sql_file_query(f, TOOL_QUERY_OTHERS);

	if (!q)
		return true;
	if (!t->window || !catalog_others_param(t))
		return err_set(e, ERR_INPUT,
			       "%s:%d: query others needs a window and a param with entity=",
			       f->path, q->line);
	return (sql_query_has_quoted_name(q, "value") && sql_query_has_quoted_name(q, "label")) ||
	       err_set(e, ERR_INPUT, "%s:%d: query others must return \"value\" and \"label\"",
		       f->path, q->line);
}

bool tool_file_check(const struct loader *l, const struct tool_def *t, const struct sql_file *f,
		     struct err *e)
{
	bool has_window = sql_file_query(f, TOOL_QUERY_WINDOW) != NULL;

	if (tool_has_no_statement(t))
		return (f->query_count == 0 && t->frame_count == 0) ||
		       err_set(e, ERR_INPUT,
			       "%s:1: a tool of documents or data sources must not have a "
			       "statement or frame",
			       f->path);
	if (t->map)
		return f->query_count == 0 ||
		       err_set(e, ERR_INPUT, "%s:%d: a map tool must not have a statement", f->path,
			       f->queries[0].line);
	if (t->gate)
		return (f->query_count == 0 && t->frame_count == 0) ||
		       err_set(e, ERR_INPUT,
			       "%s:%d: a tool with a gate must not have a statement or frame",
			       f->path, f->query_count > 0 ? f->queries[0].line : 1);
	if (!check_names(l, t, f, e) || !check_permissions(l, t, e))
		return false;
	if (f->query_count == 0)
		return err_set(e, ERR_INPUT, "%s:1: no statement", f->path);
	if (f->query_count > TOOL_QUERIES_MAX)
		return err_set(e, ERR_INPUT, "%s:1: more than %d queries", f->path,
			       TOOL_QUERIES_MAX);
	if (strcmp(f->queries[0].name, "main") != 0)
		return err_set(e, ERR_INPUT, "%s:%d: the first query must be main", f->path,
			       f->queries[0].line);
	if (has_window != (t->window != NULL))
		return err_set(
			e, ERR_INPUT,
			"%s:1: \"-- window:\" and a query named window must be given together",
			f->path);
	for (size_t i = 0; i < f->query_count; i++) {
		struct statement_context p = {l, t, f, &f->queries[i]};
		if (!check_query(&p, e))
			return false;
	}
	return check_others(t, f, e) && check_frames(t, f, e) && check_totals(t, f, e) &&
	       check_uses(t, f, e);
}
