/* The states of an answer's inputs, and the action for each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "vesper/context.h"

static const struct context_result fresh = {.found = true, .age_ms = 10, .keep_ms = 1000};
static const struct context_result old = {.found = true, .age_ms = 1001, .keep_ms = 1000};
static const struct context_result uncached = {.found = true, .age_ms = 1 << 30};
static const struct context_result nothing = {.age_ms = 10};
static const struct context_result running = {.pending = true};

/* "key state action; …" */
static void check(const struct context_input *in, const char *expected)
{
	struct context_state s;
	char have[256] = "";

	context_read(in, &s);
	for (size_t i = 0; i < s.count; i++) {
		const char *action = context_action_name(s.items[i].action);
		size_t n = strlen(have);

		snprintf(have + n, sizeof(have) - n, "%s%s %s%s%s", n ? "; " : "",
			 context_key_name(s.items[i].key), context_status_name(s.items[i].status),
			 action ? " " : "", action ? action : "");
	}
	assert_string_equal(have, expected);
}

static void check_results(const struct context_result *a, const struct context_result *b,
			  size_t left_out, const char *expected)
{
	const struct context_result both[] = {*a, b ? *b : *a};

	check(&(struct context_input){.wants_results = true,
				      .results = both,
				      .result_count = b ? 2 : 1,
				      .left_out = left_out},
	      expected);
}

static void status_follows_read_time(void **state)
{
	(void)state;
	check_results(&fresh, NULL, 0, "query_results available");
	check_results(&uncached, NULL, 0, "query_results available");
	check_results(&old, NULL, 0, "query_results stale refresh");
	check_results(&fresh, &old, 0, "query_results stale refresh");
	check_results(&running, &old, 0, "query_results pending");
	check_results(&nothing, NULL, 0, "query_results missing");
	check_results(&nothing, &fresh, 0, "query_results available");
	check_results(&fresh, NULL, 3, "query_results evicted say");
	check_results(&nothing, NULL, 3, "query_results missing");
}

static void results_without_lookup_are_loaded(void **state)
{
	(void)state;
	check(&(struct context_input){.wants_results = true}, "query_results missing load");
	check(&(struct context_input){0}, "");
}

static void followup_needs_history(void **state)
{
	struct context_input in = {.is_followup = true};

	(void)state;
	check(&in, "history missing ask");
	in.has_history = true;
	check(&in, "history missing ask"); /* a permission that its summary needs was lost */
	in.history_readable = true;
	check(&in, "history available");
	in.is_followup = false;
	check(&in, "");
}

static void ad_hoc_sql_needs_views(void **state)
{
	struct context_input in = {.writes_sql = true};

	(void)state;
	check(&in, "schema_context missing");
	in.views = 1;
	check(&in, "schema_context available");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_follows_read_time),
		cmocka_unit_test(results_without_lookup_are_loaded),
		cmocka_unit_test(followup_needs_history),
		cmocka_unit_test(ad_hoc_sql_needs_views),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
