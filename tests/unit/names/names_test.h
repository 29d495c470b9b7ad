/* The names of the catalogue of goods. */
#ifndef TESTS_NAMES_TEST_H
#define TESTS_NAMES_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "goods_catalog.h"
#include "names_int.h"
#include "vesper/mem.h"

struct fixture {
	struct entity_index *index;
	struct arena *arena;
};

static inline int fixture_setup(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	f->index = entity_index_new(&goods_catalog);
	f->arena = arena_new(1 << 24);
	*state = f;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	entity_index_free(&f->index);
	arena_free(&f->arena);
	mem_free(f);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

#endif
