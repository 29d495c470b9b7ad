/* Byte order marks, UTF-8, and the two encodings that spreadsheets still write: UTF-16 and
 * Windows-1252. */
#include "encoding.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

#define REPLACEMENT 0xFFFD
#define BOM         0xFEFF

const char *encoding_name(enum encoding e)
{
	static const char *const names[] = {
		[ENCODING_UTF8] = "UTF-8",       [ENCODING_UTF16LE] = "UTF-16LE",
		[ENCODING_UTF16BE] = "UTF-16BE", [ENCODING_WINDOWS_1252] = "windows-1252",
		[ENCODING_MIXED] = "mixed",
	};

	return names[e];
}

/* ---- scanning ---- */

static void end_line(struct encoding_scan *s)
{
	s->odd_lines += s->is_invalid;
	s->wide_lines += s->has_non_ascii && !s->is_invalid;
	s->is_invalid = s->has_non_ascii = false;
	s->line++;
}

/* The first byte of a character. */
static void begin_character(struct encoding_scan *s, uint8_t byte)
{
	s->next_min = 0x80;
	s->next_max = 0xBF;
	if (byte < 0x80)
		return;
	s->has_non_ascii = true;
	if (byte >= 0xC2 && byte <= 0xDF) {
		s->missing_bytes = 1;
	} else if (byte >= 0xE0 && byte <= 0xEF) {
		s->missing_bytes = 2;
		s->next_min = byte == 0xE0 ? 0xA0 : 0x80; /* overlong */
		s->next_max = byte == 0xED ? 0x9F : 0xBF; /* surrogates */
	} else if (byte >= 0xF0 && byte <= 0xF4) {
		s->missing_bytes = 3;
		s->next_min = byte == 0xF0 ? 0x90 : 0x80;
		s->next_max = byte == 0xF4 ? 0x8F : 0xBF; /* beyond U+10FFFF */
	} else {
		s->is_invalid = true;
	}
}

static void scan_byte(struct encoding_scan *s, uint8_t byte)
{
	if (s->missing_bytes > 0 && byte >= s->next_min && byte <= s->next_max) {
		s->missing_bytes--;
		s->next_min = 0x80;
		s->next_max = 0xBF;
		return;
	}
	if (s->missing_bytes > 0)
		s->is_invalid = true;
	s->missing_bytes = 0;
	begin_character(s, byte);
	if (byte == 0 && s->nul_line == 0)
		s->nul_line = s->line + 1;
	if (byte == '\n')
		end_line(s);
}

void encoding_scan_add(struct encoding_scan *s, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < len; i++) {
		if (s->seen < sizeof(s->head))
			s->head[s->seen++] = p[i];
		if (s->missing_bytes > 0 || p[i] >= 0x80 || p[i] == 0)
			scan_byte(s, p[i]);
		else if (p[i] == '\n')
			end_line(s);
	}
}

bool encoding_scan_end(struct encoding_scan *s, enum encoding *out, struct err *e)
{
	if (s->missing_bytes > 0)
		s->is_invalid = true;
	end_line(s);
	if (s->seen >= 2 && s->head[0] == 0xFF && s->head[1] == 0xFE)
		*out = ENCODING_UTF16LE;
	else if (s->seen >= 2 && s->head[0] == 0xFE && s->head[1] == 0xFF)
		*out = ENCODING_UTF16BE;
	else if (s->nul_line > 0)
		return err_set(e, ERR_INPUT, "line %zu has a NUL byte. Save the file as UTF-8 text",
			       s->nul_line);
	else if (s->odd_lines == 0)
		*out = ENCODING_UTF8;
	else
		*out = s->wide_lines == 0 ? ENCODING_WINDOWS_1252 : ENCODING_MIXED;
	return true;
}

/* ---- decoding ---- */

struct decoder {
	enum encoding encoding;
	bool begun;      /* a byte order mark can no longer follow */
	struct buf line; /* MIXED: the current line; UTF-8: the start of a possible mark */
	uint8_t half[2]; /* UTF-16: the bytes of a code unit */
	size_t half_len;
	uint32_t high; /* a high surrogate without its low one; 0: none */
};

struct decoder *decoder_new(enum encoding encoding)
{
	struct decoder *d = mem_alloc(sizeof(*d));

	d->encoding = encoding;
	buf_init(&d->line, DATA_SOURCE_LINE_BYTES_MAX);
	return d;
}

void decoder_free(struct decoder **d)
{
	if (!*d)
		return;
	buf_deinit(&(*d)->line);
	mem_free(*d);
	*d = NULL;
}

