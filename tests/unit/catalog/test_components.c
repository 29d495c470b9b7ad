/* Components of a pack: reading, and errors with their line. */
#include "catalog_test.h"

#include "vesper/component.h"

#define FILE_OF(props, layout, text)                                                               \
	"{\n\"Card\": {\"about\": \"A card\",\n\"props\": {" props "},\n\"layout\": [" layout      \
	"],\n\"text\": \"" text "\"}}"
#define N   "\"n\": {\"type\": \"integer\", \"required\": true}"
#define ONE "{\"cards\": [\"n\"]}"
#define T   ", \"t\": {\"type\": \"table\", \"columns\": {\"Hub\": \"text\"}, \"rows\": 5}"
#define SERIES                                                                                     \
	", \"s\": {\"type\": \"series\", \"x\": \"Hour\", \"by\": \"Hub\", \"y\": [\"Price\"]}"

#define PATH "config/energy/components.json"

static void reads_declared_components(void **state)
{
	const struct component_def *d;
	json_t *list;

	(void)state;
	temp_root_write(&root, PATH,
			FILE_OF(N T SERIES, ONE ",{\"table\": \"t\"},{\"chart\": \"s\"}",
				"{n} things[[ of {n}]]"));
	load();
	d = catalog_component(catalog, "Card");
	assert_non_null(d);
	assert_true(component_prop(d, "n")->required);
	assert_int_equal(component_prop(d, "t")->rows, 5);
	assert_string_equal(component_prop(d, "s")->columns[1].name, "Hub");
	assert_int_equal(component_prop(d, "s")->column_count, 3);
	assert_null(component_prop(d, "x"));
	assert_null(catalog_component(catalog, "Other"));
	list = catalog_components_json(catalog);
	assert_int_equal(json_array_size(list), 1);
	json_decref(list);
}

static void errors_name_file_and_line(void **state)
{
	static const struct {
		const char *text, *line, *expected;
	} rows[] = {
		{"[]", ":1:", ""},
		{"{\"Card\": {}}", ":1:", "about"},
		{"{\"9\": {}}", ":1:", "letters"},
		{FILE_OF("", ONE, "x"), ":3:", "1 to 24 props"},
		{FILE_OF("\"n\": {\"type\": \"colour\"}", ONE, "x"), ":3:", "not a prop type"},
		{FILE_OF("\"n\": {\"type\": \"integer\", \"x\": 1}", ONE, "x"), ":3:", "x"},
		{FILE_OF("\"n\": {\"type\": \"text\", \"unit\": \"$\"}", ONE, "x"), ":3:", "unit"},
		{FILE_OF("\"n\": {\"type\": \"number\", \"unit\": \"moons\"}", ONE, "x"),
		 ":3:", "unit"},
		{FILE_OF("\"n\": {\"type\": \"table\"}", ONE, "x"), ":3:", "needs columns"},
		{FILE_OF("\"n\": {\"type\": \"table\", \"columns\": {\"a\": \"moon\"}}", ONE, "x"),
		 ":3:", "is not a column type"},
		{FILE_OF("\"n\": {\"type\": \"table\", \"columns\": {\"a\": \"text\"}, \"rows\": "
			 "501}",
			 ONE, "x"),
		 ":3:", "1 to 500"},
		{FILE_OF("\"n\": {\"type\": \"series\", \"x\": \"a\"}", ONE, "x"),
		 ":3:", "y: [COLUMN]"},
		{FILE_OF(N, "", "x"), ":4:", "1 to 24 parts"},
		{FILE_OF(N, "{\"pie\": \"n\"}", "x"), ":4:", "a part must be"},
		{FILE_OF(N, "{\"cards\": \"n\"}", "x"), ":4:", "a list"},
		{FILE_OF(N, "{\"cards\": [\"m\"]}", "x"), ":4:", "not a prop"},
		{FILE_OF(N, "{\"table\": \"n\"}", "x"),
		 ":4:", "table cannot show a prop of type integer"},
		{FILE_OF(N, "{\"progress\": \"n\"}", "x"), ":4:", "unit %"},
		{FILE_OF(N, "{\"cards\": [\"n\"], \"empty\": \"x\"}", "x"), ":4:", "these members"},
		{FILE_OF(N ", \"w\": {\"type\": \"text\"}", "{\"badge\": \"w\"}", "x"),
		 ":4:", "tones"},
		{FILE_OF(N ", \"w\": {\"type\": \"text\"}",
			 "{\"badge\": \"w\", \"tones\": {\"a\": \"pink\"}}", "x"),
		 ":4:", "positive, caution"},
		{FILE_OF(N, ONE, "{m}"), ":5:", "not a prop with a single value"},
		{FILE_OF(N T, ONE, "{t}"), ":5:", "not a prop with a single value"},
		{FILE_OF(N, ONE, "{n"), ":5:", "not closed"},
		{FILE_OF(N, ONE, "[[{n}"), ":5:", "not closed"},
		{FILE_OF(N, ONE, "]]"), ":5:", "paired"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *expected = rows[i].expected;
		char *place = mem_printf(PATH "%s", rows[i].line);

		assert_rejected(PATH, rows[i].text, place);
		assert_rejected(PATH, rows[i].text, expected);
		mem_free(place);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_declared_components, set_up, tear_down),
		cmocka_unit_test_setup_teardown(errors_name_file_and_line, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
