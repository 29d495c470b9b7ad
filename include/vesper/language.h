/*
 * One natural language, as config/language/<name>.json defines it: lists of words and phrases,
 * numbers, patterns, and the fixed sentences to users. Loaded once into lookup tables; immutable
 * afterwards. Any thread.
 */
#ifndef VESPER_LANGUAGE_H
#define VESPER_LANGUAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/sentences.h"
#include "vesper/str.h"

/* The lists of the file, by their member. A word stores its lists as bits. */
#define LANGUAGE_LISTS(LIST)                                                                       \
	LIST(WORDS_STOP, "stop")                                                                   \
	LIST(WORDS_ENDINGS, "endings")                                                             \
	LIST(WORDS_ABOVE, "bounds.above")                                                          \
	LIST(WORDS_BELOW, "bounds.below")                                                          \
	LIST(WORDS_BELOW_ZERO, "bounds.below_zero")                                                \
	LIST(WORDS_BETWEEN, "bounds.between")                                                      \
	LIST(WORDS_BOUND_FILLERS, "bounds.fillers")                                                \
	LIST(WORDS_BOUND_INCLUSIVE, "bounds.including")                                            \
	LIST(WORDS_BOUND_NEGATIONS, "bounds.flips")                                                \
	LIST(WORDS_ABOVE_POSTFIX, "bounds.above_behind")                                           \
	LIST(WORDS_BELOW_POSTFIX, "bounds.below_behind")                                           \
	LIST(WORDS_AGGREGATES, "bounds.aggregates")                                                \
	LIST(WORDS_PER, "bounds.per")                                                              \
	LIST(WORDS_GRAIN_HOUR, "grains.hour")                                                      \
	LIST(WORDS_GRAIN_DAY, "grains.day")                                                        \
	LIST(WORDS_GRAIN_WEEK, "grains.week")                                                      \
	LIST(WORDS_GRAIN_MONTH, "grains.month")                                                    \
	LIST(WORDS_GRAIN_QUARTER, "grains.quarter")                                                \
	LIST(WORDS_GRAIN_YEAR, "grains.year")                                                      \
	LIST(WORDS_GRAIN_WEEKDAY, "grains.weekday")                                                \
	LIST(WORDS_DROP_OPENING, "lets_go")                                                        \
	LIST(WORDS_FOLLOWUP_OPENING, "cues.opening")                                               \
	LIST(WORDS_FOLLOWUP_ANYWHERE, "cues.anywhere")                                             \
	LIST(WORDS_THERE, "cues.there")                                                            \
	LIST(WORDS_TO_BE, "cues.being")                                                            \
	LIST(WORDS_PREPOSITIONS, "cues.places")                                                    \
	LIST(WORDS_PRONOUNS, "cues.pronouns")                                                      \
	LIST(WORDS_RELATIVE_PRONOUNS, "cues.relative")                                             \
	LIST(WORDS_IT, "cues.it")                                                                  \
	LIST(WORDS_THIRD_PERSON, "cues.owned")                                                     \
	LIST(WORDS_CHOICE_FILLERS, "cues.choice")                                                  \
	LIST(WORDS_SELECTED, "cues.selected")                                                      \
	LIST(WORDS_YES, "cues.yes")                                                                \
	LIST(WORDS_DROP_FILTER, "cues.drop")                                                       \
	LIST(WORDS_DROP_FILTER_LINKS, "cues.drop_links")                                           \
	LIST(WORDS_EXTENDING, "cues.joining")                                                      \
	LIST(WORDS_CLAUSE_JOINTS, "cues.parts")                                                    \
	LIST(WORDS_AND, "cues.and")                                                                \
	LIST(WORDS_WHICH, "cues.which")                                                            \
	LIST(WORDS_AT, "cues.at")                                                                  \
	LIST(WORDS_FROM, "cues.from")                                                              \
	LIST(WORDS_NOT, "cues.not")                                                                \
	LIST(WORDS_BUT, "cues.but")                                                                \
	LIST(WORDS_MOST, "cues.most")                                                              \
	LIST(WORDS_RANKING, "cues.rank")                                                           \
	LIST(WORDS_RANK_BEFORE_NUMBER, "cues.rank_in_front")                                       \
	LIST(WORDS_RANK_PREFIX, "cues.rank_glued")                                                 \
	LIST(WORDS_TOP, "cues.top")                                                                \
	LIST(WORDS_OR, "cues.or")                                                                  \
	LIST(WORDS_CLASSIFY_AS, "cues.classing")                                                   \
	LIST(WORDS_BOTTOM, "cues.bottom")                                                          \
	LIST(WORDS_COMPARATIVES, "cues.compared")                                                  \
	LIST(WORDS_EXISTENCE, "cues.what_there_is")                                                \
	LIST(WORDS_ALL, "cues.all")                                                                \
	LIST(WORDS_ALL_LINKS, "cues.all_links")                                                    \
	LIST(WORDS_EVERYTHING, "cues.everything")                                                  \
	LIST(WORDS_SOME, "cues.some")                                                              \
	LIST(WORDS_EXCLUSION, "cues.except")                                                       \
	LIST(WORDS_EXCLUSION_NOT_FIRST, "cues.except_inside")                                      \
	LIST(WORDS_EXCLUSION_VERBS, "cues.leave")                                                  \
	LIST(WORDS_EXCLUDED, "cues.left_out")                                                      \
	LIST(WORDS_OTHER, "cues.other")                                                            \
	LIST(WORDS_EXCLUSION_AFTER_NOUN, "cues.except_behind")                                     \
	LIST(WORDS_EXCLUSION_LINKS, "cues.except_links")                                           \
	LIST(WORDS_EXCLUSION_JOINTS, "cues.except_joints")                                         \
	LIST(WORDS_WEEKENDS, "cues.weekends")                                                      \
	LIST(WORDS_HOLIDAYS, "cues.holidays")                                                      \
	LIST(WORDS_NEGATION, "cues.negation")                                                      \
	LIST(WORDS_VERSUS, "cues.beside")                                                          \
	LIST(WORDS_NAME_JOINERS, "cues.beside_names")                                              \
	LIST(WORDS_CONJUNCTIONS, "cues.joints")                                                    \
	LIST(WORDS_ARTICLES, "cues.articles")                                                      \
	LIST(WORDS_COMMON, "cues.common")                                                          \
	LIST(WORDS_PRICIEST, "cues.dear")                                                          \
	LIST(WORDS_CHEAPEST, "cues.cheap")                                                         \
	LIST(WORDS_THEM, "cues.them")                                                              \
	LIST(WORDS_DEMONSTRATIVES, "cues.pointing")                                                \
	LIST(WORDS_CONTENT_VERBS, "cues.contents")                                                 \
	LIST(WORDS_NEUTRAL, "account.neutral")                                                     \
	LIST(WORDS_NARROWING, "account.narrowing")                                                 \
	LIST(WORDS_GROUPING, "account.grouping")                                                   \
	LIST(WORDS_COMPARISON, "account.than")                                                     \
	LIST(WORDS_SUPERLATIVE, "account.superlative")                                             \
	LIST(WORDS_EXCLUSION_CUES, "account.leaving_out")                                          \
	LIST(WORDS_RECENCY, "account.newest")                                                      \
	LIST(WORDS_COUNTING, "account.counting")                                                   \
	LIST(WORDS_TOTALS, "account.totals")                                                       \
	LIST(WORDS_RELATING, "account.relating")                                                   \
	LIST(WORDS_SORTING, "account.sorting")                                                     \
	LIST(WORDS_DESCENDING, "account.descending")                                               \
	LIST(WORDS_ASCENDING, "account.ascending")                                                 \
	LIST(WORDS_INCREASE, "account.raising")                                                    \
	LIST(WORDS_DECREASE, "account.lowering")                                                   \
	LIST(WORDS_QUALIFIERS, "account.loaded")                                                   \
	LIST(WORDS_DEFINITION, "account.defining")                                                 \
	LIST(WORDS_MEANING, "account.meaning")                                                     \
	LIST(WORDS_MEANING_OPENING, "account.meaning_opening")                                     \
	LIST(WORDS_MEANING_VERB, "account.meaning_verb")                                           \
	LIST(WORDS_DURATION, "account.lasting")                                                    \
	LIST(WORDS_WHY, "account.why")                                                             \
	LIST(WORDS_CAUSES, "account.causes")                                                       \
	LIST(WORDS_DAY_PARTS, "account.day_parts")                                                 \
	LIST(WORDS_QUALITIES, "account.qualities")                                                 \
	LIST(WORDS_ONES, "account.ones")                                                           \
	LIST(WORDS_ROW_PRONOUNS, "account.row")                                                    \
	LIST(WORDS_PARTIES, "account.parties")                                                     \
	LIST(WORDS_BELONGING, "account.belonging")                                                 \
	LIST(WORDS_WHO, "account.who")                                                             \
	LIST(WORDS_SELF_DESCRIPTION, "account.self")                                               \
	LIST(WORDS_COMMANDS, "account.orders")                                                     \
	LIST(WORDS_POLITE, "account.polite")                                                       \
	LIST(WORDS_UPLOAD_ROW, "uploads.row")                                                      \
	LIST(WORDS_UPLOAD_RATE, "uploads.rate")                                                    \
	LIST(WORDS_DETAIL, "form.detail")                                                          \
	LIST(WORDS_CHART_NONE, "form.no_chart")                                                    \
	LIST(WORDS_CHART_BAR, "form.bars")                                                         \
	LIST(WORDS_CHART_LINE, "form.lines")                                                       \
	LIST(WORDS_CHART_AREA, "form.areas")                                                       \
	LIST(WORDS_FORM_SHOWING, "form.showing")                                                   \
	LIST(WORDS_CHART, "form.chart")                                                            \
	LIST(WORDS_GREETINGS, "smalltalk.greetings")                                               \
	LIST(WORDS_GREETING_FILLERS, "smalltalk.fillers")                                          \
	LIST(WORDS_THANKS, "smalltalk.thanks")                                                     \
	LIST(WORDS_HELP, "smalltalk.help")                                                         \
	LIST(WORDS_HELP_PHRASES, "smalltalk.help_phrases")                                         \
	LIST(WORDS_WORK_SMALL_TALK, "smalltalk.affairs")                                           \
	LIST(WORDS_REFERRING, "smalltalk.referring")                                               \
	LIST(WORDS_UPLOADING, "smalltalk.uploading")

