/* Shared by the database tests: a temporary directory with tenant files, and helpers that wait for
 * one query. */
#ifndef DB_TEST_H
#define DB_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/db.h"
#include "vesper/health.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

struct fixture {
	struct loop *loop;
	char dir[64];
	char acme[96]; /* tenant files */
	char vesper[96];
	struct db *db;
};

/* The result of a query. */
struct answer {
	int calls;
	struct table *table; /* of the last statement; the test frees it */
	size_t tables;
	struct err err;
};

static inline void file_exec(const char *file, const char *sql)
{
	sqlite3 *native;
	char *message = NULL;

	assert_int_equal(sqlite3_open(file, &native), SQLITE_OK);
	if (sqlite3_exec(native, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	sqlite3_close(native);
}

static inline void tenant_file_make(const char *file, const char *tenant)
{
	char insert[2048];

	file_exec(file, "CREATE TABLE vesper_tenant (tenant_id nvarchar(100) NOT NULL PRIMARY KEY) "
			"WITHOUT ROWID");
	snprintf(insert, sizeof(insert), "INSERT INTO vesper_tenant VALUES ('%s')", tenant);
	file_exec(file, insert);
}

static inline int fixture_setup(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	assert_true(loop_new(&f->loop, NULL));
	strcpy(f->dir, "/tmp/vesper-db-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->acme, sizeof(f->acme), "%s/acme.db", f->dir);
	snprintf(f->vesper, sizeof(f->vesper), "%s/vesper.db", f->dir);
	*state = f;
	return 0;
}

static inline int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
	(void)info;
	(void)kind;
	(void)where;
	return remove(path);
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	db_close(&f->db);
	loop_free(&f->loop);
	nftw(f->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	health_reset();
	metric_reset();
	mem_free(f);
	return 0;
}

static inline struct db_options fixture_options(struct fixture *f, bool read_only)
{
	static const char *const schemas[] = {"dbo", "Stage", NULL};
	static struct db_tenant tenants[2];

	tenants[0] = (struct db_tenant){"acme", f->acme};
	tenants[1] = (struct db_tenant){"vesper", f->vesper};
	return (struct db_options){
		.name = read_only ? "warehouse" : "store",
		.dialect = DIALECT_SQLITE,
		.read_only = read_only,
		.schemas = schemas,
		.create = !read_only,
		.workers = 2,
		.tenants = tenants,
		.tenant_count = 2,
	};
}

static inline void fixture_open(struct fixture *f, bool read_only)
{
	struct db_options options = fixture_options(f, read_only);
	struct err e = {0};

	if (!db_open(f->loop, &options, &f->db, &e))
		fail_msg("%s", e.text);
}

static inline void on_answer(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct answer *a = owner;

	a->calls++;
	a->tables = count;
	for (size_t i = 0; i + 1 < count; i++)
		table_free(&tables[i]);
	if (count > 0)
		a->table = tables[count - 1];
	if (e)
		a->err = *e;
}

static inline struct op *start(struct fixture *f, const char *tenant, bool write, const char *text,
			       const struct value *values, size_t count, struct answer *a)
{
	const struct source_statement statement = {.name = "test/main",
						   .text = text,
						   .values = values,
						   .count = count,
						   .sink = {.stats = true}};
	const struct db_request request = {
		.tenant = tenant, .statements = &statement, .statement_count = 1, .write = write};

	*a = (struct answer){0};
	return db_query(f->db, &request, on_answer, a);
}

/* As start, with a time limit for this query only. */
static inline struct op *start_within(struct fixture *f, int64_t timeout_ms, const char *tenant,
				      bool write, const char *text, struct answer *a)
{
	const struct source_statement statement = {.name = "test/main", .text = text};
	const struct db_request request = {.tenant = tenant,
					   .statements = &statement,
					   .statement_count = 1,
					   .timeout_ms = timeout_ms,
					   .write = write};

	*a = (struct answer){0};
	return db_query(f->db, &request, on_answer, a);
}

static inline void wait_for(struct fixture *f, const struct answer *a)
{
	while (a->calls == 0) {
		usleep(200);
		loop_run_once(f->loop);
	}
}

/* Runs a query that must succeed; returns its table (NULL for a statement without columns). */
static inline struct table *query_table(struct fixture *f, const char *tenant, const char *text,
					const struct value *values, size_t count)
{
	struct answer a;

	start(f, tenant, false, text, values, count, &a);
	wait_for(f, &a);
	if (a.err.code != ERR_NONE)
		fail_msg("%s", a.err.text);
	return a.table;
}

static inline struct err query_error(struct fixture *f, const char *tenant, const char *text)
{
	struct answer a;

	start(f, tenant, false, text, NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.tables, 0);
	assert_int_not_equal(a.err.code, ERR_NONE);
	return a.err;
}

static inline void exec_write(struct fixture *f, const char *tenant, const char *text)
{
	struct answer a;

	start(f, tenant, true, text, NULL, 0, &a);
	wait_for(f, &a);
	if (a.err.code != ERR_NONE)
		fail_msg("%s", a.err.text);
	table_free(&a.table);
}

#define DB_TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

/* SQLite files are opened in two ways: read-only files are attached under the warehouse's schema
 * names, and their statements may only read. Tests of common behaviour run in both modes. */
static bool is_read_only;

static inline int setup_read(void **state)
{
	is_read_only = true;
	return fixture_setup(state);
}

static inline int setup_writable(void **state)
{
	is_read_only = false;
	return fixture_setup(state);
}

/* Creates acme's file with this SQL, and opens it in the current mode. */
static inline void open_acme(struct fixture *f, const char *sql)
{
	tenant_file_make(f->acme, "acme");
	if (sql)
		file_exec(f->acme, sql);
	fixture_open(f, is_read_only);
}

/* clang-format off */
#define DB_TEST_BOTH(f)                                                                            \
	{#f " (read)", f, setup_read, fixture_teardown, NULL},                                     \
	{#f " (writable)", f, setup_writable, fixture_teardown, NULL}
/* clang-format on */

#endif
