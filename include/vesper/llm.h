/*
 * A language model as one typed stream: text, tool call, end. Differences between providers are
 * hidden behind this header.
 *
 * One call: llm_start builds the provider's request, sends it, and converts the provider's stream
 * to calls of the handler. It retries (up to LLM_ATTEMPTS_MAX, honouring retry-after) only before
 * the handler got any text. An answer that pauses is sent back unchanged and continued, up to
 * LLM_PAUSES_MAX times; each time is a separate request in the budget, the trail and recordings.
 * Each provider has a circuit breaker. If no provider is usable, the call ends at once with
 * ERR_UPSTREAM and the caller answers without a model. If the budget owner's limits do not cover
 * the largest possible cost of a call, it is not made and ends with ERR_QUOTA.
 * Callbacks never run before llm_start has returned. Loop thread only.
 */
#ifndef VESPER_LLM_H
#define VESPER_LLM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/budget.h"
#include "vesper/err.h"
#include "vesper/hash.h"
#include "vesper/http.h"
#include "vesper/loop.h"
#include "vesper/metric.h"
#include "vesper/op.h"
#include "vesper/settings.h"
#include "vesper/tokens.h"

/* Counts prompts whose oldest part was dropped because they were too long. */
extern const struct metric llm_prompts_truncated;

struct config;
struct llm;

enum llm_role { LLM_ROUTE, LLM_AGENT, LLM_ANSWER, LLM_ROLE_COUNT };
const char *llm_role_name(enum llm_role role); /* "route", "agent", "answer" */

enum llm_block_kind {
	LLM_TEXT,
	LLM_TOOL_USE,    /* id, name, input */
	LLM_TOOL_RESULT, /* id, text, is_error */
	LLM_OPAQUE,      /* raw: sent back unchanged (thinking and its signature) */
};

struct llm_block {
	enum llm_block_kind kind;
	const char *text;
	const char *id;
	const char *name;
	const json_t *input; /* object */
	const json_t *raw;   /* the provider's block, or its data of a text or call */
	const char *origin;  /* the model that made it; `raw` is sent back to this model only */
	bool is_error;
	bool cache; /* the prefix up to here is stable: a cache mark may be placed here */
};

enum llm_speaker { LLM_USER, LLM_ASSISTANT };

struct llm_message {
	enum llm_speaker speaker;
	const struct llm_block *blocks;
	size_t count;
};

struct llm_tool {
	const char *name;
	const char *about;
	const json_t *schema; /* JSON schema of the arguments; order of members kept */
};

/* As counted by the service; estimated (vesper/tokens.h) if it reports nothing. */
struct llm_usage {
	int64_t input_tokens; /* uncached */
	int64_t cache_read_tokens;
	int64_t cache_write_tokens;
	int64_t output_tokens;
	int64_t nano_usd;  /* billionths of a dollar; 0 if the model has no price */
	int64_t continued; /* further requests to continue an answer that paused */
};

/* The call trail: one entry per request to a model, from its start, in order. A caller that needs
 * it gives its calls a trail. The entries are in the arenas of the calls. */
struct llm_trail_entry {
	struct llm_trail_entry *next;
	enum llm_role role;
	char hash[HASH_HEX_BYTES]; /* of the request; recordings use the same name */
	const char *provider; /* provider that answers, set at the first text; NULL: none yet */
	const char *model;
	bool failed_over; /* the first provider of the list did not answer */
	struct llm_usage usage;
};
struct llm_call;
struct llm_trail {
	struct llm_trail_entry *first, *last;
	/* Called before a request is sent (provider is NULL) and when it was answered. NULL: not
	 * recorded. */
	void (*on_request)(void *owner, const struct llm_call *call,
			   const struct llm_trail_entry *asked);
	void *owner;
};

