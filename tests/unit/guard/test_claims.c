/* Claims about numbers: changes, parts, comparisons, ranks, and values derived from rows. */
#include "asserts.h"

static const struct sample_column columns[] = {
	{"ProjectName", NULL, COLUMN_TEXT}, {"StartDate", NULL, COLUMN_DATE},
	{"Budget", "$", COLUMN_DECIMAL},    {"Actuals", "$", COLUMN_DECIMAL},
	{"Views", "views", COLUMN_INT},
};
static const char *const cells[] = {
	"Kern Wind",  "2025-03-01", "2600000", "1720000", "1465",
	"Lone Star",  "2025-06-01", "1250000", "870000",  "1239",
	"Sierra Sun", "2026-02-01", "1650000", "1090000", "963",
};

static void use_projects(void)
{
	use_result(sample_result(arena, sample_table(columns, 5, cells, 3)));
}

static void assert_all(const char *const *texts, void (*check)(const char *text))
{
	use_projects();
	for (; *texts; texts++)
		check(*texts);
}

static void checks_changes_and_parts(void **state)
{
	(void)state;
	assert_all((const char *const[]){"Budgets fell from $1.25M to $2.6M.",
					 "Kern Wind has spent $2.6M of $1.72M.", NULL},
		   assert_flagged);
	assert_all((const char *const[]){"Budgets rise from $1.25M to $2.6M.",
					 "Kern Wind has spent $1.72M of $2.6M.", NULL},
		   assert_bound);
}

static void checks_comparisons(void **state)
{
	(void)state;
	assert_all((const char *const[]){"Kern Wind has 226 views less than Lone Star.",
					 "Kern Wind is $1.35M cheaper than Lone Star.", NULL},
		   assert_flagged);
	assert_all((const char *const[]){"Kern Wind is $1.35M dearer than Lone Star.", NULL},
		   assert_bound);
}

static void checks_ranks(void **state)
{
	(void)state;
	assert_all((const char *const[]){"Kern Wind has the smallest budget, $2.6M.",
					 "Lone Star is third with 1,239 views.",
					 "The latest start is 2025-03-01.", NULL},
		   assert_flagged);
	assert_all((const char *const[]){"Kern Wind has the largest budget, $2.6M.",
					 "Lone Star is second with 1,239 views.",
					 "The latest start is 2026-02-01.", NULL},
		   assert_bound);
}

static void checks_derived_amounts(void **state)
{
	(void)state;
	assert_all((const char *const[]){"Kern Wind has $808,000 left and Lone Star $380,000.",
					 "Lone Star has $1.25M and Sierra Sun $1.25M.", NULL},
		   assert_flagged);
	assert_all(
		(const char *const[]){"Kern Wind has $880,000 left and Lone Star $380,000.", NULL},
		assert_bound);
}

static void uninterpreted_claims_are_unchecked(void **state)
{
	(void)state;
	use_projects();
	assert_marks("All stay below 5,000 views.", "All stay below <unchecked:5,000 views>.");
}

/* A word that no rule handles makes adjacent numbers unchecked; a word that the data confirms does
 * not. */
static void unhandled_words_make_numbers_unchecked(void **state)
{
	(void)state;
	use_projects();
	assert_marks("Kern Wind is dearer, at $2.6M.",
		     "Kern Wind is dearer, at <unchecked:$2.6M>.");
	assert_marks("Kern Wind is not at $2.6M.", "Kern Wind is not at <unchecked:$2.6M>.");
	assert_marks("Kern Wind starts before that, with $2.6M in all.",
		     "Kern Wind starts before that, with <bound:$2.6M> in all.");
	assert_marks("Before that Kern Wind had $2.6M.",
		     "Before that Kern Wind had <unchecked:$2.6M>.");
	assert_all((const char *const[]){"Kern Wind is dearer than Lone Star: $2.6M, not counted.",
					 NULL},
		   assert_not_verified);
	assert_all((const char *const[]){"Kern Wind has the largest budget, $2.6M.",
					 "Kern Wind is $1.35M dearer than Lone Star.", NULL},
		   assert_bound);
	assert_marks("Lone Star: $1.25M, Kern Wind: $2.6M, 108% more.",
		     "Lone Star: <bound:$1.25M>, Kern Wind: <bound:$2.6M>, <bound:108%> more.");
}

