/*
 * Filters citations in streamed text: "[2]" becomes a mark if passage 2 exists and is removed
 * otherwise. Only an open bracket is held back, for a few bytes.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "vesper/guard.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define NUMBER_BYTES 3 /* digits of a citation number, enough for CITE_PASSAGES_MAX */

struct guard_cite {
	size_t passages, invalid;
	struct guard_cite_sink sink;
	char held[CITE_BYTES_MAX];
	size_t held_len;
	size_t marks; /* length of the current run of backticks */
	size_t code;  /* length of the opening run; 0: not in code */
	char before;
};

struct guard_cite *guard_cite_new(size_t passages, const struct guard_cite_sink *sink)
{
	struct guard_cite *g = mem_alloc(sizeof(*g));

	g->passages = passages < CITE_PASSAGES_MAX ? passages : CITE_PASSAGES_MAX;
	g->sink = *sink;
	return g;
}

void guard_cite_free(struct guard_cite **g)
{
	mem_free(*g);
	*g = NULL;
}

size_t guard_cite_invalid(const struct guard_cite *g)
{
	return g->invalid;
}

static void pass(struct guard_cite *g, const char *text, size_t len)
{
	if (len > 0)
		g->sink.on_text(g->sink.owner, text, len);
}

static void release_held(struct guard_cite *g)
{
	pass(g, g->held, g->held_len);
	g->held_len = 0;
}

/* Parses a passage number and moves *p after it; 0: invalid. */
static size_t number_at(const char **p)
{
	size_t n = 0, digits = 0;

	for (; isdigit((unsigned char)**p); (*p)++, digits++)
		n = digits < NUMBER_BYTES ? n * 10 + (size_t)(**p - '0') : 0;
	return digits > NUMBER_BYTES || (digits > 1 && (*p)[-(ptrdiff_t)digits] == '0') ? 0 : n;
}

/* Returns true when the brackets hold a list of existing passage numbers. */
static bool read_list(const struct guard_cite *g, size_t *numbers, size_t *count)
{
	const char *p = g->held + 1;

	*count = 0;
	for (;;) {
		size_t n = number_at(&p);

		if (n == 0 || n > g->passages)
			return false;
		numbers[(*count)++] = n;
		while (*p == ' ')
			p++;
		if (*p == ']')
			return true;
		if (*p++ != ',')
			return false;
		while (*p == ' ')
			p++;
	}
}

/* Removes a bracket of numbers that is not a valid citation, since readers would take it for one.
 */
static void decide(struct guard_cite *g)
{
	size_t numbers[CITE_BYTES_MAX], count;
	char mark[CITE_BYTES_MAX];

	if (read_list(g, numbers, &count))
		for (size_t i = 0; i < count; i++) {
			int n = snprintf(mark, sizeof(mark), "[%zu]", numbers[i]);

			g->sink.on_cite(g->sink.owner, numbers[i], mark, (size_t)n);
		}
	else
		g->invalid++;
	g->held_len = 0;
}

/* Text in code is never a citation. Code ends with as many backticks as it began with. A run still
 * open at the end of its paragraph did not open code. */
static void follow_code(struct guard_cite *g, char c)
{
	if (c == '`') {
		g->marks++;
		return;
	}
	if (g->marks > 0 && g->code == 0)
		g->code = g->marks;
	else if (g->marks > 0 && g->code == g->marks)
		g->code = 0;
	g->marks = 0;
	if (c == '\n' && g->before == '\n' && g->code < 3)
		g->code = 0;
}

static bool may_be_in_brackets(const struct guard_cite *g, char c)
{
	return isdigit((unsigned char)c) || (g->held_len > 1 && strchr(", -]", c) && c);
}

void guard_cite_feed(struct guard_cite *g, const char *text, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		follow_code(g, c);
		g->before = c;
		if (g->held_len > 0 && g->held_len + 1 < sizeof(g->held) &&
		    may_be_in_brackets(g, c)) {
			g->held[g->held_len++] = c;
			from = i + 1;
			if (c == ']')
				decide(g);
			continue;
		}
		if (g->held_len > 0) {
			release_held(g);
			from = i;
		}
		if (c == '[' && g->code == 0) {
			pass(g, text + from, i - from);
			g->held[g->held_len++] = c;
			from = i + 1;
		}
	}
	pass(g, text + from, len - from);
}

void guard_cite_end(struct guard_cite *g)
{
	release_held(g);
	g->marks = g->code = 0;
	g->before = '\0';
}

/* ---- quotations ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Maps typographic quotation marks, dashes and blanks to ASCII. */
static int next_plain(const char **p, const char *end)
{
	static const struct {
		const char *bytes;
		int plain;
	} marks[] = {{"\u2018", '\''}, {"\u2019", '\''}, {"\u201c", '"'}, {"\u201d", '"'},
		     {"\u2013", '-'},  {"\u2014", '-'},  {"\u00a0", ' '}};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t n = strlen(marks[i].bytes);

		if ((size_t)(end - *p) >= n && memcmp(*p, marks[i].bytes, n) == 0) {
			*p += n;
			return marks[i].plain;
		}
	}
	return (unsigned char)*(*p)++;
}

/* The next character for comparison; consecutive blanks count as one. -1: the end. */
static int next_folded(const char **p, const char *end)
{
	int c;

	if (*p == end)
		return -1;
	c = next_plain(p, end);
	if (c != ' ' && !is_blank((char)c))
		return c;
	while (*p < end && is_blank(**p))
		(*p)++;
	return ' ';
}

static bool quote_matches_at(const char *at, const char *end, struct str quote)
{
	const char *q = quote.p, *q_end = quote.p + quote.n;

	for (int c; (c = next_folded(&q, q_end)) >= 0;)
		if (next_folded(&at, end) != c)
			return false;
	return true;
}

bool guard_quote_matches(struct str quote, struct str passage)
{
	const char *end = passage.p + passage.n;

	quote = str_trim(quote);
	if (quote.n == 0)
		return false;
	for (const char *at = passage.p; at < end; at++)
		if (((unsigned char)*at & 0xC0) != 0x80 && quote_matches_at(at, end, quote))
			return true;
	return false;
}
