/*
 * Fifty tenants through two connections, with cancels, time limits and killed sessions at random
 * moments: every returned row belongs to the tenant of its query. On PostgreSQL, one test uses only
 * row-level security, and one only the bound WHERE clause; on SQLite, each tenant has a file.
 *
 * VESPER_LONG=100000 runs that many checkouts per test. With a test's name as argument, only that
 * test runs.
 */
#include "postgres_test.h"

enum { TENANTS = 50, IN_FLIGHT = 24 };

struct run {
	struct fixture *fixture;
	const char *quick;
	const char *slow; /* takes long enough to be cancelled in the middle */
	bool bind;        /* binds the tenant for the WHERE clause */
	bool kill;
	long remaining; /* not started yet */
	uint64_t seed;
	long rows;
	long leaked;
	long timeouts;
	long cancels;
	long failures;
	int running;
};

struct query {
	struct run *run;
	struct op *op;
	int tenant;
	int cancel_in; /* iterations of the loop; 0: never */
};

static struct query queries[IN_FLIGHT];

static unsigned random_below(struct run *r, unsigned limit)
{
	r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(r->seed >> 33) % limit;
}

static void expected_secret(int tenant, char *out, size_t size)
{
	snprintf(out, size, "secret of tenant_%d", tenant + 1);
}

static void rows_check(struct run *r, int tenant, const struct table *t)
{
	char expected[32];

	expected_secret(tenant, expected, sizeof(expected));
	for (size_t i = 0; i < t->row_count; i++) {
		r->rows++;
		r->leaked += strcmp(t->rows[i][0], expected) != 0;
	}
}

static void on_query_done(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct query *a = owner;
	struct run *r = a->run;

	a->op = NULL;
	r->running--;
	for (size_t i = 0; i < count; i++) {
		rows_check(r, a->tenant, tables[i]);
		table_free(&tables[i]);
	}
	if (!e)
		return;
	if (e->code == ERR_TIMEOUT)
		r->timeouts++;
	else
		r->failures++;
}

static void start_query(struct run *r, struct query *a)
{
	char tenant[16];
	bool slow = random_below(r, 10) == 0;
	const struct value value = value_text(tenant);
	const struct source_statement statement = {.name = "isolation",
						   .text = slow ? r->slow : r->quick,
						   .values = &value,
						   .count = r->bind ? 1 : 0};
	struct db_request request = {
		.tenant = tenant, .statements = &statement, .statement_count = 1};

	*a = (struct query){.run = r, .tenant = (int)random_below(r, TENANTS)};
	snprintf(tenant, sizeof(tenant), "tenant_%d", a->tenant + 1);
	if (random_below(r, 20) == 0)
		request.timeout_ms = 1 + random_below(r, 30);
	if (random_below(r, 10) == 0 || (slow && random_below(r, 2) == 0))
		a->cancel_in = 1 + (int)random_below(r, 200);
	r->remaining--;
	r->running++;
	a->op = db_query(r->fixture->db, &request, on_query_done, a);
}

static void maybe_cancel(struct run *r, struct query *a)
{
	if (a->cancel_in == 0 || --a->cancel_in > 0)
		return;
	op_cancel(&a->op);
	r->running--;
	r->cancels++;
}

static void maybe_kill(struct run *r)
{
	if (r->kill && random_below(r, 3000) == 0)
		admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = "
		      "'reader' ORDER BY random() LIMIT 1");
}

static void run_all(struct run *r, const char *name)
{
	long checkouts = r->remaining;

	memset(queries, 0, sizeof(queries));
	r->seed = 20261122;
	while (r->remaining > 0 || r->running > 0) {
		for (int i = 0; i < IN_FLIGHT; i++) {
			if (queries[i].op)
				maybe_cancel(r, &queries[i]);
			else if (r->remaining > 0)
				start_query(r, &queries[i]);
		}
		maybe_kill(r);
		usleep(100);
		loop_run_once(r->fixture->loop);
	}
	print_message("%s: %ld checkouts, %ld rows, %ld leaked, %ld timeouts, %ld cancels, %ld "
		      "other failures\n",
		      name, checkouts, r->rows, r->leaked, r->timeouts, r->cancels, r->failures);
	assert_int_equal(r->leaked, 0);
	assert_true(r->rows > checkouts / 2);
	assert_true(r->timeouts > 0 && r->cancels > 0);
}

static long checkout_count(long by_default)
{
	const char *text = getenv("VESPER_LONG");

	return text ? strtol(text, NULL, 10) : by_default;
}

static void row_level_security_isolates_tenants(void **state)
{
	struct run r = {.fixture = *state,
			.quick = "SELECT s FROM x",
			.slow = "SELECT s, pg_sleep(0.02) FROM x",
			.kill = true,
			.remaining = checkout_count(150)};

	postgres_open(r.fixture, "reader");
	run_all(&r, "PostgreSQL, policy alone");
}

static void where_clause_isolates_tenants(void **state)
{
	struct run r = {.fixture = *state,
			.quick = "SELECT s FROM open WHERE tenant_id = ?",
			.slow = "SELECT s, pg_sleep(0.02) FROM open WHERE tenant_id = ?",
			.bind = true,
			.kill = true,
			.remaining = checkout_count(150)};

	admin("CREATE TABLE open AS SELECT * FROM x");
	admin("GRANT SELECT ON open TO reader");
	postgres_open(r.fixture, "reader");
	run_all(&r, "PostgreSQL, WHERE alone");
	admin("DROP TABLE open");
}

static void session_without_tenant_sees_no_rows(void **state)
{
	(void)state;
	admin("SET ROLE reader");
	assert_int_equal(admin("SELECT count(*) FROM x"), 0);
	admin("SET vesper.tenant_id = ''");
	assert_int_equal(admin("SELECT count(*) FROM x"), 0);
	admin("RESET ROLE");
}

static void separate_files_isolate_tenants(void **state)
{
	static struct db_tenant tenants[TENANTS];
	static char names[TENANTS][24], files[TENANTS][160];
	struct fixture *f = *state;
	struct run r = {
		.fixture = f,
		.quick = "SELECT s FROM dbo.x",
		.slow = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE "
			"n < 20000) SELECT s FROM dbo.x WHERE (SELECT max(n) FROM c) > 0",
		.remaining = checkout_count(1000)};
	struct db_options options = {.name = "warehouse",
				     .dialect = DIALECT_SQLITE,
				     .read_only = true,
				     .schemas = (const char *const[]){"dbo", "Stage", NULL},
				     .workers = 2,
				     .tenants = tenants,
				     .tenant_count = TENANTS};

	for (int i = 0; i < TENANTS; i++) {
		char sql[128];

		snprintf(names[i], sizeof(names[i]), "tenant_%u", (unsigned)i % TENANTS + 1);
		snprintf(files[i], sizeof(files[i]), "%.60s/%.15s.db", f->dir, names[i]);
		tenants[i] = (struct db_tenant){names[i], files[i]};
		tenant_file_make(files[i], names[i]);
		snprintf(sql, sizeof(sql),
			 "CREATE TABLE x (s text); INSERT INTO x VALUES ('secret of tenant_%d')",
			 i + 1);
		file_exec(files[i], sql);
	}
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	run_all(&r, "SQLite");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(row_level_security_isolates_tenants),
		DB_TEST(where_clause_isolates_tenants),
		DB_TEST(session_without_tenant_sees_no_rows),
		DB_TEST(separate_files_isolate_tenants),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, server_start, server_stop);
}
