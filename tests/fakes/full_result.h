/* A result with a value in every member that packing stores. */
#ifndef FULL_RESULT_H
#define FULL_RESULT_H

#include <string.h>

#include "english.h"
#include "vesper/result.h"
#include "vesper/stats.h"

static inline struct table *full_table(const char *name)
{
	struct table *t = table_new(1 << 16);
	struct stats_collector *s = stats_new(2);
	static const char *const cells[3][2] = {{"NP15 \xE2\x80\x94 caf\xC3\xA9", "-12.500"},
						{NULL, "99999999999999999999.25"},
						{"", NULL}};

	t->name = name;
	t->column_count = 2;
	t->columns = arena_alloc(t->arena, 2 * sizeof(*t->columns));
	static const char *const words[] = {"", "no hub", NULL};
	static const char *const groups[] = {"E1", "coast", NULL};
	t->columns[0] =
		(struct column){"Hub", "Hub-zone", NULL, COLUMN_TEXT, PRIORITY_LOW, words, groups};
	t->columns[1] = (struct column){"Price",       "Price", "$/MWh", COLUMN_DECIMAL,
					PRIORITY_HIGH, NULL,    NULL};
	t->rows = arena_alloc(t->arena, 3 * sizeof(*t->rows));
	for (int r = 0; r < 3; r++) {
		t->rows[r] = arena_alloc(t->arena, 2 * sizeof(char *));
		for (size_t c = 0; c < 2; c++) {
			const char *cell = cells[r][c];
			t->rows[r][c] = cell;
			stats_cell(s, c, cell, cell ? strlen(cell) : 0, c == 1);
		}
		stats_end_row(s);
	}
	t->row_count = 3;
	t->total_rows = 812;
	t->truncated = true;
	t->truncation = "row cap";
	t->stats = stats_finish(s, t->arena);
	stats_free(&s);
	return t;
}

static inline struct result *full_result(struct arena *arena)
{
	struct result *r = result_new(arena);
	const struct value hours[] = {value_int(7), value_int(-1)};
	static struct value bound[2];

	bound[0] = value_text("acme");
	bound[1] = value_int(2025);
	*r = (struct result){.call = "c1",
			     .agent = "a",
			     .tool = "t",
			     .about = "about",
			     .language = shipped_language()};
	r->outcome = (struct outcome){.kind = OUTCOME_ROWS, .truncated = true};
	args_set(&r->args, arena, "hub", value_text("NP15"));
	args_set_list(&r->args, arena, "hours", hours, 2);
	args_set(&r->args, arena, "firm", value_bool(false));
	args_set(&r->args, arena, "since", value_date("2026-01-01"));
	args_set(&r->args, arena, "big", value_int(INT64_MIN));
	result_add_table(r, arena, full_table("main"));
	result_add_table(r, arena, full_table("hourly"));
	result_add_fact(r, arena, (struct fact){"gap", "Gap", "1.20", "$/MWh", "2.40 - 1.20"});
	result_add_fact(r, arena, (struct fact){.name = "note", .label = "Note", .value = "none"});
	result_add_statement(r, arena,
			     (struct result_statement){"t/main", "SELECT ? , ?", bound, 2});
	result_add_statement(r, arena,
			     (struct result_statement){.name = "t/none", .text = "SELECT 1"});
	r->read_ms = 1772182800000;
	result_hash(r, r->hash);
	return r;
}

#endif
