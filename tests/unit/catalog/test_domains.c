/* Front matter, and how domains assign tools to agents. */
#include "catalog_test.h"

static void reads_front_matter(void **state)
{
	(void)state;
	load();
	const struct domain_def *d = &catalog->domains[0];

	assert_string_equal(d->name, "prices");
	assert_string_equal(d->agent, "price_agent");
	assert_string_equal(d->intent, "prices");
	assert_string_equal(d->about, "What things cost.");
	assert_string_equal(d->examples[0], "What does E1 cost: now, or later?");
	assert_null(d->examples[1]);
	assert_int_equal(d->tool_count, 1);
	assert_ptr_equal(d->tools[0], catalog_tool(catalog, "get_price"));
	assert_int_equal(d->order, 2);
	assert_string_equal(d->prompt, "You know prices.");
}

#define EXAMPLE "  - What does E1 cost: now, or later?"

static void example_can_have_a_call(void **state)
{
	(void)state;
	char *good =
		with_change(SMALL_DOMAIN, EXAMPLE "\n",
			    EXAMPLE "\n  - Costs of E 1? => get_price hub=E 1 year=2026 hour=7\n"
				    "  - And now => get_price\n");

	temp_root_write(&root, SMALL_DOMAIN_PATH, good);
	load();
	mem_free(good);
	const struct domain_def *d = &catalog->domains[0];
	const struct example_def *x = d->calls;

	assert_string_equal(d->examples[1], "Costs of E 1?");
	assert_string_equal(d->examples[2], "And now");
	assert_int_equal(d->call_count, 2);
	assert_string_equal(x[0].id, "file:prices:2");
	assert_string_equal(x[0].question, "Costs of E 1?");
	assert_ptr_equal(x[0].tool, catalog_tool(catalog, "get_price"));
	assert_string_equal(x[0].filters[0], "hub=E 1");
	assert_string_equal(x[0].filters[1], "year=2026");
	assert_string_equal(x[0].filters[2], "hour=7");
	assert_null(x[0].filters[3]);
	assert_string_equal(x[0].params[2]->name, "hours");
	assert_string_equal(x[1].id, "file:prices:3");
	assert_null(x[1].filters[0]);
}

#define SHARING                                                                                    \
	"---\nagent: cost_agent\nintent: costs\nabout: Costs.\ntools:\n  - get_price\norder: %d\n" \
	"---\nYou know costs.\n"

static void shared_tool_has_several_agents(void **state)
{
	(void)state;
	char *late = mem_printf(SHARING, 5), *early = mem_printf(SHARING, 1);

	temp_root_write(&root, "prompts/energy/costs.md", late);
	load();
	const struct tool_def *t = catalog_tool(catalog, "get_price");
	assert_string_equal(catalog->domains[0].name, "prices");
	assert_string_equal(catalog->domains[1].name, "costs");
	assert_string_equal(t->callers.agents[0], "price_agent");
	assert_string_equal(t->callers.agents[1], "cost_agent");
	assert_null(t->callers.agents[2]);

	assert_rejected("prompts/energy/costs.md", early, "must be in sql/energy/costs");
	mem_free(late);
	mem_free(early);
}

static void declared_agents_must_match_domains(void **state)
{
	(void)state;
	char *good = with_change(SMALL_TOOL, "-- report", "-- agents: price_agent\n-- report");

	temp_root_write(&root, SMALL_TOOL_PATH, good);
	load();
	mem_free(good);
	assert_change_rejected(SMALL_TOOL_PATH, SMALL_TOOL, "-- report",
			       "-- agents: cost_agent\n-- report", "agents must be those");
}

static void assert_edit_rejected(const char *from, const char *to, const char *why)
{
	assert_change_rejected(SMALL_DOMAIN_PATH, SMALL_DOMAIN, from, to, why);
}

static void rejects_invalid_front_matter(void **state)
{
	(void)state;
	assert_edit_rejected("---\nagent", "agent", "must begin with front matter");
	assert_edit_rejected("order: 2\n---", "order: 2\n",
			     "expected \"key: value\", not You know prices.");
	assert_edit_rejected("agent: price_agent\n", "", "agent, intent and about are required");
	assert_edit_rejected("about:", "abot:", "prices.md:4: unknown key abot");
	assert_edit_rejected("about:", "ask_name: Ask me\nabout:", "prices.md:4: ask_name");
	assert_edit_rejected("about:", "ask_name: get_price\nabout:", "prices.md:4: ask_name");
	assert_edit_rejected("about:", "intent: x\nabout:", "prices.md:4: duplicate key: intent");
	assert_edit_rejected("order: 2", "order: two", "order must be a whole number, not two");
	assert_edit_rejected("tools:\n", "tools: get_price\n", "list items must follow");
	assert_edit_rejected("- get_price", "- get_cost", "the file of tool get_cost is missing");
	assert_edit_rejected("  - get_price\n", "  - get_price\n  - get_price\n",
			     "get_price appears twice");
	assert_edit_rejected("  - get_price\n", "", "no domain lists this tool");
	assert_edit_rejected(EXAMPLE, "  - X => get_cost",
			     "example \"X\": the domain does not list the tool get_cost");
	assert_edit_rejected(EXAMPLE, "  - X => get_price size=3",
			     "example \"X\": the tool has no parameter size=3");
	assert_edit_rejected(EXAMPLE, "  - X => get_price year=soon",
			     "example \"X\": not a value: year=soon");
	assert_edit_rejected("about:", "permission: chat:nothing\nabout:",
			     "prices.md:4: unknown permission chat:nothing");
	assert_edit_rejected("about:", "- x\nabout:", "list item outside a list");
	assert_edit_rejected("\nYou know prices.\n", "\n", "the prompt below");
	assert_edit_rejected("about: What things cost.", "about:", "empty: about");
}

static void agents_are_unique(void **state)
{
	(void)state;
	assert_rejected("prompts/energy/z.md", SMALL_DOMAIN,
			"must not be those of prompts/energy/prices.md");
	temp_root_write(&root, "prompts/energy/z.md", NULL);
	assert_rejected("prompts/energy/z.txt", SMALL_DOMAIN, "not a .md file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_front_matter),
		TEST(example_can_have_a_call),
		TEST(shared_tool_has_several_agents),
		TEST(declared_agents_must_match_domains),
		TEST(rejects_invalid_front_matter),
		TEST(agents_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
