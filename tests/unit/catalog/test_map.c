/* The map of a pack: reading entities, edges, chains, measures and metrics, and errors with file,
 * line and member. */
#include "catalog_test.h"

#define FILE_NAME "config/energy/catalogue.json"

#define MAP                                                                                        \
	"{\"views\": [\n"                                                                          \
	" {\"name\": \"dbo.prices\", \"about\": \"prices\", \"columns\": [\"tenant_id\", "         \
	"\"file\", "                                                                               \
	"{\"name\": \"day\", \"type\": \"date\"}, {\"name\": \"price\", \"type\": \"decimal\"}, "  \
	"{\"name\": \"shop\", \"type\": \"int\"}, {\"name\": \"year\", \"type\": \"int\"}]},\n"    \
	" {\"name\": \"dbo.shops\", \"about\": \"shops\", \"columns\": [\"tenant_id\", "           \
	"{\"name\": \"id\", "                                                                      \
	"\"type\": \"int\"}, {\"name\": \"year\", \"type\": \"int\"}, {\"name\": \"code\", "       \
	"\"type\": \"text\"}, \"\\\"Shop Name\\\"\", \"level\", \"parent\"], \"columns_with\": "   \
	"{\"chat:read_budget\": [{\"name\": \"cost\", \"type\": \"decimal\"}]}},\n"                \
	" {\"name\": \"dbo.shop_tags\", \"about\": \"x\", \"columns\": [\"tenant_id\", "           \
	"{\"name\": \"shop\", "                                                                    \
	"\"type\": \"int\"}, {\"name\": \"year\", \"type\": \"int\"}, \"tag\"]},\n"                \
	" {\"name\": \"dbo.tags\", \"about\": \"tags\", \"columns\": [\"tenant_id\", \"tag\", "    \
	"\"about\"]}],\n"                                                                          \
	"\"entities\": [\n"                                                                        \
	" {\"name\": \"price\", \"about\": \"prices\", \"view\": \"dbo.prices\", \"key\": [],"     \
	" \"kind\": \"fact\", \"plural\": \"price rows\", \"time\": \"price_day\"},\n"             \
	" {\"name\": \"shop\", \"about\": \"shops\", \"view\": \"dbo.shops\", \"key\": "           \
	"[\"id\", \"year\"], \"also\": [[\"code\"]], \"title\": \"Shop Name\", \"show\": "         \
	"[\"shop_name\", \"cost\"], \"facets\": [\"shop_name\"], \"synonyms\": [\"store\"],\n"     \
	"  \"levels\": {\"column\": \"level\", \"parent\": \"parent\", \"values\": [{\"value\": "  \
	"\"L1\", \"label\": \"Regions\"}, {\"value\": \"L2\", \"label\": \"Shops\"}]}},\n"         \
	" {\"name\": \"shop_tag\", \"about\": \"x\", \"view\": \"dbo.shop_tags\", \"key\": "       \
	"[\"shop\", \"year\", \"tag\"], \"kind\": \"link\"},\n"                                    \
	" {\"name\": \"tag\", \"about\": \"tags\", \"view\": \"dbo.tags\", \"key\": [\"tag\"]}"    \
	"],\n"                                                                                     \
	"\"edges\": [\n"                                                                           \
	" {\"id\": \"price_of_shop\", \"from\": \"price\", \"to\": \"shop\", \"cardinality\": "    \
	"\"n:1\", \"on\": [[\"price.shop\", \"shop.id\"], [\"shop.year\", \"price.year\"]]},\n"    \
	" {\"id\": \"tags_of_shop\", \"from\": \"shop\", \"to\": \"tag\", \"via\": \"shop_tag\", " \
	"\"cardinality\": \"n:m\", \"on\": [[\"shop.id\", \"shop_tag.shop\"], [\"shop_tag.year\"," \
	" \"shop.year\"], [\"tag.tag\", \"shop_tag.tag\"]]}],\n"                                   \
	"\"chains\": [{\"id\": \"tagging\", \"about\": \"x\", \"path\": [\"price\", \"shop\", "    \
	"\"tag\"]}],\n"                                                                            \
	"\"measures\": [\n"                                                                        \
	" {\"name\": \"cost\", \"entity\": \"shop\", \"column\": \"cost\", \"aggregate\": "        \
	"\"sum\", \"unit\": \"$\", \"additivity\": \"full\", \"permission\": "                     \
	"\"chat:read_budget\"},\n"                                                                 \
	" {\"name\": \"average\", \"entity\": \"price\", \"column\": \"price\", \"aggregate\": "   \
	"\"avg\", \"unit\": \"$\", \"additivity\": \"none\", \"defaults\": {\"file\": \"a\"}},\n"  \
	" {\"name\": \"stock\", \"entity\": \"price\", \"aggregate\": \"count\", \"unit\": "       \
	"\"count\", \"additivity\": \"semi\", \"over\": \"price_day\", \"take\": \"last\"}],\n"    \
	"\"metrics\": [\n"                                                                         \
	" {\"name\": \"cost_each\", \"kind\": \"ratio\", \"numerator\": \"cost\", "                \
	"\"denominator\": \"stock\", \"unit\": \"$\"}],\n"                                         \
	"\"conditions\": [\n"                                                                      \
	" {\"name\": \"stale\", \"entity\": \"price\", \"synonyms\": [\"old\"], \"where\": ["      \
	"{\"name\": \"price_day\", \"op\": \"under\", \"values\": [\"today-30d\"]}, "              \
	"{\"name\": \"size\", \"op\": \"over\", \"values\": [\"10\"]}]}],\n"                       \
	"\"dimensions\": [\n"                                                                      \
	"  {\"name\": \"market\", \"values\": [\"East\", \"West\"]},\n"                            \
	"  {\"name\": \"hub\", \"parent\": \"market\", \"values\": {\"East\": [\"E1\", \"E2\"], "  \
	"\"West\": [\"W1\"]}},\n"                                                                  \
	"  {\"name\": \"file\", \"entity\": \"price\", \"column\": \"file\"},\n"                   \
	"  {\"name\": \"price_day\", \"entity\": \"price\", \"column\": \"day\", \"type\": "       \
	"\"date\", \"grains\": [\"month\"]},\n"                                                    \
	"  {\"name\": \"size\", \"entity\": \"price\", \"column\": \"price\", \"type\": "          \
	"\"decimal\", \"bins\": [0, 10, 20]},\n"                                                   \
	"  {\"name\": \"shop_name\", \"entity\": \"shop\", \"column\": \"Shop Name\", \"load\": "  \
	"false}]}\n"

