/*
 * Each part is deflated while it is written, so its sizes follow it in a data descriptor. The
 * directory at the end of the file, which programs read, repeats them.
 */
#include "xlsx.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "export.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

static_assert(DB_FETCH_ROWS_MAX < XLSX_ROWS_MAX, "a whole result and its header row fit a sheet");

#define PART_COUNT     6
#define XML_BYTES      65536  /* row XML that is deflated at once */
#define EPOCH_DAYS     25569  /* 1970-01-01, counted from the epoch of spreadsheets */
#define FIRST_DAY      61     /* 1900-03-01: days before it differ between programs */
#define DIGITS_MAX     15     /* digits of a number that spreadsheets keep */
#define ZIP_FLAGS      0x0808 /* sizes follow the part; names are UTF-8 */
#define ZIP_DATE       0x0021 /* 1980-01-01: constant, so that equal rows give equal bytes */
#define ZIP_VERSION    20
#define ZIP_DEFLATED   8
#define LOCAL_HEAD     0x04034b50U
#define DESCRIPTOR     0x08074b50U
#define DIRECTORY_HEAD 0x02014b50U
#define DIRECTORY_END  0x06054b50U
#define XML_HEAD       "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define PACKAGE        "http://schemas.openxmlformats.org/package/2006/"
#define DOCUMENT       "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define MAIN           "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define CONTENT        "application/vnd.openxmlformats-officedocument.spreadsheetml."

/* Indexes in cellXfs below. */
enum style { STYLE_PLAIN, STYLE_HEAD, STYLE_DAY, STYLE_MOMENT, STYLE_TEXT };

static const struct part {
	const char *name, *text;
} fixed_parts[] = {
	{"[Content_Types].xml", XML_HEAD
	 "<Types xmlns=\"" PACKAGE "content-types\">"
	 "<Default Extension=\"rels\" "
	 "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
	 "<Override PartName=\"/xl/workbook.xml\" ContentType=\"" CONTENT "sheet.main+xml\"/>"
	 "<Override PartName=\"/xl/styles.xml\" ContentType=\"" CONTENT "styles+xml\"/>"
	 "<Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"" CONTENT
	 "worksheet+xml\"/></Types>"},
	{"_rels/.rels", XML_HEAD "<Relationships xmlns=\"" PACKAGE
				 "relationships\"><Relationship Id=\"r1\" Type=\"" DOCUMENT
				 "/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"},
	{"xl/workbook.xml",
	 XML_HEAD "<workbook xmlns=\"" MAIN "\" xmlns:r=\"" DOCUMENT "\"><sheets>"
		  "<sheet name=\"Result\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"},
	{"xl/_rels/workbook.xml.rels", XML_HEAD
	 "<Relationships xmlns=\"" PACKAGE
	 "relationships\"><Relationship Id=\"r1\" Type=\"" DOCUMENT
	 "/worksheet\" Target=\"worksheets/sheet1.xml\"/><Relationship Id=\"r2\" Type=\"" DOCUMENT
	 "/styles\" Target=\"styles.xml\"/></Relationships>"},
	/* quotePrefix: a text stays text when a user edits it. */
	{"xl/styles.xml", XML_HEAD
	 "<styleSheet xmlns=\"" MAIN
	 "\"><fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>"
	 "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>"
	 "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill "
	 "patternType=\"gray125\"/></fill></fills>"
	 "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
	 "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" "
	 "borderId=\"0\"/></cellStyleXfs>"
	 "<cellXfs count=\"5\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" "
	 "xfId=\"0\"/>"
	 "<xf numFmtId=\"0\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyFont=\"1\" "
	 "quotePrefix=\"1\"/>"
	 "<xf numFmtId=\"14\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
	 "applyNumberFormat=\"1\"/>"
	 "<xf numFmtId=\"22\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
	 "applyNumberFormat=\"1\"/>"
	 "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
	 "quotePrefix=\"1\"/></cellXfs>"
	 "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" "
	 "builtinId=\"0\"/></cellStyles></styleSheet>"},
};

