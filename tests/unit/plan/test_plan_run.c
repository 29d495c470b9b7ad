/* Running plans: tasks of a wave run concurrently and waves in sequence. Dependents of failed tasks
 * are skipped, and cancellation covers the whole plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "sample_results.h"
#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/plan.h"

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

/* A task that ends in the next loop iteration, unless it hangs. */
struct job {
	struct op op;
	struct deferred deferred;
	struct stage *stage;
	struct plan_run *run;
	struct task *task;
};

struct stage {
	struct loop *loop;
	struct plan_run *run;
	const char *fails, *hangs, *at_once; /* ids */
	struct result *result;               /* what every task gives */
	const struct flow_def *flow;         /* that the plan is of */
	char log[200];                       /* what happened, in order */
	int running, most, cancelled;
	bool done;
};

static void tell(struct stage *s, const char *what, const char *id)
{
	size_t n = strlen(s->log);

	snprintf(s->log + n, sizeof(s->log) - n, "%s%s ", what, id);
}

static void on_end(void *owner)
{
	struct job *j = owner;
	struct stage *s = j->stage;
	struct plan_run *run = j->run;
	struct task *task = j->task;
	bool completed = !s->fails || strcmp(s->fails, task->id) != 0;

	s->running--;
	tell(s, completed ? "-" : "!", task->id);
	task->results = &s->result;
	task->result_count = s->result != NULL;
	mem_free(j);
	plan_task_done(run, task, completed);
}

static void on_cancel(struct op *op)
{
	struct job *j = (struct job *)(void *)op;

	j->stage->cancelled++;
	deferred_cancel(&j->deferred);
	mem_free(j);
}

static struct op *on_task(void *owner, struct plan_run *run, struct task *task)
{
	struct stage *s = owner;
	struct job *j = mem_alloc(sizeof(*j));

	j->op.cancel = on_cancel;
	j->stage = s;
	j->run = run;
	j->task = task;
	tell(s, "+", task->id);
	if (++s->running > s->most)
		s->most = s->running;
	if (s->at_once && strstr(s->at_once, task->id)) {
		on_end(j);
		return NULL;
	}
	if (!s->hangs || strcmp(s->hangs, task->id) != 0)
		loop_defer(s->loop, &j->deferred, on_end, j);
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
	struct plan p = {.tasks = tasks, .count = count, .flow = s->flow};
	struct err e = {0};

	assert_true(plan_check(&p, arena, &e));
	assert_true(loop_new(&s->loop, &e));
	s->run = plan_start(s->loop, &p, arena, on_task, on_plan_done, s);
	assert_false(s->done); /* never within plan_start */
	for (int i = 0; i < turns; i++)
		loop_run_once(s->loop);
	plan_cancel(&s->run);
	loop_free(&s->loop);
}

static void tasks_of_a_wave_run_concurrently(void **state)
{
	struct task tasks[] = {
		{.id = "a"}, {.id = "b"}, {.id = "c", .depends_on = AFTER("a", "b")}};
	struct stage s = {0};

	(void)state;
	play(&s, tasks, 3, 10);
	assert_true(s.done);
	assert_int_equal(s.most, 2);
	assert_string_equal(s.log, "+a +b -a -b +c -c ");
	assert_int_equal(tasks[2].state, TASK_COMPLETED);
}

static void skips_dependents_of_failed_task(void **state)
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

static void cancels_only_running_tasks(void **state)
{
	struct task tasks[] = {{.id = "a"}, {.id = "b"}, {.id = "c", .depends_on = AFTER("b")}};
	struct stage s = {.hangs = "b"};

	(void)state;
	play(&s, tasks, 3, 10);
	assert_false(s.done);
	assert_int_equal(s.cancelled, 1);
	assert_string_equal(s.log, "+a +b -a ");
}

static void the_first_tasks_start_at_once(void **state)
{
	struct task tasks[] = {{.id = "a"}, {.id = "b", .depends_on = AFTER("a")}};
	struct stage s = {0};

	(void)state;
	play(&s, tasks, 2, 0);
	assert_false(s.done);
	assert_int_equal(s.cancelled, 1);
	assert_string_equal(s.log, "+a ");
}

