/* The client against a server on the same loop: whole responses, reuse of connections, cancelling
 * from everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tiny_server.h"
#include "vesper/http.h"
#include "vesper/limits.h"

struct world {
	struct loop *loop;
	struct http *http;
	struct tiny_server server;
};

/* The callbacks of one transfer, in order: H(ead) D(ata) E(nd). */
struct seen {
	struct world *w;
	struct op *op;
	struct buf calls;
	struct buf body;
	int status;
	struct err err;
	bool ended;
	struct seen *cancel_on_data; /* the transfer to cancel when data arrives; may be this one */
	bool stop_on_data;
};

static void on_head(void *owner, const struct http_response *r)
{
	struct seen *s = owner;

	buf_char(&s->calls, 'H');
	s->status = r->status;
}

static bool on_data(void *owner, const char *data, size_t len)
{
	struct seen *s = owner;

	buf_char(&s->calls, 'D');
	buf_add(&s->body, data, len);
	if (s->cancel_on_data)
		op_cancel(&s->cancel_on_data->op);
	return !s->stop_on_data;
}

static void on_end(void *owner, const struct err *e)
{
	struct seen *s = owner;

	buf_char(&s->calls, 'E');
	s->op = NULL;
	s->ended = true;
	if (e)
		s->err = *e;
}

static const struct http_handler handler = {on_head, on_data, on_end};

static void get(struct world *w, struct seen *s, const char *url)
{
	struct http_request r = {.method = "GET", .url = url, .total_ms = 5000};

	*s = (struct seen){.w = w};
	buf_init(&s->calls, 1 << 20);
	buf_init(&s->body, 1 << 26);
	s->op = http_start(w->http, &r, &handler, s);
	assert_string_equal(buf_text(&s->calls), ""); /* no callback from within the start */
}

static void run_ms(struct world *w, uint64_t ms)
{
	for (uint64_t begin = loop_now_ms(w->loop); loop_now_ms(w->loop) < begin + ms;) {
		loop_run_once(w->loop);
		usleep(200);
	}
}

static void wait_end(struct seen *s)
{
	for (int i = 0; i < 50000 && !s->ended; i++) {
		loop_run_once(s->w->loop);
		usleep(100);
	}
	assert_true(s->ended);
}

static void seen_free(struct seen *s)
{
	buf_deinit(&s->calls);
	buf_deinit(&s->body);
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

#define OK_HELLO "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello"

static void test_get(void **state)
{
	struct world *w = *state;
	struct seen s;

	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HELLO});
	get(w, &s, w->server.url);
	assert_int_equal(http_running(w->http), 1);
	wait_end(&s);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_int_equal(s.status, 200);
	assert_string_equal(buf_text(&s.body), "hello");
	assert_string_equal(buf_text(&s.calls), "HDE");
	assert_non_null(strstr(w->server.requests[0], "User-Agent: vesper/"));
	seen_free(&s);
}

static void test_post_body_is_copied(void **state)
{
	struct world *w = *state;
	char body[] = "{\"a\":1}";
	char url[80];
	const char *headers[] = {"content-type: application/json", "x-key: secret", NULL};
	struct http_request r = {.method = "POST",
				 .url = url,
				 .headers = headers,
				 .body = body,
				 .body_len = sizeof(body) - 1};
	struct seen s = {.w = w};

	buf_init(&s.calls, 100);
	buf_init(&s.body, 100);
	snprintf(url, sizeof(url), "%s/v1/messages?x=1", w->server.url);
	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HELLO});
	s.op = http_start(w->http, &r, &handler, &s);
	memset(body, '!', sizeof(body) - 1);
	memset(url, '!', sizeof(url) - 1);
	wait_end(&s);
	const char *sent = w->server.requests[0];

	assert_int_equal(strncmp(sent, "POST /v1/messages?x=1 HTTP/1.1\r\n", 32), 0);
	assert_non_null(strstr(sent, "content-type: application/json\r\n"));
	assert_non_null(strstr(sent, "x-key: secret\r\n"));
	assert_null(strstr(sent, "Expect:"));
	assert_null(strstr(sent, "urlencoded"));
	assert_non_null(strstr(sent, "\r\n\r\n{\"a\":1}"));
	seen_free(&s);
}

