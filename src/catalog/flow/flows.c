/*
 * Flows of the packs: loading, lookup by name, and writing as text.
 */
#include "catalog_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/flow.h"
#include "vesper/limits.h"
#include "vesper/ref.h"

/* ---- loading ---- */

static bool add_flow(struct loader *l, const char *file, struct err *e)
{
	struct catalog *c = &l->impl->public;
	struct flow_def *list = (struct flow_def *)c->flows;
	const char *path =
		arena_printf(l->arena, "prompts/%s/" FLOW_FOLDER "/%s", l->pack->name, file);
	const char *text;

	if (!str_ends(str_of(file), STR(".flow")))
		return err_set(e, ERR_INPUT, "%s:1: not a .flow file", path);
	if (c->flow_count == FLOWS_MAX)
		return err_set(e, ERR_LIMIT, "%s:1: more than %d flows", path, FLOWS_MAX);
	list = arena_grow(l->arena, list, c->flow_count, &l->flow_cap, sizeof(*list));
	c->flows = list;
	if (!load_text(l, path, FLOW_BYTES_MAX, l->arena, &text, e) ||
	    !flow_read(c, l->pack->name, path, text, l->arena, &list[c->flow_count], e))
		return false;
	for (size_t i = 0; i < c->flow_count; i++)
		if (strcmp(list[i].name, list[c->flow_count].name) == 0)
			return err_set(e, ERR_INPUT, "%s:1: flow %s is already defined in %s", path,
				       list[i].name, list[i].path);
	c->flow_count++;
	return true;
}

static int by_order(const void *a, const void *b)
{
	const struct flow_def *x = a, *y = b;

	return x->order != y->order ? (x->order > y->order) - (x->order < y->order)
				    : strcmp(x->name, y->name);
}

bool load_flows(struct loader *l, struct err *e)
{
	const char *const *files;
	struct flow_def *list;

	if (!load_names(l, arena_printf(l->arena, "prompts/%s/" FLOW_FOLDER, l->pack->name), &files,
			e))
		return false;
	for (; *files; files++)
		if (!add_flow(l, *files, e))
			return false;
	list = (struct flow_def *)l->impl->public.flows;
	if (list)
		qsort(list, l->impl->public.flow_count, sizeof(*list), by_order);
	for (size_t i = 0; i < l->impl->public.flow_count; i++)
		list[i].index = i;
	return true;
}

/* ---- lookup by name ---- */

const struct flow_def *catalog_flow(const struct catalog *c, const char *name)
{
	for (size_t i = 0; i < c->flow_count; i++)
		if (strcmp(c->flows[i].name, name) == 0)
			return &c->flows[i];
	return NULL;
}

const struct flow_def *catalog_flow_in(const struct catalog_view *v, const char *name)
{
	for (size_t i = 0; i < v->flow_count; i++)
		if (strcmp(v->flows[i]->name, name) == 0)
			return v->flows[i];
	return NULL;
}

const struct flow_line *flow_task(const struct flow_def *f, const char *id)
{
	for (size_t i = 0; i < f->line_count; i++)
		if (f->lines[i].kind == FLOW_DO && strcmp(f->lines[i].id, id) == 0)
			return &f->lines[i];
	return NULL;
}

const struct flow_line *flow_ask(const struct flow_def *f, const char *filter)
{
	for (size_t i = 0; i < f->line_count; i++)
		if (f->lines[i].kind == FLOW_ASK && strcmp(f->lines[i].filter, filter) == 0)
			return &f->lines[i];
	return NULL;
}

const struct param_def *flow_line_params(const struct flow_line *l, size_t *count)
{
	bool queries = l->tool && l->tool->map;

	*count = queries ? l->slot_count : l->tool ? l->tool->param_count : 0;
	return queries ? l->slots : l->tool ? l->tool->params : NULL;
}

const struct param_def *flow_line_param(const struct flow_line *l, const char *filter)
{
	size_t count;
	const struct param_def *params = flow_line_params(l, &count);

	return params_of_filter(params, count, filter);
}

const struct param_def *flow_answer_param(const struct flow_line *l, const char *filter)
{
	const struct param_def *p = flow_line_param(l, filter);

	return p && !json_object_get(l->values, p->name) ? p : NULL;
}

const struct param_def *flow_last_day(const struct tool_def *tool, const struct param_def *first)
{
	for (const struct param_def *p = first + 1; p < tool->params + tool->param_count; p++)
		if (p->type == PARAM_DATE)
			return p;
	return NULL;
}

/* Returns true when the text names the task outside [[ ]] and without "?". */
static bool text_refers_to(const char *text, const char *task)
{
	size_t n = strlen(task);
	bool is_part = false;

	for (const char *p = text; p && *p; p++) {
		is_part = strncmp(p, "[[", 2) == 0 || (is_part && strncmp(p, "]]", 2) != 0);
		if (*p == '{' && !is_part && strncmp(p + 1, task, n) == 0 && p[n + 1] == '.' &&
		    p[strcspn(p, "}") - 1] != '?')
			return true;
	}
	return false;
}

static bool props_refer_to(const json_t *props, const char *task)
{
	const json_t *value;
	const char *name;

	json_object_foreach((json_t *)props, name, value)
		if (text_refers_to(json_string_value(value), task))
			return true;
	return false;
}

