/* The supervisor's answer: only names that the caller may use, only known shapes, and filters that
 * become arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "vesper/planner.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/ref.h"

static struct catalog *catalog;
static struct arena *arena;
static struct catalog_view view;

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	return catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e)
		       ? 0
		       : -1;
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

static bool parse(const char *text, struct supervisor_reply *r)
{
	struct err e = {0};

	return supervisor_parse(text, strlen(text), &view, arena, r, &e);
}

static const char *step_text(const struct supervisor_reply *r, size_t i, const char *name)
{
	return json_string_value(json_object_get(json_array_get(r->steps, i), name));
}

static void reads_complete_answer(void **state)
{
	struct supervisor_reply r;

	(void)state;
	assert_true(parse("{\"do\":[{\"Run\":\"get_average_annual_price\"},"
			  "{\"Set\":\"vendor=Ascend\"},{\"Set\":\"year=2025\"}]}",
			  &r));
	assert_string_equal(r.intent, "dayahead_curve");
	assert_int_equal(json_array_size(r.steps), 1);
	assert_string_equal(step_text(&r, 0, "id"), "t1");
	assert_string_equal(step_text(&r, 0, "agent"), "dayahead_agent");
	assert_string_equal(step_text(&r, 0, "tool"), "get_average_annual_price");
	assert_null(r.clarification);
	assert_string_equal(json_string_value(json_object_get(r.filters, "vendor")), "Ascend");
}

static void reads_agent_task(void **state)
{
	struct supervisor_reply r;

	(void)state;
	assert_true(parse("{\"do\":[{\"Run\":\"get_average_annual_price\"},"
			  "{\"Run\":\"price_curve_agent\"}]}",
			  &r));
	assert_string_equal(r.intent, "multi_domain");
	assert_string_equal(step_text(&r, 1, "id"), "t2");
	assert_string_equal(step_text(&r, 1, "agent"), "price_curve_agent");
	assert_null(step_text(&r, 1, "tool"));
}

static void empty_list_is_a_general_question(void **state)
{
	struct supervisor_reply r;

	(void)state;
	assert_true(parse("{\"do\":[]}", &r));
	assert_string_equal(r.intent, "general");
	assert_int_equal(json_array_size(r.steps), 0);
}

static void reads_clarifying_question_with_options(void **state)
{
	struct supervisor_reply r;

	(void)state;
	assert_true(parse("{\"do\":[{\"Ask\":\"Which year?\"},{\"Option\":\"2025\"},"
			  "{\"Option\":\"2026\"}]}",
			  &r));
	assert_string_equal(r.clarification, "Which year?");
	assert_int_equal(json_array_size(r.options), 2);
}

static void drops_names_without_permission(void **state)
{
	static const char text[] = "{\"do\":[{\"Run\":\"root_agent\"},{\"Run\":\"per_agent\"},"
				   "{\"Run\":\"drop_tables\"},{\"Run\":\"get_color_ranking\"},"
				   "{\"Run\":\"get_average_annual_price\"}]}";
	struct supervisor_reply r;

	(void)state;
	assert_true(parse(text, &r));
	assert_int_equal(json_array_size(r.steps), 1);
	assert_string_equal(step_text(&r, 0, "tool"), "get_average_annual_price");

	view.tool_count = view.domain_count = 0; /* a caller without any permission */
	assert_true(parse(text, &r));
	assert_int_equal(json_array_size(r.steps), 0);
}

static void reads_steps_with_references(void **state)
{
	const json_t *first, *second;
	struct supervisor_reply r;

	(void)state;
	assert_true(parse("{\"do\":["
			  "{\"Step\":\"t1\",\"Run\":\"compare_vendors\",\"With\":[],\"From\":[],"
			  "\"After\":[],\"If\":\"\"},"
			  "{\"Step\":\"t2\",\"Run\":\"get_hourly_price_distribution\","
			  "\"With\":[\"year=2026\",\"market=\",\"colour=red\"],"
			  "\"From\":[\"vendor=t1.facts.higher_vendor\"],"
			  "\"After\":[\"t1\"],\"If\":\"t1.row_count > 0\"}]}",
			  &r));
	assert_int_equal(json_array_size(r.steps), 2);
	first = json_array_get(r.steps, 0);
	second = json_array_get(r.steps, 1);
	assert_string_equal(json_string_value(json_object_get(first, "agent")), "dayahead_agent");
	assert_null(json_object_get(first, "condition"));
	assert_string_equal(json_string_value(json_object_get(second, "condition")),
			    "t1.row_count > 0");
	assert_int_equal(json_array_size(json_object_get(second, "depends_on")), 1);
	second = json_object_get(second, "own");
	assert_int_equal(json_object_size(second), 2);
	assert_string_equal(json_string_value(json_object_get(second, "year")), "2026");
	assert_string_equal(ref_of(json_object_get(second, "vendor")), "t1.facts.higher_vendor");
}

static void forbidden_step_rejects_the_reply(void **state)
{
	static const char *const steps[] = {
		"{\"Step\":\"t1\",\"Run\":\"get_color_ranking\"}",
		"{\"Step\":\"t1\",\"Run\":\"per_agent\"}",
		"{\"Step\":\"t1\",\"Run\":\"drop_tables\"}",
		"{\"Step\":\"t1\"}",
		"{\"Step\":7,\"Run\":\"compare_vendors\"}",
		"{\"Step\":\"t1\",\"Run\":\"compare_vendors\",\"From\":[7]}",
		"{\"Step\":\"t1\",\"Run\":\"compare_vendors\",\"With\":[{\"vendor\":\"Ascend\"}]}",
	};
	struct supervisor_reply r;

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		assert_false(parse(arena_printf(arena, "{\"do\":[%s]}", steps[i]), &r));
}

