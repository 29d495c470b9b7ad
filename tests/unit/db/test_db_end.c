/* Transient failures are retried unless a statement could run twice. The circuit breaker opens and
 * recovers. Hanging workers are abandoned. Also run under TSan. */
#include "odbc_test.h"

#include "vesper/limits.h"

#define ONE "rows|SELECT one|n:int|1\n"

/* Executions of a fresh connection: 1 is SET LOCK_TIMEOUT, 2 the first query. */

static void retries_deadlock_victim(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	fake_open(f, ONE "fail|execute|2|40001|1205|deadlock victim\n");
	t = query_table(f, "acme", "SELECT one", NULL, 0);
	assert_string_equal(t->rows[0][0], "1");
	table_free(&t);
	assert_int_equal(recorded_count("DEAD"), 0);
	assert_int_equal(recorded_count("SELECT one"), 2); /* prepared again for the retry */
}

static void replaces_broken_connection_and_retries_query(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	fake_open(f, ONE "dead|execute|2|08S01|10054|reset by peer\n");
	t = query_table(f, "acme", "SELECT one", NULL, 0);
	table_free(&t);
	assert_int_equal(recorded_count(" connect"), 2);
	assert_int_equal(recorded_count("2 prepare SELECT one"), 1);
	assert_int_equal(recorded_count("DEAD"), 0);
}

static void retries_whole_query_after_broken_fetch(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	fake_open(f, "rows|SELECT one|n:int|1|2|3\ndead|fetch|3|08S01|0|gone\n");
	t = query_table(f, "acme", "SELECT one", NULL, 0);
	assert_int_equal(t->row_count, 3);
	table_free(&t);
	assert_int_equal(recorded_count("DEAD"), 0);
}

static void retries_only_transient_errors(void **state)
{
	static const struct {
		const char *state;
		int native;
		bool is_retried;
	} cases[] = {
		{"HY000", 40197, true},  {"HY000", 40613, true}, {"HY000", 49920, true},
		{"HY000", 4060, true},   {"HY000", 10928, true}, {"HY000", 1222, true},
		{"HY000", 20017, true},  {"08S01", 0, true},     {"08001", 0, true},
		{"HYT01", 0, true},      {"IMC06", 0, true},     {"40001", 0, true},
		{"28000", 18456, false}, {"42000", 102, false},  {"42S02", 208, false},
		{"22003", 8115, false},  {"23000", 2627, false}, {"HYT00", 0, false},
		{"HY000", 40501, false}, {"HY000", 0, false},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer a;
		char script[256];

		snprintf(script, sizeof(script), ONE "fail|execute|2|%s|%d|so it is\n",
			 cases[i].state, cases[i].native);
		fake_open(f, script);
		start(f, "acme", false, "SELECT one", NULL, 0, &a);
		wait_for(f, &a);
		table_free(&a.table);
		if ((a.err.code == ERR_NONE) != cases[i].is_retried)
			fail_msg("%s, %d: %s", cases[i].state, cases[i].native, a.err.text);
		db_close(&f->db);
	}
}

static void retries_writes_only_if_nothing_was_sent(void **state)
{
	struct fixture *f = *state;
	struct db_options o = fake_options(f, "fail|connect|1|08001|0|not yet\n");
	struct answer a;

	o.read_only = false;
	assert_true(db_open(f->loop, &o, &f->db, NULL));
	start(f, "acme", true, "INSERT one", NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_NONE);
	assert_int_equal(recorded_count("COMMIT"), 1);
	db_close(&f->db);
	o = fake_options(f, "dead|execute|4|08S01|0|in the middle\n");
	o.read_only = false;
	assert_true(db_open(f->loop, &o, &f->db, NULL));
	start(f, "acme", true, "INSERT one", NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_UPSTREAM);
	assert_int_equal(recorded_count("prepare INSERT one"), 1);
}

static void stops_retrying_at_time_limit(void **state)
{
	struct fixture *f = *state;
	struct db_options o = fake_options(f, "fail|connect|0|08001|0|nobody there\n");
	struct answer a;

	o.timeout_ms = 5000;
	assert_true(db_open(f->loop, &o, &f->db, NULL));
	start(f, "acme", false, "SELECT one", NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_UPSTREAM);
	assert_true(a.err.may_retry);
	assert_non_null(strstr(a.err.text, "nobody there"));
	/* retries after 200 and 1000 ms; another 4000 ms would exceed the limit */
	assert_int_equal(recorded_count(" connect"), 3);
}

