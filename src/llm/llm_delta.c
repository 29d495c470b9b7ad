/*
 * Fast path for text deltas, by far the most frequent event: a general JSON parser would dominate
 * the cost of a stream. The service's usual form is parsed in place; other forms use the general
 * parser.
 */
#include "llm_int.h"
#include "vesper/utf8.h"

static bool eat(struct str *in, struct str word)
{
	if (!str_starts(*in, word))
		return false;
	*in = (struct str){in->p + word.n, in->n - word.n};
	return true;
}

static bool eat_index(struct str *in, int64_t *out)
{
	size_t n = 0;

	for (*out = 0; n < in->n && n < 9 && in->p[n] >= '0' && in->p[n] <= '9'; n++)
		*out = *out * 10 + (in->p[n] - '0');
	*in = (struct str){in->p + n, in->n - n};
	return n > 0;
}

static char unescape(char c)
{
	switch (c) {
	case '"':
	case '\\':
	case '/':
		return c;
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	default:
		return 0;
	}
}

/* Reads a string and its closing quote. False: use the general parser (\u, \b, \f, control
 * characters, or private-use characters, which it replaces). */
static bool eat_string(struct str *in, struct buf *scratch, struct str *out)
{
	const char *p = in->p, *end = in->p + in->n;
	bool plain = true;

	buf_reset(scratch);
	for (const char *run = p;; p++) {
		if (p == end || (unsigned char)*p < ' ' || (unsigned char)*p == 0xEE)
			return false;
		if (*p != '"' && *p != '\\')
			continue;
		if (*p == '"' && plain) {
			*out = (struct str){run, (size_t)(p - run)};
			break;
		}
		buf_add(scratch, run, (size_t)(p - run));
		if (*p == '"') {
			*out = (struct str){scratch->p, scratch->n};
			break;
		}
		if (++p == end || !unescape(*p))
			return false;
		buf_char(scratch, unescape(*p));
		plain = false;
		run = p + 1;
	}
	*in = (struct str){p + 1, (size_t)(end - p - 1)};
	return true;
}

/* The service pads events with spaces before the last brackets. */
static bool eat_close(struct str *in)
{
	*in = str_trim(*in);
	return eat(in, STR("}"));
}

bool text_delta_read(struct str in, struct buf *scratch, int64_t *index, struct str *text)
{
	return eat(&in, STR("{\"type\":\"content_block_delta\",\"index\":")) &&
	       eat_index(&in, index) &&
	       eat(&in, STR(",\"delta\":{\"type\":\"text_delta\",\"text\":\"")) &&
	       eat_string(&in, scratch, text) && eat_close(&in) && eat_close(&in) &&
	       str_trim(in).n == 0 && utf8_valid(text->p, text->n);
}
