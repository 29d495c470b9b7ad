/*
 * The day-ahead tools: against a recording driver, where each argument must arrive as a bound value
 * in every dialect, and against a small price book in a real file, where the numbers are checked.
 */
#include "domain_data.h"

/* ---- binding ---- */

static void each_argument_is_bound(void **state)
{
	static const struct binding cases[] = {
		{"get_average_annual_price",
		 "{'vendor': 'Ascend', 'hub_zone': 'NP15', 'year': 2025, 'market': 'CAISO',"
		 " 'asof': 'Jan_2025', 'reference': 'High'}",
		 "get_average_annual_price/main",
		 {"Ascend", "NP15", "2025", "CAISO", "Jan_2025", "High"}},
		{"get_average_annual_price",
		 "{'vendor': 'Ascend', 'hub_zone': 'NP15', 'year': 2025}",
		 "get_average_annual_price/main",
		 {"Ascend", "NP15", "2025", "Base"}},
		{"get_hourly_price_distribution",
		 "{'hub_zone': 'SP15', 'year': 2026, 'vendor': 'Hitachi', 'market': 'CAISO',"
		 " 'months': [6, 8], 'hours': [19, 21], 'asof': 'Q1_2026', 'reference': 'Low'}",
		 "get_hourly_price_distribution/main",
		 {"SP15", "2026", "Hitachi", "CAISO", "6", "8", "19", "21", "Q1_2026", "Low"}},
		{"get_hourly_price_distribution",
		 "{'hub_zone': 'SP15', 'year': 2026, 'vendor': 'Hitachi', 'market': 'CAISO',"
		 " 'months': [6, 8], 'hours': [19, 21], 'asof': 'Q1_2026', 'reference': 'Low'}",
		 "get_hourly_price_distribution/periods",
		 {"SP15", "2026", "Hitachi", "CAISO", "6", "8", "19", "21", "Q1_2026", "Low", "7",
		  "22"}},
		{"list_available_curves",
		 "{'vendor': 'Ascend', 'market': 'ERCOT', 'hub_zone': 'HB_NORTH', 'year': 2027,"
		 " 'asof': 'Jan_2026', 'from': '2026-01-01', 'to': '2026-03-31', 'reference': "
		 "'Base'}",
		 "list_available_curves/main",
		 {"Ascend", "ERCOT", "HB_NORTH", "2027", "Jan_2026", "2026-01-01", "2026-03-31",
		  "Base"}},
		{"compare_vendors",
		 "{'hub_zone': 'SP15', 'year': 2025, 'vendors': ['Ascend', 'Hitachi'],"
		 " 'market': 'CAISO', 'asof': 'Jan_2025', 'reference': 'High'}",
		 "compare_vendors/main",
		 {"SP15", "2025", "Ascend", "Hitachi", "CAISO", "Jan_2025", "High"}},
		{"compare_vendors",
		 "{'hub_zone': 'SP15', 'year': 2025, 'vendors': ['Ascend', 'Hitachi'],"
		 " 'market': 'CAISO', 'asof': 'Jan_2025', 'reference': 'High'}",
		 "compare_vendors/hourly",
		 {"SP15", "2025", "Ascend", "Hitachi", "CAISO", "Jan_2025", "High"}},
	};

	(void)state;
	check_bindings("dayahead_agent", cases, sizeof(cases) / sizeof(cases[0]), "Vendor", "x");
}

static void denied_call_sends_no_query(void **state)
{
	static const char *const tools[] = {"get_average_annual_price", "compare_vendors",
					    "get_hourly_price_distribution",
					    "list_available_curves", NULL};

	(void)state;
	check_denied(tools, "chat:read_market_data", "{'hub_zone': 'NP15', 'year': 2025}");
}

/* ---- numbers ---- */

/* A file of one hub-zone, with two days of prices for each of its years: `low` dollars in each
 * hour, and `high` more in hours first..last. */