static void test_connection_is_reused(void **state)
{
	struct world *w = *state;
	struct seen s;

	for (int i = 0; i < 3; i++) {
		tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HELLO, .keep = true});
		get(w, &s, w->server.url);
		wait_end(&s);
		seen_free(&s);
	}
	assert_int_equal(w->server.accepted, 1);
}

static void test_redirect_is_not_followed(void **state)
{
	struct world *w = *state;
	struct seen s;

	tiny_server_add(&w->server,
			(struct tiny_reply){
				.text = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\n"
					"content-length: 0\r\n\r\n"});
	get(w, &s, w->server.url);
	wait_end(&s);
	assert_int_equal(s.status, 302);
	assert_int_equal(s.err.code, ERR_NONE);
	seen_free(&s);
}

static void test_errors(void **state)
{
	struct world *w = *state;
	const struct {
		const char *url;
		enum err_code code;
		bool may_retry;
	} bad[] = {
		{"http://127.0.0.1:1/", ERR_UPSTREAM, true},
		{"http://name.invalid/", ERR_UPSTREAM, true},
		{"ftp://127.0.0.1/", ERR_INPUT, false},
		{"http://:x/", ERR_INPUT, false},
		{"file:///etc/passwd", ERR_INPUT, false},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct seen s;

		get(w, &s, bad[i].url);
		wait_end(&s);
		assert_int_equal(s.err.code, bad[i].code);
		assert_int_equal(s.err.may_retry, bad[i].may_retry);
		assert_true(s.err.text[0]);
		assert_string_equal(buf_text(&s.calls), "E");
		seen_free(&s);
	}
}

/* The body ends early: with a reset, and before the announced length. */
static void test_truncated_body(void **state)
{
	struct world *w = *state;
	const char *half = "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhalf";

	for (int reset = 0; reset < 2; reset++) {
		struct seen s;

		tiny_server_add(&w->server, (struct tiny_reply){.text = half,
								.reset = reset == 1,
								.piece = 42,
								.piece_ms = 20});
		get(w, &s, w->server.url);
		wait_end(&s);
		assert_int_equal(s.err.code, ERR_UPSTREAM);
		assert_true(s.err.may_retry);
		seen_free(&s);
	}
}

static void test_cancel_before_and_during(void **state)
{
	struct world *w = *state;
	struct seen s;

	get(w, &s, w->server.url);
	op_cancel(&s.op); /* before anything was sent */
	assert_int_equal(http_running(w->http), 0);
	run_ms(w, 20);
	assert_string_equal(buf_text(&s.calls), "");
	seen_free(&s);

	tiny_server_add(
		&w->server,
		(struct tiny_reply){.text = OK_HELLO, .len = sizeof(OK_HELLO) - 4, .hang = true});
	get(w, &s, w->server.url);
	run_ms(w, 50);
	assert_string_equal(buf_text(&s.calls), "HD");
	op_cancel(&s.op);
	run_ms(w, 20);
	assert_string_equal(buf_text(&s.calls), "HD");
	assert_int_equal(w->server.left, 1); /* the server notices immediately */
	seen_free(&s);
}

/* An operation may be cancelled from its own data callback and from that of another one. */
static void test_cancel_from_callbacks(void **state)
{
	struct world *w = *state;
	struct seen a, b;

	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HELLO});
	get(w, &a, w->server.url);
	a.cancel_on_data = &a;
	run_ms(w, 50);
	assert_string_equal(buf_text(&a.calls), "HD");
	assert_null(a.op);
	seen_free(&a);

	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HELLO, .hang = true});
	tiny_server_add(&w->server,
			(struct tiny_reply){.text = OK_HELLO, .hang = true, .delay_ms = 30});
	get(w, &a, w->server.url);
	run_ms(w, 10);
	get(w, &b, w->server.url);
	b.cancel_on_data = &a;
	run_ms(w, 80);
	assert_int_equal(http_running(w->http), 0);
	assert_true(b.ended);
	seen_free(&a);
	seen_free(&b);
}