static bool line_refers_to(const struct flow_line *l, const char *task, struct arena *a)
{
	struct ref_need needs[PLAN_TASKS_MAX];
	struct err unused = {0};
	size_t n = 0;

	if (l->condition)
		return false;
	if ((l->options && strcmp(l->options->task, task) == 0) || text_refers_to(l->text, task) ||
	    (l->kind == FLOW_SHOW && props_refer_to(l->values, task)))
		return true;
	if (!ref_needs(l->values, a, needs, PLAN_TASKS_MAX, &n, &unused))
		return true;
	for (size_t i = 0; i < n; i++)
		if (strcmp(needs[i].id, task) == 0 && !needs[i].optional)
			return true;
	return false;
}

bool flow_requires_task(const struct flow_def *f, const char *task, struct arena *a)
{
	for (size_t i = 0; i < f->line_count; i++)
		if (line_refers_to(&f->lines[i], task, a))
			return true;
	return false;
}

/* ---- writing ---- */

static void write_quoted(struct buf *b, const char *text)
{
	buf_char(b, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_char(b, '\\');
		buf_char(b, *text);
	}
	buf_char(b, '"');
}

static void write_value(struct buf *b, const json_t *value)
{
	const char *text = json_string_value(value);
	const json_t *item;
	size_t i;

	if (ref_of(value))
		buf_printf(b, "{%s}", ref_of(value));
	else if (text && *text &&
		 strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "0123456789_-+.") == strlen(text))
		buf_str(b, text);
	else if (text)
		write_quoted(b, text);
	if (!json_is_array(value))
		return;
	json_array_foreach(value, i, item) {
		buf_str(b, i == 0 ? "[" : ", ");
		write_value(b, item);
	}
	buf_char(b, ']');
}

static void write_values(struct buf *b, const struct flow_line *l)
{
	const json_t *value;
	const char *name;

	json_object_foreach(l->values, name, value) {
		buf_printf(b, " %s=", name);
		write_value(b, value);
	}
}

static void write_do(struct buf *b, const struct flow_line *l)
{
	buf_printf(b, "do %s %s", l->id, l->tool ? l->tool->name : l->agent);
	if (l->each)
		buf_printf(b, " each %s", l->each);
	write_values(b, l);
}

static void write_ask(struct buf *b, const struct flow_line *l)
{
	static const char *const inputs[] = {"single", "multiple", "date", "date_range"};

	buf_printf(b, "ask %s %s", l->filter, inputs[l->input]);
	if (l->input == ASK_MULTIPLE)
		buf_printf(b, " %zu..%zu", l->min, l->max);
	if (l->options)
		buf_printf(b, " from %s.%s value=%s label=%s", l->options->task, l->options->table,
			   l->options->value, l->options->label);
	if (l->options && l->options->group)
		buf_printf(b, " group=%s", l->options->group);
	if (l->first)
		buf_printf(b, " between %s and %s", l->first, l->last);
	buf_char(b, ' ');
	write_quoted(b, l->text);
	if (l->hint) {
		buf_str(b, " hint=");
		write_quoted(b, l->hint);
	}
	if (!l->skip)
		return;
	buf_str(b, " skip=");
	write_quoted(b, l->skip);
	buf_str(b, " = ");
	write_value(b, l->skip_value);
}

static void write_line(struct buf *b, const struct flow_line *l)
{
	if (l->kind == FLOW_DO) {
		write_do(b, l);
	} else if (l->kind == FLOW_ASK) {
		write_ask(b, l);
	} else if (l->kind == FLOW_SHOW) {
		buf_printf(b, "show %s", l->component);
		write_values(b, l);
	} else if (l->kind == FLOW_SAY) {
		buf_str(b, "say ");
		write_quoted(b, l->text);
	} else {
		buf_printf(b, "suggest %s ", l->primary ? "primary" : "secondary");
		write_quoted(b, l->label);
		buf_str(b, " -> ");
		write_quoted(b, l->text);
	}
	if (l->condition)
		buf_printf(b, " if %.*s", STR_FMT(str_trim(str_of(l->condition))));
	buf_char(b, '\n');
}

const char *flow_text(const struct flow_def *f, struct arena *a)
{
	const char *text;
	struct buf b;

	buf_init(&b, 4 * FLOW_BYTES_MAX);
	buf_printf(&b, "---\nflow: %s\nabout: %s\n", f->name, f->about);
	if (f->examples && *f->examples)
		buf_str(&b, "examples:\n");
	for (const char *const *x = f->examples; x && *x; x++)
		buf_printf(&b, "  - %s\n", *x);
	buf_printf(&b, "agent: %s\n", f->agent);
	if (f->permission)
		buf_printf(&b, "permission: %s\n", f->permission);
	buf_printf(&b, "answer: %s\norder: %d\n---\n", f->by_model ? "model" : "template",
		   f->order);
	for (size_t i = 0; i < f->line_count; i++)
		write_line(&b, &f->lines[i]);
	assert(!buf_over(&b)); /* escaping at most doubles the length */
	text = arena_strdup(a, buf_text(&b));
	buf_deinit(&b);
	return text;
}
