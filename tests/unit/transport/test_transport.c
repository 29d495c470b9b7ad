/* The whole port on real sockets: the loop runs in a thread of its own, the test is the client. */
#include "client.h"
#include "port_stub.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/resource.h>

static struct stub stub;
static char *address;
static char *ann;
static char *nobody;
static char *late;
static pthread_t thread;
static sem_t opened;

static void on_drained(void *owner)
{
	(void)owner;
	loop_stop(stub.loop);
}

static void on_stop(void *owner)
{
	(void)owner;
	loop_stop(stub.loop);
}

static void on_drain(void *owner)
{
	(void)owner;
	transport_drain(stub.transport, on_drained, NULL);
}

static void *serve(void *unused)
{
	struct err e;

	(void)unused;
	if (!stub_open(&stub, "127.0.0.1:0", &e))
		abort();
	address = mem_strdup(transport_address(stub.transport));
	sem_post(&opened);
	loop_run(stub.loop);
	stub_close(&stub);
	return NULL;
}

static int setup(void **state)
{
	static const char *const permissions[] = {"chat:use"};

	(void)state;
	ann = stub_token("ann", permissions, 1, 3600);
	nobody = stub_token("nobody", permissions, 0, 3600);
	late = stub_token("ann", permissions, 1, -10);
	sem_init(&opened, 0, 0);
	pthread_create(&thread, NULL, serve, NULL);
	sem_wait(&opened);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (stub.loop)
		loop_post(stub.loop, on_stop, NULL);
	pthread_join(thread, NULL);
	sem_destroy(&opened);
	mem_free(address);
	mem_free(ann);
	mem_free(nobody);
	mem_free(late);
	return 0;
}

/* ---- Helpers ---- */

static int ws_try(const char *query, const char *headers, char **head)
{
	int fd = client_open(address);
	char *request =
		mem_printf("GET /ws/v1/chat%s HTTP/1.1\r\nHost: 127.0.0.1\r\n" WS_KEY "%s\r\n",
			   query, headers);

	client_say(fd, request);
	mem_free(request);
	*head = client_read_head(fd);
	return fd;
}

static char *bearer(const char *token)
{
	return mem_printf("Authorization: Bearer %s\r\n", token);
}

/* An open socket of ann's that has said session.ready. */
static int ws_open(void)
{
	char *auth = bearer(ann);
	char *head;
	int fd = ws_try("", auth, &head);
	json_t *ready;

	assert_int_equal(status_of(head), 101);
	ready = ws_hear(fd);
	assert_string_equal(member(ready, "type"), "session.ready");
	json_decref(ready);
	mem_free(head);
	mem_free(auth);
	return fd;
}

static void assert_next(int fd, const char *type, const char *code)
{
	json_t *frame = ws_hear(fd);

	assert_string_equal(member(frame, "type"), type);
	if (code) {
		assert_string_equal(member(frame, "code"), code);
		assert_null(json_object_get(frame, "seq"));
	}
	json_decref(frame);
}

/* Starts a turn and hears it up to its first token; gives its id. */
static void begin(int fd, const char *content, char turn_id[UUID_BYTES])
{
	char *message = mem_printf("{\"type\":\"chat.message\",\"content\":\"%s\"}", content);
	json_t *frame;

	ws_say(fd, message);
	mem_free(message);
	frame = ws_hear(fd);
	assert_string_equal(member(frame, "type"), "chat.thinking");
	snprintf(turn_id, UUID_BYTES, "%s", member(frame, "turn_id"));
	json_decref(frame);
	assert_next(fd, "chat.token", NULL);
}

static char *api(const char *method, const char *path, const char *body)
{
	char *head =
		mem_printf("%s %s HTTP/1.1\r\nAuthorization: Bearer %s\r\n", method, path, ann);
	char *answer = client_request(address, head, body);

	mem_free(head);
	return answer;
}

static void assert_api(const char *method, const char *path, const char *body, int status,
		       const char *has)
{
	char *answer = api(method, path, body);

	if (status_of(answer) != status || (has && !strstr(answer, has)))
		fail_msg("%s %s %s: %s", method, path, body ? body : "", answer);
	mem_free(answer);
}

/* ---- The door ---- */

static void first_bytes_decide_however_slowly_they_come(void **state)
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

static void a_frame_right_behind_the_handshake_is_not_lost(void **state)
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

