/*
 * Understands questions by code alone, before any model runs. Reads entities, dates and numbers;
 * determines the intent, the tools with their arguments, and a confidence. Values are never
 * invented: if a value is unknown, the user is asked.
 */
#ifndef VESPER_NLU_H
#define VESPER_NLU_H

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
struct nlu; /* index of the catalogue's words, with an entity index (names.h) */

struct nlu *nlu_new(const struct catalog *c); /* Catalogue: borrowed; must outlive the result. */
/* The same for a catalogue that extends that of `base` (overlay.h). `base` and `c`: borrowed; must
 * outlive the result, which shares the index of tools, domains and words with `base`. The entity
 * index and the words of flows and of the map are separate. Any thread, if both stay alive. */
struct nlu *nlu_with_overlay(const struct nlu *base, const struct catalog *c);
void nlu_free(struct nlu **k);

/* The entity index. Borrowed from `k`. */
struct entity_index *nlu_names(struct nlu *k);

enum filter_source { SOURCE_EXPLICIT, SOURCE_ALIAS, SOURCE_DEFAULT, SOURCE_CARRIED, SOURCE_EDITED };
const char *filter_source_name(enum filter_source s);

struct filter {
	const char *name; /* "vendor", "years", …: the filter names of the wire */
	bool is_list;
	const struct value *values;
	size_t count;
	enum filter_source source;
	const char *label;         /* display text; NULL: the values */
	const char *resolved_from; /* the words it was read from, if they name something else; or
				      NULL */
	bool hidden;               /* part of another filter, whose label includes it */
	bool fixed;                /* display only: not editable and not carried to the next turn */
};

struct flow_def;

struct nlu_call {
	enum candidate_kind kind;
	const char *name;            /* unique with kind */
	const struct tool_def *tool; /* of CANDIDATE_TOOL and CANDIDATE_DOCUMENTS; else NULL */
	const char *agent;
	struct args args; /* by parameter name, resolved */
};

/* A clarifying question. It is answered by one choice, several choices, one day or two days. */
struct clarification {
	const char *text;   /* NULL: no question */
	const char *filter; /* filter that it asks for, or NULL */
	enum ask_input input;
	const struct suggestion *options;
	size_t option_count;
	size_t min, max;        /* for several choices */
	bool unknown;           /* the named value does not exist; the options are fuzzy matches */
	const char *term;       /* the words it asks about, or NULL */
	const char *impossible; /* an impossible value, such as hour 25; or NULL */
};

enum nlu_kind {
	NLU_DATA,
	NLU_GREETING,
	NLU_HELP,
	NLU_DEFINITION, /* the meaning of a company term: `reply` */
	NLU_COMMAND,    /* a request to change or send something: `reply` */
	NLU_UNCLEAR
};

/* One possible reading of an unclear question. */
struct nlu_reading {
	enum candidate_kind kind;
	const char *name; /* unique with kind */
	const char *agent;
	const void *def;   /* tool_def for CANDIDATE_TOOL and CANDIDATE_DOCUMENTS, else flow_def */
	const char *label; /* distinguishes it from the others; NULL: the description of `def` */
	const struct args *args; /* arguments of its call; NULL: those in the question */
};

struct understanding {
	enum nlu_kind kind;
	const char *intent; /* a domain's intent, "multi_domain" or "general" */
	const char *const *agents;
	size_t agent_count;
	const struct filter *filters;
	size_t filter_count;
	/* Parsed filters of a question without a tool, so that a model need not read them again. */
	const struct filter *parsed_filters;
	size_t parsed_filter_count;
	const struct nlu_call *tools; /* complete calls, ready to run */
	size_t tool_count;
	double confidence; /* 0..1; >= NLU_CONFIDENT: routing needs no model */
	struct clarification ask;
	/* Unused words that could change the answer, as written. If there are any, the confidence
	 * is below NLU_CONFIDENT. */
	const char *const *unused;
	size_t unused_count;
	const char *reply;   /* for NLU_DEFINITION, NLU_COMMAND, and thanks; or NULL */
	const char *foreign; /* reply in the question's language, for use when no model can read the
				question */
	const char *question_without_unused; /* the question without the unused words; NULL: no
						unused words */
	bool is_followup;                    /* a follow-up: it depends on the session context */
	const struct tool_def *ask_tool;     /* the tool that `ask` is for, or NULL */
	const struct flow_def *flow;         /* answers the question instead of tools; or NULL */
	/* For NLU_UNCLEAR: its readings, best first. */
	const struct nlu_reading *readings;
	size_t reading_count;
};

#define NLU_CONFIDENT 0.8

