/*
 * The loop's side: who runs next, and on which connection. Requests start in the order they came,
 * except that one tenant has one writer at a time; what waits for it meanwhile shares its next
 * transaction. A connection stays with the tenant it was opened for; when all are taken, the one
 * that has been idle longest is closed to make room.
 */
#include "db_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

static void pump(struct db_pool *p);
static void on_job_done(struct pool_job *base);

static void tenant_init(struct tenant *t, const struct source *s, const struct db_tenant *from)
{
	t->source = s;
	t->id = mem_strdup(from->id);
	t->file = mem_strdup(from->file);
	t->check = mem_printf("%s:%s", s->name, from->id);
	list_init(&t->writes);
}

static void source_init(struct source *s, const struct db_options *o,
			const struct db_dialect *dialect)
{
	s->dialect = dialect;
	s->name = mem_strdup(o->name);
	s->dsn = mem_strdup(o->dsn);
	s->read_only = o->read_only;
	s->create = o->create;
	s->full_sync = o->full_sync;
	s->workers = o->workers;
	s->queue = o->queue ? o->queue : DB_QUEUE_MAX;
	s->max_rows = o->max_rows ? o->max_rows : DB_ROWS_MAX;
	s->timeout_ms = o->timeout_ms ? o->timeout_ms : DB_QUERY_TIMEOUT_MS;
}

static void tenant_deinit(struct tenant *t)
{
	if (t->watched)
		health_remove(t->check);
	mem_free(t->id);
	mem_free(t->file);
	mem_free(t->check);
}

static void source_deinit(struct source *s)
{
	mem_free(s->name);
	mem_free(s->dsn);
}

static bool options_check(const struct db_options *o, struct err *e)
{
	if (o->workers < 1 || o->workers > DB_WORKERS_MAX)
		return err_set(e, ERR_INPUT, "%s: 1 to %d workers, not %zu", o->name,
			       DB_WORKERS_MAX, o->workers);
	if (o->dialect != DIALECT_SQLITE)
		return (o->dsn && *o->dsn) ||
		       err_set(e, ERR_INPUT, "%s: a connection string is needed", o->name);
	for (size_t i = 0; i < o->tenant_count; i++)
		if (!o->tenants[i].file || o->tenants[i].file[0] != '/')
			return err_set(e, ERR_INPUT, "%s: tenant %s needs an absolute file name",
				       o->name, o->tenants[i].id);
	return true;
}

bool db_pool_open(struct loop *l, const struct db_options *o, const struct db_dialect *dialect,
		  struct db_pool **out, struct err *e)
{
	struct db_pool *p;

	if (!options_check(o, e))
		return false;
	if (dialect->init)
		dialect->init();
	p = mem_alloc(sizeof(*p));
	p->loop = l;
	source_init(&p->source, o, dialect);
	p->tenants = mem_alloc((o->tenant_count + 1) * sizeof(*p->tenants));
	p->tenant_count = o->tenant_count;
	for (size_t i = 0; i < o->tenant_count; i++)
		tenant_init(&p->tenants[i], &p->source, &o->tenants[i]);
	list_init(&p->reads);
	list_init(&p->writers);
	list_init(&p->idle);
	list_init(&p->running);
	p->workers = pool_new(l, o->name, o->workers);
	if (dialect->server)
		p->stops = pool_new(l, "db-stop", 1);
	p->gauge_busy =
		mem_printf("vesper_sql_pool_connections{source=\"%s\",state=\"busy\"}", o->name);
	p->gauge_idle =
		mem_printf("vesper_sql_pool_connections{source=\"%s\",state=\"idle\"}", o->name);
	p->gauge_queue = mem_printf("vesper_sql_queue_length{source=\"%s\"}", o->name);
	*out = p;
	return true;
}

static void gauges_set(struct db_pool *p)
{
	size_t busy = p->source.workers - pool_idle(p->workers);

	metric_set(p->gauge_busy, (int64_t)busy);
	metric_set(p->gauge_idle, (int64_t)(p->connections - busy));
	metric_set(p->gauge_queue, (int64_t)p->waiting);
}

