/*
 * Fuzzy match: edit distance with transpositions (Damerau-Levenshtein, optimal string alignment).
 * Short names allow few edits, and digits none: NP99 does not match NP15.
 */
#include "text_int.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#define FUZZY_KEY_MAX TEXT_KEY_BYTES_MAX

static int smaller(int a, int b)
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

			row[j] =
				smaller(smaller(above[j] + 1, row[j - 1] + 1), above[j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = smaller(row[j], two_above[j - 2] + 1);
			best = smaller(best, row[j]);
		}
		if (best > limit)
			return limit + 1;
	}
	return smaller(rows[a_len % 3][b_len], limit + 1);
}

int fuzzy_limit(const char *key, size_t len)
{
	(void)key;
	if (len < FUZZY_BYTES_MIN)
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