static void assert_refused(const char *query, const char *headers, int status)
{
	char *head;
	int fd = ws_try(query, headers, &head);

	if (status_of(head) != status)
		fail_msg("%s %s: %s", query, headers, head);
	assert_true(strstr(head, "application/problem+json"));
	mem_free(head);
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

static void refusals_are_http_without_an_origin_and_codes_with_one(void **state)
{
	char *good = bearer(ann);
	char *weak = bearer(nobody);
	char *expired = bearer(late);

	(void)state;
	assert_refused("", "", 401);
	assert_refused("", "Authorization: Bearer x.y.z\r\n", 401);
	assert_refused("", "Authorization: Basic eDp5\r\n", 401);
	assert_refused("", expired, 401);
	assert_refused("", weak, 403);
	assert_refused("?ticket=nope", "", 401);
	assert_refused("?token=nope", "", 401);
	assert_refused("?session_id=" TURN, good, 404);
	assert_refused("?session_id=x", good, 404);
	assert_closed("", "Authorization: Bearer x.y.z\r\n", 4401);
	assert_closed("", expired, 4401);
	assert_closed("", weak, 4403);
	assert_closed("?session_id=" TURN, good, 4404);
	mem_free(good);
	mem_free(weak);
	mem_free(expired);
}

static void foreign_origins_are_closed(void **state)
{
	char *evil =
		mem_printf("Origin: https://evil.example\r\nAuthorization: Bearer %s\r\n", ann);
	char *portal =
		mem_printf("Origin: https://portal.example\r\nAuthorization: Bearer %s\r\n", ann);
	char *head;
	int fd = ws_try("", evil, &head);

	(void)state;
	assert_int_equal(ws_close_code(fd), 4403);
	mem_free(head);
	fd = ws_try("", portal, &head);
	assert_next(fd, "session.ready", NULL);
	close(fd);
	mem_free(head);
	mem_free(evil);
	mem_free(portal);
}

static void only_the_protocol_is_answered_never_the_token(void **state)
{
	char *offer = mem_printf("Sec-WebSocket-Protocol: vesper.v1, bearer.%s\r\n", ann);
	char *head;
	int fd = ws_try("?session_id=" STUB_SESSION, offer, &head);
	json_t *ready = ws_hear(fd);

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

static void a_ticket_opens_once(void **state)
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

static int open_without_token(void)
{
	char *head;
	int fd = ws_try("", "Origin: http://127.0.0.1\r\n", &head);

	assert_int_equal(status_of(head), 101);
	mem_free(head);
	return fd;
}

static void say_token(int fd, const char *token)
{
	char *frame = mem_printf("{\"type\":\"auth\",\"token\":\"%s\"}", token);

	ws_say(fd, frame);
	mem_free(frame);
}

static void the_first_frame_may_say_who_it_is(void **state)
{
	static const char *const permissions[] = {"chat:use"};
	char *bob = stub_token("bob", permissions, 1, 3600);
	int fd = open_without_token();

	(void)state;
	say_token(fd, ann);
	assert_next(fd, "session.ready", NULL);
	say_token(fd, ann); /* again is fine, as somebody else is not */
	ws_say(fd, "{\"type\":\"ping\"}");
	assert_next(fd, "pong", NULL);
	say_token(fd, bob);
	assert_int_equal(ws_close_code(fd), 4403);
	fd = open_without_token();
	say_token(fd, late);
	assert_int_equal(ws_close_code(fd), 4401);
	fd = open_without_token();
	ws_say(fd, "{\"type\":\"ping\"}");
	assert_int_equal(ws_close_code(fd), 4401);
	mem_free(bob);
}

static void sockets_without_a_user_are_bounded_in_number_and_time(void **state)
{
	int fds[UNAUTHENTICATED_MAX];
	char *head;
	int fd;

	(void)state;
	for (int i = 0; i < UNAUTHENTICATED_MAX; i++)
		fds[i] = open_without_token();
	fd = ws_try("", "Origin: http://127.0.0.1\r\n", &head);
	assert_int_equal(ws_close_code(fd), 1013);
	mem_free(head);
	assert_int_equal(ws_close_code(fds[0]), 4408);
	for (int i = 1; i < UNAUTHENTICATED_MAX; i++)
		close(fds[i]);
}

static void a_head_must_come_in_time(void **state)
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
		client_say(fds[i], starts[i]);
	}
	for (int i = 0; i < 5; i++) {
		while (i >= 3 &&
		       clock_mono_ms() - begun < limits_ms[i] - 500) { /* drips all the time */
			client_say(fds[3], "a");
			client_say(fds[4], "a");
			usleep(300000);
		}
		client_ended(fds[i]);
		assert_in_range(clock_mono_ms() - begun, limits_ms[i] - 100, limits_ms[i] + 3000);
		close(fds[i]);
	}
}

