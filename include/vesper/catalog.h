/*
 * The catalogue: tools, domains, dimensions with their values and aliases, reports, roles, prompts.
 * One immutable object is made from the packs of a list (sql/<pack>, prompts/<pack>, config/<pack>)
 * and the files that all packs share. A reload makes a new object and replaces the pointer; code
 * that still uses the old object holds a reference. Loading is start-up work (it reads files).
 *
 * A broken file stops the start (or refuses the reload) with "path:line: what is wrong".
 *
 * Texts of sql/ and prompts/ may insert values from the packs' catalogue.json:
 * {values.health_domain} is the list of the dimension's values, each with its first alias in
 * brackets; {values.field_changed.money} the values of one of its groups; {peak_hours} the peak
 * hours. In a statement values are quoted, for use in IN (…).
 *
 * Fragments shared by statements of a pack are in sql/<pack>/fragments.sql (sql.h). Their names
 * must differ from parameters of the pack's tools.
 *
 * The header of a tool file (sql/<pack>/<domain>/<tool>.sql) declares the tool, one line per key:
 *
 *   tool, about, permission   its name, what it returns, the permission to use it
 *   source                    the named source of its views; default: the pack's
 *   report                    the reports that show the same, closest first
 *   agents                    who may call it, * for all; without it those of the domains
 *                             that list it
 *   visible                   no: only other tools use it; agents: only agents see it
 *   cache_s                   cache time of a result, in seconds
 *   param NAME text|int|decimal|date|bool|source|list(type,max)|list(type,min-max)
 *         required|optional [default=] [min=] [max=] [entity=] [filter=] [match=exact|like]
 *         [unit=] [values=A|B|…]
 *         [slot=day|days|days_ahead|above|below|order|step|not|thing|change|words] about
 *   column NAME [unit=] [priority=high|medium|low] [label=] [entity=] [permission=] [derived]
 *         [asof] [type=text|int|decimal|real|date|datetime|bool]
 *         real: displayed as a decimal, a double in a frame
 *   fact NAME [unit=UNIT|@PARAM] [label=] [type=number|int|text|date] [optional] about
 *         a fact that code derives from the rows; all must be declared. Without `optional` it
 *         exists whenever there are rows. @PARAM: the unit of the column that PARAM names
 *   answer, suggest           sentences with {name} of a parameter or a column, or {fact.name}
 *                             (view.h)
 *   suggest                   TEXT, or primary|secondary ["label" ->] TEXT [if CONDITION]; the
 *                             condition is over this result: row_count, outcome, facts.X, rows[0].X
 *   refer FILTER PATH word, several words, …
 *         a value that later steps may take from this result (ref.h), and the words for it:
 *         "vendor facts.higher_vendor the higher"
 *   window                    view.column: see below
 *   totals                    count, sum(Column), …: see below
 *   measures                  words for what it orders or counts: "views, most viewed"; questions
 *                             that rank by something else do not match it
 *   kind                      doc: passages of documents that match its parameter `question`;
 *                             sources: metadata of the data sources named by its parameters of
 *                             type source; it has no statement
 *   shows                     METRIC by DIMENSION, …, or one entity that it lists: the same
 *                             query over the map, from which a follow-up continues if no
 *                             parameter takes it
 *   words                     further words of users that ask for it, as a list
 *   grain                     words for what distinguishes its rows: "month, season"; questions
 *                             grouped by something else do not match it
 *   lookback                  number of days before those of its slot=days parameter that are
 *                             also read, with :first_day. That day is one earlier than counted,
 *                             as an entity's time zone may be behind the tenant's
 *   gate                      the parameter that holds the caller's ad hoc SELECT
 *   policy                    map: that SELECT reads only views of the map, and the tool's schema
 *                             does not list these; for agents with a protocol (schema.h)
 *   frame QUERY ROWS          the rows of this query go into a frame, at most ROWS of them
 *   derive NAME COLUMN [BY]   applies a derivation (tool.h) to this number column of the main
 *                             rows. BY distinguishes the rows; default: the first text column.
 *                             At most TOOL_DERIVES_MAX lines
 *
 * A tool with `map: PARAM` answers a query over the map. It may have a frame `main` and derivations
 * by name alone; these get the rows of the query and make the table and the facts. Further keys of
 * such a tool:
 *
 *   groups: time|thing|thing time|thing day|thing thing|thing thing time|rows
 *                             default grouping of the query
 *   cue: words, several words, …
 *                             words of a question that ask for this analysis
 *   points: PARAM             a model classifies the values of the thing by the words of this
 *                             parameter (tool_model in tool.h)
 *   several: N                number of measures that it takes from one question (default 1),
 *                             totals before averages
 *   counted: yes              adds the number of rows of each group after them
 *
 * A fact with unit=@measure has the unit of the measure.
 *
 * slot= names what fills a parameter from a question, besides values of its dimension: one day
 * (day); days back from today or ahead (days, days_ahead); a bound, "above $60" (above, below);
 * which end of a ranking comes first, asc or desc (order); the step of time to group by, one of its
 * `values` (step); excluded values (not). For an analysis: the one thing that the question names,
 * which is then not a condition (thing); the size of a change (change); the words after its cue
 * (words). For a bound NAME the loader adds a parameter NAME_incl: 1 if the bound is inclusive ("at
 * least"), else 0. Numbers are converted to the parameter's unit.
 *
 * default= of a date may be relative to the day of the question: today, today-30d, today+2w (d, w,
 * m, y).
 *
 * unit= names a unit of config/units.json. A value with blanks is quoted: label="As-of date".
 * entity= of a column: its cells are values of that dimension, displayed in the dimension's words.
 * asof: its cells are as-of dates, as shown in receipts. A column with permission=chat:read_budget
 * occurs only on `--? may_read_budget:` lines, one with a pack's permission=clinic:read only on
 * `--? may_clinic_read:` lines. Without the permission it is not even fetched.
 *
 * With `window`, the file must have a query `--# query window` that returns one row of two cells:
 * the first and the last value that exist for the same arguments. It runs only when "main" is
 * empty. With `totals`, when "main" has more rows than are read, the database is asked for the row
 * count and the aggregates of these number columns. The only row limit of "main" is then
 * :row_limit. Markers that code always binds: see catalog_marker_reserved.
 */
