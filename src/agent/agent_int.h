/* State of one agent run, and the steps of its table. */
#ifndef VESPER_AGENT_INT_H
#define VESPER_AGENT_INT_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/agent.h"
#include "vesper/limits.h"
#include "vesper/prompt_budget.h"

enum agent_state {
	AGENT_ASK_MODEL,
	AGENT_RUN_TOOLS,
	AGENT_DONE,
	AGENT_STATE_COUNT,
	AGENT_WAIT = AGENT_STATE_COUNT, /* result of a step: operations are running */
};

struct agent;

struct agent_row {
	enum agent_state (*step)(struct agent *a);
	unsigned next_states; /* bit set of permitted next states */
};

extern const struct agent_row agent_rows[AGENT_STATE_COUNT];

/* One tool call of the model's latest answer. */
struct agent_call {
	struct agent *agent;
	const struct llm_block *use;
	struct op *op;
	struct result *result; /* at most one of these three is set */
	const char *problem;   /* the reason it was not run */
	const char *reply;     /* a reply without running a tool */
};

struct agent_result_block {
	const struct result *result;
	struct llm_block *block;
};

struct agent {
	struct op op; /* must be first; returned to the caller */
	struct llm *llm;
	struct toolbox *tools;
	struct agent_request request;
	struct arena *arena;
	agent_cb cb;
	void *owner;

	enum agent_state state;
	bool started; /* the current step has started its operations */
	size_t pending;
	struct err err;

	struct llm_call ask;          /* system prompt, tools and messages so far */
	struct prompt_budget *budget; /* budgeted text of the results in the messages */
	const char *question_prefix;  /* start of the question's message, before earlier results */
	struct llm_block question;
	struct llm_message messages[1 + 2 * AGENT_ROUNDS_MAX];
	const struct tool_def **defs;        /* by ask.tools; NULL for tools of the loop itself */
	const struct protocol_def *protocol; /* NULL: tools may be called in any order */
	const struct protocol_step *step;    /* current step of the protocol */
	int round, round_max;
	struct op *op_model;
	struct llm_answer answer;
	struct agent_result_block *result_blocks; /* the text block of each result */
	size_t result_block_count, result_block_cap;

	struct agent_call calls[AGENT_TOOL_CALLS_MAX];
	size_t call_count;
	struct agent_outcome out;
	size_t result_cap;
};

/* Runs steps until one waits or the run ends, then calls the owner's callback. */
void agent_run(struct agent *a);

/* ---- agent_prompt.c ---- */

/* Fills a->ask with rules, the domain's prompt, the caller's tools and the question. */
void agent_prepare(struct agent *a);
/* The tool's definition; NULL when the model was not given this tool. */
const struct tool_def *agent_tool_find(const struct agent *a, const char *name);
/* The results that arguments may refer to: those of earlier tasks and of this run, by call id. */
struct ref_scope agent_results(const struct agent *a);
/* Replaces references in the arguments by values. Returns NULL and sets *problem when a reference
 * is not found. */
const json_t *agent_args(struct agent *a, const json_t *input, const char **problem);
/* Adds a result for the model, without text from the data, since tools may still be called.
 * agent_fit writes its text. */
void agent_add_result(struct agent *a, const struct result *r);
/* Writes all results as text, and shortens those in earlier messages to fit the token budget. */
void agent_fit(struct agent *a);

/* ---- agent_protocol.c: querying a map step by step ---- */

#define AGENT_MAP_TOOLS 2
/* Uses the protocol of the domain's pack, if any. */
void agent_protocol_begin(struct agent *a, const struct domain_def *d);
/* Returns true when the tool belongs to this protocol, or to none. */
bool agent_protocol_allows(const struct agent *a, const struct tool_def *tool);
/* Adds the tools that describe tables. Returns their number. */
size_t agent_map_tools(const struct agent *a, struct llm_tool *out);
/* The text of the map and the steps; NULL: no protocol. */
const char *agent_protocol_text(struct agent *a);
/* The reason the current step does not allow the call; NULL: allowed. */
const char *agent_protocol_refusal(struct agent *a, const char *tool);
/* The reply of a tool that describes tables; NULL: another tool, or an error in *problem. */
const char *agent_map_describe(struct agent *a, const struct llm_block *use, const char **problem);
/* Moves to the step that the accepted calls lead to. */
void agent_protocol_advance(struct agent *a);

/* ---- agent_ask.c: clarifying questions and components ---- */

#define AGENT_SCREEN_TOOLS 2
/* Adds the tool for clarifying questions and, if there are components, the one for them. Returns
 * their number. */
size_t agent_screen_tools(struct agent *a, struct llm_tool *out);
bool agent_is_ask(const struct agent *a, const char *tool);
bool agent_is_show(const char *tool);
/* The clarifying question in these arguments; NULL: invalid, and *problem is set. */
const struct agent_ask *agent_ask_read(struct agent *a, const json_t *input, const char **problem);
/* Stores the component to show. Returns an error text, or NULL. */
const char *agent_show_read(struct agent *a, const json_t *input);

#endif
