/*
 * Names that users may use for the contents of a file, in addition to those in it. Rows are named
 * by the columns that identify them ("Order No": orders) and by the file ("hotel_bookings":
 * bookings). A column is named by the last word of its label if no other column has that word ("Net
 * Revenue": revenue). Also decides how a number is aggregated.
 */
#include "upload_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/text.h"

#define NOUN_BYTES_MIN 3 /* shorter words are too often something else */

static const enum words excluded_words[] = {
	WORDS_STOP,       WORDS_UPLOAD_ROW,    WORDS_UPLOAD_RATE, WORDS_COUNTING,
	WORDS_TOTALS,     WORDS_AGGREGATES,    WORDS_GRAIN_HOUR,  WORDS_GRAIN_DAY,
	WORDS_GRAIN_WEEK, WORDS_GRAIN_MONTH,   WORDS_TOP,         WORDS_BOTTOM,
	WORDS_GRAIN_YEAR, WORDS_GRAIN_QUARTER,
};

static bool is_noun(const struct token *t)
{
	for (size_t i = 0; i < sizeof(excluded_words) / sizeof(*excluded_words); i++)
		if (token_in_list(t, excluded_words[i]))
			return false;
	return t->len >= NOUN_BYTES_MIN && t->has_letter && !t->has_digit;
}

static bool has_word(const struct language *l, const char *label, const struct token *word,
		     struct arena *a)
{
	struct question q;

	text_tokenize(l, label, a, &q);
	for (size_t i = 0; i < q.count; i++)
		if (q.tokens[i].len == word->len &&
		    memcmp(q.tokens[i].text, word->text, word->len) == 0)
			return true;
	return false;
}

/* The number of columns whose labels contain the word. */
static size_t count_columns_with(const struct language *l, const json_t *columns,
				 const struct token *word, struct arena *a)
{
	json_t *column;
	size_t i, n = 0;

	json_array_foreach((json_t *)columns, i, column)
		n += has_word(l, json_text_at(column, "label"), word, a);
	return n;
}

static void add_text(json_t *list, const char *text)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (strcmp(json_string_value(one), text) == 0)
			return;
	json_push_take(list, json_str(text));
}

/* "Order No", "Trip date": the words before the last one. */
static void add_noun_of(const struct language *l, const json_t *column, json_t *list,
			struct arena *a)
{
	struct question q;

	text_tokenize(l, json_text_at(column, "label"), a, &q);
	if (q.count >= 2 && token_in_list(&q.tokens[q.count - 1], WORDS_UPLOAD_ROW) &&
	    is_noun(&q.tokens[q.count - 2]))
		add_text(list, text_between(&q, 0, q.count - 1, a));
}

json_t *naming_rows(const struct language *l, const char *name, const json_t *columns,
		    struct arena *a)
{
	json_t *list = json_array(), *column;
	bool dated = false;
	struct question q;
	size_t i;

	json_array_foreach((json_t *)columns, i, column) {
		const char *role = json_text_at(column, "role");
		bool is_date = strcmp(role, "date") == 0;

		if (strcmp(role, "id") == 0 || (is_date && !dated))
			add_noun_of(l, column, list, a);
		dated |= is_date;
	}
	text_tokenize(l, name, a, &q);
	while (q.count > 0 && !is_noun(&q.tokens[q.count - 1]))
		q.count--;
	if (q.count > 0 && count_columns_with(l, columns, &q.tokens[q.count - 1], a) == 0)
		add_text(list,
			 arena_strndup(a, q.tokens[q.count - 1].text, q.tokens[q.count - 1].len));
	return list;
}

const char *naming_head(const struct language *l, const char *label, const json_t *columns,
			struct arena *a)
{
	struct question q;
	const struct token *last;

	text_tokenize(l, label, a, &q);
	if (q.count < 2)
		return NULL;
	last = &q.tokens[q.count - 1];
	return is_noun(last) && count_columns_with(l, columns, last, a) == 1
		       ? arena_strndup(a, last->text, last->len)
		       : NULL;
}

enum naming_aggregate naming_choose_aggregate(const struct language *l, const char *label,
					      struct arena *a)
{
	struct question q;

	text_tokenize(l, label, a, &q);
	if (words_in(&q, WORDS_TOTALS))
		return NAMING_SUM;
	if (words_in(&q, WORDS_UPLOAD_RATE) || strchr(label, '%'))
		return NAMING_MEAN;
	for (size_t i = 0; i < q.count; i++)
		if (token_in_list(&q.tokens[i], WORDS_UPLOAD_ROW) && i + 1 == q.count)
			return NAMING_NONE;
	return q.count == 1 && (token_in_list(&q.tokens[0], WORDS_GRAIN_YEAR) ||
				token_in_list(&q.tokens[0], WORDS_GRAIN_MONTH) ||
				token_in_list(&q.tokens[0], WORDS_GRAIN_WEEK) ||
				token_in_list(&q.tokens[0], WORDS_GRAIN_QUARTER) ||
				token_in_list(&q.tokens[0], WORDS_GRAIN_DAY) ||
				token_in_list(&q.tokens[0], WORDS_GRAIN_HOUR))
		       ? NAMING_NONE
		       : NAMING_SUM;
}
