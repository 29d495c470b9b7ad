/* Leases of one process: holders, repeated requests, and increasing fencing tokens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/lease_memory.h"
#include "vesper/mem.h"
#include "vesper/op.h"

#define KEPT_MS 60000

static struct loop *loop;
static struct leases leases;

struct lease_reply {
	bool done;
	struct lease lease;
};

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	assert_true(loop_new(&loop, &e));
	leases = lease_memory_new(loop, KEPT_MS);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	leases.driver->close(leases.self);
	loop_free(&loop);
	return 0;
}

static void on_lease(void *owner, const struct lease *lease)
{
	struct lease_reply *h = owner;

	assert_false(h->done);
	h->done = true;
	h->lease = *lease;
}

static struct op *start(const char *name, const struct uuid *holder, const char *once, bool is_new,
			struct lease_reply *h)
{
	const struct lease_request r = {.tenant = "acme",
					.name = name,
					.holder = holder->text,
					.once = once,
					.ignore_once = is_new};

	*h = (struct lease_reply){0};
	return leases.driver->acquire(leases.self, &r, on_lease, h);
}

static struct lease wait_for_lease(struct lease_reply *h)
{
	assert_false(h->done); /* never inside the call */
	while (!h->done)
		loop_run_once(loop);
	return h->lease;
}

static struct lease acquire(const char *name, const struct uuid *holder, const char *once)
{
	struct lease_reply h;

	start(name, holder, once, false, &h);
	return wait_for_lease(&h);
}

static struct lease find_lease(const char *name)
{
	struct lease_reply h = {0};

	leases.driver->find(leases.self, "acme", name, on_lease, &h);
	return wait_for_lease(&h);
}

static void each_lease_has_a_greater_token(void **state)
{
	struct uuid a = uuid_new(), b = uuid_new();
	struct lease first, held, next;

	(void)state;
	first = acquire("ann:s1", &a, NULL);
	assert_int_equal(first.kind, LEASE_ACQUIRED);
	held = acquire("ann:s1", &b, NULL);
	assert_int_equal(held.kind, LEASE_HELD);
	assert_string_equal(held.holder, a.text);
	assert_string_equal(held.replica, "");
	assert_string_equal(find_lease("ann:s1").holder, a.text);
	assert_int_equal(acquire("ann:s2", &b, NULL).kind, LEASE_ACQUIRED);
	leases.driver->release(leases.self, uuid_new().text); /* an unknown holder */
	leases.driver->release(leases.self, a.text);
	leases.driver->release(leases.self, a.text);
	assert_int_equal(find_lease("ann:s1").kind, LEASE_UNKNOWN);
	next = acquire("ann:s1", &a, NULL);
	assert_int_equal(next.kind, LEASE_ACQUIRED);
	assert_true(next.fence > first.fence);
}

/* A name may be leased several times within one millisecond. */
static void tokens_grow_within_a_millisecond(void **state)
{
	struct uuid a = uuid_new();
	uint64_t last = 0;

	(void)state;
	clock_freeze_ms(1772182800000);
	for (int i = 0; i < 3; i++) {
		struct lease l = acquire("ann:s1", &a, NULL);

		assert_int_equal(l.kind, LEASE_ACQUIRED);
		assert_true(l.fence > last);
		last = l.fence;
		leases.driver->release(leases.self, a.text);
	}
	clock_release();
}

static void repeated_request_finds_first_holder(void **state)
{
	struct uuid a = uuid_new(), b = uuid_new(), c = uuid_new();
	struct lease_reply h;

	(void)state;
	assert_int_equal(acquire("ann:s1", &a, "m1").kind, LEASE_ACQUIRED);
	assert_int_equal(acquire("ann:s1", &b, "m1").kind, LEASE_REPEATED);
	leases.driver->release(leases.self, a.text); /* also after the turn has ended */
	assert_string_equal(acquire("ann:s1", &b, "m1").holder, a.text);
	assert_int_equal(acquire("bob:s1", &b, "m1").kind,
			 LEASE_ACQUIRED); /* another user's request */
	start("ann:s1", &c, "m1", true, &h);
	assert_int_equal(wait_for_lease(&h).kind,
			 LEASE_ACQUIRED); /* the log of the first no longer exists */
	assert_string_equal(acquire("ann:s1", &b, "m1").holder, c.text);
}

static void request_record_expires(void **state)
{
	struct leases short_lived = lease_memory_new(loop, 0);
	struct uuid a = uuid_new(), b = uuid_new();
	struct lease_request r = {
		.tenant = "acme", .name = "ann:s1", .holder = a.text, .once = "m1"};
	struct lease_reply h = {0};

	(void)state;
	short_lived.driver->acquire(short_lived.self, &r, on_lease, &h);
	assert_int_equal(wait_for_lease(&h).kind, LEASE_ACQUIRED);
	short_lived.driver->release(short_lived.self, a.text);
	r.holder = b.text;
	h = (struct lease_reply){0};
	short_lived.driver->acquire(short_lived.self, &r, on_lease, &h);
	assert_int_equal(wait_for_lease(&h).kind, LEASE_ACQUIRED);
	short_lived.driver->close(short_lived.self);
}

static void cancelled_request_holds_no_lease(void **state)
{
	struct uuid a = uuid_new(), b = uuid_new();
	struct lease_reply first, second;
	struct op *op = start("ann:s1", &a, "m1", false, &first);

	(void)state;
	start("ann:s1", &b, "m1", false, &second);
	op_cancel(&op);
	assert_int_equal(wait_for_lease(&second).kind, LEASE_ACQUIRED);
	assert_false(first.done);
}

static void on_signal(void *owner, const struct lease_signal *signal)
{
	(void)owner;
	(void)signal;
	fail();
}

static void on_found(void *owner, bool found)
{
	assert_false(found);
	*(bool *)owner = true;
}

static void single_process_signals_nobody(void **state)
{
	const struct lease_signal s = {.kind = SIGNAL_CANCEL, .tenant = "acme", .user = "ann"};
	bool answered = false, cancelled = false;
	struct op *op;

	(void)state;
	leases.driver->listen(leases.self, on_signal, NULL);
	leases.driver->signal(leases.self, &s, on_found, &answered);
	op = leases.driver->signal(leases.self, &s, on_found, &cancelled);
	op_cancel(&op);
	assert_null(leases.driver->signal(leases.self, &s, NULL, NULL));
	assert_false(answered);
	while (!answered)
		loop_run_once(loop);
	assert_false(cancelled);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_lease_has_a_greater_token),      TEST(tokens_grow_within_a_millisecond),
		TEST(repeated_request_finds_first_holder), TEST(request_record_expires),
		TEST(cancelled_request_holds_no_lease),    TEST(single_process_signals_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
