/* Small numbers as digits or words, "top n", and thresholds. */
#include "text_int.h"

#include <string.h>

#define TOP_MAX 500

int token_number(const struct token *t)
{
	if (t->number >= 0)
		return t->number;
	return t->known ? t->known->number : -1;
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

/* "top3": the list's word with a number right behind it. */
static int glued_top(const struct language *l, const struct token *t)
{
	if (t->used || !t->has_letter || !t->has_digit)
		return 0;
	for (const char *const *w = l ? l->lists[WORDS_RANK_GLUED] : NULL; w && *w; w++) {
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

/* Does a word of rank follow, in the same sentence, but not at once? */
static bool ranks_behind(const struct question *q, size_t i)
{
	for (i++; i < q->count && !q->tokens[i].first; i++)
		if (token_says(&q->tokens[i], WORDS_RANK))
			return true;
	return false;
}

int numbers_top_n(const struct language *l, struct question *q)
{
	size_t to;
	int n;

	for (size_t i = 0; i < q->count; i++) {
		n = glued_top(l, &q->tokens[i]);
		if (n)
			return take(q, i, i + 1, n);
		/* "at least 3" is a bound */
		if (i > 0 && token_says(&q->tokens[i - 1], WORDS_AT))
			continue;
		if (token_says(&q->tokens[i], WORDS_RANK) && (n = count_at(q, i + 1, &to)))
			return take(q, i + 1, to, n);
		/* "the ten biggest" */
		n = count_at(q, i, &to);
		if (n && token_says(token_at(q, to), WORDS_RANK) &&
		    !token_says(token_at(q, to), WORDS_RANK_IN_FRONT))
			return take(q, i, to, n);
		/* "which three reports are viewed most" */
		if (n && i > 0 && token_says(&q->tokens[i - 1], WORDS_WHICH) && ranks_behind(q, to))
			return take(q, i, to, n);
	}
	return 0;
}

/* ---- thresholds ---- */

static void add_unit_word(struct dict *out, const char *text)
{
	struct question q;

	text_read(NULL, text, out->arena, &q);
	if (q.count == 1)
		dict_put(out, q.tokens[0].text, q.tokens[0].len, 1);
}

void numbers_unit_words(const struct units *u, struct dict *out)
{
	for (size_t i = 0; i < u->count; i++) {
		const struct unit_def *unit = &u->items[i];
		const char *const *glued = unit->glued;

		while (*glued && strcmp(*glued, unit->symbol) != 0)
			glued++;
		if (!*glued)
			continue;
		add_unit_word(out, unit->symbol);
		for (const char *const *word = unit->spellings; *word; word++)
			add_unit_word(out, *word);
	}
}

static bool is_unit(const struct dict *units, const struct token *t)
{
	return dict_find(units, t->text, t->len) >= 0;
}

static bool is_free_number(const struct question *q, size_t i)
{
	return !token_at(q, i)->used && token_at(q, i)->number >= 0;
}

/* "above $60", "over 5%", "at least 100": tokens up to the bound's number, 0 when none is here. */
static size_t bound_at(const struct dict *units, const struct question *q, size_t i)
{
	size_t n = words_at(q, i, WORDS_ABOVE), at;

	if (n == 0)
		n = words_at(q, i, WORDS_BELOW);
	if (n == 0)
		return 0;
	at = i + n;
	at += token_says(token_at(q, at), WORDS_BOUND_FILLERS) || is_unit(units, token_at(q, at));
	return !token_at(q, at)->used && token_number(token_at(q, at)) >= 0 ? at + 1 : 0;
}

/* "between 40 and 50" */
static size_t between_at(const struct question *q, size_t i)
{
	return token_says(&q->tokens[i], WORDS_BETWEEN) && is_free_number(q, i + 1) &&
			       token_says(token_at(q, i + 2), WORDS_AND) && is_free_number(q, i + 3)
		       ? i + 4
		       : 0;
}

const char *numbers_threshold(const struct dict *unit_words, struct question *q, struct arena *a)
{
	for (size_t i = 0; i < q->count; i++) {
		size_t to = bound_at(unit_words, q, i);

		if (to == 0)
			to = between_at(q, i);
		if (to == 0)
			continue;
		while (!token_at(q, to)->used && (token_says(token_at(q, to), WORDS_AMOUNTS) ||
						  is_unit(unit_words, token_at(q, to))))
			to++;
		take(q, i, to, 0);
		return text_between(q, i, to, a);
	}
	return NULL;
}
