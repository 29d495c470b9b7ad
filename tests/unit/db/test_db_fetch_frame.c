/* Statements whose rows go into a frame, from a SQLite file to the callback. */
#include "db_test.h"
#include "vesper/frame.h"
#include "vesper/limits.h"

static const struct frame_declared declared[] = {{"price", FRAME_DECIMAL}, {"day", FRAME_DAY}};

struct batch_result {
	int calls;
	struct source_batch batches[2];
	size_t count;
	struct err err;
};

static void on_batches(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct batch_result *c = owner;

	c->calls++;
	c->count = count;
	for (size_t i = 0; i < count; i++)
		c->batches[i] = batches[i];
	if (e)
		c->err = *e;
}

static void read_all(struct fixture *f, const struct source_statement *statements, size_t count,
		     struct batch_result *c)
{
	struct source *s = db_source(f->db, "warehouse", NULL);
	int64_t end = clock_mono_ms() + 60000;

	*c = (struct batch_result){0};
	s->start(s,
		 &(struct source_call){.tenant = "acme", .statements = statements, .count = count},
		 on_batches, c);
	while (c->calls == 0 && clock_mono_ms() < end)
		loop_run_once(f->loop);
	assert_int_equal(c->calls, 1);
	s->close(s);
}

static void make_files(struct fixture *f)
{
	tenant_file_make(f->acme, "acme");
	tenant_file_make(f->vesper, "vesper");
	file_exec(f->acme,
		  "CREATE TABLE x (n int, price nvarchar(20), day nvarchar(10), hub nvarchar(9));"
		  "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 999) "
		  "INSERT INTO x SELECT n, CASE WHEN n = 4 THEN 'much' ELSE n || '.25' END,"
		  " '2025-01-31', CASE WHEN n % 2 = 0 THEN 'NP15' END FROM i");
	fixture_open(f, true);
}

static void returns_frame_and_table(void **state)
{
	const struct source_statement statements[] = {
		{.name = "t/wide",
		 .text = "SELECT n, price, day, hub FROM dbo.x ORDER BY n",
		 .sink = {.kind = SINK_FRAME,
			  .rows_max = 100,
			  .columns = declared,
			  .column_count = 2}},
		{.name = "t/main", .text = "SELECT count(*) FROM dbo.x"},
	};
	struct fixture *f = *state;
	struct frame *frame;
	struct batch_result c;

	make_files(f);
	read_all(f, statements, 2, &c);
	assert_int_equal(c.err.code, ERR_NONE);
	assert_int_equal(c.count, 2);
	assert_null(c.batches[0].table);
	assert_null(c.batches[1].frame);
	assert_string_equal(c.batches[1].table->rows[0][0], "1000");
	frame = c.batches[0].frame;
	assert_int_equal(frame->total_rows, 1000);
	assert_int_equal(frame->step, 16);
	assert_int_equal(frame->rows, 63);
	assert_int_equal(frame->invalid_cell_count, 1); /* counted before rows were sampled out */
	assert_int_equal(frame_column(frame, "n")->type, FRAME_INT);
	assert_int_equal(frame_column(frame, "n")->v.i[2], 32);
	assert_int_equal(frame_column(frame, "price")->type, FRAME_DECIMAL);
	assert_int_equal(frame_column(frame, "price")->v.i[2], 32250000);
	assert_int_equal(frame_column(frame, "day")->type, FRAME_DAY);
	assert_string_equal(frame_text(frame_column(frame, "hub"), 2), "NP15");
	source_batches_free(c.batches, 2);
	assert_int_equal(frames_memory_bytes(), 0);
}

static void empty_result_gives_empty_frame(void **state)
{
	const struct source_statement statement = {.name = "t/wide",
						   .text = "SELECT n FROM dbo.x WHERE n < 0",
						   .sink = {.kind = SINK_FRAME, .rows_max = 10}};
	struct fixture *f = *state;
	struct batch_result c;

	make_files(f);
	read_all(f, &statement, 1, &c);
	assert_int_equal(c.batches[0].frame->rows, 0);
	assert_string_equal(c.batches[0].frame->columns[0].name, "n");
	source_batches_free(c.batches, 1);
}

/* The frame of the first statement is freed when the second fails. */
static void failure_frees_frames(void **state)
{
	const struct source_statement statements[] = {
		{.name = "t/wide",
		 .text = "SELECT n FROM dbo.x",
		 .sink = {.kind = SINK_FRAME, .rows_max = 10}},
		{.name = "t/main", .text = "SELECT n FROM dbo.nothing"},
	};
	struct fixture *f = *state;
	struct batch_result c;

	make_files(f);
	read_all(f, statements, 2, &c);
	assert_int_equal(c.err.code, ERR_INTERNAL);
	assert_int_equal(c.count, 0);
	assert_int_equal(frames_memory_bytes(), 0);
}

static void refuses_too_many_rows(void **state)
{
	const struct source_statement statement = {
		.name = "t/wide",
		.text = "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i) "
			"SELECT n FROM i",
		.sink = {.kind = SINK_FRAME, .rows_max = 10}};
	struct db_options options = fixture_options(*state, true);
	struct fixture *f = *state;
	struct err e = {0};
	struct batch_result c;

	make_files(f);
	db_close(&f->db);
	options.timeout_ms = 60000;
	assert_true(db_open(f->loop, &options, &f->db, &e));
	read_all(f, &statement, 1, &c);
	assert_int_equal(c.err.code, ERR_LIMIT);
	assert_non_null(strstr(c.err.text, "t/wide returns more than 5000000 rows"));
	assert_int_equal(frames_memory_bytes(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(returns_frame_and_table),
		DB_TEST(empty_result_gives_empty_frame),
		DB_TEST(failure_frees_frames),
		DB_TEST(refuses_too_many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