struct llm_call {
	enum llm_role role;
	const struct llm_block *system; /* text blocks, most stable first */
	size_t system_count;
	const struct llm_tool *tools;
	size_t tool_count;
	bool tools_forbidden; /* tools stay in the prefix, but must not be called */
	const struct llm_message *messages;
	size_t message_count;
	const json_t *format;  /* JSON schema of a structured answer; or NULL */
	int64_t max_tokens;    /* 0: the role's setting */
	int64_t deadline_ms;   /* clock_mono_ms() by which the call must have ended; 0: none */
	const char *user_hash; /* opaque ID of the user; or NULL */
	const struct budget_owner *budget_owner; /* NULL: no budget applies */
	const char *avoid;       /* a provider that failed and is skipped; NULL: none */
	const char *turn_id;     /* stored with a recording; or NULL */
	struct llm_trail *trail; /* must outlive the call; NULL: none */
	struct tokens_by newest; /* tokens of its newest message by kind; zeroes: one question */
};

enum llm_stop {
	LLM_STOP_END,
	LLM_STOP_TOOL_USE,
	LLM_STOP_MAX_TOKENS,
	LLM_STOP_REFUSAL,
	LLM_STOP_PAUSE, /* it paused after LLM_PAUSES_MAX continuations */
	LLM_STOP_CONTEXT
};
const char *llm_stop_name(enum llm_stop stop);

struct llm_answer {
	enum llm_stop stop;
	struct llm_usage usage;
	const char *provider;
	const char *model;
	/* The complete assistant message, to be sent back unchanged in a tool loop. In the arena
	 * given to llm_start. */
	const struct llm_block *blocks;
	size_t count;
};

struct llm_handler {
	/* A chunk of text: complete UTF-8 characters. NULL: the caller only needs the end. */
	void (*on_text)(void *owner, const char *text, size_t len);
	/* Called exactly once. e == NULL: *answer is complete. e != NULL: the error; `answer`
	 * still has the usage, and the model if one was reached. `shown` is true if on_text was
	 * called; then no text may be repeated. */
	void (*on_end)(void *owner, const struct llm_answer *answer, bool shown,
		       const struct err *e);
};

/* Each provider protocol is a driver. Tests use a scripted one. */
struct llm_driver {
	const char *name;
	struct op *(*start)(void *self, const struct llm_call *call, struct arena *a,
			    const struct llm_handler *handler, void *owner);
	void (*close)(void *self);
};

/* Kinds: anthropic; openai, azure, gemini, ollama, vllm (Chat Completions protocol). */
struct llm_provider_options {
	const char *name; /* "anthropic" */
	const char *kind;
	const char *base_url; /* NULL: the kind's default, if it has one */
	const char *key;      /* NULL: none, if the kind needs none */
	const char *version;  /* anthropic-version */
	/* By role. NULL: the role's model if it is of this kind, else the kind's default. */
	const char *models[LLM_ROLE_COUNT];
};

enum llm_thinking { LLM_THINKING_DEFAULT, LLM_THINKING_ADAPTIVE, LLM_THINKING_OFF };

struct llm_role_options {
	const char *providers;      /* names in order of preference, comma-separated; NULL: none */
	const char *model;          /* for the first of these providers, and others of its kind */
	int64_t max_tokens;         /* 0: LLM_MAX_TOKENS */
	const char *effort;         /* "low" .. "max"; NULL: the model's default */
	enum llm_thinking thinking; /* if the model supports it */
};

/* The service that computes embeddings (vesper/embed.h). */
struct llm_embed_options {
	const char *provider; /* NULL: none */
	const char *model;    /* required with a provider */
	int64_t dimensions;   /* 0: the model's default */
};

struct llm_options {
	const struct llm_provider_options *providers; /* in order of preference */
	size_t provider_count;
	struct llm_role_options roles[LLM_ROLE_COUNT];
	struct llm_embed_options embed;
	int64_t connect_ms, first_byte_ms, idle_ms; /* 0: the defaults of limits.h */
	int64_t breaker_failures, breaker_open_ms;
	int64_t retry_base_ms;
	struct budget *budget; /* NULL: costs are not counted. Borrowed; must outlive the llm. */
	void (*ledger)(void *owner, const struct budget_entry *entry); /* or NULL */
	/* A tenant's local time, for the days and months of budgets; NULL: UTC. */
	int64_t (*wall_ms)(void *owner, const char *tenant);
	void *ledger_owner;
	/* Called after each call, with its exchange recording (record.h). Takes ownership of the
	 * reference. NULL: no recording. */
	void (*exchange)(void *owner, const char *hash, json_t *take);
	void *exchange_owner;
	bool unseen; /* not in /health before llm_replace_in_health, and the caller must call
			llm_check_prices */
};

