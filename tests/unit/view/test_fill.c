/* Templates: columns, arguments, facts, parts that fall away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vesper/json.h"
#include "view_int.h"
#include "sample_results.h"

static const struct sample_column price_columns[] = {
	{"Vendor", NULL, COLUMN_TEXT},
	{"AvgPrice", "$/MWh", COLUMN_DECIMAL},
	{"DataPoints", "count", COLUMN_INT},
};

static struct result *sample(struct arena *a)
{
	static const char *const cells[] = {"Ascend", "48.7", "8760", "Hitachi", NULL, "1"};
	struct result *r = asked_result(a, sample_table(price_columns, 3, cells, 2));
	struct value vendors[] = {value_text("Ascend"), value_text("Hitachi"), value_text("ICF")};

	args_set_list(&r->args, a, "vendors", vendors, 3);
	result_add_fact(
		r, a,
		(struct fact){.name = "gap", .label = "gap", .value = "2.664", .unit = "$/MWh"});
	return r;
}

static void placeholders_are_filled_in_the_house_style(void **state)
{
	static const char *const rows[][2] = {
		{"{Vendor}: {AvgPrice} over {DataPoints}", "Ascend: $48.70/MWh over 8,760"},
		{"{arg.vendors} in {year}", "Ascend, Hitachi and ICF in 2025"},
		{"{fact.gap} in {rows} rows", "$2.66/MWh in 2 rows"},
		{"a[[ {Missing} b]][[ {Vendor}]] c", "a Ascend c"},
		{"no [[ end {Vendor}", "no [[ end Ascend"},
		{"{", "{"},
		{"", ""},
	};
	struct arena *a = arena_new(1 << 20);
	struct result *r = sample(a);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf b;

		buf_init(&b, 1000);
		assert_true(view_fill(&b, rows[i][0], r));
		assert_string_equal(buf_text(&b), rows[i][1]);
		buf_deinit(&b);
	}
	arena_free(&a);
}

static void without_a_value_nothing_is_said(void **state)
{
	static const char *const texts[] = {"{Missing}", "x {fact.missing}", "{arg.missing} y",
					    "{Vendor} {Missing}"};
	struct arena *a = arena_new(1 << 20);
	struct result *r = sample(a);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf b;

		buf_init(&b, 1000);
		buf_str(&b, "before");
		assert_false(view_fill(&b, texts[i], r));
		assert_string_equal(buf_text(&b), "before");
		buf_deinit(&b);
	}
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(placeholders_are_filled_in_the_house_style),
		cmocka_unit_test(without_a_value_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