static void load_map(void)
{
	temp_root_write(&root, FILE_NAME, MAP);
	load();
}

static void reads_entities_and_dimensions(void **state)
{
	const struct schema *s;
	const struct entity_def *shop;

	(void)state;
	load_map();
	s = catalog_schema(catalog);
	shop = schema_entity(s, "shop");
	assert_string_equal(shop->plural, "shops");
	assert_string_equal(shop->title->name, "\"Shop Name\"");
	assert_string_equal(shop->key[1]->plain, "year");
	assert_null(shop->key[2]);
	assert_string_equal(shop->also[0][0]->plain, "code");
	assert_int_equal(shop->levels.count, 2);
	assert_string_equal(shop->levels.values[1].label, "Shops");
	assert_int_equal(shop->show_count, 2);
	assert_non_null(shop->show[0].dimension);
	assert_string_equal(shop->show[1].measure->column->permission, "chat:read_budget");
	assert_string_equal(schema_entity(s, "price")->time->name, "price_day");
	assert_int_equal(schema_entity(s, "shop_tag")->kind, ENTITY_LINK);
}

/* Dimensions of numbers and days, and those with "load": false, are not loaded as names. */
static void loads_only_text_dimensions_as_names(void **state)
{
	(void)state;
	load_map();
	assert_non_null(catalog_dimension(catalog, "file"));
	assert_null(catalog_dimension(catalog, "price_day"));
	assert_null(catalog_dimension(catalog, "shop_name"));
	assert_int_equal(schema_dimension(catalog, "price_day")->map.grains, 1 << GRAIN_MONTH);
	assert_string_equal(schema_dimension(catalog, "size")->map.bins[2], "20");
	assert_string_equal(catalog_dimension(catalog, "file")->view, "dbo.prices");
	assert_null(schema_dimension(catalog, "market")->map.entity);
}

