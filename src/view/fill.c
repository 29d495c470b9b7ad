/* Fills templates with placeholders from a result: a tool's sentence, and follow-up questions. */
#include "view_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/limits.h"

/* ---- parts ---- */

void wording_add_part(struct wording *w, size_t from, struct result_part part)
{
	if (!w->arena || w->out->n == from)
		return;
	part.from = from;
	part.len = w->out->n - from;
	w->parts = arena_grow(w->arena, w->parts, w->count, &w->cap, sizeof(*w->parts));
	w->parts[w->count++] = part;
}

void wording_truncate(struct wording *w, size_t bytes, size_t parts)
{
	buf_cut(w->out, bytes);
	w->count = parts;
}

void wording_rows(struct wording *w, const struct result *r, const struct table *t)
{
	size_t from = w->out->n;

	view_row_count(w->out, r->language, t);
	wording_add_part(w, from,
			 (struct result_part){.kind = RESULT_PART_COUNT,
					      .result = r,
					      .text = "rows",
					      .count = t->total_rows});
}

void wording_fact(struct wording *w, const struct result *r, const struct fact *f)
{
	size_t from = w->out->n;

	view_number(w->out, r->units, f->value, f->unit);
	wording_add_part(w, from,
			 (struct result_part){.kind = RESULT_PART_FACT, .result = r, .fact = f});
}

void wording_arg(struct wording *w, const struct result *r, const struct arg *arg)
{
	for (size_t i = 0; i < arg->count; i++) {
		const struct value *v = &arg->values[i];
		size_t from;

		buf_str(w->out, i == 0                ? ""
				: i + 1 == arg->count ? language_text(r->language, SAY_ASK_AND)
						      : ", ");
		from = w->out->n;
		if (v->type == VALUE_INT || v->type == VALUE_BOOL)
			buf_int(w->out, v->number);
		else
			buf_str(w->out, v->text);
		wording_add_part(
			w, from,
			(struct result_part){
				.kind = RESULT_PART_ARG, .result = r, .arg = arg, .value = v});
	}
}

/* ---- placeholders ---- */

static bool add_fact_value(struct wording *w, const struct result *r, const char *name)
{
	const struct fact *f = result_fact(r, name);

	if (f)
		wording_fact(w, r, f);
	return f;
}

static bool add_arg_value(struct wording *w, const struct result *r, const char *name)
{
	const struct arg *arg = args_find(&r->args, name);

	if (!arg || arg->count == 0)
		return false;
	wording_arg(w, r, arg);
	return true;
}

static bool add_first_cell(struct wording *w, const struct result *r, const char *name)
{
	const struct table *t = r->table_count > 0 ? r->tables[0] : NULL;
	int c = t && t->row_count > 0 ? table_column(t, name) : -1;
	size_t from = w->out->n;

	if (c < 0 || !t->rows[0][c])
		return false;
	view_cell(w->out, r, &t->columns[c], t->rows[0][c]);
	wording_add_part(
		w, from,
		(struct result_part){.kind = RESULT_PART_CELL, .result = r, .column = (size_t)c});
	return true;
}

/* Sources of placeholder values: `write_placeholder` if set, else the result, else references. */
struct fill_source {
	const struct result *result;
	const struct ref_scope *scope;
	const json_t *filters;
	view_placeholder_cb write_placeholder; /* gives the values; or NULL */
	void *owner;
};

static bool add_filter(struct buf *out, const json_t *value)
{
	const json_t *item;
	size_t i, n = json_array_size(value);

	if (json_is_string(value))
		buf_str(out, json_string_value(value));
	else if (json_is_integer(value))
		buf_int(out, json_integer_value(value));
	json_array_foreach(value, i, item) {
		buf_str(out, i == 0 ? "" : i + 1 == n ? " and " : ", ");
		if (!add_filter(out, item))
			return false;
	}
	return json_is_string(value) || json_is_integer(value) || n > 0;
}

