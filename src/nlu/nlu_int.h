/*
 * Reads a question in these steps:
 *
 *   text     -> tokens, times, numbers (text.h, dates.h)
 *   mention  -> mentions of known values, misspelled or partly named ones too (lookup.h);
 *               unknown names
 *   facts    -> all values by filter name, including those of the session context
 *   router   -> a score of each tool for the words
 *   constraints -> bounds, amounts, sort order and exclusions, which tools take by slots
 *   slots    -> the chosen tool's values, or the clarifying question
 *   calls    -> the tool's calls
 *   unused_words -> the words that no step used
 *
 * All data is in the caller's arena, except the index (struct nlu).
 */
#ifndef VESPER_NLU_INT_H
#define VESPER_NLU_INT_H

#include "vesper/nlu.h"

#include <stdint.h>

#include "vesper/dict.h"
#include "vesper/limits.h"
#include "vesper/lookup.h"
#include "vesper/str.h"
#include "vesper/text.h"
#include "vesper/words.h"

/* Filter names on the wire that have a special grammar. All other names belong to dimensions. */
#define FILTER_YEAR  "year"
#define FILTER_MONTH "month"
#define FILTER_HOUR  "hour"
#define FILTER_TOP_N "top_n"
#define FILTER_DAYS  "day_type"
#define FILTER_BOUND "threshold"
#define FILTER_ORDER "order"
/* Its values resolve words that fit two dimensions, such as "ward=North". */
#define FILTER_MEANING "meaning"

/* ---- nlu.c ---- */

struct flow_words;
struct map_words;
struct router;

struct nlu {
	const struct catalog *catalog;
	struct arena *arena;      /* owns the index; NULL: shared (nlu_with_overlay) */
	struct arena *flow_arena; /* owns the words of flows and of the map if this is an overlay;
				     else same as `arena` */
	struct entity_index *names;
	struct dict stop_words; /* stop words of the packs; tokens know the language's */
	struct dict synonyms;   /* stem -> index into meanings */
	struct dict noun_forms; /* words that share the stem of a noun: word -> meaning */
	struct dict noun_stems; /* the stems shared this way */
	struct dict pack_words; /* stems of the packs' own synonyms */
	const char **meanings;  /* by index: the canonical word of the synonyms */
	size_t meaning_count;
	/* Units of the parameters that take an amount. NULL-terminated. */
	const struct unit_def *const *amount_units;
	struct dict prepositions;        /* word -> dimension whose values follow it in examples */
	struct dict filters;             /* filters of all tool parameters -> filter numbers */
	const char *const *filter_names; /* by filter number */
	const struct param_def *const
		*filter_params;            /* by filter number: the first parameter, or NULL */
	const struct tool_params **params; /* by tool index */
	struct router *router;
	struct spelling *spelling;
	struct flow_words *flows;
	struct map_words *map_words; /* NULL: the map is empty */
	struct tool_vocabulary *vocabulary;
	const struct topics *glossary; /* terms of the packs' glossaries */
	struct dict *foreign;          /* by language: its words */
	struct refuser *refuser;
	struct examples *examples;
};

bool nlu_is_stop_word(const struct nlu *k, const struct token *t);
/* Writes the stem of the word, or of the canonical word of its synonyms. Returns its length. */
size_t nlu_canonical_stem(const struct nlu *k, const struct token *t, char stem[STEM_BYTES]);
/* Same as nlu_canonical_stem, except for a pack noun whose stem matches a synonym list by chance:
 * it keeps its own stem. "projected" means forecast, but a project does not. Tool scoring uses
 * nlu_canonical_stem. */
size_t nlu_noun_stem(const struct nlu *k, const struct token *t, char stem[STEM_BYTES]);
/* Returns true when the language or the tools use the word. */
bool nlu_is_known_word(const struct nlu *k, const struct token *t);
/* Returns true when a tool, a domain or their synonyms use the word. */
bool nlu_is_pack_word(const struct nlu *k, const char *word);

/* ---- examples.c ---- */

struct examples;
/* Allocates in k's arena, except what examples_deinit frees. */
struct examples *examples_new(const struct nlu *k);
void examples_deinit(struct examples *x);

