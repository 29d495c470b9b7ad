/* Results as JSON views: by column, with types and units, and all digits. */
#include "view_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define REASON_BYTES_MAX 4096
#define JSON_INT_SAFE    9007199254740991LL /* 2^53 - 1: JavaScript numbers beyond it lose digits */

static const char *const priorities[] = {
	[PRIORITY_LOW] = "low",
	[PRIORITY_MEDIUM] = "medium",
	[PRIORITY_HIGH] = "high",
};

static void write_int(struct json_out *j, const char *text)
{
	char *end;
	long long value = strtoll(text, &end, 10);

	if (*end || value > JSON_INT_SAFE || value < -JSON_INT_SAFE)
		jo_str(j, str_of(text));
	else
		jo_int(j, value);
}

static void write_cell(struct json_out *j, enum column_type type, const char *text)
{
	if (!text)
		jo_null(j);
	else if (type == COLUMN_INT)
		write_int(j, text);
	else if (type == COLUMN_DECIMAL)
		jo_decimal(j, text);
	else if (type == COLUMN_BOOL)
		jo_bool(j, strcmp(text, "0") != 0);
	else
		jo_str(j, str_of(text));
}

static void write_meta(struct json_out *j, const struct column *c)
{
	jo_object(j);
	jo_set_str(j, "name", c->name);
	jo_set_str(j, "label", c->label ? c->label : c->name);
	jo_set_str(j, "type", column_type_name(c->type));
	jo_set_str(j, "unit", c->unit);
	jo_set_str(j, "priority", priorities[c->priority]);
	jo_object_end(j);
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

static size_t shown_column(const struct view_part *part, size_t i)
{
	return part->columns ? part->columns[i] : i;
}

/* Finds the column for a dictionary key: for duplicate names, the last column's cells at the first
 * one's position. */
static bool dict_column(const struct table *t, const struct view_part *part, size_t i, size_t *out)
{
	const char *name = t->columns[shown_column(part, i)].name;

	*out = shown_column(part, i);
	for (size_t k = 0; k < part->column_count; k++) {
		if (k == i || strcmp(t->columns[shown_column(part, k)].name, name) != 0)
			continue;
		if (k < i)
			return false;
		*out = shown_column(part, k);
	}
	return true;
}

static void write_dict(struct json_out *j, const struct table *t, const struct view_part *part)
{
	size_t c;

	jo_object(j);
	for (size_t i = 0; i < part->column_count; i++) {
		if (!dict_column(t, part, i, &c))
			continue;
		jo_key(j, t->columns[c].name);
		jo_array(j);
		for (size_t row = 0; row < part->row_count; row++)
			write_cell(j, t->columns[c].type, t->rows[row][c]);
		jo_array_end(j);
	}
	jo_object_end(j);
}

const char *const view_notes[] = {RESULT_FACTS_LEFT_OUT, RESULT_FRAME_SAMPLED,
				  RESULT_VALUES_LEFT_OUT, RESULT_SEARCH_STOPPED, NULL};

static void write_notes(struct json_out *j, const struct result *r)
{
	bool has_notes = false;

	for (size_t i = 0; view_notes[i]; i++) {
		const struct fact *note = result_fact(r, view_notes[i]);

		if (!note)
			continue;
		if (!has_notes) {
			jo_key(j, "notes");
			jo_array(j);
		}
		has_notes = true;
		jo_str(j, str_of(note->value));
	}
	if (has_notes)
		jo_array_end(j);
}

static void write_source(struct json_out *j, const struct result *r)
{
	jo_object(j);
	jo_set_str(j, "call", r->call);
	jo_set_str(j, "task", r->task);
	jo_set_str(j, "agent", r->agent);
	jo_set_str(j, "tool", r->tool);
	jo_set_str(j, "sql", r->sql);
	jo_object_end(j);
}

static void write_column_names(struct json_out *j, const struct table *t,
			       const struct view_part *part)
{
	jo_key(j, "columns");
	jo_array(j);
	for (size_t i = 0; i < part->column_count; i++)
		jo_str(j, str_of(t->columns[shown_column(part, i)].name));
	jo_array_end(j);
}

static void write_table(struct json_out *j, const struct table *t, const struct view_part *part)
{
	write_column_names(j, t, part);
	jo_key(j, "meta");
	jo_array(j);
	for (size_t i = 0; i < part->column_count; i++)
		write_meta(j, &t->columns[shown_column(part, i)]);
	jo_array_end(j);
	jo_key(j, "data_dict");
	write_dict(j, t, part);
	jo_set_int(j, "row_count", (int64_t)part->row_count);
	if (t->is_total_exact)
		jo_set_int(j, "total_rows", t->total_rows);
	jo_set_bool(j, "truncated", part->cut.truncated);
	jo_set_str(j, "truncation_reason", part->cut.reason);
}

void view_columns(struct json_out *j, const struct result *r, const struct table *t,
		  const struct view_part *part)
{
	jo_set_str(j, "view_type", part->type);
	jo_set_str(j, "view_id", part->id);
	jo_set_str(j, "text", r->about);
	write_table(j, t, part);
	write_notes(j, r);
	jo_key(j, "source");
	write_source(j, r);
}

/* ---- truncating tables ---- */

static size_t cell_bytes(const char *text)
{
	return strlen(text) + 3; /* with quotes and comma */
}

static bool is_too_long(const struct table *t)
{
	size_t bytes = 0;

	for (size_t r = 0; r < t->row_count; r++)
		for (size_t c = 0; c < t->column_count; c++)
			bytes += cell_bytes(t->rows[r][c] ? t->rows[r][c] : "");
	return bytes > VIEW_BYTES_MAX / 2; /* leaves room for the column headers */
}

/* Writes "row cap; too long for a table: without Notes, Comment; the first 120 of 500 rows". */
static void add_reason(struct buf *out, const struct table *t, const struct view_fit *fit)
{
	const char *separator = ": without ";

	buf_printf(out, "%s%stoo long for a table", t->truncation ? t->truncation : "",
		   t->truncation ? "; " : "");
	for (size_t c = 0; c < t->column_count; c++)
		if (fit->dropped[c] != VIEW_SHOWN) {
			buf_printf(out, "%s%s", separator, t->columns[c].name);
			separator = ", ";
		}
	if (fit->row_count < t->row_count)
		buf_printf(out, "; the first %zu of %zu rows", fit->row_count, t->row_count);
}

/* Selects the part that fits. */
static void truncate_part(const struct table *t, struct arena *a, struct view_part *part)
{
	const struct view_limits limits = {
		.rows = t->row_count, .size = VIEW_BYTES_MAX, .measure = cell_bytes};
	size_t *columns = arena_alloc(a, sizeof(*columns) * (t->column_count + 1)), n = 0;
	struct view_fit fit;
	struct buf reason;

	view_fit_table(t, &limits, a, &fit);
	for (size_t c = 0; c < t->column_count; c++)
		if (fit.dropped[c] == VIEW_SHOWN)
			columns[n++] = c;
	part->columns = columns;
	part->column_count = n;
	part->row_count = fit.row_count;
	if (n == t->column_count && fit.row_count == t->row_count)
		return;
	buf_init(&reason, REASON_BYTES_MAX);
	add_reason(&reason, t, &fit);
	part->cut = (struct view_truncation){true, arena_strdup(a, buf_text(&reason))};
	buf_deinit(&reason);
}

static struct view_part part_of(const struct table *t, const char *type, const char *view_id,
				struct arena *a)
{
	struct view_part part = {.type = type,
				 .id = view_id,
				 .column_count = t->column_count,
				 .row_count = t->row_count,
				 .cut = {t->truncated, t->truncation}};

	if (is_too_long(t))
		truncate_part(t, a, &part);
	return part;
}

static void write_row(struct json_out *j, const struct table *t, const struct view_part *part,
		      size_t row)
{
	size_t c;

	jo_object(j);
	for (size_t i = 0; i < part->column_count; i++) {
		if (!dict_column(t, part, i, &c))
			continue;
		jo_key(j, t->columns[c].name);
		write_cell(j, t->columns[c].type, t->rows[row][c]);
	}
	jo_object_end(j);
}

struct view_truncation view_rows(struct json_out *j, const struct table *t, struct arena *a)
{
	const struct view_part part = part_of(t, NULL, NULL, a);

	jo_array(j);
	for (size_t row = 0; row < part.row_count; row++)
		write_row(j, t, &part, row);
	jo_array_end(j);
	return part.cut;
}

void view_table(struct json_out *j, const struct table *t, struct arena *a)
{
	const struct view_part part = part_of(t, NULL, NULL, a);

	write_table(j, t, &part);
}

struct view_truncation view_data(struct buf *out, const struct result *r, const struct table *t,
				 const char *view_id, struct arena *a)
{
	const struct view_part part = part_of(t, "data", view_id, a);
	struct json_out j;

	jo_init(&j, out);
	jo_object(&j);
	view_columns(&j, r, t, &part);
	jo_object_end(&j);
	return part.cut;
}
