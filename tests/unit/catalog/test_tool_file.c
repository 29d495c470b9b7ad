/* Headers of tool files: reading, and errors with their line. */
#include "catalog_test.h"

#include "vesper/limits.h"
#include "vesper/result.h"
#include "vesper/str.h"

static void reads_header(void **state)
{
	(void)state;
	load();
	const struct tool_def *t = catalog_tool(catalog, "get_price");

	assert_string_equal(t->about, "Price of a hub.");
	assert_string_equal(t->callers.permission, "chat:read");
	assert_string_equal(t->reports[0], "price_report");
	assert_null(t->reports[1]);
	assert_true(t->callers.visible);
	assert_int_equal(t->cache_s, 0);
	assert_string_equal(t->path, SMALL_TOOL_PATH);
	assert_string_equal(t->words.answer, "{Hub} costs {Price}.");
	assert_string_equal(t->words.suggest[0].text, "And {arg.hub} in {arg.year}?");
	assert_null(t->words.suggest[1].text);
}

#define SUGGEST "-- suggest: And {hub} in {year}?"

static void reads_suggestions(void **state)
{
	const struct suggest_def *s;
	char *text =
		with_change(SMALL_TOOL, SUGGEST,
			    "-- suggest: primary \"More of {Hub}\" -> And {hub}, if it rains? if "
			    "row_count > 0 and rows[0].Price > 4\n"
			    "-- suggest: secondary And {year}?\n" SUGGEST);

	(void)state;
	temp_root_write(&root, SMALL_TOOL_PATH, text);
	mem_free(text);
	load();
	s = catalog_tool(catalog, "get_price")->words.suggest;
	assert_true(s[0].primary);
	assert_string_equal(s[0].label, "More of {Hub}");
	assert_string_equal(s[0].text, "And {arg.hub}, if it rains?");
	assert_non_null(s[0].when);
	assert_false(s[1].primary);
	assert_string_equal(s[1].text, "And {arg.year}?");
	assert_null(s[1].when);
	assert_string_equal(s[2].text, "And {arg.hub} in {arg.year}?");
	assert_null(s[3].text);
}

