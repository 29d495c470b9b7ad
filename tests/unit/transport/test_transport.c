/* Connections: protocols, credentials, limits of time and size, and draining. */
#include "port.h"

#include <sys/resource.h>

static void first_bytes_select_the_protocol_even_if_slow(void **state)
{
	const char *request = "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
	char *auth = bearer(ann);
	char *handshake =
		mem_printf("GET /ws/v1/chat HTTP/1.1\r\nHost: x\r\n" WS_KEY "%s\r\n", auth);
	int http = client_open(address);
	int ws = client_open(address);
	char *answer;

	(void)state;
	for (const char *c = request; *c; c++) {
		client_send(http, c, 1);
		usleep(500);
	}
	for (const char *c = handshake; *c; c++) {
		client_send(ws, c, 1);
		usleep(100);
	}
	answer = client_read_all(http);
	assert_int_equal(status_of(answer), 200);
	mem_free(answer);
	answer = client_read_head(ws);
	assert_int_equal(status_of(answer), 101);
	assert_next(ws, "session.ready", NULL);
	mem_free(answer);
	mem_free(auth);
	mem_free(handshake);
	close(http);
	close(ws);
}

static void frame_sent_with_the_handshake_is_not_lost(void **state)
{
	int fd = client_open(address);
	char *all = mem_printf("GET /ws/v1/chat HTTP/1.1\r\nHost: x\r\n" WS_KEY
			       "Authorization: Bearer %s\r\n\r\n"
			       "\x81\x8f%c%c%c%c{\"type\":\"ping\"}",
			       ann, 1, 1, 1, 1);
	size_t len = strlen(all);
	char *head;

	(void)state;
	for (size_t i = len - 15; i < len; i++)
		all[i] ^= 1;
	client_send(fd, all, len);
	head = client_read_head(fd);
	assert_int_equal(status_of(head), 101);
	assert_next(fd, "session.ready", NULL);
	assert_next(fd, "pong", NULL);
	mem_free(head);
	mem_free(all);
	close(fd);
}

static void assert_closed(const char *query, const char *headers, int code)
{
	char *with_origin = mem_printf("Origin: http://127.0.0.1\r\n%s", headers);
	char *head;
	int fd = ws_try(query, with_origin, &head);

	assert_int_equal(status_of(head), 101);
	assert_int_equal(ws_close_code(fd), code);
	mem_free(head);
	mem_free(with_origin);
}

static void refusals_are_http_or_close_codes_by_origin(void **state)
{
	char *good = bearer(ann);
	char *unprivileged = bearer(unprivileged_token);
	char *expired = bearer(expired_token);

	(void)state;
	assert_refused("", "", 401);
	assert_refused("", "Authorization: Bearer x.y.z\r\n", 401);
	assert_refused("", "Authorization: Basic eDp5\r\n", 401);
	assert_refused("", expired, 401);
	assert_refused("", unprivileged, 403);
	assert_refused("?ticket=nope", "", 401);
	assert_refused("?token=nope", "", 401);
	assert_refused("?session_id=" TURN, good, 404);
	assert_refused("?session_id=x", good, 404);
	assert_closed("", "Authorization: Bearer x.y.z\r\n", 4401);
	assert_closed("", expired, 4401);
	assert_closed("", unprivileged, 4403);
	assert_closed("?session_id=" TURN, good, 4404);
	mem_free(good);
	mem_free(unprivileged);
	mem_free(expired);
}

static void foreign_origins_are_closed(void **state)
{
	char *foreign =
		mem_printf("Origin: https://evil.example\r\nAuthorization: Bearer %s\r\n", ann);
	char *portal =
		mem_printf("Origin: https://portal.example\r\nAuthorization: Bearer %s\r\n", ann);
	char *head;
	int fd = ws_try("", foreign, &head);

	(void)state;
	assert_int_equal(ws_close_code(fd), 4403);
	mem_free(head);
	fd = ws_try("", portal, &head);
	assert_next(fd, "session.ready", NULL);
	close(fd);
	mem_free(head);
	mem_free(foreign);
	mem_free(portal);
}

static void answers_the_subprotocol_but_not_the_token(void **state)
{
	char *offer = mem_printf("Sec-WebSocket-Protocol: vesper.v1, bearer.%s\r\n", ann);
	char *head;
	int fd = ws_try("?session_id=" STUB_SESSION, offer, &head);
	json_t *ready = ws_read_json(fd);

	(void)state;
	assert_int_equal(status_of(head), 101);
	assert_non_null(strcasestr(head, "sec-websocket-protocol: vesper.v1\r\n"));
	assert_null(strstr(head, "bearer"));
	assert_string_equal(member(ready, "session_id"), STUB_SESSION);
	json_decref(ready);
	mem_free(head);
	mem_free(offer);
	close(fd);
}

static void ticket_opens_one_socket(void **state)
{
	char *answer = api("POST", "/api/v1/ws/tickets", NULL);
	json_t *body = parsed(body_of(answer));
	char *query = mem_printf("?ticket=%s", member(body, "ticket"));
	char *head;
	int fd;

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(body, "expires_in")), 30);
	fd = ws_try(query, "", &head);
	assert_int_equal(status_of(head), 101);
	close(fd);
	mem_free(head);
	assert_refused(query, "", 401);
	mem_free(query);
	json_decref(body);
	mem_free(answer);
}

