/* Sources of packs, views, tools and dimensions. */
#include "catalog_test.h"

#define TWO_PACKS                                                                                  \
	"{\"packs\": [{\"name\": \"energy\", \"default\": true},\n"                                \
	" {\"name\": \"stall\", \"default\": true, \"source\": \"fair\"}]}\n"
#define STALL_CATALOGUE                                                                            \
	"{\"views\": [{\"name\": \"fair.stalls\", \"about\": \"stalls\","                          \
	" \"columns\": [\"place\", \"tenant_id\"]},\n"                                             \
	" {\"name\": \"old.stalls\", \"about\": \"older stalls\"},\n"                              \
	" {\"name\": \"FAIR.rows\", \"about\": \"rows\"}],\n"                                      \
	" \"dimensions\": [{\"name\": \"place\", \"view\": \"fair.stalls\","                       \
	" \"column\": \"place\"}]}\n"
#define STALL_TOOL                                                                                 \
	"-- tool: count_stalls\n"                                                                  \
	"-- about: How many stalls.\n"                                                             \
	"-- permission: chat:read\n"                                                               \
	"-- param place text required entity=place Where\n"                                        \
	"-- column \"Stalls\" type=int\n"                                                          \
	"SELECT COUNT(*) AS \"Stalls\" FROM fair.stalls s\n"                                       \
	"WHERE s.tenant_id = :tenant_id AND s.place = :place\n"
#define STALL_DOMAIN                                                                               \
	"---\nagent: stall_agent\nintent: stalls\nabout: Stalls.\n"                                \
	"tools:\n  - count_stalls\n---\nYou know stalls.\n"
#define STALL_TOOL_PATH "sql/stall/stalls/count_stalls.sql"

static int set_up_two(void **state)
{
	set_up(state);
	temp_root_write(&root, "config/packs.json", TWO_PACKS);
	temp_root_write(&root, "config/stall/catalogue.json", STALL_CATALOGUE);
	temp_root_write(&root, STALL_TOOL_PATH, STALL_TOOL);
	temp_root_write(&root, "prompts/stall/stalls.md", STALL_DOMAIN);
	return 0;
}

static void pack_views_and_tools_have_its_source(void **state)
{
	struct arena *a = arena_new(1 << 16);
	const char *const *schemas;

	(void)state;
	load();
	assert_string_equal(catalog_tool(catalog, "get_price")->source, "warehouse");
	assert_string_equal(catalog_tool(catalog, "count_stalls")->source, "fair");
	assert_string_equal(catalog_dimension(catalog, "place")->source, "fair");
	assert_false(catalog_dimension(catalog, "place")->one_tenant);
	assert_null(catalog_dimension(catalog, "market")->source);
	assert_string_equal(catalog_view_source(catalog, "fair.stalls"), "fair");
	assert_null(catalog_view_source(catalog, "fair.stall"));
	assert_true(catalog_reads_source(catalog, "fair"));
	assert_false(catalog_reads_source(catalog, "fai"));
	schemas = catalog_schemas(catalog, "fair", a);
	assert_string_equal(schemas[0], "fair");
	assert_string_equal(schemas[1], "old");
	assert_null(schemas[2]);
	assert_null(catalog_schemas(catalog, "other", a)[0]);
	arena_free(&a);
}

static void tool_reads_only_views_of_its_source(void **state)
{
	(void)state;
	assert_change_rejected(
		STALL_TOOL_PATH, STALL_TOOL, "-- about", "-- source: warehouse\n-- about",
		STALL_TOOL_PATH ":7: query main: fair.stalls is a view of source fair, but the "
				"tool reads source warehouse");
	assert_change_rejected(STALL_TOOL_PATH, STALL_TOOL, "-- about",
			       "-- source: The Fair\n-- about",
			       STALL_TOOL_PATH ":2: \"The Fair\" is not a source name");
	assert_change_rejected(
		STALL_TOOL_PATH, STALL_TOOL, "FROM fair.stalls s",
		"FROM dbo.prices p, fair.stalls s",
		"dbo.prices is a view of source warehouse, but the tool reads source fair");
	assert_change_rejected(
		"config/stall/catalogue.json", STALL_CATALOGUE, "old.stalls", "dbo.prices",
		"config/stall/catalogue.json:1: views: dbo.prices is already declared in "
		"config/energy/catalogue.json, as a view of source warehouse");
	assert_change_rejected("config/packs.json", TWO_PACKS, "\"fair\"", "\"../fair\"",
			       "packs.json:2: packs[1]: \"../fair\" is not a source name");
}

static void single_tenant_source_needs_no_tenant_marker(void **state)
{
	static const char *const single_tenant[] = {"fair", "acme", NULL};
	static const char *const names[] = {"energy", "stall", NULL};
	const struct pack_list list = {.names = names, .one_tenant = single_tenant};
	const char *const roots[] = {root.path, NULL};
	struct err e = {0};

	(void)state;
	assert_change_rejected(STALL_TOOL_PATH, STALL_TOOL, "s.tenant_id = :tenant_id AND ", "",
			       "no :tenant_id for fair.stalls");
	char *unmarked = with_change(STALL_TOOL, "s.tenant_id = :tenant_id AND ", "");
	temp_root_write(&root, STALL_TOOL_PATH, unmarked);
	mem_free(unmarked);
	if (!catalog_load(roots, &list, &catalog, &e))
		fail_msg("%s", e.text);
	assert_true(catalog_dimension(catalog, "place")->one_tenant);
}

/* fair.stalls has a column tenant_id, which has no special meaning in a single-tenant source. The
 * other views list no columns, so ad hoc SQL cannot use them. */
static void ad_hoc_sql_reads_single_tenant_source_only_for_its_tenant(void **state)
{
	static const char *const single_tenant[] = {"fair", "acme", NULL};
	static const char *const names[] = {"energy", "stall", NULL};
	const struct pack_list list = {.names = names, .one_tenant = single_tenant};
	const char *const roots[] = {root.path, NULL};
	struct arena *a = arena_new(1 << 20);
	struct gate_policy policy;
	struct err e = {0};

	(void)state;
	load();
	policy = catalog_gate_policy(catalog, NULL, "acme", a);
	assert_int_equal(policy.view_count, 1);
	assert_string_equal(policy.views[0].tenant_column, "tenant_id");
	catalog_unref(&catalog);
	if (!catalog_load(roots, &list, &catalog, &e))
		fail_msg("%s", e.text);
	policy = catalog_gate_policy(catalog, NULL, "acme", a);
	assert_int_equal(policy.view_count, 1);
	assert_string_equal(policy.views[0].name, "fair.stalls");
	assert_null(policy.views[0].tenant_column);
	assert_int_equal(catalog_gate_policy(catalog, NULL, "globex", a).view_count, 0);
	arena_free(&a);
}

int main(void)
{
#define WITH_TWO_PACKS(t) cmocka_unit_test_setup_teardown(t, set_up_two, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_TWO_PACKS(pack_views_and_tools_have_its_source),
		WITH_TWO_PACKS(tool_reads_only_views_of_its_source),
		WITH_TWO_PACKS(single_tenant_source_needs_no_tenant_marker),
		WITH_TWO_PACKS(ad_hoc_sql_reads_single_tenant_source_only_for_its_tenant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
