/* A database as a named source: calls become requests, tables become batches. */
#include <assert.h>

#include "vesper/db.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/mem.h"

struct db_source {
	struct source base;
	struct db *db;
	char *name, *identity;
};

/* A running call. */
struct run {
	struct op op;
	struct op *query;
	source_cb cb;
	void *owner;
	size_t count;
	struct frame *frames[SOURCE_STATEMENTS_MAX];
};

static void on_tables(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct run *run = owner;
	source_cb cb = run->cb;
	void *caller = run->owner;
	struct source_batch batches[SOURCE_STATEMENTS_MAX];

	size_t n = e ? 0 : run->count, next = 0;

	for (size_t i = 0; i < n; i++) {
		batches[i] = (struct source_batch){.frame = run->frames[i]};
		if (!run->frames[i]) {
			assert(next < count); /* each statement returns columns */
			batches[i].table = tables[next++];
		}
	}
	mem_free(run);
	cb(caller, batches, n, e);
}

static void on_cancel(struct op *op)
{
	struct run *run = list_item(op, struct run, op);

	op_cancel(&run->query);
	mem_free(run);
}

static struct op *start(struct source *s, const struct source_call *call, source_cb cb, void *owner)
{
	struct db_source *d = list_item(s, struct db_source, base);
	struct db_request request = {
		.tenant = call->tenant,
		.statements = call->statements,
		.statement_count = call->count,
		.timeout_ms = call->timeout_ms,
	};
	struct run *run = mem_alloc(sizeof(*run));

	assert(call->count <= SOURCE_STATEMENTS_MAX);
	*run = (struct run){
		.op = {.cancel = on_cancel}, .cb = cb, .owner = owner, .count = call->count};
	request.frames = run->frames;
	run->query = db_query(d->db, &request, on_tables, run);
	return &run->op;
}

static void close_source(struct source *s)
{
	struct db_source *d = list_item(s, struct db_source, base);

	mem_free(d->name);
	mem_free(d->identity);
	mem_free(d);
}

struct source *db_source(struct db *db, const char *name, const char *identity)
{
	struct db_source *d = mem_alloc(sizeof(*d));

	d->db = db;
	d->name = mem_strdup(name);
	d->identity = mem_strdup(identity);
	d->base = (struct source){
		.name = d->name,
		.identity = d->identity,
		.supports_sql = true,
		.dialect = db_dialect(db),
		.start = start,
		.close = close_source,
	};
	return &d->base;
}
