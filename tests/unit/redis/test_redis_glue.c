/* Replies with arrays arrive unchanged up to the limits. Beyond them the connection ends, the
 * caller gets no reply, and nothing is allocated for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/metric.h"
#include "vesper/redis.h"

#define WAIT_MS 20000

static struct loop *loop;
static struct redis_link *link_;
static struct redis_address place;
static struct fd_watch *accepting, *reading;
static int listener, conn = -1;
static bool greeted;
static struct buf server_reply; /* the server's reply to the next command */
static size_t sent_bytes;

static void send_more(void)
{
	ssize_t n = send(conn, server_reply.p + sent_bytes, server_reply.n - sent_bytes,
			 MSG_NOSIGNAL | MSG_DONTWAIT);

	sent_bytes += n > 0 ? (size_t)n : 0;
	fd_watch_set(reading, sent_bytes < server_reply.n ? FD_READ | FD_WRITE : FD_READ);
}

static void on_socket(void *owner, int fd, int events)
{
	char block[4096];
	ssize_t n;

	(void)owner;
	if (events & FD_WRITE)
		send_more();
	n = recv(fd, block, sizeof(block), MSG_DONTWAIT);
	if (n == 0) {
		fd_watch_free(&reading);
		close(fd);
		conn = -1;
	} else if (n > 0 && !greeted) {
		greeted = send(fd, "+PONG\r\n", 7, MSG_NOSIGNAL) == 7;
	} else if (n > 0) {
		sent_bytes = 0;
		send_more();
	}
}

static void on_accept(void *owner, int fd, int events)
{
	(void)owner;
	(void)events;
	greeted = false;
	conn = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	reading = fd_watch_new(loop, conn, on_socket, NULL);
	fd_watch_set(reading, FD_READ);
}

static void ignore_log(void *owner, const char *text)
{
	(void)owner;
	(void)text;
}

static int set_up(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	struct err e = {0};

	(void)state;
	log_capture(ignore_log, NULL);
	assert_true(loop_new(&loop, &e));
	buf_init(&server_reply, SIZE_MAX / 2);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(listener, 1), 0);
	getsockname(listener, (struct sockaddr *)&at, &len);
	accepting = fd_watch_new(loop, listener, on_accept, NULL);
	fd_watch_set(accepting, FD_READ);
	place = (struct redis_address){
		.host = "127.0.0.1", .port = ntohs(at.sin_port), .shown = "127.0.0.1"};
	link_ = redis_link_new(loop, &place,
			       &(struct redis_link_options){.wait_budget_ms = WAIT_MS});
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	redis_link_free(&link_);
	fd_watch_free(&reading);
	if (conn >= 0)
		close(conn);
	conn = -1;
	fd_watch_free(&accepting);
	close(listener);
	loop_free(&loop);
	buf_deinit(&server_reply);
	health_reset();
	metric_reset();
	log_capture(NULL, NULL);
	return 0;
}

/* "[a [1 nil] []]" */
static void write_reply(struct buf *out, const redisReply *r)
{
	if (r->type == REDIS_REPLY_ARRAY) {
		buf_char(out, '[');
		for (size_t i = 0; i < r->elements; i++) {
			buf_str(out, i ? " " : "");
			write_reply(out, r->element[i]);
		}
		buf_char(out, ']');
	} else if (r->type == REDIS_REPLY_INTEGER) {
		buf_printf(out, "%lld", r->integer);
	} else if (r->type == REDIS_REPLY_NIL) {
		buf_str(out, "nil");
	} else {
		buf_add(out, r->str, (size_t)r->len);
	}
}

struct pending {
	bool done, has_reply;
	struct buf text;
};

static void on_reply(void *owner, const redisReply *reply)
{
	struct pending *h = owner;

	h->done = true;
	h->has_reply = reply != NULL;
	if (reply)
		write_reply(&h->text, reply);
}

/* Sends a command once the link is up. False: the connection ended instead. */
static bool send_command(struct buf *text)
{
	struct str command = STR("XREAD");
	struct pending h = {0};
	bool sent = false;

	buf_init(&h.text, SIZE_MAX / 2);
	for (int64_t end_ms = clock_mono_ms() + WAIT_MS; !h.done; usleep(100)) {
		if (clock_mono_ms() > end_ms)
			fail_msg("no server_reply");
		sent = sent || redis_link_send(link_, 1, &command, on_reply, &h);
		loop_run_once(loop);
	}
	*text = h.text;
	return h.has_reply;
}