/* Pairs are ordered by the edge's ends, regardless of the order in the file. */
static void reads_edges_and_chains(void **state)
{
	const struct schema *s;
	const struct edge_def *g;

	(void)state;
	load_map();
	s = catalog_schema(catalog);
	g = schema_edge(s, "price_of_shop");
	assert_int_equal(g->on_count, 2);
	assert_ptr_equal(g->on[1].left, view_column_find(g->from->view, "year"));
	assert_ptr_equal(g->on[1].right, view_column_find(g->to->view, "year"));
	g = schema_edge(s, "tags_of_shop");
	assert_int_equal(g->on_count, 2);
	assert_int_equal(g->on_to_count, 1);
	assert_ptr_equal(g->on_to[0].left, view_column_find(g->via->view, "tag"));
	assert_int_equal(s->chain_count, 1);
	assert_ptr_equal(s->chains[0]->edges[1], g);
}

static void adds_implied_metrics(void **state)
{
	const struct schema *s;

	(void)state;
	load_map();
	s = catalog_schema(catalog);
	assert_string_equal(schema_metric(s, "cost_each")->left->measure->name, "cost");
	assert_string_equal(schema_metric(s, "average")->measure->defaults[0].values[0], "a");
	assert_ptr_equal(schema_metric(s, "shops")->measure->entity, schema_entity(s, "shop"));
	assert_true(schema_metric(s, "shops")->is_implied);
	assert_non_null(schema_metric(s, "price_rows"));
	assert_null(schema_metric(s, "shop_tags"));
}

static void rejects_invalid_entities(void **state)
{
	(void)state;
	assert_change_rejected(FILE_NAME, MAP, "\"key\": [\"tag\"]", "\"key\": [\"tags\"]",
			       FILE_NAME ":11: entities[3].key: tag has no column tags");
	assert_change_rejected(
		FILE_NAME, MAP, "\"name\": \"tag\"", "\"name\": \"shop\"",
		"entities[3]: shop is already declared in config/energy/catalogue.json");
	assert_change_rejected(FILE_NAME, MAP, "\"name\": \"tag\"", "\"name\": \"Tag; DROP\"",
			       "is not a valid name: use a-z");
	assert_change_rejected(FILE_NAME, MAP, "\"view\": \"dbo.tags\"", "\"view\": \"dbo.tag\"",
			       "dbo.tag is not an approved view");
	assert_change_rejected(FILE_NAME, MAP, "\"column\": \"level\"", "\"column\": \"levels\"",
			       "shop has no column levels");
	assert_change_rejected(FILE_NAME, MAP, "\"value\": \"L2\"", "\"value\": \"L1\"",
			       "L1 appears twice");
	assert_change_rejected(FILE_NAME, MAP, "\"shop_name\", \"cost\"",
			       "\"shop_name\", \"average\"",
			       "measure average is not a column of shop");
	assert_change_rejected(FILE_NAME, MAP, "\"shop_name\", \"cost\"", "\"shop_name\", \"x\"",
			       "x is neither a dimension nor a measure");
	assert_change_rejected(FILE_NAME, MAP, "\"time\": \"price_day\"", "\"time\": \"file\"",
			       "time: file is not a date");
	assert_change_rejected(FILE_NAME, MAP, "\"kind\": \"link\"", "\"kind\": \"bridge\"",
			       "kind: unknown value \"bridge\"");
}

/* Rows that an entity leaves out: archived ones, those of archived rows, older versions. */
static void rejects_invalid_row_rules(void **state)
{
	(void)state;
	assert_change_rejected(FILE_NAME, MAP, "\"key\": [\"tag\"]",
			       "\"key\": [\"tag\"], \"archived\": \"gone\"",
			       "tag has no column gone");
	assert_change_rejected(FILE_NAME, MAP, "\"key\": [\"tag\"]",
			       "\"key\": [\"tag\"], \"latest\": {\"order\": \"day\"}",
			       "tag has no column day");
	assert_change_rejected(FILE_NAME, MAP, "\"key\": [\"tag\"]",
			       "\"key\": [\"tag\"], \"latest\": {\"flag\": \"about\"}", "order");
	assert_change_rejected(
		FILE_NAME, MAP, "\"key\": [\"tag\"]",
		"\"key\": [\"tag\"], \"owner\": \"price_of_shop\"",
		"owner: price_of_shop must be an edge from tag to an entity with archived "
		"rows");
	assert_change_rejected(
		FILE_NAME, MAP, "\"time\": \"price_day\"",
		"\"time\": \"price_day\", \"owner\": \"price_of_shop\"",
		"owner: price_of_shop must be an edge from price to an entity with archived "
		"rows");
}

