/*
 * A language model behind one typed stream: text, tool call, end. Providers differ behind this
 * header only.
 *
 * One call: llm_start builds the provider's request, sends it, and turns the provider's stream into
 * the handler's calls. It retries (LLM_ATTEMPTS_MAX, retry-after honoured) only while nothing of
 * the answer was given to the handler. An answer that pauses is sent back as it came and goes on,
 * up to LLM_PAUSES_MAX times; each time is a separate request to the budget, the trail and
 * recordings. A breaker stands before each provider; when no provider is
 * usable, llm_start's end comes with ERR_UPSTREAM at once and the caller answers without a model.
 * Where the payer's budget has no room for the worst that a call can cost, it is not made: the end
 * comes with ERR_QUOTA.
 * Callbacks never come before llm_start has returned. Loop-thread only.
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

/* Prompts that were too long and lost their oldest part; counted where one is cut. */
extern const struct metric llm_prompts_cut;

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
	const json_t *raw;   /* the provider's own block, or what it said with a text or a call */
	const char *origin;  /* the model that made it; its own things go back to it only */
	bool is_error;
	bool cache; /* the prefix up to here is stable: a cache mark may stand here */
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

/* As the service counts; estimated (vesper/tokens.h) where it tells nothing. */
struct llm_usage {
	int64_t input_tokens; /* uncached */
	int64_t cache_read_tokens;
	int64_t cache_write_tokens;
	int64_t output_tokens;
	int64_t nano_usd;  /* billionths of a dollar; 0 where a model has no price */
	int64_t continued; /* requests beyond the first, to go on with an answer that paused */
};

/* What was asked of models: one entry a call, from its start, in order. A caller that wants them
 * gives the calls a trail; the entries lie in the arenas of the calls. */
struct llm_asked {
	struct llm_asked *next;
	enum llm_role role;
	char hash[HASH_HEX_BYTES]; /* of what the model was told; recordings have the same name */
	const char *provider;      /* who answers, from the first text; NULL: none, or not yet */
	const char *model;
	bool failed_over; /* the first provider of the list did not answer */
	struct llm_usage usage;
};
struct llm_call;
struct llm_trail {
	struct llm_asked *first, *last;
	/* When a request is about to be made (nobody has answered), and when it was answered. NULL:
	 * not recorded. */
	void (*on_request)(void *owner, const struct llm_call *call, const struct llm_asked *asked);
	void *owner;
};

struct llm_call {
	enum llm_role role;
	const struct llm_block *system; /* text blocks, most stable first */
	size_t system_count;
	const struct llm_tool *tools;
	size_t tool_count;
	bool tools_forbidden; /* tools stay in the prefix, but none may be called */
	const struct llm_message *messages;
	size_t message_count;
	const json_t *format;  /* JSON schema of a structured answer, or NULL */
	int64_t max_tokens;    /* 0: the role's own setting */
	int64_t deadline_ms;   /* clock_mono_ms() by which the call must have ended; 0: none */
	const char *user_hash; /* opaque id of the user, or NULL */
	const struct budget_payer *payer; /* NULL: on no budget */
	const char *avoid;                /* a provider that failed, and is not asked; NULL: none */
	const char *turn_id;              /* kept with a recording; or NULL */
	struct llm_trail *trail;          /* outlives the call; NULL: nobody wants to know */
	struct tokens_by newest; /* what its newest message is made of; zeroes: one question */
};

enum llm_stop {
	LLM_STOP_END,
	LLM_STOP_TOOL_USE,
	LLM_STOP_MAX_TOKENS,
	LLM_STOP_REFUSAL,
	LLM_STOP_PAUSE, /* it paused once more than it is asked to go on */
	LLM_STOP_CONTEXT
};
const char *llm_stop_name(enum llm_stop stop);

struct llm_answer {
	enum llm_stop stop;
	struct llm_usage usage;
	const char *provider;
	const char *model;
	/* The whole assistant message, to be sent back unchanged in a tool loop. In the arena given
	 * to llm_start. */
	const struct llm_block *blocks;
	size_t count;
};

struct llm_handler {
	/* A piece of text: whole UTF-8 characters. NULL: the caller waits for the end. */
	void (*on_text)(void *owner, const char *text, size_t len);
	/* The end, exactly once. e == NULL: *answer is whole. e != NULL: what went wrong; `answer`
	 * still holds usage and model, and `shown` says whether on_text was ever called (then
	 * nothing may be repeated). */
	void (*on_end)(void *owner, const struct llm_answer *answer, bool shown,
		       const struct err *e);
};

/* A provider's wire is a driver. Tests bring a scripted one. */
struct llm_driver {
	const char *name;
	struct op *(*start)(void *self, const struct llm_call *call, struct arena *a,
			    const struct llm_handler *handler, void *owner);
	void (*close)(void *self);
};

/* Kinds: anthropic; openai, azure, gemini, ollama, vllm (the Chat Completions wire). */
struct llm_provider_options {
	const char *name; /* "anthropic" */
	const char *kind;
	const char *base_url; /* NULL: the kind's own, where it has one */
	const char *key;      /* NULL: none, where the kind needs none */
	const char *version;  /* anthropic-version */
	/* NULL: the role's where it fits, else the kind's own. */
	const char *models[LLM_ROLE_COUNT];
};

