/* URLs of reports: they have the answer's filters, and values cannot escape from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/answer.h"

static const struct report_filter filters[] = {
	{"hub_zone", "Vendor Files", "HubZone"}, {"year", "Day-Ahead", "Year"}, {"hour", "T", "H"}};
static const struct report_def report = {
	.url = "https://app.example/r/1", .filters = filters, .filter_count = 3};
static const struct param_def params[] = {{.name = "zone", .filter = "hub_zone"},
					  {.name = "year", .filter = "year"},
					  {.name = "hours", .filter = "hour", .is_list = true},
					  {.name = "vendor", .filter = "vendor"}};
static const struct tool_def tool = {.name = "t", .params = params, .param_count = 4};
static struct arena *arena;
static struct args args;

static int setup(void **state)
{
	(void)state;
	arena = arena_new(1 << 20);
	args = (struct args){0};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void links_contain_names_and_values(void **state)
{
	const struct value hours[] = {value_int(15), value_int(16)};

	(void)state;
	args_set(&args, arena, "zone", value_text("NP15"));
	args_set(&args, arena, "vendor", value_text("Ascend")); /* not a filter of this report */
	args_set(&args, arena, "year", value_int(2025));
	args_set_list(&args, arena, "hours", hours, 2);
	assert_string_equal(
		link_url(&report, &tool, &args, arena),
		"https://app.example/r/1?filter=Vendor_x0020_Files/HubZone%20eq%20%27NP15%27"
		"%20and%20Day_x002D_Ahead/Year%20eq%202025%20and%20T/H%20in%20%2815%2C%2016%29");
}

static void values_are_escaped(void **state)
{
	(void)state;
	args_set(&args, arena, "zone", value_text("O'Brien' or 1 eq 1&x=#é"));
	assert_string_equal(link_url(&report, &tool, &args, arena),
			    "https://app.example/r/1?filter=Vendor_x0020_Files/HubZone%20eq%20"
			    "%27O%27%27Brien%27%27%20or%201%20eq%201%26x%3D%23%C3%A9%27");
}

static void url_without_filters_is_unchanged(void **state)
{
	static char huge[5000];
	struct report_def query = report;
	struct report_def none = report;

	(void)state;
	assert_string_equal(link_url(&report, &tool, &args, arena), report.url);
	assert_string_equal(link_url(&report, NULL, &args, arena), report.url);
	memset(huge, 'x', sizeof(huge) - 1);
	args_set(&args, arena, "zone", value_text(huge));
	assert_string_equal(link_url(&report, &tool, &args, arena), report.url);
	args_set(&args, arena, "zone", value_text("x"));
	query.url = "https://app.example/r?a=1";
	assert_non_null(strstr(link_url(&query, &tool, &args, arena), "?a=1&filter="));
	none.url = "";
	assert_string_equal(link_url(&none, &tool, &args, arena), "");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {CASE(links_contain_names_and_values),
					   CASE(values_are_escaped),
					   CASE(url_without_filters_is_unchanged)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
