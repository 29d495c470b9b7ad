/* The schema that models see: every byte of it, because they cache it by its bytes. */
#include "catalog_test.h"

static void the_schema_follows_the_header(void **state)
{
	(void)state;
	load();
	char *text = json_text(catalog_tool(catalog, "get_price")->schema);

	assert_string_equal(
		text,
		"{\"type\":\"object\",\"properties\":{"
		"\"hub\":{\"type\":\"string\",\"enum\":[\"E1\",\"E2\",\"W1\"],\"description\":"
		"\"Where\"},"
		"\"market\":{\"type\":\"string\",\"enum\":[\"East\",\"West\"],"
		"\"description\":\"Which market\"},"
		"\"year\":{\"type\":\"integer\",\"description\":\"Which year (2000 to 2100) "
		"(default "
		"2025)\"},"
		"\"hours\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"},"
		"\"description\":\"Which hours (0 to 23) (at most 24 values)\"},"
		"\"name\":{\"type\":\"string\",\"description\":\"Part of a name\"},"
		"\"since\":{\"type\":\"string\",\"format\":\"date\",\"description\":\"First day\"},"
		"\"above\":{\"type\":\"number\",\"description\":\"Lowest price\"},"
		"\"firm\":{\"type\":\"boolean\",\"description\":\"Only firm prices\"}},"
		"\"required\":[\"hub\"],\"additionalProperties\":false}");
	mem_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_schema_follows_the_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