#define LANGUAGE_ENUM(name, member) name,
enum words { LANGUAGE_LISTS(LANGUAGE_ENUM) WORDS_COUNT };
typedef unsigned __int128 word_lists; /* bit WORDS_X: the list contains it */

/* Concepts of questions; a question can mean one without using its word. */
enum concept { CONCEPT_EXISTENCE, CONCEPT_COMPARISON, CONCEPT_HOURS, CONCEPT_COUNT };

/* Phrases that are matched in a question, and the answer they lead to. */
struct topic {
	const char *const *phrases;  /* NULL-ended */
	const char *const *unless;   /* no match if one of these is in the question; NULL-ended */
	const char *required_filter; /* applies only to tools with this filter; NULL: to all */
	const char *answer;          /* {term}: placeholder for the matched words */
};

/* A regular expression, and word prefixes: a text without any of them, compared in ASCII, cannot
 * match. */
struct language_pattern {
	const char *regex;
	const char *const *hints; /* NULL-ended; empty: no prefilter */
	const char *answer;       /* for `impossible`; or NULL */
};

/* A phrase of several words in a list. */
struct phrase {
	const char *const *words;
	size_t count;
	word_lists lists;
	const struct phrase *next; /* next phrase with the same first word */
};

/* "k", "million": what a number in front of the word is multiplied by. */
struct multiplier {
	const char *word;
	int64_t scale;
};

