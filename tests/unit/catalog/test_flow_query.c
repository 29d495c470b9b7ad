/* Queries over the map in flows: placeholders, filling them, and matching other queries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "catalog_int.h"
#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define VIEWS                                                                                      \
	"{\"metrics\":[\"views\"],\"where\":[{\"name\":\"report_name\",\"op\":\"is\",\"values\":"  \
	"[\"%s\"]}],\"period\":{\"start\":\"%s\",\"end\":\"%s\"}}"
#define PLACEHOLDERS "{filter.report_name}", "{filter.date_range_start}", "{filter.date_range_end}"

static struct catalog *catalog;
static struct arena *arena;

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	arena = arena_new(64 << 20);
	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	catalog_unref(&catalog);
	arena_free(&arena);
	return 0;
}

static const char *views(const char *report, const char *start, const char *end)
{
	return arena_printf(arena, VIEWS, report, start, end);
}

static json_t *object(const char *text)
{
	struct err e = {0};
	json_t *out;

	if (!json_parse(text, strlen(text), 4096, &out, &e))
		fail_msg("%s", e.text);
	return json_own(arena, out);
}

static void assert_same(const char *text, const char *expected)
{
	if (!json_equal(object(text), object(expected)))
		fail_msg("got %s, expected %s", text, expected);
}

static bool accept_all(const void *owner, const char *filter)
{
	(void)owner;
	(void)filter;
	return true;
}

static bool accept_none(const void *owner, const char *filter)
{
	(void)owner;
	(void)filter;
	return false;
}

static void placeholders_become_parameters(void **state)
{
	const struct param_def *slots;
	struct err e = {0};
	size_t n;

	(void)state;
	assert_true(flow_query_read(catalog, views(PLACEHOLDERS), arena, &slots, &n, &e));
	assert_int_equal(n, 3);
	assert_string_equal(slots[0].filter, "report_name");
	assert_string_equal(slots[0].entity, "report_name");
	assert_true(slots[0].is_list && slots[0].required && slots[0].about);
	assert_int_equal(slots[0].list_max, MAP_VALUES_MAX);
	assert_int_equal(slots[1].type, PARAM_DATE);
	assert_string_equal(slots[2].filter, "date_range_end");
	assert_true(flow_query_read(catalog, views("Budget Tracker", "2026-01-01", "2026-01-31"),
				    arena, &slots, &n, &e));
	assert_int_equal(n, 0);
}

static void rejects_invalid_queries_with_reason(void **state)
{
	static const char *const cases[][2] = {
		{"", "not a JSON object"},
		{"[]", "not a JSON object"},
		{"{\"metrics\":[\"glances\"]}", "the map has no glances"},
		{"{\"metrics\":[7]}", "a name that is not a string"},
		{"{\"list\":\"dragons\"}", "the map has no dragons"},
		{"{\"metrics\":[\"views\"],\"by\":[\"report_name.fortnight.x\"]}",
		 "the map has no"},
		{"{\"metrics\":[\"views\"],\"where\":[{\"name\":\"report_name\",\"op\":\"is\","
		 "\"values\":[\"{filter.vendor}\"]}]}",
		 "report_name is not the dimension of the filter vendor"},
		{"{\"metrics\":[\"views\"],\"period\":{\"start\":\"{filter.day}\",\"end\":"
		 "\"{filter.day}\"}}",
		 "has the filter day twice"},
		{"{\"metrics\":[\"views\"],\"where\":[{\"op\":\"is\"}]}",
		 "a name that is not a string"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct param_def *slots;
		struct err e = {0};
		size_t n;

		if (flow_query_read(catalog, cases[i][0], arena, &slots, &n, &e))
			fail_msg("%s is accepted", cases[i][0]);
		if (!strstr(e.text, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], e.text);
	}
}

static void replaces_values_with_placeholders(void **state)
{
	const char *query = views("Budget Tracker", "2026-01-01", "2026-01-31");
	json_t *values;

	(void)state;
	assert_same(flow_query_parameterize(catalog, query, accept_all, NULL, arena, &values),
		    views(PLACEHOLDERS));
	assert_string_equal(json_string_value(json_object_get(values, "report_name")),
			    "Budget Tracker");
	assert_string_equal(json_string_value(json_object_get(values, "date_range_start")),
			    "2026-01-01");
	/* days are always placeholders; other values only if is_slot accepts them */
	assert_same(
		flow_query_parameterize(catalog, query, accept_none, NULL, arena, &values),
		views("Budget Tracker", "{filter.date_range_start}", "{filter.date_range_end}"));
	/* the comparison period would not change with the day */
	query = "{\"metrics\":[\"views\"],\"period\":{\"start\":\"2026-01-01\",\"end\":"
		"\"2026-12-31\"},\"compare\":{\"start\":\"2025-01-01\",\"end\":\"2025-12-31\"}}";
	assert_same(flow_query_parameterize(catalog, query, accept_all, NULL, arena, &values),
		    query);
	/* bounds are not values of a dimension */
	query = "{\"metrics\":[\"views\"],\"by\":[\"report_name\"],\"having\":[{\"name\":\"views\","
		"\"op\":\"over\",\"values\":[\"50\"]}],\"where\":[]}";
	assert_same(flow_query_parameterize(catalog, query, accept_all, NULL, arena, &values),
		    query);
	assert_null(flow_query_parameterize(catalog, "no", accept_all, NULL, arena, &values));
}

