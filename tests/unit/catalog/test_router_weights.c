/* The weights of the router: names and bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "small_root.h"
#include "vesper/catalog.h"

static void assert_rejected(const char *router, const char *why)
{
	struct temp_root root = small_root_new();
	struct catalog *c;
	struct err e;

	temp_root_write(&root, "config/router.json", router);
	assert_false(catalog_load((const char *const[]){root.path, NULL}, NULL, &c, &e));
	if (!strstr(e.text, why))
		fail_msg("\"%s\" does not contain \"%s\"", e.text, why);
	temp_root_free(&root);
}

static void reads_weights(void **state)
{
	struct temp_root root = small_root_new();
	struct catalog *c;
	struct err e;

	(void)state;
	assert_true(catalog_load((const char *const[]){root.path, NULL}, NULL, &c, &e));
	assert_float_equal(c->router.words.name, 3, 1e-9);
	assert_float_equal(c->router.score.other_list, -0.7, 1e-9);
	assert_float_equal(c->router.confidence.strange, -0.4, 1e-9);
	assert_float_equal(c->router.kind[CANDIDATE_TOOL], 0, 1e-9);
	assert_float_equal(c->router.kind[CANDIDATE_APPROVED], 0.15, 1e-9);
	assert_float_equal(c->router.flow.least, 0.7, 1e-9);
	catalog_unref(&c);
	temp_root_free(&root);
}

static void rejects_invalid_weights(void **state)
{
	(void)state;
	assert_rejected(NULL, "config/router.json");
	assert_rejected("{}", "config/router.json:1: words.name");
	assert_rejected("{\n\"wordz\": {}}", "config/router.json:2: wordz: unknown member");
	assert_rejected("{\n\"words\": {\"nam\": 1}}",
			"config/router.json:2: words: nam: unknown member");
	assert_rejected("{\n\"kind\": {\"tools\": 0}}",
			"config/router.json:2: kind: tools: unknown member");
	assert_rejected("{\n\n\"words\": 5}", "config/router.json:3: words: not an object");
	assert_rejected("{\"words\": {\"name\": \"3\"}}",
			"words.name: expected a number from 0 to 10");
	assert_rejected("{\"words\": {\n\"name\": 11}}",
			"config/router.json:2: words.name: expected a number from 0 to 10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_weights),
		cmocka_unit_test(rejects_invalid_weights),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
