/* The policy for ad hoc SQL with the map of a shipped pack: which joins it allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/catalog.h"
#include "vesper/schema.h"

static struct catalog *catalog;
static struct arena *arena;

static int set_up(void **state)
{
	const char *const roots[] = {VESPER_SOURCE_DIR, NULL};
	struct err e = {0};

	(void)state;
	arena = arena_new(16 << 20);
	if (!catalog_load(roots, NULL, &catalog, &e))
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

static const char *refusal(const struct gate_policy *policy, const char *sql)
{
	static struct err e;
	struct gate_result out;

	e = (struct err){0};
	return gate_check(policy, DIALECT_SQLITE, str_of(sql), arena, &out, &e) ? "" : e.text;
}

static void allows_joins_only_along_edges(void **state)
{
	struct gate_policy policy = catalog_gate_policy(catalog, NULL, "vesper", arena);

	(void)state;
	assert_true(policy.edge_count == catalog_schema(catalog)->edge_count);
	assert_true(policy.edge_count > 0);
	for (size_t i = 0; i < policy.view_count; i++)
		assert_false(policy.views[i].is_unmapped);
	assert_string_equal(refusal(&policy,
				    "SELECT p.name FROM per_project p JOIN per_projecthealth h "
				    "ON h.project_gid = p.gid"),
			    "");
	assert_string_equal(
		refusal(&policy,
			"SELECT COUNT(*) AS n FROM mc_dayahead d JOIN mc_vendor_files f ON "
			"f.file_info_key = d.FILE_INFO_KEY"),
		"column 67: the edge between Stage.mc_dayahead and Stage.mc_vendor_files also "
		"needs "
		"mc_dayahead.HUBZONE_KEY = mc_vendor_files.hubzone_key");
	assert_non_null(
		strstr(refusal(&policy, "SELECT p.name FROM per_project p WHERE p.sponsor IN "
					"(SELECT f.vendor FROM mc_vendor_files f)"),
		       "the map has no edge between them"));
}

/* A refusal does not mention views that the caller may not see. Without their edges, no other joins
 * are allowed. */
static void omits_edges_to_denied_views(void **state)
{
	const char *permissions[] = {"chat:read_market_data"};
	const struct principal who = {
		.user = "u", .tenant = "vesper", .permissions = permissions, .permission_count = 1};
	struct gate_policy policy = catalog_gate_policy(catalog, &who, "vesper", arena);

	(void)state;
	assert_int_equal(policy.edge_count, 1);
	assert_null(strstr(refusal(&policy, "SELECT a.hubzone FROM mc_vendor_files a JOIN "
					    "mc_vendor_files b ON a.market = b.market"),
			   "per_project"));
	assert_non_null(strstr(refusal(&policy, "SELECT a.hubzone FROM mc_vendor_files a JOIN "
						"mc_vendor_files b ON a.market = b.market"),
			       "to itself"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allows_joins_only_along_edges),
		cmocka_unit_test(omits_edges_to_denied_views),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