static void rejects_invalid_edges(void **state)
{
	(void)state;
	assert_change_rejected(FILE_NAME, MAP, "\"to\": \"shop\"", "\"to\": \"shops\"",
			       "edges[0]: unknown entity shops");
	assert_change_rejected(FILE_NAME, MAP, ", [\"shop.year\", \"price.year\"]", "",
			       FILE_NAME
			       ":13: edges[0].on: the columns of shop are not exactly its key");
	assert_change_rejected(FILE_NAME, MAP, "\"price.shop\", \"shop.id\"",
			       "\"price.day\", \"shop.id\"",
			       "price.day is date, but shop.id is int");
	assert_change_rejected(FILE_NAME, MAP, "[\"tag.tag\", \"shop_tag.tag\"]",
			       "[\"shop.id\", \"shop_tag.shop\"]",
			       "no pair joins shop_tag and tag");
	assert_change_rejected(FILE_NAME, MAP, "[\"shop_tag.year\", \"shop.year\"], ", "",
			       "the columns of shop are not exactly its key");
	assert_change_rejected(FILE_NAME, MAP, "[\"tag.tag\", \"shop_tag.tag\"]",
			       "[\"tag.tag\", \"shop.code\"]",
			       "edges[1].on[2]: tag and shop are not the two ends");
	assert_change_rejected(FILE_NAME, MAP, "\"via\": \"shop_tag\", \"cardinality\": \"n:m\"",
			       "\"via\": \"shop_tag\", \"cardinality\": \"n:1\"",
			       "an edge with via must be n:m");
	assert_change_rejected(FILE_NAME, MAP, "\"via\": \"shop_tag\"", "\"via\": \"shop\"",
			       "shop is an end of the edge itself");
	assert_change_rejected(FILE_NAME, MAP, "\"n:1\"", "\"n:m\"",
			       "n:m needs the join table as via");
	assert_change_rejected(FILE_NAME, MAP, "\"n:1\"", "\"1:1\"",
			       "the columns of price are not exactly its key");
	assert_change_rejected(FILE_NAME, MAP, "\"id\": \"tags_of_shop\"",
			       "\"id\": \"price_of_shop\"", "price_of_shop appears twice");
	assert_change_rejected(FILE_NAME, MAP, "[\"price\", \"shop\", \"tag\"]",
			       "[\"price\", \"tag\"]", "chains[0]: no edge joins price and tag");
	assert_change_rejected(FILE_NAME, MAP, "\"edges\"", "\"joins\"", "joins");
}

static void rejects_invalid_measures(void **state)
{
	(void)state;
	assert_change_rejected(FILE_NAME, MAP, "\"unit\": \"$\"", "\"unit\": \"zloty\"",
			       "measures[0]: unit zloty is not registered");
	assert_change_rejected(FILE_NAME, MAP, "\"additivity\": \"none\"",
			       "\"additivity\": \"full\"", "avg cannot be summed");
	assert_change_rejected(FILE_NAME, MAP, ", \"take\": \"last\"", "", "needs over and take");
	assert_change_rejected(FILE_NAME, MAP, "\"column\": \"price\", \"aggregate\"",
			       "\"column\": \"file\", \"aggregate\"",
			       "column file of view dbo.prices needs");
	assert_change_rejected(FILE_NAME, MAP, "\"column\": \"price\", \"aggregate\"",
			       "\"column\": \"day\", \"aggregate\"",
			       "column day is date, but avg needs a number");
	assert_change_rejected(FILE_NAME, MAP, "{\"file\": \"a\"}", "{\"day\": \"a\"}",
			       "no entity has the dimension day");
	assert_change_rejected(FILE_NAME, MAP, "\"name\": \"average\"", "\"name\": \"cost\"",
			       "cost is already declared");
	assert_change_rejected(FILE_NAME, MAP, "\"name\": \"average\"", "\"name\": \"market\"",
			       "market is already declared");
	assert_change_rejected(FILE_NAME, MAP, "\"denominator\": \"stock\"",
			       "\"denominator\": \"stocks\"",
			       "metric stocks must be declared earlier");
	assert_change_rejected(
		FILE_NAME, MAP, "\"unit\": \"$\"}],",
		"\"unit\": \"$\"}, {\"name\": \"x\", \"kind\": \"ratio\", \"numerator\": "
		"\"cost_each\", \"denominator\": \"stock\", \"unit\": \"$\"}],",
		"metrics[1]: numerator: cost_each is already a ratio or difference");
	assert_change_rejected(FILE_NAME, MAP,
			       "\"kind\": \"ratio\", \"numerator\": \"cost\", \"denominator\"",
			       "\"kind\": \"difference\", \"left\": \"cost\", \"right\"",
			       "cost is in $, but stock in count");
}

