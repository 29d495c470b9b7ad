/* Servers that are not Redis, or are faulty: whatever they send, every read misses, the process
 * continues, and its memory stays small. */
#include "cache_test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/log.h"
#include "vesper/metric.h"

/* A server on the loop under test, for one connection at a time. It sends a greeting, then replies
 * to each read with the same bytes. */
static struct fake_server {
	int listener, conn, port;
	struct fd_watch *accepting, *reading;
	int accepted, reads;
	const char *greeting; /* reply to the first read of a connection */
	const char *reply;    /* reply to every other read; NULL: none */
	size_t reply_len;
	size_t repeat; /* number of times that the reply is sent */
	bool hang_up;  /* closes the connection after the reply */
} fake_server;

static void hang_up(void)
{
	if (fake_server.conn < 0)
		return;
	fd_watch_free(&fake_server.reading);
	close(fake_server.conn);
	fake_server.conn = -1;
}

/* Bytes that do not fit the socket's buffer are dropped, as the client runs on this thread. */
static void send_bytes(const char *bytes, size_t len)
{
	if (send(fake_server.conn, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		errno = 0;
}

static void on_readable(void *owner, int fd, int events)
{
	char block[65536];
	ssize_t n = recv(fd, block, sizeof(block), MSG_DONTWAIT);

	(void)owner;
	(void)events;
	if (n == 0 || (n < 0 && errno != EAGAIN)) {
		hang_up();
		return;
	}
	if (n < 0)
		return;
	if (fake_server.reads++ == 0) {
		send_bytes(fake_server.greeting, strlen(fake_server.greeting));
		return;
	}
	for (size_t i = 0; fake_server.reply && i < fake_server.repeat; i++)
		send_bytes(fake_server.reply, fake_server.reply_len);
	if (fake_server.hang_up)
		hang_up();
}

static void on_accept(void *owner, int fd, int events)
{
	int conn = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)owner;
	(void)events;
	if (conn < 0)
		return;
	hang_up();
	fake_server.conn = conn;
	fake_server.reads = 0;
	fake_server.accepted++;
	fake_server.reading = fd_watch_new(loop, conn, on_readable, NULL);
	fd_watch_set(fake_server.reading, FD_READ);
}

static void fake_server_open(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);

	fake_server = (struct fake_server){.conn = -1, .repeat = 1, .greeting = "+PONG\r\n"};
	fake_server.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (bind(fake_server.listener, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fake_server.listener, 16) != 0)
		fail_msg("no listener");
	getsockname(fake_server.listener, (struct sockaddr *)&at, &len);
	fake_server.port = ntohs(at.sin_port);
	fake_server.accepting = fd_watch_new(loop, fake_server.listener, on_accept, NULL);
	fd_watch_set(fake_server.accepting, FD_READ);
}

static void ignore_log(void *owner, const char *text)
{
	(void)owner;
	(void)text;
}

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	log_capture(ignore_log, NULL);
	assert_true(loop_new(&loop, &e));
	fake_server_open();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cache_free(&cache);
	hang_up();
	fd_watch_free(&fake_server.accepting);
	close(fake_server.listener);
	loop_free(&loop);
	health_reset();
	metric_reset();
	log_capture(NULL, NULL);
	return 0;
}

static void advance_time(int64_t ms)
{
	for (int64_t end_ms = clock_mono_ms() + ms; clock_mono_ms() < end_ms; usleep(300))
		loop_run_once(loop);
}

static void open_with_wait_budget(int64_t timeout_ms)
{
	char url[64];
	struct cache_redis_options o = {.url = url, .timeout_ms = timeout_ms};
	struct err e = {0};

	snprintf(url, sizeof(url), "redis://127.0.0.1:%d", fake_server.port);
	if (!cache_redis_new(loop, &o, &cache, &e))
		fail_msg("%s", e.text);
}

static void open_cache(void)
{
	open_with_wait_budget(REDIS_WAIT_BUDGET_MS);
}

static void on_check(void *owner, const char *check, enum health_state state, const char *note)
{
	(void)check;
	(void)note;
	*(bool *)owner = state == HEALTH_OK;
}

static bool is_up(void)
{
	bool up = false;

	health_each(on_check, &up);
	return up;
}

static void wait_until_up(void)
{
	for (int i = 0; !is_up(); i++) {
		if (i == 20000)
			fail_msg("the connection is not up");
		loop_run_once(loop);
		usleep(300);
	}
}

/* Runs all operations twice on one connection; each must end. */
static void run_all_operations(void)
{
	for (int round = 0; round < 2; round++) {
		answers = 0;
		found = locked = false;
		cache_get(cache, key("acme", "a"), on_value, NULL);
		cache_set(cache, key("acme", "a"), "1", 1, 1000);
		struct op *op = cache_get(cache, key("acme", "b"), on_value, NULL);
		cache_remove(cache, key("acme", "a"));
		cache_unlock(cache, key("acme", "a"), "t");
		cache_get(cache, key("acme", "c"), on_value, NULL);
		op_cancel(&op);
		wait_for(2);
		assert_false(found);
	}
}

