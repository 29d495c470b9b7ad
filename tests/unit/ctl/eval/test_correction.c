/* Numbers of a correction are expected in the rows and facts of a turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "eval/correction.h"
#include "vesper/json.h"

static size_t count_missing(const char *correction)
{
	json_t *differences = json_array();
	json_t *expect = json_pack("{s:s}", "correction", correction);
	json_t *got =
		json_pack("{s:[{s:{s:[s,s],s:[f,i]}}],s:[{s:s}]}", "views", "data_dict", "HubZone",
			  "NP15", "SP15", "Price", 48.726, 8760, "facts", "value", "-2.66");
	size_t n;

	correction_compare(differences, expect, got);
	n = json_array_size(differences);
	json_decref(differences);
	json_decref(expect);
	json_decref(got);
	return n;
}

static void finds_numbers_in_rows_and_facts(void **state)
{
	(void)state;
	assert_int_equal(count_missing("it is 48.73"), 0);
	assert_int_equal(count_missing("it is 48.726 $/MWh over 8,760 hours"), 0);
	assert_int_equal(count_missing("2.66 lower, NP15, Q1_2025 file, in 2025."), 0);
	assert_int_equal(count_missing("about 49"), 0);
	assert_int_equal(count_missing("it is 48.74"), 1);
	assert_int_equal(count_missing("48.72 and 48.74, not 48.73"), 2);
	assert_int_equal(count_missing("15"), 1); /* part of a name, not a number */
}

static void correction_without_numbers_fails(void **state)
{
	(void)state;
	assert_int_equal(count_missing("the other zone"), 1);
	assert_int_equal(count_missing("NP15 for 2025"), 1);
}

static void last_correction_applies(void **state)
{
	json_t *all = json_object(),
	       *line = json_pack("{s:s,s:{s:s}}", "message_id", "m1", "expect", "status", "ok");
	struct err e = {0};

	(void)state;
	assert_true(corrections_read(
		all, "{\"message_id\":\"m1\",\"rating\":\"down\",\"correction\":\"1.5\"}\n\n", &e));
	correction_apply(all, line);
	correction_apply(all, line);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(line, "expect"), "correction")),
		"1.5");
	assert_null(json_object_get(json_object_get(line, "expect"), "status"));
	assert_true(corrections_read(all, "{\"message_id\":\"m1\",\"rating\":\"up\"}", &e));
	assert_int_equal(json_object_size(all), 0);
	assert_false(corrections_read(all, "{\"rating\":\"up\"}", &e));
	assert_false(corrections_read(all, "nonsense", &e));
	json_decref(all);
	json_decref(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_numbers_in_rows_and_facts),
		cmocka_unit_test(correction_without_numbers_fails),
		cmocka_unit_test(last_correction_applies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
