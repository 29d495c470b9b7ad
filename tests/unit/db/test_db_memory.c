/* A statement's memory is limited; other statements are not affected. */
#include "db_test.h"

#include "vesper/limits.h"

#define NUMBERS "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT %d) "

/* Small enough that sanitizers do not map and unmap each row, which would take minutes. */
#define ROW_BYTES 100000

/* DISTINCT stores every row until the last one is read. */
static struct err select_distinct(struct fixture *f, int rows)
{
	char text[512];
	struct answer a;

	snprintf(text, sizeof(text),
		 NUMBERS "SELECT DISTINCT n || printf('%%.*c', %d, 'a') AS s FROM c", rows,
		 ROW_BYTES);
	start(f, "acme", false, text, NULL, 0, &a);
	wait_for(f, &a);
	table_free(&a.table);
	return a.err;
}

static void limits_memory_per_statement(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, true);

	options.timeout_ms = 300000; /* a busy machine takes a minute */
	/* The database is opened before other code uses the library, as in the daemon. */
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	tenant_file_make(f->acme, "acme");
	for (int i = 0; i < 2; i++) {
		struct err e = select_distinct(f, DB_STATEMENT_BYTES_MAX / ROW_BYTES + 1);

		assert_int_equal(e.code, ERR_LIMIT);
		assert_non_null(strstr(e.text, "memory"));
		e = select_distinct(f, 10000000 / ROW_BYTES);
		assert_int_equal(e.code, ERR_NONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(limits_memory_per_statement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
