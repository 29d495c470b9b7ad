/* One run of an agent, and the steps of its table. */
#ifndef VESPER_AGENT_INT_H
#define VESPER_AGENT_INT_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/agent.h"
#include "vesper/limits.h"
#include "vesper/scratch.h"

enum agent_state {
	AGENT_ASK_MODEL,
	AGENT_RUN_TOOLS,
	AGENT_DONE,
	AGENT_STATE_COUNT,
	AGENT_WAIT = AGENT_STATE_COUNT, /* a step's answer: operations run, a completion goes on */
};

struct agent;

struct agent_row {
	enum agent_state (*step)(struct agent *a);
	unsigned may; /* bits of the states that may follow */
};

extern const struct agent_row agent_rows[AGENT_STATE_COUNT];

/* One tool call of the model's newest answer. */
struct agent_call {
	struct agent *agent;
	const struct llm_block *use;
	struct op *op;
	struct result *result; /* or */
	const char *mistake;   /* why it was not run; or */
	const char *said;      /* what it gives without being run */
};

struct agent_told {
	const struct result *result;
	struct llm_block *block;
};

struct agent {
	struct op op; /* first: what the starter holds */
	struct llm *llm;
	struct toolbox *tools;
	struct agent_request request;
	struct arena *arena;
	agent_cb cb;
	void *owner;

	enum agent_state state;
	bool started; /* the step of this state has started its operations */
	size_t pending;
	struct err err;

	struct llm_call ask;     /* system, tools and messages so far */
	struct scratch *scratch; /* what was found, in the words that the messages hold */
	const char *lead;        /* of the question's message, before what was found earlier */
	struct llm_block question;
	struct llm_message messages[1 + 2 * AGENT_ROUNDS_MAX];
	const struct tool_def **defs;        /* of ask.tools, NULL for those of the loop itself */
	const struct protocol_def *protocol; /* NULL: every tool may be called at any time */
	const struct protocol_step *step;    /* of the protocol */
	int round, round_max;
	struct op *op_model;
	struct llm_answer answer;
	struct agent_told *told; /* where the words of each result stand */
	size_t told_count, told_cap;

	struct agent_call calls[AGENT_TOOL_CALLS_MAX];
	size_t call_count;
	struct agent_outcome out;
	size_t result_cap;
};

/* Runs steps until one waits or the run is over; then the owner is told. */
void agent_run(struct agent *a);

/* ---- agent_prompt.c ---- */

/* Fills a->ask: rules, the domain's prompt, the tools this caller may use, the question. */
void agent_prepare(struct agent *a);
/* The tool's definition; NULL when the model names one that it was not given. */
const struct tool_def *agent_tool_find(const struct agent *a, const char *name);
/* What arguments may refer to: the results of earlier tasks and its own, by their calls. */
struct ref_scope agent_results(const struct agent *a);
/* The arguments of a call with its references to results replaced by their values. NULL: *mistake
 * says what one refers to that is not there. */
const json_t *agent_args(struct agent *a, const json_t *input, const char **mistake);
/* A result that the model is to be told of: no text that the data holds, as tools may still be
 * called. Its words are there after agent_fit. */
void agent_note_result(struct agent *a, const struct result *r);
/* Puts all results into words; those that are in messages already get shorter when there is too
 * much of it. */
void agent_fit(struct agent *a);

/* ---- agent_protocol.c: asking a map step by step ---- */

#define AGENT_MAP_TOOLS 2
/* Of the domain's pack, if it has one. */
void agent_protocol_begin(struct agent *a, const struct domain_def *d);
/* Is the tool for agents that go by this protocol, or by none? */
bool agent_protocol_takes(const struct agent *a, const struct tool_def *tool);
/* Adds the tools that tell of tables: how many. */
size_t agent_map_tools(const struct agent *a, struct llm_tool *out);
/* The map, and what the steps are; NULL: there is no protocol. */
const char *agent_protocol_text(struct agent *a);
/* Why the step does not allow the call; NULL: it does. */
const char *agent_protocol_refuses(struct agent *a, const char *tool);
/* What a tool that tells of tables gives; NULL: it is none, or *mistake says what is wrong. */
const char *agent_map_tell(struct agent *a, const struct llm_block *use, const char **mistake);
/* To the step that the calls which were taken lead to. */
void agent_protocol_go_on(struct agent *a);

/* ---- agent_ask.c: what an agent may put on the user's screen ---- */

#define AGENT_SCREEN_TOOLS 2
/* Adds the tools for a clarifying question and, where there are any, for components: how many. */
size_t agent_screen_tools(struct agent *a, struct llm_tool *out);
bool agent_is_ask(const struct agent *a, const char *tool);
bool agent_is_show(const char *tool);
/* The question that these arguments are; NULL: *mistake says why they are none. */
const struct agent_ask *agent_ask_read(struct agent *a, const json_t *input, const char **mistake);
/* Keeps the component to show. What is wrong; NULL: nothing. */
const char *agent_show_read(struct agent *a, const json_t *input);

#endif
