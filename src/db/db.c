/* The public interface of all databases: a driver and its state. Callers use the pool and the
 * scripted driver of tests in the same way. */
#include "db_int.h"

#include <assert.h>

#include "vesper/mem.h"

struct db *db_from_driver(const struct db_driver *driver, void *self, enum dialect dialect)
{
	struct db *d = mem_alloc(sizeof(*d));

	*d = (struct db){.driver = driver, .self = self, .dialect = dialect};
	return d;
}

bool db_open(struct loop *l, const struct db_options *options, struct db **out, struct err *e)
{
	static const struct db_dialect *const dialects[DIALECT_COUNT] = {
		[DIALECT_MSSQL] = &db_mssql,
		[DIALECT_POSTGRES] = &db_postgres,
		[DIALECT_SQLITE] = &db_sqlite,
	};
	struct db_pool *p;

	if (!db_pool_open(l, options, dialects[options->dialect], &p, e))
		return false;
	*out = db_from_driver(&db_pool_driver, p, options->dialect);
	return true;
}

struct op *db_query(struct db *d, const struct db_request *request, db_cb cb, void *owner)
{
	assert(request->tenant && request->statement_count > 0 && cb);
	return d->driver->query(d->self, request, cb, owner);
}

enum dialect db_dialect(const struct db *d)
{
	return d->dialect;
}

bool db_use_schemas(struct db *d, const char *const *schemas, struct err *e)
{
	return d->driver != &db_pool_driver || db_pool_use_schemas(d->self, schemas, e);
}

int64_t db_waited_ms(const struct db *d)
{
	return d->driver == &db_pool_driver ? db_queue_waited_ms(d->self) : 0;
}

void db_watch(struct db *d, const char *const *tenants)
{
	if (d->driver == &db_pool_driver) /* scripted drivers are always healthy */
		db_pool_watch(d->self, tenants);
}

void db_close(struct db **db)
{
	struct db *d = *db;

	if (!d)
		return;
	*db = NULL;
	d->driver->close(d->self);
	mem_free(d);
}
