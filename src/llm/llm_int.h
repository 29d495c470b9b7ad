/* What the files of this folder share: the breaker and the retry rules (used by llm.c), and the
 * pure halves of the wires (request body, stream, errors) that llm_wire.c puts over HTTP. */
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

/* ---- llm_provider.c: a driver with its breaker, and what the operator sees of it ---- */

struct provider {
	char *name;
	const struct wire_role *roles; /* of each role; NULL: a driver that has no models */
	const struct llm_driver *driver;
	void *self;
	struct breaker breaker;
	bool seen; /* in /health */
};

/* The name becomes part of metrics and health checks. */
MUST_CHECK bool provider_name_check(const char *name, struct err *e);
void provider_init(struct provider *p, const char *name, const struct llm_driver *driver,
		   void *self, int64_t failures_max, int64_t open_ms);
void provider_deinit(struct provider *p); /* closes the driver */
void provider_show(struct provider *p);
void provider_hide(struct provider *p, bool keep_check);
void provider_ok(struct provider *p);
void provider_failed(struct provider *p, bool probe, const struct err *e);
void provider_count_usage(const struct provider *p, const struct llm_usage *u);

/* ---- llm_money.c: what a call costs ---- */

struct money {
	struct budget *budget; /* NULL: nothing is counted */
	void (*ledger)(void *owner, const struct budget_entry *entry);
	int64_t (*wall_ms)(void *owner, const char *tenant);
	void *ledger_owner;
};

/* A request as the budget and its ledger have it. */
struct money_call {
	const struct budget_payer *payer; /* NULL: on no budget */
	const char *provider, *model, *purpose;
};
/* Holds so much use at most, before it. ERR_QUOTA as money_hold. */
MUST_CHECK bool money_hold_call(const struct money *m, const struct money_call *call,
				const struct budget_use *most, struct budget_hold *hold,
				struct err *e);
/* After it; sets usage->nano_usd. */
void money_settle_call(const struct money *m, const struct money_call *call,
		       const struct budget_hold *hold, struct llm_usage *usage);
/* The payer's wall time. */
int64_t money_now(const struct money *m, const struct budget_payer *payer);
/* There is room for the longest answer that the provider may give in this role. */
bool money_suffices(const struct money *m, const struct budget_payer *payer,
		    const struct provider *p, enum llm_role role);

/* Before an attempt. ERR_QUOTA: the payer has no room for it. */
MUST_CHECK bool money_hold(const struct money *m, const struct llm_call *call,
			   const struct provider *p, struct budget_hold *hold, struct err *e);
/* After it; sets usage->nano_usd. */
void money_settle(const struct money *m, const struct llm_call *call, const struct provider *p,
		  const struct budget_hold *hold, struct llm_usage *usage);
/* Fills in what the service did not tell of a whole answer. */
void money_guess_whole(const struct llm_call *call, const struct provider *p,
		       struct llm_answer *answer);
/* What a call that broke off may have used at most; shown_tokens -1: nobody knows what was said. */
void money_guess_broken(const struct llm_call *call, const struct provider *p, int64_t shown_tokens,
			struct llm_usage *usage);

/* ---- llm.c: what the calls of llm_run.c share ---- */

struct llm {
	int refs;
	struct loop *loop;
	struct provider *providers;
	size_t count;
	struct provider embed;         /* of vectors; driver NULL: there is none */
	int64_t embed_dims;            /* 0: the model's own */
	size_t *order[LLM_ROLE_COUNT]; /* which provider is asked first, second, … */
	struct money money;
	void (*exchange)(void *owner, const char *hash, json_t *take);
	void *exchange_owner;
	int64_t retry_base_ms;
	unsigned spread[LLM_ATTEMPTS_MAX]; /* of the waits after each attempt */
	size_t running;                    /* calls */
};

/* ---- llm_record.c ---- */

