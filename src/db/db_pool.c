/*
 * The pool, loop side: assigns queued requests to connections and workers. Writes of a tenant that
 * wait for its one writer share its next transaction. A connection is used only for the tenant it
 * was opened for. When all are in use or idle for other tenants, the longest idle one is closed to
 * make room.
 */
#include "db_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

static const struct metric connections = {
	.name = "vesper_sql_pool_connections",
	.help = "Connections to a source, by state (busy or idle).",
	.kind = METRIC_GAUGE,
	.labels = {"source", "state"},
};
static const struct metric queue = {
	.name = "vesper_sql_queue_length",
	.help = "Requests that wait for a connection to a source.",
	.kind = METRIC_GAUGE,
	.labels = {"source"},
};

static void tenant_init(struct tenant *t, struct db_pool *p, const struct db_tenant *from)
{
	const struct db_settings *s = &p->settings;

	t->pool = p;
	t->settings = s;
	t->id = mem_strdup(from->id);
	t->file = mem_strdup(from->file);
	t->check = mem_printf("%s:%s", s->name, from->id);
	list_init(&t->reads);
	list_init(&t->writes);
}

static void settings_init(struct db_settings *s, const struct db_options *o,
			  const struct db_dialect *dialect)
{
	s->dialect = dialect;
	s->name = mem_strdup(o->name);
	s->dsn = mem_strdup(o->dsn);
	s->read_only = o->read_only;
	s->create = o->create;
	s->full_sync = o->full_sync;
	s->one_tenant = o->one_tenant;
	s->workers = o->workers;
	/* The last connection to close a writable file checkpoints its whole log. Tenants that take
	 * turns on few workers would pay for that each time, so more connections stay open. */
	s->connections = o->workers + (dialect->server || o->read_only ? 0 : DB_WRITTEN_FILES);
	s->queue = o->queue ? o->queue : DB_QUEUE_MAX;
	s->max_rows = o->max_rows ? o->max_rows : DB_ROWS_MAX;
	s->timeout_ms = o->timeout_ms ? o->timeout_ms : DB_QUERY_TIMEOUT_MS;
	s->transaction_idle_ms = o->transaction_idle_ms ? o->transaction_idle_ms : DB_TX_IDLE_MS;
	s->share = db_queue_share(s->workers, o->tenant_count);
	s->queue_share = db_queue_share(s->queue, o->tenant_count);
}

static void tenant_deinit(struct tenant *t)
{
	if (t->watched)
		health_remove(t->check);
	mem_free(t->id);
	mem_free(t->file);
	mem_free(t->check);
}

static void settings_deinit(struct db_settings *s)
{
	db_schemas_free(s);
	mem_free(s->name);
	mem_free(s->dsn);
}

static bool options_check(const struct db_options *o, struct err *e)
{
	if (o->workers < 1 || o->workers > DB_WORKERS_MAX)
		return err_set(e, ERR_INPUT, "%s: the number of workers must be 1 to %d, not %zu",
			       o->name, DB_WORKERS_MAX, o->workers);
	if (o->one_tenant && o->tenant_count != 1)
		return err_set(e, ERR_INPUT, "%s: one_tenant requires exactly one tenant", o->name);
	if (o->dialect != DIALECT_SQLITE)
		return (o->dsn && *o->dsn) ||
		       err_set(e, ERR_INPUT, "%s: a connection string is required", o->name);
	if (o->dsn && *o->dsn)
		return err_set(e, ERR_INPUT, "%s: a connection string is not allowed for SQLite",
			       o->name);
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
	dialect->init();
	p = mem_alloc(sizeof(*p));
	p->loop = l;
	p->name = mem_strdup(o->name);
	p->breaker =
		(struct breaker){.failures_max = DB_BREAKER_FAILURES, .open_ms = DB_BREAKER_MS};
	settings_init(&p->settings, o, dialect);
	p->tenants = mem_alloc((o->tenant_count + 1) * sizeof(*p->tenants));
	p->tenant_count = o->tenant_count;
	for (size_t i = 0; i < o->tenant_count; i++)
		tenant_init(&p->tenants[i], p, &o->tenants[i]);
	list_init(&p->ready_tenants);
	list_init(&p->retrying);
	list_init(&p->refused);
	list_init(&p->idle);
	list_init(&p->running);
	list_init(&p->abandoned);
	p->workers = pool_new(l, o->name, o->workers);
	if (o->low_priority)
		pool_lower_priority(p->workers);
	if (dialect->server)
		p->cancel_workers = pool_new(l, "db-stop", DB_CANCEL_THREADS);
	if (o->schemas && !db_pool_use_schemas(p, o->schemas, e)) {
		db_pool_driver.close(p);
		return false;
	}
	*out = p;
	return true;
}

