/*
 * Slices of text, and the program's growable buffer. Every buffer has a cap, so that text from
 * untrusted input cannot grow without an explicit limit.
 */
#include "vesper/str.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base_int.h"
#include "vesper/mem.h"

#define BUF_FIRST_BYTES 256 /* fits most texts of a turn */
#define JSON_KEY_BYTES  48  /* longer ones are written like other texts */

struct str str_of(const char *text)
{
	return text ? (struct str){text, strlen(text)} : STR("");
}

bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool str_eq_nocase(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (ascii_lower(a.p[i]) != ascii_lower(b.p[i]))
			return false;
	return true;
}

const char *str_find_nocase(const char *text, const char *part)
{
	const char first = ascii_lower(*part);
	const char other = first >= 'a' && first <= 'z' ? (char)(first - 'a' + 'A') : first;

	for (; first && *text; text++) {
		size_t n = 1;

		if (*text != first && *text != other)
			continue;
		while (part[n] && ascii_lower(text[n]) == ascii_lower(part[n]))
			n++;
		if (!part[n])
			return text;
	}
	return first ? NULL : text;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
	while (s.n && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && str_eq((struct str){s.p, prefix.n}, prefix);
}

bool str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n && str_eq((struct str){s.p + (s.n - suffix.n), suffix.n}, suffix);
}

bool str_is_name(const char *text, size_t max)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return n > 0 && n <= max && text[n] == '\0' && *text >= 'a' && *text <= 'z';
}

size_t str_edit_distance(struct str a, struct str b)
{
	size_t row[STR_EDIT_DISTANCE_BYTES_MAX + 1];

	if (a.n > STR_EDIT_DISTANCE_BYTES_MAX || b.n > STR_EDIT_DISTANCE_BYTES_MAX)
		return SIZE_MAX;
	for (size_t k = 0; k <= b.n; k++)
		row[k] = k;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t k = 1; k <= b.n; k++) {
			bool same = str_eq_nocase((struct str){a.p + i - 1, 1},
						  (struct str){b.p + k - 1, 1});
			size_t replaced = diagonal + !same;
			size_t edited = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
			diagonal = row[k];
			row[k] = replaced < edited ? replaced : edited;
		}
	}
	return row[b.n];
}

bool str_split(struct str *rest, char sep, struct str *part)
{
	if (!rest->p)
		return false;
	const char *at = rest->n ? memchr(rest->p, sep, rest->n) : NULL;
	if (!at) {
		*part = *rest;
		*rest = (struct str){NULL, 0};
		return true;
	}
	size_t n = (size_t)(at - rest->p);
	*part = (struct str){rest->p, n};
	*rest = (struct str){at + 1, rest->n - n - 1};
	return true;
}

void buf_init(struct buf *b, size_t cap_bytes)
{
	*b = (struct buf){.cap_bytes = cap_bytes};
}

void buf_deinit(struct buf *b)
{
	mem_free(b->p);
	*b = (struct buf){.cap_bytes = b->cap_bytes};
}

void buf_reset(struct buf *b)
{
	b->n = 0;
	b->over = false;
	if (b->p)
		b->p[0] = '\0';
}

void buf_cut(struct buf *b, size_t n)
{
	assert(n <= b->n);
	b->n = n;
	if (b->p)
		b->p[n] = '\0';
}

void buf_shrink(struct buf *b)
{
	if (!b->p)
		return;
	b->p = mem_realloc(b->p, b->n + 1);
	b->size = b->n + 1;
}

/* Reserves len more bytes and the terminator; false (and `over`) if the cap is exceeded. */
static bool buf_reserve(struct buf *b, size_t len)
{
	if (len > b->cap_bytes - b->n) {
		b->over = true;
		return false;
	}
	if (!b->p || b->n + len >= b->size) {
		size_t needed = b->n + len + 1;
		b->p = mem_grow(b->p, &b->size, needed < BUF_FIRST_BYTES ? BUF_FIRST_BYTES : needed,
				1);
	}
	return true;
}

/* The same with a fast path for reserved space. Exceeding the cap does not set `over`. */
static inline bool buf_try_reserve(struct buf *b, size_t len)
{
	if (len < b->size - b->n && len <= b->cap_bytes - b->n)
		return true;
	return len <= b->cap_bytes - b->n && buf_reserve(b, len);
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	if (!buf_try_reserve(b, len) && !buf_reserve(b, len))
		return;
	if (len)
		memcpy(b->p + b->n, data, len);
	b->n += len;
	b->p[b->n] = '\0';
}

void buf_str(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_char(struct buf *b, char c)
{
	if (b->n + 1 >= b->size || b->n >= b->cap_bytes) {
		buf_add(b, &c, 1);
		return;
	}
	b->p[b->n++] = c;
	b->p[b->n] = '\0';
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	buf_vprintf(b, fmt, args);
	va_end(args);
}

void buf_vprintf(struct buf *b, const char *fmt, va_list args)
{
	va_list args_copy;
	va_copy(args_copy, args);
	size_t left = b->p ? b->size - b->n : 0;
	int n = vsnprintf(left ? b->p + b->n : NULL, left, fmt, args);
	assert(n >= 0);
	if ((size_t)n < left && (size_t)n <= b->cap_bytes - b->n) {
		b->n += (size_t)n;
	} else if (buf_reserve(b, (size_t)n)) {
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, args_copy);
		b->n += (size_t)n;
	} else if (left) {
		b->p[b->n] = '\0'; /* remove the partial output */
	}
	va_end(args_copy);
}

