/*
 * How a question is read. The way through it:
 *
 *   text     -> tokens: lower case, punctuation gone, where each stood
 *   names    -> the catalogue's names, and those that are really in a tenant's data (keys.h,
 *               lexicon.h: how a million of them is searched)
 *   entity   -> mentions of known values, misspelled or partly named ones too; names nobody knows
 *   dates    -> years, months, as-of label, range; hours
 *   numbers  -> top n
 *   facts    -> all of that by filter name, with what the last turn left standing
 *   router   -> how well each tool fits words and facts
 *   slots    -> the chosen tool's arguments, or what to ask back
 *
 * Everything but the index (struct know) lives in the caller's arena.
 */
#ifndef VESPER_KNOW_INT_H
#define VESPER_KNOW_INT_H

#include "vesper/know.h"

#include <stdint.h>

#include "lexicon.h"
#include "vesper/str.h"

/* Names of the wire that have a grammar of their own; all others are dimensions'. */
#define FILTER_ASOF  "asof_date"
#define FILTER_YEAR  "year"
#define FILTER_MONTH "month"
#define FILTER_HOUR  "hour"
#define FILTER_START "date_range_start"
#define FILTER_END   "date_range_end"
#define FILTER_TOP_N "top_n"
#define FILTER_DAYS  "day_type"
#define FILTER_BOUND "threshold"

/* ---- text.c ---- */

struct token {
	const char *text; /* lower case, letters and digits only */
	size_t len;
	size_t from, to; /* bytes of the question */
	char before;     /* what stands between it and the one before: ' ' '-' '_' ',' '.' … */
	bool quoted;     /* an apostrophe stands right before it: '26 */
	bool first;      /* of a sentence */
	bool capital;    /* begins with an upper-case letter */
	bool has_letter, has_digit;
	int number; /* >= 0 when it is all digits and not longer than 9 */
	bool used;  /* a mention, date or number took it */
	bool word;  /* … but it is a word of the tools as well */
};

struct question {
	const char *text;
	struct token *tokens;
	size_t count;
};

void text_read(const char *text, struct arena *a, struct question *out);
/* A name as it is compared: its letters and digits, lower case and without marks, and where each
 * word ends. What is longer than fits is left out. */
#define FOLDED_WORDS_MAX 32
struct folded {
	char key[KEY_BYTES_MAX];
	size_t len;
	uint16_t ends[FOLDED_WORDS_MAX];
	size_t count;
};
void text_fold(const char *text, struct folded *out);
/* The key alone. */
const char *text_key(const char *text, struct arena *a);
/* The words of the question from token `from` up to `to`, as they were written. */
const char *text_between(const struct question *q, size_t from, size_t to, struct arena *a);
bool token_is(const struct token *t, const char *word);
bool token_in(const struct token *t, const char *const *words); /* NULL-ended */
/* The token at i, or an empty one past the end. */
const struct token *token_at(const struct question *q, size_t i);

/* ---- dict.c: words to small numbers ---- */

struct dict {
	struct arena *arena;
	struct dict_slot *slots;
	size_t size, count;
};

void dict_init(struct dict *d, struct arena *a);
/* The number stored for the word, or -1. */
int dict_find(const struct dict *d, const char *word, size_t len);
void dict_put(struct dict *d, const char *word, size_t len, int number);

/* ---- words.c: English words that belong to no domain ---- */

#define STEM_BYTES 32
/* The word's stem, and one stem for words that mean the same in a question about data. */
size_t word_stem(const char *word, size_t len, char out[STEM_BYTES]);
void words_add_synonyms(struct dict *synonyms); /* stem -> index for words_canonical */
const char *words_canonical(int index);
void words_add_stop(struct dict *stop);

/* ---- fuzzy.c ---- */

/* Edits (insert, delete, replace, swap neighbours) between two keys; more than `limit` gives limit
 * + 1. */
int fuzzy_distance(const char *a, size_t a_len, const char *b, size_t b_len, int limit);
/* Edits that a name of this length forgives. */
int fuzzy_limit(const char *key, size_t len);
/* Digits must agree: they tell such names apart. */
bool fuzzy_same_digits(const char *a, size_t a_len, const char *b, size_t b_len);