#define ORDINAL_LAST (-1)

struct language_word {
	word_lists lists;             /* lists that contain this word alone */
	int number;                   /* -1: none */
	int ordinal;                  /* 1 for the first, ORDINAL_LAST for the last; 0: none */
	const struct phrase *phrases; /* phrases that begin with this word, longest first */
};

struct language {
	const char *const *const *synonyms; /* lists, NULL-ended; the first word is the stem */
	size_t synonym_count;
	const struct multiplier *multipliers;
	size_t multiplier_count;
	const char *const *lists[WORDS_COUNT]; /* as in the file, NULL-ended */
	const char *concepts[CONCEPT_COUNT];
	struct language_pattern pointing, not_pointing,
		named; /* with {nouns}, {states}, {aspects} */
	const struct language_pattern *impossible;
	size_t impossible_count;
	struct topic outside;
	const struct topic *foreign; /* words of another language, with answers in it */
	size_t foreign_count;
	const struct language_words *words;
	const struct language_text *sentences; /* indexed by enum sentence */
	const char *path;
};

/* Parses the text of the file `path`; errors name it ("path:line: message"). Everything is
 * allocated in the arena. */
MUST_CHECK bool language_read(const char *path, const char *text, struct arena *a,
			      const struct language **out, struct err *e);

