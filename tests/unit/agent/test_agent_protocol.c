/* An agent with a protocol, over the city pack's map of 60 tables: size and content of its first
 * prompt, columns on request, steps and rounds. The model and the tools are scripted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent_int.h"
#include "fake_llm.c"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/loop.h"
#include "vesper/map.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "vesper/tokens.h"

#define FIRST_PROMPT_TOKENS 3000
#define DETAILED            "get_detailed_schema"
#define THREE                                                                                      \
	"{\"tables\":[\"ent_projects\",\"ent_change_adoption\","                                   \
	"\"jt_ent_projects_ent_change_adoption_join\"],\"reason\":\"names\"}"

/* ---- scripted tools ---- */

struct toolbox {
	struct loop *loop;
	struct map *map;
	struct deferred deferred;
	struct result *ended;
	tool_cb cb;
	void *owner;
	struct op op;
	int started;
};

const char *tool_about(const struct toolbox *b, const struct tool_def *tool,
		       const struct principal *w, struct arena *a)
{
	(void)b;
	(void)w;
	(void)a;
	return tool->about;
}

const struct map *tool_map(const struct toolbox *b)
{
	return b->map;
}

static void on_turn(void *owner)
{
	struct toolbox *b = owner;

	b->cb(b->owner, b->ended);
}

static void on_tool_cancel(struct op *op)
{
	(void)op;
}

struct op *tool_start(struct toolbox *b, const struct tool_request *request, struct arena *a,
		      tool_cb cb, void *owner)
{
	b->ended = result_new(a);
	b->ended->call = request->call;
	b->ended->agent = request->agent;
	b->ended->tool = request->tool;
	b->ended->outcome = (struct outcome){.kind = OUTCOME_EMPTY};
	b->cb = cb;
	b->owner = owner;
	b->op = (struct op){.cancel = on_tool_cancel};
	b->started++;
	loop_defer(b->loop, &b->deferred, on_turn, b);
	return &b->op;
}

/* ---- fixture ---- */

struct fixture {
	struct loop *loop;
	struct fake_llm *fake;
	struct llm *llm;
	struct catalog *catalog;
	struct catalog_view may;
	struct arena *arena;
	struct toolbox tools;
	struct event_sink sink;
	int next_call;
	bool ended;
	const struct agent_outcome *out;
};

static const char *const all[] = {"chat:use", "chat:read_city", "chat:advanced_sql"};
static const struct principal admin = {
	.user = "u", .tenant = "noor", .permissions = all, .permission_count = 3};
static const struct principal reader = {
	.user = "v", .tenant = "noor", .permissions = all, .permission_count = 2};

static void on_emit(void *owner, const struct event *event)
{
	(void)owner;
	(void)event;
}

static int setup(void **state)
{
	static const char *const names[] = {"core", "city", NULL};
	const struct pack_list packs = {.key = "core,city", .names = names};
	struct fixture *w = mem_alloc(sizeof(*w));
	struct err e = {0};

	assert_true(loop_new(&w->loop, NULL));
	w->fake = fake_llm_new(w->loop);
	w->llm = llm_from_driver(w->loop, &fake_llm_driver, w->fake);
	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, &packs, &w->catalog, &e))
		fail_msg("%s", e.text);
	w->arena = arena_new(1 << 24);
	w->tools = (struct toolbox){.loop = w->loop, .map = map_new(w->catalog)};
	w->sink = (struct event_sink){on_emit, w};
	w->next_call = 1;
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *w = *state;

	if (fake_llm_complaint(w->fake))
		fail_msg("%s", fake_llm_complaint(w->fake));
	assert_int_equal(fake_llm_unmet(w->fake), 0);
	llm_free(&w->llm);
	fake_llm_free(&w->fake);
	map_free(&w->tools.map);
	arena_free(&w->arena);
	catalog_unref(&w->catalog);
	loop_free(&w->loop);
	mem_free(w);
	health_reset();
	metric_reset();
	return 0;
}

static void on_end(void *owner, const struct agent_outcome *out, const struct err *e)
{
	struct fixture *w = owner;

	assert_null(e);
	w->ended = true;
	w->out = out;
}

static void run_as(struct fixture *w, const struct principal *who)
{
	const struct agent_request r = {
		.agent = "city_agent",
		.question = "What is the name and status of projects related to 'Change "
			    "Adoption'?",
		.may = &w->may,
		.who = who,
		.today = {2026, 2, 27},
		.sink = &w->sink,
		.next_call = &w->next_call,
	};

	catalog_for(w->catalog, who, w->arena, &w->may);
	(void)agent_start(w->llm, &w->tools, &r, w->arena, on_end, w);
	for (int i = 0; i < 10000 && !w->ended; i++)
		loop_run_once(w->loop);
	assert_true(w->ended);
}

static bool contains(const char *text, const char *words)
{
	return strstr(text, words) != NULL;
}

/* ---- tests ---- */

/* The text names no column of other tables than those asked for. Only column names that cannot be
 * ordinary words are checked: with an underscore, and not the name of a metric. */
static void assert_no_columns(const struct fixture *w, const char *text,
			      const char *const *asked_for)
{
	const struct schema *s = catalog_schema(w->catalog);
	size_t checked = 0;

	for (size_t i = 0; i < s->entity_count; i++)
		for (size_t c = 0; c < s->entities[i]->view->column_count; c++) {
			const char *name = s->entities[i]->view->columns[c].plain;
			bool asked = false;

			for (const char *const *t = asked_for; *t; t++)
				asked |= view_column_find(schema_entity(s, *t)->view, name) != NULL;
			if (asked || !strchr(name, '_') || schema_metric(s, name))
				continue;
			checked++;
			if (contains(text, name))
				fail_msg("the prompt contains %s", name);
		}
	assert_true(checked > 50);
}

