/*
 * The shared tool function: renders the statements of a tool's file, runs them as one request and
 * builds the result. If the main statement returns no rows and the file has a query for the
 * existing range, that query runs next. If no data exists, another one looks for entities with
 * data, so that the user gets alternatives.
 */
#include "tool_int.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/frame.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/metric.h"

static const struct metric invalid_cell_count = {
	.name = "vesper_frame_bad_cells_total",
	.help = "Frame cells that are not valid values of their column's type.",
};

static struct args bound_args(const struct tool_call *call)
{
	struct args args = tool_bind(call->box->options.catalog, call->tool, &call->args, call->who,
				     call->today, call->arena);

	if (call->rows_max)
		args_set(&args, call->arena, "row_limit", value_int((int64_t)call->rows_max + 1));
	return args;
}

static const struct sql_file *file_of(const struct tool_call *call)
{
	return call->tool->files[call->source->dialect];
}

/* Frame columns have the types that the file declares. */
static struct sink sink_of(const struct tool_call *call, const struct sql_query *q)
{
	const struct tool_def *tool = call->tool;
	const struct frame_def *f = tool_frame(tool, q->name);
	struct frame_declared *columns;
	struct sink sink = {.kind = SINK_FRAME};

	if (!f)
		return (struct sink){.rows_max = call->rows_max, .stats = true};
	columns = arena_alloc(call->arena, (tool->column_count + 1) * sizeof(*columns));
	for (size_t i = 0; i < tool->column_count; i++) {
		const struct column_def *c = &tool->columns[i];

		if (c->has_type)
			columns[sink.column_count++] = (struct frame_declared){
				c->name, c->is_real ? FRAME_REAL : frame_type_of(c->type)};
	}
	sink.columns = columns;
	sink.rows_max = f->rows;
	return sink;
}

static bool render(const struct tool_call *call, const struct sql_query *q, const struct args *args,
		   struct source_statement *out, struct err *e)
{
	struct sql_bound bound;

	if (!sql_render(q, args, call->source->dialect, call->arena, &bound, e))
		return false;
	*out = (struct source_statement){
		.name = arena_printf(call->arena, "%s/%s", call->tool->name, q->name),
		.text = bound.text,
		.values = bound.values,
		.count = bound.count,
		.bounded_rows = !call->rows_max && sql_query_has_marker(q, "row_limit"),
		.sink = sink_of(call, q),
	};
	return true;
}

/* ---- results ---- */

static bool end_failed(struct tool_call *call, const struct err *e)
{
	if (!e)
		return false;
	log_warn("tool.failed", "%s: %s", call->tool->name, e->text);
	call->result->outcome = tool_outcome_of_db(call, e);
	tool_call_end(call);
	return true;
}

/* ---- existing range ---- */

static int compare_numbers(const char *a, const char *b)
{
	long long x = strtoll(a, NULL, 10), y = strtoll(b, NULL, 10);

	return (x > y) - (x < y);
}

/* True when the days back from today have no explicit end and all are after the last day with
 * data. */
static bool days_are_after(const struct tool_call *call, const char *last, const char **param)
{
	const struct param_def *days = catalog_days_param(call->tool);
	const struct param_def *end = catalog_days_end_param(call->tool);
	const struct arg *asked = days ? args_find(&call->args, days->name) : NULL;
	char iso[DATE_ISO_BYTES];

	if (!asked || !end || args_find(&call->args, end->name))
		return false;
	date_iso(date_from_days(date_to_days(call->today) - asked->values[0].number), iso);
	*param = end->name;
	return strcmp(iso, last) > 0;
}

/* Returns true when a requested year or date is outside the range; *param is the first of them. */
static bool is_outside(const struct tool_call *call, const char *first, const char *last,
		       const char **param)
{
	for (size_t i = 0; i < call->tool->param_count; i++) {
		const struct param_def *p = &call->tool->params[i];
		const char *text = args_text(&call->args, p->name, call->arena);
		bool is_year = p->type == PARAM_INT && strcmp(p->filter, "year") == 0;
		if (!text || (!is_year && p->type != PARAM_DATE))
			continue;
		if (is_year ? compare_numbers(text, first) < 0 || compare_numbers(text, last) > 0
			    : strcmp(text, first) < 0 || strcmp(text, last) > 0) {
			*param = p->name;
			return true;
		}
	}
	return days_are_after(call, last, param);
}

/* A validated year or day: the range is shown to models that may call tools, and a cell may contain
 * any text. NULL: neither. */
static const char *range_end(const char *cell, struct arena *a)
{
	struct date day;
	size_t digits = cell ? strspn(cell, "0123456789") : 0;

	if (digits == 4 && !cell[digits])
		return arena_strdup(a, cell);
	if (!cell || !date_parse_start(cell, &day))
		return NULL;
	return arena_printf(a, "%04d-%02d-%02d", day.year, day.month, day.day);
}

/* Runs a further statement for a result without rows. False: the file has none of this name. */
static bool query_after_empty(struct tool_call *call, const char *name, source_cb cb)
{
	const struct sql_query *q = sql_file_query(file_of(call), name);
	struct args args = bound_args(call);
	struct source_statement statement;
	struct err e = {0};

	if (!q || !render(call, q, &args, &statement, &e))
		return false;
	tool_call_send(call, call->source, &statement, 1, call->timeout_ms, cb);
	return true;
}

