/* Building frames: cell types, sampling, and memory limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/frame.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

static const struct frame_declared all[] = {
	{"n", FRAME_INT},     {"price", FRAME_DECIMAL}, {"day", FRAME_DAY},   {"at", FRAME_TIME},
	{"firm", FRAME_BOOL}, {"hub", FRAME_TEXT},      {"flux", FRAME_REAL},
};
#define COLUMNS (sizeof(all) / sizeof(all[0]))
static const struct frame_declared number[] = {{"n", FRAME_INT}};

static void add_row(struct frame_builder *b, const char *const *cells, size_t count)
{
	struct err e = {0};
	bool needed;

	if (!frame_builder_next(b, &needed, &e))
		fail_msg("%s", e.text);
	if (!needed)
		return;
	for (size_t i = 0; i < count; i++)
		frame_builder_cell(b, i, cells[i]);
	if (!frame_builder_row(b, &e))
		fail_msg("%s", e.text);
}

static struct frame *build_numbers(size_t rows_max, size_t rows)
{
	struct frame_builder *b = frame_builder_new("wide", number, 1, rows_max);
	char text[32];

	for (size_t i = 0; i < rows; i++) {
		const char *cell = text;

		snprintf(text, sizeof(text), "%zu", i);
		add_row(b, &cell, 1);
	}
	return frame_builder_finish(&b);
}

static void cells_are_parsed_by_type(void **state)
{
	static const char *const rows[][COLUMNS] = {
		{"7", "48.73", "2025-01-31", "1970-01-02 00:00:01.250", "1", "NP15", "1.25e-9"},
		{"-3", "1e-3", "1970-01-01", "2025-01-31", "f", "SP15", "-.5"},
		{"0", ".5", "2025-01-31 09:00:00", "1970-01-01T00:00:00", "false", "NP15",
		 "6.02E+23"},
		{NULL, NULL, NULL, NULL, NULL, NULL, NULL},
	};
	struct frame_builder *b = frame_builder_new("wide", all, COLUMNS, 100);
	struct frame *f;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		add_row(b, rows[i], COLUMNS);
	f = frame_builder_finish(&b);
	assert_null(b);
	assert_string_equal(f->name, "wide");
	assert_int_equal(f->rows, 4);
	assert_int_equal(f->total_rows, 4);
	assert_false(f->sampled);
	assert_int_equal(f->invalid_cell_count, 0);
	assert_int_equal(frame_column(f, "n")->v.i[1], -3);
	assert_int_equal(frame_column(f, "price")->v.i[0], 48730000);
	assert_int_equal(frame_column(f, "price")->v.i[1], 1000);
	assert_int_equal(frame_column(f, "price")->v.i[2], 500000);
	assert_int_equal(frame_column(f, "price")->scale, FRAME_DECIMAL_SCALE);
	assert_int_equal(frame_column(f, "day")->v.day[0],
			 date_to_days((struct date){2025, 1, 31}));
	assert_int_equal(frame_column(f, "day")->v.day[2], frame_column(f, "day")->v.day[0]);
	assert_int_equal(frame_column(f, "at")->v.i[0],
			 (date_to_days((struct date){1970, 1, 2}) * 86400 + 1) * 1000 + 250);
	assert_int_equal(frame_column(f, "firm")->v.b[0], 1);
	assert_int_equal(frame_column(f, "firm")->v.b[1], 0);
	assert_int_equal(frame_column(f, "hub")->word_count, 2);
	assert_int_equal(frame_column(f, "hub")->v.code[2], frame_column(f, "hub")->v.code[0]);
	assert_string_equal(frame_text(frame_column(f, "hub"), 1), "SP15");
	assert_true(frame_column(f, "flux")->v.r[0] == 1.25e-9);
	assert_true(frame_number(frame_column(f, "flux"), 1) == -0.5);
	assert_true(frame_column(f, "flux")->v.r[2] == 6.02e23);
	for (size_t i = 0; i < COLUMNS; i++) {
		assert_true(frame_is_null(&f->columns[i], 3));
		assert_false(frame_is_null(&f->columns[i], 2));
	}
	frame_free(&f);
	assert_int_equal(frames_memory_bytes(), 0);
}

static void times_are_converted_to_utc(void **state)
{
	static const struct frame_declared at[] = {{"at", FRAME_TIME}};
	static const char *const good[] = {
		"2025-01-31 09:00:00",         "2025-01-31T09:00:00Z",
		"2025-01-31 11:00:00+02",      "2025-01-31 05:30:00-03:30",
		"2025-02-01 00:00:00.0+15:00",
	};
	static const char *const bad[] = {
		"2025-01-31 09:00:00 ",    "2025-01-31 09:00:00x",     "2025-01-31 09:00:00+2",
		"2025-01-31 09:00:00+02:", "2025-01-31 09:00:00+0200",
	};
	struct frame_builder *b = frame_builder_new("wide", at, 1, 100);
	struct frame *f;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		add_row(b, &good[i], 1);
	for (size_t i = 0; i < 5; i++)
		add_row(b, &bad[i], 1);
	f = frame_builder_finish(&b);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(f->columns[0].v.i[i], 1738314000000);
	assert_int_equal(f->invalid_cell_count, 5);
	frame_free(&f);
}

static void invalid_cells_are_counted(void **state)
{
	static const char *const bad[][COLUMNS] = {
		{"7.5", "48,73", "2025-02-30", "2025-01-31 25:00:00", "yes", "x", "nan"},
		{"99999999999999999999", "9999999999999.5", "soon", "2025-01-31 0900", "", "y",
		 "1e400"},
		{"", "", "", "", "2", "", " 1"},
	};
	struct frame_builder *b = frame_builder_new("wide", all, COLUMNS, 100);
	struct frame *f;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		add_row(b, bad[i], COLUMNS);
	f = frame_builder_finish(&b);
	assert_int_equal(f->invalid_cell_count, 3 * (COLUMNS - 1));
	for (size_t i = 0; i < COLUMNS; i++)
		for (size_t row = 0; row < 3 && all[i].type != FRAME_TEXT; row++)
			assert_true(frame_is_null(&f->columns[i], row));
	assert_null(frame_column(f, "hub")->valid);
	frame_free(&f);
}

static void rows_beyond_the_limit_are_sampled(void **state)
{
	static const struct {
		size_t max, rows;
		int64_t step;
		size_t row_count;
	} cases[] = {
		{10, 10, 1, 10}, {10, 11, 2, 6},      {10, 20, 2, 10}, {10, 21, 4, 6},
		{7, 8, 2, 4},    {7, 1000, 256, 4},   {1, 1, 1, 1},    {1, 100, 128, 1},
		{100, 0, 1, 0},  {1000, 999, 1, 999}, {64, 65, 2, 33},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame *f = build_numbers(cases[i].max, cases[i].rows);

		assert_int_equal(f->total_rows, cases[i].rows);
		assert_int_equal(f->step, cases[i].step);
		assert_int_equal(f->sampled, cases[i].step > 1);
		assert_int_equal(f->rows, cases[i].row_count);
		for (size_t row = 0; row < f->rows; row++)
			assert_int_equal(f->columns[0].v.i[row], (int64_t)row * f->step);
		assert_null(f->columns[0].valid);
		frame_free(&f);
	}
}

static void more_columns_allow_fewer_rows(void **state)
{
	enum { WIDTH = 400 };
	struct frame_declared *columns = mem_alloc(WIDTH * sizeof(*columns));
	const char **cells = mem_alloc(WIDTH * sizeof(*cells));
	struct frame_builder *b;
	struct frame *f;

	(void)state;
	for (size_t i = 0; i < WIDTH; i++) {
		columns[i] = (struct frame_declared){"b", FRAME_BOOL};
		cells[i] = "1";
	}
	b = frame_builder_new("wide", columns, WIDTH, FRAME_ROWS_MAX);
	for (size_t i = 0; i <= FRAME_CELLS_MAX / WIDTH; i++)
		add_row(b, cells, WIDTH);
	f = frame_builder_finish(&b);
	assert_true(f->sampled);
	assert_true(f->rows * WIDTH <= FRAME_CELLS_MAX);
	frame_free(&f);
	mem_free(columns);
	mem_free(cells);
}

/* Adds rows with one long text each until the builder fails. */
static struct frame_builder *fill_until_error(struct err *e, size_t *rows)
{
	static const struct frame_declared text[] = {{"t", FRAME_TEXT}};
	struct frame_builder *b = frame_builder_new("long", text, 1, FRAME_ROWS_MAX);
	enum { BYTES = 1 << 20 };
	char *cell = mem_alloc(BYTES + 1);
	bool needed, succeeded = true;

