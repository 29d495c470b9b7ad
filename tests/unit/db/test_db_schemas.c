/* Schema names under which a file is attached; they may change while connections are open. */
#include "db_test.h"

static void make_two_files(struct fixture *f)
{
	tenant_file_make(f->acme, "acme");
	tenant_file_make(f->vesper, "vesper");
	file_exec(f->acme, "CREATE TABLE x (n int); INSERT INTO x VALUES (7)");
}

static void check_query(struct fixture *f, const char *text, enum err_code code)
{
	struct answer a = {0};

	start(f, "acme", false, text, NULL, 0, &a);
	wait_for(f, &a);
	if (a.err.code != code)
		fail_msg("%s: %s", text, a.err.text);
	if (code == ERR_NONE)
		assert_string_equal(a.table->rows[0][0], "7");
	table_free(&a.table);
}

static void use_schemas(struct fixture *f, const char *const *schemas)
{
	struct err e = {0};

	if (!db_use_schemas(f->db, schemas, &e))
		fail_msg("%s", e.text);
}

static void new_schemas_replace_old_ones(void **state)
{
	struct fixture *f = *state;

	make_two_files(f);
	fixture_open(f, true);
	check_query(f, "SELECT n FROM dbo.x", ERR_NONE);
	check_query(f, "SELECT n FROM pv.x", ERR_INTERNAL);
	use_schemas(f, (const char *const[]){"pv", "Stage", NULL});
	check_query(f, "SELECT n FROM pv.x", ERR_NONE);
	check_query(f, "SELECT n FROM Stage.x", ERR_NONE);
	check_query(f, "SELECT n FROM dbo.x", ERR_INTERNAL);
	use_schemas(f, (const char *const[]){"a", "b", "c", "d", "e", "f", "g", "h", NULL});
	check_query(f, "SELECT n FROM h.x", ERR_NONE);
}

static void rejects_invalid_schema_names(void **state)
{
	static const char *const bad[] = {"", "a b", "a;", "main", "TEMP", "1a", "a.b", "\"a\""};
	struct fixture *f = *state;
	struct err e = {0};

	make_two_files(f);
	fixture_open(f, true);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(db_use_schemas(f->db, (const char *const[]){bad[i], NULL}, &e));
	assert_string_equal(e.text, "warehouse: \"a\" is not a valid schema name");
	assert_false(db_use_schemas(
		f->db, (const char *const[]){"a", "b", "c", "d", "e", "f", "g", "h", "i", NULL},
		&e));
	assert_string_equal(e.text, "warehouse: more than 8 schemas");
	check_query(f, "SELECT n FROM dbo.x", ERR_NONE); /* the previous schemas are still in use */
}

static void refuses_queries_without_schemas(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, true);
	struct answer a = {0};
	struct err e = {0};

	make_two_files(f);
	options.schemas = NULL;
	assert_true(db_open(f->loop, &options, &f->db, &e));
	start(f, "acme", false, "SELECT 7", NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_INPUT);
	use_schemas(f, (const char *const[]){"dbo", NULL});
	check_query(f, "SELECT n FROM dbo.x", ERR_NONE);
}

/* A file that serves a single tenant has no tenant mark. */
static void single_tenant_file_serves_only_its_tenant(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, true);
	struct answer a = {0};
	struct err e = {0};

	file_exec(f->acme, "CREATE TABLE x (n int); INSERT INTO x VALUES (7)");
	options.one_tenant = true;
	assert_false(db_open(f->loop, &options, &f->db, &e));
	assert_string_equal(e.text, "warehouse: one_tenant requires exactly one tenant");
	options.tenant_count = 1;
	assert_true(db_open(f->loop, &options, &f->db, &e));
	check_query(f, "SELECT n FROM dbo.x", ERR_NONE);
	start(f, "vesper", false, "SELECT n FROM dbo.x", NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_DENIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(new_schemas_replace_old_ones),
		DB_TEST(rejects_invalid_schema_names),
		DB_TEST(refuses_queries_without_schemas),
		DB_TEST(single_tenant_file_serves_only_its_tenant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
