/* Retries, breakers and fail-over: with a scripted driver, and with real providers on the loop. */
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

struct seen {
	struct op *op;
	struct buf text;
	bool cancel_on_text;
	bool ended, shown;
	size_t blocks;
	struct llm_usage usage;
	char provider[40];
	struct err err;
};

static void on_text(void *owner, const char *text, size_t len)
{
	struct seen *s = owner;

	buf_add(&s->text, text, len);
	if (s->cancel_on_text)
		op_cancel(&s->op);
}

static void on_end(void *owner, const struct llm_answer *answer, bool shown, const struct err *e)
{
	struct seen *s = owner;

	s->op = NULL;
	s->ended = true;
	s->shown = shown;
	s->blocks = answer->count;
	s->usage = answer->usage;
	snprintf(s->provider, sizeof(s->provider), "%s", answer->provider ? answer->provider : "");
	if (e)
		s->err = *e;
}

static const struct llm_handler streamed = {on_text, on_end}, whole = {NULL, on_end};

/* The call's structs live on this frame only: the operation must have copied them. */
static void start(struct llm *llm, struct arena *a, struct seen *s, const struct llm_handler *h,
		  int64_t deadline_ms)
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

static void run(struct loop *l, const struct seen *s, int64_t ms)
{
	/* By the loop's clock: the program's own may be frozen. */
	for (uint64_t begin = loop_now_ms(l); !s->ended && loop_now_ms(l) < begin + (uint64_t)ms;) {
		loop_turn(l);
		usleep(100);
	}
}

/* ---- one scripted driver ---- */

struct small {
	struct loop *loop;
	struct fake_llm *fake;
	struct llm *llm;
	struct arena *arena;
};

static int small_setup(void **state)
{
	struct small *w = mem_alloc(sizeof(*w));

	assert_true(loop_new(&w->loop, NULL));
	w->fake = fake_llm_new(w->loop);
	w->llm = llm_from_driver(w->loop, &fake_llm_driver, w->fake);
	w->arena = arena_new(1 << 20);
	*state = w;
	return 0;
}

static int small_teardown(void **state)
{
	struct small *w = *state;

	llm_free(&w->llm);
	fake_llm_free(&w->fake);
	loop_free(&w->loop);
	arena_free(&w->arena);
	mem_free(w);
	health_reset();
	return 0;
}

static void test_text_and_end(void **state)
{
	struct small *w = *state;
	struct seen s;

	fake_llm_expect(w->fake, LLM_ANSWER, "question");
	fake_llm_text(w->fake, "48");
	fake_llm_text(w->fake, ".73");
	start(w->llm, w->arena, &s, &streamed, 0);
	run(w->loop, &s, 1000);
	assert_true(s.ended && s.shown);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_string_equal(buf_text(&s.text), "48.73");
	assert_string_equal(s.provider, "fake");
	assert_null(fake_llm_complaint(w->fake));
	assert_int_equal(fake_llm_unmet(w->fake), 0);
	buf_deinit(&s.text);
}

static void test_no_repeat_after_shown_text(void **state)
{
	struct small *w = *state;
	struct seen s;

	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_text(w->fake, "half");
	fake_llm_fail(w->fake, ERR_UPSTREAM, true);
	start(w->llm, w->arena, &s, &streamed, 0);
	run(w->loop, &s, 3000);
	assert_true(s.ended && s.shown);
	assert_int_equal(s.err.code, ERR_UPSTREAM);
	assert_int_equal(fake_llm_calls(w->fake), 1);
	buf_deinit(&s.text);
}

/* Who only waits for the end has seen nothing, so the same failure is tried again; usage adds up.
 */
