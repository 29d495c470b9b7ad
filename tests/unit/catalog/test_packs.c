/* Several packs in one catalogue: shared values, conflicts, and their files. */
#include "catalog_test.h"

#include <unistd.h>

#include "vesper/limits.h"

#define REGISTRY "config/packs.json"
#define TWO_PACKS                                                                                  \
	"{\"packs\": [{\"name\": \"energy\", \"default\": true},\n"                                \
	" {\"name\": \"stall\", \"default\": true, \"needs\": [\"energy\"]},\n"                    \
	" {\"name\": \"other\"}]}\n"
#define STALL_CATALOGUE                                                                            \
	"{\"views\": [{\"name\": \"dbo.stalls\", \"about\": \"stalls\"}],\n"                       \
	" \"dimensions\": [{\"name\": \"market\", \"values\": [\"West\", \"South\"]},\n"           \
	"  {\"name\": \"stall\", \"values\": [\"Fish\"]}]}\n"
#define STALL_TOOL                                                                                 \
	"-- tool: count_stalls\n"                                                                  \
	"-- about: How many stalls.\n"                                                             \
	"-- permission: stall:read\n"                                                              \
	"-- param market text required entity=market Where\n"                                      \
	"-- column \"Stalls\" type=int\n"                                                          \
	"SELECT COUNT(*) AS \"Stalls\" FROM dbo.stalls s\n"                                        \
	"WHERE s.tenant_id = :tenant_id AND s.market = :market\n"
#define STALL_DOMAIN                                                                               \
	"---\nagent: stall_agent\nintent: stalls\nabout: Stalls.\n"                                \
	"tools:\n  - count_stalls\n---\nYou know stalls.\n"
#define STALL_PERMISSIONS                                                                          \
	"{\"permissions\": [\"stall:read\"], \"roles\": {\"reader\": [\"stall:read\"]}}\n"
#define STALL_TOOL_PATH "sql/stall/stalls/count_stalls.sql"

static int set_up_two(void **state)
{
	set_up(state);
	temp_root_write(&root, REGISTRY, TWO_PACKS);
	temp_root_write(&root, "config/stall/catalogue.json", STALL_CATALOGUE);
	temp_root_write(&root, "config/stall/permissions.json", STALL_PERMISSIONS);
	temp_root_write(&root, "config/stall/entities.json",
			"{\"market\": [{\"text\": \"seaside\", \"value\": \"South\"}]}\n");
	temp_root_write(&root, "config/stall/words.json",
			"{\"version\": 1, \"company\": \"a fair\", \"nouns\": [\"stall\"]}\n");
	temp_root_write(&root, STALL_TOOL_PATH, STALL_TOOL);
	temp_root_write(&root, "prompts/stall/stalls.md", STALL_DOMAIN);
	temp_root_write(&root, "config/other/catalogue.json", "{}\n");
	return 0;
}

static void load_list(const char *const *names)
{
	const char *const roots[] = {root.path, NULL};
	struct arena *a = arena_new(1 << 20);
	struct pack_list list;
	struct packs *packs;
	struct err e = {0};

	catalog_unref(&catalog);
	if (!packs_read(roots, a, &packs, &e) || !packs_list(packs, names, a, &list, &e) ||
	    !catalog_load(roots, &list, &catalog, &e))
		fail_msg("%s", e.text);
	arena_free(&a);
}

