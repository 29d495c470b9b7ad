/* Parses addresses and ranges, and finds the client that a proxy reports. */
#include "fixture.h"

#include "port/client_address.h"

static bool same(const char *a, const char *b)
{
	struct net_address x, y;

	assert_true(net_address_parse(str_of(a), &x));
	assert_true(net_address_parse(str_of(b), &y));
	return str_eq(net_address_key(&x), net_address_key(&y));
}

static void parses_addresses_in_all_forms(void **state)
{
	static const char *const bad[] = {"",
					  "unknown",
					  "_hidden",
					  "1.2.3",
					  "1.2.3.4:",
					  "1.2.3.4:x",
					  "1.2.3.4:123456",
					  "1.2.3.4 ",
					  "[1.2.3.4",
					  "[2001:db8::1]x",
					  "[2001:db8::1]:",
					  "2001:db8::1::2",
					  "2001:db8::1%eth0",
					  "1.2.3.4, 5.6.7.8",
					  "[]",
					  ":",
					  "01.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.18.19.20"};
	struct net_address a;

	(void)state;
	assert_true(same("192.0.2.7", "192.0.2.7:8080"));
	assert_true(same("192.0.2.7", "::ffff:192.0.2.7"));
	assert_true(same("192.0.2.7", "[::ffff:192.0.2.7]:1"));
	assert_false(same("192.0.2.7", "192.0.2.8"));
	assert_true(same("2001:db8::1", "[2001:db8::1]:443"));
	assert_true(same("2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff"));
	assert_false(same("2001:db8:0:1::1", "2001:db8:0:2::1"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (net_address_parse(str_of(bad[i]), &a))
			fail_msg("'%s' was accepted", bad[i]);
	assert_false(net_address_parse((struct str){"1.2.3.4\0", 8}, &a));
}

static bool in_range(const char *range, const char *address)
{
	struct net_range r;
	struct net_address a;
	struct err e;

	if (!net_range_parse(range, &r, &e))
		fail_msg("%s", e.text);
	assert_true(net_address_parse(str_of(address), &a));
	return net_range_has(&r, 1, &a);
}

static void parses_ranges_with_a_prefix_length(void **state)
{
	static const char *const bad[] = {"",           "/8",          "10.0.0.0/", "10.0.0.0/33",
					  "10.0.0.0/x", "10.0.0.0/-1", "::/129",    "proxy.example",
					  "[::1]",      "10.0.0.0/8/8"};
	struct net_range r;
	struct err e;

	(void)state;
	assert_true(in_range("10.0.0.0/8", "10.255.1.2"));
	assert_false(in_range("10.0.0.0/8", "11.0.0.0"));
	assert_true(in_range("10.1.2.128/25", "10.1.2.255"));
	assert_false(in_range("10.1.2.128/25", "10.1.2.127"));
	assert_true(in_range("0.0.0.0/0", "8.8.8.8"));
	assert_false(in_range("0.0.0.0/0", "2001:db8::1"));
	assert_true(in_range("127.0.0.1", "::ffff:127.0.0.1"));
	assert_false(in_range("127.0.0.1", "127.0.0.2"));
	assert_true(in_range("2001:db8::/33", "2001:db8:7fff::1"));
	assert_false(in_range("2001:db8::/33", "2001:db8:8000::1"));
	assert_true(in_range("::1/128", "::1"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (net_range_parse(bad[i], &r, &e))
			fail_msg("'%s' was accepted", bad[i]);
}

struct forwarded_case {
	const char *list;
	const char *forwarded;
	const char *client; /* NULL: unknown */
};

static void last_untrusted_address_is_the_client(void **state)
{
	static const struct forwarded_case cases[] = {
		{"203.0.113.9", "", "203.0.113.9"},
		{"1.1.1.1, 203.0.113.9", "", "203.0.113.9"},
		{"1.1.1.1, 203.0.113.9, 10.0.0.2,10.0.0.3", "", "203.0.113.9"},
		{"made up, 203.0.113.9", "", "203.0.113.9"},
		{"10.0.0.2, 10.0.0.3", "", "10.0.0.2"},
		{"203.0.113.9, unknown", "", NULL},
		{"203.0.113.9,", "", NULL},
		{"", "", NULL},
		{"", "for=203.0.113.9", "203.0.113.9"},
		{"", "for=1.1.1.1, For=\"203.0.113.9:4711\";proto=https, for=10.0.0.2;by=10.0.0.1",
		 "203.0.113.9"},
		{"", "for=\"[2001:db8::7]:80\"", "2001:db8::7"},
		{"", "by=203.0.113.9", NULL},
		{"", "for=_hidden", NULL},
		{"", "for", NULL},
		{"203.0.113.9", "for=203.0.113.9", "203.0.113.9"},
		{"203.0.113.9", "for=203.0.113.8", NULL},
		{"203.0.113.9", "for=unknown", NULL},
	};
	struct net_range proxies;
	struct net_address client, expected;
	struct err e;

	(void)state;
	assert_true(net_range_parse("10.0.0.0/8", &proxies, &e));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct forwarded_case *c = &cases[i];
		bool found = forwarded_client(&proxies, 1, str_of(c->list), str_of(c->forwarded),
					      &client);

		if (found != (c->client != NULL))
			fail_msg("'%s' and '%s'", c->list, c->forwarded);
		if (!found)
			continue;
		assert_true(net_address_parse(str_of(c->client), &expected));
		assert_memory_equal(&client, &expected, sizeof(client));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_addresses_in_all_forms),
		cmocka_unit_test(parses_ranges_with_a_prefix_length),
		cmocka_unit_test(last_untrusted_address_is_the_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
