/* Internals shared by this folder: circuit breaker and retry rules, and the parts of the protocols
 * without I/O (request body, stream, errors), which llm_wire.c uses over HTTP. */
#ifndef VESPER_LLM_INT_H
#define VESPER_LLM_INT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/breaker.h"
#include "vesper/err.h"
#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/llm.h"
#include "vesper/str.h"

struct wire_role;

/* ---- llm_provider.c: a driver with its circuit breaker and metrics ---- */

struct provider {
	char *name;
	const struct wire_role *roles; /* by role; NULL: the driver has no models */
	const struct llm_driver *driver;
	void *self;
	struct breaker breaker;
	bool is_listed; /* listed in /health */
};

/* Checks a name for use in metrics and health checks. */
MUST_CHECK bool provider_name_check(const char *name, struct err *e);
void provider_init(struct provider *p, const char *name, const struct llm_driver *driver,
		   void *self, int64_t failures_max, int64_t open_ms);
void provider_deinit(struct provider *p); /* closes the driver */
void provider_list(struct provider *p);
void provider_unlist(struct provider *p, bool keep_check);
void provider_ok(struct provider *p);
void provider_failed(struct provider *p, bool probe, const struct err *e);
void provider_count_usage(const struct provider *p, const struct llm_usage *u);

/* ---- llm_money.c: what a call costs ---- */

struct money {
	struct budget *budget; /* NULL: no accounting */
	void (*ledger)(void *owner, const struct budget_entry *entry);
	int64_t (*wall_ms)(void *owner, const char *tenant);
	void *ledger_owner;
};

/* A request for the budget and the usage ledger. */
struct money_call {
	const struct budget_owner *budget_owner; /* NULL: not charged to a budget */
	const char *provider, *model, *purpose;
};
/* Reserves `max_usage` before the request. ERR_QUOTA: as in money_reserve. */
MUST_CHECK bool money_reserve_call(const struct money *m, const struct money_call *call,
				   const struct budget_usage *max_usage,
				   struct budget_reservation *reservation, struct err *e);
/* Settles the reservation after the request; sets usage->nano_usd. */
void money_settle_call(const struct money *m, const struct money_call *call,
		       const struct budget_reservation *reservation, struct llm_usage *usage);
/* Wall time of the budget owner. */
int64_t money_now(const struct money *m, const struct budget_owner *budget_owner);
/* Returns true when the budget allows the provider's longest answer in this role. */
bool money_allows(const struct money *m, const struct budget_owner *budget_owner,
		  const struct provider *p, enum llm_role role);

/* Reserves before an attempt. ERR_QUOTA: the budget is too small. */
MUST_CHECK bool money_reserve(const struct money *m, const struct llm_call *call,
			      const struct provider *p, struct budget_reservation *reservation,
			      struct err *e);
/* Settles after an attempt; sets usage->nano_usd. */
void money_settle(const struct money *m, const struct llm_call *call, const struct provider *p,
		  const struct budget_reservation *reservation, struct llm_usage *usage);
/* Estimates usage that the service did not report for a complete answer. */
void money_estimate_complete(const struct llm_call *call, const struct provider *p,
			     struct llm_answer *answer);
/* Estimates the highest usage of an incomplete call. shown_tokens -1: unknown. */
void money_estimate_incomplete(const struct llm_call *call, const struct provider *p,
			       int64_t shown_tokens, struct llm_usage *usage);

/* ---- llm.c: shared by the calls of llm_run.c ---- */

struct llm {
	int refs;
	struct loop *loop;
	struct provider *providers;
	size_t count;
	struct provider embed;         /* for embeddings; driver NULL: none */
	int64_t embed_dims;            /* 0: the model's default */
	size_t *order[LLM_ROLE_COUNT]; /* order in which providers are tried */
	struct money money;
	void (*exchange)(void *owner, const char *hash, json_t *take);
	void *exchange_owner;
	int64_t retry_base_ms;
	unsigned spread[LLM_ATTEMPTS_MAX]; /* jitter state of the waits, by attempt */
	size_t running;                    /* number of calls */
};

