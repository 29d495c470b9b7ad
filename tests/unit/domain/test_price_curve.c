/* The price curve tools: every argument is bound, and facts are derived from a small price book. */
#include "domain_data.h"

#define ALL                                                                                        \
	"'year': 2025, 'vendor': 'Ascend', 'market': 'CAISO', 'months': [6, 8], 'asof': "          \
	"'Jan_2025', 'reference': 'High'"
#define ALL_VALUES "2025", "Ascend", "CAISO", "6", "8", "Jan_2025", "High"

static void each_argument_is_bound(void **state)
{
	static const struct binding cases[] = {
		{"compare_hub_zones",
		 "{'hub_zones': ['NP15', 'SP15'], " ALL "}",
		 "compare_hub_zones/main",
		 {"NP15", "SP15", ALL_VALUES, "7", "22"}},
		{"compare_hub_zones",
		 "{'hub_zones': ['NP15', 'SP15'], " ALL "}",
		 "compare_hub_zones/hourly",
		 {"NP15", "SP15", ALL_VALUES}},
		{"compare_hub_zones",
		 "{'hub_zones': ['NP15', 'SP15'], 'year': 2026}",
		 "compare_hub_zones/main",
		 {"NP15", "SP15", "2026", "Base"}},
		{"get_peak_offpeak_spread",
		 "{'hub_zone': 'NP15', " ALL "}",
		 "get_peak_offpeak_spread/main",
		 {"NP15", ALL_VALUES, "7", "22"}},
		{"get_seasonal_shape",
		 "{'hub_zone': 'NP15', 'year': 2025, 'vendor': 'Ascend', 'market': 'CAISO', "
		 "'asof': 'Jan_2025', 'reference': 'Low'}",
		 "get_seasonal_shape/main",
		 {"NP15", "2025", "Ascend", "CAISO", "Jan_2025", "Low", "7", "22"}},
		{"get_seasonal_shape",
		 "{'hub_zone': 'NP15', 'year': 2025, 'vendor': 'Ascend', 'market': 'CAISO', "
		 "'asof': 'Jan_2025', 'reference': 'Low'}",
		 "get_seasonal_shape/seasons",
		 {"NP15", "2025", "Ascend", "CAISO", "Jan_2025", "Low"}},
		{"get_daily_shape",
		 "{'hub_zone': 'NP15', " ALL "}",
		 "get_daily_shape/main",
		 {"NP15", ALL_VALUES}},
		{"compare_markets",
		 "{'markets': ['CAISO', 'ERCOT'], 'year': 2025, 'vendor': 'Ascend', 'months': [6], "
		 "'hours': [17, 19], 'asof': 'Jan_2025', 'reference': 'High'}",
		 "compare_markets/main",
		 {"CAISO", "ERCOT", "2025", "Ascend", "6", "17", "19", "Jan_2025", "High", "7",
		  "22"}},
		{"compare_markets",
		 "{'markets': ['CAISO', 'ERCOT'], 'year': 2025, 'vendor': 'Ascend', 'months': [6], "
		 "'hours': [17, 19], 'asof': 'Jan_2025', 'reference': 'High'}",
		 "compare_markets/hourly",
		 {"CAISO", "ERCOT", "2025", "Ascend", "6", "17", "19", "Jan_2025", "High"}},
	};

	(void)state;
	check_bindings("price_curve_agent", cases, sizeof(cases) / sizeof(cases[0]), "Vendor", "x");
}

static void denied_call_sends_no_query(void **state)
{
	static const char *const tools[] = {"compare_hub_zones",  "get_peak_offpeak_spread",
					    "get_seasonal_shape", "get_daily_shape",
					    "compare_markets",    NULL};

	(void)state;
	check_denied(tools, "chat:read_market_data", "{'hub_zone': 'NP15', 'year': 2025}");
}

static void both_agents_share_one_tool_file(void **state)
{
	(void)state;
	begin();
	recording_db_init(&recorded, loop);
	warehouse = db_from_driver(&recording_db_driver, &recorded, DIALECT_SQLITE);
	open_tools();
	const struct tool_def *t = catalog_tool(catalog, "get_hourly_price_distribution");
	assert_string_equal(t->callers.agents[0], "dayahead_agent");
	assert_string_equal(t->callers.agents[1], "price_curve_agent");
	recording_db_table(&recorded, "Vendor", "x", NULL);
	call_as("acme", "price_curve_agent", t->name, "{'hub_zone': 'NP15', 'year': 2025}");
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
	assert_string_equal(answer->agent, "price_curve_agent");
	end();
	recording_db_deinit(&recorded);
}

/* ---- numbers ---- */

/* Four days of a year, one a season: `base` in each hour, 10 more in hours 7-22, 20 more in
 * summer, 12 more in hour 18. */
