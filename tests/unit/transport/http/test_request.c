/* Requests and their answers. */
#include "port.h"

static void answers_collected_turn(void **state)
{
	char *answer = api("POST", "/api/v1/chat", "{\"content\":\"hello\"}");
	json_t *body = parsed(body_of(answer));

	(void)state;
	assert_int_equal(status_of(answer), 200);
	assert_string_equal(member(body, "text"), "hello");
	assert_string_equal(member(body, "status"), "ok");
	json_decref(body);
	mem_free(answer);
	assert_api("POST", "/api/v1/chat", "{\"message\":\"hello\"}", 200, "\"text\":\"hello\"");
	assert_api("POST", "/api/v1/chat", "{\"content\":\"paced 3 10\"}", 200, "tick tick tick");
	assert_api("POST", "/api/v1/sessions/" STUB_SESSION "/messages", "{\"content\":\"x\"}", 200,
		   STUB_SESSION);
	assert_api("POST", "/api/v1/chat", "{\"content\":\"fail upstream\"}", 503, "Retry-After: ");
}

static void refuses_bad_requests(void **state)
{
	char *big = mem_alloc(BODY_BYTES_MAX + 2);
	char *answer;

	(void)state;
	assert_api("POST", "/api/v1/chat", "{bad", 400, "bad_frame");
	assert_api("POST", "/api/v1/chat", "[]", 400, NULL);
	assert_api("POST", "/api/v1/chat", "{}", 422, "content");
	assert_api("POST", "/api/v1/chat", "{\"content\":\"x\",\"bogus\":1}", 422, "bogus");
	assert_api("POST", "/api/v1/chat", "{\"content\":\"x\",\"session_id\":\"" TURN "\"}", 404,
		   NULL);
	assert_api("POST", "/api/v1/sessions/x/messages", "{\"content\":\"x\"}", 404, NULL);
	assert_api("PUT", "/api/v1/chat", "{}", 405, "Allow: POST");
	assert_api("GET", "/api/v1/nope", NULL, 404, NULL);
	assert_api("GET", "/livez%00", NULL, 404, NULL);
	assert_api("GET", "/%00", NULL, 404, NULL);
	assert_api("GET", "/api/v1/sessions?limit=201", NULL, 400, "limit");
	assert_api("GET", "/api/v1/sessions?limit=2&limit=3", NULL, 400, NULL);
	assert_api("GET", "/api/v1/sessions?cursor=x", NULL, 400, "cursor");
	assert_api("GET", "/api/v1/turns/" TURN "/events", NULL, 410, NULL);
	assert_api("DELETE", "/api/v1/turns/" TURN, NULL, 404, NULL);
	memset(big, ' ', BODY_BYTES_MAX + 1);
	assert_api("POST", "/api/v1/chat", big, 413, "too_long");
	mem_free(big);
	answer = client_request(address, "POST /api/v1/chat HTTP/1.1\r\n", "{}");
	assert_int_equal(status_of(answer), 401);
	assert_non_null(strstr(answer, "WWW-Authenticate: Bearer"));
	mem_free(answer);
}

