/*
 * Everything the program knows before a question comes: tools, domains, dimensions with their
 * values and aliases, reports, roles, prompts. One immutable object made from the packs of a list
 * (sql/<pack>, prompts/<pack>, config/<pack>) and what they share; a reload makes a new one and
 * swaps the pointer; each user of the old one holds a reference. Loading is start-up work (it
 * reads files).
 *
 * A broken file stops the start (or refuses the reload) with "path:line: what is wrong".
 *
 * Texts of sql/ and prompts/ may take values from the packs' catalogue.json instead of repeating
 * them: {values.health_domain} is the list of the dimension's values, each with its first alias in
 * brackets; {values.field_changed.money} that of one of its groups; {peak_hours} the hours of the
 * peak. In a statement values are quoted, so that they stand in IN (…).
 *
 * Fragments that statements of a pack share stand in sql/<pack>/fragments.sql (sql.h). None may
 * have the name of a parameter of the pack's tools.
 *
 * Tool files (sql/<pack>/<domain>/<tool>.sql) say in their header what they are, a line each:
 *
 *   tool, about, permission   its name, what it gives, who may have it
 *   report                    the reports that show the same, the closest first
 *   agents                    who may call it, * for everybody; without it those of the domains
 *                             that list it
 *   visible                   no: only other tools use it; agents: only agents are shown it
 *   cache_s                   for how many seconds a result may serve again
 *   param NAME text|int|decimal|date|bool|list(type,max)|list(type,min-max) required|optional
 *         [default=] [min=] [max=] [entity=] [filter=] [match=exact|like] [unit=]
 *         [slot=day|days|days_ahead|above|below|order|not] about
 *   column NAME [unit=] [priority=high|medium|low] [label=] [entity=] [permission=] [derived]
 * [asof] [type=text|int|decimal|real|date|datetime|bool] real: shown as a decimal, in a frame a
 * double fact NAME [unit=UNIT|@PARAM] [label=] [type=number|int|text|date] [optional] about what
 * code derives from the rows: every fact that is added; without `optional` it is there whenever
 * there are rows. @PARAM: the unit of the column that this parameter names answer, suggest
 * sentences with {name} of a parameter or a column, or {fact.name} (view.h) refer FILTER PATH word,
 * several words, …: what a later step may take from this one (ref.h), and by which words; for
 * example "vendor facts.higher_vendor the higher" window                    view.column: see below
 *
 *   suggest                   TEXT, or primary|secondary ["label" ->] TEXT [if CONDITION]; the
 *                             condition is over this result: row_count, outcome, facts.X, rows[0].X
 *
 *   whole                     count, sum(Column), …: see below
 *   measures                  words of what it orders or counts: "views, most viewed"; a question
 *                             for the most of something else is not for it
 *   kind                      doc: passages of documents that fit the words of its parameter
 *                             `question`; sources: what is known of the data sources that its
 *                             parameters of the type source name; it has no statement
 *   shows                     METRIC by DIMENSION, …: the same over the map; a follow-up that no
 *                             parameter takes goes on from it
 *   grain                     words of what its rows are told apart by: "month, season"; a question
 *                             by something else is not for it
 *   lookback                  so many days before those of its slot=days parameter are read, too:
 *                             its statements may use :first_day, which is one day earlier than that
 *                             counted from today, as an entity's own zone may be behind the
 * tenant's gate                      the parameter that holds the caller's own SELECT
 *   policy                    map: that SELECT reads views of the map alone, and the tool's schema
 *                             does not list them; for agents with a protocol (schema.h) derive NAME
 * COLUMN [BY]: what code makes of the main rows: a derivation (tool.h) of this number column, whose
 * rows BY tells apart; without it the first column of text. At most TOOL_DERIVES_MAX lines
 *
 * A tool with `map: PARAM` answers a query over the map. It may have a frame `main` and derivations
 * by name alone: then the rows of the query go to these, which make the table and the facts. With
 * it stand `groups: time|thing|thing time|rows`, how the query is grouped where it does not say,
 * and `cue: words, several words, …` of a question that ask for just this; `several: N`, how many
 * it takes of one question (1), totals before averages; `counted: yes`, where the number of rows of
 * each group comes behind them. A fact with unit=@measure has the unit of what is measured.
 *
 * slot= says what of a question fills a parameter, beside values of its dimension: one day; days
 * back from today, or ahead; a number that bounds ("above $60"); which end of a ranking comes first
 * (asc or desc); values that are left out; of an analysis the one thing that is named ("thing"),
 * which is then no condition, and by how much something changes ("change"). A bound NAME has a
 * parameter NAME_incl beside it, which the loader adds: 1 where the number itself counts ("at
 * least"), else 0. A number of a question is converted to the parameter's unit.
 *
 * default= of a date may be counted from the day of the question: today, today-30d, today+2w (d, w,
 * m, y).
 *
 * unit= names a unit of config/units.json. A value with blanks is quoted: label="As-of date".
 * entity= of a column: its cells are values of that dimension, shown in the dimension's words.
 * asof: its cells are the days that the data is of, as receipts say. A column with
 * permission=chat:read_budget stands only on `--? may_read_budget:` lines, one with a pack's own
 * permission=clinic:read on `--? may_clinic_read:` lines, so that without the permission it is not
 * even fetched.
 *
 * `window` promises a further `--# query window` with one row of two cells, the first and the last
 * value that exist for the same arguments; it runs only when "main" is empty. `whole` allows that,
 * when "main" gave more rows than are read, the database is asked how many there are, and for the
 * aggregates of these number columns; its only row limit may be :row_limit. Markers bound by code,
 * whatever is asked: see catalog_marker_reserved.
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

#define DOCUMENT_PARAM_QUESTION "question" /* of a tool of documents: what is looked for */
#define DOCUMENT_PARAM_DOCUMENT "document" /* only in the one with this name or id */
#define DOCUMENT_PARAM_TOP      "top_k"

