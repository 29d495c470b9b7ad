/* The registry of units, and exact conversion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shipped_units.h"

#define UNIT(symbol, more)                                                                         \
	"{\"symbol\": \"" symbol "\", \"dimension\": \"d\", \"style\": \"after\"," more "}"
#define PLAIN UNIT("a", "\"scale\": \"1\", \"decimals\": 0")

/* Reads a list after the shipped units; returns the error text, "" without an error. */
static const char *read_list(struct arena *a, const char *list, const struct units *base,
			     struct units *out)
{
	struct err *e = arena_alloc(a, sizeof(*e));
	struct words_file f = {.path = "u.json", .arena = a, .err = e};
	json_t *root;

	f.text = arena_printf(a, "{\"units\":\n%s}", list);
	assert_true(words_parse(&f, &root));
	return units_read(&f, json_object_get(root, "units"), "units", base, out) ? "" : e->text;
}

static void assert_converts(const char *value, const char *from, const char *to,
			    const char *expected)
{
	const struct units *u = shipped_units();
	char text[DECIMAL_TEXT_BYTES] = "";
	struct decimal d;

	assert_true(decimal_parse(value, &d));
	if (units_convert(d, units_find(u, from), units_find(u, to), &d))
		decimal_text_short(d, text);
	assert_string_equal(text, expected);
}

static void shipped_units_are_read(void **state)
{
	const struct units *u = shipped_units();

	(void)state;
	assert_int_equal(units_find(u, "$")->style, STYLE_MONEY);
	assert_int_equal(units_find(u, "$/MWh")->decimals, 2);
	assert_string_equal(units_find(u, "kWh")->dimension, "energy");
	assert_null(units_find(u, "furlong"));
	assert_null(units_find(u, NULL));
	assert_null(units_find(NULL, "$"));
}

static void units_of_one_dimension_convert_exactly(void **state)
{
	(void)state;
	assert_converts("0.5", "MW", "kW", "500");
	assert_converts("6", "kW", "MW", "0.006");
	assert_converts("0.12", "$/kWh", "$/MWh", "120");
	assert_converts("12", "¢", "$", "0.12");
	assert_converts("90", "days", "weeks", ""); /* 12.857142…: no exact value */
	assert_converts("14", "days", "weeks", "2");
	assert_converts("-1.50", "$", "$", "-1.5");
}

static void other_dimensions_do_not_convert(void **state)
{
	(void)state;
	assert_converts("1", "MW", "MWh", "");
	assert_converts("1", "$", "€", "");
	assert_converts("1", "$/MWh", "€/MWh", "");
	assert_converts("1", "months", "days", "");
}

static void pack_may_add_or_repeat_units_but_not_change_them(void **state)
{
	struct arena *a = arena_new(1 << 22);
	const struct units *base = shipped_units();
	struct units all;

	(void)state;
	assert_string_equal(read_list(a, "[" PLAIN "]", base, &all), "");
	assert_int_equal(all.count, base->count + 1);
	assert_string_equal(read_list(a,
				      "[{\"symbol\": \"MW\", \"dimension\": \"power\","
				      " \"scale\": \"1.0\", \"style\": \"after\","
				      " \"decimals\": 0}]",
				      base, &all),
			    "");
	assert_int_equal(all.count, base->count);
	assert_non_null(strstr(read_list(a,
					 "[{\"symbol\": \"MW\", \"dimension\": \"power\","
					 " \"scale\": \"2\", \"style\": \"after\","
					 " \"decimals\": 0}]",
					 base, &all),
			       "u.json:2: units[0]: MW is already registered"));
	assert_non_null(strstr(read_list(a, "[" PLAIN ",\n" PLAIN "]", base, &all),
			       "u.json:3: units[1]: a is already registered"));
	arena_free(&a);
}

static const struct unit_word *find_word(const struct units *u, const char *text)
{
	const struct unit_word *found = NULL;

	for (size_t i = 0; i < u->word_count; i++)
		if (strcmp(u->words[i].text, text) == 0) {
			assert_null(found);
			found = &u->words[i];
		}
	return found;
}

