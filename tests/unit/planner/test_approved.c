/* Matching a plan with approved plans: the same calls, possibly with other values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/planner.h"

#define FLOWS 4

static struct catalog *catalog;
static struct arena *arena;
static struct flow_def flows[FLOWS];
static const struct flow_def *listed[FLOWS];
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
	(void)state;
	arena = arena_new(1 << 22);
	view = (struct catalog_view){.catalog = catalog, .flows = listed};
	return 0;
}

static int after(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void approve(const char *name, const char *lines)
{
	struct flow_def *f = &flows[view.flow_count];
	struct err e = {0};

	if (!flow_read(catalog, "", arena_printf(arena, "approved/%s", name),
		       arena_printf(arena, "---\nflow: %s\nabout: x\nagent: per_agent\n---\n%s",
				    name, lines),
		       arena, f, &e))
		fail_msg("%s", e.text);
	f->own = true;
	listed[view.flow_count++] = f;
}

static json_t *object(const char *text)
{
	struct err e = {0};
	json_t *out;

	if (!json_parse(text, strlen(text), 4096, &out, &e))
		fail_msg("%s: %s", text, e.text);
	return json_own(arena, out);
}

/* The name of the flow and its filters; "": none. */
static const char *found(struct task *tasks, size_t count)
{
	const struct plan p = {.id = "p1", .tasks = tasks, .count = count};
	json_t *filters = NULL;
	const struct flow_def *f = approved_match(&view, &p, arena, &filters);
	char *text;
	const char *out;

	if (!f)
		return "";
	text = json_text(filters);
	out = arena_printf(arena, "%s %s", f->name, text);
	mem_free(text);
	return out;
}

static const char *found_one(const char *tool, const char *args)
{
	struct task t = {.id = "t1", .tool = tool, .json_args = object(args)};

	return found(&t, 1);
}

static void matches_with_other_filter_values(void **state)
{
	(void)state;
	approve("risks", "do t1 get_task_risks\n");
	assert_string_equal(found_one("get_task_risks", "{\"project_name\":\"Kern Wind\"}"),
			    "risks {\"project_name\":\"Kern Wind\"}");
	assert_string_equal(found_one("get_task_risks", "{}"), "risks {}");
	assert_string_equal(found_one("get_project_health", "{\"project_name\":\"Kern Wind\"}"),
			    "");
}

static void fixed_values_must_match(void **state)
{
	(void)state;
	approve("high", "do t1 get_task_risks risk_level=High\n");
	assert_string_equal(found_one("get_task_risks", "{\"risk_level\":\"High\"}"), "high {}");
	assert_string_equal(found_one("get_task_risks", "{\"risk_level\":\"Low\"}"), "");
	assert_string_equal(found_one("get_task_risks", "{}"), "");
	/* a value equal to the tool's default counts as absent */
	approve("any", "do t1 get_task_risks risk_level=any\n");
	assert_string_equal(found_one("get_task_risks", "{}"), "any {}");
}

static void prefers_plan_with_fewest_open_values(void **state)
{
	(void)state;
	approve("all", "do t1 get_task_risks\n");
	approve("high", "do t1 get_task_risks risk_level=High\n");
	assert_string_equal(found_one("get_task_risks", "{\"risk_level\":\"High\"}"), "high {}");
	assert_string_equal(found_one("get_task_risks", "{\"risk_level\":\"Low\"}"),
			    "all {\"risk_level\":\"Low\"}");
}