static void append_utf8(struct buf *out, uint32_t code)
{
	if (code < 0x80) {
		buf_char(out, (char)code);
	} else if (code < 0x800) {
		buf_char(out, (char)(0xC0 | code >> 6));
		buf_char(out, (char)(0x80 | (code & 0x3F)));
	} else if (code < 0x10000) {
		buf_char(out, (char)(0xE0 | code >> 12));
		buf_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
		buf_char(out, (char)(0x80 | (code & 0x3F)));
	} else {
		buf_char(out, (char)(0xF0 | code >> 18));
		buf_char(out, (char)(0x80 | (code >> 12 & 0x3F)));
		buf_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
		buf_char(out, (char)(0x80 | (code & 0x3F)));
	}
}

static void append_1252(struct buf *out, const char *bytes, size_t len)
{
	/* 0x80 to 0x9F; the rest is Latin-1 */
	static const uint16_t table[32] = {
		0x20AC,      REPLACEMENT, 0x201A, 0x0192, 0x201E, 0x2026,      0x2020, 0x2021,
		0x02C6,      0x2030,      0x0160, 0x2039, 0x0152, REPLACEMENT, 0x017D, REPLACEMENT,
		REPLACEMENT, 0x2018,      0x2019, 0x201C, 0x201D, 0x2022,      0x2013, 0x2014,
		0x02DC,      0x2122,      0x0161, 0x203A, 0x0153, REPLACEMENT, 0x017E, 0x0178};

	for (size_t i = 0; i < len; i++) {
		uint8_t byte = (uint8_t)bytes[i];

		append_utf8(out, byte >= 0x80 && byte < 0xA0 ? table[byte - 0x80] : byte);
	}
}

static void append_unit(struct decoder *d, uint32_t unit, struct buf *out)
{
	bool is_low = unit >= 0xDC00 && unit < 0xE000;

	if (d->high && is_low) {
		append_utf8(out, 0x10000 + ((d->high - 0xD800) << 10) + (unit - 0xDC00));
		d->high = 0;
		return;
	}
	if (d->high)
		append_utf8(out, REPLACEMENT);
	d->high = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
	if (d->high)
		return;
	if (!d->begun && unit == BOM) {
		d->begun = true;
		return;
	}
	d->begun = true;
	append_utf8(out, is_low || unit == 0 ? REPLACEMENT : unit);
}

static void add_utf16(struct decoder *d, const uint8_t *bytes, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		d->half[d->half_len++] = bytes[i];
		if (d->half_len < 2)
			continue;
		d->half_len = 0;
		append_unit(d,
			    d->encoding == ENCODING_UTF16LE
				    ? (uint32_t)(d->half[0] | d->half[1] << 8)
				    : (uint32_t)(d->half[1] | d->half[0] << 8),
			    out);
	}
}

static void flush_line(struct decoder *d, struct buf *out)
{
	if (utf8_valid(buf_text(&d->line), d->line.n))
		buf_add(out, buf_text(&d->line), d->line.n);
	else
		append_1252(out, buf_text(&d->line), d->line.n);
	buf_reset(&d->line);
}

static void add_mixed(struct decoder *d, const char *bytes, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		buf_char(&d->line, bytes[i]);
		if (bytes[i] == '\n' || d->line.n == DATA_SOURCE_LINE_BYTES_MAX)
			flush_line(d, out);
	}
}

static void add_utf8(struct decoder *d, const char *bytes, size_t len, struct buf *out)
{
	static const char mark[] = "\xEF\xBB\xBF";

	for (; !d->begun && len > 0; bytes++, len--) {
		buf_char(&d->line, *bytes);
		d->begun = d->line.n == 3 || *bytes != mark[d->line.n - 1];
		if (d->begun && strcmp(buf_text(&d->line), mark) != 0)
			buf_add(out, buf_text(&d->line), d->line.n);
	}
	buf_add(out, bytes, len);
}

void decoder_add(struct decoder *d, const void *bytes, size_t len, struct buf *out)
{
	switch (d->encoding) {
	case ENCODING_UTF8:
		add_utf8(d, bytes, len, out);
		break;
	case ENCODING_UTF16LE:
	case ENCODING_UTF16BE:
		add_utf16(d, bytes, len, out);
		break;
	case ENCODING_WINDOWS_1252:
		append_1252(out, bytes, len);
		break;
	case ENCODING_MIXED:
		add_mixed(d, bytes, len, out);
		break;
	}
}

void decoder_end(struct decoder *d, struct buf *out)
{
	if (d->encoding == ENCODING_MIXED)
		flush_line(d, out);
	else if (!d->begun) /* shorter than a mark */
		buf_add(out, buf_text(&d->line), d->line.n);
	if (d->half_len > 0 || d->high)
		append_utf8(out, REPLACEMENT);
}
