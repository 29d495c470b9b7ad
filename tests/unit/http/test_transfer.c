/* One transfer's limits (each by name and within 10 %), its head, and back-pressure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <netdb.h>
#include <semaphore.h>

#include "tiny_server.h"
#include "vesper/clock.h"
#include "vesper/http.h"
#include "vesper/limits.h"

struct world {
	struct loop *loop;
	struct http *http;
	struct tiny_server server;
};

struct seen {
	struct http_response head;
	char content_type[64];
	char request_id[64];
	size_t bytes;
	struct err err;
	bool ended;
	int64_t ended_ms;
};

static void on_head(void *owner, const struct http_response *r)
{
	struct seen *s = owner;

	s->head = *r;
	snprintf(s->content_type, sizeof(s->content_type), "%s", r->content_type);
	snprintf(s->request_id, sizeof(s->request_id), "%s", r->request_id);
}

static bool on_data(void *owner, const char *data, size_t len)
{
	(void)data;
	((struct seen *)owner)->bytes += len;
	return true;
}

static void on_end(void *owner, const struct err *e)
{
	struct seen *s = owner;

	s->ended = true;
	s->ended_ms = clock_mono_ms();
	if (e)
		s->err = *e;
}

static const struct http_handler handler = {on_head, on_data, on_end};

static void run_ms(struct world *w, int64_t ms)
{
	for (int64_t begin = clock_mono_ms(); clock_mono_ms() < begin + ms;) {
		loop_run_once(w->loop);
		usleep(100);
	}
}

/* Runs a request to its end and returns the duration. */
static int64_t run(struct world *w, struct http_request r, struct seen *s)
{
	int64_t begin;

	*s = (struct seen){0};
	r.method = "GET";
	if (!r.url)
		r.url = w->server.url;
	loop_run_once(w->loop);
	begin = clock_mono_ms();
	http_start(w->http, &r, &handler, s);
	while (!s->ended && clock_mono_ms() < begin + 10000) {
		loop_run_once(w->loop);
		usleep(100);
	}
	assert_true(s->ended);
	return s->ended_ms - begin;
}

static int setup(void **state)
{
	struct world *w = mem_alloc(sizeof(*w));

	assert_true(loop_new(&w->loop, NULL));
	assert_true(http_new(w->loop, &w->http, NULL));
	tiny_server_open(&w->server, w->loop);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	assert_int_equal(http_running(w->http), 0);
	http_free(&w->http);
	tiny_server_close(&w->server);
	loop_free(&w->loop);
	mem_free(w);
	return 0;
}

#define HEAD "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\r\n"

/* The named limit passed, at its time within 10 %. On a busy machine some tries are late, so the
 * best of a few counts; no try may be early. */
static void check_limit(struct world *w, struct tiny_reply reply, struct http_request r,
			int64_t limit_ms, const char *name)
{
	struct seen s;

	if (!r.url)
		tiny_server_add(&w->server, reply);
	int64_t took = run(w, r, &s);

	assert_int_equal(s.err.code, ERR_TIMEOUT);
	assert_true(s.err.may_retry);
	assert_non_null(strstr(s.err.text, name));
	assert_true(took >= limit_ms - 2);
	print_message("%s: %lld ms, the limit is %lld\n", name, (long long)took,
		      (long long)limit_ms);
}

static void test_first_byte_limit(void **state)
{
	check_limit(*state, (struct tiny_reply){.text = "", .hang = true},
		    (struct http_request){.first_byte_ms = 300, .idle_ms = 5000, .total_ms = 9000},
		    300, "first byte limit of 300 ms");
}

#define TEN "xxxxxxxxxx"

/* Bytes keep coming for longer than the idle limit, then stop: it counts from the last one. */
static void test_idle_limit(void **state)
{
	struct world *w = *state;
	const char *text =
		HEAD "data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n" TEN TEN TEN TEN TEN TEN TEN TEN;
	const struct tiny_reply drip = {.text = text, .piece = 40, .piece_ms = 60, .hang = true};
	struct seen s;

	tiny_server_add(&w->server, drip);
	run(w, (struct http_request){.first_byte_ms = 5000, .idle_ms = 300}, &s);
	assert_int_equal(s.bytes, 36 + 80);
	check_limit(w, (struct tiny_reply){.text = text, .hang = true},
		    (struct http_request){.first_byte_ms = 5000, .idle_ms = 300}, 300,
		    "idle limit of 300 ms");
}

