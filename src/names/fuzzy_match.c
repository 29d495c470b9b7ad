/*
 * Finds similar names for suggestions by the number of shared trigrams. A small lexicon is
 * compared completely. In a large one, only names that share a word, exactly or nearly, are
 * compared.
 */
#include <string.h>

#include "names_int.h"
#include "lexicon.h"
#include "vesper/mem.h"

#define FULL_COMPARE_MAX 2000 /* values of a lexicon compared completely */
#define LIST_MAX         1000 /* names compared per word */
#define WORDS_MAX        6    /* words looked up */

#define GRAM_BITS 15

/* The trigrams of "  name ", which weigh the beginning more than the end. Stored as a set of
 * hashes; a collision only affects the order of suggestions. */
struct similarity_search {
	const struct lexicon *lexicon;
	uint8_t grams[(1u << GRAM_BITS) / 8];
	struct similar_value *out;
	size_t count, max;
};

static uint32_t next_gram(uint32_t window, const char *key, size_t len, size_t i)
{
	return (window << 8 | (i < len ? (unsigned char)key[i] : ' ')) & 0xFFFFFF;
}

static uint32_t slot_of(uint32_t gram)
{
	return gram * 2654435761u >> (32 - GRAM_BITS);
}

#define BLANKS ((uint32_t)' ' << 8 | (uint32_t)' ')

static void set_grams(struct similarity_search *s, const char *key, size_t len)
{
	uint32_t window = BLANKS;

	for (size_t i = 0; i <= len; i++) {
		window = next_gram(window, key, len, i);
		s->grams[slot_of(window) / 8] |= (uint8_t)(1u << slot_of(window) % 8);
	}
}

static uint32_t count_shared(const struct similarity_search *s, const char *key, size_t len)
{
	uint32_t window = BLANKS, shared = 0;

	for (size_t i = 0; i <= len; i++) {
		window = next_gram(window, key, len, i);
		shared += (uint32_t)s->grams[slot_of(window) / 8] >> slot_of(window) % 8 & 1u;
	}
	return shared;
}

static void compare_name(struct similarity_search *s, uint32_t value)
{
	size_t len, at;
	const char *key = keys_at(&s->lexicon->names, value, &len);
	uint32_t shared = count_shared(s, key, len);

	if (shared < 2)
		return;
	for (size_t i = 0; i < s->count; i++)
		if (s->out[i].value == value)
			return;
	for (at = s->count; at > 0 && s->out[at - 1].shared < shared; at--)
		;
	if (at == s->max)
		return;
	if (s->count < s->max)
		s->count++;
	memmove(&s->out[at + 1], &s->out[at], (s->count - at - 1) * sizeof(*s->out));
	s->out[at] = (struct similar_value){value, shared};
}

static void on_similar_word(void *owner, size_t word, int distance)
{
	struct similarity_search *s = owner;
	uint32_t *values = mem_alloc(LIST_MAX * sizeof(*values));
	size_t n = word_index_list(&s->lexicon->words, word, values, LIST_MAX);

	(void)distance;
	for (size_t i = 0; i < n && i < LIST_MAX; i++)
		compare_name(s, values[i]);
	mem_free(values);
}

size_t lexicon_find_similar(const struct lexicon *l, const struct folded *words,
			    struct similar_value *out, size_t max)
{
	struct similarity_search s = {.lexicon = l, .out = out, .max = max};

	set_grams(&s, words->key, words->len);
	for (size_t i = 0; l->count <= FULL_COMPARE_MAX && i < l->count; i++)
		compare_name(&s, (uint32_t)i);
	for (size_t i = 0; l->count > FULL_COMPARE_MAX && i < words->count && i < WORDS_MAX; i++) {
		const char *word = words->key + (i ? words->ends[i - 1] : 0);
		size_t len = (size_t)(words->key + words->ends[i] - word);

		keys_find_fuzzy(&l->words.keys, word, len, fuzzy_limit(word, len) > 0,
				on_similar_word, &s);
	}
	return s.count;
}
