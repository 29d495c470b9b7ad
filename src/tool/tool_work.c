/*
 * Post-processing of a call's rows: descriptions, derived facts, hash. Short results are processed
 * on the loop, long ones on a worker. The worker touches no data of the turn: tables, a copy of the
 * arguments, an arena and a catalogue reference are moved into the job and back. If the call is
 * cancelled, they stay in the job.
 */
#include "tool_int.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "vesper/frame.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

struct tool_work {
	struct pool_job job;
	struct tool_call *call; /* NULL: cancelled */
	struct catalog *catalog;
	const struct tool_def *tool;
	tool_derive_fn derive;
	const struct tool_derivation *derivations;
	bool derives, hashes;
	atomic_bool cancelled; /* stops its derivations early */
	struct arena *arena;
	struct result *result; /* in the arena, with the tables */
};

/* ---- descriptions from the header ---- */

static const struct column_def *find_column(const struct tool_def *t, const char *name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return &t->columns[i];
	return NULL;
}

/* Copied, since the table may outlive the catalogue. */
static const char *const *copy_words(const char *const *words, struct arena *a)
{
	size_t n = 0;

	while (words[n])
		n++;
	const char **copy = arena_alloc(a, (n + 1) * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = arena_strdup(a, words[i]);
	return copy;
}

void tool_describe_values(struct table *table, struct column *c, const struct dimension_def *d)
{
	if (d->words && !c->words)
		c->words = copy_words(d->words, table->arena);
	if (d->groups)
		c->groups = copy_words(d->groups, table->arena);
}

void tool_describe(struct table *table, const struct tool_def *tool, const struct catalog *catalog)
{
	for (size_t i = 0; i < table->column_count; i++) {
		struct column *c = &table->columns[i];
		const struct column_def *d = find_column(tool, c->name);
		if (!d)
			continue;
		c->priority = d->priority;
		if (d->label)
			c->label = arena_strdup(table->arena, d->label);
		if (d->unit)
			c->unit = arena_strdup(table->arena, d->unit);
		if (d->has_type)
			c->type = d->type;
		const struct dimension_def *entity =
			d->entity ? catalog_dimension(catalog, d->entity) : NULL;
		if (entity)
			tool_describe_values(table, c, entity);
	}
}

/* ---- processing ---- */

static const char *digits(int64_t n, struct arena *a)
{
	return arena_printf(a, "%" PRId64, n);
}

/* Adds the fact that figures are based on a sample of the rows. */
static void add_sample_fact(struct result *r, struct arena *a)
{
	const char *shares = NULL;

	for (size_t i = 0; i < r->frame_count; i++) {
		const struct frame *f = r->frames[i];

		if (f->sampled)
			shares = arena_printf(a, "%s%s%s", shares ? shares : "",
					      shares ? language_text(r->language, SAY_ASK_AND) : "",
					      sentence(r->language, SAY_TOOL_ONE_IN, a,
						       digits(f->step, a),
						       digits(f->total_rows, a)));
	}
	if (shares)
		result_add_fact(
			r, a,
			(struct fact){.name = RESULT_FRAME_SAMPLED,
				      .label = sentence(r->language, SAY_TOOL_SAMPLE, a),
				      .value = sentence(r->language, SAY_TOOL_SAMPLED, a, shares)});
}

const struct tool_derivation *tool_derivation(const struct tool_derivation *all, const char *name)
{
	for (; all && all->name; all++)
		if (strcmp(all->name, name) == 0)
			return all;
	return NULL;
}

static void derive(const struct tool_work *w)
{
	const struct tool_def *tool = w->tool;
	struct result *r = w->result;

	add_sample_fact(r, w->arena);
	if (w->derive)
		w->derive(r, w->arena);
	for (size_t i = 0; i < tool->derive_count; i++)
		tool_derivation(w->derivations, tool->derives[i].name)
			->run(r, &tool->derives[i], w->arena);
	for (size_t i = 0; i < r->table_count; i++) /* derived columns have a header too */
		tool_describe(r->tables[i], tool, w->catalog);
}

/* A mistake in a tool's file or function. It aborts test builds only, because users still get a
 * result. */
static void check_facts(const struct tool_work *w)
{
	const char *problem = tool_facts_error(w->tool, w->result, w->arena);

	if (!problem)
		return;
	log_error("tool.fact", "%s: tool %s: %s", w->tool->path, w->tool->name, problem);
#ifdef VESPER_CHECKED
	assert(false); /* the facts differ from those that the file declares */
#endif
}

/* Any thread. */
static void run_work(const struct tool_work *w)
{
	if (w->derives)
		derive(w);
	w->result->context = NULL;
	check_facts(w);
	result_free_frames(w->result);
	if (w->hashes)
		result_hash(w->result, w->result->hash);
}

static void run(struct pool_job *job)
{
	run_work((struct tool_work *)job);
}

static void copy_args(struct args *to, struct arena *a, const struct args *from)
{
	*to = (struct args){0};
	for (size_t i = 0; i < from->count; i++) {
		const struct arg *arg = &from->items[i];

		if (arg->is_list)
			args_set_list(to, a, arg->name, arg->values, arg->count);
		else
			args_set(to, a, arg->name, arg->values[0]);
	}
}

static void move_tables(struct result *to, struct arena *a, struct result *from)
{
	for (size_t i = 0; i < from->table_count; i++)
		result_add_table(to, a, from->tables[i]);
	from->tables = NULL;
	from->table_count = 0;
}

static void move_frames(struct result *to, struct arena *a, struct result *from)
{
	for (size_t i = 0; i < from->frame_count; i++)
		result_add_frame(to, a, from->frames[i]);
	from->frames = NULL;
	from->frame_count = 0;
}

static void free_arena(void *thing)
{
	struct arena *a = thing;

	arena_free(&a);
}

static void done(struct pool_job *job)
{
	struct tool_work *w = (struct tool_work *)job;
	struct tool_call *call = w->call;

	catalog_unref(&w->catalog);
	if (call) {
		struct result *r = call->result;

		move_tables(r, call->arena, w->result);
		r->facts = w->result->facts;
		r->fact_count = w->result->fact_count;
		memcpy(r->hash, w->result->hash, sizeof(r->hash));
		arena_defer(call->arena, free_arena, w->arena);
		call->work = NULL;
	} else {
		free_arena(w->arena);
	}
	mem_free(w);
	if (call)
		tool_call_finish(call);
}

static const char *const *copy_texts(const char *const *texts, size_t count, struct arena *a)
{
	const char **copy = arena_alloc(a, (count + 1) * sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = arena_strdup(a, texts[i]);
	return copy;
}

static const struct derive_classification *copy_classes(const struct derive_classification *from,
							struct arena *a)
{
	struct derive_classification *p;
	unsigned char *value_class;

	if (!from)
		return NULL;
	p = arena_alloc(a, sizeof(*p));
	value_class = arena_alloc(a, from->count + 1);
	memcpy(value_class, from->of, from->count);
	*p = *from;
	p->of = value_class;
	p->values = copy_texts(from->values, from->count, a);
	p->classes = copy_texts(from->classes, from->class_count, a);
	p->totals = copy_texts(from->totals, from->class_count + 2, a);
	return p;
}

/* Factors belong to the catalogue, to which the job has a reference. */
static const struct derive_context *context_of(const struct result *from, struct arena *a,
					       const atomic_bool *cancelled)
{
	struct derive_context *c = arena_alloc(a, sizeof(*c));

	*c = from->context ? *from->context : (struct derive_context){0};
	c->grain = arena_strdup(a, c->grain);
	c->thing = arena_strdup(a, c->thing);
	c->points = copy_classes(c->points, a);
	c->cancelled = cancelled;
	return c;
}

/* The part of a result that the worker may read; its tables are moved. */
static struct result *split_for_worker(struct tool_call *call, struct arena *a,
				       const atomic_bool *cancelled)
{
	const struct result *from = call->result;
	struct result *r = result_new(a);

	r->units = from->units;
	r->language = from->language;
	r->any_order = from->any_order;
	r->context = context_of(from, a, cancelled);
	r->outcome = (struct outcome){
		.kind = from->outcome.kind,
		.truncated = from->outcome.truncated,
		.param = arena_strdup(a, from->outcome.param),
		.range_min = arena_strdup(a, from->outcome.range_min),
		.range_max = arena_strdup(a, from->outcome.range_max),
	};
	copy_args(&r->args, a, &call->args);
	move_tables(r, a, call->result);
	move_frames(r, a, call->result);
	return r;
}

static size_t row_count(const struct result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->table_count; i++)
		n += r->tables[i]->row_count;
	for (size_t i = 0; i < r->frame_count; i++)
		n += r->frames[i]->rows;
	return n;
}

bool tool_work_start(struct tool_call *call, bool hashes)
{
	const struct toolbox_options *o = &call->box->options;
	struct tool_work local_work = {
		.call = call,
		.catalog = o->catalog,
		.tool = call->tool,
		.derive = call->derive,
		.derivations = o->derivations,
		.derives = call->derives,
		.hashes = hashes,
		.arena = call->arena,
		.result = call->result,
	};
	struct tool_work *w;

	call->result->args = call->args;
	if (!local_work.derives && !hashes)
		return false;
	if (!o->workers ||
	    (row_count(call->result) <= TOOL_LOOP_ROWS && !local_work.tool->analysis.groups)) {
		run_work(&local_work);
		return false;
	}
	w = mem_alloc(sizeof(*w));
	memcpy(w, &local_work, sizeof(local_work));
	w->job = (struct pool_job){.run = run, .done = done};
	w->catalog = catalog_ref(o->catalog);
	w->arena = arena_new(TOOL_WORK_ARENA_BYTES);
	w->result = split_for_worker(call, w->arena, &w->cancelled);
	call->work = w;
	pool_submit(o->workers, &w->job);
	return true;
}

void tool_work_detach(struct tool_call *call)
{
	if (call->work) {
		call->work->call = NULL;
		atomic_store(&call->work->cancelled, true);
	}
	call->work = NULL;
}
