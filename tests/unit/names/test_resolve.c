#include "names_test.h"

#include <stdio.h>

#include "vesper/limits.h"

struct resolve_case {
	const char *dimension, *text, *want;
};

static void check(struct fixture *f, const struct resolve_case *cases, size_t count,
		  const struct args *context)
{
	for (size_t i = 0; i < count; i++) {
		struct name_match m;
		bool known = entity_index_resolve(f->index, NULL, cases[i].dimension, cases[i].text,
						  context, f->arena, &m);
		const char *got = known ? m.value : m.several ? "several" : "unknown";

		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s \"%s\": got %s, want %s", cases[i].dimension, cases[i].text,
				 got, cases[i].want);
		if (!known && !m.several && strcmp(cases[i].dimension, "asof") != 0)
			assert_true(m.suggestion_count > 0);
	}
}

static void resolves_names_in_any_spelling(void **state)
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

static void resolves_unambiguous_misspellings(void **state)
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

static void resolves_parts_of_names(void **state)
{
	static const struct resolve_case cases[] = {
		{"zone", "alpha", "several"},
		{"zone", "beta", "WZ_BETA"},
		{"depot", "harbour", "Harbour Depot"},
		{"depot", "depot", "several"},
	};

	check(*state, cases, COUNT(cases), NULL);
}

static void resolves_aliases_of_one_parent(void **state)
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

static void resolves_labels_and_free_names(void **state)
{
	static const struct resolve_case cases[] = {
		{"asof", "January 2025", "Jan_2025"}, {"asof", "2025Q1", "Q1_2025"},
		{"asof", "latest", "unknown"},        {"asof", "Jan_2025' OR 1=1", "unknown"},
		{"nothing", "x", "unknown"},
	};
	struct fixture *f = *state;
	struct name_match m;

	check(f, cases, 4, NULL);
	assert_false(entity_index_resolve(f->index, NULL, "nothing", "x", NULL, f->arena, &m));
	assert_int_equal(m.suggestion_count, 0);
}

static void suggests_closest_values(void **state)
{
	struct fixture *f = *state;
	struct name_match m;

	assert_false(entity_index_resolve(f->index, NULL, "zone", "EP99", NULL, f->arena, &m));
	assert_false(m.several);
	assert_string_equal(m.suggestions[0].value, "EP10");
	assert_string_equal(m.suggestions[0].label, "EP10 (EAST)");
	assert_false(entity_index_resolve(f->index, NULL, "seller", "zzz", NULL, f->arena, &m));
	assert_int_equal(m.suggestion_count, 2); /* nothing is similar: all values */
}

static void reports_whether_an_alias_matched(void **state)
{
	struct fixture *f = *state;
	struct name_match m;

	assert_true(entity_index_resolve(f->index, NULL, "seller", "acorn", NULL, f->arena, &m));
	assert_false(m.alias);
	assert_true(entity_index_resolve(f->index, NULL, "seller", "bw", NULL, f->arena, &m));
	assert_true(m.alias);
	assert_true(entity_index_resolve(f->index, NULL, "seller", "acron", NULL, f->arena, &m));
	assert_true(m.alias);
}

/* The values that the caller is offered for a filter, with commas between them. */
static const char *offered_to(struct fixture *f, const char *tenant, const char *filter,
			      const char *text, bool may)
{
	const struct tool_def *tools[COUNT(fixture_tools)];
	bool is_readable[COUNT(fixture_dimensions)];
	struct catalog_view v = {.catalog = &goods_catalog,
				 .tenant = tenant,
				 .tools = tools,
				 .tool_count = COUNT(fixture_tools),
				 .is_readable = is_readable};
	const struct suggestion *list;
	const char *all = "";
	size_t n;

	for (size_t i = 0; i < COUNT(fixture_tools); i++)
		tools[i] = &fixture_tools[i];
	for (size_t i = 0; i < COUNT(fixture_dimensions); i++)
		is_readable[i] = may;
	n = entity_index_values(f->index, &v, filter, text, f->arena, &list);
	for (size_t i = 0; i < n; i++)
		all = arena_printf(f->arena, "%s%s%s%s%s", all, i > 0 ? ", " : "", list[i].value,
				   list[i].group ? " of " : "", list[i].group ? list[i].group : "");
	return all;
}

static const char *offered(struct fixture *f, const char *filter, const char *text, bool may)
{
	return offered_to(f, NULL, filter, text, may);
}

static void offers_known_values_of_filter(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(offered(f, "zone", "", true),
			    "EP10 of EAST, EP20 of EAST, HUB_ALPHA of EAST, WZ_ALPHA of WEST, "
			    "WZ_BETA of WEST");
	assert_string_equal(offered(f, "zones", "alpha", true),
			    "HUB_ALPHA of EAST, WZ_ALPHA of WEST");
	assert_string_equal(offered(f, "seller", "acron", true), "Acorn");
	assert_string_equal(offered(f, "seller", "xyzzy", true), "");
	assert_string_equal(offered(f, "year", "", true), "");
	assert_string_equal(offered(f, "no_such", "", true), "");
	assert_string_equal(offered(f, "zone", "", false), "");
	assert_string_equal(offered(f, "zone", "EP10", false), "");
}

static void offers_some_and_finds_all_of_very_many_values(void **state)
{
	static char text[FILTER_VALUES_SCAN_MAX + 10][12];
	static const char *values[FILTER_VALUES_SCAN_MAX + 10];
	struct fixture *f = *state;
	const char *all;
	size_t commas = 0;

	for (size_t i = 0; i < COUNT(values); i++) {
		snprintf(text[i], sizeof(text[i]), "Yard %05zu", i);
		values[i] = text[i];
	}
	assert_true(entity_index_load(f->index, "t", "seller", values, COUNT(values)));
	all = offered_to(f, "t", "seller", "yard", true);
	for (const char *c = all; *c; c++)
		commas += *c == ',';
	assert_int_equal(commas + 1, FILTER_VALUES_MAX);
	/* Beyond the values that are scanned; found by similarity. */
	assert_non_null(strstr(offered_to(f, "t", "seller", values[COUNT(values) - 1], true),
			       values[COUNT(values) - 1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(resolves_names_in_any_spelling),
		TEST(resolves_unambiguous_misspellings),
		TEST(resolves_parts_of_names),
		TEST(resolves_aliases_of_one_parent),
		TEST(resolves_labels_and_free_names),
		TEST(suggests_closest_values),
		TEST(reports_whether_an_alias_matched),
		TEST(offers_known_values_of_filter),
		TEST(offers_some_and_finds_all_of_very_many_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
