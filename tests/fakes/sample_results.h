/* Handwritten results, for tests of code that reads results. */
#ifndef SAMPLE_RESULTS_H
#define SAMPLE_RESULTS_H

#include <string.h>

#include "english.h"
#include "shipped_units.h"
#include "vesper/result.h"

struct sample_column {
	const char *name, *unit;
	enum column_type type;
};

/* cells: rows * columns texts, row by row */
static inline struct table *sample_table(const struct sample_column *columns, size_t column_count,
					 const char *const *cells, size_t rows)
{
	struct table *t = table_new(1 << 22);
	struct stats_collector *s = stats_new(column_count);

	t->name = "main";
	t->column_count = column_count;
	t->columns = arena_alloc(t->arena, sizeof(*t->columns) * column_count);
	for (size_t c = 0; c < column_count; c++)
		t->columns[c] = (struct column){.name = columns[c].name,
						.label = columns[c].name,
						.unit = columns[c].unit,
						.type = columns[c].type,
						.priority = PRIORITY_HIGH};
	t->rows = arena_alloc(t->arena, sizeof(*t->rows) * (rows + 1));
	for (size_t r = 0; r < rows; r++) {
		t->rows[r] = arena_alloc(t->arena, sizeof(char *) * column_count);
		for (size_t c = 0; c < column_count; c++) {
			const char *text = cells[r * column_count + c];

			t->rows[r][c] = arena_strdup(t->arena, text);
			stats_cell(s, c, text, text ? strlen(text) : 0,
				   column_is_number(columns[c].type));
		}
		stats_end_row(s);
	}
	t->row_count = rows;
	t->total_rows = (int64_t)rows;
	t->is_total_exact = true;
	t->stats = stats_finish(s, t->arena);
	stats_free(&s);
	return t;
}

static struct result *sample_result(struct arena *a, struct table *take)
{
	struct result *r = result_new(a);

	r->call = "c1";
	r->agent = "dayahead_agent";
	r->tool = "get_average_annual_price";
	r->about = "Average price";
	r->units = shipped_units();
	r->language = shipped_language();
	if (take)
		result_add_table(r, a, take);
	return r;
}

/* The sample with arguments for NP15 in 2025. */
static inline struct result *asked_result(struct arena *a, struct table *take)
{
	struct result *r = sample_result(a, take);

	args_set(&r->args, a, "hub_zone", value_text("NP15"));
	args_set(&r->args, a, "year", value_int(2025));
	return r;
}

#endif
