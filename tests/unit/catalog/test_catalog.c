/* The catalogue: loading, lookup, references, and what a caller may use. */
#include "catalog_test.h"

static const char *const reader[] = {"chat:use", "chat:read"};

static void loads_catalogue_and_finds_entries(void **state)
{
	(void)state;
	load();
	assert_int_equal(catalog->tool_count, 1);
	assert_non_null(catalog_tool(catalog, "get_price"));
	assert_null(catalog_tool(catalog, "get_pric"));
	assert_string_equal(catalog_domain_of_agent(catalog, "price_agent")->intent, "prices");
	assert_null(catalog_domain_of_agent(catalog, "nobody"));
	assert_string_equal(catalog_report(catalog, "other_report")->menu_key, "prices");
	assert_string_equal(catalog_role(catalog, "reader")[1], "chat:read");
	assert_null(catalog_role(catalog, "writer"));
	assert_int_equal(catalog->calendar.peak_last_hour, 22);
}

static void finds_parameters_by_filter(void **state)
{
	(void)state;
	load();
	const struct tool_def *t = catalog_tool(catalog, "get_price");

	assert_string_equal(tool_param_of_filter(t, "hour")->name, "hours");
	assert_string_equal(tool_param_of_filter(t, "hours")->name, "hours");
	assert_string_equal(tool_param_of_filter(t, "year")->name, "year");
	assert_null(tool_param_of_filter(t, "years"));
	assert_null(tool_param(t, "hour"));
}

static void hash_depends_on_content(void **state)
{
	(void)state;
	char before[128];

	load();
	assert_int_equal(strlen(catalog->hash), 64);
	strncpy(before, catalog->hash, sizeof(before) - 1);
	load();
	assert_string_equal(catalog->hash, before);
	temp_root_write(&root, "prompts/synthesizer.md", "Write well.\n{{rules}}\n");
	load();
	assert_string_not_equal(catalog->hash, before);
}

static void catalogue_lives_until_last_reference(void **state)
{
	(void)state;
	load();
	struct catalog *other = catalog_ref(catalog);

	catalog_unref(&catalog);
	assert_null(catalog);
	assert_non_null(catalog_tool(other, "get_price"));
	catalog_unref(&other);
	catalog_unref(&other);
}

static void lists_only_what_the_caller_may_use(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 16);
	struct principal who = {
		.user = "u", .tenant = "t", .permissions = reader, .permission_count = 2};
	struct catalog_view v;
	char *tool = with_change(SMALL_TOOL, "-- column",
				 "-- fact gap unit=$ optional To the next\n-- column"),
	     *text;

	temp_root_write(&root, SMALL_TOOL_PATH, tool);
	mem_free(tool);
	load();
	const struct tool_def *t = catalog_tool(catalog, "get_price");
	catalog_for(catalog, &who, a, &v);
	assert_int_equal(v.tool_count, 1);
	assert_int_equal(v.domain_count, 1);
	assert_true(catalog_allows(&v, t, NULL));
	assert_true(catalog_allows(&v, t, "price_agent"));
	assert_false(catalog_allows(&v, t, "other_agent"));
	json_t *tools = catalog_tools_json(&v);
	assert_int_equal(json_array_size(tools), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(tools, 0), "name")),
			    "get_price");
	text = json_text(json_object_get(json_array_get(tools, 0), "reports"));
	assert_string_equal(text, "[\"price_report\"]");
	mem_free(text);
	text = json_text(json_object_get(json_array_get(tools, 0), "columns"));
	assert_string_equal(text, "[{\"name\":\"Hub\"},{\"name\":\"Price\",\"label\":"
				  "\"Average price\",\"unit\":\"$\",\"type\":\"decimal\"},"
				  "{\"name\":\"Cost\",\"permission\":\"chat:read_budget\"}]");
	mem_free(text);
	text = json_text(json_object_get(json_array_get(tools, 0), "facts"));
	assert_string_equal(text, "[{\"name\":\"gap\",\"unit\":\"$\",\"type\":\"number\","
				  "\"optional\":true,\"about\":\"To the next\"}]");
	mem_free(text);
	json_decref(tools);

	who.permission_count = 1;
	catalog_for(catalog, &who, a, &v);
	assert_int_equal(v.tool_count, 0);
	assert_int_equal(v.domain_count, 0);
	assert_false(catalog_allows(&v, t, NULL));
	arena_free(&a);
}

static void hides_invisible_tools(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 16);
	struct principal who = {
		.user = "u", .tenant = "t", .permissions = reader, .permission_count = 2};
	char *hidden = with_change(SMALL_TOOL, "-- report", "-- visible: no\n-- report");
	struct catalog_view v;

	temp_root_write(&root, SMALL_TOOL_PATH, hidden);
	load();
	catalog_for(catalog, &who, a, &v);
	assert_int_equal(v.tool_count, 0);
	assert_int_equal(v.domain_count, 0);
	mem_free(hidden);
	arena_free(&a);
}

static void hides_domains_without_permission(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 16);
	struct principal who = {
		.user = "u", .tenant = "t", .permissions = reader, .permission_count = 2};
	char *restricted =
		with_change(SMALL_DOMAIN, "order: 2", "order: 2\npermission: chat:read_budget");
	struct catalog_view v;

	temp_root_write(&root, SMALL_DOMAIN_PATH, restricted);
	load();
	catalog_for(catalog, &who, a, &v);
	assert_int_equal(v.domain_count, 0);
	assert_int_equal(v.tool_count, 0);
	who.permissions = (const char *const[]){reader[0], reader[1], "chat:read_budget"};
	who.permission_count = 3;
	catalog_for(catalog, &who, a, &v);
	assert_int_equal(v.domain_count, 1);
	assert_int_equal(v.tool_count, 1);
	mem_free(restricted);
	arena_free(&a);
}

static void rejects_missing_folder(void **state)
{
	(void)state;
	struct catalog *c = NULL;
	struct err e = {0};

	assert_false(catalog_load((const char *const[]){"/nonexistent", NULL}, NULL, &c, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(loads_catalogue_and_finds_entries),
		TEST(finds_parameters_by_filter),
		TEST(hash_depends_on_content),
		TEST(catalogue_lives_until_last_reference),
		TEST(lists_only_what_the_caller_may_use),
		TEST(hides_domains_without_permission),
		TEST(hides_invisible_tools),
		TEST(rejects_missing_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
