/* The loop side of the pool: isolation of tenants, deadlines, cancelling, limits, closing. Also run
 * under TSan. */
#include "db_test.h"

#include "vesper/limits.h"

#define ENDLESS                                                                                    \
	"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c"

static void make_two_tenants(struct fixture *f)
{
	tenant_file_make(f->acme, "acme");
	tenant_file_make(f->vesper, "vesper");
	file_exec(f->acme, "CREATE TABLE x (s text); INSERT INTO x VALUES ('acme')");
	file_exec(f->vesper, "CREATE TABLE x (s text); INSERT INTO x VALUES ('vesper')");
}

static void results_never_come_from_another_tenant(void **state)
{
	enum { QUERIES = 50 };
	struct fixture *f = *state;
	struct answer answers[QUERIES];
	int done;

	make_two_tenants(f);
	fixture_open(f, true);
	for (int i = 0; i < QUERIES; i++) {
		/* A mix of repeated and alternating tenants that keeps both workers busy. */
		start(f, i % 3 == 0 || i % 7 < 3 ? "acme" : "vesper", false, "SELECT s FROM dbo.x",
		      NULL, 0, &answers[i]);
		assert_int_equal(answers[i].calls, 0); /* never inside the call */
	}
	do {
		usleep(200);
		loop_run_once(f->loop);
		done = 0;
		for (int i = 0; i < QUERIES; i++)
			done += answers[i].calls;
	} while (done < QUERIES);
	for (int i = 0; i < QUERIES; i++) {
		assert_int_equal(answers[i].calls, 1);
		assert_int_equal(answers[i].err.code, ERR_NONE);
		assert_string_equal(answers[i].table->rows[0][0],
				    i % 3 == 0 || i % 7 < 3 ? "acme" : "vesper");
		table_free(&answers[i].table);
	}
}

static void deadline_stops_runaway_query(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, true);
	struct table *t;
	struct answer a;
	int64_t start_ms;

	make_two_tenants(f);
	options.timeout_ms = 150;
	options.workers = 1;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	loop_run_once(f->loop); /* the loop's clock is that of its last iteration */
	start_ms = clock_mono_ms();
	start(f, "acme", false, ENDLESS, NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_TIMEOUT);
	assert_true(a.err.may_retry);
	assert_true(clock_mono_ms() - start_ms >= 150);
	/* the connection is still usable */
	t = query_table(f, "acme", "SELECT s FROM dbo.x", NULL, 0);
	assert_string_equal(t->rows[0][0], "acme");
	table_free(&t);
}

static void deadline_includes_queue_time(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, true);
	struct answer running, waiting;

	make_two_tenants(f);
	options.timeout_ms = 100;
	options.workers = 1;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	start(f, "acme", false, ENDLESS, NULL, 0, &running);
	start(f, "acme", false, ENDLESS, NULL, 0, &waiting);
	wait_for(f, &waiting);
	assert_int_equal(waiting.err.code, ERR_TIMEOUT);
	wait_for(f, &running);
	assert_int_equal(running.err.code, ERR_TIMEOUT);
}

static void request_can_shorten_deadline_and_row_limit(void **state)
{
	const struct source_statement statement = {.name = "t", .text = ENDLESS};
	struct db_request request = {
		.tenant = "acme", .statements = &statement, .statement_count = 1, .timeout_ms = 50};
	struct fixture *f = *state;
	struct answer a = {0};

	make_two_tenants(f);
	fixture_open(f, true);
	db_query(f->db, &request, on_answer, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_TIMEOUT);
	const struct source_statement ten = {
		.name = "t",
		.text = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < "
			"10) SELECT n FROM c",
		.sink = {.rows_max = 3}};
	request = (struct db_request){.tenant = "acme", .statements = &ten, .statement_count = 1};
	a = (struct answer){0};
	db_query(f->db, &request, on_answer, &a);
	wait_for(f, &a);
	assert_int_equal(a.table->row_count, 3);
	assert_int_equal(a.table->total_rows, 10);
	table_free(&a.table);
}

static void cancelled_query_stops_without_callback(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, true);
	struct answer running, waiting;
	struct op *run, *wait;
	struct table *t;
	int64_t start_ms;

	make_two_tenants(f);
	options.workers = 1;
	options.timeout_ms = 20000;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	run = start(f, "acme", false, ENDLESS, NULL, 0, &running);
	wait = start(f, "vesper", false, ENDLESS, NULL, 0, &waiting);
	for (int i = 0; i < 50; i++) {
		usleep(1000);
		loop_run_once(f->loop);
	}
	op_cancel(&wait);
	op_cancel(&run);
	assert_null(run);
	start_ms = clock_mono_ms();
	/* the only worker is free again */
	t = query_table(f, "vesper", "SELECT s FROM dbo.x", NULL, 0);
	assert_true(clock_mono_ms() - start_ms <
		    options.timeout_ms - 1000); /* it did not wait for a timeout */
	assert_string_equal(t->rows[0][0], "vesper");
	table_free(&t);
	assert_int_equal(running.calls, 0);
	assert_int_equal(waiting.calls, 0);
}

static void refuses_requests_when_queue_is_full(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, true);
	struct answer running, waiting[2], refused;
	struct op *ops[3];

	make_two_tenants(f);
	options.workers = 1;
	options.queue = 2;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	ops[0] = start(f, "acme", false, ENDLESS, NULL, 0, &running);
	ops[1] = start(f, "acme", false, ENDLESS, NULL, 0, &waiting[0]);
	ops[2] = start(f, "acme", false, ENDLESS, NULL, 0, &waiting[1]);
	start(f, "acme", false, ENDLESS, NULL, 0, &refused);
	assert_int_equal(refused.calls, 0);
	wait_for(f, &refused);
	assert_int_equal(refused.err.code, ERR_LIMIT);
	assert_true(refused.err.may_retry);
	for (int i = 0; i < 3; i++)
		op_cancel(&ops[i]);
}

