/*
 * Inside the tool folder: a running call, and the steps that it goes through.
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
	/* One for each tool of the catalogue, in its order. */
	tool_fn *run;
	struct map *map;        /* NULL: no tool asks it */
	struct source **source; /* what it reads; NULL: its caller's statement says */
};

struct tool_call {
	struct op op;
	struct toolbox *box;
	const struct tool_def *tool;
	struct source *source; /* what its statements read; NULL: not known yet */
	const struct principal *who;
	const char *turn_id;
	bool is_probe;
	struct date today;
	int64_t timeout_ms;
	size_t rows_max; /* 0: DB_ROWS_MAX */
	struct arena *arena;
	struct args args; /* checked and resolved, by parameter name */
	struct result *result;
	tool_derive_fn derive;
	bool derives;           /* there are rows to derive from */
	struct tool_work *work; /* what a worker does for it now, or NULL */
	tool_choose_fn choose;  /* of a lookup that runs before the tool's own statements */
	const char *cache_name; /* what the cache knows the result by; NULL: it is never kept */
	bool may_keep;          /* this run's result is worth keeping, if it has rows or is empty */
	struct op *query;       /* what runs now, or NULL */
	struct later later;     /* an end that nothing had to run for */
	struct outcome *refused; /* why a tool function did not start; or NULL */
	struct {
		const struct map_statement *statement;
		const json_t *json;           /* the query as it came */
		const struct map_query *list; /* that may be narrowed; or NULL */
		const struct dimension_def
			*facets[MAP_FACETS_MAX]; /* that its rows are counted by */
	} map;                                   /* of a query over the map */
	size_t gate_rows;                        /* of a statement by a protocol; 0: of none */
	const struct entity_def *gate_entity;    /* that such a statement reads, or NULL */
	int64_t began_us;
	tool_cb cb;
	void *owner;
};

/* The caller's arguments, checked against the header: types, limits, lists, defaults, entities.
 * False: the outcome says why not. */
bool tool_args_read(struct tool_call *call, const json_t *plain, const struct args *typed,
		    struct outcome *out);

/* Sends statements to the source and keeps them with the call's result. Sets call->query. */
void tool_call_send(struct tool_call *call, struct source *source,
		    const struct source_statement *statements, size_t count, int64_t timeout_ms,
		    source_cb cb);

/* Starts the tool's function, or ends the call later with why it could not. */
void tool_call_run(struct tool_call *call);

/* The same, unless a result of just this call is in the cache. */
void tool_call_run_cached(struct tool_call *call);
/* Keeps the finished result for the next call like it. */
void tool_call_keep(const struct tool_call *call);

/* Outcome, arguments, tables and facts as bytes. Only outcomes rows and empty may be packed. */
void tool_result_pack(struct buf *b, const struct result *r);
/* Everything lies in the arena. False, and `out` untouched: these bytes are no result. */
bool tool_result_unpack(struct str bytes, struct arena *a, struct result *out);

/* The function of tools that answer a query over the map. */
bool tool_map_run(struct tool_call *call, struct err *e);
/* A statement of a query over the map, as it is sent. */
bool tool_map_statement(struct tool_call *call, const struct map_statement *s, const char *name,
			size_t rows_max, struct source_statement *out, struct err *e);
/* Groups the query of an analysis as its tool wants it, where it does not say; and tells the
 * derivations what the groups are. The call is refused where that cannot be. */
bool tool_map_group(struct tool_call *call, json_t *query, const struct map_query *q,
		    struct err *e);
/* Ends the call as a mistake of its caller's that a sentence explains. */
bool tool_map_refuse(struct tool_call *call, const char *code, const char *detail, struct err *e);
/* Only the first rows of a list are there: asks how many there are by each of its facets, for the
 * user to choose. False: there is nothing to ask. */
bool tool_map_narrow(struct tool_call *call);
/* A name that no value of the dimension has, as the outcome of the call. */
struct outcome tool_unknown_name(const struct tool_call *call, const struct dimension_def *d,
				 const char *param, const char *said, const struct name_match *m);

/* The function of tools of documents. */
bool tool_document_run(struct tool_call *call, struct err *e);

/* Adds a frame to the result. */
void tool_frame_take(struct tool_call *call, const char *query, struct frame *take);

/* The function of tools whose statement the caller gives. */
bool tool_gate_run(struct tool_call *call, struct err *e);
/* The source whose views the text reads, with the text as it may be sent there. */
MUST_CHECK bool tool_gate_source(const struct catalog *c, const struct source_table *sources,
				 const struct gate_policy *policy, struct str sql, struct arena *a,
				 struct source **source, struct gate_result *out, struct err *e);
/* What the gate read in a text, for the database to hold its own reading against. */
const struct source_allow *tool_gate_allow(const struct gate_result *checked, struct arena *a);

/* Marks what a table holds as a part, when it is one. `limit`: the statement itself ends one row
 * past so many; 0: it does not. */
void tool_whole_mark(size_t limit, struct table *t);
/* Asks for the figures of the whole of the main table, where the tool's file allows it and there is
 * more than was read: starts the call's query. */
bool tool_whole_ask(struct tool_call *call, const struct args *args, source_cb cb);
/* Puts them into the main table; false when they do not fit it. */
bool tool_whole_use(struct tool_call *call, const struct table *whole);

/* Ends the call: the callback runs now, or after a worker has done what is long about the result.
 * Loop thread only. */
void tool_call_end(struct tool_call *call);
/* The rest of the end, when the result is whole. */
void tool_call_finish(struct tool_call *call);

/* Derives the result's facts, if the call derives any, and its hash, if it has one. False: that is
 * done. True: a worker does it, and tool_call_finish is called later. */
bool tool_work_start(struct tool_call *call, bool hashes);
/* The call is cancelled: a worker that is at it ends without it. */
void tool_work_leave(struct tool_call *call);

/* The derivation of this name, or NULL. */
const struct tool_derivation *tool_derivation(const struct tool_derivation *all, const char *name);

/* What is wrong with the facts of a result, all of which are derived; NULL: nothing. Any thread. */
const char *tool_facts_wrong(const struct tool_def *tool, const struct result *r, struct arena *a);

/* Names, labels, units, types and priorities come from the header, by column name. Any thread. */
void tool_describe(struct table *table, const struct tool_def *tool, const struct catalog *catalog);

/* Words and groups of a column that shows a dimension's values. Any thread. */
void tool_describe_values(struct table *table, struct column *c, const struct dimension_def *d);

/* The arguments that code binds whatever is asked: tenant, date, limits, calendar. */
void tool_set_reserved(const struct catalog *c, const char *tenant, struct date today,
		       struct arena *a, struct args *args);

/* The first day that statements of a tool with days back from today read. */
void tool_set_first_day(const struct tool_def *tool, const struct args *given, struct date today,
			struct arena *a, struct args *args);

/* The code of a statement that its author can write otherwise. */
#define TOOL_CODE_BAD_SQL "SQL_GENERATION_FAILED"
/* The code of a search that failed. */
#define TOOL_CODE_RETRIEVAL "RETRIEVAL_FAILED"

/* An error of the world as an outcome for users: what they can understand, and nothing of SQL,
 * servers or files. */
struct outcome tool_outcome_of(const struct tool_call *call, const struct err *e);
/* The same of a database: what it denies, it denies to our own login, not to the caller. */
struct outcome tool_outcome_of_db(const struct tool_call *call, const struct err *e);

#endif
