/* One-time tickets in this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ticket.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define NOW_MS INT64_C(1772182800000)

static const char *const permissions[] = {"chat:use"};
static const struct principal ann = {.user = "ann",
				     .tenant = "vesper",
				     .permissions = permissions,
				     .permission_count = 1,
				     .expires_ms = NOW_MS + 3600000};
static struct tickets *tickets;

static int setup(void **state)
{
	(void)state;
	clock_freeze_ms(NOW_MS);
	tickets = tickets_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tickets_free(&tickets);
	assert_null(tickets);
	clock_release();
	return 0;
}

static void add(char out[TICKET_BYTES])
{
	ticket_generate(out);
	tickets_add(tickets, out, &ann);
}

static bool use(const char *ticket)
{
	struct principal *who = tickets_redeem(tickets, str_of(ticket));
	bool is_valid = who != NULL;

	if (is_valid) {
		assert_true(principal_same_user(who, &ann));
		assert_true(may(who, "chat:use"));
	}
	principal_free(&who);
	return is_valid;
}

static void ticket_works_once(void **state)
{
	char first[TICKET_BYTES];
	char second[TICKET_BYTES];

	(void)state;
	add(first);
	add(second);
	assert_int_equal(strlen(first), TICKET_BYTES - 1);
	assert_string_not_equal(first, second);
	assert_true(use(first));
	assert_false(use(first));
	assert_true(use(second));
}

static void rejects_wrong_tickets(void **state)
{
	char ticket[TICKET_BYTES];
	char wrong[TICKET_BYTES + 1];

	(void)state;
	add(ticket);
	assert_false(use(""));
	assert_false(use("short"));
	memcpy(wrong, ticket, TICKET_BYTES);
	wrong[0] = wrong[0] == 'A' ? 'B' : 'A';
	assert_false(use(wrong));
	memcpy(wrong, ticket, TICKET_BYTES);
	memcpy(wrong + TICKET_BYTES - 1, "x", 2);
	assert_false(use(wrong));
	assert_true(use(ticket));
}

static void ticket_expires(void **state)
{
	char ticket[TICKET_BYTES];
	char late[TICKET_BYTES];

	(void)state;
	add(ticket);
	clock_advance_ms(TICKET_LIFE_MS - 1);
	add(late);
	clock_advance_ms(1);
	assert_false(use(ticket));
	assert_true(use(late));
}

static void oldest_ticket_is_evicted_at_the_limit(void **state)
{
	char(*all)[TICKET_BYTES] = mem_alloc((TICKETS_MAX + 1) * sizeof(*all));

	(void)state;
	for (size_t n = 0; n <= TICKETS_MAX; n++)
		add(all[n]);
	assert_false(use(all[0]));
	assert_true(use(all[1]));
	assert_true(use(all[TICKETS_MAX]));
	mem_free(all);
}

static void tenant_with_most_tickets_loses_its_own(void **state)
{
	const struct principal bob = {.user = "bob", .tenant = "acme", .expires_ms = NOW_MS + 1};
	char other_ticket[TICKET_BYTES], first[TICKET_BYTES], ticket[TICKET_BYTES];
	struct principal *who;

	(void)state;
	ticket_generate(other_ticket);
	tickets_add(tickets, other_ticket, &bob);
	add(first);
	for (size_t n = 0; n < 2 * TICKETS_MAX; n++)
		add(ticket);
	assert_false(use(first));
	assert_true(use(ticket));
	who = tickets_redeem(tickets, str_of(other_ticket));
	assert_non_null(who);
	assert_string_equal(who->tenant, "acme");
	principal_free(&who);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ticket_works_once),
		TEST(rejects_wrong_tickets),
		TEST(ticket_expires),
		TEST(oldest_ticket_is_evicted_at_the_limit),
		TEST(tenant_with_most_tickets_loses_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
