/*
 * How a question is read. The way through it:
 *
 *   text     -> tokens, times, numbers (text.h, dates.h)
 *   mention  -> mentions of known values, misspelled or partly named ones too (lookup.h); names
 *               nobody knows
 *   facts    -> all of that by filter name, with what the last turn left standing
 *   router   -> how well each tool fits words and facts
 *   said     -> bounds, amounts, an order, exclusions: what a tool takes by its slots
 *   slots    -> the chosen tool's values, or the clarifying question
 *   calls    -> its calls
 *   account  -> the words that nothing of that took
 *
 * Everything but the index (struct know) lives in the caller's arena.
 */
#ifndef VESPER_KNOW_INT_H
#define VESPER_KNOW_INT_H

#include "vesper/know.h"

#include <stdint.h>

#include "vesper/dict.h"
#include "vesper/limits.h"
#include "vesper/lookup.h"
#include "vesper/str.h"
#include "vesper/text.h"
#include "vesper/words.h"

/* Names of the wire that have a grammar of their own; all others are dimensions'. */
#define FILTER_YEAR  "year"
#define FILTER_MONTH "month"
#define FILTER_HOUR  "hour"
#define FILTER_TOP_N "top_n"
#define FILTER_DAYS  "day_type"
#define FILTER_BOUND "threshold"
#define FILTER_ORDER "order"
/* Of words that name values of two dimensions: "ward=North". */
#define FILTER_MEANING "meaning"

/* ---- know.c ---- */

struct flow_words;
struct map_words;
struct router;

struct know {
	const struct catalog *catalog;
	struct arena *arena;      /* of the index; NULL: it is shared (know_with_overlay) */
	struct arena *flow_arena; /* of the words of flows, which an overlay adds to */
	struct name_book *names;
	struct dict stop;       /* of the packs; the language's are known by their tokens */
	struct dict synonyms;   /* stem -> number of its meaning */
	struct dict forms;      /* words whose stem is that of a noun: word -> its meaning */
	struct dict apart;      /* such stems */
	struct dict pack_words; /* stems of the packs' own synonyms */
	const char **meanings;  /* by number: the word that stands for them all */
	size_t meaning_count;
	/* Units of parameters that take an amount; NULL-ended */
	const struct unit_def *const *amount_units;
	struct dict prepositions; /* word -> the dimension whose values follow it in the examples */
	struct dict filters;      /* of all tools' parameters, to their numbers */
	const char *const *filter_names; /* by number */
	const struct param_def *const
		*filter_params;            /* by number: the first that has it, or NULL */
	const struct tool_params **params; /* by index of the tool */
	struct router *router;
	struct spelling *spelling;
	struct flow_words *flows;
	struct map_words *map_words; /* NULL: nothing is on the map */
	struct accounts *accounts;
	const struct topics *terms; /* of the packs' glossaries */
	struct dict *foreign;       /* by language: its words */
	struct refuser *refuser;
	struct examples *examples;
};

bool know_is_stop(const struct know *k, const struct token *t);
/* The stem of the word, or of the one that stands for all its synonyms; returns its length. */
size_t know_canonical(const struct know *k, const struct token *t, char stem[STEM_BYTES]);
/* The same, but a noun of the packs stands for itself where a list of synonyms has its stem by
 * chance: "projected" is forecast, a project is not. What such nouns weigh in the choice of a tool
 * is left to know_canonical. */
size_t know_family(const struct know *k, const struct token *t, char stem[STEM_BYTES]);
/* Is it a word that the language or the tools use? */
bool know_is_word(const struct know *k, const struct token *t);
/* Is it one of the packs: of a tool, a domain, or of their synonyms? */
bool know_is_pack_word(const struct know *k, const char *word);

/* ---- examples.c ---- */

struct examples;
struct examples *examples_new(const struct know *k); /* in its arena, but for what deinit frees */
void examples_deinit(struct examples *x);

struct facts;
struct reading;

/* ---- spelling.c ---- */

struct spelling *spelling_new(struct know *k);
/* Words that are misspelled, or forms of others, become those that were meant. Before any word was
 * read. */
void spelling_mend(struct reading *r);

