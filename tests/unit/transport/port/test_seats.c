/* Which connections are ended or refused when the limits are reached. Uses real socket pairs. */
#include "fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/seats.h"
#include "vesper/health.h"
#include "vesper/metric.h"

#define UNAUTHENTICATED 4
#define PER_ADDRESS     3
#define SIGNED_IN       5
#define PER_USER        2
#define PER_TENANT      3
#define CONNECTIONS     16

struct test_connection {
	int server_fd, client_fd;
	struct seat *seat;
};

static struct seats *seats;
static struct test_connection connections[CONNECTIONS];
static struct net_range proxy;

static int setup(void **state)
{
	struct seats_limits limits = {.unauthenticated = UNAUTHENTICATED,
				      .signed_in = SIGNED_IN,
				      .per_address = PER_ADDRESS,
				      .per_user = PER_USER,
				      .per_tenant = PER_TENANT,
				      .proxies = &proxy,
				      .proxy_count = 1};
	struct err e;

	(void)state;
	if (!net_range_parse("10.0.0.1", &proxy, &e))
		return -1;
	seats = seats_new(&limits);
	memset(connections, 0, sizeof(connections));
	return 0;
}

static void connection_close(int i)
{
	seat_free(&connections[i].seat);
	close(connections[i].server_fd);
	close(connections[i].client_fd);
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < CONNECTIONS; i++)
		if (connections[i].seat)
			connection_close(i);
	seats_free(&seats);
	health_reset();
	metric_reset();
	return 0;
}

static void open_from(int i, const char *address)
{
	struct sockaddr_in from = {.sin_family = AF_INET};
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(inet_pton(AF_INET, address, &from.sin_addr), 1);
	connections[i].server_fd = fds[0];
	connections[i].client_fd = fds[1];
	connections[i].seat = seat_new(seats, fds[0], (const struct sockaddr *)&from);
}

static bool was_ended(int i)
{
	char c;

	return recv(connections[i].client_fd, &c, 1, 0) == 0;
}

static enum seat_result sign_in(int i, const char *tenant, const char *user)
{
	const struct principal who = {.tenant = tenant, .user = user};

	return seat_sign_in(connections[i].seat, &who);
}

static void address_over_limit_loses_its_idlest_connection(void **state)
{
	(void)state;
	open_from(0, "192.0.2.9");
	for (int i = 1; i <= PER_ADDRESS; i++)
		open_from(i, "192.0.2.1");
	seat_idle(connections[1].seat); /* it has just finished a request */
	assert_false(was_ended(2));
	connection_close(0);
	open_from(4, "192.0.2.1");
	assert_true(was_ended(2));
	assert_false(was_ended(1) || was_ended(3) || was_ended(4));
	assert_int_equal(metric_get("vesper_connections_displaced_total"), 1);
}

static void full_server_ends_the_idlest_connection(void **state)
{
	static const char *const from[] = {"192.0.2.1", "192.0.2.2", "192.0.2.3",
					   "192.0.2.4", "192.0.2.5", "192.0.2.6"};

	(void)state;
	for (int i = 0; i < 6; i++)
		open_from(i, from[i]);
	assert_true(was_ended(0) && was_ended(1));
	for (int i = 2; i < 6; i++)
		assert_false(was_ended(i));
	assert_int_equal(sign_in(0, "vesper", "ann"), SEAT_FULL);
	seat_idle(connections[0].seat);
	assert_int_equal(sign_in(2, "vesper", "ann"), SEAT_ASSIGNED);
}

static void users_and_tenants_have_limits(void **state)
{
	static const struct {
		const char *tenant, *user;
		enum seat_result expected;
	} who[] = {{"vesper", "ann", SEAT_ASSIGNED}, {"vesper", "ann", SEAT_ASSIGNED},
		   {"vesper", "ann", SEAT_TOO_MANY}, {"acme", "ann", SEAT_ASSIGNED},
		   {"vesper", "ben", SEAT_ASSIGNED}, {"vesper", "cat", SEAT_TOO_MANY},
		   {"acme", "ann", SEAT_ASSIGNED},   {"acme", "ben", SEAT_FULL}};
	char from[32];

	(void)state;
	for (int i = 0; i < 8; i++) {
		snprintf(from, sizeof(from), "192.0.2.%d", i);
		open_from(i, from);
		assert_int_equal(sign_in(i, who[i].tenant, who[i].user), who[i].expected);
		if (who[i].expected != SEAT_ASSIGNED)
			connection_close(i);
		connections[i].seat = who[i].expected == SEAT_ASSIGNED ? connections[i].seat : NULL;
	}
	seat_idle(connections[0].seat);
	connection_close(1);
	connections[1].seat = NULL;
	open_from(2, "192.0.2.2");
	assert_int_equal(sign_in(2, "vesper", "ann"), SEAT_ASSIGNED);
	assert_int_equal(sign_in(0, "vesper", "ann"), SEAT_ASSIGNED);
}

static void signed_in_connections_are_never_ended(void **state)
{
	(void)state;
	open_from(0, "192.0.2.1");
	assert_int_equal(sign_in(0, "vesper", "ann"), SEAT_ASSIGNED);
	for (int i = 1; i < CONNECTIONS; i++)
		open_from(i, "192.0.2.1");
	assert_false(was_ended(0));
}

static void proxied_connections_count_for_their_clients(void **state)
{
	(void)state;
	for (int i = 0; i < UNAUTHENTICATED; i++) {
		open_from(i, "10.0.0.1");
		assert_true(seat_is_proxied(connections[i].seat));
		seat_forwarded(connections[i].seat, STR("1.1.1.1, 203.0.113.9"), STR(""));
	}
	assert_true(was_ended(0));
	assert_false(was_ended(1));
	/* Between two requests, a proxied connection belongs to no client. */
	seat_idle(connections[1].seat);
	open_from(4, "10.0.0.1");
	seat_forwarded(connections[4].seat, STR("203.0.113.9"), STR(""));
	for (int i = 1; i < 5; i++)
		assert_false(was_ended(i));
	/* A connection from another address is not proxied. */
	open_from(5, "192.0.2.1");
	assert_false(seat_is_proxied(connections[5].seat));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(address_over_limit_loses_its_idlest_connection),
		TEST(full_server_ends_the_idlest_connection),
		TEST(users_and_tenants_have_limits),
		TEST(signed_in_connections_are_never_ended),
		TEST(proxied_connections_count_for_their_clients),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