#define FUZZY_BYTES_MIN 4  /* shorter names forgive nothing */
#define NEAR_MAX        16 /* near names that are ever looked at */

/* ---- names.c ---- */

enum entry_kind { ENTRY_VALUE, ENTRY_ALIAS, ENTRY_PART };

/* One way to read some words as a value. */
struct entry {
	const struct dimension_def *dimension;
	size_t dimension_index;
	const char *value;
	const char *parent; /* the value of the parent dimension, or NULL */
	const char *when_dimension, *when_value;
	enum entry_kind kind;
	size_t shared; /* values of the dimension that the words name as well as this one */
	int distance;  /* edits, when it is only near */
};

/* What the catalogue lists, with its aliases; known to everybody. */
struct listed {
	const struct lexicon *values, *aliases;
	struct entry *value_entries, *alias_entries; /* by what was added to the lexicon */
};

/* What one caller can name: the catalogue's values and those of his tenant's data, of the
 * dimensions that he may know. Lives in the arena of a question. */
struct names {
	const struct know *know;
	const struct lexicon *const *learned; /* by dimension; NULL: nothing, or not for him */
	const bool *in;                       /* by dimension: may it be named? */
};

#define PART_NAMES_MAX 32 /* a word that more names share tells none of them, by itself */

void listed_init(struct listed *l, const struct catalog *c, struct arena *a);
void listed_deinit(struct listed *l);
/* The dimension (by index) of which the catalogue lists such a name, not just a part of it; -1:
 * none. */
int listed_dimension_of(const struct know *k, const char *key, size_t len);
/* How these words can be read; at most `max`, whole names first. */
size_t names_find(const struct names *n, const struct folded *words, struct entry *out, size_t max);
/* The same of one dimension. */
size_t names_find_of(const struct names *n, size_t dimension, const struct folded *words,
		     struct arena *a, struct entry *out, size_t max);
/* Values that are written nearly so, of the dimensions in `in`, the nearest first; those in other
 * digits are left out unless `any_digits`. */
size_t names_near(const struct names *n, const bool *in, const char *key, size_t len,
		  bool any_digits, struct arena *a, struct entry *out, size_t max);
/* Is any value of it known? */
bool names_known(const struct names *n, const struct dimension_def *d);
/* Do its values come from the tenant's data alone? */
bool names_learned(const struct names *n, const struct dimension_def *d);
/* The values one by one, the catalogue's first. */
size_t names_count(const struct names *n, const struct dimension_def *d);
const char *names_at(const struct names *n, const struct dimension_def *d, size_t i,
		     const char **parent);
/* The parent of a value: the wanted one where it is among several. NULL: none is known. */
const char *names_parent_of(const struct names *n, const struct dimension_def *d, const char *value,
			    const char *wanted, bool *several);

/* ---- entity.c ---- */

struct router;
struct tool_dimensions;
struct tenant_names;

struct know {
	const struct catalog *catalog;
	struct arena *arena;
	struct listed listed;
	bool from_data; /* names are read from a warehouse: one that is not there is unknown */
	struct tenant_names *tenants; /* of whom something was learned */
	size_t tenant_count, tenant_cap;
	struct tool_dimensions *tool_dimensions; /* by index of the tool */
	struct dict stop, synonyms;
	struct dict prepositions; /* word -> the dimension whose values follow it in the examples */
	struct router *router;
	struct refuser *refuser;
};

void scope_index(struct know *k);
/* Is the dimension used by a tool that this caller may use, and must its values be marked as such
 * because they are ordinary words (they have a default)? */
struct scope {
	const bool *in;   /* by dimension index */
	const bool *weak; /* by dimension index */
};
void scope_read(const struct know *k, const struct catalog_view *v, struct arena *a,
		struct scope *out);

struct facts;
struct reading;

void entity_read(struct reading *r);
/* What looks like a name but is none that is known. After everything else has taken its tokens. */
void entity_read_unknown(struct reading *r);
/* Mentions that can only be told with the facts known (aliases of one market). */
void entity_settle(struct reading *r);
/* Is it a word of the dimension's label ("hub" of "hub-zone")? */
bool entity_word_of_label(const struct token *t, const struct dimension_def *d);
/* Is it a word that the language or the tools use? */
bool entity_in_words(const struct know *k, const struct token *t);
/* What a misspelled key may mean, all equally near; at most NEAR_MAX. `in`: dimensions that count.
 */