static void set_reply(const char *reply)
{
	buf_reset(&server_reply);
	buf_str(&server_reply, reply);
}

static void expect_reply(const char *want)
{
	struct buf text;

	assert_true(send_command(&text));
	assert_string_equal(buf_text(&text), want);
	buf_deinit(&text);
}

static void expect_no_reply(void)
{
	struct buf text;

	assert_false(send_command(&text));
	buf_deinit(&text);
}

static void arrays_arrive_unchanged(void **state)
{
	(void)state;
	set_reply("*0\r\n");
	expect_reply("[]");
	set_reply("*3\r\n$1\r\na\r\n*2\r\n:1\r\n$-1\r\n*0\r\n");
	expect_reply("[a [1 nil] []]");
	set_reply("*1\r\n*2\r\n$4\r\nv:s:\r\n*1\r\n*2\r\n$3\r\n7-1\r\n*4\r\n$1\r\nn\r\n$1\r\n9\r\n"
		  "$1\r\nb\r\n$2\r\n\r\n\r\n");
	expect_reply("[[v:s: [[7-1 [n 9 b \r\n]]]]]");
	set_reply("*-1\r\n");
	expect_reply("nil");
}

static void set_nested_reply(int count)
{
	buf_reset(&server_reply);
	for (int i = 0; i < count; i++)
		buf_str(&server_reply, "*1\r\n");
	buf_str(&server_reply, ":7\r\n");
}

static void deeper_arrays_end_the_connection(void **state)
{
	(void)state;
	set_nested_reply(REDIS_REPLY_LEVELS_MAX);
	expect_reply("[[[[[7]]]]]");
	set_nested_reply(REDIS_REPLY_LEVELS_MAX + 1);
	expect_no_reply();
	set_reply("+back\r\n");
	expect_reply("back");
}

/* An array of two arrays, whose elements are counted together. */
static void set_array_reply(int count)
{
	buf_reset(&server_reply);
	buf_printf(&server_reply, "*2\r\n*%d\r\n", count / 2 - 2);
	for (int i = 0; i < count / 2 - 2; i++)
		buf_str(&server_reply, ":1\r\n");
	buf_printf(&server_reply, "*%d\r\n", count - count / 2);
	for (int i = 0; i < count - count / 2; i++)
		buf_str(&server_reply, ":1\r\n");
}

static void more_elements_end_the_connection(void **state)
{
	struct buf text;

	(void)state;
	set_array_reply(REDIS_REPLY_ELEMENTS_MAX);
	assert_true(send_command(&text));
	buf_deinit(&text);
	set_array_reply(REDIS_REPLY_ELEMENTS_MAX + 1);
	expect_no_reply();
	set_reply("*2147483647\r\n");
	expect_no_reply();
	set_reply("*-2\r\n");
	expect_no_reply();
	set_reply("*1\r\n:1\r\n");
	expect_reply("[1]");
}

static void set_text_reply(size_t bytes)
{
	buf_reset(&server_reply);
	buf_str(&server_reply, "*4\r\n");
	for (int i = 0; i < 4; i++) {
		buf_printf(&server_reply, "$%zu\r\n", bytes / 4);
		for (size_t n = 0; n < bytes / 4; n++)
			buf_char(&server_reply, 'x');
		buf_str(&server_reply, "\r\n");
	}
}

static void more_text_in_total_ends_the_connection(void **state)
{
	struct buf text;

	(void)state;
	set_text_reply(REDIS_REPLY_BYTES_MAX);
	assert_true(send_command(&text));
	assert_int_equal(text.n, REDIS_REPLY_BYTES_MAX + strlen("[   ]"));
	buf_deinit(&text);
	set_text_reply(REDIS_REPLY_BYTES_MAX + 4);
	expect_no_reply();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arrays_arrive_unchanged),
		TEST(deeper_arrays_end_the_connection),
		TEST(more_elements_end_the_connection),
		TEST(more_text_in_total_ends_the_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
