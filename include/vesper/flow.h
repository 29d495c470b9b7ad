/*
 * Flows: plans written as text (prompts/<pack>/flow/<name>.flow), which answer a question the same
 * way every time, without a model. Read and checked with the catalogue; immutable.
 *
 *   file    = "---" front matter "---" { line }                UTF-8; a "#" begins a comment line
 *   front   = flow: NAME, about: TEXT, examples: list, agent: AGENT, permission: NAME,
 *             answer: model|template (default: template), order: INT
 *   line    = do | ask | show | say | suggest                  a final "\" continues the line
 *   do      = "do" ID TOOL|AGENT [ "each" FILTER ] { PARAM "=" value } [ "if" condition ]
 *   ask     = "ask" FILTER ( "single" | "multiple" MIN ".." MAX | "date" | "date_range" )
 *             [ "from" TASK "." TABLE "value=" COLUMN "label=" COLUMN [ "group=" COLUMN ] ]
 *             [ "between" DATE "and" DATE ] QUOTED [ "hint=" QUOTED ]
 *             [ "skip=" QUOTED "=" value ] [ "if" condition ]
 *   show    = "show" COMPONENT { PROP "=" value } [ "if" condition ]
 *   say     = "say" QUOTED [ "if" condition ]
 *   suggest = "suggest" ( "primary" | "secondary" ) QUOTED "->" QUOTED [ "if" condition ]
 *   value   = WORD | NUMBER | QUOTED | DATE | "{" reference "}" | "[" value { "," value } "]"
 *
 * Texts, also those of props, may hold {reference} and {filter.NAME}. A part in [[ ]] is left out
 * if one of its placeholders has no value. A prop that is a table or a series is a {TASK.TABLE};
 * TABLE is "rows" for the main table. A DATE may be relative to the day of the question (today-7d).
 * In an example, "{FILTER}" is a value that a question gives.
 *
 * A parameter that a line does not name takes the current value of its filter; a required one must
 * be named or asked for. A line waits for an earlier question whose answer it uses. A line whose
 * tool takes a query over the map (map.h) has the query as JSON. In it, "{filter.NAME}", alone in
 * "values" of a condition or as a day of "period", is the value of that filter, which must be asked
 * for or given. "each" makes a task for every value of a filter: "budget.1", "budget.2", …; a
 * reference to "budget" is to the first of them with rows.
 */
#ifndef VESPER_FLOW_H
#define VESPER_FLOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/err.h"

struct catalog;
struct condition;
struct param_def;
struct tool_def;

enum flow_kind { FLOW_DO, FLOW_ASK, FLOW_SHOW, FLOW_SAY, FLOW_SUGGEST };
enum ask_input { ASK_SINGLE, ASK_MULTIPLE, ASK_DATE, ASK_DATE_RANGE };

/* Source of a question's options. */
struct flow_options {
	const char *task, *table;
	const char *value, *label, *group; /* columns; group may be NULL */
};

struct flow_line {
	enum flow_kind kind;
	int line;              /* number in the file */
	const char *condition; /* NULL: always */
	const struct condition *when;
	const char *text; /* ask and say: the text; suggest: the question */
	const char *id;   /* do: the ID; show: "show1", … */
	json_t *values; /* do: by parameter, show: by prop; text, array of texts, or {"$ref": …}; {}
			   for an agent */
	/* do */
	const struct tool_def *tool; /* NULL: an agent's loop */
	const char *agent;           /* NULL: the flow's agent, if it may use the tool */
	const char *each;            /* filter, or NULL */
	/* For a query over the map: its "{filter.NAME}" placeholders as parameters. */
	const struct param_def *slots;
	size_t slot_count;
	/* show */
	const char *component;
	/* ask */
	const char *filter;
	enum ask_input input;
	size_t min, max;                    /* for ASK_MULTIPLE */
	const struct flow_options *options; /* NULL: none */
	const char *first, *last;           /* dates, or NULL */
	const char *hint;                   /* or NULL */
	const char *skip;                   /* label, or NULL */
	const json_t *skip_value;
	/* suggest */
	bool primary;
	const char *label;
};

