/* Creates, copies and finishes requests. A request copies everything that the caller passed, so it
 * may outlive the caller's memory. */
#include "db_int.h"

#include <assert.h>

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

static const struct metric duration = {
	.name = "vesper_sql_query_duration_microseconds",
	.help = "Time that statements took on their worker, including fetching.",
	.kind = METRIC_HISTOGRAM,
	.labels = {"query"},
	.bounds = {250, 1000, 2500, 10000, 25000, 100000, 500000, 2000000, 10000000},
};
static const struct metric errors = {
	.name = "vesper_sql_query_errors_total",
	.help = "Statements that failed, by error code.",
	.labels = {"query", "code"},
};

#define WORK_ARENA_BYTES 65536 /* soft limit; values have separate limits */

static struct sink sink_copy(struct arena *a, const struct sink *from)
{
	struct frame_declared *columns =
		arena_alloc(a, (from->column_count + 1) * sizeof(*columns));
	struct sink to = *from;

	for (size_t i = 0; i < from->column_count; i++)
		columns[i] = (struct frame_declared){arena_strdup(a, from->columns[i].name),
						     from->columns[i].type};
	to.columns = columns;
	return to;
}

static void statement_copy(struct arena *a, const struct source_statement *from,
			   struct source_statement *to)
{
	struct value *values = arena_alloc(a, (from->count + 1) * sizeof(*values));

	for (size_t i = 0; i < from->count; i++) {
		values[i] = from->values[i];
		values[i].text = arena_strdup(a, from->values[i].text);
	}
	to->name = arena_strdup(a, from->name);
	to->text = arena_strdup(a, from->text);
	to->values = values;
	to->count = from->count;
	to->bounded_rows = from->bounded_rows;
	to->sink = sink_copy(a, &from->sink);
	to->allow = from->allow ? db_allow_copy(a, from->allow) : NULL;
}

static struct work *work_new(const struct source_statement *statements, size_t count,
			     size_t max_rows)
{
	struct arena *a = arena_new(WORK_ARENA_BYTES);
	struct work *w = arena_alloc(a, sizeof(*w));

	w->arena = a;
	w->count = count;
	w->max_rows = max_rows;
	w->statements = arena_alloc(a, (count + 1) * sizeof(*w->statements));
	for (size_t i = 0; i < count; i++)
		statement_copy(a, &statements[i], &w->statements[i]);
	w->tables = arena_alloc(a, (count + 1) * sizeof(struct table *));
	w->frames = arena_alloc(a, (count + 1) * sizeof(struct frame *));
	w->spent_us = arena_alloc(a, (count + 1) * sizeof(*w->spent_us));
	atomic_init(&w->stop, STOP_NONE);
	return w;
}

struct work *db_work_clone(const struct work *from)
{
	struct work *w = work_new(from->statements, from->count, from->max_rows);

	w->probe = from->probe;
	w->secure_delete = from->secure_delete;
	return w;
}

void db_work_tables_free(struct work *w)
{
	for (size_t i = 0; i < w->table_count; i++)
		table_free(&w->tables[i]);
	w->table_count = 0;
	for (size_t i = 0; i < w->count; i++)
		frame_free(&w->frames[i]);
}

void db_work_free(struct work **work)
{
	struct work *w = *work;
	struct arena *a = w->arena;

	*work = NULL;
	db_work_tables_free(w);
	arena_free(&a); /* the work is allocated in it */
}

static void on_cancel(struct op *op);

struct request *db_request_new(struct db_pool *p, const struct db_request *from, db_cb cb,
			       void *owner)
{
	struct request *r = mem_alloc(sizeof(*r));

	r->work = work_new(from->statements, from->statement_count, p->settings.max_rows);
	r->work->request = r;
	r->work->secure_delete = from->secure_delete;
	r->op.cancel = on_cancel;
	r->pool = p;
	r->timeout_ms = from->timeout_ms ? from->timeout_ms : p->settings.timeout_ms;
	r->write = from->write;
	r->group_commit = from->group_commit;
	r->frames = from->frames;
	r->cb = cb;
	r->owner = owner;
	return r;
}

static void metrics_count(const struct request *r)
{
	const struct work *w = r->work;

	for (size_t i = 0; i < w->started; i++) {
		bool failed = r->err.code != ERR_NONE && i + 1 == w->started;
		const char *const values[] = {w->statements[i].name, err_code_name(r->err.code)};

		metric_observe(&duration, values, w->spent_us[i]);
		if (failed)
			metric_add(&errors, values, 1);
	}
}

/* If the caller still waits for the tables, it takes ownership of them here. */
static void answer(struct request *r)
{
	struct work *w = r->work;

	if (r->err.code != ERR_NONE)
		db_work_tables_free(w);
	if (!r->cb)
		return;
	for (size_t i = 0; i < w->count && r->frames && r->err.code == ERR_NONE; i++) {
		r->frames[i] = w->frames[i];
		w->frames[i] = NULL;
	}
	r->cb(r->owner, w->tables, w->table_count, r->err.code != ERR_NONE ? &r->err : NULL);
	w->table_count = 0;
}

void db_request_finish(struct request *r)
{
	assert(!r->job);
	db_stop_detach(r);
	timer_free(&r->deadline);
	timer_free(&r->backoff);
	list_remove(&r->node);
	metrics_count(r);
	answer(r);
	db_work_free(&r->work);
	mem_free(r);
}

static void on_cancel(struct op *op)
{
	struct request *r = list_item(op, struct request, op);

	r->cb = NULL;
	if (r->job) {
		/* A write that has begun is finished: interrupting it would roll back the other
		 * writes of the transaction. */
		if (!r->write)
			db_stop_start(r, STOP_CANCEL);
		return;
	}
	deferred_cancel(&r->deferred);
	db_queue_remove(r);
	db_request_finish(r);
}
