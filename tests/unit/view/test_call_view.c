/* A call of a tool as programs get it: a status for every end, and the same digits twice. */
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

static void every_end_has_a_status(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_end_has_a_status),
		cmocka_unit_test(facts_are_texts_and_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
