/*
 * Splits questions into tokens that are independent of case, punctuation and spelling. "NP-15's"
 * gives the tokens "np" and "15". The character between tokens is stored, since "Jan_2025" and
 * "Jan 2025" differ in meaning.
 */
#include "text_int.h"

#include <ctype.h>
#include <string.h>

#include "vesper/limits.h"

/* A non-ASCII character and its ASCII equivalent (0: a letter without one). */
struct fold {
	const char *bytes;
	char ascii;
};

static const struct fold folds[] = {
	{"\xE2\x80\x98", '\''}, {"\xE2\x80\x99", '\''}, {"\xE2\x80\x9C", '"'},
	{"\xE2\x80\x9D", '"'},  {"\xE2\x80\x90", '-'},  {"\xE2\x80\x91", '-'},
	{"\xE2\x80\x92", '-'},  {"\xE2\x80\x93", '-'},  {"\xE2\x80\x94", '-'},
	{"\xE2\x88\x92", '-'},  {"\xE2\x80\xA6", '.'},  {"\xC2\xA0", ' '},
	{"\xE2\x80\xAF", ' '},  {"\xE2\x80\x89", ' '},  {"\xC3\x97", ' '},
	{"\xE2\x80\x8B", ' '},  {"\xE2\x86\x92", '-'},  {"\xC2\xBF", ' '},
	{"\xC2\xA1", ' '},      {"\xEF\xBC\x9F", '?'},  {"\xEF\xBC\x8C", ','},
};

/* ASCII equivalents of the Latin letters with diacritics, U+00C0 to U+017F. */
static const char latin[] = "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty"
			    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
			    "lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

#define LATIN_FIRST 0xC0

/* The ASCII letter for a two-byte character, or 0. */
static char latin_letter(const char *p)
{
	unsigned char a = (unsigned char)p[0], b = (unsigned char)p[1];
	char plain;

	if (a < 0xC3 || a > 0xC5 || (b & 0xC0) != 0x80)
		return 0;
	plain = latin[((a & 0x1Fu) << 6 | (b & 0x3Fu)) - LATIN_FIRST];
	return plain == ' ' ? 0 : plain;
}

static size_t utf8_step(const char *p)
{
	unsigned char c = (unsigned char)*p;
	size_t n = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;

	for (size_t i = 1; i < n; i++)
		if (((unsigned char)p[i] & 0xC0) != 0x80)
			return 1;
	return n;
}

/* The length of the next character. *as: its ASCII equivalent; 'x' for a letter of another
 * script. */
static size_t decode_char(const char *p, char *as)
{
	unsigned char c = (unsigned char)*p;

	if (c < 0x80) {
		*as = (char)c;
		return 1;
	}
	for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); i++) {
		size_t n = strlen(folds[i].bytes);

		if (strncmp(p, folds[i].bytes, n) == 0) {
			*as = folds[i].ascii;
			return n;
		}
	}
	*as = latin_letter(p);
	if (*as) {
		/* the first 31 are capitals */
		if (c == 0xC3 && (unsigned char)p[1] < 0x9F)
			*as = (char)toupper((unsigned char)*as);
		return 2;
	}
	*as = 'x';
	return utf8_step(p);
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) != 0;
}

/* The most significant of several separators between two tokens. */
static char stronger_separator(char a, char b)
{
	static const char order[] = ".?!;:,/_-'";
	const char *pa = a ? strchr(order, a) : NULL, *pb = b ? strchr(order, b) : NULL;

	if (pa && (!pb || pa < pb))
		return a;
	return pb ? b : ' ';
}

static bool ends_sentence(char c)
{
	return c == '.' || c == '?' || c == '!' || c == ';' || c == ':';
}

/* Handles apostrophes within a word: drops a possessive "'s", joins others ("don't"). */
static size_t apostrophe(const char *p, size_t n)
{
	char as, after;
	size_t len = decode_char(p + n, &as);

	if (as == 's' || as == 'S') {
		decode_char(p + n + len, &after);
		if (!is_word_char(after) && after != '\'')
			return n + len;
	}
	return is_word_char(as) && isalpha((unsigned char)as) ? n : 0;
}

/* Reads one word at p into `out`, truncated to `room` bytes with its terminator. Returns its bytes
 * in the text. */
