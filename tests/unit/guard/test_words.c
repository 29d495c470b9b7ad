/* Numbers written as words, and words that only look like numbers. */
#include "asserts.h"

static const struct sample_column columns[] = {
	{"ProjectName", NULL, COLUMN_TEXT},    {"Status_Type", NULL, COLUMN_TEXT},
	{"Capacity_MW", "MW", COLUMN_DECIMAL}, {"Spend", "$", COLUMN_DECIMAL},
	{"Price", "$/MWh", COLUMN_DECIMAL},
};
static const char *const cells[] = {
	"Kern Wind", "on_track",  "120",      "50",         "30.00",   "Mojave BESS", "off_track",
	"250",       "2000000",   "60.00",    "Desert Sun", "at_risk", "75",          "1250000",
	"41.00",     "Lone Star", "on_track", "80",         "300000",  "52.00",
};

static void use_projects(void)
{
	use_result(sample_result(arena, sample_table(columns, 5, cells, 4)));
}

static void binds_number_words_with_units(void **state)
{
	(void)state;
	use_projects();
	assert_marks("Kern Wind has one hundred and twenty megawatts for fifty dollars.",
		     "Kern Wind has <bound:one hundred and twenty megawatts> for <bound:fifty "
		     "dollars>.");
	assert_bound("Mojave BESS cost two million dollars, at sixty dollars per MWh.");
	assert_flagged("Kern Wind has one hundred and thirty megawatts.");
	assert_flagged("Kern Wind cost sixty dollars.");
	assert_flagged("Kern Wind has one hundred and twenty percent.");
	assert_flagged("Mojave BESS cost three million dollars.");
}

static void binds_counts_in_words(void **state)
{
	(void)state;
	use_projects();
	assert_marks("Two of four projects are on track.",
		     "<bound:Two> of <bound:four> projects are on track.");
	assert_bound("There are four projects.");
	assert_flagged("There are seven projects.");
	assert_flagged("Three of seven projects are on track.");
	assert_flagged("There are three on track projects.");
}

static void binds_fractions_and_multiples(void **state)
{
	(void)state;
	use_projects();
	assert_bound("Half of the projects are on track.");
	assert_bound("A quarter of them is at risk.");
	assert_flagged("A third of them is at risk.");
	assert_flagged("Two-thirds of the projects are late.");
	assert_bound("Compared with Kern Wind, Mojave BESS is twice as dear.");
	assert_flagged("Compared with Kern Wind, Mojave BESS is four times as dear.");
}

static void figures_of_speech_are_not_numbers(void **state)
{
	static const char *const texts[] = {
		"One of the projects is late, for one thing.",
		"One day, all of it will be seen as one.",
		"These two projects, and the other two, compare well.",
		"The last three months and the next two years.",
		"It was asked three times, twice a day.",
		"On the one hand; on the other; two sides of a coin.",
		"A hundred thanks! A quarter of an hour. Half a loaf. An often-heard tenet.",
		"Seven Springs is a nice place, and Tennessee too; none of one's own.",
		"Both stand. A third reason, a quarter note, sixfold, onerous, fourth.",
		"one-on-one, twenty-first, at one, no one, anyone",
	};

	(void)state;
	use_projects();
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_marks(texts[i], texts[i]);
	assert_marks("The second half of the year, half of the year.",
		     "The second half of the year, half of the year.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(binds_number_words_with_units, set_up, tear_down),
		cmocka_unit_test_setup_teardown(binds_counts_in_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(binds_fractions_and_multiples, set_up, tear_down),
		cmocka_unit_test_setup_teardown(figures_of_speech_are_not_numbers, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
