/* A tenant's additions to its packs: they are only in the tenant's catalogue, and the rules of
 * packs apply to them. */
#include "catalog_test.h"
#include "vesper/flow.h"
#include "vesper/gate.h"
#include "vesper/overlay.h"
#include "vesper/schema.h"
#include "vesper/strlist.h"

#define SALES                                                                                      \
	"{\"views\": [{\"name\": \"uploads.sales\", \"about\": \"sales of the regions\","          \
	"   \"permission\": \"chat:use\", \"columns\": [\"region\", \"tenant_id\"],"               \
	"   \"columns_with\": {\"source:u1\": [{\"name\": \"amount\", \"type\": \"decimal\"}]}}]," \
	" \"entities\": [{\"name\": \"sale\", \"about\": \"a sale\", \"view\": \"uploads.sales\"," \
	"   \"key\": [], \"kind\": \"fact\"}],"                                                    \
	" \"dimensions\": [{\"name\": \"region\", \"label\": \"sales region\", \"entity\": "       \
	"\"sale\","                                                                                \
	"   \"column\": \"region\"}, {\"name\": \"market\", \"values\": [\"West\", \"North\"]}],"  \
	" \"measures\": [{\"name\": \"sold\", \"entity\": \"sale\", \"column\": \"amount\","       \
	"   \"aggregate\": \"sum\", \"unit\": \"$\", \"additivity\": \"full\"}]}"
#define DAWN "{\"market\": [{\"text\": \"dawn\", \"value\": \"East\"}]}"

#define FLOW(name, tool)                                                                           \
	"---\nflow: " name "\nabout: The price of the first hub.\nexamples:\n"                     \
	"  - price of the first hub\nagent: price_agent\n---\n"                                    \
	"do price " tool " hub=E1\nsay \"{price.rows[0].Price}\"\n"

static const struct flow_source flows[] = {
	{.path = "approved/first_hub", .text = FLOW("first_hub", "get_price")},
	{.path = "approved/stale", .text = FLOW("stale", "get_weather")},
	{.path = "again/first_hub", .text = FLOW("first_hub", "get_price")},
};

static struct catalog_overlay everything = {
	.tenant = "acme",
	.version = 7,
	.source = "uploads",
	.permissions = (const char *const[]){"source:u1", NULL},
	.flows = flows,
	.flow_count = 3,
};

static json_t *parsed(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return json;
}

static int set_up_overlay(void **state)
{
	(void)state;
	everything.schema = parsed(SALES);
	everything.aliases = parsed(DAWN);
	return 0;
}

static int tear_down_overlay(void **state)
{
	(void)state;
	json_decref((json_t *)everything.schema);
	json_decref((json_t *)everything.aliases);
	return 0;
}

static struct catalog *load_with(const struct catalog_overlay *o)
{
	struct catalog *c = NULL;
	struct err e = {0};

	if (!catalog_with_overlays(catalog, &o, 1, &c, &e))
		fail_msg("%s", e.text);
	return c;
}

/* Expects that additions with this schema and these aliases are rejected with this error. */
static void assert_overlay_rejected(const char *schema, const char *aliases, const char *why)
{
	struct catalog_overlay o = {.tenant = "acme", .source = "uploads"};
	const struct catalog_overlay *list = &o;
	struct catalog *c = NULL;
	struct err e = {0};

	o.schema = schema ? parsed(schema) : NULL;
	o.aliases = aliases ? parsed(aliases) : NULL;
	if (catalog_with_overlays(catalog, &list, 1, &c, &e))
		fail_msg("accepted, expected: %s", why);
	assert_null(c);
	if (e.code != ERR_INPUT || !strstr(e.text, why))
		fail_msg("\"%s\" does not contain \"%s\"", e.text, why);
	json_decref((json_t *)o.schema);
	json_decref((json_t *)o.aliases);
}

static struct principal reader(const char *tenant)
{
	static const char *const permissions[] = {"chat:use", "chat:read", "source:u1"};

	return (struct principal){
		.user = "ann", .tenant = tenant, .permissions = permissions, .permission_count = 3};
}