static void rejects_too_many_steps(void **state)
{
	const char *text = "";
	struct supervisor_reply r;

	(void)state;
	for (int i = 0; i < PLAN_TASKS_MAX; i++)
		text = arena_printf(arena, "%s%s{\"Run\":\"dayahead_agent\"}", text, i ? "," : "");
	assert_true(parse(arena_printf(arena, "{\"do\":[%s]}", text), &r));
	assert_false(
		parse(arena_printf(arena, "{\"do\":[%s,{\"Run\":\"dayahead_agent\"}]}", text), &r));
}

static void rejects_garbage(void **state)
{
	static const char *const texts[] = {
		"",
		"I would use the average tool.",
		"[]",
		"{}",
		"{\"do\":\"all\"}",
		"{\"do\":[\"get_average_annual_price\"]}",
		"{\"do\":[{\"Run\":[\"get_average_annual_price\"]}]}",
		"{\"do\":[{\"Set\":[\"year=2025\"]}]}",
		"{\"do\":[{\"Ask\":7}]}",
		"{\"do\":[{\"Option\":null}]}",
		"{\"do\":[{\"Run\":\"get_average_annual_price\"}",
	};
	struct supervisor_reply r;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(parse(texts[i], &r));
}

static void repeated_filters_become_lists_if_the_tool_takes_one(void **state)
{
	const struct tool_def *compare = catalog_tool(catalog, "compare_vendors");
	const struct tool_def *average = catalog_tool(catalog, "get_average_annual_price");
	struct supervisor_reply r;
	const json_t *args;

	(void)state;
	assert_true(parse("{\"do\":[{\"Set\":\"vendor=\"},{\"Set\":\"vendor=Ascend\"},"
			  "{\"Set\":\"vendor=Hitachi\"},{\"Set\":\"hub_zone = SP15\"}]}",
			  &r));
	args = filters_as_args(compare, r.filters, arena);
	assert_int_equal(json_array_size(json_object_get(args, "vendors")), 2);
	assert_string_equal(json_string_value(json_object_get(args, "hub_zone")), "SP15");
	args = filters_as_args(average, r.filters, arena);
	assert_string_equal(json_string_value(json_object_get(args, "vendor")), "Ascend");
	assert_true(parse("{\"do\":[{\"Set\":\"vendor=Ascend\"},{\"Set\":\"year=2025\"}]}", &r));
	args = filters_as_args(compare, r.filters, arena);
	assert_int_equal(json_array_size(json_object_get(args, "vendors")), 1);
	assert_string_equal(json_string_value(json_object_get(args, "year")), "2025");
}

/* Services cache identical bytes, so the schema contains no tool and no filter. */
static void schema_is_the_same_for_every_caller(void **state)
{
	json_t *first = supervisor_schema(), *second = supervisor_schema();
	char *a = json_text(first), *b = json_text(second);

	(void)state;
	assert_string_equal(a, b);
	assert_non_null(strstr(a, "\"additionalProperties\":false"));
	assert_null(strstr(a, "enum"));
	for (size_t i = 0; i < view.tool_count; i++) {
		assert_null(strstr(a, view.tools[i]->name));
		for (size_t p = 0; p < view.tools[i]->param_count; p++)
			assert_null(strstr(
				a, arena_printf(arena, "\"%s\"", view.tools[i]->params[p].filter)));
	}
	mem_free(a);
	mem_free(b);
	json_decref(first);
	json_decref(second);
}

static void ignores_unknown_filters(void **state)
{
	static const char *const entries[] = {
		"{\"Set\":\"colour=red\"}", "{\"Set\":\"year\"}",  "{\"Set\":\"\"}",
		"{\"Set\":\"=2025\"}",      "{\"Set\":\"Run=x\"}", "{\"year\":\"2025\"}",
		"{\"year\":[2025]}",
	};
	struct supervisor_reply r;

	(void)state;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		assert_true(parse(arena_printf(arena, "{\"do\":[%s,{\"Run\":\"dayahead_agent\"}]}",
					       entries[i]),
				  &r));
		assert_int_equal(json_object_size(r.filters), 0);
		assert_int_equal(json_array_size(r.steps), 1);
	}
}

static void value_may_contain_any_text(void **state)
{
	struct supervisor_reply r;

	(void)state;
	assert_true(parse("{\"do\":[{\"Set\":\"asof_date=a=b = c\"},{\"Set\":\"vendors=\"}]}", &r));
	assert_string_equal(json_string_value(json_object_get(r.filters, "asof_date")), "a=b = c");
	assert_string_equal(json_string_value(json_object_get(r.filters, "vendors")), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_complete_answer, before, after),
		cmocka_unit_test_setup_teardown(reads_agent_task, before, after),
		cmocka_unit_test_setup_teardown(empty_list_is_a_general_question, before, after),
		cmocka_unit_test_setup_teardown(reads_clarifying_question_with_options, before,
						after),
		cmocka_unit_test_setup_teardown(drops_names_without_permission, before, after),
		cmocka_unit_test_setup_teardown(reads_steps_with_references, before, after),
		cmocka_unit_test_setup_teardown(forbidden_step_rejects_the_reply, before, after),
		cmocka_unit_test_setup_teardown(rejects_too_many_steps, before, after),
		cmocka_unit_test_setup_teardown(rejects_garbage, before, after),
		cmocka_unit_test_setup_teardown(repeated_filters_become_lists_if_the_tool_takes_one,
						before, after),
		cmocka_unit_test_setup_teardown(schema_is_the_same_for_every_caller, before, after),
		cmocka_unit_test_setup_teardown(ignores_unknown_filters, before, after),
		cmocka_unit_test_setup_teardown(value_may_contain_any_text, before, after),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
