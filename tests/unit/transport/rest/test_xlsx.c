/* Reads workbooks as spreadsheet programs do: finds each part by the directory of the ZIP file and
 * inflates it. */
#include "fixture.h"

#include <zlib.h>

#include "rest/export/xlsx.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define TEXT_MAX (16 * 1024 * 1024)

static uint32_t field(const char *at, int size)
{
	uint32_t value = 0;

	for (int i = 0; i < size; i++)
		value |= (uint32_t)(uint8_t)at[i] << (8 * i);
	return value;
}

/* Free with mem_free. */
static char *inflated(const char *file, const char *entry)
{
	uint32_t crc = field(entry + 16, 4), deflated = field(entry + 20, 4),
		 bytes = field(entry + 24, 4);
	const char *local = file + field(entry + 42, 4);
	char *text = mem_alloc(bytes + 1);
	z_stream z = {0};

	assert_int_equal(field(local, 4), 0x04034b50);
	assert_int_equal(inflateInit2(&z, -MAX_WBITS), Z_OK);
	z.next_in = (z_const Bytef *)(uintptr_t)(local + 30 + field(local + 26, 2));
	z.avail_in = deflated;
	z.next_out = (Bytef *)text;
	z.avail_out = bytes + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, bytes);
	assert_int_equal(z.total_in, deflated);
	inflateEnd(&z);
	assert_int_equal(crc32(0, (const Bytef *)text, bytes), crc);
	text[bytes] = '\0';
	return text;
}

/* The text of the sheet, which is the last of the parts. */
static char *sheet_of(const struct buf *file, uint32_t parts)
{
	const char *bytes = file->p, *end = bytes + file->n - 22, *entry;
	char *text = NULL;

	assert_int_equal(field(end, 4), 0x06054b50);
	assert_int_equal(field(end + 10, 2), parts);
	entry = bytes + field(end + 16, 4);
	for (uint32_t i = 0; i < parts; i++) {
		assert_int_equal(field(entry, 4), 0x02014b50);
		mem_free(text);
		text = inflated(bytes, entry);
		assert_non_null(strstr(text, "<?xml "));
		entry += 46 + field(entry + 28, 2);
	}
	assert_ptr_equal(entry, end);
	return text;
}

/* The sheet of one column: a header and these cells. */
static char *sheet(enum column_type type, const char *const *cells, size_t count)
{
	struct xlsx *x = xlsx_new();
	struct buf out;
	char *text;

	buf_init(&out, TEXT_MAX);
	xlsx_begin(x, &out);
	xlsx_cell(x, "Head", type);
	xlsx_row_end(x, &out);
	for (size_t i = 0; i < count; i++) {
		xlsx_cell(x, cells[i], type);
		xlsx_row_end(x, &out);
	}
	xlsx_end(x, &out);
	xlsx_free(&x);
	text = sheet_of(&out, 6);
	buf_deinit(&out);
	return text;
}

static void assert_cell(enum column_type type, const char *cell, const char *expected)
{
	char *text = sheet(type, &cell, 1), *row = mem_printf("<row r=\"2\">%s</row>", expected);

	if (!strstr(text, row))
		fail_msg("%s: no %s in %s", cell, row, strstr(text, "<sheetData>"));
	mem_free(row);
	mem_free(text);
}

#define TEXT_CELL(text)                                                                            \
	"<c r=\"A2\" s=\"4\" t=\"inlineStr\"><is><t xml:space=\"preserve\">" text "</t></is></c>"
#define NUMBER_CELL(style, number) "<c r=\"A2\" s=\"" style "\"><v>" number "</v></c>"

static void text_cells_stay_text(void **state)
{
	(void)state;
	assert_cell(COLUMN_TEXT, "=1+1", TEXT_CELL("=1+1"));
	assert_cell(COLUMN_TEXT, "+1", TEXT_CELL("+1"));
	assert_cell(COLUMN_TEXT, "-1", TEXT_CELL("-1"));
	assert_cell(COLUMN_TEXT, "@SUM(A1)", TEXT_CELL("@SUM(A1)"));
	assert_cell(COLUMN_TEXT, "007", TEXT_CELL("007"));
	assert_cell(COLUMN_TEXT, "<b> & </c>", TEXT_CELL("&lt;b&gt; &amp; &lt;/c&gt;"));
	assert_cell(COLUMN_TEXT, "a\tb\nc\r\x01", TEXT_CELL("a\tb\nc_x000D__x0001_"));
	assert_cell(COLUMN_TEXT, "_x0041_ _x41_", TEXT_CELL("_x005F_x0041_ _x41_"));
	assert_cell(COLUMN_TEXT, "\xef\xbf\xbf", TEXT_CELL("\xef\xbf\xbd"));
	assert_cell(COLUMN_TEXT, "", "");
}