static void half_a_prefix_and_a_hangup_end_at_once(void **state)
{
	int64_t begun = clock_mono_ms();
	int fd = client_open(address);

	(void)state;
	client_say(fd, "GET /w");
	shutdown(fd, SHUT_WR);
	client_ended(fd);
	assert_true(clock_mono_ms() - begun < 1000);
	close(fd);
}

static void heads_have_a_size(void **state)
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

static void an_upgrade_on_a_kept_connection_is_sent_away(void **state)
{
	int fd = client_open(address);
	char *answer;

	(void)state;
	client_say(fd, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /ws/v1/chat HTTP/1.1\r\nHost: "
		       "x\r\n" WS_KEY "\r\n");
	answer = client_read_all(fd);
	assert_int_equal(status_of(answer), 200);
	assert_non_null(strstr(answer, "HTTP/1.1 426 "));
	assert_non_null(strcasestr(strstr(answer, " 426 "), "connection: close"));
	mem_free(answer);
	close(fd);
}

static void without_descriptors_nothing_spins_or_hangs(void **state)
{
	struct rlimit before;
	struct rlimit none;
	int64_t begun = clock_mono_ms();
	int waiting = client_socket();

	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)waiting + 1;
	setrlimit(RLIMIT_NOFILE, &none);
	client_connect(waiting, address);
	client_ended(waiting); /* taken with the reserve and closed */
	setrlimit(RLIMIT_NOFILE, &before);
	assert_true(clock_mono_ms() - begun < 2000);
	close(waiting);
	assert_api("GET", "/livez", NULL, 200, NULL);
}

/* ---- Frames ---- */

static void says_what_is_wrong_with_a_frame(void **state)
{
	int fd = ws_open();

	(void)state;
	ws_say(fd, "{bad");
	assert_next(fd, "chat.error", "bad_frame");
	ws_say(fd, "{\"type\":\"chat.dance\"}");
	assert_next(fd, "chat.error", "unknown_type");
	ws_say(fd, "{\"type\":\"chat.message\"}");
	assert_next(fd, "chat.error", "bad_frame");
	ws_say(fd, "{\"type\":\"resume\",\"turn_id\":\"" TURN "\",\"last_seq\":0}");
	assert_next(fd, "chat.error", "not_found");
	ws_say(fd, "{\"type\":\"chat.cancel\"}");
	assert_next(fd, "chat.error", "not_found");
	ws_say(fd, "{\"type\":\"chat.message\",\"content\":\"x\",\"session_id\":\"" TURN "\"}");
	assert_next(fd, "chat.error", "not_found");
	ws_say(fd, "{\"type\":\"ping\",\"t\":\"still here\"}");
	assert_next(fd, "pong", NULL);
	close(fd);
}

static void an_announced_session_may_be_used_at_once(void **state)
{
	static const char *const permissions[] = {"chat:use"};
	char *bob = stub_token("bob", permissions, 1, 3600);
	char *auth = bearer(ann);
	char *foreign = bearer(bob);
	char *head;
	int fd = ws_try("", auth, &head);
	json_t *ready = ws_hear(fd);
	char *query = mem_printf("?session_id=%s", member(ready, "session_id"));
	char *path = mem_printf("/api/v1/sessions/%s/messages", member(ready, "session_id"));
	char *again;
	int other = ws_try(query, auth, &again);

	(void)state;
	assert_int_equal(status_of(again), 101);
	assert_api("POST", path, "{\"content\":\"x\"}", 200, member(ready, "session_id"));
	assert_refused(query, foreign, 404);
	close(other);
	close(fd);
	json_decref(ready);
	mem_free(head);
	mem_free(again);
	mem_free(query);
	mem_free(path);
	mem_free(auth);
	mem_free(foreign);
	mem_free(bob);
}