size_t entity_near(const struct names *names, const bool *in, const char *key, size_t len,
		   struct arena *a, struct entry *out);
size_t entity_closest(const struct names *names, const struct dimension_def *d, const char *text,
		      const char *parent, struct arena *a, const struct suggestion **out);
/* The dimension in scope with the value that is most like the text, or NULL. */
const struct dimension_def *entity_kind_like(const struct names *names, const char *text);
/* Values of a dimension as options, those of one parent only when `parent` is given. */
size_t entity_options(const struct names *names, const struct dimension_def *d, const char *parent,
		      struct arena *a, const struct suggestion **out);

/* ---- resolve.c ---- */

/* know_resolve among the names of a reading. */
bool resolve_text(const struct names *names, const struct dimension_def *d, const char *text,
		  const struct args *context, struct arena *a, struct know_match *out);

/* ---- learn.c ---- */

/* What somebody of this tenant (NULL: nobody's) can name of the dimensions in `in`. */
const struct names *learn_names(const struct know *k, const char *tenant, const bool *in,
				struct arena *a);
/* What is known of one dimension, or NULL. */
const struct lexicon *learn_get(const struct know *k, const char *tenant, size_t dimension);
/* Takes the reference. NULL: nothing is known any more. */
void learn_set(struct know *k, const char *tenant, size_t dimension, const struct lexicon *l);
void learn_free(struct know *k);

/* ---- dates.c, hours.c, numbers.c ---- */

#define YEARS_MAX 16
#define ASOF_MAX  4

/* A day that is all zero: open at this end. */
struct time_range {
	struct date start, end;
};

struct time_read {
	int years[YEARS_MAX];
	unsigned year_months[YEARS_MAX]; /* bit m: month m of that year */
	size_t year_count;
	unsigned months;            /* bit m: month m (1-12); 0: the whole year */
	uint32_t hours;             /* bit h: hour h (0-23) */
	const char *asof[ASOF_MAX]; /* labels, "Jan_2025" */
	size_t asof_count;
	bool has_start, has_end; /* the same time as days, inclusive */
	bool range_only;         /* days are the only right way to say it */
	bool split;              /* the days have a gap */
	bool mixed;              /* not each month is meant of each year */
	struct date start, end;
	struct time_range readings[2]; /* of a day that can be read two ways */
	size_t reading_count;
	const char *day_type; /* "weekend": no tool knows such days by itself; or NULL */
	const char *bad_hour; /* as it was written, or NULL */
	const char *bad_day;  /* 2025-02-30, Q5, or NULL */
	const char *vague;    /* "last few weeks", or NULL */
	const char *unclear;  /* what has two readings, or NULL */
	bool year_before;     /* "the year before": of what stands */
};

/* Phrases of time as they are read (phrases.c, timecodes.c, relative.c) and put together (spans.c),
 * before dates.c settles what they mean. */

#define PHRASES_MAX    16
#define YEAR_MIN       1990
#define YEAR_MAX       2100
#define SHORT_YEAR_MIN 20 /* '26 is a year of a forecast, '99 is not */
#define SHORT_YEAR_MAX 60

enum time_grain { GRAIN_NONE, GRAIN_YEAR, GRAIN_MONTHS, GRAIN_DAYS };
enum unit {
	UNIT_NONE,
	UNIT_DAY,
	UNIT_WEEK,
	UNIT_FORTNIGHT,
	UNIT_MONTH,
	UNIT_QUARTER,
	UNIT_HALF,
	UNIT_YEAR
};

/* "the first two weeks of", "the end of" (its last day), "the rest of" */
struct time_slice {
	enum unit unit;
	int n; /* units from the beginning; negative: from the end */
	bool rest;
};

/* What is left open: "since", "until". */
enum time_edge { EDGE_NONE, EDGE_SINCE, EDGE_AFTER, EDGE_BEFORE, EDGE_UNTIL };

