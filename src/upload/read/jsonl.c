/* JSON lines: one flat object per line. A member that is an object or an array becomes its text. */
#include "records_int.h"

#include <jansson.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

struct jsonl {
	struct records *records;
	struct buf line;
	size_t number; /* of the current line */
	char **members;
	size_t count, cap;
};

struct jsonl *jsonl_new(struct records *r)
{
	struct jsonl *j = mem_alloc(sizeof(*j));

	j->records = r;
	j->number = 1;
	buf_init(&j->line, DATA_SOURCE_LINE_BYTES_MAX);
	return j;
}

void jsonl_free(struct jsonl **jsonl)
{
	struct jsonl *j = *jsonl;

	if (!j)
		return;
	*jsonl = NULL;
	for (size_t i = 0; i < j->count; i++)
		mem_free(j->members[i]);
	mem_free(j->members);
	buf_deinit(&j->line);
	mem_free(j);
}

const char *const *jsonl_members(const struct jsonl *j, size_t *count)
{
	*count = j->count;
	return (const char *const *)j->members;
}

static void fail(struct jsonl *j, const char *code, const char *reason)
{
	records_fail(j->records, code, j->number, reason);
}

static bool has_member(const struct jsonl *j, const char *name)
{
	for (size_t i = 0; i < j->count; i++)
		if (strcmp(j->members[i], name) == 0)
			return true;
	return false;
}

static void add_members(struct jsonl *j, json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value) {
		if (has_member(j, name))
			continue;
		if (j->count == DATA_SOURCE_COLUMNS_MAX) {
			fail(j, "too_many_columns", "there are too many columns");
			return;
		}
		j->members = mem_grow(j->members, &j->cap, j->count + 1, sizeof(*j->members));
		j->members[j->count++] = mem_strdup(name);
	}
}

static void add_value(struct jsonl *j, const json_t *value)
{
	size_t before = j->records->text.n;
	char *text;

	if (!value || json_is_null(value)) {
		records_missing_cell(j->records);
		return;
	}
	if (json_is_string(value)) {
		records_cell(j->records, json_string_value(value), json_string_length(value));
	} else {
		text = json_text(value);
		records_cell(j->records, text, strlen(text));
		mem_free(text);
	}
	if (j->records->text.n - before > DATA_SOURCE_CELL_BYTES_MAX)
		fail(j, "cell_too_long", "a cell is too long");
}

static bool is_blank(const struct buf *line)
{
	return str_trim((struct str){line->p, line->n}).n == 0;
}

static void parse_line(struct jsonl *j)
{
	json_t *object = NULL;
	struct err e = {0};

	if (j->records->fault.code || is_blank(&j->line))
		goto out;
	if (buf_over(&j->line))
		fail(j, "record_too_long", "the line is too long");
	else if (!json_parse(buf_text(&j->line), j->line.n, DATA_SOURCE_LINE_BYTES_MAX, &object,
			     &e))
		fail(j, "bad_json", "the line is not valid JSON");
	else if (!json_is_object(object))
		fail(j, "bad_json", "the line is not a JSON object");
	else
		add_members(j, object);
	for (size_t i = 0; !j->records->fault.code && i < j->count; i++)
		add_value(j, json_object_get(object, j->members[i]));
	if (!j->records->fault.code && j->count > 0)
		records_emit(j->records, j->number);
out:
	json_decref(object);
	buf_reset(&j->line);
	j->number++;
}

void jsonl_add(struct jsonl *j, const char *text, size_t len)
{
	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		buf_add(&j->line, text, n);
		if (!end)
			return;
		parse_line(j);
		text += n + 1;
		len -= n + 1;
	}
}

void jsonl_end(struct jsonl *j)
{
	if (j->line.n > 0 || buf_over(&j->line))
		parse_line(j);
}
