/*
 * Keeps the learned names as the data have them: tenant after tenant, dimension after dimension,
 * again and again. One query runs at a time: the warehouse belongs to the questions, and a name
 * that is known a little later harms nobody. Where the catalogue names a watermark, one row tells
 * whether the values may have changed; only then they are read. What fails changes nothing: the
 * last good names serve on, and the health check says so.
 */
#include "refresh_int.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define STATEMENT_BYTES 65536
#define CHECK_BYTES     128
#define FAILURES_MAX    2

static void next(struct name_refresh *r);

static const struct dimension_def *dimension_of(const struct name_refresh *r)
{
	return &r->book->catalog->dimensions[r->dimension];
}

static const char *tenant_of(const struct name_refresh *r)
{
	return r->tenants[r->tenant];
}

/* Where the mark of this tenant and dimension is kept. */
static char **mark_of(struct name_refresh *r)
{
	return &r->marks[r->tenant * r->book->catalog->dimension_count + r->dimension];
}

/* ---- health ---- */

static void say_health(struct name_refresh *r, const struct err *e)
{
	char check[CHECK_BYTES];

	snprintf(check, sizeof(check), "names:%s", tenant_of(r));
	if (e)
		health_set(check, HEALTH_HELPFUL, HEALTH_DEGRADED,
			   "%s, the names known before serve on: %s", dimension_of(r)->name,
			   e->text);
	else
		health_set(check, HEALTH_HELPFUL, HEALTH_OK, "as the warehouse has them");
}

static void next_tenant(struct name_refresh *r)
{
	if (!r->failed)
		say_health(r, NULL);
	if (!r->missing)
		name_book_set_loaded(r->book, tenant_of(r));
	r->failed = r->missing = false;
	r->failures = 0;
	r->tenant++;
	r->dimension = 0;
}

/* Whether the names may be there another time. What is wrong for good (a view that does not exist,
 * more values than can be indexed) never keeps a tenant's questions waiting. */
static bool may_pass(const struct err *e)
{
	return e->may_retry || e->code == ERR_UPSTREAM || e->code == ERR_TIMEOUT;
}

/* After two in a row that may pass the tenant's others would fail too. */
static void fail(struct name_refresh *r, const struct err *e)
{
	/* Whether a warehouse is up is told by its own check. */
	log_debug("know.names", "tenant %s: %s: %s", tenant_of(r), dimension_of(r)->name, e->text);
	say_health(r, e);
	lexicon_build_free(&r->build);
	r->failed = true;
	r->dimension++;
	if (may_pass(e)) {
		r->missing = true;
		if (++r->failures == FAILURES_MAX)
			next_tenant(r);
	}
	timer_start(r->timer, 0);
}

static void dimension_done(struct name_refresh *r)
{
	r->failures = 0;
	r->dimension++;
	next(r);
}

/* ---- queries ---- */

static struct source *source_of(const struct name_refresh *r)
{
	return source_find(r->sources, SOURCE_WAREHOUSE);
}

static void query(struct name_refresh *r, const struct sql_bound *sql, source_cb cb)
{
	struct arena *a = arena_new(STATEMENT_BYTES);
	struct source_statement statement = {
		.name = arena_printf(a, "know/%s", dimension_of(r)->name),
		.text = sql->text,
		.values = sql->values,
		.count = sql->count,
		.sink = {.rows_max = KNOW_PAGE_ROWS, .stats = true},
	};
	struct source_call call = {.tenant = tenant_of(r), .statements = &statement, .count = 1};
	struct source *s = source_of(r);

	r->query = s->start(s, &call, cb, r);
	arena_free(&a);
}

/* The parent's column, where it stands in the same view. */
static const char *parent_column(const struct name_refresh *r)
{
	const struct dimension_def *d = dimension_of(r), *up;

	up = d->parent ? catalog_dimension(r->book->catalog, d->parent) : NULL;
	return up && up->view && strcmp(up->view, d->view) == 0 ? up->column : NULL;
}

