/* The words of a language: one lookup a token tells all lists that name it. */
#include "language_int.h"

#include <string.h>

#include "vesper/dict.h"

struct language_words {
	struct arena *arena;
	struct dict numbers; /* word -> index of its item */
	struct language_word **items;
	size_t count, cap;
};

struct language_words *language_words_new(struct arena *a)
{
	struct language_words *w = arena_alloc(a, sizeof(*w));

	w->arena = a;
	dict_init(&w->numbers, a);
	return w;
}

static struct language_word *word_of(struct language_words *w, const char *text, size_t len)
{
	int at = dict_find(&w->numbers, text, len);

	if (at >= 0)
		return w->items[at];
	w->items = arena_grow(w->arena, w->items, w->count, &w->cap, sizeof(*w->items));
	w->items[w->count] = arena_alloc(w->arena, sizeof(**w->items));
	w->items[w->count]->number = -1;
	dict_put(&w->numbers, text, len, (int)w->count);
	return w->items[w->count++];
}

void language_words_number(struct language_words *w, const char *word, int number)
{
	word_of(w, word, strlen(word))->number = number;
}

/* The words of a phrase, of which there are at least two. */
static size_t split(struct arena *a, const char *text, const char ***out)
{
	const char **words = arena_alloc(a, (strlen(text) / 2 + 1) * sizeof(*words));
	size_t n = 0;

	for (size_t len; *text; text += len) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (len > 0)
			words[n++] = arena_strndup(a, text, len);
	}
	*out = words;
	return n;
}

static void add_phrase(struct language_word *first, const char **words, size_t count,
		       enum words list, struct arena *a)
{
	const struct phrase **at = &first->phrases;
	struct phrase *p = arena_alloc(a, sizeof(*p));

	while (*at && (*at)->count > count)
		at = (const struct phrase **)&(*at)->next;
	*p = (struct phrase){words, count, (word_lists)1 << list, *at};
	*at = p;
}

void language_words_add(struct language_words *w, const char *text, enum words list, int ordinal)
{
	const char **words;
	size_t count = split(w->arena, text, &words);
	struct language_word *first = count > 0 ? word_of(w, words[0], strlen(words[0])) : NULL;

	if (count > 1) {
		add_phrase(first, words, count, list, w->arena);
	} else if (first) {
		first->lists |= (word_lists)1 << list;
		first->ordinal = ordinal ? ordinal : first->ordinal;
	}
}

const struct language_word *language_word(const struct language *l, const char *word, size_t len)
{
	int at = l ? dict_find(&l->words->numbers, word, len) : -1;

	return at < 0 ? NULL : l->words->items[at];
}