#ifndef VESPER_CATALOG_H
#define VESPER_CATALOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/bind.h"
#include "vesper/clock.h"
#include "vesper/component.h"
#include "vesper/dialect.h"
#include "vesper/err.h"
#include "vesper/flow.h"
#include "vesper/gate.h"
#include "vesper/language.h"
#include "vesper/principal.h"
#include "vesper/schema.h"
#include "vesper/sql.h"
#include "vesper/table.h"
#include "vesper/units.h"

struct factor;
struct suggest_def;

#define DOCUMENT_PARAM_QUESTION "question" /* of a document tool: the search text */
#define DOCUMENT_PARAM_DOCUMENT "document" /* searches only the document with this name or ID */
#define DOCUMENT_PARAM_TOP      "top_k"

enum param_type { PARAM_TEXT, PARAM_INT, PARAM_DECIMAL, PARAM_DATE, PARAM_BOOL };

/* What fills a parameter from a question. */
enum param_slot {
	SLOT_NONE, /* a value of its dimension or filter */
	SLOT_DAY,
	SLOT_DAYS,
	SLOT_DAYS_AHEAD,
	SLOT_ABOVE,
	SLOT_BELOW,
	SLOT_ORDER,
	SLOT_STEP, /* the step of time to group by; its `values` are names of grains */
	SLOT_NOT,
	SLOT_THING,   /* for an analysis: the thing that the question names */
	SLOT_CHANGE,  /* for an analysis: "by 10 %", negative for a decrease */
	SLOT_PERIODS, /* for an analysis: "the next 4 months", "3-month" */
	SLOT_WORDS    /* for an analysis: the words after its cue; for a list, after "as" */
};

/* The values of a slot=order parameter. */
#define ORDER_ASC  "asc"
#define ORDER_DESC "desc"

