/* Templates: columns, arguments, facts, and parts that are omitted. */
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

static struct result *make_result(struct arena *a)
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

static void fills_placeholders_in_house_style(void **state)
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
	struct result *r = make_result(a);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf b;

		buf_init(&b, 1000);
		assert_true(view_fill(&(struct wording){.out = &b}, rows[i][0], r));
		assert_string_equal(buf_text(&b), rows[i][1]);
		buf_deinit(&b);
	}
	arena_free(&a);
}

static void omits_sentence_without_value(void **state)
{
	static const char *const texts[] = {"{Missing}", "x {fact.missing}", "{arg.missing} y",
					    "{Vendor} {Missing}"};
	struct arena *a = arena_new(1 << 20);
	struct result *r = make_result(a);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf b;

		buf_init(&b, 1000);
		buf_str(&b, "before");
		assert_false(view_fill(&(struct wording){.out = &b}, texts[i], r));
		assert_string_equal(buf_text(&b), "before");
		buf_deinit(&b);
	}
	arena_free(&a);
}

static void fills_references_from_plan(void **state)
{
	static const char *const rows[][2] = {
		{"{t1.rows[0].vendor}: {t1.rows[0].AvgPrice}", "Ascend: $48.70/MWh"},
		{"{t1.facts.gap} in {t1.row_count} {t1.outcome}", "$2.66/MWh in 2 rows"},
		{"{filter.zone} and[[ {filter.planet}]] {filter.years}", "NP15 and 2025 and 2026"},
		{"{filter.year}", "2025 and 2026"},
		{"[[{t2.row_count}]][[{t1.rows[1].AvgPrice?}]].", "."},
	};
	struct arena *a = arena_new(1 << 20);
	struct result *r = make_result(a);
	const struct ref_source source = {"t1", &r, 1};
	const struct ref_scope scope = {&source, 1};
	json_t *filters =
		json_own(a, json_pack("{s:s,s:[i,s]}", "zone", "NP15", "years", 2025, "2026"));
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_reset(&b);
		assert_true(view_fill_references(&b, rows[i][0], &scope, filters));
		assert_string_equal(buf_text(&b), rows[i][1]);
	}
	assert_false(view_fill_references(&b, "{t2.row_count}", &scope, filters));
	assert_false(view_fill_references(&b, "{filter.planet}", &scope, NULL));
	buf_deinit(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_placeholders_in_house_style),
		cmocka_unit_test(omits_sentence_without_value),
		cmocka_unit_test(fills_references_from_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