enum param_type { PARAM_TEXT, PARAM_INT, PARAM_DECIMAL, PARAM_DATE, PARAM_BOOL };

/* What of a question fills a parameter. */
enum param_slot {
	SLOT_NONE, /* a value of its dimension or filter */
	SLOT_DAY,
	SLOT_DAYS,
	SLOT_DAYS_AHEAD,
	SLOT_ABOVE,
	SLOT_BELOW,
	SLOT_ORDER,
	SLOT_NOT,
	SLOT_THING, /* of an analysis: the one of its things that the question names */
	SLOT_CHANGE /* of an analysis: "by 10 %", below zero where something goes down */
};

/* The values of a slot=order parameter. */
#define ORDER_ASC  "asc"
#define ORDER_DESC "desc"

struct param_def {
	const char *name;
	enum param_type type;
	bool is_list;
	size_t list_min, list_max; /* values that it takes */
	bool takes_one;            /* of list(type,1-max): one value is as usual as several */
	bool required;
	const char *default_text; /* NULL: none */
	bool has_min, has_max;
	int64_t min, max;
	const char *entity; /* dimension whose values it takes, or NULL */
	const char *filter; /* name in chat.filters; the parameter's own name when the file gives
			       none */
	bool is_source;     /* type source: a text, the name or the id of a data source */
	bool like;          /* match=like: bound as an escaped pattern */
	bool is_query;      /* a text that is a query over the map; an object is taken, too */
	size_t bytes_max;   /* of a text; 0: TEXT_ARG_BYTES_MAX */
	enum param_slot slot;
	const struct unit_def *unit; /* of a number, or NULL */
	const char *bound_of;        /* the bound that this one tells of whether it counts itself;
					or NULL */
	const char *about;
};

enum fact_type { FACT_NUMBER, FACT_INT, FACT_TEXT, FACT_DATE };

/* A fact that code derives from a tool's rows. */
struct fact_def {
	const char *name;
	const char *label;   /* NULL: the name */
	const char *unit;    /* symbol, or NULL */
	const char *unit_of; /* the parameter that names the column whose unit it has; or NULL */
	enum fact_type type;
	bool optional; /* a result with rows may lack it */
	const char *about;
	int line; /* in the tool's file */
};

struct column_def {
	const char *name;
	const char *label; /* NULL: the name */
	const char *unit;
	bool has_type;
	enum column_type type;
	bool is_real; /* a decimal that a frame holds as a double */
	enum column_priority priority;
	const char *entity;     /* dimension whose values its cells are, or NULL */
	const char *permission; /* without it the column is not even fetched */
	bool derived;
	bool asof; /* the day that the row's data is of, as an ISO date */
};

