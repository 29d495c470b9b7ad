/* The protocol of a pack: reading, and errors with file, line and member. */
#include "catalog_test.h"

#define FILE_NAME "config/energy/catalogue.json"

#define PROTOCOL                                                                                   \
	"{\"views\": [{\"name\": \"dbo.prices\", \"about\": \"prices\"}],\n"                       \
	"\"dimensions\": [{\"name\": \"market\", \"values\": [\"East\", \"West\"]},\n"             \
	" {\"name\": \"hub\", \"parent\": \"market\", \"values\": {\"East\": [\"E1\", \"E2\"], "   \
	"\"West\": [\"W1\"]}},\n"                                                                  \
	" {\"name\": \"file\", \"filter\": \"file_name\", \"view\": \"dbo.prices\", \"column\": "  \
	"\"file\"}],\n"                                                                            \
	"\"protocol\": {\"max_rounds\": 5, \"max_tables_per_request\": 3, \"select_limit\": 50,\n" \
	" \"via\": \"jt_{from}_{to}\", \"steps\": [\n"                                             \
	"  {\"id\": \"look\", \"about\": \"find it\", \"may_call\": {\"get_structure\": "          \
	"\"read\", \"get_detailed_schema\": \"look\"}},\n"                                         \
	"  {\"id\": \"read\", \"about\": \"read it\", \"may_call\": {\"run_select\": \"read\"}}]"  \
	"}}"

static void reads_steps_and_next_steps(void **state)
{
	const struct protocol_def *p;
	const struct protocol_call *c;

	(void)state;
	temp_root_write(&root, FILE_NAME, PROTOCOL);
	load();
	p = schema_protocol(catalog_schema(catalog), "energy");
	assert_non_null(p);
	assert_null(schema_protocol(catalog_schema(catalog), "core"));
	assert_int_equal(p->max_rounds, 5);
	assert_int_equal(p->max_tables, 3);
	assert_int_equal(p->select_limit, 50);
	assert_string_equal(p->via, "jt_{from}_{to}");
	assert_int_equal(p->step_count, 2);
	c = protocol_call_find(&p->steps[0], "get_structure");
	assert_string_equal(p->steps[c->next].id, "read");
	assert_null(protocol_call_find(&p->steps[1], "get_structure"));
	assert_true(protocol_allows(p, "run_select"));
	assert_false(protocol_allows(p, "drop_table"));
}

static void rejects_invalid_protocols(void **state)
{
	(void)state;
	assert_change_rejected(
		FILE_NAME, PROTOCOL, "\"get_structure\": \"read\"", "\"get_structure\": \"write\"",
		"protocol.steps[0]: may_call: get_structure leads to an unknown step");
	assert_change_rejected(FILE_NAME, PROTOCOL, "\"id\": \"read\"", "\"id\": \"look\"",
			       "protocol.steps[1]: look appears twice");
	assert_change_rejected(FILE_NAME, PROTOCOL, "\"max_rounds\": 5", "\"max_rounds\": 50",
			       "protocol: max_rounds: must be 1 to 8");
	assert_change_rejected(FILE_NAME, PROTOCOL, "request\": 3", "request\": 0",
			       "protocol: max_tables_per_request: must be 1 to 8");
	assert_change_rejected(FILE_NAME, PROTOCOL, "\"select_limit\": 50",
			       "\"select_limit\": 5000",
			       "protocol: select_limit: must be 1 to 500");
	assert_change_rejected(FILE_NAME, PROTOCOL, "{\"run_select\": \"read\"}", "{}",
			       "protocol.steps[1]: may_call: must map each tool to the next step");
	assert_change_rejected(FILE_NAME, PROTOCOL, "\"about\": \"read it\", ", "",
			       "protocol.steps[1]");
	assert_change_rejected(FILE_NAME, PROTOCOL, "\"select_limit\"", "\"limit\"", "protocol");
	assert_change_rejected(FILE_NAME, PROTOCOL, "\"steps\": [", "\"steps\": [], \"step\": [",
			       "protocol");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_steps_and_next_steps),
		TEST(rejects_invalid_protocols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
