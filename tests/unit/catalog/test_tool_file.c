/* Headers of tool files: what is read from them, and what is refused with its line. */
#include "catalog_test.h"

#include "vesper/limits.h"
#include "vesper/str.h"

static void reads_the_header(void **state)
{
	(void)state;
	load();
	const struct tool_def *t = catalog_tool(catalog, "get_price");

	assert_string_equal(t->about, "Price of a hub.");
	assert_string_equal(t->permission, "chat:read");
	assert_string_equal(t->report, "price_report");
	assert_true(t->visible);
	assert_int_equal(t->cache_s, 0);
	assert_string_equal(t->path, SMALL_TOOL_PATH);
	assert_string_equal(t->answer, "{Hub} costs {Price}.");
	assert_string_equal(t->suggest[0], "And {arg.hub} in {arg.year}?");
	assert_null(t->suggest[1]);
}

static void reads_params(void **state)
{
	(void)state;
	load();
	const struct tool_def *t = catalog_tool(catalog, "get_price");

	assert_int_equal(t->param_count, 8);
	assert_true(t->params[0].required);
	assert_string_equal(t->params[0].entity, "hub");
	assert_string_equal(t->params[0].about, "Where");
	const struct param_def *year = tool_param(t, "year");
	assert_int_equal(year->type, PARAM_INT);
	assert_string_equal(year->default_text, "2025");
	assert_true(year->has_min && year->has_max);
	assert_int_equal(year->max, 2100);
	const struct param_def *hours = tool_param(t, "hours");
	assert_true(hours->is_list);
	assert_int_equal(hours->list_min, 1);
	assert_int_equal(hours->list_max, 24);
	assert_string_equal(hours->filter, "hour");
	assert_true(tool_param(t, "name")->like);
	assert_string_equal(tool_param(t, "name")->about, "Part of a name");
	assert_int_equal(tool_param(t, "above")->type, PARAM_DECIMAL);
	assert_int_equal(tool_param(t, "firm")->type, PARAM_BOOL);
}

static void reads_columns(void **state)
{
	(void)state;
	load();
	const struct tool_def *t = catalog_tool(catalog, "get_price");

	assert_int_equal(t->column_count, 3);
	assert_int_equal(t->columns[0].priority, PRIORITY_HIGH);
	assert_false(t->columns[0].has_type);
	assert_null(t->columns[0].label);
	assert_string_equal(t->columns[1].label, "Average price");
	assert_string_equal(t->columns[1].unit, "$");
	assert_int_equal(t->columns[1].priority, PRIORITY_MEDIUM);
	assert_true(t->columns[1].has_type);
	assert_int_equal(t->columns[1].type, COLUMN_DECIMAL);
	assert_string_equal(t->columns[2].permission, "chat:read_budget");
}

static void a_column_may_say_what_day_the_data_is_of(void **state)
{
	char *tool = changed(SMALL_TOOL, "type=decimal", "type=decimal asof");

	(void)state;
	temp_root_write(&root, SMALL_TOOL_PATH, tool);
	mem_free(tool);
	load();
	assert_true(catalog->tools[0].columns[1].asof);
	assert_false(catalog->tools[0].columns[0].asof);
}

static void broken(const char *from, const char *to, const char *why)
{
	refused_change(SMALL_TOOL_PATH, SMALL_TOOL, from, to, why);
}

static void refuses_wrong_keys(void **state)
{
	(void)state;
	broken("-- tool: get_price\n", "", "has no \"-- tool: NAME\"");
	broken("-- about: Price of a hub.\n", "", "has no \"-- about");
	broken("-- permission: chat:read\n", "", "has no \"-- permission");
	broken("get_price\n", "get_prices\n", "must be get_prices.sql");
	broken("-- report", "-- about: x\n-- report", "get_price.sql:4: about is there twice");
	broken("-- report", "-- colour: x\n-- report", "get_price.sql:4: unknown key colour");
	broken("chat:read\n", "chat:write\n", ":3: unknown permission chat:write");
	broken("price_report", "prices", ":4: unknown report prices");
	broken("-- report", "-- visible: maybe\n-- report", "visible is yes or no");
	broken("-- report", "-- cache_s: -1\n-- report", "cache_s is negative");
	broken("-- report", "-- cache_s: x\n-- report", "not a whole number");
	broken("-- report", "-- window: dbo.other.day\n-- report",
	       "not a column of an approved view");
	broken("-- report", "-- window: dbo.prices.day\n-- report", "a query window go together");
	broken("{Hub} costs", "{Hubs} costs", "{Hubs} is neither a param nor a column");
	broken("{Price}.", "{Price.", "{ without }");
	broken("{year}?", "{arg.month}?", "{arg.month} is neither");
}

