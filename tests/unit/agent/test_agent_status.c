/* The status lines of a tool call, member by member. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "english.h"
#include "vesper/agent.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

/* The one event as text; free with mem_free. */
static void on_emit(void *owner, const struct event *event)
{
	const struct event_step_started *s = &event->u.step_started;
	const struct event_step_finished *f = &event->u.step_finished;

	*(char **)owner =
		event->kind == EVENT_STEP_STARTED
			? mem_printf("%s %s %s started: %s", s->step_id, s->agent,
				     s->tool ? s->tool : "-", s->text)
			: mem_printf("%s %s %s %s %s %lld: %s", f->step_id, f->agent, f->tool,
				     f->state, f->outcome, (long long)f->rows, f->text);
}

static void check_started(const char *about, const char *expected_text)
{
	const struct tool_def tool = {.name = "t", .about = about};
	char *body = NULL, expected[600];
	const struct event_sink sink = {on_emit, &body};

	agent_tool_started(&sink, shipped_language(),
			   &(struct agent_step){.id = "c1", .agent = "a", .task = "t1"}, &tool);
	snprintf(expected, sizeof(expected), "c1 a t started: %s", expected_text);
	assert_string_equal(body, expected);
	mem_free(body);
}

static void reports_start_of_call(void **state)
{
	char *body = NULL;
	const struct event_sink sink = {on_emit, &body};

	(void)state;
	check_started("Average price of a year.", "Looking up: average price of a year");
	check_started("Prices in $/MWh. Needs a year.", "Looking up: prices in $/MWh");
	check_started("PBI activity of reports", "Looking up: PBI activity of reports");
	check_started("", "Looking up: ");
	agent_tool_started(&sink, shipped_language(),
			   &(struct agent_step){.id = "c1", .agent = "a", .task = "t1"},
			   NULL); /* unknown tool: the event of its end reports the error */
	assert_string_equal(body, "c1 a - started: Looking up");
	mem_free(body);
}

static void truncates_description_between_characters(void **state)
{
	char about[2 * STATUS_ABOUT_BYTES_MAX];
	const struct tool_def tool = {.name = "t", .about = about};
	char *body = NULL;
	const struct event_sink sink = {on_emit, &body};

	(void)state;
	about[0] = 'x';
	for (size_t i = 1; i + 2 < sizeof(about); i += 2)
		memcpy(about + i, "\xC3\xA4", 3);
	agent_tool_started(&sink, shipped_language(),
			   &(struct agent_step){.id = "c1", .agent = "a", .task = "t1"}, &tool);
	assert_non_null(body);
	assert_string_equal(body + strlen(body) - 2, "\xC3\xA4");
	mem_free(body);
}

static void reports_end_of_call(void **state)
{
	const struct {
		enum outcome_kind kind;
		const char *state, *text;
	} rows[] = {
		{OUTCOME_ROWS, "completed", "Found: prices"},
		{OUTCOME_EMPTY, "completed", "Nothing matches: prices"},
		{OUTCOME_NO_DATA, "completed", "No data there: prices"},
		{OUTCOME_OUT_OF_WINDOW, "completed", "Outside the dates of the data: prices"},
		{OUTCOME_UNKNOWN_ENTITY, "completed", "A name is not known: prices"},
		{OUTCOME_NOT_PERMITTED, "failed", "Not permitted: prices"},
		{OUTCOME_TIMEOUT, "failed", "Took too long: prices"},
		{OUTCOME_ERROR, "failed", "Could not be read: prices"},
	};

	(void)state;
	assert_int_equal(sizeof(rows) / sizeof(rows[0]), OUTCOME_KIND_COUNT);
	for (size_t i = 0; i < OUTCOME_KIND_COUNT; i++) {
		struct arena *a = arena_new(1 << 16);
		struct result *r = result_new(a);
		char *body = NULL, expected[400];
		const struct event_sink sink = {on_emit, &body};

		r->call = "c2";
		r->agent = "a";
		r->tool = "t";
		r->about = "Prices.";
		r->outcome.kind = rows[i].kind;
		if (rows[i].kind == OUTCOME_ROWS) {
			struct table *t = table_new(1 << 10);

			t->row_count = 12;
			result_add_table(r, a, t);
		}
		agent_tool_ended(&sink, shipped_language(), NULL, r, NULL);
		snprintf(expected, sizeof(expected), "c2 a t %s %s %d: %s", rows[i].state,
			 outcome_name(rows[i].kind), rows[i].kind == OUTCOME_ROWS ? 12 : -1,
			 rows[i].text);
		assert_string_equal(body, expected);
		mem_free(body);
		arena_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_start_of_call),
		cmocka_unit_test(truncates_description_between_characters),
		cmocka_unit_test(reports_end_of_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