static void on_page(void *owner, struct source_batch *batches, size_t count, const struct err *e);

static void read_page(struct name_refresh *r)
{
	const struct dimension_def *d = dimension_of(r);
	struct sql_values values = {.view = d->view,
				    .column = d->column,
				    .parent = parent_column(r),
				    .after = r->after,
				    .cap = KNOW_PAGE_ROWS};
	struct arena *a = arena_new(STATEMENT_BYTES);
	struct sql_bound sql;
	struct err e = {0};

	if (sql_distinct(&values, tenant_of(r), source_of(r)->dialect, a, &sql, &e)) {
		query(r, &sql, on_page);
	} else {
		log_warn("know.names", "%s: %s", d->name, e.text);
		fail(r, &e);
	}
	arena_free(&a);
}

static void begin_reading(struct name_refresh *r)
{
	lexicon_build_free(&r->build);
	r->build = lexicon_build_new();
	mem_free(r->after);
	r->after = NULL;
	r->again = 0;
	read_page(r);
}

/* ---- on the worker: the pages into the build, and at last the lexicon ---- */

/* A page with parents begins with what the one before ended with. */
static bool add_rows(struct names_job *j)
{
	const struct table *t = j->page;

	for (size_t i = j->again; i < t->row_count; i++) {
		const char *value = t->rows[i][0];
		const char *parent = t->column_count > 1 ? t->rows[i][1] : NULL;

		if (value && *value && !lexicon_build_add(j->build, value, parent))
			return false;
	}
	return true;
}

static void run_job(struct pool_job *job)
{
	struct names_job *j = (struct names_job *)job;

	if (j->page)
		j->fits = add_rows(j);
	else
		j->made = lexicon_new(&j->build, LEXICON_LEARNED, &j->cancelled);
}

static void on_job(struct pool_job *job);

static void submit(struct name_refresh *r, struct table *page)
{
	struct names_job *j = mem_alloc(sizeof(*j));

	*j = (struct names_job){.job = {.run = run_job, .done = on_job},
				.refresh = r,
				.build = r->build,
				.page = page,
				.again = r->again};
	r->build = NULL;
	r->job = j;
	pool_submit(r->pool, &j->job);
}

static void free_job(struct names_job *j)
{
	table_free(&j->page);
	lexicon_build_free(&j->build);
	lexicon_unref(&j->made);
	mem_free(j);
}

/* How many rows at the end of the page hold its last value. */
static size_t rows_of_last(const struct table *t)
{
	const char *last = t->rows[t->row_count - 1][0];
	size_t n = 1;

	while (n < t->row_count && strcmp(t->rows[t->row_count - 1 - n][0], last) == 0)
		n++;
	return n;
}

/* True when there may be more behind it. */
static bool remember_page(struct name_refresh *r, const struct table *t)
{
	size_t last;

	if (t->row_count < KNOW_PAGE_ROWS)
		return false;
	last = rows_of_last(t);
	if (last == t->row_count)
		return false; /* one value with a page of parents: there is no way past it */
	mem_free(r->after);
	r->after = mem_strdup(t->rows[t->row_count - 1][0]);
	r->again = t->column_count > 1 ? last : 0;
	return true;
}

/* Is it just what is known? Then nothing has to be made, as at most times. */
static bool is_known(const struct name_refresh *r, const struct lexicon_build *b)
{
	const struct lexicon *l = name_book_get(r->book, tenant_of(r), r->dimension);

	return l && l->count == lexicon_build_count(b) && l->hash == lexicon_build_hash(b);
}

static void use(struct name_refresh *r, const struct lexicon *l)
{
	log_debug("know.names", "tenant %s: %zu values of %s", tenant_of(r), l ? l->count : 0,
		  dimension_of(r)->name);
	name_book_set(r->book, tenant_of(r), r->dimension, l);
}

static void keep_mark(struct name_refresh *r)
{
	mem_free(*mark_of(r));
	*mark_of(r) = r->mark;
	r->mark = NULL;
}