static void refuses_unknown_tenants_and_writes_to_warehouse(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	make_two_tenants(f);
	fixture_open(f, true);
	assert_int_equal(query_error(f, "nobody", "SELECT 1").code, ERR_DENIED);
	assert_int_equal(query_error(f, "../acme", "SELECT 1").code, ERR_DENIED);
	start(f, "acme", true, "DELETE FROM dbo.x", NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_INTERNAL);
	query_error(f, "acme", "DELETE FROM dbo.x"); /* a change sent as a read */
	query_error(f, "acme", "INSERT INTO Stage.x VALUES ('y')");
	query_error(f, "acme", "CREATE TABLE dbo.y (n int)");
	struct table *t = query_table(f, "acme", "SELECT s FROM dbo.x", NULL, 0);
	assert_int_equal(t->row_count, 1);
	table_free(&t);
}

static void errors_contain_state_and_statement_but_no_values(void **state)
{
	const struct value secret = value_text("hunter2");
	struct fixture *f = *state;
	struct answer a;

	make_two_tenants(f);
	fixture_open(f, true);
	start(f, "acme", false, "SELECT nothing_here FROM dbo.x WHERE s = ?", &secret, 1, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_INTERNAL);
	assert_non_null(strstr(a.err.text, "test/main"));
	assert_non_null(strstr(a.err.text, "nothing_here"));
	assert_non_null(strstr(a.err.text, "HY000"));
	assert_null(strstr(a.err.text, "hunter2"));
}

static void returns_one_table_per_statement(void **state)
{
	const struct source_statement statements[] = {{.name = "a", .text = "SELECT 1 AS n"},
						      {.name = "b", .text = "SELECT 2 AS n"},
						      {.name = "c", .text = "SELECT 3 AS n"}};
	const struct db_request request = {
		.tenant = "acme", .statements = statements, .statement_count = 3};
	struct fixture *f = *state;
	struct answer a = {0};

	make_two_tenants(f);
	fixture_open(f, true);
	db_query(f->db, &request, on_answer, &a);
	wait_for(f, &a);
	assert_int_equal(a.tables, 3);
	assert_string_equal(a.table->name, "c");
	assert_string_equal(a.table->rows[0][0], "3");
	table_free(&a.table);
}

static void close_calls_back_each_request_once(void **state)
{
	struct fixture *f = *state;
	struct answer running[2], waiting[3], cancelled_answer;
	struct op *cancelled;

	make_two_tenants(f);
	fixture_open(f, true);
	for (int i = 0; i < 2; i++)
		start(f, "acme", false, ENDLESS, NULL, 0, &running[i]);
	for (int i = 0; i < 3; i++)
		start(f, "vesper", false, ENDLESS, NULL, 0, &waiting[i]);
	cancelled = start(f, "vesper", false, ENDLESS, NULL, 0, &cancelled_answer);
	for (int i = 0; i < 20; i++) {
		usleep(1000);
		loop_run_once(f->loop);
	}
	op_cancel(&cancelled);
	db_close(&f->db);
	assert_null(f->db);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(running[i].calls, 1);
		assert_int_equal(running[i].err.code, ERR_CANCELLED);
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(waiting[i].calls, 1);
		assert_int_equal(waiting[i].err.code, ERR_CANCELLED);
	}
	assert_int_equal(cancelled_answer.calls, 0);
}

static void slow_query_does_not_block_loop(void **state)
{
	struct fixture *f = *state;
	struct answer a;
	struct op *op;

	make_two_tenants(f);
	fixture_open(f, true);
	op = start(f, "acme", false, ENDLESS, NULL, 0, &a);
	loop_longest_us(f->loop);
	for (int i = 0; i < 100; i++) {
		usleep(1000);
		loop_run_once(f->loop);
	}
	assert_true(loop_longest_us(f->loop) <
		    1000000); /* a blocked loop would take ten times as long */
	op_cancel(&op);
}

static void refuses_invalid_options(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, true);
	const struct db_tenant relative = {"acme", "acme.db"};
	struct err e = {0};
	struct db *d = NULL;

	options.dialect = DIALECT_POSTGRES;
	assert_false(db_open(f->loop, &options, &d, &e));
	assert_int_equal(e.code, ERR_INPUT);
	options = fixture_options(f, true);
	options.workers = 0;
	assert_false(db_open(f->loop, &options, &d, &e));
	options.workers = DB_WORKERS_MAX + 1;
	assert_false(db_open(f->loop, &options, &d, &e));
	options = fixture_options(f, true);
	options.tenants = &relative;
	options.tenant_count = 1;
	assert_false(db_open(f->loop, &options, &d, &e));
	assert_null(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(results_never_come_from_another_tenant),
		DB_TEST(deadline_stops_runaway_query),
		DB_TEST(deadline_includes_queue_time),
		DB_TEST(request_can_shorten_deadline_and_row_limit),
		DB_TEST(cancelled_query_stops_without_callback),
		DB_TEST(refuses_requests_when_queue_is_full),
		DB_TEST(refuses_unknown_tenants_and_writes_to_warehouse),
		DB_TEST(errors_contain_state_and_statement_but_no_values),
		DB_TEST(returns_one_table_per_statement),
		DB_TEST(close_calls_back_each_request_once),
		DB_TEST(slow_query_does_not_block_loop),
		DB_TEST(refuses_invalid_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