static void add_file(sqlite3 *db, const char *tenant, int key, const char *vendor, const char *asof,
		     const char *asof_date, int year, const char *reference, double low,
		     double high, int first, int last)
{
	char *sql = sqlite3_mprintf(
		"INSERT INTO mc_vendor_files VALUES (%d, 2, '%d_2', %Q, 'CAISO', 'SP15', %Q, %Q, "
		"%d, %Q,"
		" 'test', %Q);"
		"WITH RECURSIVE h(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM h WHERE n < 95)"
		"INSERT INTO mc_dayahead SELECT %d, 2,"
		" CASE WHEN n %% 48 < 24 THEN (%d + n / 48) || '-01-01' ELSE (%d + n / 48) || "
		"'-07-01' "
		"END,"
		" %d + n / 48, CASE WHEN n %% 48 < 24 THEN 1 ELSE 7 END, n %% 24,"
		" %f + CASE WHEN n %% 24 BETWEEN %d AND %d THEN %f ELSE 0 END, %Q FROM h",
		key, key, vendor, asof, asof_date, year, reference, tenant, key, year, year, year,
		low, first, last, high, tenant);

	exec(db, sql);
	sqlite3_free(sql);
}

static void make_files(void)
{
	sqlite3 *db = new_file("acme");

	exec(db, "BEGIN");
	/* Label order is not date order, and the newest file does not cover 2025. */
	add_file(db, "acme", 1, "Ascend", "Jul_2024", "2024-07-16", 2024, "Base", 60, 0, 0, 0);
	add_file(db, "acme", 2, "Ascend", "Jan_2025", "2025-01-15", 2025, "Base", 40, 24, 7, 22);
	add_file(db, "acme", 3, "Ascend", "Jan_2025", "2025-01-15", 2025, "High", 90, 0, 0, 0);
	add_file(db, "acme", 4, "Ascend", "Jan_2026", "2026-01-14", 2026, "Base", 70, 0, 0, 0);
	add_file(db, "acme", 5, "Hitachi", "Q1_2025", "2025-02-06", 2025, "Base", 55, 12, 15, 20);
	exec(db, "COMMIT");
	sqlite3_close(db);
	db = new_file("vesper");
	exec(db, "BEGIN");
	add_file(db, "vesper", 9, "Ascend", "Jan_2025", "2025-01-15", 2025, "Base", 999, 0, 0, 0);
	exec(db, "COMMIT");
	sqlite3_close(db);
}

static int open_files(void **state)
{
	(void)state;
	new_folder();
	make_files();
	open_folder();
	return 0;
}

static int close_files(void **state)
{
	(void)state;
	close_folder();
	return 0;
}

static const struct result *call(const char *tool, const char *arguments)
{
	call_as("acme", "dayahead_agent", tool, arguments);
	if (answer->outcome.detail)
		print_message("%s\n", answer->outcome.detail);
	return answer;
}

static void newest_file_comes_first(void **state)
{
	(void)state;
	call("get_average_annual_price", "{'vendor': 'Ascend', 'hub_zone': 'SP15', 'year': 2025}");
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(answer->tables[0]->row_count, 2);
	assert_string_equal(cell(0, "AsOf"), "Jan_2025");
	assert_string_equal(cell(1, "AsOf"), "Jul_2024");
	assert_string_equal(cell(0, "Market"), "CAISO");
	assert_string_equal(cell(0, "Reference"), "Base");
	number(cell(0, "AvgPrice_PerMWh"), 56);
	number(cell(0, "DataPoints"), 48);
	number(cell(1, "AvgPrice_PerMWh"), 60);
	assert_string_equal(answer->tables[0]->columns[7].unit, "$/MWh");
}

static void cases_are_not_mixed(void **state)
{
	(void)state;
	call("get_average_annual_price",
	     "{'vendor': 'Ascend', 'hub_zone': 'SP15', 'year': 2025, 'reference': 'High'}");
	assert_int_equal(answer->tables[0]->row_count, 1);
	number(cell(0, "AvgPrice_PerMWh"), 90);
}

static void year_without_data_reports_the_range(void **state)
{
	(void)state;
	call("get_average_annual_price", "{'vendor': 'Ascend', 'hub_zone': 'SP15', 'year': 2031}");
	assert_int_equal(answer->outcome.kind, OUTCOME_OUT_OF_WINDOW);
	assert_string_equal(answer->outcome.range_min, "2024");
	assert_string_equal(answer->outcome.range_max, "2027");
	call("compare_vendors", "{'hub_zone': 'SP15', 'year': 2023}");
	assert_int_equal(answer->outcome.kind, OUTCOME_OUT_OF_WINDOW);
	call("get_hourly_price_distribution", "{'hub_zone': 'SP15', 'year': 2031}");
	assert_int_equal(answer->outcome.kind, OUTCOME_OUT_OF_WINDOW);
	call("get_average_annual_price", "{'vendor': 'Ascend', 'hub_zone': 'ZP26', 'year': 2025}");
	assert_int_equal(answer->outcome.kind, OUTCOME_NO_DATA);
}

