/* With more rows than a frame holds, analyses that need all rows only report that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample_results.h"
#include "vesper/domain.h"
#include "vesper/frame.h"

#define THINGS   40
#define PERIODS  12
#define COLUMNS  4
#define KEPT_ALL (THINGS * PERIODS)

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 22);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* A thing, its group or its month, and two measures. */
static struct frame *frame_of(bool by_time, size_t kept)
{
	const struct frame_declared columns[COLUMNS] = {{"Thing", FRAME_TEXT},
							{by_time ? "Month" : "Group", FRAME_TEXT},
							{"Sales", FRAME_REAL},
							{"Visits", FRAME_REAL}};
	struct frame_builder *b = frame_builder_new("main", columns, COLUMNS, kept);
	struct err e = {0};
	bool wanted;

	for (int i = 0; i < KEPT_ALL; i++) {
		int thing = i / PERIODS, period = i % PERIODS;
		const char *second = by_time ? arena_printf(arena, "2024-%02d-01", period + 1)
					     : arena_printf(arena, "Group %d", period);

		assert_true(frame_builder_next(b, &wanted, &e));
		if (!wanted)
			continue;
		frame_builder_cell(b, 0, arena_printf(arena, "Thing %02d", thing));
		frame_builder_cell(b, 1, second);
		frame_builder_cell(b, 2, arena_printf(arena, "%d.5", 100 + thing * period));
		frame_builder_cell(b, 3, arena_printf(arena, "%d", 3 + i % 7));
		assert_true(frame_builder_row(b, &e));
	}
	return frame_builder_finish(&b);
}

static struct result *run(const char *name, bool by_time, size_t kept)
{
	const struct sample_column columns[COLUMNS] = {
		{"Thing", NULL, COLUMN_TEXT},
		{by_time ? "Month" : "Group", NULL, by_time ? COLUMN_DATE : COLUMN_TEXT},
		{"Sales", NULL, COLUMN_DECIMAL},
		{"Visits", NULL, COLUMN_DECIMAL}};
	const struct tool_derivation *d = domain_derivations;
	const struct derive_def of = {.name = name};
	struct derive_context context = {.today = {2025, 6, 1},
					 .groups = 2,
					 .grain = by_time ? "month" : NULL,
					 .thing = "thing",
					 .second = by_time ? NULL : "group",
					 .by_name = true,
					 .is_additive = true};
	struct result *r = sample_result(arena, sample_table(columns, COLUMNS, NULL, 0));
	struct derive_context *kept_context = arena_alloc(arena, sizeof(*kept_context));

	*kept_context = context;
	r->context = kept_context;
	args_set(&r->args, arena, "name", value_text("Thing 00"));
	result_add_frame(r, arena, frame_of(by_time, kept));
	while (strcmp(d->name, name) != 0)
		d++;
	d->run(r, &of, arena);
	result_free_frames(r);
	return r;
}

/* Analyses that need each row of a thing, the largest value, or ranks. */
static void sample_gives_no_facts_that_need_all_rows(void **state)
{
	static const struct {
		const char *name;
		bool by_time;
	} of[] = {{"growth", true},
		  {"decline", true},
		  {"risk_scores", true},
		  {"inactivity", true},
		  {"vs_history", true},
		  {"best_in_class", false},
		  {"rank_in_group", false},
		  {"vs_average", false},
		  {"cross_segment", false},
		  {"group_profile", false},
		  {"underserved", false},
		  {"lose_top_n", false},
		  {"similar_to_entity", false},
		  {"gap_candidates", false},
		  {"lookalikes", false},
		  {"opportunity_scores", false},
		  {"like_losses", false},
		  {"value_tiers", false},
		  {"match_values", false},
		  {"classify_values", false}};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const struct result *r = run(of[i].name, of[i].by_time, KEPT_ALL / 2);

		assert_non_null(result_fact(r, "enough"));
		assert_string_equal(result_fact(r, "enough")->value, "no");
		assert_non_null(strstr(result_fact(r, "note")->value,
				       "There are too many values to examine all"));
		for (size_t f = 0; f < r->fact_count; f++)
			assert_true(strcmp(r->facts[f].name, "enough") == 0 ||
				    strcmp(r->facts[f].name, "note") == 0 ||
				    strcmp(r->facts[f].name, "measure") == 0);
		assert_int_equal(r->tables[0]->row_count, 0);
	}
}

/* Over all rows, the same analyses report a finding. */
static void all_rows_give_these_facts(void **state)
{
	(void)state;
	assert_non_null(result_fact(run("growth", true, KEPT_ALL), "found"));
	assert_non_null(result_fact(run("best_in_class", false, KEPT_ALL), "best"));
	assert_non_null(result_fact(run("rank_in_group", false, KEPT_ALL), "n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sample_gives_no_facts_that_need_all_rows, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(all_rows_give_these_facts, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("domain/sampled", tests, NULL, NULL);
}
