/* The usage ledger: stores rows unchanged, and sums this month and today by user and role, over any
 * number of pages, for one tenant. */
#include "store_test.h"

#include "vesper/limits.h"

#define DAY_MS 86400000LL
#define OCT_31 (20392 * DAY_MS) /* 2025-10-31 */
#define NOV_10 (OCT_31 + 10 * DAY_MS)

struct result {
	struct fixture *f;
	size_t count;
	char user[64], role[64];
	struct budget_sum last;
	int64_t month_tokens, day_tokens;
};

static struct result result;

static void on_sum(void *owner, const struct budget_sum *sum)
{
	assert_ptr_equal(owner, result.f);
	/* Users are sorted, and each occurs once. */
	assert_true(result.count == 0 || strcmp(result.user, sum->user) < 0);
	result.count++;
	snprintf(result.user, sizeof(result.user), "%s", sum->user);
	snprintf(result.role, sizeof(result.role), "%s", sum->role);
	result.last = *sum;
	result.month_tokens += sum->month_tokens;
	result.day_tokens += sum->day_tokens;
}

static void add(struct fixture *f, const char *user, int64_t tokens, int64_t nano_usd,
		int64_t at_ms, bool hold)
{
	const struct budget_entry entry = {
		.tenant = "acme",
		.user = user,
		.role = "analyst",
		.hold = hold,
		.provider = "anthropic",
		.model = "claude-x",
		.purpose = "answer",
		.use = {1, 2, 3, 4},
		.tokens = tokens,
		.nano_usd = nano_usd,
		.at_ms = at_ms,
	};

	store_ledger_add(f->store, &entry, NULL, NULL);
}

static void read_sums(struct fixture *f, const char *tenant)
{
	result = (struct result){.f = f};
	begin(f);
	store_ledger_sums(f->store, tenant, NOV_10, on_sum, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

/* Rows are written in the background, so the sums are read until all rows are included. */
static void wait_for_sums(struct fixture *f, int64_t month_tokens)
{
	for (int i = 0; i < 500; i++) {
		read_sums(f, "acme");
		if (result.month_tokens == month_tokens)
			return;
	}
	fail_msg("the rows did not reach %lld tokens", (long long)month_tokens);
}

static void stores_ledger_rows(void **state)
{
	struct fixture *f = *state;

	migrate(f, "acme");
	add(f, "ann", 300, 5000, NOV_10, true);
	add(f, "ann", -100, -2000, NOV_10, false);
	wait_for_sums(f, 200);
	assert_string_equal(
		file_query(f, f->acme,
			   "SELECT group_concat(kind || tokens || day) FROM chat_ledger"),
		"hold3002025-11-10,settle-1002025-11-10");
	assert_string_equal(
		file_query(
			f, f->acme,
			"SELECT input_tokens || cache_read_tokens || cache_write_tokens || "
			"output_tokens || provider || model || purpose FROM chat_ledger LIMIT 1"),
		"1234anthropicclaude-xanswer");
}

static void sums_month_and_day(void **state)
{
	struct fixture *f = *state;

	migrate(f, "acme");
	migrate(f, "vesper");
	add(f, "ann", 1000, 1, OCT_31, false); /* last month */
	add(f, "ann", 100, 10, NOV_10 - DAY_MS, false);
	add(f, "ann", 20, 2, NOV_10, true);
	add(f, "ann", -5, -1, NOV_10, false);
	wait_for_sums(f, 115);
	assert_int_equal(result.count, 1);
	assert_string_equal(result.user, "ann");
	assert_string_equal(result.role, "analyst");
	assert_int_equal(result.last.month_tokens, 115);
	assert_int_equal(result.last.month_nano_usd, 11);
	assert_int_equal(result.last.day_tokens, 15);
	assert_int_equal(result.last.day_nano_usd, 1);
	read_sums(f, "vesper");
	assert_int_equal(result.count, 0);
}

static void sums_many_users_in_pages(void **state)
{
	struct fixture *f = *state;
	char user[32];

	migrate(f, "acme");
	for (int i = 0; i < STORE_PAGE_MAX + 7; i++) {
		snprintf(user, sizeof(user), "user%05d", i);
		add(f, user, 2, 0, NOV_10, false);
	}
	wait_for_sums(f, 2 * (STORE_PAGE_MAX + 7));
	assert_int_equal(result.count, STORE_PAGE_MAX + 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST_UNMIGRATED(stores_ledger_rows),
		STORE_TEST_UNMIGRATED(sums_month_and_day),
		STORE_TEST_UNMIGRATED(sums_many_users_in_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