struct facts;
struct reading;

/* ---- spelling.c ---- */

struct spelling *spelling_new(struct nlu *k);
/* Replaces misspelled words and word forms by the words that were meant. Call it before any word
 * is read. */
void spelling_correct(struct reading *r);

/* ---- mention.c, resolve.c, unknown.c: names in the question ---- */

#define MENTION_CANDIDATES_MAX 64 /* candidates for one window of words, over all dimensions */

struct mention {
	size_t from, to;
	const struct entry *candidates;
	size_t count;
	bool typo;
	bool has_tool_words_only; /* all of its words are also words of the tools */
	bool excluded;            /* it is named to be excluded */
	bool is_contested;        /* packs map the words to different values */
};

void mentions_find(struct reading *r);
void mentions_add(struct reading *r, size_t from, size_t to, const struct entry *entries,
		  size_t count, bool typo);
/* Folds the n tokens from i into one name. Returns false when they cannot form a name. */
bool mention_window(const struct question *q, size_t i, size_t n, struct folded *out);
/* Returns true when part of a longer name may count as a mention of e here: "capital" does not name
 * a sponsor, but "northwind" in "sponsored by northwind" does. */
bool mention_accepts_part(const struct reading *r, size_t i, size_t n, const struct entry *e);
/* Returns true when words next to the tokens name this dimension ("zone North"). */
bool mention_has_label_near(const struct question *q, size_t from, size_t to,
			    const struct dimension_def *d);
/* Returns true when the word belongs to a map value that was not read as a mention because its
 * words are ordinary ("on hold"). The question may still have meant that value. A neutral word
 * counts only where it describes something ("projects that are good"). */
bool mention_is_missed_value(const struct reading *r, size_t i, bool neutral);
bool mention_is_separator(char before); /* may separate two words of a name */
/* Returns true when the word is part of the dimension's label ("hub" of "hub-zone"). */
bool mention_is_label_word(const struct token *t, const struct dimension_def *d);

/* Adds the fact that a value of d resolves to; `value` is stored as resolved_from. Returns false
 * when the target is unknown. */
bool facts_add_resolved(struct reading *r, const struct dimension_def *d, const char *value,
			const char *resolved, enum filter_source source);

/* Resolves mentions that depend on other facts, such as aliases that differ by market. */
void mentions_resolve(struct reading *r);
/* The value of the dimension from the question or the session context, or NULL. */
const char *mention_context_value(const struct reading *r, const char *dimension);

/* Reads words that look like names but match no known value. Call it after all other readers have
 * marked their tokens. */
void mentions_find_unknown(struct reading *r);

/* ---- facts.c ---- */

#define FACTS_MAX 32

/* The values read for one filter, under its singular name. */
struct fact {
	const char *filter;
	struct value *values;
	size_t count, cap;
	enum filter_source source;
	const struct dimension_def *dimension; /* or NULL */
	const char *resolved_from; /* the value of another dimension that resolved to it, or NULL */
	bool implied;             /* derived from another fact; tools are not required to take it */
	bool all_values;          /* all values of the dimension */
	bool has_tool_words_only; /* its words are also tool words */
};

struct facts {
	struct fact items[FACTS_MAX];
	size_t count;
};

struct fact *facts_find(struct facts *f, const char *filter);
const struct fact *facts_get(const struct facts *f, const char *filter);
/* Adds a value to the filter, unless already present. */
struct fact *facts_add(struct facts *f, struct arena *a, const char *filter,
		       const struct dimension_def *d, struct value v, enum filter_source source);
void facts_drop(struct facts *f, const char *filter);
/* Singular form: "vendors" and "vendor" give "vendor". */
const char *filter_singular(const char *name, struct arena *a);
const char *filter_plural(const char *name, struct arena *a);
const char *value_display_text(const struct reading *r, const struct value *v);
bool value_equal(const struct value *a, const struct value *b);

/* ---- router.c ---- */

struct router *router_new(struct nlu *k);
bool router_has_word(const struct router *r, const char *stem, size_t len);
/* Returns true when the folded text is the label of a column. */
bool router_has_label(const struct router *r, const char *key, size_t len);

