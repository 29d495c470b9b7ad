/* One attempt over real HTTP: the request, each kind of failure, and cancelling inside a callback.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llm_int.h"
#include "tiny_server.h"
#include "vesper/clock.h"
#include "vesper/log.h"

#define OK_HEAD                                                                                    \
	"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nrequest-id: req_1\r\nconnection: "  \
	"close\r\n\r\n"
#define EVENT(data) "data: " data "\n\n"
#define TEXT_START                                                                                 \
	EVENT("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"         \
	      "\"text\",\"text\":\"\"}}")
#define TEXT(t)                                                                                    \
	EVENT("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","  \
	      "\"text\":\"" t "\"}}")
#define STOP                                                                                       \
	EVENT("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"   \
	      "\"output_tokens\":9}}")
#define END EVENT("{\"type\":\"message_stop\"}")
#define START                                                                                      \
	EVENT("{\"type\":\"message_start\",\"message\":{\"model\":\"m-1\",\"usage\":{\"input_"     \
	      "tokens\":3}}}")

struct world {
	struct loop *loop;
	struct http *http;
	struct arena *arena;
	struct tiny_server server;
	void *self;
};

struct call_outcome {
	struct op *op;
	struct buf text;
	bool cancel_on_text;
	bool ended, shown;
	enum llm_stop stop;
	struct llm_usage usage;
	size_t blocks;
	char provider[40], model[40];
	struct err err;
	int64_t ended_ms;
};

static void on_text(void *owner, const char *text, size_t len)
{
	struct call_outcome *s = owner;

	buf_add(&s->text, text, len);
	if (s->cancel_on_text)
		op_cancel(&s->op);
}

static void on_end(void *owner, const struct llm_answer *answer, bool shown, const struct err *e)
{
	struct call_outcome *s = owner;

	s->op = NULL;
	s->ended = true;
	s->shown = shown;
	s->stop = answer->stop;
	s->usage = answer->usage;
	s->blocks = answer->count;
	s->ended_ms = clock_mono_ms();
	snprintf(s->provider, sizeof(s->provider), "%s", answer->provider);
	snprintf(s->model, sizeof(s->model), "%s", answer->model ? answer->model : "");
	if (e)
		s->err = *e;
}

static const struct llm_handler handler = {on_text, on_end};

static void open_provider(struct world *w, const char *url)
{
	struct llm_provider_options p = {.name = "claude",
					 .kind = "anthropic",
					 .base_url = url,
					 .key = "sk-pL4nt3d5ecret",
					 .version = "2026-10-21",
					 .models = {"small", "big", "big"}};
	struct llm_options o = {.connect_ms = 1000, .first_byte_ms = 700, .idle_ms = 700};
	struct err e = {0};

	for (int i = 0; i < LLM_ROLE_COUNT; i++)
		o.roles[i] = (struct llm_role_options){.max_tokens = 50};
	assert_true(wire_open(w->loop, w->http, &p, &o, &w->self, &e));
}

static int setup(void **state)
{
	struct world *w = mem_alloc(sizeof(*w));

	assert_true(loop_new(&w->loop, NULL));
	assert_true(http_new(w->loop, &w->http, NULL));
	w->arena = arena_new(1 << 24);
	tiny_server_open(&w->server, w->loop);
	open_provider(w, w->server.url);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	assert_int_equal(http_running(w->http), 0);
	wire_driver.close(w->self);
	http_free(&w->http);
	tiny_server_close(&w->server);
	loop_free(&w->loop);
	arena_free(&w->arena);
	mem_free(w);
	return 0;
}

static void start(struct world *w, struct call_outcome *s, enum llm_role role, int64_t deadline_ms)
{
	static const struct llm_block block = {.kind = LLM_TEXT, .text = "question"};
	static const struct llm_message message = {LLM_USER, &block, 1};
	const struct llm_call call = {
		.role = role, .messages = &message, .message_count = 1, .deadline_ms = deadline_ms};

	memset(s, 0, sizeof(*s));
	buf_init(&s->text, 1 << 20);
	s->op = wire_driver.start(w->self, &call, w->arena, &handler, s);
	assert_false(s->ended);
}

static void run_ms(struct world *w, const struct call_outcome *s, int64_t ms)
{
	for (int64_t begin = clock_mono_ms(); !s->ended && clock_mono_ms() < begin + ms;) {
		loop_run_once(w->loop);
		usleep(100);
	}
}

static void run_call(struct world *w, struct call_outcome *s, struct tiny_reply reply)
{
	tiny_server_add(&w->server, reply);
	start(w, s, LLM_ANSWER, 0);
	run_ms(w, s, 5000);
	assert_true(s->ended);
	assert_string_equal(s->provider, "claude");
	if (s->err.code)
		assert_int_equal(strncmp(s->err.text, "claude: ", 8), 0);
	assert_null(strstr(s->err.text, "pL4nt3d5ecret"));
}

static void streams_an_answer(void **state)
{
	struct world *w = *state;
	struct call_outcome s;

	for (size_t piece = 0; piece < 40; piece += 13) { /* in one chunk, and in small ones */
		run_call(w, &s,
			 (struct tiny_reply){.text = OK_HEAD START TEXT_START TEXT("48") TEXT(".73")
						     STOP END,
					     .piece = piece,
					     .piece_ms = piece ? 1 : 0});
		assert_int_equal(s.err.code, ERR_NONE);
		assert_string_equal(buf_text(&s.text), "48.73");
		assert_true(s.shown);
		assert_int_equal(s.blocks, 1);
		assert_int_equal(s.usage.input_tokens, 3);
		assert_int_equal(s.usage.output_tokens, 9);
		assert_string_equal(s.model, "m-1");
		buf_deinit(&s.text);
	}
	const char *sent = w->server.requests[0];

	assert_int_equal(strncmp(sent, "POST /v1/messages HTTP/1.1\r\n", 28), 0);
	assert_non_null(strstr(sent, "\r\nx-api-key: sk-pL4nt3d5ecret\r\n"));
	assert_non_null(strstr(sent, "\r\nanthropic-version: 2026-10-21\r\n"));
	assert_non_null(strstr(sent, "\r\ncontent-type: application/json\r\n"));
	assert_non_null(
		strstr(sent, "\r\n\r\n{\"model\":\"big\",\"max_tokens\":50,\"stream\":true"));
}

