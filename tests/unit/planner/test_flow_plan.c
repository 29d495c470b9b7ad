/* Flows as plans: filters of the context fill open parameters, and questions wait for their
 * filter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/planner.h"

static const struct date today = {2026, 2, 27};
static struct catalog *catalog;
static struct arena *arena;
static struct catalog_view view;

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	return catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e)
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	(void)state;
	catalog_unref(&catalog);
	return 0;
}

static int before(void **state)
{
	static const char *const permissions[] = {"chat:use", "chat:read_projects"};
	struct principal viewer = {.user = "vic",
				   .tenant = "vesper",
				   .permissions = permissions,
				   .permission_count = 2};

	(void)state;
	arena = arena_new(1 << 22);
	catalog_for(catalog, &viewer, arena, &view);
	return 0;
}

static int after(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const struct flow_def *flow(const char *lines)
{
	struct flow_def *f = arena_alloc(arena, sizeof(*f));
	struct err e = {0};

	if (!flow_read(
		    catalog, "energy", "x.flow",
		    arena_printf(arena, "---\nflow: x\nabout: x\nagent: per_agent\n---\n%s", lines),
		    arena, f, &e))
		fail_msg("%s", e.text);
	return f;
}

static json_t *filters(const char *text)
{
	struct err e = {0};
	json_t *json;

	assert_true(json_parse(text, strlen(text), 4096, &json, &e));
	return json_own(arena, json);
}

static const char *arg(const struct task *t, const char *name)
{
	return json_string_value(json_object_get(t->json_args, name));
}

static void line_values_override_context(void **state)
{
	const struct flow_def *f = flow("do a get_portfolio_summary status_color=off_track\n"
					"do b get_recent_changes since=today-7d until=today\n");
	struct plan *p =
		flow_plan(f, &view, filters("{\"market\":\"CAISO\",\"status_color\":\"at_risk\"}"),
			  NULL, today, arena);
	struct err e = {0};

	(void)state;
	assert_true(plan_check(p, arena, &e));
	assert_int_equal(p->count, 2);
	assert_int_equal(p->origin, PLAN_FLOW);
	assert_string_equal(arg(&p->tasks[0], "status_color"), "off_track");
	assert_string_equal(arg(&p->tasks[0], "market"), "CAISO");
	assert_string_equal(arg(&p->tasks[1], "since"), "2026-02-20");
	assert_string_equal(arg(&p->tasks[1], "until"), "2026-02-27");
	assert_string_equal(p->tasks[1].agent, "per_agent");
	assert_int_equal(p->tasks[1].wave, 0);
}

static void replaced_filters_override_lines(void **state)
{
	const struct flow_def *f = flow("do b get_recent_changes since=today-7d until=today\n");
	struct plan *p = flow_plan(
		f, &view,
		filters("{\"date_range_start\":\"2025-01-01\",\"date_range_end\":\"2025-01-31\"}"),
		filters("[\"date_range_start\"]"), today, arena);

	(void)state;
	assert_string_equal(arg(&p->tasks[0], "since"), "2025-01-01");
	assert_string_equal(arg(&p->tasks[0], "until"), "2026-02-27");
}

static void skips_lines_without_permission(void **state)
{
	const struct flow_def *f =
		flow("do a get_portfolio_summary\n"
		     "do b get_budget_overview project_name=\"Nazareth Solar\"\n");
	struct plan *p = flow_plan(f, &view, NULL, NULL, today, arena);

	(void)state;
	assert_int_equal(p->tasks[0].state, TASK_PENDING);
	assert_int_equal(p->tasks[1].state, TASK_SKIPPED);
	assert_int_equal(p->tasks[1].skipped, SKIP_PERMISSION);
}

static void makes_one_task_per_value(void **state)
{
	const struct flow_def *f =
		flow("ask project_name multiple 1..6 \"Which projects?\"\n"
		     "do h get_project_health each project_name\n"
		     "do r get_task_risks project_name={h.rows[0].ProjectName}\n");
	struct plan *p = flow_plan(
		f, &view, filters("{\"project_name\":[\"A\",\"B\",\"C\",\"D\",\"E\",\"F\"]}"), NULL,
		today, arena);
	struct err e = {0};

	(void)state;
	assert_true(plan_check(p, arena, &e));
	assert_int_equal(p->count, FLOW_EACH_MAX + 1);
	assert_string_equal(p->tasks[0].id, "h.1");
	assert_string_equal(p->tasks[1].group, "h");
	assert_string_equal(arg(&p->tasks[1], "project_name"), "B");
	assert_int_equal(p->tasks[0].left_out, 1);
	assert_int_equal(p->tasks[5].wave, 1);
	assert_null(p->tasks[5].depends_on);
	assert_non_null(p->tasks[5].waits_for[4]);
}

static void dependents_wait_for_the_question(void **state)
{
	const struct flow_def *f =
		flow("do all get_portfolio_summary\n"
		     "ask project_name single from all.rows value=ProjectName label=ProjectName "
		     "\"Which project?\" skip=\"The first\" = {all.rows[0].ProjectName} "
		     "if missing market\n"
		     "do h get_project_health\n"
		     "do off get_task_risks project_name={h.rows[0].ProjectName}\n");
	struct plan *p = flow_plan(f, &view, NULL, NULL, today, arena);
	struct err e = {0};

	(void)state;
	assert_true(plan_check(p, arena, &e));
	assert_int_equal(p->count, 4);
	assert_ptr_equal(p->tasks[1].ask, &f->lines[1]);
	assert_string_equal(p->tasks[1].id, "ask.project_name");
	assert_string_equal(p->tasks[1].waits_for[0], "all");
	assert_int_equal(p->tasks[1].wave, 1);
	assert_string_equal(p->tasks[2].depends_on[0], "ask.project_name");
	assert_int_equal(p->tasks[2].wave, 2);
	assert_null(p->tasks[0].depends_on);

	p = flow_plan(f, &view, filters("{\"project_name\":\"A\"}"), NULL, today, arena);
	assert_true(plan_check(p, arena, &e));
	assert_int_equal(p->count, 3);
	assert_int_equal(p->tasks[1].wave, 0);
}

static void asks_nothing_for_lines_without_permission(void **state)
{
	const struct flow_def *f = flow("do all get_portfolio_summary\n"
					"ask project_name single \"Which project?\"\n"
					"do b get_budget_overview if all.row_count > 0\n");
	struct plan *p = flow_plan(f, &view, NULL, NULL, today, arena);

	(void)state;
	assert_int_equal(p->count, 2);
	assert_false(plan_has_questions(p));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, before, after)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(line_values_override_context),
		TEST(replaced_filters_override_lines),
		TEST(skips_lines_without_permission),
		TEST(makes_one_task_per_value),
		TEST(dependents_wait_for_the_question),
		TEST(asks_nothing_for_lines_without_permission),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
