/* Values of the catalogue in tool files and prompts. */
#include "catalog_test.h"

#define GROUPS                                                                                     \
	"\"values\": [\"East\", \"West\", \"O'Hare\"],"                                            \
	" \"groups\": {\"coast\": [\"West\", \"O'Hare\"]}}"
#define VALUES "\"values\": [\"East\", \"West\"]}"

static void write_changed(const char *file, const char *text, const char *from, const char *to)
{
	char *other = with_change(text, from, to);

	temp_root_write(&root, file, other);
	mem_free(other);
}

static void set_up_groups(void)
{
	write_changed("config/energy/catalogue.json", SMALL_CATALOGUE, VALUES, GROUPS);
}

static void prompts_list_values_with_alias(void **state)
{
	(void)state;
	set_up_groups();
	write_changed(
		SMALL_DOMAIN_PATH, SMALL_DOMAIN, "You know prices.",
		"Markets: {values.market}. Coast: {values.market.coast}. Peak {peak_hours}. {x}");
	write_changed(SMALL_TOOL_PATH, SMALL_TOOL, "Price of a hub.", "Price in {values.market}.");
	load();
	assert_string_equal(
		catalog->domains[0].prompt,
		"Markets: East (sunrise), West, O'Hare. Coast: West, O'Hare. Peak 7-22. "
		"{x}");
	assert_string_equal(catalog->tools[0].about, "Price in East (sunrise), West, O'Hare.");
	assert_string_equal(catalog_dimension(catalog, "market")->groups[1], "coast");
}

static void statements_list_quoted_values(void **state)
{
	struct sql_bound sql;
	struct err e = {0};
	struct arena *a = arena_new(1 << 16);
	struct args args = {0};

	(void)state;
	set_up_groups();
	write_changed(SMALL_TOOL_PATH, SMALL_TOOL, "AND p.year = :year\n",
		      "AND p.year = :year AND p.market NOT IN ({values.market.coast})\n");
	load();
	args_set(&args, a, "tenant_id", value_text("t"));
	args_set(&args, a, "hub", value_text("E1"));
	args_set(&args, a, "year", value_int(2025));
	args_set(&args, a, "row_limit", value_int(5));
	if (!sql_render(&catalog->tools[0].files[DIALECT_MSSQL]->queries[0], &args, DIALECT_MSSQL,
			a, &sql, &e))
		fail_msg("%s", e.text);
	assert_non_null(strstr(sql.text, "NOT IN ('West', 'O''Hare')"));
	arena_free(&a);
}

static void rejects_unknown_names(void **state)
{
	(void)state;
	assert_change_rejected(SMALL_TOOL_PATH, SMALL_TOOL, "Price of a hub.",
			       "Price in {values.region}.",
			       "{values.region} refers to no known values");
	assert_change_rejected(SMALL_TOOL_PATH, SMALL_TOOL, "Price of a hub.",
			       "Price in {values.market.coast}.",
			       "{values.market.coast} refers to no known values");
	assert_change_rejected(SMALL_TOOL_PATH, SMALL_TOOL, "Price of a hub.",
			       "Price in {values.file}.",
			       "{values.file} refers to no known values");
	assert_change_rejected(SMALL_DOMAIN_PATH, SMALL_DOMAIN, "You know prices.",
			       "{values.market", "{values. is not closed");
	assert_change_rejected(
		"config/energy/catalogue.json", SMALL_CATALOGUE, VALUES,
		"\"values\": [\"East\", \"West\"], \"groups\": {\"a\": [\"North\"]}}",
		"North is not a known value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(prompts_list_values_with_alias),
		TEST(statements_list_quoted_values),
		TEST(rejects_unknown_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