static void role_chooses_the_model(void **state)
{
	struct world *w = *state;
	struct call_outcome s;

	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HEAD STOP});
	start(w, &s, LLM_ROUTE, 0);
	run_ms(w, &s, 2000);
	assert_non_null(strstr(w->server.requests[0], "{\"model\":\"small\""));
	buf_deinit(&s.text);
}

static void address_may_contain_the_path(void **state)
{
	struct world *w = *state;
	const char *const paths[] = {"/v1", "/v1/", "/", "/proxy"};
	const char *const sent[] = {"POST /v1/messages ", "POST /v1/messages ",
				    "POST /v1/messages ", "POST /proxy/v1/messages "};

	for (size_t i = 0; i < 4; i++) {
		char url[100];
		struct call_outcome s;

		snprintf(url, sizeof(url), "%s%s", w->server.url, paths[i]);
		wire_driver.close(w->self);
		open_provider(w, url);
		run_call(w, &s, (struct tiny_reply){.text = OK_HEAD STOP});
		assert_int_equal(strncmp(w->server.requests[i], sent[i], strlen(sent[i])), 0);
		buf_deinit(&s.text);
	}
}

#define ERROR(status, body)                                                                        \
	"HTTP/1.1 " status                                                                         \
	"\r\ncontent-type: application/json\r\nretry-after: 2\r\nconnection: close\r\n\r\n" body

