/*
 * The data layer with a private PostgreSQL: `bench_db PORT`, with the port that
 * `tests/services/postgres.sh start` prints. Prints figures without checking them; compare only the
 * ratios within one run.
 */
#include "db_int.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_LIBPQ
#include <libpq-fe.h>
#endif

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

enum { BATCHES = 9, QUERIES = 1000, SLOW = 50 };

#define TRIVIAL "SELECT s FROM bench WHERE n = ?"

static char dsn[256];
static int port;

static _Noreturn void stop(const char *what, const struct err *e)
{
	fprintf(stderr, "%s: %s\n", what, e->text);
	exit(1);
}

static struct db_options options_of(size_t workers)
{
	static struct db_tenant tenants[SLOW];
	static char names[SLOW][16];

	for (int i = 0; i < SLOW; i++) {
		snprintf(names[i], sizeof(names[i]), "tenant_%d", i);
		tenants[i] = (struct db_tenant){.id = names[i]};
	}
	return (struct db_options){.name = "bench",
				   .dialect = DIALECT_POSTGRES,
				   .dsn = dsn,
				   .workers = workers,
				   .timeout_ms = DB_QUERY_TIMEOUT_MS,
				   .tenants = tenants,
				   .tenant_count = SLOW};
}

/* ---- queries through the loop ---- */

struct answer {
	int calls;
	int errors;
	struct err last;
};

static void on_answer(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct answer *a = owner;

	a->calls++;
	if (e) {
		a->errors++;
		a->last = *e;
	}
	for (size_t i = 0; i < count; i++)
		table_free(&tables[i]);
}

static void ask(struct db *d, const char *tenant, const char *text, const struct value *v,
		bool bounded_rows, struct answer *a)
{
	const struct source_statement s = {.name = "bench",
					   .text = text,
					   .values = v,
					   .count = v ? 1 : 0,
					   .bounded_rows = bounded_rows};
	const struct db_request r = {.tenant = tenant, .statements = &s, .statement_count = 1};

	db_query(d, &r, on_answer, a);
}

static void wait_for(struct loop *l, const struct answer *a, int calls)
{
	while (a->calls < calls)
		loop_run_once(l);
}

static void schema_make(struct loop *l)
{
	static const char *const texts[] = {
		"DROP TABLE IF EXISTS bench",
		"CREATE TABLE bench (n bigint PRIMARY KEY, s text)",
		"INSERT INTO bench SELECT i, 'text of ' || i FROM generate_series(1, 10000) i",
	};
	struct db_options o = options_of(1);
	struct answer a = {0};
	struct db *d;
	struct err e;

	if (!db_open(l, &o, &d, &e))
		stop("open", &e);
	for (size_t i = 0; i < 3; i++) {
		const struct source_statement s = {.name = "schema", .text = texts[i]};
		const struct db_request r = {.tenant = "tenant_0",
					     .statements = &s,
					     .statement_count = 1,
					     .write = true};

		db_query(d, &r, on_answer, &a);
		wait_for(l, &a, (int)i + 1);
	}
	if (a.errors > 0)
		stop("schema", &a.last);
	db_close(&d);
}

/* ---- one worker compared with libpq ---- */

static double smaller(double a, double b)
{
	return b == 0 || a < b ? a : b;
}

static void work_run(struct connection *c, bool confirm, const struct work *like)
{
	struct work *w = db_work_clone(like);
	struct err e;

	if (confirm && !db_connection_confirm(c, &e))
		stop("confirm", &e);
	if (!db_connection_run(c, w, &e))
		stop("run", &e);
	db_work_free(&w);
}

static double time_worker(struct connection *c, bool confirm, const struct work *like)
{
	int64_t began = clock_mono_us();

	for (int i = 0; i < QUERIES; i++)
		work_run(c, confirm, like);
	return (double)(clock_mono_us() - began) / QUERIES;
}

#ifdef HAVE_LIBPQ
static void libpq_run(PGconn *pg, const char *name, int params)
{
	const char *values[] = {"77"};
	PGresult *r = PQexecPrepared(pg, name, params, values, NULL, NULL, 0);

	if (PQntuples(r) != 1)
		exit(1);
	PQclear(r);
}