struct nlu_input {
	const char *question;
	const char *tenant; /* the tenant whose loaded names are used; NULL: only the catalogue's */
	const struct catalog_view
		*may; /* the tools, flows and dimensions that the caller may use */
	struct date today;
	struct company_calendar calendar;
	const json_t *session_context; /* last filters and tools, or NULL */
	const json_t *edited_filters;  /* filters that the client edited, or NULL */
	/* A reference to a row was replaced by the row's title in the question. Set by
	 * nlu_understand. */
	bool refers_to_row;
	/* How well the caller's documents match the question (find.h). NULL: no documents. */
	const struct find_reach *documents;
};

/* Pure. All results are allocated in the arena. */
void nlu_understand(const struct nlu *k, const struct nlu_input *in, struct arena *a,
		    struct understanding *out);

/* Candidate tools of this caller for a question, best first: at most NLU_SLICE_TOOLS of at most
 * NLU_SLICE_DOMAINS domains, plus those of the session context. Returns their number. Pure. */
size_t nlu_slice(const struct nlu *k, const struct nlu_input *in, struct arena *a,
		 const struct tool_def *const **out);

/* Number of clauses in a question. Clauses are separated by commas, semicolons, sentence ends and
 * words like "and". A single word, such as an item in a list of names, does not count. Pure. */
size_t nlu_clause_count(const struct nlu *k, const char *question, struct arena *a);

/* Catalogue examples similar to this question, most similar first, at most PROMPT_SIMILAR_MAX. Only
 * examples whose tools this caller may use and whose values the caller may know are included.
 * Permissions of other callers affect neither the selection nor its order. Pure. */
size_t nlu_examples(const struct nlu *k, const struct nlu_input *in, struct arena *a,
		    const struct example_def **out);

/* Reasons for refusing a question before any tool runs. */
enum refusal_kind {
	REFUSE_INJECTION,  /* prompt injection, or a request for internals */
	REFUSE_REFERENCE,  /* refers to something that was never mentioned */
	REFUSE_SCOPE,      /* about something outside the data */
	REFUSE_IMPOSSIBLE, /* asks for the impossible: an actual price of a forecast, month 13 */
	REFUSE_UNKNOWN,    /* names an unknown value */
};
const char *refusal_name(enum refusal_kind kind); /* "injection", … */
const char *
refusal_code(enum refusal_kind kind); /* code in its error view: "AMBIGUOUS_REFERENCE" */
struct refusal {
	enum refusal_kind kind;
	const char *term; /* the words that caused it; "" if they must not be repeated */
	const char *text; /* for the user */
};
/* Returns true when the question must be refused. `u`: its understanding; NULL: not available yet,
 * so only an injection is detected. A question understood with confidence (NLU_CONFIDENT) is never
 * refused for its topic (REFUSE_SCOPE). Takes microseconds. Loop thread only. */
bool nlu_refuse(const struct nlu *k, const struct nlu_input *in, const struct understanding *u,
		struct arena *a, struct refusal *out);

/* The value of the option that the text selects (by number, label or value); NULL: none. */
const char *nlu_choice(const struct nlu *k, const char *text, const json_t *ask, struct arena *a);

/* Parses a text that contains only a time ("15 January 2025", "from March to May"). Returns false
 * for any other text. */
bool nlu_parse_days(const struct nlu *k, const char *text, struct date today,
		    const struct company_calendar *calendar, struct arena *a, struct date *start,
		    struct date *end);

/* Filters in wire format: [{name,value,label,source,editable,param?}]. */
void nlu_filters_write(const struct understanding *u, const struct language *l, struct json_out *j);
/* Writes the value of a filter, or a list. */
void nlu_filter_value(const struct filter *f, struct json_out *j);
/* Values by filter name: from the filters, or from the parsed filters if there are none. Defaults
 * and display-only filters are left out. New reference. */
json_t *nlu_values(const struct understanding *u);
#define CONTEXT_QUERY "map_query" /* in the session context: a query over the map as text */
/* In the session context: {titles, needs} of the last list. `titles`: the titles of its rows, in
 * its order, at most ROWS_NAMED_MAX. `needs`: the permissions that the list required. A question
 * can refer to a row ("the second one"). No prompt includes the titles. */
#define CONTEXT_ROWS "rows"
/* Returns true when the text is the title of an entity's row ("Hudson Solar") in a dimension that
 * this caller may read. */
bool nlu_is_title(const struct nlu *k, const struct catalog_view *may, const char *tenant,
		  const char *text, struct arena *a);
/* True when a filter of the session context has this value, alone or in a list. */
bool nlu_filters_have(const json_t *session_context, const char *value);
/* The session context after this turn; it is stored, and sent as `standing` on the wire. New
 * reference. */
json_t *nlu_session_context(const struct understanding *u);
/* The JSON object printed by `vesperctl route`. New reference. */
json_t *nlu_route_json(const struct understanding *u);

#endif
