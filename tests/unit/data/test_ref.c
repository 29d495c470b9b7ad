/* References: syntax, resolution, and filling in arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "sample_results.h"
#include "vesper/json.h"
#include "vesper/ref.h"

static struct arena *arena;
static struct result *result;
static struct ref_source source;
static struct ref_scope scope;

static int set_up(void **state)
{
	static const struct sample_column columns[] = {{"HubZone", NULL, COLUMN_TEXT},
						       {"Hour", NULL, COLUMN_INT},
						       {"Note", NULL, COLUMN_TEXT}};
	static const char *const cells[] = {"NP15", "3",    NULL, "SP15", "7",
					    NULL,   "NP15", "9",  NULL};
	static const char *const off[] = {"ZP26", "1", NULL};
	struct table *offline = sample_table(columns, 3, off, 1);

	(void)state;
	arena = arena_new(1 << 20);
	result = sample_result(arena, sample_table(columns, 3, cells, 3));
	offline->name = "offline";
	result_add_table(result, arena, offline);
	result_add_fact(result, arena, (struct fact){.name = "higher_vendor", .value = "Hitachi"});
	source = (struct ref_source){"t1", &result, 1};
	scope = (struct ref_scope){&source, 1};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const char *resolve(const char *text)
{
	const json_t *found;
	struct err e = {0};
	struct ref r;

	if (!ref_parse(text, &r, &e) || !ref_value(&scope, &r, arena, &found, &e))
		return arena_strdup(arena, e.text);
	return json_string_value(found);
}

static void each_reference_kind_is_resolved(void **state)
{
	(void)state;
	assert_string_equal(resolve("t1.row_count"), "3");
	assert_string_equal(resolve("t1.outcome"), "rows");
	assert_string_equal(resolve("t1.rows[0].HubZone"), "NP15");
	assert_string_equal(resolve("t1.rows[1].hub_zone"), "SP15");
	assert_string_equal(resolve("t1.rows[2].hour"), "9");
	assert_string_equal(resolve("t1.rows[499].hour?"),
			    "the earlier step found no hour in row 500");
	assert_string_equal(resolve("t1.facts.higher_vendor"), "Hitachi");
	assert_string_equal(resolve("t1.facts.higher_vendor?"), "Hitachi");
	assert_string_equal(resolve("t1.offline[0].hub_zone"), "ZP26");
}

static void errors_name_the_missing_value(void **state)
{
	(void)state;
	assert_non_null(strstr(resolve("t2.row_count"), "t2 has no result"));
	assert_non_null(strstr(resolve("t1.rows[3].hub_zone"), "row 4"));
	assert_non_null(strstr(resolve("t1.rows[0].note"), "no note in row 1"));
	assert_non_null(strstr(resolve("t1.rows[*].note"), "no note"));
	assert_non_null(strstr(resolve("t1.rows[0].vendor"), "has no column vendor"));
	assert_non_null(strstr(resolve("t1.facts.lower_vendor"), "lower_vendor"));
	assert_non_null(strstr(resolve("t1.online[0].hour"), "found nothing"));
}

/* A cancelled query must not be reported as "No task has a risk". */
static void failed_result_has_no_count(void **state)
{
	static const enum outcome_kind failed[] = {OUTCOME_UNKNOWN_ENTITY, OUTCOME_NOT_PERMITTED,
						   OUTCOME_TIMEOUT, OUTCOME_ERROR};

	size_t tables = result->table_count;

	(void)state;
	result->table_count = 0;
	for (size_t i = 0; i < sizeof(failed) / sizeof(*failed); i++) {
		result->outcome.kind = failed[i];
		assert_non_null(strstr(resolve("t1.row_count"), "t1 failed"));
	}
	assert_string_equal(resolve("t1.outcome"), "error");
	result->outcome.kind = OUTCOME_EMPTY;
	assert_string_equal(resolve("t1.row_count"), "0");
	result->table_count = tables;
}

static void invalid_reference_is_rejected(void **state)
{
	static const char *const bad[] = {
		"",
		"t1",
		"t1.",
		".row_count",
		"t1.row_counts",
		"t1.rows",
		"t1.rows[0]",
		"t1.rows[].x",
		"t1.rows[-1].x",
		"t1.rows[12345].x",
		"t1.rows[0].",
		"t1.rows[0].x y",
		"t1.rows[0].x;",
		"t1.facts.",
		"t1 .row_count",
		"t1.rows[500].x",
		"t1.offline",
		"t1.offline[0]",
		"t1.offline[0].x??",
		"t1?.row_count",
		"t1.rows[0].xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	};
	struct ref r;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = {0};

		if (ref_parse(bad[i], &r, &e))
			fail_msg("%s was accepted", bad[i]);
		assert_int_equal(e.code, ERR_INPUT);
	}
}

