/* Views of errors and of results without rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vesper/json.h"
#include "view_int.h"
#include "sample_results.h"

static const char *text_at(const json_t *view, const char *name)
{
	return json_string_value(json_object_get(view, name));
}

static json_t *make_view(struct arena *a, struct outcome o)
{
	struct result *r = asked_result(a, NULL);

	r->task = "t2";
	r->outcome = o;
	return view_outcome(r, "c1-v1");
}

static void each_outcome_has_its_view(void **state)
{
	static const struct {
		struct outcome o;
		const char *type, *code, *text;
	} rows[] = {
		{{.kind = OUTCOME_EMPTY}, "base", NULL, "I found no data for hub zone NP15"},
		{{.kind = OUTCOME_NO_DATA}, "base", NULL, "There is no data"},
		{{.kind = OUTCOME_OUT_OF_WINDOW, .range_min = "2024", .range_max = "2027"},
		 "base",
		 NULL,
		 "the data covers 2024 to 2027."},
		{{.kind = OUTCOME_UNKNOWN_ENTITY, .detail = "No NP99."},
		 "error",
		 "INPUT_VALIDATION_FAILED",
		 "No NP99."},
		{{.kind = OUTCOME_NOT_PERMITTED}, "error", "NOT_PERMITTED", "permission"},
		{{.kind = OUTCOME_TIMEOUT, .retryable = true},
		 "error",
		 "SQL_EXECUTION_FAILED",
		 "took too long"},
		{{.kind = OUTCOME_ERROR}, "error", "SQL_EXECUTION_FAILED", "could not be read"},
		{{.kind = OUTCOME_ERROR, .param = "year", .detail = "year: not a number"},
		 "error",
		 "INPUT_VALIDATION_FAILED",
		 "year: not"},
		{{.kind = OUTCOME_ERROR, .code = "SQL_GENERATION_FAILED", .detail = "Refused."},
		 "error",
		 "SQL_GENERATION_FAILED",
		 "Refused."},
	};
	struct arena *a = arena_new(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *view = make_view(a, rows[i].o);
		const json_t *details = json_object_get(view, "error_details");

		assert_string_equal(text_at(view, "view_type"), rows[i].type);
		assert_string_equal(text_at(view, "view_id"), "c1-v1");
		assert_non_null(strstr(text_at(view, "text"), rows[i].text));
		assert_string_equal(text_at(json_object_get(view, "source"), "task"), "t2");
		if (rows[i].code) {
			assert_string_equal(text_at(view, "error_code"), rows[i].code);
			assert_string_equal(text_at(details, "kind"), outcome_name(rows[i].o.kind));
			assert_true(json_is_array(json_object_get(view, "suggestions")));
		} else {
			assert_null(details);
		}
		json_decref(view);
	}
	arena_free(&a);
}

static void rows_need_no_outcome_view(void **state)
{
	struct arena *a = arena_new(1 << 20);

	(void)state;
	assert_null(make_view(a, (struct outcome){.kind = OUTCOME_ROWS}));
	arena_free(&a);
}

static void candidates_come_before_advice(void **state)
{
	static const struct suggestion candidates[] = {{.value = "NP15", .label = "NP15 (CAISO)"},
						       {.value = "SP15", .label = "SP15"}};
	struct arena *a = arena_new(1 << 20);
	json_t *view = make_view(a, (struct outcome){.kind = OUTCOME_UNKNOWN_ENTITY,
						     .retryable = true,
						     .suggestions = candidates,
						     .suggestion_count = 2});
	const json_t *list = json_object_get(view, "suggestions");

	(void)state;
	assert_int_equal(json_array_size(list), 3);
	assert_string_equal(json_string_value(json_array_get(list, 0)), "NP15 (CAISO)");
	assert_string_equal(json_string_value(json_array_get(list, 2)), "Ask again in a moment.");
	json_decref(view);
	arena_free(&a);
}

static void error_contains_only_known_members(void **state)
{
	static const char *const advice[] = {"Say which project.", NULL};
	const struct view_error e = {
		.code = "AMBIGUOUS_REFERENCE", .text = "Which one is 'it'?", .suggestions = advice};
	json_t *view = view_error(&e, "guard-v1");

	(void)state;
	assert_string_equal(text_at(view, "error_code"), "AMBIGUOUS_REFERENCE");
	assert_int_equal(json_object_size(json_object_get(view, "error_details")), 1);
	assert_true(json_is_true(
		json_object_get(json_object_get(view, "error_details"), "recoverable")));
	assert_int_equal(json_array_size(json_object_get(view, "suggestions")), 1);
	assert_null(json_object_get(view, "source"));
	json_decref(view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_outcome_has_its_view),
		cmocka_unit_test(rows_need_no_outcome_view),
		cmocka_unit_test(candidates_come_before_advice),
		cmocka_unit_test(error_contains_only_known_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
