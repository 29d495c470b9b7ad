/* The scripted database fulfils the contract of db.h, so tests against it are valid for a real one.
 */
#include "db_test.h"

#include "fake_db.c"

struct script {
	struct loop *loop;
	struct fake_db *fake;
	struct db *db;
};

static int script_setup(void **state)
{
	struct script *s = mem_alloc(sizeof(*s));

	assert_true(loop_new(&s->loop, NULL));
	s->fake = fake_db_new(s->loop, DIALECT_SQLITE);
	s->db = fake_db_db(s->fake);
	assert_int_equal(db_dialect(s->db), DIALECT_SQLITE);
	*state = s;
	return 0;
}

static int script_teardown(void **state)
{
	struct script *s = *state;

	db_close(&s->db);
	fake_db_free(&s->fake);
	loop_free(&s->loop);
	mem_free(s);
	return 0;
}

static struct op *query(struct script *s, const char *name, const struct value *values,
			size_t count, int64_t timeout_ms, struct answer *a)
{
	const struct source_statement statement = {
		.name = name, .text = "-", .values = values, .count = count};
	const struct db_request r = {.tenant = "acme",
				     .statements = &statement,
				     .statement_count = 1,
				     .timeout_ms = timeout_ms};
	struct op *op;

	*a = (struct answer){0};
	op = db_query(s->db, &r, on_answer, a);
	assert_int_equal(a->calls, 0); /* never inside the call */
	return op;
}

static void returns_scripted_table(void **state)
{
	const struct value values[] = {value_text("Ascend"), value_int(2025), value_null()};
	struct script *s = *state;
	struct answer a;

	fake_db_expect(s->fake, "t/main", "Ascend|2025|NULL");
	fake_db_columns(s->fake, "Price:decimal|Zone");
	fake_db_row(s->fake, "48.73|NP15");
	fake_db_row(s->fake, "|SP15");
	fake_db_total(s->fake, 900);
	query(s, "t/main", values, 3, 0, &a);
	loop_run(s->loop);
	assert_int_equal(a.calls, 1);
	assert_int_equal(a.table->row_count, 2);
	assert_int_equal(a.table->columns[0].type, COLUMN_DECIMAL);
	assert_string_equal(a.table->rows[0][0], "48.73");
	assert_null(a.table->rows[1][0]);
	assert_true(a.table->stats[0].numeric);
	assert_int_equal(a.table->stats[0].nulls, 1);
	assert_int_equal(a.table->total_rows, 900);
	assert_true(a.table->truncated);
	assert_int_equal(fake_db_unmet(s->fake), 0);
	assert_null(fake_db_complaint(s->fake));
	assert_string_equal(fake_db_statement(s->fake, 0), "acme t/main(Ascend|2025|NULL)");
	assert_null(fake_db_statement(s->fake, 1));
	table_free(&a.table);
}

static void unexpected_statement_fails_and_is_reported(void **state)
{
	const struct value other = value_text("Hitachi");
	struct script *s = *state;
	struct answer a, b;

	fake_db_expect(s->fake, "t/main", "Ascend");
	query(s, "t/main", &other, 1, 0, &a);
	query(s, "unknown", NULL, 0, 0, &b);
	loop_run(s->loop);
	assert_int_equal(a.err.code, ERR_INTERNAL);
	assert_int_equal(b.err.code, ERR_INTERNAL);
	assert_non_null(strstr(fake_db_complaint(s->fake), "Hitachi"));
	assert_int_equal(fake_db_statements(s->fake), 2);
}

static void returns_errors_delays_and_repeats(void **state)
{
	struct script *s = *state;
	struct answer failed, delayed, repeated;
	uint64_t start = loop_now_ms(s->loop);

	fake_db_expect(s->fake, "fails", NULL);
	fake_db_fail(s->fake, ERR_UPSTREAM, true);
	fake_db_expect(s->fake, "late", NULL);
	fake_db_delay(s->fake, 20);
	fake_db_expect(s->fake, "ever", NULL);
	fake_db_always(s->fake);
	query(s, "late", NULL, 0, 0, &delayed);
	query(s, "fails", NULL, 0, 0, &failed);
	query(s, "ever", NULL, 0, 0, &repeated);
	query(s, "ever", NULL, 0, 0, &repeated);
	while (!failed.calls)
		loop_run_once(s->loop);
	assert_int_equal(failed.err.code, ERR_UPSTREAM);
	assert_true(failed.err.may_retry);
	assert_int_equal(delayed.calls, 0);
	loop_run(s->loop);
	assert_int_equal(delayed.calls, 1);
	assert_int_equal(delayed.tables, 0);
	assert_true(loop_now_ms(s->loop) - start >= 20);
	assert_null(fake_db_complaint(s->fake));
}

static void stalled_query_ends_by_timeout_cancel_or_close(void **state)
{
	struct script *s = *state;
	struct answer limited, cancelled, closed;
	struct op *op;

	fake_db_expect(s->fake, "silent", NULL);
	fake_db_stall(s->fake);
	fake_db_always(s->fake);
	query(s, "silent", NULL, 0, 10, &limited);
	op = query(s, "silent", NULL, 0, 0, &cancelled);
	query(s, "silent", NULL, 0, 0, &closed);
	loop_run(s->loop);
	assert_int_equal(limited.err.code, ERR_TIMEOUT);
	op_cancel(&op);
	assert_int_equal(fake_db_cancelled(s->fake), 1);
	assert_int_equal(closed.calls, 0);
	db_close(&s->db);
	assert_int_equal(closed.calls, 1);
	assert_int_equal(closed.err.code, ERR_CANCELLED);
	assert_int_equal(cancelled.calls, 0);
}

int main(void)
{
#define SCRIPT_TEST(f) cmocka_unit_test_setup_teardown(f, script_setup, script_teardown)
	const struct CMUnitTest tests[] = {
		SCRIPT_TEST(returns_scripted_table),
		SCRIPT_TEST(unexpected_statement_fails_and_is_reported),
		SCRIPT_TEST(returns_errors_delays_and_repeats),
		SCRIPT_TEST(stalled_query_ends_by_timeout_cancel_or_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
