/* Detected shapes of files: each line of tests/upload/shapes.tsv lists a file with its columns,
 * rows and faults. The e2e tests load the same files into databases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/shape.h"
#include "vesper/arena.h"
#include "vesper/file.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define FOLDER VESPER_SOURCE_DIR "/tests/upload/"

struct expected {
	struct str file, options, columns, rows, ragged, fault, question;
};

static enum file_format format_of(const char *path)
{
	const char *end = strrchr(path, '.');

	return strcmp(end, ".jsonl") == 0 ? FORMAT_JSONL
	       : strcmp(end, ".tsv") == 0 ? FORMAT_TSV
					  : FORMAT_CSV;
}

static const char *describe_columns(const struct shape *s, struct arena *a)
{
	const char *text = "";

	for (size_t i = 0; i < s->column_count; i++)
		text = arena_printf(a, "%s%s%s:%s", text, i > 0 ? " " : "", s->columns[i].name,
				    column_type_name(s->columns[i].form.type));
	return text;
}

static const char *describe_question(const struct shape *s, struct arena *a)
{
	for (size_t i = 0; i < s->column_count; i++)
		if (s->columns[i].question != QUESTION_NONE)
			return arena_printf(
				a, "%s:%s", s->columns[i].name,
				s->columns[i].question == QUESTION_DAY_OR_MONTH ? "day" : "comma");
	return "-";
}

static void ignore_misfit(void *owner, size_t column, size_t line)
{
	(void)owner;
	(void)column;
	(void)line;
}

/* Failures are counted, so that all lines of the table are checked. */
static int failures;

#define report_difference(...) (print_error(__VA_ARGS__), print_error("\n"), (void)failures++)

/* The second pass must return as many rows as the first pass counted. */
static void assert_row_count(const struct shape_options *o, const struct shape *s)
{
	struct shape_reader *r;
	struct shape_rows rows;
	struct fault fault;
	struct err e = {0};
	int64_t n = 0;

	assert_true(shape_reader_open(o, s, &r, &e));
	do {
		assert_true(shape_reader_next(r, ignore_misfit, NULL, &rows, &fault, &e));
		n += (int64_t)rows.count;
	} while (rows.count > 0);
	shape_reader_free(&r);
	assert_int_equal(n, s->rows);
}

static void check_file(const struct expected *x)
{
	struct arena *a = arena_new(1 << 20);
	struct shape_options o = {.path = arena_printf(a, FOLDER "shapes/%.*s", STR_FMT(x->file))};
	struct shape s;
	struct fault fault = {0};
	struct err e = {0};
	const char *found;

	o.format = format_of(o.path);
	if (str_eq(x->options, STR("header=yes")))
		o.header = HEADER_YES;
	if (str_eq(x->options, STR("header=no")))
		o.header = HEADER_NO;
	if (!shape_read(&o, a, &s, &fault, &e)) {
		found = arena_printf(a, "%s:%zu", fault.code ? fault.code : e.text, fault.line);
		if (!str_eq(str_of(found), x->fault))
			report_difference("%s: %s, expected %.*s", o.path, found,
					  STR_FMT(x->fault));
		arena_free(&a);
		return;
	}
	if (!str_eq(x->fault, STR("-")))
		report_difference("%s: no fault", o.path);
	found = describe_columns(&s, a);
	if (!str_eq(str_of(found), x->columns))
		report_difference("%s: %s, expected %.*s", o.path, found, STR_FMT(x->columns));
	found = arena_printf(a, "%ld %ld", (long)s.rows, (long)s.ragged_rows);
	if (strcmp(found, arena_printf(a, "%.*s %.*s", STR_FMT(x->rows), STR_FMT(x->ragged))) != 0)
		report_difference("%s: rows and ragged rows: %s", o.path, found);
	found = describe_question(&s, a);
	if (!str_eq(str_of(found), x->question))
		report_difference("%s: question %s", o.path, found);
	assert_row_count(&o, &s);
	arena_free(&a);
}

static void detects_each_shape(void **state)
{
	struct arena *a = arena_new(1 << 20);
	const char *text;
	struct err e = {0};
	struct str rest, line;
	size_t n = 0;

	(void)state;
	assert_true(file_read(FOLDER "shapes.tsv", 1 << 20, a, &text, &e));
	rest = str_of(text);
	while (str_split(&rest, '\n', &line)) {
		struct expected x;
		struct str *fields = &x.file;

		if (line.n == 0 || *line.p == '#')
			continue;
		for (size_t i = 0; i < 7; i++)
			assert_true(str_split(&line, '\t', &fields[i]));
		check_file(&x);
		n++;
	}
	assert_int_equal(failures, 0);
	assert_true(n >= 60);
	arena_free(&a);
}

/* ---- chunks of text ---- */

struct parsed_records {
	struct buf text;
};

static void on_record(void *owner, const struct record *r)
{
	struct parsed_records *s = owner;

	buf_printf(&s->text, "%zu:", r->line);
	for (size_t i = 0; i < r->count; i++)
		buf_printf(&s->text, "[%.*s]", STR_FMT(r->cells[i]));
}

