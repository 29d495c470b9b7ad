/*
 * Flows: plans written as text (prompts/<pack>/flow/<name>.flow), so that what was
 * right once is right every time, without a model. Read and checked with the catalogue; immutable.
 *
 *   file    = "---" front matter "---" { line }                UTF-8; a "#" begins a comment line
 *   front   = flow: NAME, about: TEXT, examples: list, agent: AGENT, permission: NAME,
 *             answer: model|template (without it template), order: INT
 *   line    = do | ask | show | say | suggest                  a line that ends in "\" goes on
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
 * Texts may hold {reference} and {filter.NAME}; a part in [[ ]] is left out when one of its
 * placeholders has no value. So may texts of props; a prop that is a table or a series is a
 * {TASK.TABLE}. A DATE may be counted from the day of the question (today-7d). TABLE
 * is "rows" for the main table. In an example "{FILTER}" is a value that a question gives. A
 * parameter that a line does not name takes the value that stands for its filter; one that is
 * required has to be named, or asked for. A line behind a question whose answer it takes waits for
 * it. A line whose tool takes a query over the map (map.h) has it as JSON; there "{filter.NAME}",
 * alone in "values" of a condition or as a day of "period", is the value of that filter, which has
 * to be asked for or given. "each" makes a task for every value of a filter: "budget.1",
 * "budget.2", …; a reference to "budget" is to the first of them with rows.
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

/* Where the options of a question come from. */
struct flow_options {
	const char *task, *table;
	const char *value, *label, *group; /* columns; group may be NULL */
};

struct flow_line {
	enum flow_kind kind;
	int line;              /* in the file */
	const char *condition; /* NULL: always */
	const struct condition *when;
	const char *text; /* of ask and say; the question of suggest */
	const char *id;   /* of do; of show "show1", … */
	json_t *values; /* of do by parameter, of show by prop: text, array of texts, {"$ref": …};
			   of an agent {} */
	/* do */
	const struct tool_def *tool; /* NULL: the agent's loop */
	const char *agent;           /* NULL: the flow's, where it may use the tool */
	const char *each;            /* filter, or NULL */
	/* Of a query over the map: what its "{filter.NAME}" take, as parameters of a tool. */
	const struct param_def *slots;
	size_t slot_count;
	/* show */
	const char *component;
	/* ask */
	const char *filter;
	enum ask_input input;
	size_t min, max;                    /* of ASK_MULTIPLE */
	const struct flow_options *options; /* NULL: none */
	const char *first, *last;           /* dates, or NULL */
	const char *hint;                   /* or NULL */
	const char *skip;                   /* label, or NULL */
	const json_t *skip_value;
	/* suggest */
	bool primary;
	const char *label;
};

/* Who approved a flow of a tenant's own, and what it rests on. */
struct flow_approval {
	const char *by, *at;     /* user, RFC 3339 */
	int64_t version;         /* of its text; 0: it is not approved */
	const char *fingerprint; /* flow_fingerprint when it was last checked */
};

struct flow_def {
	const char *name;
	size_t index; /* in the catalogue's flows */
	const char *pack, *path;
	const char *about;
	const char *const *examples; /* NULL-ended */
	const char *agent;
	const char *permission;        /* NULL: those of its tools are enough */
	bool by_model;                 /* a model writes the answer */
	bool own;                      /* the tenant's, of its overlay (overlay.h); not a pack's */
	struct flow_approval approval; /* of an own one */
	int order;
	struct flow_line *lines;
	size_t line_count;
	const char *hash; /* SHA-256 of flow_text, hex */
};

/* Reads and checks a flow of this pack; everything in the arena. ERR_INPUT: "path:line: what is
 * wrong". Pure. */
MUST_CHECK bool flow_read(const struct catalog *c, const char *pack, const char *path,
			  const char *text, struct arena *a, struct flow_def *out, struct err *e);

/* An answer to approve, as it is stored. */
struct approval {
	const char *name, *question;
	const json_t *examples; /* array of texts: further questions; NULL: none */
	const json_t *slots;    /* array of filters that other questions give; NULL: those that this
				   one said. Days always are */
	const json_t *standing; /* the session context that the answer left */
	const json_t *calls;    /* array of {tool, args}: what was run where no plan is stored */
	bool by_model;
};
/* The answer's calls as the text of a flow, which was checked. In the questions "{FILTER}" stands
 * for the value of a slot. *warnings: array of texts. ERR_INPUT "code: why": plan_has_agent,
 * plan_has_sql, plan_is_flow, plan_has_changed, plan_too_long, no_plan, or
 * "path:line: …". Pure; everything in the arena. */
MUST_CHECK bool flow_approve(const struct catalog *c, const struct approval *from, struct arena *a,
			     const char **text, json_t **warnings, struct err *e);
/* SHA-256, hex, over all that its lines rest on: tools with their SQL, the columns of the views
 * that it names, components, the words of the language. In the arena. */
const char *flow_fingerprint(const struct catalog *c, const struct flow_def *f, struct arena *a);

/* The flow as text that reads as the same flow: one line each, in one spelling. */
const char *flow_text(const struct flow_def *f, struct arena *a);

/* What a line takes of the filters that stand: the parameters of its tool, or the slots of its
 * query. */
const struct param_def *flow_line_params(const struct flow_line *l, size_t *count);
/* The one of them that takes this filter; NULL: none does. */
const struct param_def *flow_line_param(const struct flow_line *l, const char *filter);

/* The query of a line with the values of its filters; one that has none keeps its "{filter.NAME}".
 * In the arena. */
const char *flow_query_fill(const char *query, const json_t *filters, struct arena *a);
/* Whether the query is the line's with values for its filters, which are added; those that are
 * there already have to be the same. */
bool flow_query_match(const char *line, const char *query, json_t *filters, struct arena *a);

/* Whether anything must have what this task finds, and not only may. */
bool flow_needs(const struct flow_def *f, const char *task, struct arena *a);
/* The line of a task; NULL: there is none. */
const struct flow_line *flow_task(const struct flow_def *f, const char *id);
/* A line of a task takes the answer to the question for this filter: the parameter, which it does
 * not name. NULL: it does not. */
const struct param_def *flow_answer_taken(const struct flow_line *l, const char *filter);
/* The parameter for the last day, where this one is for the first; NULL: there is none. */
const struct param_def *flow_last_day(const struct tool_def *tool, const struct param_def *first);
/* The line that asks for a filter; NULL: there is none. */
const struct flow_line *flow_ask(const struct flow_def *f, const char *filter);

#endif
