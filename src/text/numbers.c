/* Small numbers in digits or words, and "top n". */
#include "text_int.h"

#include <string.h>

#define TOP_MAX 500

int token_number(const struct token *t)
{
	if (t->number >= 0)
		return t->number;
	return t->known ? t->known->number : -1;
}

/* Reads "twenty-five" or "25" at token i and sets *to to the end; 0: not a count. */
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

static int mark_used(struct question *q, size_t from, size_t to, int n)
{
	for (size_t i = from; i < to && i < q->count; i++)
		q->tokens[i].used = true;
	return n;
}

/* "top3": a rank word followed directly by a number. */
static int top_with_digits(const struct language *l, const struct token *t)
{
	if (t->used || !t->has_letter || !t->has_digit)
		return 0;
	for (const char *const *w = l ? l->lists[WORDS_RANK_PREFIX] : NULL; w && *w; w++) {
		size_t len = strlen(*w);
		int n = 0;

		if (t->len <= len || t->len > len + 3 || strncmp(t->text, *w, len) != 0)
			continue;
		for (; len < t->len && t->text[len] >= '0' && t->text[len] <= '9'; len++)
			n = n * 10 + (t->text[len] - '0');
		if (len == t->len && n <= TOP_MAX)
			return n;
	}
	return 0;
}

/* Returns true when a rank word follows later in the same sentence. */
static bool rank_follows(const struct question *q, size_t i)
{
	for (i++; i < q->count && !q->tokens[i].starts_sentence; i++)
		if (token_in_list(&q->tokens[i], WORDS_RANKING))
			return true;
	return false;
}

static bool rank_precedes(const struct question *q, size_t i)
{
	while (i-- > 0)
		if (token_in_list(&q->tokens[i], WORDS_RANKING))
			return true;
	return false;
}

/* "At least 3", "more than 3" */
static bool is_bounded(const struct question *q, size_t i)
{
	return i > 0 && (token_in_list(&q->tokens[i - 1], WORDS_RANKING) ||
			 token_in_list(&q->tokens[i - 1], WORDS_COMPARISON));
}

#define RANKED_WORDS 3 /* most words of a ranked name, such as "report views" */

/* "Three users with the most views", "five reports that have fewest": a rank follows the name.
 * `i`: the token after the number. */
static bool rank_follows_noun(const struct question *q, size_t i)
{
	size_t to = i;

	while (to < q->count && to - i < RANKED_WORDS && !q->tokens[to].starts_sentence &&
	       !q->tokens[to].used && !token_in_list(&q->tokens[to], WORDS_PREPOSITIONS) &&
	       !token_in_list(&q->tokens[to], WORDS_RELATIVE_PRONOUNS))
		to++;
	if (to == i || to >= q->count || q->tokens[to].starts_sentence || q->tokens[to].used)
		return false;
	if (token_in_list(&q->tokens[to], WORDS_RELATIVE_PRONOUNS))
		return rank_follows(q, to);
	to++;
	to += token_in_list(token_at(q, to), WORDS_ARTICLES);
	return token_in_list(token_at(q, to), WORDS_RANKING);
}

/* "The cheapest one in 2026": "one" refers to something named before. "The first one" is a row. */
static bool is_row_pronoun(const struct question *q, size_t i)
{
	const struct token *next = token_at(q, i + 1);

	return token_in_list(token_at(q, i), WORDS_ROW_PRONOUNS) &&
	       !token_in_list(&q->tokens[i - 1], WORDS_RANK_BEFORE_NUMBER) &&
	       (i + 1 >= q->count || next->starts_sentence || next->separator != ' ' ||
		token_in_list(next, WORDS_PREPOSITIONS));
}

int numbers_top_n(const struct language *l, struct question *q)
{
	size_t to;
	int n;

	for (size_t i = 0; i < q->count; i++) {
		n = top_with_digits(l, &q->tokens[i]);
		if (n)
			return mark_used(q, i, i + 1, n);
		/* "at least 3" is a bound */
		if (i > 0 && token_in_list(&q->tokens[i - 1], WORDS_AT))
			continue;
		if (token_in_list(&q->tokens[i], WORDS_RANKING) && (n = count_at(q, i + 1, &to)) &&
		    !is_row_pronoun(q, i + 1))
			return mark_used(q, i + 1, to, n);
		/* "the ten biggest" */
		n = count_at(q, i, &to);
		if (n && token_in_list(token_at(q, to), WORDS_RANKING) &&
		    !token_in_list(token_at(q, to), WORDS_RANK_BEFORE_NUMBER))
			return mark_used(q, i, to, n);
		/* "which three reports are viewed most" */
		if (n && i > 0 && token_in_list(&q->tokens[i - 1], WORDS_WHICH) &&
		    rank_follows(q, to))
			return mark_used(q, i, to, n);
		if (n && !is_bounded(q, i) && rank_follows_noun(q, to))
			return mark_used(q, i, to, n);
		/* "least active users since May, just 5" */
		if (n && i > 1 && to >= q->count && q->tokens[i - 1].separator == ',' &&
		    token_in_list(&q->tokens[i - 1], WORDS_FOLLOWUP_OPENING) && rank_precedes(q, i))
			return mark_used(q, i, to, n);
	}
	return 0;
}
