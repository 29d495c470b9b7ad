/* A flow that the supervisor chose: its plan, its stored form, and running it again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/planner.h"

static struct catalog *catalog;
static struct nlu *nlu;
static struct arena *arena;
static struct turn_core core;
static struct turn_reading reading;
static struct turn_work work;
static struct planner_turn turn = {&core, &reading, &work};
static struct flow_def flow;
static const struct flow_def *flows[] = {&flow};

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		return -1;
	nlu = nlu_new(catalog);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nlu_free(&nlu);
	catalog_unref(&catalog);
	return 0;
}

static int before(void **state)
{
	static const char *const permissions[] = {"chat:use", "chat:read_projects"};
	static struct principal viewer = {.user = "vic",
					  .tenant = "vesper",
					  .permissions = permissions,
					  .permission_count = 2};

	(void)state;
	arena = arena_new(1 << 22);
	core = (struct turn_core){.nlu = nlu,
				  .arena = arena,
				  .who = &viewer,
				  .today = {2026, 2, 27},
				  .request = {.content = "How is the portfolio doing?"}};
	catalog_for(catalog, &viewer, arena, &core.may);
	core.may.flows = flows;
	core.may.flow_count = 1;
	reading = (struct turn_reading){.known = json_own(arena, json_object())};
	work = (struct turn_work){0};
	planner_begin(&turn);
	return 0;
}

static int after(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void has_flow(const char *lines)
{
	struct err e = {0};

	if (!flow_read(catalog, "energy", "week.flow",
		       arena_printf(arena, "---\nflow: week\nabout: x\nagent: per_agent\n---\n%s",
				    lines),
		       arena, &flow, &e))
		fail_msg("%s", e.text);
}

#define LINES                                                                                      \
	"do changes get_recent_changes since=today-7d until=today\n"                               \
	"do risks get_task_risks project_name={changes.rows[0].ProjectName} "                      \
	"if changes.row_count > 0\n"                                                               \
	"say \"**{changes.row_count}** changes.\"\n"

static struct plan *chosen(const char *reply, struct clarification *ask)
{
	struct supervisor_reply r;
	struct err e = {0};

	*ask = (struct clarification){0};
	assert_true(planner_read_reply(&turn, reply, &r, &e));
	assert_ptr_equal(r.flow, &flow);
	assert_int_equal(json_array_size(r.steps), 0);
	return plan_from_reply(&turn, &r, NULL, ask);
}

static const char *arg(const struct task *t, const char *name)
{
	return json_string_value(json_object_get(t->json_args, name));
}

static void flow_is_the_whole_plan(void **state)
{
	struct clarification ask;
	struct plan *p;

	(void)state;
	has_flow(LINES);
	p = chosen("{\"do\":[{\"Run\":\"get_task_risks\"},{\"Run\":\"flow:week\"},"
		   "{\"Set\":\"risk_level=High\"}]}",
		   &ask);
	assert_non_null(p);
	assert_ptr_equal(p->flow, &flow);
	assert_int_equal(p->origin, PLAN_FLOW);
	assert_int_equal(p->count, 2);
	assert_string_equal(arg(&p->tasks[0], "since"), "2026-02-20");
	assert_string_equal(p->tasks[1].condition, flow.lines[1].condition);
	assert_string_equal(arg(&p->tasks[1], "risk_level"), "High");
	assert_string_equal(reading.intent, "project_execution");
	assert_int_equal(reading.understood.tool_count, 2);
}

static void stores_name_and_hash(void **state)
{
	struct clarification ask;
	const json_t *stored;

	(void)state;
	has_flow(LINES);
	assert_non_null(chosen("{\"do\":[{\"Run\":\"flow:week\"}]}", &ask));
	stored = json_object_get(work.spec, "flow");
	assert_string_equal(json_string_value(json_object_get(stored, "name")), "week");
	assert_string_equal(json_string_value(json_object_get(stored, "hash")), flow.hash);
	assert_ptr_equal(stored_flow(&turn, work.spec), &flow);
	assert_int_equal(stored_state(&turn, work.spec, false), STORED_RUNS);
}

/* On another day and with other filters, the flow computes its days again. */
static void runs_again_with_edited_filters(void **state)
{
	json_t *edits = json_own(arena, json_make({"risk_level", json_str("High")})), *stored;
	struct clarification ask;
	struct plan *p;

	(void)state;
	has_flow(LINES);
	assert_non_null(chosen("{\"do\":[{\"Run\":\"flow:week\"}]}", &ask));
	stored = work.spec;
	core.today = (struct date){2026, 3, 6};
	p = plan_from_stored(&turn, stored, NULL, edits, SOURCE_EDITED, &ask);
	assert_non_null(p);
	assert_ptr_equal(p->flow, &flow);
	assert_string_equal(arg(&p->tasks[0], "since"), "2026-02-27");
	assert_string_equal(arg(&p->tasks[1], "risk_level"), "High");
	assert_non_null(json_object_get(work.spec, "flow"));
}

