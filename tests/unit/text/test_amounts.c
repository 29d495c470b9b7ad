/* Bounds, and numbers with a unit. */
#include "text_test.h"

#include "shipped_units.h"
#include "vesper/str.h"

static bool any_unit(void *owner, const struct unit_def *unit)
{
	(void)owner;
	return strcmp(unit->dimension, "time") != 0;
}

static void add(struct buf *b, const struct question *q, const struct amount *m, struct arena *a)
{
	static const char *const sides[] = {"=", ">", "<"};
	char number[DECIMAL_TEXT_BYTES];

	decimal_text_short(m->number, number);
	buf_printf(b, "%s[%s] %s%s%s %s%s", b->n > 0 ? "; " : "",
		   text_between(q, m->from, m->to, a), sides[m->side], m->inclusive ? "=" : "",
		   number, m->unit ? m->unit->symbol : "-", m->ambiguous ? " unclear" : "");
}

/* "[words] >=60 $/MWh; …" */
static const char *amounts(const char *text, bool bounds, struct arena *a)
{
	struct amount found[8];
	struct question q;
	struct buf b;
	const char *out;
	size_t n;

	text_tokenize(english(a), text, a, &q);
	n = bounds ? amounts_find_bounds(shipped_units(), &q, a, found, 8)
		   : amounts_find_plain(shipped_units(), &q, any_unit, NULL, a, found, 8);
	buf_init(&b, 4096);
	for (size_t i = 0; i < n; i++)
		add(&b, &q, &found[i], a);
	for (size_t i = 0; n > 0 && i < q.count; i++)
		assert_int_equal(q.tokens[i].used,
				 (i >= found[0].from && i < found[0].to) ||
					 (i >= found[n - 1].from && i < found[n - 1].to));
	out = arena_strdup(a, b.n > 0 ? buf_text(&b) : "");
	buf_deinit(&b);
	return out;
}

struct amount_case {
	const char *text, *want;
};

static void check(const struct amount_case *cases, size_t count, bool bounds)
{
	for (size_t i = 0; i < count; i++) {
		struct arena *a = arena_new(1 << 20);
		const char *got = amounts(cases[i].text, bounds, a);

		if (strcmp(got, cases[i].want) != 0)
			fail_msg("\"%s\": got \"%s\"", cases[i].text, got);
		arena_free(&a);
	}
}

static void bounds_are_read(void **state)
{
	static const struct amount_case cases[] = {
		{"hours above $60 in EP10", "[above $60] >60 $"},
		{"hours at least 60 $/MWh", "[at least 60 $/MWh] >=60 $/MWh"},
		{"under $20.50 please", "[under $20.50] <20.5 $"},
		{"below 1,200 kW", "[below 1,200 kW] <1200 kW"},
		{"at most twenty", "[at most twenty] <=20 -"},
		{"with more than 100 views", "[more than 100 views] >100 views"},
		{"above USD 60", "[above USD 60] >60 $"},
		{"over a hundred", "[over a hundred] >100 -"},
		{"gaps over 5%", "[over 5] >5 %"},
		{"costs between 40 and 50",
		 "[between 40 and 50] >=40 -; [between 40 and 50] <=50 -"},
		{"between $40 and $50",
		 "[between $40 and $50] >=40 $; [between $40 and $50] <=50 $"},
		{"60 or more", "[60 or more] >=60 -"},
		{"12 cents a kWh or less", "[12 cents a kWh or less] <=12 ¢/kWh"},
		{"no more than 60", "[no more than 60] <=60 -"},
		{"not below 60", "[not below 60] >=60 -"},
		{"not at least 60", "[not at least 60] <60 -"},
		{"at least 3 million dollars", "[at least 3 million dollars] >=3000000 $"},
		{"above $2M", "[above $2M] >2000000 $"},
		{"over 1.5k", "[over 1.5k] >1500 -"},
		{"under two billion", "[under two billion] <2000000000 -"},
		{"above 60 but below 80", "[above 60] >60 -; [below 80] <80 -"},
	};

	(void)state;
	check(cases, sizeof(cases) / sizeof(cases[0]), true);
}

/* These are bounds, but unclear ones, which must not be used. */
static void unclear_bounds_are_marked_ambiguous(void **state)
{
	static const struct amount_case cases[] = {
		{"above 60 k", "[above 60 k] >60 - unclear"},
		{"above 60q", "[above 60q] >60 - unclear"},
		{"not much above 60", "[above 60] >60 - unclear"},
		{"never go over 60", "[over 60] >60 - unclear"},
	};

	(void)state;
	check(cases, sizeof(cases) / sizeof(cases[0]), true);
}

static void other_words_are_not_bounds(void **state)
{
	static const struct amount_case cases[] = {
		{"over the last week", ""},
		{"between EP10 and EP20", ""},
		{"above", ""},
		{"60", ""},
		{"", ""},
		{"above -", ""},
	};

	(void)state;
	check(cases, sizeof(cases) / sizeof(cases[0]), true);
}

static void amounts_have_units(void **state)
{
	static const struct amount_case cases[] = {
		{"at $0.12 per kWh", "[0.12 per kWh] =0.12 $/kWh"},
		{"12 cents a kWh", "[12 cents a kWh] =12 ¢/kWh"},
		{"12¢/kWh", "[12¢/kWh] =12 ¢/kWh"},
		{"a 6 kW system", "[6 kW] =6 kW"},
		{"0.5 MW", "[0.5 MW] =0.5 MW"},
		{"5MW and 7 MW", "[5MW] =5 MW; [7 MW] =7 MW"},
		{"€40 per MWh", "[€40 per MWh] =40 €/MWh"},
		{"6 kWs", ""},
		{"in 7 days", ""},
		{"EP10", ""},
	};

	(void)state;
	check(cases, sizeof(cases) / sizeof(cases[0]), false);
}

/* 12 cents a kWh is exactly 120 $/MWh. */
static void combined_units_convert(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct amount found[2];
	struct question q;
	struct decimal out;
	char text[DECIMAL_TEXT_BYTES];

	(void)state;
	text_tokenize(english(a), "12.5 cents a kWh", a, &q);
	assert_int_equal(amounts_find_plain(shipped_units(), &q, any_unit, NULL, a, found, 2), 1);
	assert_true(units_convert(found[0].number, found[0].unit,
				  units_find(shipped_units(), "$/MWh"), &out));
	decimal_text_short(out, text);
	assert_string_equal(text, "125");
	assert_false(units_convert(found[0].number, found[0].unit,
				   units_find(shipped_units(), "€/MWh"), &out));
	arena_free(&a);
}

static void finds_at_most_the_requested_number(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct amount found[3];
	struct question q;

	(void)state;
	text_tokenize(english(a), "above 1 above 2 above 3 above 4", a, &q);
	assert_int_equal(amounts_find_bounds(shipped_units(), &q, a, found, 3), 2);
	text_tokenize(english(a), "1 kW 2 kW 3 kW 4 kW", a, &q);
	assert_int_equal(amounts_find_plain(shipped_units(), &q, any_unit, NULL, a, found, 3), 3);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_read),
		cmocka_unit_test(unclear_bounds_are_marked_ambiguous),
		cmocka_unit_test(other_words_are_not_bounds),
		cmocka_unit_test(amounts_have_units),
		cmocka_unit_test(combined_units_convert),
		cmocka_unit_test(finds_at_most_the_requested_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
