/* Named sources, and their batches of results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/source.h"

static void sources_are_found_by_name(void **state)
{
	struct source one = {.name = "warehouse"}, two = {.name = "other"};
	struct source *items[] = {&one, &two};
	const struct source_table t = {items, 2};

	(void)state;
	assert_ptr_equal(source_find(&t, SOURCE_WAREHOUSE), &one);
	assert_ptr_equal(source_find(&t, "other"), &two);
	assert_null(source_find(&t, "othe"));
	assert_null(source_find(&(struct source_table){0}, "other"));
}

static void batches_are_freed_with_their_results(void **state)
{
	struct source_batch batches[] = {{.table = table_new(4096)}, {0}};

	(void)state;
	source_batches_free(batches, 2); /* a leak would be reported at the end */
	assert_null(batches[0].table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_are_found_by_name),
		cmocka_unit_test(batches_are_freed_with_their_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