struct param_def {
	const char *name;
	enum param_type type;
	bool is_list;
	size_t list_min, list_max; /* number of values */
	bool accepts_single;       /* for list(type,1-max): single values are common, too */
	bool required;
	const char *default_text; /* NULL: none */
	bool has_min, has_max;
	int64_t min, max;
	const char *entity; /* dimension whose values it takes, or NULL */
	const char *filter; /* name in chat.filters; default: the parameter's name */
	bool is_source;     /* type source: a text, the name or ID of a data source */
	bool like;          /* match=like: bound as an escaped pattern */
	bool is_query;      /* a text that is a query over the map; an object is also accepted */
	size_t bytes_max;   /* of a text; 0: TEXT_ARG_BYTES_MAX */
	const char *const *values; /* the only texts it accepts, NULL-ended; NULL: any text */
	enum param_slot slot;
	const struct unit_def *unit; /* for a number, or NULL */
	const char *bound_of; /* the bound that this NAME_incl parameter belongs to; or NULL */
	const char *about;
};

enum fact_type { FACT_NUMBER, FACT_INT, FACT_TEXT, FACT_DATE };

/* A fact that code derives from a tool's rows. */
struct fact_def {
	const char *name;
	const char *label;   /* NULL: the name */
	const char *unit;    /* symbol, or NULL */
	const char *unit_of; /* the parameter naming the column that has its unit; or NULL */
	enum fact_type type;
	bool optional; /* may be missing from a result with rows */
	const char *about;
	int line; /* in the tool's file */
};

struct column_def {
	const char *name;
	const char *label; /* NULL: the name */
	const char *unit;
	bool has_type;
	enum column_type type;
	bool is_real; /* a decimal stored as a double in a frame */
	enum column_priority priority;
	const char *entity;     /* dimension whose values its cells are, or NULL */
	const char *permission; /* without it the column is not fetched */
	bool derived;
	bool asof; /* the as-of date of the row, as an ISO date */
};

/* A value that later steps may take from this tool's result. */
struct refer_def {
	const char *filter;       /* "vendor" */
	const char *path;         /* "facts.higher_vendor" */
	const char *const *words; /* words that refer to it, NULL-ended */
	int line;                 /* in the tool's file */
};

/* A query of the tool's file whose rows go into a frame, only for its derivation. */
struct frame_def {
	const char *query;
	size_t rows; /* maximum kept */
};

/* A derivation of the main table's rows. */
struct derive_def {
	const char *name;   /* "share_of_total" */
	const char *column; /* of numbers, must be fetched */
	const char *by;     /* column that distinguishes the rows */
	int line;           /* in the tool's file */
};

/* What distinguishes the rows of an analysis. */
enum tool_groups {
	GROUPS_NONE,
	GROUPS_TIME,       /* periods of the measure's time; a month */
	GROUPS_THING,      /* a dimension; the display name of a row */
	GROUPS_THING_TIME, /* both, in that order */
	GROUPS_THING_DAY,  /* the same by day */
	GROUPS_THINGS, /* two dimensions; if one is named, the display name of a row comes first */
	GROUPS_THINGS_TIME,
	GROUPS_ROWS /* the key: each row is a group */
};

