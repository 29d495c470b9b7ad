/* One call and its outcome, with a scripted driver or with two real providers on the loop. */
#ifndef CALL_WORLD_H
#define CALL_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_llm.c"
#include "llm_int.h"
#include "tiny_server.h"
#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/log.h"
#include "vesper/metric.h"

struct call_outcome {
	struct op *op;
	struct buf text;
	bool cancel_on_text;
	bool ended, shown;
	size_t blocks;
	enum llm_stop stop;
	struct llm_usage usage;
	char provider[40];
	struct err err;
};

static inline void on_text(void *owner, const char *text, size_t len)
{
	struct call_outcome *s = owner;

	buf_add(&s->text, text, len);
	if (s->cancel_on_text)
		op_cancel(&s->op);
}

static inline void on_end(void *owner, const struct llm_answer *answer, bool shown,
			  const struct err *e)
{
	struct call_outcome *s = owner;

	s->op = NULL;
	s->ended = true;
	s->shown = shown;
	s->blocks = answer->count;
	s->stop = answer->stop;
	s->usage = answer->usage;
	snprintf(s->provider, sizeof(s->provider), "%s", answer->provider ? answer->provider : "");
	if (e)
		s->err = *e;
}

static const struct llm_handler streamed = {on_text, on_end}, unstreamed = {NULL, on_end};

/* The call's structs live on this frame only: the operation must have copied them. */
static inline void start(struct llm *llm, struct arena *a, struct call_outcome *s,
			 const struct llm_handler *h, int64_t deadline_ms)
{
	struct llm_block blocks[] = {{.kind = LLM_TEXT, .text = "question"}};
	struct llm_block system[] = {{.kind = LLM_TEXT, .text = "rules"}};
	struct llm_message messages[] = {{LLM_USER, blocks, 1}};
	struct llm_call call = {.role = LLM_ANSWER,
				.system = system,
				.system_count = 1,
				.messages = messages,
				.message_count = 1,
				.deadline_ms = deadline_ms};

	memset(s, 0, sizeof(*s));
	buf_init(&s->text, 1 << 16);
	s->op = llm_start(llm, &call, a, h, s);
	assert_false(s->ended);
	memset(blocks, 0x5a, sizeof(blocks));
	memset(messages, 0x5a, sizeof(messages));
	memset(system, 0x5a, sizeof(system));
	memset(&call, 0x5a, sizeof(call));
}

static inline void run(struct loop *l, const struct call_outcome *s, int64_t ms)
{
	/* Uses the loop's clock, since the program's clock may be frozen. */
	for (uint64_t begin = loop_now_ms(l); !s->ended && loop_now_ms(l) < begin + (uint64_t)ms;) {
		loop_run_once(l);
		usleep(100);
	}
}

/* ---- one scripted driver ---- */

struct scripted {
	struct loop *loop;
	struct fake_llm *fake;
	struct llm *llm;
	struct arena *arena;
};

static inline int scripted_setup(void **state)
{
	struct scripted *w = mem_alloc(sizeof(*w));

	assert_true(loop_new(&w->loop, NULL));
	w->fake = fake_llm_new(w->loop);
	w->llm = llm_from_driver(w->loop, &fake_llm_driver, w->fake);
	w->arena = arena_new(1 << 20);
	*state = w;
	return 0;
}

static inline int scripted_teardown(void **state)
{
	struct scripted *w = *state;

	llm_free(&w->llm);
	fake_llm_free(&w->fake);
	loop_free(&w->loop);
	arena_free(&w->arena);
	mem_free(w);
	health_reset();
	metric_reset();
	return 0;
}

/* ---- two real providers ---- */

#define OK_ANSWER(text)                                                                            \
	"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"          \
	"data: "                                                                                   \
	"{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","      \
	"\"text\":\"" text "\"}}\n\n"                                                              \
	"data: "                                                                                   \
	"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"         \
	"\"output_tokens\":1}}\n\n"
#define FAILURE(status, fields)                                                                    \
	"HTTP/1.1 " status " X\r\n" fields "content-length: 0\r\nconnection: close\r\n\r\n"

struct pair {
	struct loop *loop;
	struct http *http;
	struct tiny_server a, b;
	struct llm *llm;
	struct arena *arena;
};

static inline void pair_providers(const struct pair *w, struct llm_provider_options p[2])
{
	p[0] = (struct llm_provider_options){.name = "first",
					     .kind = "anthropic",
					     .base_url = w->a.url,
					     .key = "k",
					     .version = "2026-10-21"};
	p[1] = p[0];
	p[1].name = "second";
	p[1].base_url = w->b.url;
}

static inline int pair_setup(void **state)
{
	struct pair *w = mem_alloc(sizeof(*w));

	assert_true(loop_new(&w->loop, NULL));
	assert_true(http_new(w->loop, &w->http, NULL));
	tiny_server_open(&w->a, w->loop);
	tiny_server_open(&w->b, w->loop);
	struct llm_provider_options p[2];

	pair_providers(w, p);
	struct llm_options o = {.providers = p,
				.provider_count = 2,
				.first_byte_ms = 3000,
				.idle_ms = 3000,
				.breaker_failures = 3,
				.breaker_open_ms = 60000,
				.retry_base_ms = 10};

	for (int i = 0; i < LLM_ROLE_COUNT; i++)
		o.roles[i].model = "m";
	assert_true(llm_new(w->loop, w->http, &o, &w->llm, NULL));
	w->arena = arena_new(1 << 20);
	*state = w;
	return 0;
}

static inline int pair_teardown(void **state)
{
	struct pair *w = *state;

	clock_release();
	llm_free(&w->llm);
	http_free(&w->http);
	tiny_server_close(&w->a);
	tiny_server_close(&w->b);
	loop_free(&w->loop);
	arena_free(&w->arena);
	mem_free(w);
	health_reset();
	metric_reset();
	return 0;
}

static inline void run_call(struct pair *w, struct call_outcome *s)
{
	start(w->llm, w->arena, s, &streamed, 0);
	run(w->loop, s, 5000);
	assert_true(s->ended);
	buf_deinit(&s->text);
}

static inline void add_reply(struct tiny_server *s, const char *text)
{
	tiny_server_add(s, (struct tiny_reply){.text = text});
}

static inline void on_log(void *owner, const char *line)
{
	(void)owner;
	assert_null(strstr(line, "x-api-key"));
}

#endif
