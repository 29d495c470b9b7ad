/* Names of the rows and columns of a file in questions, and how numbers are aggregated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "upload_int.h"
#include "vesper/catalog.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

static struct catalog *catalog;
static struct arena *arena;

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	arena = arena_new(1 << 20);
	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	catalog_unref(&catalog);
	arena_free(&arena);
	return 0;
}

static const json_t *make_columns(const char *const (*columns)[2])
{
	json_t *list = json_own(arena, json_array());

	for (; (*columns)[0]; columns++)
		json_push_take(list, json_make({"label", json_str((*columns)[0])},
					       {"role", json_str((*columns)[1])}));
	return list;
}

static void assert_row_names(const char *name, const char *const (*columns)[2],
			     const char *expected)
{
	json_t *found = naming_rows(catalog->language, name, make_columns(columns), arena);
	char *text = json_text(found);

	assert_string_equal(text, expected);
	mem_free(text);
	json_decref(found);
}

static void names_rows_by_id_column_and_file(void **state)
{
	static const char *const orders[][2] = {
		{"Order No", "id"}, {"Order Date", "date"}, {"Net Revenue (EUR)", "measure"}, {0}};
	static const char *const trips[][2] = {
		{"Trip date", "date"}, {"Vehicle", "dimension"}, {0}};
	static const char *const tickets[][2] = {{"ticket_id", "id"}, {"opened", "date"}, {0}};
	static const char *const plain[][2] = {{"n", "measure"}, {"Stock", "measure"}, {0}};

	(void)state;
	assert_row_names("Sales 2024", orders, "[\"Order\",\"sales\"]");
	assert_row_names("hotel bookings", orders, "[\"Order\",\"bookings\"]");
	assert_row_names("fleet", trips, "[\"Trip\",\"fleet\"]");
	assert_row_names("tickets", tickets, "[\"ticket\",\"tickets\"]");
	assert_row_names("warehouse stock", plain, "[]"); /* a column has this name */
	assert_row_names("data export 2", plain, "[]");
}

static void names_columns_by_unique_last_word(void **state)
{
	static const char *const list[][2] = {
		{"Net Revenue", "measure"}, {"Fuel", "measure"},           {"Fuel cost", "measure"},
		{"Unit cost", "measure"},   {"Units per Hour", "measure"}, {0}};
	const json_t *columns = make_columns(list);
	const struct language *l = catalog->language;

	(void)state;
	assert_string_equal(naming_head(l, "Net Revenue", columns, arena), "revenue");
	assert_null(naming_head(l, "Fuel", columns, arena));      /* the word is the label */
	assert_null(naming_head(l, "Fuel cost", columns, arena)); /* ambiguous: two costs */
	assert_null(naming_head(l, "Units per Hour", columns, arena));
}

static void chooses_aggregate_by_label(void **state)
{
	static const struct {
		const char *label;
		enum naming_aggregate aggregate;
	} cases[] = {
		{"Net Revenue", NAMING_SUM},      {"Units", NAMING_SUM},
		{"Unit Price", NAMING_MEAN},      {"Total Price", NAMING_SUM},
		{"Score", NAMING_MEAN},           {"Discount %", NAMING_MEAN},
		{"Patient Age", NAMING_MEAN},     {"Year", NAMING_NONE},
		{"Customer Number", NAMING_NONE}, {"Hours", NAMING_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (naming_choose_aggregate(catalog->language, cases[i].label, arena) !=
		    cases[i].aggregate)
			fail_msg("%s", cases[i].label);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_rows_by_id_column_and_file),
		cmocka_unit_test(names_columns_by_unique_last_word),
		cmocka_unit_test(chooses_aggregate_by_label),
	};

	return cmocka_run_group_tests_name("naming", tests, set_up, tear_down);
}
