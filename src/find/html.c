/*
 * Converts HTML to text. One pass over the bytes; no tree is built, so depth and unclosed tags
 * cost nothing. Attributes are skipped: none is shown, and no address is followed.
 */
#include "find_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vesper/limits.h"

#define NAME_BYTES   16
#define ENTITY_BYTES 12

enum tag_kind {
	TAG_INLINE,
	TAG_BLOCK,   /* on a separate line */
	TAG_HEADING, /* h1 to h6 */
	TAG_ITEM,
	TAG_CELL,
	TAG_DROPPED, /* removed with its content, which may have tags */
	TAG_RAW,     /* removed with its content, up to its end tag */
};

static const struct {
	const char *name;
	enum tag_kind kind;
} tags[] = {
	{"h1", TAG_HEADING},       {"h2", TAG_HEADING},       {"h3", TAG_HEADING},
	{"h4", TAG_HEADING},       {"h5", TAG_HEADING},       {"h6", TAG_HEADING},
	{"li", TAG_ITEM},          {"td", TAG_CELL},          {"th", TAG_CELL},
	{"script", TAG_RAW},       {"style", TAG_RAW},        {"title", TAG_RAW},
	{"template", TAG_DROPPED}, {"svg", TAG_DROPPED},      {"nav", TAG_DROPPED},
	{"p", TAG_BLOCK},          {"div", TAG_BLOCK},        {"br", TAG_BLOCK},
	{"tr", TAG_BLOCK},         {"table", TAG_BLOCK},      {"ul", TAG_BLOCK},
	{"ol", TAG_BLOCK},         {"dl", TAG_BLOCK},         {"dt", TAG_BLOCK},
	{"dd", TAG_BLOCK},         {"pre", TAG_BLOCK},        {"blockquote", TAG_BLOCK},
	{"section", TAG_BLOCK},    {"article", TAG_BLOCK},    {"header", TAG_BLOCK},
	{"footer", TAG_BLOCK},     {"main", TAG_BLOCK},       {"aside", TAG_BLOCK},
	{"figure", TAG_BLOCK},     {"figcaption", TAG_BLOCK}, {"hr", TAG_BLOCK},
	{"caption", TAG_BLOCK},    {"address", TAG_BLOCK},    {"form", TAG_BLOCK},
	{"body", TAG_BLOCK},       {"head", TAG_BLOCK},
};

static const struct {
	const char *name, *text;
} entities[] = {
	{"amp", "&"},         {"lt", "<"},         {"gt", ">"},          {"quot", "\""},
	{"apos", "'"},        {"nbsp", " "},       {"ndash", "\u2013"},  {"mdash", "\u2014"},
	{"hellip", "\u2026"}, {"euro", "\u20ac"},  {"pound", "\u00a3"},  {"cent", "\u00a2"},
	{"deg", "\u00b0"},    {"sect", "\u00a7"},  {"copy", "\u00a9"},   {"reg", "\u00ae"},
	{"trade", "\u2122"},  {"lsquo", "\u2018"}, {"rsquo", "\u2019"},  {"ldquo", "\u201c"},
	{"rdquo", "\u201d"},  {"bull", "\u2022"},  {"middot", "\u00b7"}, {"times", "\u00d7"},
	{"le", "\u2264"},     {"ge", "\u2265"},    {"plusmn", "\u00b1"}, {"shy", ""},
};

struct html {
	struct str in;
	size_t at;
	struct buf *out;
	size_t start;         /* offset of the output in `out` */
	int dropped;          /* nesting depth of removed tags; at most HTML_DEPTH_MAX */
	int breaks;           /* line ends to write before the next text */
	bool pending_blank;   /* a blank to write before it */
	bool in_row;          /* the line is a table row */
	char pending_heading; /* '1' to '6' until its mark is written; 0: none */
	bool pending_item;    /* a list item whose mark is not written yet */
};