static size_t read_word(const char *p, char *out, size_t room, struct token *t)
{
	size_t at = 0, len = 0;
	char as;

	for (size_t n; p[at]; at += n) {
		n = decode_char(p + at, &as);
		if (as == '\'' && len > 0 && t->has_letter) {
			size_t skip = apostrophe(p + at, n);

			if (skip == 0)
				break;
			n = skip;
			continue;
		}
		if (!is_word_char(as))
			break;
		t->has_digit = t->has_digit || isdigit((unsigned char)as);
		t->has_letter = t->has_letter || !isdigit((unsigned char)as);
		if (len == 0)
			t->capitalized = isupper((unsigned char)as) != 0;
		if (len + n >= room)
			continue;
		if (n == 1 || latin_letter(p + at)) {
			out[len++] = (char)tolower((unsigned char)as);
		} else {
			memcpy(out + len, p + at, n);
			len += n;
		}
	}
	out[len] = '\0';
	t->len = len;
	return at;
}

static int number_in(const struct token *t)
{
	int n = 0;

	if (t->has_letter || !t->has_digit || t->len > 9)
		return -1;
	for (size_t i = 0; i < t->len; i++)
		n = n * 10 + (t->text[i] - '0');
	return n;
}

/* In all-caps text, capitals carry no information. */
static void ignore_all_caps(struct token *tokens, size_t count)
{
	size_t lowercase = 0, words = 0;

	for (size_t i = 0; i < count; i++) {
		words += tokens[i].has_letter && !tokens[i].has_digit;
		lowercase += tokens[i].has_letter && !tokens[i].has_digit && !tokens[i].capitalized;
	}
	for (size_t i = 0; words > 2 && lowercase == 0 && i < count; i++)
		tokens[i].capitalized = false;
}

void text_tokenize(const struct language *l, const char *text, struct arena *a,
		   struct question *out)
{
	size_t bytes = strlen(text), at = 0;
	char *words = arena_alloc(a, bytes * 2 + 2), as, before = '.';
	struct token *tokens = arena_alloc(a, (bytes / 2 + 2) * sizeof(*tokens));
	size_t count = 0;
	bool at_apostrophe = false;

	while (text[at]) {
		size_t n = decode_char(text + at, &as);
		struct token *t = &tokens[count];

		if (!is_word_char(as)) {
			at_apostrophe = as == '\'';
			before = stronger_separator(before, as);
			at += n;
			continue;
		}
		t->text = words;
		t->from = at;
		at += read_word(text + at, words, SIZE_MAX, t);
		t->to = at;
		words += t->len + 1;
		t->separator = before ? before : ' ';
		t->after_apostrophe = at_apostrophe;
		t->starts_sentence = count == 0 || ends_sentence(t->separator);
		t->number = number_in(t);
		t->known = language_word(l, t->text, t->len);
		before = '\0';
		at_apostrophe = false;
		count++;
	}
	ignore_all_caps(tokens, count);
	*out = (struct question){text, l, tokens, count};
}

void text_fold(const char *text, struct folded *out)
{
	size_t at = 0;
	char as;

	out->len = out->count = 0;
	while (text[at] && out->count < FOLDED_WORDS_MAX && out->len + 4 < TEXT_KEY_BYTES_MAX) {
		struct token t = {0};
		size_t n = decode_char(text + at, &as);

		if (!is_word_char(as)) {
			at += n;
			continue;
		}
		at += read_word(text + at, out->key + out->len, TEXT_KEY_BYTES_MAX - out->len, &t);
		out->len += t.len;
		out->ends[out->count++] = (uint16_t)out->len;
	}
}

const char *text_between(const struct question *q, size_t from, size_t to, struct arena *a)
{
	size_t begin = q->tokens[from].from, end = q->tokens[to - 1].to;

	return arena_strndup(a, q->text + begin, end - begin);
}

const struct token *token_at(const struct question *q, size_t i)
{
	static const struct token none = {.text = "", .number = -1, .separator = '.', .used = true};

	return i < q->count ? &q->tokens[i] : &none;
}

/* ---- words of the language ---- */

static bool phrase_at(const struct question *q, size_t i, const struct phrase *p)
{
	if (i + p->count > q->count)
		return false;
	for (size_t n = 1; n < p->count; n++)
		if (strcmp(q->tokens[i + n].text, p->words[n]) != 0)
			return false;
	return true;
}

size_t words_at(const struct question *q, size_t i, enum words list)
{
	const struct language_word *known = token_at(q, i)->known;

	if (!known)
		return 0;
	for (const struct phrase *p = known->phrases; p; p = p->next)
		if ((p->lists >> list & 1) && phrase_at(q, i, p))
			return p->count;
	return known->lists >> list & 1;
}

bool words_end_at(const struct question *q, size_t i, enum words list)
{
	if (token_in_list(&q->tokens[i], list))
		return true;
	for (size_t back = 1; back <= i && back < PHRASE_WORDS_MAX; back++)
		if (words_at(q, i - back, list) == back + 1)
			return true;
	return false;
}

bool words_in(const struct question *q, enum words list)
{
	for (size_t i = 0; i < q->count; i++)
		if (words_at(q, i, list) > 0)
			return true;
	return false;
}