/* Scores from the words alone, without facts. */
struct text_score {
	double *tools;        /* 0..1, by index into the view's tools */
	double *domains;      /* 0..1, by index into the view's domains */
	double known;         /* weight of the words that the catalogue uses */
	double evidence;      /* same, without general words such as "who" */
	size_t known_words;   /* number of words that the catalogue uses */
	size_t unknown_words; /* content words that no tool uses */
	double documents;     /* coverage by the caller's documents (find.h) */
};
/* `hours`: the question names hours; tools are also scored for them. */
void router_score_text(const struct nlu *k, const struct nlu_input *in, const struct question *q,
		       size_t from, size_t to, bool hours, struct arena *a, struct text_score *out);

/* ---- params.c: which parameter of which tool takes which filter ---- */

/* Fixed numbers of filters that the code refers to; all other filters follow. */
enum { NUMBER_YEAR, NUMBER_MONTH, NUMBER_START, NUMBER_END, NUMBER_COUNT };

struct tool_params {
	const int *filter_numbers;                /* by parameter: its filter number */
	const struct param_def *const *by_filter; /* by filter number: the parameter, or NULL */
};

/* A tool or flow that may answer the question, in one of the caller's domains. Holds only data
 * that does not depend on the facts. */
struct candidate {
	enum candidate_kind kind;
	const char *name; /* unique with kind */
	size_t domain;    /* index into the view's domains */
	const struct param_def *params;
	size_t param_count;
	const struct tool_params *numbers; /* filter numbers of the params */
	const void *def;                   /* tool_def or flow_def, by kind */
	bool first_of_domain;              /* the first candidate of its domain */
	bool in_home_domain;
	double text_score;
};

/* NULL: the candidate is a flow. */
const struct tool_def *candidate_tool(const struct candidate *c);
const struct param_def *candidate_param(const struct candidate *c, const char *filter);

/* The facts of a question, indexed by filter number. */
struct numbered_facts {
	const struct fact **facts; /* by filter number, or NULL */
	int numbers[FACTS_MAX]; /* by fact: its filter number; -1: no parameter has this filter */
	bool tool_words_name_tool; /* treat facts with has_tool_words_only as tool words, not as
				      values */
};

void params_index(struct nlu *k);
/* The filter numbers of these parameters; allocated in the arena. */
const struct tool_params *params_numbers(const struct nlu *k, const struct param_def *params,
					 size_t count, struct arena *a);
/* The first parameter with this filter, or NULL. */
const struct param_def *params_first_with_filter(const struct nlu *k, const char *filter);
void params_number_facts(const struct reading *r, struct numbered_facts *out);
/* The parameter that takes the fact, or NULL. */
const struct param_def *params_for_fact(const struct reading *r, const struct numbered_facts *n,
					const struct candidate *c, size_t fact);

/* ---- slots.c ---- */

enum issue_kind {
	ISSUE_NONE,
	ISSUE_UNKNOWN_VALUE, /* a value that does not exist */
	ISSUE_AMBIGUOUS,     /* a name that matches several values */
	ISSUE_CONTRADICTION, /* a value combined with another value's parent */
	ISSUE_NO_CHILDREN,   /* a parent without values below it */
	ISSUE_MISSING,
	ISSUE_OUT_OF_RANGE,       /* a number out of range, or an hour that does not exist */
	ISSUE_UNSUPPORTED_FILTER, /* a filter that the tool cannot apply */
	ISSUE_TOO_MANY,
	ISSUE_INDEFINITE_TIME, /* a time that names no definite period */
	ISSUE_EXCLUDED_VALUE,  /* an excluded value */
	ISSUE_SEVERAL_PERIODS, /* several periods for a tool that takes one */
};

struct issue {
	enum issue_kind kind;
	const char *filter;
	const char *term; /* the words that caused it */
	const struct dimension_def *dimension;
	const struct param_def *param;
	const struct tool_def *tool;
	const struct suggestion *options;
	size_t option_count;
	bool options_in_text; /* the options are excluded values: listed in the text, but not
				 offered */
};

/* ---- constraints.c: values that a tool takes by slots ---- */