static void every_line_matches_one_call(void **state)
{
	struct task two[] = {
		{.id = "t1",
		 .tool = "compare_vendors",
		 .json_args = object("{\"hub_zone\":\"SP15\",\"year\":2025,\"vendors\":[\"A\","
				     "\"B\"]}")},
		{.id = "t2",
		 .tool = "get_hourly_price_distribution",
		 .json_args = object("{\"hub_zone\":\"SP15\",\"year\":2025,\"vendor\":{\"$ref\":"
				     "\"t1.facts.higher_vendor\"}}"),
		 .condition = "t1.row_count > 0"},
	};

	(void)state;
	approve("alone", "ask hub_zone single \"Zone?\"\nask year single \"Year?\"\n"
			 "do t1 compare_vendors\n");
	assert_string_equal(found(two, 2), "");
	approve("both", "ask hub_zone single \"Zone?\"\nask year single \"Year?\"\n"
			"do t1 compare_vendors\ndo t2 get_hourly_price_distribution "
			"vendor={t1.facts.higher_vendor} if t1.row_count > 0\n");
	assert_string_equal(found(two, 2),
			    "both {\"hub_zone\":\"SP15\",\"year\":2025,\"vendor\":[\"A\",\"B\"]}");
	two[1].condition = "t1.row_count > 1";
	assert_string_equal(found(two, 2), "");
	two[1].condition = "t1.row_count > 0";
	two[1].json_args = object("{\"hub_zone\":\"NP15\",\"year\":2025,\"vendor\":{\"$ref\":"
				  "\"t1.facts.higher_vendor\"}}");
	assert_string_equal(found(two, 2), ""); /* one filter, two values */
	two[1].json_args = object("{\"hub_zone\":\"SP15\",\"year\":2025,\"vendor\":{\"$ref\":"
				  "\"t1.facts.lower_vendor\"}}");
	assert_string_equal(found(two, 2), "");
}

static void matches_queries_over_the_map(void **state)
{
	static const char views[] =
		"do t1 query_metrics query=\"{\\\"metrics\\\":[\\\"views\\\"],\\\"where\\\":[{"
		"\\\"name\\\":\\\"report_name\\\",\\\"op\\\":\\\"is\\\",\\\"values\\\":["
		"\\\"{filter.report_name}\\\"]}]}\"\n";

	(void)state;
	approve("views",
		arena_printf(arena, "ask report_name multiple 1..50 \"Which?\"\n%s", views));
	assert_string_equal(
		found_one("query_metrics",
			  "{\"query\":\"{\\\"metrics\\\":[\\\"views\\\"],\\\"where\\\":[{"
			  "\\\"name\\\":\\\"report_name\\\",\\\"op\\\":\\\"is\\\",\\\"values\\\":["
			  "\\\"Budget Tracker\\\"]}]}\"}"),
		"views {\"report_name\":\"Budget Tracker\"}");
	assert_string_equal(
		found_one("query_metrics", "{\"query\":\"{\\\"metrics\\\":[\\\"views\\\"]}\"}"),
		"");
	assert_string_equal(found_one("query_metrics", "{}"), "");
}

static void matches_typed_arguments(void **state)
{
	struct args args = {0};
	struct task t = {.id = "t1", .tool = "get_top_users", .args = &args};
	struct value names[] = {value_text("A"), value_text("B")};

	(void)state;
	approve("users", "do t1 get_top_users top_n=5\n");
	args_set(&args, arena, "top_n", value_int(5));
	args_set(&args, arena, "report_name", value_text("Budget Tracker"));
	assert_string_equal(found(&t, 1), "users {\"report_name\":\"Budget Tracker\"}");
	args_set(&args, arena, "top_n", value_int(6));
	assert_string_equal(found(&t, 1), "");
	args = (struct args){0};
	t.tool = "compare_vendors";
	approve("vendors", "ask hub_zone single \"Zone?\"\nask year single \"Year?\"\n"
			   "do t1 compare_vendors\n");
	args_set_list(&args, arena, "vendors", names, 2);
	assert_string_equal(found(&t, 1), "vendors {\"vendor\":[\"A\",\"B\"]}");
}

static void ignores_flows_completed_tasks_and_pack_flows(void **state)
{
	struct task t = {.id = "t1", .tool = "get_task_risks", .json_args = object("{}")};
	struct plan p = {.id = "p1", .tasks = &t, .count = 1, .flow = &flows[0]};
	json_t *filters = NULL;

	(void)state;
	approve("risks", "do t1 get_task_risks\n");
	assert_null(approved_match(&view, &p, arena, &filters));
	t.state = TASK_COMPLETED;
	assert_string_equal(found(&t, 1), "");
	t.state = TASK_PENDING;
	assert_string_equal(found(&t, 1), "risks {}");
	flows[0].own = false;
	assert_string_equal(found(&t, 1), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, before, after)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(matches_with_other_filter_values),
		TEST(fixed_values_must_match),
		TEST(prefers_plan_with_fewest_open_values),
		TEST(every_line_matches_one_call),
		TEST(matches_queries_over_the_map),
		TEST(matches_typed_arguments),
		TEST(ignores_flows_completed_tasks_and_pack_flows),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
