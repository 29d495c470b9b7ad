#include "names_test.h"

struct resolve_case {
	const char *dimension, *text, *want;
};

static void check(struct fixture *f, const struct resolve_case *cases, size_t count,
		  const struct args *context)
{
	for (size_t i = 0; i < count; i++) {
		struct name_match m;
		bool known = name_book_resolve(f->book, NULL, cases[i].dimension, cases[i].text,
					       context, f->arena, &m);
		const char *got = known ? m.value : m.several ? "several" : "unknown";

		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s \"%s\": got %s, want %s", cases[i].dimension, cases[i].text,
				 got, cases[i].want);
		if (!known && !m.several && strcmp(cases[i].dimension, "asof") != 0)
			assert_true(m.suggestion_count > 0);
	}
}

static void names_in_any_spelling(void **state)
{
	static const struct resolve_case cases[] = {
		{"zone", "EP10", "EP10"},
		{"zone", "ep-10", "EP10"},
		{"zone", "ep 10", "EP10"},
		{"zone", "hub alpha", "HUB_ALPHA"},
		{"zone", "Alpha Hub", "HUB_ALPHA"},
		{"zone", "hub_alpha", "HUB_ALPHA"},
		{"seller", "acorn", "Acorn"},
		{"seller", "ACORN's", "Acorn"},
		{"seller", "BW", "Birchwood"},
		{"seller", "trading birch", "Birchwood"},
		{"region", "the far east", "unknown"},
		{"region", "far east", "EAST"},
	};

	check(*state, cases, COUNT(cases), NULL);
}

static void typing_errors_are_forgiven_where_they_can_be(void **state)
{
	static const struct resolve_case cases[] = {
		{"seller", "acron", "Acorn"},
		{"seller", "acrn", "Acorn"},
		{"seller", "brichwood", "Birchwood"},
		{"seller", "birchwod", "Birchwood"},
		{"zone", "pe10", "EP10"},
		{"zone", "hub_apha", "HUB_ALPHA"},
		{"zone", "EP99", "unknown"},
		{"zone", "EP1", "unknown"},
		{"zone", "EP100", "unknown"},
		{"seller", "corn", "unknown"},
		{"region", "EST", "unknown"},
		{"seller", "", "unknown"},
		{"seller", "%", "unknown"},
		{"seller", "Acorn' OR '1'='1", "unknown"},
	};

	check(*state, cases, COUNT(cases), NULL);
}

static void parts_of_names(void **state)
{
	static const struct resolve_case cases[] = {
		{"zone", "alpha", "several"},
		{"zone", "beta", "WZ_BETA"},
		{"depot", "harbour", "Harbour Depot"},
		{"depot", "depot", "several"},
	};

	check(*state, cases, COUNT(cases), NULL);
}

static void aliases_of_one_parent(void **state)
{
	static const struct resolve_case alone[] = {{"zone", "sunny", "several"},
						    {"zone", "rainy", "several"}};
	static const struct resolve_case east[] = {{"zone", "sunny", "EP10"},
						   {"zone", "alpha", "HUB_ALPHA"},
						   {"zone", "WZ_BETA", "WZ_BETA"}};
	static const struct resolve_case west[] = {{"zone", "sunny", "WZ_BETA"},
						   {"zone", "rainy", "unknown"},
						   {"zone", "alpha", "WZ_ALPHA"}};
	struct fixture *f = *state;
	struct args context = {0};

	check(f, alone, COUNT(alone), NULL);
	args_set(&context, f->arena, "region", value_text("EAST"));
	check(f, east, COUNT(east), &context);
	args_set(&context, f->arena, "region", value_text("WEST"));
	check(f, west, COUNT(west), &context);
}

static void labels_and_free_names(void **state)
{
	static const struct resolve_case cases[] = {
		{"asof", "January 2025", "Jan_2025"}, {"asof", "2025Q1", "Q1_2025"},
		{"asof", "latest", "unknown"},        {"asof", "Jan_2025' OR 1=1", "unknown"},
		{"nothing", "x", "unknown"},
	};
	struct fixture *f = *state;
	struct name_match m;

	check(f, cases, 4, NULL);
	assert_false(name_book_resolve(f->book, NULL, "nothing", "x", NULL, f->arena, &m));
	assert_int_equal(m.suggestion_count, 0);
}

static void suggestions_are_the_closest(void **state)
{
	struct fixture *f = *state;
	struct name_match m;

	assert_false(name_book_resolve(f->book, NULL, "zone", "EP99", NULL, f->arena, &m));
	assert_false(m.several);
	assert_string_equal(m.suggestions[0].value, "EP10");
	assert_string_equal(m.suggestions[0].label, "EP10 (EAST)");
	assert_false(name_book_resolve(f->book, NULL, "seller", "zzz", NULL, f->arena, &m));
	assert_int_equal(m.suggestion_count, 2); /* nothing is like it: all there are */
}

static void other_words_are_told(void **state)
{
	struct fixture *f = *state;
	struct name_match m;

	assert_true(name_book_resolve(f->book, NULL, "seller", "acorn", NULL, f->arena, &m));
	assert_false(m.alias);
	assert_true(name_book_resolve(f->book, NULL, "seller", "bw", NULL, f->arena, &m));
	assert_true(m.alias);
	assert_true(name_book_resolve(f->book, NULL, "seller", "acron", NULL, f->arena, &m));
	assert_true(m.alias);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_in_any_spelling), TEST(typing_errors_are_forgiven_where_they_can_be),
		TEST(parts_of_names),        TEST(aliases_of_one_parent),
		TEST(labels_and_free_names), TEST(suggestions_are_the_closest),
		TEST(other_words_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
