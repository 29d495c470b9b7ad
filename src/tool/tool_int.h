/*
 * Internals of the tool folder: a running call and its steps.
 */
#ifndef TOOL_INT_H
#define TOOL_INT_H

#include <stdio.h>

#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/str.h"
#include "vesper/tool.h"

struct toolbox {
	struct toolbox_options options;
	/* Function of each tool, in the catalogue's order. */
	tool_fn *run;
	struct map *map;        /* NULL: no tool uses it */
	struct source **source; /* by tool; NULL: depends on the caller's statement */
};

struct classification;

struct tool_call {
	struct op op;
	struct toolbox *box;
	const struct tool_def *tool;
	struct source *source; /* source of its statements; NULL: not known yet */
	const struct principal *who;
	const char *turn_id;
	bool is_probe;
	struct date today;
	int64_t timeout_ms;
	size_t rows_max; /* 0: DB_ROWS_MAX */
	struct tool_model model;
	struct arena *arena;
	struct args args; /* validated and resolved, by parameter name */
	struct result *result;
	tool_derive_fn derive;
	bool derives;             /* there are rows to derive from */
	struct tool_work *work;   /* job of a worker for this call, or NULL */
	tool_lookup_fn choose;    /* for a lookup that runs before the tool's statements */
	const char *cache_name;   /* key in the cache; NULL: not cached */
	bool is_cacheable;        /* the result may be cached, if it has rows or is empty */
	struct op *query;         /* running operation, or NULL */
	struct deferred deferred; /* ends a call that ran nothing */
	struct outcome *refused;  /* why a tool function did not start; or NULL */
	struct {
		const struct map_statement *statement;
		const json_t *json;           /* the query as received */
		const struct map_query *list; /* a query that can be narrowed; or NULL */
		const struct dimension_def
			*facets[MAP_FACETS_MAX]; /* by which its rows are counted */
	} map;                                   /* of a query over the map */
	size_t gate_rows;                        /* rows to read of ad hoc SQL; 0: another tool */
	const struct entity_def *gate_entity;    /* that its statement reads, or NULL */
	struct classification *classification;   /* classifies values of the map's rows; or NULL */
	int64_t began_us;
	tool_cb cb;
	void *owner;
};

/* Reads the caller's arguments and checks them against the header: types, limits, lists, defaults,
 * entities. False: the outcome has the reason. */
bool tool_args_read(struct tool_call *call, const json_t *plain, const struct args *typed,
		    struct outcome *out);

/* Sends statements to the source and records them in the call's result. Sets call->query. */
void tool_call_send(struct tool_call *call, struct source *source,
		    const struct source_statement *statements, size_t count, int64_t timeout_ms,
		    source_cb cb);

/* Starts the tool's function. If that fails, the call ends later with the reason. */
void tool_call_run(struct tool_call *call);

/* The same, unless the cache has a result for this call. */
void tool_call_run_cached(struct tool_call *call);
/* Caches the finished result. */
void tool_call_cache(const struct tool_call *call);

/* Serializes outcome, arguments, tables and facts. Only outcomes rows and empty may be packed. */
void tool_result_pack(struct buf *b, const struct result *r);
/* Allocates everything in the arena. False, with `out` unchanged: the bytes are not a valid result.
 */
bool tool_result_unpack(struct str bytes, struct arena *a, struct result *out);

/* Function of tools that run a query over the map. */
bool tool_map_run(struct tool_call *call, struct err *e);
/* Renders a statement of a query over the map. */
bool tool_map_statement(struct tool_call *call, const struct map_statement *s, const char *name,
			size_t rows_max, struct source_statement *out, struct err *e);
/* Groups an analysis query as its tool requires, unless the query has groups, and passes the groups
 * to the derivations. False: the call is refused. */
bool tool_map_group(struct tool_call *call, json_t *query, const struct map_query *q,
		    struct err *e);
/* For a tool with `points`, before its query runs. False: the call is refused, since there are too
 * few classes or the grouped values are not texts. */
bool tool_classify_begin(struct tool_call *call, const struct map_query *q, struct err *e);
/* After the query: classifies the grouped values, then ends the call. */
void tool_classify_run(struct tool_call *call);

/* Sums the column `metric` for each value of the first column of the result's only frame, on a
 * worker. `then` gets the CLASSIFY_VALUES_MAX values with the largest sums in the call's arena, the
 * largest first, and the number of distinct values. Sets call->query. */
typedef void (*count_values_cb)(struct tool_call *call, const char **values, size_t count,
				size_t distinct);
