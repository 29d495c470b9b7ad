/* Tenants take turns: many requests of one tenant delay only that tenant. Also run under TSan. */
#include "odbc_test.h"

#include "db_int.h"

#define ANY "rows|SELECT|n:int|1\n"

static void share_leaves_workers_for_others(void **state)
{
	(void)state;
	assert_int_equal(db_queue_share(8, 1), 8);
	assert_int_equal(db_queue_share(8, 2), 6);
	assert_int_equal(db_queue_share(4, 2), 3);
	assert_int_equal(db_queue_share(3, 50), 2);
	assert_int_equal(db_queue_share(2, 50), 2);
	assert_int_equal(db_queue_share(1, 50), 1);
}

static struct db_options options_of(struct fixture *f, size_t workers, const char *script)
{
	struct db_options o = fake_options(f, script);

	o.workers = workers;
	return o;
}

/* Endless statements occupy all workers that one tenant may use; another tenant's query still runs.
 */
static void slow_queries_leave_a_worker_for_others(void **state)
{
	struct fixture *f = *state;
	struct db_options o = options_of(f, 4, "rows|SELECT|n:int|1\ndelay|=SELECT slow|0|20000\n");
	static struct answer slow[20];
	struct op *ops[20];
	struct answer quick;

	assert_true(db_open(f->loop, &o, &f->db, NULL));
	for (int i = 0; i < 20; i++)
		ops[i] = start(f, "acme", false, "SELECT slow", NULL, 0, &slow[i]);
	while (recorded_count("prepare SELECT slow") < 3) {
		usleep(1000);
		loop_run_once(f->loop);
	}
	start(f, "vesper", false, "SELECT quick", NULL, 0, &quick);
	wait_for(f, &quick);
	assert_int_equal(quick.err.code, ERR_NONE);
	table_free(&quick.table);
	assert_int_equal(recorded_count("prepare SELECT slow"), 3);
	for (int i = 0; i < 20; i++)
		op_cancel(&ops[i]);
}

static int order[64];
static int order_count;

static void on_ordered(void *owner, struct table **tables, size_t count, const struct err *e)
{
	assert_null(e);
	order[order_count++] = *(const int *)owner;
	for (size_t i = 0; i < count; i++)
		table_free(&tables[i]);
}

static void start_ordered(struct fixture *f, const char *tenant, const int *tenant_number)
{
	const struct source_statement statement = {.name = "t", .text = "SELECT 1"};
	const struct db_request request = {
		.tenant = tenant, .statements = &statement, .statement_count = 1};

	db_query(f->db, &request, on_ordered, (void *)(uintptr_t)tenant_number);
}

/* Thirty requests of one tenant, then one of each other tenant, which do not wait for the thirty.
 */
static void tenants_take_turns(void **state)
{
	static const int acme = 1, vesper = 2, fourth = 4;
	struct fixture *f = *state;
	struct db_options o = options_of(f, 1, ANY);

	order_count = 0;
	assert_true(db_open(f->loop, &o, &f->db, NULL));
	for (int i = 0; i < 30; i++)
		start_ordered(f, "acme", &acme);
	start_ordered(f, "vesper", &vesper);
	start_ordered(f, "fourth", &fourth);
	while (order_count < 32) {
		usleep(200);
		loop_run_once(f->loop);
	}
	assert_int_equal(order[0], 1);
	assert_true(order[1] == 2 || order[2] == 2);
	assert_true(order[2] == 4 || order[3] == 4);
}

static void one_tenant_cannot_fill_the_queue(void **state)
{
	struct fixture *f = *state;
	struct db_options o = options_of(f, 1, ANY "delay|=SELECT slow|0|20000\n");
	struct answer running, waiting[3], refused, other;
	struct op *ops[5];

	o.queue = 4;
	assert_true(db_open(f->loop, &o, &f->db, NULL));
	ops[0] = start(f, "acme", false, "SELECT slow", NULL, 0, &running);
	for (int i = 0; i < 3; i++)
		ops[i + 1] = start(f, "acme", false, "SELECT 1", NULL, 0, &waiting[i]);
	start(f, "acme", false, "SELECT 1", NULL, 0, &refused);
	ops[4] = start(f, "vesper", false, "SELECT 1", NULL, 0, &other);
	wait_for(f, &refused);
	assert_int_equal(refused.err.code, ERR_LIMIT);
	assert_non_null(strstr(refused.err.text, "acme"));
	assert_int_equal(other.calls, 0);
	for (int i = 0; i < 5; i++)
		op_cancel(&ops[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(share_leaves_workers_for_others),
		DB_TEST(slow_queries_leave_a_worker_for_others),
		DB_TEST(tenants_take_turns),
		DB_TEST(one_tenant_cannot_fill_the_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
