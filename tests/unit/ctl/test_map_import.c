/*
 * Imports models of other products as packs: a published sample of each format with the exact list
 * of skipped items, small hand-written models, invalid models, and names with SQL injection
 * attempts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "map/import_int.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"

static struct arena *arena;
static struct ctl_pack pack;
static struct err error;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(CATALOG_BYTES_MAX);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static bool can_import(const char *text)
{
	struct import im = {.a = arena, .pack = &pack};
	bool is_imported;

	ctl_pack_init(&pack, "made", arena);
	is_imported = import_model(&im, "/nowhere/model", text, strlen(text), &error);
	if (is_imported)
		im_finish(&im);
	return is_imported;
}

static void read_sample(const char *name)
{
	const char *text;

	assert_true(
		file_read(arena_printf(arena, "%s/tests/data/models/%s", VESPER_SOURCE_DIR, name),
			  IMPORT_BYTES_MAX, arena, &text, &error));
	if (!can_import(text))
		fail_msg("%s: %s", name, error.text);
}

/* The "name" of each item, followed by the member `second` if given. */
static const char *names(const json_t *list, const char *second)
{
	const char *out = "";
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		const char *more = second ? im_text(item, second) : "";

		out = arena_printf(arena, "%s%s%s%s%s", out, i ? ", " : "",
				   *im_text(item, "name") ? im_text(item, "name")
							  : im_text(item, "id"),
				   *more ? " " : "", more);
	}
	return out;
}

static const char *skipped(void)
{
	const char *out = "";
	const json_t *item;
	size_t i;

	json_array_foreach(pack.review, i, item)
		out = arena_printf(arena, "%s%s %s: %s\n", out, im_text(item, "kind"),
				   im_text(item, "name"), im_text(item, "why"));
	return out;
}

static const char *member(const json_t *list, const char *name, const char *key)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
		if (strcmp(im_text(item, "name"), name) == 0 ||
		    strcmp(im_text(item, "id"), name) == 0) {
			struct buf text;
			const char *copy;

			buf_init(&text, 65536);
			if (json_object_get(item, key))
				buf_json(&text, json_object_get(item, key));
			copy = arena_strdup(arena, buf_text(&text));
			buf_deinit(&text);
			return copy;
		}
	fail_msg("missing item %s", name);
	return NULL;
}

/* ---- published samples ---- */

static void reads_ossie(void **state)
{
	(void)state;
	read_sample("ossie_sales.json");
	assert_string_equal(names(pack.entities, "view"), "orders public.orders");
	assert_string_equal(names(pack.dimensions, "type"),
			    "id text, user_id text, status text, created_at datetime");
	assert_string_equal(names(pack.measures, "aggregate"),
			    "orders__count count_distinct, total_amount sum, "
			    "avg_order_value_numerator sum, avg_order_value_denominator "
			    "count_distinct");
	assert_string_equal(names(pack.metrics, "kind"), "avg_order_value ratio");
	assert_string_equal(member(pack.entities, "orders", "key"), "[\"id\"]");
	assert_string_equal(names(pack.edges, NULL), "");
	assert_string_equal(
		skipped(),
		"field is_large: its expression is not one column\n"
		"table users: its source is not a table with plain schema and table names\n"
		"edge orders_to_users: one of its tables was skipped\n"
		"metric completed_amount: its expression is not translated\n"
		"metric users__count: its expression is not translated\n"
		"metric cities: its expression is not translated\n");
}

static void reads_dbt(void **state)
{
	(void)state;
	read_sample("dbt_triathlon.json");
	assert_string_equal(names(pack.entities, "view"),
			    "triathlon_results dbo_semantic.sem_results_obt");
	assert_string_equal(member(pack.entities, "triathlon_results", "key"), "[\"result_id\"]");
	assert_string_equal(names(pack.measures, "aggregate"), "result_rows count");
	assert_string_equal(skipped(),
			    "measure finishers: its aggregation is not translated\n"
			    "measure valid_sbr_finishers: its aggregation is not translated\n"
			    "measure any_review_rows: its aggregation is not translated\n"
			    "metric valid_sbr_finishers: its measure was skipped\n"
			    "metric any_review_rows: its measure was skipped\n"
			    "metric review_flag_rate: it does not combine two imported measures\n");
}

