/*
 * Checks whether the catalogue fits the current databases. Runs each statement of each tool, and
 * each that reads a dimension's names, with arguments that match nothing: the database reports
 * missing columns and views in its dialect. An unreachable source counts as one problem: its first
 * statement is a plain SELECT, and if that fails, the others are skipped.
 */
#include "tool_int.h"

#include <assert.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

#define NO_MATCH "\x1a no such name"

struct source_state {
	bool is_tried, is_available;
};

struct check {
	struct toolbox *box;
	const char *tenant;
	struct arena *arena;
	size_t tool, dimension, query;      /* next statement; tools come first */
	struct source_state *source_states; /* by source, in the order of the table */
	struct source_state *current_source;
	void (*problem)(void *owner, const char *text);
	void (*done)(void *owner);
	void *owner;
	struct deferred deferred;
};

static struct value sample_value(const struct param_def *p)
{
	switch (p->type) {
	case PARAM_INT:
		return value_int(p->has_min ? p->min : 1);
	case PARAM_DECIMAL:
		return value_decimal("0");
	case PARAM_DATE:
		return value_date("0001-01-01");
	case PARAM_BOOL:
		return value_bool(false);
	case PARAM_TEXT:
		break;
	}
	return value_text(NO_MATCH);
}

/* Sets every parameter, to include every optional line, and every permission, to include every
 * column. */
static struct args all_args(struct check *c, const struct tool_def *t)
{
	struct args args = {0};

	for (size_t i = 0; i < t->param_count; i++) {
		struct value v = sample_value(&t->params[i]);

		if (t->params[i].is_list)
			args_set_list(&args, c->arena, t->params[i].name, &v, 1);
		else
			args_set(&args, c->arena, t->params[i].name, v);
	}
	for (size_t i = 0; i < t->column_count; i++)
		if (t->columns[i].permission)
			args_set(&args, c->arena,
				 catalog_condition_of(t->columns[i].permission, c->arena),
				 value_bool(true));
	tool_set_reserved(c->box->options.catalog, c->tenant, clock_today(), c->arena, &args);
	tool_set_first_day(t, &args, clock_today(), c->arena, &args);
	return args;
}

static void on_next(void *owner);

static void report_problem(struct check *c, const struct err *e)
{
	const struct catalog *all = c->box->options.catalog;
	const char *what;

	if (!e)
		return;
	what = c->tool < all->tool_count
		       ? all->tools[c->tool].path
		       : arena_printf(c->arena, "config/%s/catalogue.json: dimension %s",
				      all->dimensions[c->dimension].pack,
				      all->dimensions[c->dimension].name);
	c->problem(c->owner, arena_printf(c->arena, "%s: tenant %s: %s", what, c->tenant, e->text));
}

static void next(struct check *c)
{
	c->query++;
	loop_defer(c->box->options.loop, &c->deferred, on_next, c);
}

static void on_checked(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct check *c = owner;

	source_batches_free(batches, count);
	report_problem(c, e);
	next(c);
}

static void on_source_tried(void *owner, struct source_batch *batches, size_t count,
			    const struct err *e)
{
	struct check *c = owner;

	source_batches_free(batches, count);
	*c->current_source = (struct source_state){.is_tried = true, .is_available = !e};
	if (e)
		c->problem(
			c->owner,
			arena_printf(
				c->arena,
				"tenant %s: %s; the other statements of this source were skipped",
				c->tenant, e->text));
	loop_defer(c->box->options.loop, &c->deferred, on_next, c);
}

static void finish(struct check *c)
{
	void (*done)(void *owner) = c->done;
	void *owner = c->owner;

	arena_free(&c->arena);
	mem_free(c);
	done(owner);
}

static struct gate_policy gate_views(struct check *c)
{
	return catalog_gate_policy(c->box->options.catalog, NULL, c->tenant, c->arena);
}

/* The tool's queries, and the totals query derived from the first one if the header allows it. For
 * ad hoc SQL, one query for each view that callers may read. */
static size_t statements_of(struct check *c, const struct tool_def *t)
{
	if (t->map || tool_has_no_statement(t))
		return 0; /* the views are covered by other tools and the gate */
	if (t->gate)
		return gate_views(c).view_count;
	return t->files[c->box->source[t->index]->dialect]->query_count + t->totals.is_queryable;
}

/* Reads all declared columns of the view. */
static bool render_view(struct check *c, enum dialect dialect, struct source_statement *out,
			struct err *e)
{
	struct gate_policy policy = gate_views(c);
	const char *view = policy.views[c->query].name;
	struct value *tenant = arena_alloc(c->arena, sizeof(*tenant));
	const char *sql = arena_printf(c->arena, "SELECT * FROM %s WHERE 1 = 0", view);
	struct gate_result checked;

	if (!gate_check(&policy, dialect, str_of(sql), c->arena, &checked, e))
		return false;
	assert(checked.tenants <= 1);
	*tenant = value_text(c->tenant);
	*out = (struct source_statement){
		.name = view, .text = checked.sql, .values = tenant, .count = checked.tenants};
	return true;
}