struct tool_def {
	const char *name;
	size_t index;       /* in the catalogue's tools */
	const char *pack;   /* "energy" */
	const char *folder; /* below sql/<pack>: the domain that owns it */
	const char *about;
	const char *source;         /* of its views; NULL: the caller's statement determines it;
				       SOURCE_DOCUMENTS, SOURCE_OWN: no statement */
	const char *const *reports; /* keys, most similar first; NULL-ended */
	struct {
		const char *permission;    /* the user's */
		const char *const *agents; /* NULL-ended */
		bool visible;              /* to router, supervisor and agents */
		/* Visible to agents only: code can't read its arguments from a question. */
		bool agents_only;
		/* Only for agents with a protocol (schema.h): its SELECT reads views of the map. */
		bool by_protocol;
	} callers;
	/* The parameter that holds the caller's ad hoc SELECT; its files then have none. */
	const char *gate;
	/* The parameter that holds a query over the map (map.h), as JSON; its files then have
	 * none. */
	const char *map;
	struct {
		enum tool_groups groups; /* default grouping of its query; or NONE */
		const char *const *cues; /* words that ask for it, NULL-ended; or NULL */
		size_t measures;         /* maximum it takes; 0: one */
		bool counted;            /* followed by the number of rows */
		/* The parameter with a description of values, or with classes for them (tool.h,
		 * tool_model); or NULL */
		const char *points;
	} analysis;         /* over the map's rows */
	int64_t cache_s;    /* 0: never cached */
	int lookback;       /* days that its statements read before the requested ones */
	const char *window; /* "view.column" that bounds the dates, or NULL */
	struct {
		bool is_queryable; /* totals over a truncated result can be queried */
		const struct sql_totals_column *sums; /* the columns to sum */
		size_t sum_count;
	} totals;
	struct {
		const char *measures;        /* what it orders or counts; or NULL */
		const char *grain;           /* what distinguishes its rows; or NULL */
		const char *asked;           /* further words that ask for it; or NULL */
		const char *shows;           /* metric, or entity if shows_by is NULL, of the same
						query over the map; or NULL */
		const char *const *shows_by; /* its dimensions, NULL-ended */
		const char *answer;          /* a sentence with placeholders, or NULL */
		const struct suggest_def *suggest; /* follow-up questions, ended by a NULL text */
		const struct refer_def *refers;
		size_t refer_count;
	} words; /* texts for answers and routing */
	const struct param_def *params;
	size_t param_count;
	const struct column_def *columns;
	size_t column_count;
	const struct fact_def *facts;
	size_t fact_count;
	const struct frame_def *frames;
	size_t frame_count;
	const struct derive_def *derives;
	size_t derive_count;
	/* By dialect; the same file for all unless a dialect overrides it. */
	const struct sql_file *files[DIALECT_COUNT];
	const json_t *schema; /* JSON schema of the arguments, made from params, order fixed */
	const char *path;
};

/* A question and the call that answers it: "- QUESTION => TOOL NAME=VALUE …" in a domain's
 * examples. */
struct example_def {
	const char *id; /* its source: "file:dayahead:2", the domain's second */
	const char *question;
	const struct tool_def *tool;     /* of the domain */
	const char *const *filters;      /* "vendor=Ascend", in the parameter's form; NULL-ended */
	const struct param_def **params; /* parameter of each filter */
};

struct domain_def {
	const char *name; /* folder: "dayahead" */
	size_t index;     /* in the catalogue's domains */
	const char *pack;
	const char *agent;  /* "dayahead_agent" */
	const char *intent; /* "dayahead_curve" */
	const char *about;
	const char *const *examples;
	const struct example_def *calls; /* the examples that have a call */
	size_t call_count;
	const struct tool_def *const *tools; /* in the order of the front matter */
	size_t tool_count;
	int order;
	const char *permission; /* needed besides those of its tools; or NULL */
	const char *prompt;     /* the text after the front matter */
	const char *ask_name;   /* name of ask_user for its agent's model; NULL: ask_user */
	/* Its analyses are found by cues, so its description adds no words to the router's index,
	 * and it alone does not select a pack. Other domains are found by words. */
	bool by_cues;
};

struct alias_def {
	const char *text;  /* as users write it, lower case */
	const char *value; /* a known value */
	const char *when;  /* "market=CAISO": only with that value, or NULL */
	const char *pack;  /* that declares it */
};

