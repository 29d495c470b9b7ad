/* JSON without trees: writing to a buffer, and reading items and members of a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/mem.h"

static struct buf out;
static struct json_out j;

static int setup(void **state)
{
	(void)state;
	buf_init(&out, 1 << 16);
	jo_init(&j, &out);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	buf_deinit(&out);
	return 0;
}

static void commas_separate_items(void **state)
{
	(void)state;
	jo_object(&j);
	jo_set_str(&j, "a", "x");
	jo_set_str(&j, "absent", NULL);
	jo_set_raw(&j, "absent", (struct str){0});
	jo_key(&j, "list");
	jo_array(&j);
	jo_int(&j, 1);
	jo_object(&j);
	jo_object_end(&j);
	jo_bool(&j, true);
	jo_array_end(&j);
	jo_raw(&j, STR("\"b\":2,\"c\":3"));
	jo_raw(&j, STR(""));
	jo_set_bool(&j, "d", false);
	jo_object_end(&j);
	assert_string_equal(buf_text(&out),
			    "{\"a\":\"x\",\"list\":[1,{},true],\"b\":2,\"c\":3,\"d\":false}");
}

/* The output equals that of a JSON tree. */
static void texts_are_sanitized_as_in_trees(void **state)
{
	static const char *const texts[] = {
		"plain", "a \"b\"\n\\", "\xff\xc3", "\356\200\20048.73", "\xf0\x9f\x98\x80",
		"",      "\x01\x1f\x7f"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *node = json_str(texts[i]);
		struct buf tree;

		buf_init(&tree, 1000);
		buf_json(&tree, node);
		buf_reset(&out);
		jo_init(&j, &out);
		jo_str(&j, str_of(texts[i]));
		assert_string_equal(buf_text(&out), buf_text(&tree));
		json_decref(node);
		buf_deinit(&tree);
	}
}

static void names_are_escaped_and_limited(void **state)
{
	struct buf small;

	(void)state;
	jo_object(&j);
	jo_set_int(&j, "a \"b\"", 1);
	jo_set_int(&j, "", 2);
	jo_set_int(&j, "plain", 3);
	jo_object_end(&j);
	assert_string_equal(buf_text(&out), "{\"a \\\"b\\\"\":1,\"\":2,\"plain\":3}");
	buf_init(&small, 6);
	jo_init(&j, &small);
	jo_object(&j);
	jo_key(&j, "too long");
	assert_true(buf_over(&small));
	buf_deinit(&small);
}

static void large_integers_are_text(void **state)
{
	(void)state;
	jo_array(&j);
	jo_int(&j, INT64_C(9007199254740992));
	jo_int(&j, INT64_C(9007199254740993));
	jo_int(&j, INT64_MIN);
	jo_array_end(&j);
	assert_string_equal(buf_text(&out),
			    "[9007199254740992,\"9007199254740993\",\"-9223372036854775808\"]");
}

static void decimals_are_written_as_in_trees(void **state)
{
	static const char *const digits[] = {"48.7300", "-.5",
					     "5.",      "+1",
					     "007.10",  "n/a",
					     "",        "123456789012345.678",
					     "1e400",   "9007199254740993"};

	(void)state;
	for (size_t i = 0; i < sizeof(digits) / sizeof(digits[0]); i++) {
		json_t *node = json_decimal(digits[i]);
		char *text = json_text(node);

		buf_reset(&out);
		jo_init(&j, &out);
		jo_decimal(&j, digits[i]);
		assert_string_equal(buf_text(&out), text);
		json_decref(node);
		mem_free(text);
	}
}

static void items_are_read_one_by_one(void **state)
{
	static const char array[] = "[{\"a\":[1,\",]\\\"\"]},\"b,\",-2.5,[],null]";
	static const char *const items[] = {"{\"a\":[1,\",]\\\"\"]}", "\"b,\"", "-2.5", "[]",
					    "null"};
	static const char *const broken[] = {"", ",", "[", "\"", "{\"a\":\"}", "\"\\"};
	struct str rest = json_inside(str_of(array)), item;

	(void)state;
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		assert_true(json_item_next(&rest, &item));
		assert_true(str_eq(item, str_of(items[i])));
	}
	assert_false(json_item_next(&rest, &item));
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		rest = str_of(broken[i]);
		assert_false(json_item_next(&rest, &item));
	}
}

static void members_are_found_by_name(void **state)
{
	struct str object = STR("{\"a\":{\"b\":1},\"bb\":\"x\",\"b\":[2],\"\":3}"), value;

	(void)state;
	assert_true(json_member(object, "b", &value));
	assert_true(str_eq(value, STR("[2]")));
	assert_true(json_member(object, "a", &value));
	assert_true(str_eq(value, STR("{\"b\":1}")));
	assert_true(json_member(object, "", &value));
	assert_true(str_eq(value, STR("3")));
	assert_false(json_member(object, "c", &value));
	assert_false(json_member(STR("{}"), "b", &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(commas_separate_items, setup, teardown),
		cmocka_unit_test_setup_teardown(texts_are_sanitized_as_in_trees, setup, teardown),
		cmocka_unit_test_setup_teardown(names_are_escaped_and_limited, setup, teardown),
		cmocka_unit_test_setup_teardown(large_integers_are_text, setup, teardown),
		cmocka_unit_test_setup_teardown(items_are_read_one_by_one, setup, teardown),
		cmocka_unit_test(members_are_found_by_name),
		cmocka_unit_test_setup_teardown(decimals_are_written_as_in_trees, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
