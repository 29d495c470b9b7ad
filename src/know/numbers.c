/* Small numbers as digits or words, and "top n". */
#include "know_int.h"

#include <string.h>

#define TOP_MAX 500

int number_of(const struct token *t)
{
	static const char *const words[] = {"zero", "one",    "two",   "three", "four",
					    "five", "six",    "seven", "eight", "nine",
					    "ten",  "eleven", "twelve"};

	if (t->number >= 0)
		return t->number;
	for (int i = 0; i < (int)(sizeof(words) / sizeof(words[0])); i++)
		if (token_is(t, words[i]))
			return i;
	if (token_is(t, "couple"))
		return 2;
	return token_is(t, "dozen") ? 12 : -1;
}

int numbers_top_n(struct question *q)
{
	static const char *const before[] = {"top",    "best",   "first", "highest",
					     "lowest", "bottom", "worst", NULL};
	static const char *const after[] = {"best",    "highest", "lowest",   "worst",    "most",
					    "biggest", "largest", "cheapest", "priciest", NULL};

	for (size_t i = 0; i + 1 < q->count; i++) {
		struct token *t = &q->tokens[i], *next = &q->tokens[i + 1];
		int n = -1;

		if (token_in(t, before) && !next->used)
			n = number_of(next);
		else if (token_in(next, after) && !t->used)
			n = number_of(t);
		if (n >= 1 && n <= TOP_MAX) {
			t->used = next->used = true;
			return n;
		}
	}
	return 0;
}