struct dimension_def {
	const char *name;      /* "hub_zone": what `entity=` names */
	size_t index;          /* in the catalogue's dimensions */
	const char *pack;      /* the first that defines it */
	const char *filter;    /* "hub_zone": member of filters */
	const char *label;     /* "hub zone" */
	const char *view;      /* "Stage.mc_vendor_files", or NULL when values are fixed */
	const char *column;    /* "hubzone" */
	const char *source;    /* the view's; NULL without one */
	bool one_tenant;       /* the view serves one tenant and may lack tenant_id */
	const char *watermark; /* column of the view whose greatest value changes when the values
				  may have changed; NULL: values are reloaded each time */
	const char *const *values; /* fixed values, NULL-ended */
	const char *const *packs;  /* packs[i]: first to list values[i]; NULL: `pack` */
	const char *const *words; /* display words: value, words, value, words, …, NULL; the value
				     "" is a missing one. NULL: the values as they are */
	const char *const *groups;  /* classes of values that code or statements treat alike: value,
				       group, value, group, …, NULL; or NULL */
	const char *parent;         /* "market": dimension that scopes it, or NULL */
	const char *const *parents; /* parents[i] is the parent value of values[i], or NULL */
	const char *resolves; /* "project_name": its values resolve to values of that dimension and
				 are never a filter themselves; or NULL */
	const char *by;       /* "name": the view's column with the value of `resolves` */
	const struct alias_def *aliases;
	size_t alias_count;
	const char *permission; /* needed to find its values or get them suggested; or NULL */
	struct dimension_map map;
};

/* Maps a filter of an answer to a field of a report: "Curves/Hub Zone". */
struct report_filter {
	const char *filter; /* "hub_zone" */
	const char *table;
	const char *field;
};

struct report_def {
	const char *key; /* "dayahead_curve_report" */
	const char *menu_key;
	const char *label;
	const char *url; /* "" if not configured */
	const struct report_filter *filters;
	size_t filter_count;
};

struct calendar {
	int peak_first_hour; /* 7 */
	int peak_last_hour;  /* 22 */
};

/* Kinds of routing candidates. */
enum candidate_kind {
	CANDIDATE_TOOL,
	CANDIDATE_FLOW,
	CANDIDATE_APPROVED,
	CANDIDATE_METRIC,
	CANDIDATE_DOCUMENTS,
	CANDIDATE_KINDS
};

/* Weights of the router (config/router.json). */
struct router_weights {
	/* BM25 over the words of the catalogue. `enough`: weight of known words that counts in
	 * full; `documents`: bonus if one passage holds all words of a question */
	struct {
		double name, about, param, column, example, k1, b, enough, documents;
	} words;
	/* Score of a tool. For it: its words, its domain's words, how its parameters take the
	 * parsed values, being first in its domain or used in the last turn. Against it: parameters
	 * without a value, filters that it can't take, several calls, a list of one name, several
	 * values for a list other than its own */
	struct {
		double text, domain, facts, first, home, standing, missing, not_taken, calls,
			lone_list, other_list;
	} score;
	double kind[CANDIDATE_KINDS]; /* bonus by kind of candidate */
	struct {
		double least; /* minimum confidence for a flow without a model */
	} flow;
	struct {
		double speak; /* coverage from which documents answer the question */
	} documents;
	struct {
		double least; /* minimum share of words of readings offered when unsure */
	} reading;
	/* effect of one filter on a tool's score; times `soft` if its words may be no filter */
	struct {
		double required, optional, not_taken, soft;
	} fact;
	/* evidence that the question is about data; a known name counts 1 */
	struct {
		double least, followup, strange, time, trouble, word, words;
	} evidence;
	/* when a clause has a separate subject */
	struct {
		double least, clear;
	} part;
	/* logistic function of the lead over the next tool, and of evidence for and against the
	 * choice */
	struct {
		double base, margin, text, facts, standing, strange;
	} confidence;
};

/* A company term and its meaning. */
struct glossary_term {
	const char *term, *about;
};

/* A question of the first screen, offered to users who may use its tool. */
struct starter_def {
	const char *question;
	const struct tool_def *tool;
	const char *const *roles; /* only for these roles, NULL-ended; NULL: all */
};

/* Text that a pack adds to a shared prompt. */
struct prompt_rule {
	const char *prompt; /* "supervisor" */
	const char *text;
};

