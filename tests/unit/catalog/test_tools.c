/* Which files are found, and a dialect's own text. */
#include "catalog_test.h"

#define OVERRIDE "sql/energy/prices/get_price.mssql.sql"
#define STATEMENT                                                                                  \
	"SELECT TOP 5 p.hub AS \"Hub\", p.price AS \"Price\"\n"                                    \
	"--? may_read_budget: , p.cost AS \"Cost\"\n"                                              \
	"FROM dbo.prices p WHERE p.tenant_id = :tenant_id AND p.hub = :hub AND p.year = :year\n"   \
	"--? market: AND p.market = :market\n"                                                     \
	"--? hours: AND p.hour IN (:hours...)\n"                                                   \
	"--? name: AND p.name LIKE :name\n"                                                        \
	"--? since: AND p.day >= :since\n"                                                         \
	"--? above: AND p.price > :above\n"                                                        \
	"--? firm: AND p.firm = :firm\n"

static void an_override_serves_its_dialect_only(void **state)
{
	(void)state;
	temp_root_write(&root, OVERRIDE, "-- tool: get_price\n" STATEMENT);
	load();
	const struct tool_def *t = catalog_tool(catalog, "get_price");

	assert_string_equal(t->files[DIALECT_MSSQL]->path, OVERRIDE);
	assert_ptr_equal(t->files[DIALECT_SQLITE], t->files[DIALECT_POSTGRES]);
	assert_string_equal(t->files[DIALECT_SQLITE]->path, SMALL_TOOL_PATH);
	assert_int_equal(t->param_count, 8);
}

static void an_override_is_checked_too(void **state)
{
	(void)state;
	refused_change(OVERRIDE, STATEMENT, "p.tenant_id = :tenant_id", "1 = 1",
		       "get_price.mssql.sql:1: query main: no :tenant_id");
	refused(OVERRIDE, "-- about: other\n" STATEMENT,
		":1: only \"-- tool: get_price\" may stand");
	refused(OVERRIDE, STATEMENT "--# query more\nSELECT 1", "must have the queries of");
	temp_root_write(&root, OVERRIDE, NULL);
	refused("sql/energy/prices/get_cost.sqlite.sql", STATEMENT, "there is no get_cost.sql");
}

static void odd_files_are_refused(void **state)
{
	(void)state;
	refused("sql/energy/prices/notes.txt", "x", "notes.txt:1: not a .sql file");
	temp_root_write(&root, "sql/energy/prices/notes.txt", NULL);
	refused("sql/energy/prices/broken.sql", "SELECT '", "broken.sql:1: ' is not closed");
	temp_root_write(&root, "sql/energy/prices/broken.sql", NULL);
	refused("sql/energy/other/get_price.sql", SMALL_TOOL, "has this tool already");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_override_serves_its_dialect_only),
		TEST(an_override_is_checked_too),
		TEST(odd_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
