/* What the files of this folder share: the breaker and the retry rules (used by llm.c), and the
 * pure halves of the Anthropic wire (request body, stream, errors) that llm_anthropic.c puts over
 * HTTP. */
#ifndef VESPER_LLM_INT_H
#define VESPER_LLM_INT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/limits.h"
#include "vesper/llm.h"
#include "vesper/str.h"

/* ---- llm_breaker.c: leaves a provider alone that failed often, then tries it with one call. Pure:
 * time is given. ---- */

struct breaker {
	int64_t failures_max; /* in a row */
	int64_t open_ms;
	int64_t failures;
	int64_t opened_ms; /* when it opened */
	bool open;
	bool probing; /* the one call that is let through is under way */
};

bool breaker_admits(const struct breaker *b, int64_t now_ms);
/* Before a call that breaker_admits lets through. True: this call is the probe. */
bool breaker_begin(struct breaker *b);
void breaker_ok(struct breaker *b);
void breaker_failed(struct breaker *b, bool probe, int64_t now_ms);
/* The call ended without a verdict (cancelled, out of the caller's time). */
void breaker_undecided(struct breaker *b, bool probe);

/* ---- llm_provider.c: a driver with its breaker, and what the operator sees of it ---- */

struct provider {
	char *name;
	const struct llm_driver *driver;
	void *self;
	struct breaker breaker;
};

/* The name becomes part of metrics and health checks. */
MUST_CHECK bool provider_name_check(const char *name, struct err *e);
void provider_init(struct provider *p, const char *name, const struct llm_driver *driver,
		   void *self, int64_t failures_max, int64_t open_ms);
void provider_deinit(struct provider *p); /* closes the driver */
void provider_ok(struct provider *p);
void provider_failed(struct provider *p, bool probe, const struct err *e);
void provider_count_usage(const struct provider *p, const struct llm_usage *u);
/* vesper_llm_<what>{provider="<provider>",<label>="<value>"} */
void llm_count(const char *what, const char *provider, const char *label, const char *value,
	       int64_t by);

/* ---- llm_retry.c: whether and how long to wait before the same request is sent again. Pure. ----
 */

/* The wait before attempt number `attempt` + 1 (0 was the first), or -1: not on this provider.
 * `random` is 0..65535. */
int64_t retry_wait_ms(const struct err *e, int attempt, int64_t base_ms, unsigned random);

/* What an error of the provider means. `body` may be anything or NULL; status 0: an error event
 * inside a stream. should_retry and retry_after_ms as in struct http_response. Always returns
 * false. */
bool llm_error_set(struct err *e, int status, const json_t *body, int should_retry,
		   int64_t retry_after_ms);

/* ---- llm_body.c ---- */

/* The request body: the same call gives the same bytes, and what is stable comes first. */
void anthropic_body(struct buf *out, const struct llm_call *call,
		    const struct llm_role_options *role);

/* ---- llm_delta.c ---- */

/* Reads the usual form of a text delta. False: read it in the general way. `text` lies in `in` or
 * in `scratch`. */
bool text_delta_read(struct str in, struct buf *scratch, int64_t *index, struct str *text);

/* ---- llm_stream.c ---- */

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
	const char *model;
	struct llm_usage usage;
	enum llm_stop stop;
	bool has_stop; /* the stop reason came: the answer is whole, whatever follows */
	bool ended;    /* message_stop came */
	struct buf scratch;
	struct stream_block *blocks[LLM_BLOCKS_MAX];
	size_t count;
};

void stream_init(struct llm_stream *s, struct arena *a,
		 void (*on_text)(void *owner, const char *text, size_t len), void *owner);
void stream_deinit(struct llm_stream *s);

/* One server-sent event. False: the answer has failed (an error event, what can't be read, a
 * limit). */
MUST_CHECK bool stream_event(struct llm_stream *s, const char *event, const char *data, size_t len,
			     struct err *e);

/* The body has ended. True: the answer is whole and its blocks are in *answer. Else an error that
 * may be retried. Model, usage and stop reason are set in both cases; provider is not. */
MUST_CHECK bool stream_finish(struct llm_stream *s, struct llm_answer *answer, struct err *e);

/* ---- llm_anthropic.c ---- */

MUST_CHECK bool anthropic_open(struct loop *l, struct http *h,
			       const struct llm_provider_options *provider,
			       const struct llm_options *options, void **self, struct err *e);
extern const struct llm_driver anthropic_driver;

#endif