static json_t *parse(const char *text)
{
	struct err e = {0};
	json_t *json;

	assert_true(json_parse(text, strlen(text), 4096, &json, &e));
	return json_own(arena, json);
}

static void references_in_arguments_are_filled(void **state)
{
	const json_t *filled;
	struct err e = {0};
	size_t omitted_count;

	(void)state;
	assert_true(
		ref_fill(&scope,
			 parse("{\"year\":2025,\"vendor\":{\"$ref\":\"t1.facts.higher_vendor\"},"
			       "\"zones\":[\"HB_NORTH\",{\"$ref\":\"t1.rows[*].hub_zone\"}],"
			       "\"other\":{\"$ref\":\"t1.rows[*].hub_zone\"}}"),
			 arena, &filled, &omitted_count, &e));
	assert_int_equal(omitted_count, 0);
	assert_true(json_equal(
		(json_t *)filled,
		parse("{\"year\":2025,\"vendor\":\"Hitachi\",\"zones\":[\"HB_NORTH\",\"NP15\","
		      "\"SP15\"],\"other\":[\"NP15\",\"SP15\"]}")));
	assert_false(ref_fill(&scope, parse("{\"vendor\":{\"$ref\":\"t1.facts.no\"}}"), arena,
			      &filled, &omitted_count, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
}

static void missing_optional_argument_is_omitted(void **state)
{
	const json_t *filled;
	struct err e = {0};
	size_t omitted_count;

	(void)state;
	assert_true(ref_fill(&scope,
			     parse("{\"a\":{\"$ref\":\"t1.facts.no?\"},\"b\":[{\"$ref\":"
				   "\"t9.rows[0].x?\"}],\"c\":[1,{\"$ref\":\"t9.row_count?\"}]}"),
			     arena, &filled, &omitted_count, &e));
	assert_true(json_equal((json_t *)filled, parse("{\"c\":[1]}")));
}

static void surplus_list_values_are_counted(void **state)
{
	const json_t *filled;
	struct err e = {0};
	size_t omitted_count;

	(void)state;
	assert_true(ref_fill(&scope,
			     parse("{\"zones\":[{\"$ref\":\"t1.rows[*].hour\",\"max\":2}]}"), arena,
			     &filled, &omitted_count, &e));
	assert_true(json_equal((json_t *)filled, parse("{\"zones\":[\"3\",\"7\"]}")));
	assert_int_equal(omitted_count, 1);
	assert_null(ref_of(parse("{\"$ref\":\"t1.row_count\",\"min\":2}")));
}

static void each_dependency_is_listed_once(void **state)
{
	struct ref_need needs[4];
	struct err e = {0};
	size_t count;

	(void)state;
	assert_true(ref_needs(parse("{\"a\":{\"$ref\":\"t1.row_count?\"},\"b\":[{\"$ref\":"
				    "\"t2.facts.x?\"},{\"$ref\":\"t1.outcome\"}]}"),
			      arena, needs, 4, &count, &e));
	assert_int_equal(count, 2);
	assert_string_equal(needs[0].id, "t1");
	assert_false(needs[0].optional);
	assert_true(needs[1].optional);
}

static void last_result_with_rows_is_used(void **state)
{
	struct result *empty = sample_result(arena, NULL);
	struct result *both[] = {result, empty};

	(void)state;
	empty->outcome.kind = OUTCOME_EMPTY;
	source = (struct ref_source){"t1", both, 2};
	assert_string_equal(resolve("t1.row_count"), "3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_reference_kind_is_resolved, set_up, tear_down),
		cmocka_unit_test_setup_teardown(errors_name_the_missing_value, set_up, tear_down),
		cmocka_unit_test_setup_teardown(failed_result_has_no_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(invalid_reference_is_rejected, set_up, tear_down),
		cmocka_unit_test_setup_teardown(references_in_arguments_are_filled, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(missing_optional_argument_is_omitted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(surplus_list_values_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_dependency_is_listed_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(last_result_with_rows_is_used, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