static double time_libpq(PGconn *pg, bool confirm)
{
	int64_t began = clock_mono_us();

	for (int i = 0; i < QUERIES; i++) {
		if (confirm)
			libpq_run(pg, "confirm", 0);
		libpq_run(pg, "trivial", 1);
	}
	return (double)(clock_mono_us() - began) / QUERIES;
}

static PGconn *libpq_open(void)
{
	char text[128];
	PGconn *pg;

	snprintf(text, sizeof(text), "host=127.0.0.1 port=%d user=bench dbname=postgres", port);
	pg = PQconnectdb(text);
	PQclear(PQprepare(pg, "confirm", "SELECT current_setting('vesper.tenant_id', true)", 0,
			  NULL));
	PQclear(PQprepare(pg, "trivial", "SELECT s FROM bench WHERE n = $1", 0, NULL));
	return pg;
}
#endif

static void bench_worker(struct loop *l)
{
	const struct value v = value_int(77);
	struct db_options o = options_of(1);
	const struct source_statement s = {
		.name = "bench", .text = TRIVIAL, .values = &v, .count = 1, .bounded_rows = true};
	const struct db_request r = {.tenant = "tenant_0", .statements = &s, .statement_count = 1};
	double plain = 0, confirmed = 0, pq = 0, pq_confirmed = 0;
	struct request *request;
	struct connection *c;
	struct db_pool *p;
	struct err e;

	if (!db_pool_open(l, &o, &db_postgres, &p, &e))
		stop("open", &e);
	c = db_connection_new(&p->tenants[0]);
	request = db_request_new(p, &r, on_answer, NULL);
	if (!db_connection_open(c, &e))
		stop("connect", &e);
#ifdef HAVE_LIBPQ
	PGconn *pg = libpq_open();
#endif
	for (int i = 0; i < BATCHES; i++) {
		plain = smaller(time_worker(c, false, request->work), plain);
		confirmed = smaller(time_worker(c, true, request->work), confirmed);
#ifdef HAVE_LIBPQ
		pq = smaller(time_libpq(pg, false), pq);
		pq_confirmed = smaller(time_libpq(pg, true), pq_confirmed);
#endif
	}
	printf("trivial query, worker        %7.1f us   with the tenant confirmed %7.1f us\n",
	       plain, confirmed);
	if (pq > 0)
		printf("the same in libpq, prepared  %7.1f us   with the tenant confirmed %7.1f "
		       "us\n"
		       "ratio                        %7.2f      %32.2f\n",
		       pq, pq_confirmed, plain / pq, confirmed / pq_confirmed);
#ifdef HAVE_LIBPQ
	PQfinish(pg);
#endif
	request->cb = NULL;
	db_request_finish(request);
	db_connection_close(c);
	db_connection_free(&c);
	db_pool_driver.close(p);
}

static void bench_hand_off(struct loop *l)
{
	const struct value v = value_int(77);
	struct db_options o = options_of(1);
	struct answer a = {0};
	double best = 0;
	struct db *d;
	struct err e;

	if (!db_open(l, &o, &d, &e))
		stop("open", &e);
	loop_run_once(l); /* updates the loop's clock */
	for (int batch = 0; batch < BATCHES; batch++) {
		int64_t began = clock_mono_us();

		for (int i = 0; i < QUERIES; i++) {
			ask(d, "tenant_0", TRIVIAL, &v, true, &a);
			wait_for(l, &a, batch * QUERIES + i + 1);
		}
		best = smaller((double)(clock_mono_us() - began) / QUERIES, best);
	}
	printf("the same through the loop    %7.1f us\n", best);
	if (a.errors > 0)
		stop("through the loop", &a.last);
	db_close(&d);
}

/* ---- slow queries ---- */

static atomic_bool watching;
static double oldest_s;

