/*
 * A domain agent's reason-and-act loop: the model chooses among the tools this caller may use, code
 * runs them, until the model has what it needs or the cap is reached. It gathers results; it never
 * speaks to the user. A failing agent is a result that says so, not a failed turn.
 *
 * What may be called is fixed before the first row is read: the domain's tools as far as this
 * caller may use them, under the caller's tenant and permissions, at most AGENT_ROUNDS_MAX times.
 * Of results the model is told numbers and names of columns, never a text that the data holds; such
 * values reach arguments by reference only, where they are checked like typed ones. So a model that
 * obeys everything it reads finds nothing in the data to obey.
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
	const char *context;      /* filters as text for the newest user message, or NULL */
	struct ref_scope earlier; /* results of the tasks that this one waited for */
	const struct catalog_view *may;
	const struct principal *who;
	const char *turn_id; /* for the audit log */
	struct date today;
	const struct budget_payer *payer;
	struct llm_trail *trail;       /* of what its model is asked; or NULL */
	size_t prompt_tokens;          /* of what one call is told about data; 0: PROMPT_TOKENS */
	int64_t deadline_ms;           /* clock_mono_ms(); 0: none */
	const struct event_sink *sink; /* status events of its tools */
	int *next_call;                /* counter of call ids in the turn */
	const char *task;              /* of the plan that it is; its calls are said to be of it */
};

/* A clarifying question that the agent's model asks; choices were read from results by code. */
struct agent_ask {
	const char *question, *hint; /* hint may be NULL */
	enum ask_input input;
	const char *filter; /* what the answer is a value of; NULL: it is answered in words */
	const struct suggestion *options;
	size_t option_count;
	size_t min, max; /* of ASK_MULTIPLE */
	const char *min_date, *max_date;
	struct suggestion skip; /* value NULL: it can't be skipped */
};

/* A component that it shows, filled from these results. */
#define AGENT_SHOWS_MAX 4 /* more are no answer at a glance */
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
	const struct agent_ask *ask; /* its clarifying question (tool ask_user), or NULL */
	struct agent_show shows[AGENT_SHOWS_MAX];
	size_t show_count;
	bool stopped; /* the model wanted to go on when its rounds were over */
	const char *model;
	const char *provider;
};

/* e != NULL: the model could not be used; `out` still holds what was gathered. */
typedef void (*agent_cb)(void *owner, const struct agent_outcome *out, const struct err *e);

struct op *agent_start(struct llm *llm, struct toolbox *tools, const struct agent_request *request,
		       struct arena *a, agent_cb cb, void *owner);

/* A tool call or an agent of a plan, as its status events say. */
struct agent_step {
	const char *id; /* of the call, or of the agent's task */
	const char *agent;
	const char *task, *parent; /* as in struct event_step_started */
	/* What its tool is called with; both NULL: nothing is told. */
	const json_t *args;
	const struct args *bound;
};
/* The status events of one tool call, used by everyone who runs tools: started, then completed or
 * failed. `parent` may be NULL. */
void agent_tool_started(const struct event_sink *sink, const struct language *l,
			const struct agent_step *step, const struct tool_def *tool);
void agent_tool_ended(const struct event_sink *sink, const struct language *l,
		      const struct tool_def *tool, const struct result *r, const char *parent);
/* The same of an agent that chooses its tools. `about` is what it is for. */
void agent_started(const struct event_sink *sink, const struct language *l,
		   const struct agent_step *step, const char *about);
void agent_ended(const struct event_sink *sink, const struct language *l,
		 const struct agent_step *step, const char *about, bool failed);

#endif