/* What a later step may take from this tool's result. */
struct refer_def {
	const char *filter;       /* "vendor" */
	const char *path;         /* "facts.higher_vendor" */
	const char *const *words; /* how a question points at it, NULL-ended */
	int line;                 /* in the tool's file */
};

/* A query of the tool's file whose rows go into a frame, for its derivation alone. */
struct frame_def {
	const char *query;
	size_t rows; /* kept at most */
};

/* A derivation of the main table's rows. */
struct derive_def {
	const char *name;   /* "share_of_total" */
	const char *column; /* of numbers, fetched */
	const char *by;     /* column that tells rows apart */
	int line;           /* in the tool's file */
};

/* What tells the rows of an analysis apart. */
enum tool_groups {
	GROUPS_NONE,
	GROUPS_TIME,       /* periods of the time of what is measured; a month */
	GROUPS_THING,      /* a dimension; what names a row for people */
	GROUPS_THING_TIME, /* both, in that order */
	GROUPS_THING_DAY,  /* the same by day */
	GROUPS_THINGS, /* two dimensions; where only one is said, what names a row comes first */
	GROUPS_THINGS_TIME,
	GROUPS_ROWS /* the key: every row is one */
};

struct tool_def {
	const char *name;
	size_t index;       /* in the catalogue's tools */
	const char *pack;   /* "energy" */
	const char *folder; /* below sql/<pack>: the domain that owns it */
	const char *about;
	const char *source;         /* whose views it reads; NULL: each caller's statement says;
				       SOURCE_DOCUMENTS, SOURCE_OWN: without any statement */
	const char *const *reports; /* keys, the closest first; NULL-ended */
	struct {
		const char *permission;    /* of the user */
		const char *const *agents; /* NULL-ended */
		bool visible;              /* to router, supervisor and agents */
		/* To agents alone: what it needs can't be read out of a question by code. */
		bool agents_only;
		/* To agents with a protocol alone (schema.h): its SELECT reads views of the map. */
		bool by_protocol;
	} callers;
	/* The parameter that holds the caller's own SELECT; then no file has any. */
	const char *gate;
	/* The parameter that holds a query over the map (map.h), as JSON; then no file has any. */
	const char *map;
	struct {
		enum tool_groups groups; /* of its query, where that does not say; or NONE */
		const char *const *cues; /* words that ask for it, NULL-ended; or NULL */
		size_t measures;         /* that it takes, at most; 0: one */
		bool counted;            /* the number of rows comes behind them */
	} analysis;                      /* of the map's rows */
	int64_t cache_s;                 /* 0: never cached */
	int lookback;       /* days that its statements read before those that are asked for */
	const char *window; /* "view.column" that bounds the dates, or NULL */
	struct {
		bool askable; /* of a result that was cut, the whole may be asked about */
		const struct sql_whole_column *sums; /* then these columns are summed */
		size_t sum_count;
	} whole;
	struct {
		const char *measures;        /* what it orders or counts; or NULL */
		const char *grain;           /* what its rows are told apart by; or NULL */
		const char *shows;           /* as a query over the map: this metric, or NULL */
		const char *const *shows_by; /* and these dimensions, NULL-ended */
		const char *answer;          /* a sentence with placeholders, or NULL */
		const struct suggest_def *suggest; /* follow-up questions, ended by a NULL text */
		const struct refer_def *refers;
		size_t refer_count;
	} words; /* of the tool's own, for answers */
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
	/* The same one unless a dialect overrides it. */
	const struct sql_file *files[DIALECT_COUNT];
	const json_t *schema; /* JSON schema of the arguments, made from params, order fixed */
	const char *path;
};

/* A question and the call that answers it: "- QUESTION => TOOL NAME=VALUE …" among a domain's
 * examples. The question alone is one of these. */
struct example_def {
	const char *id; /* where it comes from: "file:dayahead:2", the domain's second */
	const char *question;
	const struct tool_def *tool;     /* of the domain */
	const char *const *filters;      /* "vendor=Ascend", as a parameter takes it; NULL-ended */
	const struct param_def **params; /* of each */
};