/* Several values may be stored under the plural name. */
static const json_t *filter_of(const json_t *filters, const char *name)
{
	char plural[4 * REF_NAME_MAX + 1];
	const json_t *value = json_object_get(filters, name);

	if (value)
		return value;
	snprintf(plural, sizeof(plural), "%ss", name);
	return json_object_get(filters, plural);
}

static bool add_reference(struct buf *out, const struct fill_source *from, const char *name)
{
	struct ref_target p;
	struct err unused = {0};
	struct ref r;

	if (strncmp(name, "filter.", 7) == 0)
		return add_filter(out, filter_of(from->filters, name + 7));
	if (!ref_parse(name, &r, &unused) || !ref_find(from->scope, &r, &p, &unused))
		return false;
	if (r.kind == REF_FACT)
		view_number(out, p.result->units, p.fact->value, p.fact->unit);
	else if (r.kind == REF_CELL)
		view_cell(out, p.result, &p.table->columns[p.column],
			  p.table->rows[r.row][p.column]);
	else if (r.kind == REF_OUTCOME)
		buf_str(out, outcome_name(p.result->outcome.kind));
	else if (p.result->table_count > 0)
		view_row_count(out, p.result->language, p.result->tables[0]);
	else
		buf_char(out, '0');
	return true;
}

static bool add_placeholder(struct wording *w, const struct fill_source *from, const char *name)
{
	const struct result *r = from->result;

	if (from->write_placeholder)
		return from->write_placeholder(from->owner, w->out, name);
	if (!r)
		return add_reference(w->out, from, name);
	if (strncmp(name, "fact.", 5) == 0)
		return add_fact_value(w, r, name + 5);
	if (strncmp(name, "arg.", 4) == 0)
		return add_arg_value(w, r, name + 4);
	if (strcmp(name, "rows") == 0) {
		if (r->table_count > 0)
			wording_rows(w, r, r->tables[0]);
		else
			buf_char(w->out, '0');
		return true;
	}
	return add_first_cell(w, r, name) || add_arg_value(w, r, name);
}

/* Writes the text up to `end` with its placeholders. Returns false and adds nothing if one has no
 * value. */
static bool add_section(struct wording *w, const char *p, const char *end,
			const struct fill_source *from)
{
	size_t bytes = w->out->n, parts = w->count;

	while (p < end) {
		const char *close = *p == '{' ? memchr(p, '}', (size_t)(end - p)) : NULL;
		char name[4 * REF_NAME_MAX];

		if (!close || (size_t)(close - p) > sizeof(name)) {
			buf_char(w->out, *p++);
			continue;
		}
		memcpy(name, p + 1, (size_t)(close - p - 1));
		name[close - p - 1] = '\0';
		if (!add_placeholder(w, from, name)) {
			wording_truncate(w, bytes, parts);
			return false;
		}
		p = close + 1;
	}
	return true;
}

static bool fill(struct wording *w, const char *text, const struct fill_source *from)
{
	size_t bytes = w->out->n, parts = w->count;

	for (const char *p = text; *p;) {
		const char *open = strstr(p, "[[");
		const char *close = open ? strstr(open, "]]") : NULL;
		const char *end = close ? open : p + strlen(p);

		if (!add_section(w, p, end, from)) {
			wording_truncate(w, bytes, parts);
			return false;
		}
		if (close)
			(void)add_section(w, open + 2, close, from);
		p = close ? close + 2 : end;
	}
	return true;
}

bool view_fill(struct wording *w, const char *text, const struct result *r)
{
	return fill(w, text, &(struct fill_source){.result = r});
}

bool view_fill_references(struct buf *out, const char *text, const struct ref_scope *s,
			  const json_t *filters)
{
	return fill(&(struct wording){.out = out}, text,
		    &(struct fill_source){.scope = s, .filters = filters});
}

bool view_fill_with(struct buf *out, const char *text, view_placeholder_cb put, void *owner)
{
	return fill(&(struct wording){.out = out}, text,
		    &(struct fill_source){.write_placeholder = put, .owner = owner});
}
