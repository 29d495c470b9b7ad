/* Small whole numbers: what stands beside one says what it can be bound to. */
#include "asserts.h"

static const struct sample_column columns[] = {
	{"ProjectName", NULL, COLUMN_TEXT}, {"CurrentStage", NULL, COLUMN_TEXT},
	{"Status_Type", NULL, COLUMN_TEXT}, {"Technology", NULL, COLUMN_TEXT},
	{"RedAreas", NULL, COLUMN_INT},     {"Notes", NULL, COLUMN_TEXT},
};
static const char *const cells[] = {
	"Kern Wind",    "Stage 5 Construction",      "on_track",  "Wind",  "0", "fine",
	"Mojave BESS",  "Stage 5 Construction",      "off_track", "BESS",  "7", NULL,
	"Desert Sun",   "Stage 4 Pre-Con & Finance", "at_risk",   "Solar", "2", NULL,
	"Lone Star",    "Stage 2 Mid Dev",           "on_track",  "Solar", "1", NULL,
	"Green Valley", "Stage 2 Mid Dev",           "on_track",  "Solar", "0", "see board",
};

static void use_projects(void)
{
	struct result *r = sample_result(arena, sample_table(columns, 6, cells, 5));

	use(r);
	result_add_fact(r, arena,
			(struct fact){.name = "fields",
				      .label = "fields",
				      .value = "FinishDate 9, Budget 1, Technology 4"});
}

static void test_what_the_data_numbers(void **state)
{
	(void)state;
	use_projects();
	assert_bound("Mojave BESS (Stage 5 Construction)");
	assert_bound("Mojave BESS is in **Stage 5**.");
	assert_bound(
		"| Project | Stage |\n| --- | --- |\n| Mojave BESS | Stage 5 Construction |\n");
	assert_flagged("Mojave BESS (Stage 4 Construction)");
	assert_flagged("Mojave BESS is in **Stage 2**.");
	assert_flagged("It is a Stage 4 Mid Dev project");
	assert_flagged("One is in Stage 3.");
	assert_flagged(
		"| Project | Stage |\n| --- | --- |\n| Mojave BESS | Stage 1 Construction |\n");
	assert_bound("Changed were FinishDate 9, Budget 1, Technology 4.");
	assert_flagged("Changed were FinishDate 4.");
	assert_flagged("Changed were Budget 9.");
}

static void test_kinds_are_counted(void **state)
{
	(void)state;
	use_projects();
	assert_bound("Of 5 projects 3 are on track.");
	assert_bound("There are 3 🟢 On track and 1 🔴 off track.");
	assert_bound("3 Solar projects and 1 Wind project");
	assert_flagged("There are 5 🟢 On track.");
	assert_flagged("There are 2 🔴 off track.");
	assert_flagged("There are 5 Solar projects.");
}

static void test_nouns_say_what_is_counted(void **state)
{
	(void)state;
	use_projects();
	assert_bound("These are 5 projects with 3 technologies.");
	assert_bound("Desert Sun has 2 red areas.");
	assert_bound("In all, 10 red areas.");
	assert_bound("Notes are missing for 3 of them.");
	assert_flagged("Desert Sun has 1 red area.");
	assert_flagged("In all, 1 red areas.");
}

static void test_shown_rows(void **state)
{
	static const char table[] = "| Project | Red |\n| --- | --- |\n| Mojave BESS | 7 |\n"
				    "| Desert Sun | 2 |\n\n";
	char text[200];

	(void)state;
	use_projects();
	snprintf(text, sizeof(text), "%sThe first 2 of 5 rows are shown.", table);
	assert_bound(text);
	snprintf(text, sizeof(text), "%sThe first 4 of 5 rows are shown.", table);
	assert_flagged(text);
	assert_bound("The top 3 of them lead.");
}

static void test_marks_wherever_it_is_cut(void **state)
{
	(void)state;
	use_projects();
	assert_marks("**Mojave BESS** (Stage 4 Construction, 🔴 7 red areas) and 3 on_track",
		     "**Mojave BESS** (Stage <unbound:4> Construction, 🔴 <bound:7> red areas) and "
		     "<bound:3> on_track");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_the_data_numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kinds_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nouns_say_what_is_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_shown_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_marks_wherever_it_is_cut, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
