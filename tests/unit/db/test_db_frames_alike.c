/* The same statement with a frame sink gives equal frames on SQLite and PostgreSQL. */
#include "postgres_test.h"

#include <math.h>

#include "vesper/frame.h"
#include "vesper/limits.h"

#define COLUMNS 8
#define ROWS    2000

static const char *const names[COLUMNS] = {"n",    "price", "day",  "at",
					   "firm", "hub",   "flux", "note"};
static const struct frame_declared declared[] = {
	{"n", FRAME_INT},     {"price", FRAME_DECIMAL}, {"day", FRAME_DAY},   {"at", FRAME_TIME},
	{"firm", FRAME_BOOL}, {"hub", FRAME_TEXT},      {"flux", FRAME_REAL}, {"note", FRAME_TEXT},
};

struct batch_result {
	int calls;
	struct frame *frame;
	struct err err;
};

static void on_batches(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct batch_result *c = owner;

	c->calls++;
	if (count == 1)
		c->frame = batches[0].frame;
	if (e)
		c->err = *e;
}

/* `columns` NULL: the database's types are used. */
static struct frame *read_frame(struct fixture *f, const char *tenant,
				const struct frame_declared *columns, size_t rows_max)
{
	const struct value last_n = value_int(ROWS);
	const struct source_statement statement = {
		.name = "t/wide",
		.text = "SELECT n, price, day, at, firm, hub, flux, note FROM dbo.readings "
			"WHERE n <= ? ORDER BY n",
		.values = &last_n,
		.count = 1,
		.sink = {.kind = SINK_FRAME,
			 .rows_max = rows_max,
			 .columns = columns,
			 .column_count = columns ? COLUMNS : 0}};
	struct source *s = db_source(f->db, "warehouse", NULL);
	struct batch_result c = {0};
	int64_t end = clock_mono_ms() + 120000;

	s->start(s, &(struct source_call){.tenant = tenant, .statements = &statement, .count = 1},
		 on_batches, &c);
	while (c.calls == 0 && clock_mono_ms() < end)
		loop_run_once(f->loop);
	if (!c.frame)
		fail_msg("%s", c.err.text);
	s->close(s);
	return c.frame;
}

/* All types of values, each also NULL, in more rows than one round trip fetches. */
static void make_sqlite(struct fixture *f)
{
	tenant_file_make(f->acme, "acme");
	tenant_file_make(f->vesper, "vesper");
	file_exec(
		f->acme,
		"CREATE TABLE readings (n bigint, price decimal(12,4), day date, at datetime, firm "
		"bit, hub nvarchar(9), flux double, note text);"
		"WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 2000) "
		"INSERT INTO readings SELECT n, "
		"CASE n % 7 WHEN 0 THEN NULL WHEN 1 THEN -0.5 ELSE n + 0.25 END, "
		"CASE n % 5 WHEN 0 THEN NULL ELSE '2024-02-29' END, "
		"CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN '2025-06-30 23:59:59.25' ELSE "
		"'1969-12-31 22:00:00' END, "
		"CASE n % 4 WHEN 0 THEN NULL ELSE n % 2 END, "
		"CASE n % 6 WHEN 0 THEN NULL ELSE 'HUB' || (n % 6) END, "
		"CASE n % 9 WHEN 0 THEN NULL ELSE n * 0.125 END, "
		"CASE n % 8 WHEN 0 THEN '' WHEN 1 THEN NULL ELSE 'été' END FROM i");
}

static void make_postgres(void)
{
	admin("CREATE SCHEMA dbo");
	admin("CREATE TABLE dbo.readings (n bigint, price numeric(12,4), day date, at timestamptz, "
	      "firm boolean, hub text, flux float8, note varchar(20))");
	admin("INSERT INTO dbo.readings SELECT n, "
	      "CASE n % 7 WHEN 0 THEN NULL WHEN 1 THEN -0.5 ELSE n + 0.25 END, "
	      "CASE n % 5 WHEN 0 THEN NULL ELSE date '2024-02-29' END, "
	      "CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN timestamptz '2025-07-01 01:59:59.25+02' "
	      "ELSE "
	      "timestamptz '1970-01-01 00:00:00+02' END, "
	      "CASE n % 4 WHEN 0 THEN NULL ELSE n % 2 = 1 END, "
	      "CASE n % 6 WHEN 0 THEN NULL ELSE 'HUB' || (n % 6) END, "
	      "CASE n % 9 WHEN 0 THEN NULL ELSE n * 0.125 END, "
	      "CASE n % 8 WHEN 0 THEN '' WHEN 1 THEN NULL ELSE 'été' END "
	      "FROM generate_series(1, 2000) n");
	admin("GRANT USAGE ON SCHEMA dbo TO reader");
	admin("GRANT SELECT ON dbo.readings TO reader");
}

