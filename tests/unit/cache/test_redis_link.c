/* Servers that are no Redis, or a broken one: whatever they send, asking ends with a miss, the
 * process goes on, and its memory stays small. */
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

/* A server on the loop under test, for one connection at a time: greets, then answers each read
 * with the same bytes. */
static struct liar {
	int listener, conn, port;
	struct fd_watch *accepting, *reading;
	int accepted, reads;
	const char *greeting; /* the answer to the first read of a connection */
	const char *lie;      /* to every other; NULL: silence */
	size_t lie_len;
	size_t repeat; /* of the lie, at once */
	bool hang_up;  /* after the lie */
} liar;

static void hang_up(void)
{
	if (liar.conn < 0)
		return;
	fd_watch_free(&liar.reading);
	close(liar.conn);
	liar.conn = -1;
}

/* What does not fit into the socket is not sent: the other side is on this thread. */
static void say(const char *bytes, size_t len)
{
	if (send(liar.conn, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		errno = 0;
}

static void on_words(void *owner, int fd, int events)
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
	if (liar.reads++ == 0) {
		say(liar.greeting, strlen(liar.greeting));
		return;
	}
	for (size_t i = 0; liar.lie && i < liar.repeat; i++)
		say(liar.lie, liar.lie_len);
	if (liar.hang_up)
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
	liar.conn = conn;
	liar.reads = 0;
	liar.accepted++;
	liar.reading = fd_watch_new(loop, conn, on_words, NULL);
	fd_watch_set(liar.reading, FD_READ);
}

static void liar_open(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);

	liar = (struct liar){.conn = -1, .repeat = 1, .greeting = "+PONG\r\n"};
	liar.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (bind(liar.listener, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(liar.listener, 16) != 0)
		fail_msg("no listener");
	getsockname(liar.listener, (struct sockaddr *)&at, &len);
	liar.port = ntohs(at.sin_port);
	liar.accepting = fd_watch_new(loop, liar.listener, on_accept, NULL);
	fd_watch_set(liar.accepting, FD_READ);
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
	liar_open();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cache_free(&cache);
	hang_up();
	fd_watch_free(&liar.accepting);
	close(liar.listener);
	loop_free(&loop);
	health_reset();
	metric_reset();
	log_capture(NULL, NULL);
	return 0;
}

static void let_pass(int64_t ms)
{
	for (int64_t end_ms = clock_mono_ms() + ms; clock_mono_ms() < end_ms; usleep(300))
		loop_run_once(loop);
}

static void open_patient(int64_t timeout_ms)
{
	char url[64];
	struct cache_redis_options o = {.url = url, .timeout_ms = timeout_ms};
	struct err e = {0};

	snprintf(url, sizeof(url), "redis://127.0.0.1:%d", liar.port);
	if (!cache_redis_new(loop, &o, &cache, &e))
		fail_msg("%s", e.text);
}

static void open_cache(void)
{
	open_patient(REDIS_WAIT_BUDGET_MS);
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
			fail_msg("it is not up");
		loop_run_once(loop);
		usleep(300);
	}
}

/* Everything is asked, twice over one connection, and ends. */
static void ask_everything(void)
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

#define LIE(text)                                                                                  \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

