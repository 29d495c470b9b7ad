/*
 * Tools: named SQL, or C functions over named SQL. A call is checked (permission, agent,
 * arguments, entities), bound, run under the caller's tenant, and gives a result with a typed
 * outcome. Models and routers supply only a tool's name and arguments.
 *
 * A result with rows, or an empty one, is cached for the seconds given in the tool's header
 * (cache_s). The key contains the tenant and everything else that the result depends on; a cached
 * call runs nothing.
 *
 * tool_start never fails: every call ends with a result. Callbacks run from the loop.
 */
#ifndef VESPER_TOOL_H
#define VESPER_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/cache.h"
#include "vesper/catalog.h"
#include "vesper/clock.h"
#include "vesper/err.h"
#include "vesper/llm.h"
#include "vesper/names.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/pool.h"
#include "vesper/principal.h"
#include "vesper/result.h"
#include "vesper/source.h"

struct tool_call;

/* A tool function: binds the call's arguments to the named statements of its file and starts them
 * (tool_sql_run); later it derives facts. False: the call ends with this error as its outcome. Its
 * result must depend only on tenant, column permissions, arguments, date and catalogue, because
 * results are cached by these. */
typedef bool (*tool_fn)(struct tool_call *call, struct err *e);

struct tool_entry {
	const char *name;
	tool_fn run;
};

/* A factor that a module requires (config/<pack>/<pack>.json). */
struct required_factor {
	const char *name;
	double above;   /* it must be greater than this */
	bool is_public; /* it must be published: have a source */
};

/* A domain-agent module: agent, intent and prompt come from prompts/<pack>/<name>.md (front
 * matter), the functions from this struct. */
struct domain {
	const char *name;                      /* folder name: "dayahead" */
	const char *pack;                      /* its pack: "energy" */
	const struct tool_entry *tools;        /* ended by a NULL name */
	const struct required_factor *factors; /* ended by a NULL name; NULL: none */
};

/* A derivation that any tool's file may name: `-- derive: NAME COLUMN [BY]`. */
struct tool_derivation {
	const char *name;
	/* Adds facts to the result, and the column to its main table, which has rows. Any thread:
	 * it accesses nothing else. */
	void (*run)(struct result *r, const struct derive_def *of, struct arena *a);
	const char *column;       /* column that it may add; or NULL */
	const char *const *facts; /* facts that it may add, NULL-terminated */
};

struct toolbox; /* the tools of a catalogue with their functions, sources and caches */

struct toolbox_options {
	struct loop *loop;
	struct catalog *catalog; /* keeps a reference */
	struct entity_index *names;
	const struct source_table *sources; /* borrowed; must outlive the last call */
	struct source *documents; /* the same, for document tools; NULL: they find nothing */
	struct source *own;       /* the same, for tools of data sources */
	struct cache *cache;      /* NULL: no caching */
	struct store *store;      /* stores the audit log; NULL: none */
	/* Computes facts and hashes of analyses, and of results with more than TOOL_LOOP_ROWS rows.
	 * Borrowed; must outlive the last call. NULL: computed on the loop. */
	struct pool *workers;
	bool hide_existence; /* data that the caller may not see is reported as nonexistent */
	const struct domain *const
		*modules; /* NULL-terminated; domains without a module use tool_sql_run */
	const struct tool_derivation *derivations; /* ended by a NULL name; NULL: none */
};

/* ERR_INPUT: a module's table and its files differ (a tool without a file, or a file without an
 * entry); a file names an unknown derivation, or does not declare the column and the facts that its
 * derivation may add; a source is not configured; a module's prompt is missing, or a factor that it
 * requires is missing or too small. */
MUST_CHECK bool toolbox_new(const struct toolbox_options *options, struct toolbox **out,
			    struct err *e);
/* The same tools for an overlay (overlay.h) of the catalogue of `base`, with another entity index.
 * Keeps a reference to the catalogue. Any thread. */
struct toolbox *toolbox_with_overlay(const struct toolbox *base, struct catalog *c,
				     struct entity_index *names);
void toolbox_free(struct toolbox **b);

/*
 * A model that classifies values of a column for a tool (`-- points:`): which ones fit a
 * description, or which class each belongs to. It gets the values as numbered lines in a call
 * without tools, and answers with numbers only. Code maps these to values and binds them, and the
 * database counts.
 */