static void tasks_may_end_during_start(void **state)
{
	struct task tasks[] = {{.id = "a"},
			       {.id = "b", .depends_on = AFTER("a")},
			       {.id = "c", .depends_on = AFTER("a")},
			       {.id = "d", .depends_on = AFTER("c")}};
	struct stage s = {.at_once = "abcd", .fails = "c"};

	(void)state;
	play(&s, tasks, 4, 1);
	assert_true(s.done);
	assert_string_equal(s.log, "+a -a +b -b +c !c ");
	assert_int_equal(tasks[3].state, TASK_SKIPPED);
}

static void cancels_completed_plan_before_its_callback(void **state)
{
	struct task tasks[] = {{.id = "a"}};
	struct stage s = {.at_once = "a"};

	(void)state;
	play(&s, tasks, 1, 0);
	assert_false(s.done);
	assert_int_equal(s.cancelled, 0);
	assert_string_equal(s.log, "+a -a ");
}

static void plan_waits_for_running_tasks(void **state)
{
	struct task tasks[] = {
		{.id = "a"}, {.id = "b"}, {.id = "c", .depends_on = AFTER("a", "b")}};
	struct stage s = {.at_once = "bc"};

	(void)state;
	play(&s, tasks, 3, 10);
	assert_true(s.done);
	assert_string_equal(s.log, "+a +b -b -a +c -c ");
}

/* Two rows, the first from Ascend. */
static struct result *two_rows(void)
{
	static const struct sample_column columns[] = {{"Vendor", NULL, COLUMN_TEXT},
						       {"Price", "$/MWh", COLUMN_DECIMAL}};
	static const char *const cells[] = {"Ascend", "48.73", "Hitachi", "50.10"};

	return sample_result(arena, sample_table(columns, 2, cells, 2));
}

static void unmet_condition_skips_task_and_dependents(void **state)
{
	struct task tasks[] = {{.id = "a"},
			       {.id = "b", .condition = "a.row_count > 2"},
			       {.id = "c", .condition = "a.row_count > 1"},
			       {.id = "d", .depends_on = AFTER("b")}};
	struct stage s = {.result = two_rows()};

	(void)state;
	play(&s, tasks, 4, 10);
	assert_true(s.done);
	assert_string_equal(s.log, "+a -a +c -c ");
	assert_int_equal(tasks[1].state, TASK_SKIPPED);
	assert_int_equal(tasks[1].skipped, SKIP_CONDITION);
	assert_int_equal(tasks[3].state, TASK_SKIPPED);
	assert_int_equal(tasks[3].skipped, SKIP_EARLIER);
}

static void fills_references_before_the_task_runs(void **state)
{
	json_t *args =
		json_pack("{s:{s:s},s:i}", "vendor", "$ref", "a.rows[1].vendor", "year", 2025);
	json_t *lost = json_pack("{s:{s:s}}", "vendor", "$ref", "a.rows[7].vendor");
	struct task tasks[] = {{.id = "b", .json_args = json_own(arena, args)},
			       {.id = "a"},
			       {.id = "c", .json_args = json_own(arena, lost)}};
	struct stage s = {.result = two_rows()};

	(void)state;
	play(&s, tasks, 3, 10);
	assert_string_equal(s.log, "+a -a +b -b ");
	assert_string_equal(json_string_value(json_object_get(tasks[0].json_args, "vendor")),
			    "Hitachi");
	assert_int_equal(json_integer_value(json_object_get(tasks[0].json_args, "year")), 2025);
	assert_int_equal(tasks[2].state, TASK_SKIPPED);
	assert_int_equal(tasks[2].skipped, SKIP_VALUE);
}

static const json_t *vendor_of(const char *ref)
{
	return json_own(arena, json_pack("{s:{s:s}}", "vendor", "$ref", ref));
}

static void failure_skips_only_dependents(void **state)
{
	struct task tasks[] = {
		{.id = "a"},
		{.id = "needs", .json_args = vendor_of("a.rows[0].vendor")},
		{.id = "likes", .json_args = vendor_of("a.rows[0].vendor?")},
		{.id = "without", .condition = "not a.row_count > 0"},
		{.id = "with", .condition = "a.row_count > 0"},
		{.id = "unset", .condition = "missing year"},
	};
	struct stage s = {.fails = "a"};

	(void)state;
	play(&s, tasks, 6, 10);
	assert_true(s.done);
	assert_string_equal(s.log, "+a +unset !a -unset +likes +without -likes -without ");
	assert_int_equal(tasks[1].state, TASK_SKIPPED);
	assert_int_equal(tasks[1].skipped, SKIP_EARLIER);
	assert_int_equal(json_object_size(tasks[2].json_args), 0);
	assert_int_equal(tasks[2].wave, 1);
	assert_int_equal(tasks[4].state, TASK_SKIPPED);
}

