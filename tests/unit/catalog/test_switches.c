/* A switch applies immediately to one tenant and one agent, in every catalogue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "small_root.h"
#include "vesper/catalog.h"

static const char *const permissions[] = {"chat:use", "chat:read"};
static const struct principal ann = {
	.user = "ann", .tenant = "acme", .permissions = permissions, .permission_count = 2};
static const struct principal other_tenant = {
	.user = "ann", .tenant = "vesper", .permissions = permissions, .permission_count = 2};
static const struct switch_off off[] = {{"price_agent", "get_price"}};

static size_t tools_for(const struct catalog *c, const struct principal *who)
{
	struct arena *a = arena_new(1 << 20);
	struct catalog_view view;
	size_t count;

	catalog_for(c, who, a, &view);
	count = view.tool_count;
	assert_int_equal(view.domain_count, count);
	assert_int_equal(catalog_allows(&view, catalog_tool(c, "get_price"), "price_agent"), count);
	assert_int_equal(catalog_allows(&view, catalog_tool(c, "get_price"), NULL), count);
	assert_int_equal(catalog_agent_for(c, catalog_tool(c, "get_price"), who, NULL) != NULL,
			 count);
	arena_free(&a);
	return count;
}

static void switches_apply_to_one_tenant(void **state)
{
	struct temp_root root = small_root_new();
	struct switches *s = switches_new();
	struct catalog *c;
	struct err e = {0};

	(void)state;
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &c, &e))
		fail_msg("%s", e.text);
	assert_int_equal(tools_for(c, &ann), 1);
	catalog_use_switches(c, s);
	assert_int_equal(tools_for(c, &ann), 1);
	switches_set(s, "acme", off, 1);
	assert_int_equal(tools_for(c, &ann), 0);
	assert_int_equal(tools_for(c, &other_tenant), 1);
	assert_true(switches_are_off(s, "acme", "price_agent", "get_price"));
	assert_false(switches_are_off(s, "acme", "other_agent", "get_price"));
	assert_false(switches_are_off(s, "acme", "price_agent", "get_prices"));
	switches_set(s, "acme", NULL, 0);
	assert_int_equal(tools_for(c, &ann), 1);
	switches_set_one(s, "acme", off, true);
	switches_set_one(s, "acme", &(struct switch_off){"other_agent", "get_price"}, true);
	switches_set_one(s, "acme", off, true);
	assert_int_equal(tools_for(c, &ann), 0);
	switches_set_one(s, "acme", off, false);
	assert_int_equal(tools_for(c, &ann), 1);
	assert_true(switches_are_off(s, "acme", "other_agent", "get_price"));
	catalog_unref(&c);
	switches_free(&s);
	assert_null(s);
	temp_root_free(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(switches_apply_to_one_tenant)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
