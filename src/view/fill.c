/* Templates with placeholders, filled from one result (the sentence of a tool, its follow-up
 * questions) or from those of a plan by references. */
#include "view_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

static bool add_fact_value(struct buf *out, const struct result *r, const char *name)
{
	const struct fact *f = result_fact(r, name);

	if (!f)
		return false;
	view_number(out, r->units, f->value, f->unit);
	return true;
}

static bool add_arg_value(struct buf *out, const struct result *r, const char *name)
{
	const struct arg *arg = args_find(&r->args, name);

	if (!arg || arg->count == 0)
		return false;
	for (size_t i = 0; i < arg->count; i++) {
		const struct value *v = &arg->values[i];

		buf_str(out, i == 0 ? "" : i + 1 == arg->count ? " and " : ", ");
		if (v->type == VALUE_INT || v->type == VALUE_BOOL)
			buf_printf(out, "%lld", (long long)v->number);
		else
			buf_str(out, v->text);
	}
	return true;
}

static bool add_first_cell(struct buf *out, const struct result *r, const char *name)
{
	const struct table *t = r->table_count > 0 ? r->tables[0] : NULL;
	int c = t && t->row_count > 0 ? table_column(t, name) : -1;

	if (c < 0 || !t->rows[0][c])
		return false;
	view_cell(out, r->units, &t->columns[c], t->rows[0][c]);
	return true;
}

/* What placeholders stand for: values of a result, or without one references. */
struct fill_source {
	const struct result *result;
	const struct ref_scope *scope;
	const json_t *filters;
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

static bool add_reference(struct buf *out, const struct fill_source *from, const char *name)
{
	struct ref_place p;
	struct err unused = {0};
	struct ref r;

	if (strncmp(name, "filter.", 7) == 0)
		return add_filter(out, json_object_get(from->filters, name + 7));
	if (!ref_parse(name, &r, &unused) || !ref_find(from->scope, &r, &p, &unused))
		return false;
	if (r.kind == REF_FACT)
		view_number(out, p.result->units, p.fact->value, p.fact->unit);
	else if (r.kind == REF_CELL)
		view_cell(out, p.result->units, &p.table->columns[p.column],
			  p.table->rows[r.row][p.column]);
	else if (r.kind == REF_OUTCOME)
		buf_str(out, outcome_name(p.result->outcome.kind));
	else if (p.result->table_count > 0)
		view_row_count(out, p.result->tables[0]);
	else
		buf_char(out, '0');
	return true;
}

static bool add_placeholder(struct buf *out, const struct fill_source *from, const char *name)
{
	const struct result *r = from->result;

	if (!r)
		return add_reference(out, from, name);
	if (strncmp(name, "fact.", 5) == 0)
		return add_fact_value(out, r, name + 5);
	if (strncmp(name, "arg.", 4) == 0)
		return add_arg_value(out, r, name + 4);
	if (strcmp(name, "rows") == 0) {
		if (r->table_count > 0)
			view_row_count(out, r->tables[0]);
		else
			buf_char(out, '0');
		return true;
	}
	return add_first_cell(out, r, name) || add_arg_value(out, r, name);
}

/* Text up to `end` with its placeholders; false when one has no value. */
static bool add_part(struct buf *out, const char *p, const char *end, const struct fill_source *r)
{
	while (p < end) {
		const char *close = *p == '{' ? memchr(p, '}', (size_t)(end - p)) : NULL;
		char name[4 * REF_NAME_MAX];

		if (!close || (size_t)(close - p) > sizeof(name)) {
			buf_char(out, *p++);
			continue;
		}
		memcpy(name, p + 1, (size_t)(close - p - 1));
		name[close - p - 1] = '\0';
		if (!add_placeholder(out, r, name))
			return false;
		p = close + 1;
	}
	return true;
}

static bool fill(struct buf *out, const char *text, const struct fill_source *r)
{
	struct buf whole, part;
	bool complete = true;

	buf_init(&whole, 16384);
	buf_init(&part, 16384);
	for (const char *p = text; *p && complete;) {
		const char *open = strstr(p, "[[");
		const char *close = open ? strstr(open, "]]") : NULL;
		const char *end = close ? open : p + strlen(p);

		complete = add_part(&whole, p, end, r);
		p = end;
		if (!close)
			continue;
		buf_reset(&part);
		if (add_part(&part, open + 2, close, r))
			buf_add(&whole, buf_text(&part), part.n);
		p = close + 2;
	}
	if (complete)
		buf_add(out, buf_text(&whole), whole.n);
	buf_deinit(&whole);
	buf_deinit(&part);
	return complete;
}

bool view_fill(struct buf *out, const char *text, const struct result *r)
{
	return fill(out, text, &(struct fill_source){.result = r});
}

bool view_fill_references(struct buf *out, const char *text, const struct ref_scope *s,
			  const json_t *filters)
{
	return fill(out, text, &(struct fill_source){.scope = s, .filters = filters});
}
