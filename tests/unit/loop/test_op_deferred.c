/* Deferred operations: the answer is delivered by the loop once, or never after a cancel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/list.h"
#include "vesper/op_deferred.h"

struct question {
	struct op_deferred deferred;
	int *answered, *cleaned;
};

static size_t running;

static void on_answer(struct op_deferred *deferred)
{
	struct question *q = list_item(deferred, struct question, deferred);

	assert_int_equal(running, 0); /* the owner of the counter may close now */
	assert_int_equal(*q->cleaned, 0);
	(*q->answered)++;
}

static void on_clean(struct op_deferred *deferred)
{
	(*list_item(deferred, struct question, deferred)->cleaned)++;
}

static struct op *ask(struct loop *l, int *answered, int *cleaned)
{
	struct question *q = op_deferred_new(l, sizeof(*q), &running, on_answer, on_clean);

	q->answered = answered;
	q->cleaned = cleaned;
	return &q->deferred.op;
}

static void answer_is_delivered_by_the_loop(void **state)
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

static void cancelled_operation_delivers_no_answer(void **state)
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
		cmocka_unit_test(answer_is_delivered_by_the_loop),
		cmocka_unit_test(cancelled_operation_delivers_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
