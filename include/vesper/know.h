/*
 * What code alone makes of a question, before any model: entities, dates and numbers, the intent,
 * the tools with their arguments, and how sure it is. Nothing is made up: a value is either known,
 * or asked about.
 */
#ifndef VESPER_KNOW_H
#define VESPER_KNOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/bind.h"
#include "vesper/catalog.h"
#include "vesper/dates.h"
#include "vesper/names.h"
#include "vesper/outcome.h"

struct find_reach;
struct know; /* index over the words of the catalogue, and the names of names.h */

struct know *know_new(const struct catalog *c); /* borrows the catalogue */
/* The same for a catalogue that adds to that of `base` (overlay.h): shares all that is made of
 * tools, domains and words, so `base` must outlive it. It has its own names. Any thread
 * that holds both. */
struct know *know_with_overlay(const struct know *base, const struct catalog *c);
void know_free(struct know **k);

/* The names that it knows; they live as long as it. */
struct name_book *know_names(struct know *k);

enum filter_source { SOURCE_SAID, SOURCE_ALIAS, SOURCE_DEFAULT, SOURCE_CARRIED, SOURCE_EDITED };
const char *filter_source_name(enum filter_source s);

struct filter {
	const char *name; /* "vendor", "years", …: the filter names of the wire */
	bool is_list;
	const struct value *values;
	size_t count;
	enum filter_source source;
	const char *label; /* as it is shown; NULL: the values */
	const char *said;  /* what was said for it, where that names something else; or NULL */
	bool part;         /* of another filter, whose label tells it */
	bool fixed;        /* shown alone: it can't be edited, and nothing carries it */
};

struct flow_def;

struct know_call {
	enum candidate_kind kind;
	const char *name;            /* unique with kind */
	const struct tool_def *tool; /* of CANDIDATE_TOOL and CANDIDATE_DOCUMENTS; else NULL */
	const char *agent;
	struct args args; /* by parameter name, resolved */
};

/* How a clarifying question is answered: by one choice, by several, by a day, or by two. */

struct clarification {
	const char *text;   /* the clarifying question; NULL: none */
	const char *filter; /* which filter it is about, or NULL */
	enum ask_input input;
	const struct suggestion *options;
	size_t option_count;
	size_t min, max; /* of several choices */
	bool unknown; /* the value that was named does not exist (then options are the closest) */
	const char *said;       /* the words that it is about, or NULL */
	const char *impossible; /* what can't be at all, such as hour 25; or NULL */
};

enum know_kind {
	KNOW_DATA,
	KNOW_GREETING,
	KNOW_HELP,
	KNOW_TERM,  /* what a word of the company means: `reply` */
	KNOW_ORDER, /* to change or send something: `reply` */
	KNOW_UNCLEAR
};

/* One thing that an unclear question may mean. */
struct know_reading {
	enum candidate_kind kind;
	const char *name; /* unique with kind */
	const char *agent;
	const void *def;   /* tool_def of CANDIDATE_TOOL and CANDIDATE_DOCUMENTS, else flow_def */
	const char *label; /* that tells it from the others; NULL: what `def` is about */
	const struct args *args; /* of its call; NULL: what the question says */
};

struct understanding {
	enum know_kind kind;
	const char *intent; /* a domain's intent, "multi_domain" or "general" */
	const char *const *agents;
	size_t agent_count;
	const struct filter *filters;
	size_t filter_count;
	/* Of a question that no tool was found for: what was read all the same, and need not be
	 * read by a model again. */
	const struct filter *heard;
	size_t heard_count;
	const struct know_call *tools; /* complete calls, ready to run */
	size_t tool_count;
	double confidence; /* 0..1; >= KNOW_SURE: no model is needed to route */
	struct clarification ask;
	/* Words that could change the answer and that nothing uses, as they were written; where
	 * there are any, code is not sure. */
	const char *const *unused;
	size_t unused_count;
	const char *reply;         /* of KNOW_TERM, KNOW_ORDER, of thanks; or NULL */
	const char *foreign;       /* what to say, in its language, where no model reads it */
	const char *used_question; /* the question without them; NULL: there are none */
	bool leans;                /* a follow-up: it means something only in the session context */
	const struct tool_def *intended; /* the tool that `ask` is for, or NULL */
	const struct flow_def *flow; /* what the question asks for, in place of tools; or NULL */
	/* Of KNOW_UNCLEAR: what it may mean, the best first. */
	const struct know_reading *readings;
	size_t reading_count;
};