/* The configured options. The caller of llm_new sets loop, budget, ledger and recorder. */
struct llm_settings {
	struct settings base;
	struct llm_options options;
};
/* Takes ownership of the arena, even on failure. ERR_INPUT: a setting is invalid; the error names
 * its key. */
MUST_CHECK bool llm_settings_read(const struct config *c, struct arena *take,
				  struct llm_settings **out, struct err *e);

/* If no provider is configured, returns true and *out is NULL: answers are made without a model. */
MUST_CHECK bool llm_new(struct loop *l, struct http *h, const struct llm_options *options,
			struct llm **out, struct err *e);
struct llm *llm_from_driver(struct loop *l, const struct llm_driver *driver, void *self);
/* New reference. Callers keep the model they started with when it is replaced. NULL is allowed. */
struct llm *llm_ref(struct llm *llm);
/* Checks that every model has a price if the budget has limits in money. `llm` NULL is allowed. */
MUST_CHECK bool llm_check_prices(const struct llm *llm, const struct budget *b, struct err *e);
void llm_free(struct llm **llm); /* drops a reference; the last one closes the model, and no call
				    may be running then */
/* Makes /health report the providers of `now` instead of those of `before`; each may be NULL. */
void llm_replace_in_health(const struct llm *now, const struct llm *before);

/* A model that replays recorded exchanges, without a network. Keeps a reference to `by_hash`, which
 * maps hashes to exchanges. *replay is borrowed from the model. */
struct llm_replay;
struct llm *llm_from_exchanges(struct loop *l, json_t *by_hash, struct llm_replay **replay);
/* Sets the recorded turn that is being replayed. Borrowed until the next call. */
void llm_replay_turn(struct llm_replay *replay, const char *turn_id);
struct llm_replay_counts {
	size_t exact;    /* requests with an exact recording */
	size_t stood_in; /* requests answered by another recording of the same turn and role */
	size_t missing;
};
struct llm_replay_counts
llm_replay_get_counts(const struct llm_replay *replay); /* of the current turn */

/* Requests each provider's list of models in the background, takes the models' capabilities from
 * it, and logs errors. */
void llm_check(struct llm *llm);

/* Returns true if a provider can answer, even if its breaker is open now. False if only an
 * embedding service is configured, or for NULL. */
bool llm_can_answer(const struct llm *llm);
/* The model that calls of the role go to first, as it is configured; or NULL. */
const char *llm_model(const struct llm *llm, enum llm_role role);
/* Returns true if the breaker of some provider admits a call now. NULL: false. */
bool llm_is_usable(const struct llm *llm);
/* The same for providers other than this one. */
bool llm_is_usable_except(const struct llm *llm, const char *provider);
/* Returns true if the budget owner's limits cover at least the answer of a call in this role, with
 * a provider whose breaker admits it. */
bool llm_is_affordable(struct llm *llm, const struct budget_owner *budget_owner,
		       enum llm_role role);
/* Gets the budget owner's limit with the smallest remainder. False: there is no limit. */
bool llm_budget_state(struct llm *llm, const struct budget_owner *budget_owner,
		      struct budget_state *out);

/* Starts a call. The answer's blocks are allocated in the arena. The arena, the texts and JSON
 * values of the call, its budget owner and its trail must outlive the operation; its arrays are
 * copied. */
struct op *llm_start(struct llm *llm, const struct llm_call *call, struct arena *a,
		     const struct llm_handler *handler, void *owner);

/* Estimates the tokens of a request, by kind. */
void llm_call_tokens(const struct llm_call *call, struct tokens_by *out);
/* All text of the answer. */
const char *llm_answer_text(const struct llm_answer *answer, struct arena *a);
void llm_usage_add(struct llm_usage *sum, const struct llm_usage *more);

#endif
