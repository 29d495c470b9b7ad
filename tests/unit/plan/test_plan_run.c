/* Plans that run: side by side inside a wave, one after the other between waves, skipped after a
 * failure, cancelled whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "vesper/mem.h"
#include "vesper/plan.h"

#define AFTER(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A task that ends when the loop turns, unless it is told to hang. */
struct job {
	struct op op;
	struct later later;
	struct stage *stage;
	struct task *task;
};

struct stage {
	struct loop *loop;
	struct plan_run *run;
	const char *fails, *hangs;
	char told[200]; /* what happened, in order */
	int running, most, cancelled;
	bool done;
};

static void tell(struct stage *s, const char *what, const char *id)
{
	size_t n = strlen(s->told);

	snprintf(s->told + n, sizeof(s->told) - n, "%s%s ", what, id);
}

static void on_end(void *owner)
{
	struct job *j = owner;
	struct stage *s = j->stage;
	struct task *task = j->task;
	bool completed = !s->fails || strcmp(s->fails, task->id) != 0;

	s->running--;
	tell(s, completed ? "-" : "!", task->id);
	mem_free(j);
	plan_task_done(s->run, task, completed);
}

static void on_cancel(struct op *op)
{
	struct job *j = (struct job *)(void *)op;

	j->stage->cancelled++;
	later_cancel(&j->later);
	mem_free(j);
}

static struct op *on_task(void *owner, struct task *task)
{
	struct stage *s = owner;
	struct job *j = mem_alloc(sizeof(*j));

	j->op.cancel = on_cancel;
	j->stage = s;
	j->task = task;
	tell(s, "+", task->id);
	if (++s->running > s->most)
		s->most = s->running;
	if (!s->hangs || strcmp(s->hangs, task->id) != 0)
		loop_later(s->loop, &j->later, on_end, j);
	return &j->op;
}

static void on_plan_done(void *owner)
{
	struct stage *s = owner;

	s->done = true;
	s->run = NULL;
}

static void play(struct stage *s, struct task *tasks, size_t count, int turns)
{
	struct plan p = {.tasks = tasks, .count = count};
	struct err e = {0};

	assert_true(plan_check(&p, &e));
	assert_true(loop_new(&s->loop, &e));
	s->run = plan_start(s->loop, &p, on_task, on_plan_done, s);
	assert_string_equal(s->told, ""); /* nothing starts from inside plan_start */
	for (int i = 0; i < turns; i++)
		loop_turn(s->loop);
	plan_cancel(&s->run);
	loop_free(&s->loop);
}

static void a_wave_runs_side_by_side(void **state)
{
	struct task tasks[] = {
		{.id = "a"}, {.id = "b"}, {.id = "c", .depends_on = AFTER("a", "b")}};
	struct stage s = {0};

	(void)state;
	play(&s, tasks, 3, 10);
	assert_true(s.done);
	assert_int_equal(s.most, 2);
	assert_string_equal(s.told, "+a +b -a -b +c -c ");
	assert_int_equal(tasks[2].state, TASK_COMPLETED);
}

static void what_depends_on_a_failure_is_skipped(void **state)
{
	struct task tasks[] = {{.id = "c", .depends_on = AFTER("b")},
			       {.id = "b", .depends_on = AFTER("a")},
			       {.id = "a"},
			       {.id = "d"}};
	struct stage s = {.fails = "a"};

	(void)state;
	play(&s, tasks, 4, 10);
	assert_true(s.done);
	assert_int_equal(tasks[2].state, TASK_FAILED);
	assert_int_equal(tasks[1].state, TASK_SKIPPED);
	assert_int_equal(tasks[0].state, TASK_SKIPPED);
	assert_int_equal(tasks[3].state, TASK_COMPLETED);
}

static void cancel_reaches_what_runs_and_nothing_else(void **state)
{
	struct task tasks[] = {{.id = "a"}, {.id = "b"}, {.id = "c", .depends_on = AFTER("b")}};
	struct stage s = {.hangs = "b"};

	(void)state;
	play(&s, tasks, 3, 10);
	assert_false(s.done);
	assert_int_equal(s.cancelled, 1);
	assert_string_equal(s.told, "+a +b -a ");
}

static void cancel_before_the_start_starts_nothing(void **state)
{
	struct task tasks[] = {{.id = "a"}};
	struct stage s = {0};

	(void)state;
	play(&s, tasks, 1, 0);
	assert_false(s.done);
	assert_string_equal(s.told, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wave_runs_side_by_side),
		cmocka_unit_test(what_depends_on_a_failure_is_skipped),
		cmocka_unit_test(cancel_reaches_what_runs_and_nothing_else),
		cmocka_unit_test(cancel_before_the_start_starts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
