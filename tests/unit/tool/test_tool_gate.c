/* Ad hoc SELECTs on a real SQLite file with rows of two tenants, which only the conditions of the
 * gate separate; and statements that the connection rejects when they bypass the gate. */
#include "tool_test.h"

#include <sqlite3.h>
#include <unistd.h>

#include "vesper/limits.h"
#include "view_tree.h"

#define AD_HOC_TOOL                                                                                \
	"-- tool: own_sql\n"                                                                       \
	"-- about: Runs one SELECT.\n"                                                             \
	"-- permission: chat:read_budget\n"                                                        \
	"-- visible: agents\n"                                                                     \
	"-- agents: price_agent\n"                                                                 \
	"-- gate: sql\n"                                                                           \
	"-- param sql text required A SELECT. Views:\n"

#define VIEWS                                                                                      \
	"{\"views\": [{\"name\": \"dbo.prices\", \"about\": \"prices\", \"permission\": "          \
	"\"chat:read\", \"columns\": [\"hub\", \"n\", \"tenant_id\"], \"columns_with\": "          \
	"{\"chat:spend\": [\"cost\"]}},"                                                           \
	"{\"name\": \"dbo.deals\", \"about\": \"deals\", \"permission\": \"chat:spend\", "         \
	"\"columns\": [\"hub\", \"tenant_id\"]},"                                                  \
	"{\"name\": \"dbo.loose\", \"about\": \"no tenant\", \"columns\": [\"hub\"]}],"

static char file[] = "/tmp/vesper-own-XXXXXX";
static const struct db_tenant tenants[] = {{"acme", file}, {"globex", file}};
static struct db *real;
static const char *const all[] = {"chat:use", "chat:read", "chat:read_budget", "chat:view_sql",
				  "chat:spend"};

static void make_file(void)
{
	sqlite3 *native;
	char *message = NULL;
	int fd = mkstemp(file);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sqlite3_open(file, &native), SQLITE_OK);
	if (sqlite3_exec(native,
			 "CREATE TABLE vesper_tenant (tenant_id nvarchar(100) NOT NULL PRIMARY KEY)"
			 " WITHOUT ROWID; INSERT INTO vesper_tenant VALUES ('acme');"
			 "CREATE TABLE prices (hub nvarchar(20), n int, cost int, tenant_id "
			 "nvarchar(100));"
			 "CREATE TABLE deals (hub nvarchar(20), tenant_id nvarchar(100));"
			 "CREATE TABLE loose (hub nvarchar(20));"
			 "INSERT INTO prices VALUES ('E1', 1, 77, 'acme'), ('E2', 2, 78, 'acme'), "
			 "('GLOBEX', 666, 666, 'globex'), ('NOBODY', 666, 666, NULL);"
			 "INSERT INTO deals VALUES ('E1', 'acme'), ('GLOBEX', 'globex');"
			 "INSERT INTO loose VALUES ('GLOBEX');"
			 "WITH RECURSIVE i(n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM i WHERE n < "
			 "1000) INSERT INTO prices SELECT 'many', n, 0, 'acme' FROM i",
			 NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s", message);
	sqlite3_close(native);
}

static int set_up_gate(void **state)
{
	struct db_options o = {.name = "warehouse",
			       .dialect = DIALECT_SQLITE,
			       .dsn = "",
			       .read_only = true,
			       .schemas = (const char *const[]){"dbo", "Stage", NULL},
			       .workers = 1,
			       .queue = 10,
			       .max_rows = DB_ROWS_MAX,
			       .timeout_ms = 60000,
			       .tenants = tenants,
			       .tenant_count = 2};
	struct toolbox_options options = {0};
	struct err e = {0};
	char *catalogue;

	set_up(state);
	make_file();
	catalogue = mem_printf("%s%s", VIEWS, strstr(SMALL_CATALOGUE, "\n \"dimensions\""));
	temp_root_write(&root, "config/energy/catalogue.json", catalogue);
	mem_free(catalogue);
	temp_root_write(&root, "config/permissions.json",
			"{\"permissions\": [\"chat:use\", \"chat:read\", \"chat:read_budget\", "
			"\"chat:view_sql\", \"chat:spend\"], \"roles\": {}}");
	temp_root_write(&root, "sql/energy/own/own_sql.sql", AD_HOC_TOOL);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e) ||
	    !db_open(loop, &o, &real, &e))
		fail_msg("%s", e.text);
	options.loop = loop;
	options.catalog = catalog;
	options.sources = sources_of(real);
	if (!toolbox_new(&options, &box, &e))
		fail_msg("%s", e.text);
	who.permissions = all;
	who.permission_count = 4;
	return 0;
}

