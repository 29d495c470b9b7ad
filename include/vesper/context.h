/*
 * What an answer was made from, and in which state each part of it was: derived from what is
 * recorded anyway (results with the time they were read at, what a prompt left out, the summary of
 * the conversation), so that no state is kept that could be wrong by itself. Pure.
 */
#ifndef VESPER_CONTEXT_H
#define VESPER_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum context_key {
	CONTEXT_SCHEMA, /* views and columns that a statement of the caller's own is written over */
	CONTEXT_RESULTS, /* of tools */
	CONTEXT_HISTORY, /* messages and their summary */
	CONTEXT_KEYS,
};
enum context_status {
	CONTEXT_AVAILABLE,
	CONTEXT_STALE,   /* read longer ago than its tool lets a cache keep it */
	CONTEXT_PENDING, /* it is being looked up */
	CONTEXT_EVICTED, /* it was there, and found no room in a prompt */
	CONTEXT_MISSING,
};
enum context_action {
	CONTEXT_GO_ON,
	CONTEXT_LOAD,    /* look it up */
	CONTEXT_REFRESH, /* look it up past the cache */
	CONTEXT_ASK,     /* of the user */
	CONTEXT_SAY,     /* that it was left out */
};
/* "query_results", …; "available", …; "load", …, NULL: nothing is to be done. */
const char *context_key_name(enum context_key key);
const char *context_status_name(enum context_status status);
const char *context_action_name(enum context_action action);

/* One result of the turn. */
struct context_result {
	bool pending;            /* its task has not ended */
	bool found;              /* it ended with rows */
	int64_t age_ms, keep_ms; /* since it was read; that a cache may keep it, 0: none may */
};
struct context_input {
	bool writes_sql;    /* a statement or query of the caller's own was asked for */
	size_t views;       /* that it may use */
	bool wants_results; /* something was to be looked up */
	const struct context_result *results;
	size_t result_count;
	size_t left_out; /* parts of results that a prompt had no room for */
	bool is_followup;
	bool has_history;      /* something was said before */
	bool history_readable; /* and the caller may still know of it */
};
struct context_item {
	enum context_key key;
	enum context_status status;
	enum context_action action;
};
struct context_state {
	struct context_item items[CONTEXT_KEYS];
	size_t count; /* of keys that this turn needs; in the order of their enum */
};
void context_read(const struct context_input *in, struct context_state *out);

#endif
