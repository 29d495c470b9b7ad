/* Truncated results: on a real SQLite file with more rows than the fetch limit, and on a recording
 * database for failures. */
#include "prompt_text.h"
#include "tool_test.h"

#include <sqlite3.h>
#include <unistd.h>

#include "vesper/limits.h"
#include "vesper/view.h"

#define ROWS 250000 /* beyond DB_FETCH_ROWS_MAX */

#define TOOL(totals)                                                                               \
	"-- tool: get_price\n"                                                                     \
	"-- about: Prices.\n"                                                                      \
	"-- permission: chat:read\n" totals "-- answer: There are {rows} prices.\n"                \
	"-- param name text optional Only these\n"                                                 \
	"-- column \"Name\" type=text\n"                                                           \
	"-- column \"Price\" type=decimal unit=$\n"                                                \
	"-- column \"N\" type=int\n"                                                               \
	"-- column \"Cost\" type=decimal permission=chat:read_budget\n"                            \
	"WITH q AS (SELECT p.* FROM dbo.prices p WHERE p.tenant_id = :tenant_id)\n"                \
	"SELECT q.name AS \"Name\", q.price AS \"Price\", q.n AS \"N\"\n"                          \
	"--? may_read_budget: , q.price AS \"Cost\"\n"                                             \
	"FROM q\n"                                                                                 \
	"--? name: WHERE q.name = :name\n"                                                         \
	"ORDER BY q.n\n"

#define TOTALS "-- totals: count, sum(Price), sum(N), sum(Cost)\n"

static void use_tool(const char *text, struct db *db)
{
	struct toolbox_options o = {.loop = loop, .sources = sources_of(db)};
	struct err e = {0};

	temp_root_write(&root, SMALL_TOOL_PATH, text);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	o.catalog = catalog;
	toolbox_free(&box);
	if (!toolbox_new(&o, &box, &e))
		fail_msg("%s", e.text);
}

static const struct column_stats *stats_of(const char *column)
{
	const struct table *t = answer->tables[0];

	return &t->stats[table_column(t, column)];
}

static void assert_decimal(struct decimal d, const char *text)
{
	char digits[DECIMAL_TEXT_BYTES];

	decimal_text_short(d, digits);
	assert_string_equal(digits, text);
}

/* ---- a real database ---- */

static char file[] = "/tmp/vesper-totals-XXXXXX";
static const struct db_tenant tenants[] = {{"acme", file}};
static struct db *real;

static void make_file(void)
{
	sqlite3 *native;
	char *message = NULL;
	char sql[1024];
	int fd = mkstemp(file);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sqlite3_open(file, &native), SQLITE_OK);
	snprintf(sql, sizeof(sql),
		 "CREATE TABLE vesper_tenant (tenant_id nvarchar(100) NOT NULL PRIMARY KEY)"
		 " WITHOUT ROWID; INSERT INTO vesper_tenant VALUES ('acme');"
		 "CREATE TABLE prices (tenant_id nvarchar(100), name nvarchar(20),"
		 " price decimal(10,4), n int);"
		 "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d) "
		 "INSERT INTO prices SELECT 'acme', CASE WHEN n %% 1000 = 0 THEN 'rare' ELSE "
		 "'often' END, CASE WHEN n %% 10 = 0 THEN NULL ELSE 0.1 END, n FROM i",
		 ROWS);
	if (sqlite3_exec(native, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s", message);
	sqlite3_close(native);
}

static int set_up_real(void **state)
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
			       .tenant_count = 1};
	struct err e = {0};

	set_up(state);
	if (!db_open(loop, &o, &real, &e))
		fail_msg("%s", e.text);
	return 0;
}

static int tear_down_real(void **state)
{
	toolbox_free(&box);
	db_close(&real);
	sources_free();
	return tear_down(state);
}

static void call_with_rows_max(const char *arguments, size_t rows_max)
{
	static json_t *args;
	struct tool_request request = {.call = "c1",
				       .agent = "price_agent",
				       .tool = "get_price",
				       .who = &who,
				       .today = {2026, 2, 27},
				       .rows_max = rows_max};
	struct err e = {0};

	if (!json_parse(arguments, strlen(arguments), 1 << 16, &args, &e))
		fail_msg("%s", e.text);
	request.args = args;
	start(&request);
	json_decref(args);
	while (answers == 0) {
		loop_run_once(loop);
		usleep(200);
	}
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
}

static void call_on_file(const char *arguments)
{
	call_with_rows_max(arguments, 0);
}

