/*
 * English that questions about any data share: words that say nothing about which tool is meant,
 * endings, and words that mean the same. Words of a domain belong into its files, not here.
 */
#include "know_int.h"

#include <ctype.h>
#include <string.h>

static const char *const stop_words[] = {
	"a",       "about",     "after",      "again",    "all",       "also",      "am",
	"an",      "and",       "any",        "anything", "are",       "around",    "as",
	"ask",     "at",        "be",         "been",     "before",    "being",     "but",
	"by",      "can",       "case",       "cheers",   "come",      "could",     "curious",
	"cut",     "did",       "do",         "does",     "doing",     "each",      "else",
	"etc",     "ever",      "expect",     "expected", "expecting", "far",       "find",
	"for",     "from",      "get",        "getting",  "give",      "go",        "goes",
	"going",   "good",      "got",        "guess",    "had",       "hand",      "happen",
	"happens", "has",       "have",       "he",       "hello",     "help",      "her",
	"here",    "hey",       "hi",         "how",      "i",         "id",        "if",
	"ill",     "im",        "in",         "instead",  "into",      "is",        "it",
	"its",     "ive",       "just",       "kind",     "know",      "let",       "lets",
	"like",    "ll",        "look",       "looking",  "looks",     "made",      "make",
	"many",    "may",       "me",         "might",    "mind",      "more",      "much",
	"must",    "my",        "myself",     "need",     "needs",     "no",        "now",
	"of",      "off",       "ok",         "okay",     "on",        "one",       "only",
	"or",      "our",       "out",        "over",     "per",       "please",    "pls",
	"plz",     "predict",   "predicting", "pull",     "put",       "quick",     "quickly",
	"re",      "read",      "really",     "right",    "s",         "same",      "say",
	"saying",  "says",      "see",        "seeing",   "seem",      "seems",     "shall",
	"she",     "should",    "show",       "showing",  "shows",     "since",     "so",
	"some",    "something", "still",      "such",     "sure",      "t",         "take",
	"tell",    "telling",   "than",       "thank",    "thanks",    "that",      "thats",
	"the",     "their",     "them",       "then",     "there",     "theres",    "these",
	"they",    "thing",     "things",     "think",    "thinking",  "thinks",    "this",
	"those",   "thx",       "to",         "told",     "too",       "true",      "under",
	"up",      "us",        "use",        "using",    "very",      "via",       "view",
	"want",    "wanted",    "was",        "we",       "well",      "were",      "what",
	"whats",   "when",      "where",      "which",    "while",     "who",       "whos",
	"why",     "will",      "with",       "within",   "without",   "wondering", "would",
	"yeah",    "yep",       "yes",        "you",      "your",      NULL,
};

/* One line is one meaning; the first word stands for it. Whole words, compared by stem. */
static const char *const meanings[][16] = {
	{"average", "avg", "mean", "averaged", "ave", "typical", "overall"},
	{"annual", "yearly", "annually", "annualized", "year"},
	{"compare", "comparison", "versus", "vs", "against", "differ", "difference", "different",
	 "gap", "delta", "side", "relative", "comparing", "disagree", "agree"},
	{"distribution", "shape", "profile", "pattern", "intraday", "diurnal", "histogram",
	 "breakdown", "spread"},
	{"hour", "hourly", "hours", "he", "24h", "intradaily"},
	{"available", "availability", "exist", "exists", "existing", "offer", "inventory"},
	{"list", "enumerate", "lists"},
	{"curve", "file", "vintage", "release", "dataset", "edition"},
	{"highest", "max", "maximum", "high", "peak"},
	{"lowest", "min", "minimum", "low", "cheapest", "bottom"},
	{"price", "cost", "lmp", "usd", "dollar"},
	{"forecast", "outlook", "projection", "predicted", "projected", "forecasted"},
	{"vendor", "provider", "supplier", "forecaster"},
	{"user", "viewer", "person", "people", "who"},
	{"view", "opened", "hits", "visits"},
	{"report", "dashboard"},
};

#define MEANINGS (sizeof(meanings) / sizeof(meanings[0]))

static bool ends(const char *word, size_t n, const char *ending)
{
	size_t len = strlen(ending);

	return n >= len && memcmp(word + n - len, ending, len) == 0;
}

static bool is_vowel(char c)
{
	return strchr("aeiouy", c) != NULL;
}

static size_t cut_plural(char *w, size_t n)
{
	if (n > 4 && ends(w, n, "ies")) {
		w[n - 3] = 'y';
		return n - 2;
	}
	if (n > 4 &&
	    (ends(w, n, "sses") || ends(w, n, "xes") || ends(w, n, "ches") || ends(w, n, "shes")))
		return n - 2;
	if (n > 3 && w[n - 1] == 's' && !ends(w, n, "ss") && !ends(w, n, "us") && !ends(w, n, "is"))
		return n - 1;
	return n;
}

size_t word_stem(const char *word, size_t len, char out[STEM_BYTES])
{
	size_t n = len < STEM_BYTES - 1 ? len : STEM_BYTES - 1;

	memcpy(out, word, n);
	n = cut_plural(out, n);
	if (n > 5 && ends(out, n, "ing"))
		n -= 3;
	else if (n > 4 && ends(out, n, "ed"))
		n -= 2;
	else if (n > 4 && ends(out, n, "ly"))
		n -= 2;
	if (n > 4 && out[n - 1] == out[n - 2] && !is_vowel(out[n - 1]) && out[n - 1] != 'l' &&
	    out[n - 1] != 's')
		n--;
	if (n > 3 && out[n - 1] == 'e')
		n--;
	out[n] = '\0';
	return n;
}

void words_add_synonyms(struct dict *synonyms)
{
	char stem[STEM_BYTES];

	for (size_t i = 0; i < MEANINGS; i++)
		for (size_t j = 0; j < 16 && meanings[i][j]; j++) {
			size_t n = word_stem(meanings[i][j], strlen(meanings[i][j]), stem);

			if (dict_find(synonyms, stem, n) < 0)
				dict_put(synonyms, stem, n, (int)i);
		}
}

const char *words_canonical(int index)
{
	return meanings[index][0];
}

void words_add_stop(struct dict *stop)
{
	for (size_t i = 0; stop_words[i]; i++)
		dict_put(stop, stop_words[i], strlen(stop_words[i]), 1);
}
