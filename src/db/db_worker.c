/*
 * Runs one job on a worker: opens the connection if necessary, then runs the requests in order.
 * Waiting writes share one transaction and become durable with its commit. If one of them fails,
 * the others run again, each under a savepoint.
 */
#include "db_int.h"

#include <assert.h>

#include "vesper/log.h"

static struct work *work_of(struct list *node)
{
	return list_item(node, struct work, node);
}

static bool failed(const struct work *w)
{
	return w->err.code != ERR_NONE;
}

static void fail_unfinished(struct job *j, const struct err *e)
{
	list_each(node, &j->works) {
		struct work *w = work_of(node);

		if (!failed(w)) {
			db_work_tables_free(w);
			w->err = *e;
		}
	}
}

static bool connection_reopen(struct connection *c, struct err *e)
{
	return db_connection_open(c, e) && db_connection_confirm(c, e);
}

static bool idle_is_usable(struct connection *c, struct err *e)
{
	const struct db_dialect *dialect = c->tenant->settings->dialect;

	return !c->must_reopen && !(dialect->replaced && dialect->replaced(c)) &&
	       db_connection_confirm(c, e);
}

/* Runs on every checkout, before anything is sent. A connection that broke while it was idle is
 * reopened at once. */
static bool connection_ready(struct job *j, struct err *e)
{
	struct connection *c = j->connection;
	bool done;

	if (j->evicted)
		db_connection_close(j->evicted);
	if (c->open && !idle_is_usable(c, e))
		db_connection_close(c);
	c->transient = false;
	done = c->open || connection_reopen(c, e);
	if (!done && e->code == ERR_INTERNAL)
		log_error("db.refused", "%s", e->text);
	return done;
}

static void read_run(struct job *j, struct work *w)
{
	if (!w->probe && !db_connection_run(j->connection, w, &w->err))
		assert(failed(w));
}

/* Releases a savepoint where the dialect requires it. */
static bool release(struct connection *c, const char *text, struct err *e)
{
	return !text || db_connection_exec(c, text, e);
}

static bool is_alone(const struct job *j)
{
	return j->works.next == j->works.prev;
}

/* Runs one write inside the transaction. False: the transaction cannot be used any more. */
static bool write_run(struct job *j, struct work *w, bool savepoints)
{
	const struct db_dialect *dialect = j->tenant->settings->dialect;
	struct connection *c = j->connection;

	if (!db_work_may_continue(w, &w->err))
		return true;
	if (!savepoints || is_alone(j)) /* a failure rolls back the whole transaction */
		return db_connection_run(c, w, &w->err);
	if (!db_connection_exec(c, dialect->savepoint, &w->err))
		return false;
	if (db_connection_run(c, w, &w->err) && release(c, dialect->release, &w->err))
		return true;
	db_work_tables_free(w);
	return db_connection_exec(c, dialect->rollback_to, NULL) &&
	       release(c, dialect->release, NULL);
}

/* True when the transaction survived all requests; each failed request carries its error. */
static bool writes_run(struct job *j, bool savepoints)
{
	list_each(node, &j->works) {
		struct work *w = work_of(node);

		if (!failed(w) && !write_run(j, w, savepoints))
			return false;
	}
	return true;
}

static void tables_drop(struct job *j)
{
	list_each(node, &j->works)
		db_work_tables_free(work_of(node));
}

static bool all_failed(const struct job *j)
{
	list_each(node, (struct list *)&j->works)
		if (!failed(work_of(node)))
			return false;
	return true;
}

/* Runs the dialect's secure delete. A failure does not undo the commit. */
static void secure_delete_run(struct job *j)
{
	const char *text = j->tenant->settings->dialect->secure_delete;

	if (!text)
		return;
	list_each(node, &j->works) {
		if (work_of(node)->secure_delete && !failed(work_of(node))) {
			db_connection_exec(j->connection, text, NULL);
			return;
		}
	}
}

/*
 * The first round runs without savepoints, so a failed request rolls back the other requests of the
 * batch. Later rounds use them, but an interrupted or full database rolls back the whole
 * transaction anyway. The others run again without the failed request. Each round excludes one
 * more, so the loop terminates.
 */
static void batch_run(struct job *j)
{
	const struct db_dialect *dialect = j->tenant->settings->dialect;
	struct connection *c = j->connection;
	struct err e = {0};

	for (bool savepoints = false; !all_failed(j); savepoints = true) {
		if (!db_connection_exec(c, dialect->begin, &e)) {
			fail_unfinished(j, &e);
			return;
		}
		if (writes_run(j, savepoints)) {
			if (db_connection_exec(c, dialect->commit, &e)) {
				secure_delete_run(j);
			} else {
				fail_unfinished(j, &e);
				db_connection_exec(c, dialect->rollback, NULL);
			}
			return;
		}
		db_connection_exec(c, dialect->rollback, NULL);
		tables_drop(j);
	}
}

/* True when a server's connection had a statement cancelled: its state is then unknown. */
static bool was_cancelled(const struct job *j)
{
	if (!j->tenant->settings->dialect->server)
		return false;
	list_each(node, (struct list *)&j->works)
		if (atomic_load(&work_of(node)->stop) != STOP_NONE)
			return true;
	return false;
}

/* False: the loop has abandoned the job meanwhile. */
static bool job_advance(struct job *j, enum job_state from, enum job_state to)
{
	int expected = (int)from;

	return atomic_compare_exchange_strong(&j->state, &expected, (int)to);
}

static void works_run(struct job *j)
{
	j->sent = true;
	if (j->write)
		batch_run(j);
	else
		read_run(j, work_of(j->works.next));
}

void db_job_run(struct pool_job *base)
{
	struct job *j = list_item(base, struct job, base);
	struct connection *c = j->connection;
	struct err e = {0};

	c->transient = false;
	if (!connection_ready(j, &e))
		fail_unfinished(j, &e);
	else if (job_advance(j, JOB_CONFIRMING, JOB_RUNNING))
		works_run(j);
	if (c->lost || was_cancelled(j))
		db_connection_close(c);
	if (!job_advance(j, JOB_CONFIRMING, JOB_OVER) && !job_advance(j, JOB_RUNNING, JOB_OVER))
		db_connection_close(c);
}