static void reads_power_bi(void **state)
{
	(void)state;
	read_sample("adventure_works.bim");
	assert_string_equal(names(pack.entities, "view"),
			    "currency dbo.DimCurrency, date dbo.DimDate, internet_sales "
			    "dbo.FactInternetSales");
	assert_string_equal(names(pack.dimensions, "column"),
			    "currency_code CurrencyAlternateKey, currencyname CurrencyName, "
			    "date_date FullDateAlternateKey, day_name_of_week "
			    "EnglishDayNameOfWeek, month_name EnglishMonthName, "
			    "sales_order_number SalesOrderNumber, order_date OrderDate");
	assert_string_equal(skipped(),
			    "hierarchy Production Calendar: hierarchies are not translated\n"
			    "column Gross Profit: it is calculated\n"
			    "metric Days In Current Quarter to Date: COUNTROWS of this form is not "
			    "translated\n"
			    "metric Days In Current Quarter: COUNTROWS of this form is not "
			    "translated\n");
}

/* ---- hand-written models ---- */

static void dbt_has_edges_and_derived_metrics(void **state)
{
	(void)state;
	read_sample("made_dbt.json");
	assert_string_equal(names(pack.edges, "from"), "bookings_listing bookings");
	assert_string_equal(member(pack.edges, "bookings_listing", "on"),
			    "[[\"bookings.listing_id\",\"listings.listing_id\"]]");
	assert_string_equal(names(pack.measures, "additivity"),
			    "stock semi, value full, mean none, guests none, inside none");
	assert_string_equal(member(pack.measures, "stock", "take"), "\"last\"");
	assert_string_equal(member(pack.measures, "stock", "over"), "\"day\"");
	assert_string_equal(names(pack.metrics, "kind"),
			    "per_value ratio, rest difference, us_stock measure");
	assert_string_equal(member(pack.metrics, "us_stock", "where"),
			    "[{\"name\":\"country\",\"op\":\"is\",\"values\":[\"US\"]}]");
	assert_string_equal(skipped(), "dimension size: its expression is not one column\n"
				       "measure middle: its aggregation is not translated\n"
				       "metric odd: its expression is not translated\n"
				       "metric recent: its filter is not translated\n"
				       "metric grown: this type is not translated\n");
}

static void power_bi_has_measures_edges_and_words(void **state)
{
	(void)state;
	read_sample("made.bim");
	assert_string_equal(names(pack.entities, "view"),
			    "sales mart.t_sales, shops mart.t_shops, navigated dbo.Prices");
	assert_string_equal(names(pack.edges, "cardinality"), "sales_shops n:1");
	assert_string_equal(names(pack.measures, "aggregate"),
			    "amount sum, total sum, rows count, customers count_distinct");
	assert_string_equal(member(pack.measures, "total", "unit"), "\"$\"");
	assert_string_equal(names(pack.metrics, "kind"), "mean ratio, rest difference");
	assert_string_equal(member(pack.dimensions, "city", "synonyms"), "[\"town\"]");
	assert_string_equal(
		skipped(),
		"column note: its type is not translated\n"
		"table secret: it is hidden\n"
		"table dates: it is calculated\n"
		"table lost: its source is not a table with plain schema and table names\n"
		"edge sales shops: it is not active\n"
		"edge sales shops: it is many to many\n"
		"edge sales shops: its columns have different types\n"
		"metric Last year: CALCULATE of this form is not translated\n"
		"metric Mean of means: it does not combine two imported measures\n"
		"role North only: permissions must be written by hand\n");
}

static void ossie_has_keys_and_words(void **state)
{
	(void)state;
	read_sample("made_ossie.json");
	assert_string_equal(member(pack.entities, "orders", "key"), "[\"id\",\"year\"]");
	assert_string_equal(member(pack.entities, "users", "also"), "[[\"mail\"]]");
	assert_string_equal(member(pack.entities, "users", "synonyms"), "[\"customers\"]");
	assert_string_equal(member(pack.dimensions, "city", "synonyms"), "[\"town\"]");
	assert_string_equal(names(pack.edges, "to"), "to_users users");
	assert_string_equal(names(pack.measures, "aggregate"), "value avg, ratio_numerator sum");
	assert_string_equal(pack.examples.items[0], "How many orders by city?");
	assert_string_equal(skipped(),
			    "field odd: it has no expression in ANSI_SQL\n"
			    "field x\"; DROP TABLE: its expression is not one column\n"
			    "table orders: duplicate table name\n"
			    "table q: its source is not a table with plain schema and table names\n"
			    "edge half: skipped: the referenced columns are not a key\n"
			    "edge gone: one of its tables was skipped\n"
			    "metric window: its expression is not translated\n"
			    "metric ratio denominator: it counts the values of a column\n"
			    "metric ratio: it does not combine two imported measures\n"
			    "metric other: it has no expression in ANSI_SQL\n");
}