struct fit;

/* A bound, an amount, or the excluded values of one dimension. */
struct constraint {
	enum param_slot slot; /* SLOT_NONE: an amount */
	struct amount amount; /* for a bound or an amount */
	/* for excluded values */
	const struct dimension_def *dimension;
	struct value *values;
	size_t count;
	bool has_tool_words_only;     /* its words are also tool words */
	struct issue exclusion_issue; /* the clarifying question when no slot takes the values */
};

/* Reads bounds, amounts, and which end of a ranking comes first. Call it after all times are read.
 */
void constraints_read(struct reading *r);
void constraints_add_exclusion(struct reading *r, const struct constraint *s);
/* Adds the time, time step and constraints to the score of the fit: those that the tool takes raise
 * it, those that it does not take lower it. Adds the number of both to *taken. */
void constraints_fit(const struct reading *r, struct fit *fit, size_t *taken);
/* Returns true when a value in r->constraints fills the parameter. */
bool constraints_fill_param(const struct reading *r, const struct fit *fit,
			    const struct param_def *p);
/* Turns the values that the tool takes into facts of its parameters. Asks about the others. */
void constraints_fill(struct reading *r, const struct fit *fit);
/* Converts the number to the unit (NULL: unitless). Returns false when the number's unit has
 * another physical dimension. */
bool constraint_convert(const struct reading *r, const struct amount *m,
			const struct unit_def *unit, struct decimal *out);
/* Returns true when the time is a single day. */
bool reading_is_one_day(const struct reading *r);
/* The parameter that takes the time as one day or as a span of days, or NULL. */
const struct param_def *constraints_time_param(const struct reading *r,
					       const struct param_def *params, size_t count);
/* Adds the time as a fact of that parameter. */
void constraints_fill_time(struct reading *r, const struct candidate *c);

/* ---- request.c ---- */

/* The request that follows a greeting and small talk. NULL: the whole text is the question. */
const char *request_text(const struct nlu *k, const struct nlu_input *in, const struct question *q,
			 struct arena *a);

/* ---- rows.c ---- */

/* The question, with each reference to a row replaced by the row's title. NULL: no references. */
const char *rows_text(const struct nlu *k, const struct nlu_input *in, const struct question *q,
		      struct arena *a);

/* ---- bound.c ---- */

/* Formats a bound as ">60" or "≥60"; users may type the same form. */
const char *bound_label(const struct reading *r, const struct param_def *p, const struct fact *f);
/* Returns the number of a typed bound. Sets *inclusive when a sign is present. */
const char *bound_parse(const char *text, bool *has_sign, bool *inclusive);
/* The parameter that says whether the bound of `p` is inclusive; NULL: none. */
const struct param_def *bound_inclusive_param(const struct nlu *k, const struct param_def *p,
					      struct arena *a);

/* How the facts fit the parameters of one candidate. */
struct fit {
	const struct candidate *candidate;
	size_t missing;        /* required parameters without a value */
	size_t unsupported;    /* explicit facts that no parameter takes */
	size_t calls;          /* number of calls needed for several values */
	bool use_range;        /* the time is passed as a range of days */
	bool single_name_list; /* a list parameter for which only one name was given */
	bool other_list;       /* several calls, although the tool has a list parameter */
	double facts;          /* how well the tool uses the explicit facts, about -1..1 */
};

void slots_fit(const struct reading *r, const struct numbered_facts *n, const struct candidate *c,
	       struct fit *out);
/* Fills the filters and the calls of the chosen candidate. On failure returns false and sets
 * r->issue. */
bool slots_fill(struct reading *r, const struct fit *fit, const char *agent,
		struct understanding *out);
/* Writes all facts as filters, for a question without a chosen tool. `days`: includes the start and
 * end of the time. */
void slots_filters(struct reading *r, bool days, struct understanding *out);
/* Returns true when the fact is another form of a time already used: days, or year and months. */
bool slots_is_other_form(const struct reading *r, const struct fact *f, bool use_range);

/* ---- calls.c ---- */

/* The fact that a parameter takes, or NULL. */
const struct fact *calls_fact(const struct reading *r, const struct fit *fit,
			      const struct param_def *p);
