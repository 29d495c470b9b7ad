/* Answers that need no time come from the loop, once, or never where they were cancelled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/list.h"
#include "vesper/op_later.h"

struct question {
	struct op_later later;
	int *answered, *cleaned;
};

static size_t running;

static void on_answer(struct op_later *later)
{
	struct question *q = list_item(later, struct question, later);

	assert_int_equal(running, 0); /* whoever counts may close now */
	assert_int_equal(*q->cleaned, 0);
	(*q->answered)++;
}

static void on_clean(struct op_later *later)
{
	(*list_item(later, struct question, later)->cleaned)++;
}

static struct op *ask(struct loop *l, int *answered, int *cleaned)
{
	struct question *q = op_later_new(l, sizeof(*q), &running, on_answer, on_clean);

	q->answered = answered;
	q->cleaned = cleaned;
	return &q->later.op;
}

static void an_answer_comes_from_the_loop(void **state)
{
	int answered = 0, cleaned = 0;
	struct loop *l;
	struct err e;

	(void)state;
	assert_true(loop_new(&l, &e));
	ask(l, &answered, &cleaned);
	assert_int_equal(running, 1);
	assert_int_equal(answered, 0);
	loop_run(l);
	assert_int_equal(answered, 1);
	assert_int_equal(cleaned, 1);
	loop_free(&l);
}

static void a_cancelled_one_never_comes(void **state)
{
	int answered = 0, cleaned = 0;
	struct loop *l;
	struct err e;
	struct op *op;

	(void)state;
	assert_true(loop_new(&l, &e));
	op = ask(l, &answered, &cleaned);
	op_cancel(&op);
	assert_null(op);
	assert_int_equal(running, 0);
	assert_int_equal(cleaned, 1);
	loop_run(l);
	assert_int_equal(answered, 0);
	loop_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_comes_from_the_loop),
		cmocka_unit_test(a_cancelled_one_never_comes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