static void failures_are_classified(void **state)
{
	struct world *w = *state;
	const struct {
		struct tiny_reply reply;
		enum err_code code;
		bool retry;
		const char *expected;
	} rows[] = {
		{{.text = ERROR("529 X", "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_"
					 "error\"},\"request_id\":\"req_7\"}")},
		 ERR_UPSTREAM,
		 true,
		 "529 overloaded_error [req_7]"},
		{{.text = ERROR(
			  "401 X",
			  "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\"}}")},
		 ERR_UPSTREAM,
		 false,
		 "401 authentication_error"},
		{{.text = ERROR(
			  "400 X",
			  "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\"}}")},
		 ERR_INPUT,
		 false,
		 "400"},
		{{.text = ERROR("502 X", "<html>bad gateway</html>")}, ERR_UPSTREAM, true, "502"},
		{{.text = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: "
			  "close\r\n\r\n<html>sign in</html>"},
		 ERR_UPSTREAM,
		 false,
		 "\"text/html\""},
		{{.text = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"},
		 ERR_UPSTREAM,
		 false,
		 "not an event stream"},
		{{.text = ERROR("200 OK", "{\"error\":{\"type\":\"overloaded_error\"}}")},
		 ERR_UPSTREAM,
		 true,
		 "529 overloaded_error"},
		{{.text = ERROR("200 OK", "{\"error\":\"no such model\"}")},
		 ERR_UPSTREAM,
		 true,
		 "no such model"},
		{{.text = ERROR("200 OK", "{\"content\":[]}")},
		 ERR_UPSTREAM,
		 false,
		 "not an event stream"},
		{{.text = "HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n"},
		 ERR_UPSTREAM,
		 false,
		 "302"},
		{{.text = OK_HEAD}, ERR_UPSTREAM, true, "ended before"},
		{{.text = OK_HEAD START TEXT_START TEXT("half")},
		 ERR_UPSTREAM,
		 true,
		 "ended before"},
		{{.text = OK_HEAD START, .reset = true, .delay_ms = 20}, ERR_UPSTREAM, true, ""},
		{{.text = OK_HEAD "data: {garbage\n\n"}, ERR_UPSTREAM, true, "malformed"},
		{{.text = OK_HEAD START EVENT(
			  "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}"),
		  .hang = true},
		 ERR_UPSTREAM,
		 true,
		 "529 overloaded_error"},
		{{.text = "", .hang = true}, ERR_TIMEOUT, true, "first byte"},
		{{.text = OK_HEAD START TEXT_START TEXT("x"), .hang = true},
		 ERR_TIMEOUT,
		 true,
		 "idle"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct call_outcome s;

		run_call(w, &s, rows[i].reply);
		assert_int_equal(s.err.code, rows[i].code);
		assert_int_equal(s.err.may_retry, rows[i].retry);
		if (!strstr(s.err.text, rows[i].expected))
			fail_msg("%zu: \"%s\" lacks \"%s\"", i, s.err.text, rows[i].expected);
		assert_int_equal(s.shown, s.text.n > 0);
		buf_deinit(&s.text);
	}
}

static void retry_after_is_reported(void **state)
{
	struct world *w = *state;
	struct call_outcome s;

	run_call(w, &s, (struct tiny_reply){.text = ERROR("429 X", "{}")});
	assert_int_equal(s.err.retry_after_ms, 2000);
	assert_true(s.err.may_retry);
	buf_deinit(&s.text);
}

/* The answer is complete once its stop reason is known, even if the connection then fails. */
static void answer_is_complete_after_its_stop_reason(void **state)
{
	struct world *w = *state;
	struct call_outcome s;
	int64_t begin;

	run_call(w, &s, (struct tiny_reply){.text = OK_HEAD START TEXT_START TEXT("x") STOP});
	assert_int_equal(s.err.code, ERR_NONE);
	buf_deinit(&s.text);
	run_call(w, &s,
		 (struct tiny_reply){.text = OK_HEAD START TEXT_START TEXT("x") STOP,
				     .reset = true,
				     .delay_ms = 5});
	assert_int_equal(s.err.code, ERR_NONE);
	buf_deinit(&s.text);
	run_call(w, &s,
		 (struct tiny_reply){.text = OK_HEAD START TEXT_START TEXT("x") STOP
				     "data: {garbage\n\n"});
	assert_int_equal(s.err.code, ERR_NONE);
	assert_int_equal(s.blocks, 1);
	buf_deinit(&s.text);
	begin = clock_mono_ms(); /* a proxy holds the connection open */
	run_call(w, &s,
		 (struct tiny_reply){.text = OK_HEAD START TEXT_START TEXT("x") STOP END,
				     .hang = true});
	assert_int_equal(s.err.code, ERR_NONE);
	assert_true(s.ended_ms - begin >= LLM_LINGER_MS - 5);
	buf_deinit(&s.text);
}

static void deadline_ends_the_attempt(void **state)
{
	struct world *w = *state;
	struct call_outcome s;
	int64_t begin = clock_mono_ms();

	tiny_server_add(&w->server, (struct tiny_reply){.text = "", .hang = true});
	start(w, &s, LLM_ANSWER, begin + 150);
	run_ms(w, &s, 2000);
	assert_int_equal(s.err.code, ERR_TIMEOUT);
	assert_non_null(strstr(s.err.text, "total time"));
	assert_true(s.ended_ms - begin >= 145);
	buf_deinit(&s.text);
	start(w, &s, LLM_ANSWER, begin); /* the deadline has already passed */
	run_ms(w, &s, 2000);
	assert_int_equal(s.err.code, ERR_TIMEOUT);
	buf_deinit(&s.text);
}

static void cancel_closes_the_connection(void **state)
{
	struct world *w = *state;
	struct call_outcome s;

	start(w, &s, LLM_ANSWER, 0);
	op_cancel(&s.op);
	assert_int_equal(http_running(w->http), 0);
	buf_deinit(&s.text);

	/* Cancelled inside the first chunk: no further callback, and the service sees it at once.
	 */
	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HEAD START TEXT_START TEXT("a")
								TEXT("b") STOP,
							.hang = true});
	start(w, &s, LLM_ANSWER, 0);
	s.cancel_on_text = true;
	run_ms(w, &s, 60);
	assert_false(s.ended);
	assert_string_equal(buf_text(&s.text), "a");
	assert_int_equal(http_running(w->http), 0);
	assert_int_equal(w->server.left, 1);
	buf_deinit(&s.text);

	tiny_server_add(&w->server,
			(struct tiny_reply){.text = OK_HEAD START TEXT_START TEXT("a") STOP END,
					    .hang = true});
	start(w, &s, LLM_ANSWER, 0); /* while waiting for the end of the body */
	run_ms(w, &s, 60);
	assert_false(s.ended);
	op_cancel(&s.op);
	run_ms(w, &s, 400);
	assert_false(s.ended);
	buf_deinit(&s.text);
}