static void test_repeat_when_nobody_listens(void **state)
{
	struct small *w = *state;
	struct seen s;

	fake_llm_expect(w->fake, LLM_ANSWER, "system: rules");
	fake_llm_text(w->fake, "half");
	fake_llm_fail(w->fake, ERR_UPSTREAM, true);
	fake_llm_expect(w->fake, LLM_ANSWER, "system: rules");
	fake_llm_text(w->fake, "all");
	fake_llm_text(w->fake, " of it");
	start(w->llm, w->arena, &s, &whole, 0);
	run(w->loop, &s, 3000);
	assert_true(s.ended && !s.shown);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_int_equal(s.blocks, 2);
	assert_int_equal(s.usage.output_tokens, 3);
	buf_deinit(&s.text);
}

static void test_cancel_everywhere(void **state)
{
	struct small *w = *state;
	struct seen s;

	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	start(w->llm, w->arena, &s, &streamed, 0);
	op_cancel(&s.op); /* at once */
	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_text(w->fake, "a");
	fake_llm_text(w->fake, "b");
	start(w->llm, w->arena, &s, &streamed, 0);
	s.cancel_on_text = true; /* in the first piece */
	run(w->loop, &s, 50);
	assert_string_equal(buf_text(&s.text), "a");
	buf_deinit(&s.text);
	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_stall(w->fake);
	start(w->llm, w->arena, &s, &streamed, 0);
	run(w->loop, &s, 50);
	op_cancel(&s.op); /* in silence */
	assert_int_equal(fake_llm_cancelled(w->fake), 3);
	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_fail(w->fake, ERR_UPSTREAM, true);
	start(w->llm, w->arena, &s, &streamed, 0);
	run(w->loop, &s, 50);
	assert_int_equal(fake_llm_calls(w->fake), 4);
	op_cancel(&s.op); /* while it waits for the next attempt */
	run(w->loop, &s, 600);
	assert_false(s.ended);
	assert_int_equal(fake_llm_calls(w->fake), 4);
	buf_deinit(&s.text);
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

static int pair_setup(void **state)
{
	struct pair *w = mem_alloc(sizeof(*w));

	assert_true(loop_new(&w->loop, NULL));
	assert_true(http_new(w->loop, &w->http, NULL));
	tiny_server_open(&w->a, w->loop);
	tiny_server_open(&w->b, w->loop);
	const struct llm_provider_options p[] = {{.name = "first",
						  .kind = "anthropic",
						  .base_url = w->a.url,
						  .key = "k",
						  .version = "2026-10-21"},
						 {.name = "second",
						  .kind = "anthropic",
						  .base_url = w->b.url,
						  .key = "k",
						  .version = "2026-10-21"}};
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

static int pair_teardown(void **state)
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
	return 0;
}

static void ask(struct pair *w, struct seen *s)
{
	start(w->llm, w->arena, s, &streamed, 0);
	run(w->loop, s, 5000);
	assert_true(s->ended);
	buf_deinit(&s->text);
}

static void add(struct tiny_server *s, const char *text)
{
	tiny_server_add(s, (struct tiny_reply){.text = text});
}

static void test_retry_then_answer(void **state)
{
	struct pair *w = *state;
	struct seen s;

	add(&w->a, FAILURE("529", ""));
	add(&w->a, FAILURE("500", ""));
	add(&w->a, OK_ANSWER("x"));
	ask(w, &s);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_string_equal(s.provider, "first");
	assert_int_equal(w->a.request_count, 3);
	assert_int_equal(w->b.request_count, 0);
}

static void test_fail_over_after_three(void **state)
{
	struct pair *w = *state;
	struct seen s;

	for (int i = 0; i < LLM_ATTEMPTS_MAX; i++)
		add(&w->a, FAILURE("529", ""));
	add(&w->b, OK_ANSWER("x"));
	ask(w, &s);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_string_equal(s.provider, "second");
	assert_int_equal(w->a.request_count, LLM_ATTEMPTS_MAX);
}

static void test_fail_over_at_once(void **state)
{
	struct pair *w = *state;
	const char *const hopeless[] = {
		FAILURE("401", ""),
		FAILURE("429", "retry-after: 21\r\n"), /* longer than a user waits */
		FAILURE("500", "x-should-retry: false\r\n"),
		"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi",
	};

	for (size_t i = 0; i < 4; i++) {
		struct seen s;

		add(&w->a, hopeless[i]);
		add(&w->b, OK_ANSWER("x"));
		ask(w, &s);
		assert_int_equal(s.err.code, ERR_NONE);
		assert_string_equal(s.provider, "second");
		assert_int_equal(w->a.request_count, i + 1);
		if (i == 1) { /* keeps the breaker closed */
			add(&w->a, OK_ANSWER("x"));
			ask(w, &s);
			w->a.reply_count--;
			w->a.request_count--;
			mem_free(w->a.requests[w->a.request_count]);
		}
	}
}

/* What one service refuses, another may take: the request is not repeated, but asked elsewhere. */
static void test_a_bad_request_goes_elsewhere(void **state)
{
	struct pair *w = *state;

	for (size_t i = 0; i < 5; i++) { /* nor does it open the breaker */
		struct seen s;

		add(&w->a, FAILURE("400", ""));
		add(&w->b, OK_ANSWER("x"));
		ask(w, &s);
		assert_int_equal(s.err.code, ERR_NONE);
		assert_string_equal(s.provider, "second");
		assert_int_equal(w->a.request_count, i + 1);
		assert_int_equal(w->b.request_count, i + 1);
	}
}

static void test_retry_after_is_honoured(void **state)
{
	struct pair *w = *state;
	struct seen s;
	int64_t begin = clock_mono_ms();

	add(&w->a, FAILURE("429", "retry-after-ms: 150\r\n"));
	add(&w->a, OK_ANSWER("x"));
	ask(w, &s);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_true(clock_mono_ms() - begin >= 148);
	assert_true(clock_mono_ms() - begin < 2000);
}

static void test_everything_down(void **state)
{
	struct pair *w = *state;
	struct seen s;

	clock_freeze_ms(1772182800000);
	for (int i = 0; i < LLM_ATTEMPTS_MAX; i++) {
		add(&w->a, FAILURE("529", ""));
		add(&w->b, FAILURE("503", ""));
	}
	assert_true(llm_usable(w->llm));
	ask(w, &s);
	assert_int_equal(s.err.code, ERR_UPSTREAM);
	assert_non_null(strstr(s.err.text, "second: 503"));
	assert_false(llm_usable(w->llm)); /* three failures each: both breakers are open */
	ask(w, &s);
	assert_int_equal(s.err.code, ERR_UPSTREAM);
	assert_string_equal(s.provider, "");
	assert_non_null(strstr(s.err.text, "no model provider"));
	assert_int_equal(w->a.request_count + w->b.request_count, 2 * LLM_ATTEMPTS_MAX);
}

static const char *note_of_first;
static enum health_state state_of_first;

static void on_health(void *owner, const char *check, enum health_state state, const char *note)
{
	(void)owner;
	if (strcmp(check, "llm:first") == 0) {
		state_of_first = state;
		note_of_first = note;
	}
}

static void test_breaker_closes_by_a_probe(void **state)
{
	struct pair *w = *state;
	struct seen s, other;

	clock_freeze_ms(1772182800000);
	for (int i = 0; i < LLM_ATTEMPTS_MAX; i++)
		add(&w->a, FAILURE("529", ""));
	add(&w->b, OK_ANSWER("x"));
	ask(w, &s);
	health_each(on_health, NULL);
	assert_int_equal(state_of_first, HEALTH_DEGRADED);
	assert_non_null(strstr(note_of_first, "529"));
	add(&w->b, OK_ANSWER("x"));
	ask(w, &s); /* the first is left alone */
	assert_string_equal(s.provider, "second");
	assert_int_equal(w->a.request_count, LLM_ATTEMPTS_MAX);

	clock_advance_ms(60000);
	tiny_server_add(&w->a, (struct tiny_reply){.text = OK_ANSWER("x"), .delay_ms = 80});
	add(&w->b, OK_ANSWER("x"));
	start(w->llm, w->arena, &s, &streamed, 0);     /* the probe */
	start(w->llm, w->arena, &other, &streamed, 0); /* meanwhile elsewhere */
	run(w->loop, &other, 1000);
	assert_string_equal(other.provider, "second");
	run(w->loop, &s, 1000);
	assert_string_equal(s.provider, "first");
	buf_deinit(&s.text);
	buf_deinit(&other.text);
	health_each(on_health, NULL);
	assert_int_equal(state_of_first, HEALTH_OK);
	add(&w->a, OK_ANSWER("x"));
	ask(w, &s);
	assert_string_equal(s.provider, "first");
}

static void test_cancelled_probe_makes_room(void **state)
{
	struct pair *w = *state;
	struct seen s;

	clock_freeze_ms(1772182800000);
	for (int i = 0; i < LLM_ATTEMPTS_MAX; i++)
		add(&w->a, FAILURE("529", ""));
	add(&w->b, OK_ANSWER("x"));
	ask(w, &s);
	clock_advance_ms(60000);
	start(w->llm, w->arena, &s, &streamed, 0);
	op_cancel(&s.op);
	add(&w->a, OK_ANSWER("x"));
	ask(w, &s);
	assert_string_equal(s.provider, "first");
}

static void test_deadline_bounds_the_waits(void **state)
{
	struct pair *w = *state;
	struct seen s;
	int64_t begin = clock_mono_ms();

	add(&w->a, FAILURE("529", "retry-after-ms: 5000\r\n"));
	add(&w->b, FAILURE("529", "retry-after-ms: 5000\r\n"));
	start(w->llm, w->arena, &s, &streamed, begin + 1000);
	run(w->loop, &s, 3000);
	assert_int_equal(s.err.code, ERR_UPSTREAM);
	assert_true(clock_mono_ms() - begin < 900);
	buf_deinit(&s.text);

	tiny_server_add(
		&w->a,
		(struct tiny_reply){.text = "",
				    .hang = true}); /* the deadline in the middle of an attempt */
	begin = clock_mono_ms();
	start(w->llm, w->arena, &s, &streamed, begin + 100);
	run(w->loop, &s, 3000);
	assert_int_equal(s.err.code, ERR_TIMEOUT);
	assert_true(clock_mono_ms() - begin < 2000);
	assert_int_equal(w->b.request_count, 1); /* no time for another */
	buf_deinit(&s.text);
}

static void test_metrics(void **state)
{
	struct pair *w = *state;
	struct seen s;
	int64_t before = metric_get("vesper_llm_attempts_total{provider=\"first\",result=\"ok\"}");
	int64_t tokens = metric_get("vesper_llm_tokens_total{provider=\"first\",kind=\"output\"}");

	add(&w->a, OK_ANSWER("x"));
	ask(w, &s);
	assert_int_equal(metric_get("vesper_llm_attempts_total{provider=\"first\",result=\"ok\"}"),
			 before + 1);
	assert_int_equal(metric_get("vesper_llm_tokens_total{provider=\"first\",kind=\"output\"}"),
			 tokens + 1);
}

static void test_options(void **state)
{
	struct pair *w = *state;
	struct llm_provider_options p = {
		.name = "x", .kind = "gopher", .base_url = "http://h", .key = "k", .version = "v"};
	struct llm_options o = {.providers = &p};
	struct llm *llm = w->llm;
	struct err e = {0};

	assert_true(
		llm_new(w->loop, w->http, &o, &llm, &e)); /* no provider: no model, and no error */
	assert_null(llm);
	assert_false(llm_usable(NULL));
	o.provider_count = 1;
	assert_false(llm_new(w->loop, w->http, &o, &llm, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_string_equal(e.text, "model provider x: unknown kind \"gopher\"");
	p.kind = "anthropic";
	p.name = "a\"b";
	assert_false(llm_new(w->loop, w->http, &o, &llm, &e));
	assert_non_null(strstr(e.text, "the name must be"));
}

/* Which of three providers (two kinds) a role asks first, and by which model's name. */
static void test_order_and_models_of_a_role(void **state)
{
	struct pair *w = *state;
	const struct llm_provider_options p[] = {
		{.name = "a",
		 .kind = "anthropic",
		 .base_url = w->a.url,
		 .key = "k",
		 .version = "2026-10-21"},
		{.name = "b", .kind = "openai", .base_url = w->b.url, .key = "k"},
		{.name = "c",
		 .kind = "openai",
		 .base_url = w->b.url,
		 .key = "k",
		 .models = {"own", "own", "own"}},
	};
	const struct {
		const char *first, *model;
		bool to_b;
		const char *words;
	} rows[] = {
		{NULL, "claude-x", false, "\"model\":\"claude-x\""},
		{"b", "gpt-x", true, "\"model\":\"gpt-x\""},
		{"b", NULL, true, "\"model\":\"gpt-5\""},
		{" c , a", "claude-x", true, "\"model\":\"own\""},
		{"a,c", NULL, false, "\"model\":\"claude-sonnet-4-6\""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tiny_server *to = rows[i].to_b ? &w->b : &w->a;
		struct llm_options o = {.providers = p, .provider_count = 3};
		size_t before = to->request_count;
		struct llm *llm;
		struct seen s;

		o.roles[LLM_ANSWER].providers = rows[i].first;
		o.roles[LLM_ANSWER].model = rows[i].model;
		assert_true(llm_new(w->loop, w->http, &o, &llm, NULL));
		add(to, FAILURE("200", "")); /* whatever it says: only what it was asked counts */
		start(llm, w->arena, &s, &whole, clock_mono_ms() + 500);
		while (to->request_count == before)
			loop_turn(w->loop);
		assert_non_null(strstr(to->requests[before], rows[i].words));
		op_cancel(&s.op);
		buf_deinit(&s.text);
		llm_free(&llm);
	}
}

static void test_a_role_names_a_provider_that_is_not_there(void **state)
{
	struct pair *w = *state;
	const struct llm_provider_options p = {
		.name = "a", .kind = "ollama", .models = {"m", "m", "m"}};
	struct llm_options o = {.providers = &p, .provider_count = 1};
	struct err e = {0};
	struct llm *llm;

	o.roles[LLM_AGENT].providers = "a, z";
	assert_false(llm_new(w->loop, w->http, &o, &llm, &e));
	assert_string_equal(e.text, "the role \"agent\" names \"z\": there is no such provider");
}

static void on_log(void *owner, const char *line)
{
	(void)owner;
	assert_null(strstr(line, "x-api-key"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_text_and_end, small_setup, small_teardown),
		cmocka_unit_test_setup_teardown(test_no_repeat_after_shown_text, small_setup,
						small_teardown),
		cmocka_unit_test_setup_teardown(test_repeat_when_nobody_listens, small_setup,
						small_teardown),
		cmocka_unit_test_setup_teardown(test_cancel_everywhere, small_setup,
						small_teardown),
		cmocka_unit_test_setup_teardown(test_retry_then_answer, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_fail_over_after_three, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(test_fail_over_at_once, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_order_and_models_of_a_role, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(test_a_role_names_a_provider_that_is_not_there,
						pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_a_bad_request_goes_elsewhere, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(test_retry_after_is_honoured, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(test_everything_down, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_breaker_closes_by_a_probe, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(test_cancelled_probe_makes_room, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(test_deadline_bounds_the_waits, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(test_metrics, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(test_options, pair_setup, pair_teardown),
	};

	log_capture(on_log, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
