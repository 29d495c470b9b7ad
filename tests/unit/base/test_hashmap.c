/* The hash map: added nodes are found until they are removed, at any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "vesper/hashmap.h"

#define ITEM_COUNT 5000

struct item {
	struct hashmap_node node;
	char key[32];
	size_t number;
};

static struct item items[ITEM_COUNT];

static struct item *find(const struct hashmap *m, struct str key)
{
	struct hashmap_node *node = hashmap_find(m, key);

	return node ? hashmap_item(node, struct item, node) : NULL;
}

static void finds_added_nodes_until_they_are_removed(void **state)
{
	struct hashmap m;

	(void)state;
	hashmap_init(&m);
	for (size_t i = 0; i < ITEM_COUNT; i++) {
		snprintf(items[i].key, sizeof(items[i].key), "%zu of %d", i, ITEM_COUNT);
		items[i].number = i;
		assert_null(find(&m, str_of(items[i].key)));
		hashmap_add(&m, &items[i].node, str_of(items[i].key));
	}
	assert_int_equal(m.count, ITEM_COUNT);
	for (size_t i = 0; i < ITEM_COUNT; i += 2)
		hashmap_remove(&m, &items[i].node);
	assert_int_equal(m.count, ITEM_COUNT / 2);
	for (size_t i = 0; i < ITEM_COUNT; i++) {
		struct item *found = find(&m, str_of(items[i].key));

		if (i % 2 == 0)
			assert_null(found);
		else
			assert_ptr_equal(found, &items[i]);
	}
	hashmap_deinit(&m);
}

static void iteration_visits_each_node_once_despite_removal(void **state)
{
	struct hashmap m;
	size_t visited = 0;

	(void)state;
	hashmap_init(&m);
	hashmap_each(node, &m)
		fail();
	for (size_t i = 0; i < ITEM_COUNT; i++) {
		snprintf(items[i].key, sizeof(items[i].key), "%zu", i);
		items[i].number = 0;
		hashmap_add(&m, &items[i].node, str_of(items[i].key));
	}
	hashmap_each(node, &m) {
		assert_int_equal(hashmap_item(node, struct item, node)->number++, 0);
		if (visited++ % 2 == 0)
			hashmap_remove(&m, node);
	}
	assert_int_equal(visited, ITEM_COUNT);
	assert_int_equal(m.count, ITEM_COUNT / 2);
	hashmap_deinit(&m);
}

/* Keys may contain zero bytes, and a prefix of a key is a different key. */
static void keys_are_bytes_of_any_length(void **state)
{
	static const char bytes[] = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	struct hashmap m;

	(void)state;
	hashmap_init(&m);
	for (size_t n = 0; n < sizeof(bytes); n++) {
		assert_null(find(&m, (struct str){bytes, n}));
		hashmap_add(&m, &items[n].node, (struct str){bytes, n});
	}
	for (size_t n = 0; n < sizeof(bytes); n++)
		assert_ptr_equal(find(&m, (struct str){bytes, n}), &items[n]);
	hashmap_deinit(&m);
}

/* Each hash map has a separate secret, so that callers cannot choose colliding keys. */
static void key_hash_differs_between_hashmaps(void **state)
{
	struct hashmap a, b;
	struct item x = {0}, y = {0};

	(void)state;
	hashmap_init(&a);
	hashmap_init(&b);
	hashmap_add(&a, &x.node, STR("the same"));
	hashmap_add(&b, &y.node, STR("the same"));
	assert_int_not_equal(x.node.hash, y.node.hash);
	hashmap_deinit(&a);
	hashmap_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_added_nodes_until_they_are_removed),
		cmocka_unit_test(iteration_visits_each_node_once_despite_removal),
		cmocka_unit_test(keys_are_bytes_of_any_length),
		cmocka_unit_test(key_hash_differs_between_hashmaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
