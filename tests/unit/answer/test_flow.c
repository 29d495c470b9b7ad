/* The answer of a flow: applicable sentences, missing lookups, suggestions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "answer_int.h"
#include "vesper/json.h"

static struct catalog *catalog;
static struct arena *arena;
static struct flow_def flow;
static struct plan plan;
static struct result result;

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
	static struct task tasks[2];
	static struct result *results[] = {&result};

	(void)state;
	arena = arena_new(1 << 22);
	result = (struct result){.outcome = {.kind = OUTCOME_ROWS}};
	result_add_fact(&result, arena, (struct fact){.name = "tasks", .value = "3"});
	tasks[0] = (struct task){.id = "risks",
				 .tool = "get_task_risks",
				 .state = TASK_COMPLETED,
				 .results = results,
				 .result_count = 1};
	tasks[1] = (struct task){.id = "off",
				 .tool = "get_portfolio_summary",
				 .state = TASK_SKIPPED,
				 .skipped = SKIP_EARLIER};
	plan = (struct plan){.flow = &flow, .tasks = tasks, .count = 2};
	return 0;
}

static int after(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static bool answers(const char *lines, struct view_answer *out)
{
	struct err e = {0};

	if (!flow_read(catalog, "energy", "x.flow",
		       arena_printf(arena,
				    "---\nflow: x\nabout: x\nagent: per_agent\n---\n"
				    "do risks get_task_risks\ndo off get_portfolio_summary\n%s",
				    lines),
		       arena, &flow, &e))
		fail_msg("%s", e.text);
	return flow_answer(&plan, NULL, catalog, arena, out);
}

static void shows_applicable_sentences_and_missing_lookups(void **state)
{
	struct view_answer v;

	(void)state;
	assert_true(answers("say \"**{risks.facts.tasks}** risks.\"\n"
			    "say \"Never.\" if risks.outcome == 'no data'\n"
			    "say \"{off.rows[0].ProjectName} is off.\"\n",
			    &v));
	assert_string_equal(v.markdown, "**3** risks.\n\nNot looked up: Portfolio summary. The "
					"reason: a step that it builds on gave nothing.\n");
}

static void returns_false_without_sentence(void **state)
{
	struct view_answer v;

	(void)state;
	assert_false(answers("say \"Never.\" if risks.outcome == 'no data'\n", &v));
	assert_int_equal(v.followup_count, 0);
}

static void complete_suggestions_are_listed_primary_first(void **state)
{
	struct view_answer v;

	(void)state;
	answers("suggest secondary \"First\" -> \"What about {off.rows[0].ProjectName}?\"\n"
		"suggest secondary \"Again\" -> \"Again {risks.facts.tasks}?\"\n"
		"suggest primary \"Risks\" -> \"Show all tasks with a high risk\"\n",
		&v);
	assert_int_equal(v.followup_count, 2);
	assert_string_equal(v.followups[0].label, "Risks");
	assert_true(v.followups[0].primary);
	assert_string_equal(v.followups[1].question, "Again 3?");
	assert_false(v.followups[1].primary);
}

/* Copies the flow's show lines to the plan, as the planner does. */
static void plan_copy_shows(void)
{
	struct task_show *shows = arena_alloc(arena, sizeof(*shows) * (flow.line_count + 1));

	plan.show_count = 0;
	for (size_t i = 0; i < flow.line_count; i++)
		if (flow.lines[i].kind == FLOW_SHOW)
			shows[plan.show_count++] =
				(struct task_show){flow.lines[i].id, flow.lines[i].component,
						   flow.lines[i].values, flow.lines[i].when};
	plan.shows = shows;
}

static void components_get_referenced_values(void **state)
{
	static struct column columns[] = {{.name = "TaskName"}};
	static struct table table = {.name = "rows", .columns = columns, .column_count = 1};
	static struct table *tables[] = {&table};
	struct view_answer unused;
	struct shown *shown;

	(void)state;
	result.tables = tables;
	result.table_count = 1;
	answers("show ProjectCard tasks={risks.rows} risks={risks.facts.tasks} project=\"Risks: "
		"{risks.facts.tasks}\"\n"
		"show BriefingCards offTrack={risks.row_count} projects={off.rows?} if "
		"off.row_count > 0\n"
		"show ProjectCard project=\"All {off.facts.projects}\" stage=plain\n",
		&unused);
	plan_copy_shows();
	assert_int_equal(flow_shown(&plan, arena, &shown), 2);
	assert_string_equal(shown[0].show->id, "show1");
	assert_int_equal(shown[0].prop_count, 3);
	assert_ptr_equal(shown[0].props[0].place.table, &table);
	assert_null(shown[0].props[0].text);
	assert_string_equal(shown[0].props[1].text, "3");
	assert_string_equal(shown[0].props[1].place.fact->name, "tasks");
	assert_string_equal(shown[0].props[2].text, "Risks: 3");
	assert_string_equal(shown[1].show->component, "ProjectCard");
	assert_int_equal(shown[1].prop_count, 1);
	assert_string_equal(shown[1].props[0].text, "plain");
	assert_true(flow_shows_table(&plan, "risks"));
	assert_true(flow_shows_table(&plan, "off"));
	assert_false(flow_shows_table(&plan, "show1"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, before, after)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shows_applicable_sentences_and_missing_lookups),
		TEST(returns_false_without_sentence),
		TEST(complete_suggestions_are_listed_primary_first),
		TEST(components_get_referenced_values),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