static void gauges_set(struct db_pool *p)
{
	size_t idle = 0;

	list_each(node, &p->idle)
		idle++;
	metric_set(&connections, (const char *const[]){p->name, "busy"},
		   (int64_t)(p->connections - idle));
	metric_set(&connections, (const char *const[]){p->name, "idle"}, (int64_t)idle);
	metric_set(&queue, (const char *const[]){p->name}, (int64_t)p->waiting);
}

static struct tenant *tenant_find(struct db_pool *p, const char *id)
{
	for (size_t i = 0; i < p->tenant_count; i++)
		if (strcmp(p->tenants[i].id, id) == 0)
			return &p->tenants[i];
	return NULL;
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

/* A connection is always available: fewer are busy than there are workers, and there are at least
 * as many connections as workers. */
static void connection_choose(struct db_pool *p, struct job *j)
{
	struct connection *c = idle_of(p, j->tenant);

	if (c) {
		list_remove(&c->node);
		c->must_reopen |= clock_mono_ms() - c->opened_ms > DB_CONNECTION_AGE_MS;
		j->connection = c;
		return;
	}
	j->connection = db_connection_new(j->tenant);
	if (p->connections < p->settings.connections) {
		p->connections++;
		return;
	}
	assert(!list_empty(&p->idle));
	j->evicted = list_item(p->idle.prev, struct connection, node);
	list_remove(&j->evicted->node);
}

void db_pool_return_connection(struct db_pool *p, struct connection *c)
{
	if (c->open) {
		list_append(p->idle.next, &c->node); /* inserts before the first node */
		return;
	}
	p->connections--;
	db_connection_free(&c);
}

/* Jobs */

static void job_add(struct job *j, struct request *r)
{
	db_queue_remove(r);
	r->job = j;
	r->work->number = j->pool->next_number++;
	list_append(&j->works, &r->work->node);
}

static void job_start(struct db_pool *p, struct request *first)
{
	struct job *j = mem_alloc(sizeof(*j));
	struct tenant *t = first->tenant;
	size_t n = 1;

	j->base.run = db_job_run;
	j->base.done = db_job_done;
	j->pool = p;
	j->tenant = t;
	j->write = first->write;
	atomic_init(&j->state, JOB_CONFIRMING);
	list_init(&j->works);
	job_add(j, first);
	t->running++;
	if (j->write) {
		t->writing = true;
		while (n++ < DB_GROUP_COMMIT_MAX && !list_empty(&t->writes))
			job_add(j, list_item(t->writes.next, struct request, node));
	}
	db_queue_update(p, t);
	connection_choose(p, j);
	db_checkout_start(j);
	list_append(&p->running, &j->node);
	j->probe = breaker_begin(&p->breaker);
	pool_submit(p->workers, &j->base);
}

void db_pool_pump(struct db_pool *p)
{
	struct request *r;

	if (p->closing)
		return;
	while (pool_idle(p->workers) > 0 && !breaker_is_probing(&p->breaker) &&
	       (r = db_queue_next(p)) != NULL)
		job_start(p, r);
	gauges_set(p);
}

void db_pool_enqueue(struct db_pool *p, struct request *r)
{
	db_queue_add(r);
	db_pool_pump(p);
}

void db_pool_submit(struct db_pool *p, struct request *r)
{
	r->number = p->next_number++;
	db_deadline_start(r);
	db_pool_enqueue(p, r);
}

static void on_refused(void *owner)
{
	db_request_finish(owner);
}

static void request_admit(struct db_pool *p, struct request *r, const char *tenant)
{
	if (p->closing)
		err_set(&r->err, ERR_CANCELLED, "%s is closing", p->settings.name);
	else if (!r->tenant)
		err_set(&r->err, ERR_DENIED, "%s has no tenant %.*s", p->settings.name,
			STR_CUT(tenant, 64));
	else if (r->write && p->settings.read_only)
		err_set(&r->err, ERR_INTERNAL, "%s is read-only", p->settings.name);
	else if (p->waiting >= p->settings.queue || r->tenant->waiting >= p->settings.queue_share)
		err_set_retry(&r->err, ERR_LIMIT,
			      "%s: the queue is full: %zu queries wait, %zu of them of %s",
			      p->settings.name, p->waiting, r->tenant->waiting, r->tenant->id);
	else
		db_breaker_refuses(p, &r->err);
}

static struct op *pool_query(void *self, const struct db_request *request, db_cb cb, void *owner)
{
	struct db_pool *p = self;
	struct request *r = db_request_new(p, request, cb, owner);