/* Thread that records the age of the oldest query on the server. */
static void *on_watch(void *owner)
{
#ifdef HAVE_LIBPQ
	PGconn *pg = libpq_open();

	while (atomic_load(&watching)) {
		PGresult *r =
			PQexec(pg, "SELECT max(extract(epoch FROM clock_timestamp() - "
				   "query_start)) FROM pg_stat_activity WHERE state = 'active' "
				   "AND query LIKE '%pg_sleep(30)%' AND pid <> "
				   "pg_backend_pid()");
		double age = PQntuples(r) > 0 ? strtod(PQgetvalue(r, 0, 0), NULL) : 0;

		oldest_s = age > oldest_s ? age : oldest_s;
		PQclear(r);
		usleep(20000);
	}
	PQfinish(pg);
#endif
	return owner;
}

struct lag {
	int64_t last_us;
	int64_t worst_us;
};

static void on_tick(void *owner)
{
	struct lag *g = owner;
	int64_t now = clock_mono_us();
	int64_t late = now - g->last_us - 5000;

	g->worst_us = late > g->worst_us ? late : g->worst_us;
	g->last_us = now;
}

static void ticks_run(struct loop *l, struct lag *g, const struct answer *a, int calls, int ms)
{
	int64_t end = clock_mono_ms() + ms;

	*g = (struct lag){.last_us = clock_mono_us()};
	while (a->calls < calls && clock_mono_ms() < end) {
		loop_run_once(l);
		usleep(500);
	}
}

static void bench_slow(struct loop *l)
{
	struct db_options o = options_of(SLOW);
	struct answer a = {0};
	struct lag quiet, busy;
	struct timer *tick;
	pthread_t watcher;
	struct db *d;
	struct err e;

	if (!db_open(l, &o, &d, &e))
		stop("open", &e);
	atomic_store(&watching, true);
	pthread_create(&watcher, NULL, on_watch, NULL);
	tick = timer_new(l, on_tick, &quiet);
	timer_repeat(tick, 5);
	ticks_run(l, &quiet, &a, 1, 5000);
	timer_free(&tick);
	for (int i = 0; i < SLOW; i++)
		ask(d, o.tenants[i].id, "SELECT pg_sleep(30)", NULL, false, &a);
	tick = timer_new(l, on_tick, &busy);
	timer_repeat(tick, 5);
	ticks_run(l, &busy, &a, SLOW, 20000);
	timer_free(&tick);
	usleep(100000);
	atomic_store(&watching, false);
	pthread_join(watcher, NULL);
	printf("%d queries of 30 s            %d answered (%s), oldest on the server %.1f s\n",
	       SLOW, a.calls, err_code_name(a.last.code), oldest_s);
	printf("5 ms timer, worst delay      %7.1f ms while they run, %.1f ms before\n",
	       (double)busy.worst_us / 1000, (double)quiet.worst_us / 1000);
	db_close(&d);
}

/* ---- memory ---- */

static long rss_kib(const char *which)
{
	char line[128];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, which, strlen(which)) == 0)
			kib = strtol(line + strlen(which), NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

static void bench_memory(struct loop *l)
{
	struct db_options o = options_of(1);
	struct answer a = {0};
	long before;
	struct db *d;
	struct err e;

	if (!db_open(l, &o, &d, &e))
		stop("open", &e);
	ask(d, "tenant_0", "SELECT 1", NULL, false, &a);
	wait_for(l, &a, 1);
	before = rss_kib("VmRSS:");
	ask(d, "tenant_0",
	    "SELECT i AS n, 'row number ' || i AS s FROM (SELECT generate_series(1, 10000000) AS "
	    "i) x",
	    NULL, false, &a);
	wait_for(l, &a, 2);
	printf("query over 10^7 rows         %+7.1f MiB at its peak\n",
	       (double)(rss_kib("VmHWM:") - before) / 1024);
	if (a.errors > 0)
		stop("10^7 rows", &a.last);
	db_close(&d);
}

int main(int argc, char **argv)
{
	struct loop *l;
	struct err e;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_db PORT\n");
		return 2;
	}
	port = (int)strtol(argv[1], NULL, 10);
	snprintf(dsn, sizeof(dsn),
		 "Driver=psqlodbcw.so;Servername=127.0.0.1;Port=%d;Database=postgres;Uid=bench",
		 port);
	if (!loop_new(&l, &e))
		stop("loop", &e);
	schema_make(l);
	bench_memory(l);
	bench_worker(l);
	bench_hand_off(l);
	bench_slow(l);
	loop_free(&l);
	return 0;
}
