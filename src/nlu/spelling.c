/*
 * Corrects unknown words: typing errors ("reprots"), and other forms of a known word ("distributed"
 * for a distribution). Runs once before any lookup, so that all later steps use the corrected
 * words. Names stay unchanged; unknown.c handles misspelled names.
 */
#include "nlu_int.h"

#include <string.h>

#include "vesper/dates.h"
#include "vesper/limits.h"

#define WORD_BYTES_MIN        4 /* minimum length of a misspelled word */
#define TRANSPOSED_ONLY_BYTES 4 /* words up to this length may only have two letters swapped */
#define SUBSTITUTED_BYTES_MIN                                                                      \
	6                  /* minimum length for a substituted letter: "share" is not "shape" */
#define FAMILY_BYTES_MIN 4 /* minimum common prefix of two forms of a word */
#define SCRATCH_BYTES    65536

struct known_word {
	const char *word;
	size_t len;
	bool has_no_forms; /* only its typing errors are corrected, not its other forms */
};

struct spelling {
	struct arena *arena;
	struct dict known;
	struct known_word *words;
	size_t count, cap;
};

/* ---- building the word list ---- */

static bool is_letters(const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (word[i] < 'a' || word[i] > 'z')
			return false;
	return n >= WORD_BYTES_MIN;
}

static void add(struct spelling *s, const char *word, size_t n, bool common)
{
	if (!is_letters(word, n) || dict_find(&s->known, word, n) >= 0)
		return;
	s->words = arena_grow(s->arena, s->words, s->count, &s->cap, sizeof(*s->words));
	s->words[s->count] = (struct known_word){arena_strndup(s->arena, word, n), n, common};
	dict_put(&s->known, s->words[s->count].word, n, (int)s->count);
	s->count++;
}

/* Skips capitalized words, which may be names. */
static void add_text(const struct nlu *k, struct spelling *s, const char *text)
{
	struct arena *scratch;
	struct question q;

	if (!text)
		return;
	scratch = arena_new(SCRATCH_BYTES);
	text_tokenize(k->catalog->language, text, scratch, &q);
	for (size_t i = 0; i < q.count; i++)
		if (!nlu_is_stop_word(k, &q.tokens[i]) &&
		    (q.tokens[i].starts_sentence || !q.tokens[i].capitalized) &&
		    !token_in_list(&q.tokens[i], WORDS_NEUTRAL))
			add(s, q.tokens[i].text, q.tokens[i].len, false);
	arena_free(&scratch);
}

static void add_tool(const struct nlu *k, struct spelling *s, const struct tool_def *t)
{
	add_text(k, s, t->name);
	add_text(k, s, t->about);
	add_text(k, s, t->words.measures);
	add_text(k, s, t->words.grain);
	for (size_t i = 0; i < t->param_count; i++)
		add_text(k, s, t->params[i].about);
	for (size_t i = 0; i < t->column_count; i++)
		add_text(k, s, t->columns[i].label);
}

/* Adds cue words. unused_words.c corrects neutral words. */
static void add_language(struct spelling *s, const struct language *l)
{
	for (size_t list = 0; list < WORDS_COUNT; list++) {
		if (list == WORDS_STOP || list == WORDS_NEUTRAL || list == WORDS_ENDINGS)
			continue;
		for (const char *const *text = l->lists[list]; text && *text; text++)
			for (const char *at = *text; *at;) {
				size_t n = strcspn(at, " ");

				add(s, at, n, true);
				at += n + strspn(at + n, " ");
			}
	}
	for (size_t i = 0; i < l->synonym_count; i++)
		for (const char *const *word = l->synonyms[i]; *word; word++)
			add(s, *word, strlen(*word), false);
}

static void add_time_word(void *owner, const char *word)
{
	add(owner, word, strlen(word), true);
}

struct spelling *spelling_new(struct nlu *k)
{
	const struct catalog *c = k->catalog;
	struct spelling *s = arena_alloc(k->arena, sizeof(*s));

	s->arena = k->arena;
	dict_init(&s->known, k->arena);
	for (size_t i = 0; i < c->tool_count; i++)
		if (!c->tools[i].callers.agents_only)
			add_tool(k, s, &c->tools[i]);
	for (size_t i = 0; i < c->domain_count; i++)
		if (!c->domains[i].by_cues)
			add_text(k, s, c->domains[i].about);
	for (size_t i = 0; i < c->words.synonym_count; i++)
		for (const char *const *word = c->words.synonyms[i]; *word; word++)
			add(s, *word, strlen(*word), false);
	add_language(s, c->language);
	dates_words(add_time_word, s);
	return s;
}

/* ---- one word ---- */