static void cancels_during_backoff(void **state)
{
	struct fixture *f = *state;
	struct answer a;
	struct op *op;

	fake_open(f, "fail|connect|0|08001|0|nobody there\n");
	op = start(f, "acme", false, "SELECT one", NULL, 0, &a);
	while (recorded_count(" connect") == 0)
		loop_run_once(f->loop);
	for (int i = 0; i < 20; i++) {
		usleep(1000);
		loop_run_once(f->loop);
	}
	op_cancel(&op);
	start(f, "acme", false, "SELECT one", NULL, 0,
	      &a); /* in backoff when the database closes */
	for (int i = 0; i < 20; i++) {
		usleep(1000);
		loop_run_once(f->loop);
	}
	assert_int_equal(a.calls, 0);
	db_close(&f->db);
	assert_int_equal(a.calls, 1);
	assert_int_equal(a.err.code, ERR_CANCELLED);
}

/* The server refuses eight connections, then accepts. */
static void circuit_breaker_opens_and_recovers(void **state)
{
	struct fixture *f = *state;
	char script[1024] = ONE;
	struct answer a[3];
	struct table *t;
	int connects;

	for (int i = 1; i <= 8; i++) {
		char line[64];

		snprintf(line, sizeof(line), "fail|connect|%d|08001|0|nobody there\n", i);
		strcat(script, line);
	}
	fake_open(f, script);
	for (int i = 0; i < 3; i++)
		start(f, "acme", false, "SELECT one", NULL, 0, &a[i]);
	for (int i = 0; i < 3; i++)
		wait_for(f, &a[i]);
	connects = recorded_count(" connect");
	start(f, "vesper", false, "SELECT one", NULL, 0, &a[0]);
	wait_for(f, &a[0]);
	assert_int_equal(a[0].err.code, ERR_UPSTREAM);
	assert_true(a[0].err.retry_after_ms > 0);
	assert_non_null(strstr(a[0].err.text, "nobody there"));
	assert_int_equal(recorded_count(" connect"), connects); /* no connection was attempted */
	db_watch(f->db, NULL);
	for (;;) {
		start(f, "vesper", false, "SELECT one", NULL, 0, &a[0]);
		wait_for(f, &a[0]);
		if (a[0].err.code == ERR_NONE)
			break;
		usleep(10000);
	}
	table_free(&a[0].table);
	t = query_table(f, "acme", "SELECT one", NULL, 0);
	table_free(&t);
}

static void abandons_hanging_worker(void **state)
{
	struct fixture *f = *state;
	struct db_options o = fake_options(f, ONE "deaf|execute|2|2500\n");
	struct answer a;

	o.timeout_ms = 100;
	o.workers = 1;
	assert_true(db_open(f->loop, &o, &f->db, NULL));
	start(f, "acme", false, "SELECT one", NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_TIMEOUT);
	assert_int_equal(recorded_count("1 disconnect"), 0); /* it still hangs */
	db_close(&f->db);
	assert_int_equal(recorded_count("1 disconnect"), 1); /* close waited for it */
}

/* The query for the tenant hangs. Nothing was sent yet, so another connection is used. */
static void abandons_hanging_idle_connection(void **state)
{
	struct fixture *f = *state;
	struct db_options o = fake_options(f, ONE "deaf|confirm|2|6000\n");
	struct table *t;

	o.workers = 1;
	assert_true(db_open(f->loop, &o, &f->db, NULL));
	t = query_table(f, "acme", "SELECT one", NULL, 0);
	table_free(&t);
	t = query_table(f, "acme", "SELECT one", NULL, 0);
	table_free(&t);
	assert_int_equal(recorded_count(" connect"), 2);
	assert_int_equal(recorded_count("1 disconnect"), 0); /* it still hangs */
	assert_int_equal(recorded_count("1 prepare SELECT one"), 1);
	assert_int_equal(recorded_count("2 prepare SELECT one"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(retries_deadlock_victim),
		DB_TEST(replaces_broken_connection_and_retries_query),
		DB_TEST(retries_whole_query_after_broken_fetch),
		DB_TEST(retries_only_transient_errors),
		DB_TEST(retries_writes_only_if_nothing_was_sent),
		DB_TEST(stops_retrying_at_time_limit),
		DB_TEST(cancels_during_backoff),
		DB_TEST(circuit_breaker_opens_and_recovers),
		DB_TEST(abandons_hanging_worker),
		DB_TEST(abandons_hanging_idle_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