struct domain_def {
	const char *name; /* folder: "dayahead" */
	size_t index;     /* in the catalogue's domains */
	const char *pack;
	const char *agent;  /* "dayahead_agent" */
	const char *intent; /* "dayahead_curve" */
	const char *about;
	const char *const *examples;
	const struct example_def *calls; /* those of the examples that say theirs */
	size_t call_count;
	const struct tool_def *const *tools; /* in the front matter's order */
	size_t tool_count;
	int order;
	const char *permission; /* that its callers need beside those of its tools; or NULL */
	const char *prompt;     /* the text after the front matter */
	const char *ask_name;   /* what its agent's model calls ask_user; NULL: just so */
	/* Its analyses are asked for by cues: what they are about makes no word ordinary, and no
	 * pack one to choose. Questions find any other by words. */
	bool by_cues;
};

struct alias_def {
	const char *text;  /* as people write it, lower case */
	const char *value; /* a known value */
	const char *when;  /* "market=CAISO": only together with that, or NULL */
	const char *pack;  /* that gives it */
};

struct dimension_def {
	const char *name;           /* "hub_zone": what `entity=` names */
	size_t index;               /* in the catalogue's dimensions */
	const char *pack;           /* the first that defines it */
	const char *filter;         /* "hub_zone": member of filters */
	const char *label;          /* "hub zone" */
	const char *view;           /* "Stage.mc_vendor_files", or NULL when values are fixed */
	const char *column;         /* "hubzone" */
	const char *source;         /* the view's; NULL without one */
	bool one_tenant;            /* the view is of one tenant and may have no tenant_id */
	const char *watermark;      /* column of the view whose greatest value moves when the values
				       may have changed; NULL: they are read anew each time */
	const char *const *values;  /* known beforehand, NULL-ended */
	const char *const *packs;   /* packs[i] is the first that lists values[i]; NULL: all are
				       of `pack` */
	const char *const *words;   /* how values are shown: value, words, value, words, …, NULL;
				       the value "" is an absent one. NULL: as they are */
	const char *const *groups;  /* kinds of values that code or statements treat alike: value,
				       group, value, group, …, NULL; or NULL */
	const char *parent;         /* "market": dimension that scopes it, or NULL */
	const char *const *parents; /* parents[i] is the parent value of values[i], or NULL */
	const char *resolves;       /* "project_name": a value stands for one of that dimension,
				       and is never a filter itself; or NULL */
	const char *by;             /* "name": the column of the view that has the other one */
	const struct alias_def *aliases;
	size_t alias_count;
	const char *permission; /* without it its values are neither found nor suggested; or NULL */
	struct dimension_map map;
};

/* Where a filter of an answer goes in a report: "Curves/Hub Zone". */
struct report_filter {
	const char *filter; /* "hub_zone" */
	const char *table;
	const char *field;
};

struct report_def {
	const char *key; /* "dayahead_curve_report" */
	const char *menu_key;
	const char *label;
	const char *url; /* "" when none is configured */
	const struct report_filter *filters;
	size_t filter_count;
};

struct calendar {
	int peak_first_hour; /* 7 */
	int peak_last_hour;  /* 22 */
};

/* What a question may be for. */
enum candidate_kind {
	CANDIDATE_TOOL,
	CANDIDATE_FLOW,
	CANDIDATE_APPROVED,
	CANDIDATE_METRIC,
	CANDIDATE_DOCUMENTS,
	CANDIDATE_KINDS
};

/* How the router weighs what it finds in a question (config/router.json). */
struct router_weights {
	/* BM25 over the words of the catalogue; `enough` weight of known words counts in full;
	 * `documents`: what all words of a question count that one passage holds */
	struct {
		double name, about, param, column, example, k1, b, enough, documents;
	} words;
	/* what speaks for a tool: its words, its domain's, how its parameters take what was said,
	 * that it is its domain's first or answered before; what speaks against it: parameters
	 * without a value, filters it cannot take, several calls, a list of one name, several
	 * values for another list than its own */
	struct {
		double text, domain, facts, first, home, standing, missing, not_taken, calls,
			lone_list, other_list;
	} score;
	double kind[CANDIDATE_KINDS]; /* added to the score of what is of this kind */
	struct {
		double least; /* confidence that a flow needs to run without a model */
	} flow;
	struct {
		double speak; /* coverage at which a question is about the documents */
	} documents;
	struct {
		double least; /* words' share of what is offered where nothing is sure */
	} reading;
	/* what one filter says about a tool, `soft` times that when its words may mean no filter */
	struct {
		double required, optional, not_taken, soft;
	} fact;
	/* is it about data at all? A known name counts 1 */
	struct {
		double least, followup, strange, time, trouble, word, words;
	} evidence;
	/* when a clause has its own subject */
	struct {
		double least, clear;
	} part;
	/* logistic: of the lead over the next tool, and of the evidence for and against the choice
	 */
	struct {
		double base, margin, text, facts, standing, strange;
	} confidence;
};