void tool_count_values(struct tool_call *call, size_t metric, count_values_cb then);

/* The words of a description or a class. The score of a value is 2 for each of these words that it
 * contains and 1 for each that only resembles one of its words. Pure. */
struct class_words {
	struct {
		const char *stems[CLASSIFY_WORDS_MAX]; /* of the word and its synonyms */
		size_t count;
	} words[CLASSIFY_WORDS_MAX];
	size_t count;
};
void class_words_read(const struct catalog *c, const char *text, struct arena *a,
		      struct class_words *out);
unsigned class_words_score(const struct class_words *w, const char *value);

/* Refuses the call as the caller's mistake, with a sentence as the reason. */
bool tool_map_refuse(struct tool_call *call, const char *code, const char *detail, struct err *e);
/* For a truncated list: counts its rows by each facet, so that the user can narrow it. False: there
 * is nothing to count. */
bool tool_map_narrow(struct tool_call *call);
/* The outcome of a call with a name that the dimension does not have. */
struct outcome tool_unknown_name(const struct tool_call *call, const struct dimension_def *d,
				 const char *param, const char *given, const struct name_match *m);

/* Function of tools for documents. */
bool tool_document_run(struct tool_call *call, struct err *e);

/* Adds a frame to the result. Takes ownership of the frame. */
void tool_frame_add(struct tool_call *call, const char *query, struct frame *take);

/* Function of tools for ad hoc SQL. */
bool tool_gate_run(struct tool_call *call, struct err *e);
/* Finds the source whose views the text reads, and the statement to send there. */
MUST_CHECK bool tool_gate_source(const struct catalog *c, const struct source_table *sources,
				 const struct gate_policy *policy, struct str sql, struct arena *a,
				 struct source **source, struct gate_result *out, struct err *e);
/* Views and columns that the gate found in the text. The database compares its own parse with
 * them. */
const struct source_allow *tool_gate_allow(const struct gate_result *checked, struct arena *a);

/* Marks a truncated table. `limit`: the statement itself stops one row after this many; 0: it has
 * no row limit. */
void tool_totals_mark(size_t limit, struct table *t);
/* Starts a query for the totals of a truncated main table, if the tool's file allows it. False: no
 * query is needed. */
bool tool_totals_query(struct tool_call *call, const struct args *args, source_cb cb);
/* Copies the totals into the main table. False: they do not match it. */
bool tool_totals_apply(struct tool_call *call, const struct table *totals);

/* Ends the call: the callback runs now, or after a worker has finished long computations. Loop
 * thread only. */
void tool_call_end(struct tool_call *call);
/* Last step of the end, once the result is complete. */
void tool_call_finish(struct tool_call *call);

/* Derives the result's facts and computes its hash, if required. False: done. True: a worker does
 * it, and tool_call_finish is called later. */
bool tool_work_start(struct tool_call *call, bool hashes);
/* Detaches a cancelled call from its worker, which ends without it. */
void tool_work_detach(struct tool_call *call);

/* Finds a derivation by name. NULL: unknown. */
const struct tool_derivation *tool_derivation(const struct tool_derivation *all, const char *name);

/* Compares the facts of a result, once all are derived, with the declared ones. Returns the first
 * difference, or NULL. Any thread. */
const char *tool_facts_error(const struct tool_def *tool, const struct result *r, struct arena *a);

/* Sets labels, units, types and priorities from the header, by column name. Any thread. */
void tool_describe(struct table *table, const struct tool_def *tool, const struct catalog *catalog);

/* Sets labels and groups of a column with a dimension's values. Any thread. */
void tool_describe_values(struct table *table, struct column *c, const struct dimension_def *d);

/* Binds the reserved arguments: tenant, date, limits, calendar. */
void tool_set_reserved(const struct catalog *c, const char *tenant, struct date today,
		       struct arena *a, struct args *args);

/* Binds the first day to read for a tool that counts days back from today. */
void tool_set_first_day(const struct tool_def *tool, const struct args *given, struct date today,
			struct arena *a, struct args *args);

/* Error code of SQL that its author can correct. */
#define TOOL_CODE_BAD_SQL "SQL_GENERATION_FAILED"
/* Error code of a failed search. */
#define TOOL_CODE_RETRIEVAL "RETRIEVAL_FAILED"

/* Converts an error to an outcome for users, without details of SQL, servers or files. */
struct outcome tool_outcome_of(const struct tool_call *call, const struct err *e);
/* The same for database errors: a denial concerns our database login, not the caller. */
struct outcome tool_outcome_of_db(const struct tool_call *call, const struct err *e);

#endif