static void rejects_invalid_dimensions(void **state)
{
	(void)state;
	assert_change_rejected(FILE_NAME, MAP, "\"grains\": [\"month\"]", "\"grains\": [\"hour\"]",
			       "a date has no hour");
	assert_change_rejected(FILE_NAME, MAP, "[0, 10, 20]", "[0, 20, 10]", "ascending");
	assert_change_rejected(FILE_NAME, MAP, "\"column\": \"file\"", "\"column\": \"files\"",
			       "price has no column files");
	assert_change_rejected(FILE_NAME, MAP, "\"entity\": \"price\", \"column\": \"file\"",
			       "\"entity\": \"prices\", \"column\": \"file\"",
			       "unknown entity prices");
	assert_change_rejected(FILE_NAME, MAP, "\"load\": false",
			       "\"load\": false, \"values\": [\"a\"]",
			       "values that are not loaded");
	assert_change_rejected(FILE_NAME, MAP, "\"type\": \"date\", \"grains\"",
			       "\"type\": \"date\", \"load\": true, \"grains\"",
			       "only text values are loaded");
}

static void reads_named_conditions(void **state)
{
	const struct condition_def *c;

	(void)state;
	load_map();
	c = schema_condition(catalog_schema(catalog), "stale");
	assert_non_null(c);
	assert_string_equal(c->label, "stale");
	assert_string_equal(c->synonyms[0], "old");
	assert_int_equal(c->where_count, 2);
	assert_string_equal(c->where[0].values[0], "today-30d");
	assert_null(schema_condition(catalog_schema(catalog), "old"));
}

static void rejects_invalid_conditions(void **state)
{
	(void)state;
	assert_change_rejected(
		FILE_NAME, MAP, "today-30d", "a month ago",
		"conditions[0]: where: \"a month ago\" is not a value of price_day (date)");
	assert_change_rejected(FILE_NAME, MAP, "[\"10\"]", "[\"ten\"]",
			       "\"ten\" is not a value of size");
	assert_change_rejected(FILE_NAME, MAP, "\"name\": \"size\", \"op\"",
			       "\"name\": \"shop_name\", \"op\"",
			       "where: shop_name is not a dimension of price");
	assert_change_rejected(FILE_NAME, MAP, "\"op\": \"over\"", "\"op\": \"contains\"",
			       "size is not text: contains works only with text");
	assert_change_rejected(FILE_NAME, MAP, "\"name\": \"stale\"", "\"name\": \"stock\"",
			       "conditions[0]: stock is already declared");
	assert_change_rejected(FILE_NAME, MAP, "\"name\": \"stale\", \"entity\": \"price\"",
			       "\"name\": \"stale\", \"entity\": \"prices\"",
			       "unknown entity prices");
	assert_change_rejected(FILE_NAME, MAP, "\"synonyms\": [\"old\"], \"where\"", "\"when\"",
			       "when");
}

static void views_can_be_in_a_separate_file(void **state)
{
	(void)state;
	temp_root_write(&root, "config/energy/schema.json",
			"{\"views\": [{\"name\": \"dbo.more\", \"about\": \"x\", \"columns\": "
			"[\"a\"]}]}");
	load_map();
	assert_non_null(schema_view(catalog_schema(catalog), "dbo.more"));
	assert_rejected("config/energy/schema.json",
			"{\"views\": [{\"name\": \"dbo.tags\", \"about\": \"x\"}]}",
			"views: dbo.tags is already declared in config/energy/catalogue.json");
	assert_rejected("config/energy/schema.json", "{\"entities\": []}", "entities");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_entities_and_dimensions), TEST(loads_only_text_dimensions_as_names),
		TEST(reads_edges_and_chains),        TEST(adds_implied_metrics),
		TEST(rejects_invalid_entities),      TEST(rejects_invalid_row_rules),
		TEST(rejects_invalid_edges),         TEST(rejects_invalid_measures),
		TEST(rejects_invalid_dimensions),    TEST(reads_named_conditions),
		TEST(rejects_invalid_conditions),    TEST(views_can_be_in_a_separate_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
