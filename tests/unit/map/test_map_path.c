/* Paths between entities. */
#include "map_test.h"

#include <stdio.h>

static enum map_found path(const char *from, const char *to, struct map_path out[2])
{
	const struct schema *s = catalog_schema(catalog);

	return map_path(map, schema_entity(s, from), schema_entity(s, to), arena, out);
}

static void finds_shortest_path(void **state)
{
	struct map_path p[2];

	(void)state;
	assert_int_equal(path("sale", "label", p), MAP_FOUND);
	assert_int_equal(p[0].count, 2);
	assert_string_equal(p[0].steps[0].edge->id, "sale_shop");
	assert_true(map_step_is_safe(&p[0].steps[0]));
	assert_false(map_path_is_safe(&p[0]));
	assert_int_equal(path("review", "stock", p), MAP_FOUND);
	assert_true(p[0].steps[1].reversed);
	assert_int_equal(path("sale", "sale", p), MAP_FOUND);
	assert_int_equal(p[0].count, 0);
	/* A join table is not an end of an edge; paths only pass through it. */
	assert_int_equal(path("sale", "shop_label", p), MAP_NONE);
}

/* A chain of entities a0 … a6, two edges between a0 and a1, and a declared chain. */
static void load_line(bool with_chain)
{
	const char *views = "{'name':'dbo.prices','about':'x'}", *entities = "", *edges = "", *text;
	struct err e = {0};

	for (int i = 0; i < 7; i++) {
		const char *comma = i ? "," : "";

		views = arena_printf(arena,
				     "%s,{'name':'a%d','about':'x','columns':['tenant_id','id',"
				     "'up','other']}",
				     views, i);
		entities = arena_printf(arena,
					"%s%s{'name':'a%d','about':'x','view':'a%d','key':['id']}",
					entities, comma, i, i);
		if (i < 6)
			edges = arena_printf(arena,
					     "%s%s{'id':'e%d','from':'a%d','to':'a%d',"
					     "'cardinality':'n:1','on':[['a%d.up','a%d.id']]}",
					     edges, comma, i, i, i + 1, i, i + 1);
	}
	edges = arena_printf(arena,
			     "%s,{'id':'owned','about':'owned by','from':'a0','to':'a1',"
			     "'cardinality':'n:1','on':[['a0.other','a1.id']]}",
			     edges);
	text = arena_printf(arena,
			    "{'views':[%s],'entities':[%s],'edges':[%s],'chains':[%s],"
			    "'dimensions':[{'name':'market','values':['East','West']},"
			    "{'name':'hub','parent':'market','values':{'East':['E1','E2'],"
			    "'West':['W1']}}]}",
			    views, entities, edges,
			    with_chain ? "{'id':'c','about':'x','path':['a0','a1 via owned','a2']}"
				       : "");
	temp_root_write(&root, "config/energy/catalogue.json", quoted(text));
	map_free(&map);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	map = map_new(catalog);
}

static void reports_two_edges_as_ambiguous(void **state)
{
	struct map_path p[2];

	(void)state;
	load_line(false);
	assert_int_equal(path("a0", "a2", p), MAP_AMBIGUOUS);
	assert_string_equal(p[0].steps[0].edge->id, "e0");
	assert_string_equal(p[1].steps[0].edge->id, "owned");
	load_line(true);
	assert_int_equal(path("a0", "a2", p), MAP_FOUND);
	assert_string_equal(p[0].steps[0].edge->id, "owned");
	assert_string_equal(p[0].chain->id, "c");
	assert_int_equal(path("a2", "a0", p), MAP_FOUND);
	assert_true(p[0].steps[1].reversed);
}

static void reports_path_that_is_too_long(void **state)
{
	struct map_path p[2];

	(void)state;
	load_line(true);
	assert_int_equal(path("a1", "a5", p), MAP_FOUND);
	assert_int_equal(p[0].count, MAP_HOPS_MAX);
	assert_int_equal(path("a1", "a6", p), MAP_TOO_LONG);
	assert_int_equal(p[0].count, MAP_HOPS_MAX + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(finds_shortest_path),
		TEST(reports_two_edges_as_ambiguous),
		TEST(reports_path_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