static void too_many(struct name_refresh *r)
{
	struct err e = {0};

	err_set(&e, ERR_LIMIT, "more than %d values, or too long ones", KNOW_VALUES_MAX);
	log_warn("know.names", "tenant %s: %s: %s", tenant_of(r), dimension_of(r)->name, e.text);
	fail(r, &e);
}

static void page_added(struct name_refresh *r, struct names_job *j)
{
	bool more = remember_page(r, j->page);

	r->build = j->build;
	j->build = NULL;
	if (!j->fits) {
		too_many(r);
	} else if (more) {
		read_page(r);
	} else if (is_known(r, r->build)) {
		lexicon_build_free(&r->build);
		keep_mark(r);
		dimension_done(r);
	} else {
		submit(r, NULL);
	}
}

static void on_job(struct pool_job *job)
{
	struct names_job *j = (struct names_job *)job;
	struct name_refresh *r = j->refresh;

	if (!j->cancelled) {
		r->job = NULL;
		if (j->page) {
			page_added(r, j);
		} else {
			use(r, j->made);
			j->made = NULL;
			keep_mark(r);
			dimension_done(r);
		}
	}
	free_job(j);
}

static void on_page(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct name_refresh *r = owner;
	struct err wrong = {0};

	r->query = NULL;
	if (!e && count == 1 && !batches[0].table->truncated) {
		submit(r, batches[0].table);
		return;
	}
	source_batches_free(batches, count);
	if (!e)
		err_set(&wrong, ERR_LIMIT, "a page of names came cut");
	fail(r, e ? e : &wrong);
}

/* ---- watermarks ---- */

static void on_mark(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct name_refresh *r = owner;
	const struct table *t = !e && count == 1 ? batches[0].table : NULL;

	r->query = NULL;
	mem_free(r->mark);
	r->mark = NULL;
	if (t && t->row_count == 1 && t->column_count == 2) {
		const char *const *cells = t->rows[0];

		r->mark = mem_printf("%s %s", cells[0] ? cells[0] : "", cells[1] ? cells[1] : "");
	}
	source_batches_free(batches, count);
	if (e)
		fail(r, e);
	else if (r->mark && *mark_of(r) && strcmp(r->mark, *mark_of(r)) == 0)
		dimension_done(r);
	else
		begin_reading(r);
}

static void read_dimension(struct name_refresh *r)
{
	const struct dimension_def *d = dimension_of(r);
	struct arena *a = arena_new(STATEMENT_BYTES);
	struct sql_bound sql;
	struct err e = {0};

	mem_free(r->mark);
	r->mark = NULL;
	if (d->watermark &&
	    sql_watermark(d->view, d->watermark, tenant_of(r), source_of(r)->dialect, a, &sql, &e))
		query(r, &sql, on_mark);
	else
		begin_reading(r);
	arena_free(&a);
}

/* ---- the round ---- */

/* Does a tool take such names? */
static bool is_wanted(const struct catalog *c, const struct dimension_def *d)
{
	if (!d->view || !d->column)
		return false;
	for (size_t t = 0; t < c->tool_count; t++)
		for (size_t p = 0; p < c->tools[t].param_count; p++) {
			const char *entity = c->tools[t].params[p].entity;

			if (entity && strcmp(entity, d->name) == 0)
				return true;
		}
	return false;
}

static size_t tenants_without(const struct name_refresh *r)
{
	size_t n = 0;

	for (size_t i = 0; r->tenants[i]; i++)
		n += !name_book_loaded(r->book, r->tenants[i]);
	return n;
}

/* When the next round begins: soon, where a tenant's questions wait for names. */
static void rest(struct name_refresh *r)
{
	int64_t now = clock_mono_ms(), left;

	if (now >= r->due_ms)
		r->due_ms = now + (int64_t)r->interval_ms;
	r->tenant = 0;
	left = r->due_ms - now;
	if (left > NAMES_RETRY_MS && tenants_without(r) > 0)
		left = NAMES_RETRY_MS;
	timer_start(r->timer, (uint64_t)left);
}

