/* Results as JSON views: column-oriented, with types and units, digits unchanged. */
#include "view_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define REASON_BYTES_MAX 4096
#define JSON_INT_SAFE    9007199254740991LL /* 2^53 - 1: beyond it a browser's number loses digits */

static const char *const priorities[] = {
	[PRIORITY_LOW] = "low",
	[PRIORITY_MEDIUM] = "medium",
	[PRIORITY_HIGH] = "high",
};

static json_t *int_json(const char *text)
{
	char *end;
	long long value = strtoll(text, &end, 10);

	if (*end || value > JSON_INT_SAFE || value < -JSON_INT_SAFE)
		return json_str(text);
	return json_integer(value);
}

static json_t *cell_json(enum column_type type, const char *text)
{
	if (!text)
		return json_null();
	switch (type) {
	case COLUMN_INT:
		return int_json(text);
	case COLUMN_DECIMAL:
		return json_decimal(text);
	case COLUMN_BOOL:
		return json_boolean(strcmp(text, "0") != 0);
	default:
		return json_str(text);
	}
}

static json_t *meta_json(const struct column *c)
{
	json_t *meta = json_object();

	json_set_str(meta, "name", c->name);
	json_set_str(meta, "label", c->label ? c->label : c->name);
	json_set_str(meta, "type", column_type_name(c->type));
	json_set_str(meta, "unit", c->unit);
	json_set_str(meta, "priority", priorities[c->priority]);
	return meta;
}

json_t *view_source(const struct result *r)
{
	json_t *source = json_object();

	json_set_str(source, "call", r->call);
	json_set_str(source, "task", r->task);
	json_set_str(source, "agent", r->agent);
	json_set_str(source, "tool", r->tool);
	json_set_str(source, "sql", r->sql);
	return source;
}

json_t *view_columns(const struct result *r, const struct table *t, const char *view_type,
		     const char *view_id, const size_t *columns, size_t count, size_t rows)
{
	json_t *view = json_object(), *names = json_array(), *meta = json_array(),
	       *dict = json_object();

	for (size_t i = 0; i < (columns ? count : t->column_count); i++) {
		size_t c = columns ? columns[i] : i;
		json_t *cells = json_array();

		for (size_t row = 0; row < rows; row++)
			json_push_take(cells, cell_json(t->columns[c].type, t->rows[row][c]));
		json_push_take(names, json_str(t->columns[c].name));
		json_push_take(meta, meta_json(&t->columns[c]));
		json_set_take(dict, t->columns[c].name, cells);
	}
	json_set_str(view, "view_type", view_type);
	json_set_str(view, "view_id", view_id);
	json_set_str(view, "text", r->about);
	json_set_take(view, "columns", names);
	json_set_take(view, "meta", meta);
	json_set_take(view, "data_dict", dict);
	json_set_int(view, "row_count", (int64_t)rows);
	if (t->total_exact)
		json_set_int(view, "total_rows", t->total_rows);
	json_set_bool(view, "truncated", t->truncated);
	json_set_str(view, "truncation_reason", t->truncation);
	json_set_take(view, "source", view_source(r));
	return view;
}

/* ---- a table that is too long for a view ---- */

static size_t cell_bytes(const char *text)
{
	return strlen(text) + 3; /* with its quotes and comma */
}

static bool is_long(const struct table *t)
{
	size_t bytes = 0;

	for (size_t r = 0; r < t->row_count; r++)
		for (size_t c = 0; c < t->column_count; c++)
			bytes += cell_bytes(t->rows[r][c] ? t->rows[r][c] : "");
	return bytes > VIEW_BYTES_MAX / 2; /* heads come on top */
}

/* "row cap; too long for a table: without Notes, Comment; the first 120 of 500 rows" */
static void add_reason(struct buf *out, const struct table *t, const struct view_fit *fit)
{
	const char *lead = ": without ";

	buf_printf(out, "%s%stoo long for a table", t->truncation ? t->truncation : "",
		   t->truncation ? "; " : "");
	for (size_t c = 0; c < t->column_count; c++)
		if (fit->left[c] != VIEW_SHOWN) {
			buf_printf(out, "%s%s", lead, t->columns[c].name);
			lead = ", ";
		}
	if (fit->row_count < t->row_count)
		buf_printf(out, "; the first %zu of %zu rows", fit->row_count, t->row_count);
}

static json_t *cut_view(const struct result *r, const struct table *t, const char *view_id)
{
	const struct view_room room = {
		.rows = t->row_count, .size = VIEW_BYTES_MAX, .measure = cell_bytes};
	struct arena *a = arena_new(VIEW_BYTES_MAX);
	size_t *columns = arena_alloc(a, sizeof(*columns) * (t->column_count + 1)), n = 0;
	struct view_fit fit;
	struct buf reason;
	json_t *view;

	view_fit_table(t, &room, a, &fit);
	for (size_t c = 0; c < t->column_count; c++)
		if (fit.left[c] == VIEW_SHOWN)
			columns[n++] = c;
	view = view_columns(r, t, "data", view_id, columns, n, fit.row_count);
	if (n < t->column_count || fit.row_count < t->row_count) {
		buf_init(&reason, REASON_BYTES_MAX);
		add_reason(&reason, t, &fit);
		json_set_bool(view, "truncated", true);
		json_set_str(view, "truncation_reason", buf_text(&reason));
		buf_deinit(&reason);
	}
	arena_free(&a);
	return view;
}

json_t *view_data(const struct result *r, const struct table *t, const char *view_id)
{
	if (is_long(t))
		return cut_view(r, t, view_id);
	return view_columns(r, t, "data", view_id, NULL, 0, t->row_count);
}
