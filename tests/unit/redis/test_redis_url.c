/* Redis URLs: valid ones, and errors that never contain the password. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/redis.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 16);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct redis_address parsed(const char *url)
{
	struct redis_address at;
	struct err e = {0};

	if (!redis_url_parse(url, arena, &at, &e))
		fail_msg("%s: %s", url, e.text);
	return at;
}

static void hosts_and_ports(void **state)
{
	struct redis_address at = parsed("redis://cache.internal");

	(void)state;
	assert_string_equal(at.host, "cache.internal");
	assert_int_equal(at.port, 6379);
	assert_int_equal(at.db, 0);
	assert_null(at.user);
	assert_null(at.password);
	assert_null(at.path);
	at = parsed("redis://10.0.0.7:6380/15");
	assert_string_equal(at.host, "10.0.0.7");
	assert_int_equal(at.port, 6380);
	assert_int_equal(at.db, 15);
	assert_string_equal(at.shown, "10.0.0.7:6380");
	at = parsed("redis://[::1]:6380/");
	assert_string_equal(at.host, "::1");
	assert_int_equal(at.port, 6380);
	assert_string_equal(parsed("redis://[fe80::1]").host, "fe80::1");
}

static void logins(void **state)
{
	struct redis_address at = parsed("redis://vesper:s%40cr%2Fet@cache:1/2");

	(void)state;
	assert_string_equal(at.user, "vesper");
	assert_string_equal(at.password, "s@cr/et");
	assert_string_equal(at.host, "cache");
	assert_string_equal(at.shown, "cache:1");
	at = parsed("redis://:only@cache");
	assert_null(at.user);
	assert_string_equal(at.password, "only");
	at = parsed("redis://u:a:b@c@cache"); /* the last @ ends it */
	assert_string_equal(at.password, "a:b@c");
}

static void sockets(void **state)
{
	struct redis_address at = parsed("unix:///run/redis.sock");

	(void)state;
	assert_string_equal(at.path, "/run/redis.sock");
	assert_null(at.host);
	at = parsed("unix://:secret@/run/redis.sock?db=3");
	assert_string_equal(at.path, "/run/redis.sock");
	assert_string_equal(at.password, "secret");
	assert_int_equal(at.db, 3);
}

static void errors_name_the_fault_without_the_password(void **state)
{
	static const char *const wrong[][2] = {
		{"rediss://:hunter2@cache", "TLS"},
		{"http://:hunter2@cache", "redis://"},
		{"", "redis://"},
		{"redis://", "host"},
		{"redis://:hunter2@", "host"},
		{"redis://:hunter2@:6379", "host"},
		{"redis://hunter2@cache", "login"},
		{"redis://u:@cache", "password"},
		{"redis://u:hunter2%4@cache", "password"},
		{"redis://u:hunter2%zz@cache", "password"},
		{"redis://u:hunter2%00@cache", "password"},
		{"redis://%:hunter2@cache", "user"},
		{"redis://:hunter2@cache:0", "port"},
		{"redis://:hunter2@cache:65536", "port"},
		{"redis://:hunter2@cache:6379x", "port"},
		{"redis://:hunter2@cache/x", "database"},
		{"redis://:hunter2@cache/-1", "database"},
		{"redis://:hunter2@cache/99999999999999", "database"},
		{"redis://:hunter2@[::1", "bracket"},
		{"redis://:hunter2@[::1]x", "bracket"},
		{"unix://:hunter2@run/redis.sock", "path"},
		{"unix:///run/redis.sock?x=1", "db=N"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct redis_address at = {.port = -7};
		struct err e = {0};
		if (redis_url_parse(wrong[i][0], arena, &at, &e))
			fail_msg("%s was accepted", wrong[i][0]);
		assert_int_equal(e.code, ERR_INPUT);
		assert_int_equal(at.port, -7);
		assert_null(strstr(e.text, "hunter2"));
		if (!strstr(e.text, wrong[i][1]))
			fail_msg("%s: %s", wrong[i][0], e.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_and_ports),
		cmocka_unit_test(logins),
		cmocka_unit_test(sockets),
		cmocka_unit_test(errors_name_the_fault_without_the_password),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