static int tear_down_gate(void **state)
{
	toolbox_free(&box);
	db_close(&real);
	sources_free();
	unlink(file);
	memcpy(file + sizeof(file) - 7, "XXXXXX", 6);
	return tear_down(state);
}

static enum outcome_kind run_sql(const char *sql)
{
	json_t *args = json_object();
	struct tool_request request = {.call = "c1",
				       .agent = "price_agent",
				       .tool = "own_sql",
				       .who = &who,
				       .today = {2026, 2, 27},
				       .args = args};

	json_set_str(args, "sql", sql);
	start(&request);
	json_decref(args);
	while (answers == 0) {
		loop_run_once(loop);
		usleep(200);
	}
	return answer->outcome.kind;
}

static const char *cell(size_t row, size_t column)
{
	return answer->tables[0]->rows[row][column];
}

static void runs_statements_that_pass_the_gate(void **state)
{
	json_t *view;

	(void)state;
	assert_int_equal(run_sql("SELECT hub, n * 2 AS twice FROM prices WHERE n < 3 ORDER BY n"),
			 OUTCOME_ROWS);
	assert_int_equal(answer->tables[0]->row_count, 2);
	assert_string_equal(cell(0, 0), "E1");
	assert_string_equal(cell(1, 1), "4");
	view = view_tree(answer, answer->tables[0], "v1");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(view, "source"), "sql")),
		"SELECT hub, n * 2 AS twice FROM (SELECT hub, n FROM dbo.prices WHERE "
		"tenant_id = ?) AS prices WHERE n < 3 ORDER BY n LIMIT 501");
	json_decref(view);
	who.permission_count = 3; /* without chat:view_sql */
	assert_int_equal(run_sql("SELECT hub FROM prices"), OUTCOME_ROWS);
	assert_null(answer->sql);
}

static void returns_only_rows_of_the_tenant(void **state)
{
	static const char *const statements[] = {
		"SELECT * FROM prices WHERE n > 500 OR 1 = 1 ORDER BY n DESC",
		"SELECT hub FROM prices WHERE tenant_id = 'globex' OR tenant_id <> 'acme'",
		"SELECT hub FROM prices WHERE tenant_id IS NULL OR hub = 'GLOBEX'",
		"SELECT a.hub FROM prices a FULL JOIN prices b ON a.hub <> b.hub WHERE a.n > 600",
		"SELECT hub FROM prices UNION SELECT hub FROM prices p ORDER BY hub",
		"WITH prices AS (SELECT hub FROM dbo.prices) SELECT hub FROM prices ORDER BY hub",
		"SELECT (SELECT MAX(p.hub) FROM prices p WHERE p.n = 666) AS hub FROM prices",
		"SELECT hub FROM (SELECT hub, tenant_id FROM prices) x WHERE tenant_id LIKE '%'",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		enum outcome_kind kind = run_sql(statements[i]);
		if (kind != OUTCOME_ROWS && kind != OUTCOME_EMPTY)
			fail_msg("%s: %s", statements[i], answer->outcome.detail);
		for (size_t r = 0; r < answer->tables[0]->row_count; r++)
			for (size_t c = 0; c < answer->tables[0]->column_count; c++)
				if (cell(r, c) &&
				    (strstr(cell(r, c), "GLOBEX") || strstr(cell(r, c), "NOBODY")))
					fail_msg("%s gives %s", statements[i], cell(r, c));
	}
}

static void permissions_decide_columns_and_views(void **state)
{
	(void)state;
	assert_int_equal(run_sql("SELECT * FROM prices WHERE n = 1"), OUTCOME_ROWS);
	assert_int_equal(answer->tables[0]->column_count, 3); /* * selects only readable columns */
	assert_int_equal(run_sql("SELECT cost FROM prices"), OUTCOME_ERROR);
	assert_non_null(strstr(answer->outcome.detail, "column 8: you lack the permission"));
	assert_int_equal(run_sql("SELECT hub FROM prices WHERE cost = 77"), OUTCOME_ERROR);
	assert_int_equal(run_sql("SELECT hub FROM deals"), OUTCOME_ERROR);
	assert_non_null(strstr(answer->outcome.detail, "not an approved view"));
	assert_int_equal(run_sql("SELECT hub FROM loose"),
			 OUTCOME_ERROR); /* it has no tenant column */
	who.permission_count = 5;
	assert_int_equal(run_sql("SELECT cost FROM prices WHERE n = 1"), OUTCOME_ROWS);
	assert_string_equal(cell(0, 0), "77");
	assert_int_equal(run_sql("SELECT hub FROM deals"), OUTCOME_ROWS);
	assert_int_equal(answer->tables[0]->row_count, 1);
}