static void the_gap_is_derived_exactly(void **state)
{
	(void)state;
	call("compare_vendors", "{'hub_zone': 'SP15', 'year': 2025, 'market': 'CAISO'}");
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(answer->tables[0]->row_count, 3);
	fact("higher_vendor", "Hitachi", NULL);
	fact("higher_asof", "Q1_2025", NULL);
	fact("higher_price", "58.00", "$/MWh");
	fact("lower_vendor", "Ascend", NULL);
	fact("lower_asof", "Jan_2025", NULL);
	fact("lower_price", "56.00", "$/MWh");
	fact("gap", "2.00", "$/MWh");
	fact("gap_percent", "3.6", "%");
	assert_string_equal(result_fact(answer, "gap")->formula, "58.00 - 56.00");
}

/* Ascend 40 and 64 at peak, Hitachi 55 and 67 in the evening: 15 apart at night, 9 by day, 3 in the
 * evening. */
static void the_widest_hours_stand_out(void **state)
{
	(void)state;
	call("compare_vendors", "{'hub_zone': 'SP15', 'year': 2025}");
	fact("widest_hours", "hours 0-6 (HE 1-7)", NULL);
	fact("widest_gap", "15.00", "$/MWh");
}

static void one_vendor_has_no_gap(void **state)
{
	(void)state;
	call("compare_vendors", "{'hub_zone': 'SP15', 'year': 2025, 'vendors': ['Ascend']}");
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(answer->fact_count, 0);
	call("compare_vendors", "{'hub_zone': 'SP15', 'year': 2026}");
	fact("lower_vendor", "Hitachi", NULL);
	fact("higher_asof", "Jan_2026", NULL);
}

static void hours_peak_and_spread(void **state)
{
	(void)state;
	call("get_hourly_price_distribution",
	     "{'hub_zone': 'SP15', 'year': 2025, 'vendor': 'Ascend'}");
	assert_int_equal(answer->tables[0]->row_count, 24);
	assert_string_equal(cell(0, "AsOf"), "Jan_2025");
	number(cell(0, "Hour"), 0);
	number(cell(23, "Hour"), 23);
	number(cell(7, "AvgPrice_PerMWh"), 64);
	number(cell(7, "MinPrice_PerMWh"), 64);
	number(cell(7, "DataPoints"), 2);
	fact("peak_price", "64.00", "$/MWh");
	fact("off_peak_price", "40.00", "$/MWh");
	fact("peak_spread", "24.00", "$/MWh");
	fact("highest_hour", "7 (HE 8)", NULL);
	fact("lowest_hour", "0 (HE 1)", NULL);
	fact("lowest_price", "40.00", "$/MWh");
}

static void uses_newest_file_of_each_vendor(void **state)
{
	(void)state;
	call("get_hourly_price_distribution", "{'hub_zone': 'SP15', 'year': 2025}");
	assert_int_equal(answer->tables[0]->row_count, 48);
	assert_string_equal(cell(0, "Vendor"), "Hitachi");
	assert_string_equal(cell(24, "Vendor"), "Ascend");
	assert_string_equal(cell(24, "AsOf"), "Jan_2025");
	fact("peak_price", "59.50", "$/MWh");
	call("get_hourly_price_distribution",
	     "{'hub_zone': 'SP15', 'year': 2025, 'vendor': 'Ascend', 'asof': 'Jul_2024'}");
	assert_string_equal(cell(0, "AsOf"), "Jul_2024");
	number(cell(0, "AvgPrice_PerMWh"), 60);
}

static void filters_by_months_and_hours(void **state)
{
	(void)state;
	call("get_hourly_price_distribution", "{'hub_zone': 'SP15', 'year': 2025, 'vendor': "
					      "'Ascend', 'months': [7], 'hours': [16, 3]}");
	assert_int_equal(answer->tables[0]->row_count, 2);
	number(cell(0, "Hour"), 3);
	number(cell(1, "Hour"), 16);
	number(cell(1, "DataPoints"), 1);
	call("get_hourly_price_distribution",
	     "{'hub_zone': 'SP15', 'year': 2025, 'vendor': 'Ascend', 'hours': [16]}");
	assert_null(result_fact(answer, "peak_spread"));
	assert_null(result_fact(answer, "highest_hour"));
}

