/* Which files are found, and overrides for a dialect. */
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

static void override_applies_to_its_dialect_only(void **state)
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

static void rejects_invalid_overrides(void **state)
{
	(void)state;
	assert_change_rejected(OVERRIDE, STATEMENT, "p.tenant_id = :tenant_id", "1 = 1",
			       "get_price.mssql.sql:1: query main: no :tenant_id");
	assert_rejected(OVERRIDE, "-- about: other\n" STATEMENT,
			":1: only \"-- tool: get_price\" is allowed");
	assert_rejected(OVERRIDE, STATEMENT "--# query more\nSELECT 1", "must have the queries of");
	temp_root_write(&root, OVERRIDE, NULL);
	assert_rejected("sql/energy/prices/get_cost.sqlite.sql", STATEMENT,
			"the file get_cost.sql is missing");
}

static void rejects_unknown_files(void **state)
{
	(void)state;
	assert_rejected("sql/energy/prices/notes.txt", "x", "notes.txt:1: not a .sql file");
	temp_root_write(&root, "sql/energy/prices/notes.txt", NULL);
	assert_rejected("sql/energy/prices/broken.sql", "SELECT '",
			"broken.sql:1: ' is not closed");
	temp_root_write(&root, "sql/energy/prices/broken.sql", NULL);
	assert_rejected("sql/energy/other/get_price.sql", SMALL_TOOL, "already declares this tool");
}

#define FRAGMENTS "sql/energy/fragments.sql"
#define NEAR                                                                                       \
	"--# fragment near\n"                                                                      \
	"--? market: AND p.market = :market\n"

static struct arena *arena;

static const char *statement(enum dialect d)
{
	const struct sql_query *q = &catalog_tool(catalog, "get_price")->files[d]->queries[0];
	struct args args = {0};
	struct sql_bound out;
	struct err e = {0};

	for (size_t i = 0; i < q->marker_count; i++)
		if (strcmp(q->markers[i].name, "hours") != 0)
			args_set(&args, arena, q->markers[i].name, value_int(1));
	if (!sql_render(q, &args, d, arena, &out, &e))
		fail_msg("%s", e.text);
	return out.text;
}

/* A fragment gives the same statement as its lines written in place. */
static void inserts_fragments(void **state)
{
	char *with_fragment =
		with_change(SMALL_TOOL, "--? market: AND p.market = :market\n", ":{near}\n");
	const char *before, *hash;

	(void)state;
	arena = arena_new(1 << 20);
	load();
	before = statement(DIALECT_SQLITE);
	temp_root_write(&root, SMALL_TOOL_PATH, with_fragment);
	temp_root_write(&root, FRAGMENTS, "-- shared\n" NEAR);
	load();
	assert_string_equal(statement(DIALECT_SQLITE), before);
	hash = arena_strdup(arena, catalog->hash);
	temp_root_write(&root, FRAGMENTS, NEAR "AND 1 = 1\n");
	load();
	assert_string_not_equal(catalog->hash, hash);
	assert_non_null(strstr(statement(DIALECT_SQLITE), "AND 1 = 1"));
	arena_free(&arena);
	mem_free(with_fragment);
}

static void inserts_fragments_into_overrides(void **state)
{
	(void)state;
	arena = arena_new(1 << 20);
	temp_root_write(&root, OVERRIDE, STATEMENT ":{near}\n");
	temp_root_write(&root, FRAGMENTS, "--# fragment near\nAND 1 = 1\n");
	load();
	assert_non_null(strstr(statement(DIALECT_MSSQL), "AND 1 = 1"));
	assert_null(strstr(statement(DIALECT_SQLITE), "AND 1 = 1"));
	arena_free(&arena);
}

static void rejects_invalid_fragments(void **state)
{
	char *with_fragment =
		with_change(SMALL_TOOL, "--? market: AND p.market = :market\n", ":{near}\n");

	(void)state;
	assert_rejected(FRAGMENTS, "\n" NEAR,
			FRAGMENTS ":2: no tool of the pack uses fragment near");
	temp_root_write(&root, SMALL_TOOL_PATH, with_fragment);
	assert_rejected(FRAGMENTS, NEAR "AND p.x = '\n", FRAGMENTS ":3: ' is not closed");
	assert_rejected(FRAGMENTS, NEAR "--# query more\n",
			FRAGMENTS ":3: a fragment cannot contain a query");
	assert_rejected(FRAGMENTS, NEAR "AND p.x = :x\n",
			SMALL_TOOL_PATH ":18: query main: no param for marker x");
	assert_rejected(FRAGMENTS, NEAR "--# fragment firm\nAND 1 = 1\n",
			SMALL_TOOL_PATH ":1: param firm has the name of a fragment (" FRAGMENTS
					":3)");
	assert_rejected(FRAGMENTS, NULL, SMALL_TOOL_PATH ":21: unknown fragment near");
	assert_change_rejected(SMALL_TOOL_PATH, with_fragment, "ORDER BY",
			       "--# fragment near\nORDER BY 1\n--# fragment above\nORDER BY",
			       SMALL_TOOL_PATH ":29: fragment above is not used");
	mem_free(with_fragment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(inserts_fragments),         TEST(inserts_fragments_into_overrides),
		TEST(rejects_invalid_fragments), TEST(override_applies_to_its_dialect_only),
		TEST(rejects_invalid_overrides), TEST(rejects_unknown_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
