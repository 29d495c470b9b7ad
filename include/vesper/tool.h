/*
 * Tools: named SQL (or own code over named SQL) behind one gate. A call is checked (permission,
 * agent, arguments, entities), bound, run under the caller's tenant, and gives a result with a
 * typed outcome. What a model or a router asks for is only ever a tool's name and arguments.
 *
 * A result with rows, or an empty one, is cached for the seconds that the tool's header gives
 * (cache_s), under the tenant and everything else it depends on; a call that finds it runs nothing.
 *
 * tool_start never fails: every end is a result. Callbacks come from the loop.
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
#include "vesper/names.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/pool.h"
#include "vesper/principal.h"
#include "vesper/result.h"
#include "vesper/source.h"

struct tool_call;

/* A tool function: binds the call's arguments to the named statements of its file and starts them
 * (tool_query), later derives facts. false: the call ends with this error as its outcome. What it
 * gives depends on tenant, column permissions, arguments, date and catalogue alone: results are
 * cached by these. */
typedef bool (*tool_fn)(struct tool_call *call, struct err *e);

struct tool_entry {
	const char *name;
	tool_fn run;
};

/* A factor that a module cannot do without (config/<pack>/<pack>.json). */
struct factor_need {
	const char *name;
	double above;   /* it is greater than this */
	bool is_public; /* published: it has a source */
};

/* A domain-agent module: agent, intent and prompt come from prompts/<pack>/<name>.md (front
 * matter), the functions from here. */
struct domain {
	const char *name;                  /* folder name: "dayahead" */
	const char *pack;                  /* "energy": the pack that has it */
	const struct tool_entry *tools;    /* ended by a NULL name */
	const struct factor_need *factors; /* the same; NULL: none */
};

/* A derivation that the file of any tool may name: `-- derive: NAME COLUMN [BY]`. */
struct tool_derivation {
	const char *name;
	/* Adds facts to the result, and the column to its main table. Any thread: it reads and
	 * writes nothing else. There are rows. */
	void (*run)(struct result *r, const struct derive_def *of, struct arena *a);
	const char *column;       /* that it may add, or NULL */
	const char *const *facts; /* that it may add, NULL-ended */
};

struct toolbox; /* the tools of a catalogue with their functions, and what they run on */

struct toolbox_options {
	struct loop *loop;
	struct catalog *catalog; /* referenced */
	struct name_book *names;
	const struct source_table *sources; /* borrowed, must outlive the last call */
	struct source *documents; /* the same, of tools of documents; NULL: they find nothing */
	struct source *own;       /* the same, of tools of data sources */
	struct cache *cache;      /* NULL: every call runs */
	struct store *store;      /* keeps the audit log; NULL: there is none */
	/* Facts and hashes of results with more than TOOL_LOOP_ROWS; borrowed, must outlive the
	 * last call. NULL: they are made on the loop. */
	struct pool *workers;
	bool hide_existence; /* what the caller may not see is reported as nonexistent */
	const struct domain *const *modules;       /* NULL-ended; domains of the catalogue without a
						      module get tool_sql_run */
	const struct tool_derivation *derivations; /* ended by a NULL name; NULL: there are none */
};

/* ERR_INPUT: a module's table and its files disagree (a tool without a file, a file's tool without
 * an entry); a file names an unknown derivation, or does not declare the column and the facts that
 * its derivation may add. */
MUST_CHECK bool toolbox_new(const struct toolbox_options *options, struct toolbox **out,
			    struct err *e);
/* The same tools for a catalogue that adds to that of `base` (overlay.h), with other names; like a
 * new one otherwise. Refers to the catalogue. Any thread. */
struct toolbox *toolbox_with_overlay(const struct toolbox *base, struct catalog *c,
				     struct name_book *names);
void toolbox_free(struct toolbox **b);

