/* Removes English endings, so that forms of a word share a stem. */
#include "text_int.h"

#include <string.h>

static bool has_ending(const char *word, size_t n, const char *ending)
{
	size_t len = strlen(ending);

	return n >= len && memcmp(word + n - len, ending, len) == 0;
}

static bool is_vowel(char c)
{
	return strchr("aeiouy", c) != NULL;
}

static size_t strip_plural(char *w, size_t n)
{
	if (n > 4 && has_ending(w, n, "ies")) {
		w[n - 3] = 'y';
		return n - 2;
	}
	if (n > 4 && (has_ending(w, n, "sses") || has_ending(w, n, "xes") ||
		      has_ending(w, n, "ches") || has_ending(w, n, "shes")))
		return n - 2;
	if (n > 3 && w[n - 1] == 's' && !has_ending(w, n, "ss") && !has_ending(w, n, "us") &&
	    !has_ending(w, n, "is"))
		return n - 1;
	return n;
}

size_t word_stem(const char *word, size_t len, char out[STEM_BYTES])
{
	size_t n = len < STEM_BYTES - 1 ? len : STEM_BYTES - 1;

	memcpy(out, word, n);
	n = strip_plural(out, n);
	if (n > 5 && has_ending(out, n, "ing"))
		n -= 3;
	else if (n > 4 && has_ending(out, n, "ed"))
		n -= 2;
	else if (n > 4 && has_ending(out, n, "ly"))
		n -= 2;
	if (n > 4 && out[n - 1] == out[n - 2] && !is_vowel(out[n - 1]) && out[n - 1] != 'l' &&
	    out[n - 1] != 's')
		n--;
	if (n > 3 && out[n - 1] == 'e')
		n--;
	out[n] = '\0';
	return n;
}
