/*
 * Names as people misspell them. Trigrams find the few names worth comparing; edit distance with
 * neighbour swaps (Damerau-Levenshtein, optimal string alignment) decides. Short names forgive
 * little, and their digits nothing: NP99 is not a way to write NP15.
 */
#include "know_int.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/mem.h"

#define FUZZY_KEY_MAX ENTITY_KEY_BYTES

static int least(int a, int b)
{
	return a < b ? a : b;
}

int fuzzy_distance(const char *a, size_t a_len, const char *b, size_t b_len, int limit)
{
	int rows[3][FUZZY_KEY_MAX + 1];
	size_t difference = a_len > b_len ? a_len - b_len : b_len - a_len;

	assert(limit >= 0);
	if (a_len > FUZZY_KEY_MAX || b_len > FUZZY_KEY_MAX || difference > (size_t)limit)
		return limit + 1;
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = (int)j;
	for (size_t i = 1; i <= a_len; i++) {
		int *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
		int best = row[0] = (int)i;

		for (size_t j = 1; j <= b_len; j++) {
			int cost = a[i - 1] != b[j - 1];

			row[j] = least(least(above[j] + 1, row[j - 1] + 1), above[j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], two_above[j - 2] + 1);
			best = least(best, row[j]);
		}
		if (best > limit)
			return limit + 1;
	}
	return least(rows[a_len % 3][b_len], limit + 1);
}

int fuzzy_limit(const char *key, size_t len)
{
	(void)key;
	if (len < 4)
		return 0;
	return len < 8 ? 1 : 2;
}

bool fuzzy_same_digits(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < a_len && !isdigit((unsigned char)a[i]))
			i++;
		while (j < b_len && !isdigit((unsigned char)b[j]))
			j++;
		if (i == a_len || j == b_len)
			return i == a_len && j == b_len;
		if (a[i++] != b[j++])
			return false;
	}
}

/* Trigrams of "  key ", so that the beginning of a name weighs more than its end. */
static size_t grams_of(const char *key, size_t len, uint32_t out[FUZZY_KEY_MAX + 3])
{
	uint32_t window = (uint32_t)' ' << 8 | (uint32_t)' ';
	size_t n = 0;

	if (len > FUZZY_KEY_MAX)
		len = FUZZY_KEY_MAX;
	for (size_t i = 0; i <= len; i++) {
		unsigned char c = i < len ? (unsigned char)key[i] : ' ';

		window = (window << 8 | c) & 0xFFFFFF;
		out[n++] = window;
	}
	return n;
}

void trigrams_add(struct trigrams *t, const char *key, size_t len, uint32_t entry)
{
	uint32_t grams[FUZZY_KEY_MAX + 3];
	size_t n = grams_of(key, len, grams);

	t->items = mem_grow(t->items, &t->cap, t->count + n, sizeof(*t->items));
	for (size_t i = 0; i < n; i++)
		t->items[t->count++] = (struct trigram){grams[i], entry};
}

static int by_gram(const void *a, const void *b)
{
	const struct trigram *x = a, *y = b;

	if (x->gram != y->gram)
		return x->gram < y->gram ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

void trigrams_sort(struct trigrams *t)
{
	if (t->count > 0)
		qsort(t->items, t->count, sizeof(*t->items), by_gram);
}

void trigrams_deinit(struct trigrams *t)
{
	mem_free(t->items);
	*t = (struct trigrams){0};
}

static size_t first_of(const struct trigrams *t, uint32_t gram)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->items[middle].gram < gram)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t trigrams_count(const struct trigrams *t, const char *key, size_t len, uint16_t *shared,
		      size_t entry_count)
{
	uint32_t grams[FUZZY_KEY_MAX + 3];
	size_t n = grams_of(key, len, grams);

	for (size_t i = 0; i < n; i++)
		for (size_t at = first_of(t, grams[i]);
		     at < t->count && t->items[at].gram == grams[i]; at++)
			if (t->items[at].entry < entry_count && shared[t->items[at].entry] < 0xFFFF)
				shared[t->items[at].entry]++;
	return n;
}
