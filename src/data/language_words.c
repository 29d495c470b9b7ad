/* Words of a language: one lookup per token returns all lists with the word. */
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

void language_words_ordinal(struct language_words *w, const char *word, int ordinal)
{
	word_of(w, word, strlen(word))->ordinal = ordinal;
}

/* Counts the words of a text. */
static size_t count_words(const char *text)
{
	size_t n = 0;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		text += strcspn(text, " ");
		n++;
	}
	return n;
}

static const char **split(struct arena *a, const char *text, size_t count)
{
	const char **words = arena_alloc(a, (count + 1) * sizeof(*words));

	for (size_t i = 0; i < count; i++) {
		size_t len;

		text += strspn(text, " ");
		len = strcspn(text, " ");
		words[i] = arena_strndup(a, text, len);
		text += len;
	}
	return words;
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

void language_words_add(struct language_words *w, const char *text, enum words list)
{
	size_t count = count_words(text), lead = strspn(text, " ");
	struct language_word *first =
		count > 0 ? word_of(w, text + lead, strcspn(text + lead, " ")) : NULL;

	if (count > 1)
		add_phrase(first, split(w->arena, text, count), count, list, w->arena);
	else if (first)
		first->lists |= (word_lists)1 << list;
}

const struct language_word *language_word(const struct language *l, const char *word, size_t len)
{
	int at = l ? dict_find(&l->words->numbers, word, len) : -1;

	return at < 0 ? NULL : l->words->items[at];
}
