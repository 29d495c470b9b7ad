/* Correct numbers in the wrong row of the answer's table. */
#include "asserts.h"

static const struct sample_column columns[] = {
	{"ChangeDate", NULL, COLUMN_DATE}, {"Hour", NULL, COLUMN_INT},
	{"Vendor", NULL, COLUMN_TEXT},     {"Price", "$/MWh", COLUMN_DECIMAL},
	{"Views", "views", COLUMN_INT},
};
static const char *const cells[] = {
	"2026-01-01", "5", "Ascend", "52.14", "100", "2026-01-01", "5", "Hitachi", "54.80", "200",
	"2026-01-02", "6", "Ascend", "61.50", "300", "2026-01-02", "6", "Hitachi", "63.25", "400",
	"2026-01-03", "7", "Ascend", "70.10", "500", "2026-01-03", "7", "Hitachi", "72.90", "600",
};

static void use_prices(void)
{
	use_result(sample_result(arena, sample_table(columns, 5, cells, 6)));
}

#define HEADING "| ChangeDate | Hour | Price | Views |\n| --- | --- | --- | --- |\n"

static void cells_must_match_one_row(void **state)
{
	(void)state;
	use_prices();
	assert_bound(HEADING
		     "| 1 January 2026 | 5 | 52.14 | 100 |\n| 2026-01-02 | 6 | 63.25 | 400 |\n");
	assert_flagged(HEADING "| 1 January 2026 | 6 | 52.14 | 100 |\n");
	assert_flagged(HEADING "| 1 January 2026 | 5 | 61.50 | 100 |\n");
	assert_flagged(HEADING "| 1 January 2026 | 5 | 52.14 | 200 |\n");
	/* no row contains the mean */
	assert_flagged(HEADING "| 1 January 2026 | 5 | 62.45 | 100 |\n");
}

static void name_in_heading_selects_rows(void **state)
{
	(void)state;
	use_prices();
	assert_bound("| Hour | Ascend | Hitachi |\n| --- | --- | --- |\n| 5 | 52.14 | 54.80 |\n");
	assert_flagged("| Hour | Ascend | Hitachi |\n| --- | --- | --- |\n| 5 | 61.50 | 54.80 |\n");
	assert_flagged("| Hour | Ascend | Hitachi |\n| --- | --- | --- |\n| 5 | 54.80 | 52.14 |\n");
}

static void totals_and_differences_need_no_row(void **state)
{
	(void)state;
	use_prices();
	assert_bound("| Hour | Ascend | Hitachi | Difference |\n| --- | --- | --- | --- |\n"
		     "| 5 | 52.14 | 54.80 | 2.66 |\n");
	assert_bound("| Vendor | Views |\n| --- | --- |\n| Total | 2,100 |\n");
}

static void next_row_is_checked_separately(void **state)
{
	(void)state;
	use_prices();
	assert_marks(HEADING "| 2026-01-01 | 6 | 52.14 | 100 |\n| 2026-01-02 | 6 | 61.50 | 300 |\n",
		     HEADING "| <bound:2026-01-01> | <unbound:6> | <bound:52.14> | <bound:100> |\n"
			     "| <bound:2026-01-02> | <bound:6> | <bound:61.50> | <bound:300> |\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cells_must_match_one_row, set_up, tear_down),
		cmocka_unit_test_setup_teardown(name_in_heading_selects_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(totals_and_differences_need_no_row, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(next_row_is_checked_separately, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
