/*
 * The parts that an answer was made from, and the state of each. The state is derived from existing
 * records (results with their read times, what a prompt left out, the summary of the conversation),
 * so it cannot contradict them. Pure.
 */
#ifndef VESPER_CONTEXT_H
#define VESPER_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum context_key {
	CONTEXT_SCHEMA,  /* views and columns for ad hoc SQL of the caller */
	CONTEXT_RESULTS, /* of tools */
	CONTEXT_HISTORY, /* messages and their summary */
	CONTEXT_KEYS,
};
enum context_status {
	CONTEXT_AVAILABLE,
	CONTEXT_STALE,   /* read longer ago than its tool's cache time */
	CONTEXT_PENDING, /* its task is still running */
	CONTEXT_EVICTED, /* it exists, but did not fit a prompt */
	CONTEXT_MISSING,
};
enum context_action {
	CONTEXT_CONTINUE,
	CONTEXT_LOAD,    /* look it up */
	CONTEXT_REFRESH, /* look it up, bypassing the cache */
	CONTEXT_ASK,     /* ask the user */
	CONTEXT_REPORT,  /* tell the user that it was left out */
};
/* "query_results", …; "available", …; "load", …, NULL: no action. */
const char *context_key_name(enum context_key key);
const char *context_status_name(enum context_status status);
const char *context_action_name(enum context_action action);

/* One result of the turn. */
struct context_result {
	bool pending;            /* its task has not ended */
	bool found;              /* it ended with rows */
	int64_t age_ms, keep_ms; /* age since it was read; cache time, 0: not cacheable */
};
struct context_input {
	bool writes_sql;    /* the caller requested ad hoc SQL or an ad hoc query */
	size_t views;       /* number of views that it may use */
	bool wants_results; /* the question needs a lookup */
	const struct context_result *results;
	size_t result_count;
	size_t left_out; /* parts of results that did not fit a prompt */
	bool is_followup;
	bool has_history;      /* the session has earlier messages */
	bool history_readable; /* the caller still has the permissions that they require */
};
struct context_item {
	enum context_key key;
	enum context_status status;
	enum context_action action;
};
struct context_state {
	struct context_item items[CONTEXT_KEYS];
	size_t count; /* keys that this turn needs, in the order of their enum */
};
void context_read(const struct context_input *in, struct context_state *out);

#endif
