/* False statements with a known number: of another year or name, with another sign or notation. */
#include "asserts.h"

static const struct sample_column columns[] = {
	{"Vendor", NULL, COLUMN_TEXT},      {"HubZone", NULL, COLUMN_TEXT},
	{"ForecastYear", NULL, COLUMN_INT}, {"AsOfDate", NULL, COLUMN_DATE},
	{"Price", "$/MWh", COLUMN_DECIMAL}, {"Spend", "$", COLUMN_DECIMAL},
	{"Share", "%", COLUMN_DECIMAL},     {"Change", "$/MWh", COLUMN_DECIMAL},
};
static const char *const cells[] = {
	"Ascend",  "SP15", "2025", "2025-01-15", "52.14", "1234567", "49.2", "-3.20",
	"Hitachi", "SP15", "2025", "2025-02-01", "54.80", "4500000", "50.8", "2.10",
	"Ascend",  "SP15", "2026", "2025-01-15", "61.25", "2234567", "47.5", "-1.10",
	"Hitachi", "SP15", "2026", "2025-02-01", "63.40", "5500000", "52.5", "4.05",
};

static void use_years(void)
{
	use_result(sample_result(arena, sample_table(columns, 8, cells, 4)));
}

static void assert_all(const char *const *texts, void (*check)(const char *text))
{
	for (; *texts; texts++)
		check(*texts);
}

static void rejects_number_of_other_year(void **state)
{
	static const char *const false_texts[] = {
		"In 2025 Ascend is $61.25/MWh.",
		"In 2026 the price of Ascend is $52.14/MWh.",
		"For 2026, Hitachi expects $54.80/MWh.",
		"Ascend is at $61.25/MWh in 2025.",
		"| Vendor | 2025 | 2026 |\n| --- | --- | --- |\n| Ascend | 61.25 | 52.14 |\n",
		NULL};
	static const char *const true_texts[] = {
		"Ascend 2025 is $52.14/MWh and 2026 is $61.25/MWh.",
		"Ascend rises by $9.11/MWh from 2025 to 2026.",
		"Ascend rises from $52.14/MWh in 2025 to $61.25/MWh in 2026.",
		"As of 15 January 2025 Ascend expects $61.25/MWh for 2026.",
		"| Vendor | 2025 | 2026 |\n| --- | --- | --- |\n| Ascend | 52.14 | 61.25 |\n",
		NULL};

	(void)state;
	use_years();
	assert_all(false_texts, assert_flagged);
	assert_all(true_texts, assert_bound);
}

static void rejects_number_of_other_name(void **state)
{
	static const char *const false_texts[] = {"Ascend expects $54.80/MWh in 2025.",
						  "Hitachi, at $52.14/MWh, is cheaper.",
						  "The as-of date of Ascend is 1 February 2025.",
						  "Ascend, at $63.40/MWh.",
						  "Hitachi's spend over both years is $6.7M.",
						  NULL};

	(void)state;
	use_years();
	assert_all(false_texts, assert_flagged);
	assert_bound("Hitachi's total spend over both years is $10M.");
}

static void rejects_other_sign_or_scale(void **state)
{
	static const char *const false_texts[] = {"The change of Ascend in 2025 is +$3.20/MWh.",
						  "The change of Hitachi in 2025 is -$2.10/MWh.",
						  "It is minus $52.14/MWh for Ascend in 2025.",
						  "Ascend's share in 2025 is 0.492%.",
						  "Ascend's spend in 2025 is $1.23K.",
						  "Ascend's price in 2025 is 52.14 MW.",
						  "It is $52.14e1/MWh.",
						  "It is 1.2e6 dollars.",
						  "It is 52.14¢.",
						  "It is €52.14/MWh.",
						  "It is ¥52.14.",
						  NULL};
	static const char *const true_texts[] = {"The change of Ascend in 2025 is -$3.20/MWh.",
						 "The change of Ascend in 2025 is minus $3.20/MWh.",
						 "The change of Hitachi in 2025 is +$2.10/MWh.",
						 "Ascend falls by $3.20/MWh in 2025.",
						 "Ascend's spend in 2025 is $1.23M, or $1'234'567.",
						 NULL};

	(void)state;
	use_years();
	assert_all(false_texts, assert_flagged);
	assert_all(true_texts, assert_bound);
}

static void checks_superlatives(void **state)
{
	static const char *const false_texts[] = {"The highest price is $61.25/MWh.",
						  "The lowest price is $54.80/MWh.",
						  "Ascend's highest price is $52.14/MWh.",
						  "The cheapest of all costs $61.25/MWh.", NULL};
	static const char *const true_texts[] = {
		"The highest price is $63.40/MWh, the lowest $52.14/MWh.",
		"Ascend's highest price is $61.25/MWh.",
		"Highest in 2025 is $54.80/MWh, lowest $52.14/MWh.",
		"The second highest price is $61.25/MWh, one of the highest.",
		"With the lowest spend, Ascend asks $61.25/MWh in 2026.",
		"The lowest share of Hitachi is 50.8%, at $54.80/MWh.",
		NULL};

	(void)state;
	use_years();
	assert_all(false_texts, assert_flagged);
	assert_all(true_texts, assert_bound);
}

static void rejects_digits_of_other_scripts(void **state)
{
	static const char *const false_texts[] = {
		"Ascend's price is 4**8**.73.",
		"Ascend's price is $5\xE2\x80\x8B"
		"9.14/MWh.",
		"Ascend's price is $\xEF\xBC\x95\xEF\xBC\x99/MWh.",
		"Ascend's price is $&#53;9.14/MWh.",
		"Ascend's price is \xE2\x81\xB5\xE2\x81\xB9 dollars.",
		"Ascend's price is \xD9\xA5\xD9\xA9 dollars.",
		"Ascend's price is 61½ dollars.",
		NULL};

	(void)state;
	use_years();
	assert_all(false_texts, assert_flagged);
	assert_marks("At \xEF\xBC\x95\xEF\xBC\x99, no more.",
		     "At <unbound:\xEF\xBC\x95\xEF\xBC\x99>, no more.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rejects_number_of_other_year, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_number_of_other_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_other_sign_or_scale, set_up, tear_down),
		cmocka_unit_test_setup_teardown(checks_superlatives, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_digits_of_other_scripts, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