/* ---- llm_record.c ---- */

/* Hashes the request. */
void exchange_hash(const struct llm_call *call, char hash[HASH_HEX_BYTES]);
/* Returns a finished call in the format of record.h, and its hash in `hash`. New reference. */
json_t *exchange_json(const struct llm_call *call, const struct llm_answer *answer,
		      const struct err *e, char hash[HASH_HEX_BYTES]);

/* ---- llm_retry.c: whether and when to retry a request. Pure. ---- */

/* The wait before attempt number `attempt` + 1 (0 was the first), or -1: no retry on this provider.
 * `spread` 0..65535 picks a point between the shortest and the longest wait. The shortest is three
 * quarters of the usual wait, or all of a requested one. The longest is 1.5 times either. */
int64_t retry_wait_ms(const struct err *e, int attempt, int64_t base_ms, unsigned spread);
/* The next jitter value; any number of successive values is spread evenly. */
unsigned retry_spread_next(unsigned *spread);

/* Returns true when the JSON is an error. */
bool llm_error_is(const json_t *body);

/* Sets the error for a provider's failure. `body` may be anything or NULL; status 0: an error event
 * inside a stream. should_retry and retry_after_ms as in struct http_response. Always returns
 * false. */
bool llm_error_set(struct err *e, int status, const json_t *body, int should_retry,
		   int64_t retry_after_ms);

/* ---- llm_dialect.c: kinds of services and models ---- */

struct llm_stream;

/* Options that a model supports; others are left out of its requests. */
struct model_traits {
	bool effort;
	bool adaptive; /* thinking: adaptive */
	bool between;  /* thinking: between_tools */
	bool off;      /* thinking: disabled */
};
struct model_traits model_traits_of(const char *model);

/* Settings of one role at one provider. */
struct wire_role {
	char *model;
	int64_t max_tokens; /* 0: LLM_MAX_TOKENS */
	char *effort;       /* or NULL */
	enum llm_thinking thinking;
	struct model_traits traits;
};

struct dialect {
	const char *kind;
	/* An address with this text belongs to this kind, even if another kind is configured. */
	const char *host;
	const char *version_path, *path;
	const char *key_header;
	bool needs_key;
	const char *base_url;   /* NULL: the configuration must set one */
	const char *model;      /* NULL: the configuration must set one */
	const char *max_tokens; /* name of that member */
	bool effort;            /* supports effort */
	bool strict;            /* supports strict schemas and the user's id */
	void (*body)(struct buf *out, const struct llm_call *call, const struct wire_role *role,
		     const struct dialect *d);
	bool (*event)(struct llm_stream *s, const char *event, const char *data, size_t len,
		      struct err *e);
	bool needs_version; /* requires the API version in a header */
};

/* NULL for an unknown kind. base_url may be NULL. */
const struct dialect *dialect_find(const char *kind, const char *base_url);

/* ---- llm_body.c, llm_chat_body.c ---- */

/* Writes the request body: equal calls give equal bytes, and stable parts come first. */
void anthropic_body(struct buf *out, const struct llm_call *call, const struct wire_role *role,
		    const struct dialect *d);
void openai_body(struct buf *out, const struct llm_call *call, const struct wire_role *role,
		 const struct dialect *d);

/* Maximum tokens of the answer. */
int64_t body_max_tokens(const struct llm_call *call, const struct wire_role *role);
/* For both APIs: writes a JSON string; tests for text without a visible character, which services
 * reject. */
void body_str(struct buf *b, const char *text);
bool body_is_blank(const char *text);

/* ---- llm_delta.c ---- */

/* Reads the usual form of a text delta. False: use the general parser. `text` points into `in` or
 * `scratch`. */
bool text_delta_read(struct str in, struct buf *scratch, int64_t *index, struct str *text);

/* ---- stream of an answer ---- */

struct stream_block {
	int64_t index; /* given by the provider */
	enum llm_block_kind kind;
	json_t *start;   /* block as announced */
	struct buf text; /* text, thinking, or the JSON of arguments */
	struct buf signature;
};