/* ---- mention.c, settle.c, unknown.c: names in the question ---- */

#define FOUND_MAX 64 /* readings of one window of words, of all dimensions */

struct mention {
	size_t from, to;
	const struct entry *candidates;
	size_t count;
	bool typo;
	bool soft;      /* all of its words are words of the tools too */
	bool excluded;  /* it is named in order to be left out */
	bool contested; /* packs give different values to the words */
};

void mentions_read(struct reading *r);
void mentions_add(struct reading *r, size_t from, size_t to, const struct entry *entries,
		  size_t count, bool typo);
/* The n tokens from i as one name; false when they can't be one. */
bool mention_window(const struct question *q, size_t i, size_t n, struct folded *out);
/* "capital" is no sponsor, but "sponsored by northwind" names one: does a word of a longer name
 * stand for it here? */
bool mention_part_counts(const struct reading *r, size_t i, size_t n, const struct entry *e);
/* Does the question say beside the tokens that they are of this dimension ("zone North")? */
bool mention_label_near(const struct question *q, size_t from, size_t to,
			const struct dimension_def *d);
/* Is the word one of a value of the map that was not taken, since its words are of questions anyway
 * ("on hold"). What says no more than that may well have meant it; a word that is neutral by itself
 * only where it tells of something ("projects that are good"). */
bool mention_is_left(const struct reading *r, size_t i, bool neutral);
bool mention_joins(char before); /* may it stand between two words of a name? */
/* Is it a word of the dimension's label ("hub" of "hub-zone")? */
bool mention_of_label(const struct token *t, const struct dimension_def *d);

/* The fact of what a value stands for; `said` is the value. False: nothing is known of that. */
bool settle_resolved(struct reading *r, const struct dimension_def *d, const char *value,
		     const char *stands_for, enum filter_source source);

/* Mentions that can only be told with the facts known (aliases of one market). */
void mentions_settle(struct reading *r);
/* The value of the dimension that is said, or stands; or NULL. */
const char *mention_context(const struct reading *r, const char *dimension);

/* What looks like a name but is none that is known. After everything else has taken its tokens. */
void mentions_read_unknown(struct reading *r);

/* ---- facts.c ---- */

#define FACTS_MAX 32

/* What is known about one filter, under its singular name. */
struct fact {
	const char *filter;
	struct value *values;
	size_t count, cap;
	enum filter_source source;
	const struct dimension_def *dimension; /* or NULL */
	const char *said; /* the name of another dimension that was said for it, or NULL */
	bool implied;     /* follows from another one: no tool must take it */
	bool all;         /* every value there is */
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
const char *value_words(const struct reading *r, const struct value *v);
bool value_same(const struct value *a, const struct value *b);

/* ---- router.c ---- */

struct router *router_new(struct know *k);
bool router_has_word(const struct router *r, const char *stem, size_t len);

/* What the words alone say. */
struct text_score {
	double *tools;        /* 0..1 by index into the view's tools */
	double *domains;      /* 0..1 by index into the view's domains */
	double known;         /* weight of the words that the catalogue uses */
	double evidence;      /* the same without words that people use of anything ("who") */
	size_t known_words;   /* how many those are */
	size_t strange_words; /* words with a meaning that no tool speaks of */
	double documents;     /* coverage (find.h) by the caller's documents */
};
/* `hours`: hours were named, which is a word for them too. */
void router_text(const struct know *k, const struct know_input *in, const struct question *q,
		 size_t from, size_t to, bool hours, struct arena *a, struct text_score *out);

/* ---- params.c: which parameter of which tool takes which filter ---- */

/* Numbers of filters that are asked for by name; the others follow. */
enum { NUMBER_YEAR, NUMBER_MONTH, NUMBER_START, NUMBER_END, NUMBERS };

struct tool_params {
	const int *filters;                   /* by parameter: the number of its filter */
	const struct param_def *const *takes; /* by number of the filter; or NULL */
};

/* What a question may be for, of one of the caller's domains, and what the facts do not change of
 * it. */
struct candidate {
	enum candidate_kind kind;
	const char *name; /* unique with kind */
	size_t domain;    /* index into the view's */
	const struct param_def *params;
	size_t param_count;
	const struct tool_params *numbers; /* of the params */
	const void *def;                   /* tool_def or flow_def, by kind */
	bool first;                        /* the domain's first */
	bool home;
	double text;
};

/* NULL: it is none. */
const struct tool_def *candidate_tool(const struct candidate *c);
const struct param_def *candidate_param(const struct candidate *c, const char *filter);

/* The facts of a question by the numbers of their filters. */
struct numbered {
	const struct fact **facts; /* by number, or NULL */
	int numbers[FACTS_MAX];    /* by fact; -1: no parameter is called so */
	bool named;                /* soft facts are words that name a tool, and no values */
};

void params_index(struct know *k);
/* The numbers of these parameters' filters; in the arena. */
const struct tool_params *params_numbers(const struct know *k, const struct param_def *params,
					 size_t count, struct arena *a);
/* The first parameter that goes by this filter; NULL: none. */
const struct param_def *params_named(const struct know *k, const char *filter);
void params_number(const struct reading *r, struct numbered *out);
/* The parameter that takes the fact, or NULL. */
const struct param_def *params_take(const struct reading *r, const struct numbered *n,
				    const struct candidate *c, size_t fact);

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
	TROUBLE_VAGUE,    /* a time that does not say when */
	TROUBLE_LEFT_OUT, /* a value that is not wanted */
	TROUBLE_PERIODS,  /* several periods for a tool that takes one */
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
	bool in_words; /* the options are named, but none can be chosen: it would be wanted */
};