/* A retry is for the tenants whose names are not loaded. */
static bool is_skipped(const struct name_refresh *r)
{
	return clock_mono_ms() < r->due_ms && name_book_loaded(r->book, tenant_of(r));
}

/* Starts with the next dimension, or waits for the next time when there is none left. */
static void next(struct name_refresh *r)
{
	const struct catalog *c = r->book->catalog;

	for (; r->tenants[r->tenant]; next_tenant(r))
		for (; !is_skipped(r) && r->dimension < c->dimension_count; r->dimension++)
			if (is_wanted(c, dimension_of(r))) {
				read_dimension(r);
				return;
			}
	rest(r);
	if (r->on_round)
		r->on_round(r->owner);
}

static void on_time(void *owner)
{
	next(owner);
}

/* ---- life ---- */

struct name_refresh *name_refresh_new(const struct name_refresh_options *o)
{
	struct name_refresh *r = mem_alloc(sizeof(*r));

	*r = (struct name_refresh){
		.sources = o->sources, .tenants = o->tenants, .interval_ms = o->interval_ms};
	r->timer = timer_new(o->loop, on_time, r);
	r->pool = pool_new(o->loop, "names", 1);
	return r;
}

static void stop(struct name_refresh *r)
{
	op_cancel(&r->query);
	timer_stop(r->timer);
	if (r->job)
		r->job->cancelled = true;
	r->job = NULL;
	lexicon_build_free(&r->build);
	mem_free(r->after);
	mem_free(r->mark);
	r->after = r->mark = NULL;
	for (size_t i = 0; i < r->mark_count; i++)
		mem_free(r->marks[i]);
	mem_free(r->marks);
	r->marks = NULL;
}

/* Was every dimension of the book handed over? */
static bool has_all(const struct name_book *b, const char *tenant)
{
	const struct catalog *c = b->catalog;

	for (size_t i = 0; i < c->dimension_count; i++)
		if (is_wanted(c, &c->dimensions[i]) && !name_book_get(b, tenant, i))
			return false;
	return true;
}

/* What is known of a dimension stays known while it is read for the new catalogue. */
static void hand_over(const struct name_refresh *r, struct name_book *to)
{
	const struct catalog *old = r->book->catalog, *c = to->catalog;

	for (size_t i = 0; i < old->dimension_count; i++) {
		const struct dimension_def *was = &old->dimensions[i];
		const struct dimension_def *is = catalog_dimension(c, was->name);

		if (!is || !is->view || !was->view || strcmp(is->view, was->view) != 0 ||
		    strcmp(is->column, was->column) != 0)
			continue;
		for (size_t t = 0; r->tenants[t]; t++) {
			const struct lexicon *l = name_book_get(r->book, r->tenants[t], i);

			if (l)
				name_book_set(to, r->tenants[t], is->index, lexicon_ref(l));
		}
	}
	for (size_t t = 0; r->tenants[t]; t++)
		if (name_book_loaded(r->book, r->tenants[t]) && has_all(to, r->tenants[t]))
			name_book_set_loaded(to, r->tenants[t]);
}

void name_refresh_on_round(struct name_refresh *r, void (*done)(void *owner), void *owner)
{
	r->on_round = done;
	r->owner = owner;
}

void name_refresh_use(struct name_refresh *r, struct name_book *b)
{
	size_t tenants = 0;

	stop(r);
	if (r->book && r->book != b)
		hand_over(r, b);
	while (r->tenants[tenants])
		tenants++;
	r->book = b;
	b->from_data = true;
	r->mark_count = tenants * b->catalog->dimension_count;
	r->marks = mem_alloc((r->mark_count + 1) * sizeof(*r->marks));
	r->tenant = r->dimension = r->failures = 0;
	r->failed = r->missing = false;
	r->due_ms = 0;
	next(r);
}

void name_refresh_free(struct name_refresh **r)
{
	if (!*r)
		return;
	stop(*r);
	pool_free(&(*r)->pool);
	timer_free(&(*r)->timer);
	mem_free(*r);
	*r = NULL;
}
