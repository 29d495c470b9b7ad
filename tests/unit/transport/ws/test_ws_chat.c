/* Frames on an open socket, and clients that stop reading or sending. */
#include "port.h"

static void describes_invalid_frames(void **state)
{
	int fd = ws_open();

	(void)state;
	ws_send_text(fd, "{bad");
	assert_next(fd, "chat.error", "bad_frame");
	ws_send_text(fd, "{\"type\":\"chat.dance\"}");
	assert_next(fd, "chat.error", "unknown_type");
	ws_send_text(fd, "{\"type\":\"chat.message\"}");
	assert_next(fd, "chat.error", "bad_frame");
	ws_send_text(fd, "{\"type\":\"resume\",\"turn_id\":\"" TURN "\",\"last_seq\":0}");
	assert_next(fd, "chat.error", "expired");
	ws_send_text(fd, "{\"type\":\"chat.cancel\"}");
	assert_next(fd, "chat.error", "not_found");
	ws_send_text(fd,
		     "{\"type\":\"chat.message\",\"content\":\"x\",\"session_id\":\"" TURN "\"}");
	assert_next(fd, "chat.error", "not_found");
	ws_send_text(fd, "{\"type\":\"ping\",\"t\":\"still here\"}");
	assert_next(fd, "pong", NULL);
	close(fd);
}

static void announced_session_is_usable_immediately(void **state)
{
	static const char *const permissions[] = {"chat:use"};
	char *bob = stub_token("bob", permissions, 1, 3600);
	char *auth = bearer(ann);
	char *foreign = bearer(bob);
	char *head;
	int fd = ws_try("", auth, &head);
	json_t *ready = ws_read_json(fd);
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

static void some_invalid_frames_close_the_socket(void **state)
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

static void read_turn(int fd, int64_t from, int64_t to)
{
	for (int64_t seq = from; seq <= to; seq++) {
		json_t *frame = ws_read_json(fd);

		assert_int_equal(seq_of(frame), seq);
		json_decref(frame);
	}
}

static void turn_resumes_from_any_frame(void **state)
{
	char turn_id[UUID_BYTES];
	int fd = ws_open();

	(void)state;
	begin(fd, "tokens 5", turn_id);
	read_turn(fd, 3, 7);
	close(fd);
	for (int last = 0; last <= 7; last++) {
		char *resume = mem_printf(
			"{\"type\":\"resume\",\"turn_id\":\"%s\",\"last_seq\":%d}", turn_id, last);

		fd = ws_open();
		ws_send_text(fd, resume);
		read_turn(fd, last + 1, 7);
		ws_send_text(fd, "{\"type\":\"ping\"}");
		assert_next(fd, "pong", NULL);
		mem_free(resume);
		close(fd);
	}
}

static void session_runs_one_turn_until_it_is_cancelled(void **state)
{
	char turn_id[UUID_BYTES];
	int fd = ws_open();
	json_t *frame;

	(void)state;
	begin(fd, "hang", turn_id);
	ws_send_text(fd, "{\"type\":\"chat.message\",\"content\":\"me too\"}");
	assert_next(fd, "chat.error", "busy");
	ws_send_text(fd, "{\"type\":\"chat.cancel\"}");
	frame = ws_read_json(fd);
	assert_string_equal(member(frame, "status"), "cancelled");
	json_decref(frame);
	begin(fd, "again", turn_id);
	close(fd);
}

static void slow_reader_gets_merged_tokens_without_loss(void **state)
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
	client_send_text(fd, request);
	head = client_read_head(fd);
	assert_next(fd, "session.ready", NULL);
	ws_send_text(fd, "{\"type\":\"chat.message\",\"content\":\"tokens 12000 300\"}");
	usleep(300000); /* by now all tokens are in the log, and most wait to be sent */
	while (!ended) {
		json_t *frame = ws_read_json(fd);
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

static void pauses_reading_from_clients_that_do_not_read(void **state)
{
	enum { PINGS = 90000 };
	static const char ping[] = "\x81\xef\0\0\0\0{\"type\":\"ping\",\"t\":\""
				   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
				   "aaaaaaaaaaaaaaaaaaaaaaaaaa\"}";
	const size_t frame = sizeof(ping) - 1;
	const size_t total = PINGS * frame;
	char *all = mem_alloc(total);
	size_t sent = 0;
	size_t blocked_at = 0;
	const int small = 65536;
	int fd = ws_open();

	(void)state;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	assert_int_equal(frame, 6 + 0x6f);
	for (size_t i = 0; i < PINGS; i++)
		memcpy(all + i * frame, ping, frame);
	for (int idle = 0; idle < 10 && sent < total;) {
		ssize_t n = send(fd, all + sent, total - sent, MSG_DONTWAIT | MSG_NOSIGNAL);

		idle = n > 0 ? 0 : idle + 1;
		sent += n > 0 ? (size_t)n : 0;
		usleep(n > 0 ? 0 : 50000);
	}
	blocked_at = sent;
	assert_true(blocked_at < total);
	for (size_t pongs = 0; pongs < PINGS; pongs++) {
		ssize_t n = sent < total ? send(fd, all + sent, total - sent,
						MSG_DONTWAIT | MSG_NOSIGNAL)
					 : 0;
		size_t len;
		char *pong;
		int op;

		sent += n > 0 ? (size_t)n : 0;
		pong = ws_read(fd, &op, &len);
		assert_int_equal(op, OP_TEXT);
		mem_free(pong);
	}
	assert_int_equal(sent, total);
	mem_free(all);
	close(fd);
}

static void assert_status(const char *turn_id, const char *expected, bool is_expected)
{
	char *path = mem_printf("/api/v1/turns/%s/events?after=2", turn_id);
	char *head = mem_printf("GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
				path, ann);
	int fd = client_open(address);
	char text[4096] = "";
	ssize_t n;

	client_send_text(fd, head);
	usleep(200000);
	n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);
	assert_true(n > 0);
	assert_int_equal(strstr(text, expected) != NULL, is_expected);
	mem_free(head);
	mem_free(path);
	close(fd);
}

static void normal_close_cancels_but_lost_connection_does_not(void **state)
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

static void echoes_messages(void **state)
{
	int fd = client_open(address);
	char *head;
	char *back;
	size_t len;
	int op;

	(void)state;
	client_send_text(fd, "GET /ws/echo HTTP/1.1\r\nHost: x\r\n" WS_KEY "\r\n");
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

static void message_must_be_complete_in_time(void **state)
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
	ws_send_text(whole, "{\"type\":\"ping\"}");
	assert_next(whole, "pong", NULL);
	advance(2);
	assert_int_equal(ws_close_code(small), 1008);
	assert_int_equal(ws_close_code(large), 1008);
	assert_int_equal(ws_close_code(fragmented), 1008);
	ws_send_text(whole, "{\"type\":\"ping\"}");
	assert_next(whole, "pong", NULL);
	close(whole);
}

static void silent_peer_is_pinged_then_closed(void **state)
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
	ws_send_text(alive, "{\"type\":\"ping\"}");
	assert_next(alive, "pong", NULL);
	close(alive);
}