static void add_file(sqlite3 *db, const char *tenant, int key, int zone_key, const char *vendor,
		     const char *market, const char *zone, const char *asof, const char *asof_date,
		     int year, const char *reference, double base)
{
	char *sql = sqlite3_mprintf(
		"INSERT INTO mc_vendor_files VALUES (%d, %d, '%d_%d', %Q, %Q, %Q, %Q, %Q, %d, %Q,"
		" 'test', %Q);"
		"WITH RECURSIVE h(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM h WHERE n < 95)"
		"INSERT INTO mc_dayahead SELECT %d, %d, %d || printf('-%%02d-01', 1 + n / 24 * 3), "
		"%d, 1 + n / 24 * 3, n %% 24,"
		" %f + (n %% 24 BETWEEN 7 AND 22) * 10 + (n / 24 = 2) * 20 + (n %% 24 = 18) * 12,"
		" %Q FROM h",
		key, zone_key, key, zone_key, vendor, market, zone, asof, asof_date, year,
		reference, tenant, key, zone_key, year, year, base, tenant);

	exec(db, sql);
	sqlite3_free(sql);
}

static int open_files(void **state)
{
	sqlite3 *db;

	(void)state;
	new_folder();
	db = new_file("acme");
	exec(db, "BEGIN");
	add_file(db, "acme", 1, 1, "Ascend", "CAISO", "NP15", "Jan_2025", "2025-01-15", 2025,
		 "Base", 40);
	add_file(db, "acme", 1, 2, "Ascend", "CAISO", "SP15", "Jan_2025", "2025-01-15", 2025,
		 "Base", 44);
	add_file(db, "acme", 2, 1, "Ascend", "CAISO", "NP15", "Jul_2024", "2024-07-15", 2025,
		 "Base", 400);
	add_file(db, "acme", 3, 1, "Ascend", "CAISO", "NP15", "Jan_2025", "2025-01-15", 2025,
		 "High", 90);
	add_file(db, "acme", 4, 5, "Ascend", "ERCOT", "HB_NORTH", "Jan_2025", "2025-01-15", 2025,
		 "Base", 30);
	add_file(db, "acme", 4, 6, "Ascend", "ERCOT", "HB_WEST", "Jan_2025", "2025-01-15", 2025,
		 "Base", 20);
	exec(db, "COMMIT");
	sqlite3_close(db);
	db = new_file("vesper");
	add_file(db, "vesper", 9, 1, "Ascend", "CAISO", "NP15", "Jan_2025", "2025-01-15", 2025,
		 "Base", 999);
	sqlite3_close(db);
	open_folder();
	return 0;
}

static int close_files(void **state)
{
	(void)state;
	close_folder();
	return 0;
}

static void call(const char *tool, const char *arguments)
{
	call_as("acme", "price_curve_agent", tool, arguments);
}

static void requires_two_hub_zones(void **state)
{
	static const char *const wrong[] = {
		"{'hub_zones': ['NP15'], 'year': 2025}",
		"{'hub_zones': ['NP15', 'NP15'], 'year': 2025}",
		"{'hub_zones': ['NP15', 'SP15', 'ZP26'], 'year': 2025}"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		call("compare_hub_zones", wrong[i]);
		assert_int_equal(answer->outcome.kind, OUTCOME_ERROR);
		assert_non_null(answer->outcome.detail);
	}
}

static void hub_zones_are_compared_with_their_spread_by_hour(void **state)
{
	const struct table *hourly;

	(void)state;
	call("compare_hub_zones", "{'hub_zones': ['SP15', 'NP15'], 'year': 2025}");
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(answer->tables[0]->row_count, 2);
	number(cell(0, "AvgPrice_PerMWh"), 52.17); /* the newest file's, and Base */
	fact("higher_zone", "SP15", NULL);
	fact("lower_zone", "NP15", NULL);
	fact("gap", "4.00", "$/MWh");
	fact("gap_percent", "7.7", "%");
	assert_null(result_fact(answer, "widest_hours")); /* the same all day */
	hourly = result_table(answer, "hourly");
	assert_int_equal(hourly->row_count, 24);
	assert_string_equal(table_cell(hourly, 3, "FirstHubZone"), "NP15");
	assert_string_equal(table_cell(hourly, 3, "SecondHubZone"), "SP15");
	assert_string_equal(table_cell(hourly, 3, "Spread_PerMWh"), "-4.00");
	assert_string_equal(hourly->columns[table_column(hourly, "Spread_PerMWh")].label,
			    "First minus second");
}

static void filters_hub_zones_by_market(void **state)
{
	(void)state;
	call("compare_hub_zones",
	     "{'hub_zones': ['NP15', 'HB_NORTH'], 'year': 2025, 'market': 'CAISO'}");
	assert_int_equal(answer->tables[0]->row_count, 1);
	assert_null(result_fact(answer, "gap"));
	call("compare_hub_zones", "{'hub_zones': ['NP15', 'HB_NORTH'], 'year': 2025}");
	fact("gap", "10.00", "$/MWh");
}