/* A client that sends the whole body before it reads gets the answer and keeps the connection. */
static void refusal_is_sent_after_the_body(void **state)
{
	size_t bytes = BODY_BYTES_MAX + BODY_DROPPED_MAX;
	char *body = mem_alloc(bytes + 1), *head, *answer;
	int fd;

	(void)state;
	memset(body, ' ', bytes);
	assert_api("POST", "/api/v1/chat", body, 413, "too_long");
	fd = client_open(address);
	head = mem_printf("POST /api/v1/chat HTTP/1.1\r\nHost: localhost\r\n"
			  "Content-Type: text/plain\r\nContent-Length: %zu\r\n\r\n",
			  bytes);
	client_send_text(fd, head);
	client_send_text(fd, body);
	client_send_text(fd, "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	answer = client_read_all(fd);
	assert_int_equal(status_of(answer), 401);
	assert_non_null(strstr(answer, "HTTP/1.1 200 OK"));
	close(fd);
	mem_free(answer);
	mem_free(head);
	mem_free(body);
}

/* A client that sends Expect, or announces a far too long body, is answered immediately. */
static void invalid_head_is_refused_immediately(void **state)
{
	static const char *const heads[] = {
		"POST /api/v1/chat HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
		"Content-Length: 200000\r\n\r\n",
		"POST /api/v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000000\r\n\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		int fd = client_open(address);
		char *answer;

		client_send_text(fd, heads[i]);
		answer = client_read_all(fd);
		assert_int_equal(status_of(answer), 401);
		close(fd);
		mem_free(answer);
	}
}

static void lists_are_paged(void **state)
{
	(void)state;
	assert_api("GET", "/api/v1/sessions", NULL, 200, "next_cursor");
	assert_api("GET", "/api/v1/sessions/" STUB_SESSION "/messages?limit=200", NULL, 200,
		   "\"has_more\":false");
	assert_api("GET", "/api/v1/sessions/" TURN "/messages", NULL, 404, NULL);
}

/* Views are sent as they were stored, and a page of large tables ends before its limit. */
static void page_size_is_bounded(void **state)
{
	const char *path = "/api/v1/sessions/" STUB_SESSION "/messages?limit=200";
	char *views = mem_alloc(1000000), *answer;
	size_t pages;

	(void)state;
	stub_views = "[{\"total\":1.10,\"big\":12345678901234567890123}]";
	answer = api("GET", path, NULL);
	assert_non_null(
		strstr(answer, "\"views\":[{\"total\":1.10,\"big\":12345678901234567890123}]"));
	mem_free(answer);
	memset(views, ' ', 999999);
	views[0] = '[';
	views[999998] = ']';
	stub_views = views;
	answer = api("GET", path, NULL);
	pages = strlen(answer) / 1000000;
	assert_int_equal(pages, PAGE_BYTES / 1000000 + 1);
	assert_non_null(strstr(answer, "],\"has_more\":true,\"next_cursor\":\""));
	mem_free(answer);
	stub_views = NULL;
	mem_free(views);
}

static void streams_and_resumes_events(void **state)
{
	char *answer = api("POST", "/api/v1/chat/stream", "{\"content\":\"tokens 4\"}");
	char *id = strstr(answer, "\"turn_id\":\"") + strlen("\"turn_id\":\"");
	char path[200];

	(void)state;
	assert_non_null(strcasestr(answer, "content-type: text/event-stream"));
	assert_non_null(strstr(answer, "retry: 3000\n\nid: 1\nevent: turn.started\n"));
	assert_non_null(strstr(answer, "id: 6\nevent: turn.completed\n"));
	snprintf(path, sizeof(path), "/api/v1/turns/%.36s/events?after=4", id);
	mem_free(answer);
	answer = api("GET", path, NULL);
	assert_null(strstr(answer, "id: 4\n"));
	assert_non_null(strstr(answer, "id: 5\n"));
	mem_free(answer);
	path[strlen(path) - 1] = '6';
	assert_api("GET", path, NULL, 204, NULL);
	path[strlen(path) - 1] = '7';
	assert_api("GET", path, NULL, 400, NULL);
}

static void probes_report_health_and_echo_request_ids(void **state)
{
	char *answer;

	(void)state;
	health_set("store", HEALTH_REQUIRED, HEALTH_OK, "fine");
	health_set("model", HEALTH_OPTIONAL, HEALTH_DEGRADED, "slow");
	assert_api("GET", "/livez", NULL, 200, "nosniff");
	assert_api("GET", "/readyz", NULL, 200, NULL);
	assert_api("GET", "/health", NULL, 200, "{\"status\":\"degraded\"}");
	health_set("store", HEALTH_REQUIRED, HEALTH_DOWN, "gone");
	assert_api("GET", "/readyz", NULL, 503, NULL);
	health_reset();
	assert_api("GET", "/metrics", NULL, 404, NULL); /* only on the admin address */
	answer = client_request(address, "GET /livez HTTP/1.1\r\nX-Request-Id: my.id-1\r\n", NULL);
	assert_non_null(strstr(answer, "X-Request-Id: my.id-1\r\n"));
	mem_free(answer);
	answer = client_request(address, "GET /livez HTTP/1.1\r\nX-Request-Id: my id\r\n", NULL);
	assert_null(strstr(answer, "my id"));
	mem_free(answer);
}

static void serves_demo_page_and_its_sign_in(void **state)
{
	char *answer = client_request(address, "GET / HTTP/1.1\r\n", NULL);
	char *etag = strstr(answer, "ETag: ");
	char *conditional =
		mem_printf("GET / HTTP/1.1\r\nIf-None-Match: %.34s\r\n", etag ? etag + 6 : "");

	(void)state;
	assert_int_equal(status_of(answer), 200);
	assert_non_null(strstr(answer, "require-trusted-types-for 'script'"));
	assert_non_null(strstr(answer, "<!doctype html>"));
	mem_free(answer);
	answer = client_request(address, conditional, NULL);
	assert_int_equal(status_of(answer), 304);
	mem_free(answer);
	mem_free(conditional);
	assert_api("GET", "/demo.js", NULL, 200, "text/javascript");
	assert_api("GET", "/nope.js", NULL, 404, NULL);
	assert_api("POST", "/api/v1/demo/login", "{\"tenant\":\"vesper\",\"role\":\"viewer\"}", 200,
		   "\"token\"");
	assert_api("POST", "/api/v1/demo/login", "{\"tenant\":\"nope\",\"role\":\"viewer\"}", 422,
		   "tenant");
	assert_api("POST", "/api/v1/demo/login", "{\"tenant\":\"vesper\",\"role\":\"king\"}", 422,
		   "role");
}

static void disconnect_ends_the_request(void **state)
{
	char *head =
		mem_printf("POST /api/v1/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
			   "Content-Type: application/json\r\nContent-Length: "
			   "18\r\n\r\n{\"content\":\"hang\"}",
			   ann);
	int fds[20];

	(void)state;
	for (int i = 0; i < 20; i++) {
		fds[i] = client_open(address);
		client_send_text(fds[i], head);
	}
	usleep(100000);
	for (int i = 0; i < 20; i++)
		close(fds[i]);
	assert_api("GET", "/livez", NULL, 200, NULL);
	mem_free(head);
}

static void event_stream_is_kept_alive(void **state)
{
	char *request = mem_printf(
		"POST /api/v1/chat/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
		"Content-Type: application/json\r\nContent-Length: "
		"18\r\n\r\n{\"content\":\"hang\"}",
		ann);
	char text[8192] = "";
	int fd = client_open(address);

	(void)state;
	client_send_text(fd, request);
	freeze();
	assert_true(recv(fd, text, sizeof(text) - 1, 0) > 0);
	usleep(100000);
	recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);
	memset(text, 0, sizeof(text));
	advance(SSE_KEEPALIVE_MS);
	assert_true(recv(fd, text, sizeof(text) - 1, 0) > 0);
	assert_non_null(strstr(text, ":\n\n"));
	mem_free(request);
	close(fd);
}

static void body_must_be_complete_in_time(void **state)
{
	char *request =
		mem_printf("POST /api/v1/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
			   "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n{",
			   ann);
	int fd = client_open(address);
	char *answer;

	(void)state;
	freeze();
	client_send_text(fd, request);
	usleep(100000);
	advance(BODY_DEADLINE_MS);
	answer = client_read_all(fd);
	assert_int_equal(status_of(answer), 408);
	assert_non_null(strstr(answer, "\r\nX-Request-Id: "));
	assert_non_null(strstr(answer, "\"instance\":\"/api/v1/chat\""));
	assert_non_null(strstr(answer, "\"request_id\":\""));
	mem_free(answer);
	mem_free(request);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(answers_collected_turn),
		LIVE(refuses_bad_requests),
		LIVE(refusal_is_sent_after_the_body),
		LIVE(invalid_head_is_refused_immediately),
		LIVE(lists_are_paged),
		LIVE(page_size_is_bounded),
		LIVE(streams_and_resumes_events),
		LIVE(probes_report_health_and_echo_request_ids),
		LIVE(serves_demo_page_and_its_sign_in),
		LIVE(disconnect_ends_the_request),
		TIMED(event_stream_is_kept_alive),
		TIMED(body_must_be_complete_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
