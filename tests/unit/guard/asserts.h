/* Assertions for the number check: with the given results, all numbers of an answer are bound, or
 * at least one is not. */
#ifndef VESPER_GUARD_ASSERTS_H
#define VESPER_GUARD_ASSERTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "answers.h"

static struct arena *arena;
static const struct result *results[4];
static struct guard_input input;

static inline int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 24);
	input = (struct guard_input){.results = results,
				     .units = shipped_units(),
				     .question = "",
				     .today = {2026, 2, 27}};
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static inline void use_result(struct result *r)
{
	results[input.result_count++] = r;
}

/* Expects these marks for any chunking of the answer. */
static inline void assert_marks(const char *answer, const char *marked)
{
	static const size_t steps[] = {0, 1, 2, 3, 7};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct check_output o;

		check_answer(&input, answer, steps[i], &o);
		assert_string_equal(buf_text(&o.line), marked);
		check_output_free(&o);
	}
}

static inline void assert_bound(const char *answer)
{
	struct check_output o;

	check_answer(&input, answer, 1, &o);
	if (o.unbound > 0 || o.bound == 0)
		print_error("%s\n", buf_text(&o.line));
	assert_int_equal(o.unbound, 0);
	assert_true(o.bound > 0);
	check_output_free(&o);
}

/* No number of the answer is bound. */
static inline void assert_not_verified(const char *answer)
{
	struct check_output o;

	check_answer(&input, answer, 1, &o);
	if (o.bound > 0)
		print_error("%s\n", buf_text(&o.line));
	assert_int_equal(o.bound, 0);
	check_output_free(&o);
}

static inline void assert_flagged(const char *answer)
{
	struct check_output o;

	check_answer(&input, answer, 1, &o);
	if (o.unbound == 0)
		print_error("%s\n", buf_text(&o.line));
	assert_true(o.unbound > 0);
	check_output_free(&o);
}

#endif