static void write_bytes(struct html *h, const char *text, size_t n)
{
	bool is_empty = h->out->n == h->start;

	for (int k = 0; !is_empty && k < h->breaks; k++)
		buf_char(h->out, '\n');
	if (h->pending_heading)
		buf_printf(h->out, "%.*s ", h->pending_heading - '0', "######");
	else if (h->pending_item)
		buf_str(h->out, "- ");
	else if (h->pending_blank && !is_empty && h->breaks == 0)
		buf_char(h->out, ' ');
	h->breaks = 0;
	h->pending_heading = 0;
	h->pending_item = h->pending_blank = false;
	buf_add(h->out, text, n);
}

static void write_char(struct html *h, char c)
{
	if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\0')
		h->pending_blank = true;
	else
		write_bytes(h, &c, 1);
}

static void break_lines(struct html *h, int count_min)
{
	if (h->breaks < count_min)
		h->breaks = count_min;
	h->pending_blank = h->pending_item = false;
	h->pending_heading = 0;
}

/* ---- entities ---- */

static void write_code_point(struct html *h, unsigned long cp)
{
	char utf8[4];
	size_t n = 0;

	if (cp == 0xA0 || cp < 0x20) {
		h->pending_blank = true;
		return;
	}
	if (cp > 0x10FFFF || (cp >= 0xD800 && cp < 0xE000))
		cp = 0xFFFD;
	if (cp < 0x80) {
		utf8[n++] = (char)cp;
	} else if (cp < 0x800) {
		utf8[n++] = (char)(0xC0 | cp >> 6);
	} else if (cp < 0x10000) {
		utf8[n++] = (char)(0xE0 | cp >> 12);
		utf8[n++] = (char)(0x80 | (cp >> 6 & 0x3F));
	} else {
		utf8[n++] = (char)(0xF0 | cp >> 18);
		utf8[n++] = (char)(0x80 | (cp >> 12 & 0x3F));
		utf8[n++] = (char)(0x80 | (cp >> 6 & 0x3F));
	}
	if (cp >= 0x80)
		utf8[n++] = (char)(0x80 | (cp & 0x3F));
	write_bytes(h, utf8, n);
}

static bool write_number(struct html *h, const char *name)
{
	bool is_hex = name[1] == 'x' || name[1] == 'X';
	const char *digits = name + (is_hex ? 2 : 1);
	unsigned long cp = 0;

	if (!*digits)
		return false;
	for (const char *p = digits; *p; p++) {
		int value = isdigit((unsigned char)*p)              ? *p - '0'
			    : is_hex && isxdigit((unsigned char)*p) ? (*p | 32) - 'a' + 10
								    : -1;

		if (value < 0)
			return false;
		cp = cp * (is_hex ? 16 : 10) + (unsigned long)value;
	}
	write_code_point(h, cp);
	return true;
}

static bool write_entity(struct html *h, const char *name)
{
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
		if (strcmp(entities[i].name, name) == 0) {
			for (const char *p = entities[i].text; *p; p++)
				write_char(h, *p);
			return true;
		}
	return false;
}

/* At "&". Text that is not an entity is kept. */
static void read_entity(struct html *h)
{
	char name[ENTITY_BYTES];
	size_t n = 0, at = h->at + 1;

	while (at < h->in.n && n + 1 < sizeof(name) &&
	       (isalnum((unsigned char)h->in.p[at]) || (n == 0 && h->in.p[at] == '#')))
		name[n++] = h->in.p[at++];
	name[n] = '\0';
	if (n > 0 && at < h->in.n && h->in.p[at] == ';' &&
	    (name[0] == '#' ? write_number(h, name) : write_entity(h, name))) {
		h->at = at + 1;
		return;
	}
	write_char(h, '&');
	h->at++;
}

/* ---- tags ---- */

static enum tag_kind kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (strcmp(tags[i].name, name) == 0)
			return tags[i].kind;
	return TAG_INLINE;
}

/* Skips the tag at h->at; a quoted ">" in an attribute does not end it. */
static void skip_tag(struct html *h, bool *is_self_closing)
{
	char quote = 0, previous = 0;

	for (; h->at < h->in.n; previous = h->in.p[h->at++]) {
		char c = h->in.p[h->at];

		if (quote)
			quote = c == quote ? 0 : quote;
		else if ((c == '"' || c == '\'') && previous == '=')
			quote = c;
		else if (c == '>')
			break;
	}
	*is_self_closing = previous == '/';
	h->at += h->at < h->in.n;
}