static void no_lie_is_believed(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} lies[] = {
		LIE("garbage\r\n"),
		LIE("\0\0\0\0\0\0\0\0"),
		LIE("HTTP/1.1 400 Bad Request\r\n\r\n"),
		LIE("+OK\r\n"),
		LIE(":1\r\n"),
		LIE(":99999999999999999999999999\r\n"),
		LIE("$-1\r\n"),
		LIE("$-2\r\n"),
		LIE("$0\r\n\r\n"),
		LIE("$5\r\nvalue\r\n"),
		LIE("$5\r\nvalu"),
		LIE("$24\r\nvc1:0123456789abcdefsome\r\n"),
		LIE("$48\r\nvc2:01234567"
		    "0123456789abcdef0123456789abcdefsome\r\n"),
		LIE("$9223372036854775807\r\n"),
		LIE("$99999999999999999999999\r\nx"),
		LIE("$4294967295\r\nx"),
		LIE("*-1\r\n"),
		LIE("*0\r\n"),
		LIE("*1\r\n$1\r\nx\r\n"),
		LIE("*2147483647\r\n"),
		LIE("*4294967297\r\n"),
		LIE("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"),
		LIE("-ERR no\r\n"),
		LIE("-LOADING Redis is loading the dataset in memory\r\n"),
		LIE("-\r\n"),
		LIE("+\r\n"),
		LIE("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n"),
		LIE("%1\r\n+a\r\n+b\r\n"),
		LIE(">2\r\n+a\r\n+b\r\n"),
		LIE("$1\r\nx\r\n$1\r\nx\r\n$1\r\nx\r\n$1\r\nx\r\n$1\r\nx\r\n$1\r\nx\r\n$"
		    "1\r\nx\r\n"),
		LIE("$-1\r\n+OK\r\n$-1\r\n:1\r\n:1\r\n$-1\r\n-ERR one too many\r\n"),
		LIE("$-1\r\n+OK\r\n$-1\r\n:1\r\n:1\r\n$-1\r\n+OK one too many\r\n"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		open_cache();
		wait_until_up();
		liar.lie = lies[i].text;
		liar.lie_len = lies[i].len;
		ask_everything();
		liar.hang_up = true; /* and the same, cut off there */
		wait_until_up();
		ask_everything();
		liar.hang_up = false;
		cache_free(&cache);
	}
}

static void a_lock_is_only_given_by_a_one(void **state)
{
	static const char *const lies[] = {"+OK\r\n", ":0\r\n",      ":2\r\n",      "$1\r\n1\r\n",
					   "$-1\r\n", "-ERR no\r\n", "*1\r\n:1\r\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		open_cache();
		wait_until_up();
		liar.lie = lies[i];
		liar.lie_len = strlen(lies[i]);
		assert_false(lock("a", "t", 1000));
		cache_free(&cache);
	}
}

/* What no meter can say is no answer: each process then counts for itself. */
static void a_meter_is_only_read_within_its_limits(void **state)
{
	static const char *const lies[] = {"1 99999 1000",
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
	const struct cache_bucket meters[] = {{key("acme", "u"), 3}, {key("acme", "t"), 5}};
	char lie[80];

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		open_cache();
		wait_until_up();
		liar.lie_len = (size_t)snprintf(lie, sizeof(lie), "$%zu\r\n%s\r\n", strlen(lies[i]),
						lies[i]);
		liar.lie = lie;
		answers = 0;
		drawn.counted = true;
		cache_consume(cache, meters, 2, 60000, on_draw, NULL);
		wait_for(1);
		assert_false(drawn.counted);
		cache_free(&cache);
	}
	liar.lie = "$11\r\n1 3000 5000\r\n"; /* and the truth is believed */
	liar.lie_len = strlen(liar.lie);
	open_cache();
	wait_until_up();
	assert_true(draw("u", 3, "t", 5));
}

/* hiredis itself would end the process at the first of these. */
static void what_was_not_asked_for_ends_the_connection(void **state)
{
	static const char *const stray[] = {"+OK\r\n", ":1\r\n",       "$1\r\nx\r\n",
					    "$-1\r\n", "*1\r\n:1\r\n", "-ERR too many clients\r\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(stray) / sizeof(stray[0]); i++) {
		open_cache();
		wait_until_up();
		say(stray[i], strlen(stray[i]));
		for (int k = 0; is_up(); k++) {
			assert_true(k < 20000);
			loop_run_once(loop);
			usleep(300);
		}
		assert_false(get("acme", "a"));
		cache_free(&cache);
	}
}