/* The escape of a byte below 0x80 inside a JSON string: 0 none, 'u' a \u escape, else the letter
 * after the backslash. */
static char json_escape(unsigned char c)
{
	switch (c) {
	case '"':
	case '\\':
		return (char)c;
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case 0x7f:
		return 'u';
	default:
		return c < 0x20 ? 'u' : 0;
	}
}

/* Single-byte characters without an escape; this loop runs over the text of every answer. */
static const bool json_plain[256] = {
	[' ' ... '!'] = true,
	['#' ... '['] = true,
	[']' ... '~'] = true,
};

typedef signed char bytes16 __attribute__((vector_size(16)));

/* Checks sixteen bytes at once; bytes that are not ASCII are negative. */
static inline bool are_plain(const char *text)
{
	bytes16 v;
	uint64_t plain[2];

	memcpy(&v, text, sizeof(v));
	v = (bytes16)((v >= ' ') & (v != '"') & (v != '\\') & (v != 0x7f));
	memcpy(plain, &v, sizeof(plain));
	return (plain[0] & plain[1]) == UINT64_MAX;
}

/* Length of the prefix that is copied unchanged: plain ASCII and valid characters except the
 * decimal mark. */
static size_t json_plain_run(const char *text, size_t len)
{
	size_t i = 0;
	while (len - i >= sizeof(bytes16) && are_plain(text + i))
		i += sizeof(bytes16);
	/* Check the last sixteen bytes, which overlap those already checked. */
	if (i > 0 && len - i < sizeof(bytes16) && are_plain(text + len - sizeof(bytes16)))
		return len;
	while (i < len) {
		if (json_plain[(unsigned char)text[i]]) {
			i++;
			continue;
		}
		if ((unsigned char)text[i] < 0x80)
			break;
		size_t n = utf8_char_bytes(text + i, len - i);
		if (n == 0 || (n == UTF8_MARK_BYTES && memcmp(text + i, JSON_DECIMAL_MARK, n) == 0))
			break;
		i += n;
	}
	return i;
}

/* Writes the character that json_plain_run stopped at; returns its length in bytes. */
static size_t json_add_special(struct buf *b, const char *text, size_t len)
{
	unsigned char c = (unsigned char)text[0];
	if (c >= 0x80) {
		buf_add(b, UTF8_REPLACEMENT, UTF8_MARK_BYTES);
		size_t n = utf8_char_bytes(text, len);
		return n ? n : 1;
	}
	char escape = json_escape(c);
	if (escape == 'u') {
		static const char hex[] = "0123456789abcdef";
		char out[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
		buf_add(b, out, sizeof(out));
	} else {
		char out[2] = {'\\', escape};
		buf_add(b, out, sizeof(out));
	}
	return 1;
}

void buf_int(struct buf *b, int64_t value)
{
	char text[24];
	char *p = text + sizeof(text);
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	do {
		*--p = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (value < 0)
		*--p = '-';
	buf_add(b, p, (size_t)(text + sizeof(text) - p));
}

/* Writes a text that needs no escapes, as most do. False: nothing was written. */
static bool buf_json_plain(struct buf *b, const char *text, size_t len)
{
	char *p;

	if (json_plain_run(text, len) < len || !buf_try_reserve(b, len + 2))
		return false;
	p = b->p + b->n;
	*p++ = '"';
	memcpy(p, text, len);
	p[len] = '"';
	p[len + 1] = '\0';
	b->n += len + 2;
	return true;
}

bool buf_json_key(struct buf *b, const char *name, bool comma)
{
	size_t len = 0;
	char *p;

	if (!buf_try_reserve(b, JSON_KEY_BYTES + 4))
		return false;
	p = b->p + b->n;
	*p = ',';
	p += comma;
	*p++ = '"';
	for (; len < JSON_KEY_BYTES && json_plain[(unsigned char)name[len]]; len++)
		p[len] = name[len];
	if (name[len] != '\0') {
		b->p[b->n] = '\0';
		return false;
	}
	memcpy(p + len, "\":", 3);
	b->n += len + 3 + comma;
	return true;
}

void buf_json_str(struct buf *b, const char *text, size_t len)
{
	bool was_over = b->over;
	size_t start = b->n;

	if (len > 0 && buf_json_plain(b, text, len))
		return;
	b->over = false;
	buf_char(b, '"');
	while (len && !b->over) {
		size_t n = json_plain_run(text, len);
		if (n)
			buf_add(b, text, n);
		if (n < len)
			n += json_add_special(b, text + n, len - n);
		text += n;
		len -= n;
	}
	buf_char(b, '"');
	if (b->over && b->p) {
		b->n = start; /* drop the whole string */
		b->p[start] = '\0';
	}
	b->over |= was_over;
}

const char *buf_text(const struct buf *b)
{
	return b->p ? b->p : "";
}

char *buf_take(struct buf *b)
{
	char *text = b->p ? b->p : mem_strdup("");
	*b = (struct buf){.cap_bytes = b->cap_bytes};
	return text;
}
