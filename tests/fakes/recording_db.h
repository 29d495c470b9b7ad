/*
 * A database driver for tests: it records each request and answers from the loop, with tables or
 * an error that the test prepared.
 */
#ifndef RECORDING_DB_H
#define RECORDING_DB_H

#include <stdarg.h>
#include <string.h>

#include "vesper/arena.h"
#include "vesper/db.h"
#include "vesper/loop.h"

enum { RECORDED_STATEMENTS_MAX = 8, RECORDED_TABLES_MAX = 8 };

struct recording_db {
	struct op op; /* of the running query */
	struct loop *loop;
	struct deferred deferred;
	db_cb cb;
	void *owner;
	bool running;
	/* the last query */
	struct arena *arena;
	int queries; /* in total */
	int cancelled;
	const char *tenant;
	int64_t timeout_ms;
	bool write;
	struct source_statement statements[RECORDED_STATEMENTS_MAX];
	size_t statement_count;
	/* answers: one table per statement, the first is used next */
	struct table *tables[RECORDED_TABLES_MAX];
	size_t table_count;
	const struct err *err; /* instead of tables */
	int err_after;         /* number of queries that succeed first */
};

static inline void recording_db_answer(void *owner)
{
	struct recording_db *d = owner;
	struct table *tables[RECORDED_TABLES_MAX];
	const struct err *err = d->queries > d->err_after ? d->err : NULL;
	size_t count = err ? 0 : d->statement_count;

	d->running = false;
	for (size_t i = 0; i < count; i++) {
		tables[i] = d->table_count ? d->tables[0] : table_new(4096);
		if (!d->table_count)
			continue;
		d->table_count--;
		memmove(d->tables, d->tables + 1, d->table_count * sizeof(struct table *));
	}
	d->cb(d->owner, tables, count, err);
}

static inline void recording_db_cancel(struct op *op)
{
	struct recording_db *d = (struct recording_db *)op;

	deferred_cancel(&d->deferred);
	d->running = false;
	d->cancelled++;
}

static inline struct op *recording_db_query(void *self, const struct db_request *request, db_cb cb,
					    void *owner)
{
	struct recording_db *d = self;

	d->queries++;
	d->running = true;
	d->cb = cb;
	d->owner = owner;
	d->tenant = arena_strdup(d->arena, request->tenant);
	d->timeout_ms = request->timeout_ms;
	d->write = request->write;
	d->statement_count = request->statement_count;
	for (size_t i = 0; i < request->statement_count; i++) {
		const struct source_statement *s = &request->statements[i];
		struct value *values = arena_alloc(d->arena, (s->count + 1) * sizeof(*values));
		for (size_t v = 0; v < s->count; v++) {
			values[v] = s->values[v];
			values[v].text = arena_strdup(d->arena, s->values[v].text);
		}
		d->statements[i] = (struct source_statement){
			.name = arena_strdup(d->arena, s->name),
			.text = arena_strdup(d->arena, s->text),
			.values = values,
			.count = s->count,
		};
	}
	loop_defer(d->loop, &d->deferred, recording_db_answer, d);
	return &d->op;
}

static inline void recording_db_close(void *self)
{
	(void)self;
}

static const struct db_driver recording_db_driver = {
	.name = "recording", .query = recording_db_query, .close = recording_db_close};

static inline void recording_db_init(struct recording_db *d, struct loop *l)
{
	*d = (struct recording_db){
		.op = {.cancel = recording_db_cancel}, .loop = l, .arena = arena_new(1 << 20)};
}

static inline void recording_db_deinit(struct recording_db *d)
{
	for (size_t i = 0; i < d->table_count; i++)
		table_free(&d->tables[i]);
	arena_free(&d->arena);
}

/* Prepares a table: names are separated by '|', then rows of the same form; an empty cell is NULL.
 * Ended by NULL. */
static inline void recording_db_table(struct recording_db *d, const char *names, ...)
{
	struct table *t = table_new(1 << 20);
	const char *row;
	va_list args;
	char *rest;

	t->name = "";
	t->columns = arena_alloc(t->arena, 32 * sizeof(*t->columns));
	rest = arena_strdup(t->arena, names);
	for (char *name; (name = strsep(&rest, "|"));)
		t->columns[t->column_count++] = (struct column){.name = name, .label = name};
	t->rows = arena_alloc(t->arena, 512 * sizeof(*t->rows));
	va_start(args, names);
	while ((row = va_arg(args, const char *))) {
		const char **cells = arena_alloc(t->arena, t->column_count * sizeof(*cells));
		rest = arena_strdup(t->arena, row);
		for (size_t c = 0; c < t->column_count; c++) {
			char *cell = strsep(&rest, "|");
			cells[c] = cell && *cell ? cell : NULL;
		}
		t->rows[t->row_count++] = cells;
	}
	va_end(args);
	t->total_rows = (int64_t)t->row_count;
	t->is_total_exact = true;
	d->tables[d->table_count++] = t;
}

#endif