/* Adds the tool's calls. Returns false and sets r->issue when a value does not fit. */
bool calls_fill(struct reading *r, const struct fit *fit, const char *agent,
		struct understanding *out);

/* ---- choose.c ---- */

struct choice {
	struct fit fit;
	const struct domain_def *domain;
	double score, second; /* of the best and of the second candidate */
	double text;
};

struct session_context;
/* Finds the best candidate in the caller's domains. Returns false when there is none. `context`:
 * the session context of a follow-up, or NULL. */
bool choose_best(struct reading *r, const struct session_context *context, struct choice *out);
struct ranked {
	const struct candidate *candidate;
	double score;
	bool fits; /* it takes all explicit facts and lacks no required value */
};
/* All candidates with their scores, best first. Returns the count. */
size_t choose_ranked(struct reading *r, const struct session_context *context, struct ranked **out);
/* Finds a flow that the question names and that fits better than any tool. Returns false when there
 * is none; the caller then ranks tools. */
bool choose_flow(struct reading *r, struct choice *out);
/* Readings of an unclear question: at most NLU_READINGS_MAX candidates, best first. Each shares
 * words with the question, takes all its facts and lacks no required value. */
void choose_readings(struct reading *r, struct understanding *out);
/* Returns true when words of the question, not only its times, match the choice. */
bool choose_matches_words(const struct reading *r, const struct choice *c);
/* The confidence, 0..1, of a choice whose calls could be filled. */
double choose_confidence(const struct reading *r, const struct choice *c, bool is_followup);

/* ---- documents.c ---- */

/* Adds to the scores of document tools, by how well the caller's documents match these tokens. */
void documents_score(const struct nlu_input *in, const struct question *q, size_t from, size_t to,
		     struct text_score *out);
/* Returns true when the documents cover enough of the question to treat it as in scope. */
bool documents_cover_question(const struct reading *r);
/* Fills the call of a chosen document tool. */
void documents_fill(struct reading *r, const struct choice *c, struct understanding *out);
/* Falls back to a document search when no other reading was complete and the documents cover enough
 * of the question. Returns false otherwise. */
bool documents_fallback(struct reading *r, struct understanding *out);
/* Returns true when the understanding is a document search, which accepts any words. */
bool documents_is_search(const struct understanding *u);

/* ---- flows.c ---- */

struct flow_words *flow_words_new(struct nlu *k);
/* Writes the caller's flows that the question names; `any`: all that share words with it. Returns
 * their number, at most the number of the caller's flows. */
size_t flows_find(const struct reading *r, bool any, struct candidate *out);
/* Fills `out` for the chosen flow. */
void flows_fill(struct reading *r, const struct choice *c, struct understanding *out);

/* ---- unused_words.c ---- */

struct tool_vocabulary;
struct tool_vocabulary *tool_vocabulary_new(struct nlu *k);
/* Returns true when the tool ranks by the most and never by the least. */
bool tool_vocabulary_ranks_top_only(const struct nlu *k, const struct tool_def *t);
/* Returns true when this word is a number, or could narrow, order, negate, group or compare. */
bool word_is_cue(const struct reading *r, size_t i);
/* Returns true when the word is not a cue and carries no meaning alone. */
bool word_is_neutral(const struct reading *r, size_t i);
/* Returns true when the time is today and the tool also uses the word for it ("energy today"). Such
 * a tool reports the current state and takes no day. */
bool time_is_tool_today(const struct reading *r, const struct tool_def *t);
/* Returns true when the token is part of a time or number, and not of a name. */
bool word_is_time(const struct reading *r, size_t i);
bool word_ends_clause(const struct question *q, size_t i);
/* Sets out->unused to the words that neither a filter nor the chosen tool uses. */
void unused_words_find(struct reading *r, const struct choice *c, struct understanding *out);

/* ---- exclude.c ---- */

/* Returns true when the name that begins at token i is excluded. */
bool exclude_cue_before(const struct question *q, size_t i);
void exclude_mark_mentions(struct reading *r);
/* Replaces exclusions by the only remaining value, or adds them as constraints. Call it after all
 * other names are resolved. */