/* A word of the company, explained. */
struct glossary_term {
	const char *term, *about;
};

/* A question of the first screen. It is offered to whom may use its tool. */
struct starter_def {
	const char *question;
	const struct tool_def *tool;
	const char *const *roles; /* offered to these alone, NULL-ended; NULL: to all */
};

/* What a pack adds to a prompt that all packs share. */
struct prompt_rule {
	const char *prompt; /* "supervisor" */
	const char *text;
};

/* What the packs say of the company's language: config/<pack>/words.json. Lists are NULL-ended. */
struct pack_words {
	const char *company;     /* "an energy company"; the last pack that names it counts */
	const char *const *stop; /* words that say nothing here, beside the language's */
	const char *const *const *synonyms;
	size_t synonym_count;
	const char *const *nouns;    /* what questions point at: "that project" */
	const char *const *states;   /* what something named can be: "on track" */
	const char *const *aspects;  /* what something named has: "the budget of" */
	const struct topic *outside; /* what people ask for that is not in the data */
	size_t outside_count;
	const struct topic *impossible; /* what the data cannot hold */
	size_t impossible_count;
	const struct glossary_term *glossary;
	size_t glossary_count;
	const struct prompt_rule *rules;
	size_t rule_count;
};

/* The packs that one catalogue is made of, in their order. */
struct pack_list {
	const char *key;          /* "core,energy" */
	const char *const *names; /* NULL-ended */
	/* Sources that serve one tenant alone: what reads them need not name a tenant. Source,
	 * tenant, source, tenant, …, NULL-ended; NULL: none. */
	const char *const *one_tenant;
};

/* What the derivations of a pack go by; no pack has two of one name. */
struct pack_factors {
	const char *pack;
	const char *file;           /* config/<pack>/<pack>.json */
	const struct factor *items; /* ended by a NULL name */
};

struct catalog {
	const char *packs;            /* the key of its list */
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
	const struct switches *switches; /* NULL: everything is on */
	const char *hash;                /* SHA-256 of everything read, hex */
};

/* Every pack of these roots (NULL-ended), as their config/packs.json say. In the arena. */
struct packs;
MUST_CHECK bool packs_read(const char *const *roots, struct arena *a, struct packs **out,
			   struct err *e);
/* The list of a tenant with these packs (NULL-ended; NULL: all that are default), in the order of
 * the registry. The pack "core" is in every list. ERR_INPUT: an unknown pack, or one that needs
 * another that is missing. */
MUST_CHECK bool packs_list(const struct packs *p, const char *const *names, struct arena *a,
			   struct pack_list *out, struct err *e);

/* Each root (NULL-ended) holds sql/, prompts/ and config/; what packs share is read from the first.
 * `packs` NULL: those that are default. Free by the last catalog_unref. */
MUST_CHECK bool catalog_load(const char *const *roots, const struct pack_list *packs,
			     struct catalog **out, struct err *e);
/* NULL: the pack has no such file. */
const struct pack_factors *catalog_factors(const struct catalog *c, const char *pack);
struct catalog *catalog_ref(struct catalog *c);
void catalog_unref(struct catalog **c);

/* Tools that a tenant's administrators have switched off, agent by agent. Not part of a catalogue,
 * as it changes while one lives; loop thread only. */
struct switches;
struct switch_off {
	const char *agent;
	const char *tool;
};
struct switches *switches_new(void);
void switches_free(struct switches **s);
/* Replaces what was off for this tenant; copied. */
void switches_set(struct switches *s, const char *tenant, const struct switch_off *off,
		  size_t count);
/* Puts one tool of this tenant off, or on again, and leaves the others as they are; copied. */
void switches_put(struct switches *s, const char *tenant, const struct switch_off *which, bool off);
bool switches_are_off(const struct switches *s, const char *tenant, const char *agent,
		      const char *tool); /* s may be NULL */