static struct tenant *tenant_find(struct db_pool *p, const char *id)
{
	for (size_t i = 0; i < p->tenant_count; i++)
		if (strcmp(p->tenants[i].id, id) == 0)
			return &p->tenants[i];
	return NULL;
}

/* Waiting requests */

static struct request *oldest(const struct list *queue)
{
	return list_empty(queue) ? NULL : list_item(queue->next, struct request, node);
}

/* A tenant stands among the writers while it has waiting writes and none of its own runs. */
static void writer_update(struct db_pool *p, struct tenant *t)
{
	bool ready = !list_empty(&t->writes) && !t->writing;
	bool listed = t->writer_node.next && !list_empty(&t->writer_node);

	if (ready && !listed)
		list_append(&p->writers, &t->writer_node);
	else if (!ready)
		list_remove(&t->writer_node);
}

void db_pool_forget(struct request *r)
{
	if (!r->waiting)
		return;
	r->waiting = false;
	list_remove(&r->node);
	r->pool->waiting--;
	writer_update(r->pool, r->tenant);
}

/* The oldest request that may start, or NULL. */
static struct request *next_request(struct db_pool *p)
{
	struct request *next = oldest(&p->reads);

	list_each(node, &p->writers) {
		struct request *write =
			oldest(&list_item(node, struct tenant, writer_node)->writes);

		if (!next || write->number < next->number)
			next = write;
	}
	return next;
}

/* Connections */

static struct connection *idle_of(struct db_pool *p, const struct tenant *t)
{
	list_each(node, &p->idle) {
		struct connection *c = list_item(node, struct connection, node);

		if (c->tenant == t)
			return c;
	}
	return NULL;
}

/* There is always one to be had: busy ones are fewer than workers. */
static void connection_choose(struct db_pool *p, struct job *j)
{
	struct connection *c = idle_of(p, j->tenant);

	if (c) {
		list_remove(&c->node);
		j->connection = c;
		return;
	}
	j->connection = db_connection_new(j->tenant);
	if (p->connections < p->source.workers) {
		p->connections++;
		return;
	}
	assert(!list_empty(&p->idle));
	j->evicted = list_item(p->idle.prev, struct connection, node);
	list_remove(&j->evicted->node);
}

static void connection_give_back(struct db_pool *p, struct connection *c)
{
	if (c->open) {
		list_append(p->idle.next, &c->node); /* before the first is the front */
		return;
	}
	p->connections--;
	db_connection_free(&c);
}

/* Jobs */

static void job_add(struct job *j, struct request *r)
{
	db_pool_forget(r);
	r->job = j;
	list_append(&j->requests, &r->node);
}

static void job_start(struct db_pool *p, struct request *first)
{
	struct job *j = mem_alloc(sizeof(*j));
	size_t n = 1;

	j->base.run = db_job_run;
	j->base.done = on_job_done;
	j->pool = p;
	j->tenant = first->tenant;
	j->write = first->write;
	list_init(&j->requests);
	job_add(j, first);
	if (j->write) {
		j->tenant->writing = true;
		while (n++ < DB_GROUP_COMMIT_MAX && !list_empty(&j->tenant->writes))
			job_add(j, oldest(&j->tenant->writes));
		writer_update(p, j->tenant);
	}
	connection_choose(p, j);
	list_append(&p->running, &j->node);
	pool_submit(p->workers, &j->base);
}

static void pump(struct db_pool *p)
{
	struct request *r;

	if (p->closing)
		return;
	while (pool_idle(p->workers) > 0 && (r = next_request(p)) != NULL)
		job_start(p, r);
	gauges_set(p);
}

/* The job is over before any callback runs, so that callbacks may start and cancel what they like.
 */
static void on_job_done(struct pool_job *base)
{
	struct job *j = list_item(base, struct job, base);
	struct db_pool *p = j->pool;
	struct tenant *t = j->tenant;
	struct list done;

	list_remove(&j->node);
	db_connection_free(&j->evicted);
	connection_give_back(p, j->connection);
	if (j->write) {
		t->writing = false;
		writer_update(p, t);
	}
	list_init(&done);
	while (!list_empty(&j->requests)) {
		struct request *r = oldest(&j->requests);

		list_remove(&r->node);
		list_append(&done, &r->node);
		r->job = NULL;
	}
	mem_free(j);
	pump(p);
	while (!list_empty(&done)) {
		struct request *r = oldest(&done);

		list_remove(&r->node);
		db_watch_note(t, r->work.err.code == ERR_NONE ? NULL : &r->work.err);
		db_request_finish(r);
	}
}