	r->tenant = tenant_find(p, request->tenant);
	request_admit(p, r, request->tenant);
	if (p->closing) /* the loop may not run again */
		list_append(&p->refused, &r->node);
	else if (r->err.code != ERR_NONE)
		loop_defer(p->loop, &r->deferred, on_refused, r);
	else
		db_pool_submit(p, r);
	return &r->op;
}

/* Closing */

static void cancel_all(struct list *requests)
{
	while (!list_empty(requests)) {
		struct request *r = list_item(requests->next, struct request, node);

		err_set(&r->err, ERR_CANCELLED, "%s was closed", r->pool->settings.name);
		db_queue_remove(r);
		db_request_finish(r);
	}
}

/* Cancels running reads. Writes that have begun are finished, because callers may rely on them. */
static void running_cancel(struct db_pool *p)
{
	list_each(job_node, &p->running) {
		struct job *j = list_item(job_node, struct job, node);
		struct request *r = list_item(j->works.next, struct work, node)->request;

		if (!j->write) {
			db_stop_detach(r); /* the result of the last attempt is no longer needed */
			db_stop_start(r, STOP_CANCEL);
		}
	}
}

static bool workers_finish(struct db_pool *p)
{
	bool to_files = !p->settings.dialect->server && !p->settings.read_only;
	int end_ms = to_files ? DB_CLOSE_WRITE_MS : DB_CLOSE_MS;

	for (int waited = 0; !pool_finish(p->workers, DB_CANCEL_RETRY_MS);
	     waited += DB_CANCEL_RETRY_MS) {
		if (waited >= end_ms)
			return false;
		running_cancel(p);
	}
	return true;
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

static void running_abandon(struct db_pool *p)
{
	while (!list_empty(&p->running)) {
		struct job *j = list_item(p->running.next, struct job, node);

		if (atomic_exchange(&j->state, JOB_ABANDONED) == JOB_ABANDONED)
			continue;
		list_each(node, &j->works)
			atomic_store(&list_item(node, struct work, node)->stop, STOP_CANCEL);
		db_job_abandon(j, false);
	}
}

static void pool_free_all(struct db_pool *p)
{
	connections_close(p);
	for (size_t i = 0; i < p->tenant_count; i++)
		tenant_deinit(&p->tenants[i]);
	settings_deinit(&p->settings);
	mem_free(p->tenants);
	mem_free(p->name);
	mem_free(p);
}

/* Pools with abandoned workers. Their memory stays allocated until the process ends, and reachable
 * for leak checkers. */
static struct db_pool *abandoned_pools;

static void pool_abandon_workers(struct db_pool *p)
{
	struct pool *workers = p->workers;
	struct pool *cancel_workers = p->cancel_workers;

	log_warn("db.stuck", "%s: a query did not end; its worker and connection are abandoned",
		 p->settings.name);
	running_abandon(p);
	pool_abandon(&workers);
	if (cancel_workers && !pool_finish(cancel_workers, DB_CANCEL_RETRY_MS))
		pool_abandon(&cancel_workers);
	p->next_abandoned = abandoned_pools;
	abandoned_pools = p;
}

/* Starts waiting group commits, as many as there are idle workers. */
static void group_commits_start(struct db_pool *p)
{
	for (size_t i = 0; i < p->tenant_count; i++) {
		timer_free(&p->tenants[i].group_commit_timer);
		db_queue_start_group_commits(&p->tenants[i]);
	}
	db_pool_pump(p);
}

static void pool_close(void *self)
{
	struct db_pool *p = self;

	group_commits_start(p);
	p->closing = true;
	timer_free(&p->watch);
	running_cancel(p);
	cancel_all(&p->retrying);
	for (size_t i = 0; i < p->tenant_count; i++) {
		cancel_all(&p->tenants[i].reads);
		cancel_all(&p->tenants[i].writes);
	}
	if (!workers_finish(p)) {
		pool_abandon_workers(p);
		cancel_all(&p->refused);
		return;
	}
	cancel_all(&p->refused); /* requests that callbacks made meanwhile */
	pool_free(&p->workers);
	/* A cancel that hangs no longer touches our memory. */
	if (p->cancel_workers && !pool_finish(p->cancel_workers, DB_CLOSE_MS))
		pool_abandon(&p->cancel_workers);
	pool_free(&p->cancel_workers);
	pool_free_all(p);
}

const struct db_driver db_pool_driver = {
	.name = "pool",
	.query = pool_query,
	.close = pool_close,
};
