/*
 * Scores how well the words of a value match those of a description: equal stems, synonyms of the
 * packs or the language, and words that share most of their letters. For tools that classify
 * values when no model can be asked. Pure.
 */
#include "tool_int.h"

#include <string.h>

#include "vesper/text.h"
#include "vesper/words.h"

#define EQUAL_SCORE       2
#define SIMILAR_SCORE     1
#define GRAM_BYTES        3
#define SIMILAR_BYTES_MIN 4 /* of a stem: shorter ones resemble too many others */
#define SIMILAR_PERCENT   60

/* ---- words ---- */

/* The stem of a folded word: lower case, without marks. */
static size_t stem_at(const struct folded *f, size_t word, char out[STEM_BYTES])
{
	size_t from = word > 0 ? f->ends[word - 1] : 0;

	return word_stem(f->key + from, f->ends[word] - from, out);
}

static size_t stem_of(const char *text, char out[STEM_BYTES])
{
	struct folded f;

	text_fold(text, &f);
	return f.count > 0 ? stem_at(&f, 0, out) : 0;
}

static bool is_equal(const char *a, const char *b, size_t len)
{
	return strlen(a) == len && memcmp(a, b, len) == 0;
}

/* ---- the description ---- */

static void add_stem(struct class_words *w, size_t word, const char *stem, size_t len,
		     struct arena *a)
{
	size_t n = w->words[word].count;

	for (size_t i = 0; i < n; i++)
		if (is_equal(w->words[word].stems[i], stem, len))
			return;
	if (n < CLASSIFY_WORDS_MAX)
		w->words[word].stems[w->words[word].count++] = arena_strndup(a, stem, len);
}

/* Adds all words of each list that contains the word. */
static void add_synonyms(struct class_words *w, size_t word, const char *const *const *lists,
			 size_t count, struct arena *a)
{
	char stem[STEM_BYTES];

	for (size_t l = 0; l < count; l++) {
		bool is_listed = false;

		for (const char *const *s = lists[l]; *s && !is_listed; s++)
			is_listed = is_equal(w->words[word].stems[0], stem, stem_of(*s, stem));
		for (const char *const *s = lists[l]; *s && is_listed; s++)
			add_stem(w, word, stem, stem_of(*s, stem), a);
	}
}

static bool has_word(const struct class_words *w, const char *stem, size_t len)
{
	for (size_t i = 0; i < w->count; i++)
		if (is_equal(w->words[i].stems[0], stem, len))
			return true;
	return false;
}

static void add_word(const struct catalog *c, const struct token *t, struct arena *a,
		     struct class_words *out)
{
	char stem[STEM_BYTES];
	size_t len = stem_of(arena_strndup(a, t->text, t->len), stem);

	if (len == 0 || has_word(out, stem, len) || out->count == CLASSIFY_WORDS_MAX)
		return;
	add_stem(out, out->count, stem, len, a);
	add_synonyms(out, out->count, c->words.synonyms, c->words.synonym_count, a);
	add_synonyms(out, out->count, c->language->synonyms, c->language->synonym_count, a);
	out->count++;
}

void class_words_read(const struct catalog *c, const char *text, struct arena *a,
		      struct class_words *out)
{
	struct question q;

	*out = (struct class_words){0};
	text_tokenize(c->language, text, a, &q);
	for (size_t i = 0; i < q.count; i++)
		if (!token_in_list(&q.tokens[i], WORDS_STOP))
			add_word(c, &q.tokens[i], a, out);
	if (out->count > 0)
		return;
	/* "A question" has stop words only: then the longer words are used. */
	for (size_t i = 0; i < q.count; i++)
		if (q.tokens[i].len >= SIMILAR_BYTES_MIN || q.count == 1)
			add_word(c, &q.tokens[i], a, out);
}

/* ---- the value ---- */

static size_t shared_grams(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t n = 0;

	for (size_t i = 0; i + GRAM_BYTES <= a_len; i++)
		for (size_t k = 0; k + GRAM_BYTES <= b_len; k++)
			if (memcmp(a + i, b + k, GRAM_BYTES) == 0) {
				n++;
				break;
			}
	return n;
}

/* True if the words share most of their runs of three letters. */
static bool shares_trigrams(const char *a, const char *b, size_t b_len)
{
	size_t a_len = strlen(a), all;

	if (a_len < SIMILAR_BYTES_MIN || b_len < SIMILAR_BYTES_MIN)
		return false;
	all = a_len - GRAM_BYTES + 1 + b_len - GRAM_BYTES + 1;
	return 200 * shared_grams(a, a_len, b, b_len) >= SIMILAR_PERCENT * all;
}

struct value_stem {
	char text[STEM_BYTES];
	size_t len;
};

static unsigned word_score(const struct class_words *w, size_t word, const struct value_stem *stems,
			   size_t count)
{
	unsigned best = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t s = 0; s < w->words[word].count; s++)
			if (is_equal(w->words[word].stems[s], stems[i].text, stems[i].len))
				return EQUAL_SCORE;
		if (shares_trigrams(w->words[word].stems[0], stems[i].text, stems[i].len))
			best = SIMILAR_SCORE;
	}
	return best;
}

unsigned class_words_score(const struct class_words *w, const char *value)
{
	struct value_stem stems[FOLDED_WORDS_MAX];
	struct folded f;
	unsigned score = 0;

	text_fold(value, &f);
	for (size_t i = 0; i < f.count; i++)
		stems[i].len = stem_at(&f, i, stems[i].text);
	for (size_t i = 0; i < w->count; i++)
		score += word_score(w, i, stems, f.count);
	return score;
}