void exclude_resolve(struct reading *r);
/* Asks about excluded times. Call it after the times are read. */
void exclude_ask_about_times(struct reading *r);
/* Returns true when a word of a tool is negated: "files that were not published", "projects without
 * risks". */
bool exclude_negates_tool(const struct nlu *k, const struct question *q);

/* ---- parents.c ---- */

void parents_resolve(struct reading *r);

/* ---- ask.c ---- */

void ask_clarify(struct reading *r, const struct issue *t, struct clarification *out);

/* ---- followup.c ---- */

enum carry {
	CARRY_NOTHING,
	CARRY_MISSING, /* only what the tool requires */
	CARRY_ALL,
};

struct session_context {
	struct facts facts;
	const struct tool_def *tools[8];
	size_t tool_count;
	const char *intent; /* or NULL */
	const json_t *ask;
	const json_t *query; /* the last answered query over the map; or NULL */
};

void session_context_read(const struct reading *r, struct session_context *out);
/* Returns true for a question that opens with a follow-up cue ("And for SP15?") or contains only
 * values. */
bool followup_has_cue(const struct reading *r);
bool followup_has_pronoun(const struct question *q); /* "that", "those" */
/* Returns true when the question refers to the session context ("have these dates moved") and names
 * no value. */
bool followup_points_at_context(const struct reading *r);
/* Returns true when the question only asks for another presentation of the last answer ("as a
 * chart"). */
bool followup_is_display_only(const struct reading *r);
const char *followup_time_step_at(const struct question *q, size_t i); /* or NULL */
/* The time step that the question groups by ("per day": "day"); NULL: none. */
const char *followup_time_step(const struct question *q);
/* Returns true when the question only names a time step to group by ("and by month?"). */
bool followup_is_time_step(const struct reading *r);
/* Returns true for a short question or follow-up without any value ("why?"). */
bool followup_is_fragment(const struct reading *r, bool is_followup);
/* Returns true when the question gives the requested value for the tool that asked. `alone`: the
 * best candidate without the session context. */
bool followup_answers_ask(const struct reading *r, const struct session_context *s,
			  const struct candidate *alone);
/* The value of the ask's option that this question selects, or NULL. */
const char *followup_choice(const struct question *q, const json_t *ask);
/* Returns true when the question selects an option of the session context's clarifying question. */
bool followup_chooses(const struct question *q, const json_t *session_context);
/* Returns true when the question begins by dropping a filter. */
bool followup_opens_with_drop(const struct question *q);
/* Returns true when the question drops the dimension's filter ("never mind the market"). */
bool followup_drops_filter_of(const struct reading *r, const struct dimension_def *d);
/* Adds facts of the session context to those of the question. `to`: for CARRY_MISSING, the
 * candidate whose required parameters are filled; or NULL. */
void followup_carry(struct reading *r, const struct session_context *s, enum carry how,
		    const struct candidate *to);
/* The singular name used by facts. A filter name that itself ends in "s" stays unchanged. */
const char *followup_filter_name(const struct nlu *k, const char *name, struct arena *a);
const struct dimension_def *followup_dimension(const struct catalog *c, const char *filter);
bool followup_is_date(const struct nlu *k, const char *filter);
/* Converts a JSON value to the type of its filter. VALUE_NULL: cannot be converted. */
struct value followup_value(const struct nlu *k, const char *filter, const json_t *v,
			    struct arena *a);
/* Returns true when a carried fact contradicts an explicit one, such as the hub-zone of another
 * market. */
bool followup_depends_on(const struct reading *r, const struct facts *facts, const struct fact *f);

/* ---- replace.c ---- */

/* Replaces a value of the session context when the follow-up does not name its filter ("the other
 * vendor", "make it 10"). Returns false when nothing is replaced. */
bool replace_values(struct reading *r, const struct session_context *s);
/* Returns true when token i asks for another value that was not resolved ("the other market"). */
bool replace_is_other(const struct reading *r, size_t i);
/* Replaces the excluded values of a carried list by the question's value. Returns false when
 * nothing is replaced. */
bool replace_list_value(struct reading *r, const struct fact *carried);