static void merges_pack_lists(void **state)
{
	(void)state;
	load();
	assert_string_equal(catalog->packs, "energy,stall");
	assert_int_equal(catalog->tool_count, 2);
	for (size_t i = 0; i < catalog->tool_count; i++)
		assert_int_equal(catalog->tools[i].index, i);
	for (size_t i = 0; i < catalog->dimension_count; i++)
		assert_int_equal(catalog->dimensions[i].index, i);
	for (size_t i = 0; i < catalog->domain_count; i++)
		assert_int_equal(catalog->domains[i].index, i);
	assert_string_equal(catalog_tool(catalog, "count_stalls")->pack, "stall");
	const struct dimension_def *market = catalog_dimension(catalog, "market");
	assert_string_equal(market->values[0], "East");
	assert_string_equal(market->values[1], "West");
	assert_string_equal(market->values[2], "South");
	assert_null(market->values[3]);
	assert_string_equal(market->packs[1], "energy");
	assert_string_equal(market->packs[2], "stall");
	assert_int_equal(market->alias_count, 2);
	assert_string_equal(market->aliases[1].pack, "stall");
	assert_string_equal(catalog->words.company, "a fair");
	assert_string_equal(catalog_role(catalog, "reader")[2], "stall:read");
}

static void catalogue_has_only_listed_packs(void **state)
{
	static const char *const energy[] = {"energy", NULL};

	(void)state;
	load_list(energy);
	assert_string_equal(catalog->packs, "energy");
	assert_null(catalog_tool(catalog, "count_stalls"));
	assert_null(catalog_dimension(catalog, "stall"));
	assert_null(catalog_dimension(catalog, "market")->values[2]);
	assert_string_equal(catalog->words.company, "a shop");
	assert_null(catalog_role(catalog, "reader")[2]);
}

static void rejects_invalid_pack_lists(void **state)
{
	static const char *const unknown[] = {"energy", "circus", NULL};
	static const char *const without_dependency[] = {"stall", NULL};
	const char *const roots[] = {root.path, NULL};
	struct arena *a = arena_new(1 << 20);
	struct pack_list list;
	struct packs *packs;
	struct err e = {0};

	(void)state;
	assert_true(packs_read(roots, a, &packs, &e));
	assert_false(packs_list(packs, unknown, a, &list, &e));
	assert_string_equal(e.text, "unknown pack circus");
	assert_false(packs_list(packs, without_dependency, a, &list, &e));
	assert_non_null(strstr(e.text, "pack stall needs pack energy"));
	arena_free(&a);
}

static void rejects_invalid_registries(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} bad[] = {
		{"\"stall\"", "\"../stall\"",
		 "packs.json:2: packs[1]: \"../stall\" is not a pack name"},
		{"\"stall\"", "\"a/b\"", "packs.json:2: packs[1]: \"a/b\" is not a pack name"},
		{"\"stall\"", "\"store\"", "packs.json:2: packs[1]: \"store\" is not a pack name"},
		{"\"stall\"", "\"energy\"", "already declares pack energy"},
		{"[\"energy\"]", "[\"other\"]", "no earlier pack is named other"},
		{"[\"energy\"]", "[\"stall\"]", "no earlier pack is named stall"},
		{"\"needs\"", "\"wants\"", "wants"},
		{"\"packs\"", "\"bags\"", "bags"},
	};
	struct buf many;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_change_rejected(REGISTRY, TWO_PACKS, bad[i].from, bad[i].to, bad[i].why);
	assert_rejected(REGISTRY, "{\"packs\": []}", "expected a list of packs");
	buf_init(&many, 1 << 20);
	buf_str(&many, "{\"packs\": [");
	for (int i = 0; i <= PACKS_MAX; i++)
		buf_printf(&many, "%s{\"name\": \"p%d\"}", i ? "," : "", i);
	buf_str(&many, "]}");
	assert_rejected(REGISTRY, buf_text(&many), "more than 64 packs");
	buf_deinit(&many);
}