/* The approval of a tenant's flow. */
struct flow_approval {
	const char *by, *at;     /* user, RFC 3339 */
	int64_t version;         /* approved version of its text; 0: not approved */
	const char *fingerprint; /* flow_fingerprint at the last check */
};

struct flow_def {
	const char *name;
	size_t index; /* in the catalogue's flows */
	const char *pack, *path;
	const char *about;
	const char *const *examples; /* NULL-ended */
	const char *agent;
	const char *permission; /* NULL: those of its tools suffice */
	bool by_model;          /* a model writes the answer */
	bool own;               /* a tenant's flow, from its overlay (overlay.h); not a pack's */
	struct flow_approval approval; /* if own */
	int order;
	struct flow_line *lines;
	size_t line_count;
	const char *hash; /* SHA-256 of flow_text, hex */
};

/* Parses and checks a flow of this pack; everything in the arena. ERR_INPUT: "path:line: what is
 * wrong". Pure. */
MUST_CHECK bool flow_read(const struct catalog *c, const char *pack, const char *path,
			  const char *text, struct arena *a, struct flow_def *out, struct err *e);

/* A stored answer that is to be approved. */
struct approval {
	const char *name, *question;
	const json_t *examples; /* array of texts: further example questions; NULL: none */
	const json_t *slots;    /* array of filters that vary between questions; NULL: those of this
				   question. Dates always vary */
	const json_t *standing; /* session context after the answer */
	const json_t *calls;    /* array of {tool, args}: the calls, if no plan is stored */
	bool by_model;
};
/* Converts the answer's calls to the text of a flow and checks it. In the questions, "{FILTER}"
 * replaces the value of a slot. *warnings: array of texts. ERR_INPUT "code: why": plan_has_agent,
 * plan_has_sql, plan_is_flow, plan_has_changed, plan_too_long, no_plan, or "path:line: …". Pure;
 * everything in the arena. */
MUST_CHECK bool flow_approve(const struct catalog *c, const struct approval *from, struct arena *a,
			     const char **text, json_t **warnings, struct err *e);
/* SHA-256, hex, over everything that its lines depend on: tools with their SQL, the columns of the
 * views that it names, components, the words of the language. In the arena. */
const char *flow_fingerprint(const struct catalog *c, const struct flow_def *f, struct arena *a);

/* The flow as text in canonical form, which parses to the same flow: one line each. */
const char *flow_text(const struct flow_def *f, struct arena *a);

/* The parameters that a line fills from current filters: those of its tool, or the slots of its
 * query. */
const struct param_def *flow_line_params(const struct flow_line *l, size_t *count);
/* The parameter that takes this filter; NULL: none. */
const struct param_def *flow_line_param(const struct flow_line *l, const char *filter);

/* The query of a line with the values of its filters filled in; a filter without a value keeps its
 * "{filter.NAME}". In the arena. */
const char *flow_query_fill(const char *query, const json_t *filters, struct arena *a);
/* True when `query` is the line's query with filter values filled in. Adds these values to
 * `filters`; existing ones must be equal. */
bool flow_query_match(const char *line, const char *query, json_t *filters, struct arena *a);

/* True when an unconditional line requires this task's result. */
bool flow_requires_task(const struct flow_def *f, const char *task, struct arena *a);
/* The line of a task; NULL: none. */
const struct flow_line *flow_task(const struct flow_def *f, const char *id);
/* The parameter of a task's line that takes the answer for this filter, and that the line does not
 * name. NULL: none. */
const struct param_def *flow_answer_param(const struct flow_line *l, const char *filter);
/* The parameter for the last day that belongs to `first`; NULL: none. */
const struct param_def *flow_last_day(const struct tool_def *tool, const struct param_def *first);
/* The line that asks for a filter; NULL: none. */
const struct flow_line *flow_ask(const struct flow_def *f, const char *filter);

#endif