static const char sheet_head[] =
	XML_HEAD "<worksheet xmlns=\"" MAIN "\"><sheetViews><sheetView workbookViewId=\"0\">"
		 "<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" "
		 "state=\"frozen\"/></sheetView></sheetViews>"
		 "<sheetFormatPr defaultRowHeight=\"15\" defaultColWidth=\"16\"/><sheetData>";
static const char sheet_end[] = "</sheetData></worksheet>";

struct xlsx {
	z_stream deflate;
	struct buf xml; /* row XML that is not deflated yet */
	size_t row, column;
	bool in_row;
	uint32_t written; /* of the file */
	size_t part_count;
	struct entry {
		const char *name;
		uint32_t at, crc, bytes, deflated;
	} parts[PART_COUNT];
};

struct xlsx *xlsx_new(void)
{
	struct xlsx *x = mem_alloc(sizeof(*x));
	int result = deflateInit2(&x->deflate, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, 8,
				  Z_DEFAULT_STRATEGY);

	assert(result == Z_OK);
	(void)result;
	buf_init(&x->xml, DB_RESULT_BYTES_MAX);
	return x;
}

void xlsx_free(struct xlsx **x)
{
	if (!*x)
		return;
	deflateEnd(&(*x)->deflate);
	buf_deinit(&(*x)->xml);
	mem_free(*x);
	*x = NULL;
}

/* ---- the ZIP ---- */

static void write_bytes(struct xlsx *x, struct buf *out, const void *bytes, size_t len)
{
	buf_add(out, bytes, len);
	x->written += (uint32_t)len;
}

/* Little-endian fields: '2' writes two bytes of its number, '4' four. */
static void write_fields(struct xlsx *x, struct buf *out, const char *sizes, const uint32_t *values)
{
	for (; *sizes; sizes++, values++)
		for (int i = 0; i < *sizes - '0'; i++)
			write_bytes(x, out, &(uint8_t){(uint8_t)(*values >> (8 * i))}, 1);
}

static void part_begin(struct xlsx *x, struct buf *out, const char *name)
{
	struct entry *part = &x->parts[x->part_count++];
	uint32_t n = (uint32_t)strlen(name);

	assert(x->part_count <= PART_COUNT);
	*part = (struct entry){.name = name, .at = x->written, .crc = (uint32_t)crc32(0, NULL, 0)};
	write_fields(x, out, "42222244422",
		     (uint32_t[]){LOCAL_HEAD, ZIP_VERSION, ZIP_FLAGS, ZIP_DEFLATED, 0, ZIP_DATE, 0,
				  0, 0, n, 0});
	write_bytes(x, out, name, n);
	deflateReset(&x->deflate);
}

static void part_add(struct xlsx *x, struct buf *out, const char *text, size_t len, int flush)
{
	struct entry *part = &x->parts[x->part_count - 1];
	uint8_t block[8192];
	size_t deflated_bytes;

	part->crc = (uint32_t)crc32(part->crc, (const Bytef *)text, (uInt)len);
	part->bytes += (uint32_t)len;
	x->deflate.next_in = (z_const Bytef *)(uintptr_t)text;
	x->deflate.avail_in = (uInt)len;
	do {
		x->deflate.next_out = block;
		x->deflate.avail_out = sizeof(block);
		deflate(&x->deflate, flush);
		deflated_bytes = sizeof(block) - x->deflate.avail_out;
		part->deflated += (uint32_t)deflated_bytes;
		write_bytes(x, out, block, deflated_bytes);
	} while (x->deflate.avail_out == 0);
}

static void part_end(struct xlsx *x, struct buf *out)
{
	const struct entry *part = &x->parts[x->part_count - 1];

	part_add(x, out, "", 0, Z_FINISH);
	write_fields(x, out, "4444",
		     (uint32_t[]){DESCRIPTOR, part->crc, part->deflated, part->bytes});
}