/* Borrowed; outlives the catalogue. */
void catalog_use_switches(struct catalog *c, const struct switches *s);

bool catalog_has_pack(const struct catalog *c, const char *pack);
/* Is it a filter of this name on the wire, or several of it ("hours" of "hour")? */
bool catalog_filter_is(const char *filter, const char *name);
const struct tool_def *catalog_tool(const struct catalog *c, const char *name);
const struct flow_def *catalog_flow(const struct catalog *c, const char *name);
const struct domain_def *catalog_domain_of_agent(const struct catalog *c, const char *agent);
const struct dimension_def *catalog_dimension(const struct catalog *c, const char *name);
const struct report_def *catalog_report(const struct catalog *c, const char *key);
bool tool_is_document(const struct tool_def *t); /* it reads SOURCE_DOCUMENTS */
bool tool_is_own(const struct tool_def *t);      /* it reads SOURCE_OWN */
/* Its source gets the arguments themselves: either of these. */
bool tool_has_no_statement(const struct tool_def *t);
const struct param_def *tool_param(const struct tool_def *t, const char *name);
const struct fact_def *tool_fact(const struct tool_def *t, const char *name);
const char *fact_type_name(enum fact_type type);
/* By the name on the wire; a list parameter answers to the plural too ("hours" finds filter=hour).
 */
const struct param_def *tool_param_of_filter(const struct tool_def *t, const char *filter);
const struct param_def *params_of_filter(const struct param_def *params, size_t count,
					 const char *filter);

/* A text as a value of the parameter's type ("2025" becomes an integer), within its limits; of a
 * list parameter one of its values. Entities are not resolved here. ERR_INPUT says what is wrong
 * in words for the user. */
MUST_CHECK bool param_parse(const struct param_def *p, const char *text, struct arena *a,
			    struct value *out, struct err *e);

/* The parameter's default; a date such as today-30d is counted from `today`. ERR_INPUT as above. */
MUST_CHECK bool param_default(const struct param_def *p, struct date today, struct arena *a,
			      struct value *out, struct err *e);

/* :tenant_id, :today, :row_limit, :peak_first_hour, :peak_last_hour. */
bool catalog_marker_reserved(const char *name);
/* The parameter that says how many days back from today; NULL: there is none. */
const struct param_def *catalog_days_param(const struct tool_def *t);
/* The day that those days are counted from in place of today: the first date parameter of a tool
 * that has days; NULL: there is none. */
const struct param_def *catalog_days_end(const struct tool_def *t);
/* The parameter whose value the query others gives in place of one that has no data: the first that
 * takes values of a dimension; NULL: there is none. */
const struct param_def *catalog_others_param(const struct tool_def *t);

/* Queries of a tool's file that run only where main gives no row: the first and the last day (or
 * year) that there are, and, where there are none, values (with a label) of which there is data. */
#define TOOL_QUERY_WINDOW "window"
#define TOOL_QUERY_OTHERS "others"
bool tool_query_is_spare(const char *name);
/* The condition that stands for a permission: "may_read_budget" for "chat:read_budget"; a pack's
 * own in full, "may_clinic_read" for "clinic:read". No two of a tool have the same one. */
const char *catalog_condition_of(const char *permission, struct arena *a);

/* NULL: the query gives a table. */
const struct frame_def *tool_frame(const struct tool_def *t, const char *query);

/* What this caller may use. Everything that lists tools or domains (prompts, schemas, router,
 * suggestions, REST) asks here: a tool is in when it is visible and permitted, a domain when it has
 * such a tool. All memory in the arena. */
struct catalog_view {
	const struct catalog *catalog;
	const char *tenant;          /* whose switches count; NULL: everybody together */
	const struct principal *who; /* borrowed; NULL: everybody together */
	const struct domain_def *const *domains; /* with at least one usable tool */
	size_t domain_count;
	const struct tool_def *const *tools;
	size_t tool_count;
	const struct tool_def *const *agent_tools; /* those that only agents are shown */
	size_t agent_tool_count;
	const struct flow_def *const *flows;
	size_t flow_count;
	const bool *may_name; /* by dimension: may its values be known? */
};
void catalog_for(const struct catalog *c, const struct principal *who, struct arena *a,
		 struct catalog_view *out);
