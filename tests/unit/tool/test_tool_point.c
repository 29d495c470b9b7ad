/* Counting the values of a column on a worker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tool_int.h"
#include "vesper/frame.h"
#include "vesper/limits.h"

#define TEXT_BYTES 100
#define TEXTS      140000 /* of that length; more exceed FRAME_MEMORY_MAX */

static struct loop *loop;
static struct pool *workers;
static struct toolbox box;
static struct tool_call call;
static const char **got;
static size_t got_count, got_distinct, call_count;

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	assert_true(loop_new(&loop, &e));
	workers = pool_new(loop, "tools", 1);
	box = (struct toolbox){.options = {.loop = loop, .workers = workers}};
	call = (struct tool_call){.box = &box, .arena = arena_new(1 << 20)};
	call.result = result_new(call.arena);
	call_count = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	pool_free(&workers);
	arena_free(&call.arena);
	loop_free(&loop);
	return 0;
}

static void add_row(struct frame_builder *b, const char *text, const char *weight)
{
	struct err e = {0};
	bool is_needed;

	assert_true(frame_builder_next(b, &is_needed, &e));
	if (!is_needed)
		return;
	frame_builder_cell(b, 0, text);
	frame_builder_cell(b, 1, weight);
	assert_true(frame_builder_row(b, &e));
}

static struct frame_builder *build(void)
{
	static const struct frame_declared columns[] = {{"Text", FRAME_TEXT}, {"N", FRAME_REAL}};

	return frame_builder_new("main", columns, 2, FRAME_ROWS_MAX);
}

static void set_frame(struct frame_builder *b)
{
	result_add_frame(call.result, call.arena, frame_builder_finish(&b));
}

static void on_values(struct tool_call *c, const char **values, size_t count, size_t distinct)
{
	assert_ptr_equal(c, &call);
	assert_null(c->query);
	assert_int_equal(c->result->frame_count, 1);
	got = values;
	got_count = count;
	got_distinct = distinct;
	call_count++;
	loop_stop(loop);
}

static void count_values(void)
{
	tool_count_values(&call, 1, on_values);
	if (!call_count)
		loop_run(loop);
	assert_int_equal(call_count, 1);
}

static void rows_with_equal_text_are_one_value(void **state)
{
	struct frame_builder *b = build();

	(void)state;
	add_row(b, "bar", "2");
	add_row(b, "drill", "3");
	add_row(b, NULL, "9");
	add_row(b, "", "9");
	add_row(b, "bar", "2");
	add_row(b, "nail", NULL);
	add_row(b, "saw", "3");
	set_frame(b);
	count_values();
	assert_int_equal(got_count, 4);
	assert_int_equal(got_distinct, 4);
	assert_string_equal(got[0], "bar");
	assert_string_equal(got[1], "drill");
	assert_string_equal(got[2], "saw");
	assert_string_equal(got[3], "nail");
}

/* Their texts would exceed the memory of a turn, so only the returned ones are copied. */
static void counts_all_texts_of_a_full_frame(void **state)
{
	struct frame_builder *b = build();
	char text[TEXT_BYTES + 1], weight[16];

	(void)state;
	for (size_t i = 0; i < TEXTS; i++) {
		snprintf(text, sizeof(text), "%0*zu", TEXT_BYTES, i);
		snprintf(weight, sizeof(weight), "%zu", i);
		add_row(b, text, weight);
	}
	set_frame(b);
	count_values();
	assert_int_equal(got_distinct, TEXTS);
	assert_int_equal(got_count, CLASSIFY_VALUES_MAX);
	assert_string_equal(got[0], text);
}

static void counts_at_once_without_workers(void **state)
{
	struct frame_builder *b = build();

	(void)state;
	box.options.workers = NULL;
	add_row(b, "bar", "2");
	set_frame(b);
	tool_count_values(&call, 1, on_values);
	assert_int_equal(call_count, 1);
}

static void cancelled_call_gets_no_callback(void **state)
{
	struct frame_builder *b = build();

	(void)state;
	add_row(b, "bar", "2");
	set_frame(b);
	tool_count_values(&call, 1, on_values);
	op_cancel(&call.query);
	pool_free(&workers);
	workers = pool_new(loop, "tools", 1);
	assert_int_equal(call_count, 0);
	assert_int_equal(frames_memory_bytes(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_with_equal_text_are_one_value),
		TEST(counts_all_texts_of_a_full_frame),
		TEST(counts_at_once_without_workers),
		TEST(cancelled_call_gets_no_callback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
