/*
 * Exported files are opened by programs that execute content: cells that look like formulas are
 * made text, and Markdown in cells cannot break out of its table.
 */
#include "export.h"

#include <string.h>

#include "vesper/decimal.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/view.h"
#include "vesper/wire.h"

/* A cell as text; "" for null. Free with mem_free. */
static char *cell_text(const json_t *cell)
{
	if (!cell || json_is_null(cell))
		return mem_strdup("");
	if (json_is_string(cell) && !json_decimal_text(cell))
		return mem_strdup(json_string_value(cell));
	return json_text(cell);
}

static const json_t *cell_at(const json_t *view, const char *column, size_t row)
{
	return json_array_get(json_object_get(json_object_get(view, "data_dict"), column), row);
}

static const char *label_of(const json_t *meta)
{
	const char *label = json_string_value(json_object_get(meta, "label"));

	return label ? label : json_string_value(json_object_get(meta, "name"));
}

/* ---- CSV ---- */

/* A number column may hold texts where a double cannot keep all digits. */
static bool looks_numeric(const char *text)
{
	return *text && strspn(text, "0123456789+-.eE") == strlen(text) &&
	       strpbrk(text, "0123456789");
}

/* A spreadsheet executes text that begins like a formula, even with full-width characters. */
static bool is_formula(const char *text)
{
	static const char *const wide[] = {"＝", "＋", "－", "＠"};
	const char *first =
		text +
		utf8_leading_blanks(
			text); /* programs skip leading blanks; which ones depends on the program */

	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (strncmp(first, wide[i], strlen(wide[i])) == 0)
			return true;
	return (*first && strchr("=+-@", *first)) || (*text && strchr("\t\r\n", *text));
}

static void csv_field(struct buf *out, const char *text, bool number)
{
	bool formula = is_formula(text) && !(number && looks_numeric(text));

	if (!formula && !strpbrk(text, ",\"\r\n")) {
		buf_str(out, text);
		return;
	}
	buf_char(out, '"');
	if (formula)
		buf_char(out, '\'');
	for (const char *c = text; *c; c++) {
		if (*c == '"')
			buf_char(out, '"');
		buf_char(out, *c);
	}
	buf_char(out, '"');
}

/* ---- results, as CSV or in a workbook ---- */

static void add_cell(struct buf *out, struct xlsx *book, size_t column, const char *text,
		     enum column_type type)
{
	if (book) {
		xlsx_cell(book, text, type);
		return;
	}
	buf_str(out, column ? "," : "");
	csv_field(out, text, column_is_number(type));
}

static void add_head_cell(struct buf *out, struct xlsx *book, size_t column, const char *label,
			  const char *unit)
{
	char *head = unit ? mem_printf("%s (%s)", label, unit) : mem_strdup(label);

	add_cell(out, book, column, head, COLUMN_TEXT);
	mem_free(head);
}

static void end_row(struct buf *out, struct xlsx *book)
{
	if (book)
		xlsx_row_end(book, out);
	else
		buf_str(out, "\r\n");
}

static enum column_type type_of(const json_t *meta)
{
	const char *name = json_string_value(json_object_get(meta, "type"));
	enum column_type type = COLUMN_TEXT;

	if (name)
		column_type_parse(name, &type);
	return type;
}

void export_view(struct buf *out, struct xlsx *book, const json_t *view)
{
	const json_t *meta = json_object_get(view, "meta");
	int64_t rows = json_integer_value(json_object_get(view, "row_count"));
	size_t columns = json_array_size(meta);

	if (book)
		xlsx_begin(book, out);
	for (size_t i = 0; i < columns; i++) {
		const json_t *column = json_array_get(meta, i);

		add_head_cell(out, book, i, label_of(column),
			      json_string_value(json_object_get(column, "unit")));
	}
	end_row(out, book);
	for (int64_t row = 0; row < rows; row++) {
		for (size_t i = 0; i < columns; i++) {
			const json_t *column = json_array_get(meta, i);
			const char *name = json_string_value(json_object_get(column, "name"));
			char *text = cell_text(cell_at(view, name, (size_t)row));

			add_cell(out, book, i, text, type_of(column));
			mem_free(text);
		}
		end_row(out, book);
	}
	export_table_end(out, book);
}

static const char *table_text(const struct table *t, size_t row, size_t column)
{
	const char *text = t->rows[row][column];

	if (!text)
		return "";
	if (t->columns[column].type == COLUMN_BOOL)
		return strcmp(text, "0") != 0 ? "true" : "false";
	return text;
}