static void rejects_invalid_suggestions(void **state)
{
	static const char *const wrong[][2] = {
		{"-- suggest: primary", "the question is missing"},
		{"-- suggest: primary \"More\" And?", "-> is missing"},
		{"-- suggest: primary And? if row_count >", "suggest: if:"},
		{"-- suggest: primary And? if facts.moons > 1", "moons is not a fact"},
		{"-- suggest: primary And? if rows[0].Moon > 1", "Moon is not a column"},
		{"-- suggest: primary And? if missing hub", "filters are not available"},
		{"-- suggest: primary \"{Moon}\" -> And?", "{Moon}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_change_rejected(SMALL_TOOL_PATH, SMALL_TOOL, SUGGEST, wrong[i][0],
				       wrong[i][1]);
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
	assert_false(hours->accepts_single);
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

static void column_can_be_the_as_of_date(void **state)
{
	char *tool = with_change(SMALL_TOOL, "type=decimal", "type=decimal asof");

	(void)state;
	temp_root_write(&root, SMALL_TOOL_PATH, tool);
	mem_free(tool);
	load();
	assert_true(catalog->tools[0].columns[1].asof);
	assert_false(catalog->tools[0].columns[0].asof);
}

static void load_changed(const char *from, const char *to)
{
	char *tool = with_change(SMALL_TOOL, from, to);

	temp_root_write(&root, SMALL_TOOL_PATH, tool);
	mem_free(tool);
	load();
}

static void tool_can_have_several_reports(void **state)
{
	(void)state;
	load_changed("price_report", "other_report, price_report");
	assert_string_equal(catalog->tools[0].reports[0], "other_report");
	assert_string_equal(catalog->tools[0].reports[1], "price_report");
	assert_null(catalog->tools[0].reports[2]);
}

static void reads_slots(void **state)
{
	(void)state;
	char *tool = with_change(SMALL_TOOL, "above decimal optional",
				 "above decimal optional unit=$/MWh slot=above");
	char *bound = with_change(tool, "p.price > :above",
				  "(p.price > :above OR (:above_incl = 1 AND p.price = :above))");

	temp_root_write(&root, SMALL_TOOL_PATH, bound);
	mem_free(tool);
	mem_free(bound);
	load();
	const struct tool_def *t = catalog_tool(catalog, "get_price");
	const struct param_def *above = tool_param(t, "above"), *incl;

	assert_int_equal(above->slot, SLOT_ABOVE);
	assert_string_equal(above->unit->symbol, "$/MWh");
	incl = tool_param(t, "above_incl");
	assert_non_null(incl);
	assert_ptr_equal(incl, above + 1);
	assert_string_equal(incl->bound_of, "above");
	assert_int_equal(incl->type, PARAM_INT);
	assert_int_equal(incl->max, 1);
	assert_false(incl->required);
	assert_null(above->bound_of);
	load_changed("-- param since date optional First day\n",
		     "-- param since date optional slot=day Day\n");
	assert_int_equal(tool_param(&catalog->tools[0], "since")->slot, SLOT_DAY);
	load_changed("year int optional default=2025", "year int required slot=days_ahead");
	assert_int_equal(tool_param(&catalog->tools[0], "year")->slot, SLOT_DAYS_AHEAD);
}

static void reads_facts(void **state)
{
	(void)state;
	load_changed("-- column \"Hub\"",
		     "-- fact gap unit=$ label=\"Price gap\" Highest minus lowest\n"
		     "-- fact hours type=int optional Hours that count\n"
		     "-- fact best The cheapest one\n"
		     "-- column \"Hub\"");
	const struct tool_def *t = catalog_tool(catalog, "get_price");

	assert_int_equal(t->fact_count, 3);
	assert_string_equal(t->facts[0].label, "Price gap");
	assert_string_equal(t->facts[0].unit, "$");
	assert_int_equal(t->facts[0].type, FACT_NUMBER);
	assert_false(t->facts[0].optional);
	assert_int_equal(tool_fact(t, "hours")->type, FACT_INT);
	assert_true(tool_fact(t, "hours")->optional);
	assert_int_equal(tool_fact(t, "best")->type, FACT_TEXT);
	assert_string_equal(tool_fact(t, "best")->about, "The cheapest one");
	assert_null(tool_fact(t, "worst"));
}

static void assert_edit_rejected(const char *from, const char *to, const char *why)
{
	assert_change_rejected(SMALL_TOOL_PATH, SMALL_TOOL, from, to, why);
}

static void rejects_invalid_keys(void **state)
{
	(void)state;
	assert_edit_rejected("-- tool: get_price\n", "", "has no \"-- tool: NAME\"");
	assert_edit_rejected("-- about: Price of a hub.\n", "", "has no \"-- about");
	assert_edit_rejected("-- permission: chat:read\n", "", "has no \"-- permission");
	assert_edit_rejected("get_price\n", "get_prices\n", "must be get_prices.sql");
	assert_edit_rejected("-- report", "-- about: x\n-- report",
			     "get_price.sql:4: about appears twice");
	assert_edit_rejected("-- report", "-- colour: x\n-- report",
			     "get_price.sql:4: unknown key colour");
	assert_edit_rejected("chat:read\n", "chat:write\n", ":3: unknown permission chat:write");
	assert_edit_rejected("price_report", "prices", ":4: unknown report prices");
	assert_edit_rejected("price_report", "price_report, prices", ":4: unknown report prices");
	assert_edit_rejected("price_report", "price_report, price_report",
			     "report price_report appears twice");
	assert_edit_rejected("-- report", "-- visible: maybe\n-- report",
			     "visible must be yes, no or agents");
	assert_edit_rejected("-- report", "-- cache_s: -1\n-- report", "cache_s is negative");
	assert_edit_rejected("-- report", "-- cache_s: x\n-- report", "not a whole number");
	assert_edit_rejected("-- report", "-- window: dbo.other.day\n-- report",
			     "not a column of an approved view");
	assert_edit_rejected("-- report", "-- window: dbo.prices.day\n-- report",
			     "a query named window must be given together");
	assert_edit_rejected("{Hub} costs", "{Hubs} costs",
			     ":5: {Hubs} is not a param, column or fact");
	assert_edit_rejected("{Hub} costs", "{fact.gap} costs",
			     ":5: {fact.gap} is not a param, column or fact");
	assert_edit_rejected("{Price}.", "{Price.", ":5: a { is not closed");
	assert_edit_rejected("{year}?", "{arg.month}?",
			     ":6: {arg.month} is not a param, column or fact");
}

static void rejects_invalid_totals(void **state)
{
	(void)state;
	assert_edit_rejected("-- report", "-- totals: sum(Price)\n-- report",
			     "totals must be count, then");
	assert_edit_rejected("-- report", "-- totals: count, avg(Price)\n-- report",
			     ":4: totals must be count, then");
	assert_edit_rejected("-- report", "-- totals: count, sum(Price\n-- report",
			     "totals must be count, then");
	assert_edit_rejected("-- report", "-- totals: count, sum()\n-- report",
			     "is not a fetched column");
	assert_edit_rejected("-- report", "-- totals: count, sum(Prices)\n-- report",
			     "Prices is not a fetched");
	assert_edit_rejected("-- report", "-- totals: count, sum(Hub)\n-- report",
			     "Hub is not a fetched");
	assert_edit_rejected("-- report", "-- totals: count,\n-- report",
			     "totals must be count, then");
}

static void rejects_invalid_lookback(void **state)
{
	(void)state;
	assert_edit_rejected("-- report", "-- lookback: -1\n-- report",
			     ":4: lookback must be 0 to 400 days");
	assert_edit_rejected("-- report", "-- lookback: 401\n-- report",
			     "lookback must be 0 to 400 days");
	assert_edit_rejected("-- report", "-- lookback: x\n-- report", "x is not a whole number");
}

static void rejects_invalid_params(void **state)
{
	(void)state;
	assert_edit_rejected("-- param hub text", "-- param first_day text",
			     "first_day is a reserved name");
	assert_edit_rejected("-- param hub text", "-- param Hub text",
			     ":7: Hub is not a valid name");
	assert_edit_rejected("-- param hub text", "-- param today text",
			     "today is a reserved name");
	assert_edit_rejected("-- param hub text", "-- param may_x text",
			     "may_x is a reserved name");
	assert_edit_rejected("-- param market text", "-- param hub text",
			     ":8: param hub appears twice");
	assert_edit_rejected("hub text required", "hub string required", "unknown type string");
	assert_edit_rejected("hub text required", "hub text", "must be required or optional");
	assert_edit_rejected("hub text required", "hub", "unknown type entity=hub");
	assert_edit_rejected("entity=hub Where", "entity=hubs Where",
			     "entity hubs is not a dimension");
	assert_edit_rejected("entity=hub Where", "entty=hub Where", "unknown attribute entty");
	assert_edit_rejected("match=like Part", "values= Part",
			     "values must not contain an empty text");
	assert_edit_rejected("match=like Part", "values=|day Part",
			     "values must not contain an empty text");
	assert_edit_rejected("match=like Part", "values=day| Part",
			     "values must not contain an empty text");
	assert_edit_rejected("match=like Part", "values=day||month Part",
			     "values must not contain an empty text");
	assert_edit_rejected("entity=hub Where", "entity=hub", "has no description");
	assert_edit_rejected("default=2025", "default=x", "default of year must be a whole number");
	assert_edit_rejected("default=2025", "default=1999", "year must be at least 2000");
	assert_edit_rejected("year int optional default", "year int required default",
			     "required param must not have a default");
	assert_edit_rejected("min=2000", "min=x", "x is not a whole number");
	assert_edit_rejected("market text optional", "market text optional min=1",
			     "only numbers can have min");
	assert_edit_rejected("year int optional", "year int optional entity=hub", "need a text");
	assert_edit_rejected("market text optional", "market text optional default=North",
			     "default North is not a known value of market");
	assert_edit_rejected(
		"since date optional", "since date optional default=today-30",
		":12: default of since must be a date such as 2026-02-27 or today-30d");
	assert_edit_rejected("since date optional", "since date optional default=yesterday",
			     ":12: default of since must be a date");
	assert_edit_rejected("list(int,24)", "list(int)", "expected list(type,max)");
	assert_edit_rejected("list(int,24)", "list(int,65)", "1 to 64 values");
	assert_edit_rejected("list(int,24)", "list(int,0)", "1 to 64 values");
	assert_edit_rejected("list(int,24)", "list(int,0-3)", "1 to 64 values");
	assert_edit_rejected("list(int,24)", "list(int,3-2)", "1 to 64 values");
	assert_edit_rejected("list(int,24)", "list(int,2-x)", "x is not a whole number");
	assert_edit_rejected("match=like", "match=fuzzy", "match must be exact or like");
}

static void rejects_invalid_slots(void **state)
{
	static const char above[] = "-- param above decimal optional Lowest price\n";

	(void)state;
	assert_edit_rejected(above, "-- param above decimal optional slot=over Lowest\n",
			     "unknown slot over");
	assert_edit_rejected(above, "-- param above decimal optional unit=$/barrel Lowest\n",
			     "unit $/barrel is not registered");
	assert_edit_rejected(above, "-- param above text optional unit=$ Lowest\n",
			     "only numbers can have a unit");
	assert_edit_rejected(above, "-- param above text optional slot=above Lowest\n",
			     "cannot have this slot");
	assert_edit_rejected(above, "-- param above decimal required slot=below Lowest\n",
			     "cannot have this slot");
	assert_edit_rejected(above, "-- param above decimal optional slot=above Lowest\n",
			     "param above_incl is never used");
	assert_edit_rejected(above,
			     "-- param above_incl int optional Lowest\n"
			     "-- param above decimal optional slot=above Lowest\n",
			     "param above_incl is added to above automatically");
	assert_edit_rejected(above, "-- param above decimal optional slot=order Lowest\n",
			     "cannot have this slot");
	assert_edit_rejected("since date optional", "since int optional slot=day",
			     "cannot have this slot");
	assert_edit_rejected("since date optional", "since date optional slot=days",
			     "cannot have this slot");
	assert_edit_rejected("market text optional entity=market",
			     "market list(text,2) required entity=market slot=not",
			     "cannot have this slot");
	assert_edit_rejected("market text optional entity=market",
			     "market text optional entity=market slot=not",
			     "cannot have this slot");
	assert_edit_rejected("market text optional entity=market",
			     "market list(text,2) optional slot=not", "cannot have this slot");
	assert_edit_rejected("-- param since date optional First day\n",
			     "-- param since date optional slot=day First day\n"
			     "-- param until date optional slot=day Last day\n",
			     "param until: another param has the same slot");
	assert_edit_rejected("name text optional match=like",
			     "name text optional slot=order default=up",
			     "default of name must be asc or desc");
}

/* A `refer` line names an existing value and a filter of some tool. */
static void rejects_invalid_refers(void **state)
{
	(void)state;
	assert_edit_rejected("-- param hub", "-- refer: hub facts.best it\n-- param hub",
			     "get_price.sql:7: refer: best is not a fact");
	assert_edit_rejected("-- param hub", "-- refer: hub rows[0].Zone it\n-- param hub",
			     "get_price.sql:7: refer: Zone is not a column");
	assert_edit_rejected("-- param hub", "-- refer: hub rows[*].Zone it\n-- param hub",
			     "get_price.sql:7: refer: Zone is not a column");
	assert_edit_rejected("-- param hub", "-- refer: hub first it\n-- param hub",
			     "get_price.sql:7: refer: ");
	assert_edit_rejected("-- param hub", "-- refer: vendor rows[0].Hub it\n-- param hub",
			     "get_price.sql:7: refer: no tool has a filter vendor");
	load_changed(
		"-- param hub",
		"-- refer: hub rows[0].hub it\n-- refer: hour rows[0].price then\n-- param hub");
	assert_int_equal(catalog->tools[0].words.refer_count, 2);
}

static void fact_can_have_the_unit_of_a_column(void **state)
{
	(void)state;
	load_changed("-- column \"Hub\"", "-- fact sum unit=@market x\n-- column \"Hub\"");
	assert_string_equal(tool_fact(&catalog->tools[0], "sum")->unit_of, "market");
	assert_int_equal(tool_fact(&catalog->tools[0], "sum")->type, FACT_NUMBER);
	assert_edit_rejected("-- column \"Hub\"", "-- fact sum unit=@year x\n-- column \"Hub\"",
			     ":15: unit=@year is not a param that names a column");
	assert_edit_rejected("-- column \"Hub\"", "-- fact sum unit=@metric x\n-- column \"Hub\"",
			     ":15: unit=@metric is not a param");
	assert_edit_rejected("-- column \"Hub\"",
			     "-- fact sum type=text unit=@market x\n-- column \"Hub\"",
			     "only numbers can have a unit");
}

static void rejects_invalid_facts(void **state)
{
	static const char before[] = "-- column \"Hub\"";

	(void)state;
	assert_edit_rejected(before, "-- fact Gap x\n-- column \"Hub\"", "Gap is not a valid name");
	assert_edit_rejected(before, "-- fact gap\n-- column \"Hub\"",
			     "fact gap has no description");
	assert_edit_rejected(before, "-- fact gap unit=$/barrel x\n-- column \"Hub\"",
			     "is not registered");
	assert_edit_rejected(before, "-- fact gap type=money x\n-- column \"Hub\"",
			     "type must be number, int, text or date");
	assert_edit_rejected(before, "-- fact gap type=text unit=$ x\n-- column \"Hub\"",
			     "only numbers can have a unit");
	assert_edit_rejected(before, "-- fact gap kind=x y\n-- column \"Hub\"",
			     "unknown attribute kind");
	assert_edit_rejected(before, "-- fact gap x\n-- fact gap y\n-- column \"Hub\"",
			     "fact gap appears twice");
}

static void rejects_invalid_columns(void **state)
{
	(void)state;
	assert_edit_rejected("\"Hub\" priority=high", "\"Hub\" priority=top",
			     "priority must be high, medium or low");
	assert_edit_rejected("\"Hub\" priority=high", "\"Hub\" high",
			     "column Hub: unexpected high");
	assert_edit_rejected("unit=$", "unit=zloty",
			     "unit zloty is not registered (units of the pack's catalogue.json, or "
			     "config/units.json)");
	assert_edit_rejected("type=decimal", "type=money", "unknown type money");
	assert_edit_rejected("permission=chat:read_budget", "permission=chat:x",
			     "unknown permission chat:x");
	assert_edit_rejected("-- column \"Price\"", "-- column \"Hub\"",
			     "column Hub appears twice");
}

/* A tool with this many params and columns. */
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

static void limits_param_and_column_count(void **state)
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
			assert_rejected(SMALL_TOOL_PATH, text, cases[i].why);
		} else {
			temp_root_write(&root, SMALL_TOOL_PATH, text);
			load();
		}
		mem_free(text);
	}
}