/* Leaves what is of this pack. */
void catalog_narrow(struct catalog_view *v, const char *pack, struct arena *a);
/* Whether the caller of this view may use a flow. */
bool catalog_allows_flow(const struct catalog_view *v, const struct principal *who,
			 const struct flow_def *f, struct arena *a);
/* A flow that this caller may use; NULL: there is none. */
const struct flow_def *catalog_flow_in(const struct catalog_view *v, const char *name);
/* An agent through which this caller may use the tool (NULL `agent`: any of the tool's); NULL:
 * none. What lists tools and what runs them both ask here. */
const char *catalog_agent_for(const struct catalog *c, const struct tool_def *tool,
			      const struct principal *who, const char *agent);
/* Every visible tool, for every caller: to tell "you may not" from "there is no such thing", and
 * for lists that are not for a caller. Never to run anything. */
void catalog_all(const struct catalog *c, struct arena *a, struct catalog_view *out);
bool catalog_allows(const struct catalog_view *v, const struct tool_def *tool,
		    const char *agent); /* agent NULL: any */
/* The same for the lines of a flow, which may also be queries over the map. */
bool catalog_allows_step(const struct catalog_view *v, const struct tool_def *tool);

/* May this caller (NULL: nobody) know values of the dimension? */
bool catalog_may_name(const struct dimension_def *d, const struct principal *who);

/* The first agent of a tool that the view has, through which it may be used. */
const char *catalog_agent_in(const struct catalog_view *v, const struct tool_def *tool);

/* What own SQL of this tenant may read: views and columns by permission, each view cut to the rows
 * of the tenant, DB_ROWS_MAX rows and one. Views of a source that serves one tenant alone are there
 * for that tenant, and are not cut. Views of packs that declare edges are joined along them only.
 * `who` NULL: with every permission, to check the catalogue. */
struct gate_policy catalog_gate_policy(const struct catalog *c, const struct principal *who,
				       const char *tenant, struct arena *a);

/* The permissions, NULL-ended, that a reader of the answer must have: the tool's, and those of each
 * view and column that the statement reads. */
const char *const *catalog_gate_needs(const struct catalog *c, const struct tool_def *tool,
				      const struct gate_result *checked, struct arena *a);

/* Names of the approved views ("Stage.mc_dayahead"), NULL-ended. */
const char *const *catalog_views(const struct catalog *c);
/* The source of an approved view; NULL: it is none. */
const char *catalog_view_source(const struct catalog *c, const char *view);
/* Whether any view is of this source. */
bool catalog_reads(const struct catalog *c, const char *source);
/* The schemas ("Stage" of Stage.prices) of its views, each once, NULL-ended. */
const char *const *catalog_schemas(const struct catalog *c, const char *source, struct arena *a);

/* Is it declared, by config/permissions.json or a pack of the list? */
bool catalog_has_permission(const struct catalog *c, const char *permission);
/* Roles of config/permissions.json. The list is NULL-ended; NULL when there is no such role. */
const char *const *catalog_role(const struct catalog *c, const char *role);
/* The name of the n-th role; NULL behind the last. */
const char *catalog_role_name(const struct catalog *c, size_t n);
/* The role with most permissions of those whose permissions this caller has all; "" when none fits.
 */
const char *catalog_role_of(const struct catalog *c, const struct principal *who);

/* The catalogue as JSON (name, about, permission, reports, agents, schema, columns, facts), for
 * vesperctl and REST. New reference. */
json_t *catalog_tools_json(const struct catalog_view *v);
/* One of them; NULL: the view has no such tool. New reference. */
json_t *catalog_tool_json(const struct catalog_view *v, const char *name);
/* What a call of the tool gives this caller (view_call_rows), as a JSON schema: columns that the
 * caller may not have are left out. New reference. */
json_t *catalog_output_schema(const struct tool_def *t, const struct principal *who);
/* The view's agents: agent, name, about, capabilities, examples, inputs, outputs, flows, starters;
 * of outputs and starters those that this caller may see. New reference. */
json_t *catalog_agents_json(const struct catalog_view *v, const struct principal *who);
/* "string", "integer", … as JSON schema has it. */
const char *param_type_name(enum param_type type);

#endif