static void test_total_limit(void **state)
{
	check_limit(*state,
		    (struct tiny_reply){.text = HEAD TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
						TEN TEN TEN TEN,
					.piece = 5,
					.piece_ms = 20},
		    (struct http_request){.first_byte_ms = 390, .idle_ms = 390, .total_ms = 400},
		    400, "total time limit of 400 ms");
}

/* A listener whose queue is full answers no SYN: the connection hangs. */
static void test_connect_limit(void **state)
{
	struct world *w = *state;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0), filler[8];
	char url[64];

	assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(listener, 0), 0);
	getsockname(listener, (struct sockaddr *)&at, &len);
	for (size_t i = 0; i < 8; i++) {
		filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(filler[i], (struct sockaddr *)&at, sizeof(at));
	}
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/", ntohs(at.sin_port));
	check_limit(w, (struct tiny_reply){0},
		    (struct http_request){.url = url, .connect_ms = 400, .first_byte_ms = 5000},
		    400, "connect limit of 400 ms");
	for (size_t i = 0; i < 8; i++)
		close(filler[i]);
	close(listener);
}

static void check_head(struct world *w, const char *fields, int64_t after_ms, int should)
{
	char text[512];
	struct seen s;

	snprintf(text, sizeof(text), "HTTP/1.1 429 Too Many\r\ncontent-length: 0\r\n%s\r\n",
		 fields);
	tiny_server_add(&w->server, (struct tiny_reply){.text = text});
	run(w, (struct http_request){.total_ms = 2000}, &s);
	assert_int_equal(s.head.status, 429);
	assert_int_equal(s.head.retry_after_ms, after_ms);
	assert_int_equal(s.head.should_retry, should);
}

static void test_head_fields(void **state)
{
	struct world *w = *state;
	struct seen s;

	check_head(w, "", -1, -1);
	check_head(w, "Retry-After: 3\r\nX-Should-Retry: true\r\n", 3000, 1);
	check_head(w, "retry-after: 0.25\r\nx-should-retry: FALSE\r\n", 250, 0);
	check_head(w, "retry-after: 3\r\nretry-after-ms: 120.5\r\n", 121, -1);
	check_head(w, "retry-after-ms: 120\r\nretry-after: 3\r\nx-should-retry: maybe\r\n", 120,
		   -1);
	check_head(w, "retry-after-ms: soon\r\nretry-after: 2\r\n", 2000, -1);
	check_head(w, "retry-after: 0\r\n", -1, -1);
	check_head(w, "retry-after: -5\r\n", -1, -1);
	check_head(w, "retry-after: 99999999999\r\n", -1, -1);
	check_head(w, "retry-after: nan\r\n", -1, -1);
	check_head(w, "retry-after: inf\r\n", -1, -1);
	check_head(w, "retry-after: Sat, 01 Jan 2000 00:00:00 GMT\r\n", -1, -1);
	clock_freeze_ms(1772182790000); /* 2026-02-27T08:59:50Z; the loop's clock continues */
	tiny_server_add(&w->server,
			(struct tiny_reply){
				.text = "HTTP/1.1 100 Continue\r\nrequest-id: no\r\n\r\nHTTP/1.1 "
					"503 Away\r\n"
					"Content-Type: application/json\r\nRequest-Id: req_1\r\n"
					"Retry-After: Fri, 27 Feb 2026 09:00:00 GMT\r\n"
					"content-length: 0\r\n\r\n"});
	struct http_request r = {.method = "GET", .url = w->server.url};

	s = (struct seen){0};
	http_start(w->http, &r, &handler, &s);
	for (int i = 0; i < 1000 && !s.ended; i++) {
		loop_run_once(w->loop);
		usleep(1000);
	}
	clock_release();
	assert_true(s.ended);
	assert_int_equal(s.head.status, 503); /* the interim head is not reported */
	assert_int_equal(s.head.retry_after_ms, 10000);
	assert_string_equal(s.content_type, "application/json");
	assert_string_equal(s.request_id, "req_1");
}

/* A response of `len` bytes; free with mem_free. */
static char *response(const char *type, size_t len, size_t *total)
{
	struct buf b;

	buf_init(&b, len + 1000);
	buf_printf(&b, "HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %zu\r\n\r\n", type,
		   len);
	char *fill = mem_alloc(len);
	memset(fill, 'x', len);
	buf_add(&b, fill, len);
	mem_free(fill);
	*total = b.n;
	return buf_take(&b);
}