/* rows_max returns up to DB_FETCH_ROWS_MAX rows, and no totals are queried. */
static void rows_max_raises_the_limit(void **state)
{
	(void)state;
	use_tool(TOOL(TOTALS), real);
	call_with_rows_max("{\"name\": \"often\"}", DB_FETCH_ROWS_MAX);
	assert_int_equal(answer->tables[0]->row_count, DB_FETCH_ROWS_MAX);
	assert_true(answer->tables[0]->truncated);
	assert_false(answer->tables[0]->is_total_exact);
	call_with_rows_max("{\"name\": \"often\"}", 3000);
	assert_int_equal(answer->tables[0]->row_count, 3000);
	assert_string_equal(answer->tables[0]->rows[2999][0], "often");
}

/* It also replaces the row limit in the statement. */
static void rows_max_raises_limit_of_statement(void **state)
{
	(void)state;
	use_tool(TOOL("") "LIMIT :row_limit\n", real);
	call_with_rows_max("{}", 0);
	assert_int_equal(answer->tables[0]->row_count, DB_ROWS_MAX);
	assert_true(answer->tables[0]->truncated);
	call_with_rows_max("{}", DB_FETCH_ROWS_MAX / 2);
	assert_int_equal(answer->tables[0]->row_count, DB_FETCH_ROWS_MAX / 2);
	assert_true(answer->tables[0]->truncated);
	call_with_rows_max("{\"name\": \"rare\"}", 400);
	assert_int_equal(answer->tables[0]->row_count, ROWS / 1000);
	assert_false(answer->tables[0]->truncated);
}

static void totals_cover_unread_rows(void **state)
{
	const struct table *t;
	struct buf b;

	(void)state;
	use_tool(TOOL(TOTALS), real);
	call_on_file("{}");
	t = answer->tables[0];
	assert_true(answer->outcome.truncated && t->truncated);
	assert_int_equal(t->row_count, DB_ROWS_MAX);
	assert_true(t->is_total_exact);
	assert_int_equal(t->total_rows, ROWS);
	assert_false(stats_of("N")->partial);
	assert_decimal(stats_of("N")->sum, "31250125000");
	assert_decimal(stats_of("N")->mean, "125000.5");
	assert_string_equal(stats_of("N")->min, "1");
	assert_int_equal(stats_of("N")->min_row, 0);
	assert_string_equal(stats_of("N")->max, "250000");
	assert_int_equal(stats_of("N")->max_row, -1);
	assert_decimal(stats_of("Price")->sum, "22500"); /* without a binary tail */
	assert_decimal(stats_of("Price")->mean, "0.1");
	assert_int_equal(stats_of("Price")->nulls, ROWS / 10);
	assert_true(stats_of("Name")->partial);

	buf_init(&b, 1 << 20);
	prompt_text(&b, answer, 3);
	assert_non_null(strstr(b.p, "rows=\"250000\" shown=\"3\" truncated"));
	assert_non_null(strstr(b.p, "N: min 1, max 250000, mean 125000.5, sum 31250125000, "
				    "nulls 0\n"));
	buf_deinit(&b);
}

/* The same arguments are bound, so the totals cover the query's rows, not the view's. */
static void totals_use_the_same_arguments(void **state)
{
	(void)state;
	use_tool(TOOL(TOTALS), real);
	call_on_file("{\"name\": \"often\"}");
	assert_int_equal(answer->tables[0]->total_rows, ROWS - ROWS / 1000);
	call_on_file("{\"name\": \"rare\"}");
	assert_int_equal(answer->tables[0]->total_rows, ROWS / 1000);
	assert_false(answer->tables[0]->truncated);
}

static void without_totals_statistics_are_partial(void **state)
{
	const struct table *t;
	struct buf b;

	(void)state;
	use_tool(TOOL(""), real);
	call_on_file("{}");
	t = answer->tables[0];
	assert_false(t->is_total_exact);
	assert_int_equal(t->total_rows, DB_FETCH_ROWS_MAX);
	assert_true(stats_of("N")->partial);
	buf_init(&b, 1 << 20);
	prompt_text(&b, answer, 3);
	assert_non_null(strstr(b.p, "rows=\"at least 200000\" shown=\"3\" truncated"));
	assert_non_null(strstr(b.p, "(of the first 200000 rows only; there are more)"));
	buf_deinit(&b);
}

/* ---- a recording database ---- */

/* 501 rows under a limit of 501: there may be more. */
#define LIMITED TOOL(TOTALS) "OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY\n"

static void prepare_result(int64_t total)
{
	recording_db_table(&recorded, "Name|Price|N", "often|0.1|1", "often|0.1|2", NULL);
	struct table *t = recorded.tables[0];
	struct stats_collector *s = stats_new(3);
	for (size_t r = 0; r < 2; r++) {
		for (size_t c = 0; c < 3; c++)
			stats_cell(s, c, t->rows[r][c], strlen(t->rows[r][c]), c > 0);
		stats_end_row(s);
	}
	t->stats = stats_finish(s, t->arena);
	stats_free(&s);
	t->total_rows = total;
	t->truncated = total > 2;
}