/* Returns true when two adjacent letters are swapped. */
static bool is_transposition(const struct token *t, const struct known_word *w)
{
	size_t i = 0;

	if (t->len != w->len)
		return false;
	while (i < t->len && t->text[i] == w->word[i])
		i++;
	return i + 1 < t->len && t->text[i] == w->word[i + 1] && t->text[i + 1] == w->word[i] &&
	       memcmp(t->text + i + 2, w->word + i + 2, t->len - i - 2) == 0;
}

/* Returns true for forms of one word, or synonyms: "health", "healthy". */
static bool same_meaning(const struct nlu *k, const struct known_word *a,
			 const struct known_word *b)
{
	const struct token x = {.text = a->word, .len = a->len},
			   y = {.text = b->word, .len = b->len};
	char stem_x[STEM_BYTES], stem_y[STEM_BYTES];
	size_t n = nlu_canonical_stem(k, &x, stem_x);

	return nlu_canonical_stem(k, &y, stem_y) == n && memcmp(stem_x, stem_y, n) == 0;
}

/* The closest known word. Swapped letters are preferred to other errors. NULL: no word, or several
 * with different meanings. */
static const struct known_word *closest_word(const struct nlu *k, const struct token *t)
{
	const struct spelling *s = k->spelling;
	int limit = fuzzy_limit(t->text, t->len), least = limit + 1;
	const struct known_word *best = NULL;
	bool turned = false, several = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct known_word *w = &s->words[i];
		int distance;
		bool turns;

		if (*w->word != *t->text)
			continue;
		distance = fuzzy_distance(t->text, t->len, w->word, w->len, limit);
		if (distance > limit || distance > least)
			continue;
		turns = is_transposition(t, w);
		if (!turns && (t->len <= TRANSPOSED_ONLY_BYTES || w->len <= TRANSPOSED_ONLY_BYTES ||
			       (t->len == w->len && t->len < SUBSTITUTED_BYTES_MIN)))
			continue;
		if (distance < least || (turns && !turned)) {
			best = w;
			several = false;
		} else if (turns == turned && !same_meaning(k, best, w)) {
			several = true;
		} else {
			continue;
		}
		least = distance;
		turned = turned || turns;
	}
	return several ? NULL : best;
}

static bool is_ending(const struct language *l, const char *rest, size_t n)
{
	for (const char *const *e = l->lists[WORDS_ENDINGS]; *e; e++)
		if (strlen(*e) == n + 1 && memcmp(*e + 1, rest, n) == 0)
			return true;
	return n == 0;
}

/* The known word that differs only in its ending. NULL: none, or several meanings. */
static const struct known_word *other_form_of(const struct nlu *k, const struct token *t)
{
	const struct spelling *s = k->spelling;
	const struct language *l = k->catalog->language;
	const struct known_word *best = NULL;

	for (size_t i = 0; i < s->count; i++) {
		const struct known_word *w = &s->words[i];
		size_t same = 0;

		while (same < t->len && same < w->len && t->text[same] == w->word[same])
			same++;
		if (w->has_no_forms || same < FAMILY_BYTES_MIN ||
		    !is_ending(l, t->text + same, t->len - same) ||
		    !is_ending(l, w->word + same, w->len - same))
			continue;
		if (best && !same_meaning(k, best, w))
			return NULL;
		best = w;
	}
	return best;
}

/* ---- a question ---- */

static bool is_name(const struct reading *r, const struct token *t)
{
	struct entry found[1];
	struct folded word;

	text_fold(t->text, &word);
	return names_find(r->names, &word, found, 1) > 0;
}

void spelling_correct(struct reading *r)
{
	const struct language *l = r->nlu->catalog->language;
	size_t looked_up = 0;

	for (size_t i = 0; i < r->q.count; i++) {
		struct token *t = &r->q.tokens[i];
		const struct known_word *meant;

		if (t->known || !is_letters(t->text, t->len) ||
		    (t->capitalized && !t->starts_sentence) || nlu_is_known_word(r->nlu, t) ||
		    token_in_list(t, WORDS_NEUTRAL) ||
		    dict_find(&r->nlu->spelling->known, t->text, t->len) >= 0 ||
		    map_words_contain(r->nlu, t) || is_name(r, t))
			continue;
		if (looked_up++ == UNKNOWN_WORDS_MAX)
			return;
		meant = other_form_of(r->nlu, t);
		if (!meant && !map_words_is_cue_word(r->nlu, t))
			meant = closest_word(r->nlu, t);
		if (!meant)
			continue;
		t->text = meant->word;
		t->len = meant->len;
		t->known = language_word(l, t->text, t->len);
	}
}