static void directory(struct xlsx *x, struct buf *out)
{
	uint32_t at = x->written, bytes;

	for (size_t i = 0; i < x->part_count; i++) {
		const struct entry *part = &x->parts[i];
		uint32_t n = (uint32_t)strlen(part->name);

		write_fields(x, out, "42222224442222244",
			     (uint32_t[]){DIRECTORY_HEAD, ZIP_VERSION, ZIP_VERSION, ZIP_FLAGS,
					  ZIP_DEFLATED, 0, ZIP_DATE, part->crc, part->deflated,
					  part->bytes, n, 0, 0, 0, 0, 0, part->at});
		write_bytes(x, out, part->name, n);
	}
	bytes = x->written - at;
	write_fields(x, out, "42222442",
		     (uint32_t[]){DIRECTORY_END, 0, 0, (uint32_t)x->part_count,
				  (uint32_t)x->part_count, bytes, at, 0});
}

/* ---- cells ---- */

/* Programs read _x0041_ as A, so an underscore that would start such a code is written as a
 * code. */
static bool is_code(const char *text)
{
	return text[0] == '_' && text[1] == 'x' && isxdigit((unsigned char)text[2]) &&
	       isxdigit((unsigned char)text[3]) && isxdigit((unsigned char)text[4]) &&
	       isxdigit((unsigned char)text[5]) && text[6] == '_';
}

/* U+FFFE and U+FFFF are not XML characters. */
static bool is_outside_xml(const char *text)
{
	return memcmp(text, "\xef\xbf", 2) == 0 &&
	       ((uint8_t)text[2] == 0xbe || (uint8_t)text[2] == 0xbf);
}

static void add_character(struct buf *xml, const char *at, size_t len)
{
	if (*at == '&')
		buf_str(xml, "&amp;");
	else if (*at == '<')
		buf_str(xml, "&lt;");
	else if (*at == '>')
		buf_str(xml, "&gt;");
	else if ((uint8_t)*at < ' ' && *at != '\t' && *at != '\n')
		buf_printf(xml, "_x%04X_", (unsigned)(uint8_t)*at);
	else if (is_code(at))
		buf_str(xml, "_x005F_");
	else if (len == 3 && is_outside_xml(at))
		buf_str(xml, "\xef\xbf\xbd");
	else
		buf_add(xml, at, len);
}