static void additions_are_only_in_the_overlay(void **state)
{
	struct principal who = reader("acme");
	struct arena *a = arena_new(1 << 20);
	struct catalog_view extended, base_view;
	struct catalog *c;

	(void)state;
	load();
	c = load_with(&everything);
	catalog_for(c, &who, a, &extended);
	catalog_for(catalog, &who, a, &base_view);
	assert_int_equal(extended.flow_count, 1);
	assert_string_equal(extended.flows[0]->name, "first_hub");
	assert_true(extended.flows[0]->own);
	assert_int_equal(base_view.flow_count, 0);
	assert_ptr_equal(c->tools, catalog->tools);
	assert_ptr_equal(c->domains, catalog->domains);
	assert_string_equal(catalog_dimension(c, "region")->source, "uploads");
	assert_string_equal(catalog_dimension(c, "region")->filter, "region");
	assert_null(catalog_dimension(catalog, "region"));
	assert_non_null(schema_measure(catalog_schema(c), "sold"));
	assert_non_null(schema_metric(catalog_schema(c), "sold"));
	assert_null(schema_measure(catalog_schema(catalog), "sold"));
	assert_null(schema_metric(catalog_schema(catalog), "sold"));
	assert_null(schema_entity(catalog_schema(catalog), "sale"));
	assert_true(catalog_has_permission(c, "source:u1"));
	assert_false(catalog_has_permission(catalog, "source:u1"));
	assert_string_equal(catalog_view_source(c, "uploads.sales"), "uploads");
	assert_null(catalog_view_source(catalog, "uploads.sales"));
	assert_true(catalog_reads_source(c, "uploads"));
	assert_false(catalog_reads_source(catalog, "uploads"));
	catalog_unref(&c);
	arena_free(&a);
}

/* Dimensions of the packs stay first, since other code uses their index. */
static void extends_dimension_of_the_packs(void **state)
{
	struct catalog *c;
	const struct dimension_def *d, *base;

	(void)state;
	load();
	c = load_with(&everything);
	d = catalog_dimension(c, "market");
	base = catalog_dimension(catalog, "market");
	assert_int_equal(d->index, base->index);
	assert_int_equal(strlist_len(d->values), 3); /* West existed already */
	assert_string_equal(d->values[2], "North");
	assert_string_equal(d->packs[0], "energy");
	assert_string_equal(d->packs[2], "tenant acme");
	assert_int_equal(d->alias_count, base->alias_count + 1);
	assert_string_equal(d->aliases[base->alias_count].pack, "tenant acme");
	assert_int_equal(strlist_len(base->values), 2);
	assert_int_equal(catalog_dimension(c, "region")->index, catalog->dimension_count);
	catalog_unref(&c);
}

static void gate_policy_follows_permissions(void **state)
{
	struct principal who = reader("acme");
	struct arena *a = arena_new(1 << 20);
	struct gate_policy policy;
	struct catalog *c;

	(void)state;
	load();
	c = load_with(&everything);
	policy = catalog_gate_policy(c, &who, "acme", a);
	assert_int_equal(policy.view_count, 1); /* dbo.prices has no columns */
	assert_string_equal(policy.views[0].name, "uploads.sales");
	assert_true(strlist_has(policy.views[0].columns, "amount"));
	who.permission_count = 2;
	policy = catalog_gate_policy(c, &who, "acme", a);
	assert_false(strlist_has(policy.views[0].columns, "amount"));
	assert_int_equal(catalog_gate_policy(catalog, &who, "acme", a).view_count, 0);
	catalog_unref(&c);
	arena_free(&a);
}

static void reports_invalid_flows(void **state)
{
	const struct flow_fault *faults;
	struct catalog *c;

	(void)state;
	load();
	c = load_with(&everything);
	assert_int_equal(catalog_flow_faults(c, &faults), 2);
	assert_string_equal(faults[0].path, "approved/stale");
	assert_non_null(strstr(faults[0].why, "get_weather"));
	assert_string_equal(
		faults[1].why,
		"again/first_hub:1: flow first_hub is already defined in approved/first_hub");
	assert_int_equal(catalog_flow_faults(catalog, &faults), 0);
	catalog_unref(&c);
}