static void some_frames_end_the_socket(void **state)
{
	char *big = mem_alloc(FRAME_BYTES_MAX + 1);
	int fd = ws_open();

	(void)state;
	ws_send(fd, OP_BINARY, "x", 1);
	assert_int_equal(ws_close_code(fd), 1003);
	fd = ws_open();
	ws_send(fd, OP_TEXT, "\xc3\x28", 2);
	assert_int_equal(ws_close_code(fd), 1007);
	memset(big, ' ', FRAME_BYTES_MAX + 1);
	fd = ws_open();
	ws_send(fd, OP_TEXT, big, FRAME_BYTES_MAX);
	assert_next(fd, "chat.error", "bad_frame");
	ws_send(fd, OP_TEXT, big, FRAME_BYTES_MAX + 1);
	assert_int_equal(ws_close_code(fd), 1009);
	mem_free(big);
}

static void hear_turn(int fd, int64_t from, int64_t to)
{
	for (int64_t seq = from; seq <= to; seq++) {
		json_t *frame = ws_hear(fd);

		assert_int_equal(seq_of(frame), seq);
		json_decref(frame);
	}
}

static void a_turn_resumes_from_any_frame(void **state)
{
	char turn_id[UUID_BYTES];
	int fd = ws_open();

	(void)state;
	begin(fd, "tokens 5", turn_id);
	hear_turn(fd, 3, 7);
	close(fd);
	for (int last = 0; last <= 7; last++) {
		char *resume = mem_printf(
			"{\"type\":\"resume\",\"turn_id\":\"%s\",\"last_seq\":%d}", turn_id, last);

		fd = ws_open();
		ws_say(fd, resume);
		hear_turn(fd, last + 1, 7);
		ws_say(fd, "{\"type\":\"ping\"}");
		assert_next(fd, "pong", NULL);
		mem_free(resume);
		close(fd);
	}
}

static void one_turn_a_session_and_cancel(void **state)
{
	char turn_id[UUID_BYTES];
	int fd = ws_open();
	json_t *frame;

	(void)state;
	begin(fd, "hang", turn_id);
	ws_say(fd, "{\"type\":\"chat.message\",\"content\":\"me too\"}");
	assert_next(fd, "chat.error", "busy");
	ws_say(fd, "{\"type\":\"chat.cancel\"}");
	frame = ws_hear(fd);
	assert_string_equal(member(frame, "status"), "cancelled");
	json_decref(frame);
	begin(fd, "again", turn_id);
	close(fd);
}

static void a_choked_socket_gets_merged_tokens_and_loses_none(void **state)
{
	enum { TOKENS = 12000, BYTES = 300 };
	const int small = 4096;
	int64_t next = 1;
	size_t merged = 0;
	size_t text = 0;
	bool ended = false;
	char *auth = bearer(ann);
	char *request = mem_printf("GET /ws/v1/chat HTTP/1.1\r\nHost: x\r\n" WS_KEY "%s\r\n", auth);
	int fd = client_socket();
	char *head;

	(void)state;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	client_connect(fd, address);
	client_say(fd, request);
	head = client_read_head(fd);
	assert_next(fd, "session.ready", NULL);
	ws_say(fd, "{\"type\":\"chat.message\",\"content\":\"tokens 12000 300\"}");
	usleep(300000); /* everything is said by now, and most of it waits */
	while (!ended) {
		json_t *frame = ws_hear(fd);
		const json_t *first = json_object_get(frame, "seq_first");

		assert_int_equal(first ? json_integer_value(first) : seq_of(frame), next);
		next = seq_of(frame) + 1;
		merged += first != NULL;
		text += strlen(member(frame, "token"));
		assert_true(strlen(member(frame, "token")) <= TOKEN_MERGE_BYTES_MAX + BYTES);
		ended = strcmp(member(frame, "type"), "chat.complete") == 0;
		json_decref(frame);
	}
	assert_int_equal(text, TOKENS * BYTES);
	assert_true(merged > 0);
	mem_free(head);
	mem_free(request);
	mem_free(auth);
	close(fd);
}

static void assert_status(const char *turn_id, const char *has, bool yes)
{
	char *path = mem_printf("/api/v1/turns/%s/events?after=2", turn_id);
	char *head = mem_printf("GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
				path, ann);
	int fd = client_open(address);
	char text[4096] = "";
	ssize_t n;

	client_say(fd, head);
	usleep(200000);
	n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);
	assert_true(n > 0);
	assert_int_equal(strstr(text, has) != NULL, yes);
	mem_free(head);
	mem_free(path);
	close(fd);
}