/* ---- said.c: what a tool takes by its slots ---- */

struct fit;

/* A bound, an amount, or values of one dimension that are left out. */
struct said {
	enum param_slot slot; /* SLOT_NONE: an amount */
	struct amount amount; /* of a bound or an amount */
	/* of what is left out */
	const struct dimension_def *dimension;
	struct value *values;
	size_t count;
	bool soft;               /* in words that tools use too */
	struct trouble left_out; /* what to ask where no slot takes it */
};

/* With all times read: bounds and amounts, and which end of a ranking comes first. */
void said_read(struct reading *r);
void said_exclude(struct reading *r, const struct said *s);
/* Adds to the fit what its tool takes, and what it does not. `said`: how many facts count. */
void said_fit(const struct reading *r, struct fit *fit, size_t *said);
/* Does something that was said fill the parameter? */
bool said_fills(const struct reading *r, const struct fit *fit, const struct param_def *p);
/* What the tool takes becomes facts of its parameters; what it does not is asked about. */
void said_fill(struct reading *r, const struct fit *fit);
/* The number in this unit (NULL: it has none); false where it was said in one of another dimension.
 */
bool said_convert(const struct reading *r, const struct amount *m, const struct unit_def *unit,
		  struct decimal *out);
/* Is the time one day? */
bool said_one_day(const struct reading *r);
/* The parameter that takes the time as one day, or as a span of days; NULL: none does. */
const struct param_def *said_time_param(const struct reading *r, const struct param_def *params,
					size_t count);
/* The time becomes a fact of that parameter. */
void said_fill_time(struct reading *r, const struct candidate *c);

/* ---- request.c ---- */

/* What is asked for behind a greeting and a story; NULL: all of it is the question. */
const char *request_text(const struct know *k, const struct know_input *in,
			 const struct question *q, struct arena *a);

/* ---- bound.c ---- */

/* ">60" or "≥60", as it may also be typed. */
const char *bound_label(const struct reading *r, const struct param_def *p, const struct fact *f);
/* A typed bound: its number; *inclusive is set where a sign says so. */
const char *bound_typed(const char *text, bool *has_sign, bool *inclusive);
/* The parameter beside a bound that tells whether it counts itself. */
const struct param_def *bound_inclusive(const struct know *k, const struct param_def *p,
					struct arena *a);

/* How the facts fit the parameters of one candidate. */
struct fit {
	const struct candidate *of;
	size_t missing;   /* required parameters without a value */
	size_t not_taken; /* said facts that no parameter takes */
	size_t calls;     /* that several values make of it */
	bool use_range;   /* its time is a range of days */
	bool lone_list;   /* a list of names of which only one was named */
	bool other_list;  /* several values, but not for the list that it has */
	double facts;     /* how well the said facts are used, about -1..1 */
};