/* An answer being read. stream_finish allocates its blocks in the arena. */
struct llm_stream {
	struct arena *arena;
	void (*on_text)(void *owner, const char *text, size_t len); /* or NULL */
	void *owner;
	const char *origin;    /* requested model */
	const char *model;     /* model named in the reply */
	int64_t message_count; /* messages in the request */
	struct llm_usage usage;
	enum llm_stop stop;
	bool has_stop;    /* a stop reason has arrived: the answer is complete */
	bool has_ended;   /* the last event has arrived */
	bool has_refusal; /* text of a refusal has arrived */
	struct buf scratch;
	struct stream_block *blocks[LLM_BLOCKS_MAX];
	size_t count;
};

void stream_init(struct llm_stream *s, struct arena *a,
		 void (*on_text)(void *owner, const char *text, size_t len), void *owner);
void stream_deinit(struct llm_stream *s);

/* For the parsers of both APIs. The newest block with this index, or NULL. */
struct stream_block *stream_block_find(const struct llm_stream *s, int64_t index);
/* NULL: there are too many. Keeps a reference to `start`. */
struct stream_block *stream_block_new(struct llm_stream *s, int64_t index, enum llm_block_kind kind,
				      json_t *start, struct err *e);
bool stream_block_add(struct buf *to, struct str part, struct err *e);
bool stream_text_add(struct llm_stream *s, struct stream_block *b, struct str text, struct err *e);
/* Parses the event as JSON and replaces unpaired surrogates. New reference. */
bool stream_json(struct llm_stream *s, struct str text, json_t **out);
bool stream_malformed(struct err *e, const char *what);           /* returns false */
struct str stream_member(const json_t *object, const char *name); /* "" when it is not a string */
void stream_count(int64_t *to, const json_t *value); /* unchanged when it is not a count */

/* ---- llm_events.c, llm_chunks.c ---- */

/* Reads one server-sent event of the API. False: the answer has failed (an error event, malformed
 * data, a limit). */
MUST_CHECK bool anthropic_event(struct llm_stream *s, const char *event, const char *data,
				size_t len, struct err *e);
MUST_CHECK bool openai_event(struct llm_stream *s, const char *event, const char *data, size_t len,
			     struct err *e);

/* ---- llm_stream.c ---- */

/* Called at the end of the body. True: the answer is complete and its blocks are in *answer; else
 * an error that may be retried. Model, usage and stop reason are set in both cases; provider is
 * not. */
MUST_CHECK bool stream_finish(struct llm_stream *s, struct llm_answer *answer, struct err *e);

/* ---- llm_wire.c ---- */

MUST_CHECK bool wire_open(struct loop *l, struct http *h,
			  const struct llm_provider_options *provider,
			  const struct llm_options *options, void **self, struct err *e);
/* Opens a service for embeddings only. ERR_INPUT: its API has no embeddings. */
MUST_CHECK bool wire_open_embed(struct loop *l, struct http *h,
				const struct llm_provider_options *provider,
				const struct llm_options *options, void **self, struct err *e);
extern const struct llm_driver wire_driver;
/* An opened provider; llm_check.c uses it for its request. */
struct wire {
	struct loop *loop;
	struct http *http;
	const struct dialect *dialect;
	char *name;
	char *url;
	char *embed_url; /* NULL: no embeddings */
	char *models_url;
	char *key_header;     /* the only copy of the key; NULL: no key is needed */
	char *version_header; /* or NULL */
	struct wire_role roles[LLM_ROLE_COUNT]; /* owns the strings */
	bool is_embed; /* used for the role "embed": all roles have its model */
	int64_t connect_ms, first_byte_ms, idle_ms;
	struct wire_check *check; /* running check, or NULL */
};
/* Sets the headers of a request, NULL-terminated. */
void wire_headers(const struct wire *w, const char *headers[5]);

/* ---- llm_check.c: checks the key and the models at the service ---- */

/* Runs once in the background. Problems are logged; model capabilities from the service replace the
 * built-in table. */
void wire_check_start(struct wire *w);
void wire_check_free(struct wire_check **c);
const struct wire_role *wire_roles(const void *self);

#endif
