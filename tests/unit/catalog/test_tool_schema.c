/* The schema that models see, compared byte by byte: model services cache it by its bytes. */
#include "catalog_test.h"

#include "vesper/limits.h"
#include "vesper/str.h"

static void derives_schema_from_header(void **state)
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

/* The catalogue with this many markets. */
static char *many_markets(int count)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	buf_str(&b, "[\"East\", \"West\"");
	for (int i = 2; i < count; i++)
		buf_printf(&b, ", \"M%d\"", i);
	buf_char(&b, ']');
	char *text = with_change(SMALL_CATALOGUE, "[\"East\", \"West\"]", buf_text(&b));
	buf_deinit(&b);
	return text;
}

static void omits_long_value_lists(void **state)
{
	(void)state;
	for (int extra = 0; extra < 2; extra++) {
		char *text = many_markets(ENUM_VALUES_MAX + extra);
		temp_root_write(&root, "config/energy/catalogue.json", text);
		mem_free(text);
		load();
		json_t *market = json_object_get(
			json_object_get(catalog_tool(catalog, "get_price")->schema, "properties"),
			"market");
		assert_int_equal(json_array_size(json_object_get(market, "enum")),
				 extra ? 0 : ENUM_VALUES_MAX);
	}
}

/* ---- results of a call ---- */

static json_t *row_properties(const struct principal *who)
{
	json_t *schema = catalog_output_schema(catalog_tool(catalog, "get_price"), who);
	json_t *rows = json_object_get(json_object_get(schema, "properties"), "rows");
	json_t *row = json_object_get(json_object_get(rows, "items"), "properties");

	json_incref(row);
	json_decref(schema);
	return row;
}

static void output_schema_omits_denied_columns(void **state)
{
	static const char *const permissions[] = {"chat:read_budget"};
	static const struct principal unprivileged = {.user = "u", .tenant = "t"};
	static const struct principal privileged = {
		.user = "u", .tenant = "t", .permissions = permissions, .permission_count = 1};
	json_t *properties;
	char *text;

	(void)state;
	load();
	properties = row_properties(&unprivileged);
	assert_null(json_object_get(properties, "Cost"));
	text = json_text(json_object_get(properties, "Price"));
	assert_string_equal(text, "{\"type\":[\"number\",\"string\",\"null\"],\"description\":"
				  "\"Average price\"}");
	mem_free(text);
	json_decref(properties);
	properties = row_properties(&privileged);
	assert_non_null(json_object_get(properties, "Cost"));
	json_decref(properties);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(derives_schema_from_header),
		TEST(omits_long_value_lists),
		TEST(output_schema_omits_denied_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