static void on_deadline(void *owner)
{
	struct request *r = owner;

	if (r->job) {
		int expected = STOP_NO;

		atomic_compare_exchange_strong(&r->work.stop, &expected, STOP_TIMEOUT);
		db_stop_start(r);
		return;
	}
	err_set_retry(&r->work.err, ERR_TIMEOUT, "%s: no connection came free within %lld ms",
		      r->tenant->check, (long long)r->timeout_ms);
	db_pool_forget(r);
	db_request_finish(r);
}

void db_pool_submit(struct db_pool *p, struct request *r)
{
	r->number = p->next_number++;
	r->work.number = r->number;
	r->deadline = timer_new(p->loop, on_deadline, r);
	timer_start(r->deadline, (uint64_t)r->timeout_ms);
	list_append(r->write ? &r->tenant->writes : &p->reads, &r->node);
	r->waiting = true;
	p->waiting++;
	writer_update(p, r->tenant);
	pump(p);
}

static void on_refused(void *owner)
{
	db_request_finish(owner);
}

static struct op *pool_query(void *self, const struct db_request *request, db_cb cb, void *owner)
{
	struct db_pool *p = self;
	struct request *r = db_request_new(p, request, cb, owner);

	r->tenant = tenant_find(p, request->tenant);
	if (p->closing)
		err_set(&r->work.err, ERR_CANCELLED, "%s is closing", p->source.name);
	else if (!r->tenant)
		err_set(&r->work.err, ERR_DENIED, "%s knows no tenant %.64s", p->source.name,
			request->tenant);
	else if (r->write && p->source.read_only)
		err_set(&r->work.err, ERR_INTERNAL, "%s is read-only", p->source.name);
	else if (p->waiting >= p->source.queue)
		err_set_retry(&r->work.err, ERR_LIMIT, "%s: %zu queries wait already",
			      p->source.name, p->waiting);
	if (r->work.err.code != ERR_NONE)
		loop_later(p->loop, &r->later, on_refused, r);
	else
		db_pool_submit(p, r);
	return &r->op;
}

static void waiting_cancel(struct list *queue)
{
	struct request *r;

	while ((r = oldest(queue)) != NULL) {
		err_set(&r->work.err, ERR_CANCELLED, "%s closed", r->pool->source.name);
		db_pool_forget(r);
		db_request_finish(r);
	}
}

/* Reads are cut short; writes that have begun are finished, as somebody may count on them. */
static void running_stop(struct db_pool *p)
{
	list_each(job_node, &p->running) {
		struct job *j = list_item(job_node, struct job, node);

		if (!j->write) {
			atomic_store(&oldest(&j->requests)->work.stop, STOP_CANCEL);
			db_stop_start(oldest(&j->requests));
		}
	}
}

static void connections_close(struct db_pool *p)
{
	while (!list_empty(&p->idle)) {
		struct connection *c = list_item(p->idle.next, struct connection, node);

		list_remove(&c->node);
		db_connection_close(c); /* no worker is left to do it */
		db_connection_free(&c);
	}
}

static void pool_close(void *self)
{
	struct db_pool *p = self;

	p->closing = true;
	timer_free(&p->watch);
	running_stop(p);
	waiting_cancel(&p->reads);
	for (size_t i = 0; i < p->tenant_count; i++)
		waiting_cancel(&p->tenants[i].writes);
	pool_free(&p->workers);
	pool_free(&p->stops);
	connections_close(p);
	for (size_t i = 0; i < p->tenant_count; i++)
		tenant_deinit(&p->tenants[i]);
	source_deinit(&p->source);
	mem_free(p->tenants);
	mem_free(p->gauge_busy);
	mem_free(p->gauge_idle);
	mem_free(p->gauge_queue);
	mem_free(p);
}

const struct db_driver db_pool_driver = {
	.name = "odbc",
	.query = pool_query,
	.close = pool_close,
};