void slots_fit(const struct reading *r, const struct numbered *n, const struct candidate *c,
	       struct fit *out);
/* Filters, and the calls of what was chosen; false and r->trouble when they can't be made. */
bool slots_fill(struct reading *r, const struct fit *fit, const char *agent,
		struct understanding *out);
/* All facts as filters, for a question that no tool was chosen for. `days`: also the days of a time
 * that is a year or month as well. */
void slots_filters(struct reading *r, bool days, struct understanding *out);
/* Is the fact the other form of a time that is already used: days, or year and months? */
bool slots_is_other_form(const struct reading *r, const struct fact *f, bool use_range);

/* ---- calls.c ---- */

/* The fact that a parameter takes, or NULL. */
const struct fact *calls_fact(const struct reading *r, const struct fit *fit,
			      const struct param_def *p);
/* Adds the tool's calls. False: a value does not fit, and the trouble is set. */
bool calls_fill(struct reading *r, const struct fit *fit, const char *agent,
		struct understanding *out);

/* ---- choose.c ---- */

struct choice {
	struct fit fit;
	const struct domain_def *domain;
	double score, second; /* of the best one and of the next one */
	double text;
};

struct standing;
/* The best candidate of the caller's domains; false when there is none. `standing`: what the
 * question leans on, or NULL. */
bool choose_best(struct reading *r, const struct standing *standing, struct choice *out);
/* How well each candidate fits, the best first; returns how many. */
struct ranked {
	const struct candidate *of;
	double score;
	bool fits; /* it takes all that was said and lacks nothing */
};
size_t choose_ranked(struct reading *r, const struct standing *standing, struct ranked **out);
/* The flow that is called and fits better than any tool; false: there is none, and the tools are
 * looked at by themselves. */
bool choose_flow(struct reading *r, struct choice *out);
/* What the question may mean, where code knows no more: at most KNOW_READINGS_MAX candidates that
 * share words with it, take all that it says and lack nothing. The best first. */
void choose_readings(struct reading *r, struct understanding *out);
/* 0..1 for a choice whose calls could be filled. */
/* Do the question's words speak of the choice, and not its times alone? */
bool choose_is_spoken_of(const struct reading *r, const struct choice *c);
double choose_confidence(const struct reading *r, const struct choice *c, bool leans);

/* ---- documents.c ---- */

/* Adds to the tools of documents what these tokens have to do with those of the caller. */
void documents_score(const struct know_input *in, const struct question *q, size_t from, size_t to,
		     struct text_score *out);
/* They hold so much of the question that it is no stranger here. */
bool documents_speak(const struct reading *r);
/* The call of a tool of documents that was chosen. */
void documents_fill(struct reading *r, const struct choice *c, struct understanding *out);
/* Where nothing else was understood whole, and they reach far enough: what the documents say. */
bool documents_instead(struct reading *r, struct understanding *out);
/* What was understood is a search of documents, which takes any words. */
bool documents_answer(const struct understanding *u);

/* ---- flows.c ---- */

struct flow_words *flow_words_new(struct know *k);
/* Writes the caller's flows that the question calls; `any`: all that share words with it. Returns
 * how many; at most as many as the caller has. */
size_t flows_list(const struct reading *r, bool any, struct candidate *out);
/* The question is for this flow. */
void flows_take(struct reading *r, const struct choice *c, struct understanding *out);

/* ---- account.c ---- */

struct accounts;
struct accounts *accounts_new(struct know *k);
/* Does the tool rank, and speak of the most and never of the least? */
bool accounts_only_top(const struct know *k, const struct tool_def *t);
/* This word of the question is a number, or could narrow, order, negate, group or compare. */
bool account_is_cue(const struct reading *r, size_t i);
/* It is no such word, and says nothing by itself. */
bool account_is_neutral(const struct reading *r, size_t i);
/* Is the time today, in a word of which the tool is about ("energy today")? Such a tool tells how
 * things stand and takes no day. */