static const struct flow_def a_flow = {.name = "briefing"};

/* The conditions of a flow define when its lines apply. */
static void inapplicable_flow_line_is_not_needed(void **state)
{
	struct task tasks[] = {
		{.id = "a"},
		{.id = "b", .condition = "a.row_count > 2"},
		{.id = "c", .depends_on = AFTER("b")},
		{.id = "d", .json_args = vendor_of("b.rows[0].vendor")},
		{.id = "e", .condition = "b.row_count > 0"},
		{.id = "f", .depends_on = AFTER("a", "b")},
	};
	struct stage s = {.result = two_rows(), .flow = &a_flow};

	(void)state;
	play(&s, tasks, 6, 10);
	assert_string_equal(s.log, "+a -a ");
	for (size_t i = 1; i < 6; i++) {
		assert_int_equal(tasks[i].state, TASK_SKIPPED);
		assert_int_equal(tasks[i].skipped, SKIP_UNNEEDED);
	}
}

/* If the tested result is missing, it is unknown whether the line applies. */
static void condition_on_failed_task_is_not_false(void **state)
{
	struct task tasks[] = {
		{.id = "a"},
		{.id = "b", .condition = "a.row_count > 2"},
		{.id = "c", .condition = "b.row_count > 0"},
		{.id = "d", .condition = "a.row_count > 2", .depends_on = AFTER("e")},
		{.id = "e", .condition = "x.row_count > 5"},
		{.id = "x"},
		{.id = "f", .depends_on = AFTER("e", "b")},
	};
	struct stage s = {.result = two_rows(), .fails = "a", .flow = &a_flow};

	(void)state;
	play(&s, tasks, 7, 10);
	assert_int_equal(tasks[1].skipped, SKIP_EARLIER);
	assert_int_equal(tasks[2].skipped, SKIP_EARLIER);
	assert_int_equal(tasks[3].skipped, SKIP_UNNEEDED);
	assert_int_equal(tasks[4].skipped, SKIP_UNNEEDED);
	assert_int_equal(tasks[6].skipped, SKIP_EARLIER);
}

/* One of it is enough. */
static void evaluates_group_with_one_failed_task(void **state)
{
	struct task tasks[] = {
		{.id = "g.1", .group = "g"},
		{.id = "g.2", .group = "g"},
		{.id = "after", .condition = "g.row_count > 5"},
	};
	struct task all_failed[] = {{.id = "g.1", .group = "g"},
				    {.id = "after", .condition = "g.row_count > 5"}};
	struct stage s = {.fails = "g.1", .result = two_rows(), .flow = &a_flow};
	struct stage failing = {.fails = "g.1", .flow = &a_flow};

	(void)state;
	play(&s, tasks, 3, 10);
	assert_int_equal(tasks[2].state, TASK_SKIPPED);
	assert_int_equal(tasks[2].skipped, SKIP_UNNEEDED);
	play(&failing, all_failed, 2, 10);
	assert_int_equal(all_failed[1].skipped, SKIP_EARLIER);
}

/* Running tasks are completed, and no other task starts. */
static void question_ends_the_plan(void **state)
{
	const struct flow_options from_a = {.task = "a", .table = "rows"};
	const struct flow_line which = {.filter = "vendor", .options = &from_a};
	struct task tasks[] = {
		{.id = "a"},
		{.id = "slow"},
		{.id = "ask.vendor", .ask = &which, .priority = -1},
		{.id = "b", .depends_on = AFTER("ask.vendor")},
		{.id = "c", .depends_on = AFTER("slow")},
	};
	struct stage s = {.result = two_rows()};

	(void)state;
	play(&s, tasks, 5, 10);
	assert_true(s.done);
	assert_string_equal(s.log, "+a +slow -a -slow ");
	assert_int_equal(tasks[2].state, TASK_ASKED);
	assert_int_equal(tasks[3].state, TASK_PENDING);
	assert_int_equal(tasks[4].state, TASK_PENDING);
}