/* COLUMN is a fetched number; BY is a fetched column, by default the first text column. */
static void reads_derivations(void **state)
{
	static const struct {
		const char *lines, *why;
	} bad[] = {
		{"-- derive: rank\n", SMALL_TOOL_PATH ":18: expected derive: NAME COLUMN [BY]"},
		{"-- derive: rank Price Hub Hub\n", ":18: expected derive: NAME COLUMN [BY]"},
		{"-- derive: Rank! Price Hub\n", ":18: expected derive: NAME COLUMN [BY]"},
		{"-- derive: rank Hub\n", "Hub is not a fetched column of type int or decimal"},
		{"-- derive: rank Cost\n", "Cost is not a fetched column of type int or decimal"},
		{"-- derive: rank Price Name\n", "Name is not a fetched column"},
		{"-- derive: rank Price\n", "no column of type text distinguishes the rows"},
		{"-- derive: rank Price Hub\n-- derive: rank Price Hub\n",
		 ":19: derive rank appears twice"},
		{"-- derive: a Price Hub\n-- derive: b Price Hub\n-- derive: c Price Hub\n"
		 "-- derive: d Price Hub\n-- derive: e Price Hub\n",
		 ":22: more than 4 derivations"},
		{"-- column \"Share\" type=decimal derived\n-- derive: rank Share Hub\n",
		 "Share is not a fetched column"},
	};
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *lines = mem_printf("%sSELECT p.hub", bad[i].lines);

		assert_change_rejected(SMALL_TOOL_PATH, SMALL_TOOL, "SELECT p.hub", lines,
				       bad[i].why);
		mem_free(lines);
	}
	text = with_change(SMALL_TOOL, "-- column \"Hub\" priority=high\n",
			   "-- column \"Hub\" type=text\n-- derive: rank  Price\n"
			   "-- derive: share_of_total Price Price\n");
	temp_root_write(&root, SMALL_TOOL_PATH, text);
	mem_free(text);
	load();
	const struct tool_def *t = catalog_tool(catalog, "get_price");
	assert_int_equal(t->derive_count, 2);
	assert_string_equal(t->derives[0].name, "rank");
	assert_string_equal(t->derives[0].column, "Price");
	assert_string_equal(t->derives[0].by, "Hub");
	assert_int_equal(t->derives[0].line, 16);
	assert_string_equal(t->derives[1].by, "Price");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_derivations),
		TEST(reads_header),
		TEST(reads_suggestions),
		TEST(rejects_invalid_suggestions),
		TEST(reads_params),
		TEST(reads_columns),
		TEST(column_can_be_the_as_of_date),
		TEST(rejects_invalid_keys),
		TEST(rejects_invalid_totals),
		TEST(rejects_invalid_lookback),
		TEST(rejects_invalid_params),
		TEST(rejects_invalid_columns),
		TEST(limits_param_and_column_count),
		TEST(tool_can_have_several_reports),
		TEST(reads_slots),
		TEST(reads_facts),
		TEST(rejects_invalid_slots),
		TEST(rejects_invalid_facts),
		TEST(rejects_invalid_refers),
		TEST(fact_can_have_the_unit_of_a_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