bool account_is_of_today(const struct reading *r, const struct tool_def *t);
/* Is the token part of a time or number, and of no name? */
bool account_is_time(const struct reading *r, size_t i);
/* Sets the words of the question that neither a filter nor the chosen tool uses. */
void account_words(struct reading *r, const struct choice *c, struct understanding *out);

/* ---- exclude.c ---- */

/* Is what begins at token i named in order to be left out? */
bool exclude_before(const struct question *q, size_t i);
void exclude_mark(struct reading *r);
/* With all other names settled: what is left, or what is not wanted. */
void exclude_settle(struct reading *r);
/* With the times read: one that is to be left out is asked about. */
void exclude_times(struct reading *r);
/* "Files that were not published", "projects without risks": what a tool tells is not wanted. */
bool exclude_verb(const struct know *k, const struct question *q);

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
	const json_t *query; /* over the map, that was answered last; or NULL */
};

void followup_read(const struct reading *r, struct standing *out);
/* "And for SP15?": words that only make sense after another question, or nothing but values. */
bool followup_cue(const struct reading *r);
bool followup_pronoun(const struct question *q); /* "that", "those" */
/* "Have these dates moved": of what stands, as nothing is named here. */
bool followup_points(const struct reading *r);
/* Does it name what was asked for, for the tool that it was asked for? `alone`: what the question
 * is for by itself. */
bool followup_answers(const struct reading *r, const struct standing *s,
		      const struct candidate *alone);
/* The value of the ask's option that this question chooses, or NULL. */
const char *followup_choice(const struct question *q, const json_t *ask);
/* Does it begin by letting something go? */
bool followup_lets_go(const struct question *q);
/* "Never mind the market": filters that are let go. */
bool followup_drops(const struct reading *r, const struct dimension_def *d);
/* Adds what stands to what was said. `to` is for CARRY_MISSING; or NULL. */
void followup_carry(struct reading *r, const struct standing *s, enum carry how,
		    const struct candidate *to);
/* The name that facts go by; one that is a filter's stays as it is, though it may end in "s". */
const char *followup_filter(const struct know *k, const char *name, struct arena *a);
const struct dimension_def *followup_dimension(const struct catalog *c, const char *filter);
bool followup_is_date(const struct know *k, const char *filter);
/* A JSON value in the type of its filter; VALUE_NULL: it has none. */
struct value followup_value(const struct know *k, const char *filter, const json_t *v,
			    struct arena *a);
/* Does a fact that stands contradict one that was said, as the hub-zone of another market does? */
bool followup_hangs_on(const struct reading *r, const struct facts *facts, const struct fact *f);

/* ---- edit.c ---- */

/* Does the value that a client sent back let its filter go? */
bool edit_drops(const json_t *v);
/* The client's filters over the read ones. */
void followup_edit(struct reading *r, const json_t *filters, enum filter_source source);

/* ---- refuse.c ---- */

struct refuser *refuser_new(struct know *k);
void refuser_deinit(struct refuser *r);
bool refuse_is_injection(const struct know_input *in, const struct know *k);

/* ---- topics.c ---- */

struct topics;
/* Of both lists; where they have the same phrase, the first counts. The topics are borrowed. */
const struct topics *topics_new(struct arena *a, const struct topic *list, size_t count,
				const struct topic *more, size_t more_count);
/* The topic of the longest phrase that begins with the token at i, and its tokens; or NULL. */
const struct topic *topics_at(const struct topics *t, const struct question *q, size_t i,
			      size_t *len);
/* Is one of the words in the question? `words`: NULL-ended. */
bool topics_speak_of(const struct question *q, const char *const *words);

/* ---- talk.c ---- */

enum small_talk { TALK_NONE, TALK_GREETING, TALK_THANKS, TALK_HELP, TALK_UPLOAD };
enum small_talk small_talk_of(const struct question *q);
/* Is it an order to change or send something? */
bool talk_orders(const struct question *q);
/* What the term means that the question asks for, or NULL. */
/* What a term of the company means, where the question asks for that, or, if `alone`, says nothing
 * else ("COD?"). */