/* Looks up a word in lower case. NULL: unknown, or `l` is NULL. */
const struct language_word *language_word(const struct language *l, const char *word, size_t len);

/* The pattern with its slots {nouns}, {states} and {aspects} replaced by the lists, each
 * NULL-ended. */
const char *language_pattern(const struct language_pattern *p, const char *const *nouns,
			     const char *const *states, const char *const *aspects,
			     struct arena *a);

/* The sentence filled with its values (const char *), as many as LANGUAGE_SENTENCES lists. */
#define sentence(l, which, a, ...)                                                                 \
	language_say(l, which, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL}, a)
const char *language_say(const struct language *l, enum sentence which, const char *const *values,
			 struct arena *a);
/* The same, appended to a buffer. */
#define sentence_put(out, l, which, ...)                                                           \
	language_put(out, l, which, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})
void language_put(struct buf *out, const struct language *l, enum sentence which,
		  const char *const *values);
/* The same, but `put` appends each value. Slots are numbered in the order of LANGUAGE_SENTENCES. */
void language_fill(struct buf *out, const struct language *l, enum sentence which,
		   void (*put)(void *owner, size_t slot), void *owner);
/* A sentence without values. Borrowed from the language. */
const char *language_text(const struct language *l, enum sentence which);

/* ---- shared with the words of packs ---- */

/* A word file while it is parsed; every error names path and line. */
struct words_file {
	const char *path, *text;
	struct arena *arena; /* for results */
	struct err *err;
	struct arena *scratch; /* for data needed for error messages only; NULL: the same arena */
};

/* The arena for temporary text. */
struct arena *words_scratch(const struct words_file *f);

/* Parses the file's root object into the arena. */
MUST_CHECK bool words_parse(const struct words_file *f, json_t **out);
/* Sets the error at a member ("cues.opening[3]"). Returns false. */
bool words_fail(const struct words_file *f, const char *member, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A list of distinct, nonempty texts, NULL-ended. `missing`: an absent list is empty. */
MUST_CHECK bool words_list(const struct words_file *f, const json_t *list, const char *member,
			   bool missing, const char *const **out);
/* Lists of at least two words each; no word occurs twice. */
MUST_CHECK bool words_synonyms(const struct words_file *f, const json_t *lists, const char *member,
			       const char *const *const **out, size_t *count);
/* {"words":[…], "answer":"…"}; with `more`, "unless" and "takes" are allowed too. */
MUST_CHECK bool words_topic(const struct words_file *f, const json_t *object, const char *member,
			    bool more, struct topic *out);

#endif