static void question_without_dependencies_is_asked_first(void **state)
{
	const struct flow_line which = {.filter = "vendor"};
	struct task tasks[] = {{.id = "a"}, {.id = "ask.vendor", .ask = &which, .priority = -1}};
	struct stage s = {0};

	(void)state;
	play(&s, tasks, 2, 10);
	assert_true(s.done);
	assert_string_equal(s.log, "");
	assert_int_equal(tasks[1].state, TASK_ASKED);
}

static void skips_question_with_unmet_condition(void **state)
{
	const struct flow_line which = {.filter = "vendor"};
	struct task tasks[] = {{.id = "a"},
			       {.id = "ask.vendor", .ask = &which, .condition = "a.row_count > 5"},
			       {.id = "b", .depends_on = AFTER("ask.vendor")}};
	struct stage s = {.result = two_rows()};

	(void)state;
	play(&s, tasks, 3, 10);
	assert_string_equal(s.log, "+a -a +b -b ");
	assert_int_equal(tasks[1].state, TASK_COMPLETED);
}

/* The choices are missing, but the question is still asked. */
static void asks_question_even_without_choices(void **state)
{
	const struct flow_options from_a = {.task = "a", .table = "rows"};
	const struct flow_line which = {.filter = "vendor", .options = &from_a};
	struct task tasks[] = {{.id = "a"}, {.id = "ask.vendor", .ask = &which}};
	struct stage s = {.fails = "a"};

	(void)state;
	play(&s, tasks, 2, 10);
	assert_string_equal(s.log, "+a !a ");
	assert_int_equal(tasks[1].state, TASK_ASKED);
}

/* A reference to a group means its first task with rows; one such task is enough. */
static void group_uses_first_task_with_rows(void **state)
{
	struct task tasks[] = {
		{.id = "g.1", .group = "g"},
		{.id = "g.2", .group = "g"},
		{.id = "after",
		 .json_args = vendor_of("g.rows[0].vendor"),
		 .condition = "g.row_count > 1"},
	};
	struct stage s = {.fails = "g.1", .result = two_rows()};
	struct plan p = {.tasks = tasks, .count = 3};

	(void)state;
	play(&s, tasks, 3, 10);
	assert_string_equal(s.log, "+g.1 +g.2 !g.1 -g.2 +after -after ");
	assert_string_equal(json_string_value(json_object_get(tasks[2].json_args, "vendor")),
			    "Ascend");
	assert_int_equal(plan_results(&p, arena).count, 5);
}

static void starts_tasks_by_priority(void **state)
{
	struct task tasks[] = {
		{.id = "a", .priority = 2}, {.id = "b", .priority = 1}, {.id = "c"}, {.id = "d"}};
	struct stage s = {0};

	(void)state;
	play(&s, tasks, 4, 10);
	assert_string_equal(s.log, "+c +d +b +a -c -d -b -a ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_of_a_wave_run_concurrently),
		cmocka_unit_test(skips_dependents_of_failed_task),
		cmocka_unit_test(cancels_only_running_tasks),
		cmocka_unit_test(the_first_tasks_start_at_once),
		cmocka_unit_test(tasks_may_end_during_start),
		cmocka_unit_test(cancels_completed_plan_before_its_callback),
		cmocka_unit_test(plan_waits_for_running_tasks),
		cmocka_unit_test(unmet_condition_skips_task_and_dependents),
		cmocka_unit_test(fills_references_before_the_task_runs),
		cmocka_unit_test(failure_skips_only_dependents),
		cmocka_unit_test(inapplicable_flow_line_is_not_needed),
		cmocka_unit_test(condition_on_failed_task_is_not_false),
		cmocka_unit_test(evaluates_group_with_one_failed_task),
		cmocka_unit_test(question_ends_the_plan),
		cmocka_unit_test(question_without_dependencies_is_asked_first),
		cmocka_unit_test(skips_question_with_unmet_condition),
		cmocka_unit_test(asks_question_even_without_choices),
		cmocka_unit_test(group_uses_first_task_with_rows),
		cmocka_unit_test(starts_tasks_by_priority),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