/* ---- edit.c ---- */

/* Returns true when the value sent by the client clears its filter. */
bool edit_clears(const json_t *v);
/* Replaces facts by the client's filters. */
void followup_edit(struct reading *r, const json_t *filters, enum filter_source source);

/* ---- refuse.c ---- */

struct refuser *refuser_new(struct nlu *k);
void refuser_deinit(struct refuser *r);
bool refuse_is_injection(const struct nlu_input *in, const struct nlu *k);

/* ---- topics.c ---- */

struct topics;
/* Builds an index over both lists; the first list wins for a phrase in both. Topics: borrowed; must
 * outlive the result. */
const struct topics *topics_new(struct arena *a, const struct topic *list, size_t count,
				const struct topic *more, size_t more_count);
/* The topic of the longest phrase that begins at token i, with its length in tokens; or NULL. */
const struct topic *topics_at(const struct topics *t, const struct question *q, size_t i,
			      size_t *len);
/* Returns true when one of the words is in the question. `words`: NULL-terminated. */
bool topics_mention(const struct question *q, const char *const *words);

/* ---- talk.c ---- */

enum small_talk { TALK_NONE, TALK_GREETING, TALK_THANKS, TALK_HELP, TALK_UPLOAD };
enum small_talk small_talk_of(const struct question *q);
/* Returns true when the question is an order to change or send something. */
bool talk_is_command(const struct question *q);
/* The definition of a glossary term when the question asks for it; or NULL. `alone`: also when the
 * question is only the term ("COD?"). */
const char *talk_definition(const struct nlu *k, const struct question *q, bool alone);
/* Returns true when the question asks what a word means and has no time or number. */
bool talk_asks_meaning(const struct reading *r);
/* The definition of a data value that the question asks about; NULL: it names none. */
const char *talk_value_definition(const struct reading *r);
/* The reply in the question's language, if that is not the configured language; or NULL. */
const char *talk_foreign_reply(const struct nlu *k, const struct question *q);

/* ---- understand.c ---- */

/* State of reading one question. */
struct reading {
	const struct nlu *nlu;
	const struct nlu_input *in;
	const struct names *names; /* of the caller's tenant */
	struct arena *arena;
	struct scope scope;
	struct question q;
	struct parsed_time time;
	struct facts facts;
	struct mention *mentions;
	size_t mention_count;
	size_t *name_reach; /* by token: the longest known name that begins there, in tokens */
	struct issue issue; /* the most urgent one so far */
	struct constraint constraints[NLU_CONSTRAINTS_MAX];
	size_t constraint_count;
	const char *bottom_word; /* the word for the least, as written, or NULL */
	const char *top_word;    /* the word for the most, or NULL */
	struct text_score text_score;
	const struct dimension_def
		*all_values_of[8]; /* dimensions of which all values were requested */
	size_t all_count;
	struct candidate *candidates; /* of choose.c; NULL: not listed yet */
	size_t candidate_count;
	const struct question
		*description; /* the described values or classes (description.c); or NULL */
	bool filters_only;    /* a follow-up that contains only filters and sort orders */
	bool time_step_only;  /* a follow-up that only names a time step */
	bool replaces_value;  /* it replaces a value of the session context */
	size_t entity_count;  /* number of dimension values in this question */
};

/* Adds the facts that follow from r->time. */
void reading_add_time(struct reading *r);
/* An option "2025-03-04/2025-03-31" with its label. An open side is empty. */
struct suggestion reading_range_option(struct reading *r, struct date start, struct date end);
/* Sets r->issue to t if t is more urgent. */
void reading_add_issue(struct reading *r, const struct issue *t);

/* Reads the question. The caller sets r->nlu, in, arena and q. */
void reading_begin(struct reading *r);
/* Adds facts of the session context for a follow-up. Returns how much was carried. */
enum carry reading_carry(struct reading *r, const struct session_context *s, bool is_followup);
/* Same as nlu_understand, for a question with one subject. `q`: its tokens, none used yet. */
void understand_single(const struct nlu *k, const struct nlu_input *in, const struct question *q,
		       struct arena *a, struct understanding *out);

