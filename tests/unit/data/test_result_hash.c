/* Result hashes: equal for equal data, different for any difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vesper/result.h"

struct sample {
	struct arena *arena;
	struct result *r;
	struct column columns[2];
	const char *cells[2][2];
	const char **rows[2];
	struct column_stats stats[2];
};

static int set_up(void **state)
{
	static struct sample s;
	struct table *t;

	s = (struct sample){
		.arena = arena_new(1 << 20),
		.columns = {{.name = "Hub", .type = COLUMN_TEXT},
			    {.name = "Price", .type = COLUMN_DECIMAL}},
		.cells = {{"NP15", "48.73"}, {"SP15", NULL}},
		.stats = {{.count = 2, .min = "NP15", .max = "SP15"},
			  {.count = 1,
			   .nulls = 1,
			   .is_sum_exact = true,
			   .sum = {.units = 4873, .scale = 2},
			   .min = "48.73",
			   .max = "48.73"}},
	};
	s.rows[0] = s.cells[0];
	s.rows[1] = s.cells[1];
	s.r = result_new(s.arena);
	t = table_new(1000);
	t->name = "main";
	t->columns = s.columns;
	t->column_count = 2;
	t->rows = s.rows;
	t->row_count = 2;
	t->total_rows = 2;
	t->stats = s.stats;
	result_add_table(s.r, s.arena, t);
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct sample *s = *state;

	arena_free(&s->arena);
	return 0;
}

static void equal_results_have_equal_hashes(void **state)
{
	struct sample *s = *state;
	char one[HASH_HEX_BYTES], two[HASH_HEX_BYTES];

	result_hash(s->r, one);
	s->r->duration_us = 99;
	s->r->call = "c7";
	s->columns[0].label = "Hub-zone";
	result_hash(s->r, two);
	assert_string_equal(one, two);
	assert_int_equal(strlen(one), 64);
}

#define DIFFERS(s, member, other)                                                                  \
	do {                                                                                       \
		char before[HASH_HEX_BYTES], after[HASH_HEX_BYTES];                                \
		__typeof__(member) saved = member;                                                 \
		result_hash((s)->r, before);                                                       \
		member = other;                                                                    \
		result_hash((s)->r, after);                                                        \
		assert_string_not_equal(before, after);                                            \
		member = saved;                                                                    \
	} while (0)

static void every_difference_changes_the_hash(void **state)
{
	struct sample *s = *state;
	struct table *t = s->r->tables[0];

	DIFFERS(s, s->cells[0][1], "48.74");
	DIFFERS(s, s->cells[1][1], "");
	DIFFERS(s, s->cells[0][0], "NP15 ");
	DIFFERS(s, s->columns[1].name, "Price2");
	DIFFERS(s, s->columns[1].type, COLUMN_INT);
	DIFFERS(s, t->row_count, 1);
	DIFFERS(s, t->total_rows, 3);
	DIFFERS(s, t->truncated, true);
	DIFFERS(s, t->name, "hours");
	DIFFERS(s, s->stats[1].sum.units, 4874);
	DIFFERS(s, s->stats[0].max, "ZP26");
	DIFFERS(s, s->r->outcome.kind, OUTCOME_EMPTY);
	DIFFERS(s, s->r->outcome.range_min, "2024");
}

static void row_order_matters_only_if_defined(void **state)
{
	struct sample *s = *state;
	const char **rows[] = {s->cells[1], s->cells[0]};
	char one[HASH_HEX_BYTES], two[HASH_HEX_BYTES];

	DIFFERS(s, s->r->tables[0]->rows, rows);
	DIFFERS(s, s->r->any_order, true);
	s->r->any_order = true;
	result_hash(s->r, one);
	s->r->tables[0]->rows = rows;
	result_hash(s->r, two);
	assert_string_equal(one, two);
	/* Duplicate rows count, and cells belong to their rows. */
	DIFFERS(s, rows[1], rows[0]);
	DIFFERS(s, s->cells[0][0], "SP15");
}

static void adjacent_cells_are_distinct(void **state)
{
	struct sample *s = *state;
	char one[HASH_HEX_BYTES], two[HASH_HEX_BYTES];

	s->cells[0][0] = "ab";
	s->cells[0][1] = "c";
	result_hash(s->r, one);
	s->cells[0][0] = "a";
	s->cells[0][1] = "bc";
	result_hash(s->r, two);
	assert_string_not_equal(one, two);
}

#define SAMPLE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLE_TEST(equal_results_have_equal_hashes),
		SAMPLE_TEST(every_difference_changes_the_hash),
		SAMPLE_TEST(adjacent_cells_are_distinct),
		SAMPLE_TEST(row_order_matters_only_if_defined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