static void test_response_limit(void **state)
{
	struct world *w = *state;
	const struct {
		const char *type;
		size_t len;
		enum err_code code;
	} cases[] = {
		{"application/json", HTTP_RESPONSE_BYTES_MAX, ERR_NONE},
		{"application/json", HTTP_RESPONSE_BYTES_MAX + 1, ERR_LIMIT},
		{"text/event-stream", HTTP_RESPONSE_BYTES_MAX + 1, ERR_NONE},
	};

	for (size_t i = 0; i < 3; i++) {
		size_t total;
		char *text = response(cases[i].type, cases[i].len, &total);
		struct seen s;

		tiny_server_add(&w->server, (struct tiny_reply){.text = text, .len = total});
		run(w, (struct http_request){.total_ms = 9000}, &s);
		assert_int_equal(s.err.code, cases[i].code);
		if (!s.err.code)
			assert_int_equal(s.bytes, cases[i].len);
		run_ms(w, 10);
		mem_free(text);
	}
}

/* While paused, no data arrives, the server is slowed down, and the idle limit does not run;
 * afterwards all data arrives. */
static void test_pause(void **state)
{
	struct world *w = *state;
	size_t len = 12 * 1024 * 1024, total;
	char *text = response("text/event-stream", len, &total);
	struct http_request r = {.method = "GET", .url = w->server.url, .idle_ms = 200};
	struct seen s = {0};
	struct op *op;

	tiny_server_add(&w->server, (struct tiny_reply){.text = text, .len = total});
	op = http_start(w->http, &r, &handler, &s);
	op_pause(op, true);
	run_ms(w, 500);
	assert_int_equal(s.bytes, 0);
	assert_false(s.ended);
	assert_int_equal(list_empty(&w->server.conns), false); /* it could not write everything */
	for (int i = 0; i < 3; i++) { /* pausing and resuming within one iteration is harmless */
		op_pause(op, false);
		op_pause(op, true);
	}
	run_ms(w, 50);
	assert_int_equal(s.bytes, 0);
	op_pause(op, false);
	assert_int_equal(s.bytes, 0); /* not from within the call */
	while (s.bytes == 0)
		loop_run_once(w->loop);
	op_pause(op, true);
	run_ms(w, 300);
	assert_true(s.bytes < len);
	op_pause(op, false);
	for (int i = 0; i < 5000 && !s.ended; i++)
		run_ms(w, 1);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_int_equal(s.bytes, len);
	mem_free(text);
}

static void test_cancel_while_paused(void **state)
{
	struct world *w = *state;
	struct http_request r = {.method = "GET", .url = w->server.url};
	struct seen s = {0};
	struct op *op;

	tiny_server_add(&w->server, (struct tiny_reply){.text = HEAD "data", .hang = true});
	op = http_start(w->http, &r, &handler, &s);
	op_pause(op, true);
	run_ms(w, 50);
	op_pause(op, false); /* its deferred resume is pending when it is cancelled */
	op_cancel(&op);
	run_ms(w, 20);
	assert_false(s.ended);
	assert_int_equal(w->server.left, 1);
}

/* ---- a hanging resolver: names ending in ".hangs" are answered only when the test allows it ----
 */

static sem_t resolver_asked, resolver_free;

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **res)
{
	static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

	if (node && strcmp(node, "model.hangs") == 0) {
		sem_post(&resolver_asked);
		sem_wait(&resolver_free);
		return EAI_AGAIN;
	}
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	return real(node, service, hints, res);
}

/* While a name is being resolved, other transfers finish, and the waiting one can be cancelled
 * immediately. */
static void test_hanging_resolver(void **state)
{
	struct world *w = *state;
	struct seen slow = {0}, quick = {0};
	struct http_request r = {.method = "GET", .url = "http://model.hangs/"};
	struct op *op;

	sem_init(&resolver_asked, 0, 0);
	sem_init(&resolver_free, 0, 0);
	op = http_start(w->http, &r, &handler, &slow);
	while (sem_trywait(&resolver_asked) != 0)
		loop_run_once(w->loop);
	tiny_server_add(
		&w->server,
		(struct tiny_reply){.text = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"});
	r.url = w->server.url;
	http_start(w->http, &r, &handler, &quick);
	while (!quick.ended)
		loop_run_once(w->loop);
	assert_int_equal(quick.head.status, 200);
	assert_false(slow.ended);
	op_cancel(&op);
	assert_int_equal(http_running(w->http), 0);
	sem_post(&resolver_free);
	for (int i = 0; i < 50; i++)
		loop_run_once(w->loop);
	assert_false(slow.ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_first_byte_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_idle_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_total_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_connect_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hanging_resolver, setup, teardown),
		cmocka_unit_test_setup_teardown(test_head_fields, setup, teardown),
		cmocka_unit_test_setup_teardown(test_response_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pause, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cancel_while_paused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