/* ---- metrics.c ---- */

/* `packs`: the catalogue without the tenant's entities. */
struct map_words *map_words_new(struct nlu *k, struct arena *a, const struct catalog *packs);
void map_words_deinit(struct map_words *w);
/* The grain of a time word such as "month" or "monthly"; GRAIN_NONE: not a time word. */
enum grain map_words_grain(const struct token *t);
/* Returns true when the entity belongs to the tenant and not to a pack. */
bool map_words_is_tenant_entity(const struct nlu *k, const struct entity_def *n);

/* ---- description.c ---- */

/* Understands a question that describes values ("which products look like snacks") or names classes
 * for them. Returns false and leaves `out` unchanged for any other question. */
bool description_understand(const struct nlu *k, const struct nlu_input *in,
			    const struct question *q, struct arena *a, struct understanding *out);
/* Sets the parameter to the description, or to the classes if it is a list. */
void description_fill(const struct reading *r, const struct param_def *p, struct args *args);

/* ---- sources.c ---- */

/* Fills the tool's data source parameters with the data sources named in the question, in order. */
void sources_fill(struct reading *r, const struct candidate *c);

/* Returns true when a phrase of the map contains any form of the word. */
bool map_words_contain(const struct nlu *k, const struct token *t);
/* The tool with the longest description cue at token i. *count: number of words in the cue. NULL:
 * none. */
const struct tool_def *map_words_description_cue(const struct nlu *k, const struct question *q,
						 size_t i, size_t *count);
/* Returns true when a cue of an analysis without a description, or a named condition ("overdue"),
 * begins at token i. */
bool map_words_has_cue_at(const struct nlu *k, const struct question *q, size_t i);
/* The number of words of the longest cue of an analysis that starts at token i; 0: none. */
size_t map_words_cue_length(const struct nlu *k, const struct question *q, size_t i);
/* Returns true when the word occurs in a cue for an analysis. */
bool map_words_is_cue_word(const struct nlu *k, const struct token *t);
/* Returns true when the word alone names a metric of the map. */
bool map_words_measure_at(const struct nlu *k, const struct question *q, size_t i);
/* Returns true when the word names something that can be counted, listed or, after "by", grouped.
 */
bool map_words_is_entity_at(const struct nlu *k, const struct question *q, size_t i);
/* What the chosen tool lacks to answer the question. If it lacks anything, a map query is used only
 * when it is a better answer than asking the user. */
enum tool_lack {
	TOOL_LACKS_NOTHING, /* or no tool was chosen */
	TOOL_LACKS_VALUE,
	TOOL_LACKS_TIME, /* it reports the current state */
};
/* Builds a query over the map when every word of the question fits one, as a call of the map tool.
 * Returns false and leaves `out` unchanged when there is none. */
bool metrics_choose(const struct reading *r, enum tool_lack lack, struct understanding *out);
/* The map query equivalent to the last answer, as declared in its tool's header; NULL: none. */
const json_t *metrics_query_of_tool(const struct reading *r, const struct session_context *s);
/* Applies a follow-up to the current query: "by month", "only solar", "what about last year".
 * Returns false and leaves `out` unchanged when the question contains anything else. */
bool metrics_follow(const struct reading *r, const json_t *query, struct understanding *out);
/* Parses a query from text; NULL: the text is not a query. */
const json_t *metrics_query_read(const char *text, struct arena *a);
/* Applies the client's edited filters to a query. The result is a call, or a clarifying question
 * about an unknown value. `analysis`: the tool that computes from the query, or NULL. */
bool metrics_edit(struct reading *r, const json_t *query, const struct tool_def *analysis,
		  const json_t *edits, struct understanding *out);

/* ---- parts.c ---- */

/* Splits a question over several domains into one question per subject. Returns 0 or at least 2. */
size_t parts_of(const struct nlu *k, const struct nlu_input *in, const struct question *q,
		struct arena *a, const char *const **out);
/* Splits the question in two at each possible joint. Returns the number of pairs. */
size_t parts_halves(const struct nlu_input *in, const struct question *q, struct arena *a,
		    const char *const (**out)[2]);

#endif