static void request_above_the_limit_is_rejected(void **state)
{
	struct world *w = *state;
	char *text = mem_alloc(LLM_REQUEST_BYTES_MAX + 1);
	const struct llm_block block = {.kind = LLM_TEXT, .text = text};
	const struct llm_message message = {LLM_USER, &block, 1};
	const struct llm_call call = {.role = LLM_ANSWER, .messages = &message, .message_count = 1};
	struct call_outcome s = {0};

	memset(text, 'x', LLM_REQUEST_BYTES_MAX);
	for (int cancelled = 0; cancelled < 2; cancelled++) {
		s.ended = false;
		s.op = wire_driver.start(w->self, &call, w->arena, &handler, &s);
		assert_false(s.ended);
		if (cancelled)
			op_cancel(&s.op);
		run_ms(w, &s, 50);
		assert_int_equal(s.ended, !cancelled);
	}
	assert_int_equal(s.err.code, ERR_LIMIT);
	mem_free(text);
}

/* The address and the key header of each service. */
static void each_service_has_its_address_and_key(void **state)
{
	struct world *w = *state;
	const struct {
		const char *kind, *path, *key, *first_line, *header;
	} rows[] = {
		{"anthropic", "", "k", "POST /v1/messages HTTP/1.1", "\r\nx-api-key: k\r\n"},
		{"anthropic", "/gw/v1/", "k", "POST /gw/v1/messages HTTP/1.1",
		 "\r\nanthropic-version: v\r\n"},
		{"openai", "", "k", "POST /v1/chat/completions HTTP/1.1",
		 "\r\nauthorization: Bearer k\r\n"},
		{"openai", "/some/gateway", "k", "POST /some/gateway/chat/completions HTTP/1.1",
		 "\r\nauthorization: Bearer k\r\n"},
		{"azure", "", "k", "POST /openai/v1/chat/completions HTTP/1.1",
		 "\r\napi-key: k\r\n"},
		{"gemini", "/", "k", "POST /v1beta/openai/chat/completions HTTP/1.1",
		 "\r\nauthorization: Bearer k\r\n"},
		{"ollama", "", NULL, "POST /v1/chat/completions HTTP/1.1", NULL},
	};
	static const struct llm_block block = {.kind = LLM_TEXT, .text = "question"};
	static const struct llm_message message = {LLM_USER, &block, 1};
	const struct llm_call call = {.messages = &message, .message_count = 1};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *url = mem_printf("%s%s", w->server.url, rows[i].path);
		struct llm_provider_options p = {.name = "p",
						 .kind = rows[i].kind,
						 .base_url = url,
						 .key = rows[i].key,
						 .version = "v",
						 .models = {"m", "m", "m"}};
		struct llm_options o = {.connect_ms = 1000, .first_byte_ms = 1000};
		struct call_outcome s = {0};
		const char *request;
		void *self;

		buf_init(&s.text, 1000);
		tiny_server_add(&w->server,
				(struct tiny_reply){.text = "HTTP/1.1 404 X\r\ncontent-length: "
							    "0\r\nconnection: close\r\n\r\n"});
		assert_true(wire_open(w->loop, w->http, &p, &o, &self, NULL));
		s.op = wire_driver.start(self, &call, w->arena, &handler, &s);
		while (!s.ended)
			loop_run_once(w->loop);
		request = w->server.requests[w->server.request_count - 1];
		if (strncmp(request, rows[i].first_line, strlen(rows[i].first_line)) != 0)
			fail_msg("%s: %.60s", rows[i].kind, request);
		if (rows[i].header)
			assert_non_null(strstr(request, rows[i].header));
		else
			assert_null(strstr(request, "authorization"));
		wire_driver.close(self);
		buf_deinit(&s.text);
		mem_free(url);
	}
}