/* The name of what is asked. */
void exchange_hash(const struct llm_call *call, char hash[HASH_HEX_BYTES]);
/* A call that has ended, as record.h has it; its name is in `hash`. New reference. */
json_t *exchange_json(const struct llm_call *call, const struct llm_answer *answer,
		      const struct err *e, char hash[HASH_HEX_BYTES]);

/* ---- llm_retry.c: whether and how long to wait before the same request is sent again. Pure. ----
 */

/* The wait before attempt number `attempt` + 1 (0 was the first), or -1: not on this provider.
 * `spread` 0..65535 says where between the shortest (three quarters of the usual wait, all of one
 * that was asked for) and the longest (half as much more than that wait). */
int64_t retry_wait_ms(const struct err *e, int attempt, int64_t base_ms, unsigned spread);
/* The next place: those of a crowd lie evenly, however large it is. */
unsigned retry_spread_next(unsigned *spread);

/* This JSON tells an error. */
bool llm_error_is(const json_t *body);

/* What an error of the provider means. `body` may be anything or NULL; status 0: an error event
 * inside a stream. should_retry and retry_after_ms as in struct http_response. Always returns
 * false. */
bool llm_error_set(struct err *e, int status, const json_t *body, int should_retry,
		   int64_t retry_after_ms);

/* ---- llm_dialect.c: kinds of services and of models ---- */

struct llm_stream;

/* What a model takes; what it does not is left out of its requests. */
struct model_traits {
	bool effort;
	bool adaptive; /* thinking: adaptive */
	bool between;  /* thinking: between_tools */
	bool off;      /* thinking: disabled */
};
struct model_traits model_traits_of(const char *model);

/* One role as one provider serves it. */
struct wire_role {
	char *model;
	int64_t max_tokens; /* 0: LLM_MAX_TOKENS */
	char *effort;       /* or NULL */
	enum llm_thinking thinking;
	struct model_traits traits;
};

struct dialect {
	const char *kind;
	const char *host; /* an address that holds this is of this kind, whatever it is called */
	const char *version_path, *path;
	const char *key_header;
	bool key_needed;
	const char *base_url;   /* NULL: the configuration must give one */
	const char *model;      /* NULL: likewise */
	const char *max_tokens; /* the name of that member */
	bool effort;            /* takes an effort */
	bool strict;            /* takes strict schemas and the user's id */
	void (*body)(struct buf *out, const struct llm_call *call, const struct wire_role *role,
		     const struct dialect *d);
	bool (*event)(struct llm_stream *s, const char *event, const char *data, size_t len,
		      struct err *e);
	bool versioned; /* wants the version of the API in a header */
};

/* NULL: there is no such kind. base_url may be NULL. */
const struct dialect *dialect_find(const char *kind, const char *base_url);

/* ---- llm_body.c, llm_chat_body.c ---- */

/* The request body: the same call gives the same bytes, and what is stable comes first. */
void anthropic_body(struct buf *out, const struct llm_call *call, const struct wire_role *role,
		    const struct dialect *d);
void openai_body(struct buf *out, const struct llm_call *call, const struct wire_role *role,
		 const struct dialect *d);

/* How long the answer may be. */
int64_t body_max_tokens(const struct llm_call *call, const struct wire_role *role);
/* For both: a JSON string; text that services refuse because it has no visible character. */
void body_str(struct buf *b, const char *text);
bool body_is_blank(const char *text);

/* ---- llm_delta.c ---- */

/* Reads the usual form of a text delta. False: read it in the general way. `text` lies in `in` or
 * in `scratch`. */
bool text_delta_read(struct str in, struct buf *scratch, int64_t *index, struct str *text);

/* ---- an answer being read ---- */

struct stream_block {
	int64_t index; /* the provider's */
	enum llm_block_kind kind;
	json_t *start;   /* as it was announced */
	struct buf text; /* text, thinking, or the arguments' JSON */
	struct buf signature;
};

