/* The planner's answer: only steps; and the limits of a second plan. */
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
	static const char *const permissions[] = {"chat:use", "chat:read_market_data",
						  "chat:read_projects"};
	static struct principal ann = {.user = "ann",
				       .tenant = "vesper",
				       .permissions = permissions,
				       .permission_count = 3};

	(void)state;
	arena = arena_new(1 << 22);
	core = (struct turn_core){.nlu = nlu,
				  .arena = arena,
				  .who = &ann,
				  .today = {2026, 2, 27},
				  .request = {.content = "How is the portfolio doing?"}};
	catalog_for(catalog, &ann, arena, &core.may);
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

static bool reads(const char *text, struct supervisor_reply *r)
{
	struct err e = {0};
	bool fine = planner_read_plan(&turn, text, r, &e);

	assert_true(fine || e.code == ERR_UPSTREAM || e.code == ERR_INPUT);
	return fine;
}

#define STEP(id, run, with)                                                                        \
	"{\"Step\":\"" id "\",\"Run\":\"" run "\",\"With\":[" with                                 \
	"],\"From\":[],\"After\":[],\"If\":\"\"}"
#define DO(entries) "{\"do\":[" entries "]}"
#define SUMMARY(id) STEP(id, "get_portfolio_summary", "")

static void rejects_anything_but_steps(void **state)
{
	static const char *const answers[] = {
		"First I would look at the prices.",
		"",
		"{}",
		DO(""),
		DO("{\"Run\":\"get_portfolio_summary\"}"),
		DO("{\"Plan\":\"needed\"}"),
		DO(SUMMARY("t1") ",{\"Run\":\"get_portfolio_summary\"}"),
		DO(SUMMARY("t1") ",{\"Ask\":\"Which?\"}"),
		DO(SUMMARY("t1") ",{\"Set\":\"year=2025\"}"),
		DO(STEP("t1", "drop_all_tables", "")),
	};
	struct supervisor_reply r;

	(void)state;
	assert_true(reads(DO(SUMMARY("t1")), &r));
	assert_int_equal(json_array_size(r.steps), 1);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		assert_false(reads(answers[i], &r));
}

static struct plan *first(const char *answer)
{
	struct clarification ask;
	struct supervisor_reply r;
	struct err e = {0};
	struct plan *p;

	assert_true(reads(answer, &r));
	p = plan_from_planner_reply(&turn, &r, NULL, &ask);
	assert_non_null(p);
	assert_true(plan_check(p, arena, &e));
	for (size_t i = 0; i < p->count; i++)
		p->tasks[i].state = TASK_COMPLETED;
	return p;
}

static struct plan *then(const char *answer, const struct plan *ended)
{
	struct supervisor_reply r;

	assert_true(reads(answer, &r));
	return plan_from_replan(&turn, &r, ended, NULL);
}

static void does_not_repeat_completed_steps(void **state)
{
	struct plan *ended = first(DO(SUMMARY("t1"))), *p;
	struct err e = {0};

	(void)state;
	assert_int_equal(ended->origin, PLAN_PLANNER);
	assert_null(then(DO(SUMMARY("t2")), ended));
	p = then(DO(SUMMARY("t2") "," STEP("t3", "get_recent_changes", "")), ended);
	assert_non_null(p);
	assert_int_equal(p->count, 2);
	assert_string_equal(p->tasks[0].id, "t1");
	assert_int_equal(p->tasks[0].state,
			 TASK_COMPLETED); /* kept, so that later steps can refer to it */
	assert_string_equal(p->tasks[1].id, "t3");
	assert_int_equal(p->tasks[1].state, TASK_PENDING);
	assert_true(plan_check(p, arena, &e));
	p = then(DO(STEP("t1", "get_recent_changes", "")), ended); /* a name that is taken */
	assert_non_null(p);
	assert_false(plan_check(p, arena, &e));
	assert_int_equal(p->flaw, PLAN_UNKNOWN);
}

static void keeps_values_given_by_the_user(void **state)
{
	struct plan *ended = first(DO(SUMMARY("t1")));

	(void)state;
	json_object_set_new(reading.known, "year", json_integer(2025));
	json_object_set_new(reading.known, "vendor", json_string("Ascend"));
	assert_non_null(then(DO(STEP("t2", "get_average_annual_price",
				     "\"year=2025\",\"vendor=ascend\",\"hub_zone=NP15\"")),
			     ended));
	assert_null(then(DO(STEP("t2", "get_average_annual_price",
				 "\"year=2026\",\"vendor=Ascend\",\"hub_zone=NP15\"")),
			 ended));
	assert_null(then(DO(STEP("t2", "get_average_annual_price", "\"vendor=Hitachi\"")), ended));
}

static void limits_number_of_waves(void **state)
{
	struct task tasks[] = {{.id = "a", .wave = 0}, {.id = "b", .wave = 3}};
	struct plan p = {.tasks = tasks, .count = 2};

	(void)state;
	assert_true(planner_check_waves(&p));
	tasks[1].wave = 4;
	assert_false(planner_check_waves(&p));
	assert_int_equal(p.flaw, PLAN_TOO_LARGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rejects_anything_but_steps, before, after),
		cmocka_unit_test_setup_teardown(does_not_repeat_completed_steps, before, after),
		cmocka_unit_test_setup_teardown(keeps_values_given_by_the_user, before, after),
		cmocka_unit_test_setup_teardown(limits_number_of_waves, before, after),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