/* Results are compared later, and statements need not define an order of rows. */
static void hash_ignores_row_order(void **state)
{
	char hash[HASH_HEX_BYTES];

	(void)state;
	assert_int_equal(run_sql("SELECT hub, n FROM prices WHERE n < 9 ORDER BY n"), OUTCOME_ROWS);
	assert_int_equal(strlen(answer->hash), 64);
	memcpy(hash, answer->hash, sizeof(hash));
	assert_int_equal(run_sql("SELECT hub, n FROM prices WHERE n < 9 ORDER BY n DESC"),
			 OUTCOME_ROWS);
	assert_string_equal(answer->hash, hash);
	assert_int_equal(run_sql("SELECT hub, n FROM prices WHERE n < 8"), OUTCOME_ROWS);
	assert_string_not_equal(answer->hash, hash);
	assert_int_equal(run_sql("SELECT hub, n FROM prices"),
			 OUTCOME_ROWS); /* truncated without an order */
	assert_true(answer->outcome.truncated);
	assert_string_equal(answer->hash, "");
}

static void tool_requires_permission(void **state)
{
	(void)state;
	who.permission_count = 2;
	assert_int_equal(run_sql("SELECT hub FROM prices"), OUTCOME_NOT_PERMITTED);
	who.permission_count = 4;
	struct catalog_view view;
	catalog_for(catalog, &who, arena, &view);
	assert_int_equal(view.agent_tool_count, 1);
	assert_false(catalog_allows(&view, view.agent_tools[0], NULL)); /* not for the supervisor */
	who.permission_count = 2;
	catalog_for(catalog, &who, arena, &view);
	assert_int_equal(view.agent_tool_count, 0);
}

