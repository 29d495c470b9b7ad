/*
 * Runs a domain agent's reason-and-act loop: the model chooses among the tools that this caller may
 * use, and code runs them. The loop ends when the model has what it needs or the cap is reached. An
 * agent gathers results and never writes to the user. A failing agent yields a result that states
 * the failure, not a failed turn.
 *
 * The set of callable tools is fixed before the first row is read: the domain's tools that this
 * caller may use, under the caller's tenant and permissions. At most AGENT_ROUNDS_MAX rounds run.
 * The model sees numbers and column names of results, never text from the data. An argument takes a
 * text value from the data by reference only, and the value is checked like a typed one. Therefore
 * data cannot carry instructions to the model.
 */
#ifndef VESPER_AGENT_H
#define VESPER_AGENT_H

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/err.h"
#include "vesper/event.h"
#include "vesper/flow.h"
#include "vesper/llm.h"
#include "vesper/op.h"
#include "vesper/principal.h"
#include "vesper/ref.h"
#include "vesper/result.h"
#include "vesper/tool.h"

struct agent_request {
	const char *agent;
	const char *question;
	const char *context;      /* filters as text, for the newest user message; or NULL */
	struct ref_scope earlier; /* results of the tasks that this one depends on */
	const struct catalog_view *may;
	const struct principal *who;
	const char *turn_id; /* for the audit log */
	struct date today;
	const struct budget_owner *budget_owner;
	struct llm_trail *trail;       /* records its model calls; or NULL */
	size_t prompt_tokens;          /* budget for data in one prompt; 0: PROMPT_TOKENS */
	int64_t deadline_ms;           /* clock_mono_ms(); 0: none */
	const struct event_sink *sink; /* status events of its tools */
	int *next_call;                /* counter of call ids in the turn */
	const char *task; /* ID of its task in the plan, named by the events of its calls */
};

/* A clarifying question of the agent's model; its options are values read from results. */
struct agent_ask {
	const char *question, *hint; /* hint may be NULL */
	enum ask_input input;
	const char *filter; /* filter that the answer sets; NULL: the answer is free text */
	const struct suggestion *options;
	size_t option_count;
	size_t min, max; /* for ASK_MULTIPLE */
	const char *min_date, *max_date;
	struct suggestion skip; /* value NULL: can't be skipped */
};

/* A component to show, filled from these results. */
#define AGENT_SHOWS_MAX 4 /* components in one answer */
struct agent_show {
	const char *component;
	struct result *const *results;
	size_t count;
};

struct agent_outcome {
	struct result **results;
	size_t result_count;
	struct llm_usage usage;
	int64_t model_calls;
	const struct agent_ask *ask; /* clarifying question (tool ask_user), or NULL */
	struct agent_show shows[AGENT_SHOWS_MAX];
	size_t show_count;
	bool stopped; /* the round limit was reached while the model still called tools */
	const char *model;
	const char *provider;
};

/* e != NULL: the model could not be used; `out` still holds what was gathered. */
typedef void (*agent_cb)(void *owner, const struct agent_outcome *out, const struct err *e);

struct op *agent_start(struct llm *llm, struct toolbox *tools, const struct agent_request *request,
		       struct arena *a, agent_cb cb, void *owner);

/* A tool call or an agent of a plan, as its status events describe it. */
struct agent_step {
	const char *id; /* of the call, or of the agent's task */
	const char *agent;
	const char *task, *parent; /* as in struct event_step_started */
	/* Arguments of its tool call; both NULL: not reported. */
	const json_t *args;
	const struct args *bound;
};
/* Emit the status events of one tool call: started, then completed or failed. All code that runs
 * tools uses these. `parent` may be NULL. */
void agent_tool_started(const struct event_sink *sink, const struct language *l,
			const struct agent_step *step, const struct tool_def *tool);
void agent_tool_ended(const struct event_sink *sink, const struct language *l,
		      const struct tool_def *tool, const struct result *r, const char *parent);
/* The same for an agent that chooses its tools. `about` describes the agent. */
void agent_started(const struct event_sink *sink, const struct language *l,
		   const struct agent_step *step, const char *about);
void agent_ended(const struct event_sink *sink, const struct language *l,
		 const struct agent_step *step, const char *about, bool failed);

#endif
