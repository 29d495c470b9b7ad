/* Converts JSON written by the program to Markdown. Cells are escaped, so they cannot break their
 * table. */
#include "markdown.h"

#include <inttypes.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/wire.h"

void wire_markdown_text(struct buf *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\n' || *c == '\r') {
			buf_char(out, ' ');
			continue;
		}
		if (strchr("|\\`*_[]<>", *c))
			buf_char(out, '\\');
		buf_char(out, *c);
	}
}

static void add_cell(struct buf *out, const json_t *cell)
{
	char *text = NULL;

	if (json_is_string(cell) && !json_decimal_text(cell))
		wire_markdown_text(out, json_string_value(cell));
	else if (cell && !json_is_null(cell))
		wire_markdown_text(out, text = json_text(cell));
	mem_free(text);
}

static const char *member_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static const char *label_of(const json_t *meta)
{
	const char *label = member_text(meta, "label");

	return label ? label : member_text(meta, "name");
}

static bool is_number(const json_t *meta)
{
	const char *type = member_text(meta, "type");

	return type && (strcmp(type, "int") == 0 || strcmp(type, "decimal") == 0);
}

static void add_row(struct buf *out, const json_t *view, const json_t *meta, size_t row)
{
	const json_t *columns = json_object_get(view, "data_dict");

	buf_char(out, '|');
	for (size_t i = 0; i < json_array_size(meta); i++) {
		const char *name = member_text(json_array_get(meta, i), "name");

		buf_char(out, ' ');
		add_cell(out, json_array_get(json_object_get(columns, name), row));
		buf_str(out, " |");
	}
	buf_char(out, '\n');
}

void wire_markdown_table(struct buf *out, const json_t *view, size_t rows_max)
{
	const json_t *meta = json_object_get(view, "meta");
	size_t rows = (size_t)json_integer_value(json_object_get(view, "row_count"));
	size_t shown = rows < rows_max ? rows : rows_max;
	bool truncated = json_is_true(json_object_get(view, "truncated"));

	buf_char(out, '|');
	for (size_t i = 0; i < json_array_size(meta); i++) {
		buf_char(out, ' ');
		wire_markdown_text(out, label_of(json_array_get(meta, i)));
		buf_str(out, " |");
	}
	buf_str(out, "\n|");
	for (size_t i = 0; i < json_array_size(meta); i++)
		buf_str(out, is_number(json_array_get(meta, i)) ? " ---: |" : " --- |");
	buf_char(out, '\n');
	for (size_t row = 0; row < shown; row++)
		add_row(out, view, meta, row);
	if (shown < rows)
		buf_printf(out, "\n… +%zu%s\n", rows - shown, truncated ? "…" : "");
	else if (truncated)
		buf_str(out, "\n…\n");
}

void markdown_view(struct buf *out, struct str view)
{
	json_t *root;
	struct err e;
	const char *type, *text;

	if (!json_parse(view.p, view.n, view.n, &root, &e))
		return;
	type = member_text(root, "view_type");
	text = member_text(root, "text");
	if (type && strcmp(type, "data") == 0)
		wire_markdown_table(out, root, MARKDOWN_ROWS_MAX);
	else if (text && *text)
		buf_printf(out, "%s\n", text);
	json_decref(root);
}

/* The unescaped JSON string; "" for other types. Free with mem_free. */
static char *plain(struct str json)
{
	json_t *value = NULL;
	struct err e;
	char *text = NULL;

	if (json_parse(json.p, json.n, json.n, &value, &e))
		text = mem_strdup(json_is_string(value) ? json_string_value(value) : "");
	json_decref(value);
	return text ? text : mem_strdup("");
}

void markdown_options(struct buf *out, struct str options, struct str prompt)
{
	struct str option, label;
	int number = 0;

	while (json_item_next(&options, &option)) {
		char *text;

		if (!json_member(option, "label", &label) && !json_member(option, "value", &label))
			continue;
		text = plain(label);
		if (number == 0 && memmem(prompt.p, prompt.n, text, strlen(text))) {
			mem_free(text);
			return;
		}
		buf_printf(out, "%s%d. ", number == 0 ? "\n\n" : "\n", number + 1);
		wire_markdown_text(out, text);
		mem_free(text);
		number++;
	}
}

void markdown_links(struct buf *out, struct str links)
{
	struct str link, url, name;
	bool first = true;

	while (json_item_next(&links, &link)) {
		char *label, *address;

		if (!json_member(link, "url", &url) || !json_member(link, "report_name", &name))
			continue;
		label = plain(name);
		address = plain(url);
		buf_str(out, first ? "\n\n- [" : "\n- [");
		wire_markdown_text(out, label);
		buf_printf(out, "](%s)", address);
		mem_free(label);
		mem_free(address);
		first = false;
	}
}