static void first_prompt_has_map_and_columns_on_request(void **state)
{
	static const char *const none[] = {NULL};
	static const char *const three[] = {"ent_projects", "ent_change_adoption",
					    "jt_ent_projects_ent_change_adoption_join", NULL};
	struct fixture *w = *state;
	const char *first, *second;
	size_t tokens;

	fake_llm_expect(w->fake, LLM_AGENT, "ent_projects -> ent_change_adoption*");
	fake_llm_tool(w->fake, DETAILED, THREE);
	fake_llm_expect(w->fake, LLM_AGENT, "ent_projects = city.ent_projects (id int, year int");
	fake_llm_text(w->fake, "done");
	run_as(w, &admin);
	first = fake_llm_request(w->fake, 0);
	second = fake_llm_request(w->fake, 1);
	tokens = tokens_estimate(first, strlen(first));
	if (tokens > FIRST_PROMPT_TOKENS)
		fail_msg("%zu tokens", tokens);
	assert_no_columns(w, first, none);
	assert_no_columns(w, second, three);
	assert_true(contains(second, "jt_ent_projects_ent_change_adoption_join.project_id AND "
				     "ent_projects.year = "
				     "jt_ent_projects_ent_change_adoption_join.year"));
	assert_true(contains(second, "dimensions: "));
	assert_int_equal(strncmp(first, second, strlen(first)), 0);
	assert_int_equal(w->tools.started, 0);
	assert_int_equal(w->out->result_count, 0); /* texts of the pack are not results */
	assert_false(w->out->stopped);
}

static void rejects_too_many_and_unknown_tables(void **state)
{
	struct fixture *w = *state;

	fake_llm_expect(w->fake, LLM_AGENT, NULL);
	fake_llm_tool(w->fake, DETAILED,
		      "{\"tables\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\"]}");
	fake_llm_tool(w->fake, DETAILED, "{\"tables\":[\"ent_risks\",\"users\",\"pg_shadow\"]}");
	fake_llm_tool(w->fake, DETAILED, "{\"tables\":[]}");
	fake_llm_expect(w->fake, LLM_AGENT,
			"error: You requested 9 tables. Request 1 to 8 tables that the question "
			"needs.\n"
			"tool_result toolu_1_1 error: the map has no table users, pg_shadow. Use "
			"the names on the map.");
	run_as(w, &admin);
}

static void rejects_call_outside_the_step(void **state)
{
	struct fixture *w = *state;

	fake_llm_expect(w->fake, LLM_AGENT, NULL);
	fake_llm_tool(w->fake, "run_select", "{\"sql\":\"SELECT 1\"}");
	fake_llm_expect(w->fake, LLM_AGENT,
			"error: This call is not allowed now; allowed: get_detailed_schema (then "
			"select), get_structure (then select), query_metrics (then analyse).");
	fake_llm_tool(w->fake, "get_structure", "{}");
	fake_llm_expect(w->fake, LLM_AGENT, "ent_projects = city.ent_projects, key (id, year)");
	fake_llm_tool(w->fake, "run_select", "{\"sql\":\"SELECT 1\"}");
	fake_llm_expect(w->fake, LLM_AGENT, "Outcome: empty.");
	fake_llm_tool(w->fake, "run_select", "{\"sql\":\"SELECT 2\"}");
	fake_llm_expect(w->fake, LLM_AGENT,
			"error: This call is not allowed now; allowed: refine_query");
	run_as(w, &admin);
	assert_int_equal(w->tools.started, 1);
}

static void hides_sql_tool_without_permission(void **state)
{
	struct fixture *w = *state;

	fake_llm_expect(w->fake, LLM_AGENT, NULL);
	fake_llm_tool(w->fake, DETAILED, THREE);
	fake_llm_expect(w->fake, LLM_AGENT, NULL);
	fake_llm_tool(w->fake, "run_select", "{\"sql\":\"SELECT 1\"}");
	fake_llm_expect(w->fake, LLM_AGENT, "error: You have no tool with this name.");
	run_as(w, &reader);
	assert_false(contains(fake_llm_request(w->fake, 0), "run_select"));
	assert_false(contains(fake_llm_request(w->fake, 0), "refine_query"));
	assert_int_equal(w->tools.started, 0);
}

static void stops_after_the_last_round(void **state)
{
	struct fixture *w = *state;

	for (int i = 0; i < 6; i++) {
		fake_llm_expect(w->fake, LLM_AGENT, NULL);
		fake_llm_tool(w->fake, DETAILED, THREE);
	}
	run_as(w, &admin);
	assert_int_equal(w->out->model_calls, 6);
	assert_true(w->out->stopped);
}

static void domain_names_the_clarifying_question_tool(void **state)
{
	struct fixture *w = *state;

	fake_llm_expect(w->fake, LLM_AGENT, NULL);
	fake_llm_tool(w->fake, "ask_clarifying_question",
		      "{\"question\":\"Which level?\",\"options\":[\"L1\",\"L2\"]}");
	run_as(w, &admin);
	assert_non_null(w->out->ask);
	assert_string_equal(w->out->ask->question, "Which level?");
	assert_int_equal(w->out->ask->option_count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(first_prompt_has_map_and_columns_on_request, setup,
						teardown),
		cmocka_unit_test_setup_teardown(rejects_too_many_and_unknown_tables, setup,
						teardown),
		cmocka_unit_test_setup_teardown(rejects_call_outside_the_step, setup, teardown),
		cmocka_unit_test_setup_teardown(hides_sql_tool_without_permission, setup, teardown),
		cmocka_unit_test_setup_teardown(stops_after_the_last_round, setup, teardown),
		cmocka_unit_test_setup_teardown(domain_names_the_clarifying_question_tool, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