static void unit_words_are_unique_and_longest_first(void **state)
{
	static const char list[] =
		"[{\"symbol\": \"things\", \"dimension\": \"d\", \"scale\": \"1\","
		" \"style\": \"count\", \"decimals\": 0},"
		"{\"symbol\": \"q\", \"dimension\": \"d\", \"scale\": \"1\", \"style\": \"after\","
		" \"decimals\": 0, \"spellings\": [\"quinks\", \"quink\"], \"glued\": [\"quink\", "
		"\"q\"]}]";
	struct arena *a = arena_new(1 << 22);
	const struct units *shipped = shipped_units();
	struct units all;

	(void)state;
	assert_string_equal(read_list(a, list, shipped, &all), "");
	assert_int_equal(all.word_count, shipped->word_count + 3);
	for (size_t i = 1; i < all.word_count; i++)
		assert_true(strlen(all.words[i - 1].text) >= strlen(all.words[i].text));
	for (size_t i = 0; i < all.word_count; i++) /* units of this registry, not of the base */
		assert_true(all.words[i].unit >= all.items &&
			    all.words[i].unit < all.items + all.count);
	assert_null(find_word(&all, "things"));
	assert_ptr_equal(find_word(&all, "quinks")->unit, units_find(&all, "q"));
	assert_false(find_word(&all, "quinks")->glued);
	assert_true(find_word(&all, "quinks")->spaced);
	assert_true(find_word(&all, "quink")->glued);
	assert_true(find_word(&all, "q")->glued);
	assert_false(find_word(&all, "q")->spaced);
	assert_false(find_word(&all, "$")->spaced);
	assert_true(all.money_count > 0);
	for (size_t i = 0; i < all.money_count; i++) {
		assert_int_equal(all.money[i].unit->style, STYLE_MONEY);
		assert_ptr_equal(all.money[i].unit, find_word(&all, all.money[i].text)->unit);
	}
	assert_ptr_equal(find_word(&all, "MW")->unit, units_find(&all, "MW"));
	arena_free(&a);
}

static void invalid_units_are_rejected(void **state)
{
	static const char *const broken[][2] = {
		{"{}", "u.json:2: units: not a list"},
		{"[7]", "u.json:2: units[0]:"},
		{"[" UNIT("a", "\"scale\": \"0\", \"decimals\": 0") "]", "a number above 0"},
		{"[" UNIT("a", "\"scale\": \"-1\", \"decimals\": 0") "]", "a number above 0"},
		{"[" UNIT("a", "\"scale\": \"x\", \"decimals\": 0") "]", "a number above 0"},
		{"[" UNIT("a", "\"scale\": 1, \"decimals\": 0") "]", "scale"},
		{"[" UNIT("a", "\"scale\": \"1\", \"decimals\": 10") "]",
		 "decimals must be 0 to 9"},
		{"[" UNIT("a", "\"scale\": \"1\"") "]", "decimals"},
		{"[" UNIT("", "\"scale\": \"1\", \"decimals\": 0") "]", "must not be empty"},
		{"[" UNIT("a", "\"scale\": \"1\", \"decimals\": 0, \"x\": 1") "]", "units[0]:"},
		{"[" UNIT("a", "\"scale\": \"1\", \"decimals\": 0, \"counted\": 1") "]",
		 "units[0]: counted must be true or false"},
		{"[" UNIT("a", "\"scale\": \"1\", \"decimals\": 0, \"glued\": [\"a\", \"a\"]") "]",
		 "units[0].glued[1]: \"a\" is listed twice"},
		{"[{\"symbol\": \"a\", \"dimension\": \"d\", \"scale\": \"1\", \"decimals\": 0,"
		 " \"style\": \"loud\"}]",
		 "style must be"},
	};
	struct arena *a = arena_new(1 << 22);
	struct units all;

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		const char *error = read_list(a, broken[i][0], NULL, &all);

		if (!strstr(error, broken[i][1]))
			fail_msg("%s: \"%s\" does not contain \"%s\"", broken[i][0], error,
				 broken[i][1]);
	}
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_units_are_read),
		cmocka_unit_test(units_of_one_dimension_convert_exactly),
		cmocka_unit_test(other_dimensions_do_not_convert),
		cmocka_unit_test(pack_may_add_or_repeat_units_but_not_change_them),
		cmocka_unit_test(unit_words_are_unique_and_longest_first),
		cmocka_unit_test(invalid_units_are_rejected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
