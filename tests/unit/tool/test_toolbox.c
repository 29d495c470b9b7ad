/* Checks that modules and files match. */
#include "tool_test.h"

static bool return_error(struct tool_call *call, struct err *e)
{
	(void)call;
	return err_set(e, ERR_INPUT, "this cannot be asked");
}

static void assert_rejected(const struct domain *module, const char *why)
{
	const struct domain *const modules[] = {module, NULL};
	const struct toolbox_options options = {.loop = loop,
						.catalog = catalog,
						.sources = sources_of(warehouse),
						.modules = modules,
						.derivations = derivations};
	struct err e = {0};

	assert_false(toolbox_new(&options, &box, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_null(box);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" does not contain \"%s\"", e.text, why);
}

static void domain_without_module_runs(void **state)
{
	(void)state;
	open_box(NULL);
	assert_int_equal(call_tool("get_price", "{'hub': 'E1'}")->outcome.kind, OUTCOME_EMPTY);
}

static void module_provides_its_functions(void **state)
{
	(void)state;
	static const struct tool_entry entries[] = {{"get_price", return_error}, {0}};
	static const struct domain module = {"prices", "energy", entries, NULL};
	const struct domain *const modules[] = {&module, NULL};

	open_box(modules);
	const struct outcome *o = &call_tool("get_price", "{'hub': 'E1'}")->outcome;
	assert_int_equal(o->kind, OUTCOME_ERROR);
	assert_string_equal(o->detail, "this cannot be asked");
	assert_int_equal(recorded.queries, 0);
}

static void rejects_tool_without_source(void **state)
{
	struct toolbox_options options = {.loop = loop, .catalog = catalog};
	const struct source_table none = {0};
	struct err e = {0};

	(void)state;
	options.sources = &none;
	assert_false(toolbox_new(&options, &box, &e));
	assert_non_null(strstr(e.text, SMALL_TOOL_PATH ":1: source warehouse is not configured"));
	open_box(NULL);
	assert_string_equal(call_tool("get_price", "{'hub': 'E1'}")->source, "warehouse");
}

static void module_and_files_must_match(void **state)
{
	(void)state;
	static const struct tool_entry none[] = {{0}};
	static const struct tool_entry extra[] = {
		{"get_price", tool_sql_run}, {"get_cost", tool_sql_run}, {0}};
	const struct domain empty = {"prices", "energy", none, NULL};
	const struct domain full = {"prices", "energy", extra, NULL};
	const struct domain foreign = {"costs", "energy", none, NULL};

	assert_rejected(&empty, SMALL_TOOL_PATH ":1: module prices has no function");
	assert_rejected(&full, "prompts/energy/prices.md:1: does not list tool get_cost");
	assert_rejected(&foreign,
			"prompts/energy/costs.md:1: the prompt of module costs is missing");
}

static void rejects_missing_factor(void **state)
{
	static const struct tool_entry entries[] = {{"get_price", tool_sql_run}, {0}};
	static const struct required_factor needs[] = {{"co2", 0, true}, {NULL, 0, false}};
	static const struct domain module = {"prices", "energy", entries, needs};

	(void)state;
	assert_rejected(&module, "config/energy/energy.json:1: co2 is missing");
}

/* A derivation that a file names must exist, and its column must be declared. */
static void rejects_unknown_derivation(void **state)
{
	(void)state;
	add_header("-- column \"Twice\" derived\n-- derive: thrice Price Hub\n");
	assert_rejected(NULL, SMALL_TOOL_PATH ":19: derivation thrice does not exist");
	add_header("-- column \"Twice\" derived\n-- derive: twice Price Hub\n");
	assert_rejected(NULL, SMALL_TOOL_PATH ":19: twice adds a fact of, which is not declared");
	add_header("-- derive: twice Price Hub\n");
	assert_rejected(NULL, SMALL_TOOL_PATH
			":18: twice adds a column \"Twice\", which is not declared");
}

static void toolbox_keeps_a_catalogue_reference(void **state)
{
	(void)state;
	open_box(NULL);
	catalog_unref(&catalog);
	struct args args = {0};
	struct tool_request request = {.call = "c1",
				       .tool = "get_price",
				       .bound = &args,
				       .who = &who,
				       .today = {2026, 2, 27}};
	start(&request);
	loop_run_once(loop);
	assert_string_equal(answer->outcome.param, "hub");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(domain_without_module_runs),  TEST(module_provides_its_functions),
		TEST(rejects_tool_without_source), TEST(module_and_files_must_match),
		TEST(rejects_missing_factor),      TEST(toolbox_keeps_a_catalogue_reference),
		TEST(rejects_unknown_derivation),  TEST(toolbox_keeps_a_catalogue_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