static void peak_and_off_peak(void **state)
{
	(void)state;
	call("get_peak_offpeak_spread", "{'hub_zone': 'NP15'}");
	assert_int_equal(answer->tables[0]->row_count, 1);
	number(cell(0, "PeakPrice_PerMWh"), 55.75);
	number(cell(0, "OffPeakPrice_PerMWh"), 45);
	assert_string_equal(cell(0, "Spread_PerMWh"), "10.75");
	fact("peak_spread", "10.75", "$/MWh");
	fact("peak_spread_percent", "23.9", "%");
	fact("peak_hours", "7-22 (HE 8-23)", NULL);
	call("get_peak_offpeak_spread", "{'hub_zone': 'NP15', 'year': 2025, 'months': [7], "
					"'reference': 'High'}");
	number(cell(0, "OffPeakPrice_PerMWh"), 110);
}

static void the_year_has_a_shape(void **state)
{
	(void)state;
	call("get_seasonal_shape", "{'hub_zone': 'NP15', 'year': 2025}");
	assert_int_equal(answer->tables[0]->row_count, 4);
	fact("highest_month", "July", NULL);
	fact("highest_price", "67.17", "$/MWh");
	fact("lowest_price", "47.17", "$/MWh");
	fact("month_range", "20.00", "$/MWh");
	fact("seasons", "Winter $47.17, Spring $47.17, Summer $67.17, Fall $47.17", NULL);
}

static void the_day_has_a_shape(void **state)
{
	(void)state;
	call("get_daily_shape", "{'hub_zone': 'NP15', 'year': 2025}");
	assert_int_equal(answer->tables[0]->row_count, 24);
	fact("highest_hour", "18 (HE 19)", NULL);
	fact("highest_price", "67.00", "$/MWh");
	fact("highest_shape", "128.4", "%");
	fact("lowest_hour", "0 (HE 1)", NULL);
	fact("lowest_shape", "86.3", "%");
	assert_string_equal(cell(18, "Shape"), "128.4");
	number(cell(18, "SummerPrice_PerMWh"), 82);
	number(cell(18, "WinterPrice_PerMWh"), 62);
}

static void markets_are_compared_over_their_hub_zones(void **state)
{
	(void)state;
	call("compare_markets", "{'markets': ['CAISO', 'ERCOT'], 'year': 2025}");
	assert_int_equal(answer->tables[0]->row_count, 2);
	number(cell(0, "HubZones"), 2);
	fact("higher_market", "CAISO", NULL);
	fact("higher_price", "54.17", "$/MWh");
	fact("lower_market", "ERCOT", NULL);
	fact("gap", "17.00", "$/MWh");
	fact("gap_percent", "45.7", "%");
	call("compare_markets", "{'markets': ['CAISO', 'ERCOT'], 'year': 2025, 'hours': [3]}");
	fact("gap", "17.00", "$/MWh");
	call("compare_markets", "{'markets': ['CAISO'], 'year': 2025}");
	assert_int_equal(answer->outcome.kind, OUTCOME_ERROR);
}

static void reports_missing_data_and_separates_tenants(void **state)
{
	static const char *const tools[] = {"get_seasonal_shape", "get_daily_shape",
					    "get_peak_offpeak_spread"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		call(tools[i], "{'hub_zone': 'NP15', 'year': 2031}");
		assert_int_equal(answer->outcome.kind, OUTCOME_OUT_OF_WINDOW);
		assert_string_equal(answer->outcome.range_max, "2025");
		call(tools[i], "{'hub_zone': 'ZP26', 'year': 2025}");
		assert_int_equal(answer->outcome.kind, OUTCOME_NO_DATA);
		call_as("vesper", "price_curve_agent", tools[i],
			"{'hub_zone': 'NP15', 'year': 2025}");
		assert_true(strtod(cell(0, "AvgPrice_PerMWh"), NULL) > 900);
	}
	call("compare_hub_zones", "{'hub_zones': ['NP15', 'SP15'], 'year': 2031}");
	assert_int_equal(answer->outcome.kind, OUTCOME_OUT_OF_WINDOW);
	call("compare_markets", "{'markets': ['CAISO', 'ERCOT'], 'year': 2031}");
	assert_int_equal(answer->outcome.kind, OUTCOME_OUT_OF_WINDOW);
}

#define REAL(name) cmocka_unit_test_setup_teardown(name, open_files, close_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_argument_is_bound),
		cmocka_unit_test(denied_call_sends_no_query),
		cmocka_unit_test(both_agents_share_one_tool_file),
		REAL(requires_two_hub_zones),
		REAL(hub_zones_are_compared_with_their_spread_by_hour),
		REAL(filters_hub_zones_by_market),
		REAL(peak_and_off_peak),
		REAL(the_year_has_a_shape),
		REAL(the_day_has_a_shape),
		REAL(markets_are_compared_over_their_hub_zones),
		REAL(reports_missing_data_and_separates_tenants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
