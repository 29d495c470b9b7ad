/* Measures, truncates and escapes the text of a chart. */
#include "svg_int.h"

#include <math.h>
#include <string.h>

#include "vesper/utf8.h"

#define OTHER_EM 0.6 /* for characters outside the table */

/* Advance widths of Helvetica in thousandths of an em, from " " to "~" (its AFM file). */
static const short ascii_widths[95] = {
	278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
};

static size_t char_bytes(const char *c)
{
	unsigned char first = (unsigned char)*c;
	size_t byte_count = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	return strnlen(c, byte_count);
}

static double char_em(const char *c)
{
	return *c >= ' ' && *c <= '~' ? ascii_widths[*c - ' '] / 1000.0 : OTHER_EM;
}

double svg_text_width(const char *text, double size_px)
{
	double em = 0;

	for (; *text; text += char_bytes(text))
		em += char_em(text);
	return em * size_px;
}

/* XML 1.0 allows only three control characters, and not U+FFFE or U+FFFF. */
static bool is_xml_char(const char *c)
{
	if ((unsigned char)*c < ' ')
		return *c == '\t' || *c == '\n' || *c == '\r';
	return *c != 0x7f && strncmp(c, "\xef\xbf\xbe", 3) != 0 &&
	       strncmp(c, "\xef\xbf\xbf", 3) != 0;
}

static void write_char(struct buf *out, const char *c)
{
	switch (*c) {
	case '&':
		buf_str(out, "&amp;");
		break;
	case '<':
		buf_str(out, "&lt;");
		break;
	case '>':
		buf_str(out, "&gt;");
		break;
	case '"':
		buf_str(out, "&quot;");
		break;
	case '\'':
		buf_str(out, "&#39;");
		break;
	default:
		if (is_xml_char(c))
			buf_add(out, c, char_bytes(c));
	}
}

void svg_text(struct buf *out, const char *text, double width_px, double size_px)
{
	bool fits = svg_text_width(text, size_px) <= width_px;
	double remaining_px = fits ? INFINITY : width_px - OTHER_EM * size_px;

	for (; *text; text += char_bytes(text)) {
		remaining_px -= char_em(text) * size_px;
		if (remaining_px < 0)
			break;
		write_char(out, text);
	}
	if (!fits)
		buf_str(out, "…");
}
