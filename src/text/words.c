/*
 * English that questions about any data share: words that say nothing about which tool is meant,
 * endings, and words that mean the same. Words of a domain belong into its files, not here.
 */
#include "text_int.h"

#include <ctype.h>
#include <string.h>

static const char *const stop_words[] = {
	"a",         "about",      "above",      "according", "actually",    "after",
	"again",     "ago",        "ahead",      "all",       "almost",      "already",
	"also",      "although",   "always",     "am",        "an",          "and",
	"another",   "any",        "anybody",    "anyone",    "anything",    "anyway",
	"apart",     "are",        "around",     "as",        "ask",         "asked",
	"at",        "away",       "back",       "bad",       "bearish",     "because",
	"been",      "before",     "behind",     "being",     "believe",     "believes",
	"below",     "beside",     "besides",    "better",    "between",     "beyond",
	"big",       "bigger",     "both",       "bullish",   "but",         "buy",
	"by",        "call",       "called",     "came",      "can",         "cannot",
	"cant",      "care",       "case",       "chance",    "cheaper",     "check",
	"cheers",    "clear",      "clearing",   "clears",    "come",        "comes",
	"coming",    "could",      "couldnt",    "course",    "curious",     "current",
	"currently", "cut",        "day",        "days",      "deal",        "dear",
	"did",       "didnt",      "do",         "does",      "doesnt",      "doing",
	"done",      "dont",       "down",       "due",       "during",      "each",
	"earlier",   "easily",     "either",     "else",      "end",         "ended",
	"energy",    "enough",     "entire",     "etc",       "even",        "ever",
	"every",     "everyone",   "everything", "exact",     "exactly",     "example",
	"expect",    "expected",   "expecting",  "expects",   "expensive",   "far",
	"fast",      "few",        "figure",     "figures",   "fine",        "first",
	"follow",    "following",  "for",        "from",      "full",        "further",
	"future",    "general",    "get",        "gets",      "getting",     "give",
	"given",     "gives",      "giving",     "go",        "goes",        "going",
	"gone",      "good",       "got",        "great",     "guess",       "guys",
	"had",       "hand",       "happen",     "happened",  "happens",     "hard",
	"has",       "have",       "having",     "he",        "hello",       "help",
	"her",       "here",       "hey",        "hi",        "him",         "his",
	"how",       "however",    "i",          "id",        "idea",        "if",
	"ill",       "im",         "in",         "info",      "information", "instead",
	"into",      "is",         "isnt",       "it",        "its",         "itself",
	"ive",       "job",        "just",       "keep",      "kind",        "know",
	"known",     "last",       "late",       "later",     "least",       "less",
	"let",       "lets",       "like",       "likely",    "little",      "list",
	"lists",     "across",     "their",      "ll",        "long",        "look",
	"looking",   "looks",      "lot",        "lots",      "made",        "main",
	"make",      "makes",      "may",        "maybe",     "me",          "might",
	"mine",      "minute",     "moment",     "more",      "much",        "must",
	"my",        "myself",     "name",       "near",      "nearly",      "need",
	"needs",     "neither",    "never",      "new",       "next",        "nice",
	"no",        "nobody",     "none",       "nor",       "not",         "note",
	"nothing",   "now",        "number",     "numbers",   "of",          "off",
	"often",     "oh",         "ok",         "okay",      "old",         "on",
	"once",      "one",        "ones",       "only",      "or",          "other",
	"others",    "otherwise",  "ought",      "our",       "out",         "over",
	"own",       "part",       "particular", "per",       "perhaps",     "place",
	"please",    "pls",        "plz",        "point",     "possible",    "power",
	"predict",   "predicting", "predicts",   "pretty",    "probably",    "pull",
	"put",       "question",   "questions",  "quick",     "quickly",     "quite",
	"rather",    "re",         "read",       "ready",     "real",        "really",
	"recent",    "recently",   "regarding",  "result",    "results",     "right",
	"run",       "s",          "said",       "same",      "saw",         "say",
	"saying",    "says",       "second",     "see",       "seeing",      "seem",
	"seems",     "seen",       "send",       "sense",     "set",         "several",
	"shall",     "she",        "should",     "show",      "showing",     "shown",
	"shows",     "simple",     "simply",     "since",     "small",       "so",
	"some",      "somebody",   "someone",    "something", "soon",        "sorry",
	"sort",      "start",      "still",      "stop",      "stuff",       "such",
	"sure",      "t",          "take",       "taken",     "takes",       "talk",
	"tell",      "telling",    "tells",      "than",      "thank",       "thanks",
	"that",      "thats",      "the",        "their",     "them",        "then",
	"there",     "theres",     "these",      "they",      "thing",       "things",
	"think",     "thinking",   "thinks",     "this",      "those",       "though",
	"thought",   "three",      "through",    "thru",      "thus",        "thx",
	"till",      "time",       "times",      "to",        "today",       "together",
	"told",      "too",        "toward",     "towards",   "true",        "try",
	"trying",    "turn",       "two",        "under",     "until",       "up",
	"upon",      "us",         "use",        "used",      "uses",        "using",
	"usual",     "usually",    "very",       "via",       "want",        "wanted",
	"wants",     "was",        "wasnt",      "way",       "we",          "well",
	"went",      "were",       "what",       "whatever",  "whats",       "when",
	"where",     "whether",    "which",      "while",     "who",         "whole",
	"whom",      "whos",       "whose",      "why",       "will",        "wish",
	"with",      "within",     "without",    "wondering", "wont",        "word",
	"work",      "working",    "works",      "worth",     "would",       "wouldnt",
	"wrong",     "yeah",       "yep",        "yes",       "yet",         "you",
	"your",      "youre",      "yours",      NULL,
};

/* One line is one meaning; the first word stands for it. Whole words, compared by stem. */
static const char *const meanings[][16] = {
	{"average", "avg", "mean", "averaged", "ave", "overall"},
	{"annual", "yearly", "annually", "annualized", "year"},
	{"compare", "comparison", "versus", "vs", "against", "differ", "difference", "different",
	 "gap", "delta", "side", "relative", "comparing", "disagree", "agree"},
	{"distribution", "shape", "profile", "pattern", "intraday", "diurnal", "histogram",
	 "breakdown", "vary", "fluctuate", "duck", "ramp"},
	{"hour", "hourly", "intradaily", "evening", "morning", "overnight", "night", "midday",
	 "afternoon", "daytime", "nighttime"},
	{"available", "availability", "exist", "exists", "existing", "offer", "inventory"},
	{"curve", "file", "vintage", "release", "dataset", "edition"},
	{"highest", "max", "maximum", "high", "peak"},
	{"lowest", "min", "minimum", "low", "cheapest", "bottom"},
	{"price", "cost", "lmp", "usd", "dollar"},
	{"forecast", "outlook", "projection", "predicted", "projected", "forecasted"},
	{"vendor", "provider", "supplier", "forecaster"},
	{"user", "person", "people", "who"},
	{"view", "opened", "hits", "visits"},
	{"report", "dashboard"},
	{"top", "most", "best", "biggest", "largest", "busiest"},
	{"count", "many"},
	{"spread", "premium", "premia", "discount", "differential", "uplift"},
	{"budget", "overspend", "overspent", "overspending", "overrun", "underspend", "underspent"},
	{"overview", "lowdown", "rundown"},
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