#define KNOW_SURE 0.8

struct know_input {
	const char *question;
	const char *tenant;             /* whose names are known; NULL: the catalogue's only */
	const struct catalog_view *may; /* what this caller may use */
	struct date today;
	struct company_calendar calendar;
	const json_t *standing;       /* the last turn's standing filters and tools, or NULL */
	const json_t *edited_filters; /* filters the client sent back, or NULL */
	/* How far the caller's documents reach (find.h); NULL: there are none. */
	const struct find_reach *documents;
};

/* Pure computation; everything in the arena. */
void know_understand(const struct know *k, const struct know_input *in, struct arena *a,
		     struct understanding *out);

/* The tools of this caller that a question may be for, the best first: at most KNOW_SLICE_TOOLS of
 * at most KNOW_SLICE_DOMAINS domains, and those that stand. Returns how many. Pure. */
size_t know_slice(const struct know *k, const struct know_input *in, struct arena *a,
		  const struct tool_def *const **out);

/* How many clauses a question has: what stands between commas, sentence ends and words like "and",
 * where it is more than a name of a list. Pure. */
size_t know_clauses(const struct know *k, const char *question, struct arena *a);

/* Examples of the catalogue for questions like this one, the most alike first: at most
 * PROMPT_LIKE_MAX of tools that this caller may use, with no value that the caller may not know.
 * What other callers may use changes neither which they are nor their order. Pure. */
size_t know_examples(const struct know *k, const struct know_input *in, struct arena *a,
		     const struct example_def **out);

/* Why a question is refused before any tool runs. */
enum refusal_kind {
	REFUSE_INJECTION,  /* it would change the rules, or wants internals */
	REFUSE_REFERENCE,  /* it points at something that was never said */
	REFUSE_SCOPE,      /* it is about something else than our data */
	REFUSE_IMPOSSIBLE, /* it asks for what cannot be: an actual price of a forecast, month 13 */
	REFUSE_UNKNOWN,    /* it names an unknown value */
};
const char *refusal_name(enum refusal_kind kind); /* "injection", … */
const char *refusal_code(enum refusal_kind kind); /* of its error view: "AMBIGUOUS_REFERENCE" */
struct refusal {
	enum refusal_kind kind;
	const char *term; /* the words that it is about; "" when they are not to be repeated */
	const char *text; /* for the user */
};
/* Whether the question, which was understood as `u` (NULL: not yet, and only an attempt to change
 * the rules shows), is to be refused. Never one that code is sure
 * of, unless it is an injection or asks for the impossible. Costs microseconds. Loop thread only.
 */
bool know_refuse(const struct know *k, const struct know_input *in, const struct understanding *u,
		 struct arena *a, struct refusal *out);

/* The value of the choice that the text takes (by number, label or value); NULL: it takes none. */
const char *know_choice(const struct know *k, const char *text, const json_t *ask, struct arena *a);

/* The days that the text is about, where it says nothing else ("15 January 2025", "from March to
 * May"). */
bool know_days(const struct know *k, const char *text, struct date today,
	       const struct company_calendar *calendar, struct arena *a, struct date *start,
	       struct date *end);

/* Filters as the wire has them: [{name,value,label,source,editable,param?}]. */
void know_filters_write(const struct understanding *u, const struct language *l,
			struct json_out *j);
/* The value of one, or a list. */
void know_filter_value(const struct filter *f, struct json_out *j);
/* The values by name that the question gave, `heard` ones where there are no others; no defaults.
 * New reference. */
json_t *know_values(const struct understanding *u);
#define STANDING_QUERY "map_query" /* of the session context: a query over the map as text */
/* The session context after this turn, to be stored and given back as `standing`. New reference. */
json_t *know_standing(const struct understanding *u);
/* The object of `vesperctl route`. New reference. */
json_t *know_route_json(const struct understanding *u);

#endif