static char *parse_records(enum file_format format, const char *text, size_t split_at)
{
	struct parsed_records s;
	struct records *r = records_new(format, ',', on_record, &s);
	struct fault fault;
	struct err e = {0};

	buf_init(&s.text, 4096);
	(void)(records_add(r, text, split_at, &fault, &e) &&
	       records_add(r, text + split_at, strlen(text) - split_at, &fault, &e) &&
	       records_end(r, &fault, &e));
	records_free(&r);
	buf_str(&s.text, e.text);
	return buf_take(&s.text);
}

static void chunk_boundaries_change_nothing(void **state)
{
	static const char csv[] = "a,\"b\r\nc\"\r\n\r\nd,e\n\"f\"\"g\",h\ri,j";
	static const char lines[] = "{\"a\": \"x\"}\n{\"b\": 1.5, \"a\": [1, {\"c\": 2}]}\n";

	(void)state;
	for (int f = 0; f < 2; f++) {
		const char *text = f == 0 ? csv : lines;
		enum file_format format = f == 0 ? FORMAT_CSV : FORMAT_JSONL;
		char *unsplit = parse_records(format, text, 0);

		for (size_t split_at = 1; split_at <= strlen(text); split_at++) {
			char *split = parse_records(format, text, split_at);

			assert_string_equal(split, unsplit);
			mem_free(split);
		}
		assert_string_equal(unsplit, f == 0 ? "1:[a][b\r\nc]4:[d][e]5:[f\"g][h]6:[i][j]"
						    : "1:[x]2:[[1,{\"c\":2}]][1.5]");
		mem_free(unsplit);
	}
}

/* Without a limit, the library's buffer would grow until the closing quote. */
static void long_cell_stops_reading(void **state)
{
	struct records *r;
	struct parsed_records s;
	struct fault fault = {0};
	struct err e = {0};
	char *text = mem_alloc(DATA_SOURCE_CELL_BYTES_MAX + 10);

	(void)state;
	buf_init(&s.text, 4096);
	memset(text, 'x', DATA_SOURCE_CELL_BYTES_MAX + 9);
	memcpy(text, "a\n\"", 3);
	r = records_new(FORMAT_CSV, ',', on_record, &s);
	assert_false(records_add(r, text, strlen(text), &fault, &e));
	assert_string_equal(fault.code, "unclosed_quote");
	assert_int_equal(fault.line, 2);
	records_free(&r);
	buf_deinit(&s.text);
	mem_free(text);
}

/* Each encoding gives the same text for any chunk boundary. */
static void assert_decodes(const char *bytes, size_t len, enum encoding expected_encoding,
			   const char *text)
{
	for (size_t split_at = 0; split_at <= len; split_at++) {
		struct encoding_scan scan = {0};
		enum encoding found;
		struct decoder *d;
		struct buf out;
		struct err e = {0};

		buf_init(&out, 4096);
		encoding_scan_add(&scan, bytes, split_at);
		encoding_scan_add(&scan, bytes + split_at, len - split_at);
		assert_true(encoding_scan_end(&scan, &found, &e));
		assert_string_equal(encoding_name(found), encoding_name(expected_encoding));
		d = decoder_new(found);
		decoder_add(d, bytes, split_at, &out);
		decoder_add(d, bytes + split_at, len - split_at, &out);
		decoder_end(d, &out);
		assert_string_equal(buf_text(&out), text);
		decoder_free(&d);
		buf_deinit(&out);
	}
}

#define ASSERT_DECODES(bytes, expected_encoding, text)                                             \
	assert_decodes(bytes, sizeof(bytes) - 1, expected_encoding, text)

static void detects_and_decodes_encodings(void **state)
{
	(void)state;
	ASSERT_DECODES("\xEF\xBB\xBFh\xC3\xA4", ENCODING_UTF8, "h\xC3\xA4");
	ASSERT_DECODES("a", ENCODING_UTF8, "a");
	ASSERT_DECODES("\xFF\xFE"
		       "a\0\xE4\0=\xD8\0\xDE",
		       ENCODING_UTF16LE, "a\xC3\xA4\xF0\x9F\x98\x80");
	ASSERT_DECODES("\xFE\xFF\0a\0\xE4", ENCODING_UTF16BE, "a\xC3\xA4");
	ASSERT_DECODES("\xFF\xFE\0\xDE", ENCODING_UTF16LE, "\xEF\xBF\xBD");
	ASSERT_DECODES("M\xFCller \x80", ENCODING_WINDOWS_1252, "M\xC3\xBCller \xE2\x82\xAC");
	ASSERT_DECODES("M\xC3\xBCller\nM\xFCller\n", ENCODING_MIXED,
		       "M\xC3\xBCller\nM\xC3\xBCller\n");
	ASSERT_DECODES("\xED\xA0\x80", ENCODING_WINDOWS_1252, "\xC3\xAD\xC2\xA0\xE2\x82\xAC");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(detects_each_shape),
		cmocka_unit_test(chunk_boundaries_change_nothing),
		cmocka_unit_test(long_cell_stops_reading),
		cmocka_unit_test(detects_and_decodes_encodings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