static size_t character_bytes(const char *at)
{
	uint8_t first = (uint8_t)*at;

	return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* A text that is too long for a cell ends in an ellipsis. Characters are counted in UTF-16 units,
 * as in spreadsheets. */
static void add_text(struct buf *xml, const char *text)
{
	size_t units = 0, len;

	for (; *text; text += len) {
		len = character_bytes(text);
		units += len == 4 ? 2 : 1;
		if (units >= XLSX_CELL_CHARS_MAX && text[len]) {
			buf_str(xml, "…");
			return;
		}
		add_character(xml, text, len);
	}
}

static void row_begin(struct xlsx *x)
{
	if (!x->in_row)
		buf_printf(&x->xml, "<row r=\"%zu\">", x->row + 1);
	x->in_row = true;
}

static void add_head(struct xlsx *x, enum style style)
{
	char letters[4];
	size_t n = sizeof(letters) - 1, column = x->column + 1;

	letters[n] = '\0';
	for (; column > 0 && n > 0; column = (column - 1) / 26)
		letters[--n] = (char)('A' + (column - 1) % 26);
	buf_printf(&x->xml, "<c r=\"%s%zu\" s=\"%d\"", letters + n, x->row + 1, (int)style);
}

static void add_number(struct xlsx *x, enum style style, const char *number)
{
	add_head(x, style);
	buf_printf(&x->xml, "><v>%s</v></c>", number);
}

/* Returns true for a decimal whose digits a spreadsheet keeps. */
static bool is_exact_number(const char *text)
{
	const char *c = text + (*text == '-');
	size_t digits = 0, zeros = 0;
	bool point = false;

	if (!isdigit((unsigned char)*c))
		return false;
	for (; *c; c++) {
		if (*c == '.' && !point && isdigit((unsigned char)c[1])) {
			point = true;
		} else if (!isdigit((unsigned char)*c)) {
			return false;
		} else if (*c != '0' || digits > 0) {
			digits++;
			zeros = *c == '0' ? zeros + 1 : 0;
		}
	}
	return digits - zeros <= DIGITS_MAX && digits <= 2 * DIGITS_MAX;
}

static bool read_day(const char *text, int64_t *days)
{
	struct date d;

	if (!date_parse_start(text, &d))
		return false;
	*days = date_to_days(d) + EPOCH_DAYS;
	return *days >= FIRST_DAY;
}

/* "YYYY-MM-DD HH:MM[:SS]", with a T or a blank; with anything else, such as a zone, it stays text.
 */
static bool read_moment(const char *text, int64_t *days, int *seconds)
{
	int hour, minute, second = 0, end = 0;

	if (strlen(text) < 16 || !read_day(text, days) || !strchr("T ", text[10]) ||
	    sscanf(text + 11, "%2d:%2d%n", &hour, &minute, &end) != 2)
		return false;
	if (text[11 + end] == ':' &&
	    sscanf(text + 11, "%2d:%2d:%2d%n", &hour, &minute, &second, &end) != 3)
		return false;
	*seconds = (hour * 60 + minute) * 60 + second;
	return text[11 + end] == '\0' && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 &&
	       second >= 0 && second < 60;
}

static bool add_numeric(struct xlsx *x, const char *text, enum column_type type)
{
	char number[48];
	int64_t days;
	int seconds;

	if (column_is_number(type) && is_exact_number(text)) {
		add_number(x, STYLE_PLAIN, text);
		return true;
	}
	if (type == COLUMN_DATE && strlen(text) == DATE_ISO_BYTES - 1 && read_day(text, &days)) {
		snprintf(number, sizeof(number), "%lld", (long long)days);
		add_number(x, STYLE_DAY, number);
		return true;
	}
	if (type == COLUMN_DATETIME && read_moment(text, &days, &seconds)) {
		snprintf(number, sizeof(number), "%.10f", (double)days + seconds / 86400.0);
		add_number(x, STYLE_MOMENT, number);
		return true;
	}
	return false;
}

static void add_bool(struct xlsx *x, bool value)
{
	add_head(x, STYLE_PLAIN);
	buf_printf(&x->xml, " t=\"b\"><v>%d</v></c>", value);
}

void xlsx_cell(struct xlsx *x, const char *text, enum column_type type)
{
	bool is_true = strcmp(text, "true") == 0;

	row_begin(x);
	if (!*text) {
		x->column++;
		return;
	}
	if (x->row > 0 && type == COLUMN_BOOL && (is_true || strcmp(text, "false") == 0)) {
		add_bool(x, is_true);
	} else if (x->row == 0 || !add_numeric(x, text, type)) {
		add_head(x, x->row == 0 ? STYLE_HEAD : STYLE_TEXT);
		buf_str(&x->xml, " t=\"inlineStr\"><is><t xml:space=\"preserve\">");
		add_text(&x->xml, text);
		buf_str(&x->xml, "</t></is></c>");
	}
	x->column++;
}

/* ---- the file ---- */

void xlsx_begin(struct xlsx *x, struct buf *out)
{
	for (size_t i = 0; i < sizeof(fixed_parts) / sizeof(fixed_parts[0]); i++) {
		part_begin(x, out, fixed_parts[i].name);
		part_add(x, out, fixed_parts[i].text, strlen(fixed_parts[i].text), Z_NO_FLUSH);
		part_end(x, out);
	}
	part_begin(x, out, "xl/worksheets/sheet1.xml");
	buf_str(&x->xml, sheet_head);
}

void xlsx_row_end(struct xlsx *x, struct buf *out)
{
	row_begin(x);
	buf_str(&x->xml, "</row>");
	x->row++;
	x->column = 0;
	x->in_row = false;
	if (x->xml.n < XML_BYTES)
		return;
	part_add(x, out, buf_text(&x->xml), x->xml.n, Z_NO_FLUSH);
	buf_reset(&x->xml);
}

void xlsx_end(struct xlsx *x, struct buf *out)
{
	buf_str(&x->xml, sheet_end);
	part_add(x, out, buf_text(&x->xml), x->xml.n, Z_NO_FLUSH);
	buf_reset(&x->xml);
	part_end(x, out);
	directory(x, out);
}
