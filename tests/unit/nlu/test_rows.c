/* Questions that refer to a row of the last list. */
#include "nlu_test.h"

#define TOP "top depots this year"

/* The session context of a question whose answer listed these rows. */
static void list_rows(struct fixture *f, const char *question, const char *titles)
{
	json_t *rows;
	struct err e;

	json_decref(f->standing);
	f->standing = NULL;
	fixture_ask_and_store(f, question);
	assert_true(json_parse(titles, strlen(titles), 4096, &rows, &e));
	json_set_take(f->standing, CONTEXT_ROWS, json_pack("{s:o}", "titles", rows));
}

static const char *depot_of(struct fixture *f, const char *question)
{
	const struct filter *d = filter_of(fixture_ask(f, question), "depot");

	return d && f->u.unused_count == 0 ? d->values[0].text : "";
}

static void an_ordinal_names_the_row_of_that_place(void **state)
{
	static const struct {
		const char *question, *depot;
	} cases[] = {
		{"how many parcels did the second one send last week?", "Harbour Depot"},
		{"how many parcels did the first one send last week?", "River Depot"},
		{"how many parcels did the last one send last week?", "Hill Yard"},
		{"how many parcels did the third depot send last week?", "Hill Yard"},
		{"the second one - how many parcels were sent last week?", "Harbour Depot"},
		{"how many parcels were sent last week by the last depot?", "Hill Yard"},
	};
	struct fixture *f = *state;

	list_rows(f, TOP, "[\"River Depot\",\"Harbour Depot\",\"Hill Yard\"]");
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *got = depot_of(f, cases[i].question);

		if (strcmp(got, cases[i].depot) != 0)
			fail_msg("\"%s\": got \"%s\"", cases[i].question, got);
	}
}

/* The period of the list holds for its row. */
static void a_question_about_a_row_is_a_follow_up(void **state)
{
	struct fixture *f = *state;

	list_rows(f, TOP, "[\"River Depot\",\"Harbour Depot\"]");
	assert_string_equal(depot_of(f, "how many parcels did the second one send"),
			    "Harbour Depot");
	assert_true(f->u.is_followup);
	assert_non_null(filter_of(&f->u, "date_range_start"));
}

static void what_is_no_row_is_not_replaced(void **state)
{
	static const char *const questions[] = {
		"how many parcels did the ninth one send last week?",
		"how many parcels did the second seller send last week?",
		"how many parcels did the fourth one send last week?", /* not a known name */
		"how many parcels did the first one that opened send last week?",
		"how many parcels did the first depot opened send last week?",
		"how many parcels were sent in the last one week?",
		"how many parcels did it send last week?", /* of four rows */
	};
	struct fixture *f = *state;

	list_rows(f, TOP, "[\"River Depot\",\"Harbour Depot\",\"Hill Yard\",\"Nowhere\"]");
	for (size_t i = 0; i < COUNT(questions); i++)
		if (*depot_of(f, questions[i]))
			fail_msg("\"%s\": got \"%s\"", questions[i],
				 filter_of(&f->u, "depot")->values[0].text);
}

/* Among the options of a clarifying question "the second one" is an option. */
static void an_open_question_is_answered_first(void **state)
{
	struct fixture *f = *state;
	const char *second;

	list_rows(f, "parcels last week", "[\"Hill Yard\",\"River Depot\"]");
	assert_string_equal(f->u.ask.filter, "depot");
	second = f->u.ask.options[1].value;
	assert_string_equal(depot_of(f, "the second one"), second);
	assert_string_equal(depot_of(f, "how many parcels did the second one send last week?"),
			    "River Depot");
}

static void only_titles_of_entities_are_titles(void **state)
{
	struct fixture *f = *state;

	/* depots are a dimension of no entity here */
	assert_false(nlu_is_title(f->nlu, &f->view, "t", "River Depot", f->arena));
	assert_false(nlu_is_title(f->nlu, &f->view, "t", "Nowhere", f->arena));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_ordinal_names_the_row_of_that_place),
		TEST(a_question_about_a_row_is_a_follow_up),
		TEST(what_is_no_row_is_not_replaced),
		TEST(an_open_question_is_answered_first),
		TEST(only_titles_of_entities_are_titles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