/* The packs' words for a company's language: config/<pack>/words.json. Lists are NULL-ended. */
struct pack_words {
	const char *company;     /* "an energy company"; the last pack with one wins */
	const char *const *stop; /* stop words besides the language's */
	const char *const *const *synonyms;
	size_t synonym_count;
	const char *const *nouns;    /* nouns that questions refer by: "that project" */
	const char *const *states;   /* states of a named thing: "on track" */
	const char *const *aspects;  /* attributes of a named thing: "the budget of" */
	const struct topic *outside; /* topics that users ask about but the data lacks */
	size_t outside_count;
	const struct topic *impossible; /* topics that the data cannot contain */
	size_t impossible_count;
	const struct glossary_term *glossary;
	size_t glossary_count;
	const struct prompt_rule *rules;
	size_t rule_count;
};

/* The packs of one catalogue, in order. */
struct pack_list {
	const char *key;          /* "core,energy" */
	const char *const *names; /* NULL-ended */
	/* Sources that serve one tenant alone, whose statements need no tenant condition. Source,
	 * tenant, source, tenant, …, NULL-ended; NULL: none. */
	const char *const *one_tenant;
};

/* Constants for the derivations of a pack; names are unique within a pack. */
struct pack_factors {
	const char *pack;
	const char *file;           /* config/<pack>/<pack>.json */
	const struct factor *items; /* ended by a NULL name */
};

struct catalog {
	const char *packs;            /* key of its pack list */
	const struct tool_def *tools; /* by name */
	size_t tool_count;
	const struct domain_def *domains; /* by order, then name */
	size_t domain_count;
	const struct flow_def *flows; /* by order, then name */
	size_t flow_count;
	const struct component_def *components; /* in the order of their files */
	size_t component_count;
	const struct dimension_def *dimensions;
	size_t dimension_count;
	const struct report_def *reports;
	size_t report_count;
	const struct starter_def *starters; /* in the order of their files */
	size_t starter_count;
	const struct language *language;
	struct pack_words words;
	struct units units;
	struct calendar calendar;
	struct router_weights router;
	const struct pack_factors *factors;
	size_t factor_count;
	const struct switches *switches; /* NULL: all tools are on */
	const char *hash;                /* SHA-256 of everything read, hex */
};

/* Reads the registry of all packs below these roots (NULL-ended), from their config/packs.json. In
 * the arena. */
struct packs;
MUST_CHECK bool packs_read(const char *const *roots, struct arena *a, struct packs **out,
			   struct err *e);
/* The pack list of a tenant with these packs (NULL-ended; NULL: all default ones), in the order of
 * the registry. The pack "core" is in every list. ERR_INPUT: an unknown pack, or one whose required
 * pack is missing. */
MUST_CHECK bool packs_list(const struct packs *p, const char *const *names, struct arena *a,
			   struct pack_list *out, struct err *e);

/* Each root (NULL-ended) holds sql/, prompts/ and config/; shared files are read from the first.
 * `packs` NULL: the default ones. Freed by the last catalog_unref. */
MUST_CHECK bool catalog_load(const char *const *roots, const struct pack_list *packs,
			     struct catalog **out, struct err *e);
/* NULL: the pack has no such file. */
const struct pack_factors *catalog_factors(const struct catalog *c, const char *pack);
struct catalog *catalog_ref(struct catalog *c);
void catalog_unref(struct catalog **c);

/* Tools that a tenant's administrators switched off, per agent. Not part of the immutable
 * catalogue, since it changes at run time; loop thread only. */
struct switches;
struct switch_off {
	const char *agent;
	const char *tool;
};
struct switches *switches_new(void);
void switches_free(struct switches **s);
/* Replaces this tenant's list; copied. */
void switches_set(struct switches *s, const char *tenant, const struct switch_off *off,
		  size_t count);
/* Switches one tool of this tenant off or on, without changing others; copied. */
void switches_set_one(struct switches *s, const char *tenant, const struct switch_off *which,
		      bool off);
bool switches_are_off(const struct switches *s, const char *tenant, const char *agent,
		      const char *tool); /* s may be NULL */
/* Borrowed; must outlive the catalogue. */
void catalog_use_switches(struct catalog *c, const struct switches *s);