static void leaving_cancels_and_losing_does_not(void **state)
{
	char turn_id[UUID_BYTES];
	int fd = ws_open();

	(void)state;
	begin(fd, "hang", turn_id);
	ws_send(fd, OP_CLOSE, "\x03\xe8", 2);
	ws_close_code(fd);
	assert_status(turn_id, "cancelled", true);
	fd = ws_open();
	begin(fd, "hang", turn_id);
	ws_send(fd, OP_CLOSE, "\x0f\xa0", 2);
	ws_close_code(fd);
	assert_status(turn_id, "cancelled", false);
	fd = ws_open();
	begin(fd, "hang", turn_id);
	close(fd);
	assert_status(turn_id, "cancelled", false);
}

static void echoes(void **state)
{
	int fd = client_open(address);
	char *head;
	char *back;
	size_t len;
	int op;

	(void)state;
	client_say(fd, "GET /ws/echo HTTP/1.1\r\nHost: x\r\n" WS_KEY "\r\n");
	head = client_read_head(fd);
	assert_int_equal(status_of(head), 101);
	ws_send(fd, OP_BINARY, "\x00\xff", 2);
	back = ws_read(fd, &op, &len);
	assert_int_equal(op, OP_BINARY);
	assert_int_equal(len, 2);
	assert_memory_equal(back, "\x00\xff", 2);
	mem_free(back);
	ws_send(fd, OP_PING, "p", 1);
	back = ws_read(fd, &op, &len);
	assert_int_equal(op, OP_PONG);
	mem_free(back);
	mem_free(head);
	close(fd);
}

static void draining_says_restart(void **state)
{
	char turn_id[UUID_BYTES];
	int fd = ws_open();

	(void)state;
	begin(fd, "hang", turn_id);
	loop_post(stub.loop, on_drain, NULL);
	assert_int_equal(ws_close_code(fd), 1012);
	pthread_join(thread, NULL); /* drained: the loop has stopped, and all was given back */
	stub.loop = NULL;
	pthread_create(&thread, NULL, serve, NULL); /* for teardown */
	mem_free(address);
	sem_wait(&opened);
}

/* ---- Time: the clock is moved by hand; the port looks at it once a second ---- */

static void on_freeze(void *owner)
{
	(void)owner;
	clock_freeze_ms(clock_now_ms());
}

static void on_advance(void *owner)
{
	clock_advance_ms((intptr_t)owner);
}

static void freeze(void)
{
	loop_post(stub.loop, on_freeze, NULL);
	usleep(50000);
}

static void advance(int64_t ms)
{
	loop_post(stub.loop, on_advance, (void *)(intptr_t)ms);
	usleep(1200000);
}

static int teardown_clock(void **state)
{
	int rc = teardown(state);

	clock_release();
	return rc;
}

static void a_message_must_be_whole_in_time(void **state)
{
	int small = ws_open();
	int large = ws_open();
	int fragmented = ws_open();
	int whole = ws_open();
	char part[3000] = {0};

	(void)state;
	freeze();
	client_send(small, "\x81\x85\0\0\0\0{", 7); /* less than the library's buffer */
	client_send(large, "\x81\xfe\x20\x00\0\0\0\0", 8);
	client_send(large, part, sizeof(part));
	client_send(fragmented, "\x01\x81\0\0\0\0{", 7);
	advance(1);
	advance(FRAME_DEADLINE_MS - 2);
	ws_say(whole, "{\"type\":\"ping\"}");
	assert_next(whole, "pong", NULL);
	advance(2);
	assert_int_equal(ws_close_code(small), 1008);
	assert_int_equal(ws_close_code(large), 1008);
	assert_int_equal(ws_close_code(fragmented), 1008);
	ws_say(whole, "{\"type\":\"ping\"}");
	assert_next(whole, "pong", NULL);
	close(whole);
}

static void silence_is_asked_and_then_left(void **state)
{
	int silent = ws_open();
	int alive = ws_open();
	char *ping;
	size_t len;
	int op;

	(void)state;
	freeze();
	for (int i = 0; i < PING_MISSED_MAX + 1; i++) {
		advance(PING_EVERY_MS);
		ping = ws_read(alive, &op, &len);
		assert_int_equal(op, OP_PING);
		ws_send(alive, OP_PONG, ping, len);
		mem_free(ping);
	}
	assert_int_equal(ws_close_code(silent), 0);
	ws_say(alive, "{\"type\":\"ping\"}");
	assert_next(alive, "pong", NULL);
	close(alive);
}