static void refuses_a_wrong_whole(void **state)
{
	(void)state;
	broken("-- report", "-- whole: sum(Price)\n-- report", "whole is count, then");
	broken("-- report", "-- whole: count, avg(Price)\n-- report", ":4: whole is count, then");
	broken("-- report", "-- whole: count, sum(Price\n-- report", "whole is count, then");
	broken("-- report", "-- whole: count, sum()\n-- report", "no fetched column");
	broken("-- report", "-- whole: count, sum(Prices)\n-- report", "Prices is no fetched");
	broken("-- report", "-- whole: count, sum(Hub)\n-- report", "Hub is no fetched");
	broken("-- report", "-- whole: count,\n-- report", "whole is count, then");
}

static void refuses_wrong_params(void **state)
{
	(void)state;
	broken("-- param hub text", "-- param Hub text", ":7: Hub is no name");
	broken("-- param hub text", "-- param today text", "today is bound by code");
	broken("-- param hub text", "-- param may_x text", "may_x is bound by code");
	broken("-- param market text", "-- param hub text", ":8: param hub is there twice");
	broken("hub text required", "hub string required", "unknown type string");
	broken("hub text required", "hub text", "required or optional?");
	broken("hub text required", "hub", "unknown type entity=hub");
	broken("entity=hub Where", "entity=hubs Where", "entity hubs is no dimension");
	broken("entity=hub Where", "entty=hub Where", "unknown attribute entty");
	broken("entity=hub Where", "entity=hub", "says nothing about itself");
	broken("default=2025", "default=x", "default of year must be a whole number");
	broken("default=2025", "default=1999", "year must be at least 2000");
	broken("year int optional default", "year int required default",
	       "required one has no default");
	broken("min=2000", "min=x", "x is not a whole number");
	broken("market text optional", "market text optional min=1", "only numbers have a min");
	broken("year int optional", "year int optional entity=hub", "need a text");
	broken("market text optional", "market text optional default=North",
	       "default North is no known market");
	broken("list(int,24)", "list(int)", "expected list(type,max)");
	broken("list(int,24)", "list(int,65)", "1 to 64 values");
	broken("list(int,24)", "list(int,0)", "1 to 64 values");
	broken("list(int,24)", "list(int,3-2)", "1 to 64 values");
	broken("list(int,24)", "list(int,2-x)", "x is not a whole number");
	broken("match=like", "match=fuzzy", "match is exact or like");
}

static void refuses_wrong_columns(void **state)
{
	(void)state;
	broken("\"Hub\" priority=high", "\"Hub\" priority=top", "priority is high, medium or low");
	broken("\"Hub\" priority=high", "\"Hub\" high", "column Hub: what is high?");
	broken("unit=$", "unit=zloty", "unit zloty is not registered (config/units.json)");
	broken("type=decimal", "type=money", "unknown type money");
	broken("permission=chat:read_budget", "permission=chat:x", "unknown permission chat:x");
	broken("-- column \"Price\"", "-- column \"Hub\"", "column Hub is there twice");
}

/* A tool of so many params and columns. */
static char *wide_tool(int params, int columns)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	buf_str(&b, "-- tool: get_price\n-- about: Wide.\n-- permission: chat:read\n");
	for (int i = 0; i < params; i++)
		buf_printf(&b, "-- param p%d int optional One of many\n", i);
	for (int i = 0; i < columns; i++)
		buf_printf(&b, "-- column \"c%d\"\n", i);
	buf_str(&b, "SELECT 0");
	for (int i = 0; i < columns; i++)
		buf_printf(&b, ", %d AS \"c%d\"", i, i);
	buf_str(&b, " FROM dbo.prices WHERE tenant_id = :tenant_id\n");
	for (int i = 0; i < params; i++)
		buf_printf(&b, "--? p%d: AND x = :p%d\n", i, i);
	return buf_take(&b);
}

static void caps_params_and_columns(void **state)
{
	(void)state;
	const struct {
		int params, columns;
		const char *why;
	} cases[] = {
		{TOOL_ARGS_MAX, TOOL_COLUMNS_MAX, NULL},
		{TOOL_ARGS_MAX + 1, 1, "more than 24 params"},
		{1, TOOL_COLUMNS_MAX + 1, "more than 64 columns"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = wide_tool(cases[i].params, cases[i].columns);
		if (cases[i].why) {
			refused(SMALL_TOOL_PATH, text, cases[i].why);
		} else {
			temp_root_write(&root, SMALL_TOOL_PATH, text);
			load();
		}
		mem_free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_the_header),        TEST(reads_params),
		TEST(reads_columns),           TEST(a_column_may_say_what_day_the_data_is_of),
		TEST(refuses_wrong_keys),      TEST(refuses_a_wrong_whole),
		TEST(refuses_wrong_params),    TEST(refuses_wrong_columns),
		TEST(caps_params_and_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
