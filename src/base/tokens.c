/* Token estimate for prompt budgets. It must never be far below a service's count. It runs over
 * every cell that may be shown, so it reads each byte once. */
#include "vesper/tokens.h"

#include <ctype.h>
#include <stdbool.h>

#define WORD_LETTERS 4
#define CAPITALS     2

static size_t run_length(const char *p, const char *end, int (*is)(int c))
{
	const char *from = p;

	while (p < end && is((unsigned char)*p))
		p++;
	return (size_t)(p - from);
}

static size_t divide_up(size_t n, size_t size)
{
	return (n + size - 1) / size;
}

/* Counts a word: lower-case letters, optionally after one capital, or capitals. Returns its end. */
static const char *count_word(const char *p, const char *end, size_t *tokens)
{
	size_t capitals = run_length(p, end, isupper);
	size_t small = run_length(p + capitals, end, islower);

	if (capitals > 1) { /* the last one may begin the next word */
		*tokens += divide_up(capitals, CAPITALS);
		return p + capitals;
	}
	*tokens += divide_up(capitals + small, WORD_LETTERS);
	return p + capitals + small;
}

static const char *count_other(const char *p, const char *end, size_t *tokens)
{
	unsigned char c = (unsigned char)*p++;

	if (c == ' ') {
		*tokens += p < end && (*p == ' ' || isdigit((unsigned char)*p));
		return p;
	}
	*tokens += c < 0x80 ? 1 : c < 0xF0 ? 2 : 3;
	while (c >= 0x80 && p < end && ((unsigned char)*p & 0xC0) == 0x80)
		p++;
	return p;
}

size_t tokens_estimate(const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	size_t tokens = 0;

	while (p < end) {
		unsigned char c = (unsigned char)*p;

		if (c < 0x80 && isalpha(c)) {
			p = count_word(p, end, &tokens);
		} else if (c < 0x80 && isdigit(c)) {
			tokens++;
			p++;
		} else {
			p = count_other(p, end, &tokens);
		}
	}
	return tokens;
}

const char *tokens_part_name(enum tokens_part part)
{
	static const char *const names[TOKENS_PARTS] = {
		"prompt", "schema", "examples", "history", "results", "documents", "question"};

	return names[part];
}
