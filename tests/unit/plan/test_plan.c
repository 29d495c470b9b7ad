/* Plans before they run: waves, and everything that is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/plan.h"

#define AFTER(...) ((const char *const[]){__VA_ARGS__, NULL})

static void waves_follow_dependencies(void **state)
{
	struct task tasks[] = {
		{.id = "c", .depends_on = AFTER("a", "b")},
		{.id = "a"},
		{.id = "b", .depends_on = AFTER("a")},
		{.id = "d"},
	};
	struct plan p = {.tasks = tasks, .count = 4};
	struct err e = {0};

	(void)state;
	assert_true(plan_check(&p, &e));
	assert_int_equal(tasks[1].wave, 0);
	assert_int_equal(tasks[3].wave, 0);
	assert_int_equal(tasks[2].wave, 1);
	assert_int_equal(tasks[0].wave, 2);
}

static void refuse(struct task *tasks, size_t count, const char *why)
{
	struct plan p = {.tasks = tasks, .count = count};
	struct err e = {0};

	assert_false(plan_check(&p, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_non_null(strstr(e.text, why));
}

static void circles_are_refused(void **state)
{
	struct task two[] = {{.id = "a", .depends_on = AFTER("b")},
			     {.id = "b", .depends_on = AFTER("a")}};
	struct task self[] = {{.id = "a", .depends_on = AFTER("a")}};
	struct task tail[] = {{.id = "x"},
			      {.id = "a", .depends_on = AFTER("x", "b")},
			      {.id = "b", .depends_on = AFTER("a")}};

	(void)state;
	refuse(two, 2, "circle");
	refuse(self, 1, "circle");
	refuse(tail, 3, "circle");
}

static void strangers_and_twins_are_refused(void **state)
{
	struct task stranger[] = {{.id = "a", .depends_on = AFTER("z")}};
	struct task twins[] = {{.id = "a"}, {.id = "a"}};
	struct task nameless[] = {{.id = ""}};

	(void)state;
	refuse(stranger, 1, "z, which does not exist");
	refuse(twins, 2, "two tasks are called a");
	refuse(nameless, 1, "no id");
}

static void the_number_of_tasks_is_bounded(void **state)
{
	struct task tasks[PLAN_TASKS_MAX + 1];
	char ids[PLAN_TASKS_MAX + 1][8];
	struct plan p = {.tasks = tasks, .count = PLAN_TASKS_MAX};
	struct err e = {0};

	(void)state;
	memset(tasks, 0, sizeof(tasks));
	for (size_t i = 0; i <= PLAN_TASKS_MAX; i++) {
		snprintf(ids[i], sizeof(ids[i]), "t%zu", i);
		tasks[i].id = ids[i];
	}
	assert_true(plan_check(&p, &e));
	refuse(tasks, PLAN_TASKS_MAX + 1, "1 to 16");
	refuse(tasks, 0, "1 to 16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waves_follow_dependencies),
		cmocka_unit_test(circles_are_refused),
		cmocka_unit_test(strangers_and_twins_are_refused),
		cmocka_unit_test(the_number_of_tasks_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
