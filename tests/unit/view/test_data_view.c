/* Results as JSON views: unchanged digits, with types and units; members without a value are
 * absent, not null. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "view_tree.h"
#include "vesper/json.h"
#include "view_int.h"
#include "sample_results.h"

static const struct sample_column price_columns[] = {
	{"Vendor", NULL, COLUMN_TEXT},
	{"AvgPrice", "$/MWh", COLUMN_DECIMAL},
	{"DataPoints", "count", COLUMN_INT},
};

static void data_views_keep_digits(void **state)
{
	static const char *const cells[] = {"Ascend", "48.7300", "9007199254740993",
					    NULL,     NULL,      "7"};
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, sample_table(price_columns, 3, cells, 2));
	json_t *view = view_tree(r, r->tables[0], "c1-v1");
	struct buf b;

	(void)state;
	buf_init(&b, 65536);
	buf_json(&b, view);
	assert_non_null(strstr(buf_text(&b), "\"AvgPrice\":[48.7300,null]"));
	assert_non_null(strstr(buf_text(&b), "\"DataPoints\":[\"9007199254740993\",7]"));
	assert_non_null(
		strstr(buf_text(&b), "\"columns\":[\"Vendor\",\"AvgPrice\",\"DataPoints\"]"));
	assert_null(strstr(buf_text(&b), "truncation_reason"));
	buf_deinit(&b);
	json_decref(view);
	arena_free(&a);
}

static void every_view_contains_notes(void **state)
{
	static const char *const cells[] = {"Ascend", "1.00", "7"};
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, sample_table(price_columns, 3, cells, 1));
	json_t *view = view_tree(r, r->tables[0], "c1-v1");
	json_t *notes;

	(void)state;
	assert_null(json_object_get(view, "notes"));
	json_decref(view);
	result_add_fact(
		r, a,
		(struct fact){.name = RESULT_FRAME_SAMPLED, .label = "Sample", .value = "1 in 2"});
	result_facts_truncated(r, a);
	view = view_tree(r, r->tables[0], "c1-v1");
	notes = json_object_get(view, "notes");
	assert_int_equal(json_array_size(notes), 2);
	assert_non_null(strstr(json_string_value(json_array_get(notes, 0)), "left out"));
	assert_string_equal(json_string_value(json_array_get(notes, 1)), "1 in 2");
	json_decref(view);
	arena_free(&a);
}

static void reports_kind_and_size_of_truncation(void **state)
{
	static const char *const cells[] = {"Ascend", "1.00", "7"};
	struct arena *a = arena_new(1 << 20);
	struct table *t = sample_table(price_columns, 3, cells, 1);
	struct result *r = asked_result(a, t);
	json_t *view;

	(void)state;
	t->truncated = true;
	t->truncation = "row cap";
	t->total_rows = 900;
	view = view_tree(r, t, "c1-v1");
	assert_int_equal(json_integer_value(json_object_get(view, "total_rows")), 900);
	assert_string_equal(json_string_value(json_object_get(view, "truncation_reason")),
			    "row cap");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(view, "source"), "tool")),
		"get_average_annual_price");
	json_decref(view);
	t->is_total_exact = false; /* the other rows were not counted */
	view = view_tree(r, t, "c1-v1");
	assert_null(json_object_get(view, "total_rows"));
	json_decref(view);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_views_keep_digits),
		cmocka_unit_test(every_view_contains_notes),
		cmocka_unit_test(reports_kind_and_size_of_truncation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
