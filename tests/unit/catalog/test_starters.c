/* Starter questions: which ones a caller is offered, and errors in the file. */
#include "catalog_test.h"

#include "vesper/limits.h"

#define FILE_NAME "config/energy/starters.json"

/* The starters that this caller is offered, one per line. */
static char *offered(const struct principal *who, struct arena *a)
{
	struct catalog_view v;
	json_t *agents, *agent, *question;
	char *text = arena_strdup(a, "");
	size_t i, k;

	catalog_for(catalog, who, a, &v);
	agents = catalog_agents_json(&v, who);
	json_array_foreach(agents, i, agent)
		json_array_foreach(json_object_get(agent, "starters"), k, question)
			text = arena_printf(a, "%s%s\n", text, json_string_value(question));
	json_decref(agents);
	return text;
}

static const char *const all_permissions[] = {"chat:use", "chat:read", "chat:read_budget", NULL};
static const char valid[] =
	"{\"starters\": [\n"
	" {\"question\": \"For all?\", \"tool\": \"get_price\"},\n"
	" {\"question\": \"For readers?\", \"tool\": \"get_price\", \"roles\": [\"reader\"]},\n"
	" {\"question\": \"For chiefs?\", \"tool\": \"get_price\", \"roles\": [\"chief\"]}]}";

static void write_two_roles(void)
{
	char *roles = with_change(SMALL_PERMISSIONS, "{\"reader\":",
				  "{\"chief\": [\"chat:use\", \"chat:read\", \"chat:read_budget\"],"
				  " \"reader\":");

	temp_root_write(&root, "config/permissions.json", roles);
	mem_free(roles);
}

static void offers_starters_by_role_and_permission(void **state)
{
	struct principal who = {.user = "u", .tenant = "t", .permissions = all_permissions};
	struct arena *a = arena_new(1 << 20);

	(void)state;
	write_two_roles();
	temp_root_write(&root, FILE_NAME, valid);
	load();
	who.permission_count = 2;
	assert_string_equal(offered(&who, a), "For all?\nFor readers?\n");
	who.permission_count = 3;
	assert_string_equal(offered(&who, a), "For all?\nFor chiefs?\n");
	who.permission_count = 1;
	assert_string_equal(offered(&who, a), "");
	arena_free(&a);
}

static void rejects_broken_file_with_line(void **state)
{
	struct arena *a = arena_new(1 << 20);
	const char *many = "{\"question\": \"Q?\", \"tool\": \"get_price\"}";
	char *list, *question = arena_alloc(a, STARTER_BYTES_MAX + 2);

	(void)state;
	write_two_roles();
	assert_change_rejected(FILE_NAME, valid, "\"For readers?\", \"tool\": \"get_price\"",
			       "\"For readers?\", \"tool\": \"get_prize\"",
			       FILE_NAME ":3: starters[1]: tool: get_prize is not a tool");
	assert_change_rejected(FILE_NAME, valid, "[\"chief\"]", "[\"chef\"]",
			       FILE_NAME ":4: starters[2]: roles: chef is not a role");
	assert_change_rejected(FILE_NAME, valid, "\"For all?\"", "\"\"",
			       "question: must have 1 to 200 bytes");
	assert_change_rejected(FILE_NAME, valid, "\"tool\"", "\"tol\"", "starters[0]: tol");
	assert_rejected(FILE_NAME, "{\"starters\": {}}",
			"starters: must be a list of at most 24 questions");

	memset(question, 'q', STARTER_BYTES_MAX + 1);
	assert_change_rejected(FILE_NAME, valid, "For all?", question,
			       "question: must have 1 to 200 bytes");
	list = arena_strdup(a, many);
	for (int i = 1; i < STARTERS_MAX; i++)
		list = arena_printf(a, "%s, %s", list, many);
	temp_root_write(&root, FILE_NAME, arena_printf(a, "{\"starters\": [%s]}", list));
	load();
	assert_int_equal(catalog->starter_count, STARTERS_MAX);
	assert_rejected(FILE_NAME, arena_printf(a, "{\"starters\": [%s, %s]}", list, many),
			"must be a list of at most 24 questions");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(offers_starters_by_role_and_permission),
		TEST(rejects_broken_file_with_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
