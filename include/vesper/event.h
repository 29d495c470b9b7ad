/*
 * Typed events of a running turn. Steps of the turn, tools and the synthesizer write events to a
 * sink; the sink (the turn's log) stores them in order. Every wire format is a projection of that
 * log (wire.h) and adds nothing.
 *
 * Texts are borrowed for the call of `emit`; the sink copies them. Members of type `struct str` are
 * complete JSON (p NULL: absent), except the text of EVENT_TEXT_DELTA.
 */
#ifndef VESPER_EVENT_H
#define VESPER_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/str.h"

enum event_kind {
	EVENT_RUN_STARTED,   /* the user's message is stored */
	EVENT_STATUS,        /* the turn enters a phase */
	EVENT_FILTERS,       /* how the question was understood */
	EVENT_PLAN,          /* the plan that is about to run */
	EVENT_STEP_STARTED,  /* a tool call or an agent begins */
	EVENT_STEP_FINISHED, /* it ended */
	EVENT_STAGE_STARTED, /* work of the turn itself begins; in the event stream only */
	EVENT_STAGE_FINISHED,
	EVENT_USAGE,        /* before or after a call of a model; in the event stream only */
	EVENT_TEXT_DELTA,   /* a chunk of the answer */
	EVENT_VIEW,         /* a table, chart or error to show */
	EVENT_ASK,          /* a clarifying question to the user */
	EVENT_RUN_FINISHED, /* the turn ended: answered, asked, cancelled, … */
	EVENT_ERROR,        /* the turn ended: failed */
	EVENT_KIND_COUNT,
};

struct event_run_started {
	const char *session_id, *user_message_id, *answer_id;
	const char *client_msg_id; /* or NULL */
};

/* Phase of the first event after a takeover by another replica. */
#define EVENT_PHASE_MOVED "moved"
struct event_status {
	const char *phase; /* "understanding", "running", "checking", "writing", … */
	const char *text;
};

struct event_filters {
	struct str filters; /* array */
};

struct event_plan {
	struct str body; /* object: members of chat.plan, plan_id first */
};

struct event_step_started {
	const char *step_id; /* the tool call's ID, or the agent's task ID */
	const char *agent;   /* agent and tool may be NULL */
	const char *tool;
	const char *kind; /* "tool"; "reasoning": it reads no data; "agent" */
	const char *text;
	const char *task;   /* task of the plan, or NULL */
	const char *parent; /* for a call of an agent: the agent's step_id; or NULL */
	struct str args;    /* for a tool call, object: arguments as requested, without SQL */
};

struct event_step_finished {
	const char *step_id, *agent, *tool, *kind, *text, *task, *parent;
	const char *state;   /* "completed", "failed" */
	const char *outcome; /* outcome_name(); NULL for an agent */
	int64_t rows;        /* -1: no table */
};

/* The guardrail check, planning, or making a chart. */
struct event_stage_started {
	const char *step_id;
	const char *kind; /* "guardrail", "planning", "chart" */
	const char *text;
};

struct event_stage_finished {
	const char *step_id, *kind, *text;
	const char *state; /* "completed", "failed" */
	struct str output; /* object */
};

/* One call of a model, in tokens. Before the call, `used` and `by` are estimates (tokens.h). After
 * it, `used` is the input and `output` the output as counted by the service. */
struct event_usage {
	const char *role;  /* llm_role_name() */
	const char *model; /* the model that answered; NULL before the call */
	int64_t budget;    /* the prompt's token budget */
	int64_t used, output;
	bool estimate;
	struct str by; /* object: estimates by tokens_part_name() */
};

/* A checked number: its position and its source. */
struct event_mark {
	const char *kind;  /* guard_kind_name() */
	const char *why;   /* guard_unchecked_reason_name(); NULL: it was checked */
	size_t start, len; /* in characters of the text */
	size_t at;         /* start in the whole answer, in characters */
	bool has_ref;      /* the members below give the source; each may be NULL */
	const char *call, *column, *formula;
	int64_t row; /* -1: no single row */
	int64_t n;   /* for a citation ("cite"): the passage's number; else 0 */
};

struct event_text_delta {
	struct str text; /* UTF-8, whole characters; not JSON */
	bool marked;     /* it holds exactly one checked number */
	struct event_mark mark;
};

struct event_view {
	const char *view_id;
	const char *agent, *task; /* each may be NULL */
	struct str view;          /* object */
};

struct event_ask {
	const char *prompt;
	struct str body; /* object: members of chat.ask, ask_id first */
};

struct event_run_finished {
	const char *session_id, *message_id;
	const char *status; /* "ok", or message_status_name() */
	const char *provider;
	const char *model;      /* or NULL */
	const char *receipt_id; /* or NULL */
	struct str approved;    /* JSON {name, approved_by, approved_at}; p NULL: not approved */
	int64_t latency_ms;
	struct str links, suggestions, usage, checked, outcomes, tasks, error;
};

struct event_error {
	const char *code, *message;
	bool retryable;
	int64_t retry_after_ms;     /* 0: unknown */
	const char *detail_turn_id; /* the turn that already has this message, or NULL */
	struct str suggestions, view;
};

struct event {
	enum event_kind kind;
	int64_t at_ms; /* Unix time; set by the log */
	union {
		struct event_run_started run_started;
		struct event_status status;
		struct event_filters filters;
		struct event_plan plan;
		struct event_step_started step_started;
		struct event_step_finished step_finished;
		struct event_stage_started stage_started;
		struct event_stage_finished stage_finished;
		struct event_usage usage;
		struct event_text_delta text_delta;
		struct event_view view;
		struct event_ask ask;
		struct event_run_finished run_finished;
		struct event_error error;
	} u;
};

static inline bool event_is_closing(enum event_kind kind)
{
	return kind == EVENT_RUN_FINISHED || kind == EVENT_ERROR;
}

struct event_sink {
	void (*emit)(void *owner, const struct event *event);
	void *owner;
};

static inline void event_emit(const struct event_sink *sink, const struct event *event)
{
	sink->emit(sink->owner, event);
}

/* "run_started", "status", … */
const char *event_name(enum event_kind kind);

/*
 * Encodes an event as bytes: a format number, the kind, the time, then each member in the order of
 * the structs above. The bytes are for readers of the same build and hold no pointers.
 */
void event_encode(struct buf *out, const struct event *event);
/* *out points into the bytes, which must outlive it. ERR_INPUT: not an event. */
MUST_CHECK bool event_decode(const char *bytes, size_t len, struct event *out, struct err *e);

#endif