	memset(cell, 'x', BYTES);
	for (*rows = 0; succeeded; (*rows)++) {
		snprintf(cell, 16, "%015zu", *rows);
		cell[15] = 'x';
		succeeded = frame_builder_next(b, &needed, e);
		if (succeeded) {
			frame_builder_cell(b, 0, cell);
			succeeded = frame_builder_row(b, e);
		}
	}
	mem_free(cell);
	return b;
}

static void memory_of_one_frame_is_limited(void **state)
{
	struct err e = {0};
	size_t rows;
	struct frame_builder *b = fill_until_error(&e, &rows);

	(void)state;
	assert_int_equal(e.code, ERR_LIMIT);
	assert_false(e.may_retry);
	assert_true(rows >= 31 && rows <= 33);
	assert_true(frames_memory_bytes() > 0 && frames_memory_bytes() <= FRAME_MEMORY_MAX);
	frame_builder_free(&b);
	assert_int_equal(frames_memory_bytes(), 0);
}

static void memory_of_all_frames_is_limited(void **state)
{
	struct frame_builder *builders[16];
	struct err e = {0};
	size_t n = 0, rows;

	(void)state;
	do {
		e = (struct err){0};
		builders[n++] = fill_until_error(&e, &rows);
	} while (!e.may_retry && n < 16);
	assert_int_equal(e.code, ERR_LIMIT);
	assert_true(e.may_retry);
	assert_true(n >= 8 && n <= 10);
	assert_true(frames_memory_bytes() <= FRAMES_MEMORY_MAX);
	while (n > 0)
		frame_builder_free(&builders[--n]);
	assert_int_equal(frames_memory_bytes(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_parsed_by_type),
		cmocka_unit_test(times_are_converted_to_utc),
		cmocka_unit_test(invalid_cells_are_counted),
		cmocka_unit_test(rows_beyond_the_limit_are_sampled),
		cmocka_unit_test(more_columns_allow_fewer_rows),
		cmocka_unit_test(memory_of_one_frame_is_limited),
		cmocka_unit_test(memory_of_all_frames_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