static bool render_query(struct check *c, const struct tool_def *t, enum dialect dialect,
			 struct source_statement *out, struct err *e)
{
	const struct sql_file *f = t->files[dialect];
	struct args args = all_args(c, t);
	bool is_totals = c->query == f->query_count;
	const struct sql_query *q = &f->queries[is_totals ? 0 : c->query];
	struct sql_bound bound;

	if (is_totals ? !sql_render_totals(q, &args, t->totals.sums, t->totals.sum_count, dialect,
					   c->arena, &bound, e)
		      : !sql_render(q, &args, dialect, c->arena, &bound, e))
		return false;
	*out = (struct source_statement){
		.name = is_totals ? "totals" : q->name,
		.text = bound.text,
		.values = bound.values,
		.count = bound.count,
	};
	return true;
}

static bool render(struct check *c, const struct tool_def *t, enum dialect dialect,
		   struct source_statement *out, struct err *e)
{
	return t->gate ? render_view(c, dialect, out, e) : render_query(c, t, dialect, out, e);
}

/* Renders the query for the dimension's names, or for the watermark that shows changes. */
static bool render_dimension(struct check *c, const struct dimension_def *d, enum dialect dialect,
			     struct source_statement *out, struct err *e)
{
	const struct sql_values names = {
		.view = d->view, .column = d->column, .parent = d->by, .cap = 1};
	const char *tenant = d->one_tenant ? NULL : NO_MATCH;
	struct sql_bound bound;

	if (c->query == 0
		    ? !sql_distinct(&names, tenant, dialect, c->arena, &bound, e)
		    : !sql_watermark(d->view, d->watermark, tenant, dialect, c->arena, &bound, e))
		return false;
	*out = (struct source_statement){
		.name = d->name, .text = bound.text, .values = bound.values, .count = bound.count};
	return true;
}

static size_t statements_of_dimension(const struct dimension_def *d)
{
	return d->view && d->column ? d->watermark ? 2 : 1 : 0;
}

/* Skips tools and dimensions without further statements. False: all statements were tried. */
static bool find_next(struct check *c)
{
	const struct catalog *all = c->box->options.catalog;

	for (; c->tool < all->tool_count; c->tool++, c->query = 0)
		if (c->query < statements_of(c, &all->tools[c->tool]))
			return true;
	for (; c->dimension < all->dimension_count; c->dimension++, c->query = 0)
		if (c->query < statements_of_dimension(&all->dimensions[c->dimension]))
			return true;
	return false;
}

static void try_source(struct check *c, struct source *source, struct source_state *state)
{
	static const struct source_statement any = {.name = "reach", .text = "SELECT 1"};

	c->current_source = state;
	source->start(source,
		      &(struct source_call){.tenant = c->tenant, .statements = &any, .count = 1},
		      on_source_tried, c);
}

/* The source of the next statement; NULL: its view has none. */
static struct source *source_of(struct check *c)
{
	const struct toolbox *b = c->box;
	const struct catalog *all = b->options.catalog;
	const struct tool_def *t = c->tool < all->tool_count ? &all->tools[c->tool] : NULL;
	const char *name;

	if (t && !t->gate)
		return b->source[t->index];
	name = t ? catalog_view_source(all, gate_views(c).views[c->query].name)
		 : all->dimensions[c->dimension].source;
	return source_find(b->options.sources, name);
}

static struct source_state *state_of_source(struct check *c, const struct source *s)
{
	const struct source_table *all = c->box->options.sources;
	size_t i = 0;

	while (all->items[i] != s)
		i++;
	return &c->source_states[i];
}

static void skip(struct check *c, const struct err *e)
{
	report_problem(c, e);
	next(c);
}

static void try_statement(struct check *c, struct source *source)
{
	const struct catalog *all = c->box->options.catalog;
	struct source_statement statement;
	struct err e = {0};
	bool done;

	if (c->tool < all->tool_count)
		done = render(c, &all->tools[c->tool], source->dialect, &statement, &e);
	else
		done = render_dimension(c, &all->dimensions[c->dimension], source->dialect,
					&statement, &e);
	if (!done) {
		skip(c, &e);
		return;
	}
	source->start(
		source,
		&(struct source_call){.tenant = c->tenant, .statements = &statement, .count = 1},
		on_checked, c);
}

static void on_next(void *owner)
{
	struct check *c = owner;
	struct source *source;
	struct source_state *state;
	struct err e = {0};

	if (!find_next(c)) {
		finish(c);
		return;
	}
	source = source_of(c);
	if (!source) {
		err_set(&e, ERR_INPUT, "the source of its view is not configured");
		skip(c, &e);
		return;
	}
	state = state_of_source(c, source);
	if (!state->is_tried)
		try_source(c, source, state);
	else if (state->is_available)
		try_statement(c, source);
	else
		skip(c, NULL);
}

void toolbox_check(struct toolbox *b, const char *tenant,
		   void (*problem)(void *owner, const char *text), void (*done)(void *owner),
		   void *owner)
{
	struct check *c = mem_alloc(sizeof(*c));

	*c = (struct check){.box = b,
			    .tenant = tenant,
			    .arena = arena_new(TURN_ARENA_BYTES),
			    .problem = problem,
			    .done = done,
			    .owner = owner};
	c->source_states =
		arena_alloc(c->arena, b->options.sources->count * sizeof(*c->source_states));
	loop_defer(b->options.loop, &c->deferred, on_next, c);
}
