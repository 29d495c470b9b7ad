/* Small whole numbers: the adjacent words decide which data a number can be bound to. */
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

	use_result(r);
	result_add_fact(r, arena,
			(struct fact){.name = "fields",
				      .label = "fields",
				      .value = "FinishDate 9, Budget 1, Technology 4"});
}

static void number_in_name_must_match_item(void **state)
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

static void counts_rows_of_kind(void **state)
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

/* The same kinds, named only by the emoji that the data shows for them. */
static void emoji_selects_counted_rows(void **state)
{
	static const char *const shown[] = {"on_track",  "🟢 On track", "at_risk", "🟡 At risk",
					    "off_track", "🔴 Off track",   "",        "⬜ N/A",
					    NULL};
	static const char *const statuses[] = {"on_track", "at_risk",  "on_track", "off_track",
					       "at_risk",  "on_track", NULL,       "off_track"};
	static const struct sample_column status[] = {{"Status", NULL, COLUMN_TEXT},
						      {"RedAreas", NULL, COLUMN_INT}};
	const char *both[16];
	struct table *t;

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		both[i * 2] = statuses[i];
		both[i * 2 + 1] = "5";
	}
	t = sample_table(status, 2, both, 8);
	t->columns[0].words = shown;
	t->columns[1].label = "🔴 Red";
	use_result(sample_result(arena, t));
	assert_bound("It is late; 2 🔴 and 2 🟡 areas, 3 🟢.");
	assert_bound("There is no date; 2 **🔴**, 1 ⬜️ and 2 🟡.");
	assert_bound("3 🟢 Verde, 2 🟡 Amarillo");
	assert_bound("The first has 5 🔴.");
	assert_bound("There are 3 🟢 On track.");
	assert_flagged("It is late; 3 🔴 and 2 🟡 areas.");
	assert_flagged("It is late; 2 🔴 and 3 🟡 areas.");
	assert_flagged("2 🟢 and 2 🔴");
	assert_flagged("2 ⬜");
	assert_flagged("There are 4 🟢.");
	assert_flagged("There are 2 🟢 On track.");
}

/* Rows without a value are not counted, even if all other rows have the same value. */
static void counts_only_value_of_column(void **state)
{
	static const char *const shown[] = {"on_track", "🟢 On track", "", "⬜ N/A", NULL};
	static const struct sample_column status[] = {{"Status", NULL, COLUMN_TEXT}};
	static const char *const statuses[] = {"on_track", NULL};
	struct table *t = sample_table(status, 1, statuses, 2);

	(void)state;
	t->columns[0].words = shown;
	use_result(sample_result(arena, t));
	assert_bound("1 on track and 1 ⬜");
	assert_flagged("2 on track");
	assert_flagged("2 🟢");
	assert_flagged("2 ⬜");
}

/* A derived text may use the emoji, too. */
static void emoji_selects_count_of_fact(void **state)
{
	struct result *r = sample_result(arena, sample_table(columns, 6, cells, 5));

	(void)state;
	use_result(r);
	result_add_fact(r, arena,
			(struct fact){.name = "colors",
				      .label = "Areas by color",
				      .value = "6 🟢 Green, 9 🟡 Yellow, 8 🔴 Red"});
	assert_bound("It is late; 8 🔴 and 9 🟡 areas, 6 🟢 Green.");
	assert_flagged("It is late; 9 🔴 areas.");
	assert_flagged("It is late; 8 🟡 areas.");
	assert_flagged("It is late; 8 ⬜ areas.");
}

static void noun_selects_counted_column(void **state)
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

static void checks_count_of_shown_rows(void **state)
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

static void marks_do_not_depend_on_chunking(void **state)
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
		cmocka_unit_test_setup_teardown(number_in_name_must_match_item, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counts_rows_of_kind, set_up, tear_down),
		cmocka_unit_test_setup_teardown(emoji_selects_counted_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counts_only_value_of_column, set_up, tear_down),
		cmocka_unit_test_setup_teardown(emoji_selects_count_of_fact, set_up, tear_down),
		cmocka_unit_test_setup_teardown(noun_selects_counted_column, set_up, tear_down),
		cmocka_unit_test_setup_teardown(checks_count_of_shown_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(marks_do_not_depend_on_chunking, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