#define REPLY(text)                                                                                \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

static void invalid_replies_miss(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} replies[] = {
		REPLY("garbage\r\n"),
		REPLY("\0\0\0\0\0\0\0\0"),
		REPLY("HTTP/1.1 400 Bad Request\r\n\r\n"),
		REPLY("+OK\r\n"),
		REPLY(":1\r\n"),
		REPLY(":99999999999999999999999999\r\n"),
		REPLY("$-1\r\n"),
		REPLY("$-2\r\n"),
		REPLY("$0\r\n\r\n"),
		REPLY("$5\r\nvalue\r\n"),
		REPLY("$5\r\nvalu"),
		REPLY("$24\r\nvc1:0123456789abcdefsome\r\n"),
		REPLY("$48\r\nvc2:01234567"
		      "0123456789abcdef0123456789abcdefsome\r\n"),
		REPLY("$9223372036854775807\r\n"),
		REPLY("$99999999999999999999999\r\nx"),
		REPLY("$4294967295\r\nx"),
		REPLY("*-1\r\n"),
		REPLY("*0\r\n"),
		REPLY("*1\r\n$1\r\nx\r\n"),
		REPLY("*2147483647\r\n"),
		REPLY("*4294967297\r\n"),
		REPLY("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"),
		REPLY("-ERR no\r\n"),
		REPLY("-LOADING Redis is loading the dataset in memory\r\n"),
		REPLY("-\r\n"),
		REPLY("+\r\n"),
		REPLY("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n"),
		REPLY("%1\r\n+a\r\n+b\r\n"),
		REPLY(">2\r\n+a\r\n+b\r\n"),
		REPLY("$1\r\nx\r\n$1\r\nx\r\n$1\r\nx\r\n$1\r\nx\r\n$1\r\nx\r\n$1\r\nx\r\n$"
		      "1\r\nx\r\n"),
		REPLY("$-1\r\n+OK\r\n$-1\r\n:1\r\n:1\r\n$-1\r\n-ERR one too many\r\n"),
		REPLY("$-1\r\n+OK\r\n$-1\r\n:1\r\n:1\r\n$-1\r\n+OK one too many\r\n"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
		open_cache();
		wait_until_up();
		fake_server.reply = replies[i].text;
		fake_server.reply_len = replies[i].len;
		run_all_operations();
		fake_server.hang_up = true; /* the same with a closed connection */
		wait_until_up();
		run_all_operations();
		fake_server.hang_up = false;
		cache_free(&cache);
	}
}

static void lock_requires_reply_one(void **state)
{
	static const char *const replies[] = {"+OK\r\n",     ":0\r\n",  ":2\r\n",
					      "$1\r\n1\r\n", "$-1\r\n", "-ERR no\r\n",
					      "*1\r\n:1\r\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
		open_cache();
		wait_until_up();
		fake_server.reply = replies[i];
		fake_server.reply_len = strlen(replies[i]);
		assert_false(lock("a", "t", 1000));
		cache_free(&cache);
	}
}

/* A reply that no bucket can give is an error: each replica then counts separately. */
static void bucket_reply_outside_limits_is_rejected(void **state)
{
	static const char *const replies[] = {"1 99999 1000",
					      "1 3000 5001",
					      "1 99999999999999999999999999 1",
					      "1 -1 1",
					      "2 1000 1000",
					      "-1 1000 1000",
					      "1 nan nan",
					      "1 inf 1",
					      "1 1000",
					      "1 1000 1000 1000",
					      "1 1000 1000x",
					      "1",
					      ""};
	const struct cache_bucket buckets[] = {{key("acme", "u"), 3}, {key("acme", "t"), 5}};
	char reply[80];

	(void)state;
	for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
		open_cache();
		wait_until_up();
		fake_server.reply_len = (size_t)snprintf(reply, sizeof(reply), "$%zu\r\n%s\r\n",
							 strlen(replies[i]), replies[i]);
		fake_server.reply = reply;
		answers = 0;
		bucket_state.counted = true;
		cache_consume(cache, buckets, 2, 60000, on_consumed, NULL);
		wait_for(1);
		assert_false(bucket_state.counted);
		cache_free(&cache);
	}
	fake_server.reply = "$11\r\n1 3000 5000\r\n"; /* a valid reply */
	fake_server.reply_len = strlen(fake_server.reply);
	open_cache();
	wait_until_up();
	assert_true(consume("u", 3, "t", 5));
}

/* Without the glue, hiredis would end the process at the first of these. */
static void unrequested_reply_ends_the_connection(void **state)
{
	static const char *const stray[] = {"+OK\r\n", ":1\r\n",       "$1\r\nx\r\n",
					    "$-1\r\n", "*1\r\n:1\r\n", "-ERR too many clients\r\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(stray) / sizeof(stray[0]); i++) {
		open_cache();
		wait_until_up();
		send_bytes(stray[i], strlen(stray[i]));
		for (int k = 0; is_up(); k++) {
			assert_true(k < 20000);
			loop_run_once(loop);
			usleep(300);
		}
		assert_false(get("acme", "a"));
		cache_free(&cache);
	}
}

