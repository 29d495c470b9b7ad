/* Small numbers as digits or words, "top n", and thresholds. */
#include "text_int.h"

#include <string.h>

#define TOP_MAX 500

int token_number(const struct token *t)
{
	static const struct {
		const char *word;
		int number;
	} words[] = {{"zero", 0},      {"one", 1},        {"two", 2},       {"three", 3},
		     {"four", 4},      {"five", 5},       {"six", 6},       {"seven", 7},
		     {"eight", 8},     {"nine", 9},       {"ten", 10},      {"eleven", 11},
		     {"twelve", 12},   {"thirteen", 13},  {"fourteen", 14}, {"fifteen", 15},
		     {"sixteen", 16},  {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19},
		     {"twenty", 20},   {"thirty", 30},    {"forty", 40},    {"fifty", 50},
		     {"hundred", 100}, {"couple", 2},     {"dozen", 12}};

	if (t->number >= 0)
		return t->number;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (token_is(t, words[i].word))
			return words[i].number;
	return -1;
}

/* "twenty-five" and "25" from token i on; 0: no count. Advances *to over it. */
static int count_at(const struct question *q, size_t i, size_t *to)
{
	int n = token_at(q, i)->used ? -1 : token_number(token_at(q, i));
	int ones = token_number(token_at(q, i + 1));

	*to = i + 1;
	if (n >= 20 && n < 100 && n % 10 == 0 && token_at(q, i)->number < 0 && ones >= 1 &&
	    ones <= 9 && token_at(q, i + 1)->number < 0) {
		*to = i + 2;
		n += ones;
	}
	return n >= 1 && n <= TOP_MAX ? n : 0;
}

static int take(struct question *q, size_t from, size_t to, int n)
{
	for (size_t i = from; i < to && i < q->count; i++)
		q->tokens[i].used = true;
	return n;
}

/* "top3" */
static int glued_top(const struct token *t)
{
	int n = 0;

	if (t->used || strncmp(t->text, "top", 3) != 0 || t->len < 4 || t->len > 6)
		return 0;
	for (size_t i = 3; i < t->len; i++) {
		if (t->text[i] < '0' || t->text[i] > '9')
			return 0;
		n = n * 10 + (t->text[i] - '0');
	}
	return n <= TOP_MAX ? n : 0;
}

/* Does a word of rank follow, in the same sentence, but not at once? */
static bool ranks_behind(const struct question *q, size_t i, const char *const *ranks)
{
	for (i++; i < q->count && !q->tokens[i].first; i++)
		if (token_in(&q->tokens[i], ranks))
			return true;
	return false;
}

int numbers_top_n(struct question *q)
{
	static const char *const ranks[] = {
		"top",      "best",    "first",    "highest",  "lowest",   "bottom",  "worst",
		"most",     "biggest", "largest",  "cheapest", "priciest", "busiest", "least",
		"heaviest", "hottest", "smallest", "riskiest", NULL};
	size_t to;
	int n;

	for (size_t i = 0; i < q->count; i++) {
		n = glued_top(&q->tokens[i]);
		if (n)
			return take(q, i, i + 1, n);
		if (token_in(&q->tokens[i], ranks) && (n = count_at(q, i + 1, &to)))
			return take(q, i + 1, to, n);
		/* "the ten biggest" */
		n = count_at(q, i, &to);
		if (n && token_in(token_at(q, to), ranks) && !token_is(token_at(q, to), "first"))
			return take(q, i, to, n);
		/* "which three reports are viewed most" */
		if (n && i > 0 && token_is(&q->tokens[i - 1], "which") &&
		    ranks_behind(q, to, ranks))
			return take(q, i, to, n);
	}
	return 0;
}

/* ---- thresholds ---- */

/* "above $60", "over 5%", "at least 100": tokens up to the bound's number, 0 when none is here. */
static size_t bound_at(const struct question *q, size_t i)
{
	static const char *const words[] = {"above",   "over",   "below",  "under", "exceeding",
					    "exceeds", "exceed", "beyond", NULL};
	static const char *const comparatives[] = {"more",   "less",    "higher",  "lower",
						   "bigger", "fewer",   "greater", "cheaper",
						   "larger", "smaller", NULL};
	const struct token *t = token_at(q, i);
	size_t at = i + 1;

	if (token_in(t, comparatives) && token_is(token_at(q, at), "than"))
		at++;
	else if (token_is(t, "at") &&
		 token_in(token_at(q, at), (const char *const[]){"least", "most", NULL}))
		at++;
	else if (!token_in(t, words))
		return 0;
	at += token_in(token_at(q, at), (const char *const[]){"a", "the", "usd", NULL});
	return !token_at(q, at)->used && token_number(token_at(q, at)) >= 0 ? at + 1 : 0;
}

const char *numbers_threshold(struct question *q, struct arena *a)
{
	static const char *const units[] = {"percent", "dollars", "million", "k",   "m", "mw",
					    "usd",     "mwh",     "bn",      "pct", NULL};

	for (size_t i = 0; i < q->count; i++) {
		size_t to = bound_at(q, i);

		if (to == 0 && token_is(&q->tokens[i], "between") && !token_at(q, i + 1)->used &&
		    token_at(q, i + 1)->number >= 0 && token_is(token_at(q, i + 2), "and") &&
		    token_at(q, i + 3)->number >= 0 && !token_at(q, i + 3)->used)
			to = i + 4;
		if (to == 0)
			continue;
		while (token_in(token_at(q, to), units) && !token_at(q, to)->used)
			to++;
		take(q, i, to, 0);
		return text_between(q, i, to, a);
	}
	return NULL;
}