static void a_greeting_must_be_right(void **state)
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
		liar.accepted = 0;
		liar.greeting = greetings[i];
		open_cache();
		for (int k = 0; liar.accepted < 2; k++) { /* it came, went, and comes again */
			assert_true(k < 60000);
			if (!*liar.greeting && k > 0) {
				assert_false(get("acme", "a")); /* nobody waits for it */
				let_pass(1);
			} else {
				loop_run_once(loop);
				usleep(300);
			}
		}
		cache_free(&cache);
	}
}

/* A value that never ends: the length is a lie, or the bytes are. */
static void a_reply_without_end_is_not_kept(void **state)
{
	static char block[65536];
	struct rusage before, after;

	(void)state;
	memset(block, 'x', sizeof(block));
	open_cache();
	wait_until_up();
	liar.lie = "$1000000000\r\n";
	liar.lie_len = strlen(liar.lie);
	answers = 0;
	found = true;
	cache_get(cache, key("acme", "a"), on_value, NULL);
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; answers == 0; i++) {
		assert_true(i < 100000);
		loop_run_once(loop);
		if (liar.conn >= 0 && liar.reads > 1)
			say(block, sizeof(block));
	}
	getrusage(RUSAGE_SELF, &after);
	assert_false(found);
	assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
}

/* Each answer comes just in time. All that waiting together has an end too. */
static void a_slow_server_is_left_alone(void **state)
{
	int waited = 0;

	(void)state;
	open_cache();
	wait_until_up();
	for (int i = 0; i < 100 && is_up(); i++) {
		answers = 0;
		cache_get(cache, key("acme", "a"), on_value, NULL);
		let_pass(REDIS_WAIT_BUDGET_MS / 4);
		if (answers == 0)
			say("$-1\r\n", 5);
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

/* A server that reads nothing: what is on its way is bounded, the rest misses at once. */
static void what_is_on_its_way_is_bounded(void **state)
{
	int at_once;

	(void)state;
	open_patient(REDIS_WAIT_BUDGET_MAX_MS); /* a busy machine is no silent server */
	wait_until_up();
	fd_watch_set(liar.reading, 0);
	answers = 0;
	found = true;
	for (int i = 0; i < REDIS_UNANSWERED_MAX; i++)
		cache_get(cache, key("acme", "a"), on_value, NULL);
	loop_run_once(loop);
	at_once = answers;
	assert_int_equal(at_once, 0);
	for (int i = 0; i < 10; i++)
		cache_get(cache, key("acme", "a"), on_value, NULL);
	loop_run_once(loop);
	assert_in_range(answers, 10, REDIS_UNANSWERED_MAX + 10);
	wait_for(REDIS_UNANSWERED_MAX + 10);
	assert_false(found);
}

static void bytes_on_their_way_are_bounded(void **state)
{
	static char value[CACHE_VALUE_BYTES_MAX];
	const char *away = "vesper_redis_commands_total{command=\"set\",outcome=\"away\"}";
	int64_t before = metric_get(away);

	(void)state;
	open_patient(REDIS_WAIT_BUDGET_MAX_MS);
	wait_until_up();
	for (int i = 0; i < 20; i++)
		cache_set(cache, key("acme", "a"), value, sizeof(value), 1000);
	assert_in_range(metric_get(away) - before, 4, 6);
}

/* An idle connection is tried, so that a server that went away is not found out by a turn. */
static void an_idle_connection_is_tried(void **state)
{
	(void)state;
	open_cache();
	wait_until_up();
	for (int i = 0; is_up(); i++) { /* the liar does not answer the ping */
		assert_true(i < 60000);
		loop_run_once(loop);
		usleep(500);
	}
	assert_int_equal(liar.accepted, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_lie_is_believed),
		TEST(a_lock_is_only_given_by_a_one),
		TEST(a_meter_is_only_read_within_its_limits),
		TEST(what_was_not_asked_for_ends_the_connection),
		TEST(a_greeting_must_be_right),
		TEST(a_reply_without_end_is_not_kept),
		TEST(a_slow_server_is_left_alone),
		TEST(what_is_on_its_way_is_bounded),
		TEST(bytes_on_their_way_are_bounded),
		TEST(an_idle_connection_is_tried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