/* One phrase of time. */
struct time_phrase {
	size_t from, to;
	enum time_grain grain;
	int year;        /* 0: not said */
	unsigned months; /* bit m */
	int quarter;     /* 1-4 when it is one */
	bool dated;      /* has start and end: a span that is no year, nor months of one */
	struct date start, end;
	bool relative; /* to today */
	bool running;  /* "this month": it ends today */
	bool guessed;  /* a day whose year was not said */
	int weekday;   /* 1-7 when it was only called that */
	bool two_ways; /* 3/4/2025: may also begin at `other` */
	struct date other;
	struct time_slice slice;
	enum time_edge edge;
	bool label; /* written as only labels are: Jan_2025, 2025Q1 */
	bool asof;
	bool gone; /* part of another one */
};

enum day_order { ORDER_UNKNOWN, ORDER_MONTH_FIRST, ORDER_DAY_FIRST };

struct time_parser {
	struct question *q;
	struct date today;
	const struct know_calendar *calendar;
	struct time_phrase phrases[PHRASES_MAX];
	struct time_phrase spill; /* beyond the most that a question has, phrases are lost */
	size_t count;
	size_t bad_from, bad_to;     /* tokens of a day that does not exist */
	size_t vague_from, vague_to; /* tokens that do not say when */
	enum day_order order;        /* as other days of the question show it */
	struct date rolls_from;      /* "last two years" as days, when it was said */
	uint32_t hours;              /* of times written with their day */
};

/* Marks the tokens as used. */
struct time_phrase *phrase_add(struct time_parser *p, size_t from, size_t to,
			       enum time_grain grain);
struct time_phrase *phrase_add_days(struct time_parser *p, size_t from, size_t to,
				    struct date start, struct date end);
struct time_phrase *phrase_add_months(struct time_parser *p, size_t from, size_t to,
				      struct date start, int months);
void phrases_read(struct time_parser *p);
/* One day, or one period longer than a day, at token i. */
bool phrase_read_day(struct time_parser *p, size_t i);
bool phrase_read_period(struct time_parser *p, size_t i);
int latest_year(struct date today, int month, int day);
/* Part of a year or year written as a code at token i. */
bool code_read(struct time_parser *p, size_t i);
struct date fiscal_year_start(const struct know_calendar *cal, int year);
/* The readers of what is relative to today; each is true when it took a phrase at token i. */
bool slice_read(struct time_parser *p, size_t i);
/* The calendar's unit (or the fiscal year's) that is `offset` from the one that holds today. */
struct time_phrase *phrase_add_unit(struct time_parser *p, size_t from, size_t to, enum unit unit,
				    int offset, bool fiscal);
bool relative_read(struct time_parser *p, size_t i);
bool relative_read_distance(struct time_parser *p, size_t i);
bool relative_read_day(struct time_parser *p, size_t i);
bool relative_read_weekday(struct time_parser *p, size_t i);

/* Years to their months, parts of periods, ranges and open ends. Phrases that name a file stay as
 * they are. */
void spans_settle(struct time_parser *p);
/* First and last day of a phrase that has a year. */
void phrase_span(const struct time_phrase *ph, struct date *start, struct date *end);

/* ---- timewords.c ---- */

/* 1-12, or 0; at token i only where a month can stand ("may", "march"). */
int month_named(const char *text, size_t len);
const char *month_name(int month); /* lower case */
int month_token(const struct question *q, size_t i);
/* 2025, '26, or 0. */
int year_token(const struct token *t, bool may_be_short);
int year_of_number(int number, size_t len, bool may_be_short);
bool may_be_short_year(int n);
unsigned months_between(int first, int last); /* as bits */
int months_first(unsigned months);
int months_last(unsigned months);
unsigned season_months(const struct token *t); /* 0: it is none */
int ordinal_of(const struct token *t);
bool is_day_number(const struct token *t); /* "3", "3rd" */
int day_number(const struct token *t);
int weekday_of(const struct token *t); /* 0 = Monday, or -1 */
int weekday_short(const struct token *t);
enum unit unit_of(const struct token *t);
int unit_months(enum unit u); /* 0: it is counted in days */
int unit_days(enum unit u);
struct date day_plus(struct date d, int days);
struct date day_plus_months(struct date d, int months);
struct date month_end(int year, int month);
bool day_before(struct date a, struct date b);

/* ---- dates.c, hours.c, numbers.c ---- */

