/* Every time limit of a call, to the millisecond. The clock of this program is frozen, also for
 * libuv and curl, until a test advances it. */
#include "call_world.h"

#include <sys/syscall.h>
#include <time.h>

static int64_t now_ms = 1000000;

/* Replaces the C library's function in the whole process. */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		return (int)syscall(SYS_clock_gettime, id, ts);
	*ts = (struct timespec){.tv_sec = now_ms / 1000, .tv_nsec = now_ms % 1000 * 1000000};
	return 0;
}

struct fixture {
	struct loop *loop;
	struct http *http;
	struct tiny_server server;
	struct llm *llm;
	struct arena *arena;
	struct call_outcome outcome;
};

static void open_llm(struct fixture *w, const char *url)
{
	const struct llm_provider_options p = {.name = "one",
					       .kind = "anthropic",
					       .base_url = url,
					       .key = "k",
					       .version = "2026-10-21"};
	const struct llm_options o = {.providers = &p, .provider_count = 1};

	llm_free(&w->llm);
	assert_true(llm_new(w->loop, w->http, &o, &w->llm, NULL));
}

static int setup(void **state)
{
	struct fixture *w = mem_alloc(sizeof(*w));

	assert_true(loop_new(&w->loop, NULL));
	assert_true(http_new(w->loop, &w->http, NULL));
	tiny_server_open(&w->server, w->loop);
	open_llm(w, w->server.url);
	w->arena = arena_new(1 << 20);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *w = *state;

	buf_deinit(&w->outcome.text);
	llm_free(&w->llm);
	http_free(&w->http);
	tiny_server_close(&w->server);
	loop_free(&w->loop);
	arena_free(&w->arena);
	mem_free(w);
	health_reset();
	return 0;
}

/* Runs everything that is due without advancing the clock. */
static void run_pending(struct fixture *w)
{
	for (int i = 0; i < 25; i++) {
		loop_run_once(w->loop);
		usleep(200);
	}
}

static void advance_ms(struct fixture *w, int64_t ms)
{
	now_ms += ms;
	run_pending(w);
}

/* Starts a call; a millisecond or two pass until its request is sent. */
static int64_t start_call(struct fixture *w, int64_t deadline_ms)
{
	int64_t start_ms = now_ms;

	start(w->llm, w->arena, &w->outcome, &streamed, deadline_ms ? now_ms + deadline_ms : 0);
	while (w->server.accepted == 0)
		advance_ms(w, 1);
	return start_ms;
}

static void wait_for_requests(struct fixture *w, size_t requests)
{
	while (w->server.request_count < requests)
		run_pending(w);
	run_pending(w);
}

static void wait_for_text(struct fixture *w, size_t bytes)
{
	while (w->outcome.text.n < bytes)
		run_pending(w);
}

/* Fails exactly at the limit, and not a millisecond earlier. */
static void assert_ends_at(struct fixture *w, int64_t moment_ms, const char *limit)
{
	advance_ms(w, moment_ms - 1 - now_ms);
	assert_false(w->outcome.ended);
	now_ms++;
	while (!w->outcome.ended)
		run_pending(w);
	assert_int_equal(w->outcome.err.code, ERR_TIMEOUT);
	assert_non_null(strstr(w->outcome.err.text, limit));
}

#define BEGUN                                                                                      \
	"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"                               \
	"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"         \
	"\"text\",\"text\":\"half\"}}\n\n"
#define PING ": still here\n\n"

static void first_byte_has_a_limit(void **state)
{
	struct fixture *w = *state;
	int64_t start_ms;

	tiny_server_add(&w->server, (struct tiny_reply){.text = "", .hang = true});
	start_ms = start_call(w, LLM_FIRST_BYTE_MS + 300); /* too short for a retry */
	wait_for_requests(w, 1);
	assert_ends_at(w, start_ms + LLM_FIRST_BYTE_MS, "first byte limit");
	assert_false(w->outcome.shown);
}

/* Counted from the last byte of any kind. */
static void idle_stream_has_a_limit(void **state)
{
	struct fixture *w = *state;

	tiny_server_add(&w->server, (struct tiny_reply){.text = BEGUN PING,
							.piece = sizeof(BEGUN) - 1,
							.piece_ms = 20000,
							.hang = true});
	start_call(w, 0);
	wait_for_text(w, 4);
	run_pending(w);
	advance_ms(w, 20000); /* the ping */
	assert_ends_at(w, now_ms + LLM_IDLE_MS, "idle limit");
	assert_true(w->outcome.shown);
	assert_int_equal(w->server.request_count, 1);
}

static void turn_deadline_ends_the_call(void **state)
{
	struct fixture *w = *state;
	int64_t start_ms;

	tiny_server_add(&w->server, (struct tiny_reply){.text = BEGUN PING PING PING PING PING PING
								PING PING PING PING PING PING,
							.piece = sizeof(PING) - 1,
							.piece_ms = 6000,
							.hang = true});
	start_ms = start_call(w, 120000);
	wait_for_requests(w, 1);
	while (now_ms < start_ms + 114000)
		advance_ms(w, 6000);
	assert_ends_at(w, start_ms + 120000, "total time limit of 120000 ms");
}

/* The TLS handshake counts as connecting; this server never answers it. */
static void connecting_has_a_limit(void **state)
{
	struct fixture *w = *state;
	int64_t start_ms;
	char url[100];

	snprintf(url, sizeof(url), "https://127.0.0.1:%d", w->server.port);
	open_llm(w, url);
	start_ms = start_call(w, LLM_CONNECT_MS + 300);
	advance_ms(w, start_ms + LLM_CONNECT_MS - 1 - now_ms);
	assert_false(w->outcome.ended);
	now_ms += LLM_CONNECT_MS / 100; /* curl counts from the start of connecting */
	while (!w->outcome.ended)
		run_pending(w);
	assert_non_null(strstr(w->outcome.err.text, "connect limit"));
}

static void requested_wait_is_a_minimum(void **state)
{
	struct fixture *w = *state;

	tiny_server_add(&w->server,
			(struct tiny_reply){.text = FAILURE("529", "retry-after: 2\r\n")});
	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_ANSWER("x")});
	start_call(w, 0);
	wait_for_requests(w, 1);
	advance_ms(w, 1999);
	assert_int_equal(w->server.request_count, 1);
	advance_ms(w, 1001);
	while (!w->outcome.ended)
		advance_ms(w, 1);
	assert_int_equal(w->outcome.err.code, ERR_NONE);
	assert_int_equal(w->server.request_count, 2);
}

/* The service sees the connection closed without any time passing. */
static void cancel_is_immediate(void **state)
{
	struct fixture *w = *state;

	tiny_server_add(&w->server, (struct tiny_reply){.text = BEGUN, .hang = true});
	start_call(w, 0);
	wait_for_text(w, 4);
	op_cancel(&w->outcome.op);
	while (w->server.left == 0)
		run_pending(w);
	assert_false(w->outcome.ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(first_byte_has_a_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(idle_stream_has_a_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(turn_deadline_ends_the_call, setup, teardown),
		cmocka_unit_test_setup_teardown(connecting_has_a_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(requested_wait_is_a_minimum, setup, teardown),
		cmocka_unit_test_setup_teardown(cancel_is_immediate, setup, teardown),
	};

	log_capture(on_log, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