static void fills_placeholders_with_values(void **state)
{
	(void)state;
	assert_same(flow_query_fill(views(PLACEHOLDERS),
				    object("{\"report_name\":\"A\",\"date_range_start\":"
					   "\"2026-01-01\",\"date_range_end\":\"2026-01-31\"}"),
				    arena),
		    views("A", "2026-01-01", "2026-01-31"));
	/* the plural name of a filter; missing days keep their placeholder */
	assert_same(flow_query_fill(views(PLACEHOLDERS), object("{\"report_names\":[\"A\",\"B\"]}"),
				    arena),
		    "{\"metrics\":[\"views\"],\"where\":[{\"name\":\"report_name\",\"op\":\"is\","
		    "\"values\":[\"A\",\"B\"]}],\"period\":{\"start\":"
		    "\"{filter.date_range_start}\",\"end\":\"{filter.date_range_end}\"}}");
}

static void matches_queries_that_differ_only_in_values(void **state)
{
	json_t *filters = json_own(arena, json_object());

	(void)state;
	assert_true(flow_query_match(views(PLACEHOLDERS), views("B", "2025-12-01", "2025-12-31"),
				     filters, arena));
	assert_string_equal(json_string_value(json_object_get(filters, "report_name")), "B");
	assert_string_equal(json_string_value(json_object_get(filters, "date_range_end")),
			    "2025-12-31");
	/* the filter already has another value */
	assert_false(flow_query_match(views(PLACEHOLDERS), views("C", "2025-12-01", "2025-12-31"),
				      filters, arena));
	for (size_t i = 0; i < 5; i++) {
		static const char *const others[] = {
			"{\"metrics\":[\"views\"]}",
			"{\"metrics\":[\"users\"],\"where\":[{\"name\":\"report_name\",\"op\":"
			"\"is\",\"values\":[\"B\"]}],\"period\":{\"start\":\"2025-12-01\",\"end\":"
			"\"2025-12-31\"}}",
			"{\"metrics\":[\"views\"],\"where\":[{\"name\":\"report_name\",\"op\":"
			"\"not\",\"values\":[\"B\"]}],\"period\":{\"start\":\"2025-12-01\",\"end\":"
			"\"2025-12-31\"}}",
			"{\"metrics\":[\"views\"],\"where\":[{\"name\":\"report_name\",\"op\":"
			"\"is\",\"values\":[\"B\"]}],\"period\":{\"start\":\"2025-12-01\",\"end\":"
			"\"2025-12-31\"},\"top\":3}",
			"no",
		};

		filters = json_own(arena, json_object());
		assert_false(flow_query_match(views(PLACEHOLDERS), others[i], filters, arena));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(placeholders_become_parameters),
		cmocka_unit_test(rejects_invalid_queries_with_reason),
		cmocka_unit_test(replaces_values_with_placeholders),
		cmocka_unit_test(fills_placeholders_with_values),
		cmocka_unit_test(matches_queries_that_differ_only_in_values),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