void dates_read(struct question *q, struct date today, const struct know_calendar *cal,
		struct arena *a, struct time_read *out);
/* A range that was chosen, in all its forms. */
void dates_of_range(struct date start, struct date end, struct time_read *out);
void hours_read(struct question *q, const struct calendar *cal, struct arena *a,
		struct time_read *out);
int numbers_top_n(struct question *q); /* 0: none */
/* "above $60", as it was written, or NULL. */
const char *numbers_threshold(struct question *q, struct arena *a);
/* A number written as digits or as a word up to twelve; -1 for anything else. */
int number_of(const struct token *t);
/* A label however it is spelled: "January 2025", "2025Q1". NULL: it is none. */
const char *dates_label(const char *text, struct arena *a);

/* ---- facts.c ---- */

#define FACTS_MAX 32

/* What is known about one filter, under its singular name. */
struct fact {
	const char *filter;
	struct value *values;
	size_t count, cap;
	enum filter_source source;
	const struct dimension_def *dimension; /* or NULL */
	bool implied;                          /* follows from another one: no tool must take it */
	bool all;                              /* every value there is */
	bool soft; /* in words that tools use too: one that can't take it may have meant it so */
};

struct facts {
	struct fact items[FACTS_MAX];
	size_t count;
};

struct fact *facts_find(struct facts *f, const char *filter);
const struct fact *facts_get(const struct facts *f, const char *filter);
/* Adds a value to the filter, unless it is there. */
struct fact *facts_add(struct facts *f, struct arena *a, const char *filter,
		       const struct dimension_def *d, struct value v, enum filter_source source);
void facts_drop(struct facts *f, const char *filter);
/* "vendors" or "vendor" to "vendor". */
const char *filter_singular(const char *name, struct arena *a);
const char *filter_plural(const char *name, struct arena *a);
const char *value_words(const struct value *v, struct arena *a);
bool value_same(const struct value *a, const struct value *b);

/* ---- router.c ---- */

struct router *router_new(struct know *k);
bool router_has_word(const struct router *r, const char *stem, size_t len);
/* Is it one of the tools' words, misspelled? */
bool router_near_word(const struct know *k, const struct token *t);

/* What the words alone say. */
struct text_score {
	double *tools;        /* 0..1 by index into the view's tools */
	double *domains;      /* 0..1 by index into the view's domains */
	double known;         /* weight of the words that the catalogue uses */
	double evidence;      /* the same without words that people use of anything ("who") */
	size_t known_words;   /* how many those are */
	size_t strange_words; /* words with a meaning that no tool speaks of */
};
/* `hours`: hours were named, which is a word for them too. */
void router_text(const struct know *k, const struct catalog_view *v, const struct question *q,
		 size_t from, size_t to, bool hours, struct arena *a, struct text_score *out);

/* ---- slots.c ---- */

enum trouble_kind {
	TROUBLE_NONE,
	TROUBLE_UNKNOWN,       /* a value that does not exist */
	TROUBLE_SEVERAL,       /* a name that matches several values */
	TROUBLE_CONTRADICTION, /* a value and another parent than its own */
	TROUBLE_NO_CHILDREN,   /* a parent under which there is nothing */
	TROUBLE_MISSING,
	TROUBLE_RANGE,     /* a number out of bounds, an hour that does not exist */
	TROUBLE_NOT_TAKEN, /* a filter that the tool cannot apply */
	TROUBLE_TOO_MANY,
	TROUBLE_VAGUE,   /* a time that does not say when */
	TROUBLE_PERIODS, /* several periods for a tool that takes one */
};

struct trouble {
	enum trouble_kind kind;
	const char *filter;
	const char *said; /* the words it is about */
	const struct dimension_def *dimension;
	const struct param_def *param;
	const struct tool_def *tool;
	const struct suggestion *options;
	size_t option_count;
};

/* How the facts fit one tool. */
struct fit {
	const struct tool_def *tool;
	size_t missing;   /* required parameters without a value */
	size_t not_taken; /* said facts that no parameter takes */
	size_t calls;     /* that several values make of it */
	bool use_range;   /* its time is a range of days */
	bool lone_list;   /* a list of names of which only one was named */
	bool other_list;  /* several values, but not for the list that the tool has */
	double facts;     /* how well the said facts are used, about -1..1 */
};