static void test_caller_stops_reading(void **state)
{
	struct world *w = *state;
	struct seen s;

	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HELLO});
	get(w, &s, w->server.url);
	s.stop_on_data = true;
	wait_end(&s);
	assert_int_equal(s.err.code, ERR_CANCELLED);
	assert_string_equal(buf_text(&s.calls), "HDE");
	seen_free(&s);
}

static void on_end_again(void *owner, const struct err *e)
{
	struct seen *s = owner;

	on_end(owner, e);
	if (s->status-- == 200) { /* another request from within the end callback */
		struct http_request r = {.method = "GET", .url = s->w->server.url};
		static const struct http_handler again = {NULL, on_data, on_end_again};

		s->ended = false;
		s->op = http_start(s->w->http, &r, &again, s);
	}
}

static void test_start_from_end(void **state)
{
	struct world *w = *state;
	struct http_request r = {.method = "GET", .url = w->server.url};
	const struct http_handler again = {on_head, on_data, on_end_again};
	struct seen s = {.w = w};

	buf_init(&s.calls, 100);
	buf_init(&s.body, 100);
	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HELLO});
	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HELLO});
	s.op = http_start(w->http, &r, &again, &s);
	run_ms(w, 100);
	assert_true(s.ended);
	assert_string_equal(buf_text(&s.calls), "HDEDE");
	seen_free(&s);
}

static void test_concurrent_requests(void **state)
{
	enum { N = 40 };
	struct world *w = *state;
	struct seen s[N];

	for (int i = 0; i < N; i++) {
		tiny_server_add(&w->server,
				(struct tiny_reply){
					.text = OK_HELLO, .piece = 7, .piece_ms = 1, .keep = true});
		get(w, &s[i], w->server.url);
	}
	for (int i = 0; i < N; i++) {
		wait_end(&s[i]);
		assert_string_equal(buf_text(&s[i].body), "hello");
		seen_free(&s[i]);
	}
}

static void test_free_while_running(void **state)
{
	struct world *w = *state;
	struct seen s;

	tiny_server_add(&w->server, (struct tiny_reply){.text = OK_HELLO, .len = 50, .hang = true});
	get(w, &s, w->server.url);
	run_ms(w, 30);
	http_free(&w->http);
	assert_false(s.ended);
	assert_true(http_new(w->loop, &w->http, NULL));
	seen_free(&s);
}

static void test_url_safe_for_secrets(void **state)
{
	(void)state;
	assert_true(http_url_is_safe("https://api.example.com/v1"));
	assert_true(http_url_is_safe("http://127.0.0.1:8080/x?a=b@c"));
	assert_true(http_url_is_safe("http://localhost:1/"));
	assert_false(http_url_is_safe("http://api.example.com/"));
	assert_false(http_url_is_safe("http://localhost:x@api.example.com/"));
	assert_false(http_url_is_safe("http://127.0.0.1:80@api.example.com"));
	assert_false(http_url_is_safe("http://localhost.example.com:80/"));
	assert_false(http_url_is_safe("file:///etc/passwd"));
	assert_true(http_is_event_stream("Text/Event-Stream;charset=utf-8"));
	assert_false(http_is_event_stream("text/html"));
	assert_false(http_is_event_stream(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_url_safe_for_secrets),
		cmocka_unit_test_setup_teardown(test_get, setup, teardown),
		cmocka_unit_test_setup_teardown(test_post_body_is_copied, setup, teardown),
		cmocka_unit_test_setup_teardown(test_connection_is_reused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_redirect_is_not_followed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_truncated_body, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cancel_before_and_during, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cancel_from_callbacks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_caller_stops_reading, setup, teardown),
		cmocka_unit_test_setup_teardown(test_start_from_end, setup, teardown),
		cmocka_unit_test_setup_teardown(test_concurrent_requests, setup, teardown),
		cmocka_unit_test_setup_teardown(test_free_while_running, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