static void still_there(int fd)
{
	ws_say(fd, "{\"type\":\"ping\"}");
	assert_next(fd, "pong", NULL);
}

static void a_token_runs_out_during_the_session(void **state)
{
	static const char *const permissions[] = {"chat:use"};
	char *brief = stub_token("ann", permissions, 1, (AUTH_WARN_MS + 10000) / 1000);
	int renewed = open_without_token();
	int fd = open_without_token();

	(void)state;
	say_token(fd, brief);
	say_token(renewed, brief);
	assert_next(fd, "session.ready", NULL);
	assert_next(renewed, "session.ready", NULL);
	freeze();
	advance(11000);
	assert_next(fd, "auth.expiring", NULL);
	assert_next(renewed, "auth.expiring", NULL);
	say_token(renewed, ann);
	still_there(fd);
	still_there(renewed);
	advance(PING_EVERY_MS + 10000);
	still_there(fd);
	still_there(renewed);
	advance(PING_EVERY_MS + 2000);
	assert_int_equal(ws_close_code(fd), 4401);
	still_there(renewed);
	close(renewed);
	mem_free(brief);
}

static void a_reader_that_stopped_is_left(void **state)
{
	char turn_id[UUID_BYTES];
	int fd = ws_open();

	(void)state;
	begin(fd, "tokens 15000 500", turn_id);
	freeze();
	advance(SEND_BLOCKED_MS);
	advance(CLOSE_WAIT_MS);
	ws_close_code(fd); /* what was under way, then the end */
}

static void an_event_stream_is_kept_alive(void **state)
{
	char *request = mem_printf(
		"POST /api/v1/chat/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
		"Content-Type: application/json\r\nContent-Length: "
		"18\r\n\r\n{\"content\":\"hang\"}",
		ann);
	char text[8192] = "";
	int fd = client_open(address);

	(void)state;
	client_say(fd, request);
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

static void a_body_must_be_whole_in_time(void **state)
{
	char *request =
		mem_printf("POST /api/v1/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
			   "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n{",
			   ann);
	int fd = client_open(address);

	(void)state;
	freeze();
	client_say(fd, request);
	usleep(100000);
	advance(BODY_DEADLINE_MS);
	client_ended(fd);
	mem_free(request);
	close(fd);
}

/* ---- REST ---- */

static void answers_collected(void **state)
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
	assert_api("GET", "/api/v1/turns/" TURN "/events", NULL, 404, NULL);
	assert_api("DELETE", "/api/v1/turns/" TURN, NULL, 404, NULL);
	memset(big, ' ', BODY_BYTES_MAX + 1);
	assert_api("POST", "/api/v1/chat", big, 413, "too_long");
	mem_free(big);
	answer = client_request(address, "POST /api/v1/chat HTTP/1.1\r\n", "{}");
	assert_int_equal(status_of(answer), 401);
	assert_non_null(strstr(answer, "WWW-Authenticate: Bearer"));
	mem_free(answer);
}

static void lists_pages(void **state)
{
	(void)state;
	assert_api("GET", "/api/v1/sessions", NULL, 200, "next_cursor");
	assert_api("GET", "/api/v1/sessions/" STUB_SESSION "/messages?limit=200", NULL, 200,
		   "\"has_more\":false");
	assert_api("GET", "/api/v1/sessions/" TURN "/messages", NULL, 404, NULL);
}

static void streams_events_and_takes_them_up_again(void **state)
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

static void probes_and_headers(void **state)
{
	char *answer;

	(void)state;
	health_set("store", true, HEALTH_OK, "fine");
	health_set("model", false, HEALTH_DEGRADED, "slow");
	assert_api("GET", "/livez", NULL, 200, "nosniff");
	assert_api("GET", "/readyz", NULL, 200, NULL);
	assert_api("GET", "/health", NULL, 200,
		   "{\"status\":\"degraded\",\"checks\":{\"store\":\"healthy\",\"model\":"
		   "\"degraded: slow\"}}");
	health_set("store", true, HEALTH_DOWN, "gone");
	assert_api("GET", "/readyz", NULL, 503, NULL);
	health_reset();
	assert_api("GET", "/metrics", NULL, 404, NULL); /* on the admin address only */
	answer = client_request(address, "GET /livez HTTP/1.1\r\nX-Request-Id: my.id-1\r\n", NULL);
	assert_non_null(strstr(answer, "X-Request-Id: my.id-1\r\n"));
	mem_free(answer);
	answer = client_request(address, "GET /livez HTTP/1.1\r\nX-Request-Id: my id\r\n", NULL);
	assert_null(strstr(answer, "my id"));
	mem_free(answer);
}