struct tool_model {
	struct llm *llm; /* NULL, unusable or beyond the budget: values are matched by words */
	const struct budget_owner *budget_owner;
	struct llm_trail *trail;
	int64_t deadline_ms; /* clock_mono_ms(); 0: none */
	/* Called after each call of the model; NULL: not needed. */
	void (*used)(void *owner, const struct llm_usage *usage);
	void *owner;
};

struct tool_request {
	const char *turn_id; /* for the audit log; NULL: outside a turn */
	const char *call;    /* ID in the turn, "c1" */
	const char *agent;
	const char *tool;
	const json_t *args;       /* from a model: JSON object; or */
	const struct args *bound; /* from the router: typed arguments */
	const struct principal *who;
	struct date today;
	int64_t timeout_ms; /* 0: the source's limit */
	/* Row limit instead of DB_ROWS_MAX, read without the cache. Not for ad hoc SQL, whose text
	 * contains its limit. 0: DB_ROWS_MAX. */
	size_t rows_max;
	bool is_probe; /* looks for suggestions; marked in the audit log */
	struct tool_model model;
};

typedef void (*tool_cb)(void *owner, struct result *r);

/* Starts a call. The result is allocated in the arena, which must outlive the operation, as must
 * `turn_id`, `who` and what `model` points to. */
struct op *tool_start(struct toolbox *b, const struct tool_request *request, struct arena *a,
		      tool_cb cb, void *owner);

/* The tool's description for its agent's model and this caller; in the arena. */
const char *tool_about(const struct toolbox *b, const struct tool_def *tool,
		       const struct principal *who, struct arena *a);

/* The map of its catalogue; NULL: no tool queries it. */
struct map;
const struct map *tool_map(const struct toolbox *b);

/* A fault in one argument of a call. */
struct tool_arg_fault {
	const char *arg; /* its name in the call; NULL: all arguments */
	bool is_known;   /* the tool has this argument */
	const char *message;
};
/* Checks JSON arguments against the tool's header: writes up to `max` faults and returns their
 * number. Names are not resolved: an unknown name is an outcome of the call. Pure; all memory is in
 * the arena. */
size_t tool_args_check(const struct tool_def *tool, const json_t *args, struct arena *a,
		       struct tool_arg_fault *out, size_t max);

/* The bound values of a tool's statements for these arguments (of its parameters, names resolved).
 * They include patterns for parameters that match by pattern, values bound by code, and conditions
 * that this caller's permissions fulfil. Pure; all memory is in the arena. */
struct args tool_bind(const struct catalog *c, const struct tool_def *tool,
		      const struct args *given, const struct principal *who, struct date today,
		      struct arena *a);

/*
 * Runs every statement of every tool, and those that load names of dimensions, once with made-up
 * arguments that match nothing, on the live schema and under this tenant. `problem` is called for
 * each statement that the database rejects ("path: tenant T: message"), and once for a source that
 * is unavailable, whose other statements are skipped. `done` is called at the end. For `vesperd
 * --check` and for tests.
 */
void toolbox_check(struct toolbox *b, const char *tenant,
		   void (*problem)(void *owner, const char *text), void (*done)(void *owner),
		   void *owner);

/* ---- For tool functions ---- */

/* Runs every query of the tool's file with the call's arguments; each gives a table of the result.
 * Most tools use this function. */
bool tool_sql_run(struct tool_call *call, struct err *e);

/* Adds facts and columns to a result, from its tables and arguments; all memory is in the arena.
 * Any thread: it accesses no other mutable data. */
typedef void (*tool_derive_fn)(struct result *r, struct arena *a);

/* Like tool_sql_run; when all tables are read, `derive` adds facts to the result. */
bool tool_sql_run_and_derive(struct tool_call *call, tool_derive_fn derive, struct err *e);

/* Evaluates a lookup: sets arguments of the call, or refuses the call with an outcome (false). */
typedef bool (*tool_lookup_fn)(struct tool_call *call, struct table *const *tables, size_t count,
			       struct outcome *refused);

/* Like tool_sql_run_and_derive, after a lookup: first the statements of another (hidden) tool run
 * with `args`, which match its header. The caller needs that tool's permission too. */
bool tool_sql_run_with_lookup(struct tool_call *call, const char *lookup, const struct args *args,
			      tool_lookup_fn choose, tool_derive_fn derive, struct err *e);

const struct args *tool_args(const struct tool_call *call);
struct date tool_today(const struct tool_call *call);
struct arena *tool_arena(struct tool_call *call);
/* Adds or replaces an argument before tool_sql_run. */
void tool_arg_set(struct tool_call *call, const char *name, struct value v);
void tool_arg_remove(struct tool_call *call, const char *name);

#endif
