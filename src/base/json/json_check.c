/*
 * Checks that a text is JSON by RFC 8259 without building values. Used for stored JSON that is sent
 * unchanged.
 */
#include "vesper/json.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/utf8.h"

struct scan {
	const char *p, *end;
	int depth;
};

static bool scan_value(struct scan *s);

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
}

static bool take(struct scan *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static bool take_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
		return false;
	s->p += n;
	return true;
}

static bool take_digits(struct scan *s)
{
	const char *from = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return s->p > from;
}

static bool scan_number(struct scan *s)
{
	take(s, '-');
	if (!take(s, '0') && !take_digits(s))
		return false;
	if (take(s, '.') && !take_digits(s))
		return false;
	if (!take(s, 'e') && !take(s, 'E'))
		return true;
	if (!take(s, '+'))
		take(s, '-');
	return take_digits(s);
}

static bool scan_escape(struct scan *s)
{
	if (s->p == s->end)
		return false;
	if (*s->p != 'u')
		return memchr("\"\\/bfnrt", *s->p++, 8) != NULL;
	s->p++;
	for (int i = 0; i < 4; i++, s->p++)
		if (s->p == s->end || !memchr("0123456789abcdefABCDEF", *s->p, 22))
			return false;
	return true;
}

static bool scan_string(struct scan *s)
{
	if (!take(s, '"'))
		return false;
	while (s->p < s->end && *s->p != '"') {
		unsigned char c = (unsigned char)*s->p++;

		if (c < 0x20 || (c == '\\' && !scan_escape(s)))
			return false;
	}
	return take(s, '"');
}

static bool scan_member(struct scan *s)
{
	skip_blanks(s);
	if (!scan_string(s))
		return false;
	skip_blanks(s);
	return take(s, ':') && scan_value(s);
}

/* Scans the content after an opening bracket, through the closing one. */
static bool scan_items(struct scan *s, char close)
{
	bool ok;

	if (++s->depth > JSON_DEPTH_MAX)
		return false;
	skip_blanks(s);
	ok = take(s, close);
	if (!ok) {
		do
			ok = close == '}' ? scan_member(s) : scan_value(s);
		while (ok && take(s, ','));
		ok = ok && take(s, close);
	}
	s->depth--;
	return ok;
}

/* Includes blanks on both sides. */
static bool scan_value(struct scan *s)
{
	bool ok;

	skip_blanks(s);
	if (take(s, '{'))
		ok = scan_items(s, '}');
	else if (take(s, '['))
		ok = scan_items(s, ']');
	else if (s->p < s->end && *s->p == '"')
		ok = scan_string(s);
	else
		ok = take_word(s, "true") || take_word(s, "false") || take_word(s, "null") ||
		     scan_number(s);
	skip_blanks(s);
	return ok;
}

bool json_is_complete(const char *text, size_t len)
{
	struct scan s = {.p = text, .end = text + len};

	return utf8_valid(text, len) && scan_value(&s) && s.p == s.end;
}
