/* Statements that contradict their header are rejected. */
#include "catalog_test.h"

static void assert_edit_rejected(const char *from, const char *to, const char *why)
{
	assert_change_rejected(SMALL_TOOL_PATH, SMALL_TOOL, from, to, why);
}

static void markers_must_match_params(void **state)
{
	(void)state;
	assert_edit_rejected("p.hub = :hub", "p.hub = :hubb",
			     "query main: no param for marker hubb");
	assert_edit_rejected("AND p.hub = :hub ", "", "param hub is never used");
	assert_edit_rejected("--? market: AND", "AND",
			     "only a separate --? line may use optional market");
	assert_edit_rejected("--? market: AND", "--? year: AND",
			     "only a separate --? line may use optional market");
	assert_edit_rejected("--? market:", "--? markt:", "only a separate --? line");
	assert_edit_rejected("--? since: AND p.day >= :since", "--? snce: AND 1 = 1",
			     "no param for line --? snce");
	assert_edit_rejected("IN (:hours...)", "IN (:hours)", "a list is bound as :name");
	assert_edit_rejected("p.year = :year", "p.year IN (:year...)",
			     "a list marker for a param of one value");
	assert_edit_rejected(":row_limit ROWS", ":row_limit... ROWS",
			     "one value, not a list: row_limit");
}

static void requires_tenant_marker(void **state)
{
	(void)state;
	assert_edit_rejected("p.tenant_id = :tenant_id AND ", "", "no :tenant_id for dbo.prices");
	assert_edit_rejected("WHERE p.tenant_id = :tenant_id AND",
			     "\n--? tenant_id: WHERE x = :tenant_id AND\n",
			     "no param for line --? tenant_id");
	assert_edit_rejected("FROM dbo.prices p", "FROM dbo.other p",
			     "names no approved view; approved views: dbo.prices");
}

static void rejects_other_statements_than_select(void **state)
{
	(void)state;
	assert_edit_rejected("SELECT p.hub", "DELETE FROM dbo.prices; SELECT p.hub",
			     "must be one SELECT");
	assert_edit_rejected("ORDER BY p.hub", "; SELECT 1 ORDER BY p.hub", "must be one SELECT");
}

static void columns_must_be_selected(void **state)
{
	(void)state;
	assert_edit_rejected("-- column \"Hub\" priority",
			     "-- column \"Hob\" derived\n-- column \"Hup\" priority",
			     "{Hub} is not a param");
	assert_edit_rejected("AS \"Price\"", "AS \"Prize\"", "no query returns column \"Price\"");
	assert_edit_rejected("--? may_read_budget: , p.cost AS \"Cost\"", ", p.cost AS \"Cost\"",
			     "column without its permission: Cost");
	assert_edit_rejected(
		"--? may_read_budget:", "--? may_read:", "no param for line --? may_read");
	assert_edit_rejected(
		"--? may_read_budget:", "--? market:", "column without its permission: Cost");
}

/* A statement with columns of two permissions, each on a separate line. */
#define TWO_PERMISSIONS                                                                            \
	"{\"permissions\": [\"chat:use\", \"chat:read\", \"chat:read_budget\", \"a:read\","        \
	" \"b:read\", \"a_b:read\", \"a:b_read\"], \"roles\": {}}"

static char *two_columns(const char *one, const char *other)
{
	char *header = mem_printf("-- column \"Cost\" permission=%s\n"
				  "-- column \"Paid\" permission=%s\n",
				  one, other);
	char *tool =
		with_change(SMALL_TOOL, "-- column \"Cost\" permission=chat:read_budget\n", header);
	char *both = with_change(tool, "--? may_read_budget: , p.cost AS \"Cost\"\n",
				 "--? may_a_read: , p.cost AS \"Cost\"\n"
				 "--? may_b_read: , p.paid AS \"Paid\"\n");

	mem_free(header);
	mem_free(tool);
	return both;
}

static void permissions_have_separate_conditions(void **state)
{
	char *tool = two_columns("a:read", "b:read");
	char *swapped = two_columns("b:read", "a:read");
	char *colliding = two_columns("a_b:read", "a:b_read");

	(void)state;
	temp_root_write(&root, "config/permissions.json", TWO_PERMISSIONS);
	temp_root_write(&root, SMALL_TOOL_PATH, tool);
	load();
	assert_rejected(SMALL_TOOL_PATH, swapped, "column without its permission: Cost");
	assert_rejected(SMALL_TOOL_PATH, colliding,
			"both may_a_b_read and a_b:read have the condition a:b_read");
	mem_free(tool);
	mem_free(swapped);
	mem_free(colliding);
}

static void totals_need_all_rows_and_columns(void **state)
{
	char *tool =
		with_change(SMALL_TOOL, "-- report", "-- totals: count, sum(Price)\n-- report");

	(void)state;
	temp_root_write(&root, SMALL_TOOL_PATH, tool);
	load();
	assert_true(catalog->tools[0].totals.is_queryable);
	assert_int_equal(catalog->tools[0].totals.sum_count, 1);
	assert_string_equal(catalog->tools[0].totals.sums[0].name, "Price");
	assert_change_rejected(SMALL_TOOL_PATH, tool, ":row_limit ROWS ONLY", "10 ROWS ONLY",
			       "main returns only some of its rows");
	assert_change_rejected(SMALL_TOOL_PATH, tool, "AS \"Price\"", "AS \"Prize\"",
			       "main returns no \"Price\"");
	mem_free(tool);
}

#define EXTRA_QUERY(name) "\n--# query " name "\nSELECT 1 FROM dbo.prices WHERE t = :tenant_id\n"

static void rejects_invalid_query_lists(void **state)
{
	(void)state;
	assert_edit_rejected("SELECT p.hub", "--# query other\nSELECT p.hub",
			     "the first query must be main");
	assert_edit_rejected("ORDER BY p.hub",
			     EXTRA_QUERY("b") EXTRA_QUERY("c") EXTRA_QUERY("d") EXTRA_QUERY("e")
				     EXTRA_QUERY("f") EXTRA_QUERY("g") "ORDER BY p.hub",
			     "more than 6 queries");
	assert_edit_rejected("ORDER BY p.hub", "AND p.d >= :first_day ORDER BY p.hub",
			     "no param has slot=days for first_day");
	assert_edit_rejected(
		"ORDER BY p.hub",
		"\n--# query window\nSELECT 1 FROM dbo.prices WHERE t = :tenant_id\nORDER BY p.hub",
		"a query named window must be given together");
	assert_edit_rejected("ORDER BY p.hub", EXTRA_QUERY("others") "ORDER BY p.hub",
			     "needs a window");
	assert_edit_rejected("-- report", "-- frame: others 10\n-- report",
			     "must name a query of the file other than main");
}

static void recognizes_reserved_markers(void **state)
{
	(void)state;
	struct arena *a = arena_new(1024);

	assert_true(catalog_marker_reserved("tenant_id"));
	assert_true(catalog_marker_reserved("row_limit"));
	assert_true(catalog_marker_reserved("first_day"));
	assert_false(catalog_marker_reserved("tenant"));
	assert_string_equal(catalog_condition_of("chat:read_budget", a), "may_read_budget");
	assert_string_equal(catalog_condition_of("clinic:read", a), "may_clinic_read");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(markers_must_match_params),
		TEST(requires_tenant_marker),
		TEST(rejects_other_statements_than_select),
		TEST(columns_must_be_selected),
		TEST(permissions_have_separate_conditions),
		TEST(totals_need_all_rows_and_columns),
		TEST(rejects_invalid_query_lists),
		TEST(recognizes_reserved_markers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