void export_table_head(struct buf *out, struct xlsx *book, const struct table *t)
{
	if (book)
		xlsx_begin(book, out);
	for (size_t i = 0; i < t->column_count; i++) {
		const struct column *c = &t->columns[i];

		add_head_cell(out, book, i, c->label ? c->label : c->name, c->unit);
	}
	end_row(out, book);
}

void export_table_row(struct buf *out, struct xlsx *book, const struct table *t, size_t row)
{
	for (size_t i = 0; i < t->column_count; i++)
		add_cell(out, book, i, table_text(t, row, i), t->columns[i].type);
	end_row(out, book);
}

void export_table_end(struct buf *out, struct xlsx *book)
{
	if (book)
		xlsx_end(book, out);
}

static bool cell_differs(const json_t *view, const char *column, const struct table *t, int at,
			 size_t row)
{
	char *stored = cell_text(cell_at(view, column, row));
	const char *current = table_text(t, row, (size_t)at);
	struct decimal a, b;
	bool differs = strcmp(stored, current) != 0;

	/* Values stored as JSON numbers have lost trailing zeros. */
	if (differs && column_is_number(t->columns[at].type) && decimal_parse(stored, &a) &&
	    decimal_parse(current, &b))
		differs = decimal_cmp(a, b) != 0;

	mem_free(stored);
	return differs;
}

bool export_differs(const json_t *view, const struct table *t)
{
	const json_t *meta = json_object_get(view, "meta");
	const json_t *total = json_object_get(view, "total_rows");
	size_t rows = (size_t)json_integer_value(json_object_get(view, "row_count"));

	if (rows > t->row_count || (total && json_integer_value(total) != t->total_rows))
		return true;
	for (size_t i = 0; i < json_array_size(meta); i++) {
		const char *name =
			json_string_value(json_object_get(json_array_get(meta, i), "name"));
		int at = name ? table_column(t, name) : -1;

		if (at < 0)
			return true;
		for (size_t row = 0; row < rows; row++)
			if (cell_differs(view, name, t, at, row))
				return true;
	}
	return false;
}

/* ---- Markdown ---- */

void export_markdown_session(struct buf *out, const struct session *s)
{
	buf_str(out, "# ");
	wire_markdown_text(out, *s->title ? s->title : "Untitled");
	buf_printf(out, "\n\nStarted %s.\n", s->created_at);
}

/* Embeds the picture, so that the file is self-contained. */
static void add_picture(struct buf *out, const json_t *view)
{
	const char *alt = json_string_value(json_object_get(view, "alt"));
	struct buf svg;

	buf_init(&svg, HTTP_RESPONSE_BYTES_MAX);
	if (view_svg(&svg, view, NULL)) {
		buf_str(out, "\n![");
		wire_markdown_text(out, alt ? alt : "");
		buf_str(out, "](data:image/svg+xml;base64,");
		hash_base64(out, buf_text(&svg), svg.n);
		buf_str(out, ")\n");
	}
	buf_deinit(&svg);
}

void export_markdown_message(struct buf *out, const struct message *m, const json_t *views)
{
	const json_t *view;
	size_t i;

	buf_printf(out, "\n## %s, %s\n\n%s\n", strcmp(m->role, "user") == 0 ? "Question" : "Answer",
		   m->created_at, m->content);
	if (m->status != MESSAGE_COMPLETE && m->status != MESSAGE_ASK)
		buf_printf(out, "\n(%s)\n", message_status_name(m->status));
	json_array_foreach((json_t *)(uintptr_t)views, i, view) {
		const char *type = json_string_value(json_object_get(view, "view_type"));

		if (type && strcmp(type, "data") == 0) {
			buf_char(out, '\n');
			wire_markdown_table(out, view, SIZE_MAX);
		} else if (type && strcmp(type, "chart") == 0) {
			add_picture(out, view);
		}
	}
}

void export_links_add(json_t *all, const json_t *links)
{
	const json_t *link;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)links, i, link) {
		const char *url = json_string_value(json_object_get(link, "url"));
		const char *label = json_string_value(json_object_get(link, "report_name"));

		if (url && label && json_object_size(all) < EXPORT_LINKS_MAX &&
		    !json_object_get(all, url))
			json_set_str(all, url, label);
	}
}

void export_markdown_links(struct buf *out, const json_t *all)
{
	const char *url;
	json_t *label;

	if (json_object_size(all) == 0)
		return;
	buf_str(out, "\n## Related Reports\n\n");
	json_object_foreach((json_t *)(uintptr_t)all, url, label) {
		buf_str(out, "- ");
		wire_markdown_text(out, json_string_value(label));
		buf_printf(out, ": %s\n", url);
	}
}