/* The hash covers the files and the views, which determine the results of statements. */
static void flows_and_aliases_do_not_change_the_hash(void **state)
{
	struct catalog_overlay names = everything;
	struct catalog *one, *two;

	(void)state;
	load();
	names.schema = NULL;
	one = load_with(&names);
	two = load_with(&everything);
	assert_string_equal(one->hash, catalog->hash);
	assert_string_not_equal(two->hash, catalog->hash);
	catalog_unref(&one);
	catalog_unref(&two);
}

static void overlay_outlives_its_inputs(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct catalog_overlay copy = catalog_overlay_copy(&everything, a);
	struct catalog *c, *base;

	(void)state;
	load();
	base = catalog;
	c = load_with(&copy);
	arena_free(&a);
	catalog_unref(&catalog); /* the overlay refers to it */
	assert_non_null(catalog_tool(c, "get_price"));
	assert_ptr_equal(c->tools, base->tools);
	assert_string_equal(catalog_flow(c, "first_hub")->path, "approved/first_hub");
	assert_string_equal(catalog_dimension(c, "region")->label, "sales region");
	assert_string_equal(schema_view(catalog_schema(c), "uploads.sales")->about,
			    "sales of the regions");
	catalog_unref(&c);
}

/* Several owners each add a part. */
static void combines_overlays_of_several_owners(void **state)
{
	struct catalog_overlay approved = {
		.tenant = "acme", .version = 1, .flows = flows, .flow_count = 1};
	struct catalog_overlay data = everything;
	const struct catalog_overlay *parts[] = {&approved, &data};
	const struct flow_fault *faults;
	struct catalog *c = NULL;
	struct err e = {0};

	(void)state;
	load();
	data.flow_count = 0;
	assert_true(catalog_with_overlays(catalog, parts, 2, &c, &e));
	assert_int_equal(c->flow_count, 1);
	assert_int_equal(catalog_flow_faults(c, &faults), 0);
	assert_non_null(catalog_dimension(c, "region"));
	catalog_unref(&c);
	parts[0] = &everything;
	assert_false(catalog_with_overlays(catalog, parts, 2, &c, &e));
	assert_non_null(strstr(e.text, "uploads.sales is already declared in "));
}

static void errors_name_the_cause(void **state)
{
	(void)state;
	load();
	assert_overlay_rejected("{\"views\": [{\"name\": \"dbo.prices\", \"about\": \"x\"}]}", NULL,
				"dbo.prices is already declared in config/energy/catalogue.json");
	assert_overlay_rejected(
		"{\"dimensions\": [{\"name\": \"a\", \"view\": \"uploads.other\", \"column\": "
		"\"b\"}]}",
		NULL, "uploads.other is not an approved view");
	assert_overlay_rejected(
		"{\"dimensions\": [{\"name\": \"a\", \"values\": [\"b\"], \"permission\": "
		"\"source:u2\"}]}",
		NULL, "source:u2 is not a permission");
	assert_overlay_rejected(
		"{\"dimensions\": [{\"name\": \"market\", \"view\": \"dbo.prices\", \"column\": "
		"\"m\"}]}",
		NULL, "already declares market with another view");
	assert_overlay_rejected("{\"calendar\": {}}", NULL, "calendar");
	assert_overlay_rejected(NULL, "{\"market\": [{\"text\": \"Dawn\", \"value\": \"East\"}]}",
				"\"Dawn\" is not in lower case");
	assert_overlay_rejected(NULL, "{\"market\": [{\"text\": \"dusk\", \"value\": \"South\"}]}",
				"South is not a known value of market");
	assert_overlay_rejected(NULL, "{\"shelf\": []}", "aliases: shelf is not a dimension");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(additions_are_only_in_the_overlay),
		TEST(extends_dimension_of_the_packs),
		TEST(gate_policy_follows_permissions),
		TEST(reports_invalid_flows),
		TEST(flows_and_aliases_do_not_change_the_hash),
		TEST(overlay_outlives_its_inputs),
		TEST(combines_overlays_of_several_owners),
		TEST(errors_name_the_cause),
	};

	return cmocka_run_group_tests(tests, set_up_overlay, tear_down_overlay);
}