void slots_fit(const struct reading *r, const struct tool_def *t, struct fit *out);
/* Filters, and the calls of the chosen tool; false and r->trouble when they can't be made. */
bool slots_fill(struct reading *r, const struct fit *fit, const char *agent,
		struct understanding *out);
/* All facts as filters, for a question that no tool was chosen for. */
void slots_filters(struct reading *r, struct understanding *out);

/* ---- choose.c ---- */

struct choice {
	struct fit fit;
	const struct domain_def *domain;
	double score, second; /* of the best tool and of the next one */
	double text;
};

struct standing;
/* The best tool among those of the caller's domains; false when there is none. `standing`: what the
 * question leans on, or NULL. */
bool choose_tool(const struct reading *r, const struct standing *standing, struct choice *out);
/* 0..1 for a choice whose calls could be filled. */
double choose_confidence(const struct reading *r, const struct choice *c, bool leans);

/* ---- parents.c ---- */

void parents_settle(struct reading *r);

/* ---- ask.c ---- */

void ask_back(struct reading *r, const struct trouble *t, struct clarification *out);

/* ---- followup.c ---- */

enum carry {
	CARRY_NOTHING,
	CARRY_MISSING, /* what the tool can't do without */
	CARRY_ALL,
};

struct standing {
	struct facts facts;
	const struct tool_def *tools[8];
	size_t tool_count;
	const char *intent; /* or NULL */
	const json_t *ask;
};

void followup_read(const struct reading *r, struct standing *out);
/* "And for SP15?": words that only make sense after another question, or nothing but values. */
bool followup_cue(const struct reading *r);
bool followup_pronoun(const struct question *q); /* "that", "those" */
/* The value of the ask's option that this question chooses, or NULL. */
const char *followup_choice(const struct question *q, const json_t *ask);
/* Does it begin by letting something go? */
bool followup_lets_go(const struct question *q);
/* "Never mind the market": filters that are let go. */
bool followup_drops(const struct reading *r, const struct dimension_def *d);
/* Adds what stands to what was said. `tool` is for CARRY_MISSING. */
void followup_carry(struct reading *r, const struct standing *s, enum carry how,
		    const struct tool_def *tool);
/* The client's filters over the read ones. */
void followup_edit(struct reading *r, const json_t *filters, enum filter_source source);

/* ---- refuse.c ---- */

struct refuser *refuser_new(struct arena *a);
void refuser_deinit(struct refuser *r);
bool refuse_is_injection(const struct know_input *in, const struct know *k);

/* ---- talk.c ---- */

enum small_talk { TALK_NONE, TALK_GREETING, TALK_HELP };
enum small_talk small_talk_of(const struct question *q);

/* ---- understand.c ---- */

/* One question while it is read. */
struct reading {
	const struct know *know;
	const struct know_input *in;
	const struct names *names; /* of who asks */
	struct arena *arena;
	struct scope scope;
	struct question q;
	struct time_read time;
	struct facts facts;
	struct mention *mentions;
	size_t mention_count;
	struct trouble trouble; /* the first one that was found while reading */
	struct text_score text;
	const struct dimension_def *all_of[8]; /* all values of these were asked for */
	size_t all_count;
	size_t said_entities; /* facts of this question that are values of a dimension */
};

/* The facts that follow from r->time. */
void reading_add_time(struct reading *r);
/* "2025-03-04/2025-03-31", and how people read it; a side that is open is empty. */
struct suggestion reading_range_option(struct reading *r, struct date start, struct date end);
/* Keeps the most urgent one. */
void reading_trouble(struct reading *r, const struct trouble *t);

/* know_understand for a question with one subject. */
void understand_one(const struct know *k, const struct know_input *in, struct arena *a,
		    struct understanding *out);

/* ---- parts.c ---- */

/* The subjects of a question that asks several domains, as questions of their own; 0 or at least 2.
 */
size_t parts_of(const struct know *k, const struct know_input *in, struct arena *a,
		const char *const **out);
/* The question cut in two at each place where it may be two; returns how many pairs there are. */
size_t parts_halves(const struct know_input *in, struct arena *a, const char *const (**out)[2]);

#endif
