/* The supervisor's answer: only names that the caller may use, only known shapes, and filters that
 * become arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "turn_int.h"
#include "vesper/json.h"
#include "vesper/mem.h"

static struct catalog *catalog;
static struct arena *arena;
static struct catalog_view view;

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	return catalog_load(VESPER_SOURCE_DIR, &catalog, &e) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	catalog_unref(&catalog);
	return 0;
}

static int before(void **state)
{
	static const char *const permissions[] = {"chat:use", "chat:read_market_data"};
	struct principal analyst = {.user = "ann",
				    .tenant = "vesper",
				    .permissions = permissions,
				    .permission_count = 2};

	(void)state;
	arena = arena_new(1 << 20);
	catalog_for(catalog, &analyst, arena, &view);
	return 0;
}

static int after(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static bool parse(const char *text, struct route *r)
{
	struct err e = {0};

	return route_parse(text, strlen(text), &view, arena, r, &e);
}

static void a_whole_answer_is_read(void **state)
{
	struct route r;

	(void)state;
	assert_true(parse("{\"intent\":\"dayahead_curve\",\"agents\":[\"dayahead_agent\"],"
			  "\"tools\":[\"get_average_annual_price\"],\"filters\":["
			  "{\"name\":\"vendor\",\"value\":\"Ascend\"},{\"name\":\"year\",\"value\":"
			  "\"2025\"}],"
			  "\"clarification\":\"\"}",
			  &r));
	assert_string_equal(r.intent, "dayahead_curve");
	assert_int_equal(r.agent_count, 1);
	assert_int_equal(r.tool_count, 1);
	assert_null(r.clarification);
	assert_string_equal(json_string_value(json_object_get(r.filters, "vendor")), "Ascend");
}

static void names_the_caller_may_not_use_are_dropped(void **state)
{
	struct route r;

	(void)state;
	assert_true(parse("{\"intent\":\"x\",\"agents\":[\"root_agent\"],\"tools\":[\"drop_"
			  "tables\",\"get_average_annual_price\"],"
			  "\"filters\":[],\"clarification\":\"Which year?\"}",
			  &r));
	assert_int_equal(r.agent_count, 0);
	assert_int_equal(r.tool_count, 1);
	assert_string_equal(r.clarification, "Which year?");

	view.tool_count = view.domain_count = 0; /* a caller without any permission */
	assert_true(parse("{\"intent\":\"x\",\"agents\":[\"dayahead_agent\"],\"tools\":[\"get_"
			  "average_annual_price\"],"
			  "\"filters\":[],\"clarification\":\"\"}",
			  &r));
	assert_int_equal(r.agent_count + r.tool_count, 0);
}

static void steps_are_read_with_their_references(void **state)
{
	const json_t *first, *second;
	struct route r;

	(void)state;
	assert_true(
		parse("{\"intent\":\"dayahead_curve\",\"steps\":["
		      "{\"id\":\"t1\",\"agent\":\"price_curve_agent\",\"tool\":\"compare_vendors\","
		      "\"filters\":[],\"depends_on\":[],\"condition\":\"\"},"
		      "{\"id\":\"t2\",\"agent\":\"dayahead_agent\",\"tool\":\"get_daily_shape\","
		      "\"filters\":[{\"name\":\"vendor\",\"value\":\"\",\"from\":\"t1.facts.higher_"
		      "vendor\"}],"
		      "\"depends_on\":[\"t1\"],\"condition\":\"t1.row_count > 0\"}]}",
		      &r));
	assert_int_equal(json_array_size(r.steps), 2);
	first = json_array_get(r.steps, 0);
	second = json_array_get(r.steps, 1);
	/* an agent that may not use the tool is not taken at its word */
	assert_string_equal(json_string_value(json_object_get(first, "agent")), "dayahead_agent");
	assert_null(json_object_get(first, "condition"));
	assert_string_equal(json_string_value(json_object_get(second, "condition")),
			    "t1.row_count > 0");
	assert_string_equal(ref_of(json_object_get(json_object_get(second, "own"), "vendor")),
			    "t1.facts.higher_vendor");
}

static void a_step_that_is_not_allowed_refuses_all(void **state)
{
	static const char *const steps[] = {
		"{\"id\":\"t1\",\"agent\":\"per_agent\",\"tool\":\"get_color_ranking\"}",
		"{\"id\":\"t1\",\"agent\":\"per_agent\",\"tool\":\"\"}",
		"{\"id\":\"t1\",\"agent\":\"dayahead_agent\",\"tool\":\"drop_tables\"}",
		"{\"agent\":\"dayahead_agent\"}",
	};
	struct route r;

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		assert_false(parse(arena_printf(arena, "{\"steps\":[%s]}", steps[i]), &r));
}

static void garbage_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"I would use the average tool.",
		"[]",
		"{\"intent\":7}",
		"{\"filters\":[{\"name\":\"year\"}]}",
		"{\"filters\":[\"year\"]}",
		"{\"tools\":\"all\"}",
		"{\"intent\":\"dayahead_curve\"",
	};
	struct route r;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(parse(texts[i], &r));
}

static void repeated_filters_become_lists_where_the_tool_takes_one(void **state)
{
	const struct tool_def *compare = catalog_tool(catalog, "compare_vendors");
	const struct tool_def *average = catalog_tool(catalog, "get_average_annual_price");
	struct route r;
	const json_t *args;

	(void)state;
	assert_true(parse("{\"filters\":[{\"name\":\"vendor\",\"value\":\"Ascend\"},{\"name\":"
			  "\"vendor\",\"value\":\"Hitachi\"},"
			  "{\"name\":\"hub_zone\",\"value\":\"SP15\"}]}",
			  &r));
	args = route_args(compare, r.filters, arena);
	assert_int_equal(json_array_size(json_object_get(args, "vendors")), 2);
	assert_string_equal(json_string_value(json_object_get(args, "hub_zone")), "SP15");
	args = route_args(average, r.filters, arena);
	assert_string_equal(json_string_value(json_object_get(args, "vendor")), "Ascend");
	assert_true(parse("{\"filters\":[{\"name\":\"vendor\",\"value\":\"Ascend\"}]}", &r));
	args = route_args(compare, r.filters, arena);
	assert_int_equal(json_array_size(json_object_get(args, "vendors")), 1);
}

static void the_schema_is_the_same_every_time(void **state)
{
	json_t *first = route_schema(&view), *second = route_schema(&view);
	char *a = json_text(first), *b = json_text(second);

	(void)state;
	assert_string_equal(a, b);
	assert_non_null(strstr(a, "\"get_average_annual_price\""));
	assert_non_null(strstr(a, "\"additionalProperties\":false"));
	mem_free(a);
	mem_free(b);
	json_decref(first);
	json_decref(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_whole_answer_is_read, before, after),
		cmocka_unit_test_setup_teardown(names_the_caller_may_not_use_are_dropped, before,
						after),
		cmocka_unit_test_setup_teardown(steps_are_read_with_their_references, before,
						after),
		cmocka_unit_test_setup_teardown(a_step_that_is_not_allowed_refuses_all, before,
						after),
		cmocka_unit_test_setup_teardown(garbage_is_refused, before, after),
		cmocka_unit_test_setup_teardown(
			repeated_filters_become_lists_where_the_tool_takes_one, before, after),
		cmocka_unit_test_setup_teardown(the_schema_is_the_same_every_time, before, after),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