bool catalog_has_pack(const struct catalog *c, const char *pack);
/* True if the filter has this wire name or its plural ("hours" of "hour"). */
bool catalog_filter_is(const char *filter, const char *name);
const struct tool_def *catalog_tool(const struct catalog *c, const char *name);
const struct flow_def *catalog_flow(const struct catalog *c, const char *name);
const struct domain_def *catalog_domain_of_agent(const struct catalog *c, const char *agent);
const struct dimension_def *catalog_dimension(const struct catalog *c, const char *name);
const struct report_def *catalog_report(const struct catalog *c, const char *key);
bool tool_is_document(const struct tool_def *t); /* it reads SOURCE_DOCUMENTS */
bool tool_is_own(const struct tool_def *t);      /* it reads SOURCE_OWN */
/* True for both kinds: instead of a statement, the source gets the arguments. */
bool tool_has_no_statement(const struct tool_def *t);
const struct param_def *tool_param(const struct tool_def *t, const char *name);
const struct fact_def *tool_fact(const struct tool_def *t, const char *name);
const char *fact_type_name(enum fact_type type);
/* Finds a parameter by its wire name; for a list parameter, also by the plural ("hours" finds
 * filter=hour). */
const struct param_def *tool_param_of_filter(const struct tool_def *t, const char *filter);
const struct param_def *params_of_filter(const struct param_def *params, size_t count,
					 const char *filter);

/* Parses a text as a value of the parameter's type ("2025" becomes an integer) within its limits;
 * for a list parameter, one value. Entities are not resolved here. ERR_INPUT: invalid; the text is
 * for the user. */
MUST_CHECK bool param_parse(const struct param_def *p, const char *text, struct arena *a,
			    struct value *out, struct err *e);

/* The parameter's default; a date such as today-30d is relative to `today`. ERR_INPUT as above. */
MUST_CHECK bool param_default(const struct param_def *p, struct date today, struct arena *a,
			      struct value *out, struct err *e);

/* :tenant_id, :today, :first_day, :row_limit, :peak_first_hour, :peak_last_hour. */
bool catalog_marker_reserved(const char *name);
/* The parameter with the number of days back from today; NULL: none. */
const struct param_def *catalog_days_param(const struct tool_def *t);
/* The parameter with the last of those days, instead of today: the first date parameter of a tool
 * that has days; NULL: none. */
const struct param_def *catalog_days_end_param(const struct tool_def *t);
/* The parameter for which the query `others` returns values with data: the first with a dimension;
 * NULL: none. */
const struct param_def *catalog_others_param(const struct tool_def *t);

/* Queries of a tool's file that run only when main returns no row. `window`: the first and the last
 * day (or year) with data. `others`, if there are none: values (with a label) that have data. */
#define TOOL_QUERY_WINDOW "window"
#define TOOL_QUERY_OTHERS "others"
bool tool_query_runs_when_empty(const char *name);
/* The condition for a permission: "may_read_budget" for "chat:read_budget"; in full for a pack's
 * permission, "may_clinic_read" for "clinic:read". Unique within a tool. */
const char *catalog_condition_of(const char *permission, struct arena *a);

/* The frame of a query; NULL: the query returns a table. */
const struct frame_def *tool_frame(const struct tool_def *t, const char *query);

/* The part of the catalogue that this caller may use. All code that lists tools or domains
 * (prompts, schemas, router, suggestions, REST) uses it. It has the visible and permitted tools,
 * and the domains with at least one of them. All memory in the arena. */
struct catalog_view {
	const struct catalog *catalog;
	const char *tenant;                      /* whose switches apply; NULL: all tenants */
	const struct principal *who;             /* borrowed; NULL: all callers */
	const struct domain_def *const *domains; /* with at least one usable tool */
	size_t domain_count;
	const struct tool_def *const *tools;
	size_t tool_count;
	const struct tool_def *const *agent_tools; /* visible to agents only */
	size_t agent_tool_count;
	const struct flow_def *const *flows;
	size_t flow_count;
	const bool *is_readable; /* by dimension: true when it is readable */
};
void catalog_for(const struct catalog *c, const struct principal *who, struct arena *a,
		 struct catalog_view *out);
/* Keeps only domains, flows and tools of this pack. */
void catalog_limit_to_pack(struct catalog_view *v, const char *pack, struct arena *a);
/* True when the caller of this view may use the flow. */
bool catalog_allows_flow(const struct catalog_view *v, const struct principal *who,
			 const struct flow_def *f, struct arena *a);