/* One answer being read. Its blocks are made in the arena by stream_finish. */
struct llm_stream {
	struct arena *arena;
	void (*on_text)(void *owner, const char *text, size_t len); /* or NULL */
	void *owner;
	const char *origin; /* the model that was asked */
	const char *model;  /* that says it answers */
	int64_t asked;      /* messages of the request */
	struct llm_usage usage;
	enum llm_stop stop;
	bool has_stop; /* the stop reason came: the answer is whole, whatever follows */
	bool ended;    /* the last event came */
	bool refused;  /* words of a refusal came */
	struct buf scratch;
	struct stream_block *blocks[LLM_BLOCKS_MAX];
	size_t count;
};

void stream_init(struct llm_stream *s, struct arena *a,
		 void (*on_text)(void *owner, const char *text, size_t len), void *owner);
void stream_deinit(struct llm_stream *s);

/* For the readers of each wire. The newest block with this index, or NULL. */
struct stream_block *stream_block_find(const struct llm_stream *s, int64_t index);
/* NULL: there are too many. Keeps a reference to `start`. */
struct stream_block *stream_block_new(struct llm_stream *s, int64_t index, enum llm_block_kind kind,
				      json_t *start, struct err *e);
bool stream_block_add(struct buf *to, struct str part, struct err *e);
bool stream_text_came(struct llm_stream *s, struct stream_block *b, struct str text, struct err *e);
/* The event as JSON; halves of characters in it are replaced. New reference. */
bool stream_json(struct llm_stream *s, struct str text, json_t **out);
bool stream_garbled(struct err *e, const char *what);             /* false */
struct str stream_member(const json_t *object, const char *name); /* "" when it is no text */
void stream_count(int64_t *to, const json_t *value);              /* kept when it is no count */

/* ---- llm_events.c, llm_chunks.c ---- */

/* One server-sent event of either wire. False: the answer has failed (an error event, what can't be
 * read, a limit). */
MUST_CHECK bool anthropic_event(struct llm_stream *s, const char *event, const char *data,
				size_t len, struct err *e);
MUST_CHECK bool openai_event(struct llm_stream *s, const char *event, const char *data, size_t len,
			     struct err *e);

/* ---- llm_stream.c ---- */

/* The body has ended. True: the answer is whole and its blocks are in *answer. Else an error that
 * may be retried. Model, usage and stop reason are set in both cases; provider is not. */
MUST_CHECK bool stream_finish(struct llm_stream *s, struct llm_answer *answer, struct err *e);

/* ---- llm_wire.c ---- */

MUST_CHECK bool wire_open(struct loop *l, struct http *h,
			  const struct llm_provider_options *provider,
			  const struct llm_options *options, void **self, struct err *e);
/* The same service for vectors alone. ERR_INPUT: its wire makes none. */
MUST_CHECK bool wire_open_embed(struct loop *l, struct http *h,
				const struct llm_provider_options *provider,
				const struct llm_options *options, void **self, struct err *e);
extern const struct llm_driver wire_driver;
/* One provider as it was opened; llm_check.c asks its service with it. */
struct wire {
	struct loop *loop;
	struct http *http;
	const struct dialect *dialect;
	char *name;
	char *url;
	char *embed_url; /* NULL: this wire makes no vectors */
	char *models_url;
	char *key_header;     /* the only place of the key; NULL: this service wants none */
	char *version_header; /* or NULL */
	struct wire_role roles[LLM_ROLE_COUNT]; /* owns the texts */
	bool embeds; /* it is the role embed's: all roles have that one's model */
	int64_t connect_ms, first_byte_ms, idle_ms;
	struct wire_check *check; /* under way, or NULL */
};
/* The headers of a request, NULL-ended. */
void wire_headers(const struct wire *w, const char *headers[5]);

/* ---- llm_check.c: does the service know the key and the models? ---- */

/* Asks once, in the background; what is wrong is logged, what the service says of its models
 * replaces what this program knows of them. */
void wire_check_start(struct wire *w);
void wire_check_free(struct wire_check **c);
const struct wire_role *wire_roles(const void *self);

#endif