static void rejects_conflicting_packs(void **state)
{
	(void)state;
	temp_root_write(
		&root, "prompts/energy/flow/walk.flow",
		"---\nflow: walk\nabout: x\nagent: price_agent\n---\ndo a get_price hub=E1\n");
	assert_rejected("prompts/stall/flow/walk.flow",
			"---\nflow: walk\nabout: y\nagent: stall_agent\n---\ndo a count_stalls "
			"market=West\n",
			"prompts/stall/flow/walk.flow:1: flow walk is already defined in "
			"prompts/energy/flow/walk.flow");
	temp_root_write(&root, "prompts/stall/flow/walk.flow", NULL);
	assert_rejected("sql/stall/stalls/get_price.sql", SMALL_TOOL,
			"sql/stall/stalls/get_price.sql:1: sql/energy/prices/get_price.sql already "
			"declares this tool");
	temp_root_write(&root, "sql/stall/stalls/get_price.sql", NULL);
	assert_change_rejected(
		"config/stall/catalogue.json", STALL_CATALOGUE, "\"market\", \"values\"",
		"\"market\", \"permission\": \"stall:read\", \"values\"",
		"config/stall/catalogue.json:2: dimensions: config/energy/catalogue.json already "
		"declares market with another view");
	assert_change_rejected(
		"config/stall/catalogue.json", STALL_CATALOGUE, "dbo.stalls", "dbo.prices",
		"config/stall/catalogue.json:1: views: dbo.prices is already declared in "
		"config/energy/catalogue.json");
}

static void packs_can_only_add_permissions(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"{\"permissions\": [\"chat:use\"]}",
		 ":1: permissions: chat:use is already declared"},
		{"{\"permissions\": [\"stall\"]}", "stall is not AREA:RIGHT"},
		{"{\"permissions\": [\"a:b\"], \"roles\": {\"king\": [\"a:b\"]}}",
		 "king is not a role of config/permissions.json"},
		{"{\"permissions\": [\"a:b\"], \"roles\": {\"reader\": [\"chat:read_budget\"]}}",
		 "chat:read_budget is not a permission of this pack"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_rejected("config/stall/permissions.json", bad[i].text, bad[i].why);
	assert_rejected("config/stall/permissions.json", NULL, STALL_TOOL_PATH);
}

static void rejects_links_out_of_the_root(void **state)
{
	char path[512], outside[] = "/tmp/vesper-outside-XXXXXX";
	int fd = mkstemp(outside);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, STALL_TOOL, strlen(STALL_TOOL)), (ssize_t)strlen(STALL_TOOL));
	close(fd);
	temp_root_write(&root, STALL_TOOL_PATH, NULL);
	snprintf(path, sizeof(path), "%s/" STALL_TOOL_PATH, root.path);
	assert_int_equal(symlink(outside, path), 0);
	assert_rejected("config/other/catalogue.json", "{}",
			STALL_TOOL_PATH ":1: the symbolic link points outside");
	unlink(path);
	unlink(outside);
}

static void pack_can_be_in_another_root(void **state)
{
	struct temp_root second = temp_root_new();
	const char *const roots[] = {root.path, second.path, NULL};
	struct err e = {0};

	(void)state;
	temp_root_write(&second, REGISTRY,
			"{\"packs\": [{\"name\": \"far\", \"default\": true}]}\n");
	temp_root_write(&second, "config/far/catalogue.json",
			"{\"dimensions\": [{\"name\": \"place\", \"values\": [\"Moon\"]}]}\n");
	catalog_unref(&catalog);
	if (!catalog_load(roots, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	assert_int_equal(e.code, ERR_NONE); /* a missing optional file is not an error */
	assert_string_equal(catalog->packs, "energy,stall,far");
	assert_string_equal(catalog_dimension(catalog, "place")->pack, "far");
	temp_root_free(&second);
}

int main(void)
{
#define WITH_TWO_PACKS(t) cmocka_unit_test_setup_teardown(t, set_up_two, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_TWO_PACKS(merges_pack_lists),
		WITH_TWO_PACKS(catalogue_has_only_listed_packs),
		WITH_TWO_PACKS(rejects_invalid_pack_lists),
		WITH_TWO_PACKS(rejects_invalid_registries),
		WITH_TWO_PACKS(rejects_conflicting_packs),
		WITH_TWO_PACKS(packs_can_only_add_permissions),
		WITH_TWO_PACKS(rejects_links_out_of_the_root),
		WITH_TWO_PACKS(pack_can_be_in_another_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