enum llm_thinking { LLM_THINKING_DEFAULT, LLM_THINKING_ADAPTIVE, LLM_THINKING_OFF };

struct llm_role_options {
	const char *providers;      /* names that are asked first, comma-separated; NULL: none */
	const char *model;          /* of the provider asked first, and of others of its kind */
	int64_t max_tokens;         /* 0: LLM_MAX_TOKENS */
	const char *effort;         /* "low" .. "max"; NULL: the model's own */
	enum llm_thinking thinking; /* as far as the model allows it */
};

/* Who makes vectors of texts (vesper/embed.h). */
struct llm_embed_options {
	const char *provider; /* NULL: nobody does */
	const char *model;    /* needed where there is a provider */
	int64_t dimensions;   /* 0: the model's own */
};

struct llm_options {
	const struct llm_provider_options *providers; /* in order of preference */
	size_t provider_count;
	struct llm_role_options roles[LLM_ROLE_COUNT];
	struct llm_embed_options embed;
	int64_t connect_ms, first_byte_ms, idle_ms; /* 0: the defaults of limits.h */
	int64_t breaker_failures, breaker_open_ms;
	int64_t retry_base_ms;
	struct budget *budget; /* NULL: nothing is counted. Outlives the llm. */
	void (*ledger)(void *owner, const struct budget_entry *entry); /* or NULL */
	/* Wall time of a tenant, which the budget's days and months go by; NULL: UTC's. */
	int64_t (*wall_ms)(void *owner, const char *tenant);
	void *ledger_owner;
	/* Each call when it has ended, as record.h has it; the reference is given away. NULL:
	 * nobody records. */
	void (*exchange)(void *owner, const char *hash, json_t *take);
	void *exchange_owner;
	bool unseen; /* /health does not tell of it before llm_replaces, and llm_priced is the
			caller's */
};

/* What the configuration says of them; loop, budget, ledger and recorder are set by the caller of
 * llm_new. */
struct llm_settings {
	struct settings base;
	struct llm_options options;
};
/* The arena is the settings' from now on, also where they can't be read: ERR_INPUT, with the key.
 */
MUST_CHECK bool llm_settings_read(const struct config *c, struct arena *take,
				  struct llm_settings **out, struct err *e);

/* No provider configured: *out is NULL and that is fine (the way without a model). */
MUST_CHECK bool llm_new(struct loop *l, struct http *h, const struct llm_options *options,
			struct llm **out, struct err *e);
struct llm *llm_from_driver(struct loop *l, const struct llm_driver *driver, void *self);
/* A model is replaced by a new one; each caller holds the one that it began with. NULL is fine.
 */
struct llm *llm_hold(struct llm *llm);
/* A limit in money needs a price of each model. NULL is fine. */
MUST_CHECK bool llm_priced(const struct llm *llm, const struct budget *b, struct err *e);
void llm_free(struct llm **llm); /* lets go; the last one closes it, when no call runs */
/* /health tells of the providers of `now`, and of those of `before` no more; each may be NULL. */
void llm_replaces(const struct llm *now, const struct llm *before);

/* A model that says again what was recorded, with no network: exchanges by their hash (a reference
 * is kept). *replay is borrowed from the model. */
struct llm_replay;
struct llm *llm_from_exchanges(struct loop *l, json_t *by_hash, struct llm_replay **replay);
/* The recorded turn that is held again now; borrowed until the next. */
void llm_replay_turn(struct llm_replay *replay, const char *turn_id);
struct llm_replay_counts {
	size_t exact;    /* requests that were recorded just so */
	size_t stood_in; /* that another of the same turn and role answered */
	size_t missing;
};
struct llm_replay_counts llm_replay_counted(const struct llm_replay *replay); /* of this turn */

/* Asks each provider for its models, in the background: what is wrong is logged. */
void llm_check(struct llm *llm);

/* Something answers, be it left alone now: not so where a service for vectors is all there is.
 * NULL: false. */
bool llm_answers(const struct llm *llm);
/* Some provider's breaker lets a call through now. NULL: false. */
bool llm_usable(const struct llm *llm);
/* The same, of one beside this provider. */
bool llm_usable_beside(const struct llm *llm, const char *provider);
/* The payer's limits have room for at least the answer of a call in this role. */
bool llm_affordable(struct llm *llm, const struct budget_payer *payer, enum llm_role role);
/* The payer's limit that is nearest to its end. False: there is none. */
bool llm_budget_state(struct llm *llm, const struct budget_payer *payer, struct budget_state *out);

/* The answer's blocks live in the arena, which must outlive the operation, as must the texts and
 * JSON values that the call points to; its structs and arrays are copied. */
struct op *llm_start(struct llm *llm, const struct llm_call *call, struct arena *a,
		     const struct llm_handler *handler, void *owner);

/* What a request is estimated to hold, by what it is spent on. */
void llm_call_tokens(const struct llm_call *call, struct tokens_by *out);
/* All of its text. */
const char *llm_answer_text(const struct llm_answer *answer, struct arena *a);
void llm_usage_add(struct llm_usage *sum, const struct llm_usage *more);

#endif
