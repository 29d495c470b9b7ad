/* A request owns copies of its input, and ends exactly once. */
#include "db_test.h"

static void copies_callers_memory(void **state)
{
	struct fixture *f = *state;
	char tenant[] = "acme", name[] = "a/b", text[] = "SELECT ? AS s", value[] = "kept";
	struct value v = value_text(value);
	struct source_statement statement = {.name = name, .text = text, .values = &v, .count = 1};
	const struct db_request request = {
		.tenant = tenant, .statements = &statement, .statement_count = 1};
	struct answer a = {0};

	fixture_open(f, false);
	db_query(f->db, &request, on_answer, &a);
	memset(tenant, 'x', sizeof(tenant) - 1);
	memset(name, 'x', sizeof(name) - 1);
	memset(text, 'x', sizeof(text) - 1);
	memset(value, 'x', sizeof(value) - 1);
	memset(&statement, 0, sizeof(statement));
	v = value_int(0);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_NONE);
	assert_string_equal(a.table->rows[0][0], "kept");
	assert_string_equal(a.table->name, "a/b");
	table_free(&a.table);
}

static void cancels_refused_request(void **state)
{
	struct fixture *f = *state;
	struct answer a;
	struct op *op;

	fixture_open(f, false);
	op = start(f, "nobody", false, "SELECT 1", NULL, 0, &a);
	op_cancel(&op);
	loop_run_once(f->loop);
	loop_run_once(f->loop);
	assert_int_equal(a.calls, 0);
}

struct pair {
	struct op *other;
	int calls;
};

static void on_first(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct pair *p = owner;

	assert_null(e);
	for (size_t i = 0; i < count; i++)
		table_free(&tables[i]);
	p->calls++;
	op_cancel(&p->other);
}

/* Two writes share a transaction. The callback of the first cancels the second, which is finished
 * but was not called back yet. */
static void callback_can_cancel_another_request(void **state)
{
	const struct source_statement statement = {.name = "t", .text = "INSERT INTO x VALUES (1)"};
	const struct db_request request = {
		.tenant = "acme", .statements = &statement, .statement_count = 1, .write = true};
	struct fixture *f = *state;
	struct answer first, second;
	struct pair pair = {0};

	fixture_open(f, false);
	exec_write(f, "acme", "CREATE TABLE x (n int)");
	start(f, "acme", true, "INSERT INTO x VALUES (0)", NULL, 0,
	      &first); /* the next two writes wait for it */
	db_query(f->db, &request, on_first, &pair);
	pair.other = start(f, "acme", true, "INSERT INTO x VALUES (2)", NULL, 0, &second);
	while (pair.calls == 0) {
		usleep(200);
		loop_run_once(f->loop);
	}
	exec_write(f, "acme", "INSERT INTO x VALUES (3)");
	assert_int_equal(first.calls, 1);
	assert_int_equal(second.calls, 0);
	assert_int_equal(pair.calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(copies_callers_memory),
		DB_TEST(cancels_refused_request),
		DB_TEST(callback_can_cancel_another_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