static void read_others(struct tool_call *call, const struct table *t)
{
	struct outcome *o = &call->result->outcome;
	int value = table_column(t, "value"), label = table_column(t, "label");
	size_t limit = t->row_count < RECOVER_OTHERS_MAX ? t->row_count : RECOVER_OTHERS_MAX;
	struct suggestion *others = arena_alloc(call->arena, (limit + 1) * sizeof(*others));

	for (size_t i = 0; value >= 0 && label >= 0 && i < limit; i++) {
		const char *const *row = (const char *const *)t->rows[i];

		if (row[value])
			others[o->suggestion_count++] = (struct suggestion){
				.value = arena_strdup(call->arena, row[value]),
				.label = arena_strdup(call->arena,
						      row[label] ? row[label] : row[value])};
	}
	o->suggestions = others;
	o->param = catalog_others_param(call->tool)->name;
}

static void on_others(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;

	call->query = NULL;
	if (e) {
		log_warn("tool.failed", "%s/" TOOL_QUERY_OTHERS ": %s", call->tool->name, e->text);
		call->is_cacheable = false;
	}
	if (count == 1)
		read_others(call, batches[0].table);
	source_batches_free(batches, count);
	tool_call_end(call);
}

static void on_window(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;
	struct outcome *o = &call->result->outcome;
	const char *first = NULL, *last = NULL;

	call->query = NULL;
	if (e) {
		log_warn("tool.failed", "%s/" TOOL_QUERY_WINDOW ": %s", call->tool->name, e->text);
		call->is_cacheable = false; /* the next call should find the range */
	}
	if (count == 1 && batches[0].table->row_count == 1 && batches[0].table->column_count == 2) {
		const char *const *row = batches[0].table->rows[0];

		first = range_end(row[0], call->arena);
		last = range_end(row[1], call->arena);
		if (!row[0] && !row[1])
			o->kind = OUTCOME_NO_DATA; /* no data at any other time either */
	}
	source_batches_free(batches, count);
	if (first && last && is_outside(call, first, last, &o->param)) {
		o->kind = OUTCOME_OUT_OF_WINDOW;
		o->range_min = first;
		o->range_max = last;
	}
	if (o->kind != OUTCOME_NO_DATA || !query_after_empty(call, TOOL_QUERY_OTHERS, on_others))
		tool_call_end(call);
}

/* ---- running ---- */

static void end_with_rows(struct tool_call *call)
{
	call->derives = call->derive || call->tool->derive_count > 0;
	tool_call_end(call);
}

static void on_totals(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;

	call->query = NULL;
	if (e || count != 1 || !tool_totals_apply(call, batches[0].table)) {
		log_warn("tool.failed", "%s/totals: %s", call->tool->name,
			 e ? e->text : "the totals do not match the rows");
		call->is_cacheable = false; /* the next call should get exact totals */
	}
	source_batches_free(batches, count);
	end_with_rows(call);
}

void tool_frame_add(struct tool_call *call, const char *query, struct frame *take)
{
	take->name = arena_strdup(take->arena, query);
	if (take->invalid_cell_count > 0) {
		metric_add(&invalid_cell_count, NULL, take->invalid_cell_count);
		log_warn("tool.frame", "%s/%s: %lld cells are not valid values of their types",
			 call->tool->name, query, (long long)take->invalid_cell_count);
	}
	result_add_frame(call->result, call->arena, take);
}

static void add_tables(struct tool_call *call, struct source_batch *batches, size_t count)
{
	const struct sql_file *f = file_of(call);
	size_t limit = call->rows_max ? call->rows_max : DB_ROWS_MAX;
	size_t next = 0;

	for (size_t i = 0; i < f->query_count; i++) {
		bool has_row_limit = sql_query_has_marker(&f->queries[i], "row_limit");
		struct table *t;

		if (tool_query_runs_when_empty(f->queries[i].name))
			continue;
		assert(next < count); /* each statement is a SELECT with one batch */
		if (batches[next].frame) {
			tool_frame_add(call, f->queries[i].name, batches[next++].frame);
			continue;
		}
		t = batches[next++].table;
		t->name = arena_strdup(t->arena, f->queries[i].name);
		tool_totals_mark(has_row_limit ? limit : 0, t);
		tool_describe(t, call->tool, call->box->options.catalog);
		result_add_table(call->result, call->arena, t);
	}
	assert(next == count);
}

static void on_tables(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;
	struct result *r = call->result;
	struct args args;

	call->query = NULL;
	if (end_failed(call, e))
		return;
	add_tables(call, batches, count);
	r->outcome.truncated = r->tables[0]->truncated;
	r->outcome.kind = r->tables[0]->row_count > 0 ? OUTCOME_ROWS : OUTCOME_EMPTY;
	if (r->outcome.kind == OUTCOME_EMPTY) {
		if (!query_after_empty(call, TOOL_QUERY_WINDOW, on_window))
			tool_call_end(call);
		return;
	}
	args = bound_args(call);
	if (!tool_totals_query(call, &args, on_totals))
		end_with_rows(call);
}

bool tool_sql_run_and_derive(struct tool_call *call, tool_derive_fn derive, struct err *e)
{
	const struct sql_file *f = file_of(call);
	struct args args = bound_args(call);
	struct source_statement statements[TOOL_QUERIES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < f->query_count; i++) {
		if (tool_query_runs_when_empty(f->queries[i].name))
			continue;
		if (!render(call, &f->queries[i], &args, &statements[count++], e))
			return false;
	}
	call->derive = derive;
	tool_call_send(call, call->source, statements, count, call->timeout_ms, on_tables);
	return true;
}

bool tool_sql_run(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, NULL, e);
}