static void numbers_are_numeric_if_all_digits_are_kept(void **state)
{
	(void)state;
	assert_cell(COLUMN_DECIMAL, "-1.50", NUMBER_CELL("0", "-1.50"));
	assert_cell(COLUMN_INT, "0", NUMBER_CELL("0", "0"));
	assert_cell(COLUMN_INT, "123456789012345", NUMBER_CELL("0", "123456789012345"));
	assert_cell(COLUMN_INT, "1234567890123456", TEXT_CELL("1234567890123456"));
	assert_cell(COLUMN_DECIMAL, "0.000123456789012345",
		    NUMBER_CELL("0", "0.000123456789012345"));
	assert_cell(COLUMN_DECIMAL, "-1+cmd|x", TEXT_CELL("-1+cmd|x"));
	assert_cell(COLUMN_DECIMAL, "1.", TEXT_CELL("1."));
	assert_cell(COLUMN_DECIMAL, "-", TEXT_CELL("-"));
	assert_cell(COLUMN_DECIMAL, "1e5", TEXT_CELL("1e5"));
	assert_cell(COLUMN_BOOL, "true", "<c r=\"A2\" s=\"0\" t=\"b\"><v>1</v></c>");
	assert_cell(COLUMN_BOOL, "false", "<c r=\"A2\" s=\"0\" t=\"b\"><v>0</v></c>");
	assert_cell(COLUMN_BOOL, "maybe", TEXT_CELL("maybe"));
}

static void dates_are_date_cells(void **state)
{
	(void)state;
	assert_cell(COLUMN_DATE, "2026-02-27", NUMBER_CELL("2", "46080"));
	assert_cell(COLUMN_DATE, "1900-03-01", NUMBER_CELL("2", "61"));
	assert_cell(COLUMN_DATE, "1900-02-28", TEXT_CELL("1900-02-28"));
	assert_cell(COLUMN_DATE, "2026-02-30", TEXT_CELL("2026-02-30"));
	assert_cell(COLUMN_DATETIME, "2026-02-27 12:00:00", NUMBER_CELL("3", "46080.5000000000"));
	assert_cell(COLUMN_DATETIME, "2026-02-27T06:00", NUMBER_CELL("3", "46080.2500000000"));
	assert_cell(COLUMN_DATETIME, "2026-02-27T06:00:00+02:00",
		    TEXT_CELL("2026-02-27T06:00:00+02:00"));
	assert_cell(COLUMN_DATETIME, "2026-02-27T24:00", TEXT_CELL("2026-02-27T24:00"));
	assert_cell(COLUMN_DATETIME, "2026-02-27", TEXT_CELL("2026-02-27"));
}

/* Spreadsheet programs reject a file with a longer cell. */
static void cell_length_is_limited(void **state)
{
	char *text_max = mem_alloc(XLSX_CELL_CHARS_MAX + 2), *text;

	(void)state;
	memset(text_max, 'x', XLSX_CELL_CHARS_MAX + 1);
	text_max[XLSX_CELL_CHARS_MAX] = '\0';
	text = sheet(COLUMN_TEXT, (const char *const[]){text_max}, 1);
	assert_non_null(strstr(text, text_max));
	assert_null(strstr(text, "…"));
	mem_free(text);
	text_max[XLSX_CELL_CHARS_MAX] = 'x';
	text_max[XLSX_CELL_CHARS_MAX + 1] = '\0';
	text = sheet(COLUMN_TEXT, (const char *const[]){text_max}, 1);
	text_max[XLSX_CELL_CHARS_MAX - 1] = '\0';
	assert_non_null(strstr(text, text_max));
	assert_non_null(strstr(text, "x…</t>"));
	mem_free(text);
	mem_free(text_max);
}

static void many_rows_and_columns_fit_one_sheet(void **state)
{
	struct xlsx *x = xlsx_new();
	struct buf out;
	char *text;
	size_t before;

	(void)state;
	buf_init(&out, TEXT_MAX);
	xlsx_begin(x, &out);
	before = out.n;
	for (int row = 0; row < 5000; row++) {
		for (int column = 0; column < 30; column++)
			xlsx_cell(x, row && column ? "12.5" : "name",
				  column ? COLUMN_DECIMAL : COLUMN_TEXT);
		xlsx_row_end(x, &out);
	}
	assert_true(out.n > before); /* output is written in blocks, not only at the end */
	xlsx_end(x, &out);
	xlsx_free(&x);
	text = sheet_of(&out, 6);
	assert_non_null(strstr(text, "<c r=\"Z5000\" s=\"0\"><v>12.5</v></c><c r=\"AA5000\""));
	assert_non_null(strstr(
		text, "<c r=\"AD5000\" s=\"0\"><v>12.5</v></c></row></sheetData></worksheet>"));
	mem_free(text);
	buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_cells_stay_text),
		cmocka_unit_test(numbers_are_numeric_if_all_digits_are_kept),
		cmocka_unit_test(dates_are_date_cells),
		cmocka_unit_test(cell_length_is_limited),
		cmocka_unit_test(many_rows_and_columns_fit_one_sheet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