/* A flow that this caller may use; NULL: none. */
const struct flow_def *catalog_flow_in(const struct catalog_view *v, const char *name);
/* An agent through which this caller may use the tool (NULL `agent`: any of the tool's); NULL:
 * none. Used both for listing and for running tools. */
const char *catalog_agent_for(const struct catalog *c, const struct tool_def *tool,
			      const struct principal *who, const char *agent);
/* All visible tools, regardless of caller: to distinguish "not permitted" from "not found", and for
 * lists without a caller. Never for running tools. */
void catalog_for_all(const struct catalog *c, struct arena *a, struct catalog_view *out);
bool catalog_allows(const struct catalog_view *v, const struct tool_def *tool,
		    const char *agent); /* agent NULL: any */
/* The same for a tool of a flow's line, which may also take a query over the map. */
bool catalog_allows_step(const struct catalog_view *v, const struct tool_def *tool);

/* True when the dimension is readable for this caller (NULL: without permissions). */
bool catalog_dimension_readable(const struct dimension_def *d, const struct principal *who);

/* The first agent of the tool through which the view may use it; if none, the tool's first
 * agent. */
const char *catalog_agent_in(const struct catalog_view *v, const struct tool_def *tool);

/* The policy for ad hoc SQL of this tenant: views and columns by permission, each view restricted
 * to the rows of the tenant, with a limit of DB_ROWS_MAX + 1 rows. Views of a source that serves
 * one tenant alone are available to that tenant only and not restricted. Views of packs that
 * declare edges are joined only along them. `who` NULL: with every permission, to check the
 * catalogue. */
struct gate_policy catalog_gate_policy(const struct catalog *c, const struct principal *who,
				       const char *tenant, struct arena *a);

/* The permissions, NULL-ended, that a reader of the answer needs: the tool's, and those of each
 * view and column that the statement reads. */
const char *const *catalog_gate_permissions(const struct catalog *c, const struct tool_def *tool,
					    const struct gate_result *checked, struct arena *a);

/* Names of the approved views ("Stage.mc_dayahead"), NULL-ended. */
const char *const *catalog_views(const struct catalog *c);
/* The source of an approved view; NULL: not an approved view. */
const char *catalog_view_source(const struct catalog *c, const char *view);
/* True when a view is from this source. */
bool catalog_reads_source(const struct catalog *c, const char *source);
/* The schemas ("Stage" of Stage.prices) of its views, each once, NULL-ended. */
const char *const *catalog_schemas(const struct catalog *c, const char *source, struct arena *a);

/* True when config/permissions.json or a pack of the list declares it. */
bool catalog_has_permission(const struct catalog *c, const char *permission);
/* Permissions of a role from config/permissions.json, NULL-ended; NULL: no such role. */
const char *const *catalog_role(const struct catalog *c, const char *role);
/* The name of the n-th role; NULL after the last. */
const char *catalog_role_name(const struct catalog *c, size_t n);
/* Of the roles whose permissions this caller has in full, the one with the most permissions; "":
 * none. */
const char *catalog_role_of(const struct catalog *c, const struct principal *who);

/* The catalogue as JSON (name, about, permission, reports, agents, schema, columns, facts), for
 * vesperctl and REST. New reference. */
json_t *catalog_tools_json(const struct catalog_view *v);
/* One tool; NULL: the view has no such tool. New reference. */
json_t *catalog_tool_json(const struct catalog_view *v, const char *name);
/* JSON schema of the tool's output for this caller (view_call_rows), without columns that the
 * caller may not read. New reference. */
json_t *catalog_output_schema(const struct tool_def *t, const struct principal *who);
/* The view's agents: agent, name, about, capabilities, examples, inputs, outputs, flows, starters;
 * only outputs and starters that this caller may see. New reference. */
json_t *catalog_agents_json(const struct catalog_view *v, const struct principal *who);
/* "string", "integer", … as in JSON schema. */
const char *param_type_name(enum param_type type);

#endif