const char *talk_term(const struct know *k, const struct question *q, bool alone);
/* Is the meaning of a word asked for, and nothing that has a time or a number? */
bool talk_asks_meaning(const struct reading *r);
/* What a value of the data is that the question asks the meaning of; NULL: it names none. */
const char *talk_value(const struct reading *r);
/* What to say in the language of the question, when it is not ours; or NULL. */
const char *talk_foreign(const struct know *k, const struct question *q);

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
	size_t *reach;          /* by token: as many as any known name has that begins there */
	struct trouble trouble; /* the first one that was found while reading */
	struct said said[KNOW_SAID_MAX];
	size_t said_count;
	const char *from_bottom; /* "least", as it was said, or NULL */
	const char *from_top;    /* "most" */
	struct text_score text;
	const struct dimension_def *all_of[8]; /* all values of these were asked for */
	size_t all_count;
	struct candidate *candidates; /* of choose.c; NULL: not listed yet */
	size_t candidate_count;
	bool bare;            /* it leans on what stands, and says filters and orders alone */
	size_t said_entities; /* facts of this question that are values of a dimension */
};

/* The facts that follow from r->time. */
void reading_add_time(struct reading *r);
/* "2025-03-04/2025-03-31", and how people read it; a side that is open is empty. */
struct suggestion reading_range_option(struct reading *r, struct date start, struct date end);
/* Keeps the most urgent one. */
void reading_trouble(struct reading *r, const struct trouble *t);

/* Reads the question: r->know, in, arena and q are set. */
void reading_begin(struct reading *r);
/* Adds what the question leans on; what of it. */
enum carry reading_carry(struct reading *r, const struct standing *s, bool leans);
/* know_understand for a question with one subject. `q`: its text, of which no token is used. */
void understand_one(const struct know *k, const struct know_input *in, const struct question *q,
		    struct arena *a, struct understanding *out);

/* ---- metrics.c ---- */

/* `packs`: the catalogue without what is the tenant's own. */
struct map_words *map_words_new(struct know *k, struct arena *a, const struct catalog *packs);
void map_words_deinit(struct map_words *w);
/* Is it the tenant's own, and of no pack? */
bool map_words_is_own(const struct know *k, const struct entity_def *n);

/* ---- own.c ---- */

/* The data sources that are named, for the parameters of the tool that take them, in this order. */
void own_fill(struct reading *r, const struct candidate *c);

/* Does any phrase of the map have the word, in whichever form? */
bool map_words_have(const struct know *k, const struct token *t);
/* Is it a word of a cue that asks for an analysis? */
bool map_words_cued(const struct know *k, const struct token *t);
/* Is the word the name of something that can be counted or listed, or behind "by" grouped by? */
bool map_words_is_thing(const struct know *k, const struct question *q, size_t i);
/* The query over the map that the question is, where every word of it says so: a call of the tool
 * that takes one. `asked`: a tool would answer once it has a value that the question does not say;
 * then only what that tool cannot take is a query. False: it is none, and `out` is untouched. */
bool metrics_choose(const struct reading *r, bool asked, struct understanding *out);
/* The query over the map that the answer which stands would be, as its tool's header says; NULL: it
 * would be none. */
const json_t *metrics_of_tool(const struct reading *r, const struct standing *s);
/* The query that stands as a follow-up changes it: "by month", "only solar", "what about last
 * year". False: it says something else, or more than that, and `out` is untouched. */
bool metrics_follow(const struct reading *r, const json_t *query, struct understanding *out);
/* A query as text; NULL: it is none. */
const json_t *metrics_query_read(const char *text, struct arena *a);
/* A query with the filters that the client sent back: as a call, or a clarifying question about a
 * value that is unknown. `analysis`: the tool that computes more of it, or NULL. */
bool metrics_edit(struct reading *r, const json_t *query, const struct tool_def *analysis,
		  const json_t *edits, struct understanding *out);

/* ---- parts.c ---- */

/* The subjects of a question that asks several domains, as questions of their own; 0 or at least 2.
 */
size_t parts_of(const struct know *k, const struct know_input *in, const struct question *q,
		struct arena *a, const char *const **out);
/* The question cut in two at each place where it may be two; returns how many pairs there are. */
size_t parts_halves(const struct know_input *in, const struct question *q, struct arena *a,
		    const char *const (**out)[2]);

#endif