static void invalid_greeting_ends_the_connection(void **state)
{
	static const char *const greetings[] = {
		"",
		"+OK\r\n",
		"-NOAUTH Authentication required.\r\n",
		"$4\r\nPONG\r\n",
		"+PONG\r\n+PONG\r\n",
		"SSH-2.0-OpenSSH_9.2\r\n",
		"*2147483647\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(greetings) / sizeof(greetings[0]); i++) {
		fake_server.accepted = 0;
		fake_server.greeting = greetings[i];
		open_cache();
		for (int k = 0; fake_server.accepted < 2;
		     k++) { /* connected, dropped and connected again */
			assert_true(k < 60000);
			if (!*fake_server.greeting && k > 0) {
				assert_false(
					get("acme", "a")); /* no call waits for the connection */
				advance_time(1);
			} else {
				loop_run_once(loop);
				usleep(300);
			}
		}
		cache_free(&cache);
	}
}

/* A value of a gigabyte, as announced by its length. */
static void endless_reply_is_not_stored(void **state)
{
	static char block[65536];
	struct rusage before, after;

	(void)state;
	memset(block, 'x', sizeof(block));
	open_cache();
	wait_until_up();
	fake_server.reply = "$1000000000\r\n";
	fake_server.reply_len = strlen(fake_server.reply);
	answers = 0;
	found = true;
	cache_get(cache, key("acme", "a"), on_value, NULL);
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; answers == 0; i++) {
		assert_true(i < 100000);
		loop_run_once(loop);
		if (fake_server.conn >= 0 && fake_server.reads > 1)
			send_bytes(block, sizeof(block));
	}
	getrusage(RUSAGE_SELF, &after);
	assert_false(found);
	assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
}

/* Each reply arrives within the wait budget, but together they use it up. */
static void slow_server_is_disconnected(void **state)
{
	int waited = 0;

	(void)state;
	open_cache();
	wait_until_up();
	for (int i = 0; i < 100 && is_up(); i++) {
		answers = 0;
		cache_get(cache, key("acme", "a"), on_value, NULL);
		advance_time(REDIS_WAIT_BUDGET_MS / 4);
		if (answers == 0)
			send_bytes("$-1\r\n", 5);
		wait_for(1);
		waited++;
	}
	assert_false(is_up());
	assert_in_range(waited, 1, 6);
	answers = 0;
	cache_get(cache, key("acme", "a"), on_value, NULL);
	loop_run_once(loop);
	assert_int_equal(answers, 1);
}

/* The server reads nothing: pending commands are limited, and further ones miss at once. */
static void pending_commands_are_limited(void **state)
{
	int immediate_count;

	(void)state;
	open_with_wait_budget(
		REDIS_WAIT_BUDGET_MAX_MS); /* a busy machine must not look like a silent server */
	wait_until_up();
	fd_watch_set(fake_server.reading, 0);
	answers = 0;
	found = true;
	for (int i = 0; i < REDIS_UNANSWERED_MAX; i++)
		cache_get(cache, key("acme", "a"), on_value, NULL);
	loop_run_once(loop);
	immediate_count = answers;
	assert_int_equal(immediate_count, 0);
	for (int i = 0; i < 10; i++)
		cache_get(cache, key("acme", "a"), on_value, NULL);
	loop_run_once(loop);
	assert_in_range(answers, 10, REDIS_UNANSWERED_MAX + 10);
	wait_for(REDIS_UNANSWERED_MAX + 10);
	assert_false(found);
}

static void pending_bytes_are_limited(void **state)
{
	static char value[CACHE_VALUE_BYTES_MAX];
	const char *away = "vesper_redis_commands_total{command=\"set\",outcome=\"away\"}";
	int64_t before = metric_get(away);

	(void)state;
	open_with_wait_budget(REDIS_WAIT_BUDGET_MAX_MS);
	wait_until_up();
	for (int i = 0; i < 20; i++)
		cache_set(cache, key("acme", "a"), value, sizeof(value), 1000);
	assert_in_range(metric_get(away) - before, 4, 6);
}

/* An idle connection is pinged, so that an outage is detected before a turn uses it. */
static void idle_connection_is_pinged(void **state)
{
	(void)state;
	open_cache();
	wait_until_up();
	for (int i = 0; is_up(); i++) { /* the server does not reply to the ping */
		assert_true(i < 60000);
		loop_run_once(loop);
		usleep(500);
	}
	assert_int_equal(fake_server.accepted, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(invalid_replies_miss),
		TEST(lock_requires_reply_one),
		TEST(bucket_reply_outside_limits_is_rejected),
		TEST(unrequested_reply_ends_the_connection),
		TEST(invalid_greeting_ends_the_connection),
		TEST(endless_reply_is_not_stored),
		TEST(slow_server_is_disconnected),
		TEST(pending_commands_are_limited),
		TEST(pending_bytes_are_limited),
		TEST(idle_connection_is_pinged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