static void null_removes_a_filter(void **state)
{
	json_t *none = json_own(arena, json_make({"risk_level", json_null()}));
	struct clarification ask;
	struct plan *p;

	(void)state;
	has_flow(LINES);
	assert_non_null(
		chosen("{\"do\":[{\"Run\":\"flow:week\"},{\"Set\":\"risk_level=High\"}]}", &ask));
	p = plan_from_stored(&turn, work.spec, NULL, none, SOURCE_EDITED, &ask);
	assert_non_null(p);
	assert_null(json_object_get(p->tasks[1].json_args, "risk_level"));
}

/* The stored text includes its questions. */
static void changed_flow_runs_as_stored(void **state)
{
	json_t *edits = json_own(arena, json_make({"risk_level", json_str("High")})), *stored;
	struct clarification ask;
	struct err e = {0};
	struct plan *p;

	(void)state;
	has_flow(LINES "ask project_name single \"Which project?\"\ndo h get_project_health\n");
	assert_non_null(chosen("{\"do\":[{\"Run\":\"flow:week\"}]}", &ask));
	stored = work.spec;
	has_flow("do risks get_task_risks\n");
	assert_int_equal(stored_state(&turn, stored, false), STORED_RUNS);
	p = plan_from_stored(&turn, stored, NULL, edits, SOURCE_EDITED, &ask);
	assert_non_null(p);
	assert_ptr_not_equal(p->flow, &flow);
	assert_int_equal(p->count, 4);
	assert_string_equal(arg(&p->tasks[1], "risk_level"), "High");
	assert_true(plan_check(p, arena, &e));
	assert_int_equal(p->tasks[1].wave, 1);
	assert_string_equal(p->tasks[2].id, "ask.project_name");
	assert_string_equal(p->tasks[3].depends_on[0], "ask.project_name");
}

/* The stored flow is invalid if a tool is disabled or has another type. */
static void stored_flow_that_cannot_run_has_changed(void **state)
{
	static const char *const nothing[] = {"chat:use"};
	struct principal unprivileged = {
		.user = "nob", .tenant = "vesper", .permissions = nothing, .permission_count = 1};
	struct clarification ask;
	json_t *stored;

	(void)state;
	has_flow(LINES);
	assert_non_null(chosen("{\"do\":[{\"Run\":\"flow:week\"}]}", &ask));
	stored = json_own(arena, json_deep_copy(work.spec));
	has_flow("do risks get_task_risks\n");
	json_set_str(json_object_get(stored, "flow"), "text",
		     "---\nflow: week\nabout: x\nagent: per_agent\n---\ndo a get_gone\n");
	assert_int_equal(stored_state(&turn, stored, false), STORED_CHANGED);

	core.who = &unprivileged;
	catalog_for(catalog, &unprivileged, arena, &core.may);
	core.may.flows = flows;
	core.may.flow_count = 1;
	assert_int_equal(stored_state(&turn, work.spec, false), STORED_CHANGED);
	core.may.flow_count = 0;
	assert_int_equal(stored_state(&turn, work.spec, false), STORED_CHANGED);
}

static void asks_for_open_filters(void **state)
{
	struct clarification ask;
	struct plan *p;

	(void)state;
	has_flow("ask project_name single \"Which project?\" hint=\"Health follows\"\n"
		 "do health get_project_health\n");
	p = chosen("{\"do\":[{\"Run\":\"flow:week\"}]}", &ask);
	assert_non_null(p);
	assert_string_equal(p->tasks[0].ask->text, "Which project?");
	assert_string_equal(p->tasks[0].ask->hint, "Health follows");
	assert_non_null(json_object_get(work.spec, "flow"));
}

static void ignores_flow_without_permission(void **state)
{
	struct supervisor_reply r;
	struct err e = {0};

	(void)state;
	has_flow(LINES);
	core.may.flow_count = 0;
	assert_true(planner_read_reply(&turn, "{\"do\":[{\"Run\":\"flow:week\"}]}", &r, &e));
	assert_null(r.flow);
	assert_int_equal(json_array_size(r.steps), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, before, after)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(flow_is_the_whole_plan),         TEST(stores_name_and_hash),
		TEST(runs_again_with_edited_filters), TEST(null_removes_a_filter),
		TEST(changed_flow_runs_as_stored),    TEST(stored_flow_that_cannot_run_has_changed),
		TEST(asks_for_open_filters),          TEST(ignores_flow_without_permission),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