static void assert_alive(int fd)
{
	ws_send_text(fd, "{\"type\":\"ping\"}");
	assert_next(fd, "pong", NULL);
}

static void token_expires_during_the_session(void **state)
{
	static const char *const permissions[] = {"chat:use"};
	char *short_lived = stub_token("ann", permissions, 1, (AUTH_WARN_MS + 10000) / 1000);
	int renewed = open_without_token();
	int fd = open_without_token();

	(void)state;
	send_token(fd, short_lived);
	send_token(renewed, short_lived);
	assert_next(fd, "session.ready", NULL);
	assert_next(renewed, "session.ready", NULL);
	freeze();
	advance(11000);
	assert_next(fd, "auth.expiring", NULL);
	assert_next(renewed, "auth.expiring", NULL);
	send_token(renewed, ann);
	assert_alive(fd);
	assert_alive(renewed);
	advance(PING_EVERY_MS + 10000);
	assert_alive(fd);
	assert_alive(renewed);
	advance(PING_EVERY_MS + 2000);
	assert_int_equal(ws_close_code(fd), 4401);
	assert_alive(renewed);
	close(renewed);
	mem_free(short_lived);
}

static void blocked_reader_is_disconnected(void **state)
{
	char turn_id[UUID_BYTES];
	int fd = ws_open();

	(void)state;
	begin(fd, "tokens 15000 500", turn_id);
	freeze();
	advance(SEND_BLOCKED_MS);
	advance(CLOSE_WAIT_MS);
	ws_close_code(fd); /* the frames already sent, then the end */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(describes_invalid_frames),
		LIVE(announced_session_is_usable_immediately),
		LIVE(some_invalid_frames_close_the_socket),
		LIVE(turn_resumes_from_any_frame),
		LIVE(session_runs_one_turn_until_it_is_cancelled),
		LIVE(slow_reader_gets_merged_tokens_without_loss),
		LIVE(pauses_reading_from_clients_that_do_not_read),
		LIVE(normal_close_cancels_but_lost_connection_does_not),
		LIVE(echoes_messages),
		TIMED(message_must_be_complete_in_time),
		TIMED(silent_peer_is_pinged_then_closed),
		TIMED(token_expires_during_the_session),
		TIMED(blocked_reader_is_disconnected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
