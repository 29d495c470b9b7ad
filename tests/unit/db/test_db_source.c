/* A database as a named source: calls, results and cancelled calls. */
#include "db_test.h"

struct batch_result {
	int calls;
	size_t batches;
	char first_cells[64];
	struct err err;
};

static void on_batches(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct batch_result *c = owner;

	c->calls++;
	c->batches = count;
	if (e)
		c->err = *e;
	for (size_t i = 0, n = 0; i < count; i++)
		n += (size_t)snprintf(c->first_cells + n, sizeof(c->first_cells) - n, "%s ",
				      batches[i].table->rows[0][0]);
	source_batches_free(batches, count);
}

static const struct source_statement statements[] = {
	{.name = "a", .text = "SELECT count(*) FROM dbo.x"},
	{.name = "b", .text = "SELECT 7"},
	{.name = "c", .text = "SELECT n FROM dbo.y"},
};

static struct source *open_source(struct fixture *f)
{
	tenant_file_make(f->acme, "acme");
	tenant_file_make(f->vesper, "vesper");
	file_exec(f->acme, "CREATE TABLE x (n int); INSERT INTO x VALUES (1), (2), (3)");
	fixture_open(f, true);
	return db_source(f->db, "clinic", "there");
}

static void wait_until_called(struct fixture *f, struct batch_result *c)
{
	int64_t end = clock_mono_ms() + 10000;

	while (c->calls == 0 && clock_mono_ms() < end)
		loop_run_once(f->loop);
	assert_int_equal(c->calls, 1);
}

static void returns_one_batch_per_statement(void **state)
{
	struct fixture *f = *state;
	struct source *s = open_source(f);
	struct batch_result c = {0};

	assert_string_equal(s->name, "clinic");
	assert_string_equal(s->identity, "there");
	assert_true(s->supports_sql);
	assert_int_equal(s->dialect, DIALECT_SQLITE);
	s->start(s, &(struct source_call){.tenant = "acme", .statements = statements, .count = 2},
		 on_batches, &c);
	assert_int_equal(c.calls, 0); /* never inside the call */
	wait_until_called(f, &c);
	assert_int_equal(c.err.code, ERR_NONE);
	assert_string_equal(c.first_cells, "3 7 ");
	s->close(s);
}

static void failure_returns_no_batches(void **state)
{
	struct fixture *f = *state;
	struct source *s = open_source(f);
	struct batch_result c = {0};

	s->start(s, &(struct source_call){.tenant = "acme", .statements = statements, .count = 3},
		 on_batches, &c);
	wait_until_called(f, &c);
	assert_int_equal(c.err.code, ERR_INTERNAL);
	assert_int_equal(c.batches, 0);
	c = (struct batch_result){0};
	s->start(s, &(struct source_call){.tenant = "nobody", .statements = statements, .count = 1},
		 on_batches, &c);
	wait_until_called(f, &c);
	assert_int_equal(c.err.code, ERR_DENIED);
	s->close(s);
}

static void cancelled_call_gets_no_callback(void **state)
{
	struct fixture *f = *state;
	struct source *s = open_source(f);
	struct batch_result cancelled = {0}, c = {0};
	const struct source_call call = {.tenant = "acme", .statements = statements, .count = 1};
	struct op *op = s->start(s, &call, on_batches, &cancelled);

	op_cancel(&op);
	s->start(s, &call, on_batches, &c);
	wait_until_called(f, &c);
	assert_int_equal(cancelled.calls, 0);
	s->close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(returns_one_batch_per_statement, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(failure_returns_no_batches, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(cancelled_call_gets_no_callback, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
