/* Plans before they run: waves, and invalid plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/plan.h"

#define MANY 200 /* tasks */

#define AFTER(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

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
	assert_true(plan_check(&p, arena, &e));
	assert_int_equal(tasks[1].wave, 0);
	assert_int_equal(tasks[3].wave, 0);
	assert_int_equal(tasks[2].wave, 1);
	assert_int_equal(tasks[0].wave, 2);
}

static enum plan_flaw refuse(struct task *tasks, size_t count, const char *why)
{
	struct plan p = {.tasks = tasks, .count = count};
	struct err e = {0};

	assert_false(plan_check(&p, arena, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_non_null(strstr(e.text, why));
	return p.flaw;
}

static void rejects_cycles(void **state)
{
	struct task two[] = {{.id = "a", .depends_on = AFTER("b")},
			     {.id = "b", .depends_on = AFTER("a")}};
	struct task self[] = {{.id = "a", .depends_on = AFTER("a")}};
	struct task tail[] = {{.id = "x"},
			      {.id = "a", .depends_on = AFTER("x", "b")},
			      {.id = "b", .depends_on = AFTER("a")}};

	(void)state;
	assert_int_equal(refuse(two, 2, "cycle"), PLAN_CYCLE);
	refuse(self, 1, "cycle");
	refuse(tail, 3, "cycle");
}

static void rejects_unknown_and_duplicate_ids(void **state)
{
	struct task stranger[] = {{.id = "a", .depends_on = AFTER("z")}};
	struct task twins[] = {{.id = "a"}, {.id = "a"}};
	struct task nameless[] = {{.id = ""}};

	(void)state;
	assert_int_equal(refuse(stranger, 1, "z, which does not exist"), PLAN_UNKNOWN);
	refuse(twins, 2, "two tasks are named a");
	refuse(nameless, 1, "no id");
}

static void rejects_too_many_tasks(void **state)
{
	struct task tasks[MANY];
	char ids[MANY][8];
	struct plan p = {.tasks = tasks, .count = PLAN_TASKS_MAX};
	struct err e = {0};

	(void)state;
	memset(tasks, 0, sizeof(tasks));
	for (size_t i = 0; i < MANY; i++) {
		snprintf(ids[i], sizeof(ids[i]), "t%zu", i);
		tasks[i].id = ids[i];
	}
	assert_true(plan_check(&p, arena, &e));
	assert_int_equal(p.flaw, PLAN_VALID);
	assert_int_equal(refuse(tasks, PLAN_TASKS_MAX + 1, "1 to 16"), PLAN_TOO_LARGE);
	assert_int_equal(refuse(tasks, MANY, "1 to 16"), PLAN_TOO_LARGE);
	assert_int_equal(refuse(tasks, 0, "1 to 16"), PLAN_EMPTY);
}

static const json_t *args(const char *text)
{
	json_t *json;
	struct err e = {0};

	assert_true(json_parse(text, strlen(text), 4096, &json, &e));
	return json_own(arena, json);
}

static void task_waits_for_its_references(void **state)
{
	struct task tasks[] = {
		{.id = "late",
		 .json_args = args("{\"a\":{\"$ref\":\"first.rows[0].name\"},"
				   "\"b\":[1,{\"$ref\":\"second.facts.x\"}]}"),
		 .depends_on = AFTER("first")},
		{.id = "second", .condition = "first.row_count > 0 and first.outcome == rows"},
		{.id = "first"},
	};
	struct plan p = {.tasks = tasks, .count = 3};
	struct err e = {0};

	(void)state;
	assert_true(plan_check(&p, arena, &e));
	assert_int_equal(tasks[2].wave, 0);
	assert_int_equal(tasks[1].wave, 1);
	assert_int_equal(tasks[0].wave, 2);
}

/* A step named in depends_on, in the condition and in references is listed once. */
static void removes_duplicate_dependencies(void **state)
{
	struct task tasks[] = {
		{.id = "a"},
		{.id = "b"},
		{.id = "c",
		 .depends_on = AFTER("a", "a"),
		 .condition = "a.row_count > 0 and b.row_count > 0",
		 .json_args = args("{\"x\":{\"$ref\":\"a.rows[0].name\"},"
				   "\"y\":{\"$ref\":\"b.rows[0].name\"}}")},
	};
	struct plan p = {.tasks = tasks, .count = 3};
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < 2; i++) { /* checking a plan again does not change it */
		assert_true(plan_check(&p, arena, &e));
		assert_string_equal(tasks[2].depends_on[0], "a");
		assert_string_equal(tasks[2].depends_on[1], "b");
		assert_null(tasks[2].depends_on[2]);
		assert_true(!tasks[2].waits_for || !tasks[2].waits_for[0]);
		assert_int_equal(tasks[2].wave, 1);
	}
}

static void rejects_reference_to_unknown_task(void **state)
{
	struct task bad[] = {{.id = "a", .json_args = args("{\"x\":{\"$ref\":\"b.cells\"}}")}};
	struct task unknown[] = {
		{.id = "a", .json_args = args("{\"x\":{\"$ref\":\"b.row_count\"}}")}};
	struct task self[] = {{.id = "a", .condition = "a.row_count > 0"}};
	struct task wrong[] = {{.id = "a"}, {.id = "b", .condition = "a.row_count > 0; drop"}};

	(void)state;
	refuse(bad, 1, "task a must refer to values of b, not to the whole task");
	refuse(unknown, 1, "b, which does not exist");
	refuse(self, 1, "cycle");
	refuse(wrong, 2, "condition of task b");
}

static unsigned seed;

static unsigned below(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* A task may depend on any task, including itself. */
static void make_graph(struct task *tasks, size_t count, char ids[][8])
{
	memset(tasks, 0, count * sizeof(*tasks));
	for (size_t i = 0; i < count; i++) {
		const char **after = arena_alloc(arena, 4 * sizeof(*after));
		size_t n = 0;

		snprintf(ids[i], 8, "t%zu", i);
		tasks[i].id = ids[i];
		for (unsigned k = below(3); k-- > 0;)
			after[n++] = ids[below((unsigned)count)];
		tasks[i].depends_on = after;
	}
}

static size_t place_of(const char *id)
{
	return (size_t)(id[1] - '0');
}

/* For any dependencies, either each task has a wave after those of its dependencies, or plan_check
 * reports a cycle. */
static void any_graph_has_waves_or_a_cycle(void **state)
{
	size_t circles = 0;

	(void)state;
	for (seed = 1; seed <= 10000; seed++) {
		unsigned kept = seed;
		size_t count = 1 + below(9);
		struct task tasks[9];
		char ids[9][8];
		struct plan p = {.tasks = tasks, .count = count};
		struct err e = {0};

		make_graph(tasks, count, ids);
		if (!plan_check(&p, arena, &e)) {
			assert_int_equal(p.flaw, PLAN_CYCLE);
			circles++;
		} else {
			assert_int_equal(p.flaw, PLAN_VALID);
			for (size_t i = 0; i < count; i++)
				for (const char *const *id = tasks[i].depends_on; *id; id++)
					assert_true(tasks[place_of(*id)].wave < tasks[i].wave);
		}
		seed = kept;
	}
	assert_in_range(circles, 1000, 9000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waves_follow_dependencies),
		cmocka_unit_test(rejects_cycles),
		cmocka_unit_test(rejects_unknown_and_duplicate_ids),
		cmocka_unit_test(rejects_too_many_tasks),
		cmocka_unit_test(task_waits_for_its_references),
		cmocka_unit_test(removes_duplicate_dependencies),
		cmocka_unit_test(rejects_reference_to_unknown_task),
		cmocka_unit_test(any_graph_has_waves_or_a_cycle),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
