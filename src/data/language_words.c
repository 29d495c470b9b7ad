/* The words of a language by open addressing: one lookup a token tells all lists that name it. */
#include "language_int.h"

#include <string.h>

#define WORDS_FIRST_SIZE 2048 /* a power of two; English has 900 words */

struct word_slot {
	const char *text; /* NULL: free */
	size_t len;
	struct language_word word;
};

struct language_words {
	struct arena *arena;
	struct word_slot *slots;
	size_t size, count;
};

struct language_words *language_words_new(struct arena *a)
{
	struct language_words *w = arena_alloc(a, sizeof(*w));

	*w = (struct language_words){.arena = a, .size = WORDS_FIRST_SIZE};
	w->slots = arena_alloc(a, w->size * sizeof(*w->slots));
	return w;
}

static struct word_slot *slot_of(const struct language_words *w, const char *text, size_t len)
{
	uint64_t h = 1469598103934665603u;
	size_t at;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 1099511628211u;
	for (at = (size_t)(h ^ (h >> 29)) & (w->size - 1); w->slots[at].text;
	     at = (at + 1) & (w->size - 1))
		if (w->slots[at].len == len && memcmp(w->slots[at].text, text, len) == 0)
			break;
	return &w->slots[at];
}

static void grow(struct language_words *w)
{
	struct language_words old = *w;

	w->size *= 2;
	w->slots = arena_alloc(w->arena, w->size * sizeof(*w->slots));
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i].text)
			*slot_of(w, old.slots[i].text, old.slots[i].len) = old.slots[i];
}

static struct language_word *word_of(struct language_words *w, const char *text, size_t len)
{
	struct word_slot *s;

	if ((w->count + 1) * 2 > w->size)
		grow(w);
	s = slot_of(w, text, len);
	if (!s->text) {
		*s = (struct word_slot){arena_strndup(w->arena, text, len), len, {.number = -1}};
		w->count++;
	}
	return &s->word;
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
	*p = (struct phrase){words, count, UINT64_C(1) << list, *at};
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
		first->lists |= UINT64_C(1) << list;
		first->ordinal = ordinal ? ordinal : first->ordinal;
	}
}

const struct language_word *language_word(const struct language *l, const char *word, size_t len)
{
	const struct word_slot *s = l ? slot_of(l->words, word, len) : NULL;

	return s && s->text ? &s->word : NULL;
}
