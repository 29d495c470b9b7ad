/* A tool whose derivation reads a frame: from its file to the facts, on a real SQLite file. */
#include "tool_test.h"

#include <sqlite3.h>
#include <unistd.h>

#include "vesper/frame.h"
#include "vesper/limits.h"

#define TOOL                                                                                       \
	"-- tool: get_price\n-- about: x\n-- permission: chat:read\n"                              \
	"-- frame: wide %s\n-- fact sum Sum of all prices\n"                                       \
	"-- column \"N\" type=int\n-- column \"Price\" type=decimal\n"                             \
	"-- column \"Flux\" type=real\n"                                                           \
	"SELECT COUNT(*) AS \"N\" FROM dbo.prices WHERE tenant_id = :tenant_id\n"                  \
	"--# query wide\n"                                                                         \
	"SELECT n AS \"N\", price AS \"Price\", flux AS \"Flux\" FROM dbo.prices\n"                \
	"WHERE tenant_id = :tenant_id\n"                                                           \
	"ORDER BY n\n"

static char file[] = "/tmp/vesper-frame-XXXXXX";
static const struct db_tenant tenants[] = {{"acme", file}};
static struct db *real;
static struct pool *workers;
static size_t seen_rows;
static int64_t seen_invalid;
static double seen_flux;

static int set_up_real(void **state)
{
	struct db_options o = {.name = "warehouse",
			       .dialect = DIALECT_SQLITE,
			       .read_only = true,
			       .schemas = (const char *const[]){"dbo", NULL},
			       .workers = 1,
			       .timeout_ms = 60000,
			       .tenants = tenants,
			       .tenant_count = 1};
	struct err e = {0};
	sqlite3 *native;
	int fd;

	set_up(state);
	memcpy(file + sizeof(file) - 7, "XXXXXX", 6);
	fd = mkstemp(file);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sqlite3_open(file, &native), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(
			native,
			"CREATE TABLE vesper_tenant (tenant_id nvarchar(100) PRIMARY KEY);"
			"INSERT INTO vesper_tenant VALUES ('acme');"
			"CREATE TABLE prices (tenant_id nvarchar(100), price nvarchar(9), n int,"
			" flux nvarchar(9));"
			"WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE "
			"n < 1000) INSERT INTO prices SELECT 'acme', n || '.5', n, "
			"CASE n WHEN 3 THEN 'broken' WHEN 5 THEN NULL ELSE n || 'e-9' END FROM i",
			NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(native);
	workers = pool_new(loop, "tools", 1);
	if (!db_open(loop, &o, &real, &e))
		fail_msg("%s", e.text);
	return 0;
}

static int tear_down_real(void **state)
{
	toolbox_free(&box);
	db_close(&real);
	sources_free();
	pool_free(&workers);
	unlink(file);
	return tear_down(state);
}

/* Adds up the prices of all rows of the frame. */
static void derive(struct result *r, struct arena *a)
{
	const struct frame *f = result_frame(r, "wide");
	const struct frame_column *flux;
	double sum = 0;

	assert_non_null(f);
	seen_rows = f->rows;
	seen_invalid = f->invalid_cell_count;
	flux = frame_column(f, "Flux");
	assert_int_equal(flux->type, FRAME_REAL);
	seen_flux = frame_number(flux, 1);
	if (!f->sampled) {
		assert_true(frame_is_null(flux, 2)); /* "broken" */
		assert_true(frame_is_null(flux, 4)); /* NULL */
	}
	for (size_t i = 0; i < f->rows; i++)
		sum += frame_number(frame_column(f, "Price"), i);
	result_add_fact(r, a,
			(struct fact){.name = "sum",
				      .label = "Sum",
				      .value = arena_printf(a, "%.1f", sum)});
}

static bool run_and_derive(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, derive, e);
}

static const struct tool_entry entries[] = {{"get_price", run_and_derive}, {0}};
static const struct domain module = {"prices", "energy", entries, NULL};
static const struct domain *const modules[] = {&module, NULL};

static void call_with_frame(const char *rows, struct pool *pool)
{
	struct toolbox_options o = {
		.loop = loop, .sources = sources_of(real), .workers = pool, .modules = modules};
	struct tool_request request = {.call = "c1",
				       .agent = "price_agent",
				       .tool = "get_price",
				       .who = &who,
				       .today = {2026, 2, 27}};
	json_t *args = json_object();
	struct err e = {0};
	char *text = mem_printf(TOOL, rows);

	temp_root_write(&root, SMALL_TOOL_PATH, text);
	mem_free(text);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	o.catalog = catalog;
	toolbox_free(&box);
	if (!toolbox_new(&o, &box, &e))
		fail_msg("%s", e.text);
	request.args = args;
	start(&request);
	while (answers == 0) {
		loop_run_once(loop);
		usleep(200);
	}
	json_decref(args);
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
}

static void derivation_reads_more_rows_than_are_shown(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) { /* on the loop, and on a worker */
		call_with_frame("1000", i ? workers : NULL);
		assert_int_equal(seen_rows, 1000);
		assert_int_equal(seen_invalid, 1);
		assert_true(seen_flux == 2e-9); /* a decimal would lose the digits */
		assert_string_equal(result_fact(answer, "sum")->value, "501000.0");
		assert_null(result_fact(answer, RESULT_FRAME_SAMPLED));
		assert_int_equal(answer->table_count, 1); /* it is never shown */
		assert_int_equal(answer->frame_count, 0);
		assert_int_equal(frames_memory_bytes(), 0);
	}
}

static void reports_sample(void **state)
{
	(void)state;
	call_with_frame("500", workers);
	assert_int_equal(seen_rows, 500);
	assert_string_equal(result_fact(answer, RESULT_FRAME_SAMPLED)->value,
			    "This was computed from a sample: 1 in 2 of 1000 rows.");
}

static void invalid_frames_are_rejected(void **state)
{
	static const struct {
		const char *line, *why;
	} bad[] = {
		{"wide 0", "get_price.sql:4: a frame must have 1 to 200000 rows"},
		{"wide 200001", "a frame must have 1 to 200000 rows"},
		{"wide", "expected a query and a number of rows"},
		{"wide many", "many is not a whole number"},
		{"main 10",
		 "get_price.sql:1: frame main must name a query of the file other than main"},
		{"other 10", "frame other must name a query"},
		{"wide 10\n-- frame: wide 10", "get_price.sql:5: frame wide appears twice"},
	};
	struct err e = {0};

	(void)state;
	catalog_unref(&catalog);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *text = mem_printf(TOOL, "10");
		char *at = strstr(text, "wide 10");
		char *broken = mem_printf("%.*s%s%s", (int)(at - text), text, bad[i].line,
					  at + strlen("wide 10"));

		temp_root_write(&root, SMALL_TOOL_PATH, broken);
		if (catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
			fail_msg("accepted, expected: %s", bad[i].why);
		if (!strstr(e.text, bad[i].why))
			fail_msg("\"%s\" does not contain \"%s\"", e.text, bad[i].why);
		mem_free(text);
		mem_free(broken);
	}
}

int main(void)
{
#define REAL(t) cmocka_unit_test_setup_teardown(t, set_up_real, tear_down_real)
	const struct CMUnitTest tests[] = {
		REAL(derivation_reads_more_rows_than_are_shown),
		REAL(reports_sample),
		REAL(invalid_frames_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