static void refusals_name_the_problem(void **state)
{
	static const char *const statements[][2] = {
		{"DELETE FROM prices", "SELECT expected"},
		{"SELECT hub FROM prices; DROP TABLE prices", "only one statement is allowed"},
		{"SELECT hubb FROM prices", "the nearest is hub"},
		{"SELECT name FROM sqlite_master", "not an approved view"},
		{"SELECT load_extension('x') FROM prices", "function"},
		{"SELECT hub FROM prices WHERE hub = ?", ""},
		{"SELECT hub FROM prices -- all", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		assert_int_equal(run_sql(statements[i][0]), OUTCOME_ERROR);
		assert_string_equal(answer->outcome.code, "SQL_GENERATION_FAILED");
		if (!strstr(answer->outcome.detail, "The SQL is refused: column") ||
		    !strstr(answer->outcome.detail, statements[i][1]))
			fail_msg("%s: %s", statements[i][0], answer->outcome.detail);
	}
}

/* The database's message may contain values, so the caller only learns that the statement failed.
 */
static void hides_database_error_text(void **state)
{
	(void)state;
	assert_int_equal(run_sql("SELECT SUM(9223372036854775807) FROM prices"), OUTCOME_ERROR);
	assert_string_equal(answer->outcome.detail,
			    "The database can't run this statement as it is written.");
	assert_string_equal(answer->outcome.code, "SQL_GENERATION_FAILED");
}

static void marks_truncated_result(void **state)
{
	(void)state;
	assert_int_equal(run_sql("SELECT n FROM prices"), OUTCOME_ROWS);
	assert_true(answer->outcome.truncated);
	assert_int_equal(answer->tables[0]->row_count, DB_ROWS_MAX);
	assert_false(answer->tables[0]->is_total_exact);
	assert_true(answer->tables[0]->stats[0].partial);
	assert_int_equal(run_sql("SELECT n FROM prices FETCH FIRST 500 ROWS ONLY"), OUTCOME_ROWS);
	assert_false(answer->outcome.truncated);
}

/* --check compares the catalogue's columns with the existing views. */
static void on_problem(void *owner, const char *text)
{
	const char **reported = owner;

	*reported = arena_printf(arena, "%s%s\n", *reported, text);
}

static void on_done(void *owner)
{
	(void)owner;
	answers++;
}

static void columns_are_checked_against_the_database(void **state)
{
	struct toolbox_options o = {.loop = loop, .sources = sources_of(real)};
	const char *problems = "";
	char *catalogue = mem_printf("%s%s", VIEWS, strstr(SMALL_CATALOGUE, "\n \"dimensions\""));
	struct err e = {0};

	(void)state;
	memcpy(strstr(catalogue, "\"cost\""), "\"loss\"", 6);
	temp_root_write(&root, "config/energy/catalogue.json", catalogue);
	temp_root_write(&root, SMALL_TOOL_PATH,
			"-- tool: get_price\n-- about: x\n-- permission: chat:read\n"
			"SELECT hub FROM dbo.prices WHERE tenant_id = :tenant_id\n");
	mem_free(catalogue);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	toolbox_free(&box);
	o.catalog = catalog;
	assert_true(toolbox_new(&o, &box, &e));
	answers = 0;
	toolbox_check(box, "acme", on_problem, on_done, &problems);
	while (answers == 0) {
		loop_run_once(loop);
		usleep(200);
	}
	assert_non_null(strstr(problems, "loss"));
}

static void long_sql_is_refused(void **state)
{
	char *sql = mem_alloc(1 << 20);

	(void)state;
	memset(sql, ' ', (1 << 20) - 1);
	assert_int_equal(run_sql(sql), OUTCOME_ERROR);
	mem_free(sql);
}

/* ---- statements that bypass the gate ---- */

static struct err sent_error;
static bool sent_ok;
static int sent;

static void on_sent(void *owner, struct table **tables, size_t count, const struct err *e)
{
	(void)owner;
	for (size_t i = 0; i < count; i++)
		table_free(&tables[i]);
	sent_ok = !e;
	sent_error = e ? *e : (struct err){0};
	sent++;
}

static bool runs_without_gate(const char *sql)
{
	struct source_statement statement = {.name = "probe", .text = sql};
	struct db_request request = {
		.tenant = "acme", .statements = &statement, .statement_count = 1};

	sent = 0;
	(void)db_query(real, &request, on_sent, NULL);
	while (sent == 0) {
		loop_run_once(loop);
		usleep(200);
	}
	return sent_ok;
}

static void connection_rejects_statements_that_bypass_the_gate(void **state)
{
	static const char *const probes[] = {
		"INSERT INTO dbo.prices VALUES ('x', 1, 1, 'acme')",
		"UPDATE dbo.prices SET n = 0",
		"DELETE FROM Stage.prices",
		"DROP TABLE dbo.prices",
		"CREATE TABLE dbo.mine (a int)",
		"CREATE TABLE main.mine (a int)",
		"CREATE TEMP TABLE mine (a int)",
		"CREATE TEMP VIEW mine AS SELECT 1",
		"ALTER TABLE dbo.prices ADD COLUMN x int",
		"ATTACH '/tmp/other.db' AS other",
		"ATTACH ':memory:' AS other",
		"DETACH dbo",
		"PRAGMA query_only = 0",
		"PRAGMA writable_schema = 1",
		"PRAGMA journal_mode = DELETE",
		"PRAGMA dbo.user_version = 7",
		"VACUUM INTO '/tmp/vesper-stolen.db'",
		"REINDEX",
		"ANALYZE",
		"SELECT load_extension('/tmp/x.so')",
		"SELECT writefile('/tmp/vesper-written', 'x')",
		"SELECT readfile('/etc/passwd')",
		"SELECT fts3_tokenizer('x')",
		"SELECT blob_import('/etc/passwd')",
		"SELECT blob_export(x'00', '/tmp/vesper-written')",
		"SAVEPOINT mine",
		"SELECT \"no such column\" FROM dbo.prices",
	};

	(void)state;
	assert_true(runs_without_gate("SELECT hub FROM dbo.prices"));
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		if (runs_without_gate(probes[i]))
			fail_msg("not rejected: %s", probes[i]);
	assert_true(runs_without_gate("SELECT COUNT(*), MAX(hub) FROM dbo.prices GROUP BY n"));
	assert_true(runs_without_gate(
		"WITH x AS (SELECT ROW_NUMBER() OVER (ORDER BY n) AS r FROM Stage.prices) "
		"SELECT MAX(r) FROM x"));
}

#define GATE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_gate, tear_down_gate)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GATE_TEST(runs_statements_that_pass_the_gate),
		GATE_TEST(returns_only_rows_of_the_tenant),
		GATE_TEST(permissions_decide_columns_and_views),
		GATE_TEST(hash_ignores_row_order),
		GATE_TEST(tool_requires_permission),
		GATE_TEST(refusals_name_the_problem),
		GATE_TEST(hides_database_error_text),
		GATE_TEST(marks_truncated_result),
		GATE_TEST(columns_are_checked_against_the_database),
		GATE_TEST(long_sql_is_refused),
		GATE_TEST(connection_rejects_statements_that_bypass_the_gate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
