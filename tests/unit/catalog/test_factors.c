/* A pack's constants, config/<pack>/<pack>.json: reading, and errors with their line. */
#include "catalog_test.h"

#include "vesper/result.h"

#define FACTORS "config/energy/energy.json"

static void reads_numbers_and_published_factors(void **state)
{
	const struct pack_factors *f;
	struct derive_context c = {0};

	(void)state;
	temp_root_write(&root, FACTORS,
			"{\"minutes\": 60, \"co2\": {\"value\": 0.352, \"source\": \"EPA\"}}");
	load();
	f = catalog_factors(catalog, "energy");
	assert_non_null(f);
	assert_string_equal(f->file, FACTORS);
	c.factors = f->items;
	assert_string_equal(derive_factor(&c, "minutes")->text, "60");
	assert_null(derive_factor(&c, "minutes")->source);
	assert_string_equal(derive_factor(&c, "co2")->text, "0.352");
	assert_string_equal(derive_factor(&c, "co2")->source, "EPA");
	assert_null(derive_factor(&c, "tree"));
	assert_null(derive_factor(NULL, "co2"));
	assert_null(catalog_factors(catalog, "solar"));
}

static void rejects_factor_without_source(void **state)
{
	(void)state;
	assert_rejected(FACTORS, "{\"minutes\": 60,\n\"co2\": {\"value\": 0.352}}",
			FACTORS ":2: co2: source is missing");
	assert_rejected(FACTORS, "{\"co2\": {\"value\": 0.352, \"source\": \"  \"}}",
			FACTORS ":1: co2: source is missing");
	assert_rejected(FACTORS, "{\"co2\": \"0.352\"}", FACTORS ":1: co2: not a number");
	assert_rejected(FACTORS, "{\"co2\": {\"source\": \"EPA\"}}",
			FACTORS ":1: co2: not a number");
	assert_rejected(FACTORS, "{\"co2\": {\"value\": 1, \"source\": \"EPA\", \"year\": 1}}",
			FACTORS ":1: co2:");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_numbers_and_published_factors, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(rejects_factor_without_source, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