static void curves_are_listed(void **state)
{
	(void)state;
	call("list_available_curves", "{}");
	assert_int_equal(answer->tables[0]->row_count, 5);
	assert_string_equal(cell(0, "AsOf"), "Jan_2026");
	assert_string_equal(cell(4, "AsOf"), "Jul_2024");
	call("list_available_curves", "{'year': 2024}");
	assert_int_equal(answer->tables[0]->row_count, 1);
	call("list_available_curves",
	     "{'from': '2025-01-01', 'to': '2025-03-31', 'vendor': 'Hitachi'}");
	assert_int_equal(answer->tables[0]->row_count, 1);
	assert_string_equal(cell(0, "AsOf"), "Q1_2025");
	call("list_available_curves", "{'hub_zone': 'NP15'}");
	assert_int_equal(answer->outcome.kind, OUTCOME_EMPTY);
}

static void a_tenant_sees_its_own_prices(void **state)
{
	(void)state;
	call_as("vesper", "dayahead_agent", "get_average_annual_price",
		"{'vendor': 'Ascend', 'hub_zone': 'SP15', 'year': 2025}");
	assert_int_equal(answer->tables[0]->row_count, 1);
	number(cell(0, "AvgPrice_PerMWh"), 999);
}

/* ---- the shape of gaps, without a database ---- */

static void compare_hours(const char *const *hours, const char *widest)
{
	begin();
	recording_db_init(&recorded, loop);
	warehouse = db_from_driver(&recording_db_driver, &recorded, DIALECT_SQLITE);
	open_tools();
	recording_db_table(&recorded, "Vendor|Market|AsOf|AsOfDate|AvgPrice_PerMWh",
			   "A|M|x|2025-01-01|50", "B|M|y|2025-01-01|52", NULL);
	recording_db_table(&recorded, "Vendor|Market|AsOf|AsOfDate|Hour|AvgPrice_PerMWh", NULL);
	struct table *t = recorded.tables[1];
	for (int i = 0; i < 48; i++) {
		const char **cells = arena_alloc(t->arena, 6 * sizeof(*cells));
		cells[0] = i < 24 ? "A" : "B";
		cells[1] = "M";
		cells[2] = i < 24 ? "x" : "y";
		cells[3] = "2025-01-01";
		cells[4] = arena_printf(t->arena, "%d", i % 24);
		cells[5] = i < 24 ? "50" : hours[i % 24];
		t->rows[t->row_count++] = cells;
	}
	call_as("acme", "dayahead_agent", "compare_vendors", "{'hub_zone': 'SP15', 'year': 2025}");
	const struct fact *f = result_fact(answer, "widest_hours");
	if (widest) {
		assert_non_null(f);
		assert_string_equal(f->value, widest);
	} else {
		assert_null(f);
	}
	end();
	recording_db_deinit(&recorded);
}

static void widest_hours_of_many_shapes(void **state)
{
	const char *hours[24];

	(void)state;
	for (int i = 0; i < 24; i++)
		hours[i] = "52";
	compare_hours(hours, NULL); /* the same all day */
	hours[23] = "60";
	compare_hours(hours, "hour 23 (HE 24)");
	hours[22] = "40"; /* the other way round: 10 apart */
	compare_hours(hours, "hours 22-23 (HE 23-24)");
	hours[22] = hours[23] = "52";
	hours[15] = hours[20] = "57";
	hours[16] = hours[17] = hours[18] = hours[19] = "60";
	compare_hours(hours, "hours 15-20 (HE 16-21)");
	hours[3] = NULL; /* an hour is missing */
	compare_hours(hours, NULL);
}

#define REAL(name) cmocka_unit_test_setup_teardown(name, open_files, close_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_argument_is_bound),
		cmocka_unit_test(denied_call_sends_no_query),
		cmocka_unit_test(widest_hours_of_many_shapes),
		REAL(newest_file_comes_first),
		REAL(cases_are_not_mixed),
		REAL(year_without_data_reports_the_range),
		REAL(the_gap_is_derived_exactly),
		REAL(the_widest_hours_stand_out),
		REAL(one_vendor_has_no_gap),
		REAL(hours_peak_and_spread),
		REAL(uses_newest_file_of_each_vendor),
		REAL(filters_by_months_and_hours),
		REAL(curves_are_listed),
		REAL(a_tenant_sees_its_own_prices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