static void checks_multiples(void **state)
{
	(void)state;
	assert_all(
		(const char *const[]){
			"At $2.6M Kern Wind costs three times as much as Lone Star, $1.25M.",
			"At $2.6M Kern Wind costs nearly three times the $1.25M of Lone Star.",
			NULL},
		assert_flagged);
	assert_all(
		(const char *const[]){
			"At $2.6M Kern Wind costs twice as much as Lone Star, $1.25M.",
			"At $2.6M Kern Wind costs more than two times the $1.25M of Lone Star.",
			NULL},
		assert_bound);
}

static void checks_lists_columns_and_weekdays(void **state)
{
	(void)state;
	assert_all((const char *const[]){"Kern Wind and Lone Star have $1.25M and $2.6M.",
					 "Kern Wind has $1.72M of budget and $2.6M of actuals.",
					 "Kern Wind starts on Monday, 1 March 2025.", NULL},
		   assert_flagged);
	assert_all((const char *const[]){"Kern Wind and Lone Star have $2.6M and $1.25M.",
					 "Kern Wind has $2.6M of budget and $1.72M of actuals.",
					 "Kern Wind starts on Saturday, 1 March 2025.", NULL},
		   assert_bound);
}

static void checks_base_of_percentages(void **state)
{
	(void)state;
	assert_all(
		(const char *const[]){
			"Kern Wind has $2.6M against Lone Star's $1.25M, or 51.9 % more.", NULL},
		assert_flagged);
	assert_all(
		(const char *const[]){
			"Kern Wind has $2.6M against Lone Star's $1.25M, or 108 % more.", NULL},
		assert_bound);
}

/* Results of ad hoc queries state units in column names only, if at all. */
static void checks_groups_and_columns_without_units(void **state)
{
	static const struct sample_column plain[] = {
		{"name", NULL, COLUMN_TEXT},
		{"technology", NULL, COLUMN_TEXT},
		{"storage_mw", NULL, COLUMN_INT},
		{"budget", NULL, COLUMN_INT},
	};
	static const char *const rows[] = {
		"Kern One", "BESS", "305", "2600000", "Lone Two", "BESS",  "187", "1250000",
		"Mesa Sun", "Wind", "41",  "1650000", "Ohio Sun", "Solar", "9",   "430000",
	};

	(void)state;
	use_result(sample_result(arena, sample_table(plain, 4, rows, 4)));
	assert_bound("Kern One stores 305 MW.");
	assert_bound("BESS stores 492 MW.");
	assert_flagged("BESS stores 429 MW.");
	assert_flagged("Kern One stores 305 GW.");
	assert_not_verified("Kern One has a budget of $2.6M.");
	assert_flagged("Kern One has a budget of $2.7M.");
}

/* Each result has only one name, which applies to all its amounts. */
static void checks_names_in_two_results(void **state)
{
	static const struct sample_column vendor[] = {{"Vendor", NULL, COLUMN_TEXT},
						      {"Price", "$/MWh", COLUMN_DECIMAL}};
	static const char *const ascend[] = {"Ascend", "52.14"}, *const hitachi[] = {"Hitachi",
										     "54.80"};
	static const char *const vendors[] = {"Ascend", "Hitachi", "Aurora", NULL};
	static const char *const *const values[] = {vendors, NULL};

	(void)state;
	use_result(sample_result(arena, sample_table(vendor, 2, ascend, 1)));
	use_result(sample_result(arena, sample_table(vendor, 2, hitachi, 1)));
	input.values = values;
	assert_bound("Ascend has $52.14/MWh, Hitachi $54.80/MWh.");
	assert_flagged("Ascend has $54.80/MWh, Hitachi $52.14/MWh.");
	assert_flagged("Aurora has $52.14/MWh.");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(checks_changes_and_parts),
		TEST(checks_comparisons),
		TEST(checks_ranks),
		TEST(checks_derived_amounts),
		TEST(uninterpreted_claims_are_unchecked),
		TEST(unhandled_words_make_numbers_unchecked),
		TEST(checks_multiples),
		TEST(checks_lists_columns_and_weekdays),
		TEST(checks_base_of_percentages),
		TEST(checks_groups_and_columns_without_units),
		TEST(checks_names_in_two_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
