/* Descriptor watches on a socket pair: readiness, hang-up, errors, and freeing inside the callback.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vesper/loop.h"

struct probe {
	struct fd_watch *watch;
	int calls;
	int events; /* of all calls */
	bool free_it;
	bool drain;
};

static void on_ready(void *owner, int fd, int events)
{
	struct probe *p = owner;
	char junk[64];

	p->calls++;
	p->events |= events;
	if (p->drain)
		assert_true(read(fd, junk, sizeof(junk)) >= 0);
	if (p->free_it)
		fd_watch_free(&p->watch);
}

struct fixture {
	struct loop *loop;
	int fds[2];
	struct probe probe;
};

static int fixture_setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){0};
	assert_true(loop_new(&f.loop, NULL));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, f.fds), 0);
	f.probe.watch = fd_watch_new(f.loop, f.fds[0], on_ready, &f.probe);
	*state = &f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	fd_watch_free(&f->probe.watch);
	close(f->fds[0]);
	if (f->fds[1] >= 0)
		close(f->fds[1]);
	loop_free(&f->loop);
	return 0;
}

static void reports_only_what_is_ready(void **state)
{
	struct fixture *f = *state;

	loop_run_once(f->loop);
	assert_int_equal(f->probe.calls, 0); /* not set yet */
	fd_watch_set(f->probe.watch, FD_READ);
	loop_run_once(f->loop);
	assert_int_equal(f->probe.calls, 0);
	assert_int_equal(write(f->fds[1], "x", 1), 1);
	loop_run_once(f->loop);
	assert_int_equal(f->probe.events, FD_READ);
	f->probe.events = 0;
	fd_watch_set(f->probe.watch, FD_WRITE);
	loop_run_once(f->loop);
	assert_int_equal(f->probe.events, FD_WRITE);
	fd_watch_set(f->probe.watch, 0);
	f->probe.calls = 0;
	loop_run_once(f->loop);
	assert_int_equal(f->probe.calls, 0);
}

static void is_level_triggered(void **state)
{
	struct fixture *f = *state;

	fd_watch_set(f->probe.watch, FD_READ);
	assert_int_equal(write(f->fds[1], "x", 1), 1);
	loop_run_once(f->loop);
	loop_run_once(f->loop);
	assert_int_equal(f->probe.calls, 2);
	f->probe.drain = true;
	loop_run_once(f->loop);
	loop_run_once(f->loop);
	assert_int_equal(f->probe.calls, 3);
}

static void hangup_is_seen_without_reading(void **state)
{
	struct fixture *f = *state;

	fd_watch_set(f->probe.watch, FD_HANGUP);
	loop_run_once(f->loop);
	assert_int_equal(f->probe.calls, 0);
	close(f->fds[1]);
	f->fds[1] = -1;
	loop_run_once(f->loop);
	assert_true(f->probe.events & FD_HANGUP);
}

static void watch_may_be_freed_inside_its_callback(void **state)
{
	struct fixture *f = *state;

	f->probe.free_it = true;
	fd_watch_set(f->probe.watch, FD_READ | FD_WRITE);
	loop_run_once(f->loop);
	loop_run_once(f->loop);
	assert_int_equal(f->probe.calls, 1);
	assert_null(f->probe.watch);
}

static void free_releases_descriptor_immediately(void **state)
{
	struct fixture *f = *state;
	struct probe second = {0};

	fd_watch_set(f->probe.watch, FD_WRITE);
	fd_watch_free(&f->probe.watch);
	/* libuv refuses a descriptor that is still watched; fd_watch_new would fail its assertion.
	 */
	second.watch = fd_watch_new(f->loop, f->fds[0], on_ready, &second);
	fd_watch_set(second.watch, FD_WRITE);
	loop_run_once(f->loop);
	assert_int_equal(f->probe.calls, 0);
	assert_int_equal(second.calls, 1);
	fd_watch_free(&second.watch);
}

/* A refused connection: libuv stops the watch and reports an error; owners must see it as readable
 * and writable, each time. */
static void error_arrives_as_readable_and_writable(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);
	struct probe p = {0};
	int closed_port = socket(AF_INET, SOCK_STREAM, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	assert_int_equal(bind(closed_port, (struct sockaddr *)&addr, len), 0);
	assert_int_equal(getsockname(closed_port, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, len), -1);
	p.watch = fd_watch_new(f->loop, fd, on_ready, &p);
	fd_watch_set(p.watch, FD_WRITE);
	loop_run_once(f->loop);
	assert_int_equal(p.events, FD_READ | FD_WRITE);
	loop_run_once(f->loop);
	assert_int_equal(p.calls, 2);
	fd_watch_free(&p.watch);
	close(fd);
	close(closed_port);
}

int main(void)
{
#define FD_TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		FD_TEST(reports_only_what_is_ready),
		FD_TEST(is_level_triggered),
		FD_TEST(hangup_is_seen_without_reading),
		FD_TEST(watch_may_be_freed_inside_its_callback),
		FD_TEST(free_releases_descriptor_immediately),
		FD_TEST(error_arrives_as_readable_and_writable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
