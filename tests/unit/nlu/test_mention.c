/* Which names a question holds, seen through its filters. */
#include "nlu_test.h"
#include "route_bench.h"

static const char *filters_text(struct fixture *f, const char *question)
{
	const struct understanding *u = fixture_ask(f, question);
	const char *out = "";

	for (size_t i = 0; i < u->filter_count; i++) {
		if (u->filters[i].source == SOURCE_DEFAULT)
			continue;
		out = arena_printf(f->arena, "%s%s%s=", out, *out ? " " : "", u->filters[i].name);
		for (size_t v = 0; v < u->filters[i].count; v++)
			out = arena_printf(f->arena, "%s%s%s", out, v ? "," : "",
					   fixture_words(f, &u->filters[i].values[v]));
	}
	return out;
}

struct mention_case {
	const char *question, *want;
};

static void check(struct fixture *f, const struct mention_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *got = filters_text(f, cases[i].question);

		if (strcmp(got, cases[i].want) != 0)
			fail_msg("\"%s\": got \"%s\", want \"%s\"", cases[i].question, got,
				 cases[i].want);
	}
}

static void the_longest_name_wins(void **state)
{
	static const struct mention_case cases[] = {
		{"average price hub alpha 2025 acorn",
		 "seller=Acorn zone=HUB_ALPHA year=2025 region=EAST"},
		{"average price from birch trading in ep-10 2025",
		 "seller=Birchwood zone=EP10 year=2025 region=EAST"},
		{"average price of Acorn's EP20, 2025",
		 "seller=Acorn zone=EP20 year=2025 region=EAST"},
	};

	check(*state, cases, COUNT(cases));
}

static void ambiguous_values_need_label(void **state)
{
	static const struct mention_case cases[] = {
		{"low average price EP10 2025 acorn",
		 "seller=Acorn zone=EP10 year=2025 region=EAST"},
		{"average price EP10 2025 acorn low grade",
		 "seller=Acorn zone=EP10 year=2025 region=EAST grade=Low"},
		{"average price EP10 2025 acorn, grade fine",
		 "seller=Acorn zone=EP10 year=2025 region=EAST grade=Fine"},
		{"average price EP10 2025 acorn fine and low grades",
		 "seller=Acorn zone=EP10 year=2025 region=EAST grades=Fine,Low"},
	};

	check(*state, cases, COUNT(cases));
}

static void scoped_names_use_context(void **state)
{
	static const struct mention_case cases[] = {
		{"average price sunny EAST 2025 acorn",
		 "seller=Acorn zone=EP10 year=2025 region=EAST"},
		{"average price WEST sunny 2025 acorn",
		 "seller=Acorn zone=WZ_BETA year=2025 region=WEST"},
		{"average price alpha in WEST 2025 acorn",
		 "seller=Acorn zone=WZ_ALPHA year=2025 region=WEST"},
	};
	struct fixture *f = *state;

	check(f, cases, COUNT(cases));
	fixture_ask(f, "average price sunny 2025 acorn");
	assert_int_equal(f->u.ask.option_count, 2);
	assert_string_equal(f->u.ask.filter, "zone");
	assert_false(f->u.ask.unknown);
	assert_int_equal(f->u.tool_count, 0);
}

static void asks_about_unknown_values(void **state)
{
	static const struct {
		const char *question, *filter, *said;
	} cases[] = {
		{"average price EP99 2025 acorn", "zone", "EP99"},
		{"average price XX12 2025 acorn", "zone", "XX12"},
		{"average price HUB_OMEGA 2025 acorn", "zone", "HUB_OMEGA"},
		{"average price EP10 2025 from Chestnut", "seller", "Chestnut"},
		{"average price EP10 2025 from chestnut", "seller", "chestnut"},
		{"compare Acorn and Chestnut EP10 2025", "seller", "Chestnut"},
		{"acorn vs chestnut EP10 2025", "seller", "chestnut"},
		{"average price rainy WEST 2025 acorn", "zone", "rainy"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct understanding *u = fixture_ask(f, cases[i].question);

		if (!u->ask.text || !u->ask.unknown ||
		    strcmp(u->ask.filter, cases[i].filter) != 0 ||
		    !strstr(u->ask.text, cases[i].said))
			fail_msg("\"%s\": asks \"%s\"", cases[i].question,
				 u->ask.text ? u->ask.text : "nothing");
		assert_int_equal(u->tool_count, 0);
		assert_true(u->ask.option_count > 0);
	}
}

static void ordinary_words_are_not_names(void **state)
{
	static const char *const questions[] = {
		"What is the average price in EP10 for 2025 according to Acorn?",
		"Could you kindly give the average price in EP10 for 2025 by Acorn",
		"is it worth buying at the average price EP10 2025 acorn",
		"average price EP10 2025 Acorn, the 1st one, 10k thanks",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(questions); i++)
		if (strcmp(fixture_calls(f, questions[i]),
			   "get_average_price seller=Acorn zone=EP10 year=2025 region=EAST "
			   "grade=Base") != 0)
			fail_msg("\"%s\": %s", questions[i], f->u.ask.text);
}

static void all_values_of_dimension(void **state)
{
	static const struct mention_case cases[] = {
		{"average price all EAST sales zones 2025 acorn",
		 "seller=Acorn zones=EP10,EP20,HUB_ALPHA year=2025 region=EAST"},
		{"average price EP10 2025 both sellers",
		 "zone=EP10 year=2025 sellers=Acorn,Birchwood region=EAST"},
	};

	check(*state, cases, COUNT(cases));
}

/* Of the real catalogue, where a sponsor is no name that a tool needs. */
static void first_word_identifies_name(void **state)
{
	static const struct {
		const char *question, *filter, *value;
	} cases[] = {
		{"all projects of Northwind", "sponsor", "Northwind Capital"},
		{"portfolio without Northwind", "not_sponsor", "Northwind Capital"},
		{"portfolio w/o Northwind", "not_sponsor", "Northwind Capital"},
		{"list projects by Capital size", "sponsor", NULL},
		{"list projects in the granite belt", "sponsor", NULL},
	};
	struct arena *a = arena_new(65536);
	struct catalog_view may;
	struct bench b = {.asked = 0};

	(void)state;
	bench_open(&b, a);
	catalog_for(b.catalog, &b.who, a, &may);
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *line = json_pack("{s:s}", "question", cases[i].question);
		const struct filter *f;
		struct understanding u;

		understand(&b, &may, line, a, &u);
		f = filter_of(&u, cases[i].filter);
		if (cases[i].value)
			assert_string_equal(f->values[0].text, cases[i].value);
		else
			assert_null(f);
		json_decref(line);
	}
	bench_close(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_longest_name_wins),        TEST(ambiguous_values_need_label),
		TEST(scoped_names_use_context),     TEST(asks_about_unknown_values),
		TEST(ordinary_words_are_not_names), TEST(all_values_of_dimension),
		TEST(first_word_identifies_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