static void assert_same_cell(const struct frame_column *a, const struct frame_column *b, size_t row)
{
	const char *x = frame_text(a, row), *y = frame_text(b, row);
	double p = frame_number(a, row), q = frame_number(b, row);

	if (frame_is_null(a, row) != frame_is_null(b, row) || !x != !y ||
	    (x && strcmp(x, y) != 0) || (p != q && !(isnan(p) && isnan(q))))
		fail_msg("%s of row %zu: %s %f, and %s %f", a->name, row, x, p, y, q);
}

static void assert_same_frames(const struct frame *a, const struct frame *b)
{
	assert_int_equal(a->rows, b->rows);
	assert_int_equal(a->total_rows, ROWS);
	assert_int_equal(b->total_rows, ROWS);
	assert_int_equal(a->step, b->step);
	assert_int_equal(a->invalid_cell_count, 0);
	assert_int_equal(b->invalid_cell_count, 0);
	assert_int_equal(a->column_count, COLUMNS);
	assert_int_equal(b->column_count, COLUMNS);
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct frame_column *x = &a->columns[i], *y = &b->columns[i];

		assert_string_equal(x->name, names[i]);
		assert_string_equal(y->name, names[i]);
		assert_int_equal(x->type, y->type);
		assert_int_equal(x->scale, y->scale);
		assert_int_equal(x->word_count, y->word_count);
		for (size_t row = 0; row < a->rows; row++)
			assert_same_cell(x, y, row);
	}
}

static void frames_are_equal_on_both_databases(void **state)
{
	static const size_t rows_max[] = {ROWS, 100};
	struct fixture *f = *state;
	struct frame *sqlite_frames[4], *postgres_frames[4];

	make_sqlite(f);
	fixture_open(f, true);
	for (size_t i = 0; i < 4; i++)
		sqlite_frames[i] = read_frame(f, "acme", i % 2 ? declared : NULL, rows_max[i / 2]);
	db_close(&f->db);
	make_postgres();
	postgres_open(f, "reader");
	for (size_t i = 0; i < 4; i++)
		postgres_frames[i] =
			read_frame(f, "tenant_1", i % 2 ? declared : NULL, rows_max[i / 2]);
	for (size_t i = 0; i < 4; i++)
		assert_same_frames(sqlite_frames[i], postgres_frames[i]);
	assert_int_equal(sqlite_frames[1]->columns[1].v.i[1],
			 2250000); /* price of the second row */
	assert_int_equal(sqlite_frames[1]->columns[1].scale, FRAME_DECIMAL_SCALE);
	assert_int_equal(sqlite_frames[1]->columns[3].v.i[1], -7200000);
	assert_int_equal(sqlite_frames[1]->columns[5].word_count, 5);
	assert_true(sqlite_frames[2]->sampled && postgres_frames[3]->sampled);
	for (size_t i = 0; i < 4; i++) {
		frame_free(&sqlite_frames[i]);
		frame_free(&postgres_frames[i]);
	}
	assert_int_equal(frames_memory_bytes(), 0);
}

static size_t count_log_lines(const char *text)
{
	char path[160], line[4096];
	size_t n = 0;
	FILE *log;

	snprintf(path, sizeof(path), "%s/log", server.dir);
	log = fopen(path, "r");
	assert_non_null(log);
	while (fgets(line, sizeof(line), log))
		n += strstr(line, text) != NULL;
	fclose(log);
	return n;
}

/* The server's log shows that rows are fetched in blocks. */
static void fetches_rows_in_blocks(void **state)
{
	struct fixture *f = *state;
	struct frame *frame;
	char fetch[32];

	admin("ALTER ROLE reader SET log_statement = 'all'");
	postgres_open(f, "reader");
	snprintf(fetch, sizeof(fetch), "fetch %d in", DB_FETCH_BLOCK_ROWS);
	assert_int_equal(count_log_lines(fetch), 0);
	frame = read_frame(f, "tenant_1", declared, ROWS);
	assert_in_range(count_log_lines(fetch), ROWS / DB_FETCH_BLOCK_ROWS,
			ROWS / DB_FETCH_BLOCK_ROWS + 1);
	frame_free(&frame);
	admin("ALTER ROLE reader RESET log_statement");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(frames_are_equal_on_both_databases),
		DB_TEST(fetches_rows_in_blocks),
	};

	return cmocka_run_group_tests(tests, server_start, server_stop);
}