/* Skips to "</name", or to the end. */
static void skip_raw_text(struct html *h, const char *name)
{
	size_t n = strlen(name);

	for (; h->at + n + 2 <= h->in.n; h->at++)
		if (h->in.p[h->at] == '<' && h->in.p[h->at + 1] == '/' &&
		    strncasecmp(h->in.p + h->at + 2, name, n) == 0)
			return;
	h->at = h->in.n;
}

static void open_tag(struct html *h, enum tag_kind kind, const char *name)
{
	switch (kind) {
	case TAG_HEADING:
		break_lines(h, 2);
		h->pending_heading = name[1];
		break;
	case TAG_ITEM:
		break_lines(h, 1);
		h->pending_item = true;
		break;
	case TAG_CELL:
		if (h->in_row && h->breaks == 0)
			write_bytes(h, " | ", 3);
		h->in_row = true;
		h->pending_blank = false;
		break;
	case TAG_BLOCK:
		break_lines(h, strcmp(name, "br") == 0 || strcmp(name, "tr") == 0 ? 1 : 2);
		h->in_row = false;
		break;
	default:
		break;
	}
}

static void read_tag(struct html *h, const char *name, bool is_end_tag)
{
	enum tag_kind kind = kind_of(name);
	bool is_self_closing;

	skip_tag(h, &is_self_closing);
	if (kind == TAG_RAW && !is_end_tag && !is_self_closing)
		skip_raw_text(h, name);
	if (kind == TAG_DROPPED && !is_self_closing) {
		if (!is_end_tag && h->dropped < HTML_DEPTH_MAX)
			h->dropped++;
		else if (is_end_tag && h->dropped > 0)
			h->dropped--;
	}
	if (h->dropped > 0)
		return;
	if (!is_end_tag)
		open_tag(h, kind, name);
	else if (kind == TAG_HEADING || kind == TAG_BLOCK)
		break_lines(h, strcmp(name, "tr") == 0 ? 1 : 2);
	else if (kind == TAG_ITEM)
		break_lines(h, 1);
}

static void skip_comment(struct html *h)
{
	const char *end = memmem(h->in.p + h->at, h->in.n - h->at, "-->", 3);

	h->at = end ? (size_t)(end - h->in.p) + 3 : h->in.n;
}

/* At "<". Text that does not start a tag is kept. */
static void read_markup(struct html *h)
{
	const char *p = h->in.p + h->at;
	size_t remaining = h->in.n - h->at, from = remaining > 1 && p[1] == '/' ? 2 : 1, n = 0;
	char name[NAME_BYTES];
	bool is_self_closing;

	if (remaining >= 4 && memcmp(p, "<!--", 4) == 0) {
		skip_comment(h);
		return;
	}
	if (remaining > 1 && (p[1] == '!' || p[1] == '?')) {
		skip_tag(h, &is_self_closing);
		return;
	}
	if (from >= remaining || !isalpha((unsigned char)p[from])) {
		if (h->dropped == 0)
			write_char(h, '<');
		h->at++;
		return;
	}
	while (from + n < remaining && n + 1 < sizeof(name) &&
	       isalnum((unsigned char)p[from + n])) {
		name[n] = (char)tolower((unsigned char)p[from + n]);
		n++;
	}
	name[n] = '\0';
	read_tag(h, name, from == 2);
}

void find_html(struct str html, struct buf *out)
{
	struct html h = {.in = html, .out = out, .start = out->n};

	while (h.at < html.n) {
		char c = html.p[h.at];

		if (c == '<') {
			read_markup(&h);
		} else if (h.dropped > 0) {
			h.at++;
		} else if (c == '&') {
			read_entity(&h);
		} else {
			write_char(&h, c);
			h.at++;
		}
	}
	if (out->n > h.start)
		buf_char(out, '\n');
}