struct tool_request {
	const char *turn_id; /* for the audit log; NULL: outside of any */
	const char *call;    /* id inside the turn, "c1" */
	const char *agent;
	const char *tool;
	const json_t *args;       /* from a model: object of plain JSON; or */
	const struct args *bound; /* from the router: typed already */
	const struct principal *who;
	struct date today;
	int64_t timeout_ms; /* 0: the source's own */
	/* At most this many rows instead of DB_ROWS_MAX, read without the cache. Not for ad hoc
	 * SQL, which has its limit in its text. 0: DB_ROWS_MAX. */
	size_t rows_max;
	bool is_probe; /* looks for what could be asked; the audit log says so */
};

typedef void (*tool_cb)(void *owner, struct result *r);

/* The result lives in the arena, which must outlive the operation. */
struct op *tool_start(struct toolbox *b, const struct tool_request *request, struct arena *a,
		      tool_cb cb, void *owner);

/* What a tool is for, as its agent's model of this caller is told; in the arena. */
const char *tool_about(const struct toolbox *b, const struct tool_def *tool,
		       const struct principal *who, struct arena *a);

/* The map of its catalogue; NULL: no tool asks one. */
struct map;
const struct map *tool_map(const struct toolbox *b);

/* What is wrong with one argument of a call. */
struct tool_arg_fault {
	const char *arg; /* as it was named; NULL: the arguments as a whole */
	bool is_known;   /* it is one of the tool's */
	const char *message;
};
/* What is wrong with plain arguments, as far as the tool's header tells: up to `max` faults, and
 * how many there are. Names are not looked up: whether one is known is an outcome of the call.
 * Pure; all memory in the arena. */
size_t tool_args_check(const struct tool_def *tool, const json_t *args, struct arena *a,
		       struct tool_arg_fault *out, size_t max);

/* What a tool's statements are filled with when it is called with these arguments (which are of its
 * parameters, names resolved): patterns where a parameter matches by them, what code binds, the
 * conditions that this caller's permissions fulfil. Pure; all memory in the arena. */
struct args tool_bind(const struct catalog *c, const struct tool_def *tool,
		      const struct args *given, const struct principal *who, struct date today,
		      struct arena *a);

/*
 * Runs every statement of every tool, and those that read the names of dimensions, once with
 * made-up arguments that match nothing, against the live schema and under this tenant: `problem` is
 * called for each one that the database refuses ("path: what it said"), and once for a source that
 * cannot be reached, of which no further statement is tried; `done` is called at the end. For
 * `vesperd --check` and for tests.
 */
void toolbox_check(struct toolbox *b, const char *tenant,
		   void (*problem)(void *owner, const char *text), void (*done)(void *owner),
		   void *owner);

/* ---- For tool functions ---- */

/* Runs every query of the tool's file with the call's arguments; each gives a table of the result.
 * The shared function of most tools. */
bool tool_sql_run(struct tool_call *call, struct err *e);

/* Adds facts and columns to a result from its tables and arguments; all memory in the arena. Any
 * thread: it reads and writes nothing else that changes. */
typedef void (*tool_derive_fn)(struct result *r, struct arena *a);

/* As tool_sql_run; when all tables are there, `derive` adds facts to the result. */
bool tool_sql_run_then(struct tool_call *call, tool_derive_fn derive, struct err *e);

/* Reads what a lookup gave: sets arguments of the call, or refuses it with an outcome (false). */
typedef bool (*tool_choose_fn)(struct tool_call *call, struct table *const *tables, size_t count,
			       struct outcome *refused);

/* As tool_sql_run_then, after names were looked up: first the statements of another (hidden) tool
 * run with `args`, which are as its header says; the caller needs its permission too. */
bool tool_sql_run_after(struct tool_call *call, const char *lookup, const struct args *args,
			tool_choose_fn choose, tool_derive_fn derive, struct err *e);

const struct args *tool_args(const struct tool_call *call);
struct date tool_today(const struct tool_call *call);
struct arena *tool_arena(struct tool_call *call);
/* Adds or replaces an argument before tool_sql_run. */
void tool_arg_set(struct tool_call *call, const char *name, struct value v);
void tool_arg_drop(struct tool_call *call, const char *name);

#endif
