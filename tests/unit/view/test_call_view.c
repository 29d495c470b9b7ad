/* A tool call as returned to programs: a status for every outcome, and values as text and number.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "vesper/json.h"
#include "view_int.h"
#include "sample_results.h"

static json_t *call_json(const struct result *r, struct arena *a)
{
	struct buf out;
	struct err e;
	json_t *v;

	buf_init(&out, 1 << 20);
	view_call(&out, r, "r-1", a);
	if (!json_parse(buf_text(&out), out.n, 1 << 20, &v, &e))
		fail_msg("%s: %s", e.text, buf_text(&out));
	buf_deinit(&out);
	return json_own(a, v);
}

static const char *text_at(const json_t *v, const char *name)
{
	return json_string_value(json_object_get(v, name));
}

static void every_outcome_has_a_status(void **state)
{
	static const struct {
		struct outcome o;
		const char *status, *code;
	} rows[] = {
		{{.kind = OUTCOME_EMPTY}, "ok", NULL},
		{{.kind = OUTCOME_NO_DATA}, "no_data", NULL},
		{{.kind = OUTCOME_OUT_OF_WINDOW, .range_min = "2024", .range_max = "2027"},
		 "no_data_in_window",
		 NULL},
		{{.kind = OUTCOME_UNKNOWN_ENTITY, .detail = "No."}, "error", "unknown_entity"},
		{{.kind = OUTCOME_NOT_PERMITTED}, "error", "not_permitted"},
		{{.kind = OUTCOME_TIMEOUT, .retryable = true}, "error", "timeout"},
		{{.kind = OUTCOME_ERROR}, "error", "error"},
	};
	struct arena *a = arena_new(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct result *r = asked_result(a, NULL);
		json_t *v, *error, *range;

		r->outcome = rows[i].o;
		v = call_json(r, a);
		error = json_object_get(v, "error");
		range = json_object_get(v, "availableRange");
		assert_string_equal(text_at(v, "status"), rows[i].status);
		assert_string_equal(text_at(v, "receipt_id"), "r-1");
		assert_true(strlen(text_at(v, "message")) > 0);
		assert_int_equal(error != NULL, rows[i].code != NULL);
		if (error)
			assert_string_equal(text_at(error, "code"), rows[i].code);
		assert_int_equal(range != NULL, rows[i].o.range_min != NULL);
		if (range)
			assert_string_equal(text_at(range, "end"), "2027");
	}
	arena_free(&a);
}

static void facts_are_texts_and_numbers(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, NULL);
	const json_t *result;

	(void)state;
	r->outcome.kind = OUTCOME_ROWS;
	result_add_fact(r, a, (struct fact){.name = "gap", .label = "gap", .value = "2.660"});
	result_add_fact(r, a, (struct fact){.name = "higher", .label = "h", .value = "Hitachi"});
	result = json_object_get(call_json(r, a), "result");
	assert_string_equal(text_at(json_object_get(result, "facts"), "gap"), "2.660");
	assert_string_equal(text_at(json_object_get(result, "summaryStats"), "higher"), "Hitachi");
	assert_true(json_real_value(json_object_get(json_object_get(result, "summaryStats"),
						    "gap")) == 2.66);
	arena_free(&a);
}

/* ---- rows ---- */

static void row_is_an_object_of_its_cells(void **state)
{
	static const struct sample_column columns[] = {{"Hub", NULL, COLUMN_TEXT},
						       {"P", NULL, COLUMN_DECIMAL},
						       {"N", NULL, COLUMN_INT},
						       {"Firm", NULL, COLUMN_BOOL}};
	static const char *const cells[] = {
		"NP15", "48.730", "7", "1", NULL, "1234567890.12345678", "9007199254740993", "0"};
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, sample_table(columns, 4, cells, 2));
	struct table *other = sample_table(columns, 1, cells, 1);
	struct buf out;

	(void)state;
	other->name = "window";
	result_add_table(r, a, other);
	result_add_fact(r, a, (struct fact){.name = "gap", .label = "gap", .value = "2.660"});
	r->outcome.kind = OUTCOME_ROWS;
	buf_init(&out, 1 << 20);
	view_call_rows(&out, r, "r-1", a);
	assert_string_equal(
		buf_text(&out),
		"{\"outcome\":\"rows\",\"row_count\":2,\"rows\":[{\"Hub\":\"NP15\",\"P\":48.730,"
		"\"N\":7,\"Firm\":true},{\"Hub\":null,\"P\":\"1234567890.12345678\","
		"\"N\":\"9007199254740993\",\"Firm\":false}],\"truncated\":false,\"sets\":"
		"{\"window\":[{\"Hub\":\"NP15\"}]},\"facts\":{\"gap\":2.660},\"receipt_id\":"
		"\"r-1\"}");
	buf_deinit(&out);
	arena_free(&a);
}

static void reports_omitted_rows(void **state)
{
	enum { ROWS = 3000 };
	static const struct sample_column columns[] = {{"T", NULL, COLUMN_TEXT}};
	static const char *cells[ROWS];
	char text[401];
	struct arena *a = arena_new(1 << 24);
	struct result *r;
	json_t *v;
	struct buf out;

	(void)state;
	memset(text, 'x', 400);
	text[400] = '\0';
	for (size_t i = 0; i < ROWS; i++)
		cells[i] = text;
	r = asked_result(a, sample_table(columns, 1, cells, ROWS));
	r->outcome.kind = OUTCOME_ROWS;
	buf_init(&out, 1 << 24);
	view_call_rows(&out, r, NULL, a);
	assert_true(json_parse(buf_text(&out), out.n, 1 << 24, &v, NULL));
	assert_int_equal(json_integer_value(json_object_get(v, "row_count")), ROWS);
	assert_true(json_array_size(json_object_get(v, "rows")) < ROWS);
	assert_true(json_is_true(json_object_get(v, "truncated")));
	assert_non_null(strstr(text_at(v, "truncation_reason"), "of 3000 rows"));
	assert_null(json_object_get(v, "receipt_id"));
	json_decref(v);
	buf_deinit(&out);
	arena_free(&a);
}

static void outcome_without_rows_has_reason(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, NULL);
	struct buf out;

	(void)state;
	r->outcome =
		(struct outcome){.kind = OUTCOME_UNKNOWN_ENTITY, .detail = "No.", .param = "h"};
	buf_init(&out, 1 << 20);
	view_call_rows(&out, r, NULL, a);
	assert_string_equal(buf_text(&out),
			    "{\"outcome\":\"unknown_entity\",\"row_count\":0,\"rows\":[],"
			    "\"truncated\":false,\"facts\":{},\"error\":{\"code\":"
			    "\"unknown_entity\",\"message\":\"No.\",\"arg\":\"h\","
			    "\"retryable\":false,\"suggestions\":[]}}");
	buf_deinit(&out);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_outcome_has_a_status),
		cmocka_unit_test(facts_are_texts_and_numbers),
		cmocka_unit_test(row_is_an_object_of_its_cells),
		cmocka_unit_test(reports_omitted_rows),
		cmocka_unit_test(outcome_without_rows_has_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