static void statement_limit_counts_as_truncation(void **state)
{
	(void)state;
	use_tool(LIMITED, warehouse);
	prepare_result(DB_ROWS_MAX + 1);
	recording_db_table(&recorded, "rows|a|b|c|d|e|f|g|h", "9000|9000|900.0|0.1|7|9000|12|1|9",
			   NULL);
	call_tool("get_price", "{'name': 'often'}");
	assert_int_equal(recorded.queries, 2);
	assert_string_equal(recorded.tenant, "acme");
	assert_string_equal(recorded.statements[0].name, "get_price/totals");
	assert_null(strstr(recorded.statements[0].text, "LIMIT"));
	assert_int_equal(recorded.statements[0].count, 2);
	assert_string_equal(recorded.statements[0].values[1].text, "often");
	assert_int_equal(answer->tables[0]->total_rows, 9000);
	assert_true(answer->tables[0]->is_total_exact);
	assert_string_equal(stats_of("Price")->max, "7");
}

static void below_the_limit_totals_are_not_queried(void **state)
{
	(void)state;
	use_tool(LIMITED, warehouse);
	prepare_result(2);
	call_tool("get_price", "{}");
	assert_int_equal(recorded.queries, 1);
	assert_true(answer->tables[0]->is_total_exact);
	assert_false(stats_of("N")->partial);
}

/* Columns that the caller may not see are not in the totals query. */
static void totals_respect_column_permissions(void **state)
{
	(void)state;
	use_tool(LIMITED, warehouse);
	prepare_result(DB_ROWS_MAX + 1);
	call_tool("get_price", "{}");
	assert_null(strstr(recorded.statements[0].text, "Cost"));
}

static void ignores_totals_that_do_not_match(void **state)
{
	static const char *const wrong[] = {
		"7|9000|900.0|0.1|7|9000|12|1|9", /* fewer than were seen */
		"-1|9000|900.0|0.1|7|9000|12|1|9",
		"many|9000|900.0|0.1|7|9000|12|1|9",
		"|9000|900.0|0.1|7|9000|12|1|9",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		use_tool(LIMITED, warehouse);
		prepare_result(DB_ROWS_MAX + 1);
		recording_db_table(&recorded, "rows|a|b|c|d|e|f|g|h", wrong[i], NULL);
		call_tool("get_price", "{}");
		assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
		assert_int_equal(answer->tables[0]->total_rows, DB_ROWS_MAX + 1);
		assert_false(answer->tables[0]->is_total_exact);
		assert_true(stats_of("N")->partial);
	}
	prepare_result(DB_ROWS_MAX + 1);
	recording_db_table(&recorded, "rows|a", "9000|9000", NULL);
	call_tool("get_price", "{}");
	assert_false(answer->tables[0]->is_total_exact);
}

static void column_without_matching_total_stays_partial(void **state)
{
	(void)state;
	use_tool(LIMITED, warehouse);
	prepare_result(DB_ROWS_MAX + 1);
	recording_db_table(&recorded, "rows|a|b|c|d|e|f|g|h", "9000|9001|900.0|0.1|7|9000|12|1|9",
			   NULL);
	call_tool("get_price", "{}");
	assert_true(answer->tables[0]->is_total_exact);
	assert_true(stats_of("Price")->partial);
	assert_false(stats_of("N")->partial);
}

static void cancels_totals_query(void **state)
{
	struct tool_request request = {.call = "c1",
				       .agent = "price_agent",
				       .tool = "get_price",
				       .who = &who,
				       .today = {2026, 2, 27}};
	json_t *args = json_object();
	struct op *op;

	(void)state;
	use_tool(LIMITED, warehouse);
	prepare_result(DB_ROWS_MAX + 1);
	request.args = args;
	op = start(&request);
	json_decref(args);
	while (recorded.queries < 2)
		loop_run_once(loop);
	op_cancel(&op);
	assert_int_equal(recorded.cancelled, 1);
	loop_run_once(loop);
	assert_int_equal(answers, 0);
}

static int make_file_once(void **state)
{
	(void)state;
	make_file();
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	unlink(file);
	return 0;
}

#define REAL(name) cmocka_unit_test_setup_teardown(name, set_up_real, tear_down_real)

int main(void)
{
	const struct CMUnitTest tests[] = {
		REAL(totals_cover_unread_rows),
		REAL(rows_max_raises_the_limit),
		REAL(rows_max_raises_limit_of_statement),
		REAL(totals_use_the_same_arguments),
		REAL(without_totals_statistics_are_partial),
		TEST(statement_limit_counts_as_truncation),
		TEST(below_the_limit_totals_are_not_queried),
		TEST(totals_respect_column_permissions),
		TEST(ignores_totals_that_do_not_match),
		TEST(column_without_matching_total_stays_partial),
		TEST(cancels_totals_query),
	};

	return cmocka_run_group_tests(tests, make_file_once, remove_file);
}