/* ---- bad input ---- */

static void assert_rejected(const char *text, const char *why)
{
	assert_false(can_import(text));
	if (!strstr(error.text, why))
		fail_msg("%s, expected %s", error.text, why);
}

static void rejects_unknown_models(void **state)
{
	char *deep = arena_alloc(arena, 4096), *large = arena_alloc(arena, IMPORT_BYTES_MAX + 2);

	(void)state;
	assert_rejected("{\"semantic_model\": [], \"version\": \"9.9\"}",
			"Apache Ossie version \"9.9\" is not supported; use 0.2.0.dev0");
	assert_rejected("{\"semantic_model\": []}", "Ossie version \"\"");
	assert_rejected("{\"semantic_models\": []}", "semantic_models without metrics");
	assert_rejected("{\"models\": []}", "neither Apache Ossie (semantic_model), nor dbt's");
	assert_rejected("[]", "neither");
	assert_rejected("{", "");
	memset(deep, '[', 2000);
	assert_rejected(deep, "");
	memset(large, ' ', IMPORT_BYTES_MAX + 1);
	assert_rejected(large, "");
}

/* A name that is not safe in SQL never reaches it, and a long name is truncated. */
static void unsafe_names_never_reach_sql(void **state)
{
	static const char *const bad[] = {"a\\\"b", "a;b",   "a'b", "a]b", "a?b", "a{b",
					  "a\\\\b", "a\\nb", " a",  "",    NULL};

	(void)state;
	for (const char *const *name = bad; *name; name++) {
		const char *text = arena_printf(
			arena,
			"{\"model\": {\"tables\": [{\"name\": \"t\", \"columns\": [{\"name\": "
			"\"x\", "
			"\"sourceColumn\": \"%s\", \"dataType\": \"string\"}, {\"name\": \"good\", "
			"\"sourceColumn\": \"Full Name\", \"dataType\": \"string\"}], "
			"\"partitions\": [{\"source\": {\"entityName\": \"t\"}}]}]}}",
			*name);

		assert_true(can_import(text));
		assert_string_equal(member(pack.views, "dbo.t", "columns"),
				    "[{\"name\":\"\\\"Full Name\\\"\",\"type\":\"text\"}]");
		assert_true(json_array_size(pack.review) == 1);
	}
	assert_true(can_import(
		"{\"model\": {\"tables\": [{\"name\": \"t\", \"columns\": [], "
		"\"partitions\": [{\"source\": {\"entityName\": \"t; DROP TABLE x\"}}]}]}}"));
	assert_string_equal(skipped(), "table t: its source is not a table with plain schema and "
				       "table names\n");
}

static void writes_a_pack_once(void **state)
{
	char dir[] = "/tmp/vesper-import-XXXXXX";
	struct strlist written = {0};
	const char *text;
	size_t count;

	(void)state;
	assert_non_null(mkdtemp(dir));
	read_sample("made_ossie.json");
	assert_true(ctl_pack_write(&pack, dir, false, arena, &written, &error));
	count = written.count;
	assert_true(count >= 7);
	assert_true(file_read(arena_printf(arena, "%s/config/made/review.json", dir), 65536, arena,
			      &text, &error));
	assert_non_null(strstr(text, "\"from\":\"semantic_model[0].datasets[1].fields[1]\""));
	assert_false(ctl_pack_write(&pack, dir, false, arena, &written, &error));
	assert_int_equal(error.code, ERR_BUSY);
	assert_non_null(strstr(error.text, "catalogue.json already exists; use --replace"));
	assert_true(ctl_pack_write(&pack, dir, true, arena, &written, &error));
	for (size_t i = 0; i < count; i++)
		unlink(written.items[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_ossie, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_dbt, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_power_bi, set_up, tear_down),
		cmocka_unit_test_setup_teardown(dbt_has_edges_and_derived_metrics, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(power_bi_has_measures_edges_and_words, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(ossie_has_keys_and_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_unknown_models, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unsafe_names_never_reach_sql, set_up, tear_down),
		cmocka_unit_test_setup_teardown(writes_a_pack_once, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