static void first_frame_may_authenticate(void **state)
{
	static const char *const permissions[] = {"chat:use"};
	char *bob = stub_token("bob", permissions, 1, 3600);
	int fd = open_without_token();

	(void)state;
	send_token(fd, ann);
	assert_next(fd, "session.ready", NULL);
	send_token(fd, ann); /* the same user may authenticate again, another user may not */
	ws_send_text(fd, "{\"type\":\"ping\"}");
	assert_next(fd, "pong", NULL);
	send_token(fd, bob);
	assert_int_equal(ws_close_code(fd), 4403);
	fd = open_without_token();
	send_token(fd, expired_token);
	assert_int_equal(ws_close_code(fd), 4401);
	fd = open_without_token();
	ws_send_text(fd, "{\"type\":\"ping\"}");
	assert_int_equal(ws_close_code(fd), 4401);
	mem_free(bob);
}

static void unauthenticated_sockets_are_bounded_in_number_and_time(void **state)
{
	int fds[STUB_PER_ADDRESS + 1];

	(void)state;
	for (int i = 0; i <= STUB_PER_ADDRESS; i++)
		fds[i] = open_without_token();
	assert_connection_ended(fds[0]);
	assert_int_equal(ws_close_code(fds[1]), 4408);
	for (int i = 0; i <= STUB_PER_ADDRESS; i++)
		close(fds[i]);
}

static void head_must_arrive_in_time(void **state)
{
	static const char *const starts[] = {"", "GET /w", "GET /",
					     "GET /livez HTTP/1.1\r\nHost: x\r\nX: ",
					     "GET /ws/v1/chat HTTP/1.1\r\nHost: x\r\nX: "};
	static const int limits_ms[] = {PEEK_DEADLINE_MS, PEEK_DEADLINE_MS, PEEK_DEADLINE_MS,
					HEADER_DEADLINE_MS, HEADER_DEADLINE_MS};
	int64_t begun = clock_mono_ms();
	int fds[5];

	(void)state;
	for (int i = 0; i < 5; i++) {
		fds[i] = client_open(address);
		client_send_text(fds[i], starts[i]);
	}
	for (int i = 0; i < 5; i++) {
		while (i >= 3 && clock_mono_ms() - begun <
					 limits_ms[i] - 500) { /* sends a byte now and then */
			client_send_text(fds[3], "a");
			client_send_text(fds[4], "a");
			usleep(300000);
		}
		assert_connection_ended(fds[i]);
		assert_true(clock_mono_ms() - begun >= limits_ms[i] - 100);
		close(fds[i]);
	}
}

static void hangup_after_half_a_prefix_ends_immediately(void **state)
{
	int64_t begun = clock_mono_ms();
	int fd = client_open(address);

	(void)state;
	client_send_text(fd, "GET /w");
	shutdown(fd, SHUT_WR);
	assert_connection_ended(fd);
	assert_true(clock_mono_ms() - begun < PEEK_DEADLINE_MS);
	close(fd);
}

static void head_size_is_limited(void **state)
{
	char *filler = mem_alloc(HEADER_BYTES_MAX + 1);
	static const char *const paths[] = {"/ws/v1/chat", "/livez"};

	(void)state;
	memset(filler, 'a', HEADER_BYTES_MAX);
	for (int i = 0; i < 2; i++) {
		char *request = mem_printf("GET %s HTTP/1.1\r\nX: %s\r\n", paths[i], filler);
		char *answer = client_request(address, request, NULL);

		assert_int_equal(status_of(answer), 431);
		mem_free(answer);
		mem_free(request);
	}
	mem_free(filler);
}

static void upgrade_on_reused_connection_is_refused(void **state)
{
	int fd = client_open(address);
	char *answer;

	(void)state;
	client_send_text(fd,
			 "GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /ws/v1/chat HTTP/1.1\r\nHost: "
			 "x\r\n" WS_KEY "\r\n");
	answer = client_read_all(fd);
	assert_int_equal(status_of(answer), 200);
	assert_non_null(strstr(answer, "HTTP/1.1 426 "));
	assert_non_null(strcasestr(strstr(answer, " 426 "), "connection: close"));
	mem_free(answer);
	close(fd);
}

static void survives_lack_of_descriptors(void **state)
{
	struct rlimit before;
	struct rlimit none;
	int waiting = client_socket();

	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)waiting + 1;
	setrlimit(RLIMIT_NOFILE, &none);
	client_connect(waiting, address);
	assert_connection_ended(waiting); /* accepted with the reserved descriptor and closed */
	setrlimit(RLIMIT_NOFILE, &before);
	close(waiting);
	assert_api("GET", "/livez", NULL, 200, NULL);
}

static void drain_closes_with_restart(void **state)
{
	char turn_id[UUID_BYTES];
	int fd = ws_open();

	(void)state;
	begin(fd, "hang", turn_id);
	loop_post(stub.loop, on_drain, NULL);
	assert_int_equal(ws_close_code(fd), 1012);
	pthread_join(thread, NULL); /* drained: the loop has stopped, and everything was freed */
	stub.loop = NULL;
	pthread_create(&thread, NULL, serve, NULL); /* for teardown */
	mem_free(address);
	sem_wait(&opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(first_bytes_select_the_protocol_even_if_slow),
		LIVE(frame_sent_with_the_handshake_is_not_lost),
		LIVE(refusals_are_http_or_close_codes_by_origin),
		LIVE(foreign_origins_are_closed),
		LIVE(answers_the_subprotocol_but_not_the_token),
		LIVE(ticket_opens_one_socket),
		LIVE(first_frame_may_authenticate),
		LIVE(unauthenticated_sockets_are_bounded_in_number_and_time),
		LIVE(head_must_arrive_in_time),
		LIVE(hangup_after_half_a_prefix_ends_immediately),
		LIVE(head_size_is_limited),
		LIVE(upgrade_on_reused_connection_is_refused),
		LIVE(survives_lack_of_descriptors),
		LIVE(drain_closes_with_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