static void the_page_and_its_sign_in(void **state)
{
	char *answer = client_request(address, "GET / HTTP/1.1\r\n", NULL);
	char *etag = strstr(answer, "ETag: ");
	char *again =
		mem_printf("GET / HTTP/1.1\r\nIf-None-Match: %.34s\r\n", etag ? etag + 6 : "");

	(void)state;
	assert_int_equal(status_of(answer), 200);
	assert_non_null(strstr(answer, "require-trusted-types-for 'script'"));
	assert_non_null(strstr(answer, "<!doctype html>"));
	mem_free(answer);
	answer = client_request(address, again, NULL);
	assert_int_equal(status_of(answer), 304);
	mem_free(answer);
	mem_free(again);
	assert_api("GET", "/app.js", NULL, 200, "text/javascript");
	assert_api("GET", "/nope.js", NULL, 404, NULL);
	assert_api("POST", "/api/v1/demo/login", "{\"tenant\":\"vesper\",\"role\":\"viewer\"}", 200,
		   "\"token\"");
	assert_api("POST", "/api/v1/demo/login", "{\"tenant\":\"nope\",\"role\":\"viewer\"}", 422,
		   "tenant");
	assert_api("POST", "/api/v1/demo/login", "{\"tenant\":\"vesper\",\"role\":\"king\"}", 422,
		   "role");
}

static void a_client_that_leaves_ends_its_request(void **state)
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
		client_say(fds[i], head);
	}
	usleep(100000);
	for (int i = 0; i < 20; i++)
		close(fds[i]);
	assert_api("GET", "/livez", NULL, 200, NULL);
	mem_free(head);
}

#define LIVE(test)  cmocka_unit_test_setup_teardown(test, setup, teardown)
#define TIMED(test) cmocka_unit_test_setup_teardown(test, setup, teardown_clock)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(first_bytes_decide_however_slowly_they_come),
		LIVE(a_frame_right_behind_the_handshake_is_not_lost),
		LIVE(refusals_are_http_without_an_origin_and_codes_with_one),
		LIVE(foreign_origins_are_closed),
		LIVE(only_the_protocol_is_answered_never_the_token),
		LIVE(a_ticket_opens_once),
		LIVE(the_first_frame_may_say_who_it_is),
		LIVE(sockets_without_a_user_are_bounded_in_number_and_time),
		LIVE(a_head_must_come_in_time),
		LIVE(half_a_prefix_and_a_hangup_end_at_once),
		LIVE(heads_have_a_size),
		LIVE(an_upgrade_on_a_kept_connection_is_sent_away),
		LIVE(without_descriptors_nothing_spins_or_hangs),
		LIVE(says_what_is_wrong_with_a_frame),
		LIVE(an_announced_session_may_be_used_at_once),
		LIVE(some_frames_end_the_socket),
		LIVE(a_turn_resumes_from_any_frame),
		LIVE(one_turn_a_session_and_cancel),
		LIVE(a_choked_socket_gets_merged_tokens_and_loses_none),
		LIVE(leaving_cancels_and_losing_does_not),
		LIVE(echoes),
		LIVE(draining_says_restart),
		TIMED(a_message_must_be_whole_in_time),
		TIMED(silence_is_asked_and_then_left),
		TIMED(a_token_runs_out_during_the_session),
		TIMED(a_reader_that_stopped_is_left),
		TIMED(an_event_stream_is_kept_alive),
		TIMED(a_body_must_be_whole_in_time),
		LIVE(answers_collected),
		LIVE(refuses_bad_requests),
		LIVE(lists_pages),
		LIVE(streams_events_and_takes_them_up_again),
		LIVE(probes_and_headers),
		LIVE(the_page_and_its_sign_in),
		LIVE(a_client_that_leaves_ends_its_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