static void invalid_options_are_rejected(void **state)
{
	struct world *w = *state;
	const struct {
		struct llm_provider_options p;
		const char *expected;
	} bad[] = {
		{{.kind = "anthropic", .base_url = "ftp://x", .key = "k", .version = "v"},
		 "base_url"},
		{{.kind = "anthropic", .base_url = "http://10.0.0.7", .key = "k", .version = "v"},
		 "https"},
		{{.kind = "openai", .base_url = "http://localhost:x@evil.example", .key = "k"},
		 "https"},
		{{.kind = "anthropic", .key = "", .version = "v"}, "key"},
		{{.kind = "anthropic", .key = "se cret", .version = "v"}, "key"},
		{{.kind = "anthropic", .key = "secret\r\nx-evil: 1", .version = "v"}, "key"},
		{{.kind = "anthropic", .key = "k"}, "version"},
		{{.kind = "openai"}, "key"},
		{{.kind = "ollama", .key = "se cret"}, "key"},
		{{.kind = "ollama"}, "no model for the role \"route\""},
		{{.kind = "azure", .key = "k"}, "base_url"},
		{{.kind = "gopher", .key = "k"}, "unknown kind"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct llm_options o = {0};
		struct err e = {0};
		void *self;

		assert_false(wire_open(w->loop, w->http, &bad[i].p, &o, &self, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_non_null(strstr(e.text, bad[i].expected));
		assert_null(strstr(e.text, "cret"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(streams_an_answer, setup, teardown),
		cmocka_unit_test_setup_teardown(role_chooses_the_model, setup, teardown),
		cmocka_unit_test_setup_teardown(address_may_contain_the_path, setup, teardown),
		cmocka_unit_test_setup_teardown(failures_are_classified, setup, teardown),
		cmocka_unit_test_setup_teardown(retry_after_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(answer_is_complete_after_its_stop_reason, setup,
						teardown),
		cmocka_unit_test_setup_teardown(deadline_ends_the_attempt, setup, teardown),
		cmocka_unit_test_setup_teardown(cancel_closes_the_connection, setup, teardown),
		cmocka_unit_test_setup_teardown(request_above_the_limit_is_rejected, setup,
						teardown),
		cmocka_unit_test_setup_teardown(each_service_has_its_address_and_key, setup,
						teardown),
		cmocka_unit_test_setup_teardown(invalid_options_are_rejected, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
