/* Tokens and one-time tickets at the door. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/identity.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define SECRET "0123456789abcdef0123456789abcdef"
#define NOW_MS INT64_C(1772182800000)

static const char *const tenants[] = {"vesper", NULL};
static const char *const permissions[] = {"chat:use"};
static const struct principal ann = {.user = "ann",
				     .tenant = "vesper",
				     .permissions = permissions,
				     .permission_count = 1,
				     .expires_ms = NOW_MS + 3600000};

static int setup(void **state)
{
	clock_freeze_ms(NOW_MS);
	struct identity_options o = {
		.jwt = {.hs256_secret = SECRET, .tenants = tenants, .leeway_s = 60}};
	struct identity *i = NULL;
	assert_true(identity_new(&o, &i, NULL));
	*state = i;
	return 0;
}

static int teardown(void **state)
{
	struct identity *i = *state;
	identity_free(&i);
	assert_null(i);
	clock_release();
	return 0;
}

static bool use(struct identity *i, const char *ticket)
{
	struct principal *who = NULL;
	struct err e;
	bool good = identity_ticket_use(i, str_of(ticket), &who, &e);
	if (good) {
		assert_true(principal_same_user(who, &ann));
		assert_true(may(who, "chat:use"));
	} else {
		assert_null(who);
		assert_int_equal(e.code, ERR_AUTH);
	}
	principal_free(&who);
	return good;
}

static void needs_a_key(void **state)
{
	(void)state;
	struct identity *i = NULL;
	struct err e;
	assert_false(identity_new(&(struct identity_options){.jwt.tenants = tenants}, &i, &e));
	assert_false(identity_new(
		&(struct identity_options){.jwt = {.hs256_secret = "", .tenants = tenants}}, &i,
		&e));
	assert_int_equal(e.code, ERR_INPUT);
	identity_free(&i);
}

static void tokens(void **state)
{
	struct identity *i = *state;
	struct buf token;
	buf_init(&token, TOKEN_BYTES_MAX);
	jwt_mint(&token, &ann, NOW_MS, 100, SECRET);
	struct str text = {token.p, token.n};
	struct principal *who = NULL;
	struct err e;
	assert_true(identity_token(i, text, &who, &e));
	assert_string_equal(who->user, "ann");
	assert_false(identity_expired(i, who));
	clock_advance_ms(159999);
	assert_false(identity_expired(i, who));
	clock_advance_ms(1);
	assert_true(identity_expired(i, who));
	principal_free(&who);
	assert_false(identity_token(i, text, &who, &e));
	assert_string_equal(e.text, "expired");
	buf_deinit(&token);
}

/* Tokens come from elsewhere and keep real time, also where the demo lives on a fixed day. */
static void frozen_day_does_not_matter(void **state)
{
	struct identity *i = *state;
	clock_release();
	struct buf token;
	buf_init(&token, TOKEN_BYTES_MAX);
	jwt_mint(&token, &ann, clock_now_ms(), 100, SECRET);
	clock_freeze_today((struct date){2031, 1, 1});
	struct principal *who = NULL;
	assert_true(identity_token(i, (struct str){token.p, token.n}, &who, NULL));
	assert_false(identity_expired(i, who));
	principal_free(&who);
	buf_deinit(&token);
}

static void options_are_copied(void **state)
{
	(void)state;
	char secret[] = SECRET;
	char tenant[] = "vesper";
	const char *list[] = {tenant, NULL};
	struct identity_options o = {
		.jwt = {.hs256_secret = secret, .tenants = list, .leeway_s = 60}};
	struct identity *i = NULL;
	assert_true(identity_new(&o, &i, NULL));
	memset(secret, 'x', sizeof(secret) - 1);
	tenant[0] = 'x';
	struct buf token;
	buf_init(&token, TOKEN_BYTES_MAX);
	jwt_mint(&token, &ann, NOW_MS, 100, SECRET);
	struct principal *who = NULL;
	assert_true(identity_token(i, (struct str){token.p, token.n}, &who, NULL));
	principal_free(&who);
	buf_deinit(&token);
	identity_free(&i);
}

static void ticket_works_once(void **state)
{
	struct identity *i = *state;
	char first[TICKET_BYTES];
	char second[TICKET_BYTES];
	identity_ticket_new(i, &ann, first);
	identity_ticket_new(i, &ann, second);
	assert_int_equal(strlen(first), TICKET_BYTES - 1);
	assert_string_not_equal(first, second);
	assert_true(use(i, first));
	assert_false(use(i, first));
	assert_true(use(i, second));
}

static void wrong_tickets(void **state)
{
	struct identity *i = *state;
	char ticket[TICKET_BYTES];
	identity_ticket_new(i, &ann, ticket);
	assert_false(use(i, ""));
	assert_false(use(i, "short"));
	char wrong[TICKET_BYTES + 1];
	memcpy(wrong, ticket, TICKET_BYTES);
	wrong[0] = wrong[0] == 'A' ? 'B' : 'A';
	assert_false(use(i, wrong));
	memcpy(wrong, ticket, TICKET_BYTES);
	memcpy(wrong + TICKET_BYTES - 1, "x", 2);
	assert_false(use(i, wrong));
	assert_true(use(i, ticket));
}

static void ticket_ends(void **state)
{
	struct identity *i = *state;
	char ticket[TICKET_BYTES];
	identity_ticket_new(i, &ann, ticket);
	clock_advance_ms(TICKET_LIFE_MS - 1);
	char late[TICKET_BYTES];
	identity_ticket_new(i, &ann, late);
	clock_advance_ms(1);
	assert_false(use(i, ticket));
	assert_true(use(i, late));
}

static void ticket_does_not_outlive_the_token(void **state)
{
	struct identity *i = *state;
	struct principal brief = ann;
	brief.expires_ms = NOW_MS - 60000 + 1000; /* the leeway leaves one second */
	char ticket[TICKET_BYTES];
	identity_ticket_new(i, &brief, ticket);
	clock_advance_ms(1000);
	struct principal *who = NULL;
	struct err e;
	assert_false(identity_ticket_use(i, str_of(ticket), &who, &e));
	assert_string_equal(e.text, "expired");
	assert_null(who);
}

static void oldest_goes_at_the_cap(void **state)
{
	struct identity *i = *state;
	char(*all)[TICKET_BYTES] = mem_alloc((TICKETS_MAX + 1) * sizeof(*all));
	for (size_t n = 0; n <= TICKETS_MAX; n++)
		identity_ticket_new(i, &ann, all[n]);
	assert_false(use(i, all[0]));
	assert_true(use(i, all[1]));
	assert_true(use(i, all[TICKETS_MAX]));
	mem_free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_a_key),
		cmocka_unit_test_setup_teardown(tokens, setup, teardown),
		cmocka_unit_test_setup_teardown(frozen_day_does_not_matter, setup, teardown),
		cmocka_unit_test_setup_teardown(options_are_copied, setup, teardown),
		cmocka_unit_test_setup_teardown(ticket_works_once, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_tickets, setup, teardown),
		cmocka_unit_test_setup_teardown(ticket_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(ticket_does_not_outlive_the_token, setup, teardown),
		cmocka_unit_test_setup_teardown(oldest_goes_at_the_cap, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
